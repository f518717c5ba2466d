//! Screening over HTTP, each thing once.

use std::path::Path;
use std::process::Command;

use agio_plugin_aml_http::AmlHttp;
use agio_plugin_runtime::{PluginError, PluginRegistry as _};
use agio_plugin_sdk::protocol::{Call, CallResult, Risk, ScreeningRequest, ScreeningResult};
use agio_plugin_test::{
    ExampleServer, FakeResponse, FakeServer, assert_handles_bad_responses, call_error, call_plugin, plugin_registry,
};

const NOW: &str = "2024-03-28T12:00:00Z";
const KEY: &str = "the-key-of-the-tests";
const CLEAN: &str = r#"{"id":"s-1","status":"success","riskscore":0.125,"signals":{"exchange":0.9,"gambling":0.1,"sanctions":0},"report":"https://aml.example/s-1"}"#;
const PENDING: &str = r#"{"id":"s-1","status":"pending"}"#;

fn screening() -> Call {
    Call::Screen(ScreeningRequest {
        key: "claim-17".to_owned(),
        currency: "BTC".to_owned(),
        tx_id: "ab12".to_owned(),
        address: "bc1q".to_owned(),
        amount: "0.015".parse().expect("a number"),
    })
}

async fn judged(body: &str, set: &[(&str, &str)]) -> Result<ScreeningResult, PluginError> {
    let server = FakeServer::start([FakeResponse::ok(body)]).await;
    let set = [&[("url", server.origin()), ("key", KEY)][..], set].concat();
    match call_plugin(NOW, AmlHttp, &set, screening()).await? {
        CallResult::Screening(verdict) => Ok(verdict),
        other => panic!("{other:?} is no verdict"),
    }
}

#[tokio::test]
async fn a_score_is_held_against_the_threshold() {
    let clean = judged(CLEAN, &[]).await.unwrap();
    assert_eq!((clean.risk, clean.score.as_deref()), (Risk::Low, Some("12.5")));
    assert_eq!(clean.signals, ["exchange 90 %", "gambling 10 %"]);
    assert_eq!(clean.report.as_deref(), Some("https://aml.example/s-1"));
    assert_eq!(judged(CLEAN, &[("threshold", "12")]).await.unwrap().risk, Risk::High);
    let at = CLEAN.replace("0.125", "\"0.5\"");
    assert_eq!(judged(&at, &[]).await.unwrap().risk, Risk::High, "what reaches the threshold is looked at");
    let percents = CLEAN.replace("0.125", "49.9").replace("0.9", "90").replace("0.1,", "10,");
    assert_eq!(judged(&percents, &[("whole", "100")]).await.unwrap().score.as_deref(), Some("49.9"));
}

#[tokio::test]
async fn pending_results_are_queried_by_id_and_paid_once() {
    let server = FakeServer::start([PENDING, PENDING, CLEAN, CLEAN].map(FakeResponse::ok)).await;
    let registry = plugin_registry(NOW, AmlHttp, &[("url", server.origin()), ("key", KEY)]);
    let mut risks = Vec::new();
    for _ in 0..3 {
        let Ok(CallResult::Screening(verdict)) = registry.call("aml-http", screening()).await else {
            panic!("there is a verdict")
        };
        risks.push(verdict.risk);
    }
    assert_eq!(risks, [Risk::Pending, Risk::Pending, Risk::Low]);
    let requests = server.received();
    let lines: Vec<_> = requests.iter().map(|request| request.line.as_str()).collect();
    assert_eq!(lines, ["POST /", "GET /s-1", "GET /s-1"]);
    assert!(requests.iter().all(|request| request.header("x-api-key") == Some(KEY)));
    assert_eq!(requests[0].header("idempotency-key"), Some("claim-17"));
    let body: serde_json::Value = serde_json::from_str(&requests[0].body).unwrap();
    let expected =
        serde_json::json!({ "hash": "ab12", "address": "bc1q", "asset": "BTC", "direction": "deposit", "amount": "0.015" });
    assert_eq!(body, expected);
}

#[tokio::test]
async fn a_lost_response_is_retried_with_the_same_key() {
    let server = FakeServer::start([FakeResponse::Truncated(CLEAN.into()), FakeResponse::ok(CLEAN)]).await;
    let registry = plugin_registry(NOW, AmlHttp, &[("url", server.origin()), ("key", KEY)]);
    let fault = registry.call("aml-http", screening()).await.unwrap_err();
    assert!(call_error(&fault).2 && fault.may_have_acted);
    registry.call("aml-http", screening()).await.unwrap();
    let keys: Vec<_> = server.received().iter().map(|request| request.header("idempotency-key").map(str::to_owned)).collect();
    assert_eq!(keys, [Some("claim-17".to_owned()), Some("claim-17".to_owned())]);
}

#[tokio::test]
async fn a_screening_the_service_forgot_is_made_anew() {
    let server = FakeServer::start([FakeResponse::ok(PENDING), FakeResponse::status(404, "{}"), FakeResponse::ok(CLEAN)]).await;
    let registry = plugin_registry(NOW, AmlHttp, &[("url", server.origin()), ("key", KEY)]);
    registry.call("aml-http", screening()).await.unwrap();
    let fault = registry.call("aml-http", screening()).await.unwrap_err();
    assert_eq!((call_error(&fault).0, call_error(&fault).2), ("forgotten", true));
    registry.call("aml-http", screening()).await.unwrap();
    let lines: Vec<_> = server.received().into_iter().map(|request| request.line).collect();
    assert_eq!(lines, ["POST /", "GET /s-1", "POST /"]);
}

#[tokio::test]
async fn what_cannot_be_read_is_never_clean() {
    let wrong = [
        CLEAN.replace("0.125", "12.5"),
        CLEAN.replace("0.125", "-0.1"),
        CLEAN.replace("0.125", "null"),
        CLEAN.replace("0.125", "\"NaN\""),
        CLEAN.replace("\"riskscore\":0.125,", ""),
        CLEAN.replace("0.9", "90"),
        CLEAN.replace("s-1", "../admin"),
        CLEAN.replace("success", "failed"),
        r#"{"id":"","status":"pending"}"#.to_owned(),
    ];
    for body in wrong {
        let fault = judged(&body, &[]).await.expect_err(&body);
        assert!(!fault.is_plugin_fault(), "{body}: {fault}");
    }
    let server = FakeServer::start([FakeResponse::status(402, "{}")]).await;
    let fault = call_plugin(NOW, AmlHttp, &[("url", server.origin()), ("key", KEY)], screening()).await.unwrap_err();
    assert_eq!(call_error(&fault).0, "no_money");
}

#[tokio::test]
async fn whatever_goes_wrong_gives_no_verdict() {
    let set = |origin: &str| vec![("url", origin.to_owned()), ("key", KEY.to_owned())];
    assert_handles_bad_responses(NOW, |_| AmlHttp, set, screening(), CLEAN.as_bytes(), KEY).await;
}

/// The examples in Python and in PHP, with this registry.
async fn examples(folder: &Path, registry: &Path) -> [ExampleServer; 2] {
    let python = ExampleServer::start(|address| {
        let mut command = Command::new("python3");
        command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/python/screening.py"));
        command.args([address.ip().to_string(), address.port().to_string()]).arg(folder.join("screenings.sqlite"));
        command.arg(registry).env("SCREENING_KEY", KEY);
        command
    });
    let php = ExampleServer::start(|address| {
        let mut command = Command::new("php");
        command.args(["-S", &address.to_string(), concat!(env!("CARGO_MANIFEST_DIR"), "/examples/php/screening.php")]);
        command.env("SCREENING_KEY", KEY).env("SCREENING_REGISTRY", registry);
        command.env("SCREENING_FILE", folder.join("screenings.json"));
        command
    });
    [python.await, php.await]
}

#[tokio::test]
async fn the_examples_screen_each_payment_once() {
    let folder = tempfile::tempdir().unwrap();
    let registry = folder.path().join("registry.json");
    for example in examples(folder.path(), &registry).await {
        std::fs::write(&registry, "{}").unwrap();
        let origin = example.origin();
        let asked = |key| plugin_registry(NOW, AmlHttp, &[("url", &origin), ("key", key)]);
        let (first, restarted) = (asked(KEY), asked(KEY));
        for plugin in [&first, &first, &restarted] {
            let Ok(CallResult::Screening(pending)) = plugin.call("aml-http", screening()).await else { panic!("{origin}") };
            assert_eq!(pending.risk, Risk::Pending, "{origin}");
        }
        std::fs::write(&registry, r#"{"ab12": {"riskscore": "0.75", "signals": {"gambling": "0.7"}}}"#).unwrap();
        let Ok(CallResult::Screening(known)) = first.call("aml-http", screening()).await else { panic!("{origin}") };
        assert_eq!((known.risk, known.score.as_deref()), (Risk::High, Some("75")), "{origin}");
        assert_eq!(known.signals, ["gambling 70 %"], "{origin}");
        let Call::Screen(other) = screening() else { unreachable!("it is a screening") };
        let other = Call::Screen(ScreeningRequest { key: "claim-18".to_owned(), tx_id: "cd34".to_owned(), ..other });
        let Ok(CallResult::Screening(other)) = first.call("aml-http", other).await else { panic!("{origin}") };
        assert_eq!(other.risk, Risk::Pending, "{origin}: another payment has a screening of its own");
        let refused = asked("another-key-of-the-tests").call("aml-http", screening()).await.unwrap_err();
        assert!(call_error(&refused).1.contains("401"), "{origin}: {refused}");
        std::fs::write(&registry, "nothing that can be read").unwrap();
        assert!(call_error(&restarted.call("aml-http", screening()).await.unwrap_err()).2, "{origin}: it is asked again");
    }
}
