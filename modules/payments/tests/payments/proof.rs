//! Holds what the house says of claims against what their network holds in the end.

use std::collections::{BTreeMap, HashMap};

use agio_core::{Timestamp, fetch_all};
use rust_decimal::Decimal;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::world::{BTC_CERTAIN, Customer, World};

/// What became of the payments of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fate {
    /// Nothing was ever sent to its address.
    NeverCame,
    /// What was sent was dropped before the books had any of it: the claim ended as if nothing had come.
    UndoneInTime,
    /// It was dropped when the books had it and nothing had been asked for: nothing left, and the books say that it is with its sender again.
    UndoneAndWrittenOff,
    /// It was dropped after the driver had been asked for the payout or the refund, which nobody can prevent: staff are told.
    UndoneTooLate,
    /// It stands on the network and was exchanged.
    Exchanged,
    /// It stands on the network and was returned.
    Returned,
}

/// What the network holds at an address.
#[derive(Default)]
struct Held {
    /// Units of payments that nobody can undo any more.
    certain: u64,
    /// How many can never be confirmed.
    dropped: usize,
}

/// What the house was told, when it asked, and what staff were told to look at.
pub struct Proof {
    held: HashMap<String, Held>,
    /// When the house learned that money its books had was gone.
    learned: HashMap<Uuid, Timestamp>,
    /// When a driver was last asked to send something for the claim.
    asked: HashMap<Uuid, Timestamp>,
    /// Units that came for claims which needed no more, and claims whose money is gone.
    extra: HashMap<String, u64>,
    told_gone: Vec<String>,
}

impl Proof {
    /// Of what there is now.
    pub async fn of(world: &World) -> Self {
        let mut held: HashMap<String, Held> = HashMap::new();
        let all = world.bitcoin(|chain| chain.arrivals(None, u32::try_from(BTC_CERTAIN).unwrap()).0);
        for arrival in all {
            let at = held.entry(arrival.address).or_default();
            if arrival.gone {
                at.dropped += 1;
            } else {
                assert!(u64::from(arrival.confirmations) >= BTC_CERTAIN, "{} is not certain yet", arrival.tx_id);
                at.certain += arrival.units;
            }
        }
        let mut tx = world.house.app.platform.db.read().await.unwrap();
        let learned = "SELECT claim_id, MAX(gone_at) FROM payment_movement
            WHERE claim_id IS NOT NULL AND counted AND gone_at IS NOT NULL GROUP BY claim_id";
        let asked = "SELECT claim_id, MAX(asked_at) FROM payment_attempt WHERE asked_at IS NOT NULL GROUP BY claim_id";
        let learned = fetch_all!(&mut tx, (Uuid, Timestamp), learned).unwrap().into_iter().collect();
        let asked = fetch_all!(&mut tx, (Uuid, Timestamp), asked).unwrap().into_iter().collect();
        drop(tx);
        let mut proof = Self { held, learned, asked, extra: HashMap::new(), told_gone: Vec::new() };
        proof.reads_troubles(world).await;
        proof
    }

    /// The console shows a hundred at a time; what was looked at leaves the list.
    async fn reads_troubles(&mut self, world: &World) {
        loop {
            let listed = world.sees("movements").await;
            let Some(listed) = listed.as_array().filter(|listed| !listed.is_empty()) else { return };
            for one in listed {
                let claim = one["claim"].as_str().expect("every address of the crowd is a claim's").to_owned();
                match one["trouble"].as_str().unwrap() {
                    "extra" => *self.extra.entry(claim).or_default() += units(&one["amount"]),
                    "gone" => self.told_gone.push(claim),
                    other => panic!("nobody expects a trouble {other}: {one}"),
                }
                world.owner().await.post(&format!("/api/admin/v1/payments/movements/{}/settle", one["id"]), json!({})).await.ok();
            }
        }
    }

    /// What became of a claim's payments, proven.
    ///
    /// # Panics
    /// The state of the claim or its books say something else than the network.
    pub async fn fate(&self, world: &World, customer: &Customer, state: &str) -> Fate {
        let Customer { id, address, .. } = customer;
        let nothing = Held::default();
        let held = self.held.get(address).unwrap_or(&nothing);
        let shown = world.owner().await.get(&format!("/api/admin/v1/claims/{id}")).await.ok();
        let booked = units(&shown["payment"]["received"]);
        let (paid_out, returned) = (world.left("ETH", id).len(), world.left("BTC", id));
        let extra = self.extra.get(id).copied().unwrap_or_default();
        let says = format!("{id} is {state}: books {booked}, extra {extra}, network {}, dropped {}", held.certain, held.dropped);
        if held.certain > 0 {
            assert_eq!(booked + extra, held.certain, "every unit on the network is in the books or shown to staff; {says}");
            return match state {
                "completed" => {
                    assert_eq!((paid_out, returned.len()), (1, 0), "{says}");
                    Fate::Exchanged
                }
                "refunded" => {
                    assert_eq!((paid_out, returned), (0, vec![booked]), "{says}");
                    Fate::Returned
                }
                _ => panic!("money that stands on the network is neither exchanged nor returned; {says}"),
            };
        }
        if booked == 0 {
            assert_eq!((paid_out, returned.len()), (0, 0), "nothing came and something left; {says}");
            assert!(["expired", "cancelled", "rejected"].contains(&state), "{says}");
            return if held.dropped > 0 { Fate::UndoneInTime } else { Fate::NeverCame };
        }
        assert!(self.told_gone.contains(id), "staff were not told; {says}");
        let uuid: Uuid = id.parse().unwrap();
        if (paid_out, returned.len()) == (0, 0) {
            assert_eq!(state, "refunded", "what is with its sender again is returned; {says}");
            return Fate::UndoneAndWrittenOff;
        }
        assert!(["completed", "refunded"].contains(&state), "{says}");
        assert!(self.asked[&uuid] < self.learned[&uuid], "it was paid out although it was known to be gone; {says}");
        Fate::UndoneTooLate
    }
}

/// The counts of each end, for whoever reads the test.
pub fn print(ends: &BTreeMap<(String, Fate, String), usize>) {
    for ((way, fate, state), count) in ends {
        println!("{way} {fate:?} {state}: {count}");
    }
}

fn units(amount: &Value) -> u64 {
    let amount: Decimal = amount.as_str().expect("an amount is a text").parse().unwrap();
    (amount * Decimal::from(100_000_000)).try_into().unwrap()
}
