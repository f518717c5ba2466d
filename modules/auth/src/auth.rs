//! The authentication service.

use std::net::IpAddr;
use std::sync::{Arc, LazyLock};

use agio_approvals::Approvals;
use agio_captcha::Captcha;
use agio_contracts::{BonusProvider, CustomerSessions, CustomerTokens, SessionLookup, SignUpListener, StaffTokens};
use agio_core::events::ChangeEvent;
use agio_core::identity::{Actor, Customer, StaffSession};
use agio_core::texts::{Locale, Texts};
use agio_core::{BoxFuture, Error, ErrorKind, Platform, Result, Timestamp, Tx};
use agio_mail::Mailer;
use uuid::Uuid;

use crate::audience::Audience;
use crate::passwords::{PasswordCost, Passwords};
use crate::sessions::{AGENT_MAX, Sessions};
use crate::staff::ConsoleSettings;
use crate::{DICTIONARY, accounts, attempts, customers, keys, second_factor, sessions, staff};

const SITE_NAME: &str = "site.name";

/// The authentication service. Call [`load`](Self::load) before serving.
pub struct Auth {
    pub(crate) platform: Platform,
    pub(crate) mailer: Mailer,
    pub(crate) approvals: Approvals,
    pub(crate) captcha: Arc<Captcha>,
    customer_passwords: Passwords,
    staff_passwords: Passwords,
    pub(crate) sessions: Sessions,
    pub(crate) texts: Texts,
    pub(crate) console: ConsoleSettings,
    pub(crate) bonuses: Arc<dyn BonusProvider>,
    pub(crate) sign_ups: Arc<dyn SignUpListener>,
}

/// The client of a request.
#[derive(Clone, Debug)]
pub(crate) struct ClientInfo {
    pub address: IpAddr,
    /// User agent, at most `AGENT_MAX` characters.
    pub agent: String,
    pub locale: Locale,
    /// The IANA name of the browser's time zone, where a customer's sign-in says it.
    pub time_zone: Option<String>,
    /// Secret from the device cookie, if there is one.
    pub device: Option<String>,
}

impl ClientInfo {
    pub fn new(address: IpAddr, agent: &str, locale: Locale, device: Option<String>) -> Self {
        let agent = agent.chars().filter(|c| !c.is_control()).take(AGENT_MAX).collect();
        Self { address, agent, locale, time_zone: None, device }
    }

    pub fn guest(&self) -> Actor {
        Actor::guest(self.address)
    }
}

impl Auth {
    pub fn new(
        platform: &Platform,
        (mailer, approvals): (Mailer, Approvals),
        captcha: Arc<Captcha>,
        console: ConsoleSettings,
        bonuses: Arc<dyn BonusProvider>,
        sign_ups: Arc<dyn SignUpListener>,
        password_cost: PasswordCost,
    ) -> Arc<Self> {
        Arc::new(Self {
            platform: platform.clone(),
            mailer,
            approvals,
            captcha,
            customer_passwords: Passwords::new(platform.random.clone(), Audience::Customers, password_cost),
            staff_passwords: Passwords::new(platform.random.clone(), Audience::Staff, password_cost),
            sessions: Sessions::new(&platform.events),
            texts: Texts::merge(&[DICTIONARY]).expect("the module's dictionaries are complete, by test"),
            console,
            bonuses,
            sign_ups,
        })
    }

    /// Loads keys and live sessions, or their changes. Creates the first key if there is none.
    pub async fn load(&self) -> Result<()> {
        self.sessions.load(&self.platform).await
    }

    /// Creates a new signing key. `forget_others` deletes all other keys, which signs everybody out.
    pub async fn rotate_keys(&self, by: &Actor, forget_others: bool) -> Result<()> {
        self.sessions.keys.rotate(&self.platform, by, forget_others).await?;
        self.platform.events.publish(ChangeEvent::Sessions);
        Ok(())
    }

    /// Staff have hashing of their own and do not queue behind customers.
    pub(crate) fn passwords(&self, audience: Audience) -> &Passwords {
        match audience {
            Audience::Staff => &self.staff_passwords,
            Audience::Customers => &self.customer_passwords,
        }
    }

    pub(crate) fn site_name(&self) -> String {
        self.platform.settings.text(SITE_NAME)
    }

    /// Runs `work` in a transaction. It may run again, each time with its own copy of the input.
    pub(crate) async fn transaction<I, T, F>(self: &Arc<Self>, input: I, work: F) -> Result<T>
    where
        I: Clone + Send + Sync + 'static,
        T: Send + 'static,
        F: for<'t> Fn(Arc<Self>, &'t mut Tx, I, Timestamp) -> BoxFuture<'t, Result<T>> + Send + Sync + 'static,
    {
        let (this, now) = (self.clone(), self.platform.clock.now());
        self.platform.db.write(move |tx| work(this.clone(), tx, input.clone(), now)).await
    }

    /// Number of password hashes computed for comparison since the start.
    pub fn passwords_checked(&self) -> u64 {
        self.customer_passwords.checked() + self.staff_passwords.checked()
    }
}

impl StaffTokens for Auth {
    fn staff<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<StaffSession>> {
        Box::pin(async move {
            let (caller, has_second_factor) = self.sessions.staff(&self.platform, token).await?;
            if self.console.second_factor_required && !has_second_factor {
                return Err(Error::new(ErrorKind::Forbidden, "second_factor_setup_needed"));
            }
            Ok(caller)
        })
    }

    fn staff_in_setup<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<StaffSession>> {
        Box::pin(async move { self.sessions.staff(&self.platform, token).await.map(|(found, _)| found) })
    }
}

impl CustomerTokens for Auth {
    fn customer<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<Customer>> {
        Box::pin(self.sessions.customer(&self.platform, token))
    }
}

impl CustomerSessions for Auth {
    fn is_open<'a>(&'a self, tx: &'a mut Tx, session: Uuid, now: Timestamp) -> BoxFuture<'a, Result<bool>> {
        Box::pin(sessions::store::is_open(tx, session, now))
    }
}

impl SessionLookup for Auth {
    fn is_active(&self, token: &str) -> bool {
        self.sessions.is_active(token, self.platform.clock.now())
    }
}

pub fn statements() -> &'static [(&'static str, &'static str)] {
    static ALL: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
        [
            attempts::STATEMENTS,
            keys::STATEMENTS,
            accounts::store::STATEMENTS,
            sessions::store::STATEMENTS,
            second_factor::store::STATEMENTS,
            staff::store::STATEMENTS,
            staff::invitation_store::STATEMENTS,
            customers::store::STATEMENTS,
            customers::admin::STATEMENTS,
        ]
        .concat()
    });
    &ALL
}
