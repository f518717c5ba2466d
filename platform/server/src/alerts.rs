//! What staff are told of by mail, because nobody may be looking at the console: letters that died, an audit log or books that do not hold,
//! directions kept from monitors, proposals that wait.
//!
//! Of one cause they are told once an hour at most, and of what they were told of already not again, save for books that still do not
//! balance. Which node tells is decided by the database.

use std::sync::Arc;
use std::time::Duration;

use agio_approvals::{Approvals, Stored, fresh};
use agio_core::identity::Role;
use agio_core::needs::{StaffAddress, StaffAddresses};
use agio_core::{Platform, Result, Timestamp, Tx, execute, fetch_optional};
use agio_ledger::Ledger;
use agio_mail::{Addressee, CHANNEL, Letter, Mailroom};

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
    console: String,
}

/// What is told, and to whom.
struct Alert {
    cause: String,
    letters: Vec<(Addressee, Letter)>,
}

impl Alerts {
    /// Over the assembled house. `site` is its address.
    #[must_use]
    pub fn new(
        platform: &Platform,
        mailroom: Mailroom,
        approvals: Arc<Approvals>,
        addresses: Arc<dyn StaffAddresses>,
        ledger: Ledger,
        site: &str,
    ) -> Self {
        Self { platform: platform.clone(), mailroom, approvals, addresses, ledger, console: format!("{site}/admin") }
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
        let feeds = self.feeds(&mut tx, app, now).await?;
        let mut proposals = Vec::new();
        for kind in self.approvals.kinds() {
            proposals.extend(self.proposals(&mut tx, kind, now).await?.map(|rows| (kind, rows)));
        }
        drop(tx);
        let troubles: Vec<_> = [mail, audit, books, feeds].into_iter().flatten().collect();
        if troubles.is_empty() && proposals.is_empty() {
            return Ok(());
        }
        let staff = self.addresses.addresses().await?;
        due.extend(troubles.into_iter().map(|letter| self.to_owners(letter, &staff)));
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
        let Some(since) = self.since(tx, "alert_mail", now).await? else { return Ok(None) };
        let (count, fault) = agio_core::fetch_one!(tx, (i64, Option<String>), DEAD_SINCE, CHANNEL, since)?;
        let letter = || self.trouble("alert_mail", "/mail", count, fault.as_deref().unwrap_or("?"));
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

    async fn feeds(&self, tx: &mut Tx, app: &App, now: Timestamp) -> Result<Option<Letter>> {
        let Some(since) = self.since(tx, "alert_monitors", now).await? else { return Ok(None) };
        let news = app.monitors.news(since);
        Ok(news.first().map(|first| self.trouble("alert_monitors", "/monitors", news.len(), first)))
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
        Alert { cause: letter.kind.to_owned(), letters: owners.map(|to| (addressee(to), letter.clone())).collect() }
    }

    /// To whoever may decide and is not the author of all of it.
    fn to_deciders(&self, kind: &'static str, rows: &[Stored], staff: &[StaffAddress]) -> Alert {
        let permission = self.approvals.permission(kind);
        let mut letters = Vec::new();
        for to in staff.iter().filter(|to| permission.is_some_and(|permission| to.staff.role.may(permission))) {
            let theirs: Vec<_> = rows.iter().filter(|row| row.proposed_by != to.staff.id).collect();
            let Some(last) = theirs.last() else { continue };
            let letter = Letter::new("alert_approval", ("alert", cause_of(kind)))
                .with("title", self.approvals.title(kind, to.locale))
                .with("name", &last.proposed_name)
                .with("count", theirs.len())
                .linking(format!("{}/approvals", self.console));
            letters.push((addressee(to), letter));
        }
        Alert { cause: cause_of(kind), letters }
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
                    Ok(())
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
