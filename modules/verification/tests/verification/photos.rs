//! Photos: what is taken, who sees them, and for how long.

use std::time::Duration;

use agio_core::identity::Role;
use agio_testkit::{Engine, House, both_engines};
use serde_json::json;

use crate::people::{CARD, Claim, Desk, asks_for, page, photo, sends};

async fn asked(house: &House) -> (Claim, String) {
    asks_for(house, "card").await;
    let claim = Claim::of(house, "ivan@example.com", CARD).await;
    let id = claim.asked().await;
    (claim, id)
}

async fn a_photo_is_seen_by_those_who_verify_and_each_look_is_written_down(engine: Engine) {
    let house = House::open(engine).await;
    let (claim, id) = asked(&house).await;
    sends(&claim.caller, &id, 7).await.ok();
    let desk = Desk::operator(&house).await;
    let whole = desk.sees(&id).await;
    let photo = whole["photos"][0]["id"].as_str().unwrap();
    assert_eq!((&whole["photos"][0]["name"], &whole["photos"][0]["round"]), (&json!("card.jpg"), &json!(1)));
    let path = format!("/api/admin/v1/verifications/{id}/photos/{photo}");
    let file = desk.0.get(&path).await;
    assert_eq!((file.status.as_u16(), &file.headers["content-type"]), (200, &"image/jpeg".parse().unwrap()));
    assert_eq!(file.headers["cache-control"], "private, no-store");
    assert!(!file.text.contains("GPS"), "what the camera wrote is gone");

    let looks = house.owner().await.get("/api/admin/v1/audit?action=verification.photo_viewed").await.ok();
    assert_eq!((&looks["items"][0]["aboutId"], &looks["items"][0]["after"]["photo"]), (&json!(id), &json!(photo)), "{looks}");
    let auditor = house.staff(Role::Auditor).await;
    auditor.get(&format!("/api/admin/v1/verifications/{id}")).await.ok();
    auditor.get(&path).await.refused(403, "forbidden");
    house.staff(Role::Editor).await.get(&path).await.refused(403, "forbidden");
    claim.caller.get(&path).await.refused(401, "token_not_valid");
    let foreign = format!("/api/admin/v1/verifications/{}/photos/{photo}", claim.id);
    desk.0.get(&foreign).await.refused(404, "photo_not_found");
}

async fn what_is_no_photo_is_refused(engine: Engine) {
    let house = House::open(engine).await;
    let (claim, id) = asked(&house).await;
    let path = format!("/api/v1/verify/{id}/photos/");
    let send = |name: &'static str, bytes: Vec<u8>| claim.caller.upload(&path, name, bytes);
    send("card.pdf", b"%PDF-1.7 a card".to_vec()).await.refused(415, "photo_type");
    send("card.svg", b"<svg onload='alert(1)'/>".to_vec()).await.refused(415, "photo_type");
    send("card.html", photo(1)).await.refused(415, "photo_type");
    send("card.jpg", photo(1)[..60].to_vec()).await.refused(422, "photo_broken");
    send("card.jpg", Vec::new()).await.refused(422, "validation_failed");
    claim.caller.begin_upload(&path, 11_000_000).await.refused(413, "too_large");
    let large = [photo(1), vec![0; 10 * 1024 * 1024]].concat();
    send("card.jpg", large).await.refused(413, "too_large");
    assert_eq!(claim.caller.get(&page(&id)).await.ok()["state"], "asked");
    for shade in 0..5 {
        sends(&claim.caller, &id, shade).await.ok();
    }
    sends(&claim.caller, &id, 9).await.refused(409, "photos_full");
    claim.caller.begin_upload(&path, 1_000_000).await.refused(409, "photos_full");
    let elsewhere = format!("/api/v1/verify/{}/photos/", claim.id);
    claim.caller.begin_upload(&elsewhere, 1_000_000).await.refused(404, "verification_not_found");
}

async fn the_same_key_is_one_photo(engine: Engine) {
    let house = House::open(engine).await;
    let (claim, id) = asked(&house).await;
    for _ in 0..2 {
        let part = reqwest::multipart::Part::bytes(photo(3)).file_name("card.jpg");
        let form = reqwest::multipart::Form::new().part("file", part);
        let request = claim.caller.request(reqwest::Method::POST, &format!("/api/v1/verify/{id}/photos/"));
        claim.caller.send(request.header("Idempotency-Key", "one-photo-key").multipart(form)).await.ok();
    }
    let view = claim.caller.get(&page(&id)).await.ok();
    assert_eq!(view["photos"].as_array().unwrap().len(), 1);
}

async fn who_has_the_link_may_send_and_sees_no_more_than_they_need(engine: Engine) {
    let house = House::open(engine).await;
    let (claim, id) = asked(&house).await;
    // The letter was opened on the phone, which has the camera.
    let phone = house.customer();
    let seen = phone.get(&page(&id)).await.ok();
    assert_eq!((&seen["owner"], &seen["state"]), (&json!(false), &json!("asked")));
    assert_eq!(sends(&phone, &id, 1).await.ok()["photos"][0]["name"], "");
    let seen = claim.caller.get(&page(&id)).await.ok();
    assert_eq!((&seen["owner"], &seen["photos"][0]["name"]), (&json!(true), &json!("card.jpg")));
    phone.get(&page("00000000-0000-4000-8000-000000000000")).await.refused(404, "verification_not_found");
}

async fn photos_are_deleted_when_their_time_is_over(engine: Engine) {
    let house = House::open(engine).await;
    house.owner().await.put("/api/admin/v1/settings", json!({ "verification.photo_days": "30" })).await.ok();
    let (claim, id) = asked(&house).await;
    let sent = sends(&claim.caller, &id, 1).await.ok();
    assert_eq!((&sent["photoDays"], &sent["photos"][0]["deleteAfter"]), (&json!(30), &json!("2024-04-27T12:00:00Z")));
    let desk = Desk::operator(&house).await;
    desk.accepts(&id).await;
    let photo = desk.sees(&id).await["photos"][0]["id"].as_str().unwrap().to_owned();
    let path = format!("/api/admin/v1/verifications/{id}/photos/{photo}");
    house.later(Duration::from_secs(29 * 86_400)).await;
    Desk::operator(&house).await.0.get(&path).await;
    house.later(Duration::from_secs(2 * 86_400)).await;
    let desk = Desk::operator(&house).await;
    desk.0.get(&path).await.refused(404, "photo_not_found");
    assert_eq!(desk.sees(&id).await["photos"][0]["deleted"], true, "that there was one stays known");
    assert_eq!(claim.caller.get(&page(&id)).await.ok()["photos"], json!([]));
    let gone = house.owner().await.get("/api/admin/v1/audit?action=verification.photo_deleted").await.ok();
    assert_eq!(gone["items"].as_array().unwrap().len(), 1);
    // What was verified stays known as well.
    assert_eq!(Claim::of(&house, "ivan@example.com", CARD).await.confirm().await["status"], "awaiting_payment");
}

async fn a_photo_of_another_verification_is_flagged(engine: Engine) {
    let house = House::open(engine).await;
    let (claim, id) = asked(&house).await;
    sends(&claim.caller, &id, 5).await.ok();
    let other = Claim::of(&house, "olga@example.com", CARD).await;
    let second = other.asked().await;
    sends(&other.caller, &second, 5).await.ok();
    let desk = Desk::operator(&house).await;
    assert_eq!(desk.sees(&second).await["photos"][0]["repeat"], true);
    sends(&other.caller, &second, 6).await.ok();
    let seen = desk.sees(&second).await;
    let repeats = seen["photos"].as_array().unwrap().iter().filter(|photo| photo["repeat"] == true).count();
    assert_eq!(repeats, 1, "{seen}");
}

both_engines!(
    a_photo_is_seen_by_those_who_verify_and_each_look_is_written_down,
    what_is_no_photo_is_refused,
    the_same_key_is_one_photo,
    who_has_the_link_may_send_and_sees_no_more_than_they_need,
    photos_are_deleted_when_their_time_is_over,
    a_photo_of_another_verification_is_flagged,
);
