//! Many claims at once on a network with reorganisations and a service that fails: each ends as it should, and no
//! money leaves twice.

use std::collections::BTreeMap;
use std::time::Duration;

use agio_plugin_sdk::protocol::Risk;
use agio_sandbox_chain::Faults;
use agio_sandbox_chain::chain::Output;
use agio_test_app::{Engine, TestResponse as Reply, both_engines};
use rand::rngs::ChaCha12Rng;
use rand::{Rng as _, SeedableRng as _};
use serde_json::{Value, json};

use crate::consistency::{self, Evidence, Fate};
use crate::fixtures::{BTC_CERTAIN, ETH_CERTAIN, ETHER, TestCustomer, World};

/// The default number of claims. `AGIO_TEST_CLAIMS` sets another one, and `AGIO_TEST_SEED` another seed.
const COUNT: usize = 150;
const SEED: u64 = 20_240_328;

/// The rounds after which everything must have ended.
const ROUNDS: usize = 400;

/// The round in which the first late customers pay: the rate did not move, so their claims continue.
const LATE: usize = 60;

/// The number of rounds until every late customer is asked.
const ASKED_AFTER: usize = 10;

/// The last rounds, without new faults.
const CALM_ROUNDS: usize = 30;

/// How a customer behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Behavior {
    Exact,
    Parts,
    TopsUp,
    Less,
    More,
    Late,
    Twice,
    Replaces,
    Vanishes,
    Never,
    Cancels,
    Doubtful,
}

const BEHAVIORS: [(u64, Behavior); 12] = [
    (40, Behavior::Exact),
    (8, Behavior::Parts),
    (6, Behavior::TopsUp),
    (6, Behavior::Less),
    (6, Behavior::More),
    (8, Behavior::Late),
    (6, Behavior::Twice),
    (6, Behavior::Replaces),
    (4, Behavior::Vanishes),
    (4, Behavior::Never),
    (2, Behavior::Cancels),
    (4, Behavior::Doubtful),
];

struct Participant {
    customer: TestCustomer,
    behavior: Behavior,
    /// The rounds in which the customer acts.
    acts_in: usize,
    first_tx: Option<String>,
    /// The last known state.
    state: String,
}

struct Scenario {
    world: World,
    random: ChaCha12Rng,
    all: Vec<Participant>,
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

impl Scenario {
    fn chance(&mut self, bound: u64) -> u64 {
        self.random.next_u64() % bound
    }

    fn behavior(&mut self) -> Behavior {
        let mut drawn = self.chance(100);
        for (share, behavior) in BEHAVIORS {
            if drawn < share {
                return behavior;
            }
            drawn -= share;
        }
        unreachable!("the shares are a hundred")
    }

    async fn create_claims(&mut self, count: usize) {
        for number in 0..count {
            if number % 40 == 0 {
                self.world.run_jobs().await;
            }
            let behavior = self.behavior();
            let send = ["0.0008", "0.001", "0.0012", "0.0016"][self.chance(4) as usize];
            let mut customer = TestCustomer::create_claim(&self.world, send).await;
            // The service may have been down when addresses were created. Confirming again changes nothing.
            while !customer.post("confirm", json!({})).await.status.is_success() {
                self.world.run_jobs().await;
            }
            customer.confirm().await;
            let acts_in = match behavior {
                Behavior::Late if number % 2 == 0 => LATE,
                Behavior::Late => LATE + 2 * ASKED_AFTER,
                _ => self.chance(30) as usize,
            };
            self.all.push(Participant { customer, behavior, acts_in, first_tx: None, state: String::new() });
        }
    }

    /// Lets the customers act whose round it is.
    async fn act(&mut self, round: usize) {
        for one in &mut self.all {
            let TestCustomer { send, .. } = one.customer;
            let later = round == one.acts_in + 3;
            match (one.behavior, round == one.acts_in, later) {
                (Behavior::Exact | Behavior::Late, true, _) => drop(one.customer.pay(&self.world, send)),
                (Behavior::Parts, true, _) => {
                    one.customer.pay(&self.world, send / 3);
                    one.customer.pay(&self.world, send - send / 3);
                }
                (Behavior::TopsUp, true, _) => drop(one.customer.pay(&self.world, send / 2)),
                (Behavior::TopsUp, _, true) => drop(one.customer.pay(&self.world, send - send / 2)),
                (Behavior::Less, true, _) => drop(one.customer.pay(&self.world, send * 9 / 10)),
                (Behavior::More, true, _) => drop(one.customer.pay(&self.world, send * 12 / 10)),
                (Behavior::Twice, true, _) | (Behavior::Twice, _, true) => drop(one.customer.pay(&self.world, send)),
                (Behavior::Replaces, true, _) => {
                    let tx = one.customer.pay(&self.world, send);
                    let again = Output { address: one.customer.address.clone(), units: send };
                    self.world.bitcoin(|chain| chain.replace(&tx, vec![again]));
                }
                (Behavior::Vanishes, true, _) => one.first_tx = Some(one.customer.pay(&self.world, send)),
                (Behavior::Vanishes, _, true) => {
                    let tx = one.first_tx.clone().unwrap();
                    self.world.bitcoin(|chain| chain.drop_transaction(&tx));
                }
                (Behavior::Doubtful, true, _) => {
                    let tx = one.customer.pay(&self.world, send);
                    self.world.screener.set_risk_of(&tx, Risk::High);
                }
                (Behavior::Cancels, true, _) => drop(one.customer.post("cancel", json!({})).await),
                _ => {}
            }
        }
    }

    /// Mines a block and sometimes reorganises: never so deep that a confirmed payout or refund is undone.
    fn mine_or_reorganize(&mut self) {
        self.world.net.chain("BTC", |chain| chain.mine(1));
        self.world.net.chain("ETH", |chain| chain.mine(1));
        let (bitcoin, ether) = (self.chance(8), self.chance(8));
        let (deep, dropped) = (1 + self.chance(2), self.chance(12));
        if bitcoin == 0 {
            self.world.net.chain("BTC", |chain| chain.reorganize(BTC_CERTAIN - 1, dropped));
        }
        if ether == 0 {
            self.world.net.chain("ETH", |chain| chain.reorganize(deep.min(ETH_CERTAIN - 1), dropped));
        }
    }

    /// Customers and staff decide about claims that wait for them.
    async fn decide(&mut self) {
        for place in 0..self.all.len() {
            let one = &self.all[place];
            if is_over(&one.state) {
                continue;
            }
            let state = one.customer.state().await;
            let (refuse, waits) = (self.chance(3) == 0, self.chance(6) > 0);
            let one = &mut self.all[place];
            one.state.clone_from(&state);
            let customer = &one.customer;
            match state.as_str() {
                // A customer who tops up waits until the rest has come.
                "amount_mismatch" if one.behavior == Behavior::TopsUp && waits => {}
                "amount_mismatch" | "late_payment" => customer.choose(refuse).await,
                "on_hold" => self.decide_on_hold(place).await,
                "refund_pending" => self.send_refund(place).await,
                "payout_error" => self.send_again(place).await,
                _ => {}
            }
        }
    }

    async fn decide_on_hold(&self, place: usize) {
        let customer = &self.all[place].customer;
        let reason = customer.get("status").await["reason"]["code"].clone();
        let refund = json!({ "reason": "customer_asked" });
        if !self.world.transition(&customer.id, "refund", refund).await.status.is_success() {
            let answer = self.world.transition(&customer.id, "reject", json!({ "reason": "payment_not_found" })).await;
            assert!(answer.status.is_success(), "{reason}: {}", answer.text);
        }
    }

    /// Refunds through the driver. A payment that disappeared is with its sender already: staff only record that.
    async fn send_refund(&self, place: usize) {
        let id = &self.all[place].customer.id;
        let path = format!("/api/admin/v1/payments/claims/{id}/refund");
        let answer = self.world.owner().await.post(&path, json!({})).await;
        if is_gone(&answer) {
            self.world.transition(id, "refund_sent", json!({ "txId": "dropped by the network" })).await.ok();
            self.world.transition(id, "refund_done", json!({})).await.ok();
        }
    }

    async fn send_again(&self, place: usize) {
        let id = self.all[place].customer.id.clone();
        let attempts = self.world.get_payments("attempts").await;
        let of_claim = |attempt: &&Value| {
            attempt["claim"] == id.as_str() && ["returned", "never_sent"].contains(&attempt["state"].as_str().unwrap())
        };
        if let Some(attempt) = attempts.as_array().unwrap().iter().find(of_claim) {
            let path = format!("/api/admin/v1/payments/attempts/{}/retry", attempt["id"].as_str().unwrap());
            let answer = self.world.owner().await.post(&path, json!({ "note": "once more" })).await;
            if is_gone(&answer) {
                self.world.transition(&id, "refund", json!({ "reason": "payment_gone" })).await.ok();
            }
        }
    }

    fn is_over(&self) -> bool {
        self.all.iter().all(|one| is_over(&one.state))
    }

    /// Ends the faults and lets everything arrive.
    async fn settle_down(&mut self) {
        self.world.net.fail(Faults::default());
        self.world.advance(Duration::from_secs(30 * 60)).await;
        for _ in 0..CALM_ROUNDS {
            self.world.net.chain("BTC", |chain| chain.mine(1));
            self.world.net.chain("ETH", |chain| chain.mine(1));
            self.world.advance(Duration::from_secs(30)).await;
            self.decide().await;
        }
        for one in &mut self.all {
            one.state = one.customer.state().await;
        }
    }

    /// Compares each claim with the networks.
    async fn compare_with_networks(&self) -> BTreeMap<(String, Fate, String), usize> {
        let evidence = Evidence::of(&self.world).await;
        let mut ends = BTreeMap::new();
        for one in &self.all {
            let fate = evidence.fate(&self.world, &one.customer, &one.state).await;
            let allowed: &[Fate] = match one.behavior {
                Behavior::Never | Behavior::Cancels => &[Fate::NeverPaid],
                // A payment with a high risk is never exchanged.
                Behavior::Doubtful => &[Fate::Refunded, Fate::DroppedBeforeBooking],
                Behavior::Vanishes => &[Fate::DroppedBeforeBooking, Fate::DroppedAndWrittenOff, Fate::DroppedTooLate],
                // No reorganisation undoes a confirmed payment.
                _ => &[Fate::Exchanged, Fate::Refunded, Fate::DroppedBeforeBooking],
            };
            assert!(allowed.contains(&fate), "{:?} {} ended as {fate:?}", one.behavior, one.customer.id);
            *ends.entry((format!("{:?}", one.behavior), fate, one.state.clone())).or_default() += 1;
        }
        ends
    }
}

fn is_gone(answer: &Reply) -> bool {
    answer.status == 409 && answer.json()["code"] == "payment_gone"
}

fn is_over(state: &str) -> bool {
    ["completed", "refunded", "rejected"].contains(&state)
}

async fn every_claim_ends_as_it_should_and_nothing_is_sent_twice(engine: Engine) {
    let count = usize::try_from(setting("AGIO_TEST_CLAIMS", COUNT as u64)).unwrap();
    let seed = setting("AGIO_TEST_SEED", SEED);
    println!("{count} claims on {engine:?}, seed {seed}");
    let world = World::open_with(engine, seed, |route| {
        (route["claimLimit"], route["dayLimit"]) = (json!("5"), json!("100000"));
    })
    .await;
    world.net.fail(Faults { before: 6, lost: 6, stalled: 0 });
    let mut scenario = Scenario { world, random: ChaCha12Rng::seed_from_u64(seed), all: Vec::new() };
    scenario.create_claims(count).await;
    for round in 0..ROUNDS {
        if round == 50 {
            scenario.world.advance(Duration::from_secs(60 * 60)).await;
        }
        if round == LATE + ASKED_AFTER {
            let settings = json!({ "claims.late_tolerance_bps": "0" });
            scenario.world.owner().await.put("/api/admin/v1/settings", settings).await.ok();
        }
        scenario.act(round).await;
        scenario.mine_or_reorganize();
        scenario.world.advance(Duration::from_secs(30)).await;
        scenario.decide().await;
        // Claims without a payment have expired and stay so; they are compared when the others are over.
        let waits = |one: &Participant| !is_over(&one.state) && !["expired", "cancelled"].contains(&one.state.as_str());
        if round > 130 && !scenario.all.iter().any(waits) {
            break;
        }
    }
    let unpaid = scenario.all.iter().filter(|one| !is_over(&one.state)).count();
    println!("{unpaid} ended without a payment; over: {}", scenario.is_over());
    scenario.settle_down().await;
    let ends = scenario.compare_with_networks().await;
    consistency::print(&ends);
    let to_customers =
        scenario.world.ether(|chain| chain.active_payouts()).iter().filter(|(_, output)| output.address == ETHER).count();
    let completed: usize = ends.iter().filter(|((_, _, state), _)| state == "completed").map(|(_, count)| count).sum();
    assert_eq!(to_customers, completed, "as many payouts as completed claims");
    scenario.world.app.assert_ledger_is_clean().await;
    scenario.world.app.assert_audit_chain_is_intact().await;
}

both_engines!(every_claim_ends_as_it_should_and_nothing_is_sent_twice);
