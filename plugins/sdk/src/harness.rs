//! Runs a plugin in a test, round by round, with scripted HTTP responses.
//!
//! The harness works like the server: it encodes messages, checks the plugin against its manifest and passes action results. It also runs
//! each round twice and expects the same response, because the server may repeat a round after a crash. Whatever would count as the
//! plugin's fault on the server is a panic here.

use std::collections::{BTreeMap, VecDeque};

use crate::Plugin;
use crate::protocol::{
    Action, ActionResult, AllowedHost, Body, Call, CallError, CallResult, HttpFailure, HttpRequest, HttpResponse, Manifest,
    PluginRequest, PluginResponse, json,
};

/// A plugin under test.
pub struct Harness<P> {
    plugin: P,
    manifest: Manifest,
    settings: BTreeMap<String, String>,
    stored: BTreeMap<String, String>,
    now: i64,
    script: VecDeque<ActionResult>,
    requests: Vec<HttpRequest>,
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
        Self { plugin, manifest, settings, stored, now: 1_711_627_200_000_000, script, requests }
    }

    /// Changes a setting.
    ///
    /// # Panics
    /// The manifest has no such setting, or the value is invalid.
    #[must_use]
    pub fn set(mut self, name: &str, value: &str) -> Self {
        let field = self.manifest.settings.iter().find(|field| field.name == name);
        let field = field.unwrap_or_else(|| panic!("the manifest has no setting {name:?}"));
        assert!(field.kind.accepts(value), "the setting {name:?} does not take {value:?}");
        self.settings.insert(name.to_owned(), value.to_owned());
        self
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
        self.script.push_back(ActionResult::HttpFailure(HttpFailure { why: "the connection broke".to_owned(), may_have_acted }));
        self
    }

    /// The requests the plugin has sent.
    #[must_use]
    pub fn requests(&self) -> &[HttpRequest] {
        &self.requests
    }

    /// The values the plugin has stored.
    #[must_use]
    pub fn stored(&self) -> &BTreeMap<String, String> {
        &self.stored
    }

    /// Runs a call to its end.
    ///
    /// # Errors
    /// The plugin returned an error.
    ///
    /// # Panics
    /// The plugin violates the protocol, or no response is left for its request.
    pub fn call(&mut self, call: Call) -> Result<CallResult, CallError> {
        let mut request = PluginRequest { now: self.now, settings: self.settings.clone(), ..PluginRequest::of(call) };
        for _ in 0..self.manifest.limits.rounds {
            request.stored.clone_from(&self.stored);
            match self.round(&request) {
                PluginResponse::Done(result) => {
                    assert!(request.call.accepts(&result), "{result:?} is not a result of {:?}", request.call);
                    return Ok(result);
                }
                PluginResponse::Failed(error) => return Err(error),
                PluginResponse::Needs { actions, memo } => {
                    assert!((1..=16).contains(&actions.len()), "{} actions in one round", actions.len());
                    request.outcomes = actions.into_iter().map(|action| self.perform(action)).collect();
                    request.memo = memo;
                }
            }
        }
        panic!("no result after {} rounds", self.manifest.limits.rounds)
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

    fn perform(&mut self, action: Action) -> ActionResult {
        match action {
            Action::Store { name, value } => {
                match value {
                    Some(value) => self.stored.insert(name, value),
                    None => self.stored.remove(&name),
                };
                ActionResult::Stored
            }
            Action::Http(request) => {
                assert!(self.is_allowed(&request), "{:?} to {} is not in the manifest", request.method, request.url);
                let result = self.script.pop_front();
                let result =
                    result.unwrap_or_else(|| panic!("no response is scripted for {:?} to {}", request.method, request.url));
                self.requests.push(request);
                result
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

/// Scheme and authority of a URL.
fn origin(url: &str) -> &str {
    let path = url.find("://").and_then(|scheme| Some(scheme + 3 + url[scheme + 3..].find(['/', '?', '#'])?));
    &url[..path.unwrap_or(url.len())]
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

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
        assert_eq!(bell.stored().get("rung").map(String::as_str), Some("1"));
        assert_eq!(bell.call(notification(None)).unwrap_err().code, "unreachable");
        assert_eq!(bell.requests().len(), 2);
    }

    #[test]
    fn violations_fail_the_test() {
        let stray = || Harness::new(Bell).reply(200, "").call(notification(Some("https://bell.example.evil.example/")));
        assert!(std::panic::catch_unwind(stray).is_err());
        assert!(std::panic::catch_unwind(|| Harness::new(Bell).call(notification(None))).is_err());
    }
}
