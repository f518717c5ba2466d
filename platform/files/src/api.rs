//! Files in HTTP: taken off the wire in pieces, and given out as what they are.

use std::io::Write as _;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};

use agio_core::{Error, Kind, hex};
use agio_http::Failure;
use bytes::Bytes;
use futures_util::Stream;
use multer::{Field, Multipart, parse_boundary};
use poem::http::{HeaderValue, header};
use poem::{IntoResponse, Request, RequestBody, Response};
use poem_openapi::registry::{MetaMediaType, MetaRequest, MetaResponse, MetaResponses, MetaSchema, MetaSchemaRef, Registry};
use poem_openapi::{ApiExtractor, ApiExtractorType, ApiResponse, ExtractParamOptions};
use sha2::{Digest as _, Sha256};

use crate::{BYTES_MAX, Folder, Uploaded};

/// The field of the form that carries the file.
const FIELD: &str = "file";

/// The most bytes of a form that are not the file but around it.
const AROUND_BYTES_MAX: usize = 64 * 1024;

/// A multipart form with a file and nothing else, not read yet: check whatever can be checked, then [`receive`](Self::receive) it.
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
        let boundary = boundary.ok_or_else(|| Failure(Error::new(Kind::UnsupportedMedia, "unsupported_media")))?;
        let unread = Arc::new(AtomicUsize::new(0));
        let pieces = Pieces { body: Box::pin(body.take()?.into_bytes_stream()), unread: unread.clone(), has_given: false };
        let declared = request.header(header::CONTENT_LENGTH).and_then(|length| length.parse().ok());
        let form = Multipart::new(pieces, boundary);
        Ok(Self { form, unread, address: agio_http::caller::address(request), declared })
    }
}

impl FileUpload {
    /// Reads the file, a piece at a time, into a nameless one in this folder.
    ///
    /// # Errors
    /// 413 `too_large`, before anything is read where the length was declared; 429 `too_many_uploads`; 503 `uploads_busy`,
    /// `storage_unavailable`; 400 `malformed_body`, also where the form has another field; 422 where it has none.
    pub async fn receive(mut self, folder: &Folder) -> Result<Uploaded, Error> {
        if self.declared.is_some_and(|declared| declared > (BYTES_MAX + AROUND_BYTES_MAX) as u64) {
            return Err(too_large());
        }
        let (_permit, content) = folder.begin(self.address).await?;
        let Some(file) = self.form.next_field().await.map_err(malformed)? else {
            return Err(Error::unprocessable("validation_failed").at(FIELD, "required"));
        };
        if file.name() != Some(FIELD) {
            return Err(unknown(&file));
        }
        let uploaded = written(file, &self.unread, content).await?;
        match self.form.next_field().await.map_err(malformed)? {
            Some(other) => Err(unknown(&other)),
            None => Ok(uploaded),
        }
    }
}

/// What is said to a form with another field than the file, or with two.
fn unknown(field: &Field<'_>) -> Error {
    let refused = Error::new(Kind::BadRequest, "malformed_body");
    match field.name() {
        Some(name) if !name.is_empty() => refused.at(name, "unknown_field"),
        _ => refused,
    }
}

/// Writes a field to a file.
async fn written(mut field: Field<'static>, unread: &AtomicUsize, mut content: std::fs::File) -> Result<Uploaded, Error> {
    let name = field.file_name().unwrap_or_default().to_owned();
    let (mut digest, mut size) = (Sha256::new(), 0);
    while let Some(piece) = field.chunk().await.map_err(malformed)? {
        size += piece.len();
        if size > BYTES_MAX {
            return Err(too_large());
        }
        unread.fetch_sub(piece.len(), Ordering::Relaxed);
        digest.update(&piece);
        content = write(content, piece).await?;
    }
    match size {
        0 => Err(Error::unprocessable("validation_failed").at(FIELD, "required")),
        _ => Ok(Uploaded { name, sha256: hex::encode(digest.finalize()), content }),
    }
}

async fn write(mut content: std::fs::File, piece: Bytes) -> Result<std::fs::File, Error> {
    let written = tokio::task::spawn_blocking(move || content.write_all(&piece).map(|()| content)).await;
    written.map_err(Error::internal)?.map_err(|error| Error::new(Kind::Unavailable, "storage_unavailable").caused_by(error))
}

fn too_large() -> Error {
    Error::new(Kind::TooLarge, "too_large").with("max", BYTES_MAX)
}

fn malformed(error: multer::Error) -> Error {
    match error {
        multer::Error::StreamReadFailed(error) if error.is::<TooMuchAround>() => too_large(),
        error => Error::new(Kind::BadRequest, "malformed_body").caused_by(error),
    }
}

/// A body, a piece at a time: the parser would else gather whatever has come before it gives any of it out.
struct Pieces<S> {
    body: S,
    /// Bytes the parser was given and has not given out as the file's.
    unread: Arc<AtomicUsize>,
    has_given: bool,
}

/// More came around the file than belongs there.
#[derive(Debug)]
struct TooMuchAround;

impl std::fmt::Display for TooMuchAround {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("more came around the file than belongs there")
    }
}

impl std::error::Error for TooMuchAround {}

impl<S: Stream<Item = std::io::Result<Bytes>> + Unpin> Stream for Pieces<S> {
    type Item = Result<Bytes, Box<dyn std::error::Error + Send + Sync>>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if std::mem::take(&mut self.has_given) {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let Some(piece) = ready!(Pin::new(&mut self.body).poll_next(cx)) else { return Poll::Ready(None) };
        let piece = piece?;
        let unread = self.unread.fetch_add(piece.len(), Ordering::Relaxed) + piece.len();
        // The last piece, of up to as much again, may be the file's.
        if unread > 2 * AROUND_BYTES_MAX {
            return Poll::Ready(Some(Err(Box::new(TooMuchAround))));
        }
        self.has_given = true;
        Poll::Ready(Some(Ok(piece)))
    }
}

/// A file to be saved. Always an attachment: what a stranger sent is not opened on the console's own address.
#[derive(Clone, Debug)]
pub struct PrivateFile {
    /// The name to save it under.
    pub name: String,
    /// Its media type.
    pub media_type: String,
    /// Its content.
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

/// Text in which every byte but letters, digits and `-._~` is written as `%XX`.
fn percent_encoded(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    text.bytes().map(|byte| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}
