use agio_core::error::Params;
use agio_core::texts::{Locale, Texts};

use super::*;
use crate::market::{PairStatus, rate_text};

#[test]
fn every_enabled_demo_pair_can_be_exchanged() {
    let market = market();
    assert!(market.pairs.len() >= 120, "{} pairs", market.pairs.len());
    let opening = planned(timestamp("2024-03-28T12:00:00Z")).reserves;
    let reserve = |id| opening.iter().find(|amount| amount.currency().id() == id).unwrap().units();
    let stopped: Vec<_> = market
        .pairs
        .iter()
        .filter(|pair| pair.state(reserve(pair.pair.receive_id)) != PairStatus::Ok)
        .map(|pair| (pair.give.facts.code.as_str(), pair.receive.facts.code.as_str(), pair.state(reserve(pair.pair.receive_id))))
        .collect();
    assert_eq!(stopped, [("DOGE", "SBPRUB", PairStatus::Off)]);
}

#[test]
fn bitcoin_is_priced_over_the_dollar_and_the_rouble_fixing() {
    let market = market();
    let pair = between(&market, "BTC", "SBERRUB");
    let rate = pair.rate.as_ref().unwrap();
    assert_eq!(rate_text::path(rate), ["BTC", "USD", "RUB"]);
    // 92.5919 roubles a dollar, 0.000014374 bitcoin a dollar, less 2.2 percent.
    assert_eq!(rate.terms.parts().rate.round_dp(3), number("6299908.042"));
    assert!(rate.explanation.replays());
    let limits = pair.limits(&rate.terms, PLENTY).unwrap();
    assert_eq!(limits.give.min.value, number("0.0005"));
}

#[test]
fn the_rate_is_explained_in_the_language_of_the_visitor() {
    let texts = Texts::merge(&[agio_core::dictionary!()]).unwrap();
    let market = market();
    let pair = between(&market, "BTC", "SBERRUB");
    let rate = pair.rate.as_ref().unwrap();
    assert_eq!(
        rate_text::explanation(&texts, Locale::En, &rate.explanation),
        "1 ÷ 0.000014374 (USD/BTC, currency-api, 28 March 2024) × 92.5919 (USD/RUB, Bank of Russia, 28 March 2024) \
         − 2.2% (our margin) = 6,299,908.04229"
    );
    assert_eq!(rate_text::source(&texts, Locale::Ru, pair), "currency-api, Банк России, 28.03.2024");
}

#[test]
fn swapping_one_asset_between_networks_costs_the_spread_and_the_network_only() {
    let market = market();
    let pair = between(&market, "USDTTRC20", "USDTERC20");
    let terms = &pair.rate.as_ref().unwrap().terms;
    assert_eq!(terms.parts().rate, number("0.993"));
    assert_eq!(terms.receive(number("1000")).unwrap(), number("987"));
}

#[test]
fn stale_rates_suspend_only_their_pairs() {
    let later = timestamp("2024-04-02T12:00:00Z");
    let market = Market::build(rows(later, None), later).unwrap();
    assert_eq!(between(&market, "BTC", "SBERRUB").state(PLENTY), PairStatus::Stale);
    assert_eq!(between(&market, "USDTTRC20", "CASHUSD").state(PLENTY), PairStatus::Ok, "its rate is set by hand");
    assert_eq!(between(&market, "USDTTRC20", "USDTERC20").state(PLENTY), PairStatus::Ok, "it needs no rate");

    let monday = timestamp("2024-03-31T23:59:00Z");
    let market = Market::build(rows(monday, None), monday).unwrap();
    assert_eq!(between(&market, "BTC", "SBERRUB").state(PLENTY), PairStatus::Ok, "a weekend is spanned");
}

#[test]
fn a_fixed_day_applies_at_any_date_and_is_reported() {
    let years_later = timestamp("2026-11-21T12:00:00Z");
    let market = Market::build(rows(years_later, Some(DAY)), years_later).unwrap();
    let pair = between(&market, "BTC", "SBERRUB");
    assert_eq!(pair.state(PLENTY), PairStatus::Ok);
    assert_eq!(pair.rate.as_ref().unwrap().rates_of, Some(DAY));
    assert_eq!(between(&market, "USDTTRC20", "CASHUSD").rate.as_ref().unwrap().rates_of, None, "set by hand, of today");

    let market = Market::build(rows(years_later, Some(date!(2024 - 03 - 27))), years_later).unwrap();
    assert_eq!(between(&market, "BTC", "SBERRUB").state(PLENTY), PairStatus::Stale, "nobody said anything that day");
}

#[test]
fn a_pair_without_reserve_is_not_listed() {
    let market = market();
    let bitcoin = market.currency_named("btc").unwrap().id();
    let sber = market.currency_named("SBERRUB").unwrap().id();
    assert!(market.receivable(bitcoin, |_| PLENTY).contains(&sber));
    let sber_is_empty = |id| if id == sber { 100 } else { PLENTY };
    assert!(!market.receivable(bitcoin, sber_is_empty).contains(&sber));
    assert!(market.giveable(|_| 0).is_empty());
}

#[test]
fn the_default_pair_follows_the_link_where_available() {
    let market = market();
    let open = |from, to| {
        let (from, to) = market.default_pair(from, to, |_| PLENTY).unwrap();
        [from, to].map(|id| market.currency(id).unwrap().facts.code.clone())
    };
    assert_eq!(open(Some("btc"), Some("sberrub")), ["BTC", "SBERRUB"]);
    assert_eq!(open(Some("1"), Some("14")), ["BTC", "SBERRUB"]);
    assert_eq!(open(None, None), ["BTC", "ETH"]);
    assert_eq!(open(Some("XMR"), Some("XMR")), ["XMR", "SBERRUB"], "nothing into itself");
    assert_eq!(open(Some("nothing"), Some("KSPBKZT")), ["BTC", "KSPBKZT"]);
    assert_eq!(open(Some("DOGE"), Some("SBPRUB")), ["DOGE", "SBERRUB"], "that pair is off");
    assert_eq!(open(Some(""), Some("99999999999999999999")), ["BTC", "ETH"]);
}

#[test]
fn every_setting_has_title_and_help() {
    let texts = Texts::merge(&[agio_core::dictionary!()]).unwrap();
    for setting in crate::settings::SETTINGS {
        for key in [format!("setting.{}", setting.name), format!("setting.{}.help", setting.name)] {
            assert!(texts.has(&key), "{key}");
            assert!(!texts.get(Locale::Ru, &key, &Params::new()).is_empty());
        }
    }
}
