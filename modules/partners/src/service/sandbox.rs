//! Sandbox claims: the full lifecycle without money.

use std::sync::Arc;

use agio_contracts::{ClaimState, PartnerAction, PartnerClaimQuery, PartnerClaimRequest, SandboxProgress};
use agio_core::idempotency;
use agio_core::{Error, ErrorKind, Result, Tx};
use uuid::Uuid;

use super::{PartnerCaller, Partners};
use crate::api::PartnerClaimView;
use crate::store::{self, SandboxClaimRow};

impl Partners {
    /// Idempotent by key.
    pub(super) async fn create_sandbox_claim(
        &self,
        caller: &PartnerCaller,
        request: PartnerClaimRequest,
    ) -> Result<PartnerClaimView> {
        let (key, reference, callback) = (request.key.clone(), request.reference.clone(), request.callback.clone());
        let now = self.platform.clock.now();
        let locale = request.locale;
        let (claim, at) = match self.claims.clone().create_sandbox(request).await {
            Ok(created) => created,
            // A repeated request gets the first result, even if it would be refused now.
            Err(refused) => {
                let first: Option<Uuid> = idempotency::stored_response(&self.platform.db, &key).await?;
                return self.sandbox_claim(caller, first.ok_or(refused)?).await;
            }
        };
        let row = Arc::new(SandboxClaimRow {
            id: claim.id,
            partner_id: caller.partner.id,
            number: 0,
            reference,
            callback,
            position: serde_json::to_string(&at).map_err(Error::internal)?,
            claim: String::new(),
            revision: 1,
            created_at: now,
            updated_at: now,
        });
        let (body, webhooks) = (Arc::new(PartnerClaimView::of(&claim, locale).into_sandbox()), self.webhooks.clone());
        let id: Uuid = idempotency::once(&self.platform.db, Some(key), now, move |tx| {
            let (mut row, mut body, webhooks) = (SandboxClaimRow::clone(&row), PartnerClaimView::clone(&body), webhooks.clone());
            Box::pin(async move {
                row.number = store::next_sandbox_number(tx, row.partner_id).await?;
                body.set_number(row.number);
                row.claim = serde_json::to_string(&body).map_err(Error::internal)?;
                store::insert_sandbox_claim(tx, &row).await?;
                webhooks.enqueue(tx, row.partner_id, row.callback.as_deref(), &body, now).await?;
                Ok(row.id)
            })
        })
        .await?;
        self.sandbox_claim(caller, id).await
    }

    pub(super) async fn sandbox_claim(&self, caller: &PartnerCaller, id: Uuid) -> Result<PartnerClaimView> {
        body_of(&store::sandbox_claim(&mut self.platform.db.read().await?, caller.partner.id, id).await?)
    }

    pub(super) async fn list_sandbox_claims(
        &self,
        caller: &PartnerCaller,
        wanted: &PartnerClaimQuery,
    ) -> Result<(Vec<PartnerClaimView>, i64)> {
        let (rows, total) = store::sandbox_claims(&mut self.platform.db.read().await?, caller.partner.id, wanted).await?;
        Ok((rows.iter().map(body_of).collect::<Result<_>>()?, total))
    }

    pub(super) async fn act_on_sandbox_claim(
        &self,
        caller: &PartnerCaller,
        id: Uuid,
        act: &PartnerAction,
    ) -> Result<PartnerClaimView> {
        let to = match act {
            PartnerAction::ReportPaid => ClaimState::PaymentClaimed,
            PartnerAction::Cancel => ClaimState::Cancelled,
            PartnerAction::AcceptOffer(..) | PartnerAction::ReturnSurplus(..) => ClaimState::Paid,
            PartnerAction::RequestRefund(_) => ClaimState::RefundPending,
        };
        let at: SandboxProgress =
            position(&store::sandbox_claim(&mut self.platform.db.read().await?, caller.partner.id, id).await?)?;
        // As with live claims, repeating an action changes nothing.
        if at.state == to { self.sandbox_claim(caller, id).await } else { self.advance_sandbox_claim(caller, id, to).await }
    }

    /// Moves a sandbox claim along any single transition and sends the webhook.
    ///
    /// # Errors
    /// 403 `sandbox_only` for a live key; 404 `claim_not_found`; 409 `transition_not_allowed`.
    pub async fn advance_sandbox_claim(&self, caller: &PartnerCaller, id: Uuid, to: ClaimState) -> Result<PartnerClaimView> {
        if !caller.sandbox {
            return Err(Error::new(ErrorKind::Forbidden, "sandbox_only"));
        }
        let (claims, webhooks) = (self.claims.clone(), self.webhooks.clone());
        let (partner, now) = (caller.partner.id, self.platform.clock.now());
        self.platform
            .db
            .write(move |tx| {
                let (claims, webhooks) = (claims.clone(), webhooks.clone());
                Box::pin(async move {
                    let mut row = store::sandbox_claim(tx, partner, id).await?;
                    let at = claims.advance_sandbox(&position(&row)?, to)?;
                    let mut body = body_of(&row)?;
                    body.apply_state(&at, &claims.sandbox_status(&at), row.revision + 1, now);
                    row.position = serde_json::to_string(&at).map_err(Error::internal)?;
                    row.updated_at = now;
                    save(tx, &mut row, &body).await?;
                    webhooks.enqueue(tx, partner, row.callback.as_deref(), &body, now).await?;
                    Ok(body)
                })
            })
            .await
    }
}

async fn save(tx: &mut Tx, row: &mut SandboxClaimRow, body: &PartnerClaimView) -> Result<()> {
    row.claim = serde_json::to_string(body).map_err(Error::internal)?;
    store::update_sandbox_claim(tx, row).await
}

fn position(row: &SandboxClaimRow) -> Result<SandboxProgress> {
    serde_json::from_str(&row.position).map_err(Error::internal)
}

fn body_of(row: &SandboxClaimRow) -> Result<PartnerClaimView> {
    serde_json::from_str(&row.claim).map_err(Error::internal)
}
