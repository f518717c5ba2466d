//! A source of rates that one request asks and one reader reads.

use agio_plugin::protocol::{
    Action, Answer, Call, Host, HttpRequest, HttpResponse, Kind, Limits, Manifest, Method, Outcome, Prices, Question, Refusal,
    Step, Words,
};
use time::format_description::well_known::Rfc3339;
use time::macros::format_description;
use time::{Date, Duration, OffsetDateTime, PrimitiveDateTime};

use crate::book::KNOWN;
use crate::{MAX_BYTES, ReadError};

/// How much of a file is looked at to tell whose it is, in bytes.
const HEAD: usize = 4096;

/// How far ahead of ours a source's clock may be.
const CLOCKS_DIFFER: Duration = Duration::minutes(5);

/// How far ahead the day may be that a daily rate is for: a bank names the next day's in the afternoon.
const DAYS_AHEAD: Duration = Duration::days(2);

/// What a source needs to know besides how questions are answered.
pub trait Source {
    /// The request that brings the prices of these assets.
    ///
    /// # Errors
    /// The source knows none of them.
    fn request(&self, question: &Question, assets: &[String]) -> Result<HttpRequest, Refusal>;

    /// Whether a file that begins so is in a format of this source. It has to tell its own from those of all others.
    fn knows(&self, head: &str) -> bool;

    /// Reads the page, whole.
    ///
    /// # Errors
    /// It is not as the source writes it.
    fn read(&self, page: &Page<'_>) -> Result<Prices, ReadError>;
}

/// A page of a source.
#[derive(Clone, Copy, Debug)]
pub struct Page<'a> {
    /// What is in it, without a byte order mark.
    pub bytes: &'a [u8],
    /// When it was true at the latest: when it arrived, or, where that is earlier, when it was made according to its header.
    pub held_at: i64,
    /// The assets that are asked for; none for a file.
    pub assets: &'a [String],
}

impl Page<'_> {
    /// The time of prices for which the source says none.
    #[must_use]
    pub fn undated(&self) -> String {
        moment(self.held_at).unwrap_or_default()
    }

    /// A time the source says in milliseconds.
    ///
    /// # Errors
    /// It is no time, or one that is still to come.
    pub fn at_millis(&self, millis: i64) -> Result<String, ReadError> {
        let micros = millis.checked_mul(1000).filter(|_| millis > 0);
        let text = micros.and_then(moment).ok_or_else(|| ReadError::Date(millis.to_string()))?;
        let latest = self.held_at.saturating_add(CLOCKS_DIFFER.whole_seconds() * 1_000_000);
        if micros > Some(latest) { Err(ReadError::Early(text)) } else { Ok(text) }
    }

    /// A day the source says.
    ///
    /// # Errors
    /// It is still to come.
    pub fn on_day(&self, day: Date) -> Result<String, ReadError> {
        let held_at = OffsetDateTime::from_unix_timestamp(self.held_at.div_euclid(1_000_000)).ok();
        let latest = held_at.and_then(|moment| moment.date().checked_add(DAYS_AHEAD));
        if latest.is_some_and(|latest| day > latest) { Err(ReadError::Early(day.to_string())) } else { Ok(day.to_string()) }
    }

    /// Whether symbols are split by this ticker.
    #[must_use]
    pub fn is_known(&self, ticker: &str) -> bool {
        KNOWN.contains(&ticker) || self.assets.iter().any(|asset| asset == ticker)
    }
}

/// A moment in microseconds as RFC 3339.
fn moment(micros: i64) -> Option<String> {
    OffsetDateTime::from_unix_timestamp_nanos(i128::from(micros) * 1000).ok()?.format(&Rfc3339).ok()
}

/// The manifest of a source that is asked at one place.
#[must_use]
pub fn manifest(name: &str, origin: &str, title: Words, about: Words) -> Manifest {
    Manifest {
        name: name.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        kind: Kind::Rates,
        title,
        about,
        hosts: vec![Host::Origin { origin: origin.to_owned(), methods: vec![Method::Get] }],
        settings: Vec::new(),
        limits: Limits::default(),
        features: Vec::new(),
    }
}

/// Answers a question put to a source.
pub fn handle(source: &impl Source, question: &Question) -> Step {
    answer(source, question).unwrap_or_else(Step::Refused)
}

fn answer(source: &impl Source, question: &Question) -> Result<Step, Refusal> {
    let prices = match &question.call {
        Call::Prices { assets } => {
            let Some(outcome) = question.outcomes.first() else {
                return Ok(Step::first(Action::Http(source.request(question, assets)?)));
            };
            let reply = good(outcome)?;
            let page = Page { bytes: without_mark(reply.body.bytes()), held_at: made_at(reply), assets };
            wanted(read(source, &page)?, assets)?
        }
        Call::Read(file) => {
            let page = Page { bytes: without_mark(file.body.bytes()), held_at: file.received_at, assets: &[] };
            let head = String::from_utf8_lossy(&page.bytes[..page.bytes.len().min(HEAD)]);
            if !source.knows(head.trim_start()) {
                return Err(Refusal::never("not_mine", "the file is in no format of this source"));
            }
            read(source, &page)?
        }
        _ => return Err(unasked()),
    };
    Ok(Step::Done(Answer::Prices(prices)))
}

/// The refusal of a question that is not for plugins of this kind.
#[must_use]
pub fn unasked() -> Refusal {
    Refusal::never("not_asked", "this plugin does not answer such questions")
}

fn read(source: &impl Source, page: &Page<'_>) -> Result<Prices, Refusal> {
    if page.bytes.len() > MAX_BYTES {
        return Err(Refusal::never("unreadable", ReadError::TooLong.to_string()));
    }
    source.read(page).map_err(|error| match error {
        // It may think better of it.
        ReadError::Said(_) => Refusal::later("source_error", error.to_string()),
        _ => Refusal::never("unreadable", error.to_string()),
    })
}

/// The prices of two assets that were asked for.
fn wanted(mut prices: Prices, assets: &[String]) -> Result<Prices, Refusal> {
    prices.observations.retain(|seen| assets.contains(&seen.base) && assets.contains(&seen.quote));
    if prices.observations.is_empty() {
        return Err(Refusal::never("no_prices", "the source has no price of any two assets that are asked for"));
    }
    Ok(prices)
}

/// The reply of a request that went well.
///
/// # Errors
/// There is none, or one of another status. What may be over by itself is refused for now: too many calls, a country that is barred from
/// where we call, the other side's own troubles.
pub fn good(outcome: &Outcome) -> Result<&HttpResponse, Refusal> {
    let reply = match outcome {
        Outcome::Http(reply) => reply,
        Outcome::Unreached(unreached) => return Err(Refusal::later("unreachable", unreached.why.clone())),
        Outcome::Kept => return Err(Refusal::never("unasked", "a value was kept that nobody wanted kept")),
    };
    match reply.status {
        200 => Ok(reply),
        status @ (300..=399 | 400 | 401 | 404 | 410) => {
            Err(Refusal::never("source_error", format!("the source answers with the status {status}")))
        }
        status => {
            let pause = reply.header("retry-after").filter(|pause| pause.len() < 10 && pause.bytes().all(|b| b.is_ascii_digit()));
            let pause = pause.map(|seconds| format!(", asking for {seconds} seconds of peace")).unwrap_or_default();
            Err(Refusal::later("source_error", format!("the source answers with the status {status}{pause}")))
        }
    }
}

/// When a reply was made: a cache on the way may have kept it for long, and says so in its date.
fn made_at(reply: &HttpResponse) -> i64 {
    let form = format_description!("[weekday repr:short], [day] [month repr:short] [year] [hour]:[minute]:[second] GMT");
    let date = reply.header("date").and_then(|text| PrimitiveDateTime::parse(text, &form).ok());
    let made_at = date.map(|date| date.assume_utc().unix_timestamp().saturating_mul(1_000_000));
    made_at.map_or(reply.received_at, |made_at| made_at.min(reply.received_at))
}

fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}
