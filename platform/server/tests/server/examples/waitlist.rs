//! A visitor waits for a direction.

use agio_test_app::{TestApp, TestClient};
use altcha::{Challenge, Payload, SolveChallengeOptions, solve_challenge};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use super::Recorder;

pub async fn wait_for_a_rate(app: &TestApp, owner: &TestClient, recorder: &mut Recorder) {
    let visitor = app.visitor().from_address("198.51.100.8");
    let check = recorder.get(&visitor, "getWaitlistCaptcha", "/api/v1/waitlist/captcha/").await;
    let challenge: Challenge = serde_json::from_value(check["challenge"].clone()).unwrap();
    let solution = solve_challenge(SolveChallengeOptions::new(&challenge)).unwrap().unwrap();
    let recaptcha = STANDARD.encode(serde_json::to_vec(&Payload { challenge, solution }).unwrap());
    let email = "ivan.waits@example.com";
    let body = json!({ "email": email, "give": "BTC", "receive": "SBERRUB", "rate": "9000000", "recaptcha": recaptcha });
    recorder.post(&visitor, "joinWaitlist", "/en/api/v1/waitlist/", body).await;
    let sent = app.emails_to(email).await.remove(0);
    let id = &sent.text.split("/waitlist/").nth(1).unwrap()[..36];
    let path = format!("/en/api/v1/waitlist/{id}/");
    recorder.post_empty(&visitor, "confirmWaitlistEntry", &format!("{path}confirm/")).await;
    recorder.get(&visitor, "getWaitlistEntry", &path).await;
    recorder.get(owner, "listWaitlistDirections", "/api/admin/v1/waitlist").await;
}
