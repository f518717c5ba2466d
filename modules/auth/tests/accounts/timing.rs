//! No answer tells by its time whether an address has an account.
//!
//! On demand, on a quiet machine: `cargo test -p agio-auth --release --test accounts -- --ignored --test-threads=1
//! timing`.

use std::time::{Duration, Instant};

use agio_test_app::{Engine, TestApp, TestCustomer};
use serde_json::{Value, json};

use crate::fixtures::WRONG;

/// Calls for each of the two kinds of address.
const CALLS: usize = 2_000;

/// Addresses of each kind, one after the other.
const ADDRESSES: usize = 40;

/// Calls before the measurement, so that both find the same warm caches.
const WARM_UP: usize = 100;

/// Mean and variance.
fn moments(times: &[f64]) -> (f64, f64) {
    let count = times.len() as f64;
    let mean = times.iter().sum::<f64>() / count;
    (mean, times.iter().map(|time| (time - mean).powi(2)).sum::<f64>() / (count - 1.0))
}

/// Welch's t of two samples.
fn welch(one: &[f64], other: &[f64]) -> f64 {
    let ((mean, variance), (other_mean, other_variance)) = (moments(one), moments(other));
    (mean - other_mean) / (variance / one.len() as f64 + other_variance / other.len() as f64).sqrt()
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Addresses of both kinds differ in nothing but whether they have an account: they are as long, and asked for as
/// often.
fn address(is_known: bool, number: usize) -> String {
    format!("{}{number:02}@example.com", if is_known { "known" } else { "fresh" })
}

async fn measure(engine: Engine, path: &str, body: impl Fn(&str) -> Value) {
    let app = TestApp::start(engine).await;
    for number in 0..ADDRESSES {
        TestCustomer::sign_up(&app, &address(true, number)).await;
    }
    let (mut known, mut unknown) = (Vec::new(), Vec::new());
    let caller = app.visitor();
    for round in 0..2 * (CALLS + WARM_UP) {
        // In turns, and each from an address of its own on a day of its own, so that no limit is met.
        let is_known = round % 2 == 0;
        let email = address(is_known, round / 2 % ADDRESSES);
        let [.., a, b] = u32::try_from(round).unwrap().to_be_bytes();
        let caller = caller.clone().from_address(&format!("198.18.{a}.{b}"));
        app.advance_clock(Duration::from_secs(24 * 60 * 60));
        let started = Instant::now();
        let answer = caller.post(path, body(&email)).await;
        let taken = started.elapsed().as_secs_f64() * 1_000.0;
        assert!(matches!(answer.status.as_u16(), 200 | 401), "{}", answer.text);
        if round >= 2 * WARM_UP {
            if is_known { known.push(taken) } else { unknown.push(taken) }
        }
    }
    let t = welch(&known, &unknown);
    let difference = median(&mut known) - median(&mut unknown);
    println!("{engine:?} {path}: t = {t:.2}, medians differ by {difference:.3} ms of {:.3} ms", median(&mut unknown));
    assert!(t.abs() < 4.5 && difference.abs() < 5.0, "{path}: t = {t:.2}, medians differ by {difference:.3} ms");
}

async fn restore(engine: Engine) {
    measure(engine, "/api/v1/users/restore/", |email| json!({ "email": email })).await;
}

async fn reactivate(engine: Engine) {
    measure(engine, "/api/v1/users/reactivate/", |email| json!({ "email": email })).await;
}

async fn login(engine: Engine) {
    measure(engine, "/front-api/auth/login/", |email| json!({ "email": email, "password": WRONG })).await;
}

async fn sign_up(engine: Engine) {
    measure(engine, "/api/v1/users/signup/", |email| json!({ "email": email, "password": TestCustomer::PASSWORD })).await;
}

/// A test for each call and engine, so that one can be measured alone.
macro_rules! on_demand {
    ($($call:ident)+) => {
        $(mod $call {
            use agio_test_app::Engine;

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            #[ignore = "measures time: for a quiet machine"]
            async fn sqlite() {
                super::$call(Engine::Sqlite).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            #[ignore = "measures time: for a quiet machine"]
            async fn postgres() {
                super::$call(Engine::Postgres).await;
            }
        })+
    };
}

on_demand!(restore reactivate login sign_up);
