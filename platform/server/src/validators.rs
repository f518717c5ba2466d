//! Plugins that know requisites, for whoever keeps some.
//!
//! The house's own rules have found a requisite sound before a plugin is asked, and go on to hold where no plugin answers: nobody is kept from
//! an exchange because a plugin is slow or dead.

use std::sync::Arc;
use std::time::Duration;

use agio_core::BoxFuture;
use agio_core::needs::{KnownRequisite, Opinion, Opinions};
use agio_core::texts::Bilingual;
use agio_plugin::protocol::{Answer, Call, Checked, Kind, Manifest, Requisite, Words};
use agio_plugin_host::{Plugins, Reason};
use futures_util::future::join_all;
use tokio::time::timeout;

/// How long a customer waits for plugins. One that is still thinking then goes on, and is held to its own deadline.
const PATIENCE: Duration = Duration::from_millis(500);

/// The longest reason that is shown, in characters.
const WHY_MAX: usize = 300;

/// Asks the plugins that are switched on.
pub struct Validators(pub Arc<dyn Plugins>);

impl Opinions for Validators {
    fn on<'a>(&'a self, requisites: Vec<KnownRequisite>) -> BoxFuture<'a, Vec<Option<Opinion>>> {
        Box::pin(async move {
            let validators = self.0.of(Kind::Requisites);
            join_all(requisites.into_iter().map(|requisite| self.one(&validators, requisite))).await
        })
    }
}

impl Validators {
    /// What the plugins think of one requisite: one that finds it wrong is heard before one that does not.
    async fn one(&self, validators: &[Arc<Manifest>], requisite: KnownRequisite) -> Option<Opinion> {
        let asked = validators.iter().map(|manifest| self.ask(&manifest.name, &requisite));
        let mut said: Vec<_> = join_all(asked).await.into_iter().flatten().collect();
        let wrong = said.iter().position(|opinion| matches!(opinion, Opinion::Wrong(_)));
        (!said.is_empty()).then(|| said.swap_remove(wrong.unwrap_or(0)))
    }

    async fn ask(&self, name: &str, requisite: &KnownRequisite) -> Option<Opinion> {
        let KnownRequisite { currency, field, value } = requisite.clone();
        let (plugins, asked) = (self.0.clone(), name.to_owned());
        // A task of its own, so that an answer that comes too late for the customer is counted all the same.
        let answer = tokio::spawn(async move { plugins.ask(&asked, Call::Check(Requisite { currency, field, value })).await });
        match timeout(PATIENCE, answer).await {
            Ok(Ok(Ok(Answer::Checked(checked)))) => opinion(checked),
            Ok(Ok(Err(fault))) if matches!(fault.reason, Reason::Refused { .. } | Reason::Quarantined(_)) => None,
            Ok(Ok(Err(fault))) => {
                tracing::warn!(plugin = name, %fault, "a plugin has no opinion on a requisite");
                None
            }
            Ok(Ok(Ok(_)) | Err(_)) => None,
            Err(_) => {
                tracing::warn!(plugin = name, "a plugin takes too long over a requisite; it is not waited for");
                None
            }
        }
    }
}

fn opinion(checked: Checked) -> Option<Opinion> {
    match checked {
        Checked::Good { canonical } => Some(Opinion::Sound(canonical)),
        // Whoever refuses says why; a customer could do nothing about an empty reason.
        Checked::Bad { why: Words { ru, en } } => {
            let said = |text: String| text.chars().filter(|sign| !sign.is_control()).take(WHY_MAX).collect::<String>();
            let why = Bilingual { ru: said(ru), en: said(en) };
            (!why.ru.trim().is_empty() && !why.en.trim().is_empty()).then_some(Opinion::Wrong(why))
        }
    }
}
