//! Retention: what each rule deletes and what it leaves, and a backlog that nobody waits for.

use std::collections::BTreeSet;

use agio_core::retention::{BATCH, RetentionRule, delete_due};
use agio_core::{fetch_all, fetch_one};
use agio_test_app::{Engine, TestApp, both_engines};

use crate::audit_tampering::run;

/// Rows that the others refer to. `@1` is an identifier.
const PARENTS: &[&str] = &[
    "INSERT INTO customer (id, email, password_hash, locale, created_at) VALUES (@1, 'a@example.com', '', 'en', 0)",
    "INSERT INTO referral_referrer (customer_id, code, email, created_at) VALUES (@1, 'CODE', 'a@example.com', 0)",
    "INSERT INTO partner (id, name, email, enabled, callback_url, webhook_secret, revision, created_at, updated_at)
        VALUES (@1, 'p', 'p@example.com', TRUE, '', '', 1, 0, 0)",
    "INSERT INTO partner_key (id, partner_id, name, title, sandbox, scopes, networks, per_minute, secret, created_at)
        VALUES (@1, @1, 'k', 'k', TRUE, '', '', 60, '', 0)",
];

/// Each rule with the statement that stores a row of an age, `@at`, numbered `@n` with the identifier `@id`; and one of a
/// row that stays whatever its age.
const ROWS: &[(&str, &str, Option<&str>)] = &[
    ("idempotency", "INSERT INTO idempotency (scope, key, fingerprint, answer, created_at) VALUES ('s', '@n', '', '', @at)", None),
    (
        "mail_count",
        "INSERT INTO mail_count (mailbox, since, sent, held) VALUES ('@n', @at, 1, 0)",
        Some(
            "INSERT INTO mail_count (mailbox, since, sent, held, held_since, email, locale)
            VALUES ('@n', @at, 1, 1, 0, 'a@example.com', 'en')",
        ),
    ),
    (
        "outbox, delivered",
        "INSERT INTO outbox (channel, recipient, kind, about_kind, about_id, payload, state, attempts, next_at, leased_until, created_at, settled_at)
            VALUES ('webhook', 'r', 'k', 'a', '@n', '', 'sent', 1, 0, 0, 0, @at)",
        Some(
            "INSERT INTO outbox (channel, recipient, kind, about_kind, about_id, payload, state, attempts, next_at, leased_until, created_at)
            VALUES ('webhook', 'r', 'k', 'a', '@n', '', 'queued', 1, 0, 0, @at)",
        ),
    ),
    (
        "outbox, given up",
        "INSERT INTO outbox (channel, recipient, kind, about_kind, about_id, payload, state, attempts, next_at, leased_until, created_at, settled_at)
            VALUES ('webhook', 'r', 'k', 'a', '@n', '', 'dead', 1, 0, 0, 0, @at)",
        None,
    ),
    (
        "push_subscription",
        "INSERT INTO push_subscription (id, claim_id, endpoint_digest, sealed, created_at, expires_at) VALUES (@id, @id, '@n', '', 0, @at)",
        None,
    ),
    (
        "chat_link",
        "INSERT INTO chat_link (code_digest, messenger, claim_id, language, expires_at) VALUES ('@n', 'telegram', @id, 'ru', @at)",
        None,
    ),
    ("captcha_used", "INSERT INTO captcha_used (signature, ends_at) VALUES ('@n', @at)", None),
    ("attempt", "INSERT INTO attempt (counter, counted, at) VALUES ('@n', 1, @at)", None),
    (
        "account_link",
        "INSERT INTO account_link (account_id, purpose, digest, expires_at) VALUES (@id, 'activation', '@n', @at)",
        None,
    ),
    ("known_device", "INSERT INTO known_device (account_id, digest, used_at) VALUES (@id, '@n', @at)", None),
    (
        "customer_request",
        "INSERT INTO customer_request (id, kind, email, address, created_at, given_up_at)
            VALUES (@id, 'activation', 'a@example.com', '192.0.2.1', 0, @at)",
        Some(
            "INSERT INTO customer_request (id, kind, email, address, created_at)
            VALUES (@id, 'activation', 'a@example.com', '192.0.2.1', @at)",
        ),
    ),
    (
        "account_session, expired",
        "INSERT INTO account_session (id, customer_id, generation, address, agent, created_at, refreshed_at, expires_at, changed_at)
            VALUES (@id, @1, 1, '', '', 0, 0, @at, 0)",
        None,
    ),
    (
        "account_session, ended",
        "INSERT INTO account_session (id, customer_id, generation, address, agent, created_at, refreshed_at, expires_at, changed_at, ended_at)
            VALUES (@id, @1, 1, '', '', 0, 0, 9000000000000000000, 0, @at)",
        None,
    ),
    (
        "contact_message",
        "INSERT INTO contact_message (id, name, email, message, locale, network, created_at)
            VALUES (@id, '', 'a@example.com', 'm', 'en', '', @at)",
        None,
    ),
    (
        "waitlist_entry",
        "INSERT INTO waitlist_entry (id, state, give_id, receive_id, mailbox, network, locale, created_at, expires_at)
            VALUES (@id, 'notified', 1, 2, '@n', '', 'en', 0, @at)",
        None,
    ),
    ("partner_nonce", "INSERT INTO partner_nonce (key_id, nonce, expires_at) VALUES (@1, '@n', @at)", None),
    ("partner_minute", "INSERT INTO partner_minute (key_id, minute, calls) VALUES (@1, @at, 1)", None),
    ("partner_day", "INSERT INTO partner_day (key_id, day, calls) VALUES (@1, @at, 1)", None),
    (
        "partner_sandbox_claim",
        "INSERT INTO partner_sandbox_claim (id, partner_id, number, position, claim, revision, created_at, updated_at)
            VALUES (@id, @1, @n, '', '', 1, 0, @at)",
        None,
    ),
    (
        "partner_trustee_order, sandbox",
        "INSERT INTO partner_trustee_order (claim_id, partner_id, key_id, fingerprint, turn, sandbox, request, fee_from, fee_to, created_at)
            VALUES (@id, @1, @1, '@n', 0, TRUE, '', '', '', @at)",
        Some(
            "INSERT INTO partner_trustee_order (claim_id, partner_id, key_id, fingerprint, turn, sandbox, request, fee_from, fee_to, created_at)
            VALUES (@id, @1, @1, '@n', 0, FALSE, '', '', '', @at)",
        ),
    ),
    ("referral_trace", "INSERT INTO referral_trace (referrer_id, digest, seen_at) VALUES (@1, '@n', @at)", None),
    ("referral_visitor", "INSERT INTO referral_visitor (day, digest, referrer_id, visits) VALUES (@at, '@n', @1, 1)", None),
];

fn id(engine: Engine, number: usize) -> String {
    match engine {
        Engine::Sqlite => format!("X'{number:032x}'"),
        Engine::Postgres => format!("CAST('{number:032x}' AS UUID)"),
    }
}

async fn store(app: &TestApp, engine: Engine, sql: &str, number: usize, at: i64) {
    let sql = sql.replace("@at", &at.to_string()).replace("@id", &id(engine, number)).replace("@n", &number.to_string());
    run(app, sql.replace("@1", &id(engine, 1))).await.unwrap();
}

async fn count(app: &TestApp, rule: &RetentionRule) -> i64 {
    let table = rule.name.split(',').next().unwrap();
    let sql: &'static str = format!("SELECT COUNT(*) FROM {table}").leak();
    fetch_one!(&mut app.server.platform.db.read().await.unwrap(), (i64,), sql).unwrap().0
}

async fn each_rule_deletes_what_is_old_and_nothing_else(engine: Engine) {
    let app = TestApp::start(engine).await;
    for sql in PARENTS {
        store(&app, engine, sql, 1, 0).await;
    }
    let platform = &app.server.platform;
    let mut number = 1_000;
    for rule in app.server.retention() {
        let (_, row, stays) = ROWS.iter().find(|(name, ..)| *name == rule.name).expect(rule.name);
        delete_due(platform, &rule).await.unwrap();
        let others = count(&app, &rule).await;
        let before = (rule.before)(&platform.settings, platform.clock.now());
        // An old row, and one that is not old yet.
        for (sql, at) in [(Some(*row), before - 1), (Some(*row), before + 1), (*stays, before - 1)] {
            if let Some(sql) = sql {
                store(&app, engine, sql, number, at).await;
                number += 1;
            }
        }
        assert_eq!(delete_due(platform, &rule).await.unwrap(), 1, "{}", rule.name);
        assert_eq!(count(&app, &rule).await, others + 1 + i64::from(stays.is_some()), "{}", rule.name);
    }
}

/// A rule that scans its table would hold everybody up who writes.
#[tokio::test]
async fn an_index_leads_to_what_is_due() {
    let app = TestApp::start(Engine::Sqlite).await;
    let mut tx = app.server.platform.db.read().await.unwrap();
    for rule in app.server.retention() {
        let sql: &'static str = format!("EXPLAIN QUERY PLAN {}", rule.delete).leak();
        let plan = fetch_all!(&mut tx, (i64, i64, i64, String), sql, 0_i64, 1_i64).unwrap();
        let steps: Vec<_> = plan.into_iter().map(|(.., step)| step).collect();
        assert!(!steps.iter().any(|step| step.starts_with("SCAN")), "{}: {steps:?}", rule.name);
    }
}

async fn nobody_waits_for_a_backlog(engine: Engine) {
    const ROWS: i64 = 20_000;
    let app = TestApp::start(engine).await;
    let backlog = format!(
        "INSERT INTO idempotency (scope, key, fingerprint, answer, created_at)
        WITH RECURSIVE numbered (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbered WHERE number < {ROWS})
        SELECT 'backlog', CAST(number AS TEXT), '', '', 0 FROM numbered"
    );
    run(&app, backlog).await.unwrap();
    let platform = app.server.platform.clone();
    let deleting = tokio::spawn(async move { delete_due(&platform, &agio_core::idempotency::RETENTION).await });
    let left = "SELECT COUNT(*) FROM idempotency WHERE scope = 'backlog'";
    let mut seen = BTreeSet::new();
    loop {
        run(&app, "UPDATE storage_probe SET mark = mark + 1".to_owned()).await.unwrap();
        let (left,) = fetch_one!(&mut app.server.platform.db.read().await.unwrap(), (i64,), left).unwrap();
        if left == 0 {
            break;
        }
        seen.insert(left);
    }
    assert_eq!(deleting.await.unwrap().unwrap(), ROWS.unsigned_abs());
    assert!(seen.iter().all(|left| left % BATCH == 0), "other writes in between saw {seen:?}");
    // Its one writer takes turns.
    assert!(engine == Engine::Postgres || seen.len() > 10, "other writes in between saw {seen:?}");
}

both_engines!(each_rule_deletes_what_is_old_and_nothing_else, nobody_waits_for_a_backlog);
