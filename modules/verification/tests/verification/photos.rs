//! Photos: upload, access and retention.

use std::time::Duration;

use agio_core::identity::Role;
use agio_test_app::{Engine, TestApp, both_engines};
use serde_json::json;

use crate::fixtures::{CARD, Claim, Operator, jpeg, require_verification, upload_photo, verification_path};

async fn claim_with_request(app: &TestApp) -> (Claim, String) {
    require_verification(app, "card").await;
    let claim = Claim::create_as_guest(app, "ivan@example.com", CARD).await;
    let id = claim.request_verification().await;
    (claim, id)
}

async fn photo_views_need_permission_and_are_audited(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (claim, id) = claim_with_request(&app).await;
    upload_photo(&claim.caller, &id, 7).await.ok();
    let operator = Operator::new(&app).await;
    let whole = operator.verification(&id).await;
    let photo = whole["photos"][0]["id"].as_str().unwrap();
    assert_eq!((&whole["photos"][0]["name"], &whole["photos"][0]["round"]), (&json!("card.jpg"), &json!(1)));
    let path = format!("/api/admin/v1/verifications/{id}/photos/{photo}");
    let file = operator.0.get(&path).await;
    assert_eq!((file.status.as_u16(), &file.headers["content-type"]), (200, &"image/jpeg".parse().unwrap()));
    assert_eq!(file.headers["cache-control"], "private, no-store");
    assert!(!file.text.contains("GPS"), "what the camera wrote is gone");

    let looks = app.owner().await.get("/api/admin/v1/audit?action=verification.photo_viewed").await.ok();
    assert_eq!((&looks["items"][0]["aboutId"], &looks["items"][0]["after"]["photo"]), (&json!(id), &json!(photo)), "{looks}");
    let auditor = app.staff(Role::Auditor).await;
    auditor.get(&format!("/api/admin/v1/verifications/{id}")).await.ok();
    auditor.get(&path).await.refused(403, "forbidden");
    app.staff(Role::Editor).await.get(&path).await.refused(403, "forbidden");
    claim.caller.get(&path).await.refused(401, "token_not_valid");
    let foreign = format!("/api/admin/v1/verifications/{}/photos/{photo}", claim.id);
    operator.0.get(&foreign).await.refused(404, "photo_not_found");
}

async fn invalid_photos_are_rejected(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (claim, id) = claim_with_request(&app).await;
    let path = format!("/api/v1/verify/{id}/photos/");
    let send = |name: &'static str, bytes: Vec<u8>| claim.caller.upload(&path, name, bytes);
    send("card.pdf", b"%PDF-1.7 a card".to_vec()).await.refused(415, "photo_type");
    send("card.svg", b"<svg onload='alert(1)'/>".to_vec()).await.refused(415, "photo_type");
    send("card.html", jpeg(1)).await.refused(415, "photo_type");
    send("card.jpg", jpeg(1)[..60].to_vec()).await.refused(422, "photo_broken");
    send("card.jpg", Vec::new()).await.refused(422, "validation_failed");
    claim.caller.begin_upload(&path, 11_000_000).await.refused(413, "too_large");
    let large = [jpeg(1), vec![0; 10 * 1024 * 1024]].concat();
    send("card.jpg", large).await.refused(413, "too_large");
    assert_eq!(claim.caller.get(&verification_path(&id)).await.ok()["state"], "asked");
    for shade in 0..5 {
        upload_photo(&claim.caller, &id, shade).await.ok();
    }
    upload_photo(&claim.caller, &id, 9).await.refused(409, "photos_full");
    claim.caller.begin_upload(&path, 1_000_000).await.refused(409, "photos_full");
    let elsewhere = format!("/api/v1/verify/{}/photos/", claim.id);
    claim.caller.begin_upload(&elsewhere, 1_000_000).await.refused(404, "verification_not_found");
}

async fn photo_upload_is_idempotent(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (claim, id) = claim_with_request(&app).await;
    for _ in 0..2 {
        let part = reqwest::multipart::Part::bytes(jpeg(3)).file_name("card.jpg");
        let form = reqwest::multipart::Form::new().part("file", part);
        let request = claim.caller.request(reqwest::Method::POST, &format!("/api/v1/verify/{id}/photos/"));
        claim.caller.send(request.header("Idempotency-Key", "one-photo-key").multipart(form)).await.ok();
    }
    let view = claim.caller.get(&verification_path(&id)).await.ok();
    assert_eq!(view["photos"].as_array().unwrap().len(), 1);
}

async fn link_holder_uploads_with_limited_view(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (claim, id) = claim_with_request(&app).await;
    // The link is opened on a phone.
    let phone = app.visitor();
    let view = phone.get(&verification_path(&id)).await.ok();
    assert_eq!((&view["owner"], &view["state"]), (&json!(false), &json!("asked")));
    assert_eq!(upload_photo(&phone, &id, 1).await.ok()["photos"][0]["name"], "");
    let view = claim.caller.get(&verification_path(&id)).await.ok();
    assert_eq!((&view["owner"], &view["photos"][0]["name"]), (&json!(true), &json!("card.jpg")));
    phone.get(&verification_path("00000000-0000-4000-8000-000000000000")).await.refused(404, "verification_not_found");
}

async fn photos_are_deleted_after_retention(engine: Engine) {
    let app = TestApp::start(engine).await;
    app.owner().await.put("/api/admin/v1/settings", json!({ "verification.photo_days": "30" })).await.ok();
    let (claim, id) = claim_with_request(&app).await;
    let view = upload_photo(&claim.caller, &id, 1).await.ok();
    assert_eq!((&view["photoDays"], &view["photos"][0]["deleteAfter"]), (&json!(30), &json!("2024-04-27T12:00:00Z")));
    let operator = Operator::new(&app).await;
    operator.accept(&id).await;
    let photo = operator.verification(&id).await["photos"][0]["id"].as_str().unwrap().to_owned();
    let path = format!("/api/admin/v1/verifications/{id}/photos/{photo}");
    app.advance_and_run_jobs(Duration::from_secs(29 * 86_400)).await;
    Operator::new(&app).await.0.get(&path).await;
    app.advance_and_run_jobs(Duration::from_secs(2 * 86_400)).await;
    let operator = Operator::new(&app).await;
    operator.0.get(&path).await.refused(404, "photo_not_found");
    assert_eq!(operator.verification(&id).await["photos"][0]["deleted"], true, "that there was one stays known");
    assert_eq!(claim.caller.get(&verification_path(&id)).await.ok()["photos"], json!([]));
    let gone = app.owner().await.get("/api/admin/v1/audit?action=verification.photo_deleted").await.ok();
    assert_eq!(gone["items"].as_array().unwrap().len(), 1);
    // The passed verification stays.
    let again = Claim::create_by(claim.caller.clone(), &app, "ivan@example.com", Some(CARD)).await;
    assert_eq!(again.confirm().await["status"], "awaiting_payment");
}

async fn repeated_photo_is_flagged(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (claim, id) = claim_with_request(&app).await;
    upload_photo(&claim.caller, &id, 5).await.ok();
    let other = Claim::create_as_guest(&app, "olga@example.com", CARD).await;
    let second = other.request_verification().await;
    upload_photo(&other.caller, &second, 5).await.ok();
    let operator = Operator::new(&app).await;
    assert_eq!(operator.verification(&second).await["photos"][0]["repeat"], true);
    upload_photo(&other.caller, &second, 6).await.ok();
    let view = operator.verification(&second).await;
    let repeats = view["photos"].as_array().unwrap().iter().filter(|photo| photo["repeat"] == true).count();
    assert_eq!(repeats, 1, "{view}");
}

both_engines!(
    photo_views_need_permission_and_are_audited,
    invalid_photos_are_rejected,
    photo_upload_is_idempotent,
    link_holder_uploads_with_limited_view,
    photos_are_deleted_after_retention,
    repeated_photo_is_flagged,
);
