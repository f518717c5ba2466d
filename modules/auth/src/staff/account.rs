//! What other modules and the command line ask about staff, and a staff member's own profile.

use std::sync::Arc;

use agio_contracts::{StaffEmail, StaffEmails, StaffLookup};
use agio_core::identity::Staff;
use agio_core::{BoxFuture, Error, Result, Timestamp, fetch_all, fetch_optional};
use uuid::Uuid;

use super::store::{self, ANY_STAFF, NewStaffRow, STAFF_ADDRESSES, StaffAddressRow};
use super::{NewStaff, email_taken};
use crate::accounts::{AccountRecord, store as accounts};
use crate::audience::{AccountRef, Audience};
use crate::auth::Auth;
use crate::passwords::STAFF_LENGTH_MIN;
use crate::second_factor::{self, SecondFactorStatus};
use crate::secrets::normalize_email;
use crate::sessions;

pub(crate) struct StaffProfile {
    pub account: AccountRecord,
    pub staff: Staff,
    pub second_factor: SecondFactorStatus,
    /// Whether a second factor has to be set up first.
    pub setup_needed: bool,
    /// Until when the second factor counts as fresh.
    pub fresh_until: Option<Timestamp>,
}

impl StaffLookup for Auth {
    fn name(&self, id: Uuid) -> BoxFuture<'_, Result<Option<String>>> {
        Box::pin(async move {
            let found = accounts::by_id(&mut self.platform.db.read().await?, AccountRef::staff(id)).await?;
            found.map(|account| Ok(account.staff()?.name.clone())).transpose()
        })
    }
}

impl StaffEmails for Auth {
    fn addresses(&self) -> BoxFuture<'_, Result<Vec<StaffEmail>>> {
        Box::pin(async move {
            let rows = fetch_all!(&mut self.platform.db.read().await?, StaffAddressRow, STAFF_ADDRESSES)?;
            let address = |(id, name, email, role, locale): StaffAddressRow| StaffEmail {
                staff: Staff { id, name, role, address: None },
                email,
                locale,
            };
            Ok(rows.into_iter().map(address).collect())
        })
    }
}

impl Auth {
    /// Creates a staff member with a password.
    ///
    /// # Errors
    /// 422 for the password or `email_taken`.
    pub async fn add_staff(self: &Arc<Self>, new: NewStaff) -> Result<Uuid> {
        let NewStaff { email, name, role, password } = new;
        let email = normalize_email(&email);
        let password_hash = self.passwords(Audience::Staff).hash_new(password, "password", STAFF_LENGTH_MIN, Vec::new()).await?;
        let id = self.platform.random.uuid();
        let row = NewStaffRow { id, email, name, role, locale: Default::default(), password_hash };
        let added = self.transaction(row, |_, tx, row, now| Box::pin(async move { store::insert(tx, &row, now).await }));
        added.await.map(|()| id).map_err(email_taken)
    }

    pub async fn staff_exists(&self, email: &str) -> Result<bool> {
        let mut tx = self.platform.db.read().await?;
        Ok(accounts::by_email(&mut tx, Audience::Staff, &normalize_email(email)).await?.is_some())
    }

    /// Whether there is a staff account, enabled or not.
    pub async fn has_staff(&self) -> Result<bool> {
        let mut tx = self.platform.db.read().await?;
        Ok(fetch_optional!(&mut tx, (Uuid,), ANY_STAFF)?.is_some())
    }

    /// Whether a staff member has set up a second factor.
    pub async fn has_second_factor(&self, staff: Uuid) -> Result<bool> {
        second_factor::is_on(&mut self.platform.db.read().await?, staff).await
    }

    pub(crate) async fn staff_profile(&self, id: Uuid, session: Uuid) -> Result<StaffProfile> {
        let mut tx = self.platform.db.read().await?;
        let account = accounts::by_id(&mut tx, AccountRef::staff(id)).await?.ok_or_else(Error::token_not_valid)?;
        let status = sessions::store::status(&mut tx, session).await?;
        Ok(StaffProfile {
            staff: account.staff()?.clone(),
            account,
            second_factor: second_factor::status(&mut tx, id).await?,
            setup_needed: self.console.second_factor_required && !status.second_factor,
            fresh_until: status.fresh_until(self.platform.clock.now()),
        })
    }
}
