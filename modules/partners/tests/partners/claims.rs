//! Quotes and claims.

use std::time::Duration;

use agio_claims::model::Action;
use agio_test_app::{Engine, both_engines};
use reqwest::Method;
use serde_json::{Value, json};

use crate::fixtures::{Partner, WAY, app, key_order, operator_does, unique};
use crate::wallet::ROOT;

both_engines!(
    a_claim_from_quote_to_completion,
    claim_creation_is_idempotent,
    errors_name_the_fields,
    partners_see_only_their_own_claims,
    partners_are_limited_only_by_the_reserve,
    unpaid_claims_count_for_each_partner,
    an_arbitrage_direction_is_not_quoted,
    cash_is_ordered_in_a_city,
    customers_accept_the_terms_of_a_direction,
    a_customer_is_written_to_in_the_language_of_the_request,
    what_a_customer_paid_beyond_the_agreed_amount_is_returned,
);

/// An address of a customer.
const ADDRESS: &str = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq";

const QUOTES: &str = "/api/partner/v1/quotes/";
const CLAIMS: &str = "/api/partner/v1/claims/";

async fn a_claim_from_quote_to_completion(engine: Engine) {
    let app = app(engine).await;
    let partner = Partner::of(&app, "").await;
    let currencies = partner.get("/en/api/partner/v1/currencies/").await.ok();
    let sber = currencies.as_array().unwrap().iter().find(|currency| currency["code"] == "SBERRUB").unwrap();
    assert!(sber["receiveInputs"].as_array().unwrap().iter().any(|input| input["name"] == "card"));
    let sbp = currencies.as_array().unwrap().iter().find(|currency| currency["code"] == "SBPRUB").unwrap();
    let (phone, holder) = (&sbp["receiveInputs"][0], &sbp["receiveInputs"][2]);
    assert_eq!((&phone["hint"], &phone["pattern"]), (&json!("For example, +7 999 123-45-67"), &Value::Null));
    assert_eq!((&holder["hint"], &holder["pattern"]), (&Value::Null, &Value::Null));
    let pairs = partner.get("/api/partner/v1/pairs/?from=BTC&to=SBERRUB").await.ok();
    assert_eq!(pairs.as_array().unwrap().len(), 1);

    // By the amount received.
    let request = json!({ "from": "btc", "to": "sberrub", "toSumma": "100000" });
    let reverse = partner.post(QUOTES, &request).await.ok();
    let direct = partner.post(QUOTES, &json!({ "from": "BTC", "to": "SBERRUB", "fromSumma": reverse["fromSumma"] })).await.ok();
    assert_eq!(direct["toSumma"], reverse["toSumma"]);
    let type_of = reverse["rateType"].as_str().unwrap();
    let other = if type_of == "fixed" { "floating" } else { "fixed" };
    let mut wrong = request.clone();
    wrong["rateType"] = other.into();
    partner.post(QUOTES, &wrong).await.refused(422, "validation_failed");

    let claim = partner.claim("0.015", "order-1").await;
    let path = format!("{CLAIMS}{}/", claim["id"].as_str().unwrap());
    assert_eq!(
        (&claim["status"], &claim["state"], &claim["isFinal"]),
        (&json!("waiting"), &json!("awaiting_payment"), &json!(false))
    );
    assert!(claim["payment"]["uri"].as_str().unwrap().starts_with("bitcoin:"));
    assert_eq!(claim["actions"], json!(["paid", "cancel"]));
    let admin_path = format!("/api/admin/v1/claims/{}", claim["id"].as_str().unwrap());
    let shown = app.operator().await.get(&admin_path).await.ok();
    assert_eq!((&shown["partnerId"], &shown["partnerReference"]), (&json!(partner.partner), &json!("order-1")));
    let paid = partner.post_empty(&format!("{path}paid/")).await.ok();
    assert_eq!((&paid["status"], &paid["state"]), (&json!("confirming"), &json!("payment_claimed")));
    partner.post_empty(&format!("{path}paid/")).await.ok();
    partner.post_empty(&format!("{path}cancel/")).await.refused(409, "transition_not_allowed");
    for action in WAY {
        operator_does(&app, claim["id"].as_str().unwrap(), action).await;
    }
    let done = partner.get(&path).await.ok();
    assert_eq!((&done["status"], &done["isFinal"]), (&json!("finished"), &json!(true)));
    assert!(done["txOut"]["id"].is_string() && done["payment"].is_null());
    let whole = app.owner().await.get(&format!("/api/admin/v1/partners/{}", partner.partner)).await.ok();
    assert_eq!(whole["turnover"][0]["completed"], 1);
    assert_eq!(whole["turnover"][0]["sent"], "0.015");
    app.assert_ledger_is_clean().await;
    app.assert_audit_chain_is_intact().await;
}

async fn partners_are_limited_only_by_the_reserve(engine: Engine) {
    let app = app(engine).await;
    let (partner, owner) = (Partner::of(&app, "").await, app.owner().await);
    owner.put("/api/admin/v1/settings", json!({ "claims.unproven_share_percent": "1" })).await.ok();
    let roubles = app.server.calculator.market().currency_named("SBERRUB").unwrap().id();
    let spare = app.server.ledger.reserves().available(roubles).units / 100 - 300_000;
    let out = json!({ "amount": format!("-{spare}"), "reason": "withdrawal", "note": "to a cold place" });
    owner.post(&format!("/api/admin/v1/reserves/{roubles}/movements"), out).await.ok();
    assert_eq!(partner.claim("0.015", "order-1").await["state"], "awaiting_payment");
}

/// All requests of a partner come from its servers, so limits count per partner, not per address.
async fn unpaid_claims_count_for_each_partner(engine: Engine) {
    let app = app(engine).await;
    let (one, other) = (Partner::of(&app, "").await, Partner::of(&app, "").await);
    let set = json!({ "claims.unpaid_per_partner": "1", "claims.unpaid_per_address": "1" });
    app.owner().await.put("/api/admin/v1/settings", set).await.ok();
    one.claim("0.015", "order-1").await;
    let order = one.order("0.016", "order-2").await;
    one.post_idempotent("/api/partner/v1/claims/", &unique(), &order).await.refused(409, "too_many_open_claims");
    other.claim("0.015", "order-1").await;
}

async fn claim_creation_is_idempotent(engine: Engine) {
    let app = app(engine).await;
    let partner = Partner::of(&app, "").await;
    let order = partner.order("0.015", "order-1").await;
    let key = unique();
    let parallel = (0..8).map(|_| {
        let (partner, order, key) = (partner.clone(), order.clone(), key.clone());
        tokio::spawn(async move { partner.post_idempotent(CLAIMS, &key, &order).await.ok()["id"].clone() })
    });
    let mut ids = Vec::new();
    for call in parallel.collect::<Vec<_>>() {
        ids.push(call.await.unwrap());
    }
    ids.dedup();
    assert_eq!(ids.len(), 1);
    // A repeated request returns the current claim, even after the quote has expired.
    app.advance_clock(Duration::from_secs(120));
    let mut later = partner.clone();
    later.sync_clock(&app);
    assert_eq!(later.post_idempotent(CLAIMS, &key, &order).await.ok()["id"], ids[0]);
    let mut other = order.clone();
    other["email"] = "petr@example.com".into();
    later.post_idempotent(CLAIMS, &key, &other).await.refused(422, "idempotency_mismatch");
    later.post_idempotent(CLAIMS, &unique(), &order).await.refused(409, "reference_taken");
    later.post(CLAIMS, &order).await.refused(422, "idempotency_key_needed");
    assert_eq!(later.get(&format!("{CLAIMS}?reference=order-1")).await.ok()["items"][0]["id"], ids[0]);
    assert_eq!(later.get(CLAIMS).await.ok()["total"], 1);
    // The same idempotency key of another partner is independent.
    let other_partner = Partner::of(&app, "").await;
    let theirs = other_partner.order("0.016", "order-1").await;
    assert_ne!(other_partner.post_idempotent(CLAIMS, &key, &theirs).await.ok()["id"], ids[0]);
    app.assert_ledger_is_clean().await;
}

async fn errors_name_the_fields(engine: Engine) {
    let app = app(engine).await;
    let partner = Partner::of(&app, "").await;
    let refused =
        async |request: serde_json::Value, status: u16, code: &str| partner.post(QUOTES, &request).await.refused(status, code);
    refused(json!({ "from": "NOPE", "to": "SBERRUB", "fromSumma": "1" }), 404, "currency_unknown").await;
    refused(json!({ "from": "BTC", "to": "BTC", "fromSumma": "1" }), 404, "pair_unavailable").await;
    refused(json!({ "from": "BTC", "to": "SBERRUB" }), 422, "validation_failed").await;
    refused(json!({ "from": "BTC", "to": "SBERRUB", "fromSumma": "1", "toSumma": "1" }), 422, "validation_failed").await;
    refused(json!({ "from": "BTC", "to": "SBERRUB", "fromSumma": "0.00000001" }), 422, "amount_below_min").await;
    refused(json!({ "from": "BTC", "to": "SBERRUB", "fromSumma": "-1" }), 422, "amount_below_min").await;
    let min = refused(json!({ "from": "BTC", "to": "SBERRUB", "toSumma": "0.01" }), 422, "amount_below_min").await;
    assert!(min["errors"]["toSumma"][0]["params"]["min"].is_string());
    refused(json!({ "from": "BTC", "to": "SBERRUB", "toSumma": "99999999999" }), 422, "amount_above_max").await;
    refused(json!({ "from": "BTC", "to": "SBERRUB", "fromSumma": "1", "more": 1 }), 400, "malformed_body").await;
    let order = partner.order("0.015", "order-1").await;
    let wrong = async |field: &str, value: serde_json::Value, status: u16, code: &str| {
        let mut order = order.clone();
        order[field] = value;
        partner.post_idempotent(CLAIMS, &unique(), &order).await.refused(status, code)
    };
    wrong("callbackUrl", json!("file:///etc/passwd"), 422, "validation_failed").await;
    wrong("reference", json!("имя"), 422, "validation_failed").await;
    wrong("reference", json!("x".repeat(65)), 422, "validation_failed").await;
    wrong("email", json!("nobody"), 422, "validation_failed").await;
    wrong("toRequisites", json!({ "card": "1" }), 422, "validation_failed").await;
    wrong("toSumma", json!("1"), 409, "rate_changed").await;
    wrong("quoteId", json!("forged"), 422, "validation_failed").await;
    partner.get(&format!("{CLAIMS}?page=0")).await.refused(400, "malformed_parameter");
    partner.get(&format!("{CLAIMS}?size=101")).await.refused(400, "malformed_parameter");
    partner.get(&format!("{CLAIMS}?updated_since=yesterday")).await.refused(400, "malformed_parameter");
    let too_long = wrong("termsVersion", json!("x".repeat(65)), 422, "validation_failed").await;
    assert_eq!(too_long["errors"]["termsVersion"][0]["code"], "text_too_long");
    // A misspelt filter would find all claims.
    for query in ["?referenceId=order-1", "?updatedSince=2024-01-01T00:00:00Z", "?page=1&referenceId=order-1"] {
        let refused = partner.get(&format!("{CLAIMS}{query}")).await.refused(400, "malformed_parameter");
        assert_eq!(refused["errors"].as_object().unwrap().values().next().unwrap()[0]["code"], "unknown_field", "{query}");
    }
    partner.get("/api/partner/v1/statistics/?from=2024-01-01").await.refused(400, "malformed_parameter");
    partner.get(&format!("/en{CLAIMS}?page=1&size=5&reference=order-1")).await.ok();
    assert_eq!(partner.get(CLAIMS).await.ok()["total"], 0);
    assert_eq!(partner.claim("0.015", "order-1").await["reference"], "order-1", "a refused order leaves nothing behind");
}

async fn partners_see_only_their_own_claims(engine: Engine) {
    let app = app(engine).await;
    let (one, other) = (Partner::of(&app, "").await, Partner::of(&app, "").await);
    let claim = one.claim("0.015", "order-1").await;
    let path = format!("{CLAIMS}{}/", claim["id"].as_str().unwrap());
    other.get(&path).await.refused(404, "claim_not_found");
    other.post_empty(&format!("{path}cancel/")).await.refused(404, "claim_not_found");
    assert_eq!(other.get(CLAIMS).await.ok()["total"], 0);
    // References are unique per partner.
    other.claim("0.015", "order-1").await;
    one.post_empty(&format!("{path}cancel/")).await.ok();
    app.advance_clock(Duration::from_secs(5));
    let since = app.now().to_string();
    let mut later = one.clone();
    later.sync_clock(&app);
    let second = later.claim("0.016", "order-2").await;
    let changed = later.get(&format!("{CLAIMS}?updated_since={since}&size=5")).await.ok();
    assert_eq!((changed["total"].as_i64(), &changed["items"][0]["id"]), (Some(1), &second["id"]));
    // A different amount arrived: one offer is accepted.
    let id = second["id"].as_str().unwrap();
    later.post_empty(&format!("{CLAIMS}{id}/paid/")).await.ok();
    operator_does(&app, id, Action::Hold).await;
    let held = later.get(&format!("/en{CLAIMS}{id}/")).await.ok();
    assert_eq!((&held["status"], held["reason"]["code"].is_string()), (&json!("hold"), true));
    let state = later.post(&format!("{CLAIMS}{id}/accept/"), &json!({ "fromSumma": "1", "toSumma": "1" })).await;
    state.refused(409, "transition_not_allowed");
    let back = json!({ "requisites": { "address": ADDRESS } });
    later.post(&format!("{CLAIMS}{id}/refund/"), &back).await.refused(409, "transition_not_allowed");
}

async fn an_arbitrage_direction_is_not_quoted(engine: Engine) {
    let app = app(engine).await;
    let partner = Partner::of(&app, "").await;
    let order = partner.order("0.015", "order-1").await;
    let market = app.server.calculator.market();
    let id = |code: &str| market.currency_named(code).unwrap().id();
    let pair = &market.between(id("BTC"), id("SBERRUB")).unwrap().pair;
    let rate = json!({ "revision": pair.revision, "source": "manual", "manualRate": "9000000" });
    app.owner().await.patch(&format!("/api/admin/v1/pairs/{}", pair.id), rate).await.ok();

    let request = json!({ "from": "BTC", "to": "SBERRUB", "fromSumma": "0.015" });
    partner.post(QUOTES, &request).await.refused(404, "pair_unavailable");
    assert_eq!(partner.get("/api/partner/v1/pairs/?from=BTC&to=SBERRUB").await.ok(), json!([]));
    partner.post_idempotent(CLAIMS, &unique(), &order).await.refused(404, "pair_unavailable");
}

async fn cash_is_ordered_in_a_city(engine: Engine) {
    let app = app(engine).await;
    let partner = Partner::of(&app, "").await;
    let pairs = partner.get("/api/partner/v1/pairs/?from=BTC&to=CASHUSD").await.ok();
    assert_eq!(pairs[0]["cities"], json!(["MSK", "DUBAI"]));
    let quote = partner.post(QUOTES, &json!({ "from": "BTC", "to": "CASHUSD", "fromSumma": "0.05" })).await.ok();
    let mut order = json!({
        "from": "BTC", "to": "CASHUSD", "fromSumma": "0.05", "toSumma": quote["toSumma"], "quoteId": quote["id"],
        "email": "anna@example.com", "toRequisites": { "phone": "+79991234567" }, "language": "en",
    });
    let refused = partner.post_idempotent(CLAIMS, &unique(), &order).await.refused(422, "validation_failed");
    assert_eq!(refused["errors"]["city"][0]["code"], "required");
    order["city"] = json!("DUBAI");
    let claim = partner.post_idempotent(CLAIMS, &unique(), &order).await.ok();
    assert_eq!((&claim["city"]["code"], &claim["meetingCode"]), (&json!("DUBAI"), &json!(null)));
    let path = format!("{CLAIMS}{}/", claim["id"].as_str().unwrap());
    partner.post_empty(&format!("{path}paid/")).await.ok();
    operator_does(&app, claim["id"].as_str().unwrap(), Action::PaymentReceived).await;
    // The partner's customer collects the cash with it.
    assert_eq!(partner.get(&path).await.ok()["meetingCode"].as_str().map(str::len), Some(11));
}

async fn customers_accept_the_terms_of_a_direction(engine: Engine) {
    let app = app(engine).await;
    let owner = app.owner().await;
    let pairs = owner.get("/api/admin/v1/pairs").await.ok();
    let market = app.server.calculator.market();
    let [from, to] = ["BTC", "SBERRUB"].map(|code| json!(market.currency_named(code).unwrap().id()));
    let pair = pairs.as_array().unwrap().iter().find(|pair| pair["giveId"] == from && pair["receiveId"] == to).unwrap();
    let text = json!({ "title": "No returns", "message": "<p>None.</p>" });
    let change = json!({ "revision": pair["revision"], "customerTerms": { "ru": text, "en": text } });
    owner.patch(&format!("/api/admin/v1/pairs/{}", pair["id"]), change).await.ok();

    // Orders of the Trustee protocol cannot say that anything was accepted.
    let list = app.visitor().get(&format!("{ROOT}/rates.xml")).await.text;
    assert!(!list.contains("<from>BTC</from><to>SBERRUB</to>") && list.contains("<from>BTC</from>"), "{list}");

    for sandbox in [false, true] {
        let partner = Partner::with(&app, "", key_order(sandbox)).await;
        let pairs = partner.get("/api/partner/v1/pairs/?from=BTC&to=SBERRUB").await.ok();
        let quote = partner.post(QUOTES, &json!({ "from": "BTC", "to": "SBERRUB", "fromSumma": "0.02" })).await.ok();
        let terms = &quote["customerTerms"];
        assert_eq!((&terms["title"], &terms["message"]), (&text["title"], &text["message"]));
        assert_eq!(pairs[0]["customerTerms"], terms["id"]);
        let mut order = partner.order("0.02", "with-terms").await;
        let refused = partner.post_idempotent(CLAIMS, &unique(), &order).await.refused(422, "validation_failed");
        assert_eq!(refused["errors"]["acceptedTerms"][0]["code"], "customer_terms_required");
        order["acceptedTerms"] = json!("others");
        partner.post_idempotent(CLAIMS, &unique(), &order).await.refused(409, "customer_terms_changed");
        order["acceptedTerms"] = terms["id"].clone();
        let claim = partner.post_idempotent(CLAIMS, &unique(), &order).await.ok();
        if !sandbox {
            let seen = owner.get(&format!("/api/admin/v1/claims/{}", claim["id"].as_str().unwrap())).await.ok();
            assert_eq!(seen["customerTerms"]["id"], terms["id"]);
            assert!(seen["customerTerms"]["acceptedAt"].is_string(), "{seen}");
        }
    }
}

async fn a_customer_is_written_to_in_the_language_of_the_request(engine: Engine) {
    let app = app(engine).await;
    let partner = Partner::of(&app, "").await;
    for (email, accepted, language, subject) in [
        ("olga@example.com", None, None::<&str>, "Заявка № "),
        ("john@example.com", Some("de, en-GB;q=0.8, ru;q=0.5"), None, "Claim #"),
        ("igor@example.com", Some("en"), Some("ru"), "Заявка № "),
    ] {
        let mut order = partner.order("0.01", email).await;
        order["email"] = email.into();
        if let Some(language) = language {
            order["language"] = json!(language);
        }
        let mut signed = partner.signed(&Method::POST, CLAIMS, order.to_string().as_bytes());
        signed.headers.push(("idempotency-key", unique()));
        signed.headers.extend(accepted.map(|accepted| ("accept-language", accepted.to_owned())));
        partner.send(&signed).await.ok();
        let emails = app.emails_to(email).await;
        assert!(!emails.is_empty() && emails.iter().all(|sent| sent.subject.starts_with(subject)), "{email}: {emails:?}");
    }
}

async fn what_a_customer_paid_beyond_the_agreed_amount_is_returned(engine: Engine) {
    let app = app(engine).await;
    let partner = Partner::of(&app, "").await;
    let claim = partner.claim("0.015", "order-1").await;
    let id = claim["id"].as_str().unwrap();
    let (path, surplus) = (format!("{CLAIMS}{id}/"), format!("{CLAIMS}{id}/surplus/"));
    let mut choice = json!({ "fromSumma": "0.015", "toSumma": claim["to"]["amount"], "requisites": { "address": ADDRESS } });
    partner.post(&surplus, &choice).await.refused(409, "transition_not_allowed");
    let operator = app.operator().await;
    let admin = format!("/api/admin/v1/claims/{id}");
    let acts = async |mut step: Value| {
        step["revision"] = operator.get(&admin).await.ok()["revision"].clone();
        operator.post(&format!("{admin}/transitions"), step).await.ok();
    };
    acts(json!({ "action": "payment_seen", "txId": "in" })).await;
    acts(json!({ "action": "amount_mismatch", "amount": "0.0175" })).await;
    let seen = partner.get(&path).await.ok()["surplus"].clone();
    assert_eq!((&seen["amount"], &seen["tooSmall"], &seen["fee"]), (&json!("0.0025"), &json!(false), &json!("0")));
    assert_eq!(seen["offer"]["toSumma"], choice["toSumma"]);
    choice["requisites"]["address"] = "nowhere".into();
    partner.post(&surplus, &choice).await.refused(422, "validation_failed");
    choice["requisites"]["address"] = ADDRESS.into();
    for _ in 0..2 {
        assert_eq!(partner.post(&surplus, &choice).await.ok()["state"], "paid");
    }
    acts(json!({ "action": "take" })).await;
    acts(json!({ "action": "payout_sent", "txId": "out" })).await;
    acts(json!({ "action": "complete" })).await;
    let exchanged = partner.get(&path).await.ok();
    assert_eq!((&exchanged["status"], &exchanged["state"]), (&json!("sending"), &json!("refund_pending")));
    acts(json!({ "action": "refund_sent", "txId": "back" })).await;
    acts(json!({ "action": "refund_done" })).await;
    let done = partner.get(&path).await.ok();
    assert_eq!(
        (&done["status"], &done["refund"]["amount"], &done["surplus"]),
        (&json!("finished"), &json!("0.0025"), &json!(null))
    );
    app.assert_ledger_is_clean().await;
}
