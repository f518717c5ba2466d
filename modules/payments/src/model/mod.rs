//! Types and pure rules.

mod attempt;
mod payment_decision;

pub use attempt::{PaymentAttemptKind, PaymentAttemptState, pause};
pub use payment_decision::{ClaimSnapshot, IncomingPayment, PaymentDecision, PaymentIssue, PaymentRules, ScreeningState, decide};
