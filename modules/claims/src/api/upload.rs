//! Reading a receipt off the wire, no further than its limit.

use agio_core::{Error, Kind};
use agio_http::Failure;
use poem::web::{Field, Multipart};
use poem::{FromRequest, Request, RequestBody};
use poem_openapi::registry::{MetaMediaType, MetaRequest, MetaSchema, MetaSchemaRef, Registry};
use poem_openapi::{ApiExtractor, ApiExtractorType, ExtractParamOptions};
use tokio::io::AsyncReadExt as _;

use crate::rules::image::BYTES_MAX;
use crate::service::Uploaded;

/// The field of the form that carries the file.
const FIELD: &str = "file";

/// A multipart form with a file.
pub struct ReceiptUpload(pub Uploaded);

impl<'a> ApiExtractor<'a> for ReceiptUpload {
    const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::RequestObject];
    type ParamType = ();
    type ParamRawType = ();

    fn register(_registry: &mut Registry) {}

    fn request_meta() -> Option<MetaRequest> {
        let file = MetaSchemaRef::Inline(Box::new(MetaSchema {
            description: Some("JPEG, PNG, WebP or PDF, at most 10 MB."),
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
