//! The file by which anybody checks a draw.

use std::collections::BTreeSet;

use agio_core::hex;
use serde::{Deserialize, Serialize};

use super::draw::{Entrant, commitment, digest_of, seed, winners};

/// The form of the file; another way of drawing would be another word.
pub const FORMAT: &str = "agio-contest-1";

/// A draw with everything it follows from. Before the draw what is not known yet is null.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Published {
    /// The way of drawing.
    pub format: String,
    /// The contest.
    pub contest: String,
    /// SHA-256 of the secret, published before the period began.
    pub commitment: String,
    /// SHA-256 of the list of entrants, published when the period was over.
    pub entrants_sha256: String,
    /// The value that nobody controls, as it was named beforehand.
    pub public_source: String,
    /// From when on that value may be taken, in RFC 3339.
    pub public_at: String,
    /// How many prizes there are.
    pub prizes: usize,
    /// The list, line by line.
    pub entrants: Vec<String>,
    /// Entries whose exchange was taken back after the list was closed: they stay in the list and win nothing.
    pub void: Vec<i64>,
    /// The secret.
    pub secret: Option<String>,
    /// The value that nobody controls.
    pub public_value: Option<String>,
    /// Where it can be seen.
    pub public_reference: Option<String>,
    /// The entries that won, for the first prize first.
    pub winners: Vec<i64>,
}

/// What is wrong with a published draw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// It is of a form this program does not know.
    Format,
    /// It is not drawn yet.
    NotDrawn,
    /// The secret is not what was committed to.
    Secret,
    /// The list is not the one whose digest was published.
    Entrants,
    /// This line of the list, from 1, is not one, repeats an entry, or is out of order.
    Line(usize),
    /// Other entries win.
    Winners(Vec<i64>),
}

impl Published {
    /// Everything that is wrong with the draw; nothing when it is right.
    #[must_use]
    pub fn faults(&self) -> Vec<Wrong> {
        if self.format != FORMAT {
            return vec![Wrong::Format];
        }
        let (Some(secret), Some(value)) = (&self.secret, &self.public_value) else { return vec![Wrong::NotDrawn] };
        let mut wrong = Vec::new();
        let secret = hex::decode::<32>(secret).filter(|secret| hex::encode(commitment(secret)) == self.commitment);
        if secret.is_none() {
            wrong.push(Wrong::Secret);
        }
        let digest = digest_of(self.entrants.iter().map(String::as_str));
        if hex::encode(digest) != self.entrants_sha256 {
            wrong.push(Wrong::Entrants);
        }
        let entrants: Vec<_> = self.entrants.iter().map_while(|line| Entrant::read(line)).collect();
        let ascends = entrants.iter().zip(entrants.iter().skip(1)).position(|(one, next)| one.entry >= next.entry);
        if let Some(before) = ascends {
            wrong.push(Wrong::Line(before + 2));
        } else if entrants.len() < self.entrants.len() {
            wrong.push(Wrong::Line(entrants.len() + 1));
        }
        if let Some(secret) = secret {
            let void: BTreeSet<i64> = self.void.iter().copied().collect();
            let won = winners(&seed(&secret, &digest, value), &entrants, &void, self.prizes);
            if won != self.winners {
                wrong.push(Wrong::Winners(won));
            }
        }
        wrong
    }
}
