//! News: what staff write and what visitors read, without a script.

use std::path::Path;

use agio_core::identity::Role;
use agio_test_app::{Database, Engine, TestApp, TestClient, TestResponse, both_engines};
use serde_json::{Value, json};

use crate::fixtures::{audit_count, text};

const NEWS: &str = "/api/admin/v1/news";
const PAGE: &str = "<html><head><title>AGIO_SLOT_TITLE</title><link rel=\"canonical\" href=\"/newsAGIO_SLOT_PART\">\
                    <meta name=\"description\" content=\"AGIO_SLOT_DESCRIPTION\"></head>\
                    <body>AGIO_SLOT_NEWS<ul>AGIO_SLOT_PAGES</ul></body></html>";

/// The pages of the build that show news.
fn write_site(folder: &Path) {
    let sitemap = "<?xml version=\"1.0\"?>\n<urlset>\n  <url><loc>https://origin.invalid/</loc></url>\n</urlset>\n";
    let feed = "<?xml version=\"1.0\"?>\n<feed>AGIO_SLOT_FEED</feed>\n";
    for (file, content) in
        [("index.html", PAGE), ("404.html", "404"), ("news/index.html", PAGE), ("sitemap.xml", sitemap), ("news.xml", feed)]
    {
        for language in ["", "en/"] {
            let file = folder.join(format!("{language}{file}"));
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, content).unwrap();
        }
    }
}

async fn start(engine: Engine) -> (TestApp, TestClient, tempfile::TempDir) {
    let site = tempfile::tempdir().unwrap();
    write_site(site.path());
    let folder = site.path().to_owned();
    let app = TestApp::start_with(Database::with_market(engine).await, |config| config.sites.public = folder).await;
    let editor = app.staff(Role::Editor).await;
    (app, editor, site)
}

async fn page(app: &TestApp, path: &str) -> String {
    let response = app.visitor().get(path).await;
    assert_eq!(response.status, 200, "{path}");
    response.text
}

fn post(slug: &str, title: &str, state: &str) -> Value {
    let markdown = format!("{title} in **short**. <script>steal()</script>\n\n[Rules](/rules)\n");
    json!({ "slug": slug, "state": state, "ru": text(&format!("Ру {title}"), &markdown), "en": text(title, &markdown) })
}

async fn save(editor: &TestClient, details: &Value, state: &str, change: Value) -> TestResponse {
    let mut body = json!({ "over": details["post"]["version"], "state": state, "ru": details["ru"], "en": details["en"] });
    body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
    editor.put(&format!("{NEWS}/{}", details["post"]["id"].as_str().unwrap()), body).await
}

async fn visitors_read_what_is_published(engine: Engine) {
    let (app, editor, _site) = start(engine).await;
    assert!(page(&app, "/news").await.contains("noindex") && !page(&app, "/").await.contains("/news\">"));
    let draft = editor.post(NEWS, post("new-rates", "New & <b>rates", "draft")).await.ok();
    assert_eq!((&draft["post"]["state"], &draft["post"]["publishedAt"]), (&json!("draft"), &Value::Null));
    assert_eq!(app.visitor().get("/news/new-rates").await.status, 404);
    assert!(!page(&app, "/sitemap.xml").await.contains("/news"));

    let published = save(&editor, &draft, "published", json!({})).await.ok();
    assert_eq!(published["post"]["publishedAt"], app.now().to_string());
    let list = page(&app, "/en/news").await;
    assert!(list.contains("<a href=\"/en/news/new-rates\">New &amp; &lt;b&gt;rates</a>") && !list.contains("noindex"), "{list}");
    let shown = page(&app, "/en/news/new-rates").await;
    for part in [
        "<title>New &amp; &lt;b&gt;rates | ",
        "href=\"/news/new-rates\"",
        "<h1>New &amp; &lt;b&gt;rates</h1>",
        "<strong>short</strong>",
        "\"@type\":\"NewsArticle\"",
        "\"datePublished\":\"2024-03-28T12:00:00",
        "href=\"/en/rules\"",
        "type=\"application/atom+xml\"",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(!shown.contains("<script>steal") && !shown.contains("AGIO_SLOT"), "{shown}");
    assert!(page(&app, "/news/new-rates").await.contains("<h1>Ру New &amp; &lt;b&gt;rates</h1>"));
    for path in ["/", "/en"] {
        assert!(page(&app, path).await.contains("/news\">"), "{path}");
    }
    let sitemap = page(&app, "/sitemap.xml").await;
    assert!(sitemap.contains("/news</loc>") && sitemap.contains("/en/news/new-rates</loc>"), "{sitemap}");
    let feed = page(&app, "/en/news.xml").await;
    assert!(
        feed.contains("<entry><title>New &amp; &lt;b&gt;rates</title><id>") && feed.contains("&lt;strong&gt;short"),
        "{feed}"
    );

    // A correction keeps the date of the publication, and what is withdrawn is gone.
    app.advance_clock(std::time::Duration::from_secs(60));
    let corrected = save(&editor, &published, "published", json!({ "en": text("Newer rates", "Better.\n") })).await.ok();
    assert_eq!(corrected["post"]["publishedAt"], published["post"]["publishedAt"]);
    assert!(page(&app, "/en/news/new-rates").await.contains("<h1>Newer rates</h1>"));
    save(&editor, &corrected, "draft", json!({})).await.ok();
    assert_eq!(app.visitor().get("/news/new-rates").await.status, 404);
    assert!(!page(&app, "/").await.contains("/news\">") && !page(&app, "/sitemap.xml").await.contains("/news"));
    assert_eq!(audit_count(&app, "news.saved").await, 4);
}

async fn a_long_list_goes_over_several_pages(engine: Engine) {
    let (app, editor, _site) = start(engine).await;
    for number in 1..=21 {
        app.advance_clock(std::time::Duration::from_secs(1));
        editor.post(NEWS, post(&format!("post-{number}"), &format!("Post {number}"), "published")).await.ok();
    }
    let (first, second) = (page(&app, "/en/news").await, page(&app, "/en/news/2").await);
    assert!(
        first.contains("post-21\"") && !first.contains("post-1\"") && first.contains("href=\"/en/news/2\" rel=\"next\""),
        "{first}"
    );
    assert!(
        second.contains("post-1\"") && !second.contains("post-2\"") && second.contains("href=\"/en/news\" rel=\"prev\""),
        "{second}"
    );
    for missing in ["/news/3", "/news/0", "/news/02", "/news/post-22", "/en/news/post-1/x"] {
        assert_eq!(app.visitor().get(missing).await.status, 404, "{missing}");
    }
    let list = editor.get(&format!("{NEWS}?size=20")).await.ok();
    let next = list["nextCursor"].as_str().unwrap();
    let rest = editor.get(&format!("{NEWS}?cursor={next}")).await.ok();
    assert_eq!(rest["items"].as_array().unwrap().len(), 1);
    assert_eq!(rest["items"][0]["title"], json!({ "ru": "Ру Post 1", "en": "Post 1" }));
}

async fn nothing_of_somebody_else_is_overwritten(engine: Engine) {
    let (app, editor, _site) = start(engine).await;
    let created = editor.post(NEWS, post("a", "One", "draft")).await.ok();
    let refused = editor.post(NEWS, post("a", "Two", "draft")).await.refused(422, "validation_failed");
    assert_eq!(refused["errors"]["slug"][0]["code"], "news_slug_taken", "{refused}");
    for slug in ["", "2", "Ab", "a b", "a/b"] {
        let refused = editor.post(NEWS, post(slug, "Two", "draft")).await.refused(422, "validation_failed");
        assert_eq!(refused["errors"]["slug"][0]["code"], "news_slug_invalid", "{refused}");
    }
    let refused = editor.post(NEWS, post("b", "", "draft")).await.refused(422, "validation_failed");
    assert_eq!(refused["errors"]["en.title"][0]["code"], "required", "{refused}");
    save(&editor, &created, "draft", json!({})).await.refused(422, "content_unchanged");
    save(&editor, &created, "draft", json!({ "ru": text("Другое", "Иначе.\n") })).await.ok();
    save(&editor, &created, "published", json!({})).await.refused(409, "news_changed");
    editor.get(&format!("{NEWS}/6e2d3a52-9d1c-4a8e-8c55-0c2f1a5b7d10")).await.refused(404, "news_not_found");
    let same = post("c", "Three", "draft");
    let one = editor.post_idempotent(NEWS, "news-key-1", same.clone()).await.ok();
    let other = editor.post_idempotent(NEWS, "news-key-1", same).await.ok();
    assert_eq!(one["post"]["id"], other["post"]["id"]);
    let preview = editor.post(&format!("{NEWS}/preview"), json!({ "locale": "en", "text": text("T", "**b** <i>") })).await.ok();
    assert!(preview["html"].as_str().unwrap().contains("<strong>b</strong> &lt;i&gt;"), "{preview}");
    assert_eq!(app.visitor().get("/news/a").await.status, 404);
}

both_engines!(visitors_read_what_is_published, a_long_list_goes_over_several_pages, nothing_of_somebody_else_is_overwritten);
