//! The referral programme: who came by whose link, what referrers earn by it, and how they are paid.
//!
//! **First touch.** A person is an account or an e-mail address. The first code one came with binds them for good; codes that come later
//! change nothing, and unknown codes are ignored. A sign-up binds its account, since nobody has shown yet that the address is theirs; an
//! address is bound when an exchange made with it and a code is done, or stands behind a bound account once that is confirmed. So nobody binds
//! strangers by typing their addresses. The site keeps `?rid=` for as many days as [`DAYS`] says and sends it with sign-ups and claims.
//!
//! **Accruals.** In the very transaction that completes a claim its referrer gets a share: of what the house earned by it or of what was sent,
//! at the percent of the tier their referred volume had reached before. What is worth how much is told by the market of that moment, the share is
//! rounded down once, and the completion never fails for it: where a worth cannot be told the accrual is `unpriced` and waits for the staff.
//! The balance is kept in one currency, the one [`CURRENCY`] names when the referrer's first money comes, and stays in it.
//!
//! **Holding.** What is earned lies in the referrer's pending account until the holding time is over and then in their balance; both are
//! accounts of the ledger, so a balance is never more than what may be asked for. An exchange that looks like the referrer's own accrues as
//! well, but waits for the staff in the pending account, with the reasons.
//!
//! **Undoing.** An exchange that is undone takes its accrual back in the same transaction. What is not there any more becomes a debt of the
//! referrer; it is set off against whatever would reach their balance next. The ledger never goes below zero for it.
//!
//! **Withdrawals.** The amount leaves the balance when it is asked for, so any number of parallel requests share what there is. A withdrawal is paid in
//! the currency of the balance or in one of the same asset on another network, unit for unit: nothing is converted. Staff approve, above
//! the limit for payouts with a colleague, and note the payment; what is refused returns to the balance.

mod admin;
mod api;
mod jobs;
mod model;
mod service;
mod store;

use std::sync::Arc;

use agio_core::identity::Permission;
use agio_core::module::{Job, Module};
use agio_core::settings::Setting;
use agio_core::texts::Dictionary;
use agio_core::{BoxFuture, Result};

pub use admin::ReferralDesk;
pub use api::ReferralApi;
pub use service::{AgreedWithdrawal, Bonds, Needs, Referral};

/// This module's texts.
pub const DICTIONARY: Dictionary = agio_core::dictionary!();

/// Seeing referrers, what they earned and what they asked for.
pub const REFERRAL_READ: Permission = Permission("referral.read");
/// Changing the terms referrers earn by.
pub const REFERRAL_TERMS: Permission = Permission("referral.terms");
/// Deciding on what referrers earned.
pub const REFERRAL_REVIEW: Permission = Permission("referral.review");
/// Paying referrers.
pub const REFERRAL_PAY: Permission = Permission("referral.pay");

/// The setting that names the currency of balances.
pub const CURRENCY: &str = "referral.currency";
/// The setting that says for how many days a browser remembers a link.
pub const DAYS: &str = "referral.days";

const SETTINGS: &[Setting] = &[Setting::line(CURRENCY, "USDTTRC20"), Setting::number(DAYS, 1, 3_650, "180")];

impl Module for Referral {
    fn name(&self) -> &'static str {
        "referral"
    }

    fn permissions(&self) -> &'static [Permission] {
        &[REFERRAL_READ, REFERRAL_TERMS, REFERRAL_REVIEW, REFERRAL_PAY]
    }

    fn settings(&self) -> &'static [Setting] {
        SETTINGS
    }

    fn statements(&self) -> &'static [(&'static str, &'static str)] {
        store::statements()
    }

    fn jobs(self: Arc<Self>) -> Vec<Job> {
        jobs::all(&self)
    }

    fn seal(self: Arc<Self>) -> BoxFuture<'static, Result<()>> {
        Box::pin(async move { self.seal_open_rows().await })
    }
}
