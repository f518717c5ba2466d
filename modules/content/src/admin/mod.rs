//! Console endpoints.

mod bodies;
mod news;

use std::sync::Arc;

use agio_core::{Error, Timestamp};
use agio_http::{ApiResult, Created, Cursor, IdempotencyKey, JsonBody, JsonResponse, Page, StaffAuth};
use poem_openapi::param::{Header, Path, Query};
use poem_openapi::{OpenApi, Tags};
use uuid::Uuid;

use crate::model::ContentPageName;
use crate::service::Content;
use crate::{CONTACT_READ, CONTENT_CHANGE, CONTENT_READ};

pub use news::NewsAdminApi;

use bodies::{
    ContactMessageView, ContentPageList, ContentPreview, ContentVersionDetails, ContentVersionSummary, PreviewContentRequest,
    PublishContentRequest,
};

#[derive(Tags)]
enum AdminTag {
    /// Texts of the information pages, their versions, and messages to support.
    Content,
}

pub struct ContentAdminApi(pub Arc<Content>);

#[OpenApi(prefix_path = "/api/admin/v1", tag = "AdminTag::Content")]
impl ContentAdminApi {
    /// List pages
    ///
    /// Each with its latest version. Needs `content.read`.
    #[oai(path = "/content", method = "get", operation_id = "listContentPages")]
    async fn list(&self, staff: StaffAuth) -> ApiResult<JsonResponse<ContentPageList>> {
        staff.require(CONTENT_READ)?;
        let newest = self.0.newest().await?;
        Ok(JsonResponse(ContentPageList::of(&self.0, newest)?))
    }

    /// Get a page version
    ///
    /// The latest version unless another is given. Needs `content.read`.
    #[oai(path = "/content/:page", method = "get", operation_id = "getContentVersion")]
    async fn view(
        &self,
        staff: StaffAuth,
        page: Path<String>,
        version: Query<Option<i64>>,
    ) -> ApiResult<JsonResponse<ContentVersionDetails>> {
        staff.require(CONTENT_READ)?;
        Ok(JsonResponse(self.0.page_version(read_page(&page.0)?, version.0).await?.into()))
    }

    /// List versions of a page
    ///
    /// Newest first. Needs `content.read`.
    #[oai(path = "/content/:page/versions", method = "get", operation_id = "listContentVersions")]
    async fn versions(
        &self,
        staff: StaffAuth,
        page: Path<String>,
        /// `nextCursor` of the previous page.
        cursor: Query<Option<Cursor<i64>>>,
        /// Page size.
        #[oai(default = "agio_http::page_size::<50>", validator(minimum(value = "1"), maximum(value = "100")))]
        size: Query<u32>,
    ) -> ApiResult<JsonResponse<Page<ContentVersionSummary, i64>>> {
        staff.require(CONTENT_READ)?;
        let before = cursor.0.map_or(i64::MAX, |cursor| cursor.0);
        let versions = self.0.versions(read_page(&page.0)?, before, size.0).await?;
        Ok(JsonResponse(Page::of(versions, ContentVersionSummary::from)))
    }

    /// Publish a page
    ///
    /// Creates a new version; an omitted language stays unchanged. `over` is the version the texts are based on: 409
    /// `content_changed` if somebody else has published since. Needs `content.change` and a fresh second factor.
    #[oai(path = "/content/:page/versions", method = "post", operation_id = "publishContent")]
    async fn publish(
        &self,
        staff: StaffAuth,
        page: Path<String>,
        input: JsonBody<PublishContentRequest>,
        #[oai(name = "Idempotency-Key")] key: Header<Option<String>>,
    ) -> ApiResult<Created<ContentVersionDetails>> {
        let by = staff.require(CONTENT_CHANGE)?;
        staff.require_fresh()?;
        let page = read_page(&page.0)?;
        let key = IdempotencyKey::check(key.0)?.for_body(format!("content.publish:{page}:{}", by.id), &input.0)?;
        let version = self.0.publish(page, input.0.into(), by, key).await?;
        Ok(Created { body: self.0.page_version(page, Some(version)).await?.into(), cookie: None })
    }

    /// Preview a page
    ///
    /// Nothing is stored. Needs `content.read`.
    #[oai(path = "/content/:page/preview", method = "post", operation_id = "previewContent")]
    async fn preview(
        &self,
        staff: StaffAuth,
        page: Path<String>,
        input: JsonBody<PreviewContentRequest>,
    ) -> ApiResult<JsonResponse<ContentPreview>> {
        staff.require(CONTENT_READ)?;
        let page = read_page(&page.0)?;
        let (locale, text) = input.0.read()?;
        Ok(JsonResponse(self.0.preview(page, locale, &text).into()))
    }

    /// List messages to support
    ///
    /// Newest first. Messages are deleted after the retention period. Needs `contact.read`.
    #[oai(path = "/contact-messages", method = "get", operation_id = "listContactMessages")]
    async fn messages(
        &self,
        staff: StaffAuth,
        /// `nextCursor` of the previous page.
        cursor: Query<Option<Cursor<(Timestamp, Uuid)>>>,
        /// Page size.
        #[oai(default = "agio_http::page_size::<50>", validator(minimum(value = "1"), maximum(value = "100")))]
        size: Query<u32>,
    ) -> ApiResult<JsonResponse<Page<ContactMessageView, (Timestamp, Uuid)>>> {
        staff.require(CONTACT_READ)?;
        let messages = self.0.messages(cursor.0.map(|cursor| cursor.0), size.0).await?;
        Ok(JsonResponse(Page::of(messages, ContactMessageView::from)))
    }
}

fn read_page(name: &str) -> Result<ContentPageName, Error> {
    name.parse().map_err(|_| Error::not_found("content_not_found"))
}
