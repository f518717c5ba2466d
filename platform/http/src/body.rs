//! Request and response bodies: (de)serialised by serde, described by poem-openapi.

use std::marker::PhantomData;
use std::sync::Arc;

use agio_core::{Error, ErrorKind, FieldError};
use poem::http::{HeaderValue, StatusCode, header};
use poem::web::headers::HeaderMapExt as _;
use poem::{IntoResponse, Request, RequestBody, Response};
use poem_openapi::payload::{ParsePayload, Payload};
use poem_openapi::registry::{MetaMediaType, MetaRequest, MetaResponse, MetaResponses, MetaSchemaRef, Registry};
use poem_openapi::types::Type;
use poem_openapi::{ApiExtractor, ApiExtractorType, ApiResponse, ExtractParamOptions};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::prepared::{Effort, PreparedBody};
use crate::problem::ApiError;
use crate::schema::{SchemaMismatch, mismatch};
use crate::values::TOO_LONG;

const JSON: &str = "application/json";

/// A required JSON body.
#[derive(Debug)]
pub struct JsonBody<T>(pub T);

/// An optional JSON body; the default if it is missing.
#[derive(Debug)]
pub struct OptionalJsonBody<T>(pub T);

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

json_payload!(JsonBody, DeserializeOwned);
json_payload!(OptionalJsonBody, DeserializeOwned, Default);

impl<T: Type + DeserializeOwned + 'static> ParsePayload for JsonBody<T> {
    const IS_REQUIRED: bool = true;

    async fn from_request(request: &Request, body: &mut RequestBody) -> poem::Result<Self> {
        require_json(request)?;
        let bytes = read(body).await?;
        Ok(Self(parse(&bytes)?))
    }
}

impl<T: Type + DeserializeOwned + Default + 'static> ParsePayload for OptionalJsonBody<T> {
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

/// The greatest JSON body that is read; no call needs a tenth of it.
pub const BODY_BYTES_MAX: usize = 64 * 1024;

async fn read(body: &mut RequestBody) -> Result<bytes::Bytes, ApiError> {
    let unreadable = |_: poem::Error| ApiError(Error::new(ErrorKind::BadRequest, "malformed_body"));
    let body = body.take().map_err(|error| unreadable(error.into()))?;
    body.into_bytes_limit(BODY_BYTES_MAX).await.map_err(|error| match error {
        poem::error::ReadBodyError::PayloadTooLarge => ApiError(Error::new(ErrorKind::TooLarge, "too_large")),
        error => unreadable(error.into()),
    })
}

fn require_json(request: &Request) -> Result<(), ApiError> {
    let is_json = request
        .headers()
        .typed_get::<poem::web::headers::ContentType>()
        .is_some_and(|content_type| content_type.to_string().split(';').next().is_some_and(|essence| essence.trim() == JSON));
    if is_json { Ok(()) } else { Err(ApiError(Error::new(ErrorKind::UnsupportedMedia, "unsupported_media"))) }
}

fn parse<T: Type + DeserializeOwned + 'static>(bytes: &[u8]) -> Result<T, ApiError> {
    let malformed = || Error::new(ErrorKind::BadRequest, "malformed_body");
    let shape = serde_json::from_slice(bytes).map_err(|_| ApiError(malformed()))?;
    match mismatch::<T>(&shape) {
        None => {}
        Some(SchemaMismatch::Missing(field)) => return Err(ApiError(malformed().at(field, "required"))),
        Some(SchemaMismatch::WrongType(field)) if field.is_empty() => return Err(ApiError(malformed())),
        Some(SchemaMismatch::WrongType(field)) => return Err(ApiError(malformed().at(field, "wrong_type"))),
    }
    // From the bytes, because only they show duplicate fields.
    let mut json = serde_json::Deserializer::from_slice(bytes);
    serde_path_to_error::deserialize(&mut json).map_err(|error| ApiError(refusal(&error)))
}

/// Which field of a JSON value could not be read, and why, in our own codes.
fn refusal(error: &serde_path_to_error::Error<serde_json::Error>) -> Error {
    let refused = Error::new(ErrorKind::BadRequest, "malformed_body");
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

/// 200 with a JSON body that must not be cached.
#[derive(Debug)]
pub struct JsonResponse<T>(pub T);

/// 201 with a JSON body, and optionally a cookie.
#[derive(Debug)]
pub struct Created<T> {
    pub body: T,
    /// A `Set-Cookie` value.
    pub cookie: Option<String>,
}

/// 202 with a JSON body: nothing was done yet, and the body says what it waits for.
#[derive(Debug)]
pub struct Accepted<T>(pub T);

/// One of two responses, each with its own status.
#[derive(Debug)]
pub enum Either<A, B> {
    Left(A),
    Right(B),
}

impl<A: IntoResponse, B: IntoResponse> IntoResponse for Either<A, B> {
    fn into_response(self) -> Response {
        match self {
            Self::Left(response) => response.into_response(),
            Self::Right(response) => response.into_response(),
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
        .body(serde_json::to_vec(body).expect("a response is plain data"))
}

impl<T: Serialize + Send> IntoResponse for JsonResponse<T> {
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

/// 204
#[derive(Debug)]
pub struct NoContent;

impl IntoResponse for NoContent {
    fn into_response(self) -> Response {
        StatusCode::NO_CONTENT.into_response()
    }
}

impl ApiResponse for NoContent {
    fn meta() -> MetaResponses {
        let mut meta = <() as ApiResponse>::meta();
        meta.responses[0].status = Some(204);
        meta.responses[0].description = "Success.";
        meta
    }

    fn register(_registry: &mut Registry) {}
}

macro_rules! json_response_type {
    ($response:ident, $status:literal, $description:literal) => {
        impl<T: Type> ApiResponse for $response<T> {
            fn meta() -> MetaResponses {
                described::<T>($status, $description)
            }

            fn register(registry: &mut Registry) {
                T::register(registry);
            }
        }
    };
}

json_response_type!(JsonResponse, 200, "Success.");
json_response_type!(Created, 201, "Created.");
json_response_type!(Accepted, 202, "Accepted; not done yet.");
json_response_type!(PreparedResponse, 200, "Success.");

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

/// 200 with a JSON body that is the same for every caller: compressed, and with an entity tag. `T` is the type of the
/// body. What is a caller's own has no place in it: the compressed size could tell a secret.
#[derive(Debug)]
pub struct PreparedResponse<T> {
    body: Arc<PreparedBody>,
    of: PhantomData<fn() -> T>,
}

impl<T> PreparedResponse<T> {
    /// `body` must be the JSON of a `T`.
    pub fn new(body: Arc<PreparedBody>) -> Self {
        Self { body, of: PhantomData }
    }

    /// A body that was not prepared, because it seldom is the same twice.
    pub fn of(body: &T) -> Self
    where
        T: Serialize,
    {
        let json = serde_json::to_vec(body).expect("a response is plain data");
        Self::new(Arc::new(PreparedBody::new(json.into(), Effort::Fast)))
    }
}

impl<T: Send> IntoResponse for PreparedResponse<T> {
    /// The server sends its copies: it knows what the request accepts.
    fn into_response(self) -> Response {
        let response = Response::builder().header(header::CONTENT_TYPE, JSON).header(header::CACHE_CONTROL, "no-cache");
        let mut response = response.body(self.body.plain().clone());
        response.set_data(self.body);
        response
    }
}

pub fn field_error(field: impl Into<String>, code: &'static str) -> FieldError {
    FieldError { field: field.into(), code, params: agio_core::error::Params::new() }
}
