//! Runs a plugin in a test, round by round, with replies that are written down beforehand.
//!
//! The harness does what the house does: it asks over bytes, holds the plugin to its manifest, and gives back what came of its actions. Beyond that it asks
//! each round twice and wants the same step both times, because the house may ask again after a crash. Whatever the house would blame the plugin for
//! is a panic here, with the reason.

use std::collections::{BTreeMap, VecDeque};

use crate::Plugin;
use crate::protocol::{
    Action, Answer, Body, Call, Host, HttpRequest, HttpResponse, Manifest, Outcome, Question, Refusal, Step, Unreached, json,
};

/// A plugin under test.
pub struct Harness<P> {
    plugin: P,
    manifest: Manifest,
    settings: BTreeMap<String, String>,
    kept: BTreeMap<String, String>,
    now: i64,
    script: VecDeque<Outcome>,
    requests: Vec<HttpRequest>,
}

impl<P: Plugin> Harness<P> {
    /// A plugin, set as its manifest says by default, at noon of 28 March 2024.
    ///
    /// # Panics
    /// The manifest cannot be one.
    #[must_use]
    pub fn new(plugin: P) -> Self {
        let manifest: Manifest = json::read(&json::write(&plugin.manifest())).expect("a manifest can be read again");
        manifest.check().unwrap_or_else(|why| panic!("the manifest: {why}"));
        let defaults = manifest.settings.iter().filter_map(|field| Some((field.name.clone(), field.default.clone()?)));
        let settings = defaults.collect();
        let (kept, script, requests) = Default::default();
        Self { plugin, manifest, settings, kept, now: 1_711_627_200_000_000, script, requests }
    }

    /// With a setting.
    ///
    /// # Panics
    /// The manifest has no such setting, or it takes no such value.
    #[must_use]
    pub fn set(mut self, name: &str, value: &str) -> Self {
        let field = self.manifest.settings.iter().find(|field| field.name == name);
        let field = field.unwrap_or_else(|| panic!("the manifest has no setting {name:?}"));
        assert!(field.kind.takes(value), "the setting {name:?} does not take {value:?}");
        self.settings.insert(name.to_owned(), value.to_owned());
        self
    }

    /// At another time: microseconds since 1970-01-01 UTC.
    #[must_use]
    pub fn at(mut self, now: i64) -> Self {
        self.now = now;
        self
    }

    /// With something kept from before.
    #[must_use]
    pub fn keeping(mut self, name: &str, value: &str) -> Self {
        self.kept.insert(name.to_owned(), value.to_owned());
        self
    }

    /// With the next reply: a status and a body.
    #[must_use]
    pub fn reply(self, status: u16, body: impl Into<String>) -> Self {
        let received_at = self.now;
        self.reply_whole(HttpResponse { status, headers: Vec::new(), body: Body::Text(body.into()), received_at })
    }

    /// With the next reply, headers and all.
    #[must_use]
    pub fn reply_whole(mut self, response: HttpResponse) -> Self {
        self.script.push_back(Outcome::Http(response));
        self
    }

    /// With no reply to the next request; says whether the other side may have acted on it.
    #[must_use]
    pub fn unreached(mut self, may_have_acted: bool) -> Self {
        self.script.push_back(Outcome::Unreached(Unreached { why: "the connection broke".to_owned(), may_have_acted }));
        self
    }

    /// What the plugin asked to be sent so far.
    #[must_use]
    pub fn requests(&self) -> &[HttpRequest] {
        &self.requests
    }

    /// What the plugin keeps.
    #[must_use]
    pub fn kept(&self) -> &BTreeMap<String, String> {
        &self.kept
    }

    /// Asks, until there is an answer.
    ///
    /// # Errors
    /// The plugin refuses.
    ///
    /// # Panics
    /// The plugin does what the house would blame it for, or needs a reply that is not written down.
    pub fn ask(&mut self, call: Call) -> Result<Answer, Refusal> {
        let mut question = Question { now: self.now, settings: self.settings.clone(), ..Question::of(call) };
        for _ in 0..self.manifest.limits.rounds {
            question.kept.clone_from(&self.kept);
            match self.round(&question) {
                Step::Done(answer) => {
                    assert!(question.call.is_answered_by(&answer), "{answer:?} is no answer to {:?}", question.call);
                    return Ok(answer);
                }
                Step::Refused(refusal) => return Err(refusal),
                Step::Needs { actions, memo } => {
                    assert!((1..=16).contains(&actions.len()), "{} actions in one round", actions.len());
                    question.outcomes = actions.into_iter().map(|action| self.perform(action)).collect();
                    question.memo = memo;
                }
            }
        }
        panic!("no answer after {} rounds", self.manifest.limits.rounds)
    }

    fn round(&self, question: &Question) -> Step {
        let bytes = json::write(question);
        let think = || {
            let heard = json::read(&bytes).expect("a question can be read again");
            json::write(&self.plugin.handle(&heard))
        };
        let step = think();
        assert_eq!(step, think(), "the same question was answered differently the second time");
        json::read(&step).expect("a step can be read again")
    }

    fn perform(&mut self, action: Action) -> Outcome {
        match action {
            Action::Keep { name, value } => {
                match value {
                    Some(value) => self.kept.insert(name, value),
                    None => self.kept.remove(&name),
                };
                Outcome::Kept
            }
            Action::Http(request) => {
                assert!(self.may_send(&request), "{:?} to {} is not in the manifest", request.method, request.url);
                let came = self.script.pop_front();
                let came = came.unwrap_or_else(|| panic!("no reply is written down for {:?} to {}", request.method, request.url));
                self.requests.push(request);
                came
            }
        }
    }

    /// Whether the manifest names where a request goes, as far as a test needs to know; the house looks closer.
    fn may_send(&self, request: &HttpRequest) -> bool {
        self.manifest.hosts.iter().any(|host| {
            let (place, methods) = match host {
                Host::Origin { origin, methods } => (origin.as_str(), methods),
                Host::Setting { setting, methods } => (origin(self.settings.get(setting).map_or("", String::as_str)), methods),
            };
            !place.is_empty() && origin(&request.url) == place && methods.contains(&request.method)
        })
    }
}

/// The beginning of an address, up to its path.
fn origin(url: &str) -> &str {
    let path = url.find("://").and_then(|scheme| Some(scheme + 3 + url[scheme + 3..].find(['/', '?', '#'])?));
    &url[..path.unwrap_or(url.len())]
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::protocol::{Kind, Method, Notice, Words};

    /// Tells its one host, and keeps how often.
    struct Bell;

    impl Plugin for Bell {
        fn manifest(&self) -> Manifest {
            let mut manifest = Manifest::new("bell", "1", Kind::Notifier, Words::default(), Words::default());
            manifest.hosts.push(Host::Origin { origin: "https://bell.example".to_owned(), methods: vec![Method::Post] });
            manifest
        }

        fn handle(&self, question: &Question) -> Step {
            match (&question.call, question.outcomes.first()) {
                (Call::Notify(notice), None) => {
                    let url = notice.url.as_deref().unwrap_or("https://bell.example/ring");
                    Step::first(Action::Http(HttpRequest::post_json(url, &Value::Null)))
                }
                (_, Some(Outcome::Http(response))) if response.status == 200 => {
                    Step::first(Action::Keep { name: "rung".to_owned(), value: Some("1".to_owned()) })
                }
                (_, Some(Outcome::Kept)) => Step::Done(Answer::Told),
                _ => Step::Refused(Refusal::later("unreachable", "nobody hears")),
            }
        }
    }

    fn notice(url: Option<&str>) -> Call {
        let text = || "text".to_owned();
        Call::Notify(Notice { key: text(), recipient: None, event: text(), text: text(), url: url.map(str::to_owned) })
    }

    #[test]
    fn a_plugin_is_led_through_its_rounds() {
        let mut bell = Harness::new(Bell).reply(200, "").unreached(true);
        assert_eq!(bell.ask(notice(None)), Ok(Answer::Told));
        assert_eq!(bell.kept().get("rung").map(String::as_str), Some("1"));
        assert_eq!(bell.ask(notice(None)).unwrap_err().code, "unreachable");
        assert_eq!(bell.requests().len(), 2);
    }

    #[test]
    fn what_the_house_would_refuse_fails_the_test() {
        let stray = || Harness::new(Bell).reply(200, "").ask(notice(Some("https://bell.example.evil.example/")));
        assert!(std::panic::catch_unwind(stray).is_err());
        assert!(std::panic::catch_unwind(|| Harness::new(Bell).ask(notice(None))).is_err());
    }
}
