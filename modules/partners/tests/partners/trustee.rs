//! A wallet that speaks Trustee's contract: what it is offered, its orders through their lives, and what it is refused.

use std::time::Duration;

use agio_claims::model::{Action, State};
use agio_partners::trustee::status::STATUSES;
use agio_testkit::{Engine, House, both_engines};
use rust_decimal::{Decimal, RoundingStrategy};
use serde_json::{Value, json};

use crate::people::{Partner, WAY, house, operator_does};
use crate::wallet::{ROOT, Wallet, number, wallet_key};

both_engines!(
    the_list_says_what_can_be_ordered,
    an_estimate_adds_up,
    an_order_from_the_list_to_the_end,
    orders_that_do_not_end_well,
    a_customer_pays_on_our_page,
    a_floating_rate_is_said_with_the_order,
    what_is_wrong_is_said_in_the_contracts_words,
    a_wallet_rehearses,
    what_a_wallet_asked_for_is_sealed
);

async fn list(house: &House) -> String {
    let answer = house.customer().get(&format!("{ROOT}/rates.xml")).await;
    assert_eq!(
        (answer.status.as_u16(), &answer.headers["content-type"]),
        (200, &"application/xml; charset=utf-8".parse().unwrap())
    );
    answer.text
}

/// The entry of a direction.
fn entry<'l>(list: &'l str, from: &str, to: &str) -> Option<&'l str> {
    let head = format!("<item><from>{from}</from><to>{to}</to>");
    list.lines().find(|line| line.starts_with(&head))
}

/// The value of an element of an entry.
fn of<'l>(item: &'l str, name: &str) -> Option<&'l str> {
    let (_, rest) = item.split_once(&format!("<{name}>"))?;
    Some(rest.split_once(&format!("</{name}>"))?.0)
}

async fn the_list_says_what_can_be_ordered(engine: Engine) {
    let house = house(engine).await;
    let first = list(&house).await;
    let item = entry(&first, "BTC", "SBERRUB").unwrap();
    assert_eq!((of(item, "fromnetwork"), of(item, "tonetwork"), of(item, "ratetype")), (Some("BTC"), None, Some("FIXED")));
    assert_eq!(of(item, "in"), Some("1"));
    assert!(of(item, "minamount").unwrap().ends_with(" BTC") && of(item, "tofee").unwrap().ends_with(" RUB"));
    assert_eq!(of(entry(&first, "SBERRUB", "USDTTRC20").unwrap(), "tonetwork"), Some("TRX"));
    assert_eq!(of(entry(&first, "SBERRUB", "BTC").unwrap(), "out"), Some("1"));
    assert_eq!(of(entry(&first, "XMR", "SBERRUB").unwrap(), "ratetype"), Some("FLOATING"));
    // For these a customer is asked for more than the contract has fields for.
    assert!(entry(&first, "BTC", "SBPRUB").is_none() && entry(&first, "CASHUSD", "BTC").is_none());

    let answer = house.customer().get(&format!("{ROOT}/rates.xml")).await;
    let caller = house.customer();
    let asked =
        caller.request(reqwest::Method::GET, &format!("{ROOT}/rates.xml")).header("if-none-match", &answer.headers["etag"]);
    assert_eq!(caller.send(asked).await.status.as_u16(), 304);
    house.owner().await.put("/api/admin/v1/tech", json!({ "on": true, "time": null })).await.ok();
    assert!(!list(&house).await.contains("<item>"));
}

/// What the contract's arithmetic makes of an answer's numbers: the fee off, the rate, the other fee off.
fn adds_up(answer: &Value, digits: u32) {
    let of = |name: &str| number(&answer[name]);
    let net = of("fromAmount") - of("fromFee") - of("extraFromFee");
    let received = net / of("fromRate") * of("toRate") - of("toFee") - of("extraToFee");
    assert!(of("fromRate") == Decimal::ONE || of("toRate") == Decimal::ONE, "{answer}");
    let off = received.round_dp_with_strategy(digits, RoundingStrategy::ToZero) - of("toAmount");
    // An inverse rate is rounded, so its last digit may tell.
    assert!(off.abs() <= Decimal::new(1, digits), "{answer}: {received}");
}

async fn an_estimate_adds_up(engine: Engine) {
    let house = house(engine).await;
    let set = json!({ "rates.quote_seconds": "15" });
    house.owner().await.put("/api/admin/v1/settings", set).await.ok();
    let mut wallet = Wallet::of(&house).await;
    let direct = wallet
        .estimates(json!({ "from": "BTC", "to": "SBERRUB", "fromNetwork": "BTC", "toNetwork": null, "fromAmount": 0.015 }))
        .await
        .ok();
    adds_up(&direct, 2);
    assert_eq!(
        (&direct["fromNetwork"], &direct["toNetwork"], &direct["rateType"]),
        (&json!("BTC"), &Value::Null, &json!("FIXED"))
    );
    // A promise lasts as long as the contract wants, whatever other quotes do.
    let until = direct["rateIdExpirationTimestamp"].as_i64().unwrap();
    assert!(until >= house.now().0 / 1_000 + 30_000 && direct["rateId"].is_string());
    let reverse = wallet.estimates(json!({ "from": "BTC", "to": "SBERRUB", "toAmount": direct["toAmount"] })).await.ok();
    assert!(number(&reverse["fromAmount"]) <= number(&direct["fromAmount"]));
    assert!(number(&reverse["toAmount"]) >= number(&direct["toAmount"]));
    adds_up(&reverse, 2);
    // With fixed fees on a side, and with a course below one.
    let fee = wallet.estimates(json!({ "from": "ETH", "to": "TCSBRUB", "fromAmount": 1.5 })).await.ok();
    assert_eq!(fee["toFee"], 50);
    adds_up(&fee, 2);
    let bought = wallet.estimates(json!({ "from": "SBERRUB", "to": "BTC", "fromAmount": 50000 })).await.ok();
    assert_eq!(bought["toRate"], 1);
    adds_up(&bought, 8);
}

async fn an_order_from_the_list_to_the_end(engine: Engine) {
    let house = house(engine).await;
    let mut wallet = Wallet::of(&house).await;
    earns_half_a_percent(&house, &wallet.partner).await;
    let list = list(&house).await;
    let least = of(entry(&list, "BTC", "SBERRUB").unwrap(), "minamount").unwrap();
    let send: f64 = 0.015_f64.max(least.trim_end_matches(" BTC").parse().unwrap());
    let wish = wallet.wish(send).await;
    let order = wallet.orders(wish.clone()).await.ok();
    for field in ["from", "to", "fromNetwork", "fromAmount", "toAmount", "toPaymentDetails", "toMemo", "userId", "redirectUrl"] {
        assert_eq!(order[field], wish[field], "{field}: {order}");
    }
    adds_up(&order, 2);
    assert_eq!((&order["status"], &order["rateType"]), (&json!("WAITING"), &json!("FIXED")));
    assert!(order["payCryptoAddress"].is_string() && order["payUrl"].is_null());
    assert!(order["fromTxHash"].is_null() && order["toTxHash"].is_null());
    let share = number(&order["fromAmount"]) * Decimal::new(5, 3);
    assert_eq!(number(&order["fromRevenueShare"]), share.round_dp_with_strategy(8, RoundingStrategy::ToZero).normalize());
    let id = order["id"].as_str().unwrap().to_owned();
    assert_eq!(wallet.checks(&id).await.ok(), order);

    let way = [Action::PaymentSeen].into_iter().chain(WAY);
    for (action, status) in way.zip(["RECEIVED", "RECEIVED", "EXCHANGING", "SENDING", "COMPLETED"]) {
        operator_does(&house, &id, action).await;
        assert_eq!(wallet.status(&id).await, status);
    }
    let done = wallet.checks(&id).await.ok();
    assert!(done["fromTxHash"].is_string() && done["toTxHash"].is_string() && done["payCryptoAddress"].is_null());
    assert_eq!((&done["fromAmountReceived"], &done["toAmount"]), (&order["fromAmount"], &order["toAmount"]));
    assert_eq!(done["fromRevenueShare"], order["fromRevenueShare"]);
    let seen = house.owner().await.get(&format!("/api/admin/v1/partners/{}", wallet.partner.partner)).await.ok();
    assert_eq!(seen["earnings"][0]["earned"].as_str().unwrap(), done["fromRevenueShare"].to_string());
    // The contract knows no address of the customer's: letters go to whoever answers for the wallet.
    assert!(!house.mail_to("dev@wallet.example").await.is_empty());
    house.books_are_clean().await;
    house.audit_is_whole().await;
}

async fn earns_half_a_percent(house: &House, partner: &Partner) {
    let path = format!("/api/admin/v1/partners/{}", partner.partner);
    let revision = house.owner().await.get(&path).await.ok()["partner"]["revision"].clone();
    let change = json!({ "revision": revision, "commissionKind": "amount", "commissionPercent": "0.5" });
    house.owner().await.patch(&path, change).await.ok();
}

async fn orders_that_do_not_end_well(engine: Engine) {
    let house = house(engine).await;
    let mut wallet = Wallet::of(&house).await;
    let ids = [0.015, 0.016, 0.017, 0.018];
    let mut orders = Vec::new();
    for send in ids {
        orders.push(wallet.order(send).await["id"].as_str().unwrap().to_owned());
    }
    // Given up, twice, for the answer may be lost.
    for _ in 0..2 {
        assert_eq!(wallet.cancels(&orders[0]).await.ok(), json!({ "status": "SUCCESS" }));
    }
    assert_eq!(wallet.status(&orders[0]).await, "CANCELED");
    // Paid: too late to give it up. Then stopped.
    operator_does(&house, &orders[1], Action::PaymentSeen).await;
    let late = wallet.cancels(&orders[1]).await;
    assert!(late.is_signed && !late.refused(409, None).is_empty());
    operator_does(&house, &orders[1], Action::Hold).await;
    assert_eq!(wallet.status(&orders[1]).await, "HOLDED");
    // A part alone has arrived: that part is told.
    let operator = house.operator().await;
    for (action, said) in [
        ("payment_seen", json!({ "txId": "in-1" })),
        ("payment_received", json!({})),
        ("take", json!({})),
        ("payout_sent", json!({ "txId": "out-1" })),
        ("payout_partial", json!({ "amount": "1000.50" })),
    ] {
        let path = format!("/api/admin/v1/claims/{}", orders[2]);
        let mut step = json!({ "action": action, "revision": operator.get(&path).await.ok()["revision"] });
        step.as_object_mut().unwrap().extend(said.as_object().unwrap().clone());
        operator.post(&format!("{path}/transitions"), step).await.ok();
    }
    let part = wallet.checks(&orders[2]).await.ok();
    assert_eq!((&part["status"], number(&part["toAmount"])), (&json!("NOT_ENTIRE_WITHDRAW"), Decimal::new(100_050, 2)));
    // Never paid.
    house.later(Duration::from_secs(3 * 60 * 60)).await;
    wallet.look_at_the_clock(&house);
    let expired = wallet.checks(&orders[3]).await.ok();
    assert_eq!((&expired["status"], &expired["payCryptoAddress"]), (&json!("EXPIRED"), &Value::Null));
    // Orders of others, and of nobody, are not there; neither are claims that are no orders.
    let mut other = Wallet::with(
        &house,
        json!({ "title": "All", "sandbox": false, "scopes": ["read", "quote", "claim", "trustee"], "perMinute": 600 }),
    )
    .await;
    let claim = other.partner.claim("0.015", "own").await["id"].as_str().unwrap().to_owned();
    for id in [orders[0].as_str(), claim.as_str(), "QCqQF7U2BTebKL3Z"] {
        other.checks(id).await.refused(404, None);
        other.cancels(id).await.refused(404, None);
    }
    house.books_are_clean().await;
}

async fn a_customer_pays_on_our_page(engine: Engine) {
    let house = house(engine).await;
    let mut wallet = Wallet::of(&house).await;
    let wish = json!({
        "from": "SBERRUB", "to": "BTC", "toNetwork": "BTC", "fromAmount": 50000, "toAmount": 0.007,
        "toPaymentDetails": "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", "redirectUrl": "https://wallet.example/back",
    });
    let missing = wallet.orders(wish.clone()).await.refused(422, Some("PROVIDER_ERROR"));
    assert!(missing.starts_with("fromPaymentDetails: "), "{missing}");
    let mut whole = wish.clone();
    whole["fromPaymentDetails"] = json!("IVAN PETROV");
    let order = wallet.orders(whole.clone()).await.ok();
    let id = order["id"].as_str().unwrap();
    let page = order["payUrl"].as_str().unwrap();
    assert!(page.starts_with("http") && page.ends_with(&format!("/claim/{id}")) && !page.contains("/en/"), "{page}");
    assert!(order["payCryptoAddress"].is_null());
    // Without a promise the amount of the call is an estimate of the wallet's, and the answer says what it is.
    assert!(number(&order["toAmount"]) > Decimal::ZERO);
    adds_up(&order, 8);
    // Below /en everything is in English, the page as well.
    whole["fromAmount"] = json!(50_001);
    let english = wallet.calls(json!({ "method": "POST", "path": format!("/en{ROOT}/orders/"), "body": whole })).await.ok();
    assert!(english["payUrl"].as_str().unwrap().contains("/en/claim/"));
    // The customer says on the page that they have paid: nobody has seen the money yet.
    house.customer().post_empty(&format!("/api/v1/claim/{id}/paid/")).await.ok();
    let said = wallet.checks(id).await.ok();
    assert_eq!((&said["status"], &said["payUrl"], &said["fromAmountReceived"]), (&json!("WAITING"), &order["payUrl"], &json!(0)));
}

async fn a_floating_rate_is_said_with_the_order(engine: Engine) {
    let house = house(engine).await;
    let mut wallet = Wallet::of(&house).await;
    let ask = json!({ "from": "XMR", "to": "SBERRUB", "fromAmount": 2, "rateType": "FLOATING" });
    let estimate = wallet.estimates(ask).await.ok();
    assert!(estimate["rateType"] == "FLOATING" && estimate.get("rateId").is_none());
    let order = wallet
        .orders(json!({
            "from": "XMR", "to": "SBERRUB", "fromAmount": 2, "toAmount": 1, "toPaymentDetails": "2200000000000004", "toMemo": "IVAN PETROV",
        }))
        .await
        .ok();
    assert_eq!((&order["toAmount"], &order["rateType"]), (&estimate["toAmount"], &json!("FLOATING")));
    let wrong = json!({ "from": "XMR", "to": "SBERRUB", "fromAmount": 2, "rateType": "FIXED" });
    wallet.estimates(wrong).await.refused(422, Some("PROVIDER_ERROR"));
}

async fn what_is_wrong_is_said_in_the_contracts_words(engine: Engine) {
    let house = house(engine).await;
    let mut wallet = Wallet::of(&house).await;
    let provider = Some("PROVIDER_ERROR");
    let ask = |change: Value| {
        let mut wish = json!({ "from": "BTC", "to": "SBERRUB", "fromAmount": 0.015 });
        wish.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        wish
    };
    let least = wallet.estimates(ask(json!({ "fromAmount": 5e-7 }))).await;
    assert!(least.is_signed && !least.refused(422, Some("EXCEEDING_LIMITS")).is_empty());
    let limit = number(&least.body["minAmount"]);
    assert!(limit > Decimal::new(5, 7) && least.body["maxAmount"].is_null());
    let most = wallet.estimates(json!({ "from": "BTC", "to": "SBERRUB", "toAmount": 900000000 })).await;
    most.refused(422, Some("EXCEEDING_LIMITS"));
    assert!(number(&most.body["maxAmount"]) > Decimal::ONE_THOUSAND, "a limit of what is received is in what is received");
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
        let refused = wallet.estimates(ask(change.clone())).await;
        let message = refused.refused(status, provider);
        assert!(message.starts_with(field) && refused.is_signed, "{change}: {message}");
    }
    let wish = wallet.wish(0.015).await;
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
        let mut wrong = wish.clone();
        wrong[field] = value;
        let message = wallet.orders(wrong).await.refused(status, Some(code));
        assert!(message.starts_with(named), "{field}: {message}");
    }
    assert_eq!(house.app.claims.overview(1).await.unwrap().open, 0, "a refused order leaves nothing behind");
    wallet.orders(wish).await.ok();
}

/// With a sandbox key an order is a rehearsal, walked by the partner's own call.
async fn a_wallet_rehearses(engine: Engine) {
    let house = house(engine).await;
    let mut key = wallet_key(true);
    key["scopes"] = json!(["claim", "trustee"]);
    let mut wallet = Wallet::with(&house, key).await;
    let wish = wallet.wish(0.015).await;
    let order = wallet.orders(wish.clone()).await.ok();
    assert_eq!(wallet.orders(wish).await.ok(), order);
    let id = order["id"].as_str().unwrap().to_owned();
    let ways = [
        ("payment_seen", "RECEIVED"),
        ("amount_mismatch", "HOLDED"),
        ("paid", "RECEIVED"),
        ("processing", "EXCHANGING"),
        ("payout_error", "EXCHANGING"),
        ("refund_pending", "HOLDED"),
        ("refund_sent", "HOLDED"),
        ("refunded", "REFUNDED"),
    ];
    for (to, status) in ways {
        let advance = format!("/api/partner/v1/sandbox/claims/{id}/advance/");
        wallet.partner.post(&advance, &json!({ "to": to })).await.ok();
        assert_eq!(wallet.status(&id).await, status, "{to}");
    }
    house.later(Duration::from_secs(31 * 24 * 60 * 60)).await;
    wallet.look_at_the_clock(&house);
    wallet.checks(&id).await.refused(404, None);
    assert_eq!(house.app.claims.overview(1).await.unwrap().open, 0);
}

#[test]
fn every_state_has_a_status_of_the_contract() {
    for state in State::ALL {
        assert_eq!(STATUSES.iter().filter(|(name, _)| *name == state.name()).count(), 1, "{state}");
    }
    assert_eq!(STATUSES.len(), State::ALL.len());
}

/// A card that is nowhere in the demonstration's market.
const CARD: &str = "2201384719055627";

async fn what_a_wallet_asked_for_is_sealed(engine: Engine) {
    let house = house(engine).await;
    let mut wallet = Wallet::of(&house).await;
    let mut wish = wallet.wish(0.015).await;
    wish["toPaymentDetails"] = CARD.into();
    let order = wallet.orders(wish.clone()).await.ok();
    let id = order["id"].as_str().unwrap().to_owned();
    house.tells_nobody(&[CARD]).await;

    // As former versions stored it.
    let platform = &house.app.platform;
    let asked = "SELECT asked FROM partner_trustee_order";
    let (sealed,) = agio_core::fetch_one!(&mut platform.db.read().await.unwrap(), (String,), asked).unwrap();
    let open = platform.vault.open_text(&format!("trustee order {id}"), &sealed).unwrap();
    for sql in [
        "UPDATE partner_trustee_order SET asked = $1, fingerprint = 'as it was'",
        "INSERT INTO open_rows (name) SELECT 'partner_trustee_order' WHERE $1 <> ''",
    ] {
        let open = open.clone();
        let write = platform.db.write(move |tx| {
            let open = open.clone();
            Box::pin(async move { agio_core::execute!(tx, sql, open) })
        });
        write.await.unwrap();
    }
    assert_eq!(house.database().places_of(CARD).await.len(), 1);
    house.another_node().await.tells_nobody(&[CARD]).await;
    assert_eq!(wallet.checks(&id).await.ok()["toPaymentDetails"], CARD);
    assert_eq!(wallet.orders(wish).await.ok()["id"], id, "the same order is known by its content");
    for action in [Action::PaymentSeen].into_iter().chain(WAY) {
        operator_does(&house, &id, action).await;
    }
    house.tells_nobody(&[CARD]).await;
}
