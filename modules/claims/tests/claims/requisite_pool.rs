//! The requisites that customers pay to: which of them a claim gets, and when none.

use std::time::Duration;

use agio_core::identity::Role;
use agio_test_app::{Engine, TestApp, TestClient, TestResponse, both_engines};
use serde_json::{Value, json};

use crate::fixtures::{Operator, TestCustomer, order, pair};

const LIST: &str = "/api/admin/v1/requisites";

/// Addresses of Bitcoin.
const ADDRESSES: [&str; 3] = [
    "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq",
    "bc1q9vza2e8x573nczrlzms0wvx3gsqjx7vavgkx0l",
    "1BoatSLRHtKNngkdXEeobR76b53LETtpyT",
];

const MINUTE: Duration = Duration::from_secs(60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// An exchange whose bitcoin is paid to the requisites of one test.
struct Pool {
    app: TestApp,
    bitcoin: i64,
}

impl Pool {
    async fn empty(engine: Engine) -> Self {
        let app = TestApp::start(engine).await;
        let owner = app.owner().await;
        let open =
            json!({ "claims.captcha": "false", "claims.unpaid_per_address": "1000", "claims.unproven_share_percent": "100" });
        owner.put("/api/admin/v1/settings", open).await.ok();
        let bitcoin = app.server.calculator.market().currency_named("BTC").unwrap().id();
        for row in owner.get(LIST).await.ok().as_array().unwrap().iter().filter(|row| row["currencyId"] == bitcoin) {
            owner.patch(&path(row), json!({ "enabled": false })).await.ok();
        }
        Self { app, bitcoin }
    }

    /// The owner, who signs in again: the clock moves by more than a session lasts.
    async fn owner(&self) -> TestClient {
        self.app.owner().await
    }

    async fn operator(&self) -> Operator {
        Operator::at(&self.app).await
    }

    /// Adds an address with limits.
    async fn add(&self, place: usize, mut limits: Value) -> Value {
        (limits["currencyId"], limits["value"]) = (self.bitcoin.into(), ADDRESSES[place].into());
        self.owner().await.post(LIST, limits).await.ok()
    }

    async fn with(engine: Engine, limits: Value) -> Self {
        let pool = Self::empty(engine).await;
        pool.add(0, limits).await;
        pool
    }

    /// The address as staff see it.
    async fn sees(&self, place: usize) -> Value {
        let list = self.owner().await.get(LIST).await.ok();
        list.as_array().unwrap().iter().find(|row| row["value"] == ADDRESSES[place]).unwrap().clone()
    }

    /// A customer who asks for payment details.
    async fn asks(&self, amount: &str) -> (TestCustomer, TestResponse) {
        let customer = TestCustomer::orders(&self.app, amount).await;
        let answer = customer.does("confirm").await;
        (customer, answer)
    }

    /// A customer who gets them.
    async fn gives(&self, amount: &str) -> TestCustomer {
        let (customer, answer) = self.asks(amount).await;
        answer.ok();
        customer
    }

    async fn refuses(&self, amount: &str) {
        self.asks(amount).await.1.refused(409, "requisites_unavailable");
    }

    /// A customer who pays.
    async fn is_paid(&self, amount: &str) -> TestCustomer {
        let customer = self.gives(amount).await;
        customer.does("paid").await.ok();
        self.operator().await.does(&customer.id, "payment_received", json!({ "txId": format!("in-{}", customer.id) })).await;
        customer
    }

    async fn rotates(&self, rotation: &str) {
        self.owner()
            .await
            .put(&format!("/api/admin/v1/requisite-pools/{}", self.bitcoin), json!({ "rotation": rotation }))
            .await
            .ok();
    }

    /// The place of the address that the next claim gets.
    async fn next(&self, amount: &str) -> usize {
        self.app.advance_clock(MINUTE);
        let customer = self.gives(amount).await;
        let value = customer.look("requisite").await.ok()["value"].clone();
        ADDRESSES.iter().position(|address| value == *address).unwrap()
    }

    async fn available(&self) -> Value {
        self.app.visitor().get(&format!("/api/v1/claim/availability?currencyId={}", self.bitcoin)).await.ok()
    }
}

fn path(row: &Value) -> String {
    format!("{LIST}/{}", row["id"].as_str().unwrap())
}

async fn one_claim_is_within_its_bounds(engine: Engine) {
    let pool = Pool::with(engine, json!({ "minAmount": "0.01", "maxAmount": "0.02" })).await;
    assert_eq!(pool.available().await, json!({ "available": true, "minAmount": "0.01", "maxAmount": "0.02" }));
    pool.refuses("0.00999999").await;
    pool.refuses("0.02000001").await;
    pool.gives("0.01").await;
    pool.gives("0.02").await;
}

async fn a_day_and_a_month_end_at_midnight_utc(engine: Engine) {
    let pool = Pool::with(engine, json!({ "dailyLimit": "0.03", "monthlyLimit": "0.05" })).await;
    pool.is_paid("0.02").await;
    pool.refuses("0.01000001").await;
    pool.is_paid("0.01").await;
    let full = pool.sees(0).await;
    let midnight = pool.app.now().date().next_day().unwrap();
    assert_eq!((full["unavailable"].as_str(), full["usedToday"].as_str()), (Some("daily_limit"), Some("0.03")));
    assert_eq!(full["availableAt"], format!("{midnight}T00:00:00Z"));
    assert_eq!(pool.available().await["available"], false);

    pool.app.advance_and_run_jobs(DAY).await;
    assert_eq!(pool.sees(0).await["usedToday"], "0");
    pool.is_paid("0.02").await;
    assert_eq!(
        (pool.sees(0).await["unavailable"].as_str(), pool.sees(0).await["usedThisMonth"].as_str()),
        (Some("monthly_limit"), Some("0.05"))
    );
    pool.refuses("0.001").await;
    pool.app.advance_and_run_jobs(DAY * 31).await;
    pool.is_paid("0.03").await;
    assert_eq!(
        (pool.sees(0).await["usedThisMonth"].as_str(), pool.sees(0).await["usedTotal"].as_str()),
        (Some("0.03"), Some("0.08"))
    );
}

async fn claims_of_a_day_and_the_turnover_are_counted(engine: Engine) {
    let pool = Pool::with(engine, json!({ "dailyCount": 2, "turnoverLimit": "0.04" })).await;
    pool.is_paid("0.01").await;
    pool.is_paid("0.01").await;
    pool.refuses("0.001").await;
    assert_eq!(pool.sees(0).await["unavailable"], "daily_count");
    pool.app.advance_and_run_jobs(DAY).await;
    pool.refuses("0.02000001").await;
    pool.is_paid("0.02").await;
    assert_eq!(
        (pool.sees(0).await["unavailable"].as_str(), pool.sees(0).await["availableAt"].as_str()),
        (Some("turnover_limit"), None)
    );
}

async fn what_ends_unpaid_gives_everything_back(engine: Engine) {
    let limits = json!({ "dailyLimit": "0.01", "monthlyLimit": "0.01", "turnoverLimit": "0.01", "dailyCount": 1, "oneTime": true, "coolingMinutes": 600 });
    let pool = Pool::with(engine, limits).await;
    for _ in 0..2 {
        let customer = pool.gives("0.01").await;
        assert_eq!(pool.sees(0).await["unavailable"], "used");
        pool.refuses("0.01").await;
        customer.does("cancel").await.ok();
        assert_eq!(pool.sees(0).await["unavailable"], Value::Null);
    }
    // The timer gives back as well, and the payment that comes after all counts again.
    let late = pool.gives("0.01").await;
    late.waits_too_long(&pool.app).await;
    assert_eq!((late.status().await.as_str(), pool.sees(0).await["claimsTotal"].as_i64()), ("expired", Some(0)));
    pool.operator().await.does(&late.id, "late_payment", json!({ "txId": "late", "amount": "0.01" })).await;
    let used = pool.sees(0).await;
    assert_eq!((used["unavailable"].as_str(), used["usedTotal"].as_str()), (Some("used"), Some("0.01")));
}

async fn a_requisite_cools_down(engine: Engine) {
    let pool = Pool::with(engine, json!({ "coolingMinutes": 15 })).await;
    let first = pool.gives("0.01").await;
    pool.app.advance_clock(MINUTE * 10);
    pool.refuses("0.01").await;
    let cooling = pool.sees(0).await;
    assert_eq!(cooling["unavailable"], "cooling");
    assert_eq!(cooling["availableAt"], pool.app.now().plus(MINUTE * 5).to_string());
    pool.app.advance_clock(MINUTE * 5);
    let second = pool.gives("0.01").await;
    pool.refuses("0.01").await;
    // The pause is that of the last claim which may still be paid.
    second.does("cancel").await.ok();
    pool.gives("0.01").await.does("cancel").await.ok();
    first.does("cancel").await.ok();
    assert_eq!(pool.sees(0).await["unavailable"], Value::Null);
}

async fn what_arrives_counts_as_it_arrived(engine: Engine) {
    let pool = Pool::with(engine, json!({ "dailyLimit": "0.03" })).await;
    let customer = pool.gives("0.01").await;
    customer.does("paid").await.ok();
    pool.operator().await.does(&customer.id, "amount_mismatch", json!({ "amount": "0.025", "txId": "more" })).await;
    let row = pool.sees(0).await;
    assert_eq!((row["usedToday"].as_str(), row["claimsToday"].as_i64()), (Some("0.025"), Some(1)));
    pool.refuses("0.01").await;
    pool.gives("0.005").await;
}

async fn requisites_are_given_out_by_the_rotation(engine: Engine) {
    let pool = Pool::empty(engine).await;
    for place in 0..3 {
        pool.add(place, json!({ "priority": 3 - place, "maxAmount": "0.05" })).await;
    }
    let mut turns = Vec::new();
    for amount in ["0.03", "0.02", "0.01", "0.001"] {
        turns.push(pool.next(amount).await);
    }
    assert_eq!(turns[3], turns[0], "{turns:?}");
    turns.truncate(3);
    let smallest = turns[2];
    turns.sort_unstable();
    assert_eq!(turns, [0, 1, 2]);

    pool.rotates("least_used").await;
    assert_eq!(pool.next("0.005").await, smallest);
    assert_eq!(pool.next("0.05").await, smallest);
    assert_ne!(pool.next("0.01").await, smallest);

    pool.rotates("priority").await;
    assert_eq!([pool.next("0.01").await, pool.next("0.01").await], [2, 2]);
    pool.owner().await.patch(&path(&pool.sees(2).await), json!({ "maxAmount": "0.001" })).await.ok();
    assert_eq!(pool.next("0.01").await, 1, "the next one, if the first takes no such amount");
    let pools = pool.owner().await.get("/api/admin/v1/requisite-pools").await.ok();
    let ours = pools.as_array().unwrap().iter().find(|row| row["currencyId"] == pool.bitcoin).unwrap().clone();
    assert_eq!(
        (ours["rotation"].as_str(), ours["enabled"].as_i64(), ours["maxAmount"].as_str()),
        (Some("priority"), Some(3), Some("0.05"))
    );

    let cashier = pool.app.staff(Role::Auditor).await;
    let change = json!({ "rotation": "in_turn" });
    cashier.put(&format!("/api/admin/v1/requisite-pools/{}", pool.bitcoin), change.clone()).await.refused(403, "forbidden");
    pool.owner().await.put("/api/admin/v1/requisite-pools/9999", change).await.refused(422, "validation_failed");
    let audit = pool.owner().await.get("/api/admin/v1/audit?action=requisite.rotation_changed").await.ok();
    assert_eq!(audit["items"][0]["before"]["rotation"], "least_used", "{audit}");
}

async fn each_claim_has_a_memo_of_its_own(engine: Engine) {
    let pool = Pool::with(engine, json!({})).await;
    let owner = pool.owner().await;
    let ton = pool.app.server.calculator.market().currency_named("TON").unwrap().id();
    let list = owner.get(LIST).await.ok();
    let row = path(list.as_array().unwrap().iter().find(|row| row["currencyId"] == ton).unwrap());
    let refused = owner.patch(&row, json!({ "identification": "memo" })).await.refused(422, "validation_failed");
    assert_eq!(refused["errors"]["memo"][0]["code"], "memo_per_claim", "it has a fixed one");
    owner.patch(&row, json!({ "identification": "memo", "memo": null })).await.ok();

    let mut memos = Vec::new();
    for number in 0..4 {
        let mut order = order(&pool.app, "0.01", &format!("toncoin{number}@example.com"));
        let pair = pair(&pool.app, "TON", "SBERRUB", "100");
        (order["fromPs"], order["fromSumma"], order["toSumma"]) = (ton.into(), pair.send.into(), pair.receive.into());
        let caller = pool.app.visitor();
        let created = caller.post("/api/v1/claim/", order).await.ok();
        let customer =
            TestCustomer { caller, id: created["id"].as_str().unwrap().into(), number: created["publicId"].as_i64().unwrap() };
        customer.does("confirm").await.ok();
        let shown = customer.look("requisite").await.ok();
        let memo = shown["memo"].as_str().unwrap().to_owned();
        assert!(memo.len() == 8 && memo.bytes().all(|byte| byte.is_ascii_digit()), "{shown}");
        // An ended claim's memo is not given to another one, so that its late payment is not mistaken.
        customer.does("cancel").await.ok();
        let found = owner.get(&format!("/api/admin/v1/claims?q={memo}")).await.ok();
        assert_eq!(found["items"][0]["publicId"], customer.number, "{found}");
        memos.push(memo);
    }
    memos.sort_unstable();
    memos.dedup();
    assert_eq!(memos.len(), 4);
    let bitcoin = path(&pool.sees(0).await);
    let refused = owner.patch(&bitcoin, json!({ "identification": "memo" })).await.refused(422, "validation_failed");
    assert_eq!(refused["errors"]["identification"][0]["code"], "memo_not_carried");
}

async fn wrong_limits_are_refused_at_their_field(engine: Engine) {
    let pool = Pool::with(engine, json!({})).await;
    let row = path(&pool.sees(0).await);
    let cases = [
        (json!({ "minAmount": "0.02", "maxAmount": "0.01" }), "maxAmount", "max_below_min"),
        (json!({ "minAmount": "0" }), "minAmount", "not_an_amount"),
        (json!({ "monthlyLimit": "-1" }), "monthlyLimit", "not_an_amount"),
        (json!({ "turnoverLimit": "0.000000001" }), "turnoverLimit", "too_many_digits"),
        (json!({ "dailyCount": 0 }), "dailyCount", "value_out_of_range"),
        (json!({ "coolingMinutes": 43_201 }), "coolingMinutes", "value_out_of_range"),
        (json!({ "priority": -1 }), "priority", "value_out_of_range"),
    ];
    for (change, field, code) in cases {
        let refused = pool.owner().await.patch(&row, change).await.refused(422, "validation_failed");
        assert_eq!(refused["errors"][field][0]["code"], code, "{refused}");
    }
    let audit = pool.owner().await.patch(&row, json!({ "dailyCount": 3, "coolingMinutes": 5 })).await.ok();
    assert_eq!((audit["dailyCount"].as_i64(), audit["coolingMinutes"].as_i64()), (Some(3), Some(5)));
}

async fn a_list_is_imported_whole_or_not_at_all(engine: Engine) {
    let pool = Pool::with(engine, json!({})).await;
    let import = format!("{LIST}/import");
    let lines =
        |text: &str, dry_run: bool| json!({ "currencyId": pool.bitcoin, "text": text, "dryRun": dry_run, "dailyLimit": "0.5" });
    let wrong = format!("value;holder\n{};;17\n\nnonsense\n{}", ADDRESSES[1], ADDRESSES[2]);
    for dry_run in [true, false] {
        let refused = pool.owner().await.post(&import, lines(&wrong, dry_run)).await.refused(422, "validation_failed");
        assert_eq!(refused["errors"].as_object().unwrap().keys().collect::<Vec<_>>(), ["lines.4.value"], "{refused}");
    }
    assert_eq!(
        pool.owner().await.post(&import, lines(" \n", true)).await.refused(422, "validation_failed")["errors"]["text"][0]["code"],
        "required"
    );
    let long = "x\n".repeat(501);
    let refused = pool.owner().await.post(&import, lines(&long, true)).await.refused(422, "validation_failed");
    assert_eq!(refused["errors"]["text"][0]["code"], "too_many_lines");

    let right = format!("value;holder\n{};;17\n{}\n{}\n{}", ADDRESSES[1], ADDRESSES[0], ADDRESSES[2], ADDRESSES[2]);
    let before = pool.owner().await.get(LIST).await.ok().as_array().unwrap().len();
    let preview = pool.owner().await.post(&import, lines(&right, true)).await.ok();
    assert_eq!((preview["added"].as_i64(), preview["dryRun"].as_bool()), (Some(2), Some(true)), "{preview}");
    let duplicates: Vec<_> = preview["lines"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| (line["line"].as_i64().unwrap(), line["duplicate"].as_bool().unwrap()))
        .collect();
    assert_eq!(duplicates, [(2, false), (3, true), (4, false), (5, true)]);
    assert_eq!(pool.owner().await.get(LIST).await.ok().as_array().unwrap().len(), before);

    pool.app.staff(Role::Auditor).await.post(&import, lines(&right, false)).await.refused(403, "forbidden");
    pool.owner().await.post(&import, lines(&right, false)).await.ok();
    assert_eq!(pool.owner().await.get(LIST).await.ok().as_array().unwrap().len(), before + 2);
    assert_eq!((pool.sees(1).await["memo"].as_str(), pool.sees(2).await["dailyLimit"].as_str()), (Some("17"), Some("0.5")));
    pool.owner().await.post(&import, lines(&right, false)).await.refused(409, "nothing_to_import");
    let audit = pool.owner().await.get("/api/admin/v1/audit?action=requisite.imported").await.ok();
    let entries = audit["items"].as_array().unwrap();
    assert_eq!(entries.len(), 1);
    assert_eq!(entries[0]["after"]["values"].as_array().unwrap().len(), 2);
    assert!(ADDRESSES.iter().all(|address| !audit.to_string().contains(address)), "masked: {audit}");
}

async fn an_import_waits_for_a_second_person(engine: Engine) {
    let pool = Pool::empty(engine).await;
    pool.owner().await.put("/api/admin/v1/settings", json!({ "approvals.two_person": true })).await.ok();
    pool.app.advance_clock(Duration::from_secs(1));
    let text = ADDRESSES.join("\n");
    let body = json!({ "currencyId": pool.bitcoin, "text": text, "oneTime": true });
    let proposed = pool.owner().await.post(&format!("{LIST}/import"), body).await;
    assert_eq!(proposed.status.as_u16(), 202, "{}", proposed.text);
    let approval = proposed.json();
    assert!(ADDRESSES.iter().all(|address| approval["facts"].to_string().contains(address)), "{approval}");
    pool.refuses("0.01").await;
    let other = pool.app.staff_named("Second owner", Role::Owner).await;
    other.post("/api/admin/v1/me/confirm", json!({ "password": TestApp::PASSWORD })).await.ok();
    other.post_empty(&format!("/api/admin/v1/approvals/{}/approve", approval["id"].as_str().unwrap())).await.ok();
    assert_eq!(pool.sees(2).await["oneTime"], true);
    // Tightening needs nobody, loosening does.
    let row = path(&pool.sees(2).await);
    pool.owner().await.patch(&row, json!({ "maxAmount": "1", "coolingMinutes": 5 })).await.ok();
    assert_eq!(pool.owner().await.patch(&row, json!({ "oneTime": false })).await.status.as_u16(), 202);
}

async fn a_statement_names_every_claim(engine: Engine) {
    let pool = Pool::with(engine, json!({ "dailyLimit": "1" })).await;
    let paid = pool.is_paid("0.01").await;
    pool.app.advance_and_run_jobs(DAY).await;
    let cancelled = pool.gives("0.02").await;
    cancelled.does("cancel").await.ok();
    pool.app.advance_clock(MINUTE);
    let open = pool.gives("0.03").await;
    let row = path(&pool.sees(0).await);
    let mut walked = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = pool.owner().await.get(&format!("{row}/statement?size=2{cursor}")).await.ok();
        walked.extend(page["items"].as_array().unwrap().clone());
        let Some(next) = page["nextCursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    let said: Vec<_> = walked
        .iter()
        .map(|line| json!([line["publicId"], line["status"], line["amount"], line["received"], line["counted"]]))
        .collect();
    assert_eq!(
        said,
        [
            json!([open.number, "awaiting_payment", "0.03", "0", "0.03"]),
            json!([cancelled.number, "cancelled", "0.02", "0", "0"]),
            json!([paid.number, "paid", "0.01", "0.01", "0.01"]),
        ]
    );
    let totals = pool.owner().await.get(&format!("{row}/totals")).await.ok();
    let sums =
        |list: &str| totals[list].as_array().unwrap().iter().map(|sum| json!([sum["amount"], sum["claims"]])).collect::<Vec<_>>();
    assert_eq!(sums("days"), [json!(["0.03", 1]), json!(["0.01", 1])]);
    assert_eq!(sums("months"), [json!(["0.04", 2])]);

    let csv = pool.owner().await.get(&format!("{row}/statement/csv")).await;
    assert!(csv.text.contains(ADDRESSES[0]) && csv.text.lines().count() == 4, "{}", csv.text);
    let lines: Vec<_> = csv.text.lines().collect();
    assert!(lines[0].starts_with("\u{feff}Реквизит;Заявка;Выдан (UTC);Состояние;Сумма;"), "{}", csv.text);
    let paid_line = format!("{};{};2024-03-28 ", ADDRESSES[0], paid.number);
    assert!(lines[3].starts_with(&paid_line) && lines[3].contains(";Оплачена;0,01;0,01;0,01;"), "{}", lines[3]);
    let english = pool.owner().await.get(&format!("/en{row}/statement/csv")).await.text;
    assert!(english.contains(",Paid,0.01,0.01,0.01,") && english.starts_with("\u{feff}Payment details,Claim,"), "{english}");
    let auditor = pool.app.staff(Role::Auditor).await.get(&format!("{row}/statement/csv")).await;
    assert!(!auditor.text.contains(ADDRESSES[0]) && auditor.text.contains(&paid.number.to_string()), "{}", auditor.text);
    pool.app.visitor().get(&format!("{row}/statement")).await.refused(401, "token_not_valid");
    let unknown = format!("{LIST}/{}/statement", paid.id);
    pool.owner().await.get(&unknown).await.refused(404, "requisite_not_found");
    pool.app.assert_ledger_is_clean().await;
}

/// Transfers without a memo are told apart by their amounts. The customer never pays more than was agreed.
async fn each_open_claim_has_an_amount_of_its_own(engine: Engine) {
    let pool = Pool::with(engine, json!({ "identification": "amount" })).await;
    let pays = async |customer: &TestCustomer| {
        let form = customer.look("form").await.ok();
        let amount = customer.look("requisite").await.ok()["amount"].clone();
        assert_eq!(form["from"]["amount"], amount);
        (amount.as_str().unwrap().to_owned(), form["to"]["amount"].clone())
    };
    let first = pool.gives("0.02").await;
    let agreed = pays(&first).await;
    assert_eq!(agreed.0, "0.02", "nobody else pays it");
    let second = pool.gives("0.02").await;
    let third = pool.gives("0.02").await;
    assert_eq!(pays(&second).await, ("0.01999999".to_owned(), agreed.1.clone()), "the payout stays as agreed");
    assert_eq!(pays(&third).await.0, "0.01999998");
    // Another agreed amount does not meet one that is taken either.
    assert_eq!(pays(&pool.gives("0.01999999").await).await.0, "0.01999997");

    second.does("cancel").await.ok();
    let fourth = pool.gives("0.02").await;
    assert_eq!(pays(&fourth).await.0, "0.01999999", "the amount of an ended claim is free");
    third.does("paid").await.ok();
    let operator = pool.operator().await;
    operator.does(&third.id, "payment_received", json!({ "txId": "in-3", "amount": "0.01999998" })).await;
    assert_eq!(operator.pays_out(&third.id).await["status"], "completed");
    assert_eq!(pays(&pool.gives("0.02").await).await.0, "0.01999998", "a paid claim waits for nothing");
    pool.app.assert_ledger_is_clean().await;
}

/// A weight is a share of a day's claims.
async fn weights_share_the_claims(engine: Engine) {
    let pool = Pool::empty(engine).await;
    pool.add(0, json!({ "weight": 2 })).await;
    pool.add(1, json!({})).await;
    pool.rotates("weighted").await;
    let mut places = Vec::new();
    for _ in 0..6 {
        places.push(pool.next("0.001").await);
    }
    assert_eq!(places.iter().filter(|place| **place == 0).count(), 4, "{places:?}");
    let row = path(&pool.sees(0).await);
    for weight in [0, 1_001] {
        let refused = pool.owner().await.patch(&row, json!({ "weight": weight })).await.refused(422, "validation_failed");
        assert_eq!(refused["errors"]["weight"][0]["code"], "value_out_of_range");
    }
}

/// Claims of two equal ones would pay the same amounts to one account, and each limit would count twice.
async fn an_account_is_listed_once(engine: Engine) {
    let pool = Pool::with(engine, json!({ "identification": "amount", "dailyLimit": "1" })).await;
    let owner = pool.owner().await;
    let listed = |answer: TestResponse| {
        assert_eq!(answer.refused(422, "validation_failed")["errors"]["value"][0]["code"], "requisite_listed");
    };
    let new = |place: usize, memo: &str| json!({ "currencyId": pool.bitcoin, "value": ADDRESSES[place], "memo": memo });
    listed(owner.post(LIST, new(0, "")).await);
    listed(owner.post(LIST, json!({ "currencyId": pool.bitcoin, "value": format!(" {} ", ADDRESSES[0]) })).await);
    let row = path(&pool.sees(0).await);
    owner.patch(&row, json!({ "enabled": false })).await.ok();
    listed(owner.post(LIST, new(0, "")).await);
    owner.patch(&row, json!({ "enabled": true })).await.ok();
    // Another memo makes another account, until an edit makes them equal.
    let tagged = path(&owner.post(LIST, new(0, "17")).await.ok());
    listed(owner.patch(&row, json!({ "identification": "none", "memo": "17" })).await);
    listed(owner.patch(&tagged, json!({ "memo": null })).await);
    owner.patch(&tagged, json!({ "memo": "18", "dailyLimit": "1" })).await.ok();
    let other = path(&owner.post(LIST, new(1, "")).await.ok());
    listed(owner.patch(&other, json!({ "value": ADDRESSES[0] })).await);
    // Of requests at once, one wins.
    let add = || owner.post(LIST, new(2, ""));
    let (one, two, three) = tokio::join!(add(), add(), add());
    let (added, refused): (Vec<_>, Vec<_>) = [one, two, three].into_iter().partition(|answer| answer.status.is_success());
    assert_eq!(added.len(), 1);
    refused.into_iter().for_each(listed);
    // And of edits at once.
    let [left, right] = [tagged, other];
    let change = json!({ "value": ADDRESSES[2], "memo": "19" });
    let (one, two) = tokio::join!(owner.patch(&left, change.clone()), owner.patch(&right, change));
    let (changed, refused): (Vec<_>, Vec<_>) = [one, two].into_iter().partition(|answer| answer.status.is_success());
    assert_eq!(changed.len(), 1);
    refused.into_iter().for_each(listed);
}

async fn an_account_is_approved_once(engine: Engine) {
    let pool = Pool::with(engine, json!({})).await;
    let owner = pool.owner().await;
    owner.put("/api/admin/v1/settings", json!({ "approvals.two_person": true })).await.ok();
    pool.app.advance_clock(Duration::from_secs(1));
    let new = |place: usize| json!({ "currencyId": pool.bitcoin, "value": ADDRESSES[place] });
    let refused = owner.post(LIST, new(0)).await.refused(422, "validation_failed");
    assert_eq!(refused["errors"]["value"][0]["code"], "requisite_listed");
    let mut approvals = Vec::new();
    for answer in [
        owner.post(LIST, new(1)).await,
        owner.post(LIST, new(1)).await,
        owner.patch(&path(&pool.sees(0).await), json!({ "value": ADDRESSES[1] })).await,
    ] {
        assert_eq!(answer.status.as_u16(), 202, "{}", answer.text);
        approvals.push(format!("/api/admin/v1/approvals/{}/approve", answer.json()["id"].as_str().unwrap()));
    }
    let other = pool.app.staff_named("Second owner", Role::Owner).await;
    other.post("/api/admin/v1/me/confirm", json!({ "password": TestApp::PASSWORD })).await.ok();
    let (one, two) = tokio::join!(other.post_empty(&approvals[0]), other.post_empty(&approvals[1]));
    let (approved, refused): (Vec<_>, Vec<_>) = [one, two].into_iter().partition(|answer| answer.status.is_success());
    assert_eq!(approved.len(), 1);
    for answer in refused {
        answer.refused(409, "approval_outdated");
    }
    other.post_empty(&approvals[2]).await.refused(409, "approval_outdated");
    let list = owner.get(LIST).await.ok();
    assert_eq!(list.as_array().unwrap().iter().filter(|row| row["value"] == ADDRESSES[1]).count(), 1);
}

both_engines!(
    an_account_is_listed_once,
    an_account_is_approved_once,
    one_claim_is_within_its_bounds,
    a_day_and_a_month_end_at_midnight_utc,
    claims_of_a_day_and_the_turnover_are_counted,
    what_ends_unpaid_gives_everything_back,
    a_requisite_cools_down,
    what_arrives_counts_as_it_arrived,
    requisites_are_given_out_by_the_rotation,
    each_claim_has_a_memo_of_its_own,
    each_open_claim_has_an_amount_of_its_own,
    weights_share_the_claims,
    wrong_limits_are_refused_at_their_field,
    a_list_is_imported_whole_or_not_at_all,
    an_import_waits_for_a_second_person,
    a_statement_names_every_claim,
);
