//! Finding one's claims again by the e-mail address they were made with.
//!
//! The call only stores what was asked for, whatever the address, and answers; a job that runs every second looks for the claims and
//! writes the letter. So neither the answer nor its time tells whether there are any, and only who reads the mail gets the links.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use agio_core::error::Params;
use agio_core::identity::Actor;
use agio_core::needs::LetterWish;
use agio_core::texts::Locale;
use agio_core::{Error, Result, Timestamp, Tx};
use agio_mail::{Addressee, Letter};
use agio_requisites::Kind as RequisiteKind;
use serde_json::json;

use super::Claims;
use super::letters::sum;
use crate::rules::Claim;
use crate::rules::fields::checked_value;
use crate::store::claims;
use crate::store::searches::{self, Search};

/// How long a claim that has ended is still among the recent ones.
const RECENT: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// How many claims a letter lists at most.
const LISTED_MAX: i64 = 10;

impl Claims {
    /// Asks for a letter with links to the claims of an e-mail address, to that address.
    ///
    /// # Errors
    /// 422 for the address; 429 `too_many_attempts`; 422 for the captcha.
    pub async fn ask_for_links(&self, email: &str, captcha: Option<String>, locale: Locale, address: IpAddr) -> Result<()> {
        let email = checked_value("email", RequisiteKind::Email, email).map_err(|wrong| Error::invalid(vec![wrong]))?;
        let email = email.to_lowercase();
        self.letters.admit_search(LetterWish { email: email.clone(), captcha, address }).await?;
        let now = self.platform.clock.now();
        let search = Search { id: self.platform.random.uuid(), email, locale: locale.to_string(), address: address.to_string() };
        self.platform
            .db
            .write(move |tx| {
                let search = search.clone();
                Box::pin(async move { searches::insert(tx, &search, now).await })
            })
            .await
    }

    /// What whoever asks for the letter is told, in a word and in a sentence.
    #[must_use]
    pub fn search_notice(&self, locale: Locale) -> (String, String) {
        let said = |part: &str| self.texts.get(locale, &format!("claim_search.{part}"), &Params::new());
        (said("title"), said("message"))
    }

    /// Writes the letters that were asked for.
    ///
    /// # Errors
    /// The database cannot be used.
    pub async fn answer_searches(self: &Arc<Self>) -> Result<()> {
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
                        Box::pin(async move { this.answer_search(tx, &search, now).await })
                    })
                    .await?;
            }
        }
    }

    async fn answer_search(&self, tx: &mut Tx, search: &Search, now: Timestamp) -> Result<()> {
        if !searches::take(tx, search.id).await? {
            return Ok(());
        }
        let found = self.recent_claims(tx, &search.email, now).await?;
        let Some(newest) = found.first() else {
            return Ok(());
        };
        let locale: Locale = search.locale.parse().unwrap_or_default();
        let letter = Letter::new("claims_found", ("claim", newest.id.to_string()));
        let letter =
            found.iter().fold(letter, |letter, claim| letter.listing(self.listed(claim, locale), format!("/claim/{}", claim.id)));
        let to = Addressee { email: search.email.clone(), locale };
        self.mailroom.send(tx, &to, &letter, now).await?;
        let by = search.address.parse().map_or_else(|_| Actor::house("claims.searches"), Actor::guest);
        let after = json!({ "claims": found.iter().map(|claim| claim.public_id).collect::<Vec<_>>() });
        super::trail::log_plain(tx, &by, "links_sent", newest.public_id, (None, Some(after)), now).await
    }

    /// The open and recent claims of an e-mail address that a letter lists, the newest first.
    pub(super) async fn recent_claims(&self, tx: &mut Tx, email: &str, now: Timestamp) -> Result<Vec<Claim>> {
        claims::recent_of_email(tx, email, now.minus(RECENT), LISTED_MAX).await
    }

    /// A claim in a line: `No. 100001, 0.015 BTC, Bitcoin → 90 000 RUB, Sberbank`.
    pub(super) fn listed(&self, claim: &Claim, locale: Locale) -> String {
        let (from, to) = (self.currency(claim.from_id, &claim.from_code), self.currency(claim.to_id, &claim.to_code));
        let values = Params::from([
            ("number", self.number(claim)),
            ("send", sum(claim.send(), &from, locale)),
            ("receive", sum(claim.receive(), &to, locale)),
        ]);
        self.texts.get(locale, "claim_search.listed", &values)
    }
}
