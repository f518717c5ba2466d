//! Publication and history of pages.

use agio_core::identity::Role;
use agio_test_app::{Engine, TestApp, both_engines};
use serde_json::json;

use crate::fixtures::{audit_count, get_page, get_source, publish, text};

async fn every_page_has_a_default_text(engine: Engine) {
    let app = TestApp::start(engine).await;
    let visitor = app.visitor();
    for page in ["aml", "faq", "rules", "contacts", "partners", "discounts", "contest"] {
        for (prefix, word) in [("", "е"), ("/en", "the")] {
            let shown = visitor.get(&format!("{prefix}/api/v1/content/{page}/")).await.ok();
            assert_eq!((&shown["version"], &shown["present"], &shown["page"]), (&json!(1), &json!(true), &json!(page)));
            let html = shown["html"].as_str().unwrap();
            assert!(html.len() > 500 && html.contains(word) && !html.contains('{'), "{page}: {html}");
        }
    }
    assert!(get_page(&visitor, "contacts").await["html"].as_str().unwrap().contains("mailto:support@example.com"));
    visitor.get("/api/v1/content/secrets/").await.refused(404, "content_not_found");
    visitor.get("/api/v1/content/rules/?version=x").await.refused(400, "malformed_parameter");
}

async fn published_and_old_versions_are_readable(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (editor, visitor) = (app.staff(Role::Editor).await, app.visitor());
    let first = get_source(&editor, "rules").await;
    assert_eq!(first["version"]["publishedBy"], json!(null), "it is the default text");
    let both = json!({ "ru": text("Новые правила", "Пишите на {support}.\r\n"), "en": text("New rules", "By {site}.") });
    let published = publish(&editor, "rules", both).await.ok();
    assert_eq!((&published["version"]["version"], &published["version"]["changed"]), (&json!(2), &json!(["ru", "en"])));
    let view = get_page(&visitor, "rules").await;
    assert_eq!((&view["title"], &view["html"]), (&json!("Новые правила"), &json!("<p>Пишите на support@example.com.</p>\n")));
    assert_eq!((&view["updatedAt"], &view["updatedOn"]), (&json!("2024-03-28T12:00:00Z"), &json!("28.03.2024")));
    let english = visitor.get("/en/api/v1/content/rules/").await.ok();
    assert_eq!((&english["html"], &english["updatedOn"]), (&json!("<p>By Agio.</p>\n"), &json!("28 March 2024")));

    let old = visitor.get("/api/v1/content/rules/?version=1").await.ok();
    assert_eq!((&old["title"], &old["present"]), (&first["ru"]["title"], &json!(false)));
    assert!(old["html"].as_str().unwrap().contains("claim-made"));
    visitor.get("/api/v1/content/rules/?version=3").await.refused(404, "content_version_not_found");
    visitor.get("/api/v1/content/rules/?version=-1").await.refused(404, "content_version_not_found");
    publish(&editor, "faq", json!({ "en": text("FAQ", "x") })).await.ok();
    visitor.get("/api/v1/content/faq/?version=1").await.refused(404, "content_version_not_found");

    // The name of the site is filled in when the text is rendered.
    app.owner().await.put("/api/admin/v1/settings", json!({ "site.name": "Obmen & Co" })).await.ok();
    assert_eq!(visitor.get("/en/api/v1/content/rules/").await.ok()["html"], "<p>By Obmen &amp; Co.</p>\n");
    assert_eq!(audit_count(&app, "content.published").await, 2);
    app.assert_audit_chain_is_intact().await;
}

async fn claims_record_the_rules_version(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (editor, visitor) = (app.staff(Role::Editor).await, app.visitor());
    let version = || async { visitor.get("/api/v1/calculator/settings/").await.ok()["termsVersion"].clone() };
    assert_eq!(version().await, "1");
    publish(&editor, "aml", json!({ "ru": text("AML", "x") })).await.ok();
    assert_eq!(version().await, "1");
    publish(&editor, "rules", json!({ "ru": text("Правила", "x") })).await.ok();
    assert_eq!(version().await, "2");
    let settings = app.owner().await.get("/api/admin/v1/settings").await.ok();
    assert!(settings.as_array().unwrap().iter().all(|setting| setting["key"] != "site.terms_version"));
}

async fn history_shows_changes_and_restores(engine: Engine) {
    let app = TestApp::start(engine).await;
    let editor = app.staff(Role::Editor).await;
    let first = get_source(&editor, "aml").await;
    let draft = json!({ "en": text("AML", "Short."), "note": "  Shorter " });
    publish(&editor, "aml", draft).await.ok();
    // The old text is published once more: history grows and is never written anew.
    publish(&editor, "aml", json!({ "en": first["en"], "note": "Back to version 1" })).await.ok();
    let now = get_source(&editor, "aml").await;
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

async fn publishing_over_a_newer_version_is_rejected(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (one, two) = (app.staff(Role::Editor).await, app.owner().await);
    let draft = |words: &str| json!({ "over": 1, "ru": text("FAQ", words), "note": "n" });
    let path = "/api/admin/v1/content/faq/versions";
    let (a, b) = tokio::join!(one.post(path, draft("Раз.")), two.post(path, draft("Два.")));
    let (won, lost) = if a.status.is_success() { (a, b) } else { (b, a) };
    let markdown = won.ok()["ru"]["markdown"].clone();
    lost.refused(409, "content_changed");
    assert_eq!(get_source(&one, "faq").await["ru"]["markdown"], markdown);
    let same = json!({ "over": 2, "ru": text("FAQ", markdown.as_str().unwrap()), "note": "n" });
    one.post(path, same).await.refused(422, "content_unchanged");
    let once = json!({ "over": 2, "ru": text("FAQ", "Три."), "note": "n" });
    let first = one.post_idempotent(path, "publish-once", once.clone()).await.ok();
    assert_eq!(one.post_idempotent(path, "publish-once", once).await.ok(), first);
    let other = json!({ "over": 3, "ru": text("FAQ", "Четыре."), "note": "n" });
    one.post_idempotent(path, "publish-once", other).await.refused(422, "idempotency_mismatch");
}

async fn text_errors_name_the_field(engine: Engine) {
    let app = TestApp::start(engine).await;
    let editor = app.staff(Role::Editor).await;
    let refused = async |draft, field: &str, code: &str| {
        let problem = publish(&editor, "faq", draft).await.refused(422, "validation_failed");
        assert_eq!(problem["errors"][field][0]["code"], code, "{problem}");
    };
    refused(json!({ "ru": text(" ", "x") }), "ru.title", "required").await;
    refused(json!({ "en": text(&"x".repeat(121), "x") }), "en.title", "text_too_long").await;
    refused(json!({ "en": text("a\u{0}b", "x") }), "en.title", "text_not_plain").await;
    refused(json!({ "en": text("x", &"x".repeat(20_001)) }), "en.markdown", "text_too_long").await;
    refused(json!({ "en": text("x", "y"), "note": " " }), "note", "required").await;
    refused(json!({ "en": text("x", "y"), "note": "x".repeat(301) }), "note", "text_too_long").await;
    publish(&editor, "faq", json!({ "en": text("x", "y"), "more": 1 })).await.refused(400, "malformed_body");
    publish(&editor, "faq", json!({})).await.refused(422, "content_unchanged");
    editor.get("/api/admin/v1/content/secrets").await.refused(404, "content_not_found");
    editor.get("/api/admin/v1/content/faq?version=9").await.refused(404, "content_version_not_found");
    editor.get("/api/admin/v1/content/faq/versions?cursor=x").await.refused(400, "malformed_parameter");
    editor.get("/api/admin/v1/content/faq/versions?size=101").await.refused(400, "malformed_parameter");
    // The longest texts of both languages go through.
    let long = "ы".repeat(14_000);
    publish(&editor, "faq", json!({ "ru": text("x", &long), "en": text("x", &"y".repeat(20_000)) })).await.ok();
}

async fn publishing_needs_permission(engine: Engine) {
    let app = TestApp::start(engine).await;
    for role in [Role::Operator, Role::Cashier, Role::Auditor] {
        let reader = app.staff(role).await;
        assert_eq!(get_source(&reader, "faq").await["version"]["version"], 1);
        let sample = json!({ "locale": "en", "text": text("x", "y") });
        reader.post("/api/admin/v1/content/faq/preview", sample).await.ok();
        reader.get("/api/admin/v1/contact-messages").await.ok();
        let refused = publish(&reader, "faq", json!({ "en": text("x", "y") })).await.refused(403, "forbidden");
        assert!(refused["detail"].as_str().is_some());
    }
    let signed_out = app.visitor();
    for path in ["/api/admin/v1/content", "/api/admin/v1/content/faq", "/api/admin/v1/contact-messages"] {
        signed_out.get(path).await.refused(401, "token_not_valid");
    }
    assert_eq!(audit_count(&app, "content.published").await, 0);
}

async fn preview_stores_nothing(engine: Engine) {
    let app = TestApp::start(engine).await;
    let editor = app.staff(Role::Editor).await;
    let sample = json!({ "locale": "en", "text": text("About {site}", "### Why?\n\n<b>x</b> [go](/rules)\n") });
    let shown = editor.post("/api/admin/v1/content/faq/preview", sample.clone()).await.ok();
    publish(&editor, "faq", json!({ "en": sample["text"] })).await.ok();
    let read = app.visitor().get("/en/api/v1/content/faq/").await.ok();
    assert_eq!((&shown["title"], &shown["html"]), (&read["title"], &read["html"]));
    let html = shown["html"].as_str().unwrap();
    assert!(html.contains("&lt;b&gt;") && html.contains("href=\"/en/rules\"") && html.contains("<details>"), "{html}");
    let empty = json!({ "locale": "ru", "text": { "title": "", "description": "", "markdown": "" } });
    editor.post("/api/admin/v1/content/faq/preview", empty).await.ok();
    assert_eq!(get_source(&editor, "faq").await["version"]["version"], 2);
}

both_engines!(
    every_page_has_a_default_text,
    published_and_old_versions_are_readable,
    claims_record_the_rules_version,
    history_shows_changes_and_restores,
    publishing_over_a_newer_version_is_rejected,
    text_errors_name_the_field,
    publishing_needs_permission,
    preview_stores_nothing,
);
