//! Screening over HTTP, each thing once.

use agio_plugin::protocol::{Answer, Call, Risk, Screening, Verdict};
use agio_plugin_aml_http::AmlHttp;
use agio_plugin_host::{Fault, Plugins as _};
use agio_plugin_trial::{Double, Reply, ask, house, refusal, survives};

const NOW: &str = "2024-03-28T12:00:00Z";
const KEY: &str = "a-secret-key";
const CLEAN: &str = r#"{"id":"s-1","status":"success","riskscore":0.125,"signals":{"exchange":0.9,"gambling":0.1,"sanctions":0},"report":"https://aml.example/s-1"}"#;
const PENDING: &str = r#"{"id":"s-1","status":"pending"}"#;

fn screening() -> Call {
    Call::Screen(Screening {
        key: "claim-17".to_owned(),
        currency: "BTC".to_owned(),
        tx_id: "ab12".to_owned(),
        address: "bc1q".to_owned(),
        amount: "0.015".parse().expect("a number"),
    })
}

async fn judged(body: &str, set: &[(&str, &str)]) -> Result<Verdict, Fault> {
    let server = Double::telling([Reply::ok(body)]).await;
    let set = [&[("url", server.origin()), ("key", KEY)][..], set].concat();
    match ask(NOW, AmlHttp, &set, screening()).await? {
        Answer::Verdict(verdict) => Ok(verdict),
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
async fn what_waits_is_asked_for_by_its_id_and_paid_once() {
    let server = Double::telling([PENDING, PENDING, CLEAN, CLEAN].map(Reply::ok)).await;
    let house = house(NOW, AmlHttp, &[("url", server.origin()), ("key", KEY)]);
    let mut risks = Vec::new();
    for _ in 0..3 {
        let Ok(Answer::Verdict(verdict)) = house.ask("aml-http", screening()).await else { panic!("there is a verdict") };
        risks.push(verdict.risk);
    }
    assert_eq!(risks, [Risk::Pending, Risk::Pending, Risk::Low]);
    let seen = server.seen();
    let lines: Vec<_> = seen.iter().map(|seen| seen.line.as_str()).collect();
    assert_eq!(lines, ["POST /", "GET /s-1", "GET /s-1"]);
    assert!(seen.iter().all(|seen| seen.header("x-api-key") == Some(KEY)));
    assert_eq!(seen[0].header("idempotency-key"), Some("claim-17"));
    let body: serde_json::Value = serde_json::from_str(&seen[0].body).unwrap();
    let asked =
        serde_json::json!({ "hash": "ab12", "address": "bc1q", "asset": "BTC", "direction": "deposit", "amount": "0.015" });
    assert_eq!(body, asked);
}

#[tokio::test]
async fn a_lost_answer_is_asked_for_again_under_the_same_key() {
    let server = Double::telling([Reply::Broken(CLEAN.into()), Reply::ok(CLEAN)]).await;
    let house = house(NOW, AmlHttp, &[("url", server.origin()), ("key", KEY)]);
    let fault = house.ask("aml-http", screening()).await.unwrap_err();
    assert!(refusal(&fault).2 && fault.may_have_acted);
    house.ask("aml-http", screening()).await.unwrap();
    let keys: Vec<_> = server.seen().iter().map(|seen| seen.header("idempotency-key").map(str::to_owned)).collect();
    assert_eq!(keys, [Some("claim-17".to_owned()), Some("claim-17".to_owned())]);
}

#[tokio::test]
async fn a_screening_the_service_forgot_is_made_anew() {
    let server = Double::telling([Reply::ok(PENDING), Reply::status(404, "{}"), Reply::ok(CLEAN)]).await;
    let house = house(NOW, AmlHttp, &[("url", server.origin()), ("key", KEY)]);
    house.ask("aml-http", screening()).await.unwrap();
    let fault = house.ask("aml-http", screening()).await.unwrap_err();
    assert_eq!((refusal(&fault).0, refusal(&fault).2), ("forgotten", true));
    house.ask("aml-http", screening()).await.unwrap();
    let lines: Vec<_> = server.seen().into_iter().map(|seen| seen.line).collect();
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
        assert!(!fault.blames_plugin(), "{body}: {fault}");
    }
    let server = Double::telling([Reply::status(402, "{}")]).await;
    let fault = ask(NOW, AmlHttp, &[("url", server.origin()), ("key", KEY)], screening()).await.unwrap_err();
    assert_eq!(refusal(&fault).0, "no_money");
}

#[tokio::test]
async fn whatever_goes_wrong_gives_no_verdict() {
    let set = |origin: &str| vec![("url", origin.to_owned()), ("key", KEY.to_owned())];
    survives(NOW, |_| AmlHttp, set, screening(), CLEAN.as_bytes(), KEY).await;
}
