//! Every operation, called by every kind of caller.
//!
//! Each published operation has a row with the expected outcome per kind of caller. Every cell is called over HTTP on
//! both engines, with real data. An operation without a row fails the test. Each module has its rows in `ROWS` and its
//! requests in `call`:
//!
//! - `site` rows list the outcome for each kind of customer;
//! - `admin` rows name the required access of staff. The roles follow from `PERMISSIONS`, which is written by hand and compared with the
//!   permissions of the server.
//!
//! An operation whose access depends on the request has several rows, with a suffix after a slash.

mod accounts;
mod calculator;
mod claims;
mod claims_admin;
mod content;
mod contest;
mod customers_admin;
mod discounts;
mod feeds;
mod fixtures;
mod languages;
mod market_admin;
mod partners;
mod payments;
mod plugins;
mod rates;
mod referral;
mod reviews;
mod row;
mod specification;
mod staff_admin;
mod system_admin;
mod verification;
mod waitlist;

use std::collections::BTreeSet;

use agio_core::identity::Role;
use agio_test_app::{Engine, both_engines};
use serde_json::Value;

use fixtures::Fixtures;
use row::{Call, CallerKind, Expectations, PERMISSIONS, Row, has};

/// All rows, in the order of the calls.
fn rows() -> Vec<Row> {
    [
        calculator::ROWS,
        claims::ROWS,
        accounts::ROWS,
        verification::ROWS,
        claims_admin::ROWS,
        discounts::ROWS,
        referral::ROWS,
        partners::ROWS,
        payments::ROWS,
        market_admin::ROWS,
        content::ROWS,
        feeds::ROWS,
        plugins::ROWS,
        contest::ROWS,
        reviews::ROWS,
        waitlist::ROWS,
        rates::ROWS,
        staff_admin::ROWS,
        customers_admin::ROWS,
        system_admin::ROWS,
    ]
    .concat()
}

/// Prepares the data of a row and returns its request.
async fn call(fixtures: &Fixtures, name: &str, kind: CallerKind) -> Call {
    if let Some(call) = calculator::call(fixtures, name) {
        return call;
    }
    if let Some(call) = claims::call(fixtures, name).await {
        return call;
    }
    if let Some(call) = accounts::call(fixtures, name, kind).await {
        return call;
    }
    if let Some(call) = verification::call(fixtures, name).await {
        return call;
    }
    if let Some(call) = system_admin::call(fixtures, name).await {
        return call;
    }
    if let Some(call) = claims_admin::call(fixtures, name).await {
        return call;
    }
    if let Some(call) = discounts::call(fixtures, name).await {
        return call;
    }
    if let Some(call) = referral::call(fixtures, name).await {
        return call;
    }
    if let Some(call) = partners::call(fixtures, name).await {
        return call;
    }
    if let Some(call) = market_admin::call(fixtures, name).await {
        return call;
    }
    if let Some(call) = content::call(fixtures, name).await {
        return call;
    }
    if let Some(call) = plugins::call(fixtures, name).await {
        return call;
    }
    if let Some(call) = feeds::call(fixtures, name).await {
        return call;
    }
    if let Some(call) = payments::call(fixtures, name).await {
        return call;
    }
    if let Some(call) = rates::call(fixtures, name).await {
        return call;
    }
    if let Some(call) = contest::call(fixtures, name).await {
        return call;
    }
    if let Some(call) = reviews::call(fixtures, name).await {
        return call;
    }
    if let Some(call) = waitlist::call(fixtures, name).await {
        return call;
    }
    if let Some(call) = customers_admin::call(fixtures, name).await {
        return call;
    }
    staff_admin::call(fixtures, name, kind).await.unwrap_or_else(|| panic!("there is no request for {name}"))
}

fn operations(document: &Value) -> BTreeSet<String> {
    let paths = document["paths"].as_object().unwrap().values().flat_map(|path| path.as_object().unwrap().values());
    paths.filter_map(|operation| operation["operationId"].as_str()).map(str::to_owned).collect()
}

/// Duplicate, unknown and missing rows.
fn faults_of_rows(fixtures: &Fixtures) -> Vec<String> {
    let documents = fixtures.app.server.generate_documents();
    let (public, console) = (operations(&documents.public), operations(&documents.console));
    let mut faults = Vec::new();
    let mut found = BTreeSet::new();
    for row in rows() {
        if !found.insert(row.name) {
            faults.push(format!("{} has two rows", row.name));
        }
        let document = if matches!(row.expectations, Expectations::Site(_)) { &public } else { &console };
        if !document.contains(row.operation()) {
            faults.push(format!("{} has a row and is no operation", row.name));
        }
    }
    let covered: BTreeSet<_> = rows().iter().map(Row::operation).collect();
    faults.extend(public.union(&console).filter(|id| !covered.contains(id.as_str())).map(|id| format!("{id} has no row")));
    faults
}

async fn every_operation_responds_to_every_caller_as_expected(engine: Engine) {
    let fixtures = Fixtures::create(engine).await;
    let mut faults = faults_of_rows(&fixtures);
    for row in rows() {
        for kind in CallerKind::ALL {
            let call = call(&fixtures, row.name, kind).await;
            let answer = fixtures.send(kind, call).await;
            if let Err(fault) = fixtures.is_as_expected(row.expected(kind), &answer) {
                faults.push(format!("{} by {kind:?}: {fault}", row.name));
            }
        }
    }
    assert!(faults.is_empty(), "{} cells differ from their rows:\n{}", faults.len(), faults.join("\n"));
    fixtures.app.assert_ledger_is_clean().await;
    fixtures.app.assert_audit_chain_is_intact().await;
}

/// Calls every operation at two nodes at once, for the same object.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_operation_is_safe_at_two_nodes_at_once() {
    let fixtures = Fixtures::create(Engine::Postgres).await;
    let there = fixtures.app.another_node().await;
    let (mut faults, mut tried) = (Vec::new(), 0);
    for row in rows() {
        let may = |kind: &CallerKind| matches!(row.expected(*kind), row::Done | row::Unmasked);
        // Rows without a success, and signing out, belong to the other test.
        let Some(kind) = CallerKind::ALL.into_iter().find(may).filter(|_| row.operation() != "signOut") else { continue };
        let call = call(&fixtures, row.name, kind).await;
        let (one, other) = tokio::join!(
            fixtures.send_racing(&fixtures.app.root, kind, call.clone()),
            fixtures.send_racing(&there.root, kind, call)
        );
        tried += 1;
        if !one.status.is_success() && !other.status.is_success() {
            faults.push(format!(
                "{} by {kind:?} succeeds at neither node: {} {} / {} {}",
                row.name, one.status, one.text, other.status, other.text
            ));
        }
        faults.extend(
            [one, other]
                .iter()
                .filter(|answer| answer.status.is_server_error())
                .map(|answer| format!("{} by {kind:?}: {} {}", row.name, answer.status, answer.text)),
        );
    }
    assert!(faults.is_empty(), "{} of {tried} operations:\n{}", faults.len(), faults.join("\n"));
    assert!(tried > 150, "{tried} operations were tried");
    crate::ledger_consistency::assert_sums_agree(&fixtures.app).await;
}

#[tokio::test]
async fn roles_have_the_expected_permissions() {
    let app = agio_test_app::TestApp::start(Engine::Sqlite).await;
    for permission in app.server.permissions() {
        for role in Role::ALL {
            assert_eq!(role.has(permission), has(role, permission.0), "{role} and {}", permission.0);
        }
    }
    let known: BTreeSet<_> = app.server.permissions().iter().map(|permission| permission.0).collect();
    let removed: Vec<_> = PERMISSIONS.iter().filter(|(name, _)| !known.contains(name)).collect();
    assert!(removed.is_empty(), "these permissions do not exist: {removed:?}");
}

both_engines!(every_operation_responds_to_every_caller_as_expected);
