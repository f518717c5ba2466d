//! Everything that is said can be read again, with exact numbers switched on in `serde_json` and without.

use agio_plugin::protocol::*;
use rust_decimal::Decimal;
use serde_json::{Value, json};

fn text(text: &str) -> String {
    text.to_owned()
}

fn questions() -> Vec<Call> {
    let payout =
        Payout { key: text("k"), currency: text("BTC"), address: text("a"), memo: None, amount: Decimal::new(12_340, 5) };
    let screening =
        Screening { key: text("k"), currency: text("BTC"), tx_id: text("t"), address: text("a"), amount: Decimal::ONE };
    vec![
        Call::Prices { assets: vec![text("BTC")] },
        Call::Read(Document { body: Body::of(vec![0xff, 0x00]), received_at: 1_711_627_200_000_000 }),
        Call::Positions { directions: vec![(text("BTC"), text("SBERRUB"))] },
        Call::Addresses { wishes: vec![AddressWish { key: text("k"), currency: text("BTC") }] },
        Call::Watch(Watch { currency: text("BTC"), cursor: None, confirmations: 3 }),
        Call::Send(payout.clone()),
        Call::Sent(payout),
        Call::Screen(screening),
        Call::Notify(Notice { key: text("k"), recipient: None, event: text("e"), text: text("t"), url: None }),
        Call::Check(Requisite { currency: text("BTC"), field: text("address"), value: text("1") }),
    ]
}

#[test]
fn every_question_is_read_as_it_was_asked() {
    let response =
        HttpResponse { status: 200, headers: vec![(text("a"), text("b"))], body: Body::of(vec![0xff]), received_at: -1 };
    let unreached = Unreached { why: text("w"), may_have_acted: true };
    for call in questions() {
        let outcomes = vec![Outcome::Http(response.clone()), Outcome::Unreached(unreached.clone()), Outcome::Kept];
        let asked = Question { now: 7, memo: json!({"page": 2}), outcomes, ..Question::of(call) };
        assert_eq!(json::read::<Question>(&json::write(&asked)).unwrap(), asked);
    }
}

#[test]
fn every_step_is_read_as_it_was_said() {
    let movement = Movement {
        tx_id: text("t"),
        output: 1,
        address: text("a"),
        memo: None,
        amount: Decimal::new(1, 8),
        confirmations: 2,
        gone: false,
    };
    let steps = [
        Step::Needs {
            actions: vec![Action::Http(HttpRequest::get("https://a.example")), Action::Keep { name: text("n"), value: None }],
            memo: json!([1, 2.5, 12_345_678_901_234_567_890_u64]),
        },
        Step::Done(Answer::Movements(Movements { movements: vec![movement], cursor: text("c"), height: u64::MAX })),
        Step::Done(Answer::Payout(PayoutState::Sent { tx_id: text("t"), confirmations: 6, fee: None })),
        Step::Done(Answer::Checked(Checked::Bad { why: Words::new("нет", "no") })),
        Step::Done(Answer::Told),
        Step::Refused(Refusal::later("unreachable", "w")),
    ];
    for said in steps {
        assert_eq!(json::read::<Step>(&json::write(&said)).unwrap(), said);
    }
}

#[test]
fn what_nobody_knows_yet_is_passed_over() {
    let mut said: Value = serde_json::from_slice(&json::write(&Question::of(questions().remove(4)))).unwrap();
    said["weather"] = json!("fine");
    said["call"]["depth"] = json!(1);
    assert_eq!(json::read::<Question>(said.to_string().as_bytes()).unwrap().call, questions().remove(4));
}
