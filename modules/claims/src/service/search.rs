//! Finding claims by e-mail address.
//!
//! The request is only stored, whatever the address; a job that runs every second finds the claims and
//! sends the e-mail. So neither the response nor its time reveals whether there are any.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use agio_contracts::EmailRequest;
use agio_core::error::Params;
use agio_core::identity::Actor;
use agio_core::texts::Locale;
use agio_core::{Error, Result, Timestamp, Tx};
use agio_mail::{Email, Recipient};
use agio_requisites::RequisiteKind;
use serde_json::json;

use super::Claims;
use super::emails::sum;
use crate::rules::Claim;
use crate::rules::fields::checked_value;
use crate::store::claims;
use crate::store::searches::{self, ClaimSearchRow};

/// How long an ended claim counts as recent.
const RECENT: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The most claims an e-mail lists.
const LISTED_MAX: i64 = 10;

impl Claims {
    /// Requests an e-mail with links to the claims of an e-mail address, and to the one with a number.
    ///
    /// # Errors
    /// 422 for the address; 429 `too_many_attempts`; 422 for the captcha.
    pub async fn request_claim_links(
        &self,
        (email, number): (&str, Option<i64>),
        captcha: Option<String>,
        locale: Locale,
        address: IpAddr,
    ) -> Result<()> {
        let email = checked_value("email", RequisiteKind::Email, email).map_err(|wrong| Error::invalid(vec![wrong]))?;
        let email = email.to_lowercase();
        self.email_gate.admit_search(EmailRequest { email: email.clone(), captcha, address }).await?;
        let now = self.platform.clock.now();
        let id = self.platform.random.uuid_at(now);
        let search = ClaimSearchRow { id, email, locale: locale.to_string(), address: address.to_string(), number };
        self.platform
            .db
            .write(move |tx| {
                let search = search.clone();
                Box::pin(async move { searches::insert(tx, &search, now).await })
            })
            .await
    }

    /// The response to the request: title and message.
    pub fn search_response(&self, locale: Locale) -> (String, String) {
        let text = |part: &str| self.texts.get(locale, &format!("claim_search.{part}"), &Params::new());
        if self.mailer.reaches_customers() { (text("title"), text("message")) } else { (text("off_title"), text("off_message")) }
    }

    /// Sends the requested e-mails.
    pub async fn process_searches(self: &Arc<Self>) -> Result<()> {
        loop {
            let waiting = searches::all(&mut self.platform.db.read().await?).await?;
            if waiting.is_empty() {
                return Ok(());
            }
            for search in waiting {
                let (this, now) = (self.clone(), self.platform.clock.now());
                self.platform
                    .db
                    .write(move |tx| {
                        let (this, search) = (this.clone(), search.clone());
                        Box::pin(async move { this.process_search(tx, &search, now).await })
                    })
                    .await?;
            }
        }
    }

    async fn process_search(&self, tx: &mut Tx, search: &ClaimSearchRow, now: Timestamp) -> Result<()> {
        if !searches::take(tx, search.id).await? {
            return Ok(());
        }
        let mut found = self.recent_claims(tx, &search.email, now).await?;
        if let Some(number) = search.number.filter(|number| found.iter().all(|claim| claim.public_id != *number)) {
            found.extend(claims::numbered(tx, number, &search.email).await?);
        }
        let Some(newest) = found.first() else {
            return Ok(());
        };
        let locale: Locale = search.locale.parse().unwrap_or_default();
        let email = Email::new("claims_found", ("claim", newest.id.to_string()));
        let email = found
            .iter()
            .fold(email, |email, claim| email.with_link(self.claim_line(claim, locale), format!("/claim/{}", claim.id)));
        let to = Recipient { email: search.email.clone(), locale };
        self.mailer.send(tx, &to, &email, now).await?;
        let by = search.address.parse().map_or_else(|_| Actor::system("claims.searches"), Actor::guest);
        let after = json!({ "claims": found.iter().map(|claim| claim.public_id).collect::<Vec<_>>() });
        super::audit_log::record_audit_entry(tx, &by, "links_sent", newest.public_id, (None, Some(after)), now).await
    }

    /// The open and recent claims of an e-mail address, for an e-mail, the newest first.
    pub(super) async fn recent_claims(&self, tx: &mut Tx, email: &str, now: Timestamp) -> Result<Vec<Claim>> {
        claims::recent_of_email(tx, email, now.minus(RECENT), LISTED_MAX).await
    }

    /// A claim as one line: `No. 100001, 0.015 BTC, Bitcoin → 90 000 RUB, Sberbank`.
    pub(super) fn claim_line(&self, claim: &Claim, locale: Locale) -> String {
        let (from, to) = (
            self.currency(claim.give.currency_id(), &claim.give.code),
            self.currency(claim.receive.currency_id(), &claim.receive.code),
        );
        let values = Params::from([
            ("number", self.number(claim)),
            ("send", sum(claim.give.amount, &from, locale)),
            ("receive", sum(claim.receive.amount, &to, locale)),
        ]);
        self.texts.get(locale, "claim_search.listed", &values)
    }
}
