//! A crowd of claims through a network with re-organisations and a service that fails: every one ends as it should, and no money leaves twice.

use std::collections::BTreeMap;
use std::time::Duration;

use agio_plugin::protocol::Risk;
use agio_sandbox_chain::Faults;
use agio_sandbox_chain::chain::Output;
use agio_testkit::{Answer as Reply, Engine, both_engines};
use rand_chacha::ChaCha12Rng;
use rand_core::{RngCore as _, SeedableRng as _};
use serde_json::{Value, json};

use crate::proof::{self, Fate, Proof};
use crate::world::{BTC_CERTAIN, Customer, ETH_CERTAIN, ETHER, World};

/// How many claims there are unless the environment says otherwise: `AGIO_CROWD=1000`, and `AGIO_CROWD_SEED` for another life.
const USUAL: usize = 150;
const SEED: u64 = 20_240_328;

/// The rounds after which everything must have ended.
const ROUNDS: usize = 400;

/// The round in which the first of those pay who are too late: the rate did not move, so their claims go on by themselves.
const LATE: usize = 60;

/// So many rounds later everybody who is too late is asked.
const ASKED_FROM: usize = 10;

/// The rounds in which the last of it settles.
const CALM_ROUNDS: usize = 30;

/// What a customer does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Way {
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

const WAYS: [(u64, Way); 12] = [
    (40, Way::Exact),
    (8, Way::Parts),
    (6, Way::TopsUp),
    (6, Way::Less),
    (6, Way::More),
    (8, Way::Late),
    (6, Way::Twice),
    (6, Way::Replaces),
    (4, Way::Vanishes),
    (4, Way::Never),
    (2, Way::Cancels),
    (4, Way::Doubtful),
];

struct One {
    customer: Customer,
    way: Way,
    /// The rounds in which the customer acts.
    acts_in: usize,
    first_tx: Option<String>,
    /// The state that was seen last.
    state: String,
}

struct Crowd {
    world: World,
    random: ChaCha12Rng,
    all: Vec<One>,
}

fn setting(name: &str, usual: u64) -> u64 {
    std::env::var(name).map_or(usual, |text| text.parse().unwrap())
}

impl Crowd {
    fn chance(&mut self, bound: u64) -> u64 {
        self.random.next_u64() % bound
    }

    fn way(&mut self) -> Way {
        let mut drawn = self.chance(100);
        for (share, way) in WAYS {
            if drawn < share {
                return way;
            }
            drawn -= share;
        }
        unreachable!("the shares are a hundred")
    }

    async fn gathers(&mut self, count: usize) {
        for number in 0..count {
            if number % 40 == 0 {
                self.world.goes_on().await;
            }
            let way = self.way();
            let send = ["0.0008", "0.001", "0.0012", "0.0016"][self.chance(4) as usize];
            let mut customer = Customer::orders(&self.world, send).await;
            // The service may have been down when addresses were to be made. To confirm once more changes nothing.
            while !customer.does("confirm", json!({})).await.status.is_success() {
                self.world.goes_on().await;
            }
            customer.confirms().await;
            let acts_in = match way {
                Way::Late if number % 2 == 0 => LATE,
                Way::Late => LATE + 2 * ASKED_FROM,
                _ => self.chance(30) as usize,
            };
            self.all.push(One { customer, way, acts_in, first_tx: None, state: String::new() });
        }
    }

    /// What the customers whose round it is do.
    async fn act(&mut self, round: usize) {
        for one in &mut self.all {
            let Customer { send, .. } = one.customer;
            let later = round == one.acts_in + 3;
            match (one.way, round == one.acts_in, later) {
                (Way::Exact | Way::Late, true, _) => drop(one.customer.pays(&self.world, send)),
                (Way::Parts, true, _) => {
                    one.customer.pays(&self.world, send / 3);
                    one.customer.pays(&self.world, send - send / 3);
                }
                (Way::TopsUp, true, _) => drop(one.customer.pays(&self.world, send / 2)),
                (Way::TopsUp, _, true) => drop(one.customer.pays(&self.world, send - send / 2)),
                (Way::Less, true, _) => drop(one.customer.pays(&self.world, send * 9 / 10)),
                (Way::More, true, _) => drop(one.customer.pays(&self.world, send * 12 / 10)),
                (Way::Twice, true, _) | (Way::Twice, _, true) => drop(one.customer.pays(&self.world, send)),
                (Way::Replaces, true, _) => {
                    let tx = one.customer.pays(&self.world, send);
                    let again = Output { address: one.customer.address.clone(), units: send };
                    self.world.bitcoin(|chain| chain.replace(&tx, vec![again]));
                }
                (Way::Vanishes, true, _) => one.first_tx = Some(one.customer.pays(&self.world, send)),
                (Way::Vanishes, _, true) => {
                    let tx = one.first_tx.clone().unwrap();
                    self.world.bitcoin(|chain| chain.drop_transaction(&tx));
                }
                (Way::Doubtful, true, _) => {
                    let tx = one.customer.pays(&self.world, send);
                    self.world.screener.says_of(&tx, Risk::High);
                }
                (Way::Cancels, true, _) => drop(one.customer.does("cancel", json!({})).await),
                _ => {}
            }
        }
    }

    /// Blocks are found, and sometimes another branch wins: never so deep that a payout or refund that was certain is undone.
    fn lives(&mut self) {
        self.world.net.chain("BTC", |chain| chain.mine(1));
        self.world.net.chain("ETH", |chain| chain.mine(1));
        let (bitcoin, ether) = (self.chance(8), self.chance(8));
        let (deep, dropped) = (1 + self.chance(2), self.chance(12));
        if bitcoin == 0 {
            self.world.net.chain("BTC", |chain| chain.reorganise(BTC_CERTAIN - 1, dropped));
        }
        if ether == 0 {
            self.world.net.chain("ETH", |chain| chain.reorganise(deep.min(ETH_CERTAIN - 1), dropped));
        }
    }

    /// What customers and staff do about claims that wait for them.
    async fn help(&mut self) {
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
                "amount_mismatch" if one.way == Way::TopsUp && waits => {}
                "amount_mismatch" | "late_payment" => customer.chooses(refuse).await,
                "on_hold" => self.decide_on_hold(place).await,
                "refund_pending" => self.returns(place).await,
                "payout_error" => self.send_again(place).await,
                _ => {}
            }
        }
    }

    async fn decide_on_hold(&self, place: usize) {
        let customer = &self.all[place].customer;
        let reason = customer.looks("status").await["reason"]["code"].clone();
        let refund = json!({ "reason": "customer_asked" });
        if !self.world.operator_does(&customer.id, "refund", refund).await.status.is_success() {
            let answer = self.world.operator_does(&customer.id, "reject", json!({ "reason": "payment_not_found" })).await;
            assert!(answer.status.is_success(), "{reason}: {}", answer.text);
        }
    }

    /// The payment goes back through its driver. What disappeared is with its sender already, and staff only note that.
    async fn returns(&self, place: usize) {
        let id = &self.all[place].customer.id;
        let path = format!("/api/admin/v1/payments/claims/{id}/refund");
        let answer = self.world.owner().await.post(&path, json!({})).await;
        if is_gone(&answer) {
            self.world.operator_does(id, "refund_sent", json!({ "txId": "dropped by the network" })).await.ok();
            self.world.operator_does(id, "refund_done", json!({})).await.ok();
        }
    }

    async fn send_again(&self, place: usize) {
        let id = self.all[place].customer.id.clone();
        let attempts = self.world.sees("attempts").await;
        let of_claim = |attempt: &&Value| {
            attempt["claim"] == id.as_str() && ["returned", "never_sent"].contains(&attempt["state"].as_str().unwrap())
        };
        if let Some(attempt) = attempts.as_array().unwrap().iter().find(of_claim) {
            let path = format!("/api/admin/v1/payments/attempts/{}/retry", attempt["id"].as_str().unwrap());
            let answer = self.world.owner().await.post(&path, json!({ "note": "once more" })).await;
            if is_gone(&answer) {
                self.world.operator_does(&id, "refund", json!({ "reason": "payment_gone" })).await.ok();
            }
        }
    }

    fn is_over(&self) -> bool {
        self.all.iter().all(|one| is_over(&one.state))
    }

    /// Nothing is undone from here on and every service answers: what is on the way arrives, and everybody decides.
    async fn calms_down(&mut self) {
        self.world.net.fail(Faults::default());
        self.world.passes(Duration::from_secs(30 * 60)).await;
        for _ in 0..CALM_ROUNDS {
            self.world.net.chain("BTC", |chain| chain.mine(1));
            self.world.net.chain("ETH", |chain| chain.mine(1));
            self.world.passes(Duration::from_secs(30)).await;
            self.help().await;
        }
        for one in &mut self.all {
            one.state = one.customer.state().await;
        }
    }

    /// Holds the networks against what the house says of each claim.
    async fn agrees_with_the_networks(&self) -> BTreeMap<(String, Fate, String), usize> {
        let proof = Proof::of(&self.world).await;
        let mut ends = BTreeMap::new();
        for one in &self.all {
            let fate = proof.fate(&self.world, &one.customer, &one.state).await;
            let right: &[Fate] = match one.way {
                Way::Never | Way::Cancels => &[Fate::NeverCame],
                // What looks doubtful is never exchanged.
                Way::Doubtful => &[Fate::Returned, Fate::UndoneInTime],
                Way::Vanishes => &[Fate::UndoneInTime, Fate::UndoneAndWrittenOff, Fate::UndoneTooLate],
                // No branch that wins undoes what is certain.
                _ => &[Fate::Exchanged, Fate::Returned, Fate::UndoneInTime],
            };
            assert!(right.contains(&fate), "{:?} {} came to {fate:?}", one.way, one.customer.id);
            *ends.entry((format!("{:?}", one.way), fate, one.state.clone())).or_default() += 1;
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

async fn every_claim_of_a_crowd_ends_as_it_should_and_nothing_leaves_twice(engine: Engine) {
    let count = usize::try_from(setting("AGIO_CROWD", USUAL as u64)).unwrap();
    let seed = setting("AGIO_CROWD_SEED", SEED);
    println!("{count} claims on {engine:?}, seed {seed}");
    let world = World::open_with(engine, seed, |route| {
        (route["claimLimit"], route["dayLimit"]) = (json!("5"), json!("100000"));
    })
    .await;
    world.net.fail(Faults { before: 6, lost: 6, stalled: 0 });
    let mut crowd = Crowd { world, random: ChaCha12Rng::seed_from_u64(seed), all: Vec::new() };
    crowd.gathers(count).await;
    for round in 0..ROUNDS {
        if round == 50 {
            crowd.world.passes(Duration::from_secs(60 * 60)).await;
        }
        if round == LATE + ASKED_FROM {
            let asks = json!({ "claims.late_tolerance_hundredths": "0" });
            crowd.world.owner().await.put("/api/admin/v1/settings", asks).await.ok();
        }
        crowd.act(round).await;
        crowd.lives();
        crowd.world.passes(Duration::from_secs(30)).await;
        crowd.help().await;
        // Those who never pay are expired, and stay so; they are looked at when the rest is over.
        let waits = |one: &One| !is_over(&one.state) && !["expired", "cancelled"].contains(&one.state.as_str());
        if round > 130 && !crowd.all.iter().any(waits) {
            break;
        }
    }
    let left = crowd.all.iter().filter(|one| !is_over(&one.state)).count();
    println!("{left} ended without a payment; over: {}", crowd.is_over());
    crowd.calms_down().await;
    let ends = crowd.agrees_with_the_networks().await;
    proof::print(&ends);
    let to_customers =
        crowd.world.ether(|chain| chain.live_payouts()).iter().filter(|(_, output)| output.address == ETHER).count();
    let completed: usize = ends.iter().filter(|((_, _, state), _)| state == "completed").map(|(_, count)| count).sum();
    assert_eq!(to_customers, completed, "as many payouts as completed claims");
    crowd.world.house.books_are_clean().await;
    crowd.world.house.audit_is_whole().await;
}

both_engines!(every_claim_of_a_crowd_ends_as_it_should_and_nothing_leaves_twice);
