//! Captchas.
//!
//! By default a captcha is a proof of work that a browser solves in about a second ([`proof_of_work`]). An operator can configure a
//! provider with reCAPTCHA's protocol instead ([`provider`]); while it does not answer, the proof of work replaces it. The answer is
//! sent in a field named `recaptcha` and is valid once, for one action. The calling modules decide when a captcha is required.
//!
//! The signing key and the used answers are in the database, so challenges stay valid across nodes and restarts, and no answer can be
//! used twice.

pub mod api;
pub mod proof_of_work;
pub mod provider;
mod store;
pub mod widget;

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use agio_core::module::{Declarations, Module};
use agio_core::texts::Dictionary;
use agio_core::{Error, ErrorKind, Platform, Result, Timestamp, hex};
use arc_swap::ArcSwapOption;

pub use altcha::Challenge;
pub use provider::{CaptchaProvider, SiteVerifyProvider};
pub use widget::{CaptchaWidget, ContentSources};

pub const DICTIONARY: Dictionary = agio_core::dictionary!();

/// How long the proof of work replaces a provider that did not answer.
const PROVIDER_PAUSE: Duration = Duration::from_secs(60);

const KEY_PURPOSE: &str = "captcha key";

/// Issues challenges and verifies answers.
pub struct Captcha {
    platform: Platform,
    provider: Option<Arc<dyn CaptchaProvider>>,
    secret: ArcSwapOption<String>,
    /// End of the provider's pause, in microseconds.
    provider_paused_until: AtomicI64,
}

/// The captcha for an action.
#[derive(Debug)]
pub struct CaptchaRequirement {
    /// Whether the action is rejected without an answer.
    pub required: bool,
    /// Proof of work to solve.
    pub challenge: Option<Challenge>,
    /// The provider's widget to show instead, and its site key.
    pub widget: Option<(CaptchaWidget, String)>,
}

impl Captcha {
    /// Call [`load`](Self::load) before serving.
    pub fn new(platform: &Platform, provider: Option<Arc<dyn CaptchaProvider>>) -> Arc<Self> {
        Arc::new(Self {
            platform: platform.clone(),
            provider,
            secret: ArcSwapOption::empty(),
            provider_paused_until: AtomicI64::new(i64::MIN),
        })
    }

    /// Loads the signing key; creates it if there is none or the vault cannot open it.
    pub async fn load(&self) -> Result<()> {
        let stored = store::key(&mut self.platform.db.read().await?).await?;
        let secret = match stored.map(|sealed| self.open_key(&sealed)) {
            Some(Ok(secret)) => secret,
            unreadable => {
                if let Some(Err(error)) = &unreadable {
                    tracing::warn!(%error, "the captcha key cannot be read and is replaced");
                }
                self.create_key(unreadable.is_some()).await?
            }
        };
        self.secret.store(Some(Arc::new(secret)));
        Ok(())
    }

    async fn create_key(&self, replace: bool) -> Result<String> {
        let mut secret = [0; 32];
        self.platform.random.fill(&mut secret);
        let sealed = self.platform.vault.seal(KEY_PURPOSE, &secret);
        let stored = self
            .platform
            .db
            .write(move |tx| {
                let sealed = sealed.clone();
                Box::pin(async move { store::save_key(tx, &sealed, replace).await })
            })
            .await?;
        // Another node may have created the key at the same time.
        self.open_key(&stored)
    }

    fn open_key(&self, sealed: &str) -> Result<String> {
        let secret = self.platform.vault.open(KEY_PURPOSE, sealed)?;
        Ok(hex::encode(secret))
    }

    fn secret(&self) -> Result<Arc<String>> {
        self.secret.load_full().ok_or_else(|| Error::internal("the captcha key is not loaded"))
    }

    pub fn requirement(&self, action: &str, required: bool) -> Result<CaptchaRequirement> {
        let now = self.platform.clock.now();
        if let Some(provider) = self.provider.as_ref().filter(|_| !self.is_provider_paused(now)) {
            return Ok(CaptchaRequirement {
                required,
                challenge: None,
                widget: Some((provider.widget(), provider.site_key().to_owned())),
            });
        }
        let challenge = proof_of_work::challenge(&self.secret()?, action, now)?;
        Ok(CaptchaRequirement { required, challenge: Some(challenge), widget: None })
    }

    /// The `captcha_required` error with a challenge, so that the client needs no further request.
    pub fn required_error(&self, action: &str) -> Result<Error> {
        let check = api::CaptchaCheck::from(self.requirement(action, true)?);
        Ok(required().with("captcha", serde_json::to_string(&check).map_err(Error::internal)?))
    }

    /// Verifies an answer for an action. A proof of work is accepted even if there is a provider.
    ///
    /// # Errors
    /// 422 `captcha_invalid` if the answer is wrong, expired, for another action or already used; 503 `captcha_unavailable` if the
    /// provider does not answer.
    pub async fn verify(&self, action: &str, answer: &str, address: IpAddr) -> Result<()> {
        let now = self.platform.clock.now();
        if let Some(payload) = proof_of_work::read(answer) {
            let proof = proof_of_work::verify(&self.secret()?, action, &payload, now).ok_or_else(invalid)?;
            let is_first = self.platform.db.write(move |tx| {
                let proof = proof.clone();
                Box::pin(async move { store::use_once(tx, &proof.signature, proof.expires_at).await })
            });
            return if is_first.await? { Ok(()) } else { Err(invalid()) };
        }
        let provider = self.provider.as_ref().filter(|_| answer.len() <= proof_of_work::ANSWER_BYTES_MAX).ok_or_else(invalid)?;
        match provider.verify(answer, action, address).await {
            Ok(true) => Ok(()),
            Ok(false) => Err(invalid()),
            Err(error) => {
                tracing::warn!(%error, "the captcha provider does not answer; the proof of work replaces it");
                self.provider_paused_until.store(now.plus(PROVIDER_PAUSE).0, Ordering::Relaxed);
                Err(Error::new(ErrorKind::Unavailable, "captcha_unavailable").retry_after(1))
            }
        }
    }

    fn is_provider_paused(&self, now: Timestamp) -> bool {
        now.0 < self.provider_paused_until.load(Ordering::Relaxed)
    }
}

/// 422 `captcha_required`: the answer is missing.
pub fn required() -> Error {
    Error::unprocessable("captcha_required").at("recaptcha", "captcha_required")
}

fn invalid() -> Error {
    Error::unprocessable("captcha_invalid").at("recaptcha", "captcha_invalid")
}

impl Module for Captcha {
    fn declarations(&self) -> Declarations {
        Declarations {
            statements: store::STATEMENTS,
            sealed_columns: const {
                &[
                    agio_core::sealed_column!("captcha_key", "id": Number, "sealed", |vault, _, sealed| vault.reseal(KEY_PURPOSE, sealed)),
                ]
            },
            retention: store::RETENTION,
            ..Declarations::default()
        }
    }
}
