//! Making a claim.

use std::net::IpAddr;
use std::sync::Arc;

use agio_captcha::Offer;
use agio_core::db::Engine;
use agio_core::error::Kind;
use agio_core::idempotency::{self, Key};
use agio_core::identity::{self, Customer};
use agio_core::live::Notice;
use agio_core::mailbox::mailbox;
use agio_core::needs::{Agreed, Asked, PartnerParty, Person, Proof, address_digest, guest_digest};
use agio_core::texts::Locale;
use agio_core::{Error, FieldError, Result, Timestamp, Tx, hex};
use agio_ledger::{Batch, Hold};
use agio_requisites::Kind as RequisiteKind;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use super::bonus::PROMO_FIELD;
use super::recent::{self, Fingerprint};
use super::{Claims, digest};
use crate::UNPROVEN_SHARE;
use crate::model::{Action, Actor, State};
use crate::rules::claim::{FROM, Requisite, TO, found_by};
use crate::rules::desk::{due_at, ends_at};
use crate::rules::fields::{Given, checked, checked_value};
use crate::rules::{Claim, payout};
use crate::store::claims::{self, UnpaidMax};
use crate::store::history::{self, NewEvent};
use crate::store::partners;

/// The setting that says whether the house is in technical mode.
pub const TECHNICAL_MODE: &str = "tech.on";

/// The kind of call a captcha is answered for here.
const CAPTCHA_ACTION: &str = "claim.create";

/// The longest referrer's code and version of the rules that are kept.
const WORD_MAX: usize = 64;

/// What a customer asks for.
#[derive(Clone)]
pub struct NewClaim {
    /// Their e-mail address, as typed.
    pub email: String,
    /// The currency they send.
    pub from: i64,
    /// The currency they receive.
    pub to: i64,
    /// How much they send.
    pub send: Decimal,
    /// How much they were shown to receive.
    pub receive: Decimal,
    /// Requisites of the sent side, as typed.
    pub from_requisites: Given,
    /// Requisites to pay out to, as typed.
    pub to_requisites: Given,
    /// The answer to a captcha.
    pub captcha: Option<String>,
    /// The referrer's code.
    pub referral: Option<String>,
    /// The quote they were shown.
    pub quote: Option<String>,
    /// The promo code they typed.
    pub promo: Option<String>,
    /// The version of the rules they agreed to.
    pub terms_version: Option<String>,
    /// Whether they agreed to the check of the origin of money.
    pub aml_consent: bool,
    /// Whether the requisites are kept for the next claim, in an account whose address is confirmed.
    pub keep_requisites: bool,
}

/// Who asks.
#[derive(Clone, Debug)]
pub struct Party {
    /// The language they use.
    pub locale: Locale,
    /// The secret of their browser, if it has one already.
    pub guest: Option<String>,
    /// Where they call from.
    pub address: IpAddr,
    /// The account they are signed in to.
    pub customer: Option<Customer>,
    /// The partner who asks in their name.
    pub partner: Option<PartnerParty>,
}

/// How a claim is stored.
#[derive(Clone, Copy, Debug)]
struct Wishes {
    /// Whether its requisites are kept in the account.
    keep: bool,
    /// Whether its customer has shown that the e-mail address is theirs.
    known: bool,
}

/// A claim that was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Made {
    /// Identifier.
    pub id: Uuid,
    /// The number for talk.
    pub public_id: i64,
    /// Its state.
    pub status: State,
    /// Until when it waits for the customer's confirmation.
    pub expires_at: Timestamp,
}

impl Claims {
    /// Makes a claim: agrees on the terms, checks what was typed and sets the payout aside. The same key and content,
    /// or the same request within some seconds, gives the same claim. Returns it with the secret by which the
    /// browser proves that it made it.
    ///
    /// # Errors
    /// 503 `technical_mode`, `ledger_difference`; 422 `validation_failed` with the fields, `captcha_required`, limits, what is wrong with
    /// the promo code; 409 `rate_changed`, `promo_used_up`, `balance_too_low`, `reserve_share_full`, `too_many_open_claims`; 404
    /// `pair_unavailable`.
    pub async fn create(
        self: &Arc<Self>,
        new: NewClaim,
        party: Party,
        key: Option<Key>,
        content: &[u8],
    ) -> Result<(Made, String)> {
        let (now, customer) = (self.platform.clock.now(), party.customer.as_ref().map(|customer| customer.id));
        let asked: Fingerprint = Sha256::new()
            .chain_update(format!("{} {:?} {customer:?} ", party.address, party.guest))
            .chain_update(content)
            .finalize()
            .into();
        let is_shared = self.platform.db.engine() == Engine::Postgres;
        let click = (key.is_none() && is_shared).then(|| recent::click(&self.platform.vault, asked, now));
        let guest = self.guest_secret(&party, key.as_ref().or(click.as_ref()));
        let by = party.customer.as_ref().map_or_else(|| identity::Actor::guest(party.address), identity::Actor::from);
        // Until its address is confirmed an account may be somebody else's, who would be offered these details for their own claims.
        let keep = party.customer.as_ref().is_some_and(|customer| customer.activated && new.keep_requisites);
        let known = self.is_known(&new.email, &party).await?;
        let wishes = Wishes { keep, known };
        let key_or_click = key.clone().or(click);
        let make = || async {
            let made = match (self.prepare(&new, &party, &guest, known).await, key_or_click.clone()) {
                (Ok(claim), key) => self.store(claim, key, &by, wishes).await?,
                (Err(refused), Some(key)) => self.first_answer(key, refused).await?,
                (Err(refused), None) => return Err(refused),
            };
            Ok((made, guest.clone()))
        };
        match key {
            Some(_) => make().await,
            None => self.recent.outcome(asked, now).get_or_try_init(make).await.cloned(),
        }
    }

    /// Whether somebody has shown that the e-mail address is theirs: they are signed in with it, or have completed a claim with it in this browser.
    /// What strangers claim in their name does not stand in their way.
    async fn is_known(&self, email: &str, party: &Party) -> Result<bool> {
        let email = email.trim().to_lowercase();
        if party.customer.as_ref().is_some_and(|customer| customer.activated && customer.email == email) {
            return Ok(true);
        }
        match party.guest.as_deref().filter(|secret| is_secret(secret)) {
            Some(secret) => claims::has_completed_here(&mut self.platform.db.read().await?, &guest_digest(secret), &email).await,
            None => Ok(false),
        }
    }

    /// The browser's secret: the one it shows, or a new one. With an idempotency key the new one follows from the key, so that
    /// a browser that lost the first answer gets the same secret with the second.
    fn guest_secret(&self, party: &Party, key: Option<&Key>) -> String {
        if let Some(secret) = party.guest.as_ref().filter(|secret| is_secret(secret)) {
            return secret.clone();
        }
        if let Some(key) = key {
            return idempotency::guest_secret(&self.platform.vault, &key.key);
        }
        let mut secret = [0; 16];
        self.platform.random.fill(&mut secret);
        hex::encode(secret)
    }

    /// The answer given to this key before, or the refusal.
    pub(super) async fn first_answer(&self, key: Key, refused: Error) -> Result<Made> {
        idempotency::stored(&self.platform.db, &key).await?.ok_or(refused)
    }

    /// Everything before the claim's own transaction: may it be made, is it sound, and at which terms.
    pub(super) async fn prepare(&self, new: &NewClaim, party: &Party, guest: &str, known: bool) -> Result<Claim> {
        self.is_open()?;
        let now = self.platform.clock.now();
        let (email, from_requisites, to_requisites) = self.checked_input(new)?;
        let sides = [(new.from, "fromRequisites", from_requisites), (new.to, "toRequisites", to_requisites)];
        let [from_requisites, to_requisites] = self.with_opinions(sides).await?;
        let (payout, browser) = (payout::digest(&self.platform.vault, &to_requisites), guest_digest(guest));
        let person = Person {
            customer: party.customer.as_ref(),
            email: Some(&email.to_lowercase()),
            browser: Some(&browser),
            payout: payout.as_deref(),
        };
        let offered = self.bonus_for(person, new.promo.as_deref()).await?;
        let agreed = self.quotes.agree(&Asked {
            receive: Some(new.receive),
            quote: new.quote.clone(),
            bonus: offered.bonus.clone(),
            customer: party.customer.as_ref().map(|customer| customer.id),
            ..Asked::plainly(new.from, new.to, new.send)
        })?;
        self.is_enough_for_promo(&offered, &agreed)?;
        let address = match &party.partner {
            // All customers of a partner come from its machines: what is counted by address is counted for the partner.
            Some(partner) => digest(&format!("partner {}", partner.id)),
            None => address_digest(party.address),
        };
        if party.partner.is_none() {
            let mailbox = mailbox(&email);
            let parties = [address.as_str(), mailbox.as_str()];
            self.require_captcha(new, party.address, if known { &parties[..1] } else { &parties }, now).await?;
        }
        let mut claim = self.blank(agreed, now)?;
        claim.unproven_units = if self.is_proven(party).await? { 0 } else { claim.receive_units };
        claim.terms_id = Some(self.keep_terms_once(&claim.terms).await?);
        // An account finds its claims by the address, whatever case it was typed in.
        claim.email = email.to_lowercase();
        claim.locale = party.locale.to_string();
        claim.guest_digest = browser;
        claim.address_digest = address;
        claim.customer_id = party.customer.as_ref().map(|customer| customer.id);
        claim.partner_id = party.partner.as_ref().map(|partner| partner.id);
        claim.referral.clone_from(&new.referral);
        claim.terms_version.clone_from(&new.terms_version);
        claim.aml_consent = new.aml_consent;
        let vault = &self.platform.vault;
        let digest = |requisites: &[Requisite]| found_by(vault, &requisites.first()?.value).into_iter().next();
        claim.from_digest = digest(&from_requisites);
        claim.to_digest = digest(&to_requisites);
        claim.from_requisites = claim.sealed(vault, FROM, &from_requisites)?;
        claim.to_requisites = claim.sealed(vault, TO, &to_requisites)?;
        Ok(claim)
    }

    /// Whether somebody has proven who they are: partners have by their contract, customers by a verification of the account they are signed in to.
    /// Whoever has completed a claim is found when the claim is stored. An e-mail address proves nothing, for anybody can type it.
    async fn is_proven(&self, party: &Party) -> Result<bool> {
        match &party.customer {
            _ if party.partner.is_some() => Ok(true),
            Some(customer) => self.proofs.is_known(&mut self.platform.db.read().await?, customer.id).await,
            None => Ok(false),
        }
    }

    /// Whether new claims are taken now.
    fn is_open(&self) -> Result<()> {
        if self.platform.settings.is_on(TECHNICAL_MODE) {
            return Err(Error::new(Kind::Unavailable, "technical_mode"));
        }
        if !self.ledger.is_clean() {
            return Err(Error::new(Kind::Unavailable, "ledger_difference"));
        }
        Ok(())
    }

    fn checked_input(&self, new: &NewClaim) -> Result<(String, Vec<Requisite>, Vec<Requisite>)> {
        let unavailable = || Error::not_found("pair_unavailable");
        let from = self.quotes.currency(new.from).ok_or_else(unavailable)?;
        let to = self.quotes.currency(new.to).ok_or_else(unavailable)?;
        let mut refused = Vec::new();
        refused.extend(too_long("refferal", new.referral.as_deref()));
        refused.extend(too_long("extras.termsVersion", new.terms_version.as_deref()));
        refused.extend(too_long(PROMO_FIELD, new.promo.as_deref()));
        let email = checked_value("email", RequisiteKind::Email, &new.email);
        // Where the card that is paid with is verified, its number is asked for whatever the currency says.
        let by_card = self.quotes.proof(new.from, new.to) == Some(Proof::Card);
        let asked = from.inputs.iter().filter(|input| input.send || (by_card && input.kind == RequisiteKind::Card.name()));
        let sent = checked("fromRequisites", asked, &new.from_requisites);
        let received = checked("toRequisites", to.inputs.iter().filter(|input| input.receive), &new.to_requisites);
        match (email, sent, received) {
            (Ok(email), Ok(sent), Ok(received)) if refused.is_empty() => Ok((email, sent, received)),
            (email, sent, received) => {
                refused.extend(email.err());
                refused.extend(sent.err().into_iter().flatten());
                refused.extend(received.err().into_iter().flatten());
                Err(Error::invalid(refused))
            }
        }
    }

    async fn require_captcha(&self, new: &NewClaim, address: IpAddr, parties: &[&str], now: Timestamp) -> Result<()> {
        match &new.captcha {
            Some(answer) if !answer.is_empty() => self.captcha.take(CAPTCHA_ACTION, answer, address).await,
            _ if self.captcha_needed(parties, now) => Err(self.captcha.demand(CAPTCHA_ACTION)?),
            _ => Ok(()),
        }
    }

    fn captcha_after(&self) -> usize {
        usize::try_from(self.platform.settings.int("claims.captcha_after")).unwrap_or(0)
    }

    fn captcha_needed(&self, parties: &[&str], now: Timestamp) -> bool {
        self.platform.settings.is_on("claims.captcha") && self.risk.of(parties, now) >= self.captcha_after()
    }

    /// The captcha, if a claim from this address, and with this e-mail address if there is one, needs one now.
    ///
    /// # Errors
    /// 500 when no challenge can be made.
    pub fn captcha_for(&self, address: IpAddr, email: Option<&str>) -> Result<Option<Offer>> {
        let now = self.platform.clock.now();
        let parties: Vec<String> = [Some(address_digest(address)), email.map(mailbox)].into_iter().flatten().collect();
        let parties: Vec<&str> = parties.iter().map(String::as_str).collect();
        if self.captcha_needed(&parties, now) { self.captcha.offer(CAPTCHA_ACTION, true).map(Some) } else { Ok(None) }
    }

    /// A new claim at these terms that nobody has asked for yet.
    fn blank(&self, agreed: Agreed, now: Timestamp) -> Result<Claim> {
        let mut claim = Claim {
            public_id: 0,
            id: self.platform.random.uuid(),
            state: State::Created,
            stopped_in: None,
            revision: 1,
            email: String::new(),
            locale: String::new(),
            guest_digest: String::new(),
            address_digest: String::new(),
            customer_id: None,
            referral: None,
            partner_id: None,
            partner_ref: None,
            partner_callback: None,
            from_id: agreed.from.id,
            to_id: agreed.to.id,
            from_code: agreed.from.code.clone(),
            to_code: agreed.to.code.clone(),
            send_units: agreed.send.units(),
            send_scale: agreed.send.scale().into(),
            receive_units: agreed.receive.units(),
            receive_scale: agreed.receive.scale().into(),
            worth_units: agreed.worth.units(),
            course: agreed.course.to_string(),
            bonus: agreed.bonus.to_string(),
            promo: agreed.promo,
            terms: agreed.terms,
            terms_id: None,
            terms_at: agreed.quoted_at.map_or(now, |at| at.min(now)),
            hold_minutes: agreed.hold_minutes,
            floating: agreed.floating,
            terms_version: None,
            aml_consent: false,
            from_requisites: String::new(),
            to_requisites: String::new(),
            refund_requisites: None,
            from_digest: None,
            to_digest: None,
            hold_id: Some(self.platform.random.uuid_at(now)),
            in_units: 0,
            out_units: 0,
            refund_units: 0,
            received_units: 0,
            paid_out_units: 0,
            returned_units: 0,
            requisite_id: None,
            requisite_day: None,
            payment_value: None,
            payment_holder: None,
            payment_memo: None,
            paid_at: None,
            warn_at: None,
            unproven_units: 0,
            expires_at: None,
            due_at: now,
            answer_by: None,
            verification_id: None,
            reason: None,
            tx_in: None,
            tx_out: None,
            tx_refund: None,
            offer: None,
            holder_id: None,
            holder_name: None,
            created_at: now,
            updated_at: now,
        };
        claim.expires_at = ends_at(&claim, self.patience(), now);
        claim.due_at = due_at(&claim, self.patience(), now);
        Ok(claim)
    }

    async fn store(self: &Arc<Self>, claim: Claim, key: Option<Key>, by: &identity::Actor, wishes: Wishes) -> Result<Made> {
        let (this, now, claim, by) = (self.clone(), claim.created_at, Arc::new(claim), by.clone());
        idempotency::once(&self.platform.db, key, now, move |tx| {
            let (this, mut claim, by) = (this.clone(), Claim::clone(&claim), by.clone());
            Box::pin(async move {
                if let Some(customer) = claim.customer_id.filter(|_| wishes.keep) {
                    Self::lock_kept(tx, customer).await?;
                }
                let made = this.clone().insert(tx, &mut claim, &by, wishes.known).await?;
                if wishes.keep {
                    this.keep_requisites_of(tx, &claim, &by).await?;
                }
                Ok(made)
            })
        })
        .await
    }

    /// The few statements by which a claim is made: the claim, the hold with its transfer, the first line of the history, the
    /// letter and the trail.
    pub(super) async fn insert(
        self: Arc<Self>,
        tx: &mut Tx,
        claim: &mut Claim,
        by: &identity::Actor,
        known: bool,
    ) -> Result<Made> {
        let now = claim.created_at;
        let settings = &self.platform.settings;
        let unpaid_max = match claim.partner_id {
            Some(_) => UnpaidMax { per_email: 0, per_address: settings.int("claims.unpaid_per_partner") },
            None => UnpaidMax {
                per_email: if known { 0 } else { settings.int("claims.unpaid_per_email") },
                per_address: settings.int("claims.unpaid_per_address"),
            },
        };
        let public_id = claims::insert(tx, claim, unpaid_max).await?;
        claim.public_id = public_id;
        if claim.partner_id.is_some() {
            partners::place(tx, claim).await?;
        }
        let mut batch = Batch::new(self.platform.random.uuid_at(now), Action::Create.name(), claim.id, now);
        batch.note = Some(format!("№ {public_id}"));
        let batch_id = batch.id;
        let hold = claim.hold_id.expect("a new claim holds what it will pay out");
        let hold = Hold { id: hold, currency: claim.to_id, units: claim.receive_units, about: claim.id };
        self.ledger.hold(tx, hold, batch).await?;
        claims::take_share(tx, claim, settings.int(UNPROVEN_SHARE)).await?;
        let made = NewEvent {
            claim: claim.public_id,
            at: now,
            actor: Actor::Customer,
            staff: None,
            action: Action::Create.name(),
            from: None,
            to: Some(claim.state),
            revision: claim.revision,
            reason: None,
            note: None,
            batch: Some(batch_id),
        };
        history::insert(tx, &made).await?;
        // A partner's claim is confirmed in the same breath, and the customer gets the letter about that.
        if claim.partner_id.is_none() {
            self.write_letter(tx, claim, now).await?;
        }
        self.use_promo(tx, claim).await?;
        self.log_new(tx, by, claim, now).await?;
        let (parties, id) = ([claim.address_digest.clone(), mailbox(&claim.email)], claim.id);
        let (this, counts) = (self.clone(), claim.partner_id.is_none());
        tx.after_commit(move || {
            if counts {
                this.risk.count(&parties.each_ref().map(String::as_str), this.captcha_after(), now);
            }
            this.platform.live.tell(Notice::Claim(id));
        });
        let expires_at = claim.expires_at.expect("a new claim waits for its customer for a time");
        Ok(Made { id: claim.id, public_id, status: claim.state, expires_at })
    }
}

/// Whether a cookie's value is a secret of ours: 128 bits in hexadecimal.
fn is_secret(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn too_long(field: &str, text: Option<&str>) -> Option<FieldError> {
    let length = text?.chars().count();
    let params = [("max", WORD_MAX.to_string())].into();
    (length > WORD_MAX).then(|| FieldError { field: field.to_owned(), code: "text_too_long", params })
}
