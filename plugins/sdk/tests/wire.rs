//! Encoding of the protocol, with and without `arbitrary_precision` in `serde_json`.

use agio_plugin_sdk::protocol::*;
use rust_decimal::Decimal;
use serde_json::{Value, json};

fn text(text: &str) -> String {
    text.to_owned()
}

fn calls() -> Vec<Call> {
    let payout =
        PayoutRequest { key: text("k"), currency: text("BTC"), address: text("a"), memo: None, amount: Decimal::new(12_340, 5) };
    let screening =
        ScreeningRequest { key: text("k"), currency: text("BTC"), tx_id: text("t"), address: text("a"), amount: Decimal::ONE };
    vec![
        Call::Prices { assets: vec![text("BTC")] },
        Call::ReadFile(SourceFile { body: Body::of(vec![0xff, 0x00]), received_at: 1_711_627_200_000_000 }),
        Call::CompetitorOffers { directions: vec![(text("BTC"), text("SBERRUB"))] },
        Call::Addresses { requests: vec![AddressRequest { key: text("k"), currency: text("BTC") }] },
        Call::CreateInvoice(InvoiceRequest {
            key: text("k"),
            currency: text("SBERRUB"),
            amount: Decimal::new(900_005, 2),
            expires_at: Some(1_711_627_200_000_000),
            claim: 17,
            return_url: text("https://exchange.example/claim/1"),
            payer: [(text("holder"), text("IVAN PETROV"))].into(),
        }),
        Call::Watch(WatchRequest { currency: text("BTC"), cursor: None, confirmations: 3 }),
        Call::SendPayout(payout.clone()),
        Call::PayoutStatus(payout),
        Call::Balance { currency: text("BTC") },
        Call::Capabilities { currency: text("BTC") },
        Call::Screen(screening),
        Call::Notify(Notification { key: text("k"), recipient: None, event: text("e"), text: text("t"), url: None }),
        Call::ChatLink { code: text("c") },
        Call::StartedChats { cursor: Some(text("7")) },
        Call::CheckRequisite(RequisiteInput { currency: text("BTC"), field: text("address"), value: text("1") }),
    ]
}

#[test]
fn requests_round_trip() {
    let response =
        HttpResponse { status: 200, headers: vec![(text("a"), text("b"))], body: Body::of(vec![0xff]), received_at: -1 };
    let failure = HttpFailure { why: text("w"), may_have_acted: true };
    for call in calls() {
        let outcomes =
            vec![ActionResult::Http(response.clone()), ActionResult::HttpFailure(failure.clone()), ActionResult::Stored];
        let request = PluginRequest { now: 7, memo: json!({"page": 2}), outcomes, ..PluginRequest::of(call) };
        assert_eq!(json::read::<PluginRequest>(&json::write(&request)).unwrap(), request);
    }
}

#[test]
fn responses_round_trip() {
    let movement = Movement {
        tx_id: text("t"),
        output: 1,
        address: text("a"),
        memo: None,
        amount: Decimal::new(1, 8),
        confirmations: 2,
        gone: false,
    };
    let responses = [
        PluginResponse::Needs {
            actions: vec![Action::Http(HttpRequest::get("https://a.example")), Action::Store { name: text("n"), value: None }],
            memo: json!([1, 2.5, 12_345_678_901_234_567_890_u64]),
        },
        PluginResponse::Done(CallResult::Movements(Movements { movements: vec![movement], cursor: text("c"), height: u64::MAX })),
        PluginResponse::Done(CallResult::Payout(PayoutState::Sent { tx_id: text("t"), confirmations: 6, fee: None })),
        PluginResponse::Done(CallResult::Capabilities(Capabilities {
            payouts: true,
            payout_limits: AmountLimits { min: None, max: Some(Decimal::new(5, 1)) },
            ..Capabilities::default()
        })),
        PluginResponse::Done(CallResult::Balance(AvailableBalance { amount: Decimal::new(150_005, 2) })),
        PluginResponse::Done(CallResult::ChatLink(text("https://a.example"))),
        PluginResponse::Done(CallResult::StartedChats(StartedChats {
            chats: vec![StartedChat { code: text("c"), recipient: text("-1") }],
            cursor: Some(text("8")),
        })),
        PluginResponse::Done(CallResult::Checked(RequisiteCheck::Invalid { why: LocalizedText::new("нет", "no") })),
        PluginResponse::Done(CallResult::Invoice(Invoice {
            key: text("k"),
            address: text("inv-1"),
            instructions: PaymentInstructions::Page { url: text("https://pay.example/1") },
        })),
        PluginResponse::Done(CallResult::Notified),
        PluginResponse::Failed(CallError::temporary("unreachable", "w")),
    ];
    for response in responses {
        assert_eq!(json::read::<PluginResponse>(&json::write(&response)).unwrap(), response);
    }
}

#[test]
fn unknown_fields_are_ignored() {
    let mut request: Value = serde_json::from_slice(&json::write(&PluginRequest::of(calls().remove(4)))).unwrap();
    request["weather"] = json!("fine");
    request["call"]["depth"] = json!(1);
    assert_eq!(json::read::<PluginRequest>(request.to_string().as_bytes()).unwrap().call, calls().remove(4));
}

#[test]
fn wire_names_are_stable() {
    let name = |call: &Call| serde_json::to_value(call).unwrap()["ask"].as_str().unwrap().to_owned();
    let names: Vec<_> = calls().iter().map(name).collect();
    let expected = [
        "prices",
        "read",
        "positions",
        "addresses",
        "invoice",
        "watch",
        "send",
        "sent",
        "balance",
        "capabilities",
        "screen",
        "notify",
        "chat_link",
        "started_chats",
        "check",
    ];
    assert_eq!(names, expected);
    let addresses = serde_json::to_value(&calls()[3]).unwrap();
    assert_eq!(addresses["requests"], json!([{ "key": "k", "currency": "BTC" }]));
    let request = serde_json::to_value(PluginRequest::of(calls().remove(0))).unwrap();
    assert_eq!(request["kept"], json!({}));
    let screening = ScreeningResult { risk: Risk::Low, score: None, signals: Vec::new(), report: None };
    let offer = CompetitorOffer { exchanger: text("e"), rate: Decimal::ONE, reserve: Decimal::TEN };
    let offers = DirectionOffers { from: text("BTC"), to: text("ETH"), offers: vec![offer] };
    for (result, expected) in [
        (CallResult::Notified, json!({ "is": "told" })),
        (
            CallResult::Screening(screening),
            json!({ "is": "verdict", "value": { "risk": "low", "score": null, "signals": [], "report": null } }),
        ),
        (
            CallResult::CompetitorOffers(vec![offers]),
            json!({ "is": "positions", "value": [
                { "from": "BTC", "to": "ETH", "offers": [{ "exchanger": "e", "course": "1", "reserve": "10" }] },
            ] }),
        ),
        (
            CallResult::Capabilities(Capabilities::default()),
            json!({ "is": "capabilities", "value": {
                "invoices": false, "payouts": false, "refunds": false, "balance": false, "fee": false,
                "invoice_limits": { "min": null, "max": null }, "payout_limits": { "min": null, "max": null },
            } }),
        ),
        (CallResult::Balance(AvailableBalance { amount: Decimal::TEN }), json!({ "is": "balance", "value": { "amount": "10" } })),
        (
            CallResult::Checked(RequisiteCheck::Valid { canonical: text("1") }),
            json!({ "is": "checked", "value": { "verdict": "good", "canonical": "1" } }),
        ),
    ] {
        assert_eq!(serde_json::to_value(PluginResponse::Done(result)).unwrap(), json!({ "done": expected }));
    }
    let error = serde_json::to_value(PluginResponse::Failed(CallError::permanent("a", "b"))).unwrap();
    assert_eq!(error, json!({ "refused": { "code": "a", "why": "b", "later": false } }));
    let store = serde_json::to_value(Action::Store { name: text("n"), value: None }).unwrap();
    assert_eq!(store, json!({ "do": "keep", "name": "n", "value": null }));
    assert_eq!(serde_json::to_value(ActionResult::Stored).unwrap(), json!({ "came": "kept" }));
    let failure = ActionResult::HttpFailure(HttpFailure { why: text("w"), may_have_acted: true });
    assert_eq!(serde_json::to_value(failure).unwrap(), json!({ "came": "unreached", "why": "w", "may_have_acted": true }));
}
