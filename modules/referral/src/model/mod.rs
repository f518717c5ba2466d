//! Pure rules of referral plans, commissions and codes.

mod code;
mod flags;
mod states;
mod terms;

pub use code::{code_of, normal_code};
pub use flags::{ExchangeTraces, Flag, ReferrerTraces, flags};
pub use states::{
    ReferralCommissionDecision, ReferralCommissionState, ReferralHistoryKind, ReferralHistoryStatus, ReferralKind,
    ReferralListTab, ReferralWithdrawalAction, ReferralWithdrawalState,
};
pub use terms::{CommissionTier, PlanTerms, Share, VOLUME_SCALE, share, volume_units};
