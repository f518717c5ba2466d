//! The event stream of one claim.

use std::sync::Arc;

use agio_core::Result;
use agio_core::events::ChangeEvent;
use agio_http::Visitor;
use futures_util::StreamExt as _;
use futures_util::stream;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use uuid::Uuid;

use super::status::ClaimStatus;
use super::stream::LiveEvents;
use super::viewer;
use crate::Claims;

/// The current status of a claim, and the new one after each change.
///
/// # Errors
/// 404 `claim_not_found`.
pub async fn follow(claims: Arc<Claims>, id: Uuid, visitor: Visitor) -> Result<LiveEvents<ClaimStatus>> {
    // Subscribe before reading, so that no change is missed.
    let notices = claims.platform.events.subscribe();
    let first = status(&claims, id, &visitor).await?;
    let later = stream::unfold((claims, notices, visitor), move |(claims, mut notices, visitor)| async move {
        wait_for(&mut notices, id).await?;
        // A status that cannot be read ends the stream; the page comes back and asks again.
        let changed = status(&claims, id, &visitor).await.ok()?;
        Some((changed, (claims, notices, visitor)))
    });
    let all = stream::once(async { first }).chain(later).map(|status| ("status", status));
    Ok(LiveEvents(all.boxed()))
}

async fn status(claims: &Claims, id: Uuid, visitor: &Visitor) -> Result<ClaimStatus> {
    let claim = claims.claim(id).await?;
    let is_owner = viewer(visitor).owns(&claim);
    let counted = claims.counted(&claim).await?;
    let timeline = claims.timeline(&claim).await?;
    ClaimStatus::of(claims, &claim, counted, timeline, visitor.locale, is_owner)
}

/// Waits until the claim may have changed; `None` when the server shuts down.
async fn wait_for(notices: &mut Receiver<ChangeEvent>, id: Uuid) -> Option<()> {
    loop {
        match notices.recv().await {
            Ok(ChangeEvent::Claim(changed)) if changed == id => return Some(()),
            // What was missed may have been about this claim.
            Err(RecvError::Lagged(_)) => return Some(()),
            Err(RecvError::Closed) => return None,
            Ok(_) => {}
        }
    }
}
