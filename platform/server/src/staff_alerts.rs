//! Alerts to staff by email and notifier: undeliverable emails and webhooks, a damaged audit log or ledger, unreadable
//! claims, failed sign-up requests, directions left out of feeds, suspended pairs, payments to review, quarantined
//! plugins and waiting approval requests.
//!
//! Staff get at most one alert per cause and hour, and each fact only once, except for ledger differences that remain.
//! The database decides which node sends an alert.

use std::sync::Arc;
use std::time::Duration;

use agio_approvals::{ApprovalRow, Approvals, list_waiting_since};
use agio_contracts::{StaffEmail, StaffEmails, SuspensionReason};
use agio_core::error::Params;
use agio_core::identity::Role;
use agio_core::texts::{Locale, Texts};
use agio_core::{Platform, Result, Timestamp, Tx, execute, fetch_optional};
use agio_ledger::Ledger;
use agio_mail::{CHANNEL, Email, Mailer, Recipient};
use agio_staff_alerts::{StaffAlert, StaffAlertSender};

use crate::app::App;

agio_core::statements! {
    LAST_ALERT_AT = "SELECT sent_at FROM alert WHERE cause = $1";
    /// Claims the right to send an alert, unless one was sent recently.
    CLAIM_ALERT = "INSERT INTO alert (cause, sent_at) VALUES ($1, $2)
        ON CONFLICT (cause) DO UPDATE SET sent_at = excluded.sent_at WHERE alert.sent_at <= $3";
    /// The number of undeliverable messages since a time, and the last error. Undeliverable alerts do not count.
    DEAD_SINCE = "SELECT COUNT(*), (SELECT last.fault FROM outbox last
            WHERE last.channel = $1 AND last.state = 'dead' AND last.settled_at > $2 AND last.about_kind <> 'alert' ORDER BY last.id DESC LIMIT 1)
        FROM outbox WHERE channel = $1 AND state = 'dead' AND settled_at > $2 AND about_kind <> 'alert'";
    /// The number of messages that wait since before a time, and the last error of any.
    WAITING_SINCE = "SELECT COUNT(*), (SELECT last.fault FROM outbox last
            WHERE last.channel = $1 AND last.state = 'queued' AND last.fault IS NOT NULL ORDER BY last.id DESC LIMIT 1)
        FROM outbox WHERE channel = $1 AND state = 'queued' AND created_at <= $2";
}

/// The minimum time between alerts of one cause.
const PAUSE: Duration = Duration::from_secs(60 * 60);

/// How long emails may wait before notifiers report it.
const MAIL_DELAY: Duration = Duration::from_secs(10 * 60);

/// The maximum length of a quoted error, in characters.
const FAULT_MAX: usize = 300;

#[derive(Clone)]
pub struct StaffAlertJob {
    platform: Platform,
    mailer: Mailer,
    approvals: Arc<Approvals>,
    addresses: Arc<dyn StaffEmails>,
    ledger: Ledger,
    staff_alerts: StaffAlertSender,
    texts: Arc<Texts>,
    language: Locale,
    console: String,
}

struct PendingAlert {
    cause: String,
    message: StaffAlert,
    emails: Vec<(Recipient, Email)>,
}

impl StaffAlertJob {
    /// `site` is the URL of the console's host. Notifier messages use these texts in this language.
    pub fn new(
        platform: &Platform,
        (mailer, staff_alerts): (Mailer, StaffAlertSender),
        (texts, language): (Arc<Texts>, Locale),
        approvals: Arc<Approvals>,
        addresses: Arc<dyn StaffEmails>,
        ledger: Ledger,
        site: &str,
    ) -> Self {
        let (platform, console) = (platform.clone(), format!("{site}/admin"));
        Self { platform, mailer, approvals, addresses, ledger, staff_alerts, texts, language, console }
    }

    /// Sends all alerts that are due.
    pub async fn run(&self, app: &App) -> Result<()> {
        let mut tx = self.platform.db.read().await?;
        let now = self.platform.clock.now();
        let owner_emails = [
            self.dead(&mut tx, ("alert_mail", "/mail"), CHANNEL, now).await?,
            self.audit_faults(&mut tx, app, now).await?,
            self.ledger_differences(&mut tx, now).await?,
            self.claims(&mut tx, app, now).await?,
            self.feeds(&mut tx, app, now).await?,
            self.dead(&mut tx, ("alert_webhooks", "/partners"), agio_partners::CHANNEL, now).await?,
            self.payments(&mut tx, app, now).await?,
            self.payout_differences(&mut tx, app, now).await?,
            self.requests(&mut tx, app, now).await?,
        ];
        let plugins = self.plugins(&mut tx, app, now).await?;
        let owner_emails: Vec<_> = owner_emails.into_iter().flatten().chain(plugins).collect();
        let rates = self.rates(&mut tx, app, now).await?;
        let stuck_mail = self.stuck_mail(&mut tx, now).await?;
        let mut approval_requests = Vec::new();
        for kind in self.approvals.kinds() {
            approval_requests.extend(self.approval_requests(&mut tx, kind, now).await?.map(|rows| (kind, rows)));
        }
        drop(tx);
        if owner_emails.is_empty() && approval_requests.is_empty() && rates.is_none() && stuck_mail.is_none() {
            return Ok(());
        }
        let staff = self.addresses.addresses().await?;
        let mut due: Vec<_> = owner_emails.into_iter().map(|email| self.to_owners(email, &staff)).collect();
        due.extend(rates.map(|stopped| self.to_owners_of_rates(app, &stopped, &staff)));
        due.extend(approval_requests.into_iter().map(|(kind, rows)| self.to_approvers(kind, &rows, &staff)));
        for alert in due.into_iter().filter(|alert| !alert.emails.is_empty()).chain(stuck_mail) {
            self.send(Arc::new(alert), now).await?;
        }
        Ok(())
    }

    /// The time of the last alert of a cause, or `None` if it was sent less than [`PAUSE`] ago.
    async fn since(&self, tx: &mut Tx, cause: &str, now: Timestamp) -> Result<Option<Timestamp>> {
        let last_alert_at =
            fetch_optional!(tx, (Timestamp,), LAST_ALERT_AT, cause)?.map_or(Timestamp(0), |(last_alert_at,)| last_alert_at);
        Ok((last_alert_at <= now.minus(PAUSE)).then_some(last_alert_at))
    }

    /// Messages of a channel that became undeliverable since the last alert.
    async fn dead(
        &self,
        tx: &mut Tx,
        (kind, screen): (&'static str, &str),
        channel: &str,
        now: Timestamp,
    ) -> Result<Option<Email>> {
        let Some(since) = self.since(tx, kind, now).await? else { return Ok(None) };
        let (count, fault) = agio_core::fetch_one!(tx, (i64, Option<String>), DEAD_SINCE, channel, since)?;
        let email = || self.alert_email(kind, screen, count, fault.as_deref().unwrap_or("?"));
        Ok((count > 0).then(email))
    }

    /// Emails that do not leave, repeated while they do not. It goes to notifiers only: an email would wait, too.
    async fn stuck_mail(&self, tx: &mut Tx, now: Timestamp) -> Result<Option<PendingAlert>> {
        const KIND: &str = "alert_mail_stuck";
        if self.since(tx, KIND, now).await?.is_none() {
            return Ok(None);
        }
        let (count, fault) = agio_core::fetch_one!(tx, (i64, Option<String>), WAITING_SINCE, CHANNEL, now.minus(MAIL_DELAY))?;
        let message = || self.alert_message(&self.alert_email(KIND, "/mail", count, fault.as_deref().unwrap_or("?")));
        Ok((count > 0).then(|| PendingAlert { cause: KIND.to_owned(), message: message(), emails: Vec::new() }))
    }

    async fn audit_faults(&self, tx: &mut Tx, app: &App, now: Timestamp) -> Result<Option<Email>> {
        let Some(since) = self.since(tx, "alert_audit", now).await? else { return Ok(None) };
        let Some(verification) = app.last_audit_verification().filter(|verification| verification.at > since) else {
            return Ok(None);
        };
        let faults = &verification.found.faults;
        Ok(faults.first().map(|fault| self.alert_email("alert_audit", "/audit", faults.len(), fault)))
    }

    async fn ledger_differences(&self, tx: &mut Tx, now: Timestamp) -> Result<Option<Email>> {
        let checked = self.ledger.last_check();
        let Some(difference) = checked.differences.first() else { return Ok(None) };
        let is_due = self.since(tx, "alert_books", now).await?.is_some();
        Ok(is_due.then(|| self.alert_email("alert_books", "/", checked.differences.len(), &difference.to_string())))
    }

    /// Claims with unreadable data, repeated while there are any.
    async fn claims(&self, tx: &mut Tx, app: &App, now: Timestamp) -> Result<Option<Email>> {
        let found = app.claims.unreadable();
        if found.is_empty() || self.since(tx, "alert_claims", now).await?.is_none() {
            return Ok(None);
        }
        let numbers: Vec<_> = found.iter().map(|number| format!("№ {number}")).collect();
        Ok(Some(self.alert_email("alert_claims", "/claims", found.len(), &numbers.join(", "))))
    }

    async fn feeds(&self, tx: &mut Tx, app: &App, now: Timestamp) -> Result<Option<Email>> {
        let Some(since) = self.since(tx, "alert_aggregators", now).await? else { return Ok(None) };
        let findings = app.feeds.new_findings(since);
        Ok(findings.first().map(|first| self.alert_email("alert_aggregators", "/aggregators", findings.len(), first)))
    }

    async fn payments(&self, tx: &mut Tx, app: &App, now: Timestamp) -> Result<Option<Email>> {
        let Some(since) = self.since(tx, "alert_payments", now).await? else { return Ok(None) };
        let count = app.payments.count_issues_since(since).await?;
        Ok((count > 0).then(|| self.alert_email("alert_payments", "/payments", count, "")))
    }

    /// Payouts that differ from the ledger.
    async fn payout_differences(&self, tx: &mut Tx, app: &App, now: Timestamp) -> Result<Option<Email>> {
        let Some(since) = self.since(tx, "alert_sent", now).await? else { return Ok(None) };
        let differences = app.payments.differences();
        let new_differences: Vec<_> = differences.iter().filter(|difference| difference.changed_at > since).collect();
        Ok(new_differences
            .first()
            .map(|first| self.alert_email("alert_sent", "/payments", new_differences.len(), &first.to_string())))
    }

    /// Requests for an account or a link that failed for good. The log has the reasons without personal data.
    async fn requests(&self, tx: &mut Tx, app: &App, now: Timestamp) -> Result<Option<Email>> {
        let Some(since) = self.since(tx, "alert_requests", now).await? else { return Ok(None) };
        let count = app.auth.failed_requests_since(since).await?;
        Ok((count > 0).then(|| self.alert_email("alert_requests", "/", count, "")))
    }

    /// Quarantined plugins. Each plugin is a separate cause, so that one alert does not delay another.
    async fn plugins(&self, tx: &mut Tx, app: &App, now: Timestamp) -> Result<Vec<Email>> {
        let mut emails = Vec::new();
        for entry in app.plugin_manager.entries() {
            let Some((reason, at)) = entry.quarantine() else { continue };
            let cause = format!("alert_plugin.{}", entry.name);
            if self.since(tx, &cause, now).await?.is_some_and(|last_alert_at| at > last_alert_at) {
                let email = self.alert_email("alert_plugin", "/plugins", 1, &reason).with("name", &entry.name);
                emails.push(Email { about: ("alert", cause), ..email });
            }
        }
        Ok(emails)
    }

    /// Suspended pairs, described to each owner in their language.
    async fn rates(&self, tx: &mut Tx, app: &App, now: Timestamp) -> Result<Option<Vec<(i64, SuspensionReason)>>> {
        let Some(since) = self.since(tx, "alert_rates", now).await? else { return Ok(None) };
        Ok(Some(app.rates.recent_suspensions(since).await?).filter(|stopped| !stopped.is_empty()))
    }

    fn to_owners_of_rates(&self, app: &App, stopped: &[(i64, SuspensionReason)], staff: &[StaffEmail]) -> PendingAlert {
        let market = app.calculator.market();
        let email_in = |locale| {
            let details = stopped.first().map(|(pair, stop)| {
                let codes = market.pair(*pair).map(|pair| format!("{} → {}", pair.give.facts.code, pair.receive.facts.code));
                format!("{}: {}", codes.unwrap_or_default(), app.rates.suspension_text(stop, locale))
            });
            self.alert_email("alert_rates", "/rates", stopped.len(), &details.unwrap_or_default())
        };
        let owners = staff.iter().filter(|to| to.staff.role == Role::Owner);
        let emails = owners.map(|to| (recipient(to), email_in(to.locale))).collect();
        PendingAlert { cause: "alert_rates".to_owned(), message: self.alert_message(&email_in(self.language)), emails }
    }

    async fn approval_requests(&self, tx: &mut Tx, kind: &'static str, now: Timestamp) -> Result<Option<Vec<ApprovalRow>>> {
        let Some(since) = self.since(tx, &approval_cause(kind), now).await? else { return Ok(None) };
        let rows = list_waiting_since(tx, kind, since).await?;
        Ok((!rows.is_empty()).then_some(rows))
    }

    fn alert_email(&self, kind: &'static str, screen: &str, count: impl ToString, fault: &str) -> Email {
        let fault: String = fault.chars().take(FAULT_MAX).collect();
        Email::new(kind, ("alert", kind.to_owned()))
            .with("count", count)
            .with("fault", fault)
            .with_button(format!("{}{screen}", self.console))
    }

    fn to_owners(&self, email: Email, staff: &[StaffEmail]) -> PendingAlert {
        let owners = staff.iter().filter(|to| to.staff.role == Role::Owner);
        let message = self.alert_message(&email);
        PendingAlert { cause: email.about.1.clone(), message, emails: owners.map(|to| (recipient(to), email.clone())).collect() }
    }

    /// The alert as notifiers send it.
    fn alert_message(&self, email: &Email) -> StaffAlert {
        let params: Params = email.params.iter().cloned().collect();
        let text_of = |part: &str| self.texts.get(self.language, &format!("mail.{}.{part}", email.kind), &params);
        let text = format!("{}\n\n{}", text_of("subject"), text_of("body"));
        StaffAlert { event: email.kind, about: email.about.clone(), text, url: email.button.clone() }
    }

    /// To staff who may decide at least one of the requests.
    fn to_approvers(&self, kind: &'static str, rows: &[ApprovalRow], staff: &[StaffEmail]) -> PendingAlert {
        let permission = self.approvals.permission(kind);
        let approval_email = |last: &ApprovalRow, count: usize, locale| {
            Email::new("alert_approval", ("alert", approval_cause(kind)))
                .with("title", self.approvals.title(kind, locale))
                .with("name", &last.proposed_name)
                .with("count", count)
                .with_button(format!("{}/approvals", self.console))
        };
        let mut emails = Vec::new();
        for to in staff.iter().filter(|to| permission.is_some_and(|permission| to.staff.role.has(permission))) {
            let decidable: Vec<_> = rows.iter().filter(|row| row.proposed_by != to.staff.id).collect();
            let Some(last) = decidable.last() else { continue };
            emails.push((recipient(to), approval_email(last, decidable.len(), to.locale)));
        }
        let last = rows.last().expect("an alert has at least one request");
        let message = self.alert_message(&approval_email(last, rows.len(), self.language));
        PendingAlert { cause: approval_cause(kind), message, emails }
    }

    async fn send(&self, alert: Arc<PendingAlert>, now: Timestamp) -> Result<()> {
        let this = self.clone();
        self.platform
            .db
            .write(move |tx| {
                let (this, alert) = (this.clone(), alert.clone());
                Box::pin(async move {
                    if execute!(tx, CLAIM_ALERT, &alert.cause, now, now.minus(PAUSE))? == 0 {
                        return Ok(());
                    }
                    for (to, email) in &alert.emails {
                        this.mailer.send(tx, to, email, now).await?;
                    }
                    this.staff_alerts.send(tx, &alert.message, now).await
                })
            })
            .await
    }
}

fn approval_cause(kind: &str) -> String {
    format!("alert_approval.{kind}")
}

fn recipient(to: &StaffEmail) -> Recipient {
    Recipient { email: to.email.clone(), locale: to.locale }
}
