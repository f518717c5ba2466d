//! The queue, the pool of requisites, the captcha, and invalid input.

use std::time::Duration;

use agio_core::identity::Role;
use agio_test_app::{Engine, TestApp, TestClient, TestResponse, both_engines};
use serde_json::{Value, json};

use crate::fixtures::{Operator, TestCustomer, order, pair, solved};
use crate::turnover::reports_roubles;

async fn what_is_wrong_with_an_order_is_said_field_by_field(engine: Engine) {
    let app = TestApp::start(engine).await;
    let good = order(&app, "0.01", "ivan@example.com");
    let with = |change: Value| {
        let mut body = good.clone();
        for (key, value) in change.as_object().unwrap() {
            body[key] = value.clone();
        }
        body
    };
    let tron = "TLeUZDGLWnyiJVFcp3m3M1782uBsGWa8uf";
    let pays_bitcoin = {
        let pair = pair(&app, "SBERRUB", "BTC", "50000");
        json!({ "fromPs": pair.from, "toPs": pair.to, "fromSumma": pair.send, "toSumma": pair.receive, "toRequisites": { "address": tron } })
    };
    let cases: Vec<(Value, u16, &str, &str)> = vec![
        (json!({ "email": "ivan@" }), 422, "email", "bad_email"),
        (json!({ "email": "a\r\nBcc: b@example.com" }), 422, "email", "bad_email"),
        (json!({ "email": 5 }), 400, "email", "wrong_type"),
        (json!({ "fromSumma": "NaN" }), 400, "fromSumma", "not_an_amount"),
        (json!({ "fromSumma": "1e3" }), 400, "fromSumma", "not_an_amount"),
        (json!({ "fromSumma": "-0.01" }), 422, "fromSumma", "amount_below_min"),
        (json!({ "fromSumma": "0.00000001" }), 422, "fromSumma", "amount_below_min"),
        (json!({ "fromSumma": "9999999999999999999999" }), 422, "fromSumma", "amount_above_max"),
        (json!({ "toRequisites": { "holder": "IVAN PETROV" } }), 422, "toRequisites.card", "required"),
        (json!({ "toRequisites": { "card": "2200000000000005" } }), 422, "toRequisites.card", "card_checksum"),
        (json!({ "toRequisites": { "card": "2200000000000004", "cvv": "123" } }), 422, "toRequisites.cvv", "unknown_field"),
        (pays_bitcoin, 422, "toRequisites.address", "wrong_network"),
        (json!({ "refferal": "x".repeat(65) }), 422, "refferal", "text_too_long"),
        (json!({ "admin": true }), 400, "admin", "unknown_field"),
    ];
    for (change, status, field, code) in cases {
        for (root, letters) in [("", 'а'..='я'), ("/en", 'a'..='z')] {
            let answer = app.visitor().post(&format!("{root}/api/v1/claim/"), with(change.clone())).await;
            let problem = answer.json();
            let found = &problem["errors"][field][0];
            assert_eq!((answer.status.as_u16(), found["code"].as_str()), (status, Some(code)), "{change} {problem}");
            let message = found["message"].as_str().unwrap();
            assert!(message != code && message.chars().any(|c| letters.contains(&c)), "{change}: {message}");
        }
    }
    app.visitor().post("/api/v1/claim/", with(json!({ "toPs": 999_999 }))).await.refused(404, "pair_unavailable");
    app.visitor().post("/api/v1/claim/", with(json!({ "toSumma": "1" }))).await.refused(409, "rate_changed");
    app.visitor().post_raw("/api/v1/claim/", "application/json", "{").await.refused(400, "malformed_body");
    app.visitor().post_raw("/api/v1/claim/", "text/plain", "{}").await.refused(415, "unsupported_media");
    app.visitor().post_idempotent("/api/v1/claim/", "short", good.clone()).await.refused(422, "idempotency_key_invalid");
    let queue = Operator::at(&app).await.0.get("/api/admin/v1/claims").await.ok();
    assert_eq!(queue["counts"]["open"], 0, "nothing of it was stored");
}

async fn in_technical_mode_open_claims_live_and_new_ones_wait(engine: Engine) {
    let app = TestApp::start(engine).await;
    let customer = TestCustomer::orders(&app, "0.01").await;
    app.owner().await.put("/api/admin/v1/tech", json!({ "on": true, "time": null })).await.ok();
    app.visitor().post("/api/v1/claim/", order(&app, "0.01", "late@example.com")).await.refused(503, "technical_mode");
    assert_eq!(customer.does("confirm").await.ok()["status"], "awaiting_payment");
    assert!(customer.look("requisite").await.ok()["value"].is_string());
}

async fn many_claims_in_an_hour_ask_for_a_proof(engine: Engine) {
    let app = TestApp::start(engine).await;
    app.owner().await.put("/api/admin/v1/settings", json!({ "claims.captcha_after": "2" })).await.ok();
    let caller = app.visitor();
    let check = || async { caller.get("/api/v1/claim/captchacheck").await.ok() };
    let order_by = |who: usize| order(&app, "0.01", &format!("customer{who}@example.com"));
    assert_eq!(check().await["required"], false);
    for who in 0..2 {
        caller.post("/api/v1/claim/", order_by(who)).await.ok();
    }
    let asked = check().await;
    assert_eq!(asked["required"], true);
    caller.post("/api/v1/claim/", order_by(2)).await.refused(422, "captcha_required");

    let mut body = order_by(2);
    body["recaptcha"] = solved(&asked["challenge"]).into();
    caller.post("/api/v1/claim/", body.clone()).await.ok();
    body["email"] = "somebody.else@example.com".into();
    caller.post("/api/v1/claim/", body).await.refused(422, "captcha_invalid");
}

/// Others make claims in somebody's name: the next request with the address needs a captcha, and the refusal carries it.
async fn claims_in_anothers_name_ask_for_a_proof_that_the_refusal_brings(engine: Engine) {
    let app = TestApp::start(engine).await;
    app.owner().await.put("/api/admin/v1/settings", json!({ "claims.captcha_after": "2" })).await.ok();
    let at = |address: &str| app.visitor().from_address(address);
    for (other_address, email) in [("10.0.0.1", "anna.k@gmail.com"), ("10.0.0.2", "annak+1@gmail.com")] {
        at(other_address).post("/api/v1/claim/", order(&app, "0.01", email)).await.ok();
    }
    let guest = at("10.0.0.3");
    let asked = async |email: &str| guest.get(&format!("/api/v1/claim/captchacheck?email={email}")).await.ok();
    assert_eq!(guest.get("/api/v1/claim/captchacheck").await.ok()["required"], false, "not because of where they are");
    assert_eq!(asked("annak@gmail.com").await["required"], true);
    assert_eq!(asked("olga@gmail.com").await["required"], false);
    let mut mine = order(&app, "0.01", "annak@gmail.com");
    let refused = guest.post("/api/v1/claim/", mine.clone()).await.refused(422, "captcha_required");
    let captcha: Value = serde_json::from_str(refused["params"]["captcha"].as_str().unwrap()).unwrap();
    assert_eq!(captcha["required"], true);
    mine["recaptcha"] = solved(&captcha["challenge"]).into();
    guest.post("/api/v1/claim/", mine).await.ok();

    // Claims that others make with the address do not count for its signed-in owner.
    let anna = agio_test_app::TestCustomer::registered(&app, "annak@gmail.com").await;
    let own = anna.caller.get("/api/v1/claim/captchacheck?email=annak@gmail.com").await.ok();
    assert_eq!(own["required"], false);
    anna.caller.post("/api/v1/claim/", order(&app, "0.02", "annak@gmail.com")).await.ok();
}

/// The limit of unpaid claims of an address refuses those who only type it, and not its proven owner.
async fn other_visitors_do_not_keep_the_owner_of_an_address_out(engine: Engine) {
    let app = TestApp::start(engine).await;
    let bounds = json!({ "claims.unpaid_per_email": "2", "claims.captcha": "false" });
    app.owner().await.put("/api/admin/v1/settings", bounds).await.ok();
    let olga = TestCustomer::orders_as(&app, "0.01", "olga@example.com").await;
    for step in ["confirm", "paid"] {
        olga.does(step).await.ok();
    }
    Operator::at(&app).await.completes(&olga.id).await;
    let anna = agio_test_app::TestCustomer::registered(&app, "anna@example.com").await;
    let orders = |caller: &TestClient, email: &str| {
        let (caller, order) = (caller.clone(), order(&app, "0.002", email));
        async move { caller.post("/api/v1/claim/", order).await }
    };
    for email in ["olga@example.com", "anna@example.com"] {
        for other_address in ["10.0.0.1", "10.0.0.2"] {
            orders(&app.visitor().from_address(other_address), email).await.ok();
        }
        orders(&app.visitor().from_address("10.0.0.3"), email).await.refused(409, "too_many_open_claims");
    }
    orders(&anna.caller, "anna@example.com").await.ok();
    orders(&olga.caller, "olga@example.com").await.ok();
    // Neither is known by it under somebody else's address.
    orders(&olga.caller, "anna@example.com").await.refused(409, "too_many_open_claims");
    orders(&anna.caller, "olga@example.com").await.refused(409, "too_many_open_claims");
}

async fn one_party_has_so_many_unpaid_claims_and_no_more(engine: Engine) {
    let app = TestApp::start(engine).await;
    app.owner()
        .await
        .put("/api/admin/v1/settings", json!({ "claims.unpaid_per_email": "2", "claims.captcha": "false" }))
        .await
        .ok();
    let first = TestCustomer::orders_as(&app, "0.01", "ivan@example.com").await;
    TestCustomer::orders_as(&app, "0.011", "ivan@example.com").await;
    let third = || async { app.visitor().post("/api/v1/claim/", order(&app, "0.012", "ivan@example.com")).await };
    third().await.refused(409, "too_many_open_claims");
    app.visitor().post("/api/v1/claim/", order(&app, "0.012", "olga@example.com")).await.ok();
    first.does("cancel").await.ok();
    third().await.ok();
    app.assert_ledger_is_clean().await;
}

async fn requisites_take_turns_and_keep_their_daily_limit(engine: Engine) {
    let app = TestApp::start(engine).await;
    let owner = app.owner().await;
    let bitcoin = app.server.calculator.market().currency_named("BTC").unwrap().id();
    let pool = owner.get("/api/admin/v1/requisites").await.ok();
    let old =
        pool.as_array().unwrap().iter().find(|row| row["currencyId"] == bitcoin).unwrap()["id"].as_str().unwrap().to_owned();
    owner.patch(&format!("/api/admin/v1/requisites/{old}"), json!({ "dailyLimit": "0.025" })).await.ok();
    let address = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq";
    let new = json!({ "currencyId": bitcoin, "value": address, "dailyLimit": "0.01" });
    owner.post("/api/admin/v1/requisites", new).await.ok();
    let wrong = json!({ "currencyId": bitcoin, "value": "TLeUZDGLWnyiJVFcp3m3M1782uBsGWa8uf" });
    let refused = owner.post("/api/admin/v1/requisites", wrong).await.refused(422, "validation_failed");
    assert_eq!(refused["errors"]["value"][0]["code"], "wrong_network");

    let mut given = Vec::new();
    for _ in 0..3 {
        let customer = TestCustomer::orders(&app, "0.01").await;
        customer.does("confirm").await.ok();
        given.push(customer.look("requisite").await.ok()["value"].as_str().unwrap().to_owned());
        app.advance_and_run_jobs(Duration::from_secs(10)).await;
    }
    assert_eq!(given.iter().filter(|value| *value == address).count(), 1, "{given:?}");
    let fourth = TestCustomer::orders(&app, "0.01").await;
    fourth.does("confirm").await.refused(409, "requisites_unavailable");
    assert_eq!(fourth.status().await, "created");

    owner.patch(&format!("/api/admin/v1/requisites/{old}"), json!({ "dailyLimit": null })).await.ok();
    fourth.does("confirm").await.ok();
    let auditor = app.staff(Role::Auditor).await;
    auditor.get("/api/admin/v1/requisites").await.ok();
    auditor.patch(&format!("/api/admin/v1/requisites/{old}"), json!({ "enabled": false })).await.refused(403, "forbidden");
}

async fn the_queue_shows_whose_turn_it_is_and_finds_any_claim(engine: Engine) {
    let app = TestApp::start(engine).await;
    app.owner().await.put("/api/admin/v1/settings", json!({ "claims.captcha": "false" })).await.ok();
    let operator = Operator::at(&app).await;
    let mut customers = Vec::new();
    for _ in 0..5 {
        customers.push(TestCustomer::orders_as(&app, "0.01", "ivan@example.com").await);
        app.advance_and_run_jobs(Duration::from_secs(10)).await;
    }
    for customer in &customers[..3] {
        customer.does("confirm").await.ok();
        customer.does("paid").await.ok();
    }
    operator.completes(&customers[0].id).await;
    let numbers =
        |page: &Value| page["items"].as_array().unwrap().iter().map(|row| row["publicId"].as_i64().unwrap()).collect::<Vec<_>>();
    let number = |place: usize| customers[place].number;

    let all = operator.0.get("/api/admin/v1/claims").await.ok();
    assert_eq!(
        all["counts"],
        json!({ "open": 4, "ours": 2, "customer": 2, "network": 0, "disputed": 0, "refunds": 0, "closedToday": 1 })
    );
    let ours = operator.0.get("/api/admin/v1/claims?group=ours").await.ok();
    assert_eq!((numbers(&ours), ours["items"][0]["turn"].as_str()), (vec![number(1), number(2)], Some("ours")));

    let mut walked = Vec::new();
    let mut list = "/api/admin/v1/claims?sort=created&size=3".to_owned();
    loop {
        let page = operator.0.get(&list).await.ok();
        walked.extend(numbers(&page));
        let Some(next) = page["nextCursor"].as_str() else { break };
        list = format!("/api/admin/v1/claims?sort=created&size=3&cursor={next}");
    }
    assert_eq!(walked, [number(4), number(3), number(2), number(1)]);

    let console = &operator.0;
    let found = |text: String| async move { console.get(&format!("/api/admin/v1/claims?q={text}")).await.ok() };
    assert_eq!(numbers(&found(number(3).to_string()).await), [number(3)]);
    assert_eq!(numbers(&found(format!("out-{}", customers[0].id)).await), [number(0)]);
    assert_eq!(numbers(&found("Ivan@Example.com".into()).await).len(), 5);
    assert_eq!(numbers(&found("2200000000000004".into()).await).len(), 5);
    assert_eq!(numbers(&found("%25".into()).await), [0; 0]);
    for part in ["0.01", "0%2C010%20BTC", "0004", "...0004", "2200%20****%20****%200004"] {
        assert_eq!(numbers(&found(part.into()).await).len(), 5, "{part}");
    }
    assert_eq!(numbers(&found("0.02".into()).await), [0; 0]);
    assert_eq!(numbers(&found("2200".into()).await), [0; 0], "the beginning of a card is its bank");
    let id = &customers[0].id;
    let links = ["explorer.example/tx/out-", "exchange.example/claim/"].map(|place| format!("https://{place}{id}"));
    for part in [&id[28..], &links[0], &links[1]] {
        assert_eq!(numbers(&found(part.to_owned()).await), [number(0)], "{part}");
    }
    operator.0.get("/api/admin/v1/claims?group=mine").await.refused(400, "malformed_parameter");
    for wrong in ["status=new", "sort=id", "size=0", "size=101", "cursor=5"] {
        operator.0.get(&format!("/api/admin/v1/claims?{wrong}")).await.refused(400, "malformed_parameter");
    }
    app.visitor().get("/api/admin/v1/claims").await.refused(401, "token_not_valid");
    let path = format!("/api/admin/v1/claims/{}/notes", customers[1].id);
    app.staff(Role::Auditor).await.post(&path, json!({ "text": "hello" })).await.refused(403, "forbidden");
    operator.0.post(&path, json!({ "text": "  " })).await.refused(422, "validation_failed");
    let noted = operator.0.post(&path, json!({ "text": "Called the bank." })).await.ok();
    assert_eq!(noted["timeline"].as_array().unwrap().last().unwrap()["note"], "Called the bank.");
}

async fn the_queue_is_narrowed(engine: Engine) {
    let app = TestApp::start(engine).await;
    let operator = Operator::at(&app).await;
    let unpaid = TestCustomer::orders(&app, "0.01").await;
    let (reported, taken) = (TestCustomer::reports(&app, "0.01").await, TestCustomer::reports(&app, "0.01").await);
    operator.does(&taken.id, "payment_received", json!({})).await;
    operator.does(&taken.id, "take", json!({})).await;
    let solana = pair(&app, "SOL", "SBERRUB", "5");
    let mut other = order(&app, "0.01", "sol@example.com");
    other["fromPs"] = solana.from.into();
    other["fromSumma"] = solana.send.into();
    other["toSumma"] = solana.receive.into();
    let other = app.visitor().post("/api/v1/claim/", other).await.ok()["publicId"].as_i64().unwrap();
    let bitcoin = pair(&app, "BTC", "SBERRUB", "0.01");

    let listed_by = async |console: &TestClient, filter: &str| {
        let page = console.get(&format!("/api/admin/v1/claims?sort=created&{filter}")).await.ok();
        let listed: Vec<_> = page["items"].as_array().unwrap().iter().map(|row| row["publicId"].as_i64().unwrap()).collect();
        let table = console.get(&format!("/api/admin/v1/claims/csv?{filter}")).await.text;
        let lines = table.lines().skip(1).map(|line| line.split_once(';').unwrap().0.parse().unwrap());
        assert_eq!(lines.collect::<Vec<i64>>(), listed, "the table has what the list has: {filter}");
        listed
    };
    let listed = async |filter: &str| listed_by(&operator.0, filter).await;
    assert_eq!(listed(&format!("from={}", solana.from)).await, [other]);
    assert_eq!(listed(&format!("from={}&to={}", bitcoin.from, bitcoin.to)).await, [taken.number, reported.number, unpaid.number]);
    assert!(listed(&format!("to={}", bitcoin.from)).await.is_empty());
    assert_eq!(listed(&format!("from={}&status=payment_claimed", bitcoin.from)).await, [reported.number]);
    assert_eq!(listed("mine=true").await, [taken.number]);
    assert_eq!(listed("mine=true&group=ours").await, [taken.number]);
    assert!(listed("mine=true&group=customer").await.is_empty());
    let others = app.owner().await.get("/api/admin/v1/claims?mine=true").await.ok();
    assert!(others["items"].as_array().unwrap().is_empty(), "{others}");
    assert_eq!(listed("mine=false&overdue=false").await.len(), 4);

    assert!(listed("overdue=true").await.is_empty());
    app.advance_clock(Duration::from_secs(24 * 60 * 60));
    let console = app.operator().await;
    assert_eq!(listed_by(&console, "overdue=true&group=ours").await, [taken.number, reported.number]);
    let pages = console.get("/api/admin/v1/claims?overdue=true&group=ours&size=1").await.ok();
    let next = pages["nextCursor"].as_str().unwrap();
    let rest = console.get(&format!("/api/admin/v1/claims?overdue=true&group=ours&size=1&cursor={next}")).await.ok();
    assert_eq!((rest["items"].as_array().unwrap().len(), &rest["nextCursor"]), (1, &Value::Null));
    for wrong in ["from=btc", "mine=yes"] {
        console.get(&format!("/api/admin/v1/claims?{wrong}")).await.refused(400, "malformed_parameter");
    }
}

async fn a_downloaded_list_runs_nothing_and_is_audited(engine: Engine) {
    let app = TestApp::start(engine).await;
    let operator = Operator::at(&app).await;
    let customer = TestCustomer::reports(&app, "0.01").await;
    operator.does(&customer.id, "payment_received", json!({ "txId": "=1+1" })).await;
    let table = |root: &str, query: &str| format!("{root}/api/admin/v1/claims/csv?{query}");
    let russian = operator.0.get(&table("", "group=ours")).await.text;
    assert!(russian.starts_with("\u{feff}Заявка;Создана (UTC);"), "{russian}");
    assert!(russian.contains(";BTC;0,01;0,01;SBERRUB;") && russian.contains(";'=1+1;"), "{russian}");
    let english = operator.0.get(&table("/en", &format!("q={}", customer.number))).await.text;
    assert!(english.contains(&format!("\n{},2024-03-28 ", customer.number)) && english.contains(",BTC,0.01,"), "{english}");
    assert_eq!(operator.0.get(&table("/en", "group=closed")).await.text.lines().count(), 1);

    let audited = app.owner().await.get("/api/admin/v1/audit?aboutKind=claims&aboutId=ours").await.ok();
    assert_eq!((&audited["items"][0]["action"], audited["items"].as_array().unwrap().len()), (&json!("claim.exported"), 1));
    assert_eq!(app.staff(Role::Auditor).await.get(&table("", "")).await.status, 200);
    app.visitor().get(&table("", "")).await.refused(401, "token_not_valid");
    operator.0.get(&table("", "group=mine")).await.refused(400, "malformed_parameter");
}

async fn a_download_of_many_claims_has_each_once(engine: Engine) {
    let app = TestApp::start(engine).await;
    let settings = json!({ "claims.captcha": "false", "claims.unpaid_per_address": "0" });
    app.owner().await.put("/api/admin/v1/settings", settings).await.ok();
    let mut numbers = Vec::new();
    // More than are read at once.
    for _ in 0..201 {
        numbers.push(TestCustomer::orders(&app, "0.001").await.number);
    }
    let table = app.operator().await.get("/api/admin/v1/claims/csv").await.text;
    let mut listed: Vec<i64> = table.lines().skip(1).map(|line| line.split_once(';').unwrap().0.parse().unwrap()).collect();
    listed.reverse();
    assert_eq!(listed, numbers);
}

async fn a_payout_named_by_a_link_is_found_by_its_transaction(engine: Engine) {
    let app = TestApp::start(engine).await;
    let operator = Operator::at(&app).await;
    let customer = reports_roubles(&app, "50000").await;
    operator.does(&customer.id, "payment_received", json!({ "txId": "in" })).await;
    operator.does(&customer.id, "take", json!({})).await;
    let hash = "9f2c".repeat(16);
    let link = format!("https://explorer.example/tx/{hash}?network=main");
    operator.does(&customer.id, "payout_sent", json!({ "txId": link })).await;
    for text in [&hash, &link] {
        let found = operator.0.get(&format!("/api/admin/v1/claims?q={text}")).await.ok();
        assert_eq!(found["items"][0]["publicId"], customer.number, "{text}");
    }
    assert_eq!(customer.look("status").await.ok()["txOut"]["id"], hash);
}

async fn an_operators_step_with_one_key_is_made_once(engine: Engine) {
    let app = TestApp::start(engine).await;
    let operator = Operator::at(&app).await;
    let customer = TestCustomer::orders(&app, "0.01").await;
    customer.does("confirm").await.ok();
    customer.does("paid").await.ok();
    let revision = operator.sees(&customer.id).await["revision"].clone();
    let step = json!({ "action": "payment_received", "revision": revision, "txId": "in" });
    let path = format!("/api/admin/v1/claims/{}/transitions", customer.id);
    let (one, two): (TestResponse, TestResponse) = tokio::join!(
        operator.0.post_idempotent(&path, "one-step-key", step.clone()),
        operator.0.post_idempotent(&path, "one-step-key", step.clone())
    );
    assert_eq!((one.ok()["status"].as_str(), two.ok()["status"].as_str()), (Some("paid"), Some("paid")));
    let entries = operator.sees(&customer.id).await["ledger"].clone();
    assert_eq!(entries.as_array().unwrap().iter().filter(|entry| entry["debit"] == "external").count(), 1);
}

both_engines!(
    other_visitors_do_not_keep_the_owner_of_an_address_out,
    claims_in_anothers_name_ask_for_a_proof_that_the_refusal_brings,
    what_is_wrong_with_an_order_is_said_field_by_field,
    in_technical_mode_open_claims_live_and_new_ones_wait,
    many_claims_in_an_hour_ask_for_a_proof,
    one_party_has_so_many_unpaid_claims_and_no_more,
    requisites_take_turns_and_keep_their_daily_limit,
    the_queue_shows_whose_turn_it_is_and_finds_any_claim,
    the_queue_is_narrowed,
    a_download_of_many_claims_has_each_once,
    a_downloaded_list_runs_nothing_and_is_audited,
    a_payout_named_by_a_link_is_found_by_its_transaction,
    an_operators_step_with_one_key_is_made_once,
);
