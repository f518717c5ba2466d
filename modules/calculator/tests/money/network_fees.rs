//! The network fee is taken from the received amount exactly once, whichever side is typed.

use agio_calculator::model::pricing::{Fee, MarketRate, Pricing};
use agio_contracts::{NetworkFee, NetworkFeePayer};
use rust_decimal::Decimal;

use crate::generators::NumberGenerator;
use crate::pricing::manual;

fn priced(pricing: &Pricing) -> Option<agio_calculator::model::engine::Terms> {
    pricing.price().ok().map(|priced| priced.terms)
}

#[test]
fn a_network_fee_is_taken_once_and_both_sides_agree_on_it() {
    let mut dice = NumberGenerator::new(13);
    let (mut taken, mut inverted) = (0, 0);
    for _ in 0..20_000 {
        let (fixed, cost) = (dice.amount(8, 2), dice.amount(8, 2));
        let pricing = Pricing {
            market: MarketRate::Manual(dice.rate(16)),
            receive_fee: Fee { fixed, percent: Decimal::ZERO },
            network_fee: NetworkFee::of(NetworkFeePayer::Customer, cost),
            receive_digits: 8,
            ..manual("1")
        };
        let without_fees = Pricing { receive_fee: Fee::default(), network_fee: None, ..pricing.clone() };
        let (Some(terms), Some(without_fees)) = (priced(&pricing), priced(&without_fees)) else { continue };
        assert_eq!(terms.parts().receive_fee, fixed + cost, "{pricing:?}");

        let give = dice.amount(8, 4);
        let (Ok(receive), Ok(whole)) = (terms.receive(give), without_fees.receive(give)) else { continue };
        assert_eq!(receive, (whole - fixed - cost).max(Decimal::ZERO), "{give}: {pricing:?}");
        taken += u32::from(receive > Decimal::ZERO && !cost.is_zero());

        let Ok(Some(least)) = terms.give_for(receive) else { continue };
        assert!(least <= give && terms.receive(least) == Ok(receive), "{give}: {pricing:?}");
        let unit = Decimal::new(1, 8);
        if receive > Decimal::ZERO && least > Decimal::ZERO {
            assert!(terms.receive(least - unit).is_ok_and(|less| less < receive), "{least}: {pricing:?}");
            inverted += 1;
        }
    }
    assert!(taken > 5_000 && inverted > 5_000, "{taken} taken, {inverted} inverted");
}

#[test]
fn a_network_fee_that_the_exchange_bears_changes_no_amount() {
    let mut dice = NumberGenerator::new(17);
    for _ in 0..2_000 {
        let cost = dice.amount(8, 2);
        let pricing = Pricing { market: MarketRate::Manual(dice.rate(16)), ..manual("1") };
        let borne = Pricing { network_fee: NetworkFee::of(NetworkFeePayer::Exchange, cost), ..pricing.clone() };
        let (Some(terms), Some(borne)) = (priced(&pricing), priced(&borne)) else { continue };
        let (give, wanted) = (dice.amount(8, 4), dice.amount(2, 4));
        assert_eq!(borne.receive(give), terms.receive(give));
        assert_eq!(borne.give_for(wanted), terms.give_for(wanted));
        assert_eq!(borne.parts().network_fee.map(|fee| fee.amount), (!cost.is_zero()).then_some(Decimal::ZERO));
    }
}
