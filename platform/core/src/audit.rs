//! The audit log: who did what, from where, and what it was before.
//!
//! An entry is written in the very transaction of the change it tells of, so there is never one without the other. Entries
//! are append-only below the application, and each carries a digest over itself and its predecessor's digest: a row that
//! was changed, taken out or slipped in does not fit its neighbours any more, and [`verify`] names it.
//!
//! The log is several chains side by side, chosen by what an entry is about. One chain would make every change of the house wait for
//! every other's commit; a thing's own entries are always in one chain, in order.

use serde_json::Value;
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use crate::clock::Timestamp;
use crate::db::Tx;
use crate::error::Result;
use crate::identity::Actor;
use crate::{defer, fetch_all, fetch_one};

crate::statements! {
    /// Takes the next number of a chain; the row stays locked until the transaction ends. The digest is still the last entry's.
    NEXT_AUDIT_NUMBER = "UPDATE audit_chain SET number = number + 1 WHERE chain = $1 RETURNING number, digest";
    INSERT_AUDIT = "INSERT INTO audit (chain, number, at, actor_kind, actor_id, actor_name, address, action, about_kind, about_id, before, after, digest)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)";
    CLOSE_AUDIT_NUMBER = "UPDATE audit_chain SET digest = $2 WHERE chain = $1";
    AUDIT_CHAINS = "SELECT chain, number, digest FROM audit_chain ORDER BY chain";
    AUDIT_RUN = "SELECT chain, number, at, actor_kind, actor_id, actor_name, address, action, about_kind, about_id, before, after, digest
        FROM audit WHERE chain = $1 AND number > $2 ORDER BY number LIMIT $3";
}

/// How many chains there are; the migration makes as many rows.
const CHAINS: i64 = 16;

/// How many entries are read at a time when the log is verified.
const RUN: i64 = 1_000;

/// Something that was done, to be written down.
#[derive(Clone, Debug)]
pub struct Entry<'a> {
    /// Who did it, and from where.
    pub by: &'a Actor,
    /// What was done: `pair.changed`, `claim.payout_sent`. Its title is the text `audit.ACTION`.
    pub action: &'a str,
    /// The kind of thing it was done to: `pair`, `claim`, `staff`.
    pub about: &'static str,
    /// Which one: the identifier the console's addresses use.
    pub id: String,
    /// What it was before, as far as it changed. Never a secret, a password or a full requisite.
    pub before: Option<Value>,
    /// What it is now, as far as it changed.
    pub after: Option<Value>,
}

/// An entry as it is stored.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Stored {
    /// Which chain.
    pub chain: i64,
    /// Its place in the chain, from 1 without gaps.
    pub number: i64,
    /// When.
    pub at: Timestamp,
    /// `staff`, `customer`, `guest`, `partner` or `house`.
    pub actor_kind: String,
    /// Whose account, where there is one.
    pub actor_id: Option<Uuid>,
    /// The name colleagues see; for the house, of the job.
    pub actor_name: String,
    /// The address the call came from.
    pub address: Option<String>,
    /// What was done.
    pub action: String,
    /// The kind of thing it was done to.
    pub about_kind: String,
    /// Which one.
    pub about_id: String,
    /// What it was before, as JSON.
    pub before: Option<String>,
    /// What it is now, as JSON.
    pub after: Option<String>,
    /// SHA-256 over the predecessor's digest and everything above, in hexadecimal.
    pub digest: String,
}

#[derive(sqlx::FromRow)]
struct Head {
    number: i64,
    digest: String,
}

/// Writes an entry, in the caller's transaction. Write it last: on PostgreSQL the chain stays locked from here to the commit.
///
/// # Errors
/// The database cannot be written.
pub async fn record(tx: &mut Tx, entry: Entry<'_>, now: Timestamp) -> Result<()> {
    let chain = chain_of(entry.about, &entry.id);
    let head = fetch_one!(tx, Head, NEXT_AUDIT_NUMBER, chain)?;
    let mut stored = Stored {
        chain,
        number: head.number,
        at: now,
        actor_kind: entry.by.kind.to_string(),
        actor_id: entry.by.id,
        actor_name: entry.by.name.clone(),
        address: entry.by.address.map(|address| address.to_string()),
        action: entry.action.to_owned(),
        about_kind: entry.about.to_owned(),
        about_id: entry.id,
        before: entry.before.map(|value| value.to_string()),
        after: entry.after.map(|value| value.to_string()),
        digest: String::new(),
    };
    stored.digest = digest(&head.digest, &stored);
    defer!(
        tx, INSERT_AUDIT, stored.chain, stored.number, stored.at, &stored.actor_kind, stored.actor_id, &stored.actor_name, &stored.address,
        &stored.action, &stored.about_kind, &stored.about_id, &stored.before, &stored.after, &stored.digest,
    )?;
    defer!(tx, CLOSE_AUDIT_NUMBER, chain, &stored.digest)
}

/// What [`verify`] found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// How many entries were read.
    pub entries: u64,
    /// Where the log does not hold, one line each, naming chain and number; empty when it is sound.
    pub faults: Vec<String>,
}

/// Reads the whole log and proves that no entry was changed, taken out or slipped in.
///
/// # Errors
/// The database cannot be read.
pub async fn verify(tx: &mut Tx) -> Result<Verified> {
    let mut verified = Verified::default();
    for (chain, number, digest) in fetch_all!(tx, (i64, i64, String), AUDIT_CHAINS)? {
        verify_chain(tx, chain, &Head { number, digest }, &mut verified).await?;
    }
    Ok(verified)
}

/// Follows one chain from its first entry to its head. After a fault it goes on from what is stored, so that every fault is named once.
async fn verify_chain(tx: &mut Tx, chain: i64, head: &Head, verified: &mut Verified) -> Result<()> {
    let mut last = Head { number: 0, digest: String::new() };
    loop {
        let run = fetch_all!(tx, Stored, AUDIT_RUN, chain, last.number, RUN)?;
        if run.is_empty() {
            break;
        }
        for entry in run {
            verified.entries += 1;
            if entry.number != last.number + 1 {
                verified.faults.push(format!("chain {chain}: entries {} to {} are missing", last.number + 1, entry.number - 1));
            } else if entry.digest != digest(&last.digest, &entry) {
                verified.faults.push(format!("chain {chain}, entry {}: it is not what was written", entry.number));
            }
            last = Head { number: entry.number, digest: entry.digest };
        }
    }
    if last.number != head.number || last.digest != head.digest {
        verified.faults.push(format!("chain {chain}: it ends at {} and should end at {}", last.number, head.number));
    }
    Ok(())
}

/// The chain of everything that is done to one thing.
fn chain_of(about: &str, id: &str) -> i64 {
    let digest = Sha256::new().chain_update(about).chain_update([0]).chain_update(id).finalize();
    i64::from(digest[0]) % CHAINS
}

/// The digest of an entry after its predecessor's. Each part is preceded by its length, so that no two entries read alike.
fn digest(previous: &str, entry: &Stored) -> String {
    let mut hash = Sha256::new();
    let mut part = |bytes: Option<&[u8]>| {
        let length = bytes.map_or(u64::MAX, |bytes| bytes.len() as u64);
        hash.update(length.to_be_bytes());
        hash.update(bytes.unwrap_or_default());
    };
    part(Some(previous.as_bytes()));
    part(Some(&entry.chain.to_be_bytes()));
    part(Some(&entry.number.to_be_bytes()));
    part(Some(&entry.at.0.to_be_bytes()));
    part(Some(entry.actor_kind.as_bytes()));
    part(entry.actor_id.as_ref().map(|id| id.as_bytes().as_slice()));
    part(Some(entry.actor_name.as_bytes()));
    part(entry.address.as_deref().map(str::as_bytes));
    part(Some(entry.action.as_bytes()));
    part(Some(entry.about_kind.as_bytes()));
    part(Some(entry.about_id.as_bytes()));
    part(entry.before.as_deref().map(str::as_bytes));
    part(entry.after.as_deref().map(str::as_bytes));
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
