//! Queries.

use agio_core::keyset::KeysetPage;
use agio_core::texts::Locale;
use agio_core::{Error, Result, Tx};
use uuid::Uuid;

use super::{Contests, not_found};
use crate::SITE_CONTEST;
use crate::model::ContestState;
use crate::model::published_draw::{FORMAT, PublishedDraw};
use crate::store::{self, ContestRow, EntryRow, ParticipantRow, PrizeRow, WinnerRow};

const LEADING: i64 = 20;

#[derive(Clone, Debug)]
pub struct ContestSnapshot {
    pub row: ContestRow,
    pub prizes: Vec<PrizeRow>,
    pub winners: Vec<WinnerRow>,
    pub totals: (i64, i64, i64),
    pub ranking: Vec<ParticipantRow>,
}

impl Contests {
    pub fn are_shown(&self) -> bool {
        self.platform.settings.is_on(SITE_CONTEST)
    }

    pub async fn newest(&self, size: i64) -> Result<Vec<ContestSnapshot>> {
        let mut tx = self.platform.db.read().await?;
        let mut contests = Vec::new();
        for row in store::newest(&mut tx, size).await? {
            contests.push(load_snapshot(&mut tx, row).await?);
        }
        Ok(contests)
    }

    /// A contest.
    ///
    /// # Errors
    /// 404 `contest_not_found`.
    pub async fn one(&self, id: Uuid) -> Result<ContestSnapshot> {
        let mut tx = self.platform.db.read().await?;
        let row = store::one(&mut tx, id).await?.ok_or_else(not_found)?;
        load_snapshot(&mut tx, row).await
    }

    /// By claim number, including void entries. For staff only.
    ///
    /// # Errors
    /// 404 `contest_not_found`.
    pub async fn entries(&self, id: Uuid, after: i64, size: u32) -> Result<KeysetPage<EntryRow, i64>> {
        let mut tx = self.platform.db.read().await?;
        store::one(&mut tx, id).await?.ok_or_else(not_found)?;
        let rows = store::entries(&mut tx, id, after, i64::from(size) + 1).await?;
        Ok(KeysetPage::of(rows, size as usize, |row| row.claim_number))
    }

    /// The published file of a closed contest.
    ///
    /// # Errors
    /// 404 `contest_not_found`, also while contests are hidden; 409 `contest_not_closed`.
    pub async fn published(&self, id: Uuid, locale: Locale) -> Result<PublishedDraw> {
        let mut tx = self.platform.db.read().await?;
        let row = store::one(&mut tx, id).await?.filter(|_| self.are_shown()).ok_or_else(not_found)?;
        let (Some(entrants), Some(digest)) = (row.entrants, row.entrants_digest) else {
            return Err(if row.state == ContestState::Cancelled { not_found() } else { Error::conflict("contest_not_closed") });
        };
        let listed: Vec<String> = entrants.lines().map(str::to_owned).collect();
        let void = store::void_numbers(&mut tx, id).await?;
        let winners = store::winners(&mut tx, id).await?;
        Ok(PublishedDraw {
            format: FORMAT.to_owned(),
            contest: id.to_string(),
            commitment: row.commitment,
            entrants_sha256: digest,
            public_source: if locale == Locale::Ru { row.source_ru } else { row.source_en },
            public_at: row.public_at.to_string(),
            prizes: store::prizes(&mut tx, id).await?.len(),
            // Entries voided before that are not in the list.
            void: void.into_iter().filter(|number| contains_entry(&listed, *number)).collect(),
            entrants: listed,
            secret: row.revealed,
            public_value: row.public_value,
            public_reference: row.public_reference,
            winners: winners.into_iter().map(|winner| winner.claim_number).collect(),
        })
    }
}

async fn load_snapshot(tx: &mut Tx, row: ContestRow) -> Result<ContestSnapshot> {
    let winners = store::winners(tx, row.id).await?;
    let totals = store::totals(tx, row.id).await?;
    let ranking = if row.state.is_drawn() { Vec::new() } else { store::participants(tx, row.id, LEADING).await? };
    Ok(ContestSnapshot { prizes: store::prizes(tx, row.id).await?, row, winners, totals, ranking })
}

fn contains_entry(lines: &[String], number: i64) -> bool {
    let beginning = format!("{{\"entry\":{number},");
    lines.iter().any(|line| line.starts_with(&beginning))
}
