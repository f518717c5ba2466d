//! Console endpoints of the news.

use std::sync::Arc;

use agio_core::identity::Staff;
use agio_core::{Result, Timestamp};
use agio_http::{
    ApiEnum, ApiResult, Created, Cursor, DateTime, IdempotencyKey, JsonBody, JsonResponse, Nullable, Page, StaffAuth, body,
};
use poem_openapi::param::{Header, Path, Query};
use poem_openapi::types::Example;
use poem_openapi::{OpenApi, Tags};
use uuid::Uuid;

use super::bodies::{ContentMarkdown, ContentPreview, ContentTitle, PreviewContentRequest, text_example};

use crate::model::{NewsArticle, NewsState, NewsTexts};
use crate::service::{Content, NewsDraft};
use crate::store::NewsRow;
use crate::{CONTENT_CHANGE, CONTENT_READ};

#[derive(Tags)]
enum NewsTag {
    /// News posts.
    News,
}

pub struct NewsAdminApi(pub Arc<Content>);

/// A news post without its texts.
#[body(response)]
struct NewsSummary {
    id: Uuid,
    /// The end of its address: `/news/SLUG`.
    slug: String,
    state: ApiEnum<NewsState>,
    /// Incremented by every change.
    version: i64,
    title: ContentTitle,
    /// Name of the staff member who saved it last.
    saved_by: String,
    saved_at: DateTime,
    /// When it was published first; null for a post that never was.
    published_at: Nullable<DateTime>,
}

impl From<NewsRow> for NewsSummary {
    fn from(row: NewsRow) -> Self {
        let NewsTexts { ru, en } = row.texts();
        Self {
            id: row.id,
            slug: row.slug,
            state: ApiEnum(row.state),
            version: row.version,
            title: ContentTitle { ru: ru.title, en: en.title },
            saved_by: row.saved_name,
            saved_at: row.saved_at.into(),
            published_at: row.published_at.map(DateTime).into(),
        }
    }
}

/// A news post.
#[body(response)]
struct NewsDetails {
    post: NewsSummary,
    /// The Russian text.
    ru: ContentMarkdown,
    /// The English text.
    en: ContentMarkdown,
}

impl From<NewsRow> for NewsDetails {
    fn from(row: NewsRow) -> Self {
        let NewsTexts { ru, en } = row.texts();
        Self { post: row.into(), ru: ru.into(), en: en.into() }
    }
}

/// A new post.
#[body(shared, example)]
struct CreateNewsRequest {
    /// The end of its address: lower-case letters, digits and hyphens, up to 60 characters. It cannot be changed.
    slug: String,
    state: ApiEnum<NewsState>,
    /// The Russian text.
    ru: ContentMarkdown,
    /// The English text.
    en: ContentMarkdown,
}

impl Example for CreateNewsRequest {
    fn example() -> Self {
        let (state, ru, en) = (ApiEnum(NewsState::Draft), text_example(), text_example());
        Self { slug: "exchange-rules".into(), state, ru, en }
    }
}

/// A changed post.
#[body(request, example)]
struct UpdateNewsRequest {
    /// The version the texts are based on.
    over: i64,
    state: ApiEnum<NewsState>,
    /// The Russian text.
    ru: ContentMarkdown,
    /// The English text.
    en: ContentMarkdown,
}

impl Example for UpdateNewsRequest {
    fn example() -> Self {
        Self { over: 1, state: ApiEnum(NewsState::Published), ru: text_example(), en: text_example() }
    }
}

fn draft(state: ApiEnum<NewsState>, ru: ContentMarkdown, en: ContentMarkdown) -> NewsDraft {
    NewsDraft { state: state.0, texts: NewsTexts { ru: ru.into(), en: en.into() } }
}

#[OpenApi(prefix_path = "/api/admin/v1/news", tag = "NewsTag::News")]
impl NewsAdminApi {
    /// List news posts
    ///
    /// Newest first, drafts included. Needs `content.read`.
    #[oai(path = "/", method = "get", operation_id = "listNews")]
    async fn list(
        &self,
        staff: StaffAuth,
        /// `nextCursor` of the previous page.
        cursor: Query<Option<Cursor<(Timestamp, Uuid)>>>,
        /// Page size.
        #[oai(default = "agio_http::page_size::<50>", validator(minimum(value = "1"), maximum(value = "100")))]
        size: Query<u32>,
    ) -> ApiResult<JsonResponse<Page<NewsSummary, (Timestamp, Uuid)>>> {
        staff.require(CONTENT_READ)?;
        let posts = self.0.list_news(cursor.0.map(|cursor| cursor.0), size.0).await?;
        Ok(JsonResponse(Page::of(posts, NewsSummary::from)))
    }

    /// Create a news post
    ///
    /// Needs `content.change`, and a fresh second factor unless it is a draft.
    #[oai(path = "/", method = "post", operation_id = "createNews")]
    async fn create(
        &self,
        staff: StaffAuth,
        input: JsonBody<CreateNewsRequest>,
        #[oai(name = "Idempotency-Key")] key: Header<Option<String>>,
    ) -> ApiResult<Created<NewsDetails>> {
        let by = may_save(&staff, &input.0.state)?;
        let key = IdempotencyKey::check(key.0)?.for_body(format!("news.create:{}", by.id), &input.0)?;
        let CreateNewsRequest { slug, state, ru, en } = input.0;
        let id = self.0.create_news(slug, draft(state, ru, en), by, key).await?;
        Ok(Created { body: self.0.news_post(id).await?.into(), cookie: None })
    }

    /// Get a news post
    ///
    /// Needs `content.read`.
    #[oai(path = "/:id", method = "get", operation_id = "getNews")]
    async fn get(&self, staff: StaffAuth, id: Path<Uuid>) -> ApiResult<JsonResponse<NewsDetails>> {
        staff.require(CONTENT_READ)?;
        Ok(JsonResponse(self.0.news_post(id.0).await?.into()))
    }

    /// Update a news post
    ///
    /// Creates a version; the state publishes or withdraws it. 409 `news_changed` if somebody else has saved it since.
    /// Needs `content.change`, and a fresh second factor unless it is a draft afterwards.
    #[oai(path = "/:id", method = "put", operation_id = "updateNews")]
    async fn update(
        &self,
        staff: StaffAuth,
        id: Path<Uuid>,
        input: JsonBody<UpdateNewsRequest>,
    ) -> ApiResult<JsonResponse<NewsDetails>> {
        let by = may_save(&staff, &input.0.state)?;
        let UpdateNewsRequest { over, state, ru, en } = input.0;
        Ok(JsonResponse(self.0.save_news(id.0, over, draft(state, ru, en), by).await?.into()))
    }

    /// Preview a news post
    ///
    /// Nothing is stored. Needs `content.read`.
    #[oai(path = "/preview", method = "post", operation_id = "previewNews")]
    async fn preview(&self, staff: StaffAuth, input: JsonBody<PreviewContentRequest>) -> ApiResult<JsonResponse<ContentPreview>> {
        staff.require(CONTENT_READ)?;
        let (locale, text) = input.0.read()?;
        let NewsArticle { title, description, html, .. } = self.0.preview_news(locale, &text);
        Ok(JsonResponse(ContentPreview { title, description, html }))
    }
}

/// Who saves a post in a state.
///
/// # Errors
/// 403 `forbidden`; `fresh_second_factor_needed` for what visitors read.
fn may_save(staff: &StaffAuth, state: &ApiEnum<NewsState>) -> Result<Staff> {
    let by = staff.require(CONTENT_CHANGE)?;
    if state.0 != NewsState::Draft {
        staff.require_fresh()?;
    }
    Ok(by)
}
