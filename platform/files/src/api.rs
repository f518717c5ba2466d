//! Files in HTTP: read off the wire no further than their limit, and given out as what they are.

use agio_core::{Error, Kind};
use agio_http::Failure;
use poem::http::{HeaderValue, header};
use poem::web::{Field, Multipart};
use poem::{FromRequest, IntoResponse, Request, RequestBody, Response};
use poem_openapi::registry::{MetaMediaType, MetaRequest, MetaResponse, MetaResponses, MetaSchema, MetaSchemaRef, Registry};
use poem_openapi::{ApiExtractor, ApiExtractorType, ApiResponse, ExtractParamOptions};
use tokio::io::AsyncReadExt as _;

use crate::{BYTES_MAX, Uploaded};

/// The field of the form that carries the file.
const FIELD: &str = "file";

/// A multipart form with a file.
#[derive(Debug)]
pub struct FileUpload(pub Uploaded);

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
        let unsupported = |_| Failure(Error::new(Kind::UnsupportedMedia, "unsupported_media"));
        let mut form = <Multipart as FromRequest>::from_request(request, body).await.map_err(unsupported)?;
        while let Some(field) = form.next_field().await.map_err(malformed)? {
            if field.name() == Some(FIELD) {
                return Ok(Self(read(field).await?));
            }
        }
        Err(Failure(Error::unprocessable("validation_failed").at(FIELD, "required")).into())
    }
}

async fn read(field: Field) -> Result<Uploaded, Failure> {
    let name = field.file_name().unwrap_or_default().to_owned();
    let mut bytes = Vec::new();
    // One byte over the limit is enough to know.
    let limited = Box::pin(field.into_async_read()).take(BYTES_MAX as u64 + 1).read_to_end(&mut bytes).await;
    limited.map_err(malformed)?;
    match bytes.len() {
        0 => Err(Failure(Error::unprocessable("validation_failed").at(FIELD, "required"))),
        size if size > BYTES_MAX => Err(Failure(Error::new(Kind::TooLarge, "too_large").with("max", BYTES_MAX))),
        _ => Ok(Uploaded { name, bytes }),
    }
}

fn malformed(error: impl std::error::Error + Send + Sync + 'static) -> Failure {
    Failure(Error::new(Kind::BadRequest, "malformed_body").caused_by(error))
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
