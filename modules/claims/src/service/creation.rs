//! Creation of claims.

use std::net::IpAddr;
use std::sync::Arc;

use agio_captcha::CaptchaRequirement;
use agio_contracts::{
    AgreedQuote, BonusCustomer, CallingPartner, QuoteRequest, VerificationSubject, address_digest, guest_digest,
};
use agio_core::db::Engine;
use agio_core::error::ErrorKind;
use agio_core::events::ChangeEvent;
use agio_core::idempotency::{self, Key};
use agio_core::identity::{self, Customer};
use agio_core::mailbox::mailbox;
use agio_core::texts::Locale;
use agio_core::{Error, FieldError, Result, Timestamp, Tx, hex};
use agio_ledger::{Hold, LedgerCheck, TransferBatch};
use agio_mail::is_time_zone;
use agio_requisites::RequisiteKind;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use super::bonus::PROMO_FIELD;
use super::request_deduplication::{self, Fingerprint};
use super::{Claims, digest, emails};
use crate::UNPROVEN_SHARE;
use crate::model::{Action, Actor, ClaimState};
use crate::rules::claim::{
    ClaimBalances, ClaimCustomer, ClaimPayment, ClaimProgress, ClaimReferences, ClaimSide, ClaimTerms, GIVE_REQUISITES,
    RECEIVE_REQUISITES, Requisite, found_by,
};
use crate::rules::fields::{RequisiteValues, checked, checked_value};
use crate::rules::queue::{due_at, ends_at};
use crate::rules::{Claim, payout};
use crate::store::claims::{self, UnpaidLimits};
use crate::store::history::{self, NewClaimEvent};
use crate::store::partners;

/// The setting of the technical mode.
pub const TECHNICAL_MODE: &str = "tech.on";

const CAPTCHA_ACTION: &str = "claim.create";

/// The longest referral code and terms version.
const WORD_MAX: usize = 64;

/// A customer's request for a claim.
#[derive(Clone)]
pub struct NewClaim {
    /// Their e-mail address, as typed.
    pub email: String,
    pub from: i64,
    pub to: i64,
    pub send: Decimal,
    /// The receive amount they saw.
    pub receive: Decimal,
    /// The requisites of the give side, as typed.
    pub give_requisites: RequisiteValues,
    /// The payout requisites, as typed.
    pub receive_requisites: RequisiteValues,
    /// The answer to a captcha.
    pub captcha: Option<String>,
    pub referral: Option<String>,
    /// The quote they were shown.
    pub quote: Option<String>,
    /// The code of the city, for cash.
    pub city: Option<String>,
    pub promo: Option<String>,
    /// The version of the terms of service they accepted.
    pub terms_version: Option<String>,
    /// Whether the customer consented to an AML check.
    pub aml_consent: bool,
    /// Whether to save the requisites in an account with a confirmed address.
    pub keep_requisites: bool,
    /// The time zone of the browser. Anything but an IANA name counts as unknown.
    pub time_zone: Option<String>,
}

/// The requester of a claim.
#[derive(Clone, Debug)]
pub struct Requester {
    /// The language they use.
    pub locale: Locale,
    /// The secret of their browser, if it has one already.
    pub guest: Option<String>,
    pub address: IpAddr,
    /// The account they are signed in to.
    pub customer: Option<Customer>,
    /// The partner, if a partner creates the claim.
    pub partner: Option<CallingPartner>,
}

#[derive(Clone, Copy, Debug)]
struct CreationOptions {
    /// Whether to save its requisites in the account.
    keep: bool,
    /// Whether its customer has shown that the e-mail address is theirs.
    known: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CreatedClaim {
    pub id: Uuid,
    pub public_id: i64,
    pub status: ClaimState,
    /// Until when the customer can confirm it.
    pub expires_at: Timestamp,
}

impl Claims {
    /// Creates a claim: fixes the terms, validates the input and holds the payout. The same key and content,
    /// or the same request within seconds, returns the same claim. Returns it with the secret that
    /// identifies the owner's browser.
    ///
    /// # Errors
    /// 503 `technical_mode`, `ledger_difference`, `ledger_unchecked`; 422 `validation_failed` with the fields, `captcha_required`, limits,
    /// what is wrong with the promo code; 409 `rate_changed`, `promo_used_up`, `balance_too_low`,
    /// `reserve_share_full`, `too_many_open_claims`; 404 `pair_unavailable`.
    pub async fn create(
        self: &Arc<Self>,
        new: NewClaim,
        requester: Requester,
        key: Option<Key>,
        content: &[u8],
    ) -> Result<(CreatedClaim, String)> {
        let (now, customer) = (self.platform.clock.now(), requester.customer.as_ref().map(|customer| customer.id));
        let fingerprint: Fingerprint = Sha256::new()
            .chain_update(format!("{} {:?} {customer:?} ", requester.address, requester.guest))
            .chain_update(content)
            .finalize()
            .into();
        let is_shared = self.platform.db.engine() == Engine::Postgres;
        let derived_key =
            (key.is_none() && is_shared).then(|| request_deduplication::request_key(&self.platform.vault, fingerprint, now));
        let guest = self.guest_secret(&requester, key.as_ref().or(derived_key.as_ref()));
        let by = requester.customer.as_ref().map_or_else(|| identity::Actor::guest(requester.address), identity::Actor::from);
        // An account with an unconfirmed address may belong to someone else, who would then see these requisites.
        let keep = requester.customer.as_ref().is_some_and(|customer| customer.activated && new.keep_requisites);
        let known = self.is_known(&new.email, &requester).await?;
        let options = CreationOptions { keep, known };
        let key_or_derived = key.clone().or(derived_key);
        let make = || async {
            let created = match (self.prepare(&new, &requester, &guest, known).await, key_or_derived.clone()) {
                (Ok(claim), key) => self.store(claim, key, &by, options).await?,
                (Err(refused), Some(key)) => self.first_answer(key, refused).await?,
                (Err(refused), None) => return Err(refused),
            };
            Ok((created, guest.clone()))
        };
        match key {
            Some(_) => make().await,
            None => self.recent.outcome(fingerprint, now).get_or_try_init(make).await.cloned(),
        }
    }

    /// Whether the requester owns the e-mail address: signed in with it, or has completed a claim with it in this
    /// browser. Claims that others create in its name then do not limit them.
    async fn is_known(&self, email: &str, requester: &Requester) -> Result<bool> {
        let email = email.trim().to_lowercase();
        if requester.customer.as_ref().is_some_and(|customer| customer.activated && customer.email == email) {
            return Ok(true);
        }
        match requester.guest.as_deref().filter(|secret| is_secret(secret)) {
            Some(secret) => {
                claims::has_completed_in_browser(&mut self.platform.db.read().await?, &guest_digest(secret), &email).await
            }
            None => Ok(false),
        }
    }

    /// The browser's secret, or a new one. With an idempotency key the new one is derived from the key, so that a retry
    /// gets the same secret.
    fn guest_secret(&self, requester: &Requester, key: Option<&Key>) -> String {
        if let Some(secret) = requester.guest.as_ref().filter(|secret| is_secret(secret)) {
            return secret.clone();
        }
        if let Some(key) = key {
            return idempotency::guest_secret(&self.platform.vault, &key.key);
        }
        let mut secret = [0; 16];
        self.platform.random.fill(&mut secret);
        hex::encode(secret)
    }

    /// The stored response of the key, or the refusal.
    pub(super) async fn first_answer(&self, key: Key, refused: Error) -> Result<CreatedClaim> {
        idempotency::stored_response(&self.platform.db, &key).await?.ok_or(refused)
    }

    /// The part before the claim's transaction: permission, validation and terms.
    pub(super) async fn prepare(&self, new: &NewClaim, requester: &Requester, guest: &str, known: bool) -> Result<Claim> {
        self.is_open()?;
        let now = self.platform.clock.now();
        let (email, give_requisites, receive_requisites) = self.checked_input(new, requester.partner.is_some())?;
        let city = self.checked_city(new)?;
        let sides = [(new.from, "fromRequisites", give_requisites), (new.to, "toRequisites", receive_requisites)];
        let [give_requisites, receive_requisites] = self.apply_validators(sides).await?;
        let (payout, browser) = (payout::digest(&self.platform.vault, &receive_requisites), guest_digest(guest));
        let person = BonusCustomer {
            customer: requester.customer.as_ref(),
            email: Some(&email.to_lowercase()),
            browser: Some(&browser),
            payout: payout.as_deref(),
        };
        let offered = self.bonus_for(person, new.promo.as_deref()).await?;
        let agreed = self.quotes.agree(&QuoteRequest {
            receive: Some(new.receive),
            quote: new.quote.clone(),
            bonus: offered.bonus.clone(),
            customer: requester.customer.as_ref().map(|customer| customer.id),
            ..QuoteRequest::anonymous(new.from, new.to, new.send)
        })?;
        self.is_enough_for_promo(&offered, &agreed)?;
        let address = match &requester.partner {
            // All requests of a partner come from its servers: the limits per address count for the partner.
            Some(partner) => digest(&format!("partner {}", partner.id)),
            None => address_digest(requester.address),
        };
        if requester.partner.is_none() {
            let mailbox = mailbox(&email);
            let parties = [address.as_str(), mailbox.as_str()];
            self.require_captcha(new, requester.address, if known { &parties[..1] } else { &parties }, now).await?;
        }
        let mut claim = self.blank(agreed, now);
        claim.balances.unproven = if self.is_proven(requester).await? { claim.receive.zero() } else { claim.receive.amount };
        claim.terms.id = Some(self.cache_terms(&claim.terms.json).await?);
        // Accounts find claims by the lower-case address.
        claim.customer.email = email.to_lowercase();
        claim.customer.locale = requester.locale.to_string();
        claim.customer.time_zone = new.time_zone.clone().filter(|zone| is_time_zone(zone));
        claim.customer.guest_digest = browser;
        claim.customer.address_digest = address;
        claim.customer.account_id = requester.customer.as_ref().map(|customer| customer.id);
        claim.references.partner_id = requester.partner.as_ref().map(|partner| partner.id);
        claim.references.referral.clone_from(&new.referral);
        claim.references.city = city;
        claim.customer.terms_version.clone_from(&new.terms_version);
        claim.customer.aml_consent = new.aml_consent;
        let vault = &self.platform.vault;
        let digest = |requisites: &[Requisite]| found_by(vault, &requisites.first()?.value).into_iter().next();
        claim.give.digest = digest(&give_requisites);
        claim.receive.digest = digest(&receive_requisites);
        claim.give.requisites = claim.sealed(vault, GIVE_REQUISITES, &give_requisites)?;
        claim.receive.requisites = claim.sealed(vault, RECEIVE_REQUISITES, &receive_requisites)?;
        Ok(claim)
    }

    /// Whether the requester is trusted: partners are by contract, customers by a verification of their account.
    /// Whom earlier exchanges prove for the amount is found when the claim is stored. An e-mail address alone proves
    /// nothing.
    async fn is_proven(&self, requester: &Requester) -> Result<bool> {
        match &requester.customer {
            _ if requester.partner.is_some() => Ok(true),
            Some(customer) => self.verifications.is_identity_verified(&mut self.platform.db.read().await?, customer.id).await,
            None => Ok(false),
        }
    }

    /// Whether new claims are taken now.
    fn is_open(&self) -> Result<()> {
        if self.platform.settings.is_on(TECHNICAL_MODE) {
            return Err(Error::new(ErrorKind::Unavailable, "technical_mode"));
        }
        match &*self.ledger.last_check() {
            check if !check.is_clean() => Err(Error::new(ErrorKind::Unavailable, "ledger_difference")),
            LedgerCheck { at: None, .. } => Err(Error::new(ErrorKind::Unavailable, "ledger_unchecked").retry_after(1)),
            _ => Ok(()),
        }
    }

    fn checked_input(&self, new: &NewClaim, is_partner: bool) -> Result<(String, Vec<Requisite>, Vec<Requisite>)> {
        let unavailable = || Error::not_found("pair_unavailable");
        let from = self.quotes.by_id(new.from).ok_or_else(unavailable)?;
        let to = self.quotes.by_id(new.to).ok_or_else(unavailable)?;
        let mut refused = Vec::new();
        refused.extend(too_long("refferal", new.referral.as_deref()));
        let terms_field = if is_partner { "termsVersion" } else { "extras.termsVersion" };
        refused.extend(too_long(terms_field, new.terms_version.as_deref()));
        refused.extend(too_long(PROMO_FIELD, new.promo.as_deref()));
        let email = checked_value("email", RequisiteKind::Email, &new.email);
        // A card verification needs the card number, even if the currency has no such field.
        let by_card = self.quotes.required_verification(new.from, new.to) == Some(VerificationSubject::Card);
        let inputs = from.inputs.iter().filter(|input| input.give || (by_card && input.kind == RequisiteKind::Card));
        let give = checked("fromRequisites", inputs, &new.give_requisites);
        let receive = checked("toRequisites", to.inputs.iter().filter(|input| input.receive), &new.receive_requisites);
        match (email, give, receive) {
            (Ok(email), Ok(give), Ok(receive)) if refused.is_empty() => Ok((email, give, receive)),
            (email, give, receive) => {
                refused.extend(email.err());
                refused.extend(give.err().into_iter().flatten());
                refused.extend(receive.err().into_iter().flatten());
                Err(Error::invalid(refused))
            }
        }
    }

    /// The city of a direction with cash, as it is agreed.
    ///
    /// # Errors
    /// 422 at `city`: `required`, `city_unknown`, or `unknown_field` without cash.
    fn checked_city(&self, new: &NewClaim) -> Result<Option<String>> {
        let cities = self.quotes.cities(new.from, new.to).ok_or_else(|| Error::not_found("pair_unavailable"))?;
        let code = match &new.city {
            None if cities.is_empty() => return Ok(None),
            None => "required",
            Some(_) if cities.is_empty() => "unknown_field",
            Some(code) => match cities.iter().find(|city| city.code == *code) {
                Some(city) => return serde_json::to_string(city).map(Some).map_err(Error::internal),
                None => "city_unknown",
            },
        };
        Err(Error::unprocessable("validation_failed").at("city", code))
    }

    async fn require_captcha(&self, new: &NewClaim, address: IpAddr, parties: &[&str], now: Timestamp) -> Result<()> {
        match &new.captcha {
            Some(answer) if !answer.is_empty() => self.captcha.verify(CAPTCHA_ACTION, answer, address).await,
            _ if self.captcha_needed(parties, now) => Err(self.captcha.required_error(CAPTCHA_ACTION)?),
            _ => Ok(()),
        }
    }

    fn captcha_after(&self) -> usize {
        usize::try_from(self.platform.settings.int("claims.captcha_after")).unwrap_or(0)
    }

    fn captcha_needed(&self, parties: &[&str], now: Timestamp) -> bool {
        self.platform.settings.is_on("claims.captcha") && self.recent_claims.of(parties, now) >= self.captcha_after()
    }

    /// A captcha, if a claim from this address and e-mail requires one now.
    ///
    /// # Errors
    /// 500 when no challenge can be made.
    pub fn captcha_for(&self, address: IpAddr, email: Option<&str>) -> Result<Option<CaptchaRequirement>> {
        let now = self.platform.clock.now();
        let parties: Vec<String> = [Some(address_digest(address)), email.map(mailbox)].into_iter().flatten().collect();
        let parties: Vec<&str> = parties.iter().map(String::as_str).collect();
        if self.captcha_needed(&parties, now) { self.captcha.requirement(CAPTCHA_ACTION, true).map(Some) } else { Ok(None) }
    }

    /// A new claim with these terms and no customer data.
    fn blank(&self, agreed: AgreedQuote, now: Timestamp) -> Claim {
        let side = |code: &str, amount| ClaimSide { code: code.to_owned(), amount, requisites: String::new(), digest: None };
        let give = side(&agreed.from.code, agreed.give);
        let receive = side(&agreed.to.code, agreed.receive);
        let mut claim = Claim {
            public_id: 0,
            // The address of the claim is known to its customer alone; new ones are close together in the indexes.
            id: self.platform.random.unguessable_uuid_at(now),
            state: ClaimState::Created,
            stopped_in: None,
            revision: 1,
            created_at: now,
            updated_at: now,
            customer: ClaimCustomer {
                email: String::new(),
                locale: String::new(),
                time_zone: None,
                guest_digest: String::new(),
                address_digest: String::new(),
                account_id: None,
                terms_version: None,
                aml_consent: false,
            },
            terms: ClaimTerms {
                market_value: agreed.market_value,
                rate: agreed.rate.to_string(),
                bonus: agreed.bonus.to_string(),
                json: agreed.terms,
                id: None,
                agreed_at: agreed.quoted_at.map_or(now, |at| at.min(now)),
                hold_minutes: agreed.hold_minutes,
                floating: agreed.floating,
            },
            balances: ClaimBalances { hold_id: Some(self.platform.random.uuid_at(now)), ..ClaimBalances::empty(&give, &receive) },
            give,
            receive,
            payment: ClaimPayment::default(),
            refund_requisites: None,
            references: ClaimReferences { promo: agreed.promo, ..ClaimReferences::default() },
            progress: ClaimProgress::due(now),
        };
        claim.progress.expires_at = ends_at(&claim, self.timeouts(), now);
        claim.progress.due_at = due_at(&claim, self.timeouts(), now);
        claim.progress.mail_at = emails::mail_time(claim.state, None, now);
        claim
    }

    async fn store(
        self: &Arc<Self>,
        claim: Claim,
        key: Option<Key>,
        by: &identity::Actor,
        options: CreationOptions,
    ) -> Result<CreatedClaim> {
        let (this, now, claim, by) = (self.clone(), claim.created_at, Arc::new(claim), by.clone());
        idempotency::once(&self.platform.db, key, now, move |tx| {
            let (this, mut claim, by) = (this.clone(), Claim::clone(&claim), by.clone());
            Box::pin(async move {
                if let Some(customer) = claim.customer.account_id.filter(|_| options.keep) {
                    Self::lock_saved_requisites(tx, customer).await?;
                }
                let created = this.clone().insert(tx, &mut claim, &by, options.known).await?;
                if options.keep {
                    this.save_claim_requisites(tx, &claim, &by).await?;
                }
                Ok(created)
            })
        })
        .await
    }

    /// Stores a new claim: the claim, its hold with the transfer, the first event and the audit entry.
    pub(super) async fn insert(
        self: Arc<Self>,
        tx: &mut Tx,
        claim: &mut Claim,
        by: &identity::Actor,
        known: bool,
    ) -> Result<CreatedClaim> {
        let now = claim.created_at;
        let settings = &self.platform.settings;
        let unpaid_max = match claim.references.partner_id {
            Some(_) => UnpaidLimits { per_email: 0, per_address: settings.int("claims.unpaid_per_partner") },
            None => UnpaidLimits {
                per_email: if known { 0 } else { settings.int("claims.unpaid_per_email") },
                per_address: settings.int("claims.unpaid_per_address"),
            },
        };
        let public_id = claims::insert(tx, claim, unpaid_max).await?;
        claim.public_id = public_id;
        if claim.references.partner_id.is_some() {
            partners::place(tx, claim).await?;
        }
        let mut batch = TransferBatch::new(self.platform.random.uuid_at(now), Action::Create.name(), claim.id, now);
        batch.note = Some(format!("№ {public_id}"));
        let batch_id = batch.id;
        let hold = claim.balances.hold_id.expect("a new claim holds what it will pay out");
        let hold = Hold { id: hold, amount: claim.receive.amount, about: claim.id };
        self.ledger.hold(tx, hold, batch).await?;
        claims::reserve_unproven_share(tx, claim, settings.int(UNPROVEN_SHARE)).await?;
        let created = NewClaimEvent {
            from: None,
            batch: Some(batch_id),
            ..NewClaimEvent::of(claim, now, Actor::Customer, Action::Create.name())
        };
        history::insert(tx, &created).await?;
        self.redeem_promo(tx, claim).await?;
        self.record_creation(tx, by, claim, now).await?;
        let (parties, id) = ([claim.customer.address_digest.clone(), mailbox(&claim.customer.email)], claim.id);
        let (this, counts) = (self.clone(), claim.references.partner_id.is_none());
        tx.after_commit(move || {
            if counts {
                this.recent_claims.count(&parties.each_ref().map(String::as_str), this.captcha_after(), now);
            }
            this.platform.events.publish(ChangeEvent::Claim(id));
        });
        let expires_at = claim.progress.expires_at.expect("a new claim waits for its customer for a time");
        Ok(CreatedClaim { id: claim.id, public_id, status: claim.state, expires_at })
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
