//! The catalogue of assets and rails.

use agio_core::identity::Role;
use agio_test_app::{Engine, TestApp, TestClient, both_engines};
use serde_json::{Value, json};

use crate::keys;

const ADMIN: &str = "/api/admin/v1";

async fn entries(staff: &TestClient) -> Vec<Value> {
    staff.get(&format!("{ADMIN}/catalogue")).await.ok().as_array().unwrap().clone()
}

fn entry<'a>(entries: &'a [Value], code: &str) -> &'a Value {
    entries.iter().find(|entry| entry["code"] == code).unwrap_or_else(|| panic!("the catalogue has no {code}"))
}

async fn the_catalogue_agrees_with_the_demonstration(engine: Engine) {
    let app = TestApp::start(engine).await;
    let auditor = app.staff(Role::Auditor).await;
    let entries = entries(&auditor).await;
    let currencies = auditor.get(&format!("{ADMIN}/currencies")).await.ok();
    let currencies = currencies.as_array().unwrap();
    for currency in currencies {
        let entry = entry(&entries, currency["code"].as_str().unwrap());
        for property in ["ticker", "name", "kind", "icon", "scale", "roundCalculator", "inputs"] {
            assert_eq!(entry[property], currency[property], "{property} of {}", currency["code"]);
        }
        assert_eq!(entry["network"], currency["networkName"], "{}", currency["code"]);
    }
    let taken = entries.iter().filter(|entry| entry["taken"] == true).count();
    assert_eq!(taken, currencies.len());
    assert!(entries.len() > 200, "{}", entries.len());
}

async fn a_currency_is_created_from_the_catalogue(engine: Engine) {
    let app = TestApp::start(engine).await;
    let editor = app.staff(Role::Editor).await;
    for code in ["XLM", "HLKBKZT", "PPEUR", "CASHJPY"] {
        let mut new = entry(&entries(&editor).await, code).clone();
        assert_eq!(new["taken"], false);
        let fields = new.as_object_mut().unwrap();
        fields.retain(|name, _| !["taken", "aliases"].contains(&name.as_str()));
        fields.extend([("send".to_owned(), json!(true)), ("receive".to_owned(), json!(true))]);
        if fields["kind"] == "cash" {
            let tokyo =
                json!({ "code": "TOKYO", "name": { "ru": "Токио", "en": "Tokyo" }, "place": { "ru": "Гиндза", "en": "Ginza" } });
            fields.insert("cities".to_owned(), json!([tokyo]));
        }
        let created = editor.post(&format!("{ADMIN}/currencies"), new.clone()).await.ok();
        for property in keys(&new).into_iter().filter(|property| *property != "network") {
            assert_eq!(created[property], new[property], "{property} of {code}");
        }
        assert_eq!(created["networkName"], new["network"]);
        assert_eq!(entry(&entries(&editor).await, code)["taken"], true);
    }
}

both_engines!(the_catalogue_agrees_with_the_demonstration, a_currency_is_created_from_the_catalogue);
