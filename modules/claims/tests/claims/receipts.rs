//! Receipts: what is taken, what is kept, who sees it, and for how long.

use std::time::Duration;

use agio_test_app::{Engine, TestApp, both_engines};
use reqwest::Method;
use reqwest::multipart::{Form, Part};
use serde_json::json;

use crate::fixtures::{Operator, TestCustomer};

/// A small picture with a remark hidden behind it.
pub fn picture(shade: u8) -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    let drawn = image::RgbImage::from_pixel(8, 8, image::Rgb([shade, 0, 0]));
    image::DynamicImage::ImageRgb8(drawn).write_to(&mut bytes, image::ImageFormat::Png).unwrap();
    let mut bytes = bytes.into_inner();
    bytes.extend_from_slice(b"GPS 55.7558 37.6173");
    bytes
}

async fn confirmed(app: &TestApp) -> TestCustomer {
    let customer = TestCustomer::orders(app, "0.01").await;
    customer.does("confirm").await.ok();
    customer
}

async fn a_receipt_reaches_the_operator_without_what_was_behind_it(engine: Engine) {
    let app = TestApp::start(engine).await;
    let operator = Operator::at(&app).await;
    let customer = confirmed(&app).await;
    let made = customer.caller.upload(&customer.path("bill"), "../чек \"1\".png", picture(200)).await.ok();
    assert_eq!((made["name"].as_str(), made["type"].as_str()), (Some("чек 1.png"), Some("image/png")));
    assert_eq!(customer.status().await, "awaiting_payment", "a receipt moves nothing");
    assert_eq!(customer.look("form").await.ok()["receipts"][0]["id"], made["id"]);

    let path = format!("/api/admin/v1/claims/{}/receipts/{}", customer.id, made["id"].as_str().unwrap());
    let file = operator.0.get(&path).await;
    assert_eq!(file.headers["content-type"], "image/png");
    assert_eq!(file.headers["x-content-type-options"], "nosniff");
    assert_eq!(file.headers["content-security-policy"], "sandbox");
    assert!(file.headers["content-disposition"].to_str().unwrap().starts_with("attachment;"));
    assert!(!file.text.contains("GPS"));
    app.visitor().get(&path).await.refused(401, "token_not_valid");

    let other = confirmed(&app).await;
    let foreign = format!("/api/admin/v1/claims/{}/receipts/{}", other.id, made["id"].as_str().unwrap());
    operator.0.get(&foreign).await.refused(404, "receipt_not_found");
}

async fn the_same_file_in_another_claim_is_flagged(engine: Engine) {
    let app = TestApp::start(engine).await;
    let operator = Operator::at(&app).await;
    let (one, two) = (confirmed(&app).await, confirmed(&app).await);
    for customer in [&one, &two] {
        customer.caller.upload(&customer.path("bill"), "a.png", picture(7)).await.ok();
    }
    assert_eq!(operator.sees(&two.id).await["receipts"][0]["repeatOf"], one.number);
    let three = confirmed(&app).await;
    three.caller.upload(&three.path("bill"), "a.png", picture(8)).await.ok();
    assert!(operator.sees(&three.id).await["receipts"][0]["repeatOf"].is_null());
}

async fn what_is_no_receipt_is_refused(engine: Engine) {
    let app = TestApp::start(engine).await;
    let customer = confirmed(&app).await;
    let (caller, path) = (&customer.caller, &customer.path("bill"));
    let send = |name: &'static str, bytes: Vec<u8>| caller.upload(path, name, bytes);
    send("a.svg", b"<svg onload='alert(1)'/>".to_vec()).await.refused(415, "receipt_type");
    send("a.html", picture(1)).await.refused(415, "receipt_type");
    send("a.png", b"%PDF-1.4".to_vec()).await.refused(415, "receipt_type");
    send("a.png", picture(1)[..30].to_vec()).await.refused(422, "receipt_broken");
    send("a.png", Vec::new()).await.refused(422, "validation_failed");
    send("a.pdf", [b"%PDF-1.4".to_vec(), vec![b' '; 10 * 1024 * 1024]].concat()).await.refused(413, "too_large");
    customer.caller.post(&customer.path("bill"), json!({})).await.refused(415, "unsupported_media");
    let file = || Part::bytes(picture(1)).file_name("a.png");
    for form in [
        Form::new().text("note", "mine").part("file", file()),
        Form::new().part("file", file()).text("note", "mine"),
        Form::new().part("file", file()).part("file", file()),
    ] {
        let refused = caller.send(caller.request(Method::POST, path).multipart(form)).await.refused(400, "malformed_body");
        let field = refused["errors"].as_object().unwrap().values().next().unwrap();
        assert_eq!(field[0]["code"], "unknown_field", "{refused}");
    }
    let empty = caller.send(caller.request(Method::POST, path).multipart(Form::new())).await;
    assert!(empty.status.is_client_error(), "{}", empty.text);
    let form = Form::new().part("file", Part::bytes(picture(1)).file_name("x".repeat(300_000)));
    let around = caller.send(caller.request(Method::POST, path).multipart(form)).await;
    around.refused(413, "too_large");
    assert_eq!(customer.look("form").await.ok()["receipts"], json!([]));
    for shade in 0..5 {
        send("a.png", picture(shade)).await.ok();
    }
    send("a.png", picture(9)).await.refused(409, "receipts_full");
}

/// What will not be taken is refused before it is sent.
async fn nothing_is_read_of_a_receipt_that_will_not_be_taken(engine: Engine) {
    let app = TestApp::start(engine).await;
    let customer = confirmed(&app).await;
    let (caller, path) = (&customer.caller, customer.path("bill"));
    let nobodys = format!("/api/v1/claim/{}/bill/", uuid::Uuid::nil());
    caller.begin_upload(&nobodys, 1_000_000).await.refused(404, "claim_not_found");
    caller.begin_upload(&path, 11_000_000).await.refused(413, "too_large");
    for shade in 0..4 {
        caller.upload(&path, "a.png", picture(shade)).await.ok();
    }
    let keyed = |bytes: Vec<u8>| {
        let form = Form::new().part("file", Part::bytes(bytes).file_name("a.png"));
        caller.send(caller.request(Method::POST, &path).header("idempotency-key", "the fifth".replace(' ', "-")).multipart(form))
    };
    let fifth = keyed(picture(4)).await.ok();
    caller.begin_upload(&path, 1_000_000).await.refused(409, "receipts_full");
    assert_eq!(keyed(picture(4)).await.ok(), fifth, "who repeats the call gets its answer");
    keyed(b"neither a picture nor what was sent".to_vec()).await.refused(422, "idempotency_mismatch");
    customer.does("cancel").await.ok();
    caller.begin_upload(&path, 1_000_000).await.refused(409, "transition_not_allowed");
}

async fn receipts_are_deleted_when_their_time_is_over(engine: Engine) {
    let app = TestApp::start(engine).await;
    let customer = confirmed(&app).await;
    customer.caller.upload(&customer.path("bill"), "a.pdf", b"%PDF-1.7 paid".to_vec()).await.ok();
    customer.does("paid").await.ok();
    app.advance_and_run_jobs(Duration::from_secs(179 * 86_400)).await;
    assert_eq!(Operator::at(&app).await.sees(&customer.id).await["receipts"].as_array().unwrap().len(), 1);
    app.advance_and_run_jobs(Duration::from_secs(2 * 86_400)).await;
    let view = Operator::at(&app).await.sees(&customer.id).await;
    assert_eq!(view["receipts"], json!([]));
    assert!(view["timeline"].as_array().unwrap().iter().any(|step| step["action"] == "receipt" && step["note"] == "a.pdf"));
}

async fn where_a_receipt_is_required_nobody_says_paid_without_one(engine: Engine) {
    let app = TestApp::start(engine).await;
    app.owner().await.put("/api/admin/v1/settings", json!({ "claims.receipt_required": "true" })).await.ok();
    let bitcoin = confirmed(&app).await;
    bitcoin.does("paid").await.ok();
    let pair = crate::fixtures::pair(&app, "SBERRUB", "BTC", "50000");
    let caller = app.visitor();
    let order = json!({
        "email": "ivan@example.com", "fromPs": pair.from, "toPs": pair.to, "fromSumma": pair.send, "toSumma": pair.receive,
        "fromRequisites": sent_requisites(&app, pair.from), "toRequisites": { "address": crate::fixtures::ADDRESS },
    });
    let made = caller.post("/api/v1/claim/", order).await.ok();
    let customer = TestCustomer { caller, id: made["id"].as_str().unwrap().into(), number: 0 };
    customer.does("confirm").await.ok();
    assert_eq!(customer.look("form").await.ok()["receiptRequired"], true);
    customer.does("paid").await.refused(409, "receipt_required");
    customer.caller.upload(&customer.path("bill"), "a.png", picture(3)).await.ok();
    assert_eq!(customer.does("paid").await.ok()["status"], "payment_claimed");
}

/// Right values for whatever a currency asks of who sends it.
fn sent_requisites(app: &TestApp, currency: i64) -> serde_json::Value {
    let market = app.server.calculator.market();
    let inputs = &market.currency(currency).unwrap().facts.inputs;
    let value = |kind: &str| match kind {
        "card" => "2200000000000004",
        "holder" => "IVAN PETROV",
        "phone" => "+79991234567",
        other => panic!("no example of {other}"),
    };
    inputs
        .iter()
        .filter(|input| input.give)
        .map(|input| (input.name.clone(), json!(value(input.kind.name()))))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

both_engines!(
    a_receipt_reaches_the_operator_without_what_was_behind_it,
    the_same_file_in_another_claim_is_flagged,
    what_is_no_receipt_is_refused,
    nothing_is_read_of_a_receipt_that_will_not_be_taken,
    receipts_are_deleted_when_their_time_is_over,
    where_a_receipt_is_required_nobody_says_paid_without_one,
);
