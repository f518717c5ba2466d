//! What is seen of contests.

use agio_core::texts::Locale;
use agio_core::{Error, Result, Tx};
use uuid::Uuid;

use super::{Contests, not_found};
use crate::SHOWN;
use crate::model::State;
use crate::model::published::{FORMAT, Published};
use crate::store::{self, Entry, Prize, Row, Winner};

/// How many of those who lead are shown.
const LEADING: i64 = 20;

/// Somebody who takes part.
#[derive(Clone, Debug)]
pub struct Standing {
    /// Their name as the public sees it.
    pub name: String,
    /// How many exchanges they entered with.
    pub entries: i64,
    /// How many tickets these are.
    pub tickets: i64,
}

/// A contest with its prizes and who takes part.
#[derive(Clone, Debug)]
pub struct Seen {
    /// The contest.
    pub row: Row,
    /// Its prizes.
    pub prizes: Vec<Prize>,
    /// Its winners, once there are some.
    pub winners: Vec<Winner>,
    /// How many entries, people and tickets there are, void ones left out.
    pub totals: (i64, i64, i64),
    /// Those with most tickets.
    pub standing: Vec<Standing>,
}

impl Contests {
    /// Whether contests are shown at all.
    #[must_use]
    pub fn are_shown(&self) -> bool {
        self.platform.settings.is_on(SHOWN)
    }

    /// The newest contests, so many.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn newest(&self, size: i64) -> Result<Vec<Seen>> {
        let mut tx = self.platform.db.read().await?;
        let mut seen = Vec::new();
        for row in store::newest(&mut tx, size).await? {
            seen.push(whole(&mut tx, row).await?);
        }
        Ok(seen)
    }

    /// A contest.
    ///
    /// # Errors
    /// 404 `contest_not_found`.
    pub async fn one(&self, id: Uuid) -> Result<Seen> {
        let mut tx = self.platform.db.read().await?;
        let row = store::one(&mut tx, id).await?.ok_or_else(not_found)?;
        whole(&mut tx, row).await
    }

    /// A page of entries by the numbers of their claims, void ones included; staff alone see whose they are.
    ///
    /// # Errors
    /// 404 `contest_not_found`.
    pub async fn entries(&self, id: Uuid, after: i64, size: i64) -> Result<Vec<Entry>> {
        let mut tx = self.platform.db.read().await?;
        store::one(&mut tx, id).await?.ok_or_else(not_found)?;
        store::entries(&mut tx, id, after, size).await
    }

    /// The file by which a draw is checked; of a contest whose list is fixed.
    ///
    /// # Errors
    /// 404 `contest_not_found`, also while contests are not shown; 409 `contest_not_closed`.
    pub async fn published(&self, id: Uuid, locale: Locale) -> Result<Published> {
        let mut tx = self.platform.db.read().await?;
        let row = store::one(&mut tx, id).await?.filter(|_| self.are_shown()).ok_or_else(not_found)?;
        let (Some(entrants), Some(digest)) = (row.entrants, row.entrants_digest) else {
            return Err(if row.state == State::Cancelled { not_found() } else { Error::conflict("contest_not_closed") });
        };
        let listed: Vec<String> = entrants.lines().map(str::to_owned).collect();
        let void = store::void_numbers(&mut tx, id).await?;
        let winners = store::winners(&mut tx, id).await?;
        Ok(Published {
            format: FORMAT.to_owned(),
            contest: id.to_string(),
            commitment: row.commitment,
            entrants_sha256: digest,
            public_source: if locale == Locale::Ru { row.source_ru } else { row.source_en },
            public_at: row.public_at.to_string(),
            prizes: store::prizes(&mut tx, id).await?.len(),
            // Entries that were void before the list was fixed are not in it.
            void: void.into_iter().filter(|number| has(&listed, *number)).collect(),
            entrants: listed,
            secret: row.revealed,
            public_value: row.public_value,
            public_reference: row.public_reference,
            winners: winners.into_iter().map(|winner| winner.claim_number).collect(),
        })
    }
}

/// A contest with everything about it.
async fn whole(tx: &mut Tx, row: Row) -> Result<Seen> {
    let winners = store::winners(tx, row.id).await?;
    let totals = store::totals(tx, row.id).await?;
    let leading = if row.state.is_drawn() { Vec::new() } else { store::standing(tx, row.id, LEADING).await? };
    let standing = leading.into_iter().map(|(name, entries, tickets)| Standing { name, entries, tickets }).collect();
    Ok(Seen { prizes: store::prizes(tx, row.id).await?, row, winners, totals, standing })
}

/// Whether a list has an entry.
fn has(lines: &[String], number: i64) -> bool {
    let beginning = format!("{{\"entry\":{number},");
    lines.iter().any(|line| line.starts_with(&beginning))
}
