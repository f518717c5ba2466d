//! Rehearsed claims: everything a claim does, without its money.

use std::sync::Arc;

use agio_core::idempotency;
use agio_core::needs::{PartnerAct, PartnerOrder, Rehearsed, WantedClaims};
use agio_core::{Error, Kind, Result, Tx};
use uuid::Uuid;

use super::{PartnerCaller, Partners};
use crate::api::PartnerClaimBody;
use crate::store::{self, RehearsalRow};

impl Partners {
    /// Rehearses making a claim. The same key gives the same one.
    pub(super) async fn rehearse(&self, caller: &PartnerCaller, order: PartnerOrder) -> Result<PartnerClaimBody> {
        let (key, reference, callback) = (order.key.clone(), order.reference.clone(), order.callback.clone());
        let now = self.platform.clock.now();
        let locale = order.locale;
        let (claim, at) = match self.claims.clone().rehearse(order).await {
            Ok(rehearsed) => rehearsed,
            // What was answered once is answered so again, though it would not be taken anew by now.
            Err(refused) => {
                let first: Option<Uuid> = idempotency::stored(&self.platform.db, &key).await?;
                return self.rehearsed(caller, first.ok_or(refused)?).await;
            }
        };
        let row = Arc::new(RehearsalRow {
            id: claim.id,
            partner_id: caller.party.id,
            number: 0,
            reference,
            callback,
            position: serde_json::to_string(&at).map_err(Error::internal)?,
            claim: String::new(),
            revision: 1,
            created_at: now,
            updated_at: now,
        });
        let (body, webhooks) = (Arc::new(PartnerClaimBody::of(&claim, locale).rehearsed()), self.webhooks.clone());
        let id: Uuid = idempotency::once(&self.platform.db, Some(key), now, move |tx| {
            let (mut row, mut body, webhooks) = (RehearsalRow::clone(&row), PartnerClaimBody::clone(&body), webhooks.clone());
            Box::pin(async move {
                row.number = store::next_rehearsal(tx, row.partner_id).await?;
                body.number_as(row.number);
                row.claim = serde_json::to_string(&body).map_err(Error::internal)?;
                store::insert_rehearsal(tx, &row).await?;
                webhooks.tell(tx, row.partner_id, row.callback.as_deref(), &body, now).await?;
                Ok(row.id)
            })
        })
        .await?;
        self.rehearsed(caller, id).await
    }

    /// A rehearsed claim.
    pub(super) async fn rehearsed(&self, caller: &PartnerCaller, id: Uuid) -> Result<PartnerClaimBody> {
        body_of(&store::rehearsal(&mut self.platform.db.read().await?, caller.party.id, id).await?)
    }

    /// Rehearsed claims.
    pub(super) async fn all_rehearsed(
        &self,
        caller: &PartnerCaller,
        wanted: &WantedClaims,
    ) -> Result<(Vec<PartnerClaimBody>, i64)> {
        let (rows, total) = store::rehearsals(&mut self.platform.db.read().await?, caller.party.id, wanted).await?;
        Ok((rows.iter().map(body_of).collect::<Result<_>>()?, total))
    }

    /// Rehearses what a customer does.
    pub(super) async fn act_rehearsed(&self, caller: &PartnerCaller, id: Uuid, act: &PartnerAct) -> Result<PartnerClaimBody> {
        let to = match act {
            PartnerAct::Paid => "payment_claimed",
            PartnerAct::Cancel => "cancelled",
            PartnerAct::Accept(..) => "paid",
            PartnerAct::Refund(_) => "refund_pending",
        };
        let at: Rehearsed = position(&store::rehearsal(&mut self.platform.db.read().await?, caller.party.id, id).await?)?;
        // As with real claims, what was done is not done again.
        if at.state == to { self.rehearsed(caller, id).await } else { self.walk(caller, id, to).await }
    }

    /// Takes a rehearsed claim to another state, by a step of the table whoever makes it; the partner is told as of a real one.
    ///
    /// # Errors
    /// 403 `sandbox_only` for a key of real claims; 404 `claim_not_found`; 409 `transition_not_allowed`; 422 at `to`.
    pub async fn walk(&self, caller: &PartnerCaller, id: Uuid, to: &str) -> Result<PartnerClaimBody> {
        if !caller.sandbox {
            return Err(Error::new(Kind::Forbidden, "sandbox_only"));
        }
        let (claims, webhooks, to) = (self.claims.clone(), self.webhooks.clone(), to.to_owned());
        let (partner, now) = (caller.party.id, self.platform.clock.now());
        self.platform
            .db
            .write(move |tx| {
                let (claims, webhooks, to) = (claims.clone(), webhooks.clone(), to.clone());
                Box::pin(async move {
                    let mut row = store::rehearsal(tx, partner, id).await?;
                    let at = claims.advance(&position(&row)?, &to)?;
                    let mut body = body_of(&row)?;
                    body.stand(&at, &claims.standing(&at)?, row.revision + 1, now);
                    row.position = serde_json::to_string(&at).map_err(Error::internal)?;
                    row.updated_at = now;
                    keep(tx, &mut row, &body).await?;
                    webhooks.tell(tx, partner, row.callback.as_deref(), &body, now).await?;
                    Ok(body)
                })
            })
            .await
    }
}

async fn keep(tx: &mut Tx, row: &mut RehearsalRow, body: &PartnerClaimBody) -> Result<()> {
    row.claim = serde_json::to_string(body).map_err(Error::internal)?;
    store::update_rehearsal(tx, row).await
}

fn position(row: &RehearsalRow) -> Result<Rehearsed> {
    serde_json::from_str(&row.position).map_err(Error::internal)
}

fn body_of(row: &RehearsalRow) -> Result<PartnerClaimBody> {
    serde_json::from_str(&row.claim).map_err(Error::internal)
}
