//! What staff are told of by mail and by notifiers, because nobody may be looking at the console: letters and news to partners that died,
//! an audit log or books that do not hold, claims whose data cannot be read, sign-ups and letters with links that could not be made, directions kept from monitors, pairs that
//! their rates stopped, payments that somebody should look at, plugins in quarantine, proposals that wait.
//!
//! Of one cause they are told once an hour at most, and of what they were told of already not again, save for books that still do not
//! balance. Which node tells is decided by the database.

use std::sync::Arc;
use std::time::Duration;

use agio_approvals::{Approvals, Stored, fresh};
use agio_core::error::Params;
use agio_core::identity::Role;
use agio_core::needs::{StaffAddress, StaffAddresses, Stop};
use agio_core::texts::{Locale, Texts};
use agio_core::{Platform, Result, Timestamp, Tx, execute, fetch_optional};
use agio_ledger::Ledger;
use agio_mail::{Addressee, CHANNEL, Letter, Mailroom};
use agio_notices::{News, Notices};

use crate::app::App;

agio_core::statements! {
    TOLD_AT = "SELECT told_at FROM alert WHERE cause = $1";
    /// Takes the right to tell of something, unless it was told of a short while ago.
    TELL = "INSERT INTO alert (cause, told_at) VALUES ($1, $2)
        ON CONFLICT (cause) DO UPDATE SET told_at = excluded.told_at WHERE alert.told_at <= $3";
    /// How many messages died since a moment, and why the last of them did. Alerts that died are no reason for another.
    DEAD_SINCE = "SELECT COUNT(*), (SELECT last.fault FROM outbox last
            WHERE last.channel = $1 AND last.state = 'dead' AND last.settled_at > $2 AND last.about_kind <> 'alert' ORDER BY last.id DESC LIMIT 1)
        FROM outbox WHERE channel = $1 AND state = 'dead' AND settled_at > $2 AND about_kind <> 'alert'";
}

/// How often staff are told of one cause at most.
const PAUSE: Duration = Duration::from_secs(60 * 60);

/// The longest fault that a letter quotes.
const FAULT_MAX: usize = 300;

/// Tells staff.
#[derive(Clone)]
pub struct Alerts {
    platform: Platform,
    mailroom: Mailroom,
    approvals: Arc<Approvals>,
    addresses: Arc<dyn StaffAddresses>,
    ledger: Ledger,
    notices: Notices,
    texts: Arc<Texts>,
    language: Locale,
    console: String,
}

/// What is told, and to whom.
struct Alert {
    cause: String,
    news: News,
    letters: Vec<(Addressee, Letter)>,
}

impl Alerts {
    /// Over the assembled house. `site` is its address; notices are written with these texts, in this language.
    #[must_use]
    pub fn new(
        platform: &Platform,
        (mailroom, notices): (Mailroom, Notices),
        (texts, language): (Arc<Texts>, Locale),
        approvals: Arc<Approvals>,
        addresses: Arc<dyn StaffAddresses>,
        ledger: Ledger,
        site: &str,
    ) -> Self {
        let (platform, console) = (platform.clone(), format!("{site}/admin"));
        Self { platform, mailroom, approvals, addresses, ledger, notices, texts, language, console }
    }

    /// Tells of whatever there is to tell.
    ///
    /// # Errors
    /// The database cannot be used.
    pub async fn run(&self, app: &App) -> Result<()> {
        let mut due = Vec::new();
        let mut tx = self.platform.db.read().await?;
        let now = self.platform.clock.now();
        let mail = self.dead_mail(&mut tx, now).await?;
        let audit = self.broken_log(&mut tx, app, now).await?;
        let books = self.books(&mut tx, now).await?;
        let claims = self.claims(&mut tx, app, now).await?;
        let feeds = self.feeds(&mut tx, app, now).await?;
        let webhooks = self.dead_webhooks(&mut tx, now).await?;
        let payments = self.payments(&mut tx, app, now).await?;
        let sent = self.sent(&mut tx, app, now).await?;
        let requests = self.requests(&mut tx, app, now).await?;
        let rates = self.rates(&mut tx, app, now).await?;
        let plugins = self.plugins(&mut tx, app, now).await?;
        let mut proposals = Vec::new();
        for kind in self.approvals.kinds() {
            proposals.extend(self.proposals(&mut tx, kind, now).await?.map(|rows| (kind, rows)));
        }
        drop(tx);
        let troubles: Vec<_> = [mail, audit, books, claims, feeds, webhooks, payments, sent, requests]
            .into_iter()
            .flatten()
            .chain(plugins)
            .collect();
        if troubles.is_empty() && proposals.is_empty() && rates.is_none() {
            return Ok(());
        }
        let staff = self.addresses.addresses().await?;
        due.extend(troubles.into_iter().map(|letter| self.to_owners(letter, &staff)));
        due.extend(rates.map(|stopped| self.to_owners_of_rates(app, &stopped, &staff)));
        due.extend(proposals.into_iter().map(|(kind, rows)| self.to_deciders(kind, &rows, &staff)));
        for alert in due.into_iter().filter(|alert| !alert.letters.is_empty()) {
            self.tell(Arc::new(alert), now).await?;
        }
        Ok(())
    }

    /// Since when there may be something new of a cause; nothing while staff have just been told of it.
    async fn since(&self, tx: &mut Tx, cause: &str, now: Timestamp) -> Result<Option<Timestamp>> {
        let told = fetch_optional!(tx, (Timestamp,), TOLD_AT, cause)?.map_or(Timestamp(0), |(told,)| told);
        Ok((told <= now.minus(PAUSE)).then_some(told))
    }

    async fn dead_mail(&self, tx: &mut Tx, now: Timestamp) -> Result<Option<Letter>> {
        self.dead(tx, ("alert_mail", "/mail"), CHANNEL, now).await
    }

    async fn dead_webhooks(&self, tx: &mut Tx, now: Timestamp) -> Result<Option<Letter>> {
        self.dead(tx, ("alert_webhooks", "/partners"), agio_partners::CHANNEL, now).await
    }

    /// Messages of a channel that died since staff were told of some.
    async fn dead(
        &self,
        tx: &mut Tx,
        (kind, screen): (&'static str, &str),
        channel: &str,
        now: Timestamp,
    ) -> Result<Option<Letter>> {
        let Some(since) = self.since(tx, kind, now).await? else { return Ok(None) };
        let (count, fault) = agio_core::fetch_one!(tx, (i64, Option<String>), DEAD_SINCE, channel, since)?;
        let letter = || self.trouble(kind, screen, count, fault.as_deref().unwrap_or("?"));
        Ok((count > 0).then(letter))
    }

    async fn broken_log(&self, tx: &mut Tx, app: &App, now: Timestamp) -> Result<Option<Letter>> {
        let Some(since) = self.since(tx, "alert_audit", now).await? else { return Ok(None) };
        let Some(proof) = app.last_proof().filter(|proof| proof.at > since) else { return Ok(None) };
        let faults = &proof.found.faults;
        Ok(faults.first().map(|fault| self.trouble("alert_audit", "/audit", faults.len(), fault)))
    }

    async fn books(&self, tx: &mut Tx, now: Timestamp) -> Result<Option<Letter>> {
        let checked = self.ledger.last_check();
        let Some(difference) = checked.differences.first() else { return Ok(None) };
        let is_due = self.since(tx, "alert_books", now).await?.is_some();
        Ok(is_due.then(|| self.trouble("alert_books", "/", checked.differences.len(), &difference.to_string())))
    }

    /// Claims whose stored data cannot be read, for as long as there are any.
    async fn claims(&self, tx: &mut Tx, app: &App, now: Timestamp) -> Result<Option<Letter>> {
        let found = app.claims.unreadable();
        if found.is_empty() || self.since(tx, "alert_claims", now).await?.is_none() {
            return Ok(None);
        }
        let numbers: Vec<_> = found.iter().map(|number| format!("№ {number}")).collect();
        Ok(Some(self.trouble("alert_claims", "/claims", found.len(), &numbers.join(", "))))
    }

    async fn feeds(&self, tx: &mut Tx, app: &App, now: Timestamp) -> Result<Option<Letter>> {
        let Some(since) = self.since(tx, "alert_monitors", now).await? else { return Ok(None) };
        let news = app.monitors.news(since);
        Ok(news.first().map(|first| self.trouble("alert_monitors", "/monitors", news.len(), first)))
    }

    async fn payments(&self, tx: &mut Tx, app: &App, now: Timestamp) -> Result<Option<Letter>> {
        let Some(since) = self.since(tx, "alert_payments", now).await? else { return Ok(None) };
        let count = app.payments.troubles_since(since).await?;
        Ok((count > 0).then(|| self.trouble("alert_payments", "/payments", count, "")))
    }

    /// Money that left otherwise than the books say.
    async fn sent(&self, tx: &mut Tx, app: &App, now: Timestamp) -> Result<Option<Letter>> {
        let Some(since) = self.since(tx, "alert_sent", now).await? else { return Ok(None) };
        let differences = app.payments.differences();
        let fresh: Vec<_> = differences.iter().filter(|difference| difference.changed_at > since).collect();
        Ok(fresh.first().map(|first| self.trouble("alert_sent", "/payments", fresh.len(), &first.to_string())))
    }

    /// Customers who asked for an account or a link and were let down. The reasons are in the log, where they name nobody.
    async fn requests(&self, tx: &mut Tx, app: &App, now: Timestamp) -> Result<Option<Letter>> {
        let Some(since) = self.since(tx, "alert_requests", now).await? else { return Ok(None) };
        let count = app.auth.requests_given_up_since(since).await?;
        Ok((count > 0).then(|| self.trouble("alert_requests", "/", count, "")))
    }

    /// Plugins in quarantine. Each is a cause of its own, so that of each quarantine they are told once, and of none too late because another plugin was
    /// stopped before it.
    async fn plugins(&self, tx: &mut Tx, app: &App, now: Timestamp) -> Result<Vec<Letter>> {
        let mut letters = Vec::new();
        for entry in app.shelf.entries() {
            let Some((reason, at)) = entry.quarantine() else { continue };
            let cause = format!("alert_plugin.{}", entry.name);
            if self.since(tx, &cause, now).await?.is_some_and(|told| at > told) {
                let letter = self.trouble("alert_plugin", "/plugins", 1, &reason).with("name", &entry.name);
                letters.push(Letter { about: ("alert", cause), ..letter });
            }
        }
        Ok(letters)
    }

    /// Pairs that stopped: to each owner in their language.
    async fn rates(&self, tx: &mut Tx, app: &App, now: Timestamp) -> Result<Option<Vec<(i64, Stop)>>> {
        let Some(since) = self.since(tx, "alert_rates", now).await? else { return Ok(None) };
        Ok(Some(app.rates.news(since).await?).filter(|stopped| !stopped.is_empty()))
    }

    fn to_owners_of_rates(&self, app: &App, stopped: &[(i64, Stop)], staff: &[StaffAddress]) -> Alert {
        let market = app.calculator.market();
        let told = |locale| {
            let words = stopped.first().map(|(pair, stop)| {
                let codes = market.pair(*pair).map(|pair| format!("{} → {}", pair.from.facts.code, pair.to.facts.code));
                format!("{}: {}", codes.unwrap_or_default(), app.rates.stop_text(stop, locale))
            });
            self.trouble("alert_rates", "/rates", stopped.len(), &words.unwrap_or_default())
        };
        let owners = staff.iter().filter(|to| to.staff.role == Role::Owner);
        let letters = owners.map(|to| (addressee(to), told(to.locale))).collect();
        Alert { cause: "alert_rates".to_owned(), news: self.news(&told(self.language)), letters }
    }

    async fn proposals(&self, tx: &mut Tx, kind: &'static str, now: Timestamp) -> Result<Option<Vec<Stored>>> {
        let Some(since) = self.since(tx, &cause_of(kind), now).await? else { return Ok(None) };
        let rows = fresh(tx, kind, since).await?;
        Ok((!rows.is_empty()).then_some(rows))
    }

    fn trouble(&self, kind: &'static str, screen: &str, count: impl ToString, fault: &str) -> Letter {
        let fault: String = fault.chars().take(FAULT_MAX).collect();
        Letter::new(kind, ("alert", kind.to_owned()))
            .with("count", count)
            .with("fault", fault)
            .linking(format!("{}{screen}", self.console))
    }

    fn to_owners(&self, letter: Letter, staff: &[StaffAddress]) -> Alert {
        let owners = staff.iter().filter(|to| to.staff.role == Role::Owner);
        let news = self.news(&letter);
        Alert { cause: letter.about.1.clone(), news, letters: owners.map(|to| (addressee(to), letter.clone())).collect() }
    }

    /// A letter as notifiers tell it.
    fn news(&self, letter: &Letter) -> News {
        let params: Params = letter.params.iter().cloned().collect();
        let said = |part: &str| self.texts.get(self.language, &format!("mail.{}.{part}", letter.kind), &params);
        let text = format!("{}\n\n{}", said("subject"), said("body"));
        News { event: letter.kind, about: letter.about.clone(), text, url: letter.link.clone() }
    }

    /// To whoever may decide and is not the author of all of it.
    fn to_deciders(&self, kind: &'static str, rows: &[Stored], staff: &[StaffAddress]) -> Alert {
        let permission = self.approvals.permission(kind);
        let asking = |last: &Stored, count: usize, locale| {
            Letter::new("alert_approval", ("alert", cause_of(kind)))
                .with("title", self.approvals.title(kind, locale))
                .with("name", &last.proposed_name)
                .with("count", count)
                .linking(format!("{}/approvals", self.console))
        };
        let mut letters = Vec::new();
        for to in staff.iter().filter(|to| permission.is_some_and(|permission| to.staff.role.may(permission))) {
            let theirs: Vec<_> = rows.iter().filter(|row| row.proposed_by != to.staff.id).collect();
            let Some(last) = theirs.last() else { continue };
            letters.push((addressee(to), asking(last, theirs.len(), to.locale)));
        }
        let last = rows.last().expect("it is told of proposals, so there is one");
        let news = self.news(&asking(last, rows.len(), self.language));
        Alert { cause: cause_of(kind), news, letters }
    }

    async fn tell(&self, alert: Arc<Alert>, now: Timestamp) -> Result<()> {
        let this = self.clone();
        self.platform
            .db
            .write(move |tx| {
                let (this, alert) = (this.clone(), alert.clone());
                Box::pin(async move {
                    if execute!(tx, TELL, &alert.cause, now, now.minus(PAUSE))? == 0 {
                        return Ok(());
                    }
                    for (to, letter) in &alert.letters {
                        this.mailroom.send(tx, to, letter, now).await?;
                    }
                    this.notices.tell(tx, &alert.news, now).await
                })
            })
            .await
    }
}

fn cause_of(kind: &str) -> String {
    format!("alert_approval.{kind}")
}

fn addressee(to: &StaffAddress) -> Addressee {
    Addressee { email: to.email.clone(), locale: to.locale }
}
