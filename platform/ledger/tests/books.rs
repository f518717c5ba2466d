//! The books on a database alone. What is asserted is read by statements of this file, not by the ledger's own.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

#[expect(dead_code, reason = "one node is enough here")]
#[path = "../../core/tests/scratch/mod.rs"]
mod scratch;

use agio_core::db::Engine;
use agio_core::live::Live;
use agio_core::{Error, Result, Timestamp, Tx, execute, fetch_all, fetch_one};
use agio_ledger::{Account, Batch, Ending, Hold, Ledger};
use scratch::Scratch;
use uuid::Uuid;

const BTC: i64 = 1;
const ETH: i64 = 2;
const NOW: Timestamp = Timestamp(1_711_627_200_000_000);

/// A test for each engine.
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

/// Books of two currencies.
struct Books {
    scratch: Scratch,
    ledger: Ledger,
}

fn batch(about: Uuid) -> Batch {
    Batch::new(Uuid::now_v7(), "test", about, NOW)
}

fn nobody() -> Uuid {
    Uuid::from_u128(7)
}

impl Books {
    async fn open(engine: Engine) -> Self {
        let (scratch, ledger) = (Scratch::open(engine).await, Ledger::new(Live::default()));
        let books = Self { scratch, ledger };
        for currency in [BTC, ETH] {
            let ledger = books.ledger.clone();
            let opened = books.scratch.db.write(move |tx| {
                let ledger = ledger.clone();
                Box::pin(async move { ledger.open_currency(tx, currency).await })
            });
            opened.await.unwrap();
        }
        books.ledger.reserves().load(&books.scratch.db).await.unwrap();
        books
    }

    async fn post(&self, batch: Batch) -> Result<()> {
        let ledger = self.ledger.clone();
        let written = self.scratch.db.write(move |tx| {
            let (ledger, batch) = (ledger.clone(), batch.clone());
            Box::pin(async move { ledger.post(tx, &batch).await })
        });
        written.await
    }

    async fn deposits(&self, units: i64) {
        self.post(batch(nobody()).moving(Account::External, Account::Reserve, BTC, units)).await.unwrap();
    }

    async fn hold(&self, units: i64) -> Result<Uuid> {
        let (ledger, hold) = (self.ledger.clone(), Hold { id: Uuid::now_v7(), currency: BTC, units, about: nobody() });
        let held = self.scratch.db.write(move |tx| {
            let ledger = ledger.clone();
            Box::pin(async move { ledger.hold(tx, hold, batch(nobody())).await })
        });
        held.await.map(|()| hold.id)
    }

    async fn end(&self, hold: Uuid, ending: Ending) -> Result<()> {
        let ledger = self.ledger.clone();
        let ended = self.scratch.db.write(move |tx| {
            let ledger = ledger.clone();
            Box::pin(async move { ledger.end_hold(tx, hold, ending, batch(nobody())).await })
        });
        ended.await
    }

    async fn replace(&self, old: Uuid, units: i64) -> Result<Uuid> {
        let (ledger, hold) = (self.ledger.clone(), Hold { id: Uuid::now_v7(), currency: BTC, units, about: nobody() });
        let replaced = self.scratch.db.write(move |tx| {
            let ledger = ledger.clone();
            Box::pin(async move { ledger.replace_hold(tx, old, hold, batch(nobody())).await })
        });
        replaced.await.map(|()| hold.id)
    }

    async fn reads(&self) -> Tx {
        self.scratch.db.read().await.unwrap()
    }

    async fn balance(&self, account: &'static str) -> i64 {
        let sql = "SELECT balance FROM ledger_account WHERE name = $1";
        fetch_one!(&mut self.reads().await, (i64,), sql, account).unwrap().0
    }

    /// The reserve, what is held of it, and what is on its way out.
    async fn balances(&self) -> (i64, i64, i64) {
        (self.balance("reserve:1").await, self.balance("hold:1").await, self.balance("claim_out:1").await)
    }

    /// Every transfer in the order of writing: (debit, credit, amount).
    async fn transfers(&self) -> Vec<(String, String, i64)> {
        let sql = "SELECT debit, credit, amount FROM ledger_transfer ORDER BY batch_id, seq";
        fetch_all!(&mut self.reads().await, (String, String, i64), sql).unwrap()
    }

    async fn runs(&self, sql: &'static str) -> Result<()> {
        self.scratch.db.write(move |tx| Box::pin(async move { execute!(tx, sql).map(drop) })).await
    }

    /// The rules that the check finds broken, each with the place.
    async fn broken(&self) -> Vec<String> {
        let found = self.ledger.check(&mut self.reads().await, NOW).await.unwrap();
        found.differences.iter().map(|difference| format!("{} @ {}", difference.rule, difference.place)).collect()
    }

    /// By transfers alone: each account moved as its transfers say, none that must not was ever below zero, each currency sums to zero.
    async fn are_sound(&self) {
        let mut tx = self.reads().await;
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
        assert!(self.broken().await.is_empty());
    }
}

fn code<T: std::fmt::Debug>(refused: Result<T>) -> &'static str {
    refused.unwrap_err().code()
}

/// Every account, and whether it may be below zero, as a bookkeeper would write it down.
fn accounts() -> Vec<(Account, String, bool)> {
    let somebody = Uuid::from_u128(9);
    let named = |account, name: &str, may| (account, format!("{name}:{BTC}"), may);
    let owned = |account, name: &str| (account, format!("{name}:{BTC}:{somebody}"), false);
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
        owned(Account::Customer(somebody), "customer"),
        owned(Account::Referral(somebody), "referral"),
        owned(Account::Prize(somebody), "prize"),
        owned(Account::ReferralPending(somebody), "referral_pending"),
        owned(Account::Partner(somebody), "partner"),
    ]
}

async fn each_account_may_go_below_zero_or_not(engine: Engine) {
    let books = Books::open(engine).await;
    for (account, name, may) in accounts() {
        let ledger = books.ledger.clone();
        let opened = books.scratch.db.write(move |tx| {
            let ledger = ledger.clone();
            Box::pin(async move { ledger.open(tx, account, BTC).await })
        });
        opened.await.unwrap();
        let sql = "SELECT may_be_negative FROM ledger_account WHERE name = $1";
        let flag: (bool,) = fetch_one!(&mut books.reads().await, (bool,), sql, &name).unwrap();
        assert_eq!(flag.0, may, "{name}");
        let other = if account == Account::External { Account::Reserve } else { Account::External };
        let taken = books.post(batch(nobody()).moving(account, other, BTC, 1)).await;
        if may {
            taken.unwrap();
        } else {
            assert_eq!(code(taken), "balance_too_low", "{name}");
            // What is there can leave to the last unit, and not one more.
            books.post(batch(nobody()).moving(other, account, BTC, 5)).await.unwrap();
            assert_eq!(code(books.post(batch(nobody()).moving(account, other, BTC, 6)).await), "balance_too_low", "{name}");
            books.post(batch(nobody()).moving(account, other, BTC, 5)).await.unwrap();
        }
    }
    assert!(books.broken().await.is_empty());
}

async fn a_transfer_leaves_one_account_and_reaches_the_other(engine: Engine) {
    let books = Books::open(engine).await;
    books.deposits(100).await;
    assert_eq!((books.balance("external:1").await, books.balance("reserve:1").await), (-100, 100));
    books.post(batch(nobody()).moving(Account::Reserve, Account::ClaimIn, BTC, 1)).await.unwrap();
    assert_eq!((books.balance("reserve:1").await, books.balance("claim_in:1").await), (99, 1), "a transfer of one unit");
    assert_eq!((books.balance("reserve:2").await, books.balance("external:2").await), (0, 0), "another currency has its own");
    assert_eq!(books.ledger.reserves().available(BTC).units, 99);
    books.are_sound().await;
}

async fn a_batch_is_written_whole_or_not_at_all(engine: Engine) {
    let books = Books::open(engine).await;
    books.deposits(100).await;
    let before = books.transfers().await;
    let whole = batch(nobody())
        .moving(Account::External, Account::ClaimIn, BTC, 30)
        .moving(Account::ClaimIn, Account::Reserve, BTC, 30)
        .moving(Account::Exchange, Account::IncomeFee, ETH, 2)
        .moving(Account::Exchange, Account::IncomeSpread, ETH, 0)
        .moving(Account::Reserve, Account::ClaimOut, BTC, 120);
    books.post(whole.clone()).await.unwrap();
    let step = |debit: &str, credit: &str, amount| (debit.to_owned(), credit.to_owned(), amount);
    let written = [
        step("external:1", "claim_in:1", 30),
        step("claim_in:1", "reserve:1", 30),
        step("exchange:2", "income_fee:2", 2),
        step("reserve:1", "claim_out:1", 120),
    ];
    assert_eq!(books.transfers().await, [before, written.into()].concat(), "all of it, in its order, and nothing for nothing");
    books.post(whole).await.unwrap_err();
    assert_eq!(books.transfers().await.len(), 5, "a batch is written once");

    // The last transfer is more than there is.
    let refused = batch(nobody())
        .moving(Account::External, Account::ClaimIn, BTC, 10)
        .moving(Account::ClaimIn, Account::Reserve, BTC, 10)
        .moving(Account::Reserve, Account::ClaimOut, BTC, 21);
    assert_eq!(code(books.post(refused).await), "balance_too_low");
    assert_eq!((books.transfers().await.len(), books.balances().await), (5, (10, 0, 120)));
    assert_eq!(books.ledger.reserves().available(BTC).units, 10, "memory learns of what is durable alone");
    books.are_sound().await;
}

async fn no_more_is_held_than_there_is(engine: Engine) {
    let books = Books::open(engine).await;
    books.deposits(100).await;
    assert_eq!(code(books.hold(101).await), "balance_too_low");
    assert_eq!(books.balances().await, (100, 0, 0));
    let held: (i64,) = fetch_one!(&mut books.reads().await, (i64,), "SELECT COUNT(*) FROM ledger_hold").unwrap();
    assert_eq!(held.0, 0, "nothing is noted of what was refused");
    books.hold(100).await.unwrap();
    assert_eq!(books.balances().await, (0, 100, 0));
    assert_eq!(code(books.hold(1).await), "balance_too_low");
    books.are_sound().await;
}

async fn the_last_of_a_reserve_is_held_by_as_many_as_it_is_enough_for(engine: Engine) {
    let books = Books::open(engine).await;
    books.deposits(55).await;
    let takers = (0..40).map(|_| {
        let (ledger, db) = (books.ledger.clone(), books.scratch.db.clone());
        tokio::spawn(async move {
            let hold = Hold { id: Uuid::now_v7(), currency: BTC, units: 10, about: nobody() };
            let held = db.write(move |tx| {
                let ledger = ledger.clone();
                Box::pin(async move { ledger.hold(tx, hold, batch(nobody())).await })
            });
            held.await
        })
    });
    let mut held = 0;
    for taker in takers.collect::<Vec<_>>() {
        match taker.await.unwrap() {
            Ok(()) => held += 1,
            Err(refused) => assert_eq!(refused.code(), "balance_too_low"),
        }
    }
    assert_eq!((held, books.balances().await), (5, (5, 50, 0)));
    books.are_sound().await;
}

async fn a_hold_ends_once_and_its_amount_goes_where_it_should(engine: Engine) {
    let books = Books::open(engine).await;
    books.deposits(100).await;
    for (ending, after) in [
        (Ending::Posted, (90, 0, 10)),
        (Ending::Released, (90, 0, 10)),
        (Ending::Expired, (90, 0, 10)),
        (Ending::Posted, (80, 0, 20)),
    ] {
        let hold = books.hold(10).await.unwrap();
        books.end(hold, ending).await.unwrap();
        assert_eq!(books.balances().await, after, "{ending:?}");
        for again in [Ending::Posted, Ending::Released, Ending::Expired] {
            assert_eq!(code(books.end(hold, again).await), "hold_ended");
        }
        assert_eq!(code(books.replace(hold, 1).await), "hold_ended");
        assert_eq!(books.balances().await, after, "once");
    }
    assert_eq!(code(books.end(Uuid::from_u128(1), Ending::Posted).await), "hold_ended", "one that never was");
    books.are_sound().await;
}

async fn many_who_end_one_hold_end_it_once(engine: Engine) {
    let books = Books::open(engine).await;
    books.deposits(100).await;
    let hold = books.hold(40).await.unwrap();
    let enders = (0..20).map(|turn| {
        let (ledger, db) = (books.ledger.clone(), books.scratch.db.clone());
        let ending = [Ending::Posted, Ending::Released][turn % 2];
        tokio::spawn(async move {
            let ended = db.write(move |tx| {
                let ledger = ledger.clone();
                Box::pin(async move { ledger.end_hold(tx, hold, ending, batch(nobody())).await.map(|()| ending) })
            });
            ended.await
        })
    });
    let mut ended = Vec::new();
    for ender in enders.collect::<Vec<_>>() {
        match ender.await.unwrap() {
            Ok(ending) => ended.push(ending),
            Err(refused) => assert_eq!(refused.code(), "hold_ended"),
        }
    }
    let [ending] = ended[..] else { panic!("it ended {} times", ended.len()) };
    let after = if ending == Ending::Posted { (60, 0, 40) } else { (100, 0, 0) };
    assert_eq!(books.balances().await, after);
    books.are_sound().await;
}

async fn a_hold_is_replaced_whole_or_stays(engine: Engine) {
    let books = Books::open(engine).await;
    books.deposits(100).await;
    let first = books.hold(60).await.unwrap();
    // The old one is reserve again before the new one is set aside.
    let second = books.replace(first, 90).await.unwrap();
    assert_eq!(books.balances().await, (10, 90, 0));
    assert_eq!(code(books.replace(second, 101).await), "balance_too_low");
    assert_eq!(books.balances().await, (10, 90, 0), "what cannot be replaced is held on");
    assert_eq!(code(books.end(first, Ending::Posted).await), "hold_ended");
    let third = books.replace(second, 5).await.unwrap();
    books.end(third, Ending::Posted).await.unwrap();
    assert_eq!(books.balances().await, (95, 0, 5));
    books.are_sound().await;
}

/// A long life of deposits, holds, payouts and refusals, taken from numbers that are the same each time.
async fn whatever_is_asked_the_books_stay_sound(engine: Engine) {
    let books = Books::open(engine).await;
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
                books.deposits(units).await;
                Ok(())
            }
            1 => books.post(batch(nobody()).moving(Account::Reserve, Account::External, BTC, units)).await,
            2 | 3 => books.hold(units).await.map(|hold| {
                held += 1;
                open.push(hold);
            }),
            4 if !open.is_empty() => {
                let place = usize::try_from(draw(open.len() as u64)).unwrap();
                let ending = [Ending::Posted, Ending::Released, Ending::Expired][usize::try_from(draw(3)).unwrap()];
                books.end(open.swap_remove(place), ending).await
            }
            _ if !open.is_empty() => {
                let place = usize::try_from(draw(open.len() as u64)).unwrap();
                books.replace(open[place], units).await.map(|hold| open[place] = hold)
            }
            _ => Ok(()),
        };
        refused += i64::from(outcome.is_err());
    }
    assert!(refused > 5 && held > 10, "refused {refused}, held {held}: nothing was tried");
    let sql = "SELECT CAST(COALESCE(SUM(amount), 0) AS BIGINT), COUNT(*) FROM ledger_hold WHERE state = 'held'";
    let (sum, count): (i64, i64) = fetch_one!(&mut books.reads().await, (i64, i64), sql).unwrap();
    assert_eq!((sum, count), (books.balance("hold:1").await, i64::try_from(open.len()).unwrap()));
    assert_eq!(books.ledger.reserves().available(BTC).units, books.balance("reserve:1").await);
    books.are_sound().await;
}

async fn the_check_finds_each_kind_of_damage(engine: Engine) {
    let books = Books::open(engine).await;
    books.deposits(100).await;
    let hold = books.hold(40).await.unwrap();
    assert!(books.broken().await.is_empty());
    let drifted = |name: &str| format!("a balance is the sum of its entries @ {name}");

    // Two balances that make up for each other.
    books.runs("UPDATE ledger_account SET balance = balance - 1 WHERE name = 'reserve:1'").await.unwrap();
    books.runs("UPDATE ledger_account SET balance = balance + 1 WHERE name = 'external:1'").await.unwrap();
    let mut found = books.broken().await;
    found.sort();
    assert_eq!(found, [drifted("external:1"), drifted("reserve:1")]);
    // One alone.
    books.runs("UPDATE ledger_account SET balance = balance - 1 WHERE name = 'external:1'").await.unwrap();
    assert_eq!(books.broken().await, [drifted("reserve:1"), "a currency sums to zero @ 1".to_owned()]);
    books.runs("UPDATE ledger_account SET balance = balance + 1 WHERE name = 'reserve:1'").await.unwrap();
    assert!(books.broken().await.is_empty());

    // A hold that ended without its transfer.
    books.runs("UPDATE ledger_hold SET state = 'released', ended_at = 1").await.unwrap();
    assert_eq!(books.broken().await, ["the account of holds is the sum of open holds @ hold:1"]);
    books.post(batch(nobody()).moving(Account::Hold, Account::Reserve, BTC, 40)).await.unwrap();
    assert!(books.broken().await.is_empty());
    assert_eq!(code(books.end(hold, Ending::Released).await), "hold_ended");

    // An account that was let go below zero, and then did.
    books.runs("UPDATE ledger_account SET may_be_negative = TRUE WHERE name = 'claim_out:1'").await.unwrap();
    let unguarded = "the database keeps an account from going below zero @ claim_out:1".to_owned();
    assert_eq!(books.broken().await, std::slice::from_ref(&unguarded));
    books
        .runs(
            "INSERT INTO ledger_transfer (batch_id, seq, currency_id, debit, credit, amount, reason, about, created_at)
            SELECT id, 0, 1, 'claim_out:1', 'external:1', 3, 'planted', about, 0 FROM ledger_hold",
        )
        .await
        .unwrap();
    assert_eq!(books.broken().await, ["an account does not go below zero @ claim_out:1".to_owned(), unguarded]);

    // And while the last check found something, everybody knows.
    let found = books.ledger.check(&mut books.reads().await, NOW).await.unwrap();
    books.ledger.remember_check(found);
    assert!(!books.ledger.is_clean());
    assert_eq!(books.ledger.last_check().differences[0].found, -3);
}

async fn what_is_written_is_never_changed(engine: Engine) {
    let books = Books::open(engine).await;
    books.deposits(100).await;
    let hold = books.hold(40).await.unwrap();
    for forbidden in [
        "UPDATE ledger_transfer SET amount = amount + 1",
        "DELETE FROM ledger_transfer",
        "DELETE FROM ledger_account",
        "DELETE FROM ledger_hold",
        "UPDATE ledger_hold SET amount = amount - 1",
        "UPDATE ledger_account SET balance = -1 WHERE name = 'reserve:1'",
    ] {
        books.runs(forbidden).await.map_err(|error: Error| error.code()).expect_err(forbidden);
    }
    books.end(hold, Ending::Posted).await.unwrap();
    books.runs("UPDATE ledger_hold SET state = 'held', ended_at = NULL").await.expect_err("a hold ends once");
    books.are_sound().await;
}

both_engines!(
    each_account_may_go_below_zero_or_not,
    a_transfer_leaves_one_account_and_reaches_the_other,
    a_batch_is_written_whole_or_not_at_all,
    no_more_is_held_than_there_is,
    the_last_of_a_reserve_is_held_by_as_many_as_it_is_enough_for,
    a_hold_ends_once_and_its_amount_goes_where_it_should,
    many_who_end_one_hold_end_it_once,
    a_hold_is_replaced_whole_or_stays,
    whatever_is_asked_the_books_stay_sound,
    the_check_finds_each_kind_of_damage,
    what_is_written_is_never_changed,
);
