//! Failures as callers see them: RFC 9457 problem documents with a stable code.

use std::collections::BTreeMap;
use std::fmt;

use agio_core::error::Params;
use agio_core::texts::{Locale, Texts};
use agio_core::{Error, Kind};
use poem::http::{StatusCode, header};
use poem::{IntoResponse, Response, error::ResponseError};
use poem_openapi::registry::{MetaMediaType, MetaResponse, MetaResponses, Registry};
use poem_openapi::types::Type;
use poem_openapi::{ApiResponse, Object};
use serde::Serialize;

/// What a handler returns.
pub type Outcome<T> = Result<T, Failure>;

/// An error on its way to the edge, where it gets its text.
#[derive(Debug)]
pub struct Failure(pub Error);

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self(error)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Failure {}

impl ResponseError for Failure {
    fn status(&self) -> StatusCode {
        StatusCode::from_u16(self.0.kind().status()).expect("every kind has a valid status")
    }
}

/// A problem document.
#[derive(Clone, Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct Problem {
    /// The HTTP status.
    #[oai(validator(minimum(value = "400"), maximum(value = "599")))]
    status: u16,
    /// The kind of problem in a word or two, in the caller's language.
    title: String,
    /// What happened, in the caller's language.
    detail: String,
    /// Stable machine code.
    code: String,
    /// Values the text names, such as the limit that was crossed.
    params: BTreeMap<String, String>,
    /// For refused input: what is wrong with each field.
    errors: BTreeMap<String, Vec<FieldProblem>>,
    /// The number of this request in our log.
    request_id: String,
}

/// What is wrong with a field.
#[derive(Clone, Debug, Serialize, Object)]
struct FieldProblem {
    /// Stable machine code.
    code: String,
    /// What is wrong, in the caller's language.
    message: String,
    /// Values the text names.
    params: BTreeMap<String, String>,
}

impl Problem {
    /// The document for an error, in the caller's language.
    #[must_use]
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

    /// The response that carries the document.
    #[must_use]
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

/// Every status a handler, or the edge before it, may fail with; each carries a problem document.
const DECLARED: [(Kind, &str); 11] = [
    (Kind::BadRequest, "The request could not be understood."),
    (Kind::Unauthorised, "Sign in, or refresh the access token."),
    (Kind::Forbidden, "The caller may not do this."),
    (Kind::NotFound, "There is no such thing, or it is somebody else's."),
    (Kind::Conflict, "The present state forbids it; look again."),
    (Kind::TooLarge, "The body is over the limit."),
    (Kind::UnsupportedMedia, "The body is of a type that is not read here."),
    (Kind::Unprocessable, "Understood and refused; correct the input."),
    (Kind::TooManyRequests, "Too many calls; wait as long as Retry-After says."),
    (Kind::Internal, "A fault on our side."),
    (Kind::Unavailable, "Not possible now; try again later."),
];

impl ApiResponse for Failure {
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
