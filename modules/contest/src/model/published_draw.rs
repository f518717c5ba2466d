//! The published file with which anybody can verify a draw.

use std::collections::BTreeSet;

use agio_core::hex;
use serde::{Deserialize, Serialize};

use super::draw::{Entrant, commitment, digest_of, seed, winners};

/// Format; another algorithm would have another name.
pub const FORMAT: &str = "agio-contest-1";

/// Unknown values are null before the draw.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PublishedDraw {
    pub format: String,
    pub contest: String,
    /// SHA-256 of the secret, published before the period.
    pub commitment: String,
    /// SHA-256 of the list, published after the period.
    pub entrants_sha256: String,
    pub public_source: String,
    /// RFC 3339.
    pub public_at: String,
    pub prizes: usize,
    pub entrants: Vec<String>,
    /// Voided after the list was final: they stay in the list and cannot win.
    pub void: Vec<i64>,
    pub secret: Option<String>,
    pub public_value: Option<String>,
    pub public_reference: Option<String>,
    pub winners: Vec<i64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DrawFault {
    /// Unknown format.
    Format,
    NotDrawn,
    Secret,
    /// The digest of the list differs.
    Entrants,
    /// Malformed, repeated or out of order; counted from 1.
    Line(usize),
    Winners(Vec<i64>),
}

impl PublishedDraw {
    /// Verifies the draw; empty if it is correct.
    pub fn faults(&self) -> Vec<DrawFault> {
        if self.format != FORMAT {
            return vec![DrawFault::Format];
        }
        let (Some(secret), Some(value)) = (&self.secret, &self.public_value) else { return vec![DrawFault::NotDrawn] };
        let mut wrong = Vec::new();
        let secret = hex::decode::<32>(secret).filter(|secret| hex::encode(commitment(secret)) == self.commitment);
        if secret.is_none() {
            wrong.push(DrawFault::Secret);
        }
        let digest = digest_of(self.entrants.iter().map(String::as_str));
        if hex::encode(digest) != self.entrants_sha256 {
            wrong.push(DrawFault::Entrants);
        }
        let entrants: Vec<_> = self.entrants.iter().map_while(|line| Entrant::read(line)).collect();
        let ascends = entrants.iter().zip(entrants.iter().skip(1)).position(|(one, next)| one.entry >= next.entry);
        if let Some(before) = ascends {
            wrong.push(DrawFault::Line(before + 2));
        } else if entrants.len() < self.entrants.len() {
            wrong.push(DrawFault::Line(entrants.len() + 1));
        }
        if let Some(secret) = secret {
            let void: BTreeSet<i64> = self.void.iter().copied().collect();
            let won = winners(&seed(&secret, &digest, value), &entrants, &void, self.prizes);
            if won != self.winners {
                wrong.push(DrawFault::Winners(won));
            }
        }
        wrong
    }
}
