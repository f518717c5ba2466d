//! The audit log: who did what, from where, and what it was before.
//!
//! An entry is written in the very transaction of the change it tells of, so there is never one without the other. Entries
//! are append-only below the application, and each carries a digest over itself and its predecessor's digest: a row that
//! was changed, taken out or slipped in does not fit its neighbours any more, and [`verify`] names it.
//!
//! On PostgreSQL the log is several chains side by side, chosen by what an entry is about: one would make every change of the house
//! wait for every other's commit. A thing's own entries are in one chain, in order, from the last change of how many there are on.

use serde::Serialize;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use crate::clock::Timestamp;
use crate::db::{Engine, Tx};
use crate::error::{Error, Result};
use crate::hex;
use crate::identity::{Actor, ActorKind};
use crate::{fetch_all, fetch_one, fetch_optional, write_one};

/// One page of the log: the condition by which an index finds it, then what else it must be.
macro_rules! page_by {
    ($condition:literal) => {
        concat!(
            "SELECT chain, number, at, actor_kind, actor_id, actor_name, address, action, about_kind, about_id, before, after, digest
            FROM audit WHERE ", $condition, " AND at >= $1 AND at < $2 AND (at, chain, number) < ($3, $4, $5)
                AND (actor_kind = $6 OR $6 IS NULL) AND (actor_id = $7 OR $7 IS NULL) AND (action = $8 OR $8 IS NULL)
                AND (about_kind = $9 OR $9 IS NULL) AND (about_id = $10 OR $10 IS NULL)
            ORDER BY at DESC, chain DESC, number DESC LIMIT $11"
        )
    };
}

crate::statements! {
    /// Takes the next number of a chain; the row stays locked until the transaction ends. The digest is still the last entry's.
    NEXT_AUDIT_NUMBER = "UPDATE audit_chain SET number = number + 1 WHERE chain = $1 RETURNING number, digest";
    /// Writes an entry; a trigger makes it the head of its chain.
    INSERT_AUDIT = "INSERT INTO audit (chain, number, at, actor_kind, actor_id, actor_name, address, action, about_kind, about_id, before, after, digest)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)";
    AUDIT_HEAD = "SELECT chain, number, digest FROM audit_chain WHERE chain = $1";
    AUDIT_RUN = "SELECT chain, number, at, actor_kind, actor_id, actor_name, address, action, about_kind, about_id, before, after, digest
        FROM audit WHERE chain = $1 AND number > $2 ORDER BY number LIMIT $3";
    /// Entries of chains there are not.
    STRAY_AUDIT = "SELECT chain, number FROM audit WHERE chain < 0 OR chain >= $1 ORDER BY chain, number";
    AUDIT_BY_TIME = page_by!("1 = 1");
    AUDIT_BY_ACTOR = page_by!("actor_id = $7");
    AUDIT_BY_ACTION = page_by!("action = $8");
    AUDIT_BY_THING = page_by!("about_kind = $9 AND about_id = $10");
}

/// How many chains there are; the migrations make as many rows. More than a database has connections, so that two writers seldom meet.
const CHAINS: i64 = 64;

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

/// Where a chain ends.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Head {
    /// Which chain.
    pub chain: i64,
    /// How many entries it has.
    pub number: i64,
    /// The digest of the last one.
    pub digest: String,
}

/// Writes an entry, in the caller's transaction. Write it last: on PostgreSQL the chain stays locked from here to the commit.
///
/// # Errors
/// The database cannot be written.
pub async fn record(tx: &mut Tx, entry: Entry<'_>, now: Timestamp) -> Result<()> {
    let chain = chain_of(tx.engine(), entry.about, &entry.id);
    let head = ("audit.head", chain);
    let (number, last_digest) = match tx.recall(head) {
        Some((number, digest)) => (number + 1, digest),
        None => fetch_one!(tx, (i64, String), NEXT_AUDIT_NUMBER, chain)?,
    };
    let mut stored = Stored {
        chain,
        number,
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
    stored.digest = digest(&last_digest, &stored);
    tx.remember(head, (number, stored.digest.clone()));
    write_one!(
        tx,
        INSERT_AUDIT,
        stored.chain,
        stored.number,
        stored.at,
        &stored.actor_kind,
        stored.actor_id,
        &stored.actor_name,
        &stored.address,
        &stored.action,
        &stored.about_kind,
        &stored.about_id,
        &stored.before,
        &stored.after,
        &stored.digest,
    )
}

/// What differs between two states of a thing: the parts that changed, as they were and as they are.
///
/// # Errors
/// `internal`: a state is not plain data.
pub fn difference(before: &impl Serialize, after: &impl Serialize) -> Result<(Option<Value>, Option<Value>)> {
    let (mut before, mut after) = (plain(before)?, plain(after)?);
    if let (Value::Object(before), Value::Object(after)) = (&mut before, &mut after) {
        let same: Vec<String> =
            before.iter().filter(|(name, value)| after.get(*name) == Some(value)).map(|(name, _)| name.clone()).collect();
        for name in same {
            before.remove(&name);
            after.remove(&name);
        }
    }
    Ok((Some(before), Some(after)))
}

fn plain(state: &impl Serialize) -> Result<Value> {
    serde_json::to_value(state).map_err(Error::internal)
}

/// Which entries are asked for. What is nothing is not asked.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// What kind of somebody did it.
    pub actor_kind: Option<ActorKind>,
    /// Whose account did it.
    pub actor: Option<Uuid>,
    /// What was done.
    pub action: Option<String>,
    /// The kind of thing it was done to.
    pub about_kind: Option<String>,
    /// Which one.
    pub about_id: Option<String>,
    /// From when on.
    pub from: Option<Timestamp>,
    /// Until before when.
    pub until: Option<Timestamp>,
}

/// A place in the list of entries: the moment, chain and number of the last one seen.
pub type Place = (Timestamp, i64, i64);

/// Entries, the newest first, from behind a place on.
///
/// # Errors
/// The database cannot be read.
pub async fn entries(tx: &mut Tx, filter: &Filter, behind: Option<Place>, size: i64) -> Result<Vec<Stored>> {
    let statement = match filter {
        Filter { about_kind: Some(_), about_id: Some(_), .. } => AUDIT_BY_THING,
        Filter { actor: Some(_), .. } => AUDIT_BY_ACTOR,
        Filter { action: Some(_), .. } => AUDIT_BY_ACTION,
        _ => AUDIT_BY_TIME,
    };
    let (from, until) = (filter.from.unwrap_or(Timestamp(i64::MIN)), filter.until.unwrap_or(Timestamp(i64::MAX)));
    let (at, chain, number) = behind.unwrap_or((Timestamp(i64::MAX), i64::MAX, i64::MAX));
    fetch_all!(
        tx,
        Stored,
        statement,
        from,
        until,
        at,
        chain,
        number,
        filter.actor_kind,
        filter.actor,
        filter.action.as_deref(),
        filter.about_kind.as_deref(),
        filter.about_id.as_deref(),
        size,
    )
}

/// What [`verify`] found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// How many entries were read.
    pub entries: u64,
    /// Where each chain ends. Kept elsewhere, they prove later that nobody wrote the log anew.
    pub heads: Vec<Head>,
    /// Where the log does not hold, one line each, naming chain and number; empty when it is sound.
    pub faults: Vec<String>,
}

/// Reads the whole log and proves that no entry was changed, taken out or slipped in. Entries may be written meanwhile.
///
/// # Errors
/// The database cannot be read.
pub async fn verify(tx: &mut Tx) -> Result<Verified> {
    let mut verified = Verified::default();
    for chain in 0..CHAINS {
        verify_chain(tx, chain, &mut verified).await?;
    }
    for (chain, number) in fetch_all!(tx, (i64, i64), STRAY_AUDIT, CHAINS)? {
        verified.faults.push(format!("chain {chain}, entry {number}: there is no such chain"));
    }
    Ok(verified)
}

/// Follows one chain from its first entry to its head. After a fault it goes on from what is stored, so that every fault is named once.
async fn verify_chain(tx: &mut Tx, chain: i64, verified: &mut Verified) -> Result<()> {
    let mut last = Head { chain, number: 0, digest: String::new() };
    let mut behind = i64::MIN;
    loop {
        let run = fetch_all!(tx, Stored, AUDIT_RUN, chain, behind, RUN)?;
        if !run.is_empty() {
            for entry in run {
                verified.entries += 1;
                verified.faults.extend(fault_of(&last, &entry));
                behind = entry.number;
                if entry.number > 0 {
                    last = Head { chain, number: entry.number, digest: entry.digest };
                }
            }
            continue;
        }
        // The head is read after the entries: it may be ahead of them, and then its entries can be read by now.
        let Some(head) = fetch_optional!(tx, Head, AUDIT_HEAD, chain)? else {
            verified.faults.push(format!("chain {chain}: its head is missing"));
            return Ok(());
        };
        if head == last {
            verified.heads.push(head);
            return Ok(());
        }
        if head.number <= last.number || fetch_all!(tx, Stored, AUDIT_RUN, chain, behind, 1_i64)?.is_empty() {
            let (end, due) = (last.number, head.number);
            verified.faults.push(if end == due {
                format!("chain {chain}: its last entry is not what was written")
            } else {
                format!("chain {chain}: it ends at {end} and should end at {due}")
            });
            return Ok(());
        }
    }
}

/// What is wrong with an entry after its predecessor, if anything is.
fn fault_of(last: &Head, entry: &Stored) -> Option<String> {
    let (chain, number) = (entry.chain, entry.number);
    if number < 1 {
        return Some(format!("chain {chain}, entry {number}: there is no such number"));
    }
    if number != last.number + 1 {
        return Some(match (last.number + 1, number - 1) {
            (first, end) if first == end => format!("chain {chain}, entry {first}: it is missing"),
            (first, end) => format!("chain {chain}, entries {first} to {end}: they are missing"),
        });
    }
    (entry.digest != digest(&last.digest, entry)).then(|| format!("chain {chain}, entry {number}: it is not what was written"))
}

/// The chain an entry goes to. Where there is one writer nobody waits for another, and one chain keeps entries in the order of their
/// writing; where there are several, everything that is done to one thing is in one chain.
fn chain_of(engine: Engine, about: &str, id: &str) -> i64 {
    if engine == Engine::Sqlite {
        return 0;
    }
    let digest = Sha256::new().chain_update(about).chain_update([0]).chain_update(id).finalize();
    i64::from(digest[0]) % CHAINS
}

/// The digest an entry must carry after its predecessor's (of a chain's first entry: after nothing), SHA-256 in hexadecimal. Each part
/// is preceded by its length, so that no two entries read alike.
#[must_use]
pub fn digest(previous: &str, entry: &Stored) -> String {
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
    hex::encode(hash.finalize())
}
