//! The use cases: one function, one transaction.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use agio_captcha::{Captcha, CaptchaRequirement};
use agio_contracts::{CurrencyInfo, CurrencyLookup, OfferProvider, OfferedDirection};
use agio_core::mailbox::mailbox;
use agio_core::networks::limit_key;
use agio_core::texts::{Locale, Texts};
use agio_core::{Error, ErrorKind, FieldError, Platform, Result, Timestamp, Tx};
use agio_mail::{Mailer, Recipient};
use agio_requisites::{RequisiteKind, check};
use uuid::Uuid;

use crate::WAITLIST_DAYS;
use crate::emails::WaitlistEmail;
use crate::model::WaitlistCondition;
use crate::store::{self, WaitlistDirectionCount, WaitlistRow};

/// The action of the captcha.
const ACTION: &str = "waitlist";
pub(crate) const SEAL: &str = "waitlist email";
pub(crate) const MAILBOX_DIGEST: &str = "waitlist mailbox";
const NETWORK_DIGEST: &str = "waitlist network";

const HOUR: Duration = Duration::from_secs(60 * 60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// How long an entry waits for its confirmation.
const CONFIRMATION: Duration = Duration::from_secs(48 * 60 * 60);
/// How long the unsubscribe link of a notification works.
const NOTIFIED: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// From one network, in an hour.
const ENTRIES_PER_HOUR: i64 = 10;
/// Confirmation emails to one mailbox, in a day. Anyone can request them for any address.
const EMAILS_PER_DAY: i64 = 3;
/// Entries that one transaction notifies.
const BATCH: i64 = 50;

/// A request to be told.
#[derive(Clone, Debug)]
pub struct NewWaitlistEntry {
    pub email: String,
    /// Code of the given currency.
    pub give: String,
    /// Code of the received currency.
    pub receive: String,
    pub condition: WaitlistCondition,
    /// Captcha solution.
    pub captcha: Option<String>,
    pub locale: Locale,
    pub address: IpAddr,
}

/// The currencies of a direction.
#[derive(Clone, Debug)]
pub struct WaitlistDirection {
    pub give: Arc<CurrencyInfo>,
    pub receive: Arc<CurrencyInfo>,
}

/// An entry as its links show it.
#[derive(Clone, Debug)]
pub struct WaitlistEntry {
    pub direction: WaitlistDirection,
    pub condition: WaitlistCondition,
    pub row: WaitlistRow,
}

/// What other modules provide.
pub struct WaitlistDependencies {
    pub offers: Arc<dyn OfferProvider>,
    pub currencies: Arc<dyn CurrencyLookup>,
    pub captcha: Arc<Captcha>,
    pub mailer: Mailer,
    pub texts: Arc<Texts>,
}

pub struct Waitlist {
    pub(crate) platform: Platform,
    pub(crate) dependencies: WaitlistDependencies,
}

impl Waitlist {
    pub fn new(platform: &Platform, dependencies: WaitlistDependencies) -> Arc<Self> {
        Arc::new(Self { platform: platform.clone(), dependencies })
    }

    /// Whether visitors can be told at all.
    pub fn is_open(&self) -> bool {
        self.platform.settings.int(WAITLIST_DAYS) > 0 && self.dependencies.mailer.reaches_customers()
    }

    /// # Errors
    /// 500 if no challenge can be created.
    pub fn captcha(&self) -> Result<CaptchaRequirement> {
        self.dependencies.captcha.requirement(ACTION, true)
    }

    /// Stores an entry and sends the email that confirms it. The answer is the same whether or not the mailbox has
    /// had its emails of the day, so that it tells nothing about an address.
    ///
    /// # Errors
    /// 409 `waitlist_closed`; 404 `pair_unknown`; 422 with the fields, `waitlist_already_met` at `give`; 422 for the
    /// captcha; 429 `too_many_waitlist_entries`.
    pub async fn join(self: &Arc<Self>, new: NewWaitlistEntry) -> Result<()> {
        if !self.is_open() {
            return Err(Error::conflict("waitlist_closed"));
        }
        let direction = self.direction_of(&new.give, &new.receive)?;
        let email = check(RequisiteKind::Email, new.email.trim()).map(|accepted| accepted.value);
        let condition = new.condition.checked(&direction.receive);
        let (email, condition) = match (email, condition) {
            (Ok(email), Ok(condition)) => (email, condition),
            (email, condition) => {
                let mut wrong = condition.err().unwrap_or_default();
                wrong.extend(email.err().map(|_| {
                    let code = if new.email.trim().is_empty() { "required" } else { "bad_email" };
                    FieldError::new("email", code)
                }));
                return Err(Error::invalid(wrong));
            }
        };
        if self.offer(&direction).is_some_and(|offer| condition.is_met(&offer)) {
            return Err(Error::unprocessable("validation_failed").at("give", "waitlist_already_met"));
        }
        let answer = new.captcha.as_deref().filter(|answer| !answer.is_empty()).ok_or_else(agio_captcha::required)?;
        self.dependencies.captcha.verify(ACTION, answer, new.address).await?;
        let (now, vault) = (self.platform.clock.now(), &self.platform.vault);
        let ids = (direction.give.id, direction.receive.id);
        let mut row =
            WaitlistRow::new(self.platform.random.uuid(), ids, new.locale, now, now.plus(CONFIRMATION)).with_condition(condition);
        row.email = Some(vault.seal(SEAL, email.as_bytes()));
        row.mailbox = vault.digest(MAILBOX_DIGEST, &mailbox(&email));
        row.network = vault.digest(NETWORK_DIGEST, &limit_key(new.address).to_string());
        let (this, work) = (self.clone(), Arc::new((WaitlistEntry { direction, condition, row }, email)));
        let stored = self.platform.db.write(move |tx| {
            let (this, work) = (this.clone(), work.clone());
            Box::pin(async move { this.store(tx, &work.0, &work.1, now).await })
        });
        stored.await
    }

    async fn store(&self, tx: &mut Tx, entry: &WaitlistEntry, email: &str, now: Timestamp) -> Result<()> {
        let row = &entry.row;
        tx.lock("waitlist network", &row.network).await?;
        tx.lock("waitlist mailbox", &row.mailbox).await?;
        let (count, first) = store::of_network_since(tx, &row.network, now.minus(HOUR)).await?;
        if count >= ENTRIES_PER_HOUR {
            let free_at = first.map_or(now, |first| first.plus(HOUR));
            let wait = free_at.0.saturating_sub(now.0).max(1).unsigned_abs().div_ceil(1_000_000);
            let refusal = Error::new(ErrorKind::TooManyRequests, "too_many_waitlist_entries");
            return Err(refusal.with("seconds", wait).retry_after(wait));
        }
        let emails = store::of_mailbox_since(tx, &row.mailbox, now.minus(DAY)).await?;
        store::insert(tx, row).await?;
        if emails >= EMAILS_PER_DAY {
            return Ok(());
        }
        let to = Recipient { email: email.to_owned(), locale: row.locale };
        let hours = CONFIRMATION.as_secs() / 3_600;
        let email = WaitlistEmail { entry, texts: &self.dependencies.texts }.confirmation(hours);
        self.dependencies.mailer.send(tx, &to, &email, now).await
    }

    /// The entry of a link.
    ///
    /// # Errors
    /// 404 `waitlist_entry_not_found`.
    pub async fn entry(&self, id: Uuid) -> Result<WaitlistEntry> {
        let now = self.platform.clock.now();
        let row = store::by_id(&mut self.platform.db.read().await?, id, now).await?;
        self.entry_of(row.ok_or_else(not_found)?)
    }

    /// Confirms the address of an entry. Repeating it changes nothing.
    ///
    /// # Errors
    /// 404 `waitlist_entry_not_found`; 409 `waitlist_closed`.
    pub async fn confirm(&self, id: Uuid) -> Result<WaitlistEntry> {
        if !self.is_open() {
            return Err(Error::conflict("waitlist_closed"));
        }
        let (now, days) = (self.platform.clock.now(), self.platform.settings.int(WAITLIST_DAYS).unsigned_abs());
        let expires_at = now.plus(DAY * u32::try_from(days).unwrap_or(1));
        let row = self.platform.db.write(move |tx| {
            Box::pin(async move {
                store::confirm(tx, id, expires_at, now).await?;
                store::by_id(tx, id, now).await
            })
        });
        self.entry_of(row.await?.ok_or_else(not_found)?)
    }

    /// Deletes all entries of the mailbox that the entry belongs to. Repeating it changes nothing.
    pub async fn unsubscribe(&self, id: Uuid) -> Result<()> {
        self.platform.db.write(move |tx| Box::pin(store::unsubscribe(tx, id))).await
    }

    /// Directions with confirmed entries, the most wanted first, without currencies that are gone.
    pub async fn direction_counts(&self) -> Result<Vec<(WaitlistDirection, WaitlistDirectionCount)>> {
        let now = self.platform.clock.now();
        let rows = store::directions(&mut self.platform.db.read().await?, now).await?;
        Ok(rows.into_iter().filter_map(|row| Some((self.direction(row.give_id, row.receive_id)?, row))).collect())
    }

    /// Tells everyone whose condition is met, and forgets the addresses.
    pub async fn notify(self: &Arc<Self>) -> Result<()> {
        for (direction, waited) in self.direction_counts().await? {
            let Some(offer) = self.offer(&direction) else { continue };
            let mut after = Uuid::nil();
            loop {
                let now = self.platform.clock.now();
                let rows = store::of_direction(&mut self.platform.db.read().await?, &waited, after, now, BATCH).await?;
                let Some(last) = rows.last() else { break };
                after = last.id;
                let mut met = Vec::new();
                for row in rows {
                    let condition = row.condition()?;
                    if condition.is_met(&offer) {
                        met.push(WaitlistEntry { direction: direction.clone(), condition, row });
                    }
                }
                if met.is_empty() {
                    continue;
                }
                let (this, work) = (self.clone(), Arc::new((met, offer.clone())));
                let sent = self.platform.db.write(move |tx| {
                    let (this, work) = (this.clone(), work.clone());
                    Box::pin(async move {
                        for entry in &work.0 {
                            this.send_notification(tx, entry, &work.1, now).await?;
                        }
                        Ok(())
                    })
                });
                sent.await?;
            }
        }
        Ok(())
    }

    async fn send_notification(
        &self,
        tx: &mut Tx,
        entry: &WaitlistEntry,
        offer: &OfferedDirection,
        now: Timestamp,
    ) -> Result<()> {
        let Some(sealed) = &entry.row.email else { return Ok(()) };
        if !store::mark_notified(tx, entry.row.id, now.plus(NOTIFIED)).await? {
            return Ok(());
        }
        let to = Recipient { email: self.platform.vault.open_text(SEAL, sealed)?, locale: entry.row.locale };
        let email = WaitlistEmail { entry, texts: &self.dependencies.texts }.notification(offer);
        self.dependencies.mailer.send(tx, &to, &email, now).await
    }

    /// A direction that staff offer, also one that cannot be exchanged now.
    fn direction_of(&self, give: &str, receive: &str) -> Result<WaitlistDirection> {
        let by_code = |code: &str| self.dependencies.currencies.by_code(code);
        let direction = by_code(give).zip(by_code(receive)).map(|(give, receive)| WaitlistDirection { give, receive });
        let is_listed =
            |direction: &WaitlistDirection| self.dependencies.offers.is_listed(direction.give.id, direction.receive.id);
        direction.filter(is_listed).ok_or_else(|| Error::not_found("pair_unknown"))
    }

    fn direction(&self, give: i64, receive: i64) -> Option<WaitlistDirection> {
        let by_id = |id| self.dependencies.currencies.by_id(id);
        Some(WaitlistDirection { give: by_id(give)?, receive: by_id(receive)? })
    }

    fn offer(&self, direction: &WaitlistDirection) -> Option<OfferedDirection> {
        self.dependencies.offers.direction(direction.give.id, direction.receive.id)
    }

    fn entry_of(&self, row: WaitlistRow) -> Result<WaitlistEntry> {
        let direction = self.direction(row.give_id, row.receive_id).ok_or_else(not_found)?;
        Ok(WaitlistEntry { direction, condition: row.condition()?, row })
    }
}

fn not_found() -> Error {
    Error::not_found("waitlist_entry_not_found")
}
