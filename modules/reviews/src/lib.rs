//! Customers' reviews of the exchange.
//!
//! Each completed exchange may have one review, which its customer writes on the claim's page and may change until
//! staff publish or reject it. Staff never change a customer's words; they may answer in public. The site shows the
//! published reviews from memory.

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

pub use admin::ReviewsAdminApi;
pub use api::ReviewsApi;
pub use model::{PublishedReview, PublishedReviews};
pub use service::Reviews;

pub const DICTIONARY: Dictionary = agio_core::dictionary!();

pub const REVIEWS_READ: Permission = Permission("reviews.read");
/// Publishes, rejects and answers reviews.
pub const REVIEWS_MODERATE: Permission = Permission("reviews.moderate");

impl Module for Reviews {
    fn name(&self) -> &'static str {
        "reviews"
    }

    fn permissions(&self) -> &'static [Permission] {
        &[REVIEWS_READ, REVIEWS_MODERATE]
    }

    fn settings(&self) -> &'static [Setting] {
        &[]
    }

    fn statements(&self) -> &'static [(&'static str, &'static str)] {
        store::STATEMENTS
    }

    fn jobs(self: Arc<Self>) -> Vec<Job> {
        jobs::all(&self)
    }
}
