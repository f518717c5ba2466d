//! Validation of requisites by plugins.
//!
//! The built-in rules accept a requisite before a plugin is called, and they decide alone if no plugin responds: a slow
//! or dead plugin never blocks an exchange.

use std::sync::Arc;
use std::time::Duration;

use agio_contracts::{RequisiteToValidate, RequisiteValidation, RequisiteValidator};
use agio_core::BoxFuture;
use agio_core::texts::Bilingual;
use agio_plugin_runtime::{PluginErrorReason, PluginRegistry};
use agio_plugin_sdk::protocol::{Call, CallResult, LocalizedText, Manifest, PluginKind, RequisiteCheck, RequisiteInput};
use futures_util::future::join_all;
use tokio::time::timeout;

/// How long a customer waits for plugins. The call itself continues until its own deadline.
const TIMEOUT: Duration = Duration::from_millis(500);

/// In characters.
const REASON_LENGTH_MAX: usize = 300;

/// Calls all enabled plugins for requisites.
pub struct PluginRequisiteValidators(pub Arc<dyn PluginRegistry>);

impl RequisiteValidator for PluginRequisiteValidators {
    fn validate<'a>(&'a self, requisites: Vec<RequisiteToValidate>) -> BoxFuture<'a, Vec<Option<RequisiteValidation>>> {
        Box::pin(async move {
            let validators = self.0.list(PluginKind::Requisites);
            join_all(requisites.into_iter().map(|requisite| self.validate_one(&validators, requisite))).await
        })
    }
}

impl PluginRequisiteValidators {
    /// The result of all plugins: a rejection wins.
    async fn validate_one(&self, validators: &[Arc<Manifest>], requisite: RequisiteToValidate) -> Option<RequisiteValidation> {
        let calls = validators.iter().map(|manifest| self.call(&manifest.name, &requisite));
        let mut results: Vec<_> = join_all(calls).await.into_iter().flatten().collect();
        let invalid = results.iter().position(|validation| matches!(validation, RequisiteValidation::Invalid(_)));
        (!results.is_empty()).then(|| results.swap_remove(invalid.unwrap_or(0)))
    }

    async fn call(&self, name: &str, requisite: &RequisiteToValidate) -> Option<RequisiteValidation> {
        let RequisiteToValidate { currency, field, value } = requisite.clone();
        let (plugins, plugin) = (self.0.clone(), name.to_owned());
        // A separate task, so that a late response still counts for the health of the plugin.
        let answer =
            tokio::spawn(
                async move { plugins.call(&plugin, Call::CheckRequisite(RequisiteInput { currency, field, value })).await },
            );
        match timeout(TIMEOUT, answer).await {
            Ok(Ok(Ok(CallResult::Checked(checked)))) => validation(checked),
            Ok(Ok(Err(fault)))
                if matches!(fault.reason, PluginErrorReason::CallFailed { .. } | PluginErrorReason::Quarantined(_)) =>
            {
                None
            }
            Ok(Ok(Err(fault))) => {
                tracing::warn!(plugin = name, %fault, "a plugin could not validate a requisite");
                None
            }
            Ok(Ok(Ok(_)) | Err(_)) => None,
            Err(_) => {
                tracing::warn!(plugin = name, "a plugin takes too long to validate a requisite");
                None
            }
        }
    }
}

fn validation(checked: RequisiteCheck) -> Option<RequisiteValidation> {
    match checked {
        RequisiteCheck::Valid { canonical } => Some(RequisiteValidation::Valid(canonical)),
        // A rejection without a reason is ignored: it would not help the customer.
        RequisiteCheck::Invalid { why: LocalizedText { ru, en } } => {
            let results =
                |text: String| text.chars().filter(|sign| !sign.is_control()).take(REASON_LENGTH_MAX).collect::<String>();
            let why = Bilingual { ru: results(ru), en: results(en) };
            (!why.ru.trim().is_empty() && !why.en.trim().is_empty()).then_some(RequisiteValidation::Invalid(why))
        }
    }
}
