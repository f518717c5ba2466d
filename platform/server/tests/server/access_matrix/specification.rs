//! The paths of the specification: spelling, trailing slash, query parameters, and the same under `/en`.
//!
//! Requests and expected outcomes come from the rows of the operations.

use std::collections::BTreeSet;

use agio_test_app::{Engine, both_engines};
use serde_json::Value;

use super::fixtures::Fixtures;
use super::row::CallerKind;
use super::{call, rows};

/// A specified call: method and path, operation id, and the required properties of the response.
struct SpecifiedCall(&'static str, &'static str, &'static str, &'static [&'static str]);

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

/// Point 7 of the specification, line by line; only the end of a session stands behind what goes on with it. What
/// stands after the question mark are names of parameters.
#[rustfmt::skip]
const CALLS: &[SpecifiedCall] = &[
    SpecifiedCall("POST", "/front-api/auth/login/?locale",                                    "signIn",                    SESSION),
    SpecifiedCall("GET",  "/front-api/auth/refresh/",                                         "refreshSession",                  SESSION),
    SpecifiedCall("POST", "/front-api/auth/logout/",                                          "signOut",                   &[]),
    SpecifiedCall("GET",  "/api/v1/users/me/",                                                "getMyAccount",                    &["/email", "/activated"]),
    SpecifiedCall("GET",  "/api/v1/calculator/",                                              "listDirections",     DIRECTION),
    SpecifiedCall("GET",  "/api/v1/calculator/from/",                                         "listSendableCurrencies",       &["/0"]),
    SpecifiedCall("GET",  "/api/v1/calculator/from/{id}/",                                    "listReceivableCurrencies",     &["/0"]),
    SpecifiedCall("GET",  "/api/v1/calculator/pair/{from}/{to}/",                             "getPair",           PAIR),
    SpecifiedCall("GET",  "/api/v1/calculator/course/{from}/{to}/",                           "getPairRate",         &["/course"]),
    SpecifiedCall("GET",  "/api/v1/calculator/reserves/",                                     "listAvailableReserves",       &["/0/id", "/0/amount", "/0/updatedAt"]),
    SpecifiedCall("GET",  "/api/v1/calculator/settings/?cur_from&cur_to",                     "getSiteSettings",       &["/exchangeAttributes/fromCurrencyId", "/exchangeAttributes/toCurrencyId"]),
    SpecifiedCall("GET",  "/api/v1/calculator/settings/",                                     "getSiteSettings",       &["/contest", "/captchaLogin", "/usePublicId"]),
    SpecifiedCall("GET",  "/api/v1/calculator/tech/",                                         "getTechnicalModeStatus",           &["/technicalMode/on", "/technicalMode/time"]),
    SpecifiedCall("POST", "/api/v1/claim/",                                                   "createClaim",              &["/id", "/publicId", "/status", "/expiresAt"]),
    SpecifiedCall("POST", "/api/v1/claim/{id}/confirm/",                                      "confirmClaim",             STATUS),
    SpecifiedCall("GET",  "/api/v1/claim/{id}/form/",                                         "getClaimForm",             &["/email", "/from/amount", "/to/amount", "/course", "/fees", "/termsVersion"]),
    SpecifiedCall("GET",  "/api/v1/claim/{id}/requisite/",                                    "getClaimPaymentDetails",        REQUISITE),
    SpecifiedCall("GET",  "/api/v1/claim/{id}/status/",                                       "getClaimStatus",           STATUS),
    SpecifiedCall("GET",  "/api/v1/claim/captchacheck",                                       "checkCaptcha",             &["/required", "/challenge"]),
    SpecifiedCall("POST", "/api/v1/claim/{id}/bill/",                                         "uploadClaimReceipt",       &["/id", "/name", "/size"]),
    SpecifiedCall("GET",  "/api/v1/users/me/claims/?page&size",                               "listMyClaims",              PAGE),
    SpecifiedCall("POST", "/api/v1/users/me/password/",                                       "changeMyPassword",           &[]),
    SpecifiedCall("POST", "/api/v1/users/reactivate/",                                        "resendActivation",               &["/notification"]),
    SpecifiedCall("GET",  "/api/v1/users/me/refferal/dw/?page&size&date_from&date_to",        "getMyReferralHistory",     PAGE),
    SpecifiedCall("GET",  "/api/v1/users/me/refferal/withdrawal/",                            "listMyReferralWithdrawals", PAGE),
    SpecifiedCall("POST", "/api/v1/users/me/refferal/withdrawal/",                            "requestReferralWithdrawal",       &["/id", "/amount", "/currency", "/status", "/createdAt"]),
    SpecifiedCall("GET",  "/api/v1/users/me/refferal/",                                       "getMyReferral",            REFERRAL),
    SpecifiedCall("POST", "/api/v1/users/signup/",                                            "signUp",                   &["/notification"]),
    SpecifiedCall("POST", "/api/v1/users/restore/",                                           "requestPasswordReset",                  &["/notification"]),
    SpecifiedCall("POST", "/api/v1/users/restore/{token}/",                                   "resetPassword",            &["/notification"]),
    SpecifiedCall("POST", "/api/v1/users/activate/{token}/",                                  "activateAccount",                 &["/notification"]),
];

impl SpecifiedCall {
    fn path(&self) -> &'static str {
        self.1.split('?').next().unwrap_or(self.1)
    }

    fn parameters(&self) -> BTreeSet<&'static str> {
        self.1.split_once('?').map(|(_, names)| names.split('&').collect()).unwrap_or_default()
    }

    /// The specified path with the parameters of a real request.
    fn filled(&self, created: &str) -> Result<String, String> {
        let created = created.split('?').next().unwrap_or(created);
        let fits = |(specification, created): (&str, &str)| {
            if specification.starts_with('{') { !created.is_empty() } else { specification == created }
        };
        if created.split('/').count() != self.path().split('/').count()
            || !self.path().split('/').zip(created.split('/')).all(fits)
        {
            return Err(format!("it is called as {created}"));
        }
        let query: Vec<_> = self.parameters().iter().map(|name| format!("{name}={}", value_of(name))).collect();
        Ok(if query.is_empty() { created.to_owned() } else { format!("{created}?{}", query.join("&")) })
    }

    /// What the published document says otherwise.
    fn undocumented_status(&self, document: &Value, status: Option<u16>) -> Option<String> {
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

/// What is wrong with one call by one caller under one root.
async fn fault(
    fixtures: &Fixtures,
    document: &Value,
    specification: &SpecifiedCall,
    root: &str,
    kind: CallerKind,
) -> Option<String> {
    let mut created = call(fixtures, specification.2, kind).await;
    if created.method.as_str() != specification.0 {
        return Some(format!("it is called by {}", created.method));
    }
    created.path = match specification.filled(&created.path) {
        Ok(path) => format!("{root}{path}"),
        Err(fault) => return Some(fault),
    };
    let answer = fixtures.send(kind, created).await;
    let row = rows().into_iter().find(|row| row.name == specification.2)?;
    if let Err(fault) = fixtures.is_as_expected(row.expected(kind), &answer) {
        return Some(fault);
    }
    if let Some(fault) = specification.undocumented_status(document, Some(answer.status.as_u16())) {
        return Some(fault);
    }
    if !answer.status.is_success() {
        return None;
    }
    let body = answer.json();
    let absent = specification.3.iter().find(|key| body.pointer(key).is_none())?;
    Some(format!("there is no {absent} in {body}"))
}

async fn every_specified_call_responds_as_specified(engine: Engine) {
    let fixtures = Fixtures::create(engine).await;
    let document = fixtures.app.server.generate_documents().public;
    let mut faults = Vec::new();
    for specification in CALLS {
        for root in ["", "/en"] {
            for kind in [CallerKind::Guest, CallerKind::Owner] {
                if let Some(fault) = fault(&fixtures, &document, specification, root, kind).await {
                    faults.push(format!("{} {root}{} by {kind:?}: {fault}", specification.0, specification.1));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{} calls do not answer as they are written:\n{}", faults.len(), faults.join("\n"));
}

both_engines!(every_specified_call_responds_as_specified);
