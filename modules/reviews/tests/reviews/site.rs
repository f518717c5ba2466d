//! What visitors read, without a script.

use std::path::Path;

use agio_core::{Timestamp, execute};
use agio_test_app::{Database, Engine, TestApp, both_engines};
use serde_json::json;

use crate::fixtures::{REVIEWS, complete_exchange, decide, newest, path, publish};

const PAGE: &str = "<html><head><link rel=\"canonical\" href=\"/reviewsAGIO_SLOT_PART\"></head><body>AGIO_SLOT_REVIEWS<ul>AGIO_SLOT_PAGES</ul></body></html>";

/// Writes the pages of the build that show reviews.
fn write_site(folder: &Path) {
    let sitemap = "<?xml version=\"1.0\"?>\n<urlset>\n  <url><loc>https://origin.invalid/</loc></url>\n</urlset>\n";
    for (file, content) in [("index.html", PAGE), ("404.html", "404"), ("reviews/index.html", PAGE), ("sitemap.xml", sitemap)] {
        for language in ["", "en/"] {
            let file = folder.join(format!("{language}{file}"));
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, content).unwrap();
        }
    }
}

async fn start(engine: Engine) -> (TestApp, tempfile::TempDir) {
    let site = tempfile::tempdir().unwrap();
    write_site(site.path());
    let folder = site.path().to_owned();
    let app = TestApp::start_with(Database::with_market(engine).await, |config| config.sites.public = folder).await;
    (app, site)
}

async fn page(app: &TestApp, path: &str) -> String {
    let response = app.visitor().get(path).await;
    assert_eq!(response.status, 200, "{path}");
    response.text
}

/// Nothing of the claim is shown but its direction and month, and nothing links to an empty page.
async fn visitors_read_published_reviews(engine: Engine) {
    let (app, _site) = start(engine).await;
    let (customer, owner) = (app.visitor(), app.owner().await);
    assert!(page(&app, "/reviews").await.contains("noindex"));
    assert!(!page(&app, "/").await.contains("/reviews\"") && !page(&app, "/sitemap.xml").await.contains("/reviews"));

    let claim = complete_exchange(&app, "0.01234").await;
    let review = json!({ "rating": 4, "text": "Быстро <b>\n\nhttps://spam.example", "name": "Анна & Ко" });
    customer.put(&path(&claim), review).await.ok();
    assert!(!page(&app, "/reviews").await.contains("Быстро"), "it is not read yet");
    let published = publish(&owner, &newest(&owner, "pending").await).await;
    let reply = json!({ "revision": published["revision"], "reply": "Спасибо <3" });
    let published = owner.put(&format!("{REVIEWS}/{}/reply", published["id"].as_str().unwrap()), reply).await.ok();

    let shown = page(&app, "/reviews").await;
    for part in ["4,0 из 5, отзывов: 1", "Анна &amp; Ко", "Быстро &lt;b&gt;", "Подтверждён обменом BTC → RUB", "Спасибо &lt;3"]
    {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let number = published["claimNumber"].to_string();
    for hidden in [claim.as_str(), number.as_str(), "01234", "noindex", "<b>\n", "href=\"https://spam", "AGIO_SLOT", "ivan@"] {
        assert!(!shown.contains(hidden), "{hidden}: {shown}");
    }
    let english = page(&app, "/en/reviews").await;
    assert!(english.contains("4.0 out of 5, reviews: 1") && english.contains("<blockquote lang=\"ru\">"), "{english}");
    assert!(page(&app, "/").await.contains("<a href=\"/reviews\">Отзывы</a>"));
    let sitemap = page(&app, "/sitemap.xml").await;
    assert!(sitemap.contains("/reviews</loc>") && sitemap.contains("/en/reviews</loc>"), "{sitemap}");

    decide(&owner, &published, json!({ "decision": "reject", "reason": "По просьбе клиента" })).await.ok();
    assert!(!page(&app, "/reviews").await.contains("Быстро") && !page(&app, "/").await.contains("/reviews\""));
}

async fn the_owners_links_lead_to_reviews_elsewhere(engine: Engine) {
    let (app, _site) = start(engine).await;
    let owner = app.owner().await;
    let view = owner.get("/api/admin/v1/brand").await.ok();
    let mut change = json!({ "revision": view["revision"], "brand": view["brand"] });
    change["brand"]["supportEmail"] = "help@agio.example".into();
    let link = json!({ "kind": "review", "label": "BestChange", "url": "https://www.bestchange.com/agio.html" });
    change["brand"]["links"] = json!([link]);
    owner.put("/api/admin/v1/brand", change).await.ok();
    assert!(
        page(&app, "/en/reviews")
            .await
            .contains("<a href=\"https://www.bestchange.com/agio.html\" rel=\"noopener\">BestChange</a>")
    );
}

async fn reviews_fill_pages(engine: Engine) {
    let (app, _site) = start(engine).await;
    let insert =
        "INSERT INTO review (id, claim_id, claim_number, state, revision, give, receive, exchanged_at, rating, body, name,
        locale, written_at, reply, reason, moderated_by)
        VALUES ($1, $1, 1, 'published', 2, 'BTC', 'RUB', $2, 5, $3, '', 'ru', $2, '', '', '')";
    for number in 0..41_i64 {
        let platform = &app.server.platform;
        let (id, at, text) = (platform.random.uuid_at(app.now()), Timestamp(app.now().0 + number), format!("Отзыв {number}."));
        let work = platform.db.write(move |tx| {
            let text = text.clone();
            Box::pin(async move { execute!(tx, insert, id, at, text).map(drop) })
        });
        work.await.unwrap();
    }
    app.server.reviews.load().await.unwrap();
    let first = page(&app, "/reviews").await;
    assert!(first.contains("Отзыв 40.") && first.contains("href=\"/reviews/2\" rel=\"next\"") && !first.contains("rel=\"prev\""));
    let last = page(&app, "/en/reviews/3").await;
    assert!(last.contains("Отзыв 0.") && last.contains("href=\"/en/reviews/2\" rel=\"prev\"") && !last.contains("rel=\"next\""));
    assert!(last.contains("href=\"/reviews/3\""), "its canonical address is its own");
    for missing in ["/reviews/0", "/reviews/4", "/reviews/02"] {
        assert_eq!(app.visitor().get(missing).await.status, 404, "{missing}");
    }
}

both_engines!(visitors_read_published_reviews, the_owners_links_lead_to_reviews_elsewhere, reviews_fill_pages);
