//! The error type of all crates.
//!
//! An error has an [`ErrorKind`] (who has to act, and so the HTTP status), a stable machine code, parameters of its
//! text and, for rejected input, the errors of each field. The cause of an internal error is logged and never sent.
//! The text is looked up by the code, in the caller's language, when the response is written.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::error::Error as StdError;
use std::fmt;
use std::ops::{Deref, DerefMut};

use crate::texts::{Bilingual, Locale};

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Parameters of a text by name.
pub type Values = BTreeMap<&'static str, String>;

/// Parameters of an error's text, such as the limit that was exceeded. Those that are texts themselves are kept in
/// both languages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Params {
    values: Values,
    texts: BTreeMap<&'static str, Bilingual>,
}

impl Params {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a parameter that is a text.
    #[must_use]
    pub fn with_text(mut self, name: &'static str, text: Bilingual) -> Self {
        self.texts.insert(name, text);
        self
    }

    /// All parameters in one language.
    #[must_use]
    pub fn in_language(&self, locale: Locale) -> Cow<'_, Values> {
        if self.texts.is_empty() {
            return Cow::Borrowed(&self.values);
        }
        let texts = self.texts.iter().map(|(name, text)| (*name, text.get(locale).to_owned()));
        Cow::Owned(self.values.clone().into_iter().chain(texts).collect())
    }
}

impl Deref for Params {
    type Target = Values;

    fn deref(&self) -> &Values {
        &self.values
    }
}

impl DerefMut for Params {
    fn deref_mut(&mut self) -> &mut Values {
        &mut self.values
    }
}

impl<const N: usize> From<[(&'static str, String); N]> for Params {
    fn from(values: [(&'static str, String); N]) -> Self {
        values.into_iter().collect()
    }
}

impl FromIterator<(&'static str, String)> for Params {
    fn from_iter<I: IntoIterator<Item = (&'static str, String)>>(values: I) -> Self {
        Self { values: values.into_iter().collect(), texts: BTreeMap::new() }
    }
}

/// Who has to act on an error. Each kind has its HTTP status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// 400: the request could not be understood; a bug of the client.
    BadRequest,
    /// 401: the caller has to sign in (again).
    Unauthorised,
    /// 403: the caller is known and not allowed to do this.
    Forbidden,
    /// 404: it does not exist, or belongs to someone else.
    NotFound,
    /// 405: the path exists, the method does not.
    MethodNotAllowed,
    /// 409: the current state does not allow it; the caller has to reload.
    Conflict,
    /// 413: the body exceeds the limit.
    TooLarge,
    /// 415: the media type of the body is not supported.
    UnsupportedMedia,
    /// 422: the input is invalid; the customer has to correct it.
    Unprocessable,
    /// 429: too many requests; the caller has to wait.
    TooManyRequests,
    /// 500: a bug of ours.
    Internal,
    /// 503: not possible now; the caller should retry later.
    Unavailable,
}

impl ErrorKind {
    #[must_use]
    pub fn status(self) -> u16 {
        match self {
            Self::BadRequest => 400,
            Self::Unauthorised => 401,
            Self::Forbidden => 403,
            Self::NotFound => 404,
            Self::MethodNotAllowed => 405,
            Self::Conflict => 409,
            Self::TooLarge => 413,
            Self::UnsupportedMedia => 415,
            Self::Unprocessable => 422,
            Self::TooManyRequests => 429,
            Self::Internal => 500,
            Self::Unavailable => 503,
        }
    }
}

/// What is wrong with one input field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// The path of the field: `email`, `toRequisites.card`.
    pub field: String,
    pub code: &'static str,
    /// Parameters of its text.
    pub params: Params,
}

impl FieldError {
    #[must_use]
    pub fn new(field: impl Into<String>, code: &'static str) -> Self {
        Self { field: field.into(), code, params: Params::new() }
    }

    /// Adds a parameter of its text.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl ToString) -> Self {
        self.params.insert(name, value.to_string());
        self
    }
}

/// The database constraint a write violated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constraint {
    /// The row exists already.
    Unique,
    /// A CHECK failed, or a trigger refused.
    Check,
    /// A referenced row is missing.
    ForeignKey,
    /// A required value is missing.
    Missing,
    /// The statement's own condition did not hold, and nothing was written.
    Condition,
}

#[derive(Debug)]
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    kind: ErrorKind,
    code: &'static str,
    params: Params,
    fields: Vec<FieldError>,
    retry_after_seconds: Option<u64>,
    constraint: Option<Constraint>,
    cause: Option<Box<dyn StdError + Send + Sync>>,
    /// The connection must not be used again.
    breaks_connection: bool,
    /// The transaction lost a race; running it again may succeed.
    retriable: bool,
}

impl Error {
    #[must_use]
    pub fn new(kind: ErrorKind, code: &'static str) -> Self {
        Self(Box::new(Inner {
            kind,
            code,
            params: Params::new(),
            fields: Vec::new(),
            retry_after_seconds: None,
            constraint: None,
            cause: None,
            breaks_connection: false,
            retriable: false,
        }))
    }

    /// 404
    #[must_use]
    pub fn not_found(code: &'static str) -> Self {
        Self::new(ErrorKind::NotFound, code)
    }

    /// 409
    #[must_use]
    pub fn conflict(code: &'static str) -> Self {
        Self::new(ErrorKind::Conflict, code)
    }

    /// 422
    #[must_use]
    pub fn unprocessable(code: &'static str) -> Self {
        Self::new(ErrorKind::Unprocessable, code)
    }

    /// 403 with the missing permission.
    #[must_use]
    pub fn forbidden(permission: &str) -> Self {
        Self::new(ErrorKind::Forbidden, "forbidden").with("permission", permission)
    }

    /// 401: the client refreshes its access token once and retries.
    #[must_use]
    pub fn token_not_valid() -> Self {
        Self::new(ErrorKind::Unauthorised, "token_not_valid")
    }

    /// 500; the cause is only logged.
    #[must_use]
    pub fn internal(cause: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self::new(ErrorKind::Internal, "internal").caused_by(cause)
    }

    /// 422 `validation_failed` with the errors of each field.
    #[must_use]
    pub fn invalid(fields: Vec<FieldError>) -> Self {
        let mut error = Self::new(ErrorKind::Unprocessable, "validation_failed");
        error.0.fields = fields;
        error
    }

    /// Adds a parameter of the text, also to the fields added so far.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl ToString) -> Self {
        let value = value.to_string();
        for field in &mut self.0.fields {
            field.params.entry(name).or_insert_with(|| value.clone());
        }
        self.0.params.insert(name, value);
        self
    }

    /// Adds an error of a field.
    #[must_use]
    pub fn at(mut self, field: impl Into<String>, code: &'static str) -> Self {
        self.0.fields.push(FieldError { field: field.into(), code, params: self.0.params.clone() });
        self
    }

    /// Sets the cause, for the log.
    #[must_use]
    pub fn caused_by(mut self, cause: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.0.cause = Some(cause.into());
        self
    }

    /// Tells the caller how many seconds to wait.
    #[must_use]
    pub fn retry_after(mut self, seconds: u64) -> Self {
        self.0.retry_after_seconds = Some(seconds);
        self
    }

    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    #[must_use]
    pub fn code(&self) -> &'static str {
        self.0.code
    }

    #[must_use]
    pub fn params(&self) -> &Params {
        &self.0.params
    }

    #[must_use]
    pub fn fields(&self) -> &[FieldError] {
        &self.0.fields
    }

    #[must_use]
    pub fn retry_after_seconds(&self) -> Option<u64> {
        self.0.retry_after_seconds
    }

    /// The database constraint that was violated.
    #[must_use]
    pub fn constraint(&self) -> Option<Constraint> {
        self.0.constraint
    }

    /// Whether the connection that returned this error must be discarded.
    #[must_use]
    pub fn breaks_connection(&self) -> bool {
        self.0.breaks_connection
    }

    /// Whether running the transaction again may succeed.
    #[must_use]
    pub fn is_retriable(&self) -> bool {
        self.0.retriable
    }

    pub(crate) fn with_constraint(mut self, constraint: Constraint) -> Self {
        self.0.constraint = Some(constraint);
        self
    }

    pub(crate) fn breaking_connection(mut self) -> Self {
        self.0.breaks_connection = true;
        self
    }

    pub(crate) fn retriable(mut self) -> Self {
        self.0.retriable = true;
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.0.kind.status(), self.0.code)?;
        for (name, value) in self.0.params.iter() {
            write!(f, " {name}={value}")?;
        }
        for field in &self.0.fields {
            write!(f, " [{}: {}]", field.field, field.code)?;
        }
        if let Some(cause) = &self.0.cause {
            write!(f, ": {cause}")?;
        }
        Ok(())
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.cause.as_deref().map(|cause| cause as _)
    }
}
