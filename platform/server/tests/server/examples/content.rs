//! Publishing a page, and a message to support.

use agio_test_app::{TestApp, TestClient};
use altcha::{Challenge, Payload, SolveChallengeOptions, solve_challenge};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::Method;
use serde_json::json;

use super::Recorder;

pub async fn manage_content(app: &TestApp, owner: &TestClient, recorder: &mut Recorder) {
    let text = json!({ "title": "Contacts", "description": "How to write to us.", "markdown": "Write to **{support}**.\n" });
    recorder.get(owner, "listContentPages", "/api/admin/v1/content").await;
    let sample = json!({ "locale": "en", "text": text });
    recorder.post(owner, "previewContent", "/api/admin/v1/content/contacts/preview", sample).await;
    let draft = json!({ "over": 1, "en": text, "note": "Shorter" });
    recorder.post(owner, "publishContent", "/api/admin/v1/content/contacts/versions", draft).await;
    recorder.get(owner, "getContentVersion", "/api/admin/v1/content/contacts").await;
    recorder.get(owner, "listContentVersions", "/api/admin/v1/content/contacts/versions").await;
    let visitor = app.visitor();
    recorder.get(&visitor, "getContent", "/en/api/v1/content/contacts/").await;
    let check = recorder.get(&visitor, "getContactCaptcha", "/api/v1/contact/captcha/").await;
    let challenge: Challenge = serde_json::from_value(check["challenge"].clone()).unwrap();
    let solution = solve_challenge(SolveChallengeOptions::new(&challenge)).unwrap().unwrap();
    let recaptcha = STANDARD.encode(serde_json::to_vec(&Payload { challenge, solution }).unwrap());
    let message = json!({ "name": "Ivan", "email": "ivan@example.com", "message": "When will claim 1024 be paid?", "recaptcha": recaptcha });
    recorder.post(&visitor, "sendContactMessage", "/en/api/v1/contact/", message).await;
    let post = json!({ "slug": "summer-hours", "state": "draft", "ru": text, "en": text });
    let created = recorder.post(owner, "createNews", "/api/admin/v1/news", post).await;
    let path = format!("/api/admin/v1/news/{}", created["post"]["id"].as_str().unwrap());
    recorder.post(owner, "previewNews", "/api/admin/v1/news/preview", json!({ "locale": "en", "text": text })).await;
    let published = json!({ "over": 1, "state": "published", "ru": text, "en": text });
    recorder.call(owner, "updateNews", Method::PUT, &path, Some(published)).await;
    recorder.get(owner, "getNews", &path).await;
    recorder.get(owner, "listNews", "/api/admin/v1/news").await;
    recorder.get(owner, "listContactMessages", "/api/admin/v1/contact-messages").await;
}
