//! The audit log: who did what, from where, and what changed.
//!
//! An entry is written in the transaction of the change it describes. Entries are append-only in the database, and
//! each carries a digest over itself and its predecessor's digest, so [`verify`] finds every row that was changed,
//! removed or inserted. [`verify_new`] reads only what has come since the last verification.
//!
//! On PostgreSQL the log consists of several chains, chosen by the subject of an entry: with a single chain every
//! change would wait for every other's commit. All entries of one subject are in one chain, in order, since the number
//! of chains last changed. They are written at the end of their transaction, which locks its chains in their order: so
//! chains are locked briefly, and two transactions never wait for each other's.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use crate::BoxFuture;
use crate::clock::Timestamp;
use crate::db::{Db, Engine, Tx};
use crate::error::{Error, Result};
use crate::hex;
use crate::identity::{Actor, AuditActorKind};
use crate::keyset::KeysetPage;
use crate::{execute, fetch_all, fetch_one, fetch_optional, write_one};

/// One page of the log: the condition that selects the index, then the other filters.
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
    /// Takes the next number of a chain and locks its row until the transaction ends. The digest is still the last
    /// entry's.
    NEXT_AUDIT_NUMBER = "UPDATE audit_chain SET number = number + 1 WHERE chain = $1 RETURNING number, digest";
    /// A trigger makes the entry the head of its chain.
    INSERT_AUDIT = "INSERT INTO audit (chain, number, at, actor_kind, actor_id, actor_name, address, action, about_kind, about_id, before, after, digest)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)";
    AUDIT_HEAD = "SELECT chain, number, digest FROM audit_chain WHERE chain = $1";
    AUDIT_RUN = "SELECT chain, number, at, actor_kind, actor_id, actor_name, address, action, about_kind, about_id, before, after, digest
        FROM audit WHERE chain = $1 AND number > $2 ORDER BY number LIMIT $3";
    AUDIT_CHECKPOINTS = "SELECT chain, number, digest FROM audit_checkpoint";
    SAVE_AUDIT_CHECKPOINT = "INSERT INTO audit_checkpoint (chain, number, digest) VALUES ($1, $2, $3)
        ON CONFLICT (chain) DO UPDATE SET number = excluded.number, digest = excluded.digest
        WHERE audit_checkpoint.number <= excluded.number";
    /// Entries in chains that do not exist.
    STRAY_AUDIT = "SELECT chain, number FROM audit WHERE chain < 0 OR chain >= $1 ORDER BY chain, number";
    AUDIT_BY_TIME = page_by!("1 = 1");
    AUDIT_BY_ACTOR = page_by!("actor_id = $7");
    AUDIT_BY_ACTION = page_by!("action = $8");
    AUDIT_BY_THING = page_by!("about_kind = $9 AND about_id = $10");
}

/// Number of chains; the migrations create as many rows. There are more than database connections, so that two writers
/// seldom meet.
const CHAINS: i64 = 64;

/// How many entries [`verify`] reads at a time.
const RUN: i64 = 1_000;

#[derive(Clone, Debug)]
pub struct NewAuditEntry<'a> {
    pub by: &'a Actor,
    /// What was done: `pair.changed`, `claim.payout_sent`. Its title is the text `audit.ACTION`.
    pub action: &'a str,
    /// The kind of subject: `pair`, `claim`, `staff`.
    pub about: &'static str,
    /// The subject's identifier, as in the console's addresses.
    pub id: String,
    /// The changed parts before. Never a secret, a password or a full requisite.
    pub before: Option<Value>,
    /// The changed parts after.
    pub after: Option<Value>,
}

#[derive(Clone, Debug, sqlx::FromRow)]
pub struct AuditEntry {
    pub chain: i64,
    /// Its position in the chain, from 1 without gaps.
    pub number: i64,
    pub at: Timestamp,
    /// The name of an [`AuditActorKind`]. A damaged one has to be readable.
    pub actor_kind: String,
    /// The account, if there is one.
    pub actor_id: Option<Uuid>,
    /// A staff member's name, or the name of a job.
    pub actor_name: String,
    /// The network address of the request.
    pub address: Option<String>,
    pub action: String,
    /// The kind of subject.
    pub about_kind: String,
    /// The subject's identifier.
    pub about_id: String,
    /// JSON.
    pub before: Option<String>,
    /// JSON.
    pub after: Option<String>,
    /// SHA-256 over the predecessor's digest and everything above, in hexadecimal.
    pub digest: String,
}

impl AuditEntry {
    /// Makes it the entry with this number, after its predecessor's digest.
    fn follow(&mut self, number: i64, last_digest: &str) {
        self.number = number;
        self.digest = digest(last_digest, self);
    }
}

/// The last entry of a chain.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct ChainHead {
    pub chain: i64,
    /// Number of entries.
    pub number: i64,
    pub digest: String,
}

/// Writes an entry in the caller's transaction.
// Boxed as `Db::read`.
#[inline(never)]
pub fn record<'t>(tx: &'t mut Tx, entry: NewAuditEntry<'t>, now: Timestamp) -> BoxFuture<'t, Result<()>> {
    Box::pin(async move {
        let mut entry = AuditEntry {
            chain: chain_of(tx.engine(), entry.about, &entry.id),
            number: 0,
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
        if tx.engine() == Engine::Postgres {
            tx.defer_audit(entry);
            return Ok(());
        }
        let head = ("audit.head", entry.chain);
        let (number, last_digest) = match tx.cached(head) {
            Some((number, digest)) => (number + 1, digest),
            None => fetch_one!(tx, (i64, String), NEXT_AUDIT_NUMBER, entry.chain)?,
        };
        entry.follow(number, &last_digest);
        tx.cache(head, (number, entry.digest.clone()));
        insert(tx, &entry).await
    })
}

/// Writes the entries of a transaction at its end: PostgreSQL only.
pub(crate) async fn write_deferred(tx: &mut Tx, mut entries: Vec<AuditEntry>) -> Result<()> {
    if entries.is_empty() {
        return Ok(());
    }
    let mut counts = BTreeMap::new();
    for entry in &entries {
        *counts.entry(entry.chain).or_insert(0) += 1;
    }
    let (chains, counts): (Vec<i64>, Vec<i64>) = counts.into_iter().unzip();
    let heads = tx.lock_audit_heads(&chains, &counts).await?;
    let mut heads: HashMap<i64, (i64, String)> = heads.into_iter().map(|head| (head.chain, (head.number, head.digest))).collect();
    let mut batch = Tx::collecting();
    for entry in &mut entries {
        let head = heads.get_mut(&entry.chain).ok_or_else(|| Error::internal("the audit log lacks a chain"))?;
        entry.follow(head.0 + 1, &head.1);
        *head = (entry.number, entry.digest.clone());
        insert(&mut batch, entry).await?;
    }
    tx.write_set(batch).await
}

async fn insert(tx: &mut Tx, entry: &AuditEntry) -> Result<()> {
    write_one!(
        tx,
        INSERT_AUDIT,
        entry.chain,
        entry.number,
        entry.at,
        &entry.actor_kind,
        entry.actor_id,
        &entry.actor_name,
        &entry.address,
        &entry.action,
        &entry.about_kind,
        &entry.about_id,
        &entry.before,
        &entry.after,
        &entry.digest,
    )
}

/// The parts that differ between two states, before and after.
///
/// # Errors
/// `internal` if a state is not plain data.
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

/// Which entries to list; `None` matches all.
#[derive(Clone, Debug, Default)]
pub struct AuditFilter {
    pub actor_kind: Option<AuditActorKind>,
    /// The actor's account.
    pub actor: Option<Uuid>,
    pub action: Option<String>,
    /// The kind of subject.
    pub about_kind: Option<String>,
    /// The subject's identifier.
    pub about_id: Option<String>,
    /// At this time or later.
    pub from: Option<Timestamp>,
    /// Before this time.
    pub until: Option<Timestamp>,
}

/// A position in the list of entries: time, chain and number of the last entry seen.
pub type AuditPosition = (Timestamp, i64, i64);

/// A page of entries, newest first.
pub async fn entries(
    tx: &mut Tx,
    filter: &AuditFilter,
    behind: Option<AuditPosition>,
    size: usize,
) -> Result<KeysetPage<AuditEntry, AuditPosition>> {
    let statement = match filter {
        AuditFilter { about_kind: Some(_), about_id: Some(_), .. } => AUDIT_BY_THING,
        AuditFilter { actor: Some(_), .. } => AUDIT_BY_ACTOR,
        AuditFilter { action: Some(_), .. } => AUDIT_BY_ACTION,
        _ => AUDIT_BY_TIME,
    };
    let (from, until) = (filter.from.unwrap_or(Timestamp(i64::MIN)), filter.until.unwrap_or(Timestamp(i64::MAX)));
    let (at, chain, number) = behind.unwrap_or((Timestamp(i64::MAX), i64::MAX, i64::MAX));
    let rows = fetch_all!(
        tx,
        AuditEntry,
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
        size as i64 + 1,
    )?;
    Ok(KeysetPage::of(rows, size, |entry| (entry.at, entry.chain, entry.number)))
}

/// The result of [`verify`] or [`verify_new`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChainVerification {
    /// Number of entries read.
    pub entries: u64,
    /// The head of each chain. Stored elsewhere, they prove later that the log was not rewritten.
    pub heads: Vec<ChainHead>,
    /// What is wrong, one line each with chain and number; empty for a valid log.
    pub faults: Vec<String>,
}

/// Reads the whole log and finds every entry that was changed, removed or inserted. Entries may be written meanwhile.
/// It reads in pieces and holds nobody up.
pub async fn verify(db: &Db) -> Result<ChainVerification> {
    verify_from(db, |chain, _| ChainHead { chain, number: 0, digest: String::new() }).await
}

/// As [`verify`], for the entries since the last verification that found nothing wrong.
pub async fn verify_new(db: &Db) -> Result<ChainVerification> {
    verify_from(db, |_, checkpoint| checkpoint.clone()).await
}

async fn verify_from(db: &Db, start: impl Fn(i64, &ChainHead) -> ChainHead) -> Result<ChainVerification> {
    let checkpoints = fetch_all!(&mut db.read().await?, ChainHead, AUDIT_CHECKPOINTS)?;
    let mut verified = ChainVerification::default();
    for chain in 0..CHAINS {
        let checkpoint = checkpoints.iter().find(|head| head.chain == chain).cloned();
        let checkpoint = checkpoint.unwrap_or(ChainHead { chain, number: 0, digest: String::new() });
        verify_chain(db, start(chain, &checkpoint), &checkpoint, &mut verified).await?;
    }
    for (chain, number) in fetch_all!(&mut db.read().await?, (i64, i64), STRAY_AUDIT, CHAINS)? {
        verified.faults.push(format!("chain {chain}, entry {number}: there is no such chain"));
    }
    if verified.faults.is_empty() {
        save_checkpoints(db, verified.heads.iter().filter(|head| !checkpoints.contains(head)).cloned().collect()).await?;
    }
    Ok(verified)
}

async fn save_checkpoints(db: &Db, heads: Vec<ChainHead>) -> Result<()> {
    if heads.is_empty() {
        return Ok(());
    }
    let heads = Arc::new(heads);
    let write = db.write(move |tx| {
        let heads = heads.clone();
        Box::pin(async move {
            for head in &*heads {
                execute!(tx, SAVE_AUDIT_CHECKPOINT, head.chain, head.number, &head.digest)?;
            }
            Ok(())
        })
    });
    write.await
}

/// Verifies one chain from an entry to its head. After a fault it continues from what is there, so that every fault is
/// named once.
async fn verify_chain(db: &Db, start: ChainHead, checkpoint: &ChainHead, verified: &mut ChainVerification) -> Result<()> {
    let chain = start.chain;
    let mut behind = if start.number == 0 { i64::MIN } else { start.number };
    let mut last = start;
    loop {
        let run = fetch_all!(&mut db.read_at_length().await?, AuditEntry, AUDIT_RUN, chain, behind, RUN)?;
        if !run.is_empty() {
            for entry in run {
                verified.entries += 1;
                verified.faults.extend(fault_of(&last, &entry).or_else(|| rewrite_of(checkpoint, &entry)));
                behind = entry.number;
                if entry.number > 0 {
                    last = ChainHead { chain, number: entry.number, digest: entry.digest };
                }
            }
            continue;
        }
        let mut tx = db.read().await?;
        // Read after the entries: the head may be ahead of them, and then its entries can be read by now.
        let Some(head) = fetch_optional!(&mut tx, ChainHead, AUDIT_HEAD, chain)? else {
            verified.faults.push(format!("chain {chain}: its head is missing"));
            return Ok(());
        };
        if head == last {
            if head.number < checkpoint.number {
                let (end, due) = (head.number, checkpoint.number);
                verified.faults.push(format!("chain {chain}: it ends at {end} and was verified up to {due} before"));
            }
            verified.heads.push(head);
            return Ok(());
        }
        if head.number <= last.number || fetch_all!(&mut tx, AuditEntry, AUDIT_RUN, chain, behind, 1_i64)?.is_empty() {
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

/// What is wrong with an entry that fits its predecessor: the chain was written again since it was verified.
fn rewrite_of(checkpoint: &ChainHead, entry: &AuditEntry) -> Option<String> {
    let ChainHead { chain, number, digest } = checkpoint;
    (entry.number == *number && entry.digest != *digest)
        .then(|| format!("chain {chain}, entry {number}: it is not what was verified before"))
}

/// What is wrong with an entry after its predecessor.
fn fault_of(last: &ChainHead, entry: &AuditEntry) -> Option<String> {
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

/// The chain of an entry. SQLite has one writer and one chain with all entries in order; on PostgreSQL all entries of
/// a subject are in one chain.
fn chain_of(engine: Engine, about: &str, id: &str) -> i64 {
    if engine == Engine::Sqlite {
        return 0;
    }
    let digest = Sha256::new().chain_update(about).chain_update([0]).chain_update(id).finalize();
    i64::from(digest[0]) % CHAINS
}

/// The digest of an entry after its predecessor's digest (empty for the first entry), SHA-256 in hexadecimal. Each
/// part is preceded by its length, so that no two entries read alike.
#[must_use]
pub fn digest(previous: &str, entry: &AuditEntry) -> String {
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
