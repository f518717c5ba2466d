//! Tables for spreadsheets.

use agio_core::money::plain;
use agio_core::spreadsheet::{csv_lines, marked, number, to_csv};
use agio_core::texts::Locale;
use agio_core::{Error, ErrorKind, Timestamp};
use futures_util::{Stream, StreamExt as _, TryStreamExt as _, stream};
use poem::http::{HeaderValue, header};
use poem::web::headers::{ContentType, HeaderMapExt as _};
use poem::{Body, IntoResponse, Request, RequestBody, Response};
use poem_openapi::registry::{MetaMediaType, MetaRequest, MetaResponse, MetaResponses, MetaSchema, MetaSchemaRef, Registry};
use poem_openapi::{ApiExtractor, ApiExtractorType, ApiResponse, ExtractParamOptions};
use rust_decimal::Decimal;

use crate::problem::ApiError;

const MEDIA_TYPE: &str = "text/csv; charset=utf-8";

/// A table in UTF-8, sent as an attachment.
pub struct CsvFile {
    /// `Content-Disposition` with the file's name.
    disposition: &'static str,
    table: Body,
}

impl CsvFile {
    /// A table as spreadsheets of a language open it: with a byte order mark, in Russian with semicolons and decimal
    /// commas. `disposition` is the header's whole value, such as `attachment; filename=statement.csv`.
    pub fn new(disposition: &'static str, locale: Locale, lines: impl IntoIterator<Item = Vec<CsvCell>>) -> Self {
        Self { disposition, table: to_csv(texts(lines, locale), locale).into() }
    }

    /// The same of lines that come in parts, of which one is in memory at a time. An error breaks the download off.
    pub fn streamed(
        disposition: &'static str,
        locale: Locale,
        head: Vec<CsvCell>,
        parts: impl Stream<Item = agio_core::Result<Vec<Vec<CsvCell>>>> + Send + 'static,
    ) -> Self {
        let head = to_csv(texts([head], locale), locale);
        let parts = parts.map_ok(move |lines| csv_lines(texts(lines, locale), locale)).map_err(|error| {
            tracing::error!(?error, "a table could not be sent to its end");
            std::io::Error::other(error)
        });
        Self { disposition, table: Body::from_bytes_stream(stream::once(async { Ok(head) }).chain(parts)) }
    }
}

fn texts(lines: impl IntoIterator<Item = Vec<CsvCell>>, locale: Locale) -> impl Iterator<Item = Vec<String>> {
    lines.into_iter().map(move |cells| cells.into_iter().map(|cell| cell.text(locale)).collect())
}

/// A cell of a table.
pub enum CsvCell {
    Text(String),
    Number(Decimal),
    /// Shown in UTC.
    Time(Timestamp),
}

/// The length of `2024-03-28T12:00:00`.
const SECONDS_LENGTH: usize = 19;

impl CsvCell {
    fn text(self, locale: Locale) -> String {
        match self {
            Self::Number(value) => number(&plain(value), locale),
            Self::Time(at) => at.to_string().chars().take(SECONDS_LENGTH).collect::<String>().replace('T', " "),
            Self::Text(text) => marked(&text),
        }
    }
}

impl IntoResponse for CsvFile {
    fn into_response(self) -> Response {
        attachment(TableMedia::Csv, self.disposition, self.table)
    }
}

fn attachment(media: TableMedia, disposition: &'static str, content: impl Into<Body>) -> Response {
    let mut response = Response::builder().content_type(media.name()).body(content);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_DISPOSITION, HeaderValue::from_static(disposition));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

fn table_responses(content: Vec<MetaMediaType>) -> MetaResponses {
    MetaResponses {
        responses: vec![MetaResponse {
            description: "The table, as an attachment.",
            status: Some(200),
            status_range: None,
            content,
            headers: Vec::new(),
        }],
    }
}

impl ApiResponse for CsvFile {
    fn meta() -> MetaResponses {
        let schema = MetaSchemaRef::Inline(Box::new(MetaSchema::new("string")));
        table_responses(vec![MetaMediaType { content_type: "text/csv", schema }])
    }

    fn register(_registry: &mut Registry) {}
}

/// Kind of a table's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableMedia {
    Csv,
    Xlsx,
}

const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

impl TableMedia {
    const fn name(self) -> &'static str {
        match self {
            Self::Csv => MEDIA_TYPE,
            Self::Xlsx => XLSX,
        }
    }

    fn of(content_type: &ContentType) -> Option<Self> {
        match content_type.to_string().split(';').next().map(str::trim) {
            Some("text/csv") => Some(Self::Csv),
            Some(XLSX) => Some(Self::Xlsx),
            _ => None,
        }
    }

    fn content() -> Vec<MetaMediaType> {
        let text = MetaSchemaRef::Inline(Box::new(MetaSchema::new("string")));
        let bytes = MetaSchemaRef::Inline(Box::new(MetaSchema::new_with_format("string", "binary")));
        [("text/csv", text), (XLSX, bytes)].map(|(content_type, schema)| MetaMediaType { content_type, schema }).into()
    }
}

/// A table of either kind, sent as an attachment.
pub struct TableFile {
    media: TableMedia,
    disposition: &'static str,
    bytes: Vec<u8>,
}

impl TableFile {
    /// `disposition` is the header's whole value.
    pub fn new(media: TableMedia, disposition: &'static str, bytes: Vec<u8>) -> Self {
        Self { media, disposition, bytes }
    }
}

impl IntoResponse for TableFile {
    fn into_response(self) -> Response {
        attachment(self.media, self.disposition, self.bytes)
    }
}

impl ApiResponse for TableFile {
    fn meta() -> MetaResponses {
        table_responses(TableMedia::content())
    }

    fn register(_registry: &mut Registry) {}
}

/// A table of either kind, of at most `MAX` bytes.
#[derive(Debug)]
pub struct TableBody<const MAX: usize> {
    pub media: TableMedia,
    pub bytes: bytes::Bytes,
}

impl<'a, const MAX: usize> ApiExtractor<'a> for TableBody<MAX> {
    const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::RequestObject];
    type ParamType = ();
    type ParamRawType = ();

    fn request_meta() -> Option<MetaRequest> {
        Some(MetaRequest { description: None, content: TableMedia::content(), required: true })
    }

    async fn from_request(request: &'a Request, body: &mut RequestBody, _options: ExtractParamOptions<()>) -> poem::Result<Self> {
        let refuse = |kind, code| ApiError(Error::new(kind, code));
        let content_type = request.headers().typed_get::<ContentType>();
        let media = content_type.as_ref().and_then(TableMedia::of);
        let media = media.ok_or_else(|| refuse(ErrorKind::UnsupportedMedia, "unsupported_media"))?;
        let body = body.take().map_err(|_| refuse(ErrorKind::BadRequest, "malformed_body"))?;
        let bytes = body.into_bytes_limit(MAX).await.map_err(|error| match error {
            poem::error::ReadBodyError::PayloadTooLarge => refuse(ErrorKind::TooLarge, "too_large"),
            _ => refuse(ErrorKind::BadRequest, "malformed_body"),
        })?;
        Ok(Self { media, bytes })
    }
}
