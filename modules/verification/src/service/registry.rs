//! Registry of requested and passed verifications.
//!
//! A passed verification belongs to an account, or to the browser of a claim without one. A card is verified for its
//! customer only, so that knowing somebody's card number does not help. An identity is verified for an account only.
//! E-mail addresses prove nothing, because anybody can type them.

use agio_contracts::{ClaimEmails, ClaimVerificationRequest, ClaimVerifications, VerificationSubject};
use agio_core::audit::{self, NewAuditEntry};
use agio_core::identity::Actor;
use agio_core::mailbox::mailbox;
use agio_core::texts::Locale;
use agio_core::{BoxFuture, Error, Platform, Result, Timestamp, Tx};
use agio_mail::{CLAIM_MAILS_PER_HOUR, Email, Mailer};
use agio_push::Push;
use agio_requisites::{RequisiteKind, mask};
use serde_json::{Value, json};
use uuid::Uuid;

use super::emails::build_email;
use crate::model::{VerificationCause, VerificationState};
use crate::store::{self, VerificationRow};

/// Purposes of digests.
const CARD: &str = "verified card";
const CUSTOMER: &str = "verified customer";

const SYSTEM_ACTOR: &str = "verification";

pub struct VerificationRegistry {
    platform: Platform,
    mailer: Mailer,
    push: std::sync::Arc<Push>,
}

impl VerificationRegistry {
    pub fn new(platform: &Platform, mailer: Mailer, push: std::sync::Arc<Push>) -> std::sync::Arc<Self> {
        std::sync::Arc::new(Self { platform: platform.clone(), mailer, push })
    }

    /// Shows what an email says in the browsers that are subscribed to the claim of a verification.
    pub(super) async fn notify_browsers(&self, tx: &mut Tx, row: &VerificationRow, email: &Email, now: Timestamp) -> Result<()> {
        match row.claim_id {
            Some(claim) => self.push.notify(tx, (claim, row.customer_id), email, row.locale, now).await,
            None => Ok(()),
        }
    }

    /// Keys of the customer a verification of this kind applies to: by account and by browser.
    fn customer_keys(kind: VerificationSubject, customer: Option<Uuid>, guest_digest: &str) -> Vec<String> {
        let account = customer.map(|id| format!("account {id}"));
        let has_browser = kind == VerificationSubject::Card && !guest_digest.is_empty();
        let browser = has_browser.then(|| format!("browser {guest_digest}"));
        account.into_iter().chain(browser).collect()
    }

    /// Whether it was verified before; false for an unknown card number.
    pub(super) async fn is_verified(
        &self,
        tx: &mut Tx,
        kind: VerificationSubject,
        card: Option<&str>,
        customer_keys: &[String],
    ) -> Result<bool> {
        let vault = &self.platform.vault;
        let cards = match (kind, card) {
            (VerificationSubject::Card, None) => return Ok(false),
            (VerificationSubject::Card, Some(number)) => vault.digests(CARD, number),
            (VerificationSubject::Identity, _) => vec![String::new()],
        };
        for customer in customer_keys.iter().flat_map(|key| vault.digests(CUSTOMER, key)) {
            for card in &cards {
                if store::is_verified(tx, kind, card, &customer).await? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Stores a passed verification.
    pub(super) async fn remember(&self, tx: &mut Tx, row: &VerificationRow, now: Timestamp) -> Result<()> {
        let card = match row.kind {
            VerificationSubject::Card => row.card_digest.clone(),
            VerificationSubject::Identity => Some(String::new()),
        };
        let Some(card) = card else { return Ok(()) };
        // What an account has passed does not hold for others in its browser.
        let browser = if row.customer_id.is_some() { "" } else { &row.guest_digest };
        for key in Self::customer_keys(row.kind, row.customer_id, browser) {
            let customer = self.platform.vault.digest(CUSTOMER, &key);
            store::insert_passed(tx, row, &card, &customer, now).await?;
        }
        Ok(())
    }

    /// Whether the identity of a customer is verified.
    pub(super) async fn is_known(&self, tx: &mut Tx, customer: Uuid) -> Result<bool> {
        self.is_verified(
            tx,
            VerificationSubject::Identity,
            None,
            &Self::customer_keys(VerificationSubject::Identity, Some(customer), ""),
        )
        .await
    }

    /// Stores a verification, e-mails the customer and records it in the audit log.
    pub(super) async fn open(
        &self,
        tx: &mut Tx,
        row: &VerificationRow,
        zone: Option<&str>,
        by: &Actor,
        now: Timestamp,
    ) -> Result<()> {
        store::insert(tx, row).await?;
        let kind = match row.kind {
            VerificationSubject::Card => "verification_card",
            VerificationSubject::Identity => "verification_identity",
        };
        let (to, email) = build_email(&self.mailer, kind, row, zone, None);
        self.notify_browsers(tx, row, &email, now).await?;
        // The address of a claim may belong to somebody else.
        let (mailbox, cap) = (mailbox(&row.email), self.platform.settings.int(CLAIM_MAILS_PER_HOUR));
        if row.claim_id.is_none() || self.mailer.count_email(tx, &mailbox, cap, now).await? {
            self.mailer.send(tx, &to, &email, now).await?;
        } else {
            self.mailer.hold_back(tx, &mailbox, &to, now).await?;
        }
        let after = json!({ "kind": row.kind, "cause": row.cause, "claim": row.claim_number, "card": row.card_masked });
        record(tx, by, "asked", row.id, (None, Some(after)), now).await
    }

    pub(super) fn new_row(&self, kind: VerificationSubject, cause: VerificationCause, now: Timestamp) -> VerificationRow {
        VerificationRow {
            id: self.platform.random.uuid(),
            kind,
            state: VerificationState::Asked,
            cause,
            claim_id: None,
            claim_number: None,
            customer_id: None,
            email: String::new(),
            locale: Locale::default(),
            guest_digest: String::new(),
            card_digest: None,
            card_masked: None,
            round: 1,
            reason: None,
            message_ru: None,
            message_en: None,
            decided_by: None,
            decided_name: None,
            expires_at: None,
            revision: 1,
            created_at: now,
            sent_at: None,
            decided_at: None,
            updated_at: now,
        }
    }
}

impl ClaimEmails for VerificationRegistry {
    fn mask<'a>(&'a self, tx: &'a mut Tx, claim: Uuid, masked: &'a str) -> BoxFuture<'a, Result<()>> {
        Box::pin(store::mask_email(tx, claim, masked))
    }
}

impl ClaimVerifications for VerificationRegistry {
    fn request<'a>(&'a self, tx: &'a mut Tx, request: &'a ClaimVerificationRequest) -> BoxFuture<'a, Result<Option<Uuid>>> {
        Box::pin(async move {
            if self.has_verified(tx, request).await? {
                return Ok(None);
            }
            let card = request.card.as_deref().filter(|_| request.verification == VerificationSubject::Card);
            let now = self.platform.clock.now();
            let row = VerificationRow {
                claim_id: Some(request.claim),
                claim_number: Some(request.claim_number),
                customer_id: request.customer,
                email: request.email.clone(),
                locale: request.locale,
                guest_digest: request.guest_digest.clone(),
                card_digest: card.map(|number| self.platform.vault.digest(CARD, number)),
                card_masked: card.map(|number| mask(RequisiteKind::Card, number)),
                expires_at: Some(request.until),
                ..self.new_row(request.verification, request.cause.parse().map_err(Error::internal)?, now)
            };
            self.open(tx, &row, request.time_zone.as_deref(), &Actor::system(SYSTEM_ACTOR), now).await?;
            Ok(Some(row.id))
        })
    }

    fn has_verified<'a>(&'a self, tx: &'a mut Tx, request: &'a ClaimVerificationRequest) -> BoxFuture<'a, Result<bool>> {
        Box::pin(async move {
            let customer_keys = Self::customer_keys(request.verification, request.customer, &request.guest_digest);
            self.is_verified(tx, request.verification, request.card.as_deref(), &customer_keys).await
        })
    }

    fn is_identity_verified<'a>(&'a self, tx: &'a mut Tx, customer: Uuid) -> BoxFuture<'a, Result<bool>> {
        Box::pin(Self::is_known(self, tx, customer))
    }

    fn cancel<'a>(&'a self, tx: &'a mut Tx, claim: Uuid) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let now = self.platform.clock.now();
            for mut row in store::open_of_claim(tx, claim).await? {
                let before = row.state;
                (row.state, row.updated_at, row.expires_at) = (VerificationState::Ended, now, None);
                if store::update(tx, &mut row).await? {
                    let change = (Some(json!({ "state": before.name() })), Some(json!({ "state": row.state.name() })));
                    record(tx, &Actor::system(SYSTEM_ACTOR), "ended", row.id, change, now).await?;
                }
            }
            Ok(())
        })
    }
}

/// Records an action on a verification in the audit log.
pub(super) async fn record(
    tx: &mut Tx,
    by: &Actor,
    action: &str,
    id: Uuid,
    (before, after): (Option<Value>, Option<Value>),
    now: Timestamp,
) -> Result<()> {
    let action = format!("verification.{action}");
    audit::record(tx, NewAuditEntry { by, action: &action, about: "verification", id: id.to_string(), before, after }, now).await
}
