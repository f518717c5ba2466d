//! What a referrer earns, and how a share, a withdrawal and a code look. Nothing here touches a database, a clock or randomness.

mod code;
mod flags;
mod states;
mod terms;

pub use code::{code_of, normal_code};
pub use flags::{Flag, Known, Seen, flags};
pub use states::{AccrualState, Kind, WithdrawalState};
pub use terms::{Share, Terms, Tier, VOLUME_SCALE, share, volume_units};
