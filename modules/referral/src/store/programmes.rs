//! Programmes and the versions of their terms.

use agio_core::{Error, Result, Timestamp, Tx, execute, fetch_all, fetch_optional, write_one};
use uuid::Uuid;

use crate::model::{Kind, Terms};

agio_core::statements! {
    REFERRAL_PROGRAMMES = "SELECT programme.id, programme.name, programme.is_default, programme.revision, terms.kind, terms.tiers,
            terms.accrual_min, terms.hold_hours, terms.withdrawal_min, terms.changed_at, terms.changed_name,
            (SELECT COUNT(*) FROM referral_referrer referrer WHERE referrer.programme_id = programme.id) AS referrers
        FROM referral_programme programme
        JOIN referral_terms terms ON terms.programme_id = programme.id AND terms.revision = programme.revision
        ORDER BY programme.is_default DESC, programme.name";
    REFERRAL_PROGRAMME = "SELECT programme.id, programme.name, programme.is_default, programme.revision, terms.kind, terms.tiers,
            terms.accrual_min, terms.hold_hours, terms.withdrawal_min, terms.changed_at, terms.changed_name,
            (SELECT COUNT(*) FROM referral_referrer referrer WHERE referrer.programme_id = programme.id) AS referrers
        FROM referral_programme programme
        JOIN referral_terms terms ON terms.programme_id = programme.id AND terms.revision = programme.revision
        WHERE programme.id = $1";
    /// The programme of a referrer: their own, or the one that holds for all others.
    REFERRAL_PROGRAMME_OF = "SELECT programme.id, programme.name, programme.is_default, programme.revision, terms.kind, terms.tiers,
            terms.accrual_min, terms.hold_hours, terms.withdrawal_min, terms.changed_at, terms.changed_name, CAST(0 AS BIGINT) AS referrers
        FROM referral_programme programme
        JOIN referral_terms terms ON terms.programme_id = programme.id AND terms.revision = programme.revision
        WHERE programme.id = $1 OR programme.is_default ORDER BY programme.is_default LIMIT 1";
    INSERT_REFERRAL_PROGRAMME = "INSERT INTO referral_programme (id, name, is_default, revision) VALUES ($1, $2, FALSE, 1)
        ON CONFLICT (name) DO NOTHING";
    CHANGE_REFERRAL_PROGRAMME = "UPDATE referral_programme SET name = $3, revision = revision + 1 WHERE id = $1 AND revision = $2";
    REFERRAL_PROGRAMME_NAMED = "SELECT id FROM referral_programme WHERE name = $1";
    INSERT_REFERRAL_TERMS = "INSERT INTO referral_terms
        (programme_id, revision, kind, tiers, accrual_min, hold_hours, withdrawal_min, changed_at, changed_by, changed_name)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
}

#[derive(sqlx::FromRow)]
struct Row {
    id: Uuid,
    name: String,
    is_default: bool,
    revision: i64,
    kind: Kind,
    tiers: String,
    accrual_min: String,
    hold_hours: i64,
    withdrawal_min: String,
    changed_at: Timestamp,
    changed_name: Option<String>,
    referrers: i64,
}

/// A programme with the terms that hold.
#[derive(Clone, Debug)]
pub struct Programme {
    /// Identifier.
    pub id: Uuid,
    /// The name staff know it by.
    pub name: String,
    /// Whether it holds for all who have none of their own.
    pub is_default: bool,
    /// The version of the terms.
    pub revision: i64,
    /// The terms.
    pub terms: Terms,
    /// Since when they hold.
    pub changed_at: Timestamp,
    /// Who set them; nothing for those the house came with.
    pub changed_name: Option<String>,
    /// How many referrers have it as their own.
    pub referrers: i64,
}

impl Programme {
    fn of(row: Row) -> Result<Self> {
        let terms = Terms {
            kind: row.kind,
            tiers: serde_json::from_str(&row.tiers).map_err(Error::internal)?,
            accrual_min: row.accrual_min.parse().map_err(Error::internal)?,
            hold_hours: row.hold_hours,
            withdrawal_min: row.withdrawal_min.parse().map_err(Error::internal)?,
        };
        let Row { id, name, is_default, revision, changed_at, changed_name, referrers, .. } = row;
        Ok(Self { id, name, is_default, revision, terms, changed_at, changed_name, referrers })
    }
}

/// Every programme, the common one first.
pub async fn all(tx: &mut Tx) -> Result<Vec<Programme>> {
    fetch_all!(tx, Row, REFERRAL_PROGRAMMES)?.into_iter().map(Programme::of).collect()
}

/// A programme.
pub async fn one(tx: &mut Tx, id: Uuid) -> Result<Option<Programme>> {
    fetch_optional!(tx, Row, REFERRAL_PROGRAMME, id)?.map(Programme::of).transpose()
}

/// The programme that holds for a referrer whose own is this.
pub async fn holding(tx: &mut Tx, own: Option<Uuid>) -> Result<Programme> {
    let found = fetch_optional!(tx, Row, REFERRAL_PROGRAMME_OF, own)?;
    Programme::of(found.ok_or_else(|| Error::internal("there is no common programme"))?)
}

/// Which programme has a name.
pub async fn named(tx: &mut Tx, name: &str) -> Result<Option<Uuid>> {
    Ok(fetch_optional!(tx, (Uuid,), REFERRAL_PROGRAMME_NAMED, name)?.map(|(id,)| id))
}

/// Stores a new programme; false where the name is taken.
pub async fn insert(tx: &mut Tx, id: Uuid, name: &str) -> Result<bool> {
    Ok(execute!(tx, INSERT_REFERRAL_PROGRAMME, id, name)? == 1)
}

/// Makes a programme ready for its next version; false where somebody else changed it.
pub async fn change(tx: &mut Tx, id: Uuid, revision: i64, name: &str) -> Result<bool> {
    Ok(execute!(tx, CHANGE_REFERRAL_PROGRAMME, id, revision, name)? == 1)
}

/// Stores a version of the terms.
pub async fn insert_terms(tx: &mut Tx, id: Uuid, revision: i64, terms: &Terms, by: (Uuid, &str), now: Timestamp) -> Result<()> {
    let tiers = serde_json::to_string(&terms.tiers).map_err(Error::internal)?;
    let plain = agio_core::money::plain;
    write_one!(
        tx,
        INSERT_REFERRAL_TERMS,
        id,
        revision,
        terms.kind,
        tiers,
        plain(terms.accrual_min),
        terms.hold_hours,
        plain(terms.withdrawal_min),
        now,
        by.0,
        by.1,
    )
}
