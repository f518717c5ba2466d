//! The referral plan: attribution, commissions and withdrawals.
//!
//! **First-touch attribution.** A customer is an account or an e-mail address. The first valid code attributes them
//! to its referrer for good; later codes change nothing. A sign-up attributes the account only, because the address
//! is not confirmed yet. An address is attributed when a claim with it and a code is completed, or once an
//! attributed account confirms it, so nobody can attribute others by entering their addresses. The site remembers
//! `?rid=` for [`DAYS`] days and sends it with sign-ups and claims.
//!
//! **Commissions.** The transaction that completes a claim credits the referrer with a percentage of our profit or
//! of the given amount, by the tier of the volume referred before. It is valued at current market rates and rounded
//! down once. A missing rate never blocks the completion: the commission is `unpriced` and needs a review. The
//! balance has one currency: the one [`CURRENCY`] names when the first commission is credited.
//!
//! **Holding period.** Commission is in the referrer's pending account until the holding period ends, and then in
//! the balance; both are ledger accounts. An exchange that looks like the referrer's own also earns commission, but
//! stays pending until staff review it.
//!
//! **Reversal.** Reversing an exchange reverses its commission in the same transaction. What is no longer in the
//! balance becomes a debt that is set off against later credits; ledger accounts never go negative.
//!
//! **Withdrawals.** The amount leaves the balance with the request, so concurrent requests cannot overdraw it. It is
//! paid in the balance currency or the same asset on another network, one to one. Staff approve it (above the payout
//! limit with a second person) and record the payment; a refused withdrawal returns to the balance.

mod admin;
mod api;
mod jobs;
mod model;
mod service;
mod store;

use std::sync::Arc;

use agio_core::identity::Permission;
use agio_core::module::{Declarations, Job, Module};
use agio_core::settings::Setting;
use agio_core::texts::Dictionary;

pub use admin::ReferralAdminApi;
pub use api::ReferralApi;
pub use service::{ApprovedWithdrawal, Referral, ReferralDependencies, SignUpAttribution};

pub const DICTIONARY: Dictionary = agio_core::dictionary!();

/// View referrers, commissions and withdrawals.
pub const REFERRAL_READ: Permission = Permission("referral.read");
/// Manage referral plans.
pub const REFERRAL_TERMS: Permission = Permission("referral.terms");
pub const REFERRAL_REVIEW: Permission = Permission("referral.review");
pub const REFERRAL_PAY: Permission = Permission("referral.pay");

/// Code of the balance currency.
pub const CURRENCY: &str = "referral.currency";
/// Days for which a browser remembers a link.
pub const DAYS: &str = "referral.days";

const SETTINGS: &[Setting] = &[Setting::line(CURRENCY, "USDTTRC20"), Setting::number(DAYS, 1, 3_650, "180")];

impl Module for Referral {
    fn declarations(&self) -> Declarations {
        Declarations {
            permissions: &[REFERRAL_READ, REFERRAL_TERMS, REFERRAL_REVIEW, REFERRAL_PAY],
            settings: SETTINGS,
            statements: store::statements(),
            sealed_columns: const {
                &[
                    agio_core::sealed_column!("referral_withdrawal", "id": Uuid, "requisites", |vault, id, sealed| vault.reseal(&service::withdrawals::purpose(id), sealed)),
                ]
            },
            retention: service::RETENTION,
        }
    }

    fn jobs(self: Arc<Self>) -> Vec<Job> {
        jobs::all(&self)
    }
}
