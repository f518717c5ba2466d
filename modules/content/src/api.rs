//! Public endpoints.

use std::sync::Arc;

use agio_captcha::api::CaptchaCheck;
use agio_core::Error;
use agio_http::{ApiEnum, ApiResult, Created, DateTime, IdempotencyKey, JsonBody, JsonResponse, PreparedResponse, Visitor, body};
use poem_openapi::param::{Header, Path, Query};
use poem_openapi::types::Example;
use poem_openapi::{OpenApi, Tags};
use uuid::Uuid;

use crate::model::ContentPageName;
use crate::service::{Content, NewContactMessage, RenderedPage};

#[derive(Tags)]
enum Tag {
    /// Texts of the information pages, and messages to support.
    Content,
}

pub struct ContentApi(pub Arc<Content>);

/// Text of a page.
#[body(response)]
#[derive(Debug)]
struct ContentView {
    page: ApiEnum<ContentPageName>,
    /// Heading, plain text.
    title: String,
    /// One-sentence description, plain text.
    description: String,
    /// Sanitized HTML.
    html: String,
    /// Version number, from 1.
    version: i64,
    /// Whether it is the current version.
    present: bool,
    /// Time of publication.
    updated_at: DateTime,
    /// Date of publication in the language of the request.
    updated_on: String,
}

impl ContentView {
    fn of(rendered: &RenderedPage, is_present: bool) -> Self {
        Self {
            page: ApiEnum(rendered.page),
            title: rendered.title.clone(),
            description: rendered.description.clone(),
            html: rendered.html.clone(),
            version: rendered.version,
            present: is_present,
            updated_at: rendered.published_at.into(),
            updated_on: rendered.published_on.clone(),
        }
    }
}

/// A message to support.
#[body(request, example)]
#[derive(Debug)]
struct ContactMessageRequest {
    /// Name of the sender.
    name: Option<String>,
    /// E-mail address for the reply.
    email: String,
    /// Up to 4000 characters.
    message: String,
    /// Captcha solution.
    recaptcha: Option<String>,
}

impl Example for ContactMessageRequest {
    fn example() -> Self {
        Self {
            name: Some("Ivan".into()),
            email: "ivan@example.com".into(),
            message: "When will claim 1024 be paid?".into(),
            recaptcha: Some("eyJjaGFsbGVuZ2UiOnt9fQ==".into()),
        }
    }
}

/// A received message.
#[body(response)]
#[derive(Debug)]
struct CreatedContactMessage {
    /// Reference for support.
    id: Uuid,
}

#[OpenApi(prefix_path = "/api/v1", tag = "Tag::Content")]
impl ContentApi {
    /// Get a page
    ///
    /// Pages are `aml`, `faq`, `rules`, `contacts`, `partners`, `discounts` and `contest`. Old versions are available
    /// for `rules` and `aml`, because claims refer to them.
    #[oai(path = "/content/:page", method = "get", operation_id = "getContent")]
    async fn text(
        &self,
        visitor: Visitor,
        page: Path<String>,
        /// Version number; defaults to the current version.
        version: Query<Option<i64>>,
    ) -> ApiResult<PreparedResponse<ContentView>> {
        let page: ContentPageName = page.0.parse().map_err(|_| Error::not_found("content_not_found"))?;
        let present = self.0.rendered_page(page, visitor.locale)?;
        let rendered = match version.0 {
            Some(number) => self.0.rendered_version(page, visitor.locale, number).await?,
            None => present.clone(),
        };
        Ok(PreparedResponse::of(&ContentView::of(&rendered, rendered.version == present.version)))
    }

    /// Get the contact form captcha
    ///
    /// Each message needs a new solution.
    #[oai(path = "/contact/captcha", method = "get", operation_id = "getContactCaptcha")]
    async fn captcha(&self) -> ApiResult<JsonResponse<CaptchaCheck>> {
        Ok(JsonResponse(self.0.captcha()?.into()))
    }

    /// Send a message to support
    ///
    /// Support replies by e-mail. At most five messages per hour from one network.
    #[oai(path = "/contact", method = "post", operation_id = "sendContactMessage")]
    async fn contact(
        &self,
        visitor: Visitor,
        input: JsonBody<ContactMessageRequest>,
        #[oai(name = "Idempotency-Key")] key: Header<Option<String>>,
    ) -> ApiResult<Created<CreatedContactMessage>> {
        let ContactMessageRequest { name, email, message, recaptcha } = input.0;
        let key = IdempotencyKey::check(key.0)?.for_body(format!("contact:{}", visitor.address), &(&name, &email, &message))?;
        let new = NewContactMessage {
            name: name.unwrap_or_default(),
            email,
            message,
            captcha: recaptcha,
            locale: visitor.locale,
            customer: visitor.customer.as_ref().map(|customer| customer.id),
            address: visitor.address,
        };
        let id = self.0.send_message(new, key).await?;
        Ok(Created { body: CreatedContactMessage { id }, cookie: None })
    }
}
