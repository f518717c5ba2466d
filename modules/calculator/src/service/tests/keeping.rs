use std::sync::Arc;

use agio_approvals::Approvals;
use agio_core::clock::ManualClock;
use agio_core::identity::{Actor, Role, Staff};
use agio_core::live::{Live, Notice};
use agio_core::module::Module as _;
use agio_core::needs::{Bonus, JUMP_PERCENT, PaymentHandling, PaymentHandlings, Quotes as _, TermsVersion};
use agio_core::outbox::Outbox;
use agio_core::random::SeededRandom;
use agio_core::settings::{Setting, Settings};
use agio_core::{Aside, Clock as _, Db, Platform, Vault, fetch_all};
use agio_ledger::Ledger;
use tempfile::TempDir;

use super::*;
use crate::market::PairChange;
use crate::service::{BulkChange, Moved, MovementReason};
use crate::{Calculator, Needs};

/// Rules that were never changed.
struct FirstTerms;

impl TermsVersion for FirstTerms {
    fn terms_version(&self) -> String {
        "1".to_owned()
    }
}

/// Staff do all payments.
struct ByHand;

impl PaymentHandlings for ByHand {
    fn handling(&self, _: i64) -> PaymentHandling {
        PaymentHandling::default()
    }
}

/// A calculator with the demonstration's market on a SQLite file.
struct Desk {
    calculator: Arc<Calculator>,
    clock: Arc<ManualClock>,
    _folder: TempDir,
}

impl Desk {
    async fn open() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let db = Db::open(&format!("sqlite:{}", folder.path().join("agio.db").display())).await.unwrap();
        db.migrate().await.unwrap();
        let clock = Arc::new(ManualClock::at(moment("2024-03-28T12:00:00Z")));
        let platform = Platform {
            db,
            clock: clock.clone(),
            random: Arc::new(SeededRandom::new(1)),
            settings: Settings::default(),
            live: Live::default(),
            outbox: Outbox::default(),
            vault: Vault::forgetful(Arc::new(SeededRandom::new(2))),
            aside: Aside::default(),
        };
        let texts = Arc::new(Texts::merge(&[agio_approvals::DICTIONARY]).unwrap());
        let approvals = Approvals::new(&platform, texts);
        let calculator = Calculator::new(
            &platform,
            Ledger::new(platform.live.clone()),
            approvals,
            Needs { terms: Arc::new(FirstTerms), files: agio_testkit::rate_files(), payments: Arc::new(ByHand) },
        );
        let jump = [Setting::number(JUMP_PERCENT, 1, 90, "10")];
        platform.settings.declare([calculator.settings(), agio_approvals::SETTINGS, &jump].concat());
        calculator.load().await.unwrap();
        calculator.seed_demo().await.unwrap();
        Self { calculator, clock, _folder: folder }
    }

    fn pair(&self) -> i64 {
        between(&self.calculator.market(), "BTC", "SBERRUB").pair.id
    }

    async fn log(&self) -> Vec<(String, String)> {
        let mut tx = self.calculator.platform.db.read().await.unwrap();
        fetch_all!(
            &mut tx,
            (String, String),
            "SELECT actor_name, about_kind || ':' || about_id FROM audit WHERE action = 'pair.changed' ORDER BY at, number"
        )
        .unwrap()
    }
}

fn editor() -> Staff {
    Staff { id: Uuid::nil(), name: "Мария".into(), role: Role::Editor, address: None }
}

#[tokio::test]
async fn seeding_again_changes_nothing_an_operator_has_set() {
    let desk = Desk::open().await;
    let calculator = &desk.calculator;
    let bitcoin = calculator.market().currency_named("BTC").unwrap().id();
    let before = (calculator.market().pairs.len(), calculator.free(bitcoin));
    let dearer = PairChange { spread_percent: Some(number("4")), ..PairChange::default() };
    calculator.change_pair(desk.pair(), 1, dearer, &editor()).await.unwrap();

    calculator.seed_demo().await.unwrap();
    assert_eq!((calculator.market().pairs.len(), calculator.free(bitcoin)), before);
    assert_eq!(calculator.market().pair(desk.pair()).unwrap().pair.spread_percent, number("4"));
}

#[tokio::test]
async fn of_two_operators_who_edit_one_pair_the_second_is_told() {
    let desk = Desk::open().await;
    let mut notices = desk.calculator.platform.live.listen();
    let set = |spread: &str| PairChange { spread_percent: Some(number(spread)), ..PairChange::default() };
    desk.calculator.change_pair(desk.pair(), 1, set("3"), &editor()).await.unwrap();
    assert_eq!(notices.try_recv().unwrap(), Notice::Market);

    let second = desk.calculator.change_pair(desk.pair(), 1, set("1"), &editor()).await.unwrap_err();
    assert_eq!((second.kind().status(), second.code()), (409, "market_changed"));
    let market = desk.calculator.market();
    let pair = &market.pair(desk.pair()).unwrap().pair;
    assert_eq!((pair.spread_percent, pair.revision), (number("3"), 2));
    assert_eq!(desk.log().await, [("Мария".to_owned(), format!("pair:{}", desk.pair()))]);
}

#[tokio::test]
async fn a_change_of_many_pairs_happens_to_all_of_them_or_to_none() {
    let desk = Desk::open().await;
    let off = BulkChange { enabled: Some(false), spread_percent: None };
    let refused = desk.calculator.change_pairs(&[desk.pair(), 99_999], off, &editor()).await.unwrap_err();
    assert_eq!(refused.code(), "pair_unknown");
    assert!(desk.calculator.market().pair(desk.pair()).unwrap().pair.enabled);
    assert!(desk.log().await.is_empty());

    desk.calculator.change_pairs(&[desk.pair(), desk.pair() + 1], off, &editor()).await.unwrap();
    assert!(!desk.calculator.market().pair(desk.pair()).unwrap().pair.enabled);
    assert_eq!(desk.log().await.len(), 2);
}

#[tokio::test]
async fn reserves_move_through_the_books_and_never_below_zero() {
    let desk = Desk::open().await;
    let calculator = &desk.calculator;
    let bitcoin = calculator.market().currency_named("BTC").unwrap().id();
    let moved = |amount: &str, reason| Moved { currency: bitcoin, amount: number(amount), reason, note: "сверка".into() };
    calculator.move_reserve(moved("0.3", MovementReason::Deposit), &editor(), None).await.unwrap();
    calculator.move_reserve(moved("-4.5", MovementReason::Withdrawal), &editor(), None).await.unwrap();
    assert_eq!(calculator.free(bitcoin), 0);

    let overdrawn = calculator.move_reserve(moved("-0.00000001", MovementReason::Correction), &editor(), None).await.unwrap_err();
    assert_eq!((overdrawn.kind().status(), overdrawn.code()), (409, "balance_too_low"));
    for (amount, reason) in
        [("0", MovementReason::Correction), ("-1", MovementReason::Deposit), ("1", MovementReason::Withdrawal)]
    {
        let refused = calculator.move_reserve(moved(amount, reason), &editor(), None).await.unwrap_err();
        assert_eq!(refused.fields()[0].code, "movement_direction");
    }
    let mut tx = calculator.platform.db.read().await.unwrap();
    assert!(calculator.ledger.check(&mut tx, desk.clock.now()).await.unwrap().is_clean());
    let movements = calculator.movements(bitcoin, Timestamp(i64::MAX), 10).await.unwrap();
    // All in one moment of a clock that stands still, so their order says nothing.
    let mut amounts: Vec<_> = movements.iter().map(|movement| movement.amount).collect();
    amounts.sort_unstable();
    assert_eq!(amounts, [-450_000_000, 30_000_000, 420_000_000]);
}

#[tokio::test]
async fn quotes_of_others_are_no_quotes_and_old_ones_give_the_present_rate() {
    let desk = Desk::open().await;
    let calculator = &desk.calculator;
    let market = calculator.market();
    let pair = between(&market, "BTC", "SBERRUB");
    let now = desk.clock.now();
    let plain = pair.lifted(&market.rates, &Bonus::default()).unwrap();
    let quote = calculator.promise(&market, pair, &plain, None, now, now.plus(calculator.quote_lifetime())).token();
    let asked = Asked { quote: Some(quote.clone()), ..asked(pair, "0.015", Some("94498.62")) };
    assert!(calculator.agree(&asked).is_ok());

    let other = between(&market, "BTC", "TCSBRUB");
    let for_another_pair = Asked { to: other.pair.to, ..asked.clone() };
    let forged = Asked { quote: Some(format!("{quote}A")), ..asked.clone() };
    for wrong in [for_another_pair, forged, Asked { quote: Some(String::new()), ..asked.clone() }] {
        let refused = calculator.agree(&wrong).unwrap_err();
        assert_eq!((refused.fields()[0].field.as_str(), refused.fields()[0].code), ("quoteId", "quote_invalid"));
    }

    let dearer = PairChange { spread_percent: Some(number("4")), ..PairChange::default() };
    calculator.change_pair(pair.pair.id, 1, dearer, &editor()).await.unwrap();
    assert!(calculator.agree(&asked).is_ok(), "the quote still holds");
    desk.clock.advance(calculator.quote_lifetime());
    assert_eq!(calculator.agree(&asked).unwrap_err().code(), "rate_changed");
}

#[tokio::test]
async fn a_broken_file_of_rates_leaves_everything_as_it_was() {
    let desk = Desk::open().await;
    let before = desk.calculator.market();
    for file in [&b""[..], b"{}", b"<html>", b"<gesmes:Envelope>eurofxref"] {
        let refused = desk.calculator.import_rates(file, &Actor::house("test")).await.unwrap_err();
        assert_eq!(refused.code(), "rates_unreadable", "{file:?}");
    }
    assert!(Arc::ptr_eq(&before, &desk.calculator.market()));
}
