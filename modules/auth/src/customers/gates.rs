//! How often customers' calls that can be guessed at may be made, and where a captcha helps.
//!
//! A stranger can close the gate of somebody's account, but not to its owner: sessions go on, a browser the owner signed in from
//! before has a gate of its own, and whoever solves a captcha is counted at another gate, which has its own bounds. Unknown addresses are
//! counted as known ones are.

use std::net::IpAddr;
use std::time::Duration;

use agio_captcha::Offer;
use agio_core::needs::{LetterGate, LetterWish};
use agio_core::networks::limit_key;
use agio_core::texts::Locale;
use agio_core::{BoxFuture, Result};

use crate::CAPTCHA_SIGN_UP;
use crate::attempts::{self, Gate, Rule};
use crate::auth::{Auth, Client};

/// The setting that asks for a captcha at every sign-in.
const CAPTCHA_LOGIN: &str = "site.captcha_login";

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(60 * 60);

const fn rule(name: &'static str, free: i64, first_pause: Duration, longest_pause: Duration, forgets_one_in: Duration) -> Rule {
    Rule { name, free, first_pause, longest_pause, forgets_one_in }
}

const fn times(count: u32, duration: Duration) -> Duration {
    duration.saturating_mul(count)
}

/// Passwords tried for an account by strangers.
const SIGN_IN_ACCOUNT: Rule = rule("sign_in.account", 5, times(4, SECOND), times(15, MINUTE), times(15, MINUTE));
/// Passwords tried from a household.
const SIGN_IN_ADDRESS: Rule = rule("sign_in.address", 20, times(2, SECOND), times(15, MINUTE), times(3, MINUTE));
/// Passwords tried in a browser the account was used from before.
const SIGN_IN_DEVICE: Rule = rule("sign_in.device", 10, times(2, SECOND), times(5, MINUTE), times(5, MINUTE));
/// Passwords tried for an account from a household that solves captchas.
const SIGN_IN_PROVED: Rule = rule("sign_in.proved", 5, times(10, SECOND), times(15, MINUTE), times(15, MINUTE));
/// Passwords tried for an account by all who solve captchas.
const SIGN_IN_PROVED_ALL: Rule = rule("sign_in.proved_all", 30, times(30, SECOND), times(15, MINUTE), times(15, MINUTE));

/// Accounts made from a household.
const SIGN_UP_ADDRESS: Rule = rule("sign_up.address", 10, MINUTE, HOUR, times(10, MINUTE));
/// Accounts made from a household that solves captchas.
const SIGN_UP_PROVED: Rule = rule("sign_up.proved", 20, MINUTE, HOUR, times(10, MINUTE));

/// Letters to one e-mail address that anybody may ask for.
const LETTER_EMAIL: Rule = rule("letter.email", 3, MINUTE, HOUR, times(30, MINUTE));
/// The same, for whoever solves captchas.
const LETTER_EMAIL_PROVED: Rule = rule("letter.email_proved", 3, times(5, MINUTE), HOUR, times(30, MINUTE));
/// Letters asked for from a household.
const LETTER_ADDRESS: Rule = rule("letter.address", 10, times(30, SECOND), HOUR, times(10, MINUTE));
/// The same, for whoever solves captchas.
const LETTER_ADDRESS_PROVED: Rule = rule("letter.address_proved", 20, times(30, SECOND), HOUR, times(10, MINUTE));

/// Codes of the second factor tried for an account, by somebody who knows the password.
pub const CODE: Rule = rule("code", 5, times(30, SECOND), HOUR, HOUR);
/// Present passwords tried by somebody who is signed in.
pub const PASSWORD: Rule = rule("password", 5, times(10, SECOND), times(15, MINUTE), times(15, MINUTE));

/// A call that a captcha may be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// Signing in.
    Login,
    /// Signing up.
    SignUp,
    /// Asking for a link to set a new password.
    Restore,
    /// Asking for another activation link.
    Reactivate,
    /// Asking for links to one's claims.
    FindClaim,
}

impl Call {
    /// The name a captcha's answer is bound to.
    pub fn action(self) -> &'static str {
        match self {
            Self::Login => "login",
            Self::SignUp => "signup",
            Self::Restore => "restore",
            Self::Reactivate => "reactivate",
            Self::FindClaim => "findclaim",
        }
    }

    /// Where the household of the caller is counted.
    fn address_gate(self, address: IpAddr) -> Gate {
        let rule = match self {
            Self::Login => &SIGN_IN_ADDRESS,
            Self::SignUp => &SIGN_UP_ADDRESS,
            Self::Restore | Self::Reactivate | Self::FindClaim => &LETTER_ADDRESS,
        };
        rule.gate(&limit_key(address).to_string())
    }

    /// Where the call is counted, for whoever shows nothing and for whoever solved a captcha.
    fn gates(self, email: &str, address: IpAddr) -> (Vec<Gate>, Vec<Gate>) {
        let home = limit_key(address).to_string();
        let open = self.address_gate(address);
        match self {
            Self::Login => (
                vec![open, SIGN_IN_ACCOUNT.gate(email)],
                vec![SIGN_IN_PROVED.gate(&format!("{email} {home}")), SIGN_IN_PROVED_ALL.gate(email)],
            ),
            Self::SignUp => {
                (vec![open, LETTER_EMAIL.gate(email)], vec![SIGN_UP_PROVED.gate(&home), LETTER_EMAIL_PROVED.gate(email)])
            }
            Self::Restore | Self::Reactivate | Self::FindClaim => {
                (vec![open, LETTER_EMAIL.gate(email)], vec![LETTER_ADDRESS_PROVED.gate(&home), LETTER_EMAIL_PROVED.gate(email)])
            }
        }
    }
}

impl LetterGate for Auth {
    fn admit_search(&self, wish: LetterWish) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            let client = Client::new(wish.address, "", Locale::default(), None);
            self.admit(Call::FindClaim, &wish.email, None, wish.captcha.as_deref(), &client).await.map(drop)
        })
    }
}

impl Auth {
    /// The captcha of a call. A challenge is always given: a call that was refused for its number goes through with an answer.
    pub(crate) async fn captcha_for(&self, call: Call, address: IpAddr) -> Result<Offer> {
        let gates = [call.address_gate(address)];
        let mut tx = self.platform.db.read().await?;
        let closed = attempts::look(&mut tx, &gates, self.platform.clock.now()).await?;
        self.captcha.offer(call.action(), self.always_asks(call) || closed.is_some())
    }

    /// Whether every call of this kind has to bring an answer.
    fn always_asks(&self, call: Call) -> bool {
        self.platform.settings.is_on(if call == Call::Login { CAPTCHA_LOGIN } else { CAPTCHA_SIGN_UP })
    }

    /// Counts a call for an e-mail address, if it may be made now, and says where it was counted. `device` is the mark of a browser
    /// the account was used from before.
    ///
    /// # Errors
    /// 429 `too_many_attempts` with the wait, and `captcha_required` at `recaptcha` where an answer would let it through; 422
    /// `captcha_required` where one is always needed; 422 `captcha_invalid`.
    pub(crate) async fn admit(
        &self,
        call: Call,
        email: &str,
        device: Option<&str>,
        answer: Option<&str>,
        client: &Client,
    ) -> Result<Vec<Gate>> {
        let (db, now) = (&self.platform.db, self.platform.clock.now());
        let (mut open, proved) = call.gates(email, client.address);
        if let Some(device) = device {
            open = vec![SIGN_IN_DEVICE.gate(&format!("{email} {device}"))];
        }
        let answer = answer.filter(|answer| !answer.is_empty());
        let always_asks = self.always_asks(call);
        if always_asks {
            self.captcha.take(call.action(), answer.ok_or_else(agio_captcha::required)?, client.address).await?;
        }
        let Err(closed) = attempts::pass(db, &open, now).await? else {
            return Ok(open);
        };
        let answer = answer.ok_or_else(|| closed.error().at("recaptcha", "captcha_required"))?;
        if !always_asks {
            self.captcha.take(call.action(), answer, client.address).await?;
        }
        attempts::pass(db, &proved, now).await?.map_err(attempts::Closed::error)?;
        Ok(proved)
    }

    /// Counts a try at a secret of somebody who is known already.
    ///
    /// # Errors
    /// 429 `too_many_attempts` with the wait.
    pub(crate) async fn admit_known(&self, rule: &'static Rule, customer: uuid::Uuid) -> Result<Vec<Gate>> {
        let gates = vec![rule.gate(&customer.to_string())];
        attempts::pass(&self.platform.db, &gates, self.platform.clock.now()).await?.map_err(attempts::Closed::error)?;
        Ok(gates)
    }

    /// Opens the gates of an account to whoever just proved that it is theirs.
    pub(crate) fn gates_of_owner(email: &str) -> Vec<Gate> {
        vec![SIGN_IN_ACCOUNT.gate(email), SIGN_IN_PROVED_ALL.gate(email)]
    }
}
