//! Screening of money by a service over HTTP.
//!
//! The shape is that of most services: a POST of `{hash, address, asset, direction}` with a key in a header is answered by
//! `{id, status, riskscore, signals}`, at once or, while the status is `pending`, later under the id. Each POST costs money. So the id is kept until there is a verdict
//! and asked for by a GET, and each POST carries the house's own key as `idempotency-key`, for the case that its answer is lost.

use std::collections::BTreeMap;

use agio_plugin::Plugin;
use agio_plugin::protocol::{
    Action, Answer, Call, Choice, Field, FieldKind, Host, HttpRequest, HttpResponse, Kind, Limits, Manifest, Method, Outcome,
    Question, Refusal, Risk, Screening, Step, Verdict, Words,
};
use agio_plugin_reading::number::json_number;
use rust_decimal::Decimal;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// The settings: address, key, from which percent on money looks bad, and what the service calls one hundred percent.
const URL: &str = "url";
const KEY: &str = "key";
const THRESHOLD: &str = "threshold";
const WHOLE: &str = "whole";

/// The longest key under which something is kept.
const KEPT_MAX: usize = 64;

/// A service that screens.
#[derive(Default)]
pub struct AmlHttp;

#[cfg(feature = "library")]
agio_plugin::export!(AmlHttp);

impl Plugin for AmlHttp {
    fn manifest(&self) -> Manifest {
        let field = |name: &str, kind, title, default: Option<&str>| Field {
            name: name.to_owned(),
            kind,
            title,
            default: default.map(str::to_owned),
        };
        let choice = |value: &str, ru, en| Choice { value: value.to_owned(), title: Words::new(ru, en) };
        // Of the two scales the smaller is the default: mistaken for the other, it makes money look worse, never better.
        let scales = vec![choice("1", "от 0 до 1", "from 0 to 1"), choice("100", "от 0 до 100", "from 0 to 100")];
        Manifest {
            name: "aml-http".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            kind: Kind::Screening,
            title: Words::new("Проверка по HTTP", "Screening over HTTP"),
            about: Words::new(
                "Спрашивает службу проверки, откуда пришли деньги. Каждая проверка платная и делается один раз.",
                "Asks a screening service where money comes from. Each screening costs money and is made once.",
            ),
            hosts: vec![Host::Setting { setting: URL.to_owned(), methods: vec![Method::Get, Method::Post] }],
            settings: vec![
                field(URL, FieldKind::Url, Words::new("Адрес службы", "Address of the service"), None),
                field(KEY, FieldKind::Secret, Words::new("Ключ", "Key"), None),
                field(
                    THRESHOLD,
                    FieldKind::Int { min: 1, max: 100 },
                    Words::new("С какой оценки деньги смотрит человек, %", "From which score on a person looks at money, %"),
                    Some("50"),
                ),
                field(WHOLE, FieldKind::Choice { of: scales }, Words::new("Шкала оценки", "Scale of the score"), Some("1")),
            ],
            limits: Limits { request_ms: 20_000, ..Limits::default() },
            features: Vec::new(),
        }
    }

    fn handle(&self, question: &Question) -> Step {
        answer(question).unwrap_or_else(Step::Refused)
    }
}

fn answer(question: &Question) -> Result<Step, Refusal> {
    let Call::Screen(screening) = &question.call else {
        return Err(Refusal::never("not_asked", "this plugin does not answer such questions"));
    };
    let id = question.kept.get(&screening.key);
    match (question.outcomes.first(), &question.memo) {
        (None, _) => request(screening, id, question).map(|request| Step::first(Action::Http(request))),
        // The id is kept or forgotten now, as well as could be, and what was learnt before is the answer.
        (Some(_), Value::Object(_)) => remembered(&question.memo),
        (Some(outcome), _) => {
            let learnt = learnt(outcome, id.is_some(), question)?;
            match learnt.keep(id) {
                Some(value) => {
                    let memo = json!({ "verdict": learnt.verdict });
                    Ok(Step::Needs { actions: vec![Action::Keep { name: screening.key.clone(), value }], memo })
                }
                None => learnt.answer(),
            }
        }
    }
}

fn request(screening: &Screening, id: Option<&String>, question: &Question) -> Result<HttpRequest, Refusal> {
    if screening.key.len() > KEPT_MAX {
        return Err(Refusal::never("bad_key", "the key is longer than 64 characters"));
    }
    let url = question.setting(URL).trim_end_matches('/');
    let request = match id {
        Some(id) => HttpRequest::get(format!("{url}/{id}")),
        None => HttpRequest::post_json(
            url,
            &json!({
                "hash": screening.tx_id,
                "address": screening.address,
                "asset": screening.currency,
                "direction": "deposit",
                "amount": screening.amount.to_string(),
            }),
        )
        .header("idempotency-key", screening.key.as_str()),
    };
    Ok(request.header("x-api-key", question.setting(KEY)))
}

/// What a reply said.
struct Learnt {
    /// The service's id; none when it does not know the one it was asked for.
    id: Option<String>,
    /// What it knows.
    verdict: Option<Verdict>,
}

impl Learnt {
    /// What is to be kept instead of what is, if anything changes: an id while there is no verdict, and nothing afterwards.
    fn keep(&self, kept: Option<&String>) -> Option<Option<String>> {
        let is_pending = self.verdict.as_ref().is_some_and(|verdict| verdict.risk == Risk::Pending);
        let wanted = if is_pending { self.id.as_ref() } else { None };
        (wanted != kept).then(|| wanted.cloned())
    }

    fn answer(self) -> Result<Step, Refusal> {
        match self.verdict {
            Some(verdict) => Ok(Step::Done(Answer::Verdict(verdict))),
            None => Err(Refusal::later("forgotten", "the service does not know the screening any more; it will be made anew")),
        }
    }
}

fn remembered(memo: &Value) -> Result<Step, Refusal> {
    let verdict: Option<Verdict> =
        serde_json::from_value(memo["verdict"].clone()).map_err(|error| unreadable(error.to_string()))?;
    Learnt { id: None, verdict }.answer()
}

/// What the service answers. Numbers may be written as strings.
#[derive(Deserialize)]
struct Reply {
    id: String,
    status: String,
    riskscore: Option<Box<RawValue>>,
    #[serde(default)]
    signals: BTreeMap<String, Box<RawValue>>,
    report: Option<String>,
}

fn learnt(outcome: &Outcome, is_asked_again: bool, question: &Question) -> Result<Learnt, Refusal> {
    let reply = match outcome {
        Outcome::Http(reply) => reply,
        Outcome::Unreached(unreached) => return Err(Refusal::later("unreachable", unreached.why.clone())),
        Outcome::Kept => return Err(Refusal::never("unasked", "a value was kept that nobody wanted kept")),
    };
    match reply.status {
        200..=202 => read(reply, question),
        404 if is_asked_again => Ok(Learnt { id: None, verdict: None }),
        402 => Err(Refusal::never("no_money", "the account with the service is empty")),
        status @ (300..=399 | 400 | 401 | 403 | 404 | 422) => {
            Err(Refusal::never("refused", format!("the service answers with the status {status}")))
        }
        status => Err(Refusal::later("source_error", format!("the service answers with the status {status}"))),
    }
}

fn read(reply: &HttpResponse, question: &Question) -> Result<Learnt, Refusal> {
    let read: Reply = serde_json::from_slice(reply.body.bytes()).map_err(|error| unreadable(error.to_string()))?;
    if read.id.is_empty()
        || read.id.len() > 128
        || !read.id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
    {
        return Err(unreadable("the id is none"));
    }
    let verdict = match read.status.as_str() {
        "pending" => Verdict { risk: Risk::Pending, score: None, signals: Vec::new(), report: read.report },
        "success" => judged(&read, question)?,
        other => {
            let other: String = other.chars().take(40).collect();
            return Err(Refusal::later("source_error", format!("the service says {other:?}")));
        }
    };
    Ok(Learnt { id: Some(read.id), verdict: Some(verdict) })
}

fn judged(read: &Reply, question: &Question) -> Result<Verdict, Refusal> {
    let scale = question.setting(WHOLE);
    let score = read.riskscore.as_ref().ok_or_else(|| unreadable("there is no riskscore"))?;
    let score = percent(score, scale, "riskscore")?;
    let threshold: Decimal = question.setting(THRESHOLD).parse().map_err(|_| unreadable("the threshold is no number"))?;
    let mut signals = Vec::with_capacity(read.signals.len());
    for (name, value) in &read.signals {
        let share = percent(value, scale, name)?;
        if !share.is_zero() {
            signals.push((share, name));
        }
    }
    signals.sort_by(|one, other| other.cmp(one));
    Ok(Verdict {
        risk: if score >= threshold { Risk::High } else { Risk::Low },
        score: Some(score.to_string()),
        signals: signals
            .into_iter()
            .map(|(share, name)| format!("{} {share} %", name.chars().take(60).collect::<String>()))
            .collect(),
        report: read.report.clone(),
    })
}

/// A share of the whole in percent.
fn percent(raw: &RawValue, whole: &str, what: &str) -> Result<Decimal, Refusal> {
    let number = json_number(raw.get().trim_matches('"'), what).map_err(|error| unreadable(error.to_string()))?;
    let factor = if whole == "100" { Decimal::ONE } else { Decimal::ONE_HUNDRED };
    let percent = number.checked_mul(factor).filter(|percent| *percent <= Decimal::ONE_HUNDRED);
    percent.map(|percent| percent.normalize()).ok_or_else(|| unreadable(format!("{what} is {number}, beyond the scale")))
}

fn unreadable(why: impl Into<String>) -> Refusal {
    Refusal::never("unreadable", why)
}
