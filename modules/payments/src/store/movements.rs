//! Money that came.

use agio_core::needs::SeenPayment;
use agio_core::{Result, Timestamp, Tx, execute, fetch_all, fetch_one, fetch_optional};
use uuid::Uuid;

use crate::model::{Came, Screening, Trouble};

agio_core::statements! {
    /// Stores a movement as it stands now. It gives its claim when anything changed, and nothing when it was told before.
    PUT_MOVEMENT = "INSERT INTO payment_movement (currency_id, tx_id, output, address, memo, units, confirmations, gone_at, claim_id, counted,
            trouble, trouble_at, screening, created_at, updated_at, tx_key)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, FALSE, $10, $11, 'none', $12, $12, $13)
        ON CONFLICT (currency_id, tx_key, output) DO UPDATE SET confirmations = excluded.confirmations,
            gone_at = CASE WHEN excluded.gone_at IS NULL THEN NULL ELSE COALESCE(payment_movement.gone_at, excluded.gone_at) END,
            trouble = CASE WHEN excluded.gone_at IS NULL AND payment_movement.trouble = 'gone' THEN NULL ELSE payment_movement.trouble END,
            updated_at = excluded.updated_at
        WHERE payment_movement.confirmations <> excluded.confirmations
            OR (payment_movement.gone_at IS NULL) <> (excluded.gone_at IS NULL)
        RETURNING claim_id";
    MOVEMENTS_OF_CLAIM = "SELECT * FROM payment_movement WHERE claim_id = $1 ORDER BY id";
    MOVEMENT = "SELECT * FROM payment_movement WHERE id = $1";
    COUNT_MOVEMENT = "UPDATE payment_movement SET counted = TRUE, updated_at = $2 WHERE id = $1";
    STOP_FOR_MOVEMENT = "UPDATE payment_movement SET screening = 'stopped', updated_at = $2 WHERE id = $1";
    SCREEN_MOVEMENT = "UPDATE payment_movement SET screening = 'pending', screen_after = $2, updated_at = $2 WHERE id = $1 AND screening = 'none'";
    MOVEMENT_TROUBLE = "UPDATE payment_movement SET trouble = $2, trouble_at = $3, settled_by = NULL, updated_at = $3 WHERE id = $1";
    TO_SCREEN = "SELECT * FROM payment_movement WHERE screening = 'pending' AND screen_after <= $1 ORDER BY screen_after LIMIT $2";
    SCREENED = "UPDATE payment_movement SET screening = $2, report = $3, screen_after = $4, updated_at = $5 WHERE id = $1 AND screening = 'pending'";
    TROUBLED_MOVEMENTS = "SELECT * FROM payment_movement WHERE trouble IS NOT NULL AND settled_by IS NULL ORDER BY trouble_at DESC, id DESC LIMIT $1";
    TROUBLES_SINCE = "SELECT COUNT(*) FROM payment_movement WHERE trouble IS NOT NULL AND settled_by IS NULL AND trouble_at > $1";
    ATTACH_MOVEMENT = "UPDATE payment_movement SET claim_id = $2, trouble = NULL, trouble_at = NULL, updated_at = $3
        WHERE id = $1 AND claim_id IS NULL AND gone_at IS NULL";
    SETTLE_MOVEMENT = "UPDATE payment_movement SET settled_by = $2, updated_at = $3 WHERE id = $1 AND trouble IS NOT NULL AND settled_by IS NULL";
    /// What the books have of a claim's money and the network has no more: all of it, what staff were not told of, and what they did not look at.
    GONE_OF_CLAIM = "SELECT COUNT(*), COUNT(CASE WHEN trouble IS NULL THEN 1 END), COUNT(CASE WHEN settled_by IS NULL THEN 1 END)
        FROM payment_movement WHERE claim_id = $1 AND counted AND gone_at IS NOT NULL";
    /// What was seen for a claim on a network that is watched still, and is not booked, the oldest first.
    SEEN_OF_CLAIM = "SELECT movement.units, movement.created_at
        FROM payment_movement movement JOIN payment_route route ON route.currency_id = movement.currency_id
        WHERE movement.claim_id = $1 AND NOT movement.counted AND movement.gone_at IS NULL AND movement.units > 0
            AND movement.units >= route.dust
        ORDER BY movement.created_at, movement.id";
    /// The confirmations of what came for a claim, the fewest, and how many are needed.
    CONFIRMATIONS = "SELECT MIN(movement.confirmations), MAX(route.confirmations)
        FROM payment_movement movement JOIN payment_route route ON route.currency_id = movement.currency_id
        WHERE movement.claim_id = $1 AND movement.gone_at IS NULL AND movement.units >= route.dust";
}

/// Money that came.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Movement {
    /// Identifier.
    pub id: i64,
    /// The currency.
    pub currency_id: i64,
    /// The transaction.
    pub tx_id: String,
    /// Which output of it.
    pub output: i64,
    /// The address it came to.
    pub address: String,
    /// The memo it came with; empty for none.
    pub memo: String,
    /// How much, in units.
    pub units: i64,
    /// Blocks on top of it.
    pub confirmations: i64,
    /// Since when it is gone.
    pub gone_at: Option<Timestamp>,
    /// The claim it is for.
    pub claim_id: Option<Uuid>,
    /// Whether the claim's books have it.
    pub counted: bool,
    /// Why staff should look at it.
    pub trouble: Option<Trouble>,
    /// Since when.
    pub trouble_at: Option<Timestamp>,
    /// What is known of where it comes from.
    pub screening: Screening,
    /// What the service said.
    pub report: Option<String>,
    /// When it was first seen.
    pub created_at: Timestamp,
}

impl Movement {
    /// The same for the rules.
    #[must_use]
    pub fn came(&self) -> Came {
        Came {
            id: self.id,
            tx_id: self.tx_id.clone(),
            units: self.units,
            seen_at: self.created_at,
            confirmations: self.confirmations,
            gone_at: self.gone_at,
            counted: self.counted,
            screening: self.screening,
            is_told: self.trouble.is_some(),
        }
    }
}

/// How much of the money that the books have for a claim has disappeared from its network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gone {
    /// Movements in all.
    all: i64,
    /// Those staff were not told of yet.
    untold: i64,
    /// Those nobody of them has looked at.
    unsettled: i64,
}

impl Gone {
    /// Whether any is.
    #[must_use]
    pub const fn is_any(self) -> bool {
        self.all > 0
    }

    /// Whether the house knows it and has done nothing about it yet.
    #[must_use]
    pub const fn is_news(self) -> bool {
        self.untold > 0
    }

    /// Whether a member of staff still has to look at it.
    #[must_use]
    pub const fn is_open(self) -> bool {
        self.unsettled > 0
    }
}

/// What a driver told of.
#[derive(Clone, Debug)]
pub struct Told {
    /// The currency.
    pub currency: i64,
    /// The transaction.
    pub tx_id: String,
    /// What its network compares of that.
    pub tx_key: String,
    /// Which output of it.
    pub output: i64,
    /// The address.
    pub address: String,
    /// The memo; empty for none.
    pub memo: String,
    /// How much, in units.
    pub units: i64,
    /// Blocks on top of it.
    pub confirmations: i64,
    /// Whether it is gone.
    pub gone: bool,
    /// The claim the address was given to.
    pub claim: Option<Uuid>,
}

/// Stores what a driver told of. Nothing when it is known already; else the claim it is for, if it is for one.
pub async fn put(tx: &mut Tx, told: &Told, now: Timestamp) -> Result<Option<Option<Uuid>>> {
    let Told { currency, tx_id, tx_key, output, address, memo, units, confirmations, gone, claim } = told;
    let trouble = claim.is_none().then_some(Trouble::Unclaimed);
    let found = fetch_optional!(
        tx,
        (Option<Uuid>,),
        PUT_MOVEMENT,
        currency,
        tx_id,
        output,
        address,
        memo,
        units,
        confirmations,
        gone.then_some(now),
        claim,
        trouble,
        trouble.map(|_| now),
        now,
        tx_key
    )?;
    Ok(found.map(|(claim,)| claim))
}

/// What came for a claim, the oldest first.
pub async fn of_claim(tx: &mut Tx, claim: Uuid) -> Result<Vec<Movement>> {
    fetch_all!(tx, Movement, MOVEMENTS_OF_CLAIM, claim)
}

/// A movement.
pub async fn one(tx: &mut Tx, id: i64) -> Result<Option<Movement>> {
    fetch_optional!(tx, Movement, MOVEMENT, id)
}

/// Notes that the books have it.
pub async fn count(tx: &mut Tx, id: i64, now: Timestamp) -> Result<()> {
    execute!(tx, COUNT_MOVEMENT, id, now).map(drop)
}

/// Notes that its claim is stopped for it.
pub async fn stop(tx: &mut Tx, id: i64, now: Timestamp) -> Result<()> {
    execute!(tx, STOP_FOR_MOVEMENT, id, now).map(drop)
}

/// Has it found out where it comes from.
pub async fn screen(tx: &mut Tx, id: i64, now: Timestamp) -> Result<()> {
    execute!(tx, SCREEN_MOVEMENT, id, now).map(drop)
}

/// Notes why staff should look at it.
pub async fn trouble(tx: &mut Tx, id: i64, trouble: Trouble, now: Timestamp) -> Result<()> {
    execute!(tx, MOVEMENT_TROUBLE, id, trouble, now).map(drop)
}

/// What is to be screened now.
pub async fn to_screen(tx: &mut Tx, now: Timestamp, size: i64) -> Result<Vec<Movement>> {
    fetch_all!(tx, Movement, TO_SCREEN, now, size)
}

/// Notes what is known of its origin; where that is still pending, when to ask again.
pub async fn screened(
    tx: &mut Tx,
    id: i64,
    what: Screening,
    report: Option<&str>,
    again: Option<Timestamp>,
    now: Timestamp,
) -> Result<()> {
    execute!(tx, SCREENED, id, what, report, again, now).map(drop)
}

/// What staff should look at, the newest first.
pub async fn troubled(tx: &mut Tx, size: i64) -> Result<Vec<Movement>> {
    fetch_all!(tx, Movement, TROUBLED_MOVEMENTS, size)
}

/// How much there is to look at since a moment.
pub async fn troubles_since(tx: &mut Tx, since: Timestamp) -> Result<i64> {
    Ok(fetch_one!(tx, (i64,), TROUBLES_SINCE, since)?.0)
}

/// Gives it to a claim; false when it has one, or is gone.
pub async fn attach(tx: &mut Tx, id: i64, claim: Uuid, now: Timestamp) -> Result<bool> {
    Ok(execute!(tx, ATTACH_MOVEMENT, id, claim, now)? == 1)
}

/// Notes that somebody looked at it; false when there is nothing to look at.
pub async fn settle(tx: &mut Tx, id: i64, by: &str, now: Timestamp) -> Result<bool> {
    Ok(execute!(tx, SETTLE_MOVEMENT, id, by, now)? == 1)
}

/// What has disappeared of the money that the books have for a claim.
pub async fn gone(tx: &mut Tx, claim: Uuid) -> Result<Gone> {
    let (all, untold, unsettled) = fetch_one!(tx, (i64, i64, i64), GONE_OF_CLAIM, claim)?;
    Ok(Gone { all, untold, unsettled })
}

/// When money was seen for a claim that is not booked yet; `due` is what is still to come.
pub async fn seen(tx: &mut Tx, claim: Uuid, due: i64) -> Result<Option<SeenPayment>> {
    let rows = fetch_all!(tx, (i64, Timestamp), SEEN_OF_CLAIM, claim)?;
    let (Some((_, first)), Some((_, last))) = (rows.first(), rows.last()) else { return Ok(None) };
    let mut sum = 0_i64;
    let enough = rows.iter().find(|(units, _)| {
        sum = sum.saturating_add(*units);
        sum >= due
    });
    Ok(Some(SeenPayment { first: *first, whole: enough.map_or(*last, |(_, at)| *at) }))
}

/// The fewest confirmations of what came for a claim, and how many are needed.
pub async fn confirmations(tx: &mut Tx, claim: Uuid) -> Result<Option<(i64, i64)>> {
    let (fewest, needed) = fetch_one!(tx, (Option<i64>, Option<i64>), CONFIRMATIONS, claim)?;
    Ok(fewest.zip(needed))
}
