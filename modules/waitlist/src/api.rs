//! Public endpoints.

use std::sync::Arc;

use agio_captcha::api::CaptchaCheck;
use agio_http::{Accepted, ApiEnum, ApiResult, DateTime, Dec, JsonBody, JsonResponse, NoContent, Nullable, Visitor, body};
use poem_openapi::param::Path;
use poem_openapi::types::Example;
use poem_openapi::{OpenApi, Tags};
use uuid::Uuid;

use crate::model::{WaitlistCondition, WaitlistState};
use crate::service::{NewWaitlistEntry, Waitlist, WaitlistEntry};

#[derive(Tags)]
enum Tag {
    /// Being told once when a direction has a reserve or a rate.
    Waitlist,
}

pub struct WaitlistApi(pub Arc<Waitlist>);

/// What a visitor wants to be told.
#[body(request, example)]
struct JoinWaitlistRequest {
    /// Where the confirmation and the notification are sent.
    email: String,
    /// Code of the given currency.
    give: String,
    /// Code of the received currency.
    receive: String,
    /// The amount that can be received at least. Any by default.
    amount: Option<Dec>,
    /// What is received for one unit given at least. Any rate by default.
    rate: Option<Dec>,
    /// Captcha solution.
    recaptcha: Option<String>,
}

impl Example for JoinWaitlistRequest {
    fn example() -> Self {
        Self {
            email: "ivan@example.com".into(),
            give: "BTC".into(),
            receive: "SBERRUB".into(),
            amount: Some(Dec(500_000.into())),
            rate: None,
            recaptcha: Some("eyJjaGFsbGVuZ2UiOnt9fQ==".into()),
        }
    }
}

/// A request that waits for the confirmation of its address.
#[body(response)]
struct JoinWaitlistResponse {
    /// The email may be missing: one mailbox gets three in a day.
    state: ApiEnum<WaitlistState>,
}

/// An entry of the waitlist.
#[body(response)]
struct WaitlistEntryView {
    state: ApiEnum<WaitlistState>,
    /// Code of the given currency.
    give: String,
    /// Code of the received currency.
    receive: String,
    /// Name of the given currency in the language of the request.
    give_name: String,
    /// Name of the received currency in the language of the request.
    receive_name: String,
    give_ticker: String,
    receive_ticker: String,
    /// The amount that can be received at least; null for any.
    amount: Nullable<Dec>,
    /// What is received for one unit given at least; null for any rate.
    rate: Nullable<Dec>,
    /// When the entry is deleted.
    expires_at: DateTime,
}

impl WaitlistEntryView {
    fn of(entry: WaitlistEntry, visitor: &Visitor) -> Self {
        let WaitlistEntry { direction, condition, row } = entry;
        let (give, receive) = (&direction.give, &direction.receive);
        Self {
            state: ApiEnum(row.state),
            give: give.code.clone(),
            receive: receive.code.clone(),
            give_name: give.name.get(visitor.locale).to_owned(),
            receive_name: receive.name.get(visitor.locale).to_owned(),
            give_ticker: give.ticker.clone(),
            receive_ticker: receive.ticker.clone(),
            amount: condition.amount.map(Dec).into(),
            rate: condition.rate.map(Dec).into(),
            expires_at: row.expires_at.into(),
        }
    }
}

#[OpenApi(prefix_path = "/api/v1/waitlist", tag = "Tag::Waitlist")]
impl WaitlistApi {
    /// Get the waitlist captcha
    ///
    /// Each request needs a new solution.
    #[oai(path = "/captcha", method = "get", operation_id = "getWaitlistCaptcha")]
    async fn captcha(&self) -> ApiResult<JsonResponse<CaptchaCheck>> {
        Ok(JsonResponse(self.0.captcha()?.into()))
    }

    /// Join the waitlist of a direction
    ///
    /// An email asks to confirm the address. Once the direction can be exchanged with the amount and the rate, one
    /// email says so. The response is the same for every address. 422 `waitlist_already_met` at `give` if that is so
    /// now; 409 `waitlist_closed` if the exchange sends no such emails. At most ten requests per hour from one network.
    #[oai(path = "/", method = "post", operation_id = "joinWaitlist")]
    async fn join(&self, visitor: Visitor, input: JsonBody<JoinWaitlistRequest>) -> ApiResult<Accepted<JoinWaitlistResponse>> {
        let JoinWaitlistRequest { email, give, receive, amount, rate, recaptcha } = input.0;
        let condition = WaitlistCondition { amount: amount.map(|amount| amount.0), rate: rate.map(|rate| rate.0) };
        let (locale, address) = (visitor.locale, visitor.address);
        self.0.join(NewWaitlistEntry { email, give, receive, condition, captcha: recaptcha, locale, address }).await?;
        Ok(Accepted(JoinWaitlistResponse { state: ApiEnum(WaitlistState::Pending) }))
    }

    /// Get a waitlist entry
    ///
    /// The id is from the links in the emails.
    #[oai(path = "/:id", method = "get", operation_id = "getWaitlistEntry")]
    async fn get(&self, visitor: Visitor, id: Path<Uuid>) -> ApiResult<JsonResponse<WaitlistEntryView>> {
        Ok(JsonResponse(WaitlistEntryView::of(self.0.entry(id.0).await?, &visitor)))
    }

    /// Confirm a waitlist entry
    ///
    /// Repeating it changes nothing.
    #[oai(path = "/:id/confirm", method = "post", operation_id = "confirmWaitlistEntry")]
    async fn confirm(&self, visitor: Visitor, id: Path<Uuid>) -> ApiResult<JsonResponse<WaitlistEntryView>> {
        Ok(JsonResponse(WaitlistEntryView::of(self.0.confirm(id.0).await?, &visitor)))
    }

    /// Unsubscribe from the waitlist
    ///
    /// Deletes every entry of the mailbox. Mail programs call it with one click (RFC 8058), so any body is accepted and
    /// an unknown id succeeds.
    #[oai(path = "/:id/unsubscribe", method = "post", operation_id = "unsubscribeFromWaitlist")]
    async fn unsubscribe(&self, id: Path<Uuid>) -> ApiResult<NoContent> {
        self.0.unsubscribe(id.0).await?;
        Ok(NoContent)
    }
}
