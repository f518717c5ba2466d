//! Who sees what of a verification.

use agio_core::identity::{Actor, Customer, Staff};
use agio_core::needs::guest_digest;
use agio_core::{Error, Result, Timestamp};
use serde_json::json;
use uuid::Uuid;

use super::register::write_down;
use super::{Verification, found, not_found};
use crate::model::State;
use crate::store::{self, Photo, Row};

/// How many verifications an account is shown.
const OWN_MAX: i64 = 50;

/// Somebody before a verification, by what they show of themselves.
#[derive(Clone, Debug, Default)]
pub struct Viewer {
    /// The secret of their browser.
    pub guest: Option<String>,
    /// The account they are signed in to.
    pub customer: Option<Uuid>,
}

impl Viewer {
    /// Whether the verification is of their claim or account.
    fn owns(&self, row: &Row) -> bool {
        let is_browser = self.guest.as_deref().is_some_and(|secret| guest_digest(secret) == row.guest_digest);
        is_browser || self.customer.is_some_and(|customer| row.customer_id == Some(customer))
    }
}

/// A verification as its customer sees it.
pub struct Seen {
    /// The verification.
    pub row: Row,
    /// The photos of the present round that are still kept.
    pub photos: Vec<Photo>,
    /// Whether it is of their own claim or account.
    pub is_owner: bool,
}

/// A verification with everything about it, as staff see it.
pub struct Whole {
    /// The verification.
    pub row: Row,
    /// Every photo of every round.
    pub photos: Vec<Photo>,
}

/// The tabs of the console's room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tab {
    /// Photos are here, and we are to look at them.
    Sent,
    /// The customer is to send them.
    Asked,
    /// Decided, or not needed any more.
    Closed,
}

/// A page of a tab.
pub struct Page {
    /// The verifications.
    pub rows: Vec<Row>,
    /// Where the next page begins, if there is one.
    pub next: Option<(Timestamp, Uuid)>,
    /// How many wait for us, and how many for their customers.
    pub counts: (i64, i64),
}

impl Verification {
    /// A verification as somebody sees it. That of a claim is for whoever has its link, as the claim is; that of an account for its
    /// owner alone.
    ///
    /// # Errors
    /// 404 `verification_not_found`.
    pub async fn seen(&self, id: Uuid, viewer: &Viewer) -> Result<Seen> {
        let mut tx = self.platform.db.read().await?;
        let row = found(store::one(&mut tx, id).await?)?;
        let is_owner = viewer.owns(&row);
        if row.claim_id.is_none() && !is_owner {
            return Err(not_found());
        }
        let mut photos = store::photos(&mut tx, id).await?;
        photos.retain(|photo| photo.deleted_at.is_none() && photo.round == row.round);
        Ok(Seen { row, photos, is_owner })
    }

    /// The verifications of an account, the newest first.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn of_customer(&self, customer: &Customer) -> Result<Vec<Row>> {
        store::of_customer(&mut self.platform.db.read().await?, customer.id, OWN_MAX).await
    }

    /// A page of a tab: what waits comes by how long it has waited, what is closed the newest first.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn page(&self, tab: Tab, after: Option<(Timestamp, Uuid)>, size: i64) -> Result<Page> {
        let mut tx = self.platform.db.read().await?;
        let first = (Timestamp(i64::MIN), Uuid::nil());
        let last = (Timestamp(i64::MAX), Uuid::max());
        let mut rows = match tab {
            Tab::Sent => store::waiting(&mut tx, State::Sent, after.unwrap_or(first), size + 1).await?,
            Tab::Asked => store::waiting(&mut tx, State::Asked, after.unwrap_or(first), size + 1).await?,
            Tab::Closed => store::closed(&mut tx, after.unwrap_or(last), size + 1).await?,
        };
        let size = usize::try_from(size).unwrap_or(0);
        let has_more = rows.len() > size;
        rows.truncate(size);
        let next = rows.last().filter(|_| has_more).map(|row| (row.updated_at, row.id));
        let counts = store::counts(&mut tx).await?;
        let count = |state| counts.iter().find(|(other, _)| *other == state).map_or(0, |(_, count)| *count);
        Ok(Page { rows, next, counts: (count(State::Sent), count(State::Asked)) })
    }

    /// A verification with everything about it.
    ///
    /// # Errors
    /// 404 `verification_not_found`.
    pub async fn whole(&self, id: Uuid) -> Result<Whole> {
        let mut tx = self.platform.db.read().await?;
        let row = found(store::one(&mut tx, id).await?)?;
        Ok(Whole { photos: store::photos(&mut tx, id).await?, row })
    }

    /// A photo with its content. That somebody looked at it is written down before they do.
    ///
    /// # Errors
    /// 404 `photo_not_found`.
    pub async fn photo(&self, id: Uuid, photo: Uuid, staff: Staff) -> Result<(Photo, Vec<u8>)> {
        let missing = || Error::not_found("photo_not_found");
        let photos = store::photos(&mut self.platform.db.read().await?, id).await?;
        let photo = photos.into_iter().find(|other| other.id == photo && other.deleted_at.is_none()).ok_or_else(missing)?;
        let bytes = self.photos.read(photo.id).await.map_err(|error| missing().caused_by(error))?;
        let (photo_id, now) = (photo.id, self.platform.clock.now());
        self.platform
            .db
            .write(move |tx| {
                let by = Actor::from(&staff);
                Box::pin(async move {
                    let after = json!({ "photo": photo_id });
                    write_down(tx, &by, "photo_viewed", id, (None, Some(after)), now).await
                })
            })
            .await?;
        Ok((photo, bytes))
    }
}
