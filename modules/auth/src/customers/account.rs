//! What other modules ask about customers, and a customer's own profile.

use std::sync::Arc;

use agio_contracts::{BonusCustomer, ConfirmedEmails, CustomerInfo, CustomerLookup, Reauthentication, ReauthenticationRequest};
use agio_core::identity::Customer;
use agio_core::{BoxFuture, Error, Result, Tx};
use rust_decimal::Decimal;
use uuid::Uuid;

use super::store;
use crate::accounts::{AccountRecord, store as accounts};
use crate::attempts;
use crate::audience::{AccountRef, Audience, Caller};
use crate::auth::Auth;
use crate::second_factor::{self, SecondFactorStatus};
use crate::secrets::normalize_email;

pub(crate) struct CustomerProfile {
    pub account: AccountRecord,
    pub second_factor: SecondFactorStatus,
    /// Bonus in percent, before limits of a pair.
    pub bonus: Decimal,
}

impl CustomerLookup for Auth {
    fn by_email<'a>(&'a self, email: &'a str) -> BoxFuture<'a, Result<Option<CustomerInfo>>> {
        Box::pin(async move {
            let mut tx = self.platform.db.read().await?;
            let found = accounts::by_email(&mut tx, Audience::Customers, &normalize_email(email)).await?;
            Ok(found.map(|account| CustomerInfo {
                id: account.id,
                locale: account.locale,
                activated: account.is_activated(),
                email: account.email,
            }))
        })
    }
}

impl ConfirmedEmails for Auth {
    fn owner<'a>(&'a self, tx: &'a mut Tx, email: &'a str) -> BoxFuture<'a, Result<Option<Uuid>>> {
        Box::pin(async move {
            let found = accounts::by_email(tx, Audience::Customers, email).await?;
            Ok(found.filter(AccountRecord::is_activated).map(|account| account.id))
        })
    }

    fn is_confirmed<'a>(&'a self, tx: &'a mut Tx, account: Uuid) -> BoxFuture<'a, Result<bool>> {
        Box::pin(store::is_activated(tx, account))
    }
}

impl Reauthentication for Auth {
    fn reauthenticate(self: Arc<Self>, caller: Customer, credentials: ReauthenticationRequest) -> BoxFuture<'static, Result<()>> {
        Box::pin(async move { self.check_credentials(&Caller::from(&caller), credentials).await.map(drop) })
    }
}

impl Auth {
    pub(crate) async fn profile(&self, id: Uuid) -> Result<CustomerProfile> {
        let mut tx = self.platform.db.read().await?;
        let account = accounts::by_id(&mut tx, AccountRef::customer(id)).await?.ok_or_else(Error::token_not_valid)?;
        let second_factor = second_factor::status(&mut tx, id).await?;
        // The next call takes its own connection.
        drop(tx);
        let customer =
            Customer { id, email: account.email.clone(), activated: account.is_activated(), session: Uuid::nil(), address: None };
        let offered =
            self.bonuses.offer_bonus(BonusCustomer { customer: Some(&customer), ..BonusCustomer::default() }, None).await?;
        Ok(CustomerProfile { account, second_factor, bonus: offered.bonus.percent() })
    }

    /// Verifies the password, and a code if the account has a second factor. Returns the account they were verified for.
    ///
    /// # Errors
    /// 422 `wrong_password`, `otp_required`, `otp_invalid`; 401 `token_not_valid` after too many wrong ones, which
    /// end the session.
    pub(super) async fn check_credentials(
        self: &Arc<Self>,
        caller: &Caller,
        credentials: ReauthenticationRequest,
    ) -> Result<AccountRecord> {
        let account = caller.account;
        let (verified, mut counters) = self.verify_password(caller, credentials.password, "password").await?;
        let needs_code = second_factor::is_on(&mut self.platform.db.read().await?, account.id).await?;
        let code = credentials.code.filter(|code| needs_code && !code.trim().is_empty());
        if needs_code {
            if code.is_none() {
                self.refund_attempts(counters).await?;
                return Err(second_factor::missing_code());
            }
            counters.extend(self.count_own_code(caller).await?);
        }
        self.transaction((code, counters), move |this, tx, (code, counters), now| {
            Box::pin(async move {
                if let Some(code) = code {
                    second_factor::verify_code(tx, &this.platform, account.id, &code, now).await?;
                }
                attempts::refund(tx, &counters).await
            })
        })
        .await?;
        Ok(verified)
    }
}
