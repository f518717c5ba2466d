//! The prerendered pages, with the texts in them.

use std::fs;
use std::path::Path;

use agio_captcha::CaptchaWidget;
use agio_core::identity::Role;
use agio_test_app::{Database, Engine, TestApp, TestClient, TestResponse, both_engines};
use reqwest::Method;
use serde_json::{Value, json};

use crate::fixtures::{publish, text};

/// What the build writes for an information page, as far as the server cares.
const PAGE: &str = r#"<!doctype html><html><head><title>AGIO_SLOT_TITLE | Agio</title><meta name="description" content="AGIO_SLOT_DESCRIPTION"/>
<link rel="canonical" href="https://origin.invalid/PATH"/><link rel="alternate" hrefLang="en" href="https://origin.invalid/en/rules"/></head>
<body><h1>AGIO_SLOT_TITLE</h1><div id="page-text" data-version="AGIO_SLOT_VERSION" data-at="AGIO_SLOT_UPDATED_AT" data-on="AGIO_SLOT_UPDATED_ON">AGIO_SLOT_TEXT</div></body></html>"#;

/// A built site in a folder.
fn build(folder: &Path) {
    let write = |name: &str, content: &str| {
        let file = folder.join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, content).unwrap();
    };
    // Long enough to be compressed.
    let canonical = "<link rel=\"canonical\" href=\"https://origin.invalid/\"/>";
    write("index.html", &format!("{canonical}<p>{}</p>", "The rate holds. ".repeat(100)));
    // The copy of a page that is altered must not be sent.
    write("index.html.br", "not what the page says");
    write("rules/index.html", &PAGE.replace("PATH", "rules"));
    write("rules/index.html.gz", "not what the page says");
    write("en/rules/index.html", &PAGE.replace("PATH", "en/rules"));
    write("faq/index.html", &PAGE.replace("PATH", "faq"));
    write("en/faq/index.html", &PAGE.replace("PATH", "en/faq"));
    write("sitemap.xml", "<urlset><url><loc>https://origin.invalid/en/rules</loc></url></urlset>");
    write("robots.txt", "User-agent: *\n\nSitemap: https://origin.invalid/sitemap.xml\n");
    write("assets/site.js", "const place = 'https://origin.invalid';");
}

async fn open(engine: Engine, folder: &Path) -> TestApp {
    build(folder);
    TestApp::start_with(Database::empty(engine).await, |config| {
        config.sites.public = folder.to_owned();
        config.server.public_url = "https://exchange.example/".into();
    })
    .await
}

async fn page_request(caller: &TestClient, path: &str, name: &str, value: &str) -> TestResponse {
    caller.send(caller.request(Method::GET, path).header(name, value)).await
}

async fn page_shows_the_published_text(engine: Engine) {
    let folder = tempfile::tempdir().unwrap();
    let app = open(engine, folder.path()).await;
    let (editor, visitor) = (app.staff(Role::Editor).await, app.visitor());
    let before = visitor.get("/rules").await;
    assert!(before.text.contains("<h1>Правила обмена</h1>") && before.text.contains("data-version=\"1\""), "{}", before.text);
    assert!(before.text.contains("id=\"claim-made\"") && !before.text.contains("AGIO_SLOT"), "{}", before.text);
    assert!(visitor.get("/en/rules/").await.text.contains("<title>Exchange rules | Agio</title>"));

    let draft =
        json!({ "ru": { "title": "Правила \"A & <B>\"", "description": "О \"правилах\"", "markdown": "Новый **текст**." } });
    publish(&editor, "rules", draft).await.ok();
    let after = visitor.get("/rules").await;
    for part in [
        "<title>Правила &quot;A &amp; &lt;B&gt;&quot; | Agio</title>",
        "content=\"О &quot;правилах&quot;\"",
        "data-version=\"2\" data-at=\"2024-03-28T12:00:00Z\" data-on=\"28.03.2024\">",
        "<p>Новый <strong>текст</strong>.</p>",
    ] {
        assert!(after.text.contains(part), "{part}: {}", after.text);
    }
    assert_ne!(before.headers["etag"], after.headers["etag"]);
    let etag = after.headers["etag"].to_str().unwrap();
    assert_eq!(page_request(&visitor, "/rules", "if-none-match", etag).await.status, 304);
    let old = before.headers["etag"].to_str().unwrap();
    assert_eq!(page_request(&visitor, "/rules", "if-none-match", old).await.status, 200);
    app.owner().await.put("/api/admin/v1/settings", json!({ "site.support_email": "support@exchange.example" })).await.ok();
    publish(&editor, "rules", json!({ "ru": text("Правила", "{support}") })).await.ok();
    app.owner().await.put("/api/admin/v1/settings", json!({ "site.support_email": "help@exchange.example" })).await.ok();
    assert!(visitor.get("/rules").await.text.contains("<p>help@exchange.example</p>"), "a setting changes the page too");
}

async fn pages_name_the_canonical_url(engine: Engine) {
    let folder = tempfile::tempdir().unwrap();
    let app = open(engine, folder.path()).await;
    let visitor = app.visitor();
    for (path, part) in [
        ("/", "href=\"https://exchange.example/\""),
        ("/rules", "<link rel=\"canonical\" href=\"https://exchange.example/rules\"/>"),
        ("/rules", "hrefLang=\"en\" href=\"https://exchange.example/en/rules\""),
        ("/en/rules", "<link rel=\"canonical\" href=\"https://exchange.example/en/rules\"/>"),
        ("/sitemap.xml", "<loc>https://exchange.example/en/rules</loc>"),
        ("/robots.txt", "Sitemap: https://exchange.example/sitemap.xml"),
        // Scripts are named by their content and stay as they are.
        ("/assets/site.js", "https://origin.invalid"),
    ] {
        let answer = visitor.get(path).await;
        assert!(answer.text.contains(part), "{path}: {}", answer.text);
    }
    let squeezed = page_request(&visitor, "/", "accept-encoding", "br, gzip").await;
    assert_eq!(squeezed.headers["content-encoding"], "br");
    assert!(!squeezed.text.contains("not what the page says"));
    let squeezed = page_request(&visitor, "/rules", "accept-encoding", "gzip").await;
    assert_eq!(squeezed.headers["content-encoding"], "gzip");
    assert!(!squeezed.text.contains("not what the page says"), "the build's copy is of another text");
}

async fn malicious_text_is_sanitized(engine: Engine) {
    let folder = tempfile::tempdir().unwrap();
    let app = open(engine, folder.path()).await;
    let (editor, visitor) = (app.staff(Role::Editor).await, app.visitor());
    let attacks = [
        "<script>steal()</script>",
        "<img src=x onerror=steal()>",
        "[go](javascript:steal())",
        "[go](//evil.example)",
        "![x](https://evil.example/x.png)",
        "</div><iframe src=https://evil.example></iframe>",
        "<a href=\"/\" onclick=\"steal()\">x</a>",
        "AGIO_SLOT_TEXT",
    ];
    let draft = json!({ "ru": { "title": "</title><script>steal()</script>", "description": "\"><script>steal()</script>",
        "markdown": attacks.join("\n\n") } });
    publish(&editor, "rules", draft).await.ok();
    let page = visitor.get("/rules").await;
    let policy = page.headers["content-security-policy"].to_str().unwrap();
    assert!(policy.starts_with("default-src 'self'") && policy.ends_with("require-trusted-types-for 'script'"), "{policy}");
    let html = visitor.get("/api/v1/content/rules/").await.ok()["html"].as_str().unwrap().to_owned();
    for shown in [&page.text, &html] {
        for bad in ["<script", "<img", "<iframe", "<a href=\"/\" onclick", "href=\"javascript", "href=\"//"] {
            assert!(!shown.contains(bad), "{bad}: {shown}");
        }
    }
    assert!(page.text.contains("&lt;script&gt;steal()&lt;/script&gt;"), "it is shown as the text it is");
}

async fn csp_allows_the_captcha_provider_only(engine: Engine) {
    let folder = tempfile::tempdir().unwrap();
    build(folder.path());
    let policy = async |widget: CaptchaWidget, verify_url: &'static str| {
        let app = TestApp::start_with(Database::empty(engine).await, |config| {
            config.sites.public = folder.path().to_owned();
            config.captcha.provider = widget;
            config.captcha.verify_url = verify_url.into();
        })
        .await;
        app.visitor().get("/").await.headers["content-security-policy"].to_str().unwrap().to_owned()
    };
    let hosts = ["google.com/recaptcha/", "hcaptcha.com", "challenges.cloudflare.com"];
    let widgets = [CaptchaWidget::Recaptcha, CaptchaWidget::Hcaptcha, CaptchaWidget::Turnstile];
    for (widget, own) in widgets.into_iter().zip(hosts) {
        let strict = policy(widget, "").await;
        assert!(!strict.contains("https:") && strict.ends_with("require-trusted-types-for 'script'"), "{strict}");
        let open = policy(widget, "https://provider.example/siteverify").await;
        for part in ["script-src 'self' https://", "frame-src https://"] {
            assert!(open.contains(part), "{open}");
        }
        for host in hosts {
            assert_eq!(open.contains(host), host == own, "{host}: {open}");
        }
        for lax in ["unsafe-inline", "unsafe-eval", "https: ", "https:;"] {
            assert!(!open.contains(lax), "{open}");
        }
    }
}

/// The data in a page for search engines, and whether it is all there is between the marks of its script.
fn data_in(page: &TestResponse) -> Option<Value> {
    let (_, rest) = page.text.split_once("<script type=\"application/ld+json\">")?;
    let (data, rest) = rest.split_once("</script>").expect("the script ends");
    assert!(rest.starts_with("</head>"), "{rest}");
    Some(serde_json::from_str(data).expect("it is JSON"))
}

async fn faq_has_structured_data(engine: Engine) {
    let folder = tempfile::tempdir().unwrap();
    let app = open(engine, folder.path()).await;
    let (editor, visitor) = (app.staff(Role::Editor).await, app.visitor());
    assert_eq!(data_in(&visitor.get("/rules").await), None);
    for (path, language) in [("/faq", "ru"), ("/en/faq", "en")] {
        let page = visitor.get(path).await;
        let data = data_in(&page).expect("the page has questions");
        assert_eq!((&data["@type"], &data["inLanguage"]), (&json!("FAQPage"), &json!(language)));
        assert_eq!(data["mainEntity"].as_array().unwrap().len(), page.text.matches("<details>").count());
    }
    let markdown = "### </script><script>steal()</script> AGIO_SLOT_TITLE {#a-b}\n\nSee [rules](/rules).";
    publish(&editor, "faq", json!({ "ru": text("Вопросы", markdown) })).await.ok();
    let data = data_in(&visitor.get("/faq").await).expect("the page has a question");
    let question = &data["mainEntity"][0];
    assert_eq!(question["name"], "</script><script>steal()</script> AGIO_SLOT_TITLE");
    let answer = question["acceptedAnswer"]["text"].as_str().unwrap();
    assert!(answer.contains("href=\"https://exchange.example/rules\""), "{answer}");
    publish(&editor, "faq", json!({ "ru": text("Вопросы", "Пока никто не спросил.") })).await.ok();
    assert_eq!(data_in(&visitor.get("/faq").await), None);
}

async fn csp_allows_the_support_chat_frame_only(engine: Engine) {
    let folder = tempfile::tempdir().unwrap();
    let app = open(engine, folder.path()).await;
    let (owner, visitor) = (app.owner().await, app.visitor());
    let policy = async || visitor.get("/").await.headers["content-security-policy"].to_str().unwrap().to_owned();
    assert!(!policy().await.contains("frame-src"));
    owner.put("/api/admin/v1/settings", json!({ "site.chat_url": "https://chat.example/widget?a=1;b" })).await.ok();
    assert!(policy().await.contains("; frame-src https://chat.example 'self'; require-trusted-types-for 'script'"));
    owner.put("/api/admin/v1/settings", json!({ "site.chat_url": "" })).await.ok();
    assert!(!policy().await.contains("frame-src"));
}

both_engines!(
    csp_allows_the_captcha_provider_only,
    page_shows_the_published_text,
    pages_name_the_canonical_url,
    malicious_text_is_sanitized,
    faq_has_structured_data,
    csp_allows_the_support_chat_frame_only,
);
