//! Admin APIs that belong to no module.

pub mod audit_log;
pub mod brand;
mod brand_pictures;
pub mod dashboard;
pub mod emails;
mod outbox;
pub mod setup;
pub mod staff_alerts;

use poem_openapi::Tags;

#[derive(Tags)]
enum Tag {
    /// Open tasks and health of the exchange, and what is left to set up.
    Dashboard,
    /// Sent, queued and undeliverable emails.
    Emails,
    /// Alerts to staff by notifiers.
    StaffAlerts,
    /// Name, look and contacts of the exchange.
    Brand,
    /// Who did what and when.
    AuditLog,
}
