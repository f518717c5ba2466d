//! The list of claims as a table.

use std::sync::Arc;

use agio_core::texts::Locale;
use agio_core::{Amount, Result};
use agio_http::csv_file::{CsvCell, CsvFile};
use futures_util::{Stream, StreamExt as _};

use crate::Claims;
use crate::rules::Claim;

const COLUMNS: [&str; 15] = [
    "claim",
    "created_at",
    "changed_at",
    "status",
    "give",
    "give_amount",
    "received",
    "receive",
    "receive_amount",
    "paid_out",
    "email",
    "tx_in",
    "tx_out",
    "tx_refund",
    "holder",
];

pub fn claims_csv(
    claims: &Arc<Claims>,
    locale: Locale,
    pages: impl Stream<Item = Result<Vec<Claim>>> + Send + 'static,
) -> CsvFile {
    let head = COLUMNS.map(|column| CsvCell::Text(claims.text(&format!("claims_table.{column}"), locale)));
    let claims = claims.clone();
    let parts = pages.map(move |page| page.map(|page| page.iter().map(|claim| line(&claims, claim, locale)).collect()));
    CsvFile::streamed("attachment; filename=claims.csv", locale, head.into(), parts)
}

fn line(claims: &Claims, claim: &Claim, locale: Locale) -> Vec<CsvCell> {
    let text = |text: &Option<String>| CsvCell::Text(text.clone().unwrap_or_default());
    let amount = |amount: Amount| CsvCell::Number(amount.value());
    let references = &claim.references;
    vec![
        CsvCell::Text(claim.public_id.to_string()),
        CsvCell::Time(claim.created_at),
        CsvCell::Time(claim.updated_at),
        CsvCell::Text(claims.text(&format!("claim_state.{}", claim.state.name()), locale)),
        CsvCell::Text(claim.give.code.clone()),
        amount(claim.give.amount),
        amount(claim.balances.received),
        CsvCell::Text(claim.receive.code.clone()),
        amount(claim.receive.amount),
        amount(claim.balances.paid_out),
        CsvCell::Text(claim.customer.email.clone()),
        text(&references.tx_in),
        text(&references.tx_out),
        text(&references.tx_refund),
        text(&claim.progress.holder_name),
    ]
}
