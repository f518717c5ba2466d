//! The ledger on a database alone. Assertions read with statements of this file, not with the ledger's own.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

#[expect(dead_code, reason = "one node is enough here")]
#[path = "../../core/tests/scratch/mod.rs"]
mod scratch;

use agio_core::db::Engine;
use agio_core::events::EventBus;
use agio_core::{Amount, CurrencyUnit, Error, Result, Timestamp, Tx, execute, fetch_all, fetch_one};
use agio_ledger::{Account, Hold, HoldOutcome, Ledger, TransferBatch};
use scratch::Scratch;
use uuid::Uuid;

const BTC: i64 = 1;
const ETH: i64 = 2;

fn bitcoins(units: i64) -> Amount {
    Amount::of_units(units, CurrencyUnit::new(BTC, 8))
}

fn ether(units: i64) -> Amount {
    Amount::of_units(units, CurrencyUnit::new(ETH, 8))
}

const NOW: Timestamp = Timestamp(1_711_627_200_000_000);

macro_rules! both_engines {
    ($($test:ident),* $(,)?) => {
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $test() {
                super::$test(super::Engine::Sqlite).await;
            })*
        }
        mod postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $test() {
                super::$test(super::Engine::Postgres).await;
            })*
        }
    };
}

/// A ledger of two currencies.
struct LedgerFixture {
    scratch: Scratch,
    ledger: Ledger,
}

fn batch(about: Uuid) -> TransferBatch {
    TransferBatch::new(Uuid::now_v7(), "test", about, NOW)
}

fn any_claim() -> Uuid {
    Uuid::from_u128(7)
}

impl LedgerFixture {
    async fn open(engine: Engine) -> Self {
        let (scratch, ledger) = (Scratch::open(engine).await, Ledger::new(EventBus::default()));
        let fixture = Self { scratch, ledger };
        for currency in [BTC, ETH] {
            let ledger = fixture.ledger.clone();
            let opened = fixture.scratch.db.write(move |tx| {
                let ledger = ledger.clone();
                Box::pin(async move { ledger.open_currency(tx, currency).await })
            });
            opened.await.unwrap();
        }
        fixture.ledger.reserves().load(&fixture.scratch.db).await.unwrap();
        fixture
    }

    async fn post(&self, batch: TransferBatch) -> Result<()> {
        let ledger = self.ledger.clone();
        let expected = self.scratch.db.write(move |tx| {
            let (ledger, batch) = (ledger.clone(), batch.clone());
            Box::pin(async move { ledger.post(tx, &batch).await })
        });
        expected.await
    }

    async fn deposit(&self, units: i64) {
        self.post(batch(any_claim()).with_transfer(Account::External, Account::Reserve, bitcoins(units))).await.unwrap();
    }

    async fn hold(&self, units: i64) -> Result<Uuid> {
        let (ledger, hold) = (self.ledger.clone(), Hold { id: Uuid::now_v7(), amount: bitcoins(units), about: any_claim() });
        let held = self.scratch.db.write(move |tx| {
            let ledger = ledger.clone();
            Box::pin(async move { ledger.hold(tx, hold, batch(any_claim())).await })
        });
        held.await.map(|()| hold.id)
    }

    async fn end(&self, hold: Uuid, outcome: HoldOutcome) -> Result<()> {
        let ledger = self.ledger.clone();
        let ended = self.scratch.db.write(move |tx| {
            let ledger = ledger.clone();
            Box::pin(async move { ledger.end_hold(tx, hold, outcome, batch(any_claim())).await })
        });
        ended.await
    }

    async fn replace(&self, old: Uuid, units: i64) -> Result<Uuid> {
        let (ledger, hold) = (self.ledger.clone(), Hold { id: Uuid::now_v7(), amount: bitcoins(units), about: any_claim() });
        let replaced = self.scratch.db.write(move |tx| {
            let ledger = ledger.clone();
            Box::pin(async move { ledger.replace_hold(tx, old, hold, batch(any_claim())).await })
        });
        replaced.await.map(|()| hold.id)
    }

    async fn read(&self) -> Tx {
        self.scratch.db.read().await.unwrap()
    }

    async fn balance(&self, account: &'static str) -> i64 {
        let sql = "SELECT balance FROM ledger_account WHERE name = $1";
        fetch_one!(&mut self.read().await, (i64,), sql, account).unwrap().0
    }

    /// The reserve, the held part of it, and the payouts on their way.
    async fn balances(&self) -> (i64, i64, i64) {
        (self.balance("reserve:1").await, self.balance("hold:1").await, self.balance("claim_out:1").await)
    }

    /// Every transfer in the order of writing: (debit, credit, amount).
    async fn transfers(&self) -> Vec<(String, String, i64)> {
        let sql = "SELECT debit, credit, amount FROM ledger_transfer ORDER BY batch_id, seq";
        fetch_all!(&mut self.read().await, (String, String, i64), sql).unwrap()
    }

    async fn run_sql(&self, sql: &'static str) -> Result<()> {
        self.scratch.db.write(move |tx| Box::pin(async move { execute!(tx, sql).map(drop) })).await
    }

    /// The rules that the check finds violated, each with its place.
    async fn broken_rules(&self) -> Vec<String> {
        let found = self.ledger.check(&mut self.read().await, NOW).await.unwrap();
        found.differences.iter().map(|difference| format!("{} @ {}", difference.rule, difference.place)).collect()
    }

    /// Checks by transfers alone: every balance matches its transfers, no guarded account was ever below zero, each
    /// currency sums to zero.
    async fn assert_sound(&self) {
        let mut tx = self.read().await;
        let lowest = "SELECT account, CAST(MIN(running) AS BIGINT) FROM (
                SELECT account, SUM(amount) OVER (PARTITION BY account ORDER BY batch_id, seq, amount DESC) AS running FROM (
                    SELECT batch_id, seq, debit AS account, -amount AS amount FROM ledger_transfer
                    UNION ALL SELECT batch_id, seq, credit, amount FROM ledger_transfer) both_sides) sums
            GROUP BY account HAVING MIN(running) < 0 ORDER BY account";
        for (account, lowest) in fetch_all!(&mut tx, (String, i64), lowest).unwrap() {
            assert!(account.starts_with("external:") || account.starts_with("exchange:"), "{account} was {lowest}");
        }
        let apart = "SELECT account.name, account.balance, CAST(COALESCE((SELECT SUM(CASE WHEN credit = account.name THEN amount ELSE -amount END)
                FROM ledger_transfer WHERE credit = account.name OR debit = account.name), 0) AS BIGINT) FROM ledger_account account";
        for (account, balance, moved) in fetch_all!(&mut tx, (String, i64, i64), apart).unwrap() {
            assert_eq!(balance, moved, "{account}");
        }
        let sums = "SELECT CAST(SUM(balance) AS BIGINT) FROM ledger_account GROUP BY currency_id";
        assert!(fetch_all!(&mut tx, (i64,), sums).unwrap().iter().all(|(sum,)| *sum == 0));
        assert!(self.broken_rules().await.is_empty());
    }
}

fn code<T: std::fmt::Debug>(refused: Result<T>) -> &'static str {
    refused.unwrap_err().code()
}

/// Every account, and whether it may go below zero, written down independently of the code.
fn accounts() -> Vec<(Account, String, bool)> {
    let owner = Uuid::from_u128(9);
    let named = |account, name: &str, may| (account, format!("{name}:{BTC}"), may);
    let owned = |account, name: &str| (account, format!("{name}:{BTC}:{owner}"), false);
    vec![
        named(Account::Reserve, "reserve", false),
        named(Account::Hold, "hold", false),
        named(Account::ClaimIn, "claim_in", false),
        named(Account::ClaimOut, "claim_out", false),
        named(Account::IncomeFee, "income_fee", false),
        named(Account::IncomeSpread, "income_spread", true),
        named(Account::Exchange, "exchange", true),
        named(Account::External, "external", true),
        named(Account::ReferralOut, "referral_out", false),
        named(Account::ReferralCost, "referral_cost", true),
        named(Account::PartnerCost, "partner_cost", true),
        owned(Account::Customer(owner), "customer"),
        owned(Account::Referral(owner), "referral"),
        owned(Account::Prize(owner), "prize"),
        owned(Account::ReferralPending(owner), "referral_pending"),
        owned(Account::Partner(owner), "partner"),
    ]
}

async fn only_marked_accounts_go_below_zero(engine: Engine) {
    let fixture = LedgerFixture::open(engine).await;
    for (account, name, may) in accounts() {
        let ledger = fixture.ledger.clone();
        let opened = fixture.scratch.db.write(move |tx| {
            let ledger = ledger.clone();
            Box::pin(async move { ledger.open(tx, account, BTC).await })
        });
        opened.await.unwrap();
        let sql = "SELECT may_be_negative FROM ledger_account WHERE name = $1";
        let flag: (bool,) = fetch_one!(&mut fixture.read().await, (bool,), sql, &name).unwrap();
        assert_eq!(flag.0, may, "{name}");
        let other = if account == Account::External { Account::Reserve } else { Account::External };
        let taken = fixture.post(batch(any_claim()).with_transfer(account, other, bitcoins(1))).await;
        if may {
            taken.unwrap();
        } else {
            assert_eq!(code(taken), "balance_too_low", "{name}");
            // The balance can be spent to the last unit, and not one more.
            fixture.post(batch(any_claim()).with_transfer(other, account, bitcoins(5))).await.unwrap();
            assert_eq!(
                code(fixture.post(batch(any_claim()).with_transfer(account, other, bitcoins(6))).await),
                "balance_too_low",
                "{name}"
            );
            fixture.post(batch(any_claim()).with_transfer(account, other, bitcoins(5))).await.unwrap();
        }
    }
    assert!(fixture.broken_rules().await.is_empty());
}

async fn a_transfer_moves_units_between_two_accounts(engine: Engine) {
    let fixture = LedgerFixture::open(engine).await;
    fixture.deposit(100).await;
    assert_eq!((fixture.balance("external:1").await, fixture.balance("reserve:1").await), (-100, 100));
    fixture.post(batch(any_claim()).with_transfer(Account::Reserve, Account::ClaimIn, bitcoins(1))).await.unwrap();
    assert_eq!((fixture.balance("reserve:1").await, fixture.balance("claim_in:1").await), (99, 1), "a transfer of one unit");
    assert_eq!((fixture.balance("reserve:2").await, fixture.balance("external:2").await), (0, 0), "another currency has its own");
    assert_eq!(fixture.ledger.reserves().available(BTC).units, 99);
    fixture.assert_sound().await;
}

async fn a_batch_is_atomic(engine: Engine) {
    let fixture = LedgerFixture::open(engine).await;
    fixture.deposit(100).await;
    let before = fixture.transfers().await;
    let whole = batch(any_claim())
        .with_transfer(Account::External, Account::ClaimIn, bitcoins(30))
        .with_transfer(Account::ClaimIn, Account::Reserve, bitcoins(30))
        .with_transfer(Account::Exchange, Account::IncomeFee, ether(2))
        .with_transfer(Account::Exchange, Account::IncomeSpread, ether(0))
        .with_transfer(Account::Reserve, Account::ClaimOut, bitcoins(120));
    fixture.post(whole.clone()).await.unwrap();
    let step = |debit: &str, credit: &str, amount| (debit.to_owned(), credit.to_owned(), amount);
    let expected = [
        step("external:1", "claim_in:1", 30),
        step("claim_in:1", "reserve:1", 30),
        step("exchange:2", "income_fee:2", 2),
        step("reserve:1", "claim_out:1", 120),
    ];
    assert_eq!(fixture.transfers().await, [before, expected.into()].concat(), "all of it, in its order, and nothing for nothing");
    fixture.post(whole).await.unwrap_err();
    assert_eq!(fixture.transfers().await.len(), 5, "a batch is expected once");

    // The last transfer exceeds the balance.
    let refused = batch(any_claim())
        .with_transfer(Account::External, Account::ClaimIn, bitcoins(10))
        .with_transfer(Account::ClaimIn, Account::Reserve, bitcoins(10))
        .with_transfer(Account::Reserve, Account::ClaimOut, bitcoins(21));
    assert_eq!(code(fixture.post(refused).await), "balance_too_low");
    assert_eq!((fixture.transfers().await.len(), fixture.balances().await), (5, (10, 0, 120)));
    assert_eq!(fixture.ledger.reserves().available(BTC).units, 10, "memory learns of what is durable alone");
    fixture.assert_sound().await;
}

async fn a_hold_cannot_exceed_the_reserve(engine: Engine) {
    let fixture = LedgerFixture::open(engine).await;
    fixture.deposit(100).await;
    assert_eq!(code(fixture.hold(101).await), "balance_too_low");
    assert_eq!(fixture.balances().await, (100, 0, 0));
    let held: (i64,) = fetch_one!(&mut fixture.read().await, (i64,), "SELECT COUNT(*) FROM ledger_hold").unwrap();
    assert_eq!(held.0, 0, "nothing is noted of what was refused");
    fixture.hold(100).await.unwrap();
    assert_eq!(fixture.balances().await, (0, 100, 0));
    assert_eq!(code(fixture.hold(1).await), "balance_too_low");
    fixture.assert_sound().await;
}

async fn concurrent_holds_never_exceed_the_reserve(engine: Engine) {
    let fixture = LedgerFixture::open(engine).await;
    fixture.deposit(55).await;
    let tasks = (0..40).map(|_| {
        let (ledger, db) = (fixture.ledger.clone(), fixture.scratch.db.clone());
        tokio::spawn(async move {
            let hold = Hold { id: Uuid::now_v7(), amount: bitcoins(10), about: any_claim() };
            let held = db.write(move |tx| {
                let ledger = ledger.clone();
                Box::pin(async move { ledger.hold(tx, hold, batch(any_claim())).await })
            });
            held.await
        })
    });
    let mut held = 0;
    for task in tasks.collect::<Vec<_>>() {
        match task.await.unwrap() {
            Ok(()) => held += 1,
            Err(refused) => assert_eq!(refused.code(), "balance_too_low"),
        }
    }
    assert_eq!((held, fixture.balances().await), (5, (5, 50, 0)));
    fixture.assert_sound().await;
}

async fn a_hold_ends_once_and_moves_its_amount(engine: Engine) {
    let fixture = LedgerFixture::open(engine).await;
    fixture.deposit(100).await;
    for (outcome, after) in [
        (HoldOutcome::Posted, (90, 0, 10)),
        (HoldOutcome::Released, (90, 0, 10)),
        (HoldOutcome::Expired, (90, 0, 10)),
        (HoldOutcome::Posted, (80, 0, 20)),
    ] {
        let hold = fixture.hold(10).await.unwrap();
        fixture.end(hold, outcome).await.unwrap();
        assert_eq!(fixture.balances().await, after, "{outcome:?}");
        for again in [HoldOutcome::Posted, HoldOutcome::Released, HoldOutcome::Expired] {
            assert_eq!(code(fixture.end(hold, again).await), "hold_ended");
        }
        assert_eq!(code(fixture.replace(hold, 1).await), "hold_ended");
        assert_eq!(fixture.balances().await, after, "once");
    }
    assert_eq!(code(fixture.end(Uuid::from_u128(1), HoldOutcome::Posted).await), "hold_ended", "one that never was");
    fixture.assert_sound().await;
}

async fn concurrent_ends_of_a_hold_end_it_once(engine: Engine) {
    let fixture = LedgerFixture::open(engine).await;
    fixture.deposit(100).await;
    let hold = fixture.hold(40).await.unwrap();
    let tasks = (0..20).map(|turn| {
        let (ledger, db) = (fixture.ledger.clone(), fixture.scratch.db.clone());
        let outcome = [HoldOutcome::Posted, HoldOutcome::Released][turn % 2];
        tokio::spawn(async move {
            let ended = db.write(move |tx| {
                let ledger = ledger.clone();
                Box::pin(async move { ledger.end_hold(tx, hold, outcome, batch(any_claim())).await.map(|()| outcome) })
            });
            ended.await
        })
    });
    let mut ended = Vec::new();
    for task in tasks.collect::<Vec<_>>() {
        match task.await.unwrap() {
            Ok(outcome) => ended.push(outcome),
            Err(refused) => assert_eq!(refused.code(), "hold_ended"),
        }
    }
    let [outcome] = ended[..] else { panic!("it ended {} times", ended.len()) };
    let after = if outcome == HoldOutcome::Posted { (60, 0, 40) } else { (100, 0, 0) };
    assert_eq!(fixture.balances().await, after);
    fixture.assert_sound().await;
}

async fn replacing_a_hold_is_atomic(engine: Engine) {
    let fixture = LedgerFixture::open(engine).await;
    fixture.deposit(100).await;
    let first = fixture.hold(60).await.unwrap();
    // The old hold returns to the reserve before the new one is made.
    let second = fixture.replace(first, 90).await.unwrap();
    assert_eq!(fixture.balances().await, (10, 90, 0));
    assert_eq!(code(fixture.replace(second, 101).await), "balance_too_low");
    assert_eq!(fixture.balances().await, (10, 90, 0), "what cannot be replaced is held on");
    assert_eq!(code(fixture.end(first, HoldOutcome::Posted).await), "hold_ended");
    let third = fixture.replace(second, 5).await.unwrap();
    fixture.end(third, HoldOutcome::Posted).await.unwrap();
    assert_eq!(fixture.balances().await, (95, 0, 5));
    fixture.assert_sound().await;
}

/// A long run of deposits, holds, payouts and refusals from a fixed sequence of random numbers.
async fn random_operations_keep_the_ledger_sound(engine: Engine) {
    let fixture = LedgerFixture::open(engine).await;
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut draw = |bound: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % bound
    };
    let (mut open, mut refused, mut held): (Vec<Uuid>, _, _) = (Vec::new(), 0, 0);
    for _ in 0..150 {
        let units = i64::try_from(draw(50)).unwrap() + 1;
        let outcome = match draw(6) {
            0 => {
                fixture.deposit(units).await;
                Ok(())
            }
            1 => fixture.post(batch(any_claim()).with_transfer(Account::Reserve, Account::External, bitcoins(units))).await,
            2 | 3 => fixture.hold(units).await.map(|hold| {
                held += 1;
                open.push(hold);
            }),
            4 if !open.is_empty() => {
                let place = usize::try_from(draw(open.len() as u64)).unwrap();
                let outcome =
                    [HoldOutcome::Posted, HoldOutcome::Released, HoldOutcome::Expired][usize::try_from(draw(3)).unwrap()];
                fixture.end(open.swap_remove(place), outcome).await
            }
            _ if !open.is_empty() => {
                let place = usize::try_from(draw(open.len() as u64)).unwrap();
                fixture.replace(open[place], units).await.map(|hold| open[place] = hold)
            }
            _ => Ok(()),
        };
        refused += i64::from(outcome.is_err());
    }
    assert!(refused > 5 && held > 10, "refused {refused}, held {held}: nothing was tried");
    let sql = "SELECT CAST(COALESCE(SUM(amount), 0) AS BIGINT), COUNT(*) FROM ledger_hold WHERE state = 'held'";
    let (sum, count): (i64, i64) = fetch_one!(&mut fixture.read().await, (i64, i64), sql).unwrap();
    assert_eq!((sum, count), (fixture.balance("hold:1").await, i64::try_from(open.len()).unwrap()));
    assert_eq!(fixture.ledger.reserves().available(BTC).units, fixture.balance("reserve:1").await);
    fixture.assert_sound().await;
}

async fn the_check_finds_every_kind_of_damage(engine: Engine) {
    let fixture = LedgerFixture::open(engine).await;
    fixture.deposit(100).await;
    let hold = fixture.hold(40).await.unwrap();
    assert!(fixture.broken_rules().await.is_empty());
    let drifted = |name: &str| format!("a balance is the sum of its entries @ {name}");

    // Two wrong balances that cancel out.
    fixture.run_sql("UPDATE ledger_account SET balance = balance - 1 WHERE name = 'reserve:1'").await.unwrap();
    fixture.run_sql("UPDATE ledger_account SET balance = balance + 1 WHERE name = 'external:1'").await.unwrap();
    let mut found = fixture.broken_rules().await;
    found.sort();
    assert_eq!(found, [drifted("external:1"), drifted("reserve:1")]);
    // A single wrong balance.
    fixture.run_sql("UPDATE ledger_account SET balance = balance - 1 WHERE name = 'external:1'").await.unwrap();
    assert_eq!(fixture.broken_rules().await, [drifted("reserve:1"), "a currency sums to zero @ 1".to_owned()]);
    fixture.run_sql("UPDATE ledger_account SET balance = balance + 1 WHERE name = 'reserve:1'").await.unwrap();
    assert!(fixture.broken_rules().await.is_empty());

    // A hold that ended without its transfer.
    fixture.run_sql("UPDATE ledger_hold SET state = 'released', ended_at = 1").await.unwrap();
    assert_eq!(fixture.broken_rules().await, ["the account of holds is the sum of open holds @ hold:1"]);
    fixture.post(batch(any_claim()).with_transfer(Account::Hold, Account::Reserve, bitcoins(40))).await.unwrap();
    assert!(fixture.broken_rules().await.is_empty());
    assert_eq!(code(fixture.end(hold, HoldOutcome::Released).await), "hold_ended");

    // An account that is wrongly allowed to go below zero, and then does.
    fixture.run_sql("UPDATE ledger_account SET may_be_negative = TRUE WHERE name = 'claim_out:1'").await.unwrap();
    let unguarded = "the database keeps an account from going below zero @ claim_out:1".to_owned();
    assert_eq!(fixture.broken_rules().await, std::slice::from_ref(&unguarded));
    fixture
        .run_sql(
            "INSERT INTO ledger_transfer (batch_id, seq, currency_id, debit, credit, amount, reason, about, created_at)
            SELECT id, 0, 1, 'claim_out:1', 'external:1', 3, 'planted', about, 0 FROM ledger_hold",
        )
        .await
        .unwrap();
    assert_eq!(fixture.broken_rules().await, ["an account does not go below zero @ claim_out:1".to_owned(), unguarded]);

    // The last check is remembered.
    let found = fixture.ledger.check(&mut fixture.read().await, NOW).await.unwrap();
    fixture.ledger.record_check(found);
    assert!(!fixture.ledger.is_clean());
    assert_eq!(fixture.ledger.last_check().differences[0].found, -3);
}

async fn entries_are_immutable(engine: Engine) {
    let fixture = LedgerFixture::open(engine).await;
    fixture.deposit(100).await;
    let hold = fixture.hold(40).await.unwrap();
    macro_rules! transfer {
        ($debit:literal, $credit:literal, $currency:literal) => {
            concat!(
                "INSERT INTO ledger_transfer (batch_id, seq, currency_id, debit, credit, amount, reason, about, created_at)
                SELECT about, 0, ",
                $currency,
                ", '",
                $debit,
                "', '",
                $credit,
                "', 3, 'planted', about, 0 FROM ledger_hold"
            )
        };
    }
    for forbidden in [
        "UPDATE ledger_transfer SET amount = amount + 1",
        "DELETE FROM ledger_transfer",
        "DELETE FROM ledger_account",
        "DELETE FROM ledger_hold",
        "UPDATE ledger_hold SET amount = amount - 1",
        "UPDATE ledger_account SET balance = -1 WHERE name = 'reserve:1'",
        "UPDATE ledger_account SET name = 'reserve:9' WHERE name = 'reserve:1'",
        "UPDATE ledger_account SET currency_id = 9 WHERE name = 'reserve:1'",
        // An account that is not there, and one of another currency.
        transfer!("external:1", "reserve:9", 1),
        transfer!("external:9", "reserve:1", 1),
        transfer!("external:1", "reserve:2", 1),
        transfer!("external:1", "reserve:1", 2),
    ] {
        fixture.run_sql(forbidden).await.map_err(|error: Error| error.code()).expect_err(forbidden);
    }
    fixture.end(hold, HoldOutcome::Posted).await.unwrap();
    fixture.run_sql("UPDATE ledger_hold SET state = 'held', ended_at = NULL").await.expect_err("a hold ends once");
    fixture.assert_sound().await;
}

async fn the_checkpoint_moves_while_transfers_are_posted(engine: Engine) {
    let fixture = LedgerFixture::open(engine).await;
    assert!(!fixture.ledger.is_clean(), "nothing was checked");
    fixture.deposit(100_000).await;
    let deposits = async {
        for _ in 0..10 {
            futures_util::future::join_all((0..20).map(|_| fixture.deposit(1))).await;
        }
    };
    let moves = async {
        for _ in 0..20 {
            fixture.ledger.move_checkpoint(&fixture.scratch.db).await.unwrap();
            assert!(fixture.broken_rules().await.is_empty());
        }
    };
    tokio::join!(deposits, moves);
    fixture.ledger.move_checkpoint(&fixture.scratch.db).await.unwrap();
    let tx = &mut fixture.read().await;
    let checkpoint = fixture.ledger.checkpoint(tx).await.unwrap();
    assert_eq!(checkpoint, fixture.ledger.last_transfer(tx).await.unwrap());
    assert!(checkpoint >= 201);
    assert_eq!(fixture.ledger.check_before_checkpoint(&fixture.scratch.db).await.unwrap(), []);
    fixture.assert_sound().await;
}

both_engines!(
    the_checkpoint_moves_while_transfers_are_posted,
    only_marked_accounts_go_below_zero,
    a_transfer_moves_units_between_two_accounts,
    a_batch_is_atomic,
    a_hold_cannot_exceed_the_reserve,
    concurrent_holds_never_exceed_the_reserve,
    a_hold_ends_once_and_moves_its_amount,
    concurrent_ends_of_a_hold_end_it_once,
    replacing_a_hold_is_atomic,
    random_operations_keep_the_ledger_sound,
    the_check_finds_every_kind_of_damage,
    entries_are_immutable,
);
