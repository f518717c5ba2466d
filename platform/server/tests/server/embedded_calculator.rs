//! The calculator that other sites frame.

use std::fs;

use agio_test_app::{Database, Engine, TestApp};
use reqwest::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, SET_COOKIE};
use serde_json::json;

/// Any site, or the owner's list of sites, may frame the calculator, and no other page; the calculator may neither submit nor navigate anything.
#[tokio::test]
async fn only_the_calculator_may_be_framed() {
    let site = tempfile::tempdir().unwrap();
    for file in ["index.html", "404.html", "claim.html", "embed/index.html", "account/index.html"] {
        fs::create_dir_all(site.path().join(file).parent().unwrap()).unwrap();
        fs::write(site.path().join(file), "<html><head><!--brand--></head><body>AGIO_SLOT_NAME</body></html>").unwrap();
    }
    fs::write(site.path().join("embed.js"), "(() => {})();").unwrap();
    let folder = site.path().to_owned();
    let database = Database::with_market(Engine::Sqlite).await;
    let app = TestApp::start_with(database, |config| config.sites.public = folder).await;
    let visitor = app.visitor();

    for address in ["/embed", "/embed/", "/embed?from=BTC&to=SBERRUB&rid=CODE&theme=dark&lang=en"] {
        let page = visitor.get(address).await;
        let policy = page.headers[CONTENT_SECURITY_POLICY].to_str().unwrap().to_owned();
        for part in ["default-src 'none'", "; frame-ancestors *", "form-action 'none'", "script-src 'self';"] {
            assert!(policy.contains(part), "{address}: {policy}");
        }
        assert!(!page.headers.contains_key(SET_COOKIE) && !page.headers.contains_key("x-frame-options"), "{address}");
        assert!(page.text.contains("id=\"brand\"") && !page.text.contains("AGIO_SLOT"), "{}", page.text);
    }
    for address in ["/", "/account", "/claim/1", "/embed/more", "/embed.js/", "/en/embed", "/docs", "/admin/"] {
        let response = visitor.get(address).await;
        let policy = response.headers.get(CONTENT_SECURITY_POLICY).map(|policy| policy.to_str().unwrap().to_owned());
        assert!(policy.is_none_or(|policy| policy.contains("frame-ancestors 'none'")), "{address}");
    }
    let owner = app.owner().await;
    let allow = async |sites: &str| owner.put("/api/admin/v1/settings", json!({ "site.embed_sites": sites })).await;
    allow("https://shop.example, https://*.friends.example:8443").await.ok();
    let policy = visitor.get("/embed").await.headers[CONTENT_SECURITY_POLICY].to_str().unwrap().to_owned();
    assert!(policy.ends_with("; frame-ancestors 'self' https://shop.example https://*.friends.example:8443"), "{policy}");
    for refused in
        ["http://shop.example", "shop.example", "https://shop.example/", "https://a.example;script-src", "*", "https://*"]
    {
        allow(refused).await.refused(422, "validation_failed");
    }
    let loader = visitor.get("/embed.js").await;
    assert_eq!(
        (loader.status.as_u16(), &loader.headers[CONTENT_TYPE]),
        (200, &"text/javascript; charset=utf-8".parse().unwrap())
    );
}
