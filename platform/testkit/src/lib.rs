//! The whole house on a throw-away database, for tests that speak in customers and operators.
//!
//! ```no_run
//! # async fn example() {
//! use agio_testkit::{Engine, House};
//!
//! let house = House::open(Engine::Sqlite).await;
//! let customer = house.customer();
//! let directions = customer.get("/api/v1/calculator/").await.ok();
//! assert!(directions["directions"].as_array().is_some_and(|all| !all.is_empty()));
//! # }
//! ```
//!
//! Time stands still until a test moves it with [`House::later`], and randomness follows from a seed, so nothing
//! sleeps and every failure can be played again. PostgreSQL is used when `AGIO_TEST_POSTGRES` names a server whose user
//! may create databases; [`both_engines!`] makes each test run on both.

mod caller;
mod customer;
mod database;
mod house;

pub use agio_core::db::Engine;
pub use agio_server::config::SecondFactor;
pub use agio_server::plugins::rate_files;
pub use caller::{Answer, Caller, Following};
pub use customer::Customer;
pub use database::{Database, Held};
pub use house::{House, Mailed};

/// Makes one test of each named function for each engine: `mod sqlite` and `mod postgres`.
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
