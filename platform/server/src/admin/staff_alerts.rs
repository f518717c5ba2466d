//! The admin API of staff alerts sent by notifiers.

use agio_core::Result;
use agio_core::identity::Permission;
use agio_core::outbox::{OutboxMessage, OutboxState};
use agio_http::{ApiEnum, ApiResult, Cursor, DateTime, JsonResponse, Nullable, StaffAuth, body};
use agio_staff_alerts::{CHANNEL, read_notification};
use poem_openapi::OpenApi;
use poem_openapi::param::{Path, Query};

use super::Tag;
use super::outbox::AdminOutboxChannel;
use crate::app::App;

pub const STAFF_ALERTS_READ: Permission = Permission("notices.read");
pub const STAFF_ALERTS_RESEND: Permission = Permission("notices.resend");

const STAFF_ALERTS: AdminOutboxChannel = AdminOutboxChannel { name: CHANNEL, subject: "notice", requeue_action: "notice.resent" };

pub struct StaffAlertAdminApi(pub App);

#[body(response)]
struct StaffAlertSummary {
    /// Ids increase with time.
    id: i64,
    /// The notifier plugin.
    notifier: String,
    /// The event: `alert_books`.
    event: String,
    /// The message.
    text: String,
    /// The console page of the event.
    url: Nullable<String>,
    state: ApiEnum<OutboxState>,
    /// The number of delivery attempts.
    attempts: i64,
    /// When it is tried next; null if it is not queued.
    next_at: Nullable<DateTime>,
    /// The error of the last attempt.
    fault: Nullable<String>,
    created_at: DateTime,
    /// When it was sent or given up.
    settled_at: Nullable<DateTime>,
}

/// A page of staff alerts, newest first.
#[body(response)]
struct StaffAlertPage {
    items: Vec<StaffAlertSummary>,
    /// The `cursor` of the next page; null on the last page.
    next_cursor: Nullable<Cursor<i64>>,
    /// The number of queued alerts.
    queued: i64,
    /// The number of undeliverable alerts.
    dead: i64,
}

#[OpenApi(prefix_path = "/api/admin/v1", tag = "Tag::StaffAlerts")]
impl StaffAlertAdminApi {
    /// List staff alerts
    ///
    /// The alerts of one state, newest first. Needs `notices.read`.
    #[oai(path = "/staff-alerts", method = "get", operation_id = "listStaffAlerts")]
    async fn list(
        &self,
        auth: StaffAuth,
        /// The delivery state, by default `dead`.
        state: Query<Option<ApiEnum<OutboxState>>>,
        /// `nextCursor` of the previous page.
        cursor: Query<Option<Cursor<i64>>>,
        /// The page size.
        #[oai(default = "agio_http::page_size::<50>", validator(minimum(value = "1"), maximum(value = "100")))]
        size: Query<u32>,
    ) -> ApiResult<JsonResponse<StaffAlertPage>> {
        auth.require(STAFF_ALERTS_READ)?;
        let page = STAFF_ALERTS.page(&self.0, state.0, cursor.0, size.0).await?;
        Ok(JsonResponse(StaffAlertPage {
            items: page.messages.rows.into_iter().map(summary).collect::<Result<_>>()?,
            next_cursor: page.messages.next.map(Cursor).into(),
            queued: page.queued,
            dead: page.dead,
        }))
    }

    /// Resend an undeliverable staff alert
    ///
    /// The same notifier sends it with the same key, so that a receiver can recognise duplicates. Needs
    /// `notices.resend`. 409 `message_not_dead` if it is queued or was sent.
    #[oai(path = "/staff-alerts/:id/resend", method = "post", operation_id = "resendStaffAlert")]
    async fn resend(&self, auth: StaffAuth, id: Path<i64>) -> ApiResult<JsonResponse<StaffAlertSummary>> {
        let staff = auth.require(STAFF_ALERTS_RESEND)?;
        Ok(JsonResponse(summary(STAFF_ALERTS.requeue(&self.0, &staff, id.0).await?)?))
    }
}

fn summary(message: OutboxMessage) -> Result<StaffAlertSummary> {
    let alert = read_notification(&message)?;
    Ok(StaffAlertSummary {
        id: message.id,
        notifier: message.recipient,
        event: alert.event,
        text: alert.text,
        url: Nullable(alert.url),
        state: ApiEnum(message.state),
        attempts: message.attempts,
        next_at: Nullable((message.state == OutboxState::Queued).then_some(DateTime(message.next_at))),
        fault: Nullable(message.fault),
        created_at: DateTime(message.created_at),
        settled_at: Nullable(message.settled_at.map(DateTime)),
    })
}
