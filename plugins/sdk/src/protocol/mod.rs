//! What is said between the house and a plugin. All of it is JSON; amounts, rates and percents are decimal strings, times are microseconds
//! since 1970-01-01 UTC.
//!
//! Fields and kinds may be added within a protocol number, and unknown fields are ignored on both sides; anything else that changes raises the number.

mod actions;
mod calls;
mod check;
pub mod json;
mod manifest;
mod text;

pub use actions::{Action, Body, HttpRequest, HttpResponse, Outcome, Unreached};
pub use calls::{
    Address, AddressWish, Answer, Call, Checked, Document, Movement, Movements, Notice, Observation, Offer, Payout, PayoutState,
    Position, Prices, Question, Refusal, Requisite, Risk, Screening, Step, Verdict, Watch,
};
pub use manifest::{Choice, Field, FieldKind, Host, Kind, Limits, Manifest, Method, Words};

/// The number of the protocol described here.
pub const PROTOCOL: u32 = 2;

/// The oldest number that is still served. Protocol 1 is the same but for these: nothing is kept (no [`Action::Keep`], no [`Question::kept`]), no
/// [`Call::Read`] is asked, and the manifest has no `features` and only a list of origins as `hosts`, where GET is all that may be sent.
pub const PROTOCOL_OLDEST: u32 = 1;
