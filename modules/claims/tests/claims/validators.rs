//! Plugins that know requisites: they are asked when a claim is made, and keep nobody from one.

use std::time::{Duration, Instant};

use agio_plugin::Plugin;
use agio_plugin::protocol::{
    Action, Answer, Call, Checked, Field, FieldKind, Host, HttpRequest, Kind, Limits, Manifest, Method, Question, Refusal, Step,
    Words,
};
use agio_plugin_host::BuiltIn;
use agio_testkit::{Answer as Reply, Caller, Database, Engine, House, both_engines};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::people::{ADDRESS, pair};

/// How a plugin does.
#[derive(Clone)]
enum Doing {
    /// It knows banks: one it writes in capitals, and with another no transfer goes through. Of a third it would make another one.
    Knows,
    /// It asks somebody who never answers.
    Waits(String),
    /// It panics.
    Dies,
}

struct Banks(Doing);

impl Plugin for Banks {
    fn manifest(&self) -> Manifest {
        let url =
            Field { name: "url".to_owned(), kind: FieldKind::Url, title: Words::new("Адрес", "Address"), default: None };
        Manifest {
            name: "banks".to_owned(),
            version: "1".to_owned(),
            kind: Kind::Requisites,
            title: Words::new("Банки", "Banks"),
            about: Words::default(),
            hosts: vec![Host::Setting { setting: "url".to_owned(), methods: vec![Method::Get] }],
            settings: vec![url],
            limits: Limits { request_ms: 60_000, ..Limits::default() },
            features: Vec::new(),
        }
    }

    fn handle(&self, question: &Question) -> Step {
        let Call::Check(asked) = &question.call else { return Step::Refused(Refusal::never("not_asked", "")) };
        if asked.field != "bank" {
            return Step::Refused(Refusal::never("not_mine", "it is no bank"));
        }
        let good = |canonical: &str| Step::Done(Answer::Checked(Checked::Good { canonical: canonical.to_owned() }));
        match (&self.0, asked.value.as_str()) {
            (Doing::Waits(url), _) => Step::first(Action::Http(HttpRequest::get(url.clone()))),
            (Doing::Dies, _) => panic!("a plugin of a test was told to"),
            (Doing::Knows, "Dead bank") => Step::Done(Answer::Checked(Checked::Bad {
                why: Words::new("Этот банк переводов не принимает.", "This bank takes no transfers."),
            })),
            (Doing::Knows, "Old bank") => good("New bank"),
            (Doing::Knows, bank) => good(&bank.to_uppercase()),
        }
    }
}

async fn house(engine: Engine, doing: Doing) -> House {
    let url = if let Doing::Waits(url) = &doing { url.clone() } else { "https://banks.example/".to_owned() };
    House::open_asking(Database::furnished(engine).await, |_| {}, |hand| BuiltIn::new(hand).with(Banks(doing), &[("url", &url)]))
        .await
}

/// A customer wants roubles at a bank.
async fn wants(house: &House, customer: &Caller, language: &str, bank: &str) -> Reply {
    let pair = pair(house, "BTC", "SBPRUB", "0.01");
    let order = json!({
        "email": "anna@example.com", "fromPs": pair.from, "toPs": pair.to, "fromSumma": pair.send, "toSumma": pair.receive,
        "fromRequisites": { "refundAddress": ADDRESS },
        "toRequisites": { "phone": "+79991234567", "bank": bank, "holder": "IVAN PETROV" },
        "extras": { "termsVersion": "1", "amlConsent": true },
    });
    customer.post(&format!("{language}/api/v1/claim/"), order).await
}

/// The bank as it is kept with the claim.
async fn kept(customer: &Caller, made: &Value) -> String {
    let form = customer.get(&format!("/api/v1/claim/{}/form/", made["id"].as_str().unwrap())).await.ok();
    let given = form["to"]["requisites"].as_array().unwrap();
    given.iter().find(|one| one["name"] == "bank").unwrap()["value"].as_str().unwrap().to_owned()
}

async fn a_plugin_says_how_requisites_are_written_and_which_are_no_good(engine: Engine) {
    let house = house(engine, Doing::Knows).await;
    let customer = house.customer();
    let made = wants(&house, &customer, "", "Good bank").await.ok();
    assert_eq!(kept(&customer, &made).await, "GOOD BANK");
    // It may write a value in another way, not put another in its place.
    let made = wants(&house, &customer, "", "Old bank").await.ok();
    assert_eq!(kept(&customer, &made).await, "Old bank");
    for (language, why) in [("", "Этот банк переводов не принимает."), ("/en", "This bank takes no transfers.")]
    {
        let refused = wants(&house, &customer, language, "Dead bank").await.refused(422, "validation_failed");
        let [error] = &refused["errors"]["toRequisites.bank"].as_array().unwrap()[..] else { panic!("{refused}") };
        assert!(error.to_string().contains(why), "{refused}");
    }
}

async fn who_waits_for_a_slow_plugin_waits_for_a_moment(engine: Engine) {
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let house = house(engine, Doing::Waits(format!("http://{}/", silent.local_addr().unwrap()))).await;
    let (customer, began) = (house.customer(), Instant::now());
    let made = wants(&house, &customer, "", "Good bank").await.ok();
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    assert_eq!(kept(&customer, &made).await, "Good bank", "the house's own rule holds");
}

async fn a_dead_plugin_is_as_if_there_were_none(engine: Engine) {
    let house = house(engine, Doing::Dies).await;
    let customer = house.customer();
    let made = wants(&house, &customer, "", "Good bank").await.ok();
    assert_eq!(kept(&customer, &made).await, "Good bank");
    // What the house's own rules refuse stays refused.
    let refused = wants(&house, &customer, "", " ").await.refused(422, "validation_failed");
    assert!(refused["errors"]["toRequisites.bank"].is_array(), "{refused}");
}

both_engines!(
    a_plugin_says_how_requisites_are_written_and_which_are_no_good,
    who_waits_for_a_slow_plugin_waits_for_a_moment,
    a_dead_plugin_is_as_if_there_were_none,
);
