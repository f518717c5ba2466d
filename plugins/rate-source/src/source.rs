//! A rate source with one HTTP request and one parser.

use std::marker::PhantomData;

use agio_plugin_sdk::Plugin;
use agio_plugin_sdk::protocol::{
    Action, ActionResult, AllowedHost, Call, CallError, CallResult, HttpMethod, HttpRequest, HttpResponse, LocalizedText,
    Manifest, PluginKind, PluginRequest, PluginResponse, Prices,
};
use time::format_description::well_known::Rfc3339;
use time::macros::format_description;
use time::{Date, Duration, OffsetDateTime, PrimitiveDateTime};

use crate::price_collector::KNOWN_TICKERS;
use crate::{MAX_BYTES, ReadError};

/// Bytes at the start of a file that identify its format.
const HEAD: usize = 4096;

/// How far a source's clock may be ahead of ours.
const CLOCK_SKEW: Duration = Duration::minutes(5);

/// How far a daily rate may be ahead: banks publish the next day's rate in the afternoon.
const DAYS_AHEAD: Duration = Duration::days(2);

/// The source-specific part of a plugin.
pub trait Source {
    /// Where the source is.
    const ORIGIN: &str;

    /// The path of its prices.
    const PATH: &str;

    /// Describes the plugin, for a source at `origin`.
    fn manifest(origin: &str) -> Manifest;

    /// The HTTP request for the prices of these assets.
    ///
    /// # Errors
    /// The source has none of them.
    fn request(origin: &str, _input: &PluginRequest, _assets: &[String]) -> Result<HttpRequest, CallError> {
        Ok(HttpRequest::get(format!("{origin}{}", Self::PATH)))
    }

    /// Whether a file with this start is in a format of this source and of no other.
    fn recognizes(head: &str) -> bool;

    /// Parses a page.
    ///
    /// # Errors
    /// The page is not in the source's format.
    fn read(page: &SourcePage<'_>) -> Result<Prices, ReadError>;
}

/// The plugin of a source.
pub struct RateSource<S> {
    origin: String,
    source: PhantomData<fn() -> S>,
}

impl<S: Source> Default for RateSource<S> {
    fn default() -> Self {
        Self::at(S::ORIGIN)
    }
}

impl<S> RateSource<S> {
    /// Uses another origin, for tests.
    pub fn at(origin: &str) -> Self {
        Self { origin: origin.to_owned(), source: PhantomData }
    }
}

impl<S: Source + 'static> Plugin for RateSource<S> {
    fn manifest(&self) -> Manifest {
        S::manifest(&self.origin)
    }

    fn handle(&self, input: &PluginRequest) -> PluginResponse {
        handle::<S>(&self.origin, input)
    }
}

/// A response or file of a source.
#[derive(Clone, Copy, Debug)]
pub struct SourcePage<'a> {
    /// Content without byte order mark.
    pub bytes: &'a [u8],
    /// Latest possible time of the prices: arrival, or the `date` header if that is earlier.
    pub valid_at: i64,
    /// Requested assets; empty for a file.
    pub assets: &'a [String],
}

impl SourcePage<'_> {
    /// The time of prices without a time of their own.
    pub fn default_time(&self) -> String {
        rfc3339(self.valid_at).unwrap_or_default()
    }

    /// Converts the source's time in milliseconds.
    ///
    /// # Errors
    /// It is invalid or in the future.
    pub fn checked_time(&self, millis: i64) -> Result<String, ReadError> {
        let micros = millis.checked_mul(1000).filter(|_| millis > 0);
        let text = micros.and_then(rfc3339).ok_or_else(|| ReadError::Date(millis.to_string()))?;
        let latest = self.valid_at.saturating_add(CLOCK_SKEW.whole_seconds() * 1_000_000);
        if micros > Some(latest) { Err(ReadError::Early(text)) } else { Ok(text) }
    }

    /// Converts the source's date.
    ///
    /// # Errors
    /// It is in the future.
    pub fn checked_date(&self, day: Date) -> Result<String, ReadError> {
        let valid_at = OffsetDateTime::from_unix_timestamp(self.valid_at.div_euclid(1_000_000)).ok();
        let latest = valid_at.and_then(|time| time.date().checked_add(DAYS_AHEAD));
        if latest.is_some_and(|latest| day > latest) { Err(ReadError::Early(day.to_string())) } else { Ok(day.to_string()) }
    }

    /// Whether the ticker is used to split symbols.
    pub fn is_known(&self, ticker: &str) -> bool {
        KNOWN_TICKERS.contains(&ticker) || self.assets.iter().any(|asset| asset == ticker)
    }
}

/// A time in microseconds as RFC 3339.
fn rfc3339(micros: i64) -> Option<String> {
    OffsetDateTime::from_unix_timestamp_nanos(i128::from(micros) * 1000).ok()?.format(&Rfc3339).ok()
}

pub fn manifest(name: &str, origin: &str, title: LocalizedText, about: LocalizedText) -> Manifest {
    Manifest {
        hosts: vec![AllowedHost::Origin { origin: origin.to_owned(), methods: vec![HttpMethod::Get] }],
        ..Manifest::new(name, env!("CARGO_PKG_VERSION"), PluginKind::Rates, title, about)
    }
}

pub fn handle<S: Source>(origin: &str, input: &PluginRequest) -> PluginResponse {
    call::<S>(origin, input).unwrap_or_else(PluginResponse::Failed)
}

fn call<S: Source>(origin: &str, input: &PluginRequest) -> Result<PluginResponse, CallError> {
    let prices = match &input.call {
        Call::Prices { assets } => {
            let Some(outcome) = input.outcomes.first() else {
                return Ok(PluginResponse::action(Action::Http(S::request(origin, input, assets)?)));
            };
            let reply = expect_success(outcome)?;
            let page = SourcePage { bytes: without_bom(reply.body.bytes()), valid_at: created_at(reply), assets };
            requested_prices(read::<S>(&page)?, assets)?
        }
        Call::ReadFile(file) => {
            let page = SourcePage { bytes: without_bom(file.body.bytes()), valid_at: file.received_at, assets: &[] };
            let head = String::from_utf8_lossy(&page.bytes[..page.bytes.len().min(HEAD)]);
            if !S::recognizes(head.trim_start()) {
                return Err(CallError::permanent("not_mine", "the file is not in a format of this source"));
            }
            read::<S>(&page)?
        }
        _ => return Err(unsupported_call()),
    };
    Ok(PluginResponse::Done(CallResult::Prices(prices)))
}

/// Error for calls of other kinds.
pub fn unsupported_call() -> CallError {
    CallError::permanent("not_asked", "this plugin does not support the call")
}

fn read<S: Source>(page: &SourcePage<'_>) -> Result<Prices, CallError> {
    if page.bytes.len() > MAX_BYTES {
        return Err(CallError::permanent("unreadable", ReadError::TooLong.to_string()));
    }
    S::read(page).map_err(|error| match error {
        ReadError::SourceError(_) => CallError::temporary("source_error", error.to_string()),
        _ => CallError::permanent("unreadable", error.to_string()),
    })
}

/// Keeps the prices between requested assets.
fn requested_prices(mut prices: Prices, assets: &[String]) -> Result<Prices, CallError> {
    prices.observations.retain(|price| assets.contains(&price.base) && assets.contains(&price.quote));
    if prices.observations.is_empty() {
        return Err(CallError::permanent("no_prices", "the source has no price between the requested assets"));
    }
    Ok(prices)
}

/// The response, if its status is 200.
///
/// # Errors
/// There is no response, or it has another status. Errors that may pass are temporary: rate limits, blocked countries, server errors.
pub fn expect_success(outcome: &ActionResult) -> Result<&HttpResponse, CallError> {
    let reply = match outcome {
        ActionResult::Http(reply) => reply,
        ActionResult::HttpFailure(failure) => return Err(CallError::temporary("unreachable", failure.why.clone())),
        ActionResult::Stored => return Err(CallError::permanent("unasked", "unexpected result of a store action")),
    };
    match reply.status {
        200 => Ok(reply),
        status @ (300..=399 | 400 | 401 | 404 | 410) => {
            Err(CallError::permanent("source_error", format!("the source answers with the status {status}")))
        }
        status => {
            let pause = reply.header("retry-after").filter(|pause| pause.len() < 10 && pause.bytes().all(|b| b.is_ascii_digit()));
            let pause = pause.map(|seconds| format!(", retry after {seconds} seconds")).unwrap_or_default();
            Err(CallError::temporary("source_error", format!("the source answers with the status {status}{pause}")))
        }
    }
}

/// When a response was created: a cache may have stored it for long, which its `date` header shows.
fn created_at(reply: &HttpResponse) -> i64 {
    let form = format_description!("[weekday repr:short], [day] [month repr:short] [year] [hour]:[minute]:[second] GMT");
    let date = reply.header("date").and_then(|text| PrimitiveDateTime::parse(text, &form).ok());
    let created_at = date.map(|date| date.assume_utc().unix_timestamp().saturating_mul(1_000_000));
    created_at.map_or(reply.received_at, |created_at| created_at.min(reply.received_at))
}

fn without_bom(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}
