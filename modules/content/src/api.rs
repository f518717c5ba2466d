//! The calls pages make.

use std::sync::Arc;

use agio_captcha::api::CaptchaCheck;
use agio_core::Error;
use agio_http::{Answer, Created, IdempotencyKey, Input, Moment, Outcome, Visitor};
use poem_openapi::param::{Header, Path, Query};
use poem_openapi::types::Example;
use poem_openapi::{Object, OpenApi, Tags};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::model::Page;
use crate::service::{Content, NewMessage, Shown};

#[derive(Tags)]
enum Tag {
    /// Texts of the information pages, and writing to support.
    Content,
}

/// The pages' calls.
pub struct ContentApi(Arc<Content>);

impl ContentApi {
    /// The calls.
    #[must_use]
    pub fn new(content: Arc<Content>) -> Self {
        Self(content)
    }
}

/// A text as a page shows it.
#[derive(Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
struct ContentText {
    /// The page.
    page: String,
    /// The heading: plain text.
    title: String,
    /// What the page is about, in a sentence: plain text.
    description: String,
    /// The text: HTML that is safe to show.
    html: String,
    /// Its version, from 1.
    version: i64,
    /// Whether it holds now.
    present: bool,
    /// When it was published.
    updated_at: Moment,
    /// The same as a day in words.
    updated_on: String,
}

impl ContentText {
    fn of(shown: &Shown, is_present: bool) -> Self {
        Self {
            page: shown.page.to_string(),
            title: shown.title.clone(),
            description: shown.description.clone(),
            html: shown.html.clone(),
            version: shown.version,
            present: is_present,
            updated_at: shown.published_at.into(),
            updated_on: shown.published_on.clone(),
        }
    }
}

/// A message to support.
#[derive(Debug, Deserialize, Object)]
#[serde(deny_unknown_fields)]
#[oai(deny_unknown_fields, example)]
struct ContactMessage {
    /// How the writer wants to be called.
    name: Option<String>,
    /// Where the answer goes.
    email: String,
    /// What it says, up to 4000 characters.
    message: String,
    /// The answer to the captcha.
    recaptcha: Option<String>,
}

impl Example for ContactMessage {
    fn example() -> Self {
        Self {
            name: Some("Ivan".into()),
            email: "ivan@example.com".into(),
            message: "When will claim 1024 be paid?".into(),
            recaptcha: Some("eyJjaGFsbGVuZ2UiOnt9fQ==".into()),
        }
    }
}

/// A message that was taken.
#[derive(Debug, Serialize, Object)]
struct ContactTaken {
    /// Identifier, for talk with support.
    id: Uuid,
}

#[OpenApi(prefix_path = "/api/v1", tag = "Tag::Content")]
impl ContentApi {
    /// The text of a page
    ///
    /// Pages are `aml`, `faq`, `rules`, `contacts`, `partners`, `discounts` and `contest`. Old versions can be read of `rules` and `aml`, which
    /// claims refer to.
    #[oai(path = "/content/:page", method = "get", operation_id = "getContent")]
    async fn text(
        &self,
        visitor: Visitor,
        page: Path<String>,
        /// Which version; the one that holds unless it is named.
        version: Query<Option<i64>>,
    ) -> Outcome<Answer<ContentText>> {
        let page: Page = page.0.parse().map_err(|_| Error::not_found("content_not_found"))?;
        let present = self.0.shown(page, visitor.locale)?;
        let shown = match version.0 {
            Some(number) => self.0.shown_version(page, visitor.locale, number).await?,
            None => present.clone(),
        };
        Ok(Answer(ContentText::of(&shown, shown.version == present.version)))
    }

    /// The captcha of a message to support
    ///
    /// Each message needs an answer of its own.
    #[oai(path = "/contact/captcha", method = "get", operation_id = "getContactCaptcha")]
    async fn captcha(&self) -> Outcome<Answer<CaptchaCheck>> {
        Ok(Answer(self.0.captcha()?.into()))
    }

    /// Write to support
    ///
    /// The answer comes by mail. From one address five messages are taken in an hour.
    #[oai(path = "/contact", method = "post", operation_id = "sendContactMessage")]
    async fn contact(
        &self,
        visitor: Visitor,
        input: Input<ContactMessage>,
        /// Any text of 8 to 255 visible ASCII characters, made anew for each message.
        #[oai(name = "Idempotency-Key")]
        key: Header<Option<String>>,
    ) -> Outcome<Created<ContactTaken>> {
        let ContactMessage { name, email, message, recaptcha } = input.0;
        let content = serde_json::to_vec(&(&name, &email, &message)).map_err(Error::internal)?;
        let key = IdempotencyKey::check(key.0)?.for_content(format!("contact:{}", visitor.address), &content);
        let new = NewMessage {
            name: name.unwrap_or_default(),
            email,
            message,
            captcha: recaptcha,
            locale: visitor.locale,
            customer: visitor.customer.as_ref().map(|customer| customer.id),
            address: visitor.address,
        };
        let id = self.0.take_message(new, key).await?;
        Ok(Created { body: ContactTaken { id }, cookie: None })
    }
}
