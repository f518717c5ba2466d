//! The desk where callers become known.

use std::net::IpAddr;
use std::sync::{Arc, LazyLock};

use agio_captcha::Captcha;
use agio_core::identity::{Actor, Customer, StaffSession};
use agio_core::live::Notice;
use agio_core::needs::{Bonuses, CustomerTokens, FollowsSignUps, Presence, StaffTokens};
use agio_core::texts::{Locale, Texts};
use agio_core::{BoxFuture, Error, Kind, Platform, Result};
use agio_mail::Mailroom;

use crate::passwords::Passwords;
use crate::sessions::{AGENT_MAX, Sessions};
use crate::staff::Console;
use crate::{DICTIONARY, attempts, customers, keys, second_factor, sessions, staff};

/// The desk where callers become known. Call [`load`](Self::load) before serving.
pub struct Auth {
    pub(crate) platform: Platform,
    pub(crate) mailroom: Mailroom,
    pub(crate) captcha: Arc<Captcha>,
    pub(crate) passwords: Passwords,
    pub(crate) staff_passwords: Passwords,
    pub(crate) sessions: Sessions,
    pub(crate) texts: Texts,
    pub(crate) console: Console,
    pub(crate) bonuses: Arc<dyn Bonuses>,
    pub(crate) sign_ups: Arc<dyn FollowsSignUps>,
}

/// Who calls, as far as the request tells.
#[derive(Clone, Debug)]
pub(crate) struct Client {
    /// Where the call comes from.
    pub address: IpAddr,
    /// What the browser calls itself.
    pub agent: String,
    /// The language it asks for.
    pub locale: Locale,
    /// The secret of a browser that was used before, if it shows one.
    pub device: Option<String>,
}

impl Client {
    /// Who calls, with a browser's name cut to what is kept.
    pub fn new(address: IpAddr, agent: &str, locale: Locale, device: Option<String>) -> Self {
        let agent = agent.chars().filter(|c| !c.is_control()).take(AGENT_MAX).collect();
        Self { address, agent, locale, device }
    }

    /// The caller as the audit log knows somebody who is not known yet.
    pub fn guest(&self) -> Actor {
        Actor::guest(self.address)
    }
}

impl Auth {
    /// The desk, with the ways it needs: letters, captchas, what the installation says of its console, what customers get on top of the
    /// rates, and who hears of sign-ups.
    ///
    /// # Panics
    /// The module's dictionaries contradict each other: a fault of the program.
    #[must_use]
    pub fn new(
        platform: &Platform,
        mailroom: Mailroom,
        captcha: Arc<Captcha>,
        console: Console,
        bonuses: Arc<dyn Bonuses>,
        sign_ups: Arc<dyn FollowsSignUps>,
    ) -> Arc<Self> {
        Arc::new(Self {
            platform: platform.clone(),
            mailroom,
            captcha,
            passwords: Passwords::of_customers(platform.random.clone()),
            staff_passwords: Passwords::of_staff(platform.random.clone()),
            sessions: Sessions::new(&platform.live),
            texts: Texts::merge(&[DICTIONARY]).expect("the module's dictionaries are whole, by test"),
            console,
            bonuses,
            sign_ups,
        })
    }

    /// Reads the keys and the live sessions, or what changed of them; makes the first key when there is none.
    ///
    /// # Errors
    /// The database cannot be used.
    pub async fn load(&self) -> Result<()> {
        self.sessions.load(&self.platform).await
    }

    /// Makes a new key for tokens now. If the present ones are not trusted any more they are thrown away, which signs everybody out.
    ///
    /// # Errors
    /// The database cannot be used.
    pub async fn rotate_keys(&self, by: &Actor, forget_others: bool) -> Result<()> {
        self.sessions.keys().rotate(&self.platform, by, forget_others).await?;
        self.platform.live.tell(Notice::Sessions);
        Ok(())
    }

    /// How many passwords were compared with a hash since the start: the costly part of signing in.
    #[must_use]
    pub fn passwords_checked(&self) -> u64 {
        self.passwords.checked() + self.staff_passwords.checked()
    }
}

impl StaffTokens for Auth {
    fn staff<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<StaffSession>> {
        Box::pin(async move {
            let (found, proved) = self.sessions.staff(&self.platform, token).await?;
            if self.console.second_factor_required && !proved {
                return Err(Error::new(Kind::Forbidden, "second_factor_setup_needed"));
            }
            Ok(found)
        })
    }

    fn newcomer<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<StaffSession>> {
        Box::pin(async move { self.sessions.staff(&self.platform, token).await.map(|(found, _)| found) })
    }
}

impl CustomerTokens for Auth {
    fn customer<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<Customer>> {
        Box::pin(self.sessions.customer(&self.platform, token))
    }
}

impl Presence for Auth {
    fn lasts(&self, token: &str) -> bool {
        self.sessions.lasts(token, self.platform.clock.now())
    }
}

/// Every statement of the module.
pub fn statements() -> &'static [(&'static str, &'static str)] {
    static ALL: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
        [
            attempts::STATEMENTS,
            keys::STATEMENTS,
            sessions::store::STATEMENTS,
            second_factor::store::STATEMENTS,
            staff::store::STATEMENTS,
            staff::addresses::STATEMENTS,
            staff::invitation_store::STATEMENTS,
            customers::store::STATEMENTS,
            customers::desk::STATEMENTS,
        ]
        .concat()
    });
    &ALL
}
