//! Runs a plugin call round by round and executes the requested actions.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use agio_core::{BoxFuture, Clock};
use agio_outbound_http::{OutboundClient, RequestLimits, target};
use agio_plugin_sdk::protocol::{
    Action, ActionResult, Body, Call, CallResult, HttpFailure, HttpMethod, HttpRequest, HttpResponse, Manifest, PluginRequest,
    PluginResponse,
};
use http_body_util::Full;
use hyper::body::Bytes;
use hyper::{Request, Response};
use serde_json::Value;

use crate::{PluginError, PluginErrorReason, permissions};

/// Maximum actions per round.
const ACTIONS_MAX: usize = 16;

/// Maximum length of a plugin's error texts, in characters.
const TEXT_CHARS_MAX: usize = 500;

/// The server's limits on HTTP requests, whatever the manifest says.
const REQUEST_MS_MAX: u32 = 60_000;
const REPLY_BYTES_MAX: u32 = 64 * 1024 * 1024;

/// Runs rounds of a plugin, in this process or in a child process.
pub trait RoundHandler: Send + Sync {
    /// Runs one round.
    fn handle_round<'a>(&'a self, request: &'a PluginRequest) -> BoxFuture<'a, Result<PluginResponse, PluginErrorReason>>;
}

/// Settings and stored values of a plugin.
pub trait PluginStorage: Send + Sync {
    /// Settings, including defaults.
    fn settings(&self) -> BTreeMap<String, String>;

    fn stored_values(&self) -> BTreeMap<String, String>;

    /// Where the plugin's service may report that something has happened.
    fn callback_url(&self) -> Option<String> {
        None
    }

    /// Stores a value; `None` deletes it.
    fn store<'a>(&'a self, name: &'a str, value: Option<&'a str>) -> BoxFuture<'a, agio_core::Result<()>>;
}

/// Executes the actions that plugins request.
#[derive(Clone)]
pub struct ActionExecutor {
    public_client: OutboundClient,
    /// Used for the allowed private origins only.
    private_client: OutboundClient,
    private_access: Arc<PrivateNetworkAccess>,
    clock: Arc<dyn Clock>,
}

/// Private network addresses that plugins may call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PrivateNetworkAccess {
    /// Only these: scheme, host and port of each.
    Origins(Vec<String>),
    /// All addresses: for tests.
    All,
}

impl ActionExecutor {
    /// # Errors
    /// TLS is not available, or an origin is not an HTTP URL.
    pub fn new(clock: Arc<dyn Clock>, private_access: PrivateNetworkAccess) -> agio_core::Result<Self> {
        let private_access = match private_access {
            PrivateNetworkAccess::All => PrivateNetworkAccess::All,
            PrivateNetworkAccess::Origins(named) => {
                let origin = |url: &String| {
                    permissions::origin(url)
                        .ok_or_else(|| agio_core::Error::internal(format!("plugins.private_origins: {url:?} is not an HTTP URL")))
                };
                PrivateNetworkAccess::Origins(named.iter().map(origin).collect::<Result<_, _>>()?)
            }
        };
        Ok(Self {
            public_client: OutboundClient::new(false)?,
            private_client: OutboundClient::new(true)?,
            private_access: Arc::new(private_access),
            clock,
        })
    }

    fn client(&self, url: &str) -> &OutboundClient {
        if self.is_allowed_private(url) { &self.private_client } else { &self.public_client }
    }

    /// Whether plugins may call this URL: it is public, as far as its text shows, or one of the allowed private origins.
    pub fn may_call(&self, url: &str) -> bool {
        self.is_allowed_private(url) || target::is_callable(url, false)
    }

    fn is_allowed_private(&self, url: &str) -> bool {
        match &*self.private_access {
            PrivateNetworkAccess::All => true,
            PrivateNetworkAccess::Origins(origins) => permissions::origin(url).is_some_and(|origin| origins.contains(&origin)),
        }
    }
}

/// Requests a request until there is an answer.
///
/// # Errors
/// There is none.
pub async fn call_plugin(
    executor: &ActionExecutor,
    manifest: &Manifest,
    handler: &dyn RoundHandler,
    storage: &dyn PluginStorage,
    call: Call,
) -> Result<CallResult, PluginError> {
    let mut may_have_acted = false;
    let settings = storage.settings();
    let mut request = PluginRequest {
        call,
        now: executor.clock.now().0,
        settings,
        stored: storage.stored_values(),
        callback_url: storage.callback_url(),
        memo: Value::Null,
        outcomes: Vec::new(),
    };
    for _ in 0..manifest.limits.rounds {
        let response = handler.handle_round(&request).await.map_err(|reason| PluginError { reason, may_have_acted })?;
        match response {
            PluginResponse::Done(result) if request.call.accepts(&result) => return Ok(result),
            PluginResponse::Done(_) => {
                let reason = PluginErrorReason::ProtocolViolation("the result does not fit the call".to_owned());
                return Err(PluginError { reason, may_have_acted });
            }
            PluginResponse::Failed(error) => {
                let reason =
                    PluginErrorReason::CallFailed { code: truncate(&error.code), why: truncate(&error.why), later: error.later };
                return Err(PluginError { reason, may_have_acted });
            }
            PluginResponse::Needs { actions, memo } => {
                check_actions(manifest, &request.settings, &actions)
                    .map_err(|why| PluginError { reason: PluginErrorReason::Forbidden(why), may_have_acted })?;
                let mut outcomes = Vec::with_capacity(actions.len());
                for action in actions {
                    let has_effect = matches!(&action, Action::Http(http) if http.method == HttpMethod::Post);
                    let outcome = execute(executor, manifest, storage, action).await;
                    may_have_acted |=
                        has_effect && !matches!(&outcome, ActionResult::HttpFailure(HttpFailure { may_have_acted: false, .. }));
                    outcomes.push(outcome);
                }
                request.stored = storage.stored_values();
                (request.memo, request.outcomes, request.now) = (memo, outcomes, executor.clock.now().0);
            }
        }
    }
    Err(PluginError {
        reason: PluginErrorReason::ProtocolViolation(format!("no result after {} rounds", manifest.limits.rounds)),
        may_have_acted,
    })
}

/// Shortens a plugin's text, which may be very long.
pub(crate) fn truncate(text: &str) -> String {
    text.chars().take(TEXT_CHARS_MAX).collect()
}

/// Checks that the manifest allows all actions.
fn check_actions(manifest: &Manifest, settings: &BTreeMap<String, String>, actions: &[Action]) -> Result<(), String> {
    if actions.is_empty() || actions.len() > ACTIONS_MAX {
        return Err(format!("{} actions in one round", actions.len()));
    }
    actions.iter().try_for_each(|action| match action {
        Action::Http(request) => permissions::check_request(manifest, settings, request),
        Action::Store { name, value } => permissions::check_stored_value(name, value.as_deref()),
    })
}

async fn execute(executor: &ActionExecutor, manifest: &Manifest, storage: &dyn PluginStorage, action: Action) -> ActionResult {
    match action {
        Action::Http(request) => fetch(executor, manifest, request).await,
        Action::Store { name, value } => match storage.store(&name, value.as_deref()).await {
            Ok(()) => ActionResult::Stored,
            Err(error) => ActionResult::HttpFailure(HttpFailure { why: error.to_string(), may_have_acted: false }),
        },
    }
}

async fn fetch(executor: &ActionExecutor, manifest: &Manifest, wanted: HttpRequest) -> ActionResult {
    let limits = RequestLimits {
        timeout: Duration::from_millis(manifest.limits.request_ms.min(REQUEST_MS_MAX).into()),
        body_bytes: manifest.limits.reply_bytes.min(REPLY_BYTES_MAX) as usize,
    };
    let mut request = Request::builder().uri(&wanted.url).method(match wanted.method {
        HttpMethod::Get => hyper::Method::GET,
        HttpMethod::Post => hyper::Method::POST,
    });
    for (name, value) in &wanted.headers {
        request = request.header(name, value);
    }
    let body = wanted.body.map_or_else(Bytes::new, |body| Bytes::copy_from_slice(body.bytes()));
    let request = match request.body(Full::new(body)) {
        Ok(request) => request,
        Err(error) => return ActionResult::HttpFailure(HttpFailure { why: error.to_string(), may_have_acted: false }),
    };
    match executor.client(&wanted.url).send(request, limits).await {
        Ok(response) => ActionResult::Http(to_plugin_response(response, executor.clock.now().0)),
        Err(failure) => {
            ActionResult::HttpFailure(HttpFailure { why: failure.to_string(), may_have_acted: failure.may_have_acted() })
        }
    }
}

fn to_plugin_response(response: Response<Bytes>, received_at: i64) -> HttpResponse {
    let (head, body) = response.into_parts();
    let headers = head.headers.iter().filter_map(|(name, value)| Some((name.to_string(), value.to_str().ok()?.to_owned())));
    HttpResponse { status: head.status.as_u16(), headers: headers.collect(), body: Body::of(body.to_vec()), received_at }
}
