//! Tables for spreadsheets.

use agio_core::{Error, ErrorKind};
use poem::http::{HeaderValue, header};
use poem::web::headers::{ContentType, HeaderMapExt as _};
use poem::{IntoResponse, Request, RequestBody, Response};
use poem_openapi::payload::{ParsePayload, Payload};
use poem_openapi::registry::{MetaMediaType, MetaRequest, MetaResponse, MetaResponses, MetaSchema, MetaSchemaRef, Registry};
use poem_openapi::{ApiExtractor, ApiExtractorType, ApiResponse, ExtractParamOptions};

use crate::problem::ApiError;

const MEDIA_TYPE: &str = "text/csv; charset=utf-8";

/// A table in UTF-8, sent as an attachment.
pub struct CsvFile {
    /// `Content-Disposition` with the file's name.
    disposition: &'static str,
    table: String,
}

impl CsvFile {
    /// `disposition` is the header's whole value, such as `attachment; filename=statement.csv`.
    #[must_use]
    pub fn new(disposition: &'static str, table: String) -> Self {
        Self { disposition, table }
    }
}

impl IntoResponse for CsvFile {
    fn into_response(self) -> Response {
        let mut response = Response::builder().content_type(MEDIA_TYPE).body(self.table);
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_DISPOSITION, HeaderValue::from_static(self.disposition));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        response
    }
}

impl ApiResponse for CsvFile {
    fn meta() -> MetaResponses {
        let schema = MetaSchemaRef::Inline(Box::new(MetaSchema::new("string")));
        MetaResponses {
            responses: vec![MetaResponse {
                description: "The table, as an attachment.",
                status: Some(200),
                status_range: None,
                content: vec![MetaMediaType { content_type: "text/csv", schema }],
                headers: Vec::new(),
            }],
        }
    }

    fn register(_registry: &mut Registry) {}
}

/// A table in UTF-8, of at most `MAX` bytes.
#[derive(Debug)]
pub struct CsvBody<const MAX: usize>(pub bytes::Bytes);

impl<'a, const MAX: usize> ApiExtractor<'a> for CsvBody<MAX> {
    const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::RequestObject];
    type ParamType = ();
    type ParamRawType = ();

    fn request_meta() -> Option<MetaRequest> {
        let content = vec![MetaMediaType { content_type: "text/csv", schema: <Self as Payload>::schema_ref() }];
        Some(MetaRequest { description: None, content, required: true })
    }

    async fn from_request(request: &'a Request, body: &mut RequestBody, _options: ExtractParamOptions<()>) -> poem::Result<Self> {
        <Self as ParsePayload>::from_request(request, body).await
    }
}

impl<const MAX: usize> Payload for CsvBody<MAX> {
    const CONTENT_TYPE: &'static str = "text/csv";

    fn schema_ref() -> MetaSchemaRef {
        MetaSchemaRef::Inline(Box::new(MetaSchema::new("string")))
    }
}

impl<const MAX: usize> ParsePayload for CsvBody<MAX> {
    const IS_REQUIRED: bool = true;

    async fn from_request(request: &Request, body: &mut RequestBody) -> poem::Result<Self> {
        let refuse = |kind, code| ApiError(Error::new(kind, code));
        let is_csv = |content_type: ContentType| {
            content_type.to_string().split(';').next().is_some_and(|essence| essence.trim() == "text/csv")
        };
        if !request.headers().typed_get::<ContentType>().is_some_and(is_csv) {
            return Err(refuse(ErrorKind::UnsupportedMedia, "unsupported_media").into());
        }
        let body = body.take().map_err(|_| refuse(ErrorKind::BadRequest, "malformed_body"))?;
        let bytes = body.into_bytes_limit(MAX).await.map_err(|error| match error {
            poem::error::ReadBodyError::PayloadTooLarge => refuse(ErrorKind::TooLarge, "too_large"),
            _ => refuse(ErrorKind::BadRequest, "malformed_body"),
        })?;
        Ok(Self(bytes))
    }
}
