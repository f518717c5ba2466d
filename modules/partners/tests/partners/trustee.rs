//! The Trustee API: rates, orders and errors.

use std::time::Duration;

use agio_claims::model::Action;
use agio_test_app::{Engine, TestApp, both_engines};
use rust_decimal::{Decimal, RoundingStrategy};
use serde_json::{Value, json};

use crate::fixtures::{Partner, WAY, app, operator_does};
use crate::wallet::{ROOT, Wallet, number, wallet_key};

both_engines!(
    the_rates_file_lists_orderable_directions,
    an_estimate_adds_up,
    an_order_from_the_list_to_the_end,
    orders_that_fail,
    a_customer_pays_on_our_page,
    floating_rates,
    errors_use_the_trustee_format,
    sandbox_orders,
    orders_are_stored_encrypted
);

async fn list(app: &TestApp) -> String {
    let answer = app.visitor().get(&format!("{ROOT}/rates.xml")).await;
    assert_eq!(
        (answer.status.as_u16(), &answer.headers["content-type"]),
        (200, &"application/xml; charset=utf-8".parse().unwrap())
    );
    answer.text
}

fn entry<'l>(list: &'l str, from: &str, to: &str) -> Option<&'l str> {
    let head = format!("<item><from>{from}</from><to>{to}</to>");
    list.lines().find(|line| line.starts_with(&head))
}

fn of<'l>(item: &'l str, name: &str) -> Option<&'l str> {
    let (_, rest) = item.split_once(&format!("<{name}>"))?;
    Some(rest.split_once(&format!("</{name}>"))?.0)
}

async fn the_rates_file_lists_orderable_directions(engine: Engine) {
    let app = app(engine).await;
    let first = list(&app).await;
    let item = entry(&first, "BTC", "SBERRUB").unwrap();
    assert_eq!((of(item, "fromnetwork"), of(item, "tonetwork"), of(item, "ratetype")), (Some("BTC"), None, Some("FIXED")));
    assert_eq!(of(item, "in"), Some("1"));
    assert!(of(item, "minamount").unwrap().ends_with(" BTC") && of(item, "tofee").unwrap().ends_with(" RUB"));
    assert_eq!(of(entry(&first, "SBERRUB", "USDTTRC20").unwrap(), "tonetwork"), Some("TRX"));
    assert_eq!(of(entry(&first, "SBERRUB", "BTC").unwrap(), "out"), Some("1"));
    assert_eq!(of(entry(&first, "XMR", "SBERRUB").unwrap(), "ratetype"), Some("FLOATING"));
    // These need more fields than Trustee has.
    assert!(entry(&first, "BTC", "SBPRUB").is_none() && entry(&first, "CASHUSD", "BTC").is_none());

    let answer = app.visitor().get(&format!("{ROOT}/rates.xml")).await;
    let caller = app.visitor();
    let conditional =
        caller.request(reqwest::Method::GET, &format!("{ROOT}/rates.xml")).header("if-none-match", &answer.headers["etag"]);
    assert_eq!(caller.send(conditional).await.status.as_u16(), 304);
    app.owner().await.put("/api/admin/v1/tech", json!({ "on": true, "time": null })).await.ok();
    assert!(!list(&app).await.contains("<item>"));
}

/// Trustee's arithmetic: minus the fee, times the rate, minus the other fee.
fn adds_up(answer: &Value, digits: u32) {
    let of = |name: &str| number(&answer[name]);
    let net = of("fromAmount") - of("fromFee") - of("extraFromFee");
    let received = net / of("fromRate") * of("toRate") - of("toFee") - of("extraToFee");
    assert!(of("fromRate") == Decimal::ONE || of("toRate") == Decimal::ONE, "{answer}");
    let off = received.round_dp_with_strategy(digits, RoundingStrategy::ToZero) - of("toAmount");
    // Inverse rates are rounded, so the last digit may differ.
    assert!(off.abs() <= Decimal::new(1, digits), "{answer}: {received}");
}

async fn an_estimate_adds_up(engine: Engine) {
    let app = app(engine).await;
    let set = json!({ "rates.quote_seconds": "15" });
    app.owner().await.put("/api/admin/v1/settings", set).await.ok();
    let mut wallet = Wallet::of(&app).await;
    let direct = wallet
        .estimate(json!({ "from": "BTC", "to": "SBERRUB", "fromNetwork": "BTC", "toNetwork": null, "fromAmount": 0.015 }))
        .await
        .ok();
    adds_up(&direct, 2);
    assert_eq!(
        (&direct["fromNetwork"], &direct["toNetwork"], &direct["rateType"]),
        (&json!("BTC"), &Value::Null, &json!("FIXED"))
    );
    // A `rateId` holds as long as Trustee requires.
    let until = direct["rateIdExpirationTimestamp"].as_i64().unwrap();
    assert!(until >= app.now().0 / 1_000 + 30_000 && direct["rateId"].is_string());
    let reverse = wallet.estimate(json!({ "from": "BTC", "to": "SBERRUB", "toAmount": direct["toAmount"] })).await.ok();
    assert!(number(&reverse["fromAmount"]) <= number(&direct["fromAmount"]));
    assert!(number(&reverse["toAmount"]) >= number(&direct["toAmount"]));
    adds_up(&reverse, 2);
    // With fixed fees, and with a rate below one.
    let fee = wallet.estimate(json!({ "from": "ETH", "to": "TCSBRUB", "fromAmount": 1.5 })).await.ok();
    assert_eq!(fee["toFee"], 50);
    adds_up(&fee, 2);
    let bought = wallet.estimate(json!({ "from": "SBERRUB", "to": "BTC", "fromAmount": 50000 })).await.ok();
    assert_eq!(bought["toRate"], 1);
    adds_up(&bought, 8);
}

async fn an_order_from_the_list_to_the_end(engine: Engine) {
    let app = app(engine).await;
    let mut wallet = Wallet::of(&app).await;
    set_half_percent_commission(&app, &wallet.partner).await;
    let list = list(&app).await;
    let min = of(entry(&list, "BTC", "SBERRUB").unwrap(), "minamount").unwrap();
    let send: f64 = 0.015_f64.max(min.trim_end_matches(" BTC").parse().unwrap());
    let order_body = wallet.order_request(send).await;
    let order = wallet.create_order(order_body.clone()).await.ok();
    for field in ["from", "to", "fromNetwork", "fromAmount", "toAmount", "toPaymentDetails", "toMemo", "userId", "redirectUrl"] {
        assert_eq!(order[field], order_body[field], "{field}: {order}");
    }
    adds_up(&order, 2);
    assert_eq!((&order["status"], &order["rateType"]), (&json!("WAITING"), &json!("FIXED")));
    assert!(order["payCryptoAddress"].is_string() && order["payUrl"].is_null());
    assert!(order["fromTxHash"].is_null() && order["toTxHash"].is_null());
    let share = number(&order["fromAmount"]) * Decimal::new(5, 3);
    assert_eq!(number(&order["fromRevenueShare"]), share.round_dp_with_strategy(8, RoundingStrategy::ToZero).normalize());
    let id = order["id"].as_str().unwrap().to_owned();
    assert_eq!(wallet.get_order(&id).await.ok(), order);

    let way = [Action::PaymentSeen].into_iter().chain(WAY);
    for (action, status) in way.zip(["RECEIVED", "RECEIVED", "EXCHANGING", "SENDING", "COMPLETED"]) {
        operator_does(&app, &id, action).await;
        assert_eq!(wallet.status(&id).await, status);
    }
    let done = wallet.get_order(&id).await.ok();
    assert!(done["fromTxHash"].is_string() && done["toTxHash"].is_string() && done["payCryptoAddress"].is_null());
    assert_eq!((&done["fromAmountReceived"], &done["toAmount"]), (&order["fromAmount"], &order["toAmount"]));
    assert_eq!(done["fromRevenueShare"], order["fromRevenueShare"]);
    let view = app.owner().await.get(&format!("/api/admin/v1/partners/{}", wallet.partner.partner)).await.ok();
    assert_eq!(view["earnings"][0]["earned"].as_str().unwrap(), done["fromRevenueShare"].to_string());
    // Trustee has no customer address: e-mails go to the partner's contact.
    assert!(!app.emails_to("dev@wallet.example").await.is_empty());
    app.assert_ledger_is_clean().await;
    app.assert_audit_chain_is_intact().await;
}

async fn set_half_percent_commission(app: &TestApp, partner: &Partner) {
    let path = format!("/api/admin/v1/partners/{}", partner.partner);
    let revision = app.owner().await.get(&path).await.ok()["partner"]["revision"].clone();
    let change = json!({ "revision": revision, "commissionKind": "amount", "commissionPercent": "0.5" });
    app.owner().await.patch(&path, change).await.ok();
}

async fn orders_that_fail(engine: Engine) {
    let app = app(engine).await;
    let mut wallet = Wallet::of(&app).await;
    let ids = [0.015, 0.016, 0.017, 0.018];
    let mut orders = Vec::new();
    for send in ids {
        orders.push(wallet.order(send).await["id"].as_str().unwrap().to_owned());
    }
    // Cancelling can be repeated.
    for _ in 0..2 {
        assert_eq!(wallet.cancel_order(&orders[0]).await.ok(), json!({ "status": "SUCCESS" }));
    }
    assert_eq!(wallet.status(&orders[0]).await, "CANCELED");
    // Once paid it cannot be cancelled; then it is put on hold.
    operator_does(&app, &orders[1], Action::PaymentSeen).await;
    let late = wallet.cancel_order(&orders[1]).await;
    assert!(late.is_signed && !late.refused(409, None).is_empty());
    operator_does(&app, &orders[1], Action::Hold).await;
    assert_eq!(wallet.status(&orders[1]).await, "HOLDED");
    // A partial payout.
    let operator = app.operator().await;
    for (action, input) in [
        ("payment_seen", json!({ "txId": "in-1" })),
        ("payment_received", json!({})),
        ("take", json!({})),
        ("payout_sent", json!({ "txId": "out-1" })),
        ("payout_partial", json!({ "amount": "1000.50" })),
    ] {
        let path = format!("/api/admin/v1/claims/{}", orders[2]);
        let mut step = json!({ "action": action, "revision": operator.get(&path).await.ok()["revision"] });
        step.as_object_mut().unwrap().extend(input.as_object().unwrap().clone());
        operator.post(&format!("{path}/transitions"), step).await.ok();
    }
    let part = wallet.get_order(&orders[2]).await.ok();
    assert_eq!((&part["status"], number(&part["toAmount"])), (&json!("NOT_ENTIRE_WITHDRAW"), Decimal::new(100_050, 2)));
    app.advance_and_run_jobs(Duration::from_secs(3 * 60 * 60)).await;
    wallet.sync_clock(&app);
    let expired = wallet.get_order(&orders[3]).await.ok();
    assert_eq!((&expired["status"], &expired["payCryptoAddress"]), (&json!("EXPIRED"), &Value::Null));
    // Other partners' and unknown orders are not found, nor are claims without an order.
    let mut other = Wallet::with(
        &app,
        json!({ "title": "All", "sandbox": false, "scopes": ["read", "quote", "claim", "trustee"], "perMinute": 600 }),
    )
    .await;
    let claim = other.partner.claim("0.015", "own").await["id"].as_str().unwrap().to_owned();
    for id in [orders[0].as_str(), claim.as_str(), "QCqQF7U2BTebKL3Z"] {
        other.get_order(id).await.refused(404, None);
        other.cancel_order(id).await.refused(404, None);
    }
    app.assert_ledger_is_clean().await;
}

async fn a_customer_pays_on_our_page(engine: Engine) {
    let app = app(engine).await;
    let mut wallet = Wallet::of(&app).await;
    let order_body = json!({
        "from": "SBERRUB", "to": "BTC", "toNetwork": "BTC", "fromAmount": 50000, "toAmount": 0.007,
        "toPaymentDetails": "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", "redirectUrl": "https://wallet.example/back",
    });
    let missing = wallet.create_order(order_body.clone()).await.refused(422, Some("PROVIDER_ERROR"));
    assert!(missing.starts_with("fromPaymentDetails: "), "{missing}");
    let mut whole = order_body.clone();
    whole["fromPaymentDetails"] = json!("IVAN PETROV");
    let order = wallet.create_order(whole.clone()).await.ok();
    let id = order["id"].as_str().unwrap();
    let page = order["payUrl"].as_str().unwrap();
    assert!(page.starts_with("http") && page.ends_with(&format!("/claim/{id}")) && !page.contains("/en/"), "{page}");
    assert!(order["payCryptoAddress"].is_null());
    // Without a `rateId` the response has the actual amount.
    assert!(number(&order["toAmount"]) > Decimal::ZERO);
    adds_up(&order, 8);
    // With /en everything is in English.
    whole["fromAmount"] = json!(50_001);
    let english = wallet.call(json!({ "method": "POST", "path": format!("/en{ROOT}/orders/"), "body": whole })).await.ok();
    assert!(english["payUrl"].as_str().unwrap().contains("/en/claim/"));
    // The customer reports the payment; it is not detected yet.
    app.visitor().post_empty(&format!("/api/v1/claim/{id}/paid/")).await.ok();
    let input = wallet.get_order(id).await.ok();
    assert_eq!(
        (&input["status"], &input["payUrl"], &input["fromAmountReceived"]),
        (&json!("WAITING"), &order["payUrl"], &json!(0))
    );
}

async fn floating_rates(engine: Engine) {
    let app = app(engine).await;
    let mut wallet = Wallet::of(&app).await;
    let ask = json!({ "from": "XMR", "to": "SBERRUB", "fromAmount": 2, "rateType": "FLOATING" });
    let estimate = wallet.estimate(ask).await.ok();
    assert!(estimate["rateType"] == "FLOATING" && estimate.get("rateId").is_none());
    let order = wallet
        .create_order(json!({
            "from": "XMR", "to": "SBERRUB", "fromAmount": 2, "toAmount": 1, "toPaymentDetails": "2200000000000004", "toMemo": "IVAN PETROV",
        }))
        .await
        .ok();
    assert_eq!((&order["toAmount"], &order["rateType"]), (&estimate["toAmount"], &json!("FLOATING")));
    let wrong = json!({ "from": "XMR", "to": "SBERRUB", "fromAmount": 2, "rateType": "FIXED" });
    wallet.estimate(wrong).await.refused(422, Some("PROVIDER_ERROR"));
}

async fn errors_use_the_trustee_format(engine: Engine) {
    let app = app(engine).await;
    let mut wallet = Wallet::of(&app).await;
    let provider = Some("PROVIDER_ERROR");
    let ask = |change: Value| {
        let mut order_body = json!({ "from": "BTC", "to": "SBERRUB", "fromAmount": 0.015 });
        order_body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        order_body
    };
    let min = wallet.estimate(ask(json!({ "fromAmount": 5e-7 }))).await;
    assert!(min.is_signed && !min.refused(422, Some("EXCEEDING_LIMITS")).is_empty());
    let limit = number(&min.body["minAmount"]);
    assert!(limit > Decimal::new(5, 7) && min.body["maxAmount"].is_null());
    let max_amount = wallet.estimate(json!({ "from": "BTC", "to": "SBERRUB", "toAmount": 900000000 })).await;
    max_amount.refused(422, Some("EXCEEDING_LIMITS"));
    assert!(number(&max_amount.body["maxAmount"]) > Decimal::ONE_THOUSAND, "a limit of what is received is in what is received");
    for (change, status, field) in [
        (json!({ "from": "NOPE" }), 404, ""),
        (json!({ "to": "BTC" }), 404, ""),
        (json!({ "to": "SBPRUB" }), 404, ""),
        (json!({ "fromNetwork": "ETH" }), 422, "fromNetwork: "),
        (json!({ "toNetwork": "TRX" }), 422, "toNetwork: "),
        (json!({ "fromAmount": 0.0150000001 }), 422, "fromAmount: "),
        (json!({ "toAmount": 5 }), 422, "fromAmount: "),
        (json!({ "fromAmount": null }), 422, "fromAmount: "),
        (json!({ "extraFromFee": 0.005 }), 422, "extraFromFee: "),
        (json!({ "rateType": "FLOATING" }), 422, "rateType: "),
        (json!({ "rateType": "OTHER" }), 400, ""),
        (json!({ "fromAmount": "much" }), 400, ""),
        (json!({ "more": "1" }), 400, ""),
    ] {
        let refused = wallet.estimate(ask(change.clone())).await;
        let message = refused.refused(status, provider);
        assert!(message.starts_with(field) && refused.is_signed, "{change}: {message}");
    }
    let order_body = wallet.order_request(0.015).await;
    for (field, value, status, code, named) in [
        ("toPaymentDetails", json!("1"), 422, "PROVIDER_ERROR", "toPaymentDetails: "),
        ("toMemo", json!(""), 422, "PROVIDER_ERROR", "toMemo: "),
        ("rateId", json!("forged"), 422, "PROVIDER_ERROR", "rateId: "),
        ("rateId", Value::Null, 422, "PROVIDER_ERROR", "rateId: "),
        ("fromAmount", json!(5e-7), 422, "PROVIDER_ERROR", ""),
        ("toAmount", json!(1), 409, "EXPIRED_RATE", ""),
        ("userId", json!("x".repeat(501)), 422, "PROVIDER_ERROR", "userId: "),
        ("extraToFee", json!(0.1), 422, "PROVIDER_ERROR", "extraToFee: "),
    ] {
        let mut wrong = order_body.clone();
        wrong[field] = value;
        let message = wallet.create_order(wrong).await.refused(status, Some(code));
        assert!(message.starts_with(named), "{field}: {message}");
    }
    assert_eq!(app.server.claims.overview(1).await.unwrap().open, 0, "a refused order leaves nothing behind");
    wallet.create_order(order_body).await.ok();
}

/// Sandbox keys create sandbox orders, advanced by the partner API.
async fn sandbox_orders(engine: Engine) {
    let app = app(engine).await;
    let mut key = wallet_key(true);
    key["scopes"] = json!(["claim", "trustee"]);
    let mut wallet = Wallet::with(&app, key).await;
    let order_body = wallet.order_request(0.015).await;
    let order = wallet.create_order(order_body.clone()).await.ok();
    assert_eq!(wallet.create_order(order_body).await.ok(), order);
    let id = order["id"].as_str().unwrap().to_owned();
    let paths = [
        ("payment_seen", "RECEIVED"),
        ("amount_mismatch", "HOLDED"),
        ("paid", "RECEIVED"),
        ("processing", "EXCHANGING"),
        ("payout_error", "EXCHANGING"),
        ("refund_pending", "HOLDED"),
        ("refund_sent", "HOLDED"),
        ("refunded", "REFUNDED"),
    ];
    for (to, status) in paths {
        let advance = format!("/api/partner/v1/sandbox/claims/{id}/advance/");
        wallet.partner.post(&advance, &json!({ "to": to })).await.ok();
        assert_eq!(wallet.status(&id).await, status, "{to}");
    }
    app.advance_and_run_jobs(Duration::from_secs(31 * 24 * 60 * 60)).await;
    wallet.sync_clock(&app);
    wallet.get_order(&id).await.refused(404, None);
    assert_eq!(app.server.claims.overview(1).await.unwrap().open, 0);
}

/// A card that is not in the demo data.
const CARD: &str = "2201384719055627";

async fn orders_are_stored_encrypted(engine: Engine) {
    let app = app(engine).await;
    let mut wallet = Wallet::of(&app).await;
    let mut order_body = wallet.order_request(0.015).await;
    order_body["toPaymentDetails"] = CARD.into();
    let order = wallet.create_order(order_body.clone()).await.ok();
    let id = order["id"].as_str().unwrap().to_owned();
    app.assert_not_stored_in_plain_text(&[CARD]).await;

    assert_eq!(wallet.get_order(&id).await.ok()["toPaymentDetails"], CARD);
    assert_eq!(wallet.create_order(order_body).await.ok()["id"], id, "the same order is known by its content");
    for action in [Action::PaymentSeen].into_iter().chain(WAY) {
        operator_does(&app, &id, action).await;
    }
    app.assert_not_stored_in_plain_text(&[CARD]).await;
}
