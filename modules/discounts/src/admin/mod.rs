//! The calls the console makes.

mod bodies;
mod promo_bodies;

use std::sync::Arc;

use agio_core::needs::CustomerBook;
use agio_core::{Error, Result};
use agio_http::{Answer, Created, Done, IdempotencyKey, Input, Outcome, StaffAuth};
use poem_openapi::param::{Header, Path, Query};
use poem_openapi::{OpenApi, Tags};

use crate::{DISCOUNTS_EDIT, DISCOUNTS_READ, Discounts};

use bodies::{DeskDiscountCustomers, DeskDiscountTiers, DeskDiscounts, read_cursor};
use promo_bodies::{DeskPromo, DeskPromoOrder, DeskPromoPage, DeskPromoUses};

/// Rows of a page unless more or fewer are wanted, and the most there are.
const SIZE: u32 = 50;
const SIZE_MAX: u32 = 100;

#[derive(Tags)]
enum ConsoleTag {
    /// Tiers by volume, promo codes, and who has what.
    Discounts,
}

/// The console's calls.
pub struct DiscountsDesk {
    discounts: Arc<Discounts>,
    customers: Arc<dyn CustomerBook>,
}

impl DiscountsDesk {
    /// The calls, with whoever knows customers' accounts.
    #[must_use]
    pub fn new(discounts: Arc<Discounts>, customers: Arc<dyn CustomerBook>) -> Self {
        Self { discounts, customers }
    }

    async fn shown(&self) -> Outcome<Answer<DeskDiscounts>> {
        let (table, waiting) = self.discounts.table().await?;
        Ok(Answer(DeskDiscounts::of(&self.discounts, table, waiting)))
    }
}

fn refused(field: &str) -> Error {
    Error::unprocessable("validation_failed").at(field, "malformed_parameter")
}

/// How many rows are wanted.
fn rows(size: Option<u32>) -> Result<i64> {
    let size = size.unwrap_or(SIZE);
    if (1..=SIZE_MAX).contains(&size) { Ok(size.into()) } else { Err(refused("size")) }
}

/// Where a page begins, if it is not the first.
fn cursor<A: std::str::FromStr, B: std::str::FromStr>(text: Option<&str>) -> Result<Option<(A, B)>> {
    text.map(|text| read_cursor(text).ok_or_else(|| refused("cursor"))).transpose()
}

#[OpenApi(prefix_path = "/api/admin/v1/discounts", tag = "ConsoleTag::Discounts")]
impl DiscountsDesk {
    /// The table of tiers
    ///
    /// Needs `discounts.read`.
    #[oai(path = "/", method = "get", operation_id = "getDeskDiscounts")]
    async fn table(&self, staff: StaffAuth) -> Outcome<Answer<DeskDiscounts>> {
        staff.may(DISCOUNTS_READ)?;
        self.shown().await
    }

    /// Change the table of tiers
    ///
    /// The whole table is put in the place of the present one. `revision` is the one that was seen: 409 `discounts_changed` when a colleague
    /// was faster. Needs `discounts.edit` and a fresh second factor.
    #[oai(path = "/tiers", method = "put", operation_id = "changeDiscountTiers")]
    async fn change(&self, staff: StaffAuth, input: Input<DeskDiscountTiers>) -> Outcome<Answer<DeskDiscounts>> {
        let who = staff.may(DISCOUNTS_EDIT)?;
        staff.require_fresh()?;
        self.discounts.change_tiers(input.0.into(), who).await?;
        self.shown().await
    }

    /// Who has what
    ///
    /// Accounts and guests' addresses by what they have exchanged, the greatest first; or those with an e-mail address, with where its
    /// account stands. Needs `discounts.read`.
    #[oai(path = "/customers", method = "get", operation_id = "listDiscountCustomers")]
    async fn customers(
        &self,
        staff: StaffAuth,
        /// An e-mail address, in any case.
        email: Query<Option<String>>,
        /// `nextCursor` of the page before.
        cursor: Query<Option<String>>,
        /// Rows of a page, at most 100.
        size: Query<Option<u32>>,
    ) -> Outcome<Answer<DeskDiscountCustomers>> {
        staff.may(DISCOUNTS_READ)?;
        if let Some(email) = email.0.as_deref().map(str::trim).filter(|email| !email.is_empty()) {
            let account = self.customers.by_email(email).await?;
            let confirmed = account.as_ref().is_some_and(|facts| facts.activated);
            let (rows, mine) = self.discounts.of_email(email, account).await?;
            return Ok(Answer(DeskDiscountCustomers::found(rows, mine, confirmed)));
        }
        let size = rows(size.0)?;
        let before = self::cursor(cursor.0.as_deref())?;
        Ok(Answer(DeskDiscountCustomers::page(self.discounts.greatest(before, size).await?, size)))
    }

    /// List promo codes
    ///
    /// The newest first. Needs `discounts.read`.
    #[oai(path = "/promos", method = "get", operation_id = "listPromos")]
    async fn promos(
        &self,
        staff: StaffAuth,
        /// `nextCursor` of the page before.
        cursor: Query<Option<String>>,
        /// Rows of a page, at most 100.
        size: Query<Option<u32>>,
    ) -> Outcome<Answer<DeskPromoPage>> {
        staff.may(DISCOUNTS_READ)?;
        let size = rows(size.0)?;
        let rows = self.discounts.promos(self::cursor(cursor.0.as_deref())?, size).await?;
        Ok(Answer(DeskPromoPage::of(rows, size, self.discounts.platform.clock.now())))
    }

    /// Make a promo code
    ///
    /// 409 `promo_exists` when there is one like it. Needs `discounts.edit` and a fresh second factor.
    #[oai(path = "/promos", method = "post", operation_id = "addPromo")]
    async fn add(
        &self,
        staff: StaffAuth,
        input: Input<DeskPromoOrder>,
        /// Any text of 8 to 255 visible ASCII characters, made anew for each code.
        #[oai(name = "Idempotency-Key")]
        key: Header<Option<String>>,
    ) -> Outcome<Created<DeskPromo>> {
        let content = serde_json::to_vec(&input.0).map_err(Error::internal)?;
        let key = IdempotencyKey::check(key.0)?.for_content("promo.add", &content);
        let who = staff.may(DISCOUNTS_EDIT)?;
        staff.require_fresh()?;
        let row = self.discounts.add_promo(input.0.into(), who, key).await?;
        Ok(Created { body: DeskPromo::of(row, self.discounts.platform.clock.now()), cookie: None })
    }

    /// A promo code and the claims that use it
    ///
    /// The newest claims first. Needs `discounts.read`.
    #[oai(path = "/promos/:code", method = "get", operation_id = "getPromo")]
    async fn promo(
        &self,
        staff: StaffAuth,
        code: Path<String>,
        /// `nextCursor` of the page before.
        cursor: Query<Option<String>>,
        /// Rows of a page, at most 100.
        size: Query<Option<u32>>,
    ) -> Outcome<Answer<DeskPromoUses>> {
        staff.may(DISCOUNTS_READ)?;
        let size = rows(size.0)?;
        let (row, uses) = self.discounts.uses(&code.0, self::cursor(cursor.0.as_deref())?, size).await?;
        Ok(Answer(DeskPromoUses::of(row, uses, size, self.discounts.platform.clock.now())))
    }

    /// Stop a promo code
    ///
    /// Nobody uses it from now on; claims keep what they were made with. Needs `discounts.edit`.
    #[oai(path = "/promos/:code/stop", method = "post", operation_id = "stopPromo")]
    async fn stop(&self, staff: StaffAuth, code: Path<String>) -> Outcome<Done> {
        let who = staff.may(DISCOUNTS_EDIT)?;
        self.discounts.stop_promo(&code.0, who).await?;
        Ok(Done)
    }
}
