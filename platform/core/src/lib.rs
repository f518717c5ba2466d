//! The contracts every room of the house stands on.
//!
//! Nothing here knows what an exchange is. The crate gives the database in its two engines ([`db`]), exact
//! money ([`money`]), the injected clock and randomness ([`clock`], [`random`]), one error type that the edge
//! turns into a problem document ([`error`]), texts in two languages ([`texts`]), settings an operator may
//! change while the house runs ([`settings`]), who is calling ([`identity`]), live notices ([`live`]),
//! answers that are given once per idempotency key ([`idempotency`]), what a module brings ([`module`]) and
//! the narrow traits by which modules ask each other for things ([`needs`]). What was done is written down in [`audit`]; what leaves
//! the house waits in [`outbox`]; small secrets are sealed by the [`vault`]. Addresses that lead to one [`mailbox`] are known as one. Rates are
//! multiplied without loss as a [`ratio`], round trips that gain are found by [`arbitrage`], bytes are written in [`hex`], plain text within HTML
//! by [`markup`]. Long work that nobody
//! waits for is done [`aside`].

pub mod arbitrage;
pub mod aside;
pub mod audit;
pub mod clock;
pub mod db;
pub mod error;
pub mod hex;
pub mod idempotency;
pub mod identity;
pub mod live;
pub mod mailbox;
pub mod markup;
pub mod module;
pub mod money;
pub mod needs;
pub mod networks;
pub mod outbox;
pub mod platform;
pub mod random;
pub mod ratio;
pub mod sealing;
pub mod settings;
pub mod texts;
pub mod vault;

pub use aside::Aside;
pub use clock::{Clock, Timestamp};
pub use db::{Db, Tx};
pub use error::{Error, FieldError, Kind, Result};
pub use money::Amount;
pub use platform::Platform;
pub use vault::Vault;

/// The storage library, re-exported for the query macros.
pub use rusqlite;
pub use sqlx;

/// A boxed future that may cross threads; what a unit of database work returns.
pub type BoxFuture<'a, T> = std::pin::Pin<Box<dyn Future<Output = T> + Send + 'a>>;
