//! Background jobs.

use std::sync::Arc;
use std::time::Duration;

use agio_core::module::Job;

use crate::Payments;

const SECOND: Duration = Duration::from_secs(1);

/// The jobs, in the order in which a payment needs them.
pub fn all(payments: &Arc<Payments>) -> Vec<Job> {
    vec![
        Job::new("payments.handling", SECOND * 5, payments, |this| Box::pin(async move { this.load().await })),
        Job::new("payments.addresses", SECOND * 5, payments, |this| Box::pin(async move { this.fill_address_pools().await })),
        Job::new("payments.invoices", SECOND, payments, |this| Box::pin(async move { this.request_invoices().await })),
        Job::new("payments.watch", SECOND * 5, payments, |this| Box::pin(async move { this.poll_drivers().await })),
        Job::new("payments.callbacks", SECOND, payments, |this| Box::pin(async move { this.poll_after_callbacks().await }))
            .woken_by(payments.callbacks.wakeup.clone()),
        Job::new("payments.screen", SECOND * 5, payments, |this| Box::pin(async move { this.screen_movements().await })),
        Job::new("payments.claims", SECOND, payments, |this| Box::pin(async move { this.process_changed_claims().await })),
        Job::new("payments.queue", SECOND, payments, |this| Box::pin(async move { this.queue_payouts().await })),
        Job::new("payments.send", SECOND, payments, |this| Box::pin(async move { this.process_attempts().await })),
        Job::new("payments.balances", SECOND * 60, payments, |this| Box::pin(async move { this.load_balances().await })),
        Job::new("payments.capabilities", SECOND * 60, payments, |this| Box::pin(async move { this.load_capabilities().await })),
        Job::new("payments.reconcile", SECOND * 300, payments, |this| Box::pin(async move { this.reconcile().await.map(drop) })),
    ]
}
