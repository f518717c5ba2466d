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
use agio_core::module::{Declarations, Job, Module};
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
    fn declarations(&self) -> Declarations {
        Declarations {
            permissions: &[REVIEWS_READ, REVIEWS_MODERATE],
            settings: &[],
            statements: store::STATEMENTS,
            ..Declarations::default()
        }
    }

    fn jobs(self: Arc<Self>) -> Vec<Job> {
        jobs::all(&self)
    }
}
