//! Every operation, called by every kind of caller.
//!
//! The published documents say which operations there are; each has a row here that says what becomes of the call for each kind of caller,
//! and each cell is called through HTTP, on both engines, in one house with real things in it. An operation without a row fails the test
//! with its name. Rows lie with the room they are of, a line in `ROWS` and a line in `call`:
//!
//! - `site` rows spell out a cell for each kind of customer;
//! - `desk` rows name what is needed of staff, and the roles follow from `PERMISSIONS`, which is written by hand and compared with
//!   what the house itself thinks of its roles.
//!
//! An operation whose needs depend on what it is asked has several rows: `moveClaim/refund`.

mod accounts;
mod calculator;
mod claims;
mod claims_desk;
mod content;
mod contest;
mod customers_desk;
mod discounts;
mod house_desk;
mod languages;
mod market_desk;
mod monitors;
mod partners;
mod payments;
mod plugins;
mod rates;
mod referral;
mod staff_desk;
mod table;
mod verification;
mod world;
mod written;

use std::collections::BTreeSet;

use agio_core::identity::Role;
use agio_testkit::{Engine, both_engines};
use serde_json::Value;

use table::{Call, Cells, PERMISSIONS, Row, Who, has};
use world::World;

/// Every row of the house, in the order in which it is tried.
fn rows() -> Vec<Row> {
    [
        calculator::ROWS,
        claims::ROWS,
        accounts::ROWS,
        verification::ROWS,
        claims_desk::ROWS,
        discounts::ROWS,
        referral::ROWS,
        partners::ROWS,
        payments::ROWS,
        market_desk::ROWS,
        content::ROWS,
        monitors::ROWS,
        plugins::ROWS,
        contest::ROWS,
        rates::ROWS,
        staff_desk::ROWS,
        customers_desk::ROWS,
        house_desk::ROWS,
    ]
    .concat()
}

/// The call of a row, with what it needs made ready in the house.
async fn call(world: &World, name: &str, who: Who) -> Call {
    if let Some(call) = calculator::call(world, name) {
        return call;
    }
    if let Some(call) = claims::call(world, name).await {
        return call;
    }
    if let Some(call) = accounts::call(world, name, who).await {
        return call;
    }
    if let Some(call) = verification::call(world, name).await {
        return call;
    }
    if let Some(call) = house_desk::call(world, name).await {
        return call;
    }
    if let Some(call) = claims_desk::call(world, name).await {
        return call;
    }
    if let Some(call) = discounts::call(world, name).await {
        return call;
    }
    if let Some(call) = referral::call(world, name).await {
        return call;
    }
    if let Some(call) = partners::call(world, name).await {
        return call;
    }
    if let Some(call) = market_desk::call(world, name).await {
        return call;
    }
    if let Some(call) = content::call(world, name).await {
        return call;
    }
    if let Some(call) = plugins::call(world, name).await {
        return call;
    }
    if let Some(call) = monitors::call(world, name).await {
        return call;
    }
    if let Some(call) = payments::call(world, name).await {
        return call;
    }
    if let Some(call) = rates::call(world, name).await {
        return call;
    }
    if let Some(call) = contest::call(world, name).await {
        return call;
    }
    if let Some(call) = customers_desk::call(world, name).await {
        return call;
    }
    staff_desk::call(world, name, who).await.unwrap_or_else(|| panic!("nobody knows how {name} is called"))
}

/// The operations of a published document.
fn operations(document: &Value) -> BTreeSet<String> {
    let paths = document["paths"].as_object().unwrap().values().flat_map(|path| path.as_object().unwrap().values());
    paths.filter_map(|operation| operation["operationId"].as_str()).map(str::to_owned).collect()
}

/// What is wrong about the rows themselves.
fn faults_of_rows(world: &World) -> Vec<String> {
    let documents = world.house.app.documents();
    let (public, console) = (operations(&documents.public), operations(&documents.console));
    let mut faults = Vec::new();
    let mut seen = BTreeSet::new();
    for row in rows() {
        if !seen.insert(row.name) {
            faults.push(format!("{} has two rows", row.name));
        }
        let document = if matches!(row.cells, Cells::Site(_)) { &public } else { &console };
        if !document.contains(row.operation()) {
            faults.push(format!("{} has a row and is no operation", row.name));
        }
    }
    let covered: BTreeSet<_> = rows().iter().map(Row::operation).collect();
    faults.extend(public.union(&console).filter(|id| !covered.contains(id.as_str())).map(|id| format!("{id} has no row")));
    faults
}

async fn each_operation_does_for_each_caller_what_its_row_says(engine: Engine) {
    let world = World::make(engine).await;
    let mut faults = faults_of_rows(&world);
    for row in rows() {
        for who in Who::ALL {
            let call = call(&world, row.name, who).await;
            let answer = world.send(who, call).await;
            if let Err(fault) = world.is_as_expected(row.cell(who), &answer) {
                faults.push(format!("{} by {who:?}: {fault}", row.name));
            }
        }
    }
    assert!(faults.is_empty(), "{} cells are not what their rows say:\n{}", faults.len(), faults.join("\n"));
    world.house.books_are_clean().await;
    world.house.audit_is_whole().await;
}

/// Whoever may make a call makes it at two nodes at one moment, on the same thing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_operation_at_two_nodes_at_once_leaves_everything_sound() {
    let world = World::make(Engine::Postgres).await;
    let there = world.house.another_node().await;
    let (mut faults, mut tried) = (Vec::new(), 0);
    for row in rows() {
        let may = |who: &Who| matches!(row.cell(*who), table::Done | table::Whole);
        // Rows of refusals alone, and a call after which nobody is signed in any more, are for the other test.
        let Some(who) = Who::ALL.into_iter().find(may).filter(|_| row.operation() != "logout") else { continue };
        let call = call(&world, row.name, who).await;
        let (one, other) = tokio::join!(world.send(who, call.clone()), world.send_at(&there.root, who, call));
        tried += 1;
        if !one.status.is_success() && !other.status.is_success() {
            faults.push(format!(
                "{} by {who:?} at nobody's: {} {} / {} {}",
                row.name, one.status, one.text, other.status, other.text
            ));
        }
        faults.extend(
            [one, other]
                .iter()
                .filter(|answer| answer.status.is_server_error())
                .map(|answer| format!("{} by {who:?}: {} {}", row.name, answer.status, answer.text)),
        );
    }
    assert!(faults.is_empty(), "{} of {tried} operations:\n{}", faults.len(), faults.join("\n"));
    assert!(tried > 150, "{tried} operations were tried");
    crate::soundness::is_sound(&world.house).await;
}

#[tokio::test]
async fn roles_have_the_permissions_of_the_table() {
    let house = agio_testkit::House::open(Engine::Sqlite).await;
    for permission in house.app.permissions() {
        for role in Role::ALL {
            assert_eq!(role.may(permission), has(role, permission.0), "{role} and {}", permission.0);
        }
    }
    let known: BTreeSet<_> = house.app.permissions().iter().map(|permission| permission.0).collect();
    let gone: Vec<_> = PERMISSIONS.iter().filter(|(name, _)| !known.contains(name)).collect();
    assert!(gone.is_empty(), "nothing has these permissions: {gone:?}");
}

both_engines!(each_operation_does_for_each_caller_what_its_row_says);
