//! Attempt limits of customers, and captchas as a way around them.
//!
//! An attacker can exhaust the limit of an account without locking out its owner: sessions continue, known browsers
//! have their own counter, and so have attempts with a solved captcha. Unknown addresses are counted like known ones.

use std::net::IpAddr;

use agio_captcha::CaptchaRequirement;
use agio_contracts::{EmailGate, EmailRequest};
use agio_core::networks::limit_key;
use agio_core::texts::Locale;
use agio_core::{BoxFuture, Result};
use uuid::Uuid;

use crate::CAPTCHA_SIGN_UP;
use crate::attempts::{self, AttemptCounter, AttemptLimit, HOUR, MINUTE, SECOND, limit, times};
use crate::auth::{Auth, ClientInfo};

/// Requires a captcha for every sign-in.
const CAPTCHA_LOGIN: &str = "site.captcha_login";

/// Passwords for an account from unknown browsers.
const SIGN_IN_ACCOUNT: AttemptLimit = limit("sign_in.account", 5, times(4, SECOND), times(15, MINUTE), times(15, MINUTE));
/// Passwords from a network.
const SIGN_IN_NETWORK: AttemptLimit = limit("sign_in.address", 20, times(2, SECOND), times(15, MINUTE), times(3, MINUTE));
/// Passwords for an account from a known browser.
const SIGN_IN_DEVICE: AttemptLimit = limit("sign_in.device", 10, times(2, SECOND), times(5, MINUTE), times(5, MINUTE));
/// Passwords for an account from a network, with captchas.
const SIGN_IN_NETWORK_WITH_CAPTCHA: AttemptLimit =
    limit("sign_in.captcha", 5, times(10, SECOND), times(15, MINUTE), times(15, MINUTE));
/// Passwords for an account from everywhere, with captchas.
const SIGN_IN_ACCOUNT_WITH_CAPTCHA: AttemptLimit =
    limit("sign_in.captcha_all", 30, times(30, SECOND), times(15, MINUTE), times(15, MINUTE));

/// Accounts created from a network.
const SIGN_UP_NETWORK: AttemptLimit = limit("sign_up.address", 10, MINUTE, HOUR, times(10, MINUTE));
/// The same, with captchas.
const SIGN_UP_NETWORK_WITH_CAPTCHA: AttemptLimit = limit("sign_up.captcha", 20, MINUTE, HOUR, times(10, MINUTE));

/// Requested e-mails to one address.
const EMAIL_RECIPIENT: AttemptLimit = limit("email.recipient", 3, MINUTE, HOUR, times(30, MINUTE));
/// The same, with captchas.
const EMAIL_RECIPIENT_WITH_CAPTCHA: AttemptLimit = limit("email.recipient_captcha", 3, times(5, MINUTE), HOUR, times(30, MINUTE));
/// E-mails requested from a network.
const EMAIL_NETWORK: AttemptLimit = limit("email.address", 10, times(30, SECOND), HOUR, times(10, MINUTE));
/// The same, with captchas.
const EMAIL_NETWORK_WITH_CAPTCHA: AttemptLimit = limit("email.address_captcha", 20, times(30, SECOND), HOUR, times(10, MINUTE));
/// Changes of the address requested by an account.
const EMAIL_CHANGE: AttemptLimit = limit("email_change", 3, times(10, MINUTE), HOUR, HOUR);
/// Data exports of an account.
const EXPORT: AttemptLimit = limit("export", 3, times(10, MINUTE), HOUR, HOUR);

agio_core::named! {
    /// An action that may require a captcha.
    CaptchaAction {
        Login = "login",
        SignUp = "signup",
        /// Password reset request.
        Restore = "restore",
        /// Another activation link.
        Reactivate = "reactivate",
        /// Search for claims by e-mail address.
        FindClaim = "findclaim",
    }
}

impl CaptchaAction {
    /// Counter of the client's network.
    fn address_counter(self, address: IpAddr) -> AttemptCounter {
        let limit = match self {
            Self::Login => &SIGN_IN_NETWORK,
            Self::SignUp => &SIGN_UP_NETWORK,
            Self::Restore | Self::Reactivate | Self::FindClaim => &EMAIL_NETWORK,
        };
        limit.counter(&limit_key(address).to_string())
    }

    /// Counters without and with a solved captcha.
    fn counters(self, email: &str, address: IpAddr) -> (Vec<AttemptCounter>, Vec<AttemptCounter>) {
        let network = limit_key(address).to_string();
        let open = self.address_counter(address);
        match self {
            Self::Login => (
                vec![open, SIGN_IN_ACCOUNT.counter(email)],
                vec![
                    SIGN_IN_NETWORK_WITH_CAPTCHA.counter(&format!("{email} {network}")),
                    SIGN_IN_ACCOUNT_WITH_CAPTCHA.counter(email),
                ],
            ),
            Self::SignUp => (
                vec![open, EMAIL_RECIPIENT.counter(email)],
                vec![SIGN_UP_NETWORK_WITH_CAPTCHA.counter(&network), EMAIL_RECIPIENT_WITH_CAPTCHA.counter(email)],
            ),
            Self::Restore | Self::Reactivate | Self::FindClaim => (
                vec![open, EMAIL_RECIPIENT.counter(email)],
                vec![EMAIL_NETWORK_WITH_CAPTCHA.counter(&network), EMAIL_RECIPIENT_WITH_CAPTCHA.counter(email)],
            ),
        }
    }
}

impl EmailGate for Auth {
    fn admit_search(&self, request: EmailRequest) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            let client = ClientInfo::new(request.address, "", Locale::default(), None);
            self.admit(CaptchaAction::FindClaim, &request.email, None, request.captcha.as_deref(), &client).await.map(drop)
        })
    }
}

impl Auth {
    /// The captcha for an action. Always includes a challenge: a request over the limit is accepted with a solution.
    pub(crate) async fn captcha_for(&self, action: CaptchaAction, address: IpAddr) -> Result<CaptchaRequirement> {
        let counters = [action.address_counter(address)];
        let mut tx = self.platform.db.read().await?;
        let closed = attempts::check(&mut tx, &counters, self.platform.clock.now()).await?;
        self.captcha.requirement(action.name(), self.requires_captcha(action) || closed.is_some())
    }

    fn requires_captcha(&self, action: CaptchaAction) -> bool {
        self.platform.settings.is_on(if action == CaptchaAction::Login { CAPTCHA_LOGIN } else { CAPTCHA_SIGN_UP })
    }

    /// Counts an attempt and returns its counters. `device` is the digest of a known browser of the account.
    ///
    /// # Errors
    /// 429 `too_many_attempts` with the delay, and `captcha_required` at `recaptcha` if a solution would help; 422
    /// `captcha_required` if one is always required; 422 `captcha_invalid`.
    pub(crate) async fn admit(
        &self,
        action: CaptchaAction,
        email: &str,
        device: Option<&str>,
        answer: Option<&str>,
        client: &ClientInfo,
    ) -> Result<Vec<AttemptCounter>> {
        let (mut open, with_captcha) = action.counters(email, client.address);
        if let Some(device) = device {
            open = vec![SIGN_IN_DEVICE.counter(&format!("{email} {device}"))];
        }
        let answer = answer.filter(|answer| !answer.is_empty());
        let requires_captcha = self.requires_captcha(action);
        if requires_captcha {
            self.captcha.verify(action.name(), answer.ok_or_else(agio_captcha::required)?, client.address).await?;
        }
        let Err(closed) = attempts::record(&self.platform.db, &open, self.platform.clock.now()).await? else {
            return Ok(open);
        };
        let answer = answer.ok_or_else(|| closed.error().at("recaptcha", "captcha_required"))?;
        if !requires_captcha {
            self.captcha.verify(action.name(), answer, client.address).await?;
        }
        self.count_attempt(with_captcha).await
    }
}

/// Counters of a request for a link to a new address.
pub fn email_change(account: Uuid, email: &str) -> Vec<AttemptCounter> {
    vec![EMAIL_CHANGE.counter(&account.to_string()), EMAIL_RECIPIENT.counter(email)]
}

/// Counter of a data export.
pub fn export(account: Uuid) -> Vec<AttemptCounter> {
    vec![EXPORT.counter(&account.to_string())]
}

/// Counters to reset once the owner of an account is verified.
pub fn owner_counters(email: &str) -> Vec<AttemptCounter> {
    vec![SIGN_IN_ACCOUNT.counter(email), SIGN_IN_ACCOUNT_WITH_CAPTCHA.counter(email)]
}
