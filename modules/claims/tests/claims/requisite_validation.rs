//! Plugins that know requisites: they are asked when a claim is made, and keep nobody from one.

use std::time::{Duration, Instant};

use agio_plugin_runtime::BuiltInPlugins;
use agio_plugin_sdk::Plugin;
use agio_plugin_sdk::protocol::{
    Action, AllowedHost, Call, CallError, CallResult, HttpMethod, HttpRequest, LocalizedText, Manifest, PluginKind, PluginLimits,
    PluginRequest, PluginResponse, PluginSetting, PluginSettingKind, RequisiteCheck,
};
use agio_test_app::{Database, Engine, TestApp, TestClient, TestResponse as Reply, both_engines};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::fixtures::{ADDRESS, pair};

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
        let url = PluginSetting {
            name: "url".to_owned(),
            kind: PluginSettingKind::Url,
            title: LocalizedText::new("Адрес", "Address"),
            default: None,
        };
        Manifest {
            name: "banks".to_owned(),
            version: "1".to_owned(),
            kind: PluginKind::Requisites,
            title: LocalizedText::new("Банки", "Banks"),
            about: LocalizedText::default(),
            hosts: vec![AllowedHost::Setting { setting: "url".to_owned(), methods: vec![HttpMethod::Get] }],
            settings: vec![url],
            limits: PluginLimits { request_ms: 60_000, ..PluginLimits::default() },
            features: Vec::new(),
        }
    }

    fn handle(&self, question: &PluginRequest) -> PluginResponse {
        let Call::CheckRequisite(asked) = &question.call else {
            return PluginResponse::Failed(CallError::permanent("not_asked", ""));
        };
        if asked.field != "bank" {
            return PluginResponse::Failed(CallError::permanent("not_mine", "it is no bank"));
        }
        let good = |canonical: &str| {
            PluginResponse::Done(CallResult::Checked(RequisiteCheck::Valid { canonical: canonical.to_owned() }))
        };
        match (&self.0, asked.value.as_str()) {
            (Doing::Waits(url), _) => PluginResponse::action(Action::Http(HttpRequest::get(url.clone()))),
            (Doing::Dies, _) => panic!("a plugin of a test was told to"),
            (Doing::Knows, "Dead bank") => PluginResponse::Done(CallResult::Checked(RequisiteCheck::Invalid {
                why: LocalizedText::new("Этот банк переводов не принимает.", "This bank takes no transfers."),
            })),
            (Doing::Knows, "Old bank") => good("New bank"),
            (Doing::Knows, bank) => good(&bank.to_uppercase()),
        }
    }
}

async fn app(engine: Engine, doing: Doing) -> TestApp {
    let url = if let Doing::Waits(url) = &doing { url.clone() } else { "https://banks.example/".to_owned() };
    TestApp::start_with_plugins(
        Database::with_market(engine).await,
        |_| {},
        |executor| BuiltInPlugins::new(executor).with(Banks(doing), &[("url", &url)]),
    )
    .await
}

/// A customer wants roubles at a bank.
async fn wants(app: &TestApp, customer: &TestClient, language: &str, bank: &str) -> Reply {
    let pair = pair(app, "BTC", "SBPRUB", "0.01");
    let order = json!({
        "email": "anna@example.com", "fromPs": pair.from, "toPs": pair.to, "fromSumma": pair.send, "toSumma": pair.receive,
        "fromRequisites": { "refundAddress": ADDRESS },
        "toRequisites": { "phone": "+79991234567", "bank": bank, "holder": "IVAN PETROV" },
        "extras": { "termsVersion": "1", "amlConsent": true },
    });
    customer.post(&format!("{language}/api/v1/claim/"), order).await
}

/// The bank as it is kept with the claim.
async fn kept(customer: &TestClient, made: &Value) -> String {
    let form = customer.get(&format!("/api/v1/claim/{}/form/", made["id"].as_str().unwrap())).await.ok();
    let given = form["to"]["requisites"].as_array().unwrap();
    given.iter().find(|one| one["name"] == "bank").unwrap()["value"].as_str().unwrap().to_owned()
}

async fn a_plugin_says_how_requisites_are_written_and_which_are_no_good(engine: Engine) {
    let app = app(engine, Doing::Knows).await;
    let customer = app.visitor();
    let made = wants(&app, &customer, "", "Good bank").await.ok();
    assert_eq!(kept(&customer, &made).await, "GOOD BANK");
    // It may write a value in another way, not put another in its place.
    let made = wants(&app, &customer, "", "Old bank").await.ok();
    assert_eq!(kept(&customer, &made).await, "Old bank");
    for (language, why) in [("", "Этот банк переводов не принимает."), ("/en", "This bank takes no transfers.")]
    {
        let refused = wants(&app, &customer, language, "Dead bank").await.refused(422, "validation_failed");
        let [error] = &refused["errors"]["toRequisites.bank"].as_array().unwrap()[..] else { panic!("{refused}") };
        assert!(error.to_string().contains(why), "{refused}");
    }
}

async fn who_waits_for_a_slow_plugin_waits_for_a_moment(engine: Engine) {
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let app = app(engine, Doing::Waits(format!("http://{}/", silent.local_addr().unwrap()))).await;
    let (customer, began) = (app.visitor(), Instant::now());
    let made = wants(&app, &customer, "", "Good bank").await.ok();
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    assert_eq!(kept(&customer, &made).await, "Good bank", "our own rule holds");
}

async fn a_dead_plugin_is_as_if_there_were_none(engine: Engine) {
    let app = app(engine, Doing::Dies).await;
    let customer = app.visitor();
    let made = wants(&app, &customer, "", "Good bank").await.ok();
    assert_eq!(kept(&customer, &made).await, "Good bank");
    // What our own rules refuse stays refused.
    let refused = wants(&app, &customer, "", " ").await.refused(422, "validation_failed");
    assert!(refused["errors"]["toRequisites.bank"].is_array(), "{refused}");
}

both_engines!(
    a_plugin_says_how_requisites_are_written_and_which_are_no_good,
    who_waits_for_a_slow_plugin_waits_for_a_moment,
    a_dead_plugin_is_as_if_there_were_none,
);
