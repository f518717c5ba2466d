//! The audit log as the console shows it.

use std::sync::Arc;

use agio_core::audit::{self, Filter, Place, Stored};
use agio_core::error::Params;
use agio_core::identity::Permission;
use agio_core::texts::{Locale, Texts};
use agio_core::{Error, Result, Timestamp};
use agio_http::{Answer, Moment, Null, Outcome, StaffAuth, Visitor};
use poem_openapi::param::Query;
use poem_openapi::{Object, OpenApi};
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use super::{Tag, page_size};
use crate::app::App;

/// Reading who did what.
pub const AUDIT_READ: Permission = Permission("audit.read");

/// The audit log's calls.
pub struct AuditDesk {
    /// The house.
    pub app: App,
    /// All texts.
    pub texts: Arc<Texts>,
}

/// Who did something.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
struct AuditActor {
    /// `staff`, `customer`, `guest`, `partner` or `house`.
    kind: String,
    /// Whose account, where there is one.
    id: Null<Uuid>,
    /// The name colleagues see of staff, the name of a job, else empty.
    name: String,
    /// Where the call came from.
    address: Null<String>,
}

/// Something that was done.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
struct AuditEntry {
    /// Unique: chain and number.
    id: String,
    /// When.
    at: Moment,
    /// Who did it.
    actor: AuditActor,
    /// What was done: `claim.payout_sent`.
    action: String,
    /// The same in words.
    title: String,
    /// The kind of thing it was done to: `claim`, `setting`.
    about_kind: String,
    /// Which one.
    about_id: String,
    /// What it was before, as far as it changed.
    before: Null<Value>,
    /// What it is since, as far as it changed.
    after: Null<Value>,
    /// SHA-256 over this entry and its predecessor's digest, in hexadecimal.
    digest: String,
}

/// A kind of thing that is written down.
#[derive(Serialize, Object)]
struct AuditAction {
    /// Its name: `claim.payout_sent`.
    action: String,
    /// The same in words.
    title: String,
}

/// A page of the audit log, the newest first.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
struct AuditPage {
    /// The entries.
    items: Vec<AuditEntry>,
    /// Send it as `cursor` for the next page; null on the last.
    next_cursor: Null<String>,
}

#[OpenApi(prefix_path = "/api/admin/v1", tag = "Tag::Audit")]
impl AuditDesk {
    /// The audit log
    ///
    /// Who did what, the newest first. Every part of the question may be left out. Needs `audit.read`.
    #[oai(path = "/audit", method = "get", operation_id = "listAudit")]
    #[expect(clippy::too_many_arguments, reason = "each is a parameter of the address")]
    async fn list(
        &self,
        auth: StaffAuth,
        visitor: Visitor,
        /// `staff`, `customer`, `guest`, `partner` or `house`.
        #[oai(name = "actorKind")]
        actor_kind: Query<Option<String>>,
        /// Whose account did it.
        #[oai(name = "actorId")]
        actor_id: Query<Option<String>>,
        /// What was done: `claim.payout_sent`.
        action: Query<Option<String>>,
        /// The kind of thing it was done to: `claim`.
        #[oai(name = "aboutKind")]
        about_kind: Query<Option<String>>,
        /// Which one; with `aboutKind`.
        #[oai(name = "aboutId")]
        about_id: Query<Option<String>>,
        /// From this moment on, RFC 3339.
        from: Query<Option<String>>,
        /// Until before this moment, RFC 3339.
        to: Query<Option<String>>,
        /// `nextCursor` of the page before.
        cursor: Query<Option<String>>,
        /// Rows of a page, at most 100.
        size: Query<Option<u32>>,
    ) -> Outcome<Answer<AuditPage>> {
        auth.may(AUDIT_READ)?;
        let filter = Filter {
            actor_kind: parsed("actorKind", actor_kind.0, |text| text.parse().ok())?,
            actor: parsed("actorId", actor_id.0, |text| text.parse().ok())?,
            action: given(action.0),
            about_kind: given(about_kind.0),
            about_id: given(about_id.0),
            from: parsed("from", from.0, |text| Timestamp::parse(text).ok())?,
            until: parsed("to", to.0, |text| Timestamp::parse(text).ok())?,
        };
        let behind = parsed("cursor", cursor.0, read_cursor)?;
        let size = page_size(size.0)?;
        let mut tx = self.app.platform.db.read().await?;
        let mut entries = audit::entries(&mut tx, &filter, behind, size as i64 + 1).await?;
        let has_more = entries.len() > size;
        entries.truncate(size);
        let next = entries.last().filter(|_| has_more).map(|last| format!("{}_{}_{}", last.at.0, last.chain, last.number));
        let items = entries.into_iter().map(|entry| self.entry(entry, visitor.locale)).collect();
        Ok(Answer(AuditPage { items, next_cursor: Null(next) }))
    }

    /// What is written down
    ///
    /// Every action the log knows, in words. Needs `audit.read`.
    #[oai(path = "/audit/actions", method = "get", operation_id = "listAuditActions")]
    async fn actions(&self, auth: StaffAuth, visitor: Visitor) -> Outcome<Answer<Vec<AuditAction>>> {
        auth.may(AUDIT_READ)?;
        let known = self.texts.below(visitor.locale, "audit.");
        Ok(Answer(known.into_iter().map(|(action, title)| AuditAction { action, title }).collect()))
    }
}

impl AuditDesk {
    fn entry(&self, entry: Stored, locale: Locale) -> AuditEntry {
        let json = |text: Option<String>| Null(text.and_then(|text| serde_json::from_str(&text).ok()));
        AuditEntry {
            id: format!("{}-{}", entry.chain, entry.number),
            at: Moment(entry.at),
            actor: AuditActor {
                kind: entry.actor_kind,
                id: Null(entry.actor_id),
                name: entry.actor_name,
                address: Null(entry.address),
            },
            title: self.texts.get(locale, &format!("audit.{}", entry.action), &Params::new()),
            action: entry.action,
            about_kind: entry.about_kind,
            about_id: entry.about_id,
            before: json(entry.before),
            after: json(entry.after),
            digest: entry.digest,
        }
    }
}

fn given(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.is_empty())
}

/// A part of the question, if it was given, as it is meant.
fn parsed<T>(field: &'static str, text: Option<String>, parse: impl Fn(&str) -> Option<T>) -> Result<Option<T>> {
    let refused = || Error::unprocessable("validation_failed").at(field, "malformed_parameter");
    given(text).map(|text| parse(&text).ok_or_else(refused)).transpose()
}

fn read_cursor(text: &str) -> Option<Place> {
    let mut parts = text.split('_').map(str::parse::<i64>);
    let place = (Timestamp(parts.next()?.ok()?), parts.next()?.ok()?, parts.next()?.ok()?);
    parts.next().is_none().then_some(place)
}
