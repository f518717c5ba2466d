//! Pages that show the market without a script.

use std::path::Path;

use agio_core::identity::Role;
use agio_server::config::Config;
use agio_test_app::{Database, Engine, TestApp, TestClient, TestResponse, both_engines};
use reqwest::Method;
use reqwest::header::{ETAG, IF_NONE_MATCH, LOCATION};
use reqwest::redirect::Policy;
use serde_json::{Value, json};

const DIRECTION: &str = "<html><head><!--brand--><link rel=\"alternate\" hrefLang=\"ru\" href=\"/exchange/AGIO_SLOT_SLUG/\"/>\
                         <link rel=\"alternate\" hrefLang=\"en\" href=\"/en/exchange/AGIO_SLOT_SLUG/\"/><title>AGIO_SLOT_TITLE</title><meta name=\"description\" content=\"AGIO_SLOT_DESCRIPTION\"></head>\
                         <body>/exchange/AGIO_SLOT_SLUG/<div data-from=\"AGIO_SLOT_FROM\" data-to=\"AGIO_SLOT_TO\" data-open=\"AGIO_SLOT_OPEN\" data-waitlist=\"AGIO_SLOT_WAITLIST\" data-city=\"AGIO_SLOT_CITY\" data-cash=\"AGIO_SLOT_CASH\">\
                         AGIO_SLOT_LEAD</div><div>AGIO_SLOT_DETAILS</div></body></html>";

/// The built site, reduced to the pages that show the market.
pub fn configure_site(folder: &Path) -> impl FnOnce(&mut Config) {
    let table = "<tbody>AGIO_SLOT_RATES</tbody>";
    let home = format!("<noscript>AGIO_SLOT_DEFAULT_PAIR</noscript>{table}");
    let sitemap = "<?xml version=\"1.0\"?>\n<urlset>\n  <url><loc>https://origin.invalid/</loc></url>\n</urlset>\n";
    for (file, content) in [
        ("index.html", home.as_str()),
        ("opening.html", "Скоро откроемся"),
        ("404.html", "Нет такой страницы"),
        ("rates/index.html", table),
        ("exchange/AGIO_SLOT_SLUG/index.html", DIRECTION),
        ("sitemap.xml", sitemap),
    ] {
        for language in ["", "en/"] {
            let file = folder.join(format!("{language}{file}"));
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, content).unwrap();
        }
    }
    let folder = folder.to_owned();
    move |config| config.sites.public = folder
}

struct Market {
    app: TestApp,
    owner: TestClient,
    _site: tempfile::TempDir,
}

impl Market {
    async fn start(engine: Engine) -> Self {
        let site = tempfile::tempdir().unwrap();
        let app = TestApp::start_with(Database::with_market(engine).await, configure_site(site.path())).await;
        let owner = app.staff(Role::Owner).await;
        Self { app, owner, _site: site }
    }

    async fn get(&self, path: &str) -> TestResponse {
        self.app.visitor().get(path).await
    }

    async fn page(&self, path: &str) -> String {
        let response = self.get(path).await;
        assert_eq!(response.status, 200, "{path}");
        response.text
    }

    async fn currency(&self, code: &str) -> Value {
        let currencies = self.owner.get("/api/admin/v1/currencies").await.ok();
        currencies.as_array().unwrap().iter().find(|currency| currency["code"] == code).unwrap().clone()
    }

    async fn pair(&self, from: &str, to: &str) -> Value {
        let (from, to) = (self.currency(from).await["id"].clone(), self.currency(to).await["id"].clone());
        let pairs = self.owner.get("/api/admin/v1/pairs").await.ok();
        pairs.as_array().unwrap().iter().find(|pair| pair["giveId"] == from && pair["receiveId"] == to).unwrap().clone()
    }

    async fn set(&self, pair: &Value, change: Value) {
        self.owner.post("/api/admin/v1/pairs/bulk", json!({ "ids": [pair["id"]], "set": change })).await.ok();
    }
}

/// A change of a rate is in the HTML of the next request, on every page.
async fn a_new_rate_is_shown_at_once(engine: Engine) {
    let market = Market::start(engine).await;
    let pages = ["/", "/rates", "/rates/", "/exchange/btc-to-sberrub/", "/en", "/en/rates", "/en/exchange/btc-to-sberrub/"];
    for path in pages {
        assert!(!market.page(path).await.contains("AGIO_SLOT"), "{path}");
    }
    let pair = market.pair("BTC", "SBERRUB").await;
    let entity_tag = market.get(pages[3]).await.headers[ETAG].clone();
    let request = |client: &TestClient| client.request(Method::GET, pages[3]).header(IF_NONE_MATCH, &entity_tag);
    let visitor = market.app.visitor();
    assert_eq!(visitor.send(request(&visitor)).await.status, 304);

    market.set(&pair, json!({ "source": "manual", "manualRate": "5123456.78", "spreadPercent": "0" })).await;
    for path in ["/", "/rates", "/exchange/btc-to-sberrub/"] {
        assert!(market.page(path).await.contains("5\u{a0}123\u{a0}456"), "{path}");
    }
    assert!(market.page("/en/exchange/btc-to-sberrub/").await.contains("5,123,456"));
    assert_eq!(visitor.send(request(&visitor)).await.status, 200);
}

/// The home page carries what the calculator would ask for: its default pair needs no request.
async fn the_home_page_carries_its_default_pair(engine: Engine) {
    let site = tempfile::tempdir().unwrap();
    let configure = configure_site(site.path());
    for file in ["index.html", "en/index.html"] {
        std::fs::write(site.path().join(file), "<html><head></head></html>").unwrap();
    }
    let app = TestApp::start_with(Database::with_market(engine).await, configure).await;
    let visitor = app.visitor();
    for (page, api) in [("/", "/api/v1/calculator"), ("/en", "/en/api/v1/calculator")] {
        let html = visitor.get(page).await.text;
        let (_, rest) = html.split_once("<script type=\"application/json\" id=\"market\">").expect("data of the market");
        let data: Value = serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap();
        let settings = visitor.get(&format!("{api}/settings/")).await.ok();
        let ids = [&settings["exchangeAttributes"]["fromCurrencyId"], &settings["exchangeAttributes"]["toCurrencyId"]];
        assert_eq!(data["settings"], settings);
        assert_eq!(data["directions"], visitor.get(&format!("{api}/")).await.ok());
        assert_eq!(data["giveable"], visitor.get(&format!("{api}/from/")).await.ok());
        assert_eq!(data["receivable"], visitor.get(&format!("{api}/from/{}/", ids[0])).await.ok());
        let pair = visitor.get(&format!("{api}/pair/{}/{}/", ids[0], ids[1])).await.ok();
        assert_eq!(data["pair"]["course"], pair["course"]);
        assert_eq!(data["pair"]["structure"], pair["structure"]);
        assert_eq!(data["pair"]["from"], pair["from"]);
    }
    let entity_tag = visitor.get("/").await.headers[ETAG].clone();
    app.advance_clock(std::time::Duration::from_secs(20));
    assert_ne!(visitor.get("/").await.headers[ETAG], entity_tag, "an old quote is served");
}

/// A language that is not offered leads to the other one, and nothing names it.
async fn a_site_has_the_languages_that_its_owner_offers(engine: Engine) {
    let market = Market::start(engine).await;
    let client = reqwest::Client::builder().redirect(Policy::none()).no_proxy().build().unwrap();
    let leads = async |path: &str, cookie: &str| {
        let request = client.get(format!("{}{path}", market.app.root)).header("cookie", cookie);
        let response = request.send().await.unwrap();
        let to = response.headers().get(LOCATION).map(|to| to.to_str().unwrap().to_owned());
        (response.status().as_u16(), to.unwrap_or_default())
    };
    let offer = async |languages: &str| market.owner.put("/api/admin/v1/settings", json!({ "site.languages": languages })).await;
    let direction = "/exchange/btc-to-sberrub/";
    assert_eq!(leads("/en", "").await.0, 200);
    assert!(market.page(direction).await.contains("hrefLang=\"en\"") && !market.page("/").await.contains("/brand/style.css"));

    offer("ru").await.ok();
    for (from, to) in [("/en", "/"), ("/en/rates?a=1", "/rates?a=1"), ("/en/exchange/btc-to-sberrub/", direction)] {
        assert_eq!(leads(from, "agio_lang=en").await, (302, to.to_owned()), "{from}");
    }
    let shown = market.page(direction).await;
    assert!(!shown.contains("hrefLang=") && shown.contains("/brand/style.css"), "{shown}");
    assert!(market.page("/brand/style.css").await.contains("a[hreflang]{display:none}"));
    let sitemap = market.page("/sitemap.xml").await;
    assert!(sitemap.contains(direction) && !sitemap.contains("/en/") && !sitemap.contains("hreflang"), "{sitemap}");

    offer("en").await.ok();
    for (from, to) in
        [("/", "/en"), ("/rates", "/en/rates"), (direction, "/en/exchange/btc-to-sberrub/"), ("/claim/1", "/en/claim/1")]
    {
        assert_eq!(leads(from, "").await, (302, to.to_owned()), "{from}");
    }
    for path in ["/sitemap.xml", "/brand/style.css", "/api/v1/calculator/tech/"] {
        assert_eq!(leads(path, "").await.0, 200, "{path}");
    }
    assert!(!market.page("/sitemap.xml").await.contains("8080/exchange/"));

    offer("en ru").await.ok();
    assert_eq!(leads("/?cur_from=BTC", "").await, (302, "/en?cur_from=BTC".to_owned()));
    assert_eq!(leads("/", "agio_lang=ru").await.0, 200, "the visitor chose");
    assert_eq!(leads("/rates", "").await.0, 200);
    assert!(market.page(direction).await.contains("hrefLang=\"en\""));
    for wrong in ["", "de", "ru en ru", "ru, en"] {
        offer(wrong).await.refused(422, "validation_failed");
    }
}

/// Each direction has one address in each language.
async fn a_direction_has_one_address(engine: Engine) {
    let market = Market::start(engine).await;
    let page = market.page("/en/exchange/btc-to-sberrub/").await;
    for part in
        ["Exchange Bitcoin (BTC) to Sberbank card (RUB)", "data-from=\"BTC\" data-to=\"SBERRUB\" data-open=\"yes\"", "FAQPage"]
    {
        assert!(page.contains(part), "{part}: {page}");
    }
    for part in [
        "BreadcrumbList",
        "ExchangeRateSpecification",
        "href=\"/en/exchange/sberrub-to-btc/\"",
        "href=\"/en/exchange/eth-to-sberrub/\"",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(market.page("/exchange/sberrub-to-btc/").await.contains("Обмен с карты Сбербанка (RUB) на Bitcoin (BTC)"));

    let client = reqwest::Client::builder().redirect(Policy::none()).no_proxy().build().unwrap();
    for (path, target) in [
        ("/exchange/BTC-to-SberRUB/", "/exchange/btc-to-sberrub/"),
        ("/exchange/btc-to-sberrub?rid=7", "/exchange/btc-to-sberrub/?rid=7"),
        ("/en/exchange/btc-to-sberrub//", "/en/exchange/btc-to-sberrub/"),
        ("/exchange/", "/rates"),
        ("/en/exchange", "/en/rates"),
    ] {
        let response = client.get(format!("{}{path}", market.app.root)).send().await.unwrap();
        assert_eq!((response.status().as_u16(), response.headers()[LOCATION].to_str().unwrap()), (301, target), "{path}");
    }
    for path in [
        "/exchange/btc-to-nothing/",
        "/exchange/btc-to-btc/",
        "/exchange/btc/",
        "/exchange/AGIO_SLOT_SLUG/",
        "/exchange/btc-to-sberrub/more",
        "/en/exchange/1-to-14/",
        "/sitemap-1.xml",
    ] {
        assert_eq!(market.get(path).await.status, 404, "{path}");
    }
    let sitemap = market.page("/sitemap.xml").await;
    assert!(sitemap.contains("/en/exchange/btc-to-sberrub/</loc>") && sitemap.contains("hreflang=\"ru\""), "{sitemap}");
}

/// A direction with cash has a page for each city, with its own title, place and address.
async fn a_direction_with_cash_has_a_page_for_each_city(engine: Engine) {
    let market = Market::start(engine).await;
    let path = "/en/exchange/btc-to-cashusd/dubai/";
    let page = market.page(path).await;
    for part in [
        "<title>Exchange Bitcoin (BTC) to USD cash in Dubai | ",
        "data-city=\"DUBAI\" data-cash=\"yes\"",
        "Dubai, place and time by agreement",
        "href=\"/en/exchange/btc-to-cashusd/msk/\"",
        "href=\"/exchange/btc-to-cashusd/dubai/\"",
        "/en/exchange/btc-to-cashusd/\"",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let moscow = market.page("/exchange/btc-to-cashusd/msk/").await;
    assert!(moscow.contains("ул. Примерная, 1") && moscow.contains("<title>Обмен Bitcoin (BTC) на наличные USD, "), "{moscow}");
    for (minutes, shown) in [(240, "within 4 h. "), (90, "within 90 min. ")] {
        market.set(&market.pair("BTC", "CASHUSD").await, json!({ "hold": minutes })).await;
        let page = market.page("/en/exchange/btc-to-cashusd/").await;
        assert!(page.contains(shown), "{shown}: {page}");
    }
    assert!(market.page("/exchange/btc-to-cashusd/").await.contains("href=\"/exchange/btc-to-cashusd/dubai/\""));
    assert!(market.page("/sitemap.xml").await.contains("/en/exchange/btc-to-cashusd/dubai/</loc>"));
    for path in ["/exchange/btc-to-cashusd/spb/", "/exchange/btc-to-sberrub/msk/", "/exchange/btc-to-cashusd/msk/more/"] {
        assert_eq!(market.get(path).await.status, 404, "{path}");
    }
    // Hostile names are escaped, and a city that is closed has no page.
    let hostile = "</title><script>steal()</script>";
    let currency = format!("/api/admin/v1/currencies/{}", market.currency("CASHUSD").await["id"]);
    let city = json!({ "code": "DUBAI", "name": { "ru": hostile, "en": hostile }, "place": { "ru": hostile, "en": hostile } });
    market.owner.patch(&currency, json!({ "cities": [city] })).await.ok();
    let page = market.page(path).await;
    assert!(!page.contains("<script>steal"), "{page}");
    assert_eq!(market.get("/exchange/btc-to-cashusd/msk/").await.status, 404);
}

/// A page lists the tiers that its limits let one reach.
async fn a_tier_above_the_maximum_is_not_listed(engine: Engine) {
    let market = Market::start(engine).await;
    let pair = market.pair("BTC", "SBERRUB").await;
    let tiers = json!([{ "min": "0.02", "addPercent": "0.1" }, { "min": "777", "addPercent": "0.2" }]);
    market.set(&pair, json!({ "tiers": tiers })).await;
    let page = market.page("/en/exchange/btc-to-sberrub/").await;
    assert!(page.contains("from 0.02\u{a0}BTC") && !page.contains("777"), "{page}");
}

/// A table of rates that does not hold every direction says so.
async fn a_cut_table_of_rates_says_so(engine: Engine) {
    let market = Market::start(engine).await;
    let note = "<tr><td colspan=\"4\" class=\"muted\">Not every direction is listed here.";
    assert!(!market.page("/en/rates").await.contains(note));
    let text = json!({ "ru": "Биткоин", "en": "Bitcoin" });
    let input = json!({ "name": "address", "kind": "btc", "label": text, "required": true, "send": false, "receive": true });
    // Each currency that can be given takes its share of the rows.
    for number in 0..30 {
        let currency = json!({
            "code": format!("NEW{number}"), "ticker": "BTC", "name": text, "network": text, "kind": "crypto", "icon": "btc",
            "scale": 8, "roundCalculator": 8, "inputs": [input], "send": true, "receive": true,
        });
        market.owner.post("/api/admin/v1/currencies", currency).await.ok();
    }
    let page = market.page("/en/rates").await;
    assert!(page.contains(note) && page.contains("/exchange/btc-to-") && page.contains("/exchange/usdttrc20-to-"), "{page}");
    assert!(!market.page("/en").await.contains(note));
}

/// Staff write names; a page shows them and does not run them.
async fn names_are_escaped(engine: Engine) {
    let market = Market::start(engine).await;
    let hostile = "</title><script>steal()</script>AGIO_SLOT_DETAILS\"'&";
    let path = format!("/api/admin/v1/currencies/{}", market.currency("BTC").await["id"]);
    let names = json!({ "name": { "ru": hostile, "en": hostile }, "network": { "ru": hostile, "en": hostile } });
    market.owner.patch(&path, names).await.ok();
    for path in ["/", "/rates", "/exchange/btc-to-sberrub/", "/en/exchange/sberrub-to-btc/"] {
        let page = market.page(path).await;
        assert!(!page.contains("<script>steal") && page.contains("AGIO_SLOT_DETAILS&quot;"), "{path}: {page}");
    }
}

/// A direction that cannot be exchanged says so; one that staff disabled is not for search engines either.
async fn a_direction_that_is_not_available_says_so(engine: Engine) {
    let market = Market::start(engine).await;
    let address = "/en/exchange/btc-to-sberrub/";
    let pair = market.pair("BTC", "SBERRUB").await;
    market.set(&pair, json!({ "enabled": false })).await;
    let page = market.page(address).await;
    assert!(
        page.contains("not available at the moment") && page.contains("data-open=\"no\"") && page.contains("noindex"),
        "{page}"
    );
    assert!(!page.contains("ExchangeRateSpecification"), "{page}");
    assert!(!market.page("/sitemap.xml").await.contains("/exchange/btc-to-sberrub/"));
    market.set(&pair, json!({ "enabled": true })).await;
    assert!(market.page(address).await.contains("data-open=\"yes\""));

    market.owner.put("/api/admin/v1/tech", json!({ "on": true, "time": null })).await.ok();
    for path in ["/en", "/en/rates", address] {
        let page = market.page(path).await;
        assert!(page.contains("A technical break") && !page.contains("noindex"), "{path}: {page}");
    }
    assert!(market.page("/sitemap.xml").await.contains("/exchange/btc-to-sberrub/"));
}

/// What staff tell customers of a direction needs no script; of its HTML only the harmless part is shown.
async fn notices_are_on_the_page_of_their_direction(engine: Engine) {
    let market = Market::start(engine).await;
    let text = |title: &str, message: &str| json!({ "title": title, "message": message });
    let general = json!({
        "ru": text("Важно & срочно", "<p>Не платите <b>третьим лицам</b><script>steal()</script></p>"),
        "en": text("<i>Mind</i> this", "<p>Pay <b>yourself</b> <a href=\"javascript:steal()\">here</a></p>"),
    });
    let to = json!({ "ru": text("О получении", "До часа"), "en": text("About payouts", "Within an hour") });
    let pair = market.pair("BTC", "SBERRUB").await;
    market.set(&pair, json!({ "notices": { "general": general, "from": null, "to": to } })).await;
    let russian = market.page("/exchange/btc-to-sberrub/").await;
    let shown = "<section><h2>Важно &amp; срочно</h2><p>Не платите <b>третьим лицам</b></p></section>\
                 <section><h2>О получении</h2>До часа</section>";
    assert!(russian.contains(shown), "{russian}");
    let english = market.page("/en/exchange/btc-to-sberrub/").await;
    let shown =
        "<h2>&lt;i&gt;Mind&lt;/i&gt; this</h2><p>Pay <b>yourself</b> <a rel=\"noopener noreferrer nofollow\">here</a></p>";
    assert!(english.contains(shown) && !english.contains("steal"), "{english}");
    assert!(!market.page("/exchange/btc-to-tcsbrub/").await.contains("третьим лицам"), "of this direction alone");

    market.set(&pair, json!({ "notices": { "general": null, "from": null, "to": null } })).await;
    assert!(!market.page("/exchange/btc-to-sberrub/").await.contains("третьим лицам"));
}

/// An archived direction has no page, in no language; it is off when it is brought back.
async fn an_archived_direction_has_no_page(engine: Engine) {
    let market = Market::start(engine).await;
    let pair = market.pair("BTC", "SBERRUB").await;
    assert!(market.page("/exchange/btc-to-tcsbrub/").await.contains("/exchange/btc-to-sberrub/"), "a link to it");
    market.set(&pair, json!({ "archived": true })).await;
    for path in ["/exchange/btc-to-sberrub/", "/en/exchange/btc-to-sberrub/"] {
        assert_eq!(market.get(path).await.status, 404, "{path}");
    }
    for path in ["/exchange/btc-to-tcsbrub/", "/rates", "/sitemap.xml"] {
        assert!(!market.page(path).await.contains("/exchange/btc-to-sberrub/"), "{path}");
    }
    market.set(&pair, json!({ "archived": false })).await;
    assert!(market.page("/en/exchange/btc-to-sberrub/").await.contains("not available at the moment"));
    market.set(&pair, json!({ "enabled": true })).await;
    assert!(market.page("/exchange/btc-to-sberrub/").await.contains("data-open=\"yes\""));
}

/// Before the market exists there is nothing to show, and the home page says that the exchange opens soon.
async fn an_empty_market_has_no_directions(engine: Engine) {
    let site = tempfile::tempdir().unwrap();
    let app = TestApp::start_empty_with(engine, configure_site(site.path())).await;
    let get = async |path: &str| app.visitor().get(path).await;
    assert_eq!(get("/").await.text, "Скоро откроемся");
    assert!(get("/rates").await.text.contains("Сейчас ничего обменять нельзя."));
    assert_eq!(get("/exchange/btc-to-sberrub/").await.status, 404);
    assert!(!get("/sitemap.xml").await.text.contains("exchange/"));
}

both_engines!(
    a_direction_with_cash_has_a_page_for_each_city,
    a_site_has_the_languages_that_its_owner_offers,
    a_new_rate_is_shown_at_once,
    the_home_page_carries_its_default_pair,
    a_direction_has_one_address,
    a_tier_above_the_maximum_is_not_listed,
    a_cut_table_of_rates_says_so,
    names_are_escaped,
    a_direction_that_is_not_available_says_so,
    notices_are_on_the_page_of_their_direction,
    an_archived_direction_has_no_page,
    an_empty_market_has_no_directions,
);
