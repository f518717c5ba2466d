//! The calls of the specification, each in its written form: the spelling, the slash at the end, the names of the query, and the same under `/en`.
//!
//! How each is called, and what becomes of it for a guest and for a signed-in customer, is said once, in the rows of its operation.

use std::collections::BTreeSet;

use agio_testkit::{Engine, both_engines};
use serde_json::Value;

use super::table::Who;
use super::world::World;
use super::{call, rows};

/// One call: how it is written, the operation that answers it, and what its answer must hold.
struct Written(&'static str, &'static str, &'static str, &'static [&'static str]);

const STATUS: &[&str] = &[
    "/status",
    "/publicStatus",
    "/isFinal",
    "/reason",
    "/answerBy",
    "/confirmations",
    "/confirmationsRequired",
    "/txIn",
    "/txOut",
    "/actions",
    "/updatedAt",
    "/expiresAt",
];
const PAIR: &[&str] = &[
    "/course",
    "/bonus",
    "/notify",
    "/from/min",
    "/from/max",
    "/from/roundCalculator",
    "/from/notify",
    "/to/min",
    "/to/max",
    "/to/roundCalculator",
    "/to/notify",
    "/structure/from/currency",
    "/structure/from/network",
    "/structure/from/input",
    "/structure/to/input/0/name",
    "/structure/to/input/0/send",
    "/structure/to/input/0/receive",
    "/quote/id",
    "/quote/expiresAt",
    "/quote/signature",
    "/fees",
    "/tiers",
];
const SESSION: &[&str] = &["/accessToken", "/expiresIn", "/user/email", "/user/activated"];
const DIRECTION: &[&str] = &[
    "/directions/0/id",
    "/directions/0/code",
    "/directions/0/name",
    "/directions/0/send",
    "/directions/0/receive",
    "/directions/0/roundCalculator",
];
const REFERRAL: &[&str] =
    &["/code", "/link", "/percent", "/balance", "/currency", "/visits", "/registrations", "/claims", "/earned"];
const PAGE: &[&str] = &["/items", "/page", "/size", "/total"];
const REQUISITE: &[&str] = &["/value", "/holder", "/memo", "/amount", "/currency", "/paymentUri", "/expiresAt"];

/// Point 7 of the specification, line by line; only the end of a session stands behind what goes on with it. What stands after the
/// question mark are names of parameters.
#[rustfmt::skip]
const CALLS: &[Written] = &[
    Written("POST", "/front-api/auth/login/?locale",                                    "login",                    SESSION),
    Written("GET",  "/front-api/auth/refresh/",                                         "refresh",                  SESSION),
    Written("POST", "/front-api/auth/logout/",                                          "logout",                   &[]),
    Written("GET",  "/api/v1/users/me/",                                                "getMe",                    &["/email", "/activated"]),
    Written("GET",  "/api/v1/calculator/",                                              "calculatorDirections",     DIRECTION),
    Written("GET",  "/api/v1/calculator/from/",                                         "calculatorSendable",       &["/0"]),
    Written("GET",  "/api/v1/calculator/from/{id}/",                                    "calculatorReceivable",     &["/0"]),
    Written("GET",  "/api/v1/calculator/pair/{from}/{to}/",                             "calculatorPair",           PAIR),
    Written("GET",  "/api/v1/calculator/course/{from}/{to}/",                           "calculatorCourse",         &["/course"]),
    Written("GET",  "/api/v1/calculator/reserves/",                                     "calculatorReserves",       &["/0/id", "/0/amount", "/0/updatedAt"]),
    Written("GET",  "/api/v1/calculator/settings/?cur_from&cur_to",                     "calculatorSettings",       &["/exchangeAttributes/fromCurrencyId", "/exchangeAttributes/toCurrencyId"]),
    Written("GET",  "/api/v1/calculator/settings/",                                     "calculatorSettings",       &["/contest", "/captchaLogin", "/usePublicId"]),
    Written("GET",  "/api/v1/calculator/tech/",                                         "calculatorTech",           &["/technicalMode/on", "/technicalMode/time"]),
    Written("POST", "/api/v1/claim/",                                                   "createClaim",              &["/id", "/publicId", "/status", "/expiresAt"]),
    Written("POST", "/api/v1/claim/{id}/confirm/",                                      "confirmClaim",             STATUS),
    Written("GET",  "/api/v1/claim/{id}/form/",                                         "getClaimForm",             &["/email", "/from/amount", "/to/amount", "/course", "/fees", "/termsVersion"]),
    Written("GET",  "/api/v1/claim/{id}/requisite/",                                    "getClaimRequisite",        REQUISITE),
    Written("GET",  "/api/v1/claim/{id}/status/",                                       "getClaimStatus",           STATUS),
    Written("GET",  "/api/v1/claim/captchacheck",                                       "checkCaptcha",             &["/required", "/challenge"]),
    Written("POST", "/api/v1/claim/{id}/bill/",                                         "uploadClaimReceipt",       &["/id", "/name", "/size"]),
    Written("GET",  "/api/v1/users/me/claims/?page&size",                               "getMyClaims",              PAGE),
    Written("POST", "/api/v1/users/me/password/",                                       "changePassword",           &[]),
    Written("POST", "/api/v1/users/reactivate/",                                        "reactivate",               &["/notification"]),
    Written("GET",  "/api/v1/users/me/refferal/dw/?page&size&date_from&date_to",        "getMyReferralHistory",     PAGE),
    Written("GET",  "/api/v1/users/me/refferal/withdrawal/",                            "getMyReferralWithdrawals", PAGE),
    Written("POST", "/api/v1/users/me/refferal/withdrawal/",                            "withdrawMyReferral",       &["/id", "/amount", "/currency", "/status", "/createdAt"]),
    Written("GET",  "/api/v1/users/me/refferal/",                                       "getMyReferral",            REFERRAL),
    Written("POST", "/api/v1/users/signup/",                                            "signUp",                   &["/notification"]),
    Written("POST", "/api/v1/users/restore/",                                           "restore",                  &["/notification"]),
    Written("POST", "/api/v1/users/restore/{token}/",                                   "finishRestore",            &["/notification"]),
    Written("POST", "/api/v1/users/activate/{token}/",                                  "activate",                 &["/notification"]),
];

impl Written {
    fn path(&self) -> &'static str {
        self.1.split('?').next().unwrap_or(self.1)
    }

    fn parameters(&self) -> BTreeSet<&'static str> {
        self.1.split_once('?').map(|(_, names)| names.split('&').collect()).unwrap_or_default()
    }

    /// The written call with the things of a call that is made in its places.
    fn filled(&self, made: &str) -> Result<String, String> {
        let made = made.split('?').next().unwrap_or(made);
        let fits = |(written, made): (&str, &str)| if written.starts_with('{') { !made.is_empty() } else { written == made };
        if made.split('/').count() != self.path().split('/').count() || !self.path().split('/').zip(made.split('/')).all(fits) {
            return Err(format!("it is called as {made}"));
        }
        let query: Vec<_> = self.parameters().iter().map(|name| format!("{name}={}", value_of(name))).collect();
        Ok(if query.is_empty() { made.to_owned() } else { format!("{made}?{}", query.join("&")) })
    }

    /// What the published document says otherwise.
    fn undocumented(&self, document: &Value, status: Option<u16>) -> Option<String> {
        let operation = &document["paths"][self.path()][self.0.to_ascii_lowercase()];
        if operation["operationId"] != self.2 {
            return Some(format!("the document does not have it: {}", operation["operationId"]));
        }
        let known: BTreeSet<_> =
            operation["parameters"].as_array().into_iter().flatten().filter_map(|one| one["name"].as_str()).collect();
        if let Some(name) = self.parameters().iter().find(|name| !known.contains(*name)) {
            return Some(format!("the document does not have its parameter {name}"));
        }
        let status = status?;
        operation["responses"][status.to_string()].is_null().then(|| format!("the document does not have its status {status}"))
    }
}

/// What a page would put into the query.
fn value_of(parameter: &str) -> &'static str {
    match parameter {
        "locale" => "ru",
        "cur_from" => "BTC",
        "cur_to" => "SBERRUB",
        "page" => "1",
        "size" => "20",
        "date_from" => "2024-03-01",
        "date_to" => "2024-03-31",
        other => panic!("no page asks for {other}"),
    }
}

/// What is wrong about one call, made by one caller under one root.
async fn fault(world: &World, document: &Value, written: &Written, root: &str, who: Who) -> Option<String> {
    let mut made = call(world, written.2, who).await;
    if made.method.as_str() != written.0 {
        return Some(format!("it is called by {}", made.method));
    }
    made.path = match written.filled(&made.path) {
        Ok(path) => format!("{root}{path}"),
        Err(fault) => return Some(fault),
    };
    let answer = world.send(who, made).await;
    let row = rows().into_iter().find(|row| row.name == written.2)?;
    if let Err(fault) = world.is_as_expected(row.cell(who), &answer) {
        return Some(fault);
    }
    if let Some(fault) = written.undocumented(document, Some(answer.status.as_u16())) {
        return Some(fault);
    }
    if !answer.status.is_success() {
        return None;
    }
    let told = answer.json();
    let absent = written.3.iter().find(|key| told.pointer(key).is_none())?;
    Some(format!("there is no {absent} in {told}"))
}

async fn each_call_answers_in_its_written_form(engine: Engine) {
    let world = World::make(engine).await;
    let document = world.house.app.documents().public;
    let mut faults = Vec::new();
    for written in CALLS {
        for root in ["", "/en"] {
            for who in [Who::Guest, Who::Owner] {
                if let Some(fault) = fault(&world, &document, written, root, who).await {
                    faults.push(format!("{} {root}{} by {who:?}: {fault}", written.0, written.1));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{} calls do not answer as they are written:\n{}", faults.len(), faults.join("\n"));
}

both_engines!(each_call_answers_in_its_written_form);
