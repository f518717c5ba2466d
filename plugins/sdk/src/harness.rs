//! Runs a plugin in a test, round by round, with scripted HTTP responses or a fake of the other side.
//!
//! The harness works like the server: it encodes messages, checks the plugin against its manifest and passes action results. It also runs
//! each round twice and expects the same response, because the server may repeat a round after a crash. Whatever would count as the
//! plugin's fault on the server is a panic here.

use std::collections::{BTreeMap, VecDeque};

use crate::Plugin;
use serde_json::Value;

use crate::protocol::{
    Action, ActionResult, AddressRequest, AllowedHost, Body, Call, CallError, CallResult, HttpFailure, HttpRequest, HttpResponse,
    Manifest, Movements, PayoutState, PluginRequest, PluginResponse, WatchRequest, json,
};

/// The other side: answers the HTTP requests of a plugin under test. A closure is one.
pub trait Server {
    /// The response, or its absence.
    fn respond(&mut self, request: &HttpRequest) -> ActionResult;
}

impl<F: FnMut(&HttpRequest) -> ActionResult> Server for F {
    fn respond(&mut self, request: &HttpRequest) -> ActionResult {
        self(request)
    }
}

/// How the server stores the values of a plugin under test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// The next round has them.
    Immediate,
    /// Rounds after the first have none, as while the server loads them anew.
    Invisible,
    /// Nothing can be stored.
    Failing,
}

/// A plugin under test.
pub struct Harness<P> {
    plugin: P,
    manifest: Manifest,
    settings: BTreeMap<String, String>,
    script: VecDeque<ActionResult>,
    requests: Vec<HttpRequest>,
    /// Where the plugin's service may report that something has happened; `None` at first.
    pub callback_url: Option<String>,
    /// The values the plugin has stored.
    pub stored: BTreeMap<String, String>,
    /// How values are stored.
    pub storage: Storage,
    /// The time of the next round: microseconds since 1970-01-01 UTC.
    pub now: i64,
    /// How long a round takes, in microseconds; 0 at first.
    pub round_time: i64,
}

impl<P: Plugin> Harness<P> {
    /// A plugin with the default settings, at noon UTC on 28 March 2024.
    ///
    /// # Panics
    /// The manifest is invalid.
    #[must_use]
    pub fn new(plugin: P) -> Self {
        let manifest: Manifest = json::read(&json::write(&plugin.manifest())).expect("a manifest can be parsed");
        manifest.validate().unwrap_or_else(|why| panic!("the manifest: {why}"));
        let defaults = manifest.settings.iter().filter_map(|field| Some((field.name.clone(), field.default.clone()?)));
        let settings = defaults.collect();
        let (stored, script, requests) = Default::default();
        let (storage, now) = (Storage::Immediate, 1_711_627_200_000_000);
        Self { plugin, manifest, settings, script, requests, callback_url: None, stored, storage, now, round_time: 0 }
    }

    /// Changes a setting.
    ///
    /// # Panics
    /// The manifest has no such setting, or the value is invalid.
    #[must_use]
    pub fn set(mut self, name: &str, value: &str) -> Self {
        self.change_setting(name, value);
        self
    }

    /// Changes a setting between calls.
    ///
    /// # Panics
    /// The manifest has no such setting, or the value is invalid.
    pub fn change_setting(&mut self, name: &str, value: &str) {
        let field = self.manifest.settings.iter().find(|field| field.name == name);
        let field = field.unwrap_or_else(|| panic!("the manifest has no setting {name:?}"));
        assert!(field.kind.accepts(value), "the setting {name:?} does not take {value:?}");
        self.settings.insert(name.to_owned(), value.to_owned());
    }

    /// Sets the time: microseconds since 1970-01-01 UTC.
    #[must_use]
    pub fn at(mut self, now: i64) -> Self {
        self.now = now;
        self
    }

    /// Adds a stored value.
    #[must_use]
    pub fn with_stored(mut self, name: &str, value: &str) -> Self {
        self.stored.insert(name.to_owned(), value.to_owned());
        self
    }

    /// Adds a response: status and body.
    #[must_use]
    pub fn reply(self, status: u16, body: impl Into<String>) -> Self {
        let received_at = self.now;
        self.reply_whole(HttpResponse { status, headers: Vec::new(), body: Body::Text(body.into()), received_at })
    }

    /// Adds a complete response.
    #[must_use]
    pub fn reply_whole(mut self, response: HttpResponse) -> Self {
        self.script.push_back(ActionResult::Http(response));
        self
    }

    /// Adds a connection failure; `may_have_acted` says whether the other side may have acted on the request.
    #[must_use]
    pub fn failure(mut self, may_have_acted: bool) -> Self {
        self.script.push_back(lost(may_have_acted));
        self
    }

    /// The requests the plugin has sent.
    #[must_use]
    pub fn requests(&self) -> &[HttpRequest] {
        &self.requests
    }

    /// Runs a call to its end, with the scripted responses.
    ///
    /// # Errors
    /// The plugin returned an error.
    ///
    /// # Panics
    /// The plugin violates the protocol, or no response is left for its request.
    pub fn call(&mut self, call: Call) -> Result<CallResult, CallError> {
        let mut script = std::mem::take(&mut self.script);
        let result = self.call_on(call, &mut |request: &HttpRequest| {
            let response = script.pop_front();
            response.unwrap_or_else(|| panic!("no response is scripted for {:?} to {}", request.method, request.url))
        });
        self.script = script;
        result
    }

    /// Runs a call to its end, with a fake of the other side.
    ///
    /// # Errors
    /// The plugin returned an error.
    ///
    /// # Panics
    /// The plugin violates the protocol.
    pub fn call_on(&mut self, call: Call, server: &mut impl Server) -> Result<CallResult, CallError> {
        let (result, rounds) = (self.call_for(call, server, u32::MAX), self.manifest.limits.rounds);
        result.unwrap_or_else(|| panic!("no result after {rounds} rounds"))
    }

    /// Runs a call until the server crashes, which is when the plugin requests actions after so many rounds; `None` if it
    /// crashed.
    ///
    /// # Panics
    /// The plugin violates the protocol.
    pub fn call_for(&mut self, call: Call, server: &mut impl Server, rounds: u32) -> Option<Result<CallResult, CallError>> {
        let mut request =
            PluginRequest { settings: self.settings.clone(), callback_url: self.callback_url.clone(), ..PluginRequest::of(call) };
        for round in 0..self.manifest.limits.rounds {
            let is_visible = round == 0 || self.storage != Storage::Invisible;
            request.stored = if is_visible { self.stored.clone() } else { BTreeMap::new() };
            request.now = self.now;
            self.now += self.round_time;
            match self.round(&request) {
                PluginResponse::Done(result) => {
                    assert!(request.call.accepts(&result), "{result:?} is not a result of {:?}", request.call);
                    return Some(Ok(result));
                }
                PluginResponse::Failed(error) => return Some(Err(error)),
                PluginResponse::Needs { .. } if round == rounds => return None,
                PluginResponse::Needs { actions, memo } => {
                    assert!((1..=16).contains(&actions.len()), "{} actions in one round", actions.len());
                    request.outcomes = actions.into_iter().map(|action| self.perform(action, server)).collect();
                    request.memo = memo;
                }
            }
        }
        None
    }

    /// The addresses of these keys, from a payment driver that needs no node for them.
    ///
    /// # Panics
    /// The driver gives none.
    pub fn addresses(&mut self, currency: &str, keys: &[&str]) -> Vec<String> {
        let request = |key: &&str| AddressRequest { key: (*key).to_owned(), currency: currency.to_owned() };
        match self.call(Call::Addresses { requests: keys.iter().map(request).collect() }) {
            Ok(CallResult::Addresses(addresses)) => addresses.into_iter().map(|address| address.address).collect(),
            other => panic!("{other:?}"),
        }
    }

    /// Polls a payment driver, and moves the cursor.
    ///
    /// # Panics
    /// The driver returns an error.
    pub fn poll(&mut self, mut request: WatchRequest, cursor: &mut Option<String>, server: &mut impl Server) -> Movements {
        request.cursor.clone_from(cursor);
        match self.call_on(Call::Watch(request), server) {
            Ok(CallResult::Movements(report)) => {
                *cursor = Some(report.cursor.clone());
                report
            }
            other => panic!("{other:?}"),
        }
    }

    /// The state of a payout, from a call that sends it or queries it.
    ///
    /// # Panics
    /// The driver returns an error.
    pub fn payout(&mut self, call: Call, server: &mut impl Server) -> PayoutState {
        match self.call_on(call, server) {
            Ok(CallResult::Payout(state)) => state,
            other => panic!("{other:?}"),
        }
    }

    fn round(&self, request: &PluginRequest) -> PluginResponse {
        let bytes = json::write(request);
        let handle = || {
            let request = json::read(&bytes).expect("a request can be parsed");
            json::write(&self.plugin.handle(&request))
        };
        let response = handle();
        assert_eq!(response, handle(), "the same request got another response the second time");
        json::read(&response).expect("a response can be parsed")
    }

    fn perform(&mut self, action: Action, server: &mut impl Server) -> ActionResult {
        match action {
            Action::Store { .. } if self.storage == Storage::Failing => lost(false),
            Action::Store { name, value } => {
                let fits = name.len() <= 64 && value.as_ref().is_none_or(|value| value.len() <= 16 * 1024);
                assert!(fits, "the value {name:?} is too long");
                match value {
                    Some(value) => self.stored.insert(name, value),
                    None => self.stored.remove(&name),
                };
                ActionResult::Stored
            }
            Action::Http(request) => {
                assert!(self.is_allowed(&request), "{:?} to {} is not in the manifest", request.method, request.url);
                let response = server.respond(&request);
                self.requests.push(request);
                response
            }
        }
    }

    /// Whether the manifest allows the request. The server checks more closely.
    fn is_allowed(&self, request: &HttpRequest) -> bool {
        self.manifest.hosts.iter().any(|host| {
            let (place, methods) = match host {
                AllowedHost::Origin { origin, methods } => (origin.as_str(), methods),
                AllowedHost::Setting { setting, methods } => {
                    (origin(self.settings.get(setting).map_or("", String::as_str)), methods)
                }
            };
            !place.is_empty() && origin(&request.url) == place && methods.contains(&request.method)
        })
    }
}

/// A response with this body.
#[must_use]
pub fn http(status: u16, body: impl Into<String>) -> ActionResult {
    ActionResult::Http(HttpResponse { status, headers: Vec::new(), body: Body::Text(body.into()), received_at: 0 })
}

/// A broken connection; `may_have_acted` says whether the other side may have acted on the request.
#[must_use]
pub fn lost(may_have_acted: bool) -> ActionResult {
    ActionResult::HttpFailure(HttpFailure { why: "the connection broke".to_owned(), may_have_acted })
}

/// The JSON body of a request.
///
/// # Panics
/// It has none.
#[must_use]
pub fn json_of(request: &HttpRequest) -> Value {
    serde_json::from_slice(request.body.as_ref().expect("the request has a body").bytes()).expect("the body is JSON")
}

/// Replaces every field of this name, however deep.
pub fn spoil(json: &mut Value, field: &str, value: &Value) {
    match json {
        Value::Object(members) => {
            if let Some(member) = members.get_mut(field) {
                *member = value.clone();
            }
            members.values_mut().for_each(|member| spoil(member, field, value));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| spoil(item, field, value)),
        _ => {}
    }
}

/// Scheme and authority of a URL.
fn origin(url: &str) -> &str {
    let path = url.find("://").and_then(|scheme| Some(scheme + 3 + url[scheme + 3..].find(['/', '?', '#'])?));
    &url[..path.unwrap_or(url.len())]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{HttpMethod, LocalizedText, Notification, PluginKind};

    /// Sends one request and stores a value.
    struct Bell;

    impl Plugin for Bell {
        fn manifest(&self) -> Manifest {
            let mut manifest =
                Manifest::new("bell", "1", PluginKind::Notifier, LocalizedText::default(), LocalizedText::default());
            manifest
                .hosts
                .push(AllowedHost::Origin { origin: "https://bell.example".to_owned(), methods: vec![HttpMethod::Post] });
            manifest
        }

        fn handle(&self, request: &PluginRequest) -> PluginResponse {
            match (&request.call, request.outcomes.first()) {
                (Call::Notify(notification), None) => {
                    let url = notification.url.as_deref().unwrap_or("https://bell.example/ring");
                    PluginResponse::action(Action::Http(HttpRequest::post_json(url, &Value::Null)))
                }
                (_, Some(ActionResult::Http(response))) if response.status == 200 => {
                    PluginResponse::action(Action::Store { name: "rung".to_owned(), value: Some("1".to_owned()) })
                }
                (_, Some(ActionResult::Stored)) => PluginResponse::Done(CallResult::Notified),
                _ => PluginResponse::Failed(CallError::temporary("unreachable", "no response")),
            }
        }
    }

    fn notification(url: Option<&str>) -> Call {
        let text = || "text".to_owned();
        Call::Notify(Notification { key: text(), recipient: None, event: text(), text: text(), url: url.map(str::to_owned) })
    }

    #[test]
    fn a_call_runs_through_its_rounds() {
        let mut bell = Harness::new(Bell).reply(200, "").failure(true);
        assert_eq!(bell.call(notification(None)), Ok(CallResult::Notified));
        assert_eq!(bell.stored.get("rung").map(String::as_str), Some("1"));
        assert_eq!(bell.call(notification(None)).unwrap_err().code, "unreachable");
        assert_eq!(bell.requests().len(), 2);
    }

    #[test]
    fn a_fake_server_answers_and_the_server_may_crash() {
        let mut bell = Harness::new(Bell);
        bell.storage = Storage::Failing;
        let mut ring = |_: &HttpRequest| http(200, "");
        assert_eq!(bell.call_for(notification(None), &mut ring, 1), None);
        assert_eq!(bell.call_on(notification(None), &mut ring).unwrap_err().code, "unreachable");
        assert!(bell.stored.is_empty());
        bell.storage = Storage::Immediate;
        assert_eq!(bell.call_on(notification(None), &mut ring), Ok(CallResult::Notified));
        assert_eq!(bell.stored.len(), 1);
    }

    #[test]
    fn violations_fail_the_test() {
        let stray = || Harness::new(Bell).reply(200, "").call(notification(Some("https://bell.example.evil.example/")));
        assert!(std::panic::catch_unwind(stray).is_err());
        assert!(std::panic::catch_unwind(|| Harness::new(Bell).call(notification(None))).is_err());
    }
}
