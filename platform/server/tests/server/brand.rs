//! The owner's name, look and contacts: on pages without scripts, in the manifest, in emails and on every node.

use std::fs;
use std::io::Cursor;
use std::path::Path;
use std::time::Duration;

use agio_core::identity::Role;
use agio_test_app::{Database, Engine, TestApp, TestClient, TestCustomer, TestResponse, both_engines};
use image::{DynamicImage, ImageFormat, Rgba, RgbaImage};
use reqwest::Method;
use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};

const BRAND: &str = "/api/admin/v1/brand";

/// A page as the build writes it.
const PAGE: &str = "<!doctype html><html><head><title>Rates | AGIO_SLOT_NAME</title><meta name=\"description\" content=\"built\"/>\
    <!--brand--></head><body><b>AGIO_SLOT_NAME</b><i>AGIO_SLOT_MOTTO</i><ul>AGIO_SLOT_CONTACTS</ul><div>AGIO_SLOT_FOOTER</div>\
    <a href=\"mailto:AGIO_SLOT_EMAIL\"></a></body></html>";

/// A complete brand.
pub fn brand() -> Value {
    json!({
        "siteName": "Обмен & Ко", "supportEmail": "help@obmen.example", "languages": ["ru", "en"], "accent": "#0f766e", "accentDark": "#5eead4",
        "typeface": "geologica",
        "description": { "ru": "Меняем \"быстро\"", "en": "We are <fast>" },
        "telegram": "@obmen_support", "phone": "+7 999 123-45-67",
        "workWeek": { "timeZone": "", "days": [] },
        "hours": { "ru": "с 9 до 21", "en": "9 to 21" }, "note": { "ru": "ООО «Обмен»", "en": "Obmen LLC" },
        "links": [
            { "kind": "social", "label": "Канал <1>", "url": "https://t.me/obmen_news?a=1&b=2" },
            { "kind": "review", "label": "BestChange", "url": "https://www.bestchange.com/obmen-exchanger.html" },
        ],
        "logoHasName": true, "showsSoftware": false,
    })
}

/// A server whose public site is two pages and a manifest.
async fn start(engine: Engine) -> (TestApp, tempfile::TempDir) {
    let site = tempfile::tempdir().unwrap();
    write_site(site.path());
    let folder = site.path().to_owned();
    (TestApp::start_with(Database::with_market(engine).await, |config| config.sites.public = folder).await, site)
}

fn write_site(folder: &Path) {
    fs::create_dir(folder.join("en")).unwrap();
    fs::create_dir(folder.join("rates")).unwrap();
    for page in ["index.html", "en/index.html", "rates/index.html"] {
        fs::write(folder.join(page), PAGE).unwrap();
    }
    let manifest = r#"{"name":"AGIO_SLOT_NAME","short_name":"AGIO_SLOT_NAME","icons":[{"src":"/icons/icon-192.png"},{"src":"/icons/icon-512.png"}]}"#;
    fs::write(folder.join("manifest.webmanifest"), manifest).unwrap();
}

async fn page(client: &TestClient, path: &str) -> String {
    let answer = client.get(path).await;
    assert_eq!(answer.status, 200, "{path}");
    answer.text
}

async fn update(client: &TestClient, change: impl FnOnce(&mut Value)) -> TestResponse {
    let revision = client.get(BRAND).await.ok()["revision"].clone();
    let mut body = json!({ "revision": revision, "brand": brand() });
    change(&mut body["brand"]);
    client.put(BRAND, body).await
}

async fn upload(client: &TestClient, kind: &str, name: &str, bytes: Vec<u8>) -> TestResponse {
    let form = Form::new().part("file", Part::bytes(bytes).file_name(name.to_owned()));
    client.send(client.request(Method::PUT, &format!("{BRAND}/pictures/{kind}")).multipart(form)).await
}

pub async fn upload_logo(client: &TestClient) -> TestResponse {
    upload(client, "logo", "logo.png", picture(400, 100, ImageFormat::Png)).await
}

/// An uploaded icon, by its name.
pub async fn upload_currency_icon(client: &TestClient, side: u32) -> TestResponse {
    let form = Form::new().part("file", Part::bytes(picture(side, side / 2, ImageFormat::WebP)).file_name("icon.webp"));
    client.send(client.request(Method::POST, "/api/admin/v1/currency-icons").multipart(form)).await
}

/// A picture with a transparent left half.
fn picture(width: u32, height: u32, format: ImageFormat) -> Vec<u8> {
    let half = RgbaImage::from_fn(width, height, |x, _| if x < width / 2 { Rgba([0; 4]) } else { Rgba([15, 118, 110, 255]) });
    let mut bytes = Cursor::new(Vec::new());
    let picture = DynamicImage::from(half);
    let picture = if format == ImageFormat::Jpeg { DynamicImage::from(picture.into_rgb8()) } else { picture };
    picture.write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

/// The bytes of a file that a page names.
async fn fetch(client: &TestClient, path: &str) -> (String, Vec<u8>) {
    let response = client.request(Method::GET, path).send().await.unwrap();
    assert_eq!(response.status(), 200, "{path}");
    let header = |name: &str| response.headers()[name].to_str().unwrap().to_owned();
    assert_eq!(header("cache-control"), "public, max-age=31536000, immutable", "{path}");
    (header("content-type"), response.bytes().await.unwrap().to_vec())
}

/// The path after a text, up to a quote.
fn path_after<'a>(page: &'a str, start: &str) -> &'a str {
    let rest = page.split(start).nth(1).unwrap_or_else(|| panic!("{start} is not on {page}"));
    rest.split(['"', '\\']).next().unwrap()
}

async fn the_name_is_in_force_on_every_page_at_once(engine: Engine) {
    let (app, _site) = start(engine).await;
    let (owner, visitor) = (app.owner().await, app.visitor());
    assert!(page(&visitor, "/").await.contains("<title>Rates | Agio</title>"));
    update(&owner, |_| {}).await.ok();

    for (path, own) in [
        ("/", ["Меняем &quot;быстро&quot;", "с 9 до 21", "ООО «Обмен»", "Мы в сети"]),
        ("/en", ["We are &lt;fast&gt;", "9 to 21", "Obmen LLC", "Follow us"]),
    ] {
        let shown = page(&visitor, path).await;
        assert!(!shown.to_lowercase().contains("agio"), "{shown}");
        assert!(shown.contains("<title>Rates | Обмен &amp; Ко</title>"), "{shown}");
        assert!(shown.contains("<meta property=\"og:site_name\" content=\"Обмен &amp; Ко\"/>"), "{shown}");
        assert!(
            shown.contains("<a href=\"https://t.me/obmen_support\" rel=\"noopener\">Telegram: @obmen_support</a>"),
            "{shown}"
        );
        assert!(shown.contains("<a href=\"tel:+79991234567\">+7 999 123-45-67</a>"), "{shown}");
        assert!(
            shown.contains("<a href=\"https://t.me/obmen_news?a=1&amp;b=2\" rel=\"noopener\">Канал &lt;1&gt;</a>"),
            "{shown}"
        );
        assert!(shown.contains("mailto:help@obmen.example"), "{shown}");
        for text in own {
            assert!(shown.contains(text), "{text} is not on {path}: {shown}");
        }
        assert!(shown.contains(&format!("<meta name=\"description\" content=\"{}\"/>", own[0])), "{shown}");
        // The scripts read the same from a data block, which no text can leave.
        let data = shown.split("id=\"brand\">").nth(1).unwrap().split("</script>").next().unwrap();
        assert!(!data.contains('<'), "{data}");
        let data: Value = serde_json::from_str(data).unwrap();
        assert_eq!((&data["name"], &data["email"]), (&json!("Обмен & Ко"), &json!("help@obmen.example")));
        assert!(shown.contains(&format!("<ul>{}</ul>", data["contacts"].as_str().unwrap())), "{data}");
        assert!(shown.contains(&format!("<div>{}</div>", data["footer"].as_str().unwrap())), "{data}");
    }
    assert!(page(&visitor, "/rates").await.contains("content=\"built\""), "only the home page gets the description");
    let manifest: Value = serde_json::from_str(&page(&visitor, "/manifest.webmanifest").await).unwrap();
    assert_eq!((&manifest["name"], &manifest["short_name"]), (&json!("Обмен & Ко"), &json!("Обмен & Ко")));
    assert_eq!(visitor.get("/api/v1/calculator/settings/").await.ok()["siteName"], "Обмен & Ко");
    for path in ["/docs/", "/docs/partner/", "/openapi/partner.json"] {
        let shown = page(&visitor, path).await;
        assert!(!shown.contains("Agio p"), "{path} is titled by the software");
    }

    let another = app.another_node().await;
    assert!(page(&another.visitor(), "/").await.contains("<title>Rates | Обмен &amp; Ко</title>"));
    update(&owner, |brand| brand["showsSoftware"] = json!(true)).await.ok();
    assert!(page(&visitor, "/en").await.contains("<p>Powered by Agio</p>"));
    let entries = owner.get("/api/admin/v1/audit?action=brand.changed").await.ok();
    let newest = &entries["items"][0];
    assert_eq!((&newest["before"], &newest["after"]), (&json!({ "showsSoftware": false }), &json!({ "showsSoftware": true })));
    app.assert_audit_chain_is_intact().await;
}

/// Hours of every day that began some hours ago in UTC, and end in others.
fn hours_around(app: &TestApp, began: i64, end: i64) -> Value {
    let hour = app.now().0.div_euclid(3_600_000_000);
    let clock = |hour: i64| format!("{:02}:00", hour.rem_euclid(24));
    let day = json!({ "from": clock(hour - began), "to": clock(hour + end) });
    json!({ "timeZone": "UTC", "days": vec![day; 7] })
}

async fn pages_say_whether_the_working_hours_are_running(engine: Engine) {
    let (app, _site) = start(engine).await;
    let (owner, visitor) = (app.owner().await, app.visitor());
    update(&owner, |_| {}).await.ok();
    assert!(!page(&visitor, "/").await.contains("data-open"), "an owner need not keep hours");
    let data = async |path: &str| {
        let shown = page(&visitor, path).await;
        let (_, rest) = shown.split_once("id=\"brand\">").unwrap();
        serde_json::from_str::<Value>(rest.split_once("</script>").unwrap().0).unwrap()
    };
    assert_eq!(data("/").await["closed"], Value::Null);
    let hours = hours_around(&app, 1, 2);
    update(&owner, |brand| brand["workWeek"] = hours.clone()).await.ok();
    assert_eq!(owner.get(BRAND).await.ok()["brand"]["workWeek"], hours);
    for (path, week, mark) in [
        ("/", "<li>Часы работы: ежедневно ", "<li data-open=\"true\">Сейчас рабочее время, до "),
        ("/en", "<li>Working hours: daily ", "<li data-open=\"true\">Within working hours now, until "),
    ] {
        let shown = page(&visitor, path).await;
        assert!(shown.contains(week) && shown.contains(mark), "{shown}");
    }
    for (field, code, wrong) in [
        ("workWeek.timeZone", "time_zone_unknown", json!({ "timeZone": "Mars/Olympus", "days": [] })),
        ("workWeek.days", "work_days", json!({ "timeZone": "UTC", "days": [{ "from": "", "to": "" }] })),
        ("workWeek.days.6.to", "work_time", {
            let mut days = vec![json!({ "from": "09:00", "to": "21:00" }); 7];
            days[6]["to"] = json!("25:00");
            json!({ "timeZone": "UTC", "days": days })
        }),
    ] {
        let refused = update(&owner, |brand| brand["workWeek"] = wrong).await;
        assert_eq!(refused.refused(422, "validation_failed")["errors"][field][0]["code"], code);
    }
    let always = json!({ "timeZone": "UTC", "days": vec![json!({ "from": "00:00", "to": "00:00" }); 7] });
    update(&owner, |brand| brand["workWeek"] = always).await.ok();
    assert!(page(&visitor, "/en").await.contains("<li data-open=\"true\">We work round the clock"));

    update(&owner, |brand| brand["workWeek"] = hours).await.ok();
    app.advance_clock(Duration::from_hours(2));
    let shown = page(&visitor, "/en").await;
    assert!(shown.contains("<li data-open=\"false\">Outside working hours now, until "), "without any change: {shown}");
    for (path, beginning) in [("/", "Сейчас нерабочее время, до "), ("/en", "Outside working hours now, until ")]
    {
        let closed = data(path).await["closed"].as_str().unwrap().to_owned();
        assert!(closed.starts_with(beginning) && closed.contains(" (UTC). "), "{closed}");
    }
}

async fn the_accent_has_to_be_legible(engine: Engine) {
    let (app, _site) = start(engine).await;
    let (owner, visitor) = (app.owner().await, app.visitor());
    assert!(!page(&visitor, "/").await.contains("/brand/style.css"), "the default needs no style sheet");
    assert_eq!(visitor.get("/brand/style.css").await.status, 404);
    let refused = update(&owner, |brand| (brand["accent"], brand["accentDark"]) = (json!("#fff3bf"), json!(""))).await;
    let problem = refused.refused(422, "validation_failed");
    assert_eq!(problem["errors"]["accent"][0]["code"], "accent_too_pale");
    assert_eq!(problem["errors"]["accent"][0]["params"], json!({ "contrast": "1.00", "min": "3" }));
    assert!(problem["errors"]["accent"][0]["message"].as_str().unwrap().contains("1.00:1"), "{problem}");
    for (accent, dark, field, code) in [
        ("#1e1b4b", "", "accent", "accent_too_dark"),
        ("#0f766e", "#1e1b4b", "accentDark", "accent_too_dark"),
        ("#8c8c8c", "#8c8c8c", "accent", "accent_text_contrast"),
        ("#0f766e;}*{display:none", "", "accent", "accent_format"),
    ] {
        let refused = update(&owner, |brand| (brand["accent"], brand["accentDark"]) = (json!(accent), json!(dark))).await;
        let problem = refused.refused(422, "validation_failed");
        assert_eq!(problem["errors"][field][0]["code"], code, "{accent}");
    }
    update(&owner, |_| {}).await.ok();
    let shown = page(&visitor, "/").await;
    let (kind, style) = fetch(&visitor, path_after(&shown, "<link rel=\"stylesheet\" href=\"")).await;
    let style = String::from_utf8(style).unwrap();
    assert_eq!(kind, "text/css; charset=utf-8");
    assert!(
        style.contains("--accent:light-dark(#0f766e,#5eead4)") && style.contains("--on-accent:light-dark(#ffffff,#122b2c)"),
        "{style}"
    );
}

async fn pictures_replace_the_logo_the_icons_and_the_card(engine: Engine) {
    let (app, _site) = start(engine).await;
    let (owner, visitor) = (app.owner().await, app.visitor());
    update(&owner, |_| {}).await.ok();
    assert!(
        page(&visitor, "/").await.contains("/icons/card-ru.jpg\"")
            && page(&visitor, "/en").await.contains("/icons/card-en.jpg\"")
    );

    let view = upload(&owner, "logo", "logo.webp", picture(400, 100, ImageFormat::WebP)).await.ok();
    assert_eq!(view["pictures"], json!(["logo"]));
    let shown = page(&visitor, "/").await;
    let (_, style) = fetch(&visitor, path_after(&shown, "<link rel=\"stylesheet\" href=\"")).await;
    let style = String::from_utf8(style).unwrap();
    assert!(style.contains("width:128px;height:32px") && style.contains("[data-mark]+span{display:none}"), "{style}");
    let (kind, logo) = fetch(&visitor, path_after(&style, "url(\"")).await;
    let logo = image::load_from_memory(&logo).unwrap().into_rgba8();
    assert_eq!(
        (kind.as_str(), logo.dimensions(), logo.get_pixel(0, 0).0[3]),
        ("image/png", (400, 100), 0),
        "it stays transparent"
    );
    let shown_to_staff =
        owner.request(Method::GET, &format!("{BRAND}/pictures/logo")).send().await.unwrap().bytes().await.unwrap();
    assert_eq!(image::load_from_memory(&shown_to_staff).unwrap().into_rgba8(), logo);
    let icon = path_after(&shown, "<link rel=\"icon\" href=\"");
    assert!(icon.starts_with("/brand/logo-icon-48.png?v="), "{icon}");

    upload(&owner, "icon", "icon.png", picture(600, 600, ImageFormat::Png)).await.ok();
    upload(&owner, "card", "card.jpg", picture(1600, 900, ImageFormat::Jpeg)).await.ok();
    let shown = page(&visitor, "/").await;
    let (_, icon) = fetch(&visitor, path_after(&shown, "<link rel=\"icon\" href=\"")).await;
    assert_eq!(image::load_from_memory(&icon).unwrap().into_rgba8().dimensions(), (48, 48));
    let (_, apple) = fetch(&visitor, path_after(&shown, "<link rel=\"apple-touch-icon\" href=\"")).await;
    let apple = image::load_from_memory(&apple).unwrap().into_rgba8();
    assert_eq!((apple.dimensions(), apple.get_pixel(0, 0).0), ((180, 180), [255; 4]), "nothing is transparent");
    let card = path_after(&shown, "<meta property=\"og:image\" content=\"");
    let (kind, card) = fetch(&visitor, &card[card.find("/brand/").unwrap()..]).await;
    assert_eq!((kind.as_str(), image::load_from_memory(&card).unwrap().into_rgb8().dimensions()), ("image/jpeg", (1200, 630)));
    let manifest: Value = serde_json::from_str(&page(&visitor, "/manifest.webmanifest").await).unwrap();
    for icon in manifest["icons"].as_array().unwrap() {
        fetch(&visitor, icon["src"].as_str().unwrap()).await;
    }

    let another = app.another_node().await;
    assert_eq!(page(&another.visitor(), "/").await, shown, "the other node has the files as well");
    owner.delete(&format!("{BRAND}/pictures/logo")).await.ok();
    owner.delete(&format!("{BRAND}/pictures/icon")).await.ok();
    assert!(page(&visitor, "/").await.contains("href=\"/favicon.svg\""));
    owner.delete(&format!("{BRAND}/pictures/banner")).await.refused(404, "picture_not_found");
    app.assert_audit_chain_is_intact().await;
}

async fn an_uploaded_icon_is_an_icon_of_currencies(engine: Engine) {
    let (app, _site) = start(engine).await;
    let (owner, visitor) = (app.owner().await, app.visitor());
    let icon = upload_currency_icon(&owner, 200).await.ok()["icon"].as_str().unwrap().to_owned();
    assert_eq!(upload_currency_icon(&owner, 200).await.ok()["icon"], icon.as_str(), "the same picture has the same name");
    assert_ne!(upload_currency_icon(&owner, 150).await.ok()["icon"], icon.as_str());
    let refused = upload_currency_icon(&owner, 64).await.refused(422, "validation_failed");
    assert_eq!(refused["errors"]["file"][0]["code"], "picture_too_small");
    let (kind, png) = fetch(&visitor, &format!("/brand/{icon}.png")).await;
    let png = image::load_from_memory(&png).unwrap().into_rgba8();
    assert_eq!((kind.as_str(), png.dimensions(), png.get_pixel(0, 0).0[3]), ("image/png", (96, 96), 0));
    assert_eq!(visitor.get("/brand/upload-0123456789abcdef.png").await.status, 404);

    let currencies = owner.get("/api/admin/v1/currencies").await.ok();
    let bitcoin = currencies.as_array().unwrap().iter().find(|row| row["code"] == "BTC").unwrap();
    let change = json!({ "revision": bitcoin["revision"], "icon": icon });
    owner.patch(&format!("/api/admin/v1/currencies/{}", bitcoin["id"]), change).await.ok();
    let directions = visitor.get("/api/v1/calculator/").await.ok();
    let shown = directions["directions"].as_array().unwrap().iter().find(|row| row["code"] == "BTC").unwrap();
    assert_eq!(shown["icon"], icon.as_str());
    fetch(&app.another_node().await.visitor(), &format!("/brand/{icon}.png")).await;
    app.assert_audit_chain_is_intact().await;
}

async fn unusable_pictures_are_refused(engine: Engine) {
    let (app, _site) = start(engine).await;
    let owner = app.owner().await;
    let svg = b"<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>".to_vec();
    let noise = RgbaImage::from_fn(1024, 1024, |x, y| {
        let value = (x.wrapping_mul(2_654_435_761) ^ y.wrapping_mul(40_503).wrapping_add(x * y * 97)).to_be_bytes();
        Rgba(value)
    });
    let mut heavy = Cursor::new(Vec::new());
    DynamicImage::from(noise).write_to(&mut heavy, ImageFormat::Png).unwrap();
    for (kind, name, bytes, code) in [
        ("logo", "logo.svg", svg.clone(), "picture_type"),
        ("logo", "logo.png", svg, "picture_type"),
        ("logo", "logo.jpg", picture(400, 100, ImageFormat::Jpeg), "picture_type"),
        ("logo", "logo.png", picture(400, 100, ImageFormat::Png)[..60].to_vec(), "picture_broken"),
        ("logo", "logo.png", picture(31, 31, ImageFormat::Png), "picture_too_small"),
        ("icon", "icon.png", picture(179, 179, ImageFormat::Png), "picture_too_small"),
        ("icon", "icon.png", heavy.into_inner(), "picture_too_heavy"),
        ("card", "card.png", picture(599, 400, ImageFormat::Png), "picture_too_small"),
    ] {
        let problem = upload(&owner, kind, name, bytes).await.refused(422, "validation_failed");
        assert_eq!(problem["errors"]["file"][0]["code"], code, "{kind} {name}");
    }
    assert_eq!(owner.get(BRAND).await.ok()["pictures"], json!([]));
}

async fn only_those_who_change_settings_change_the_brand(engine: Engine) {
    let (app, _site) = start(engine).await;
    let (owner, operator) = (app.owner().await, app.staff(Role::Operator).await);
    let before = operator.get(BRAND).await.ok();
    update(&operator, |_| {}).await.refused(403, "forbidden");
    upload(&operator, "logo", "logo.png", picture(64, 64, ImageFormat::Png)).await.refused(403, "forbidden");
    update(&owner, |_| {}).await.ok();
    let stale = json!({ "revision": before["revision"], "brand": before["brand"] });
    owner.put(BRAND, stale).await.refused(409, "brand_changed");
    let invalid = update(&owner, |brand| {
        brand["siteName"] = json!(" ");
        brand["supportEmail"] = json!("nobody");
        brand["telegram"] = json!("a b");
        brand["links"][0]["url"] = json!("javascript:alert(1)");
    });
    let problem = invalid.await.refused(422, "validation_failed");
    let fields: Vec<_> = problem["errors"].as_object().unwrap().keys().collect();
    assert_eq!(fields, ["links.0.url", "siteName", "supportEmail", "telegram"]);
    assert_eq!(owner.get(BRAND).await.ok()["brand"]["siteName"], "Обмен & Ко", "all of it or nothing");
}

/// The default typeface is preloaded; another one is named by the style sheet, and nothing loads the default then.
async fn the_typeface_is_in_force_at_once(engine: Engine) {
    let site = tempfile::tempdir().unwrap();
    write_site(site.path());
    let preload = "<link rel=\"preload\" as=\"font\" type=\"font/woff2\" crossorigin href=\"/assets/geologica.woff2\"/>";
    let other = "<link rel=\"preload\" as=\"image\" href=\"/a.png\"/>";
    fs::write(site.path().join("rates/index.html"), PAGE.replace("<!--brand-->", &format!("{preload}{other}<!--brand-->")))
        .unwrap();
    let folder = site.path().to_owned();
    let app = TestApp::start_with(Database::with_market(engine).await, |config| config.sites.public = folder).await;
    let (owner, visitor) = (app.owner().await, app.visitor());
    update(&owner, |brand| brand["accent"] = json!("")).await.ok();
    let rates = page(&visitor, "/rates").await;
    assert!(rates.contains(preload) && rates.contains(other), "{rates}");
    let changed = update(&owner, |brand| brand["typeface"] = json!("golos-text")).await.ok();
    assert_eq!(changed["brand"]["typeface"], "golos-text");
    let rates = page(&visitor, "/rates").await;
    assert!(!rates.contains("as=\"font\"") && rates.contains(other) && rates.contains("<!doctype html>"), "{rates}");
    let style = visitor.get("/brand/style.css").await.text;
    assert!(style.contains("--font:\"Golos Text\",\"Golos Text Fallback\",system-ui,sans-serif"), "{style}");
    update(&owner, |brand| brand["typeface"] = json!("comic")).await.refused(400, "malformed_body");
}

/// The console has the name of the exchange before anybody has signed in.
async fn the_console_has_the_name(engine: Engine) {
    let console = tempfile::tempdir().unwrap();
    let shell =
        "<html><head><meta name=\"application-name\" content=\"AGIO_SLOT_NAME\"><title>AGIO_SLOT_NAME</title></head></html>";
    fs::write(console.path().join("index.html"), shell).unwrap();
    let folder = console.path().to_owned();
    let app = TestApp::start_with(Database::with_market(engine).await, |config| config.sites.console = folder).await;
    assert!(page(&app.visitor(), "/admin/").await.contains("<title>Agio</title>"));
    update(&app.owner().await, |brand| brand["siteName"] = json!("\"A\" & <B>")).await.ok();
    for path in ["/admin/", "/admin/claims"] {
        let shown = page(&app.visitor(), path).await;
        assert!(
            shown.contains("content=\"&quot;A&quot; &amp; &lt;B&gt;\"><title>&quot;A&quot; &amp; &lt;B&gt;</title>"),
            "{shown}"
        );
    }
}

async fn emails_carry_the_brand(engine: Engine) {
    let (app, _site) = start(engine).await;
    let owner = app.owner().await;
    update(&owner, |_| {}).await.ok();
    TestCustomer::sign_up(&app, "ivan@example.com").await;
    let emails = app.emails_to("ivan@example.com").await;
    assert!(!emails.is_empty());
    for email in emails {
        assert!(!email.html.to_lowercase().contains("agio"), "{}", email.html);
        assert!(email.html.contains("Обмен &amp; Ко") && email.html.contains("background:#0f766e"), "{}", email.html);
        assert!(email.html.contains("Telegram: https://t.me/obmen_support<br>+7 999 123-45-67<br>с 9 до 21"), "{}", email.html);
        assert!(email.text.contains("+7 999 123-45-67\n"), "{}", email.text);
        assert!(!email.html.contains("<img"), "{}", email.html);
    }
    upload_logo(&owner).await.ok();
    let head = async || app.emails_to("ivan@example.com").await[0].html.clone();
    assert!(head().await.contains("<img src=\"data:image/png;base64,iVBOR"));
    assert!(head().await.contains("alt=\"Обмен &amp; Ко\""));
    assert!(!head().await.contains("> Обмен &amp; Ко</td>"));
    update(&owner, |brand| brand["logoHasName"] = json!(false)).await.ok();
    assert!(head().await.contains("alt=\"\" height=\"32\""));
    assert!(head().await.contains("> Обмен &amp; Ко</td>"));
}

async fn pages_say_whether_emails_are_sent(engine: Engine) {
    let (app, _site) = start(engine).await;
    let said = async |app: &TestApp| {
        let shown = page(&app.visitor(), "/").await;
        let (_, rest) = shown.split_once("id=\"brand\">").unwrap();
        serde_json::from_str::<Value>(rest.split_once("</script>").unwrap().0).unwrap()["sendsEmails"].clone()
    };
    assert_eq!(said(&app).await, true, "visitors of the demo read its emails in the console");
    assert_eq!(said(&app.another_node_with(|config| config.is_demo = false).await).await, false);
    let with_server = app.another_node_with(|config| {
        config.is_demo = false;
        config.mail.server = "127.0.0.1:2525".into();
    });
    assert_eq!(said(&with_server.await).await, true);
}

both_engines!(
    the_name_is_in_force_on_every_page_at_once,
    pages_say_whether_the_working_hours_are_running,
    pages_say_whether_emails_are_sent,
    the_accent_has_to_be_legible,
    pictures_replace_the_logo_the_icons_and_the_card,
    an_uploaded_icon_is_an_icon_of_currencies,
    unusable_pictures_are_refused,
    only_those_who_change_settings_change_the_brand,
    the_typeface_is_in_force_at_once,
    the_console_has_the_name,
    emails_carry_the_brand,
);
