//! File uploads and downloads over HTTP.

use std::io::Write as _;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};

use agio_core::{Error, ErrorKind, hex};
use agio_http::ApiError;
use bytes::Bytes;
use futures_util::Stream;
use multer::{Field, Multipart, parse_boundary};
use poem::http::{HeaderValue, header};
use poem::{IntoResponse, Request, RequestBody, Response};
use poem_openapi::registry::{MetaMediaType, MetaRequest, MetaResponse, MetaResponses, MetaSchema, MetaSchemaRef, Registry};
use poem_openapi::{ApiExtractor, ApiExtractorType, ApiResponse, ExtractParamOptions};
use sha2::{Digest as _, Sha256};

use crate::{BYTES_MAX, FileStore, UploadedFile};

/// Form field of the file.
const FIELD: &str = "file";

/// Maximum bytes of a form in addition to the file.
const FORM_OVERHEAD_MAX: usize = 64 * 1024;

/// A multipart form with one file, not read yet. Check permissions first, then [`receive`](Self::receive) it.
pub struct FileUpload {
    form: Multipart<'static>,
    unread: Arc<AtomicUsize>,
    address: IpAddr,
    declared: Option<u64>,
}

impl<'a> ApiExtractor<'a> for FileUpload {
    const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::RequestObject];
    type ParamType = ();
    type ParamRawType = ();

    fn register(_registry: &mut Registry) {}

    fn request_meta() -> Option<MetaRequest> {
        let file = MetaSchemaRef::Inline(Box::new(MetaSchema {
            description: Some("At most 10 MB."),
            ..MetaSchema::new_with_format("string", "binary")
        }));
        let form = MetaSchema { properties: vec![(FIELD, file)], required: vec![FIELD], ..MetaSchema::new("object") };
        Some(MetaRequest {
            description: None,
            content: vec![MetaMediaType { content_type: "multipart/form-data", schema: MetaSchemaRef::Inline(Box::new(form)) }],
            required: true,
        })
    }

    async fn from_request(request: &'a Request, body: &mut RequestBody, _options: ExtractParamOptions<()>) -> poem::Result<Self> {
        let boundary = request.content_type().and_then(|kind| parse_boundary(kind).ok());
        let boundary = boundary.ok_or_else(|| ApiError(Error::new(ErrorKind::UnsupportedMedia, "unsupported_media")))?;
        let unread = Arc::new(AtomicUsize::new(0));
        let chunks =
            LimitedChunks { body: Box::pin(body.take()?.into_bytes_stream()), unread: unread.clone(), has_yielded: false };
        let declared = request.header(header::CONTENT_LENGTH).and_then(|length| length.parse().ok());
        let form = Multipart::new(chunks, boundary);
        Ok(Self { form, unread, address: agio_http::caller::address(request), declared })
    }
}

impl FileUpload {
    /// Streams the file into an unnamed temporary file.
    ///
    /// # Errors
    /// 413 `too_large`, before anything is read where the length was declared; 429 `too_many_uploads`; 503 `uploads_busy`,
    /// `storage_unavailable`; 400 `malformed_body`, also where the form has another field; 422 where it has none.
    pub async fn receive(mut self, store: &FileStore) -> Result<UploadedFile, Error> {
        if self.declared.is_some_and(|declared| declared > (BYTES_MAX + FORM_OVERHEAD_MAX) as u64) {
            return Err(too_large());
        }
        let (_permit, content) = store.begin(self.address).await?;
        let Some(file) = self.form.next_field().await.map_err(malformed)? else {
            return Err(Error::unprocessable("validation_failed").at(FIELD, "required"));
        };
        if file.name() != Some(FIELD) {
            return Err(unknown_field(&file));
        }
        let uploaded = store_field(file, &self.unread, content).await?;
        match self.form.next_field().await.map_err(malformed)? {
            Some(other) => Err(unknown_field(&other)),
            None => Ok(uploaded),
        }
    }
}

/// Error for a form with another field or a second file.
fn unknown_field(field: &Field<'_>) -> Error {
    let error = Error::new(ErrorKind::BadRequest, "malformed_body");
    match field.name() {
        Some(name) if !name.is_empty() => error.at(name, "unknown_field"),
        _ => error,
    }
}

/// Writes a form field to a file.
async fn store_field(mut field: Field<'static>, unread: &AtomicUsize, mut content: std::fs::File) -> Result<UploadedFile, Error> {
    let name = field.file_name().unwrap_or_default().to_owned();
    let (mut digest, mut size) = (Sha256::new(), 0);
    while let Some(chunk) = field.chunk().await.map_err(malformed)? {
        size += chunk.len();
        if size > BYTES_MAX {
            return Err(too_large());
        }
        unread.fetch_sub(chunk.len(), Ordering::Relaxed);
        digest.update(&chunk);
        content = write(content, chunk).await?;
    }
    match size {
        0 => Err(Error::unprocessable("validation_failed").at(FIELD, "required")),
        _ => Ok(UploadedFile { name, sha256: hex::encode(digest.finalize()), content }),
    }
}

async fn write(mut content: std::fs::File, chunk: Bytes) -> Result<std::fs::File, Error> {
    let written = tokio::task::spawn_blocking(move || content.write_all(&chunk).map(|()| content)).await;
    written.map_err(Error::internal)?.map_err(|error| Error::new(ErrorKind::Unavailable, "storage_unavailable").caused_by(error))
}

fn too_large() -> Error {
    Error::new(ErrorKind::TooLarge, "too_large").with("max", BYTES_MAX)
}

fn malformed(error: multer::Error) -> Error {
    match error {
        multer::Error::StreamReadFailed(error) if error.is::<FormTooLarge>() => too_large(),
        error => Error::new(ErrorKind::BadRequest, "malformed_body").caused_by(error),
    }
}

/// Passes on one chunk at a time: otherwise the parser would buffer everything received before it returns any of it.
struct LimitedChunks<S> {
    body: S,
    /// Bytes passed to the parser that it has not returned as part of the file.
    unread: Arc<AtomicUsize>,
    has_yielded: bool,
}

#[derive(Debug)]
struct FormTooLarge;

impl std::fmt::Display for FormTooLarge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the form is too large around the file")
    }
}

impl std::error::Error for FormTooLarge {}

impl<S: Stream<Item = std::io::Result<Bytes>> + Unpin> Stream for LimitedChunks<S> {
    type Item = Result<Bytes, Box<dyn std::error::Error + Send + Sync>>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if std::mem::take(&mut self.has_yielded) {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let Some(chunk) = ready!(Pin::new(&mut self.body).poll_next(cx)) else { return Poll::Ready(None) };
        let chunk = chunk?;
        let unread = self.unread.fetch_add(chunk.len(), Ordering::Relaxed) + chunk.len();
        // The last chunk, of up to the same size, may belong to the file.
        if unread > 2 * FORM_OVERHEAD_MAX {
            return Poll::Ready(Some(Err(Box::new(FormTooLarge))));
        }
        self.has_yielded = true;
        Poll::Ready(Some(Ok(chunk)))
    }
}

/// A file download. Always an attachment, so that uploaded content is never opened on the console's origin.
#[derive(Clone, Debug)]
pub struct PrivateFile {
    /// File name.
    pub name: String,
    pub media_type: String,
    pub bytes: Vec<u8>,
}

impl IntoResponse for PrivateFile {
    fn into_response(self) -> Response {
        let mut response = Response::builder().content_type(&self.media_type).body(self.bytes);
        let headers = response.headers_mut();
        let disposition = format!("attachment; filename*=UTF-8''{}", percent_encoded(&self.name));
        headers.insert(header::CONTENT_DISPOSITION, HeaderValue::try_from(disposition).expect("an encoded name is ASCII"));
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("sandbox"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
        response
    }
}

impl ApiResponse for PrivateFile {
    fn meta() -> MetaResponses {
        let schema = || MetaSchemaRef::Inline(Box::new(MetaSchema::new_with_format("string", "binary")));
        let types = ["image/jpeg", "image/png", "application/pdf"];
        MetaResponses {
            responses: vec![MetaResponse {
                description: "The file, as an attachment.",
                status: Some(200),
                status_range: None,
                content: types.map(|content_type| MetaMediaType { content_type, schema: schema() }).into(),
                headers: Vec::new(),
            }],
        }
    }

    fn register(_registry: &mut Registry) {}
}

/// Percent-encodes every byte but letters, digits and `-._~`.
fn percent_encoded(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    text.bytes().map(|byte| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}
