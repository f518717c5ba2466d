//! The whole server on a throw-away database, for tests written as customers and staff.
//!
//! ```no_run
//! # async fn example() {
//! use agio_test_app::{Engine, TestApp};
//!
//! let app = TestApp::start(Engine::Sqlite).await;
//! let visitor = app.visitor();
//! let directions = visitor.get("/api/v1/calculator/").await.ok();
//! assert!(directions["directions"].as_array().is_some_and(|all| !all.is_empty()));
//! # }
//! ```
//!
//! The clock stands still until a test advances it with [`TestApp::advance_and_run_jobs`], and randomness comes from a
//! seed: no test sleeps, and every failure can be reproduced. `AGIO_TEST_POSTGRES` is the address of PostgreSQL;
//! [`both_engines!`] runs each test on both engines.

mod app;
mod caller;
mod card_number;
mod customer;
mod database;
mod messenger;
mod problem_codes;
mod process;

pub use agio_core::db::Engine;
pub use agio_server::config::SecondFactor;
pub use agio_server::plugins::rate_files;
pub use app::{ReceivedEmail, TestApp};
pub use caller::{EventStreamReader, TestClient, TestResponse};
pub use card_number::{card_number, card_number_of};
pub use customer::TestCustomer;
pub use database::{Database, HeldLock};
pub use messenger::TestMessenger;
pub use process::{free_port, is_live};

/// Declares a test per engine for each function: `mod sqlite` and `mod postgres`.
#[macro_export]
macro_rules! both_engines {
    ($($test:ident),* $(,)?) => {
        mod sqlite {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $test() {
                    super::$test($crate::Engine::Sqlite).await;
                }
            )*
        }
        mod postgres {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $test() {
                    super::$test($crate::Engine::Postgres).await;
                }
            )*
        }
    };
}
