//! The driver against gateways that keep to the contract, and against those that do not.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

use std::process::Command;

use agio_plugin_payments_http::PaymentsHttp;
use agio_plugin_runtime::{PluginError, PluginRegistry as _};
use agio_plugin_sdk::harness::{Harness, json_of};
use agio_plugin_sdk::protocol::{
    AmountLimits, AvailableBalance, Call, CallResult, Capabilities, Invoice, InvoiceRequest, Movements, PaymentInstructions,
    PayoutRequest, PayoutState, WatchRequest,
};
use agio_plugin_test::{
    ExampleServer, FakeResponse, FakeServer, assert_handles_bad_responses, call_error, call_plugin, closed_port, plugin_registry,
};
use serde_json::{Value, json};

const NOW: &str = "2024-03-28T12:00:00Z";
const SECRET: &str = "the-secret-of-the-tests";
const PAGES: &str = "https://pay.example";
const INVOICE: &str = r#"{"id":"inv-1","details":{"value":"40702810900000000001","holder":"Example LLC","memo":"7"}}"#;
const BALANCE: &str = r#"{"amount":"250000.5"}"#;
const CAPABILITIES: &str =
    r#"{"currencies":[{"currency":"SBERRUB","operations":["invoices","payouts","subscriptions"],"payoutMax":"500"}]}"#;
const MOVEMENTS: &str = r#"{"movements":[{"id":"pay-1","invoice":"inv-1","amount":"1500.05","confirmations":1}],"cursor":"42"}"#;

fn invoice(key: &str) -> Call {
    Call::CreateInvoice(InvoiceRequest {
        key: key.to_owned(),
        currency: "SBERRUB".to_owned(),
        amount: "1500.50".parse().unwrap(),
        expires_at: Some(1_711_629_000_000_000),
        claim: 17,
        return_url: "https://exchange.example/claim/1".to_owned(),
        payer: [("holder".to_owned(), "IVAN PETROV".to_owned())].into(),
    })
}

fn watch(cursor: Option<&str>) -> Call {
    Call::Watch(WatchRequest { currency: "SBERRUB".to_owned(), cursor: cursor.map(str::to_owned), confirmations: 1 })
}

fn payout(key: &str) -> PayoutRequest {
    PayoutRequest {
        key: key.to_owned(),
        currency: "SBERRUB".to_owned(),
        address: "2200000000000004".to_owned(),
        memo: None,
        amount: "900.10".parse().unwrap(),
    }
}

fn balance() -> Call {
    Call::Balance { currency: "SBERRUB".to_owned() }
}

fn capabilities(currency: &str) -> Call {
    Call::Capabilities { currency: currency.to_owned() }
}

fn settings(url: &str) -> Vec<(&str, &str)> {
    vec![("url", url), ("secret", SECRET), ("pages", PAGES)]
}

async fn answered(call: Call, answer: FakeResponse) -> Result<CallResult, PluginError> {
    let server = FakeServer::start([answer]).await;
    call_plugin(NOW, PaymentsHttp, &settings(server.origin()), call).await
}

#[tokio::test]
async fn requests_are_as_documented() {
    let unknown = r#"{"state":"unknown","message":""}"#;
    let answers = [INVOICE, MOVEMENTS, unknown, unknown, BALANCE, CAPABILITIES].map(FakeResponse::ok);
    let server = FakeServer::start(answers).await;
    let url = format!("{}/agio/", server.origin());
    let registry = plugin_registry(NOW, PaymentsHttp, &settings(&url));
    for call in [
        invoice("i-1"),
        watch(Some("41")),
        Call::SendPayout(payout("k-1")),
        Call::PayoutStatus(payout("k-1")),
        balance(),
        capabilities("SBERRUB"),
    ] {
        registry.call("payments-http", call).await.unwrap();
    }
    let requests = server.received();
    let lines: Vec<_> = requests.iter().map(|request| request.line.as_str()).collect();
    let movements = "GET /agio/movements?currency=SBERRUB&confirmations=1&after=41";
    let balance = "GET /agio/balance?currency=SBERRUB";
    assert_eq!(
        lines,
        ["POST /agio/invoices", movements, "POST /agio/payouts", "GET /agio/payouts/k-1", balance, "GET /agio/capabilities"]
    );
    assert!(requests.iter().all(|request| request.header("authorization") == Some(&format!("Bearer {SECRET}"))));
    let body = |request: usize| serde_json::from_str::<Value>(&requests[request].body).unwrap();
    let asked = json!({
        "key": "i-1", "currency": "SBERRUB", "amount": "1500.5", "claim": 17, "expiresAt": "2024-03-28T12:30:00Z",
        "returnUrl": "https://exchange.example/claim/1", "callbackUrl": null, "payer": null,
    });
    assert_eq!(body(0), asked);
    let sent = json!({ "key": "k-1", "currency": "SBERRUB", "amount": "900.1", "address": "2200000000000004", "memo": null });
    assert_eq!(body(2), sent);
}

#[tokio::test]
async fn a_balance_is_optional_and_exact() {
    let known = answered(balance(), FakeResponse::ok(BALANCE)).await;
    assert_eq!(known, Ok(CallResult::Balance(AvailableBalance { amount: "250000.5".parse().unwrap() })));
    for status in [404, 405, 501] {
        let refused = answered(balance(), FakeResponse::status(status, "")).await.unwrap_err();
        assert_eq!(call_error(&refused).0, "not_supported");
    }
    for body in [r#"{"amount":250000.5}"#, r#"{"amount":"-1"}"#, r#"{"amount":"1e3"}"#, r#"{"amount":null}"#, "{}"] {
        assert_eq!(call_error(&answered(balance(), FakeResponse::ok(body)).await.expect_err(body)).0, "unreadable");
    }
}

#[tokio::test]
async fn a_gateway_says_what_it_can_do() {
    let answer = async |currency: &str, body: &str| answered(capabilities(currency), FakeResponse::ok(body)).await;
    let limits = AmountLimits { min: None, max: Some(500.into()) };
    let known = Capabilities { invoices: true, payouts: true, payout_limits: limits, ..Capabilities::default() };
    assert_eq!(answer("SBERRUB", CAPABILITIES).await, Ok(CallResult::Capabilities(known)));
    assert_eq!(answer("BTC", CAPABILITIES).await, Ok(CallResult::Capabilities(Capabilities::default())));
    let refused = answered(capabilities("SBERRUB"), FakeResponse::status(404, "")).await.unwrap_err();
    assert_eq!(call_error(&refused).0, "not_supported");
    for body in [
        CAPABILITIES.replace("\"500\"", "500"),
        CAPABILITIES.replace("\"500\"", "\"500\",\"payoutMin\":\"501\""),
        CAPABILITIES.replace("operations", "operation"),
        CAPABILITIES.replace("[\"invoices\",\"payouts\",\"subscriptions\"]", "\"invoices\""),
    ] {
        assert_eq!(call_error(&answer("SBERRUB", &body).await.expect_err(&body)).0, "unreadable");
    }
}

#[test]
fn a_gateway_is_told_who_pays_only_if_the_owner_allows_it() {
    for (allowed, payer) in [("true", json!({ "holder": "IVAN PETROV" })), ("false", Value::Null)] {
        let gateway = Harness::new(PaymentsHttp).set("url", "https://gateway.example").set("secret", SECRET);
        let mut gateway = gateway.set("payer", allowed).reply(200, INVOICE);
        gateway.call(invoice("i-1")).unwrap();
        assert_eq!(json_of(&gateway.requests()[0])["payer"], payer);
    }
}

#[test]
fn a_gateway_is_told_where_to_call() {
    let mut gateway = Harness::new(PaymentsHttp).set("url", "https://gateway.example").set("secret", SECRET).reply(200, INVOICE);
    gateway.callback_url = Some("https://exchange.example/hooks/payments-http/token".to_owned());
    gateway.call(invoice("i-1")).unwrap();
    assert_eq!(json_of(&gateway.requests()[0])["callbackUrl"], "https://exchange.example/hooks/payments-http/token");
}

#[tokio::test]
async fn customers_are_sent_to_the_site_in_the_settings_only() {
    let page = |url: &str| json!({ "id": "inv-1", "page": url }).to_string();
    for url in ["https://pay.example", "https://pay.example/inv-1?a=b#c", "https://pay.example?x"] {
        let Ok(CallResult::Invoice(given)) = answered(invoice("i"), FakeResponse::ok(page(url))).await else { panic!("{url}") };
        assert_eq!(given.instructions, PaymentInstructions::Page { url: url.to_owned() });
    }
    for url in [
        "http://pay.example/inv-1",
        "https://pay.example.evil.example/",
        "https://pay.example@evil.example/",
        "https://pay.example:8443/",
        "https://evil.example/https://pay.example/",
        "https://pay.example/\\evil",
        "https://pay.example/a b",
        "javascript:alert(1)",
        "",
    ] {
        let refused = answered(invoice("i"), FakeResponse::ok(page(url))).await.unwrap_err();
        assert_eq!(call_error(&refused).0, "page_not_allowed", "{url}");
    }
    // Without a site in the settings there are no pages.
    let server = FakeServer::start([FakeResponse::ok(page("https://pay.example/inv-1"))]).await;
    let set = [("url", server.origin()), ("secret", SECRET), ("pages", "")];
    let refused = call_plugin(NOW, PaymentsHttp, &set, invoice("i")).await.unwrap_err();
    assert_eq!(call_error(&refused).0, "page_not_allowed");
}

#[tokio::test]
async fn what_does_not_fit_the_contract_is_refused() {
    let invoices = [
        r#"{"id":"inv-1"}"#.to_owned(),
        r#"{"id":"inv 1","page":"https://pay.example"}"#.to_owned(),
        INVOICE.replace("}}", r#"},"page":"https://pay.example"}"#),
        INVOICE.replace("inv-1", ""),
        INVOICE.replace("40702810900000000001", " "),
        INVOICE.replace("Example LLC", "Example\\nLLC"),
        INVOICE.replace('7', &"7".repeat(101)),
    ];
    for body in invoices {
        assert_eq!(call_error(&answered(invoice("i"), FakeResponse::ok(body.clone())).await.expect_err(&body)).0, "unreadable");
    }
    let movements = [
        MOVEMENTS.replace("\"1500.05\"", "1500.05"),
        MOVEMENTS.replace("1500.05", "-1"),
        MOVEMENTS.replace("1500.05", "1e3"),
        MOVEMENTS.replace("1500.05", "1,5"),
        MOVEMENTS.replace("\"confirmations\":1", "\"confirmations\":-1"),
        MOVEMENTS.replace("\"42\"", "\"4&2\""),
        MOVEMENTS.replace("pay-1", ""),
    ];
    for body in movements {
        assert_eq!(call_error(&answered(watch(None), FakeResponse::ok(body.clone())).await.expect_err(&body)).0, "unreadable");
    }
    let short = call_plugin(NOW, PaymentsHttp, &[("url", "http://a.example"), ("secret", "short")], watch(None)).await;
    assert_eq!(call_error(&short.unwrap_err()).0, "bad_secret");
    let refusal = r#"{"code":"unknown_currency","message":"only EUR"}"#;
    let refused = answered(watch(None), FakeResponse::status(400, refusal)).await.unwrap_err();
    assert!(call_error(&refused).1.contains("unknown_currency: only EUR"));
}

#[tokio::test]
async fn whatever_goes_wrong_is_no_answer() {
    let set = |origin: &str| vec![("url", origin.to_owned()), ("secret", SECRET.to_owned())];
    for (call, valid) in [
        (invoice("i"), INVOICE),
        (watch(None), MOVEMENTS),
        (balance(), BALANCE),
        (capabilities("SBERRUB"), CAPABILITIES),
        (Call::PayoutStatus(payout("k")), r#"{"state":"never_sent","code":"not_found","message":""}"#),
    ] {
        assert_handles_bad_responses(NOW, |_| PaymentsHttp, set, call, valid.as_bytes(), SECRET).await;
    }
}

/// Nothing is paid twice: whatever is not an answer of the contract leaves a payout unknown.
#[tokio::test]
async fn a_payout_is_unknown_unless_the_gateway_knows() {
    let never = r#"{"state":"never_sent","code":"bad_address","message":"no such card"}"#;
    let unclear = [
        FakeResponse::status(404, never),
        FakeResponse::status(401, never),
        FakeResponse::status(422, never),
        FakeResponse::status(500, never),
        FakeResponse::ok("{}"),
        FakeResponse::ok(r#"{"state":"sent","id":"","confirmations":0}"#),
        FakeResponse::ok(r#"{"state":"sent","id":"out-1","confirmations":0,"fee":0.5}"#),
        FakeResponse::ok(r#"{"state":"refused","code":"a","message":"b"}"#),
        FakeResponse::Close,
    ];
    for answer in unclear {
        let shown = format!("{answer:?}");
        let Ok(CallResult::Payout(state)) = answered(Call::SendPayout(payout("k")), answer.clone()).await else {
            panic!("{shown}")
        };
        assert!(matches!(state, PayoutState::Unknown { .. }), "{shown}: {state:?}");
        assert!(answered(Call::PayoutStatus(payout("k")), answer).await.is_err(), "{shown}");
    }
    let refused = answered(Call::SendPayout(payout("k")), FakeResponse::ok(never)).await.unwrap();
    assert!(matches!(refused, CallResult::Payout(PayoutState::NeverSent { code, .. }) if code == "bad_address"));
    let unreached =
        call_plugin(NOW, PaymentsHttp, &settings(&format!("http://{}", closed_port())), Call::SendPayout(payout("k")))
            .await
            .unwrap_err();
    assert!(!unreached.may_have_acted && call_error(&unreached).2, "nobody was there to act");
}

/// The example of a gateway in PHP, which keeps everything in this folder.
async fn php(folder: &tempfile::TempDir) -> ExampleServer {
    ExampleServer::start(|address| {
        let mut command = Command::new("php");
        command
            .args(["-S", &address.to_string(), concat!(env!("CARGO_MANIFEST_DIR"), "/examples/php/gateway.php")])
            .env("GATEWAY_SECRET", SECRET)
            .env("GATEWAY_PAGES", PAGES)
            .env("GATEWAY_BALANCE", "250000.5")
            .env("GATEWAY_FILE", folder.path().join("gateway.json"));
        command
    })
    .await
}

/// What a customer does on the bank's page.
async fn pay(url: &str, invoice: &str) {
    let body = json!({ "invoice": invoice });
    let request = reqwest::Client::new().post(format!("{url}/bank/pay")).bearer_auth(SECRET).json(&body);
    request.send().await.unwrap().error_for_status().unwrap();
}

#[tokio::test]
async fn the_example_in_php_calls_back() {
    let agio = FakeServer::start([FakeResponse::status(204, "")]).await;
    let folder = tempfile::tempdir().unwrap();
    let php = php(&folder).await;
    let url = php.origin();
    let asked = json!({
        "key": "i-1", "currency": "SBERRUB", "amount": "1500.5", "callbackUrl": format!("{}/hooks/a/b", agio.origin()),
    });
    let request = reqwest::Client::new().post(format!("{url}/invoices")).bearer_auth(SECRET).json(&asked);
    let created: Value = request.send().await.unwrap().error_for_status().unwrap().json().await.unwrap();
    pay(&url, created["id"].as_str().unwrap()).await;
    let lines: Vec<_> = agio.received().into_iter().map(|request| request.line).collect();
    assert_eq!(lines, ["POST /hooks/a/b"]);
}

#[tokio::test]
async fn the_example_in_php_keeps_to_the_contract() {
    let folder = tempfile::tempdir().unwrap();
    let php = php(&folder).await;
    let url = php.origin();
    let registry = plugin_registry(NOW, PaymentsHttp, &settings(&url));
    let call = async |call: Call| registry.call("payments-http", call).await.unwrap();

    let first = call(invoice("i-1")).await;
    assert_eq!(call(invoice("i-1")).await, first, "a repeated key gets the same invoice");
    assert_ne!(call(invoice("i-2")).await, first);
    let CallResult::Invoice(Invoice { address, instructions, .. }) = first else { panic!("it is no invoice") };
    assert_eq!(instructions, PaymentInstructions::Page { url: format!("{PAGES}/{address}") });

    let CallResult::Movements(Movements { movements, cursor, .. }) = call(watch(None)).await else { panic!("no movements") };
    assert!(movements.is_empty());
    pay(&url, &address).await;
    let CallResult::Movements(paid) = call(watch(Some(&cursor))).await else { panic!("no movements") };
    let [movement] = &paid.movements[..] else { panic!("{paid:?}") };
    assert_eq!((movement.address.as_str(), movement.amount, movement.confirmations), (&*address, "1500.5".parse().unwrap(), 1));
    let CallResult::Movements(after) = call(watch(Some(&paid.cursor))).await else { panic!("no movements") };
    assert!(after.movements.is_empty(), "it is reported once");

    let CallResult::Capabilities(can) = call(capabilities("SBERRUB")).await else { panic!("no capabilities") };
    assert!(can.invoices && can.payouts && can.refunds && can.balance && !can.fee);
    assert_eq!(call(balance()).await, CallResult::Balance(AvailableBalance { amount: "250000.5".parse().unwrap() }));

    let sent = call(Call::SendPayout(payout("k-1"))).await;
    assert!(matches!(&sent, CallResult::Payout(PayoutState::Sent { .. })));
    assert_eq!(call(Call::SendPayout(payout("k-1"))).await, sent, "a repeated key sends nothing");
    assert_eq!(call(Call::PayoutStatus(payout("k-1"))).await, sent);
    let never = call(Call::PayoutStatus(payout("k-2"))).await;
    assert!(matches!(&never, CallResult::Payout(PayoutState::NeverSent { .. })));
    assert_eq!(call(Call::SendPayout(payout("k-2"))).await, never, "what comes too late is refused");
}
