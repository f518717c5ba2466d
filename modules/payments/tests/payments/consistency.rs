//! Compares the state of claims with their network at the end.

use std::collections::{BTreeMap, HashMap};

use agio_core::{Timestamp, fetch_all};
use rust_decimal::Decimal;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::fixtures::{BTC_CERTAIN, TestCustomer, World};

/// What became of the payments of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fate {
    /// Nothing was ever sent to its address.
    NeverPaid,
    /// The payment was dropped before it was booked: the claim ended without a payment.
    DroppedBeforeBooking,
    /// It was dropped when it was booked and nothing had been requested: nothing left, and the ledger shows it as
    /// returned.
    DroppedAndWrittenOff,
    /// It was dropped after the payout or refund had been requested, which nobody can prevent: staff see it.
    DroppedTooLate,
    /// It is on the network and was exchanged.
    Exchanged,
    /// It is on the network and was refunded.
    Refunded,
}

/// The payments to an address on the network.
#[derive(Default)]
struct Received {
    /// Units of confirmed payments.
    certain: u64,
    /// Payments that can never be confirmed.
    dropped: usize,
}

/// What the network holds, what the database knows of it, and which issues staff see.
pub struct Evidence {
    received: HashMap<String, Received>,
    /// When a booked payment was found to be gone.
    found_gone: HashMap<Uuid, Timestamp>,
    /// When a driver was last told to send something for the claim.
    requested: HashMap<Uuid, Timestamp>,
    /// Units that came for claims which were already paid, and claims whose payment is gone.
    extra: HashMap<String, u64>,
    reported_gone: Vec<String>,
}

impl Evidence {
    pub async fn of(world: &World) -> Self {
        let mut received: HashMap<String, Received> = HashMap::new();
        let all = world.bitcoin(|chain| chain.incoming_payments(None, u32::try_from(BTC_CERTAIN).unwrap()).0);
        for arrival in all {
            let at = received.entry(arrival.address).or_default();
            if arrival.gone {
                at.dropped += 1;
            } else {
                assert!(u64::from(arrival.confirmations) >= BTC_CERTAIN, "{} is not certain yet", arrival.tx_id);
                at.certain += arrival.units;
            }
        }
        let mut tx = world.app.server.platform.db.read().await.unwrap();
        let found_gone = "SELECT claim_id, MAX(gone_at) FROM payment_movement
            WHERE claim_id IS NOT NULL AND booked AND gone_at IS NOT NULL GROUP BY claim_id";
        let requested =
            "SELECT claim_id, MAX(requested_at) FROM payment_attempt WHERE requested_at IS NOT NULL GROUP BY claim_id";
        let found_gone = fetch_all!(&mut tx, (Uuid, Timestamp), found_gone).unwrap().into_iter().collect();
        let requested = fetch_all!(&mut tx, (Uuid, Timestamp), requested).unwrap().into_iter().collect();
        drop(tx);
        let mut evidence = Self { received, found_gone, requested, extra: HashMap::new(), reported_gone: Vec::new() };
        evidence.read_issues(world).await;
        evidence
    }

    /// The console shows a hundred at a time; a resolved issue leaves the list.
    async fn read_issues(&mut self, world: &World) {
        loop {
            let listed = world.get_payments("movements").await;
            let Some(listed) = listed.as_array().filter(|listed| !listed.is_empty()) else { return };
            for one in listed {
                let claim = one["claim"].as_str().expect("every address belongs to a claim").to_owned();
                match one["issue"].as_str().unwrap() {
                    "extra" => *self.extra.entry(claim).or_default() += units(&one["amount"]),
                    "gone" => self.reported_gone.push(claim),
                    other => panic!("unexpected issue {other}: {one}"),
                }
                world
                    .owner()
                    .await
                    .post(&format!("/api/admin/v1/payments/movements/{}/resolve", one["id"]), json!({}))
                    .await
                    .ok();
            }
        }
    }

    /// What became of a claim's payments.
    ///
    /// # Panics
    /// The claim or the ledger differs from the network.
    pub async fn fate(&self, world: &World, customer: &TestCustomer, state: &str) -> Fate {
        let TestCustomer { id, address, .. } = customer;
        let nothing = Received::default();
        let received = self.received.get(address).unwrap_or(&nothing);
        let shown = world.owner().await.get(&format!("/api/admin/v1/claims/{id}")).await.ok();
        let booked = units(&shown["payment"]["received"]);
        let (paid_out, returned) = (world.paid_out("ETH", id).len(), world.paid_out("BTC", id));
        let extra = self.extra.get(id).copied().unwrap_or_default();
        let summary =
            format!("{id} is {state}: books {booked}, extra {extra}, network {}, dropped {}", received.certain, received.dropped);
        if received.certain > 0 {
            assert_eq!(booked + extra, received.certain, "every unit on the network is booked or shown to staff; {summary}");
            return match state {
                "completed" => {
                    assert_eq!((paid_out, returned.len()), (1, 0), "{summary}");
                    Fate::Exchanged
                }
                "refunded" => {
                    assert_eq!((paid_out, returned), (0, vec![booked]), "{summary}");
                    Fate::Refunded
                }
                _ => panic!("money that stands on the network is neither exchanged nor refunded; {summary}"),
            };
        }
        if booked == 0 {
            assert_eq!((paid_out, returned.len()), (0, 0), "nothing came and something left; {summary}");
            assert!(["expired", "cancelled", "rejected"].contains(&state), "{summary}");
            return if received.dropped > 0 { Fate::DroppedBeforeBooking } else { Fate::NeverPaid };
        }
        assert!(self.reported_gone.contains(id), "staff do not see it; {summary}");
        let uuid: Uuid = id.parse().unwrap();
        if (paid_out, returned.len()) == (0, 0) {
            assert_eq!(state, "refunded", "a dropped payment counts as refunded; {summary}");
            return Fate::DroppedAndWrittenOff;
        }
        assert!(["completed", "refunded"].contains(&state), "{summary}");
        assert!(self.requested[&uuid] < self.found_gone[&uuid], "it was paid out although it was known to be gone; {summary}");
        Fate::DroppedTooLate
    }
}

/// Prints the counts of each end.
pub fn print(ends: &BTreeMap<(String, Fate, String), usize>) {
    for ((behavior, fate, state), count) in ends {
        println!("{behavior} {fate:?} {state}: {count}");
    }
}

fn units(amount: &Value) -> u64 {
    let amount: Decimal = amount.as_str().expect("an amount is a text").parse().unwrap();
    (amount * Decimal::from(100_000_000)).try_into().unwrap()
}
