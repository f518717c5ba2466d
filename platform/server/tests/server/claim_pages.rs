//! The page of a claim.

use agio_test_app::{Database, Engine, TestApp, both_engines};

use crate::examples::order;
use crate::market_pages::configure_site;

/// Addresses of claims that do not exist answer 404, with the page that says so.
async fn an_unknown_claim_has_no_page(engine: Engine) {
    let site = tempfile::tempdir().unwrap();
    let configure = configure_site(site.path());
    for language in ["", "en/"] {
        std::fs::write(site.path().join(format!("{language}claim.html")), "<html><head></head></html>").unwrap();
    }
    let app = TestApp::start_with(Database::with_market(engine).await, configure).await;
    let visitor = app.visitor();
    let known = visitor.post("/api/v1/claim/", order(&app, "0.005")).await.ok();
    let known = known["id"].as_str().unwrap();
    let unknown = "6e2d3a52-9d1c-4a8e-8c55-0c2f1a5b7d10";
    for (path, status) in [
        (format!("/claim/{known}"), 200),
        (format!("/en/claim/{known}/"), 200),
        (format!("/claim/{unknown}"), 404),
        (format!("/en/claim/{unknown}/"), 404),
        ("/claim/1".to_owned(), 404),
        ("/claim".to_owned(), 200),
        (format!("/claim/success?id={unknown}"), 200),
    ] {
        let page = visitor.get(&path).await;
        assert_eq!(page.status.as_u16(), status, "{path}");
        assert!(page.text.contains("<html>"), "{path}: {}", page.text);
    }
}

both_engines!(an_unknown_claim_has_no_page);
