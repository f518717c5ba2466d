//! Currencies and pairs as CSV and XLSX: what the editor exports, changes and imports.

use agio_core::identity::Role;
use agio_test_app::{Engine, TestApp, TestClient, TestResponse, both_engines};
use reqwest::Method;
use serde_json::{Value, json};

use crate::{about, listed_pair, number};

const TABLES: &str = "/api/admin/v1/market/tables";
const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

async fn export(staff: &TestClient, table: &str) -> String {
    let answer = staff.get(&format!("{TABLES}/{table}")).await;
    assert_eq!(answer.status.as_u16(), 200, "{}", answer.text);
    answer.text
}

async fn send(staff: &TestClient, table: &str, csv: &str, plan: Option<&str>) -> TestResponse {
    let query = plan.map_or_else(String::new, |plan| format!("?plan={plan}"));
    staff.post_raw(&format!("{TABLES}/{table}{query}"), "text/csv", csv).await
}

async fn dry_run(staff: &TestClient, table: &str, csv: &str) -> Value {
    send(staff, table, csv, None).await.ok()
}

/// Applies a table as it was previewed.
async fn apply(staff: &TestClient, table: &str, csv: &str) -> Value {
    let report = dry_run(staff, table, csv).await;
    assert_eq!(report["errors"], json!([]), "{report}");
    send(staff, table, csv, report["plan"].as_str()).await.ok()
}

/// The line, column and code of each error.
fn errors(report: &Value) -> Vec<(i64, &str, &str)> {
    let all = report["errors"].as_array().unwrap().iter();
    all.map(|error| (error["line"].as_i64().unwrap(), error["column"].as_str().unwrap(), error["code"].as_str().unwrap()))
        .collect()
}

async fn a_table_read_back_changes_nothing(engine: Engine) {
    let app = TestApp::start(engine).await;
    let editor = app.staff(Role::Editor).await;
    for table in ["currencies", "pairs"] {
        for language in ["", "/en"] {
            let csv = editor.get(&format!("{language}{TABLES}/{table}")).await.text;
            let report = dry_run(&editor, table, &csv).await;
            assert_eq!(report, json!({ "applied": false, "plan": null, "lines": [], "errors": [] }), "{table}{language}");
        }
    }
}

/// A file of another program, with numbers as numbers, changes what the same lines of CSV change.
async fn a_spreadsheet_says_what_csv_says(engine: Engine) {
    let app = TestApp::start(engine).await;
    let editor = app.staff(Role::Editor).await;
    let send = async |plan: Option<&str>, bytes: Vec<u8>| {
        let query = plan.map_or_else(String::new, |plan| format!("?plan={plan}"));
        editor.post_raw(&format!("{TABLES}/pairs{query}"), XLSX, bytes).await
    };
    for (table, language) in [("currencies", ""), ("currencies", "/en"), ("pairs", ""), ("pairs", "/en")] {
        let request = editor.request(Method::GET, &format!("{language}{TABLES}/{table}?format=xlsx"));
        let answer = request.send().await.unwrap();
        assert_eq!(answer.headers()["content-type"], XLSX);
        assert_eq!(answer.headers()["content-disposition"], format!("attachment; filename={table}.xlsx"));
        let bytes = answer.bytes().await.unwrap().to_vec();
        let report = editor.post_raw(&format!("{TABLES}/{table}"), XLSX, bytes).await.ok();
        assert_eq!(report, json!({ "applied": false, "plan": null, "lines": [], "errors": [] }), "{table}{language}");
    }

    let sheet = include_bytes!("spreadsheets/pairs.xlsx").to_vec();
    let csv = "give,receive,enabled,spreadPercent,limits.to.step,notices.general.ru.title,notices.general.ru.message,\
        notices.general.en.title,notices.general.en.message\n\
        BTC,SBERRUB,true,3.51,1000,Работы,<p>Да</p>,Works,<p>Yes</p>\n";
    let (by_csv, by_sheet) = (dry_run(&editor, "pairs", csv).await, send(None, sheet.clone()).await.ok());
    assert_eq!(by_sheet, by_csv);
    assert_eq!(send(by_sheet["plan"].as_str(), sheet).await.ok()["applied"], true);
    assert_eq!(listed_pair(&app, &editor, "BTC", "SBERRUB").await["spreadPercent"], "3.51");

    let wrong = include_bytes!("spreadsheets/wrong.xlsx").to_vec();
    let report = send(None, wrong.clone()).await.ok();
    assert_eq!(
        errors(&report),
        [
            (3, "spreadPercent", "cell_is_formula"),
            (3, "limits.to.step", "cell_is_date"),
            (4, "spreadPercent", "cell_is_percent"),
            (4, "limits.to.step", "cell_inexact"),
            (6, "enabled", "not_a_flag"),
            (7, "", "cells_do_not_fit"),
        ]
    );
    assert_eq!(report["errors"][0]["message"], "В этой ячейке формула. Замените её значением.");
    send(Some("0"), wrong).await.refused(422, "validation_failed");
    let broken = send(None, b"PK\x03\x04".to_vec()).await.ok();
    assert_eq!(errors(&broken), [(1, "", "xlsx_unreadable")]);
}

/// A text that no spreadsheet can hold would be cut; CSV holds it.
async fn a_text_too_long_for_a_cell_is_exported_as_csv_only(engine: Engine) {
    let app = TestApp::start(engine).await;
    let editor = app.staff(Role::Editor).await;
    let place = "A".repeat(300);
    let city = |number: u32| {
        let code = format!("C{number:03}");
        format!(
            r#"{{ code = ""{code}"", name = {{ ru = ""Город"", en = ""City"" }}, place = {{ ru = ""{place}"", en = ""{place}"" }} }}"#
        )
    };
    let cities: Vec<_> = (0..100).map(city).collect();
    apply(&editor, "currencies", &format!("code,cities\nCASHUSD,\"[{}]\"\n", cities.join(", "))).await;
    let refused = editor.get(&format!("{TABLES}/currencies?format=xlsx")).await.refused(422, "validation_failed");
    assert_eq!(refused["errors"]["cities"][0]["code"], "cell_too_long", "{refused}");
    assert_eq!(dry_run(&editor, "currencies", &export(&editor, "currencies").await).await["lines"], json!([]));
}

async fn an_exported_pair_is_changed_previewed_and_applied(engine: Engine) {
    let app = TestApp::start(engine).await;
    let editor = app.staff(Role::Editor).await;
    let before = listed_pair(&app, &editor, "BTC", "SBERRUB").await;
    let csv = "give,receive,spreadPercent,limits.to.step,networkFeePayer\nBTC,SBERRUB,3.51,1000,customer\n";
    let report = dry_run(&editor, "pairs", csv).await;
    let changed = json!([
        { "column": "limits.to.step", "before": null, "after": "1000" },
        { "column": "networkFeePayer", "before": "exchange", "after": "customer" },
        { "column": "spreadPercent", "before": before["spreadPercent"], "after": "3.51" },
    ]);
    assert_eq!(report["lines"], json!([{ "line": 2, "subject": "BTC → SBERRUB", "isNew": false, "values": changed }]));
    let unchanged = listed_pair(&app, &editor, "BTC", "SBERRUB").await;
    assert_eq!(unchanged["revision"], before["revision"], "a dry run stores nothing");

    let plan = report["plan"].as_str().unwrap();
    assert_eq!(send(&editor, "pairs", csv, Some(plan)).await.ok()["applied"], true);
    let after = listed_pair(&app, &editor, "BTC", "SBERRUB").await;
    assert_eq!((&after["spreadPercent"], &after["limits"]["to"]["step"]), (&json!("3.51"), &json!("1000")));
    assert_eq!(after["hold"], before["hold"], "columns that are missing change nothing");
    let public = app.visitor().get(&about(&app, "pair", "BTC", "SBERRUB").await).await.ok();
    assert_eq!(public["to"]["step"], "1000");
    send(&editor, "pairs", csv, Some(plan)).await.refused(409, "market_plan_outdated");

    let owner = app.owner().await;
    let entries = owner.get("/api/admin/v1/audit?aboutKind=market&aboutId=pairs").await.ok();
    assert_eq!(entries["items"][0]["action"], "market.applied");
    assert_eq!(entries["items"][0]["after"]["pair BTC → SBERRUB"]["spreadPercent"], "3.51");
    app.assert_audit_chain_is_intact().await;
}

/// A price list of another program, with nothing but pairs and their rates.
async fn rates_come_from_a_file(engine: Engine) {
    let app = TestApp::start(engine).await;
    let editor = app.staff(Role::Editor).await;
    let market = listed_pair(&app, &editor, "BTC", "SBERRUB").await;
    // Close to the market: one person may do that.
    let price = market["rate"].as_str().unwrap();
    let price_list = format!("give;receive;source;manualRate\nBTC;SBERRUB;manual;{}\n", price.replace('.', ","));
    apply(&editor, "pairs", &price_list).await;
    let manual = listed_pair(&app, &editor, "BTC", "SBERRUB").await;
    assert_eq!((&manual["source"], &manual["manualRate"]), (&json!("manual"), &market["rate"]));
    assert!(number(&manual["rate"]) < number(&market["rate"]), "the spread is taken from it");
    let course = app.visitor().get(&about(&app, "course", "BTC", "SBERRUB").await).await.ok()["course"].clone();
    assert_eq!(number(&course), number(&manual["rate"]));
    apply(&editor, "pairs", "give;receive;source\nBTC;SBERRUB;market\n").await;
    assert_eq!(listed_pair(&app, &editor, "BTC", "SBERRUB").await["rate"], market["rate"]);
}

async fn every_error_has_its_line_and_column(engine: Engine) {
    let app = TestApp::start(engine).await;
    let editor = app.staff(Role::Editor).await;
    let csv = "give;receive;enabled;spreadPercent;hold;source;tiers\n\
        BTC;SBERRUB;maybe;1,5;20;market;\n\
        \n\
        BTC;TCSBRUB;true;a lot;soon;guess;1000\n\
        BTC;USDTTRC20;true\n";
    let report = dry_run(&editor, "pairs", csv).await;
    assert_eq!(
        errors(&report),
        [
            (2, "enabled", "not_a_flag"),
            (4, "spreadPercent", "not_an_amount"),
            (4, "hold", "not_a_whole_number"),
            (4, "source", "name_unknown"),
            (4, "tiers", "list_malformed"),
            (5, "", "cells_do_not_fit"),
        ]
    );
    assert_eq!(report["errors"][0]["message"], "Напишите true или false.");

    let csv = "give,receive,hold\nBTC,SBERRUB,1\nBTC,NOSUCH,20\n,SBERRUB,20\n";
    assert_eq!(errors(&dry_run(&editor, "pairs", csv).await), [(4, "give", "required")]);
    let csv = "give,receive,hold\nBTC,SBERRUB,1\nBTC,NOSUCH,20\nBTC,SBERRUB,20\n";
    assert_eq!(
        errors(&dry_run(&editor, "pairs", csv).await),
        [(2, "hold", "value_out_of_range"), (3, "receive", "currency_unknown"), (4, "", "pair_listed_twice")]
    );
    send(&editor, "pairs", csv, Some("0")).await.refused(422, "validation_failed");

    let head = "give,receive,colour\nBTC,SBERRUB,red\n";
    assert_eq!(errors(&dry_run(&editor, "pairs", head).await), [(1, "colour", "column_unknown")]);
    assert_eq!(errors(&dry_run(&editor, "pairs", "").await), [(1, "give", "column_missing")]);
    let scale = "code,scale\nBTC,2\nNEW,8\n";
    let report = dry_run(&editor, "currencies", scale).await;
    assert!(errors(&report).contains(&(3, "ticker", "required")), "{report}");
    assert_eq!(errors(&dry_run(&editor, "currencies", "code,scale\nBTC,2\n").await), [(2, "scale", "currency_for_life")]);
}

async fn a_new_currency_and_its_pair_come_from_tables(engine: Engine) {
    let app = TestApp::start_empty(engine).await;
    let editor = app.staff(Role::Editor).await;
    let inputs =
        r#""[{ name = ""card"", kind = ""card"", label = { ru = ""Карта"", en = ""Card"" }, required = true, receive = true }]""#;
    let wallet = r#""[{ name = ""address"", kind = ""ltc"", label = { ru = ""Адрес"", en = ""Address"" }, required = true, receive = true }]""#;
    let csv = format!(
        "code,ticker,name.ru,name.en,network.ru,network.en,kind,icon,scale,roundCalculator,inputs\n\
         LTC,LTC,Лайткоин,Litecoin,Лайткоин,Litecoin,crypto,ltc,8,8,{wallet}\n\
         SBERRUB,RUB,Рубли,Roubles,Сбер,Sber,bank,sber,2,2,{inputs}\n"
    );
    let report = apply(&editor, "currencies", &csv).await;
    assert_eq!(report["lines"][1]["isNew"], true);
    let notice = ["ru.title", "ru.message", "en.title", "en.message"].map(|text| format!("notices.general.{text}")).join(",");
    let pairs = |notice_texts: &str| format!("give,receive,hold,{notice}\nLTC,SBERRUB,30,{notice_texts}\n");
    let half = dry_run(&editor, "pairs", &pairs("'=1+1,,,")).await;
    assert_eq!(errors(&half)[0], (2, "notices.general.ru.message", "required"));
    assert_eq!(half["errors"][0]["message"], "Заполните это поле.");
    apply(&editor, "pairs", &pairs("'=1+1,<p>Да</p>,@sum,<p>Yes</p>")).await;
    let pair = listed_pair(&app, &editor, "LTC", "SBERRUB").await;
    assert_eq!((&pair["hold"], &pair["enabled"]), (&json!(30), &json!(false)));
    assert_eq!(pair["notices"]["general"]["ru"]["title"], "=1+1");
    let exported = export(&editor, "pairs").await;
    assert!(exported.contains("'=1+1"), "no spreadsheet runs it: {exported}");
    assert_eq!(dry_run(&editor, "pairs", &exported).await["lines"], json!([]), "read back unchanged");
    assert!(exported.contains("'@sum"), "{exported}");
    apply(&editor, "pairs", &pairs(",,,")).await;
    assert_eq!(listed_pair(&app, &editor, "LTC", "SBERRUB").await["notices"]["general"], Value::Null);
}

async fn a_table_needs_the_guards_of_single_changes(engine: Engine) {
    let app = TestApp::start(engine).await;
    let far = "give,receive,source,manualRate\nBTC,SBERRUB,manual,90000000\n";
    let plain = app.staff_unconfirmed(Role::Editor).await;
    let notice = "give,receive,notices.general.ru.title,notices.general.ru.message,notices.general.en.title,\
        notices.general.en.message\nBTC,SBERRUB,Оплата,<p>На счёт 1</p>,Payment,<p>To account 1</p>\n";
    for table in [far, "give,receive,hold\nBTC,SBERRUB,1440\n", notice] {
        let report = dry_run(&plain, "pairs", table).await;
        send(&plain, "pairs", table, report["plan"].as_str()).await.refused(403, "fresh_second_factor_needed");
    }
    let explorer = "code,explorer\nBTC,https://explorer.example/{tx}\n";
    let report = dry_run(&plain, "currencies", explorer).await;
    send(&plain, "currencies", explorer, report["plan"].as_str()).await.refused(403, "fresh_second_factor_needed");

    for role in Role::ALL {
        let staff = app.staff(role).await;
        let may = matches!(role, Role::Owner | Role::Editor);
        let answer = send(&staff, "pairs", "give,receive\n", None).await;
        assert_eq!(answer.status.as_u16() == 403, !may, "{role}: {}", answer.text);
    }
    let editor = app.staff(Role::Editor).await;
    let large = format!("give,receive\n{}", "x".repeat(1 << 20));
    editor.post_raw(&format!("{TABLES}/pairs"), "text/csv", large).await.refused(413, "too_large");
    editor.post_raw(&format!("{TABLES}/pairs"), "application/json", "{}").await.refused(415, "unsupported_media");
    let long = format!("give,receive\n{}", "BTC,SBERRUB\n".repeat(10_001));
    assert_eq!(errors(&dry_run(&editor, "pairs", &long).await), [(10_002, "", "table_too_long")]);
}

/// An edit of five thousand pairs is previewed, and is one audit entry with the pairs that it changed.
async fn five_thousand_pairs_are_edited_at_once(engine: Engine) {
    let app = TestApp::start(engine).await;
    let editor = app.staff(Role::Editor).await;
    let inputs = r#"[{ name = ""wallet"", kind = ""text"", label = { ru = ""Кошелёк"", en = ""Wallet"" }, required = true, receive = true }]"#;
    let line = |ticker: &str, number: usize| {
        format!("{ticker}{number:03},{ticker},Много,Many,Много,Many,ewallet,wallet,2,2,\"{inputs}\"\n")
    };
    let mut csv = "code,ticker,name.ru,name.en,network.ru,network.en,kind,icon,scale,roundCalculator,inputs\n".to_owned();
    csv.extend((0..50).map(|number| line("USD", number)).chain((0..100).map(|number| line("RUB", number))));
    apply(&editor, "currencies", &csv).await;
    let currencies = editor.get("/api/admin/v1/currencies").await.ok();
    let ids = |ticker: &str| -> Vec<Value> {
        let many = currencies.as_array().unwrap().iter().filter(|currency| currency["icon"] == "wallet");
        many.filter(|currency| currency["ticker"] == ticker).map(|currency| currency["id"].clone()).collect()
    };
    let new = json!({ "giveIds": ids("USD"), "receiveIds": ids("RUB"), "set": { "spreadPercent": "1" }, "dryRun": false });
    editor.post("/api/admin/v1/pairs", new).await.ok();
    let pairs = editor.get("/api/admin/v1/pairs").await.ok();
    let given = ids("USD");
    let many: Vec<&Value> = pairs.as_array().unwrap().iter().filter(|pair| given.contains(&pair["giveId"])).collect();
    let many: Vec<&Value> = many.into_iter().filter(|pair| pair["spreadPercent"] == "1").map(|pair| &pair["id"]).collect();
    assert_eq!(many.len(), 5_000);

    let edit = |dry_run: bool| json!({ "ids": many, "set": { "spreadPercent": "1.1" }, "dryRun": dry_run });
    let entries =
        async || app.owner().await.get("/api/admin/v1/audit?aboutKind=market&aboutId=pairs").await.ok()["items"].clone();
    let before = entries().await;
    let started = std::time::Instant::now();
    let preview = editor.post("/api/admin/v1/pairs/bulk", edit(true)).await.ok();
    println!("{engine:?}: a preview of 5,000 pairs takes {:?}", started.elapsed());
    assert_eq!(preview["pairs"].as_array().map(Vec::len), Some(5_000), "{}", preview.to_string().len());
    assert_eq!(entries().await, before, "a preview stores nothing");
    editor.post("/api/admin/v1/pairs/bulk", edit(false)).await.ok();
    let after = entries().await;
    assert_eq!((&after[0]["action"], &after[1]), (&json!("pairs.changed"), &before[0]), "one entry for all");
    for (side, spread) in [("before", "1"), ("after", "1.1")] {
        let line = &after[0][side][0];
        assert_eq!((line["pairs"].as_array().map(Vec::len), &line["set"]), (Some(5_000), &json!({ "spread_percent": spread })));
    }
    app.assert_audit_chain_is_intact().await;
}

both_engines!(
    five_thousand_pairs_are_edited_at_once,
    a_table_read_back_changes_nothing,
    a_spreadsheet_says_what_csv_says,
    a_text_too_long_for_a_cell_is_exported_as_csv_only,
    an_exported_pair_is_changed_previewed_and_applied,
    rates_come_from_a_file,
    every_error_has_its_line_and_column,
    a_new_currency_and_its_pair_come_from_tables,
    a_table_needs_the_guards_of_single_changes,
);
