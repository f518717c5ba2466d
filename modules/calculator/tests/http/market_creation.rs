//! Creation of currencies and pairs, and their archive.

use std::time::Duration;

use agio_core::identity::Role;
use agio_test_app::{Engine, TestApp, TestClient, TestResponse, both_engines};
use serde_json::{Value, json};

use crate::{currency, listed_pair, number};

const ADMIN: &str = "/api/admin/v1";
const PUBLIC: &str = "/api/v1/calculator";

fn input(name: &str, kind: &str) -> Value {
    let label = json!({ "ru": "Куда", "en": "Where to" });
    json!({ "name": name, "kind": kind, "label": label, "required": true, "send": false, "receive": true })
}

fn new_currency(code: &str, ticker: &str, kind: &str, scale: u32, inputs: &[Value]) -> Value {
    json!({
        "code": code, "ticker": ticker, "kind": kind, "icon": ticker.to_lowercase(), "scale": scale, "roundCalculator": scale,
        "name": { "ru": "Деньги", "en": "Money" }, "network": { "ru": "Сеть", "en": "Network" }, "inputs": inputs,
        "send": true, "receive": true,
    })
}

fn litecoin() -> Value {
    new_currency("LTC", "LTC", "crypto", 8, &[input("address", "ltc")])
}

fn roubles() -> Value {
    new_currency("SBERRUB", "RUB", "bank", 2, &[input("card", "card")])
}

async fn create(staff: &TestClient, new: Value) -> i64 {
    staff.post(&format!("{ADMIN}/currencies"), new).await.ok()["id"].as_i64().unwrap()
}

async fn create_pairs(staff: &TestClient, give: &[i64], receive: &[i64], set: Value, dry_run: bool) -> TestResponse {
    let body = json!({ "giveIds": give, "receiveIds": receive, "set": set, "dryRun": dry_run });
    staff.post(&format!("{ADMIN}/pairs"), body).await
}

async fn bulk(staff: &TestClient, ids: &Value, set: Value, dry_run: bool) -> TestResponse {
    staff.post(&format!("{ADMIN}/pairs/bulk"), json!({ "ids": ids, "set": set, "dryRun": dry_run })).await
}

async fn deposit(staff: &TestClient, id: i64, amount: &str) {
    let body = json!({ "amount": amount, "reason": "deposit", "note": "" });
    staff.post(&format!("{ADMIN}/reserves/{id}/movements"), body).await.ok();
}

/// The newest audit entry about something. Null without one.
async fn last_entry(owner: &TestClient, kind: &str, id: impl std::fmt::Display) -> Value {
    owner.get(&format!("{ADMIN}/audit?aboutKind={kind}&aboutId={id}")).await.ok()["items"][0].clone()
}

const CARD: &str = "2200000000000004";

fn order(give: i64, receive: i64, from: &str, to: &str, requisites: Value) -> Value {
    json!({
        "email": "anna@mail.example", "fromPs": give, "toPs": receive, "fromSumma": from, "toSumma": to, "fromRequisites": {},
        "toRequisites": requisites, "extras": { "termsVersion": "1", "amlConsent": true },
    })
}

fn by_hand(rate: &str) -> Value {
    json!({ "source": "manual", "manualRate": rate, "enabled": true })
}

async fn an_empty_market_becomes_a_signed_quote(engine: Engine) {
    let app = TestApp::start_empty(engine).await;
    let (owner, visitor) = (app.owner().await, app.visitor());
    assert_eq!(visitor.get(&format!("{PUBLIC}/from/")).await.ok(), json!([]));
    assert_eq!(visitor.get(&format!("{PUBLIC}/settings/")).await.ok()["exchangeAttributes"]["fromCurrencyId"], Value::Null);

    let ltc = create(&owner, litecoin()).await;
    let rub = create(&owner, roubles()).await;
    let listed = visitor.get(&format!("{PUBLIC}/")).await.ok();
    let codes: Vec<_> = listed["directions"].as_array().unwrap().iter().map(|one| one["code"].as_str().unwrap()).collect();
    assert_eq!(codes, ["LTC", "SBERRUB"], "the second is last");
    deposit(&owner, rub, "1000000").await;
    let created = create_pairs(&owner, &[ltc], &[rub], by_hand("6800.5"), false).await.ok();
    assert_eq!(
        created,
        json!({ "created": 1, "existing": 0, "pairs": [{ "giveId": ltc, "receiveId": rub, "rate": "6800.5", "state": "ok" }] })
    );

    assert_eq!(visitor.get(&format!("{PUBLIC}/from/")).await.ok(), json!([ltc]));
    let pair = visitor.get(&format!("{PUBLIC}/pair/{ltc}/{rub}/")).await.ok();
    assert_eq!(pair["course"], "6800.5");
    let mut claim = order(ltc, rub, "2", "13601", json!({ "card": CARD }));
    claim["quoteId"] = pair["quote"]["id"].clone();
    visitor.post("/api/v1/claim/", claim).await.ok();
    app.assert_ledger_is_clean().await;
    app.assert_audit_chain_is_intact().await;
}

/// Every GET of the published documents, on a server without anything.
async fn an_empty_database_answers_every_get(engine: Engine) {
    let app = TestApp::start_empty(engine).await;
    let callers = [app.owner().await, app.visitor()].map(TestClient::without_problem_code_check);
    let mut called = 0;
    for document in ["admin", "public"] {
        let file = format!("{}/../../openapi/{document}.json", env!("CARGO_MANIFEST_DIR"));
        let document_of: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
        for (path, operations) in document_of["paths"].as_object().unwrap() {
            // Streams do not end.
            if operations["get"].is_null() || path.ends_with("/live") || path.ends_with("/events") || path.ends_with("/events/") {
                continue;
            }
            let path = path.split('/').map(|part| if part.starts_with('{') { "1" } else { part }).collect::<Vec<_>>().join("/");
            for caller in &callers {
                let answer = caller.get(&path).await;
                assert!(answer.status.as_u16() < 500, "{path}: {} {}", answer.status, answer.text);
            }
            called += 1;
        }
    }
    assert!(called > 100, "{called}");
}

async fn the_first_pair_reaches_another_node(engine: Engine) {
    if engine == Engine::Sqlite {
        return; // One process alone uses a SQLite database.
    }
    let here = TestApp::start_empty(engine).await;
    let there = here.another_node().await;
    let mut events = there.server.platform.events.subscribe();
    let owner = here.owner().await;
    let (ltc, rub) = (create(&owner, litecoin()).await, create(&owner, roubles()).await);
    deposit(&owner, rub, "1000000").await;
    create_pairs(&owner, &[ltc], &[rub], by_hand("6800.5"), false).await.ok();
    let path = format!("{PUBLIC}/pair/{ltc}/{rub}/");
    let offered = async {
        while there.visitor().get(&path).await.status.as_u16() != 200 {
            events.recv().await.expect("the node goes on");
        }
    };
    tokio::time::timeout(Duration::from_secs(20), offered).await.expect("the other node offers the pair");
}

async fn a_currency_is_created_once_per_key_and_once_per_code(engine: Engine) {
    let app = TestApp::start_empty(engine).await;
    let owner = app.owner().await;
    let path = format!("{ADMIN}/currencies");
    let once =
        || owner.send(owner.request("POST".parse().unwrap(), &path).header("Idempotency-Key", "new-litecoin").json(&litecoin()));
    let (first, second) = tokio::join!(once(), once());
    assert_eq!(first.ok()["id"], second.ok()["id"]);
    let again = once().await.ok();
    assert_eq!(again["code"], "LTC");
    owner.post(&path, litecoin()).await.refused(409, "currency_code_taken");

    // Of eight creations with one code one wins, and the others get identifiers of their own.
    let many = (0..8).map(|number| {
        let code = if number % 2 == 0 { "DOGE".to_owned() } else { format!("DOGE{number}") };
        let new = new_currency(&code, "DOGE", "crypto", 8, &[input("address", "doge")]);
        let (owner, path) = (owner.clone(), path.clone());
        tokio::spawn(async move { owner.post(&path, new).await })
    });
    let (mut ids, mut refused) = (Vec::new(), 0);
    for answer in many.collect::<Vec<_>>() {
        let answer = answer.await.unwrap();
        if answer.status.is_success() {
            ids.push(answer.json()["id"].as_i64().unwrap());
        } else {
            answer.refused(409, "currency_code_taken");
            refused += 1;
        }
    }
    ids.sort_unstable();
    assert_eq!((ids, refused), (vec![2, 3, 4, 5, 6], 3));
    let dogecoin =
        owner.get(&path).await.ok().as_array().unwrap().iter().find(|one| one["code"] == "DOGE3").unwrap()["id"].clone();
    owner.patch(&format!("{path}/{dogecoin}"), json!({ "code": "DOGE" })).await.refused(409, "currency_code_taken");
}

async fn nothing_wrong_becomes_a_currency(engine: Engine) {
    let app = TestApp::start_empty(engine).await;
    let owner = app.owner().await;
    let path = format!("{ADMIN}/currencies");
    let mut labelled = input("address", "ltc");
    labelled["label"] = json!({ "ru": "Адрес", "en": "" });
    let mut unused = input("memo", "memo");
    unused["receive"] = json!(false);
    let wrong = [
        ("code", json!("ltc"), "code", "not_capitals"),
        ("code", json!("42"), "code", "not_capitals"),
        ("code", json!(""), "code", "required"),
        ("code", json!("ЛТС"), "code", "not_capitals"),
        ("code", json!("A".repeat(21)), "code", "not_capitals"),
        ("code", json!("LTC'; DROP"), "code", "not_capitals"),
        ("ticker", json!("LITECOINCASH"), "ticker", "not_capitals"),
        ("name", json!({ "ru": "x", "en": "\u{0}" }), "name.en", "text_too_long"),
        ("network", json!({ "ru": "", "en": "x" }), "network.ru", "required"),
        ("icon", json!("../secret"), "icon", "icon_invalid"),
        ("explorer", json!("http://explorer.example/{tx}"), "explorer", "explorer_invalid"),
        ("explorer", json!("https://explorer.example/"), "explorer", "explorer_invalid"),
        ("explorer", json!("https://explorer.example{tx}/"), "explorer", "explorer_invalid"),
        ("explorer", json!("https://explorer.example/{tx}/{tx}"), "explorer", "explorer_invalid"),
        ("explorer", json!("https://explorer.example/{tx}\"onclick="), "explorer", "explorer_invalid"),
        ("scale", json!(9), "scale", "value_out_of_range"),
        ("roundCalculator", json!(9), "roundCalculator", "value_out_of_range"),
        ("position", json!(-1), "position", "value_out_of_range"),
        ("reserveFloor", json!("0.000000001"), "reserveFloor", "too_many_digits"),
        ("inputs", json!([]), "inputs", "destination_missing"),
        ("inputs", json!([input("memo", "memo")]), "inputs", "destination_missing"),
        ("inputs", json!([input("address", "ltc"), input("address", "ltc")]), "inputs[1].name", "input_name_taken"),
        ("inputs", json!([input("__proto__", "ltc")]), "inputs[0].name", "input_name_invalid"),
        ("inputs", json!([input("address", "ltc"), input("card", "card")]), "inputs[1].kind", "input_kind_unfit"),
        ("inputs", json!([labelled]), "inputs[0].label.en", "required"),
        ("inputs", json!([input("address", "ltc"), unused]), "inputs[1].send", "input_unused"),
        (
            "inputs",
            json!((0..11).map(|number| input(&format!("n{number}"), "ltc")).collect::<Vec<_>>()),
            "inputs",
            "too_many_inputs",
        ),
    ];
    for (name, value, field, code) in wrong {
        let mut new = litecoin();
        new[name] = value;
        let problem = owner.post(&path, new.clone()).await.refused(422, "validation_failed");
        assert_eq!(problem["errors"][field][0]["code"], code, "{new}: {problem}");
    }
    let malformed = [
        ("scale", json!("8"), "wrong_type"),
        ("kind", json!("gold"), "wrong_type"),
        ("archived", json!(true), "unknown_field"),
        ("id", json!(1), "unknown_field"),
        ("send", Value::Null, "wrong_type"),
    ];
    for (name, value, code) in malformed {
        let mut new = litecoin();
        new[name] = value;
        let problem = owner.post(&path, new).await.refused(400, "malformed_body");
        assert_eq!(problem["errors"][name][0]["code"], code, "{problem}");
    }
    assert_eq!(owner.get(&path).await.ok(), json!([]));
    // In one go: every wrong field is named.
    let new = json!({ "code": "x", "scale": 40, "ticker": "" });
    let mut all = litecoin();
    all.as_object_mut().unwrap().extend(new.as_object().unwrap().clone());
    let problem = owner.post(&path, all).await.refused(422, "validation_failed");
    assert_eq!(problem["errors"].as_object().unwrap().len(), 3, "{problem}");
}

async fn every_property_can_be_changed_but_what_pairs_and_claims_rest_on(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (owner, visitor) = (app.owner().await, app.visitor());
    let doge = currency(&app, "DOGE").await;
    let path = format!("{ADMIN}/currencies/{doge}");
    let changed = owner
        .patch(
            &path,
            json!({ "code": "DOGEBEP", "network": { "ru": "Сеть BEP20", "en": "BEP20" }, "inputs": [input("wallet", "doge")] }),
        )
        .await
        .ok();
    assert_eq!((&changed["code"], &changed["networkName"]["en"]), (&json!("DOGEBEP"), &json!("BEP20")));
    assert_eq!(changed["inputs"], json!([input("wallet", "doge")]));
    let listed = visitor.get(&format!("{PUBLIC}/")).await.ok();
    assert!(listed["directions"].as_array().unwrap().iter().any(|one| one["code"] == "DOGEBEP"));
    assert_eq!(last_entry(&owner, "currency", doge).await["after"]["code"], "DOGEBEP");

    let refused = owner.patch(&path, json!({ "ticker": "USDT" })).await.refused(409, "currency_in_use");
    assert_eq!(refused["errors"]["ticker"][0]["code"], "currency_in_use");
    owner.patch(&path, json!({ "inputs": [input("wallet", "btc")] })).await.refused(409, "currency_in_use");
    owner.patch(&path, json!({ "kind": "bank" })).await.refused(400, "malformed_body");
    owner.patch(&path, json!({ "scale": 2 })).await.refused(400, "malformed_body");
    let fresh = create(&owner, new_currency("NEW", "NEW", "crypto", 8, &[input("address", "btc")])).await;
    let free = json!({ "ticker": "LTC", "inputs": [input("address", "ltc")] });
    owner.patch(&format!("{ADMIN}/currencies/{fresh}"), free).await.ok();

    // A pair that verifies cards needs the field with the card.
    let pair = listed_pair(&app, &owner, "SBERRUB", "BTC").await;
    let by_card = json!({ "revision": pair["revision"], "verification": "card" });
    owner.patch(&format!("{ADMIN}/pairs/{}", pair["id"]), by_card).await.ok();
    let without = json!({ "inputs": [input("phone", "phone")] });
    let refused = owner.patch(&format!("{ADMIN}/currencies/{}", pair["giveId"]), without).await.refused(422, "validation_failed");
    assert_eq!(refused["errors"]["inputs"][0]["code"], "verification_needs_card");
}

async fn an_archived_currency_is_offered_nowhere_and_its_claims_go_on(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (owner, visitor) = (app.owner().await, app.visitor());
    let (btc, sber) = (currency(&app, "BTC").await, currency(&app, "SBERRUB").await);
    let pair = visitor.get(&format!("{PUBLIC}/pair/{btc}/{sber}/")).await.ok();
    let customer = app.visitor();
    let received = visitor.get(&format!("{PUBLIC}/course/{btc}/{sber}/?fromSumma=0.01")).await.ok()["toSumma"].clone();
    let new = order(btc, sber, "0.01", received.as_str().unwrap(), json!({ "card": CARD, "holder": "IVAN PETROV" }));
    let claim = customer.post("/api/v1/claim/", new).await.ok()["id"].as_str().unwrap().to_owned();

    assert!(visitor.get("/export/rates.xml").await.text.contains("<from>BTC<"));
    let path = format!("{ADMIN}/currencies/{btc}");
    let archived = owner.post_empty(&format!("{path}/archive")).await.ok();
    assert_eq!((&archived["archived"], &archived["send"]), (&json!(true), &json!(true)));
    assert_eq!(last_entry(&owner, "currency", btc).await["action"], "currency.archived");
    owner.post_empty(&format!("{path}/archive")).await.ok();
    let listed = owner.get(&format!("{ADMIN}/currencies")).await.ok();
    let last = listed.as_array().unwrap().last().unwrap();
    assert_eq!((&last["id"], &last["archived"]), (&json!(btc), &json!(true)), "archived ones are last");
    assert_eq!(listed_pair_of(&owner, btc, sber).await["state"], "off");

    assert!(!visitor.get(&format!("{PUBLIC}/from/")).await.ok().as_array().unwrap().contains(&json!(btc)));
    let directions = visitor.get(&format!("{PUBLIC}/")).await.ok();
    assert!(!directions["directions"].as_array().unwrap().iter().any(|one| one["id"] == btc));
    let reserves = visitor.get(&format!("{PUBLIC}/reserves/")).await.ok();
    assert!(!reserves.as_array().unwrap().iter().any(|one| one["id"] == btc));
    visitor.get(&format!("{PUBLIC}/pair/{btc}/{sber}/")).await.refused(404, "pair_unavailable");
    assert!(!visitor.get("/export/rates.xml").await.text.contains("<from>BTC<"));
    owner
        .post(&format!("{ADMIN}/currencies"), new_currency("BTC", "BTC", "crypto", 8, &[input("address", "btc")]))
        .await
        .refused(409, "currency_code_taken");
    let refused = create_pairs(&owner, &[btc], &[sber], json!({}), true).await.refused(422, "validation_failed");
    assert_eq!(refused["errors"]["giveIds"][0]["code"], "currency_archived");

    let details = json!({ "currencyId": btc, "value": "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", "dailyLimit": "1" });
    let refused = owner.post(&format!("{ADMIN}/requisites"), details).await.refused(422, "validation_failed");
    assert_eq!(refused["errors"]["currencyId"][0]["code"], "currency_archived");

    customer.post(&format!("/api/v1/claim/{claim}/confirm/"), json!({ "termsVersion": "2" })).await.ok();
    let payment = customer.get(&format!("/api/v1/claim/{claim}/requisite/")).await.ok();
    assert!(payment["paymentUri"].as_str().unwrap().starts_with("bitcoin:"), "{payment}");
    customer.post_empty(&format!("/api/v1/claim/{claim}/paid/")).await.ok();
    let operator = app.operator().await;
    let path_of = format!("{ADMIN}/claims/{claim}");
    for (action, said) in [
        ("payment_received", json!({ "txId": "in" })),
        ("take", json!({})),
        ("payout_sent", json!({ "txId": "out" })),
        ("complete", json!({})),
    ] {
        let mut step = said;
        step["action"] = action.into();
        step["revision"] = operator.get(&path_of).await.ok()["revision"].clone();
        operator.post(&format!("{path_of}/transitions"), step).await.ok();
    }
    assert_eq!(operator.get(&path_of).await.ok()["status"], "completed");
    app.assert_ledger_is_clean().await;

    owner.post_empty(&format!("{path}/unarchive")).await.ok();
    let back = visitor.get(&format!("{PUBLIC}/pair/{btc}/{sber}/")).await.ok();
    assert_eq!(back["course"], pair["course"]);
    owner.post_empty(&format!("{ADMIN}/currencies/999999/archive")).await.refused(404, "currency_unknown");
}

async fn an_archived_pair_is_offered_nowhere_and_its_claims_go_on(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (owner, visitor) = (app.owner().await, app.visitor());
    let (btc, sber) = (currency(&app, "BTC").await, currency(&app, "SBERRUB").await);
    let received = visitor.get(&format!("{PUBLIC}/course/{btc}/{sber}/?fromSumma=0.01")).await.ok()["toSumma"].clone();
    let new = order(btc, sber, "0.01", received.as_str().unwrap(), json!({ "card": CARD, "holder": "IVAN PETROV" }));
    let customer = app.visitor();
    let claim = customer.post("/api/v1/claim/", new).await.ok()["id"].as_str().unwrap().to_owned();
    let is_in_feed = async || visitor.get("/export/rates.xml").await.text.contains("<from>BTC</from><to>SBERRUB</to>");
    assert!(is_in_feed().await);

    let before = listed_pair_of(&owner, btc, sber).await;
    let path = format!("{ADMIN}/pairs/{}", before["id"]);
    let change = async |set: Value| {
        let mut set = set;
        set["revision"] = listed_pair_of(&owner, btc, sber).await["revision"].clone();
        owner.patch(&path, set).await
    };
    let archived = change(json!({ "archived": true })).await.ok();
    assert_eq!((&archived["archived"], &archived["enabled"], &archived["state"]), (&json!(true), &json!(false), &json!("off")));
    let entry = last_entry(&owner, "pair", &before["id"]).await;
    assert_eq!((&entry["action"], &entry["after"]["archived"]), (&json!("pair.archived"), &json!(true)));
    visitor.get(&format!("{PUBLIC}/pair/{btc}/{sber}/")).await.refused(404, "pair_unavailable");
    assert!(!is_in_feed().await);
    let again = create_pairs(&owner, &[btc], &[sber], json!({}), true).await.ok();
    assert_eq!((&again["created"], &again["existing"]), (&json!(0), &json!(1)), "it is still there");
    let refused = change(json!({ "enabled": true })).await.refused(422, "validation_failed");
    assert_eq!(refused["errors"]["enabled"][0]["code"], "pair_archived");
    customer.post(&format!("/api/v1/claim/{claim}/confirm/"), json!({ "termsVersion": "2" })).await.ok();
    customer.post_empty(&format!("/api/v1/claim/{claim}/paid/")).await.ok();

    let back = change(json!({ "archived": false })).await.ok();
    assert_eq!((&back["archived"], &back["enabled"]), (&json!(false), &json!(false)));
    assert_eq!(last_entry(&owner, "pair", &before["id"]).await["action"], "pair.unarchived");
    let open = change(json!({ "enabled": true })).await.ok();
    assert_eq!((&open["rate"], &open["state"]), (&before["rate"], &json!("ok")), "with its former terms");

    let many = json!({ "ids": [before["id"]], "set": { "archived": true, "enabled": true }, "dryRun": false });
    assert_eq!(owner.post(&format!("{ADMIN}/pairs/bulk"), many).await.ok()["changed"], 1);
    assert_eq!(listed_pair_of(&owner, btc, sber).await["enabled"], false, "archived pairs are off");
    assert_eq!(last_entry(&owner, "market", "pairs").await["after"][0]["set"]["archived"], true);
    app.assert_audit_chain_is_intact().await;
}

/// Previews show notices as customers would see them: without what a page must not show.
async fn previews_show_notices_as_customers_see_them(engine: Engine) {
    let app = TestApp::start(engine).await;
    let owner = app.owner().await;
    let notice = |message: &str| {
        let text = json!({ "title": "Fine", "message": message });
        json!({ "general": { "ru": text, "en": text }, "from": null, "to": null })
    };
    let (typed, shown) = (notice("<p onclick=\"x()\">Hi<script>x()</script></p>"), notice("<p>Hi</p>"));
    let (first, second) = (listed_pair(&app, &owner, "BTC", "SBERRUB").await, listed_pair(&app, &owner, "BTC", "ETH").await);
    let path = format!("{ADMIN}/pairs/{}/preview", first["id"]);
    assert_eq!(owner.post(&path, json!({ "notices": typed })).await.ok()["notices"], shown);
    assert_eq!(owner.post(&path, json!({ "hold": 40 })).await.ok()["notices"], first["notices"]);
    let ids = json!([first["id"], second["id"]]);
    let preview = bulk(&owner, &ids, json!({ "notices": typed }), true).await.ok();
    assert_eq!((&preview["changed"], &preview["notices"]), (&json!(2), &shown));
    assert_eq!(bulk(&owner, &ids, json!({ "hold": 40 }), true).await.ok()["notices"], Value::Null);
    assert_eq!(listed_pair(&app, &owner, "BTC", "ETH").await, second, "a preview stores nothing");
}

async fn listed_pair_of(staff: &TestClient, give: i64, receive: i64) -> Value {
    let pairs = staff.get(&format!("{ADMIN}/pairs")).await.ok();
    let found = pairs.as_array().unwrap().iter().find(|pair| pair["giveId"] == give && pair["receiveId"] == receive);
    found.expect("the pair is listed").clone()
}

async fn pairs_are_created_by_row_and_column(engine: Engine) {
    let app = TestApp::start(engine).await;
    let owner = app.owner().await;
    let dash = create(&owner, new_currency("DASH", "LTC", "crypto", 8, &[input("address", "dash")])).await;
    let (btc, eth) = (currency(&app, "BTC").await, currency(&app, "ETH").await);
    let set = json!({ "spreadPercent": "2", "enabled": true });
    let (give, receive) = ([dash, btc, btc], [dash, btc, eth]);
    let before = owner.get(&format!("{ADMIN}/pairs")).await.ok();
    let existing = before.as_array().unwrap().iter().filter(|pair| pair["giveId"] == btc && pair["receiveId"] == eth).count();

    let preview = create_pairs(&owner, &give, &receive, set.clone(), true).await.ok();
    assert_eq!((&preview["created"], &preview["existing"]), (&json!(4 - existing), &json!(existing)));
    assert_eq!(owner.get(&format!("{ADMIN}/pairs")).await.ok(), before, "a dry run stores nothing");
    let created = create_pairs(&owner, &give, &receive, set.clone(), false).await.ok();
    assert_eq!(created, preview, "what is previewed is stored");
    let entry = last_entry(&owner, "market", "pairs").await;
    assert_eq!(entry["action"], "pairs.created");
    let lines = entry["after"].as_array().unwrap();
    assert_eq!(lines.len(), 1, "the pairs share their settings: {entry}");
    assert_eq!(lines[0]["pairs"].as_array().unwrap().len(), created["pairs"].as_array().unwrap().len());
    for pair in created["pairs"].as_array().unwrap() {
        let listed = listed_pair_of(&owner, pair["giveId"].as_i64().unwrap(), pair["receiveId"].as_i64().unwrap()).await;
        assert_eq!((&listed["rate"], &listed["state"]), (&pair["rate"], &pair["state"]));
        assert_eq!((&listed["hold"], &listed["spreadPercent"], &listed["floating"]), (&json!(20), &json!("2"), &json!(false)));
    }
    let again = create_pairs(&owner, &give, &receive, set, false).await.ok();
    assert_eq!((&again["created"], &again["pairs"]), (&json!(0), &json!([])));
    assert_eq!(last_entry(&owner, "market", "pairs").await, entry, "nothing was done, so nothing is recorded");

    let refuse = async |give: &[i64], set: Value, field: &str, code: &str| {
        let refused = create_pairs(&owner, give, &[eth], set, true).await.refused(422, "validation_failed");
        assert_eq!(refused["errors"][field][0]["code"], code, "{refused}");
    };
    refuse(&[], json!({}), "giveIds", "required").await;
    refuse(&[999_999], json!({}), "giveIds", "currency_unknown").await;
    let other = create(&owner, new_currency("OTHER", "LTC", "crypto", 2, &[input("address", "ltc")])).await;
    refuse(&[other], json!({ "hold": 1 }), "set.hold", "value_out_of_range").await;
    refuse(&[other], json!({ "source": "manual" }), "set.manualRate", "required").await;
    let fine = json!({ "limits": { "from": { "min": "0.001", "max": null }, "to": { "min": null, "max": null } } });
    refuse(&[other], fine, "set.limits.from.min", "too_many_digits").await;
    let wrong = json!({ "giveIds": [other], "receiveIds": [eth], "set": { "revision": 1 } });
    owner.post(&format!("{ADMIN}/pairs"), wrong).await.refused(400, "malformed_body");
}

async fn the_same_pairs_created_twice_at_once_exist_once(engine: Engine) {
    let app = TestApp::start_empty(engine).await;
    let owner = app.owner().await;
    let (ltc, rub) = (create(&owner, litecoin()).await, create(&owner, roubles()).await);
    let ids = [ltc, rub];
    let both = || create_pairs(&owner, &ids, &ids, json!({}), false);
    let (one, two, three) = tokio::join!(both(), both(), both());
    let created: i64 = [one, two, three].map(|answer| answer.ok()["created"].as_i64().unwrap()).iter().sum();
    assert_eq!(created, 2);
    assert_eq!(owner.get(&format!("{ADMIN}/pairs")).await.ok().as_array().unwrap().len(), 2);
}

/// A person alone does not open a pair at a rate of their own far from the market.
async fn rates_far_from_the_market_are_not_opened_by_one_person(engine: Engine) {
    let app = TestApp::start(engine).await;
    let owner = app.owner().await;
    let fresh = |number: u32| new_currency(&format!("NEW{number}"), "BTC", "crypto", 8, &[input("address", "btc")]);
    let mut ids = Vec::new();
    for number in 0..4 {
        ids.push(create(&owner, fresh(number)).await);
    }
    let unpriced = create(&owner, new_currency("COIN", "COIN", "crypto", 8, &[input("address", "btc")])).await;
    let sber = currency(&app, "SBERRUB").await;
    let editor = app.staff_unconfirmed(Role::Editor).await;
    let market = number(&listed_pair(&app, &owner, "BTC", "SBERRUB").await["marketRate"]);
    let rate = |percent: i64| json!((market * rust_decimal::Decimal::new(percent, 2)).round_dp(2).to_string());
    let manual = |percent: i64, enabled: bool| json!({ "source": "manual", "manualRate": rate(percent), "enabled": enabled });

    let text = json!({ "title": "Pay", "message": "<p>To 2200 0000 0000 0004</p>" });
    let needed = "fresh_second_factor_needed";
    for (set, what) in [
        (manual(110, true), "above the market"),
        (manual(110, false), "disabled does not help"),
        (manual(80, true), "below the market, by hand"),
        (json!({ "spreadPercent": "-10", "enabled": true }), "a negative spread"),
        (json!({ "tiers": [{ "min": "0.1", "addPercent": "20" }], "enabled": true }), "a tier"),
        (json!({ "hold": 1440 }), "a longer promise"),
        (json!({ "tolerance": { "latePercent": "9", "amountFixed": null, "amountPercent": null } }), "a tolerance"),
        (json!({ "notices": { "general": { "ru": text, "en": text }, "from": null, "to": null } }), "a notice"),
    ] {
        create_pairs(&editor, &ids[..1], &[sber], set.clone(), true).await.ok();
        let answer = create_pairs(&editor, &ids[..1], &[sber], set, false).await;
        assert_eq!((answer.status.as_u16(), &answer.json()["code"]), (403, &json!(needed)), "{what}");
    }
    create_pairs(&editor, &[unpriced], &[sber], by_hand("5"), false).await.refused(403, needed);
    create_pairs(&editor, &ids[..1], &[sber], manual(103, true), false).await.ok();
    create_pairs(&editor, &ids[1..2], &[sber], json!({ "spreadPercent": "12", "enabled": true }), false).await.ok();
    create_pairs(&editor, &ids[2..3], &[sber], json!({}), false).await.ok();
    create_pairs(&editor, &[unpriced], &[sber], json!({ "enabled": true }), false).await.ok();

    // Disabled, moved in small steps and enabled again.
    let pair = listed_pair_of(&owner, ids[0], sber).await["id"].clone();
    let path = format!("{ADMIN}/pairs/{pair}");
    let change = async |mut set: Value| {
        set["revision"] = listed_pair_of(&owner, ids[0], sber).await["revision"].clone();
        editor.patch(&path, set).await
    };
    change(json!({ "enabled": false })).await.ok();
    change(json!({ "manualRate": rate(107) })).await.ok();
    change(json!({ "manualRate": rate(111) })).await.ok();
    change(json!({ "enabled": true })).await.refused(403, needed);
    bulk(&editor, &json!([pair]), json!({ "enabled": true }), false).await.refused(403, needed);
    change(json!({ "manualRate": rate(108) })).await.ok();
    change(json!({ "manualRate": rate(104) })).await.ok();
    change(json!({ "enabled": true })).await.ok();

    change(json!({ "tiers": [{ "min": "0.1", "addPercent": "20" }] })).await.refused(403, needed);

    // Hidden with its currency while its rate becomes what nobody would open.
    let path = format!("{ADMIN}/currencies/{}", ids[0]);
    editor.patch(&path, json!({ "send": false })).await.ok();
    let pair = listed_pair_of(&owner, ids[0], sber).await;
    let far = json!({ "revision": pair["revision"], "manualRate": rate(120) });
    owner.patch(&format!("{ADMIN}/pairs/{}", pair["id"]), far).await.ok();
    editor.patch(&path, json!({ "send": true })).await.refused(403, needed);
    editor.post_empty(&format!("{path}/archive")).await.ok();
    owner.patch(&path, json!({ "send": true })).await.ok();
    editor.post_empty(&format!("{path}/unarchive")).await.refused(403, needed);
    owner.post_empty(&format!("{path}/unarchive")).await.ok();

    let settings = json!({ "approvals.two_person": true });
    owner.put(&format!("{ADMIN}/settings"), settings).await.ok();
    create_pairs(&owner, &ids[3..], &[sber], manual(130, true), false).await.refused(409, "approval_one_by_one");
    create_pairs(&owner, &ids[3..], &[sber], manual(130, false), false).await.refused(409, "approval_one_by_one");
    create_pairs(&owner, &ids[3..], &[sber], manual(130, false), true).await.ok();
    create_pairs(&owner, &ids[3..], &[sber], json!({}), false).await.ok();
    let created = listed_pair_of(&owner, ids[3], sber).await;
    let far = json!({ "revision": created["revision"], "source": "manual", "manualRate": rate(130), "enabled": true });
    let proposed = owner.patch(&format!("{ADMIN}/pairs/{}", created["id"]), far).await;
    assert_eq!(proposed.status.as_u16(), 202, "{}", proposed.text);
    bulk(&owner, &json!([created["id"]]), by_hand("1"), false).await.refused(409, "approval_one_by_one");
}

async fn a_bulk_preview_equals_what_is_stored(engine: Engine) {
    let app = TestApp::start(engine).await;
    let owner = app.owner().await;
    let pairs = owner.get(&format!("{ADMIN}/pairs")).await.ok();
    let ids: Value = pairs.as_array().unwrap().iter().take(40).map(|pair| pair["id"].clone()).collect();
    let set = json!({
        "spreadPercent": "-9", "hold": 45, "floating": true,
        "fees": { "from": { "fixed": "0", "percent": "1" }, "to": { "fixed": "0", "percent": "0.5" } },
    });
    let preview = bulk(&owner, &ids, set.clone(), true).await.ok();
    assert_eq!(owner.get(&format!("{ADMIN}/pairs")).await.ok(), pairs, "a dry run stores nothing");
    let stored = bulk(&owner, &ids, set.clone(), false).await.ok();
    assert_eq!(stored, preview);
    assert_eq!(stored["changed"], 40);
    let states: Vec<_> = stored["pairs"].as_array().unwrap().iter().map(|pair| pair["state"].as_str().unwrap()).collect();
    assert!(states.contains(&"stopped"), "profitable round trips are found by the preview as well: {states:?}");
    let now = owner.get(&format!("{ADMIN}/pairs")).await.ok();
    for (row, pair) in stored["pairs"].as_array().unwrap().iter().zip(now.as_array().unwrap()) {
        assert_eq!((&row["id"], &row["after"], &row["state"]), (&pair["id"], &pair["rate"], &pair["state"]));
        assert_eq!((&pair["hold"], &pair["revision"]), (&json!(45), &json!(2)));
    }
    let entry = last_entry(&owner, "market", "pairs").await;
    assert_eq!(entry["action"], "pairs.changed");
    for side in ["before", "after"] {
        let lines = entry[side].as_array().unwrap();
        let recorded: usize = lines.iter().map(|line| line["pairs"].as_array().unwrap().len()).sum();
        assert_eq!(recorded, 40, "{side} has each pair once: {lines:?}");
    }
    assert!(entry["after"].as_array().unwrap().iter().all(|line| line["set"]["spread_percent"] == "-9"), "{entry}");
    assert!(entry["before"].as_array().unwrap().len() > 1, "their spreads differed: {}", entry["before"]);

    let again = bulk(&owner, &ids, set, false).await.ok();
    assert_eq!(again["changed"], 0);
    assert_eq!(last_entry(&owner, "market", "pairs").await, entry);
    let twice = json!([ids[0], ids[0]]);
    assert_eq!(bulk(&owner, &twice, json!({ "hold": 50 }), true).await.ok()["changed"], 1);
    let too_many: Value = (0..5_001).collect();
    bulk(&owner, &too_many, json!({}), true).await.refused(422, "too_many_pairs");
    app.assert_audit_chain_is_intact().await;
}

async fn five_thousand_pairs_are_previewed_and_recorded_at_once(engine: Engine) {
    let app = TestApp::start_empty(engine).await;
    let owner = app.owner().await;
    let mut ids = Vec::new();
    for place in 0..71 {
        let code = format!("COIN{place}");
        ids.push(create(&owner, new_currency(&code, &code, "crypto", 8, &[input("address", "btc")])).await);
    }
    let created = create_pairs(&owner, &ids, &ids, by_hand("0.9"), false).await.ok();
    assert_eq!(created["created"], 71 * 70);
    let pairs = owner.get(&format!("{ADMIN}/pairs")).await.ok();
    let all: Value = pairs.as_array().unwrap().iter().map(|pair| pair["id"].clone()).collect();
    let set = json!({ "spreadPercent": "1.5" });
    let preview = bulk(&owner, &all, set.clone(), true).await.ok();
    assert_eq!(bulk(&owner, &all, set, false).await.ok(), preview);
    assert_eq!(preview["changed"], 71 * 70);
    let entry = last_entry(&owner, "market", "pairs").await;
    assert_eq!((entry["before"].as_array().unwrap().len(), entry["after"].as_array().unwrap().len()), (1, 1));
    assert_eq!(entry["after"][0]["pairs"].as_array().unwrap().len(), 71 * 70);
}

async fn currencies_and_pairs_are_created_by_those_who_edit_the_market(engine: Engine) {
    let app = TestApp::start(engine).await;
    let sber = currency(&app, "SBERRUB").await;
    for role in Role::ALL {
        let staff = app.staff(role).await;
        let new = new_currency(&format!("OF{}", role.to_string().to_uppercase()), "LTC", "crypto", 8, &[input("address", "ltc")]);
        let may = matches!(role, Role::Owner | Role::Editor);
        for answer in [
            staff.post(&format!("{ADMIN}/currencies"), new).await,
            staff.post_empty(&format!("{ADMIN}/currencies/{sber}/archive")).await,
            staff.post_empty(&format!("{ADMIN}/currencies/{sber}/unarchive")).await,
            create_pairs(&staff, &[sber], &[sber], json!({}), true).await,
            bulk(&staff, &json!([]), json!({}), true).await,
        ] {
            assert_eq!(answer.status.as_u16() == 403, !may, "{role}: {}", answer.text);
        }
    }
}

both_engines!(
    an_empty_market_becomes_a_signed_quote,
    an_empty_database_answers_every_get,
    the_first_pair_reaches_another_node,
    a_currency_is_created_once_per_key_and_once_per_code,
    nothing_wrong_becomes_a_currency,
    every_property_can_be_changed_but_what_pairs_and_claims_rest_on,
    an_archived_currency_is_offered_nowhere_and_its_claims_go_on,
    an_archived_pair_is_offered_nowhere_and_its_claims_go_on,
    previews_show_notices_as_customers_see_them,
    pairs_are_created_by_row_and_column,
    the_same_pairs_created_twice_at_once_exist_once,
    rates_far_from_the_market_are_not_opened_by_one_person,
    a_bulk_preview_equals_what_is_stored,
    five_thousand_pairs_are_previewed_and_recorded_at_once,
    currencies_and_pairs_are_created_by_those_who_edit_the_market,
);
