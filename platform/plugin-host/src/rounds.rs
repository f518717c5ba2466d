//! A question from its first round to its answer.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use agio_core::{BoxFuture, Clock};
use agio_outside::{Bounds, Caller, target};
use agio_plugin::protocol::{
    Action, Answer, Body, Call, HttpRequest, HttpResponse, Manifest, Method, Outcome, Question, Step, Unreached,
};
use http_body_util::Full;
use hyper::body::Bytes;
use hyper::{Request, Response};
use serde_json::Value;

use crate::{Fault, Reason, permit};

/// How many actions a plugin may want in one round.
const ACTIONS_MAX: usize = 16;

/// How much of a plugin's words about a failure is passed on.
const TEXT_CHARS_MAX: usize = 500;

/// The house's own bounds on a request, whatever a manifest says.
const REQUEST_MS_MAX: u32 = 60_000;
const REPLY_BYTES_MAX: u32 = 64 * 1024 * 1024;

/// Where a round of a plugin is thought: in a child process, or in this one.
pub trait Thinking: Send + Sync {
    /// One round.
    fn round<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Result<Step, Reason>>;
}

/// Where the values a plugin keeps are, and what an operator set for it.
pub trait Memory: Send + Sync {
    /// What is set, with the defaults.
    fn settings(&self) -> BTreeMap<String, String>;

    /// What is kept.
    fn kept(&self) -> BTreeMap<String, String>;

    /// Keeps a value, or forgets it.
    fn keep<'a>(&'a self, name: &'a str, value: Option<&'a str>) -> BoxFuture<'a, agio_core::Result<()>>;
}

/// What does for plugins what they need done.
#[derive(Clone)]
pub struct Hand {
    /// Calls outside.
    outward: Caller,
    /// Calls the places inside that the installation names.
    inward: Caller,
    /// These places.
    private: Arc<Private>,
    clock: Arc<dyn Clock>,
}

/// Places inside the house's own network that plugins may call, where an operator names them in a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Private {
    /// These alone: scheme, host and port of each.
    Origins(Vec<String>),
    /// All of them: for tests, whose other sides are on this machine.
    Everything,
}

impl Hand {
    /// Calls outside, and inside to these places alone.
    ///
    /// # Errors
    /// TLS cannot be had, or a place is no address of the web.
    pub fn new(clock: Arc<dyn Clock>, private: Private) -> agio_core::Result<Self> {
        let private = match private {
            Private::Everything => Private::Everything,
            Private::Origins(named) => {
                let origin = |url: &String| {
                    permit::origin(url).ok_or_else(|| agio_core::Error::internal(format!("{url:?} is no address of the web")))
                };
                Private::Origins(named.iter().map(origin).collect::<Result<_, _>>()?)
            }
        };
        Ok(Self { outward: Caller::new(false)?, inward: Caller::new(true)?, private: Arc::new(private), clock })
    }

    fn caller(&self, url: &str) -> &Caller {
        if self.is_named(url) { &self.inward } else { &self.outward }
    }

    /// Whether plugins may call this address, as far as its text tells: it leads outside, or to a place inside that the installation names.
    #[must_use]
    pub fn may_call(&self, url: &str) -> bool {
        self.is_named(url) || target::is_callable(url, false)
    }

    fn is_named(&self, url: &str) -> bool {
        match &*self.private {
            Private::Everything => true,
            Private::Origins(origins) => permit::origin(url).is_some_and(|origin| origins.contains(&origin)),
        }
    }
}

/// Asks a question until there is an answer.
///
/// # Errors
/// There is none.
pub async fn ask(
    hand: &Hand,
    manifest: &Manifest,
    thinking: &dyn Thinking,
    memory: &dyn Memory,
    call: Call,
) -> Result<Answer, Fault> {
    let mut may_have_acted = false;
    let settings = memory.settings();
    let mut question =
        Question { call, now: hand.clock.now().0, settings, kept: memory.kept(), memo: Value::Null, outcomes: Vec::new() };
    for _ in 0..manifest.limits.rounds {
        let step = thinking.round(&question).await.map_err(|reason| Fault { reason, may_have_acted })?;
        match step {
            Step::Done(answer) if question.call.is_answered_by(&answer) => return Ok(answer),
            Step::Done(_) => {
                let reason = Reason::Nonsense("the answer is to another question".to_owned());
                return Err(Fault { reason, may_have_acted });
            }
            Step::Refused(refusal) => {
                let reason = Reason::Refused { code: cut(&refusal.code), why: cut(&refusal.why), later: refusal.later };
                return Err(Fault { reason, may_have_acted });
            }
            Step::Needs { actions, memo } => {
                check(manifest, &question.settings, &actions)
                    .map_err(|why| Fault { reason: Reason::Forbidden(why), may_have_acted })?;
                let mut outcomes = Vec::with_capacity(actions.len());
                for action in actions {
                    let acts = matches!(&action, Action::Http(request) if request.method == Method::Post);
                    let outcome = perform(hand, manifest, memory, action).await;
                    may_have_acted |= acts && !matches!(&outcome, Outcome::Unreached(Unreached { may_have_acted: false, .. }));
                    outcomes.push(outcome);
                }
                question.kept = memory.kept();
                (question.memo, question.outcomes, question.now) = (memo, outcomes, hand.clock.now().0);
            }
        }
    }
    Err(Fault { reason: Reason::Nonsense(format!("no answer after {} rounds", manifest.limits.rounds)), may_have_acted })
}

/// What is passed on of a text that may be a megabyte long.
pub(crate) fn cut(text: &str) -> String {
    text.chars().take(TEXT_CHARS_MAX).collect()
}

/// Whether all of it may be done.
fn check(manifest: &Manifest, settings: &BTreeMap<String, String>, actions: &[Action]) -> Result<(), String> {
    if actions.is_empty() || actions.len() > ACTIONS_MAX {
        return Err(format!("{} actions in one round", actions.len()));
    }
    actions.iter().try_for_each(|action| match action {
        Action::Http(request) => permit::request(manifest, settings, request),
        Action::Keep { name, value } => permit::keeping(name, value.as_deref()),
    })
}

async fn perform(hand: &Hand, manifest: &Manifest, memory: &dyn Memory, action: Action) -> Outcome {
    match action {
        Action::Http(request) => fetch(hand, manifest, request).await,
        Action::Keep { name, value } => match memory.keep(&name, value.as_deref()).await {
            Ok(()) => Outcome::Kept,
            Err(error) => Outcome::Unreached(Unreached { why: error.to_string(), may_have_acted: false }),
        },
    }
}

async fn fetch(hand: &Hand, manifest: &Manifest, wanted: HttpRequest) -> Outcome {
    let bounds = Bounds {
        patience: Duration::from_millis(manifest.limits.request_ms.min(REQUEST_MS_MAX).into()),
        body_bytes: manifest.limits.reply_bytes.min(REPLY_BYTES_MAX) as usize,
    };
    let mut request = Request::builder().uri(&wanted.url).method(match wanted.method {
        Method::Get => hyper::Method::GET,
        Method::Post => hyper::Method::POST,
    });
    for (name, value) in &wanted.headers {
        request = request.header(name, value);
    }
    let body = wanted.body.map_or_else(Bytes::new, |body| Bytes::copy_from_slice(body.bytes()));
    let request = match request.body(Full::new(body)) {
        Ok(request) => request,
        Err(error) => return Outcome::Unreached(Unreached { why: error.to_string(), may_have_acted: false }),
    };
    match hand.caller(&wanted.url).call(request, bounds).await {
        Ok(response) => Outcome::Http(reply(response, hand.clock.now().0)),
        Err(failure) => Outcome::Unreached(Unreached { why: failure.to_string(), may_have_acted: failure.may_have_acted() }),
    }
}

fn reply(response: Response<Bytes>, received_at: i64) -> HttpResponse {
    let (head, body) = response.into_parts();
    let headers = head.headers.iter().filter_map(|(name, value)| Some((name.to_string(), value.to_str().ok()?.to_owned())));
    HttpResponse { status: head.status.as_u16(), headers: headers.collect(), body: Body::of(body.to_vec()), received_at }
}
