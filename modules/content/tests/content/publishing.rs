//! Editors publish, colleagues and customers read.

use agio_core::identity::Role;
use agio_testkit::{Engine, House, both_engines};
use serde_json::json;

use crate::people::{entries, publishes, read, text, written};

async fn every_page_begins_with_a_real_text(engine: Engine) {
    let house = House::open(engine).await;
    let visitor = house.customer();
    for page in ["aml", "faq", "rules", "contacts", "partners", "discounts", "contest"] {
        for (prefix, word) in [("", "е"), ("/en", "the")] {
            let shown = visitor.get(&format!("{prefix}/api/v1/content/{page}/")).await.ok();
            assert_eq!((&shown["version"], &shown["present"], &shown["page"]), (&json!(1), &json!(true), &json!(page)));
            let html = shown["html"].as_str().unwrap();
            assert!(html.len() > 500 && html.contains(word) && !html.contains('{'), "{page}: {html}");
        }
    }
    assert!(read(&visitor, "contacts").await["html"].as_str().unwrap().contains("mailto:support@example.com"));
    visitor.get("/api/v1/content/secrets/").await.refused(404, "content_not_found");
    visitor.get("/api/v1/content/rules/?version=x").await.refused(400, "malformed_parameter");
}

async fn what_is_published_is_read_and_what_was_stays_readable(engine: Engine) {
    let house = House::open(engine).await;
    let (editor, visitor) = (house.staff(Role::Editor).await, house.customer());
    let first = written(&editor, "rules").await;
    assert_eq!(first["version"]["publishedBy"], json!(null), "the house came with it");
    let both = json!({ "ru": text("Новые правила", "Пишите на {support}.\r\n"), "en": text("New rules", "By {site}.") });
    let published = publishes(&editor, "rules", both).await.ok();
    assert_eq!((&published["version"]["version"], &published["version"]["changed"]), (&json!(2), &json!(["ru", "en"])));
    let seen = read(&visitor, "rules").await;
    assert_eq!((&seen["title"], &seen["html"]), (&json!("Новые правила"), &json!("<p>Пишите на support@example.com.</p>\n")));
    assert_eq!((&seen["updatedAt"], &seen["updatedOn"]), (&json!("2024-03-28T12:00:00Z"), &json!("28.03.2024")));
    let english = visitor.get("/en/api/v1/content/rules/").await.ok();
    assert_eq!((&english["html"], &english["updatedOn"]), (&json!("<p>By Agio.</p>\n"), &json!("28 March 2024")));

    let old = visitor.get("/api/v1/content/rules/?version=1").await.ok();
    assert_eq!((&old["title"], &old["present"]), (&first["ru"]["title"], &json!(false)));
    assert!(old["html"].as_str().unwrap().contains("claim-made"));
    visitor.get("/api/v1/content/rules/?version=3").await.refused(404, "content_version_not_found");
    visitor.get("/api/v1/content/rules/?version=-1").await.refused(404, "content_version_not_found");
    publishes(&editor, "faq", json!({ "en": text("FAQ", "x") })).await.ok();
    visitor.get("/api/v1/content/faq/?version=1").await.refused(404, "content_version_not_found");

    // The name of the site is read with the text, not kept in it.
    house.owner().await.put("/api/admin/v1/settings", json!({ "site.name": "Obmen & Co" })).await.ok();
    assert_eq!(visitor.get("/en/api/v1/content/rules/").await.ok()["html"], "<p>By Obmen &amp; Co.</p>\n");
    assert_eq!(entries(&house, "content.published").await, 2);
    house.audit_is_whole().await;
}

async fn claims_are_told_the_version_of_the_rules(engine: Engine) {
    let house = House::open(engine).await;
    let (editor, visitor) = (house.staff(Role::Editor).await, house.customer());
    let version = || async { visitor.get("/api/v1/calculator/settings/").await.ok()["termsVersion"].clone() };
    assert_eq!(version().await, "1");
    publishes(&editor, "aml", json!({ "ru": text("AML", "x") })).await.ok();
    assert_eq!(version().await, "1");
    publishes(&editor, "rules", json!({ "ru": text("Правила", "x") })).await.ok();
    assert_eq!(version().await, "2");
    let settings = house.owner().await.get("/api/admin/v1/settings").await.ok();
    assert!(settings.as_array().unwrap().iter().all(|setting| setting["key"] != "site.terms_version"));
}

async fn colleagues_see_what_changed_and_bring_it_back(engine: Engine) {
    let house = House::open(engine).await;
    let editor = house.staff(Role::Editor).await;
    let first = written(&editor, "aml").await;
    let draft = json!({ "en": text("AML", "Short."), "note": "  Shorter " });
    publishes(&editor, "aml", draft).await.ok();
    // The old text is published once more: history grows and is never written anew.
    publishes(&editor, "aml", json!({ "en": first["en"], "note": "Back to version 1" })).await.ok();
    let now = written(&editor, "aml").await;
    assert_eq!((&now["en"], &now["ru"], &now["version"]["version"]), (&first["en"], &first["ru"], &json!(3)));
    let page = editor.get("/api/admin/v1/content/aml/versions?size=2").await.ok();
    let notes: Vec<_> = page["items"].as_array().unwrap().iter().map(|row| row["note"].clone()).collect();
    assert_eq!(notes, ["Back to version 1", "Shorter"]);
    assert_eq!(page["items"][0]["publishedBy"], "editor");
    let next = page["nextCursor"].as_str().unwrap();
    let rest = editor.get(&format!("/api/admin/v1/content/aml/versions?cursor={next}")).await.ok();
    assert_eq!((&rest["items"][0]["version"], &rest["nextCursor"]), (&json!(1), &json!(null)));
    let second = editor.get("/api/admin/v1/content/aml?version=2").await.ok();
    assert_eq!(second["en"]["markdown"], "Short.\n");
    let list = editor.get("/api/admin/v1/content").await.ok();
    let pages: Vec<_> = list["items"].as_array().unwrap().iter().map(|row| row["page"].as_str().unwrap()).collect();
    assert_eq!(pages, ["rules", "aml", "faq", "contacts", "partners", "discounts", "contest"]);
    assert_eq!(list["items"][1]["newest"]["version"], 3);
}

async fn nobody_publishes_over_what_they_did_not_see(engine: Engine) {
    let house = House::open(engine).await;
    let (one, two) = (house.staff(Role::Editor).await, house.owner().await);
    let draft = |words: &str| json!({ "over": 1, "ru": text("FAQ", words), "note": "n" });
    let path = "/api/admin/v1/content/faq/versions";
    let (a, b) = tokio::join!(one.post(path, draft("Раз.")), two.post(path, draft("Два.")));
    let (won, lost) = if a.status.is_success() { (a, b) } else { (b, a) };
    let markdown = won.ok()["ru"]["markdown"].clone();
    lost.refused(409, "content_changed");
    assert_eq!(written(&one, "faq").await["ru"]["markdown"], markdown);
    let same = json!({ "over": 2, "ru": text("FAQ", markdown.as_str().unwrap()), "note": "n" });
    one.post(path, same).await.refused(422, "content_unchanged");
    let once = json!({ "over": 2, "ru": text("FAQ", "Три."), "note": "n" });
    let first = one.post_once(path, "publish-once", once.clone()).await.ok();
    assert_eq!(one.post_once(path, "publish-once", once).await.ok(), first);
    let other = json!({ "over": 3, "ru": text("FAQ", "Четыре."), "note": "n" });
    one.post_once(path, "publish-once", other).await.refused(422, "idempotency_mismatch");
}

async fn a_bad_text_is_refused_with_its_field(engine: Engine) {
    let house = House::open(engine).await;
    let editor = house.staff(Role::Editor).await;
    let refused = async |draft, field: &str, code: &str| {
        let problem = publishes(&editor, "faq", draft).await.refused(422, "validation_failed");
        assert_eq!(problem["errors"][field][0]["code"], code, "{problem}");
    };
    refused(json!({ "ru": text(" ", "x") }), "ru.title", "required").await;
    refused(json!({ "en": text(&"x".repeat(121), "x") }), "en.title", "text_too_long").await;
    refused(json!({ "en": text("a\u{0}b", "x") }), "en.title", "text_not_plain").await;
    refused(json!({ "en": text("x", &"x".repeat(20_001)) }), "en.markdown", "text_too_long").await;
    refused(json!({ "en": text("x", "y"), "note": " " }), "note", "required").await;
    refused(json!({ "en": text("x", "y"), "note": "x".repeat(301) }), "note", "text_too_long").await;
    publishes(&editor, "faq", json!({ "en": text("x", "y"), "more": 1 })).await.refused(400, "malformed_body");
    publishes(&editor, "faq", json!({})).await.refused(422, "content_unchanged");
    editor.get("/api/admin/v1/content/secrets").await.refused(404, "content_not_found");
    editor.get("/api/admin/v1/content/faq?version=9").await.refused(404, "content_version_not_found");
    editor.get("/api/admin/v1/content/faq/versions?cursor=x").await.refused(422, "validation_failed");
    editor.get("/api/admin/v1/content/faq/versions?size=101").await.refused(422, "validation_failed");
    // The longest texts of both languages go through.
    let long = "ы".repeat(14_000);
    publishes(&editor, "faq", json!({ "ru": text("x", &long), "en": text("x", &"y".repeat(20_000)) })).await.ok();
}

async fn publishing_is_for_those_who_may(engine: Engine) {
    let house = House::open(engine).await;
    for role in [Role::Operator, Role::Cashier, Role::Auditor] {
        let reader = house.staff(role).await;
        assert_eq!(written(&reader, "faq").await["version"]["version"], 1);
        let sample = json!({ "locale": "en", "text": text("x", "y") });
        reader.post("/api/admin/v1/content/faq/preview", sample).await.ok();
        reader.get("/api/admin/v1/contact-messages").await.ok();
        let refused = publishes(&reader, "faq", json!({ "en": text("x", "y") })).await.refused(403, "forbidden");
        assert!(refused["detail"].as_str().is_some());
    }
    let stranger = house.customer();
    for path in ["/api/admin/v1/content", "/api/admin/v1/content/faq", "/api/admin/v1/contact-messages"] {
        stranger.get(path).await.refused(401, "token_not_valid");
    }
    assert_eq!(entries(&house, "content.published").await, 0);
}

async fn a_preview_is_what_will_be_shown_and_stores_nothing(engine: Engine) {
    let house = House::open(engine).await;
    let editor = house.staff(Role::Editor).await;
    let sample = json!({ "locale": "en", "text": text("About {site}", "### Why?\n\n<b>x</b> [go](/rules)\n") });
    let shown = editor.post("/api/admin/v1/content/faq/preview", sample.clone()).await.ok();
    publishes(&editor, "faq", json!({ "en": sample["text"] })).await.ok();
    let read = house.customer().get("/en/api/v1/content/faq/").await.ok();
    assert_eq!((&shown["title"], &shown["html"]), (&read["title"], &read["html"]));
    let html = shown["html"].as_str().unwrap();
    assert!(html.contains("&lt;b&gt;") && html.contains("href=\"/en/rules\"") && html.contains("<details>"), "{html}");
    let empty = json!({ "locale": "ru", "text": { "title": "", "description": "", "markdown": "" } });
    editor.post("/api/admin/v1/content/faq/preview", empty).await.ok();
    assert_eq!(written(&editor, "faq").await["version"]["version"], 2);
}

both_engines!(
    every_page_begins_with_a_real_text,
    what_is_published_is_read_and_what_was_stays_readable,
    claims_are_told_the_version_of_the_rules,
    colleagues_see_what_changed_and_bring_it_back,
    nobody_publishes_over_what_they_did_not_see,
    a_bad_text_is_refused_with_its_field,
    publishing_is_for_those_who_may,
    a_preview_is_what_will_be_shown_and_stores_nothing,
);
