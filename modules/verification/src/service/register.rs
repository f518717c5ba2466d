//! What is asked of customers and what they have had verified.
//!
//! What was verified holds for a party: an account, or the e-mail address of claims made without one. A card holds for its party alone,
//! so that who knows somebody's card does not profit from its owner's photo. A person is known by their account alone: an address that
//! anybody can type does not say who they are.

use agio_core::audit::{self, Entry};
use agio_core::identity::Actor;
use agio_core::mailbox::mailbox;
use agio_core::needs::{Proof, ProofWish, Proofs};
use agio_core::{BoxFuture, Platform, Result, Timestamp, Tx};
use agio_mail::{CLAIM_MAILS_PER_HOUR, Mailroom};
use agio_requisites::{Kind as RequisiteKind, mask};
use serde_json::{Value, json};
use uuid::Uuid;

use super::letters::letter;
use crate::model::State;
use crate::store::{self, Row};

/// What the digests of cards and of parties are for.
const CARD: &str = "verified card";
const PARTY: &str = "verified party";

/// Who acts when nobody does.
const HOUSE: &str = "verification";

/// The register. Claims hold it; the office works with it.
pub struct Register {
    platform: Platform,
    mailroom: Mailroom,
}

impl Register {
    /// The register.
    #[must_use]
    pub fn new(platform: &Platform, mailroom: Mailroom) -> std::sync::Arc<Self> {
        std::sync::Arc::new(Self { platform: platform.clone(), mailroom })
    }

    /// What a party is called in the register, for a verification of this kind.
    fn parties(kind: Proof, customer: Option<Uuid>, email: &str) -> Vec<String> {
        let account = customer.map(|id| format!("account {id}"));
        let address = (kind == Proof::Card).then(|| format!("email {email}"));
        account.into_iter().chain(address).collect()
    }

    /// Whether this was verified before. A card whose number is not known cannot have been.
    pub(super) async fn is_verified(&self, tx: &mut Tx, kind: Proof, card: Option<&str>, parties: &[String]) -> Result<bool> {
        let vault = &self.platform.vault;
        let cards = match (kind, card) {
            (Proof::Card, None) => return Ok(false),
            (Proof::Card, Some(number)) => vault.digests(CARD, number),
            (Proof::Identity, _) => vec![String::new()],
        };
        for party in parties.iter().flat_map(|party| vault.digests(PARTY, party)) {
            for card in &cards {
                if store::is_verified(tx, kind, card, &party).await? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Notes what an accepted verification proves.
    pub(super) async fn remember(&self, tx: &mut Tx, row: &Row, now: Timestamp) -> Result<()> {
        let card = match row.kind {
            Proof::Card => row.card_digest.clone(),
            Proof::Identity => Some(String::new()),
        };
        let Some(card) = card else { return Ok(()) };
        for party in Self::parties(row.kind, row.customer_id, &row.email) {
            let party = self.platform.vault.digest(PARTY, &party);
            store::insert_verified(tx, row, &card, &party, now).await?;
        }
        Ok(())
    }

    /// Whether a person was verified.
    pub(super) async fn is_known(&self, tx: &mut Tx, customer: Uuid) -> Result<bool> {
        self.is_verified(tx, Proof::Identity, None, &Self::parties(Proof::Identity, Some(customer), "")).await
    }

    /// Opens a verification: its row, the letter that asks, and the trail.
    pub(super) async fn open(&self, tx: &mut Tx, row: &Row, by: &Actor, now: Timestamp) -> Result<()> {
        store::insert(tx, row).await?;
        let kind = match row.kind {
            Proof::Card => "verification_card",
            Proof::Identity => "verification_identity",
        };
        let (to, letter) = letter(kind, row, None);
        // Whoever made the claim may have typed anybody's address.
        let (mailbox, cap) = (mailbox(&row.email), self.platform.settings.int(CLAIM_MAILS_PER_HOUR));
        if row.claim_id.is_none() || self.mailroom.is_within(tx, &mailbox, cap, now).await? {
            self.mailroom.send(tx, &to, &letter, now).await?;
        } else {
            self.mailroom.hold_back(tx, &mailbox, &to, now).await?;
        }
        let after = json!({ "kind": row.kind, "cause": row.cause, "claim": row.claim_number, "card": row.card_masked });
        write_down(tx, by, "asked", row.id, (None, Some(after)), now).await
    }

    /// A verification that nobody has asked for yet.
    pub(super) fn blank(&self, kind: Proof, cause: &str, now: Timestamp) -> Row {
        Row {
            id: self.platform.random.uuid(),
            kind,
            state: State::Asked,
            cause: cause.to_owned(),
            claim_id: None,
            claim_number: None,
            customer_id: None,
            email: String::new(),
            locale: String::new(),
            guest_digest: String::new(),
            card_digest: None,
            card_masked: None,
            round: 1,
            reason: None,
            words_ru: None,
            words_en: None,
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

impl Proofs for Register {
    fn ask<'a>(&'a self, tx: &'a mut Tx, wish: &'a ProofWish) -> BoxFuture<'a, Result<Option<Uuid>>> {
        Box::pin(async move {
            let card = wish.card.as_deref().filter(|_| wish.proof == Proof::Card);
            let parties = Self::parties(wish.proof, wish.customer, &wish.email);
            if self.is_verified(tx, wish.proof, card, &parties).await? {
                return Ok(None);
            }
            let now = self.platform.clock.now();
            let row = Row {
                claim_id: Some(wish.claim),
                claim_number: Some(wish.claim_number),
                customer_id: wish.customer,
                email: wish.email.clone(),
                locale: wish.locale.to_string(),
                guest_digest: wish.guest_digest.clone(),
                card_digest: card.map(|number| self.platform.vault.digest(CARD, number)),
                card_masked: card.map(|number| mask(RequisiteKind::Card, number)),
                expires_at: Some(wish.until),
                ..self.blank(wish.proof, wish.cause, now)
            };
            self.open(tx, &row, &Actor::house(HOUSE), now).await?;
            Ok(Some(row.id))
        })
    }

    fn is_known<'a>(&'a self, tx: &'a mut Tx, customer: Uuid) -> BoxFuture<'a, Result<bool>> {
        Box::pin(Self::is_known(self, tx, customer))
    }

    fn end<'a>(&'a self, tx: &'a mut Tx, claim: Uuid) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let now = self.platform.clock.now();
            for mut row in store::open_of_claim(tx, claim).await? {
                let before = row.state;
                (row.state, row.updated_at, row.expires_at) = (State::Ended, now, None);
                if store::update(tx, &mut row).await? {
                    let change = (Some(json!({ "state": before.name() })), Some(json!({ "state": row.state.name() })));
                    write_down(tx, &Actor::house(HOUSE), "ended", row.id, change, now).await?;
                }
            }
            Ok(())
        })
    }
}

/// Writes down what was done to a verification.
pub(super) async fn write_down(
    tx: &mut Tx,
    by: &Actor,
    action: &str,
    id: Uuid,
    (before, after): (Option<Value>, Option<Value>),
    now: Timestamp,
) -> Result<()> {
    let action = format!("verification.{action}");
    audit::record(tx, Entry { by, action: &action, about: "verification", id: id.to_string(), before, after }, now).await
}
