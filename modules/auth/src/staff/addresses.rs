//! Where staff get their mail.

use agio_core::identity::{Role, Staff};
use agio_core::needs::{StaffAddress, StaffAddresses};
use agio_core::texts::Locale;
use agio_core::{BoxFuture, Result, fetch_all};
use uuid::Uuid;

use crate::auth::Auth;

agio_core::statements! {
    STAFF_ADDRESSES = "SELECT id, name, email, role FROM staff WHERE NOT disabled ORDER BY email";
}

impl StaffAddresses for Auth {
    fn addresses(&self) -> BoxFuture<'_, Result<Vec<StaffAddress>>> {
        Box::pin(async move {
            let rows = fetch_all!(&mut self.platform.db.read().await?, (Uuid, String, String, Role), STAFF_ADDRESSES)?;
            let address = |(id, name, email, role)| StaffAddress {
                staff: Staff { id, name, role, address: None },
                email,
                locale: Locale::default(),
            };
            Ok(rows.into_iter().map(address).collect())
        })
    }
}
