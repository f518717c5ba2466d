//! Invoices: a driver that makes one for each claim is asked after the claim is confirmed, so that no request waits for
//! a bank.

use std::collections::BTreeMap;
use std::sync::Arc;

use agio_contracts::{InvoiceDetails, PayableClaim, PaymentStage};
use agio_core::{Error, Result};
use agio_plugin_runtime::https_origin;
use agio_plugin_sdk::protocol::{Call, CallResult, Invoice, InvoiceRequest, PAYER, PaymentInstructions};
use futures_util::future::join_all;

use super::Payments;
use super::network_watch::TEXT_MAX;
use crate::model::pause;
use crate::store::invoices::{self, PendingInvoice};
use crate::store::routes;

/// How many invoices are requested at once.
const AT_A_TIME: i64 = 16;

/// A customer waits for the invoice, so the pause between calls stays below a minute.
const PAUSES_MAX: i64 = 2;

const PAGE_MAX: usize = 1_000;

impl Payments {
    /// Requests the invoices that are due.
    pub async fn request_invoices(self: &Arc<Self>) -> Result<()> {
        let now = self.platform.clock.now();
        let due = invoices::due(&mut self.platform.db.read().await?, now, AT_A_TIME).await?;
        join_all(due.into_iter().map(|pending| self.request_or_postpone(pending))).await.into_iter().collect()
    }

    /// A claim that cannot be read does not stop the others.
    async fn request_or_postpone(self: &Arc<Self>, pending: PendingInvoice) -> Result<()> {
        match self.request_invoice(pending.clone()).await {
            Err(failure) => {
                tracing::error!(%failure, "an invoice could not be requested");
                self.postpone(&pending).await
            }
            requested => requested,
        }
    }

    async fn request_invoice(self: &Arc<Self>, pending: PendingInvoice) -> Result<()> {
        let this = self.clone();
        let claim = pending.claim_id;
        let needs_payer = self.routing.has_feature(&pending.driver, PAYER);
        let (claim, payer) = self
            .platform
            .db
            .write(move |tx| {
                let this = this.clone();
                Box::pin(async move {
                    let claim = this.claims.payable(tx, claim).await?;
                    if claim.stage != PaymentStage::Awaiting {
                        invoices::delete(tx, claim.id).await?;
                    }
                    let payer = if needs_payer { this.claims.payer(tx, claim.id).await? } else { BTreeMap::new() };
                    Ok((claim, payer))
                })
            })
            .await?;
        if claim.stage != PaymentStage::Awaiting {
            return Ok(());
        }
        let call = Call::CreateInvoice(self.invoice_request(&pending, &claim, payer)?);
        let refused = match self.plugins.call(&pending.driver, call).await {
            Ok(CallResult::Invoice(Invoice { address, instructions, .. })) => match readable(&address, instructions) {
                Some(details) => return self.store_invoice(pending, address, details).await,
                None => "the invoice has a text that is too long, or a page that is no HTTPS address".to_owned(),
            },
            Ok(_) => "the response is of another kind".to_owned(),
            Err(fault) => fault.to_string(),
        };
        self.postpone(&pending).await?;
        let route = routes::of(&mut self.platform.db.read().await?, pending.currency_id).await?;
        match route {
            Some(route) => self.note_fault(&route, &refused).await,
            None => Ok(()),
        }
    }

    fn invoice_request(
        &self,
        pending: &PendingInvoice,
        claim: &PayableClaim,
        payer: BTreeMap<String, String>,
    ) -> Result<InvoiceRequest> {
        Ok(InvoiceRequest {
            key: pending.key(),
            currency: self.currency(pending.currency_id)?.code.clone(),
            amount: claim.give.value(),
            expires_at: claim.pay_until.map(|until| until.0),
            claim: claim.number,
            return_url: format!("{}/claim/{}", self.site, claim.id),
            payer,
        })
    }

    async fn store_invoice(self: &Arc<Self>, pending: PendingInvoice, address: String, details: InvoiceDetails) -> Result<()> {
        let (this, pending) = (self.clone(), Arc::new((pending, address, details)));
        self.platform
            .db
            .write(move |tx| {
                let (this, pending) = (this.clone(), pending.clone());
                Box::pin(async move {
                    let (pending, address, details) = &*pending;
                    let (id, now) = (pending.claim_id, this.platform.clock.now());
                    let claim = this.claims.payable(tx, id).await?;
                    if !invoices::delete(tx, id).await? {
                        return Ok(());
                    }
                    // Also for a claim that ended meanwhile: the invoice may be paid all the same.
                    if !invoices::assign(tx, pending, address, now).await? {
                        return Err(Error::internal("the driver gave this invoice to another claim"));
                    }
                    if claim.stage == PaymentStage::Awaiting {
                        this.claims.clone().give_payment_details(tx, id, details.clone()).await?;
                    }
                    Ok(())
                })
            })
            .await
    }

    async fn postpone(&self, pending: &PendingInvoice) -> Result<()> {
        let next_call_at = self.platform.clock.now().plus(pause(pending.driver_calls.min(PAUSES_MAX)));
        let claim = pending.claim_id;
        self.platform.db.write(move |tx| Box::pin(async move { invoices::call_later(tx, claim, next_call_at).await })).await
    }
}

/// What the customer is shown, if a customer can be shown it.
fn readable(address: &str, instructions: PaymentInstructions) -> Option<InvoiceDetails> {
    let fits = |text: &str| (1..=TEXT_MAX).contains(&text.len()) && !text.chars().any(char::is_control);
    let details = match instructions {
        PaymentInstructions::Details { value, holder, memo } => InvoiceDetails { value, holder, memo, page: None },
        PaymentInstructions::Page { url } => {
            InvoiceDetails { value: address.to_owned(), holder: None, memo: None, page: Some(url) }
        }
    };
    let shown = [Some(&details.value), details.holder.as_ref(), details.memo.as_ref()];
    let page_fits = details.page.as_ref().is_none_or(|page| page.len() <= PAGE_MAX && https_origin(page).is_some());
    (fits(address) && shown.into_iter().flatten().all(|text| fits(text)) && page_fits).then_some(details)
}
