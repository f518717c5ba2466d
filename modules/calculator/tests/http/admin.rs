//! Admin API of currencies and pairs.

use agio_core::identity::Role;
use agio_test_app::{Engine, TestApp, both_engines};
use serde_json::{Value, json};

use crate::{about, currency, listed_pair, number};

const ADMIN: &str = "/api/admin/v1";

async fn a_change_of_the_spread_reaches_visitors_at_once(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (visitor, editor) = (app.visitor(), app.staff(Role::Editor).await);
    let path = about(&app, "course", "BTC", "SBERRUB").await;
    let before = number(&visitor.get(&path).await.ok()["course"]);
    let pair = listed_pair(&app, &editor, "BTC", "SBERRUB").await;

    let change = json!({ "revision": pair["revision"], "spreadPercent": "3.2" });
    let preview = editor.post(&format!("{ADMIN}/pairs/{}/preview", pair["id"]), change.clone()).await.ok();
    assert_eq!(number(&preview["before"]["rate"]), before);
    assert_eq!(number(&visitor.get(&path).await.ok()["course"]), before, "a preview changes nothing");

    let changed = editor.patch(&format!("{ADMIN}/pairs/{}", pair["id"]), change.clone()).await.ok();
    assert_eq!(changed["rate"], preview["rate"]);
    assert_eq!(changed["revision"], json!(2));
    let after = number(&visitor.get(&path).await.ok()["course"]);
    assert_eq!(after, number(&preview["rate"]));
    assert!(after < before);
    editor.patch(&format!("{ADMIN}/pairs/{}", pair["id"]), change).await.refused(409, "market_changed");
}

async fn a_pair_is_shown_to_staff_with_how_its_rate_is_made(engine: Engine) {
    let app = TestApp::start(engine).await;
    let auditor = app.staff(Role::Auditor).await;
    let pair = listed_pair(&app, &auditor, "BTC", "SBERRUB").await;
    assert_eq!(pair["state"], "ok");
    assert_eq!(pair["path"], json!(["BTC", "USD", "RUB"]));
    assert_eq!(pair["ratesOf"], "2024-03-28");
    assert!(number(&pair["marketRate"]) > number(&pair["rate"]));
    assert_eq!(listed_pair(&app, &auditor, "DOGE", "SBPRUB").await["state"], "off");
    let by_hand = listed_pair(&app, &auditor, "USDTTRC20", "CASHUSD").await;
    assert_eq!((&by_hand["source"], &by_hand["manualRate"], &by_hand["path"]), (&json!("manual"), &json!("0.985"), &json!([])));

    let rates = auditor.get(&format!("{ADMIN}/rates")).await.ok();
    assert_eq!(rates["day"], "2024-03-28");
    let sources: Vec<&str> =
        rates["sources"].as_array().unwrap().iter().map(|source| source["source"].as_str().unwrap()).collect();
    assert_eq!(sources, ["cbr", "currency-api", "ecb"]);
    assert!(
        rates["observations"]
            .as_array()
            .unwrap()
            .iter()
            .any(|observation| observation["quote"] == "RUB" && observation["bid"] == "92.5919")
    );
}

async fn a_rate_set_by_hand_replaces_the_markets_and_gives_way_again(engine: Engine) {
    let app = TestApp::start(engine).await;
    let editor = app.staff(Role::Editor).await;
    let pair = listed_pair(&app, &editor, "BTC", "SBERRUB").await;
    let path = format!("{ADMIN}/pairs/{}", pair["id"]);
    let by_hand = json!({ "revision": 1, "source": "manual", "manualRate": 6000000, "spreadPercent": 0, "tiers": [] });
    let changed = editor.patch(&path, by_hand).await.ok();
    assert_eq!((&changed["rate"], &changed["ratesOf"]), (&json!("6000000"), &Value::Null));
    let half = json!({ "revision": 2, "manualRate": null });
    editor.patch(&path, half).await.refused(422, "validation_failed");
    let back = json!({ "revision": 2, "source": "market", "manualRate": null });
    let changed = editor.patch(&path, back).await.ok();
    assert_eq!((&changed["manualRate"], &changed["state"]), (&Value::Null, &json!("ok")));
}

async fn notices_are_sanitized(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (visitor, editor) = (app.visitor(), app.staff(Role::Editor).await);
    let pair = listed_pair(&app, &editor, "BTC", "SBERRUB").await;
    let text = |message: &str| json!({ "title": "Важно", "message": message });
    let hostile =
        r#"<p>Ждём <b>две</b> сети<script>steal()</script><img src=x onerror=steal()></p><a href="javascript:steal()">тут</a>"#;
    let notices = json!({ "general": { "ru": text(hostile), "en": text("<p>Plain</p>") }, "from": null, "to": null });
    let path = format!("{ADMIN}/pairs/{}", pair["id"]);
    editor.patch(&path, json!({ "revision": 1, "notices": notices })).await.ok();
    let shown = visitor.get(&about(&app, "pair", "BTC", "SBERRUB").await).await.ok();
    assert_eq!(shown["notify"]["message"], r#"<p>Ждём <b>две</b> сети</p><a rel="noopener noreferrer nofollow">тут</a>"#);
    let empty = json!({ "general": { "ru": text("<script>steal()</script>"), "en": text("x") }, "from": null, "to": null });
    let refused = editor.patch(&path, json!({ "revision": 2, "notices": empty })).await.refused(422, "validation_failed");
    assert_eq!(refused["errors"]["notices.general.ru.message"][0]["code"], "required");
}

async fn many_pairs_are_updated_at_once(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (visitor, editor) = (app.visitor(), app.staff(Role::Editor).await);
    let ids = [
        listed_pair(&app, &editor, "BTC", "SBERRUB").await["id"].clone(),
        listed_pair(&app, &editor, "BTC", "TCSBRUB").await["id"].clone(),
    ];
    let changed = editor.post(&format!("{ADMIN}/pairs/bulk"), json!({ "ids": ids, "set": { "enabled": false } })).await.ok();
    assert_eq!(changed["pairs"].as_array().unwrap().iter().map(|pair| pair["state"].clone()).collect::<Vec<_>>(), ["off", "off"]);
    visitor.get(&about(&app, "pair", "BTC", "SBERRUB").await).await.refused(404, "pair_unavailable");
    editor
        .post(&format!("{ADMIN}/pairs/bulk"), json!({ "ids": [ids[0], 999_999], "set": { "enabled": true } }))
        .await
        .refused(404, "pair_unknown");
    visitor.get(&about(&app, "pair", "BTC", "SBERRUB").await).await.refused(404, "pair_unavailable");
}

async fn a_hidden_currency_is_gone_from_the_site_and_not_from_the_console(engine: Engine) {
    let app = TestApp::start(engine).await;
    let (visitor, editor) = (app.visitor(), app.staff(Role::Editor).await);
    let doge = currency(&app, "DOGE").await;
    let changed = editor
        .patch(
            &format!("{ADMIN}/currencies/{doge}"),
            json!({ "send": false, "receive": false, "name": { "ru": "Доги", "en": "Doge" } }),
        )
        .await
        .ok();
    assert_eq!((&changed["send"], &changed["name"]["ru"], &changed["revision"]), (&json!(false), &json!("Доги"), &json!(2)));
    let directions = visitor.get("/api/v1/calculator/").await.ok();
    assert!(!directions["directions"].as_array().unwrap().iter().any(|direction| direction["code"] == "DOGE"));
    let sendable = visitor.get("/api/v1/calculator/from/").await.ok();
    assert!(!sendable.as_array().unwrap().contains(&json!(doge)));
    let currencies = editor.get(&format!("{ADMIN}/currencies")).await.ok();
    assert!(currencies.as_array().unwrap().iter().any(|row| row["code"] == "DOGE"));
    editor
        .patch(&format!("{ADMIN}/currencies/{doge}"), json!({ "revision": 1, "send": true }))
        .await
        .refused(409, "market_changed");
}

/// Calls and the roles that may use them.
async fn each_role_has_its_own_permissions(engine: Engine) {
    let app = TestApp::start(engine).await;
    let nobody = app.visitor();
    let pair = listed_pair(&app, &app.owner().await, "BTC", "SBERRUB").await["id"].clone();
    let everybody = &Role::ALL[..];
    let editors = &[Role::Owner, Role::Editor][..];
    let cashiers = &[Role::Owner, Role::Cashier][..];
    let calls: [(&str, String, Value, &[Role]); 14] = [
        ("GET", "currencies".into(), Value::Null, everybody),
        ("GET", "pairs".into(), Value::Null, everybody),
        ("GET", "rates".into(), Value::Null, everybody),
        ("GET", "reserves".into(), Value::Null, everybody),
        ("GET", "reserves/1/movements".into(), Value::Null, everybody),
        ("GET", "settings".into(), Value::Null, everybody),
        ("GET", "tech".into(), Value::Null, everybody),
        ("POST", format!("pairs/{pair}/preview"), json!({ "spreadPercent": "1" }), everybody),
        ("PATCH", "currencies/1".into(), json!({ "position": 5 }), editors),
        ("PATCH", format!("pairs/{pair}"), json!({ "revision": 0, "enabled": true }), editors),
        ("POST", "pairs/bulk".into(), json!({ "ids": [], "set": {} }), editors),
        ("PUT", "settings".into(), json!({}), editors),
        ("PUT", "tech".into(), json!({ "on": false, "time": null }), editors),
        ("POST", "reserves/1/movements".into(), json!({ "amount": "1", "reason": "deposit", "note": "" }), cashiers),
    ];
    let mut staff = Vec::new();
    for role in Role::ALL {
        staff.push((role, app.staff(role).await));
    }
    for (method, path, body, open_to) in &calls {
        let send = async |caller: &agio_test_app::TestClient| {
            let request = caller.request(method.parse().unwrap(), &format!("{ADMIN}/{path}"));
            caller.send(if body.is_null() { request } else { request.json(body) }).await
        };
        send(&nobody).await.refused(401, "token_not_valid");
        for (role, caller) in &staff {
            let answer = send(caller).await;
            let is_refused = answer.status.as_u16() == 403;
            assert_eq!(is_refused, !open_to.contains(role), "{method} {path} by {role}: {}", answer.text);
        }
    }
}

both_engines!(
    a_change_of_the_spread_reaches_visitors_at_once,
    a_pair_is_shown_to_staff_with_how_its_rate_is_made,
    a_rate_set_by_hand_replaces_the_markets_and_gives_way_again,
    notices_are_sanitized,
    many_pairs_are_updated_at_once,
    a_hidden_currency_is_gone_from_the_site_and_not_from_the_console,
    each_role_has_its_own_permissions,
);
