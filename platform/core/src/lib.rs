//! The foundation of every module. Nothing here knows what an exchange is.
//!
//! - Storage: [`db`] (SQLite and PostgreSQL), [`audit`], [`full_check`] (when everything was last checked), [`outbox`],
//!   [`idempotency`], [`vault`] for secrets, [`resealing`] of them with a new key.
//! - Running: [`platform`] (what every module gets), [`module`] (what a module declares), [`settings`], [`events`],
//!   [`background`], [`retention`] (what is deleted when).
//! - Values: [`money`], [`decimal`] (as text), [`ratio`] (lossless rates), [`arbitrage`] (profitable round trips), [`clock`], [`random`],
//!   [`identity`], [`networks`], [`mailbox`] (equivalent e-mail addresses), [`hex`], [`markup`],
//!   [`named`] (enums with stable names), [`keyset`] (pages).
//! - Texts and errors: [`texts`] in two languages, [`error`] with stable codes.

pub mod arbitrage;
pub mod audit;
pub mod background;
pub mod clock;
pub mod db;
pub mod decimal;
pub mod error;
pub mod events;
pub mod full_check;
pub mod hex;
pub mod idempotency;
pub mod identity;
pub mod keyset;
pub mod mailbox;
pub mod markup;
pub mod module;
pub mod money;
pub mod named;
pub mod networks;
pub mod outbox;
pub mod platform;
pub mod random;
pub mod ratio;
pub mod resealing;
pub mod retention;
pub mod settings;
pub mod spreadsheet;
pub mod texts;
pub mod vault;

pub use background::BackgroundExecutor;
pub use clock::{Clock, Timestamp};
pub use db::{Db, Tx};
pub use error::{Error, ErrorKind, FieldError, Result};
pub use money::{Amount, CurrencyUnit};
pub use platform::Platform;
pub use vault::Vault;

/// Re-exported for the query macros.
pub use rusqlite;
pub use sqlx;

/// A boxed future that can be sent between threads.
pub type BoxFuture<'a, T> = std::pin::Pin<Box<dyn Future<Output = T> + Send + 'a>>;
