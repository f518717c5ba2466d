//! Invalid input gives a problem with code and field, never an internal error.

use agio_test_app::{Engine, TestApp, both_engines};
use serde_json::{Value, json};

use crate::listed_pair;

async fn invalid_paths_are_distinguished(engine: Engine) {
    let app = TestApp::start(engine).await;
    let visitor = app.visitor();
    let cases = [
        ("/from/999999/", 404, "currency_unknown"),
        ("/from/-1/", 404, "currency_unknown"),
        ("/from/0/", 404, "currency_unknown"),
        ("/from/BTC/", 400, "malformed_parameter"),
        ("/from/1.5/", 400, "malformed_parameter"),
        ("/from/99999999999999999999/", 400, "malformed_parameter"),
        ("/from/%D9%A1/", 400, "malformed_parameter"),
        ("/from/NaN/", 400, "malformed_parameter"),
        ("/pair/1/999999/", 404, "currency_unknown"),
        ("/pair/999999/1/", 404, "currency_unknown"),
        ("/pair/1/1/", 404, "pair_unavailable"),
        ("/pair/14/15/", 404, "pair_unavailable"),
        ("/pair/12/16/", 404, "pair_unavailable"),
        ("/pair/BTC/SBERRUB/", 400, "malformed_parameter"),
        ("/pair/1/null/", 400, "malformed_parameter"),
        ("/pair/1/", 404, "not_found"),
        ("/course/1/999999/", 404, "currency_unknown"),
        ("/course/1/1/", 404, "pair_unavailable"),
        ("/course/x/y/", 400, "malformed_parameter"),
        ("/course/1/9223372036854775808/", 400, "malformed_parameter"),
    ];
    for root in ["", "/en"] {
        for (path, status, code) in cases {
            let problem = visitor.get(&format!("{root}/api/v1/calculator{path}")).await.refused(status, code);
            let detail = problem["detail"].as_str().unwrap();
            assert!(!detail.is_empty() && detail != code, "{path}: {problem}");
            assert_eq!(detail.is_ascii(), root == "/en", "{path}: {detail}");
            assert!(code != "malformed_parameter" || problem["errors"] == json!({}), "no field is at fault: {problem}");
        }
    }
    for path in ["/", "/from/", "/pair/1/14/", "/settings/", "/tech/", "/reserves/", "/rates/"] {
        visitor.post(&format!("/api/v1/calculator{path}"), json!({})).await.refused(405, "method_not_allowed");
    }
}

/// Invalid pair updates: request, reported field and code.
async fn nothing_wrong_gets_into_a_pair(engine: Engine) {
    let app = TestApp::start(engine).await;
    let editor = app.owner().await;
    let pair = listed_pair(&app, &editor, "BTC", "SBERRUB").await;
    let path = format!("/api/admin/v1/pairs/{}", pair["id"]);
    let fees = |side: &str, fixed: Value, percent: Value| {
        let mut fees = json!({ "from": { "fixed": 0, "percent": 0 }, "to": { "fixed": 0, "percent": 0 } });
        fees[side] = json!({ "fixed": fixed, "percent": percent });
        json!({ "fees": fees })
    };
    let limits =
        |min: Value, max: Value| json!({ "limits": { "from": { "min": min, "max": max }, "to": { "min": null, "max": null } } });
    let tiers = |tiers: Value| json!({ "tiers": tiers });
    let tolerance = |late: Value, fixed: Value, percent: Value| json!({ "tolerance": { "latePercent": late, "amountFixed": fixed, "amountPercent": percent } });
    let none = Value::Null;
    let cases = [
        (tolerance(json!("-0.01"), none.clone(), none.clone()), 422, "tolerance.latePercent", "value_out_of_range"),
        (tolerance(json!("10.01"), none.clone(), none.clone()), 422, "tolerance.latePercent", "value_out_of_range"),
        (tolerance(json!("0.1234567"), none.clone(), none.clone()), 422, "tolerance.latePercent", "too_many_digits"),
        (tolerance(json!("NaN"), none.clone(), none.clone()), 400, "tolerance.latePercent", "not_an_amount"),
        (tolerance(none.clone(), json!("-0.1"), none.clone()), 422, "tolerance.amountFixed", "amount_negative"),
        (tolerance(none.clone(), json!("0.000000001"), none.clone()), 422, "tolerance.amountFixed", "too_many_digits"),
        (tolerance(none.clone(), json!("99999999999999"), none.clone()), 422, "tolerance.amountFixed", "amount_too_large"),
        (tolerance(none.clone(), json!("Infinity"), none.clone()), 400, "tolerance.amountFixed", "not_an_amount"),
        (tolerance(none.clone(), none.clone(), json!("-1")), 422, "tolerance.amountPercent", "value_out_of_range"),
        (tolerance(none.clone(), none.clone(), json!(11)), 422, "tolerance.amountPercent", "value_out_of_range"),
        (
            json!({ "tolerance": { "latePercent": null, "amountFixed": null, "amountPercent": null, "late": 1 } }),
            400,
            "tolerance.late",
            "unknown_field",
        ),
        (json!({ "spreadPercent": "100" }), 422, "spreadPercent", "value_out_of_range"),
        (json!({ "spreadPercent": "-99.5" }), 422, "spreadPercent", "value_out_of_range"),
        (json!({ "spreadPercent": "0.1234567" }), 422, "spreadPercent", "too_many_digits"),
        (json!({ "spreadPercent": "NaN" }), 400, "spreadPercent", "not_an_amount"),
        (json!({ "spreadPercent": "1e2" }), 400, "spreadPercent", "not_an_amount"),
        (json!({ "spreadPercent": true }), 400, "spreadPercent", "not_an_amount"),
        (json!({ "spreadPercent": "9".repeat(41) }), 400, "spreadPercent", "not_an_amount"),
        (json!({ "source": "manual" }), 422, "manualRate", "required"),
        (json!({ "source": "guess" }), 400, "source", "wrong_type"),
        (json!({ "manualRate": "0" }), 422, "manualRate", "rate_not_positive"),
        (json!({ "manualRate": "-5" }), 422, "manualRate", "rate_not_positive"),
        (fees("from", json!("-1"), json!(0)), 422, "fees.from.fixed", "amount_negative"),
        (fees("to", json!("0.001"), json!(0)), 422, "fees.to.fixed", "too_many_digits"),
        (fees("to", json!("99999999999999999999"), json!(0)), 422, "fees.to.fixed", "amount_too_large"),
        (fees("to", json!(0), json!("-1")), 422, "fees.to.percent", "value_out_of_range"),
        (json!({ "networkFeePayer": "bank" }), 400, "networkFeePayer", "wrong_type"),
        (limits(json!("2"), json!("1")), 422, "limits.from.max", "max_below_min"),
        (limits(json!("0.000000001"), Value::Null), 422, "limits.from.min", "too_many_digits"),
        (limits(json!("-1"), Value::Null), 422, "limits.from.min", "amount_negative"),
        (
            tiers(json!([{ "min": "2", "addPercent": "1" }, { "min": "1", "addPercent": "2" }])),
            422,
            "tiers",
            "tiers_not_ascending",
        ),
        (tiers(json!([{ "min": "2", "addPercent": "1000" }])), 422, "tiers[0].addPercent", "value_out_of_range"),
        (tiers(json!([{ "min": "2" }])), 400, "tiers[0].addPercent", "required"),
        (tiers((1..=33).map(|min| json!({ "min": min, "addPercent": 0 })).collect()), 422, "tiers", "too_many_tiers"),
        (json!({ "hold": 0 }), 422, "hold", "value_out_of_range"),
        (json!({ "hold": 1e9 }), 400, "hold", "wrong_type"),
        (json!({ "hold": "20" }), 400, "hold", "wrong_type"),
        (json!({ "scale": 3 }), 400, "scale", "unknown_field"),
        (json!({ "giveId": 2 }), 400, "giveId", "unknown_field"),
    ];
    for (mut change, status, field, code) in cases {
        change["revision"] = json!(1);
        let top = if status == 422 { "validation_failed" } else { "malformed_body" };
        let problem = editor.patch(&path, change.clone()).await.refused(status, top);
        assert_eq!(problem["errors"][field][0]["code"], code, "{change}: {problem}");
        let preview = editor.post(&format!("{path}/preview"), change.clone()).await;
        assert_eq!(preview.status.as_u16(), status, "the preview of {change} is refused as well");
    }
    let refused = editor.patch(&path, json!({ "enabled": false })).await.refused(422, "validation_failed");
    assert_eq!(refused["errors"]["revision"][0]["code"], "required");
    assert_eq!(listed_pair(&app, &editor, "BTC", "SBERRUB").await, pair, "nothing has changed");
}

async fn nothing_wrong_gets_into_a_currency_or_a_reserve(engine: Engine) {
    let app = TestApp::start(engine).await;
    let owner = app.owner().await;
    let currencies = [
        (json!({ "roundCalculator": 9 }), 422, "roundCalculator", "value_out_of_range"),
        (json!({ "roundCalculator": -1 }), 400, "roundCalculator", "wrong_type"),
        (json!({ "position": -1 }), 422, "position", "value_out_of_range"),
        (json!({ "reserveFloor": "-1" }), 422, "reserveFloor", "amount_negative"),
        (json!({ "reserveFloor": "0.000000001" }), 422, "reserveFloor", "too_many_digits"),
        (json!({ "networkFee": "-1" }), 422, "networkFee", "amount_negative"),
        (json!({ "networkFee": "0.000000001" }), 422, "networkFee", "too_many_digits"),
        (json!({ "networkFee": "99999999999999" }), 422, "networkFee", "amount_too_large"),
        (json!({ "name": { "ru": " ", "en": "x" } }), 422, "name.ru", "required"),
        (json!({ "name": { "ru": "x", "en": "x".repeat(81) } }), 422, "name.en", "text_too_long"),
        (json!({ "name": { "ru": "x" } }), 400, "name.en", "required"),
        (json!({ "icon": "" }), 422, "icon", "required"),
        (json!({ "scale": 2 }), 400, "scale", "unknown_field"),
        (json!({ "code": "eth" }), 422, "code", "not_capitals"),
        (json!({ "archived": true }), 400, "archived", "unknown_field"),
        (json!({ "send": "yes" }), 400, "send", "wrong_type"),
    ];
    for (change, status, field, code) in currencies {
        let top = if status == 422 { "validation_failed" } else { "malformed_body" };
        let problem = owner.patch("/api/admin/v1/currencies/1", change.clone()).await.refused(status, top);
        assert_eq!(problem["errors"][field][0]["code"], code, "{change}: {problem}");
    }
    owner.patch("/api/admin/v1/currencies/999999", json!({ "position": 1 })).await.refused(404, "currency_unknown");

    let movements = [
        (json!({ "amount": "0", "reason": "deposit" }), 422, "amount", "movement_direction"),
        (json!({ "amount": "-1", "reason": "deposit" }), 422, "amount", "movement_direction"),
        (json!({ "amount": "1", "reason": "withdrawal" }), 422, "amount", "movement_direction"),
        (json!({ "amount": "1", "reason": "correction" }), 422, "note", "required"),
        (json!({ "amount": "1", "reason": "deposit", "note": "x".repeat(501) }), 422, "note", "text_too_long"),
        (json!({ "amount": "0.000000001", "reason": "deposit" }), 422, "amount", "too_many_digits"),
        (json!({ "amount": "99999999999999999999", "reason": "deposit" }), 422, "amount", "amount_too_large"),
        (json!({ "amount": "1", "reason": "gift" }), 400, "reason", "wrong_type"),
        (json!({ "reason": "deposit" }), 400, "amount", "required"),
        (json!({ "amount": "Infinity", "reason": "deposit" }), 400, "amount", "not_an_amount"),
        (json!({ "amount": "1", "reason": "deposit", "currency": 1 }), 400, "currency", "unknown_field"),
    ];
    for (movement, status, field, code) in movements {
        let top = if status == 422 { "validation_failed" } else { "malformed_body" };
        let problem = owner.post("/api/admin/v1/reserves/1/movements", movement.clone()).await.refused(status, top);
        assert_eq!(problem["errors"][field][0]["code"], code, "{movement}: {problem}");
    }
    let deposit = json!({ "amount": "1", "reason": "deposit" });
    owner.post("/api/admin/v1/reserves/999999/movements", deposit).await.refused(404, "currency_unknown");
    owner.get("/api/admin/v1/reserves/999999/movements").await.refused(404, "currency_unknown");
    owner.get("/api/admin/v1/reserves/1/movements?cursor=x").await.refused(400, "malformed_parameter");
    app.assert_ledger_is_clean().await;
}

both_engines!(invalid_paths_are_distinguished, nothing_wrong_gets_into_a_pair, nothing_wrong_gets_into_a_currency_or_a_reserve);
