//! Invoices: one for each claim.

use agio_plugin_sdk::protocol::{
    CallError, CallResult, Invoice, InvoiceRequest, PaymentInstructions, PluginRequest, PluginResponse,
};
use serde::Deserialize;
use serde_json::json;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::answers::{self, identifier, shown, unreadable};
use crate::{PAGES, PAYER_SETTING, post};

const ID_MAX: usize = 100;
const VALUE_MAX: usize = 200;
const MEMO_MAX: usize = 100;
const PAGE_MAX: usize = 1_000;

#[derive(Deserialize)]
struct Created {
    id: String,
    details: Option<Details>,
    page: Option<String>,
}

#[derive(Deserialize)]
struct Details {
    value: String,
    holder: Option<String>,
    memo: Option<String>,
}

pub fn create(input: &PluginRequest, invoice: &InvoiceRequest) -> Result<PluginResponse, CallError> {
    let Some(outcome) = input.outcomes.first() else {
        // Personal data leaves only if the owner wants it to.
        let payer = (input.setting(PAYER_SETTING) == "true").then_some(&invoice.payer);
        let body = json!({
            "key": invoice.key,
            "currency": invoice.currency,
            "amount": invoice.amount.normalize().to_string(),
            "claim": invoice.claim,
            "expiresAt": invoice.expires_at.map(rfc3339).transpose()?,
            "returnUrl": invoice.return_url,
            "callbackUrl": input.callback_url,
            "payer": payer,
        });
        return post(input, "invoices", &body);
    };
    let created: Created = answers::read(outcome)?;
    let instructions = match (created.details, created.page) {
        (Some(Details { value, holder, memo }), None) => PaymentInstructions::Details {
            value: shown("the payment detail", value, VALUE_MAX)?,
            holder: holder.map(|holder| shown("the holder", holder, VALUE_MAX)).transpose()?,
            memo: memo.map(|memo| shown("the memo", memo, MEMO_MAX)).transpose()?,
        },
        (None, Some(url)) => PaymentInstructions::Page { url: page(input, url)? },
        _ => return Err(unreadable("the invoice has both details and a page, or neither")),
    };
    let address = identifier("the invoice's id", created.id, ID_MAX)?;
    Ok(PluginResponse::Done(CallResult::Invoice(Invoice { key: invoice.key.clone(), address, instructions })))
}

/// A payment page, if it is on the site in the settings. So a gateway that somebody has broken into cannot send
/// customers elsewhere.
fn page(input: &PluginRequest, url: String) -> Result<String, CallError> {
    let site = input.setting(PAGES).trim_end_matches('/');
    let path = url.strip_prefix(site).filter(|path| path.is_empty() || path.starts_with(['/', '?', '#']));
    let is_https = site.starts_with("https://") && site.len() > "https://".len();
    let plain = url.len() <= PAGE_MAX && url.bytes().all(|one| one.is_ascii_graphic() && one != b'\\');
    if is_https && plain && path.is_some() {
        Ok(url)
    } else {
        Err(CallError::permanent("page_not_allowed", "the payment page is not on the site in the settings"))
    }
}

fn rfc3339(micros: i64) -> Result<String, CallError> {
    let at = OffsetDateTime::from_unix_timestamp(micros.div_euclid(1_000_000)).ok();
    at.and_then(|at| at.format(&Rfc3339).ok()).ok_or_else(|| unreadable("the expiry is no time"))
}
