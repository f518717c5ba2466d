//! The one error type of the house.
//!
//! An error is a [`Kind`] (who has to act, and so the HTTP status), a stable machine code, parameters for its text
//! and, for rejected input, what is wrong with each field. The cause of a failure of our own is logged at the edge and
//! never sent. The text itself is looked up by the code in the dictionaries, in the caller's language, which nothing below the edge needs to
//! know.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::error::Error as StdError;
use std::fmt;
use std::ops::{Deref, DerefMut};

use crate::texts::{Bilingual, Locale};

/// What the rest of the house returns.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Values by the names a text has for them.
pub type Values = BTreeMap<&'static str, String>;

/// Values that the text of an error names, such as the limit that was crossed. Those that are words are kept in both languages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Params {
    values: Values,
    words: BTreeMap<&'static str, Bilingual>,
}

impl Params {
    /// No values.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with a value that is words.
    #[must_use]
    pub fn with_words(mut self, name: &'static str, words: Bilingual) -> Self {
        self.words.insert(name, words);
        self
    }

    /// All values in one language.
    #[must_use]
    pub fn in_language(&self, locale: Locale) -> Cow<'_, Values> {
        if self.words.is_empty() {
            return Cow::Borrowed(&self.values);
        }
        let words = self.words.iter().map(|(name, words)| (*name, words.get(locale).to_owned()));
        Cow::Owned(self.values.clone().into_iter().chain(words).collect())
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
        Self { values: values.into_iter().collect(), words: BTreeMap::new() }
    }
}

/// Who has to act on an error. Each kind is one HTTP status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// 400: the request could not be understood; the client's programmer acts.
    BadRequest,
    /// 401: the caller has to sign in (again).
    Unauthorised,
    /// 403: the caller is known and may not do this.
    Forbidden,
    /// 404: there is no such thing, or it is somebody else's.
    NotFound,
    /// 405: the address exists, the method does not.
    MethodNotAllowed,
    /// 409: the state of the thing forbids it now; the caller looks again.
    Conflict,
    /// 413: the body is over the limit.
    TooLarge,
    /// 415: the body is of a type we do not read.
    UnsupportedMedia,
    /// 422: understood and refused; the customer corrects the input.
    Unprocessable,
    /// 429: too many calls; the caller waits.
    TooManyRequests,
    /// 500: a fault of ours.
    Internal,
    /// 503: we cannot serve this now; trying later is right.
    Unavailable,
}

impl Kind {
    /// The HTTP status of this kind.
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

/// What is wrong with one field of the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// The field, as a path: `email`, `toRequisites.card`.
    pub field: String,
    /// The stable code.
    pub code: &'static str,
    /// Values its text names.
    pub params: Params,
}

/// Which rule of the database a write broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constraint {
    /// The row exists already.
    Unique,
    /// A CHECK failed, or a trigger refused.
    Check,
    /// A row it points to is missing.
    ForeignKey,
    /// A value that must be there is missing.
    Missing,
    /// The statement's own condition did not hold, and nothing was written.
    Condition,
}

/// Why something was not done.
#[derive(Debug)]
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    kind: Kind,
    code: &'static str,
    params: Params,
    fields: Vec<FieldError>,
    retry_after_seconds: Option<u64>,
    constraint: Option<Constraint>,
    cause: Option<Box<dyn StdError + Send + Sync>>,
    /// The connection that met this error must not be used again.
    breaks_connection: bool,
    /// The transaction lost a race that running it again may win.
    retriable: bool,
}

impl Error {
    /// An error of the given kind with its stable code.
    #[must_use]
    pub fn new(kind: Kind, code: &'static str) -> Self {
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

    /// 404 with the given code.
    #[must_use]
    pub fn not_found(code: &'static str) -> Self {
        Self::new(Kind::NotFound, code)
    }

    /// 409 with the given code.
    #[must_use]
    pub fn conflict(code: &'static str) -> Self {
        Self::new(Kind::Conflict, code)
    }

    /// 422 with the given code.
    #[must_use]
    pub fn unprocessable(code: &'static str) -> Self {
        Self::new(Kind::Unprocessable, code)
    }

    /// 403: the caller lacks the named permission.
    #[must_use]
    pub fn forbidden(permission: &str) -> Self {
        Self::new(Kind::Forbidden, "forbidden").with("permission", permission)
    }

    /// 401 that makes the client refresh its access token once and try again.
    #[must_use]
    pub fn token_not_valid() -> Self {
        Self::new(Kind::Unauthorised, "token_not_valid")
    }

    /// 500 whose cause is for the log only.
    #[must_use]
    pub fn internal(cause: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self::new(Kind::Internal, "internal").caused_by(cause)
    }

    /// 422 that lists what is wrong with each field.
    #[must_use]
    pub fn invalid(fields: Vec<FieldError>) -> Self {
        let mut error = Self::new(Kind::Unprocessable, "validation_failed");
        error.0.fields = fields;
        error
    }

    /// The same error with a value for its text, and for those of the fields that are known to be wrong so far.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl ToString) -> Self {
        let value = value.to_string();
        for field in &mut self.0.fields {
            field.params.entry(name).or_insert_with(|| value.clone());
        }
        self.0.params.insert(name, value);
        self
    }

    /// The same error with something wrong with a field.
    #[must_use]
    pub fn at(mut self, field: impl Into<String>, code: &'static str) -> Self {
        self.0.fields.push(FieldError { field: field.into(), code, params: self.0.params.clone() });
        self
    }

    /// The same error with its cause, for the log.
    #[must_use]
    pub fn caused_by(mut self, cause: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.0.cause = Some(cause.into());
        self
    }

    /// The same error, telling the caller how long to wait.
    #[must_use]
    pub fn retry_after(mut self, seconds: u64) -> Self {
        self.0.retry_after_seconds = Some(seconds);
        self
    }

    /// Who has to act.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.0.kind
    }

    /// The stable machine code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.0.code
    }

    /// The values its text names.
    #[must_use]
    pub fn params(&self) -> &Params {
        &self.0.params
    }

    /// What is wrong with each field.
    #[must_use]
    pub fn fields(&self) -> &[FieldError] {
        &self.0.fields
    }

    /// How long the caller should wait, in seconds.
    #[must_use]
    pub fn retry_after_seconds(&self) -> Option<u64> {
        self.0.retry_after_seconds
    }

    /// Which rule of the database was broken, if it was one.
    #[must_use]
    pub fn constraint(&self) -> Option<Constraint> {
        self.0.constraint
    }

    /// Whether the connection that met this error must be thrown away.
    #[must_use]
    pub fn breaks_connection(&self) -> bool {
        self.0.breaks_connection
    }

    /// Whether running the transaction again may succeed.
    #[must_use]
    pub fn is_retriable(&self) -> bool {
        self.0.retriable
    }

    pub(crate) fn broken(mut self, constraint: Constraint) -> Self {
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

impl StdError for Error {}
