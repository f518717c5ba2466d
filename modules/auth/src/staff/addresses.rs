//! Where staff get their mail.

use agio_core::identity::{Role, Staff};
use agio_core::needs::{StaffAddress, StaffAddresses};
use agio_core::{BoxFuture, Result, fetch_all};
use uuid::Uuid;

use crate::auth::Auth;

agio_core::statements! {
    STAFF_ADDRESSES = "SELECT id, name, email, role, locale FROM staff WHERE NOT disabled ORDER BY email";
}

impl StaffAddresses for Auth {
    fn addresses(&self) -> BoxFuture<'_, Result<Vec<StaffAddress>>> {
        Box::pin(async move {
            let rows = fetch_all!(&mut self.platform.db.read().await?, (Uuid, String, String, Role, String), STAFF_ADDRESSES)?;
            let address = |(id, name, email, role, locale): (_, _, _, _, String)| StaffAddress {
                staff: Staff { id, name, role, address: None },
                email,
                locale: locale.parse().unwrap_or_default(),
            };
            Ok(rows.into_iter().map(address).collect())
        })
    }
}
