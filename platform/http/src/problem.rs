//! Errors as RFC 9457 problem documents with stable codes.

use std::collections::BTreeMap;
use std::fmt;

use agio_core::error::Params;
use agio_core::texts::{Locale, Texts};
use agio_core::{Error, ErrorKind};
use poem::http::{StatusCode, header};
use poem::{IntoResponse, Response, error::ResponseError};
use poem_openapi::registry::{MetaMediaType, MetaResponse, MetaResponses, Registry};
use poem_openapi::types::Type;
use poem_openapi::{ApiResponse, Object};
use serde::Serialize;

/// The result of a handler.
pub type ApiResult<T> = Result<T, ApiError>;

/// An error on its way to the middleware that adds its text.
#[derive(Debug)]
pub struct ApiError(pub Error);

impl From<Error> for ApiError {
    fn from(error: Error) -> Self {
        Self(error)
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for ApiError {}

impl ResponseError for ApiError {
    fn status(&self) -> StatusCode {
        StatusCode::from_u16(self.0.kind().status()).expect("every kind has a valid status")
    }
}

/// An RFC 9457 problem document.
#[derive(Clone, Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct Problem {
    /// The HTTP status.
    #[oai(validator(minimum(value = "400"), maximum(value = "599")))]
    status: u16,
    /// A short title of the status, in the caller's language.
    title: String,
    /// What happened, in the caller's language.
    detail: String,
    /// A stable machine-readable code.
    code: String,
    /// Parameters of the text, such as the limit that was exceeded.
    params: BTreeMap<String, String>,
    /// Errors of input fields, by the path of the field.
    errors: BTreeMap<String, Vec<FieldProblem>>,
    /// The id of this request in the server's log.
    request_id: String,
}

/// An error of an input field.
#[derive(Clone, Debug, Serialize, Object)]
struct FieldProblem {
    /// A stable machine-readable code.
    code: String,
    /// What is wrong, in the caller's language.
    message: String,
    /// Parameters of the text.
    params: BTreeMap<String, String>,
}

impl Problem {
    /// The document for an error, in the caller's language.
    pub fn of(error: &Error, texts: &Texts, locale: Locale, request_id: &str) -> Self {
        let mut errors: BTreeMap<String, Vec<FieldProblem>> = BTreeMap::new();
        for field in error.fields() {
            errors.entry(field.field.clone()).or_default().push(FieldProblem {
                code: field.code.to_owned(),
                message: texts.get(locale, field.code, &field.params),
                params: owned(&field.params, locale),
            });
        }
        let status = error.kind().status();
        Self {
            status,
            title: texts.get(locale, &format!("problem.{status}"), &Params::new()),
            detail: texts.get(locale, error.code(), error.params()),
            code: error.code().to_owned(),
            params: owned(error.params(), locale),
            errors,
            request_id: request_id.to_owned(),
        }
    }

    pub fn into_response(self, retry_after_seconds: Option<u64>) -> Response {
        let mut response = Response::builder()
            .status(StatusCode::from_u16(self.status).expect("a problem has an HTTP status"))
            .header(header::CONTENT_TYPE, "application/problem+json")
            .header(header::CACHE_CONTROL, "no-store");
        if let Some(seconds) = retry_after_seconds {
            response = response.header(header::RETRY_AFTER, seconds);
        }
        response.body(serde_json::to_vec(&self).expect("a problem is plain data")).into_response()
    }
}

fn owned(params: &Params, locale: Locale) -> BTreeMap<String, String> {
    params.in_language(locale).iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
}

/// Every error status of handlers and middleware.
const DECLARED: [(ErrorKind, &str); 11] = [
    (ErrorKind::BadRequest, "The request could not be read."),
    (ErrorKind::Unauthorised, "Sign in, or refresh the access token."),
    (ErrorKind::Forbidden, "The caller is not allowed to do this."),
    (ErrorKind::NotFound, "Not found, or it belongs to someone else."),
    (ErrorKind::Conflict, "The current state does not allow it; reload."),
    (ErrorKind::TooLarge, "The body exceeds the limit."),
    (ErrorKind::UnsupportedMedia, "The media type of the body is not supported."),
    (ErrorKind::Unprocessable, "The input is invalid; correct it."),
    (ErrorKind::TooManyRequests, "Too many requests; wait for the time in Retry-After."),
    (ErrorKind::Internal, "An internal error."),
    (ErrorKind::Unavailable, "Not possible now; retry later."),
];

impl ApiResponse for ApiError {
    fn meta() -> MetaResponses {
        let responses = DECLARED.map(|(kind, description)| MetaResponse {
            description,
            status: Some(kind.status()),
            status_range: None,
            content: vec![MetaMediaType { content_type: "application/problem+json", schema: Problem::schema_ref() }],
            headers: Vec::new(),
        });
        MetaResponses { responses: responses.into() }
    }

    fn register(registry: &mut Registry) {
        Problem::register(registry);
    }
}
