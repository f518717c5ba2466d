//! Payment screening by an HTTP service.
//!
//! The API is typical: a POST of `{hash, address, asset, direction}` with an API key in a header returns `{id, status, riskscore, signals}`, at
//! once or later under the identifier while the status is `pending`. Each POST costs money. So the identifier is stored until there is a
//! result and queried with GET, and each POST has our key as `idempotency-key` in case its response is lost. `openapi.yaml` in the folder of
//! this crate describes it for those who write such a service.

use std::collections::BTreeMap;

use agio_plugin_rate_source::number::json_number;
use agio_plugin_sdk::Plugin;
use agio_plugin_sdk::protocol::{
    Action, ActionResult, AllowedHost, Call, CallError, CallResult, HttpMethod, HttpRequest, HttpResponse, LocalizedText,
    Manifest, PluginKind, PluginLimits, PluginRequest, PluginResponse, PluginSetting, PluginSettingKind, Risk, ScreeningRequest,
    ScreeningResult, SettingChoice,
};
use rust_decimal::Decimal;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// The settings: address, key, from which percent on money looks bad, and what the service calls one hundred percent.
const URL: &str = "url";
const KEY: &str = "key";
const THRESHOLD: &str = "threshold";
const WHOLE: &str = "whole";

/// The longest name of a stored value.
const KEPT_MAX: usize = 64;

/// A service that screens.
#[derive(Default)]
pub struct AmlHttp;

#[cfg(feature = "library")]
agio_plugin_sdk::export!(AmlHttp);

impl Plugin for AmlHttp {
    fn manifest(&self) -> Manifest {
        let field = |name: &str, kind, title, default: Option<&str>| PluginSetting {
            name: name.to_owned(),
            kind,
            title,
            default: default.map(str::to_owned),
        };
        let choice = |value: &str, ru, en| SettingChoice { value: value.to_owned(), title: LocalizedText::new(ru, en) };
        // Of the two scales the smaller is the default: mistaken for the other, it makes money look worse, never better.
        let scales = vec![choice("1", "от 0 до 1", "from 0 to 1"), choice("100", "от 0 до 100", "from 0 to 100")];
        Manifest {
            name: "aml-http".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            kind: PluginKind::Screening,
            title: LocalizedText::new("Проверка по HTTP", "Screening over HTTP"),
            about: LocalizedText::new(
                "Спрашивает службу проверки, откуда пришли деньги. Каждая проверка платная и делается один раз.",
                "Asks a screening service where money comes from. Each screening costs money and is made once.",
            ),
            hosts: vec![AllowedHost::Setting { setting: URL.to_owned(), methods: vec![HttpMethod::Get, HttpMethod::Post] }],
            settings: vec![
                field(URL, PluginSettingKind::Url, LocalizedText::new("Адрес службы", "Address of the service"), None),
                field(KEY, PluginSettingKind::Secret, LocalizedText::new("Ключ", "Key"), None),
                field(
                    THRESHOLD,
                    PluginSettingKind::Int { min: 1, max: 100 },
                    LocalizedText::new(
                        "С какой оценки деньги смотрит человек, %",
                        "From which score on a person looks at money, %",
                    ),
                    Some("50"),
                ),
                field(
                    WHOLE,
                    PluginSettingKind::Choice { of: scales },
                    LocalizedText::new("Шкала оценки", "Scale of the score"),
                    Some("1"),
                ),
            ],
            limits: PluginLimits { request_ms: 20_000, ..PluginLimits::default() },
            features: Vec::new(),
        }
    }

    fn handle(&self, input: &PluginRequest) -> PluginResponse {
        answer(input).unwrap_or_else(PluginResponse::Failed)
    }
}

fn answer(input: &PluginRequest) -> Result<PluginResponse, CallError> {
    let Call::Screen(screening) = &input.call else {
        return Err(CallError::permanent("not_asked", "this plugin does not support the call"));
    };
    let id = input.stored.get(&screening.key);
    match (input.outcomes.first(), &input.memo) {
        (None, _) => request(screening, id, input).map(|request| PluginResponse::action(Action::Http(request))),
        // The id was stored or deleted as well as possible; the result of the first round is returned.
        (Some(_), Value::Object(_)) => remembered(&input.memo),
        (Some(outcome), _) => {
            let learnt = learnt(outcome, id.is_some(), input)?;
            match learnt.stored_change(id) {
                Some(value) => {
                    let memo = json!({ "verdict": learnt.verdict });
                    Ok(PluginResponse::Needs { actions: vec![Action::Store { name: screening.key.clone(), value }], memo })
                }
                None => learnt.answer(),
            }
        }
    }
}

fn request(screening: &ScreeningRequest, id: Option<&String>, input: &PluginRequest) -> Result<HttpRequest, CallError> {
    if screening.key.len() > KEPT_MAX {
        return Err(CallError::permanent("bad_key", "the key is longer than 64 characters"));
    }
    let url = input.setting(URL).trim_end_matches('/');
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
    Ok(request.header("x-api-key", input.setting(KEY)))
}

/// A reply.
struct Learnt {
    /// The service's id; none when it does not know the requested one.
    id: Option<String>,
    /// What it knows.
    verdict: Option<ScreeningResult>,
}

impl Learnt {
    /// The new stored value, if it changes: an id while there is no verdict, and nothing afterwards.
    fn stored_change(&self, stored: Option<&String>) -> Option<Option<String>> {
        let is_pending = self.verdict.as_ref().is_some_and(|verdict| verdict.risk == Risk::Pending);
        let wanted = if is_pending { self.id.as_ref() } else { None };
        (wanted != stored).then(|| wanted.cloned())
    }

    fn answer(self) -> Result<PluginResponse, CallError> {
        match self.verdict {
            Some(verdict) => Ok(PluginResponse::Done(CallResult::Screening(verdict))),
            None => {
                Err(CallError::temporary("forgotten", "the service does not know the screening any more; it will be made anew"))
            }
        }
    }
}

fn remembered(memo: &Value) -> Result<PluginResponse, CallError> {
    let verdict: Option<ScreeningResult> =
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

fn learnt(outcome: &ActionResult, is_asked_again: bool, input: &PluginRequest) -> Result<Learnt, CallError> {
    let reply = match outcome {
        ActionResult::Http(reply) => reply,
        ActionResult::HttpFailure(unreached) => return Err(CallError::temporary("unreachable", unreached.why.clone())),
        ActionResult::Stored => return Err(CallError::permanent("unasked", "unexpected result of a store action")),
    };
    match reply.status {
        200..=202 => read(reply, input),
        404 if is_asked_again => Ok(Learnt { id: None, verdict: None }),
        402 => Err(CallError::permanent("no_money", "the account with the service is empty")),
        status @ (300..=399 | 400 | 401 | 403 | 404 | 422) => {
            Err(CallError::permanent("refused", format!("the service answers with the status {status}")))
        }
        status => Err(CallError::temporary("source_error", format!("the service answers with the status {status}"))),
    }
}

fn read(reply: &HttpResponse, input: &PluginRequest) -> Result<Learnt, CallError> {
    let read: Reply = serde_json::from_slice(reply.body.bytes()).map_err(|error| unreadable(error.to_string()))?;
    if read.id.is_empty()
        || read.id.len() > 128
        || !read.id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
    {
        return Err(unreadable("the id is none"));
    }
    let verdict = match read.status.as_str() {
        "pending" => ScreeningResult { risk: Risk::Pending, score: None, signals: Vec::new(), report: read.report },
        "success" => judged(&read, input)?,
        other => {
            let other: String = other.chars().take(40).collect();
            return Err(CallError::temporary("source_error", format!("the service returned {other:?}")));
        }
    };
    Ok(Learnt { id: Some(read.id), verdict: Some(verdict) })
}

fn judged(read: &Reply, input: &PluginRequest) -> Result<ScreeningResult, CallError> {
    let scale = input.setting(WHOLE);
    let score = read.riskscore.as_ref().ok_or_else(|| unreadable("there is no riskscore"))?;
    let score = percent(score, scale, "riskscore")?;
    let threshold: Decimal = input.setting(THRESHOLD).parse().map_err(|_| unreadable("the threshold is no number"))?;
    let mut signals = Vec::with_capacity(read.signals.len());
    for (name, value) in &read.signals {
        let share = percent(value, scale, name)?;
        if !share.is_zero() {
            signals.push((share, name));
        }
    }
    signals.sort_by(|one, other| other.cmp(one));
    Ok(ScreeningResult {
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
fn percent(raw: &RawValue, whole: &str, what: &str) -> Result<Decimal, CallError> {
    let number = json_number(raw.get().trim_matches('"'), what).map_err(|error| unreadable(error.to_string()))?;
    let factor = if whole == "100" { Decimal::ONE } else { Decimal::ONE_HUNDRED };
    let percent = number.checked_mul(factor).filter(|percent| *percent <= Decimal::ONE_HUNDRED);
    percent.map(|percent| percent.normalize()).ok_or_else(|| unreadable(format!("{what} is {number}, beyond the scale")))
}

fn unreadable(why: impl Into<String>) -> CallError {
    CallError::permanent("unreadable", why)
}
