//! The sessions of an account, for its owner.

use std::sync::Arc;

use agio_core::{Error, Result};
use uuid::Uuid;

use super::record;
use crate::audience::{AccountRef, Caller};
use crate::auth::Auth;
use crate::sessions::SessionRow;

impl Auth {
    /// Live sessions, most recently used first.
    pub(crate) async fn list_sessions(&self, account: AccountRef) -> Result<Vec<SessionRow>> {
        self.sessions.list(&mut self.platform.db.read().await?, account, self.platform.clock.now()).await
    }

    /// # Errors
    /// 404 `session_not_found`.
    pub(crate) async fn revoke_session(self: &Arc<Self>, caller: Caller, session: Uuid) -> Result<()> {
        self.transaction(caller, move |this, tx, caller, now| {
            Box::pin(async move {
                if !this.sessions.end(tx, session, caller.account, now).await? {
                    return Err(Error::not_found("session_not_found"));
                }
                record(tx, caller.account, &caller.actor, "session_ended", now).await
            })
        })
        .await
    }

    pub(crate) async fn revoke_other_sessions(self: &Arc<Self>, caller: Caller) -> Result<()> {
        self.transaction(caller, |this, tx, caller, now| {
            Box::pin(async move {
                if this.sessions.end_all(tx, caller.account, Some(caller.session), now).await? == 0 {
                    return Ok(());
                }
                record(tx, caller.account, &caller.actor, "other_sessions_ended", now).await
            })
        })
        .await
    }
}
