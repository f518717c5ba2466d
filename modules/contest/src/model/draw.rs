//! The draw: nobody can choose the winner knowing the other inputs.
//!
//! The server creates a secret before the period and publishes its digest as a commitment. After the period the list
//! of entries is final and its digest is published. Then a previously announced source publishes the public
//! randomness. The winners follow from these three by SHA-256, so anybody can verify them with the published file:
//!
//! ```text
//! seed     = SHA256("agio-contest-1 seed" secret entrants_digest public_value)
//! number i = first 8 bytes of SHA256("agio-contest-1 ticket" seed i), i = 0, 1, 2, ... as 8 bytes, most significant first
//! ```
//!
//! `W` is the total weight of the entries that can still win. Numbers not below the greatest multiple of `W` up to
//! 2^64 are skipped, so that the draw is unbiased. The number modulo `W` selects an entry; entries are laid out in
//! list order, each as wide as its weight. Its participant wins the next prize and all their entries are removed.

use std::collections::BTreeSet;

use sha2::{Digest as _, Sha256};

const SEED: &[u8] = b"agio-contest-1 seed";
const TICKET: &[u8] = b"agio-contest-1 ticket";

pub const WEIGHT_MAX: u64 = 1_000_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entrant {
    pub entry: i64,
    pub name: String,
    pub person: String,
    pub weight: u64,
}

impl Entrant {
    /// The published line: JSON with fixed key order and no spaces.
    pub fn line(&self) -> String {
        let Self { entry, name, person, weight } = self;
        format!("{{\"entry\":{entry},\"name\":\"{name}\",\"person\":\"{person}\",\"weight\":{weight}}}")
    }

    /// `None` unless [`Entrant::line`] would write exactly this line.
    pub fn read(line: &str) -> Option<Self> {
        let value: serde_json::Value = serde_json::from_str(line).ok()?;
        let text = |key: &str| value[key].as_str().map(str::to_owned);
        let (name, person) = (text("name")?, text("person")?);
        let entrant = Self { entry: value["entry"].as_i64()?, name, person, weight: value["weight"].as_u64()? };
        ((1..=WEIGHT_MAX).contains(&entrant.weight) && entrant.line() == line).then_some(entrant)
    }
}

/// SHA-256 over the lines, each followed by a line feed.
pub fn digest_of<'l>(lines: impl IntoIterator<Item = &'l str>) -> [u8; 32] {
    let mut digest = Sha256::new();
    for line in lines {
        digest.update(line.as_bytes());
        digest.update(b"\n");
    }
    digest.finalize().into()
}

pub fn commitment(secret: &[u8]) -> [u8; 32] {
    Sha256::digest(secret).into()
}

pub fn seed(secret: &[u8], entrants: &[u8; 32], public_value: &str) -> [u8; 32] {
    Sha256::new()
        .chain_update(SEED)
        .chain_update(secret)
        .chain_update(entrants)
        .chain_update(public_value.as_bytes())
        .finalize()
        .into()
}

/// Winning entries by place; fewer than prizes if there are fewer participants. Void entries cannot win.
pub fn winners(seed: &[u8; 32], entrants: &[Entrant], void: &BTreeSet<i64>, prizes: usize) -> Vec<i64> {
    let mut left: Vec<&Entrant> = entrants.iter().filter(|entrant| !void.contains(&entrant.entry)).collect();
    let mut numbers = (0_u64..).map(|count| number(seed, count));
    let mut won = Vec::new();
    while won.len() < prizes && !left.is_empty() {
        let tickets = left.iter().map(|entrant| u128::from(entrant.weight)).sum::<u128>();
        let fair = (1_u128 << 64) / tickets * tickets;
        let Some(number) = numbers.by_ref().map(u128::from).find(|number| *number < fair) else { break };
        let winner = entry_at(&left, number % tickets);
        won.push(winner.entry);
        let person = winner.person.clone();
        left.retain(|entrant| entrant.person != person);
    }
    won
}

fn number(seed: &[u8; 32], count: u64) -> u64 {
    let digest = Sha256::new().chain_update(TICKET).chain_update(seed).chain_update(count.to_be_bytes()).finalize();
    let (first, _) = digest.split_first_chunk().expect("a digest is longer than eight bytes");
    u64::from_be_bytes(*first)
}

/// `ticket` must be below the total weight.
fn entry_at<'e>(left: &[&'e Entrant], ticket: u128) -> &'e Entrant {
    let mut below = ticket;
    for entrant in left {
        let weight = u128::from(entrant.weight);
        if below < weight {
            return entrant;
        }
        below -= weight;
    }
    unreachable!("a ticket is below the weight of all entries")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn entrants(weights: &[u64]) -> Vec<Entrant> {
        let entrant = |(entry, weight): (i64, &u64)| Entrant {
            entry,
            name: "i***@e***.com".into(),
            person: format!("p{}", entry % 7),
            weight: *weight,
        };
        (1..).zip(weights).map(entrant).collect()
    }

    #[test]
    fn only_canonical_lines_are_parsed() {
        let entrant = entrants(&[3]).remove(0);
        assert_eq!(entrant.line(), r#"{"entry":1,"name":"i***@e***.com","person":"p1","weight":3}"#);
        assert_eq!(Entrant::read(&entrant.line()), Some(entrant.clone()));
        for wrong in ["", "{}", &entrant.line().replace(':', ": "), &entrant.line().replace("\"weight\":3", "\"weight\":0")] {
            assert_eq!(Entrant::read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn chances_are_proportional_to_weights() {
        let all = entrants(&[1, 3]);
        let first = (0..4_000_u32).filter(|round| {
            let seed = seed(&round.to_be_bytes(), &[0; 32], "value");
            winners(&seed, &all, &BTreeSet::new(), 1) == [1]
        });
        let first = first.count();
        assert!((900..1_100).contains(&first), "a quarter of 4000: {first}");
    }

    proptest! {
        #[test]
        fn nobody_wins_twice_and_void_entries_never_win(
            weights in proptest::collection::vec(1_u64..50, 0..40),
            void in proptest::collection::btree_set(1_i64..40, 0..40),
            secret in any::<[u8; 32]>(),
            prizes in 0_usize..10,
        ) {
            let all = entrants(&weights);
            let seed = seed(&secret, &[1; 32], "value");
            let won = winners(&seed, &all, &void, prizes);
            let person = |entry: &i64| all.iter().find(|entrant| entrant.entry == *entry).map(|entrant| &entrant.person);
            let people: BTreeSet<_> = won.iter().map(person).collect();
            let able: BTreeSet<_> = all.iter().filter(|entrant| !void.contains(&entrant.entry)).map(|entrant| &entrant.person).collect();
            prop_assert_eq!(people.len(), won.len());
            prop_assert!(won.iter().all(|entry| !void.contains(entry)));
            prop_assert_eq!(won.len(), prizes.min(able.len()));
        }
    }
}
