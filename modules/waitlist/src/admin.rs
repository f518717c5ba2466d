//! Console endpoints.

use std::sync::Arc;

use agio_http::{ApiResult, JsonResponse, StaffAuth, body};
use poem_openapi::{OpenApi, Tags};

use crate::WAITLIST_READ;
use crate::service::Waitlist;

#[derive(Tags)]
enum Tag {
    /// Visitors who wait for a direction.
    Waitlist,
}

pub struct WaitlistAdminApi(pub Arc<Waitlist>);

/// How many visitors wait for a direction.
#[body(response)]
struct WaitlistDirectionSummary {
    /// Id of the given currency.
    give_id: i64,
    /// Code of the given currency.
    give: String,
    /// Id of the received currency.
    receive_id: i64,
    /// Code of the received currency.
    receive: String,
    /// Ticker of the received currency.
    receive_ticker: String,
    /// Confirmed entries.
    waiting: i64,
    /// Those of them that wait for a rate.
    waiting_for_rate: i64,
}

#[OpenApi(prefix_path = "/api/admin/v1/waitlist", tag = "Tag::Waitlist")]
impl WaitlistAdminApi {
    /// List waitlist directions
    ///
    /// The most wanted first. Addresses are shown to nobody. Needs `waitlist.read`.
    #[oai(path = "/", method = "get", operation_id = "listWaitlistDirections")]
    async fn list(&self, staff: StaffAuth) -> ApiResult<JsonResponse<Vec<WaitlistDirectionSummary>>> {
        staff.require(WAITLIST_READ)?;
        let waited = self.0.direction_counts().await?;
        let summaries = waited.into_iter().map(|(direction, row)| WaitlistDirectionSummary {
            give_id: row.give_id,
            give: direction.give.code.clone(),
            receive_id: row.receive_id,
            receive: direction.receive.code.clone(),
            receive_ticker: direction.receive.ticker.clone(),
            waiting: row.waiting,
            waiting_for_rate: row.for_rate,
        });
        Ok(JsonResponse(summaries.collect()))
    }
}
