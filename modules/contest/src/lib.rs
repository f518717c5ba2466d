//! Contests: who exchanges while one runs takes part in a draw that anybody can compute again.
//!
//! The rules of the draw are pure ([`model::draw`]), and the file they are published in checks itself ([`model::published`]). Exchanges that are
//! done enter through [`agio_core::needs::FollowsExchanges`]. Periods begin and end by the clock; the draw is made by staff with a value nobody
//! controls, and what is won is owed in the books from that moment until it is paid.

mod admin;
mod api;
pub mod model;
mod service;
mod store;

use std::sync::Arc;
use std::time::Duration;

use agio_core::identity::Permission;
use agio_core::module::{Job, Module};
use agio_core::texts::Dictionary;

pub use admin::ContestDesk;
pub use api::ContestApi;
pub use service::{AgreedDraw, Contests, PrizePayment};

/// This module's texts.
pub const DICTIONARY: Dictionary = agio_core::dictionary!();

/// Seeing contests and who takes part.
pub const CONTEST_READ: Permission = Permission("contest.read");
/// Making contests and drawing.
pub const CONTEST_EDIT: Permission = Permission("contest.edit");
/// Paying prizes.
pub const CONTEST_PAY: Permission = Permission("contest.pay");

/// Whether contests are shown: a setting of the site.
const SHOWN: &str = "site.contest";

/// The ticker of the base currency: a setting of the rates.
const BASE: &str = "rates.base";

/// How often periods are looked at.
const LOOK_EVERY: Duration = Duration::from_secs(15);

impl Module for Contests {
    fn name(&self) -> &'static str {
        "contest"
    }

    fn permissions(&self) -> &'static [Permission] {
        &[CONTEST_READ, CONTEST_EDIT, CONTEST_PAY]
    }

    fn statements(&self) -> &'static [(&'static str, &'static str)] {
        store::STATEMENTS
    }

    fn jobs(self: Arc<Self>) -> Vec<Job> {
        vec![Job::new("contest.periods", LOOK_EVERY, &self, |contests| Box::pin(async move { contests.turn_periods().await }))]
    }
}
