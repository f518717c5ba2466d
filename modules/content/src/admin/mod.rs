//! The calls the console makes.

mod bodies;

use std::sync::Arc;

use agio_core::Error;
use agio_http::{Answer, Created, IdempotencyKey, Input, Outcome, StaffAuth};
use poem_openapi::param::{Header, Path, Query};
use poem_openapi::{OpenApi, Tags};

use crate::model::Page;
use crate::service::Content;
use crate::{CONTACT_READ, CONTENT_CHANGE, CONTENT_READ};

use bodies::{
    DeskContent, DeskContentDraft, DeskContentList, DeskContentPreview, DeskContentSample, DeskContentVersions, DeskMessages,
    read_cursor,
};

/// Rows of a page unless more or fewer are wanted, and the most there are.
const SIZE: u32 = 50;
const SIZE_MAX: u32 = 100;

#[derive(Tags)]
enum ConsoleTag {
    /// Texts of the information pages and their versions, and what visitors write to support.
    Content,
}

/// The console's calls.
pub struct ContentDesk(Arc<Content>);

impl ContentDesk {
    /// The calls.
    #[must_use]
    pub fn new(content: Arc<Content>) -> Self {
        Self(content)
    }
}

#[OpenApi(prefix_path = "/api/admin/v1", tag = "ConsoleTag::Content")]
impl ContentDesk {
    /// List pages
    ///
    /// Every page with its newest version. Needs `content.read`.
    #[oai(path = "/content", method = "get", operation_id = "listContent")]
    async fn list(&self, staff: StaffAuth) -> Outcome<Answer<DeskContentList>> {
        staff.may(CONTENT_READ)?;
        let newest = self.0.newest().await?;
        Ok(Answer(DeskContentList::of(&self.0, newest)?))
    }

    /// A page as it is written
    ///
    /// The newest version, or the one that is named. Needs `content.read`.
    #[oai(path = "/content/:page", method = "get", operation_id = "getDeskContent")]
    async fn view(
        &self,
        staff: StaffAuth,
        page: Path<String>,
        /// Which version.
        version: Query<Option<i64>>,
    ) -> Outcome<Answer<DeskContent>> {
        staff.may(CONTENT_READ)?;
        Ok(Answer(self.0.whole(read_page(&page.0)?, version.0).await?.into()))
    }

    /// Versions of a page
    ///
    /// The newest first. Needs `content.read`.
    #[oai(path = "/content/:page/versions", method = "get", operation_id = "listContentVersions")]
    async fn versions(
        &self,
        staff: StaffAuth,
        page: Path<String>,
        /// `nextCursor` of the page before.
        cursor: Query<Option<String>>,
        /// Rows of a page, at most 100.
        size: Query<Option<u32>>,
    ) -> Outcome<Answer<DeskContentVersions>> {
        staff.may(CONTENT_READ)?;
        let (page, size) = (read_page(&page.0)?, read_size(size.0)?);
        let before = cursor.0.map(|text| text.parse().map_err(|_| refused("cursor"))).transpose()?;
        let rows = self.0.versions(page, before.unwrap_or(i64::MAX), size + 1).await?;
        Ok(Answer(DeskContentVersions::of(rows, size)))
    }

    /// Publish a text
    ///
    /// Makes a new version of the page; a language that is left out stays as it is. `over` is the version the texts were written over: 409
    /// `content_changed` when a colleague has published since. Needs `content.change`.
    #[oai(path = "/content/:page/versions", method = "post", operation_id = "publishContent")]
    async fn publish(
        &self,
        staff: StaffAuth,
        page: Path<String>,
        input: Input<DeskContentDraft>,
        /// Any text of 8 to 255 visible ASCII characters, made anew for each publication.
        #[oai(name = "Idempotency-Key")]
        key: Header<Option<String>>,
    ) -> Outcome<Created<DeskContent>> {
        let staff = staff.may(CONTENT_CHANGE)?;
        let page = read_page(&page.0)?;
        let content = serde_json::to_vec(&input.0).map_err(Error::internal)?;
        let key = IdempotencyKey::check(key.0)?.for_content(format!("content.publish:{page}:{}", staff.id), &content);
        let version = self.0.publish(page, input.0.into(), staff, key).await?;
        Ok(Created { body: self.0.whole(page, Some(version)).await?.into(), cookie: None })
    }

    /// See a text as the page will show it
    ///
    /// Nothing is stored. Needs `content.read`.
    #[oai(path = "/content/:page/preview", method = "post", operation_id = "previewContent")]
    async fn preview(
        &self,
        staff: StaffAuth,
        page: Path<String>,
        input: Input<DeskContentSample>,
    ) -> Outcome<Answer<DeskContentPreview>> {
        staff.may(CONTENT_READ)?;
        let page = read_page(&page.0)?;
        let (locale, text) = input.0.read()?;
        Ok(Answer(self.0.preview(page, locale, &text).into()))
    }

    /// What visitors wrote to support
    ///
    /// The newest first. Messages are deleted when their time is over. Needs `contact.read`.
    #[oai(path = "/contact-messages", method = "get", operation_id = "listContactMessages")]
    async fn messages(
        &self,
        staff: StaffAuth,
        /// `nextCursor` of the page before.
        cursor: Query<Option<String>>,
        /// Rows of a page, at most 100.
        size: Query<Option<u32>>,
    ) -> Outcome<Answer<DeskMessages>> {
        staff.may(CONTACT_READ)?;
        let size = read_size(size.0)?;
        let before = cursor.0.map(|text| read_cursor(&text).ok_or_else(|| refused("cursor"))).transpose()?;
        Ok(Answer(self.0.messages(before, size).await?.into()))
    }
}

fn read_page(name: &str) -> Result<Page, Error> {
    name.parse().map_err(|_| Error::not_found("content_not_found"))
}

fn read_size(size: Option<u32>) -> Result<i64, Error> {
    let size = size.unwrap_or(SIZE);
    if (1..=SIZE_MAX).contains(&size) { Ok(size.into()) } else { Err(refused("size")) }
}

fn refused(field: &str) -> Error {
    Error::unprocessable("validation_failed").at(field, "malformed_parameter")
}
