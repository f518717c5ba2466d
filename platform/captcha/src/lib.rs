//! The captcha: how a caller shows that calls cost them something.
//!
//! Out of the box it is a proof of work that a browser does in about a second and that needs nobody else ([`work`]). An operator may
//! name a provider that speaks reCAPTCHA's protocol instead ([`provider`]); while that one does not answer, proofs of work are
//! asked for in its place. Either way the answer travels in a field named `recaptcha`, counts once, and counts for one kind of
//! call only. Who is asked, and when, is for the rooms to say: they know what is risky.
//!
//! The key that challenges are signed with and the answers that were used are in the database, so that a challenge given by one
//! node, or before a restart, is good at another and after it, and none of them takes an answer twice.

pub mod api;
pub mod provider;
mod store;
pub mod widget;
pub mod work;

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use agio_core::module::{Job, Module};
use agio_core::texts::Dictionary;
use agio_core::{Error, Kind, Platform, Result, Timestamp, hex};
use arc_swap::ArcSwapOption;

pub use altcha::Challenge;
pub use provider::{Provider, SiteVerify};
pub use widget::{Sources, Widget};

/// The crate's texts.
pub const DICTIONARY: Dictionary = agio_core::dictionary!();

/// How long proofs of work are asked for after the provider did not answer.
const PROVIDER_REST: Duration = Duration::from_secs(60);

/// What the key is sealed for.
const KEY_PURPOSE: &str = "captcha key";

/// Asks for captchas and takes their answers.
pub struct Captcha {
    platform: Platform,
    provider: Option<Arc<dyn Provider>>,
    secret: ArcSwapOption<String>,
    /// Until when the provider is left alone, in microseconds.
    provider_rests_until: AtomicI64,
}

/// What a page is told about the captcha of a call.
#[derive(Debug)]
pub struct Offer {
    /// Whether the call is refused without an answer.
    pub required: bool,
    /// The proof of work that makes an answer.
    pub challenge: Option<Challenge>,
    /// Where a provider is asked for an answer instead: whose widget is shown, and the key its script takes.
    pub widget: Option<(Widget, String)>,
}

impl Captcha {
    /// The captcha, with the operator's provider if there is one. Call [`load`](Self::load) before serving.
    #[must_use]
    pub fn new(platform: &Platform, provider: Option<Arc<dyn Provider>>) -> Arc<Self> {
        Arc::new(Self {
            platform: platform.clone(),
            provider,
            secret: ArcSwapOption::empty(),
            provider_rests_until: AtomicI64::new(i64::MIN),
        })
    }

    /// Reads the key that challenges are signed with; makes it when there is none, or none that the vault can open.
    ///
    /// # Errors
    /// The database cannot be used.
    pub async fn load(&self) -> Result<()> {
        let stored = store::key(&mut self.platform.db.read().await?).await?;
        let secret = match stored.map(|sealed| self.opened(&sealed)) {
            Some(Ok(secret)) => secret,
            unreadable => {
                if let Some(Err(error)) = &unreadable {
                    tracing::warn!(%error, "the captcha's key cannot be read and is replaced");
                }
                self.make_key(unreadable.is_some()).await?
            }
        };
        self.secret.store(Some(Arc::new(secret)));
        Ok(())
    }

    async fn make_key(&self, replace: bool) -> Result<String> {
        let mut secret = [0; 32];
        self.platform.random.fill(&mut secret);
        let sealed = self.platform.vault.seal(KEY_PURPOSE, &secret);
        let kept = self
            .platform
            .db
            .write(move |tx| {
                let sealed = sealed.clone();
                Box::pin(async move { store::put_key(tx, &sealed, replace).await })
            })
            .await?;
        // Another node that starts at this moment may have been first.
        self.opened(&kept)
    }

    fn opened(&self, sealed: &str) -> Result<String> {
        let secret = self.platform.vault.open(KEY_PURPOSE, sealed)?;
        Ok(hex::encode(secret))
    }

    fn secret(&self) -> Result<Arc<String>> {
        self.secret.load_full().ok_or_else(|| Error::internal("the captcha was not opened"))
    }

    /// What a page has to do to earn a call of this kind.
    ///
    /// # Errors
    /// 500 when no challenge can be made.
    pub fn offer(&self, action: &str, required: bool) -> Result<Offer> {
        let now = self.platform.clock.now();
        if let Some(provider) = self.provider.as_ref().filter(|_| !self.provider_rests(now)) {
            return Ok(Offer { required, challenge: None, widget: Some((provider.widget(), provider.site_key().to_owned())) });
        }
        let challenge = work::challenge(&self.secret()?, action, now)?;
        Ok(Offer { required, challenge: Some(challenge), widget: None })
    }

    /// The refusal of a call that needs an answer, with what has to be done for one: whoever is refused need not ask.
    ///
    /// # Errors
    /// 500 when no challenge can be made.
    pub fn demand(&self, action: &str) -> Result<Error> {
        let check = api::CaptchaCheck::from(self.offer(action, true)?);
        Ok(required().with("captcha", serde_json::to_string(&check).map_err(Error::internal)?))
    }

    /// Takes an answer for a call of this kind. A proof of work counts whether or not there is a provider: a challenge of ours is
    /// only given out where it is to be solved.
    ///
    /// # Errors
    /// 422 `captcha_invalid` for an answer that is wrong, too late, for another kind of call, or was taken before; 503
    /// `captcha_unavailable` when the provider does not answer.
    pub async fn take(&self, action: &str, answer: &str, address: IpAddr) -> Result<()> {
        let now = self.platform.clock.now();
        if let Some(payload) = work::read(answer) {
            let proof = work::check(&self.secret()?, action, &payload, now).ok_or_else(invalid)?;
            let is_first = self.platform.db.write(move |tx| {
                let proof = proof.clone();
                Box::pin(async move { store::use_once(tx, &proof.signature, proof.ends).await })
            });
            return if is_first.await? { Ok(()) } else { Err(invalid()) };
        }
        let provider = self.provider.as_ref().filter(|_| answer.len() <= work::ANSWER_BYTES_MAX).ok_or_else(invalid)?;
        match provider.verify(answer, action, address).await {
            Ok(true) => Ok(()),
            Ok(false) => Err(invalid()),
            Err(error) => {
                tracing::warn!(%error, "the captcha's provider does not answer; proofs of work are asked for");
                self.provider_rests_until.store(now.plus(PROVIDER_REST).0, Ordering::Relaxed);
                Err(Error::new(Kind::Unavailable, "captcha_unavailable").retry_after(1))
            }
        }
    }

    fn provider_rests(&self, now: Timestamp) -> bool {
        now.0 < self.provider_rests_until.load(Ordering::Relaxed)
    }
}

/// The refusal of a call that was sent without an answer where one is needed.
#[must_use]
pub fn required() -> Error {
    Error::unprocessable("captcha_required").at("recaptcha", "captcha_required")
}

fn invalid() -> Error {
    Error::unprocessable("captcha_invalid").at("recaptcha", "captcha_invalid")
}

impl Module for Captcha {
    fn name(&self) -> &'static str {
        "captcha"
    }

    fn statements(&self) -> &'static [(&'static str, &'static str)] {
        store::STATEMENTS
    }

    fn jobs(self: Arc<Self>) -> Vec<Job> {
        vec![Job::new("captcha.used", Duration::from_secs(600), &self, |captcha| {
            Box::pin(async move {
                let now = captcha.platform.clock.now();
                captcha.platform.db.write(move |tx| Box::pin(store::forget_used(tx, now))).await
            })
        })]
    }
}
