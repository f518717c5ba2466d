//! Referral history and statistics.

use std::time::Duration;

use agio_test_app::{Engine, TestApp, TestCustomer, both_engines};
use serde_json::json;

use crate::fixtures::{Referrer, StaffConsole, exchange_with_code, number, pay_at_once};

async fn the_history_has_periods_pages_and_a_csv(engine: Engine) {
    let app = TestApp::start(engine).await;
    pay_at_once(&app).await;
    let ivan = Referrer::at(&app, "ivan@example.com").await;
    let staff = StaffConsole::operator(&app).await;
    for email in ["olga@example.com", "anna@example.com"] {
        staff.complete(&exchange_with_code(&app, email, Some(&ivan.code)).await).await;
    }
    app.advance_and_run_jobs(Duration::ZERO).await;
    app.advance_clock(Duration::from_secs(13 * 3_600));
    let mut customer = ivan.customer;
    customer.sign_in().await.ok();
    let get = async |query: &str| customer.caller.get(&format!("/api/v1/users/me/refferal/dw/?{query}")).await;
    customer.caller.post("/api/v1/users/me/refferal/withdrawal/", crate::fixtures::order(&app, "10")).await.ok();

    let all = get("").await.ok();
    assert_eq!((&all["total"], &all["page"], &all["size"]), (&json!(3), &json!(1), &json!(20)));
    assert_eq!((&all["items"][0]["kind"], &all["items"][0]["status"]), (&json!("withdrawal"), &json!("requested")));
    assert_eq!((&all["items"][1]["kind"], &all["items"][1]["status"]), (&json!("commission"), &json!("available")));
    assert_eq!(all["items"][1]["currency"], "USDTTRC20");
    let second = get("page=2&size=2").await.ok();
    assert_eq!((second["items"].as_array().unwrap().len(), &second["items"][0]), (1, &all["items"][2]));
    // It is noon on 28 March; the withdrawal is on the next day.
    for (query, total) in [
        ("date_from=2024-03-28&date_to=2024-03-28", 2),
        ("date_from=2024-03-29", 1),
        ("date_to=2024-03-27", 0),
        ("date_from=2024-03-28T12:00:00Z&date_to=2024-03-28T12:00:01Z", 2),
        ("date_to=2024-03-28T12:00:00Z", 0),
    ] {
        assert_eq!(get(query).await.ok()["total"], total, "{query}");
    }
    for wrong in ["date_from=yesterday", "date_to=2024-02-30", "page=0", "size=101"] {
        get(wrong).await.refused(400, "malformed_parameter");
    }
    for list in ["dw/", "dw/csv/", "days/"] {
        let path = format!("/api/v1/users/me/refferal/{list}?date_from=2024-03-29&date_to=2024-03-27");
        customer.caller.get(&path).await.refused(422, "validation_failed");
    }
    let table = customer.caller.get("/api/v1/users/me/refferal/dw/csv/?date_from=2024-03-29").await;
    assert_eq!(table.headers["content-type"], "text/csv; charset=utf-8");
    let lines: Vec<&str> = table.text.lines().collect();
    assert_eq!((lines.len(), lines[0]), (2, "\u{feff}Номер;Что;Сумма;Валюта;Состояние;Время (UTC)"));
    assert!(lines[1].ends_with(";Вывод;10;USDTTRC20;Запрошен;2024-03-29 01:00:00"), "{}", lines[1]);
    let english = customer.caller.get("/en/api/v1/users/me/refferal/dw/csv/?date_from=2024-03-29").await.text;
    assert!(english.contains("\u{feff}ID,Kind,Amount,Currency,Status,Time (UTC)\r\n"), "{english}");
    assert!(english.contains(",Withdrawal,10,USDTTRC20,Requested,2024-03-29 01:00:00\r\n"), "{english}");

    let days = customer.caller.get("/api/v1/users/me/refferal/days/?date_from=2024-03-27&date_to=2024-03-29").await.ok();
    let dates: Vec<_> = days["items"].as_array().unwrap().iter().map(|day| day["date"].as_str().unwrap()).collect();
    assert_eq!(dates, ["2024-03-27", "2024-03-28", "2024-03-29"]);
    assert_eq!((&days["items"][1]["claims"], &days["items"][0]["earned"]), (&json!(2), &json!("0")));
    assert_eq!(number(&days["items"][1]["earned"]), number(&all["items"][1]["amount"]) + number(&all["items"][2]["amount"]));
    assert_eq!(customer.caller.get("/api/v1/users/me/refferal/days/").await.ok()["items"].as_array().unwrap().len(), 30);
    customer.caller.get("/api/v1/users/me/refferal/days/?date_from=2020-01-01").await.refused(422, "validation_failed");
}

async fn referrers_see_only_their_own_data(engine: Engine) {
    let app = TestApp::start(engine).await;
    pay_at_once(&app).await;
    let ivan = Referrer::at(&app, "ivan@example.com").await;
    let staff = StaffConsole::operator(&app).await;
    staff.complete(&exchange_with_code(&app, "olga@example.com", Some(&ivan.code)).await).await;
    let petr = TestCustomer::registered(&app, "petr@example.com").await;
    for call in ["dw/", "withdrawal/"] {
        let path = format!("/api/v1/users/me/refferal/{call}");
        assert_eq!(petr.caller.get(&path).await.ok()["total"], 0, "{path}");
        app.visitor().get(&path).await.refused(401, "token_not_valid");
    }
    app.visitor().get("/api/v1/users/me/refferal/").await.refused(401, "token_not_valid");
    app.visitor().get("/api/admin/v1/referral/referrers").await.refused(401, "token_not_valid");
}

both_engines!(the_history_has_periods_pages_and_a_csv, referrers_see_only_their_own_data);
