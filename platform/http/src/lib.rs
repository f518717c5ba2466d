//! What every `api` and `admin` room speaks HTTP with.
//!
//! poem and poem-openapi are known here, in those rooms and in the server, and nowhere else. The crate gives bodies that
//! are read and written by serde while their schemas come from poem-openapi ([`body`]), values as answers carry
//! them ([`values`]), failures as problem documents ([`problem`]), and who is calling ([`caller`]).

pub mod body;
pub mod caller;
pub mod problem;
mod schema;
pub mod values;

pub use body::{Accepted, Answer, Created, Done, Either, Input, OptionalInput, Ready};
pub use caller::{CustomerAuth, IdempotencyKey, NewcomerAuth, StaffAuth, Visitor};
pub use problem::{Failure, Outcome, Problem};
pub use values::{Dec, Moment, Null, parse_decimal};
