//! Public calls.

use std::collections::BTreeSet;
use std::time::Duration;

use agio_test_app::{Engine, TestApp, TestCustomer, both_engines};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{about, currency, keys, leave_in_reserve, listed_pair, number};

async fn the_site_finds_every_field_it_reads(engine: Engine) {
    let app = TestApp::start(engine).await;
    let visitor = app.visitor();
    let directions = visitor.get("/api/v1/calculator/").await.ok();
    assert_eq!(
        keys(&directions["directions"][0]),
        ["code", "icon", "id", "kind", "name", "network", "position", "receive", "roundCalculator", "send", "ticker"]
    );
    let pair = visitor.get(&about(&app, "pair", "BTC", "SBERRUB").await).await.ok();
    assert_eq!(
        keys(&pair),
        [
            "bonus",
            "bonusCut",
            "bonuses",
            "cities",
            "course",
            "customerTerms",
            "explanation",
            "fees",
            "floating",
            "from",
            "hold",
            "holdMinutes",
            "notify",
            "promo",
            "quote",
            "ratesOf",
            "reserve",
            "source",
            "structure",
            "tiers",
            "to",
            "verification"
        ]
    );
    assert_eq!(keys(&pair["from"]), ["max", "min", "notify", "roundCalculator", "step"]);
    assert_eq!(keys(&pair["quote"]), ["expiresAt", "id", "signature"]);
    assert_eq!(keys(&pair["structure"]["to"]), ["currency", "input", "network"]);
    let input = ["hint", "kind", "label", "mask", "name", "pattern", "receive", "required", "send"];
    assert_eq!(keys(&pair["structure"]["to"]["input"][0]), input);
    let fee = json!({ "fixed": "0", "percent": "0" });
    assert_eq!(pair["fees"], json!({ "from": fee, "to": fee, "network": null }));
    assert_eq!(pair["from"]["min"], "0.0005");
    assert_eq!(pair["course"], "6299908.04229");
    assert_eq!(pair["tiers"][0], json!({ "min": "0", "course": "6299908.04229" }));
    assert_eq!(pair["tiers"].as_array().unwrap().len(), 3);
    assert_eq!((&pair["ratesOf"], &pair["hold"], &pair["floating"]), (&json!("2024-03-28"), &json!(30), &Value::Null));
    let settings = visitor.get("/api/v1/calculator/settings/").await.ok();
    assert_eq!(
        keys(&settings),
        [
            "browserNotifications",
            "captchaLogin",
            "chat",
            "contactsOnClaims",
            "contest",
            "exchangeAttributes",
            "messengers",
            "ratesOf",
            "siteName",
            "supportEmail",
            "termsVersion",
            "usePublicId"
        ]
    );
    let reserves = visitor.get("/api/v1/calculator/reserves/").await.ok();
    assert_eq!(keys(&reserves[0]), ["amount", "id", "updatedAt"]);
    let rates = visitor.get("/api/v1/calculator/rates/").await.ok();
    assert_eq!(keys(&rates[0]), ["course", "fees", "floating", "from", "max", "min", "reserve", "tiers", "to", "verification"]);
    let rates = rates.as_array().unwrap();
    assert_eq!(rates.len(), 12);
    let coins: BTreeSet<_> = rates.iter().step_by(2).map(|rate| rate["from"].as_i64().unwrap()).collect();
    let sold_for: BTreeSet<_> = rates.iter().step_by(2).map(|rate| rate["to"].as_i64().unwrap()).collect();
    let paid_by: BTreeSet<_> = rates.iter().skip(1).step_by(2).map(|rate| rate["from"].as_i64().unwrap()).collect();
    assert_eq!((coins.len(), paid_by.len()), (6, 6), "{rates:?}");
    assert!(sold_for.len() > 3, "not all for one bank: {rates:?}");
    assert!(coins.is_disjoint(&paid_by), "both directions in turn: {rates:?}");
    let tech = visitor.get("/api/v1/calculator/tech/").await.ok();
    assert_eq!(tech, json!({ "claimsPaused": false, "technicalMode": { "on": false, "time": null } }));
}

async fn whatever_can_be_chosen_can_be_exchanged(engine: Engine) {
    let app = TestApp::start(engine).await;
    let visitor = app.visitor();
    let mut pairs = 0;
    for from in visitor.get("/api/v1/calculator/from/").await.ok().as_array().unwrap() {
        for to in visitor.get(&format!("/api/v1/calculator/from/{from}/")).await.ok().as_array().unwrap() {
            let pair = visitor.get(&format!("/api/v1/calculator/pair/{from}/{to}/")).await.ok();
            let (min, max) = (number(&pair["from"]["min"]), number(&pair["from"]["max"]));
            assert!(min > rust_decimal::Decimal::ZERO && min <= max, "{pair}");
            assert!(number(&pair["to"]["max"]) <= number(&pair["reserve"]), "{pair}");
            let course = visitor.get(&format!("/api/v1/calculator/course/{from}/{to}/")).await.ok();
            let plain = json!({ "course": pair["course"], "fees": pair["fees"], "toSumma": null, "effectiveRate": null });
            assert_eq!(course, plain);
            pairs += 1;
        }
    }
    assert_eq!(pairs, 123, "all of the demonstration but the pair that is off");
}

async fn texts_follow_the_language_and_numbers_do_not(engine: Engine) {
    let app = TestApp::start(engine).await;
    let visitor = app.visitor();
    let path = about(&app, "pair", "USDTTRC20", "SBERRUB").await;
    let russian = visitor.get(&path).await.ok();
    let english = visitor.get(&format!("/en{path}")).await.ok();
    assert_eq!(russian["structure"]["to"]["currency"]["name"], "Сбербанк");
    assert_eq!(english["structure"]["to"]["currency"]["name"], "Sberbank");
    for place in ["/notify", "/from/notify", "/to/notify"] {
        let title = |pair: &Value| pair.pointer(&format!("{place}/title")).unwrap().as_str().unwrap().to_owned();
        assert_ne!(title(&russian), title(&english), "{place}");
    }
    assert_ne!(russian["source"]["text"], english["source"]["text"]);
    assert_eq!(russian["course"], english["course"]);
    let names = |answer: Value| answer["directions"][0]["name"].clone();
    assert_eq!(names(visitor.get("/api/v1/calculator/").await.ok()), "Биткоин");
    assert_eq!(names(visitor.get("/en/api/v1/calculator/").await.ok()), "Bitcoin");
}

async fn a_quote_is_shared_for_moments_and_then_renewed(engine: Engine) {
    let app = TestApp::start(engine).await;
    let visitor = app.visitor();
    let path = about(&app, "pair", "BTC", "SBERRUB").await;
    let first = visitor.get(&path).await.text;
    assert_eq!(first, visitor.get(&path).await.text);
    app.advance_and_run_jobs(Duration::from_secs(5)).await;
    let later: Value = visitor.get(&path).await.ok();
    let first: Value = serde_json::from_str(&first).unwrap();
    assert_ne!(first["quote"]["id"], later["quote"]["id"]);
    assert_eq!(first["course"], later["course"]);
}

async fn the_maximum_follows_the_reserve_and_an_empty_one_takes_the_pair_away(engine: Engine) {
    let app = TestApp::start(engine).await;
    let visitor = app.visitor();
    let path = about(&app, "pair", "BTC", "SBERRUB").await;
    leave_in_reserve(&app, "SBERRUB", "100000").await;
    let pair = visitor.get(&path).await.ok();
    assert_eq!((&pair["reserve"], &pair["to"]["max"]), (&json!("100000"), &json!("99999.95")));

    leave_in_reserve(&app, "SBERRUB", "10").await;
    visitor.get(&path).await.refused(404, "pair_unavailable");
    let bitcoin = currency(&app, "BTC").await;
    let sber = currency(&app, "SBERRUB").await;
    let receivable = visitor.get(&format!("/api/v1/calculator/from/{bitcoin}/")).await.ok();
    assert!(!receivable.as_array().unwrap().contains(&json!(sber)));
    app.assert_ledger_is_clean().await;
}

async fn links_open_the_pair_they_name_or_the_nearest(engine: Engine) {
    let app = TestApp::start(engine).await;
    let visitor = app.visitor();
    let id = async |code: &str| currency(&app, code).await;
    let cases = [
        ("?cur_from=BTC&cur_to=SBERRUB", id("BTC").await, id("SBERRUB").await),
        ("?cur_from=btc&cur_to=sberrub", id("BTC").await, id("SBERRUB").await),
        ("?cur_from=14&cur_to=1", id("SBERRUB").await, id("BTC").await),
        ("?cur_to=KSPBKZT", id("BTC").await, id("KSPBKZT").await),
        ("?cur_from=XMR&cur_to=nonsense", id("XMR").await, id("SBERRUB").await),
        ("?cur_from=%F0%9F%92%B8&cur_to=' OR 1=1", id("BTC").await, id("ETH").await),
        ("", id("BTC").await, id("ETH").await),
    ];
    for (query, from, to) in cases {
        let settings = visitor.get(&format!("/api/v1/calculator/settings/{query}")).await.ok();
        assert_eq!(settings["exchangeAttributes"], json!({ "fromCurrencyId": from, "toCurrencyId": to }), "{query}");
    }
}

async fn stale_rates_suspend_their_pairs(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (visitor, editor) = (app.visitor(), app.owner().await);
    editor.put("/api/admin/v1/settings", json!({ "rates.fixed_day": "" })).await.ok();
    let path = about(&app, "pair", "BTC", "SBERRUB").await;
    assert_eq!(visitor.get(&path).await.ok()["ratesOf"], Value::Null);
    // The rate day ends at midnight; 72 hours later the rates are stale.
    app.advance_and_run_jobs(Duration::from_secs((12 + 72) * 60 * 60 - 1)).await;
    visitor.get(&path).await.ok();
    app.advance_and_run_jobs(Duration::from_secs(2)).await;
    visitor.get(&path).await.refused(404, "pair_unavailable");
    assert_eq!(listed_pair(&app, &app.owner().await, "BTC", "SBERRUB").await["state"], "stale");
    let by_hand = about(&app, "pair", "USDTTRC20", "CASHUSD").await;
    assert_eq!(visitor.get(&by_hand).await.ok()["source"]["kind"], "manual");
}

async fn lists_are_compressed_and_what_a_client_has_is_not_sent_again(engine: Engine) {
    let app = TestApp::start(engine).await;
    let visitor = app.visitor();
    let with =
        async |path: &str, name: &str, value: &str| visitor.send(visitor.request(Method::GET, path).header(name, value)).await;
    for path in ["/api/v1/calculator/", "/en/api/v1/calculator/", "/api/v1/calculator/reserves/"] {
        let plain = visitor.get(path).await;
        let etag = plain.headers["etag"].to_str().unwrap();
        let copy = with(path, "accept-encoding", "gzip").await;
        assert_eq!(copy.headers["content-encoding"], "gzip");
        assert_eq!(copy.headers["vary"], "accept-encoding");
        assert!(copy.text.len() < plain.text.len() / 2, "{path}: {} of {}", copy.text.len(), plain.text.len());
        let known = with(path, "if-none-match", etag).await;
        assert_eq!((known.status, known.text.as_str()), (StatusCode::NOT_MODIFIED, ""));
        assert_eq!(with(path, "if-none-match", "\"other\"").await.text, plain.text);
    }
    let kept = with("/api/v1/calculator/", "accept-encoding", "gzip, br").await;
    assert_eq!(kept.headers["content-encoding"], "br", "it is sent to many");
    // Compressed, an answer to a token could tell a secret by its size.
    let anna = TestCustomer::registered(&app, "anna@example.com").await.caller;
    let own = anna.send(anna.request(Method::GET, "/api/v1/calculator/").header("accept-encoding", "br")).await;
    assert!(!own.headers.contains_key("content-encoding") && !own.headers.contains_key("etag"));
}

both_engines!(
    the_site_finds_every_field_it_reads,
    whatever_can_be_chosen_can_be_exchanged,
    lists_are_compressed_and_what_a_client_has_is_not_sent_again,
    texts_follow_the_language_and_numbers_do_not,
    a_quote_is_shared_for_moments_and_then_renewed,
    the_maximum_follows_the_reserve_and_an_empty_one_takes_the_pair_away,
    links_open_the_pair_they_name_or_the_nearest,
    stale_rates_suspend_their_pairs,
);
