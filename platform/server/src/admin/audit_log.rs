//! The admin API of the audit log.

use std::sync::Arc;

use agio_core::audit::{self, AuditFilter, AuditPosition};
use agio_core::error::Params;
use agio_core::identity::{AuditActorKind, Permission};
use agio_core::keyset::KeysetPage;
use agio_core::texts::{Locale, Texts};
use agio_core::{Error, Result};
use agio_http::{ApiEnum, ApiResult, Cursor, DateTime, JsonResponse, Nullable, Page, StaffAuth, Visitor, body};
use poem_openapi::OpenApi;
use poem_openapi::param::Query;
use serde_json::Value;
use uuid::Uuid;

use super::Tag;
use crate::app::App;

pub const AUDIT_READ: Permission = Permission("audit.read");

pub struct AuditAdminApi {
    pub app: App,
    pub texts: Arc<Texts>,
}

/// The actor of an audit entry.
#[body(response)]
struct AuditActorView {
    kind: ApiEnum<AuditActorKind>,
    /// The account id, if any.
    id: Nullable<Uuid>,
    /// The name of a staff member or job; empty for others.
    name: String,
    /// The IP address of the request.
    address: Nullable<String>,
}

/// An entry of the audit log.
#[body(response)]
struct AuditEntryView {
    /// Chain and number.
    id: String,
    /// The time of the action.
    at: DateTime,
    actor: AuditActorView,
    /// The action: `claim.payout_sent`.
    action: String,
    /// The action in the caller's language.
    title: String,
    /// The kind of its object: `claim`, `setting`.
    about_kind: String,
    /// The id of its object.
    about_id: String,
    /// The changed values before the action.
    before: Nullable<Value>,
    /// The changed values after the action.
    after: Nullable<Value>,
    /// SHA-256 of this entry and the previous digest, in hexadecimal.
    digest: String,
}

/// An action that the audit log records.
#[body(response)]
struct AuditActionView {
    /// The name: `claim.payout_sent`.
    action: String,
    /// The action in the caller's language.
    title: String,
}

#[OpenApi(prefix_path = "/api/admin/v1", tag = "Tag::AuditLog")]
impl AuditAdminApi {
    /// List audit entries
    ///
    /// Newest first. All filters are optional. Needs `audit.read`.
    #[oai(path = "/audit", method = "get", operation_id = "listAuditEntries")]
    #[expect(clippy::too_many_arguments, reason = "each is a query parameter")]
    async fn list(
        &self,
        auth: StaffAuth,
        visitor: Visitor,
        #[oai(name = "actorKind")] actor_kind: Query<Option<ApiEnum<AuditActorKind>>>,
        /// The account id of the actor.
        #[oai(name = "actorId")]
        actor_id: Query<Option<Uuid>>,
        /// The action: `claim.payout_sent`.
        action: Query<Option<String>>,
        /// The kind of object: `claim`.
        #[oai(name = "aboutKind")]
        about_kind: Query<Option<String>>,
        /// The id of the object; with `aboutKind`.
        #[oai(name = "aboutId")]
        about_id: Query<Option<String>>,
        /// Since this time (inclusive), RFC 3339.
        from: Query<Option<DateTime>>,
        /// Until this time (exclusive), RFC 3339.
        to: Query<Option<DateTime>>,
        /// `nextCursor` of the previous page.
        cursor: Query<Option<Cursor<AuditPosition>>>,
        /// The page size.
        #[oai(default = "agio_http::page_size::<50>", validator(minimum(value = "1"), maximum(value = "100")))]
        size: Query<u32>,
    ) -> ApiResult<JsonResponse<Page<AuditEntryView, AuditPosition>>> {
        auth.require(AUDIT_READ)?;
        let filter = AuditFilter {
            actor_kind: actor_kind.0.map(|kind| kind.0),
            actor: actor_id.0,
            action: given(action.0),
            about_kind: given(about_kind.0),
            about_id: given(about_id.0),
            from: from.0.map(|from| from.0),
            until: to.0.map(|until| until.0),
        };
        let mut tx = self.app.platform.db.read().await?;
        let KeysetPage { rows, next } =
            audit::entries(&mut tx, &filter, cursor.0.map(|cursor| cursor.0), size.0 as usize).await?;
        let rows = rows.into_iter().map(|entry| self.entry(entry, visitor.locale)).collect::<Result<_>>()?;
        Ok(JsonResponse(Page::of(KeysetPage { rows, next }, |entry| entry)))
    }

    /// List audit actions
    ///
    /// All actions that the log records. Needs `audit.read`.
    #[oai(path = "/audit/actions", method = "get", operation_id = "listAuditActions")]
    async fn actions(&self, auth: StaffAuth, visitor: Visitor) -> ApiResult<JsonResponse<Vec<AuditActionView>>> {
        auth.require(AUDIT_READ)?;
        let known = self.texts.with_prefix(visitor.locale, "audit.");
        Ok(JsonResponse(known.into_iter().map(|(action, title)| AuditActionView { action, title }).collect()))
    }
}

impl AuditAdminApi {
    fn entry(&self, entry: audit::AuditEntry, locale: Locale) -> Result<AuditEntryView> {
        let json = |text: Option<String>| Nullable(text.and_then(|text| serde_json::from_str(&text).ok()));
        Ok(AuditEntryView {
            id: format!("{}-{}", entry.chain, entry.number),
            at: DateTime(entry.at),
            actor: AuditActorView {
                kind: ApiEnum(entry.actor_kind.parse().map_err(Error::internal)?),
                id: Nullable(entry.actor_id),
                name: entry.actor_name,
                address: Nullable(entry.address),
            },
            title: self.texts.get(locale, &format!("audit.{}", entry.action), &Params::new()),
            action: entry.action,
            about_kind: entry.about_kind,
            about_id: entry.about_id,
            before: json(entry.before),
            after: json(entry.after),
            digest: entry.digest,
        })
    }
}

fn given(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.is_empty())
}
