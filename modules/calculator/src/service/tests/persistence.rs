use std::sync::Arc;

use agio_approvals::Approvals;
use agio_contracts::{Bonus, JUMP_PERCENT, PaymentHandling, PaymentHandlingProvider, QuoteProvider as _, TermsVersionProvider};
use agio_core::clock::ManualClock;
use agio_core::events::{ChangeEvent, EventBus};
use agio_core::identity::{Actor, Role, Staff};
use agio_core::module::Module as _;
use agio_core::outbox::Outbox;
use agio_core::random::SeededRandom;
use agio_core::settings::{Setting, Settings};
use agio_core::{BackgroundExecutor, Clock as _, Db, Platform, Vault, fetch_all};
use agio_ledger::Ledger;
use tempfile::TempDir;

use super::*;
use crate::market::PairChange;
use crate::service::{ReserveMovementOrder, ReserveMovementReason};
use crate::{Calculator, CalculatorDependencies, MarketParts};

struct FixedTermsVersion;

impl TermsVersionProvider for FixedTermsVersion {
    fn terms_version(&self) -> String {
        "1".to_owned()
    }
}

struct ManualPayments;

impl PaymentHandlingProvider for ManualPayments {
    fn handling(&self, _: i64) -> PaymentHandling {
        PaymentHandling::default()
    }
}

/// A calculator with the demo market on a SQLite file.
struct TestCalculator {
    calculator: Arc<Calculator>,
    clock: Arc<ManualClock>,
    _folder: TempDir,
}

impl TestCalculator {
    async fn open() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let db = Db::open(&format!("sqlite:{}", folder.path().join("agio.db").display())).await.unwrap();
        db.migrate().await.unwrap();
        let clock = Arc::new(ManualClock::at(timestamp("2024-03-28T12:00:00Z")));
        let platform = Platform {
            db,
            clock: clock.clone(),
            random: Arc::new(SeededRandom::new(1)),
            settings: Settings::default(),
            events: EventBus::default(),
            outbox: Outbox::default(),
            vault: Vault::temporary(Arc::new(SeededRandom::new(2))),
            background: BackgroundExecutor::default(),
        };
        let texts = Arc::new(Texts::merge(&[agio_approvals::DICTIONARY]).unwrap());
        let approvals = Approvals::new(&platform, texts);
        let calculator = Calculator::new(
            &platform,
            Ledger::new(platform.events.clone()),
            approvals,
            CalculatorDependencies {
                terms: Arc::new(FixedTermsVersion),
                files: agio_test_app::rate_files(),
                payments: Arc::new(ManualPayments),
            },
        );
        let jump = [Setting::number(JUMP_PERCENT, 1, 90, "10")];
        platform.settings.declare([calculator.declarations().settings, agio_approvals::SETTINGS, &jump].concat());
        calculator.load().await.unwrap();
        calculator.seed_demo(&MarketParts::default()).await.unwrap();
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
            "SELECT actor_name, about_kind || ':' || about_id FROM audit WHERE action LIKE 'pair%.changed' ORDER BY at, number"
        )
        .unwrap()
    }
}

fn editor() -> Staff {
    Staff { id: Uuid::nil(), name: "Мария".into(), role: Role::Editor, address: None }
}

#[tokio::test]
async fn seeding_again_keeps_staff_changes() {
    let test = TestCalculator::open().await;
    let calculator = &test.calculator;
    let bitcoin = calculator.market().currency_named("BTC").unwrap().id();
    let before = (calculator.market().pairs.len(), calculator.free(bitcoin));
    let dearer = PairChange { spread_percent: Some(number("4")), ..PairChange::default() };
    calculator.update_pair(test.pair(), 1, dearer, &editor()).await.unwrap();

    calculator.seed_demo(&MarketParts::default()).await.unwrap();
    assert_eq!((calculator.market().pairs.len(), calculator.free(bitcoin)), before);
    assert_eq!(calculator.market().pair(test.pair()).unwrap().pair.spread_percent, number("4"));
}

#[tokio::test]
async fn concurrent_pair_updates_conflict() {
    let test = TestCalculator::open().await;
    let mut notices = test.calculator.platform.events.subscribe();
    let set = |spread: &str| PairChange { spread_percent: Some(number(spread)), ..PairChange::default() };
    test.calculator.update_pair(test.pair(), 1, set("3"), &editor()).await.unwrap();
    assert_eq!(notices.try_recv().unwrap(), ChangeEvent::Market);

    let second = test.calculator.update_pair(test.pair(), 1, set("1"), &editor()).await.unwrap_err();
    assert_eq!((second.kind().status(), second.code()), (409, "market_changed"));
    let market = test.calculator.market();
    let pair = &market.pair(test.pair()).unwrap().pair;
    assert_eq!((pair.spread_percent, pair.revision), (number("3"), 2));
    assert_eq!(test.log().await, [("Мария".to_owned(), format!("pair:{}", test.pair()))]);
}

#[tokio::test]
async fn bulk_updates_are_atomic() {
    let test = TestCalculator::open().await;
    let off = || PairChange { enabled: Some(false), ..PairChange::default() };
    let refused = test.calculator.plan_update(vec![test.pair(), 99_999], off()).await.err().unwrap();
    assert_eq!(refused.code(), "pair_unknown");

    let plan = test.calculator.plan_update(vec![test.pair(), test.pair() + 1], off()).await.unwrap();
    let floating = PairChange { floating: Some(true), ..PairChange::default() };
    test.calculator.update_pair(test.pair() + 1, 1, floating, &editor()).await.unwrap();
    let refused = test.calculator.apply_update(&plan, &editor()).await.unwrap_err();
    assert_eq!(refused.code(), "market_changed", "a pair changed since the plan");
    assert!(test.calculator.market().pair(test.pair()).unwrap().pair.enabled);
    assert_eq!(test.log().await.len(), 1);

    let plan = test.calculator.plan_update(vec![test.pair(), test.pair() + 1], off()).await.unwrap();
    test.calculator.apply_update(&plan, &editor()).await.unwrap();
    assert!(!test.calculator.market().pair(test.pair()).unwrap().pair.enabled);
    assert_eq!(test.log().await.len(), 2, "one entry for both");
}

#[tokio::test]
async fn reserve_movements_go_through_the_ledger_and_never_below_zero() {
    let test = TestCalculator::open().await;
    let calculator = &test.calculator;
    let bitcoin = calculator.market().currency_named("BTC").unwrap().id();
    let moved =
        |amount: &str, reason| ReserveMovementOrder {
            currency: bitcoin, amount: number(amount), reason, note: "сверка".into()
        };
    calculator.move_reserve(moved("0.3", ReserveMovementReason::Deposit), &editor(), None).await.unwrap();
    calculator.move_reserve(moved("-4.5", ReserveMovementReason::Withdrawal), &editor(), None).await.unwrap();
    assert_eq!(calculator.free(bitcoin), 0);

    let overdrawn =
        calculator.move_reserve(moved("-0.00000001", ReserveMovementReason::Correction), &editor(), None).await.unwrap_err();
    assert_eq!((overdrawn.kind().status(), overdrawn.code()), (409, "balance_too_low"));
    for (amount, reason) in [
        ("0", ReserveMovementReason::Correction),
        ("-1", ReserveMovementReason::Deposit),
        ("1", ReserveMovementReason::Withdrawal),
    ] {
        let refused = calculator.move_reserve(moved(amount, reason), &editor(), None).await.unwrap_err();
        assert_eq!(refused.fields()[0].code, "movement_direction");
    }
    let mut tx = calculator.platform.db.read().await.unwrap();
    assert!(calculator.ledger.check(&mut tx, test.clock.now()).await.unwrap().is_clean());
    let movements = calculator.movements(bitcoin, None, 10).await.unwrap().rows;
    // The clock stands still, so the order is undefined.
    let mut amounts: Vec<_> = movements.iter().map(|movement| movement.amount).collect();
    amounts.sort_unstable();
    assert_eq!(amounts, [-450_000_000, 30_000_000, 420_000_000]);
}

#[tokio::test]
async fn foreign_quotes_are_rejected_and_expired_ones_use_current_rates() {
    let test = TestCalculator::open().await;
    let calculator = &test.calculator;
    let market = calculator.market();
    let pair = between(&market, "BTC", "SBERRUB");
    let now = test.clock.now();
    let plain = pair.bonus_rate(&market.rates, &Bonus::default()).unwrap();
    let quote = calculator.sign_quote(&market, pair, &plain, None, now, now.plus(calculator.quote_lifetime())).token();
    let request = QuoteRequest { quote: Some(quote.clone()), ..request(pair, "0.015", Some("94498.62")) };
    assert!(calculator.agree(&request).is_ok());

    let other = between(&market, "BTC", "TCSBRUB");
    let for_another_pair = QuoteRequest { to: other.pair.receive_id, ..request.clone() };
    let forged = QuoteRequest { quote: Some(format!("{quote}A")), ..request.clone() };
    for wrong in [for_another_pair, forged, QuoteRequest { quote: Some(String::new()), ..request.clone() }] {
        let refused = calculator.agree(&wrong).unwrap_err();
        assert_eq!((refused.fields()[0].field.as_str(), refused.fields()[0].code), ("quoteId", "quote_invalid"));
    }

    let dearer = PairChange { spread_percent: Some(number("4")), ..PairChange::default() };
    calculator.update_pair(pair.pair.id, 1, dearer, &editor()).await.unwrap();
    assert!(calculator.agree(&request).is_ok(), "the quote still holds");
    test.clock.advance(calculator.quote_lifetime());
    assert_eq!(calculator.agree(&request).unwrap_err().code(), "rate_changed");
}

#[tokio::test]
async fn a_broken_rate_file_changes_nothing() {
    let test = TestCalculator::open().await;
    let before = test.calculator.market();
    for file in [&b""[..], b"{}", b"<html>", b"<gesmes:Envelope>eurofxref"] {
        let refused = test.calculator.import_rates(file, &Actor::system("test")).await.unwrap_err();
        assert_eq!(refused.code(), "rates_unreadable", "{file:?}");
    }
    assert!(Arc::ptr_eq(&before, &test.calculator.market()));
}
