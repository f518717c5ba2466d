//! Bodies: read and written by serde, described by poem-openapi.

use agio_core::{Error, FieldError, Kind};
use poem::http::{HeaderValue, StatusCode, header};
use poem::web::headers::HeaderMapExt as _;
use poem::{IntoResponse, Request, RequestBody, Response};
use poem_openapi::payload::{ParsePayload, Payload};
use poem_openapi::registry::{MetaMediaType, MetaRequest, MetaResponse, MetaResponses, MetaSchemaRef, Registry};
use poem_openapi::types::Type;
use poem_openapi::{ApiExtractor, ApiExtractorType, ApiResponse, ExtractParamOptions};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::problem::Failure;
use crate::schema::{Misfit, misfit};
use crate::values::TOO_LONG;

const JSON: &str = "application/json";

/// A JSON body that must be there.
#[derive(Debug)]
pub struct Input<T>(pub T);

/// A JSON body that may be left out; then it is the default.
#[derive(Debug)]
pub struct OptionalInput<T>(pub T);

macro_rules! json_payload {
    ($payload:ident, $($bound:path),+) => {
        impl<'a, T: Type + 'static $(+ $bound)+> ApiExtractor<'a> for $payload<T> {
            const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::RequestObject];
            type ParamType = ();
            type ParamRawType = ();

            fn register(registry: &mut Registry) {
                T::register(registry);
            }

            fn request_meta() -> Option<MetaRequest> {
                Some(MetaRequest {
                    description: None,
                    content: vec![MetaMediaType { content_type: JSON, schema: T::schema_ref() }],
                    required: <Self as ParsePayload>::IS_REQUIRED,
                })
            }

            async fn from_request(
                request: &'a Request,
                body: &mut RequestBody,
                _options: ExtractParamOptions<()>,
            ) -> poem::Result<Self> {
                <Self as ParsePayload>::from_request(request, body).await
            }
        }

        impl<T: Type> Payload for $payload<T> {
            const CONTENT_TYPE: &'static str = JSON;

            fn schema_ref() -> MetaSchemaRef {
                T::schema_ref()
            }

            fn register(registry: &mut Registry) {
                T::register(registry);
            }
        }
    };
}

json_payload!(Input, DeserializeOwned);
json_payload!(OptionalInput, DeserializeOwned, Default);

impl<T: Type + DeserializeOwned + 'static> ParsePayload for Input<T> {
    const IS_REQUIRED: bool = true;

    async fn from_request(request: &Request, body: &mut RequestBody) -> poem::Result<Self> {
        require_json(request)?;
        let bytes = read(body).await?;
        Ok(Self(parse(&bytes)?))
    }
}

impl<T: Type + DeserializeOwned + Default + 'static> ParsePayload for OptionalInput<T> {
    const IS_REQUIRED: bool = false;

    async fn from_request(request: &Request, body: &mut RequestBody) -> poem::Result<Self> {
        let bytes = read(body).await?;
        if bytes.is_empty() {
            return Ok(Self(T::default()));
        }
        require_json(request)?;
        Ok(Self(parse(&bytes)?))
    }
}

/// The most bytes of JSON that are read; no call needs a tenth of it.
pub const BODY_BYTES_MAX: usize = 64 * 1024;

async fn read(body: &mut RequestBody) -> Result<bytes::Bytes, Failure> {
    let unreadable = |_: poem::Error| Failure(Error::new(Kind::BadRequest, "malformed_body"));
    let body = body.take().map_err(|error| unreadable(error.into()))?;
    body.into_bytes_limit(BODY_BYTES_MAX).await.map_err(|error| match error {
        poem::error::ReadBodyError::PayloadTooLarge => Failure(Error::new(Kind::TooLarge, "too_large")),
        error => unreadable(error.into()),
    })
}

fn require_json(request: &Request) -> Result<(), Failure> {
    let is_json = request
        .headers()
        .typed_get::<poem::web::headers::ContentType>()
        .is_some_and(|content_type| content_type.to_string().split(';').next().is_some_and(|essence| essence.trim() == JSON));
    if is_json { Ok(()) } else { Err(Failure(Error::new(Kind::UnsupportedMedia, "unsupported_media"))) }
}

fn parse<T: Type + DeserializeOwned + 'static>(bytes: &[u8]) -> Result<T, Failure> {
    let malformed = || Error::new(Kind::BadRequest, "malformed_body");
    let shape = serde_json::from_slice(bytes).map_err(|_| Failure(malformed()))?;
    match misfit::<T>(&shape) {
        None => {}
        Some(Misfit::Missing(field)) => return Err(Failure(malformed().at(field, "required"))),
        Some(Misfit::WrongType(field)) if field.is_empty() => return Err(Failure(malformed())),
        Some(Misfit::WrongType(field)) => return Err(Failure(malformed().at(field, "wrong_type"))),
    }
    // From the bytes, which still say when a field is there twice.
    let mut json = serde_json::Deserializer::from_slice(bytes);
    serde_path_to_error::deserialize(&mut json).map_err(|error| Failure(refusal(&error)))
}

/// Says which field of a JSON value could not be read, and why, in codes of our own: the library's words stay inside.
fn refusal(error: &serde_path_to_error::Error<serde_json::Error>) -> Error {
    let refused = Error::new(Kind::BadRequest, "malformed_body");
    let message = error.inner().to_string();
    let named = message.split('`').nth(1).unwrap_or_default();
    let path = match error.path().to_string() {
        path if path == "." => String::new(),
        path => path,
    };
    let below = |name: &str| {
        if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
    };
    if message.starts_with(TOO_LONG) {
        return Error::unprocessable("validation_failed").at(path, TOO_LONG);
    }
    let (field, code) = if message.starts_with("unknown field") {
        (if path.ends_with(named) { path.clone() } else { below(named) }, "unknown_field")
    } else if message.starts_with("missing field") {
        (below(named), "required")
    } else if message.starts_with("not_an_amount") {
        (path, "not_an_amount")
    } else {
        (path, "wrong_type")
    };
    if field.is_empty() { refused } else { refused.at(field, code) }
}

/// 200 with a JSON body that is not to be cached.
#[derive(Debug)]
pub struct Answer<T>(pub T);

/// 201 with a JSON body, and a cookie where one is set.
#[derive(Debug)]
pub struct Created<T> {
    /// What was made.
    pub body: T,
    /// A `Set-Cookie` value.
    pub cookie: Option<String>,
}

/// 202 with a JSON body: what was asked for was not done yet, and this is what it waits for.
#[derive(Debug)]
pub struct Accepted<T>(pub T);

/// One of two answers, each with its own status.
#[derive(Debug)]
pub enum Either<A, B> {
    /// The one.
    This(A),
    /// The other.
    That(B),
}

impl<A: IntoResponse, B: IntoResponse> IntoResponse for Either<A, B> {
    fn into_response(self) -> Response {
        match self {
            Self::This(answer) => answer.into_response(),
            Self::That(answer) => answer.into_response(),
        }
    }
}

impl<A: ApiResponse, B: ApiResponse> ApiResponse for Either<A, B> {
    fn meta() -> MetaResponses {
        let mut responses = A::meta().responses;
        responses.extend(B::meta().responses);
        MetaResponses { responses }
    }

    fn register(registry: &mut Registry) {
        A::register(registry);
        B::register(registry);
    }
}

fn json_response(status: StatusCode, body: &impl Serialize) -> Response {
    Response::builder()
        .status(status)
        .header(header::CONTENT_TYPE, JSON)
        .header(header::CACHE_CONTROL, "no-store")
        .body(serde_json::to_vec(body).expect("an answer is plain data"))
}

impl<T: Serialize + Send> IntoResponse for Answer<T> {
    fn into_response(self) -> Response {
        json_response(StatusCode::OK, &self.0)
    }
}

impl<T: Serialize + Send> IntoResponse for Accepted<T> {
    fn into_response(self) -> Response {
        json_response(StatusCode::ACCEPTED, &self.0)
    }
}

impl<T: Serialize + Send> IntoResponse for Created<T> {
    fn into_response(self) -> Response {
        let mut response = json_response(StatusCode::CREATED, &self.body);
        if let Some(cookie) = self.cookie.and_then(|cookie| HeaderValue::from_str(&cookie).ok()) {
            response.headers_mut().insert(header::SET_COOKIE, cookie);
        }
        response
    }
}

/// 204: done, and nothing to say.
#[derive(Debug)]
pub struct Done;

impl IntoResponse for Done {
    fn into_response(self) -> Response {
        StatusCode::NO_CONTENT.into_response()
    }
}

impl ApiResponse for Done {
    fn meta() -> MetaResponses {
        let mut meta = <() as ApiResponse>::meta();
        meta.responses[0].status = Some(204);
        meta.responses[0].description = "Done.";
        meta
    }

    fn register(_registry: &mut Registry) {}
}

macro_rules! json_answer {
    ($answer:ident, $status:literal, $description:literal) => {
        impl<T: Type> ApiResponse for $answer<T> {
            fn meta() -> MetaResponses {
                described::<T>($status, $description)
            }

            fn register(registry: &mut Registry) {
                T::register(registry);
            }
        }
    };
}

json_answer!(Answer, 200, "Done.");
json_answer!(Created, 201, "Made.");
json_answer!(Accepted, 202, "Not done yet: it waits for this.");
json_answer!(Ready, 200, "Done.");

fn described<T: Type>(status: u16, description: &'static str) -> MetaResponses {
    MetaResponses {
        responses: vec![MetaResponse {
            description,
            status: Some(status),
            status_range: None,
            content: vec![MetaMediaType { content_type: JSON, schema: T::schema_ref() }],
            headers: Vec::new(),
        }],
    }
}

/// 200 with a JSON body that was written before: the hot public calls. `T` is what the bytes are.
#[derive(Debug)]
pub struct Ready<T> {
    bytes: bytes::Bytes,
    of: std::marker::PhantomData<fn() -> T>,
}

impl<T> Ready<T> {
    /// Bytes that are the JSON of a `T`.
    #[must_use]
    pub fn new(bytes: bytes::Bytes) -> Self {
        Self { bytes, of: std::marker::PhantomData }
    }
}

impl<T: Send> IntoResponse for Ready<T> {
    fn into_response(self) -> Response {
        Response::builder().header(header::CONTENT_TYPE, JSON).header(header::CACHE_CONTROL, "no-cache").body(self.bytes)
    }
}

/// One thing wrong with one field.
#[must_use]
pub fn field_error(field: impl Into<String>, code: &'static str) -> FieldError {
    FieldError { field: field.into(), code, params: agio_core::error::Params::new() }
}
