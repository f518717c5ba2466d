//! The calls the console makes.

mod bodies;

use std::sync::Arc;

use agio_core::Error;
use agio_core::outbox::State;
use agio_http::{Answer, Created, Done, IdempotencyKey, Input, Outcome, StaffAuth};
use poem_openapi::param::{Header, Path, Query};
use poem_openapi::{OpenApi, Tags};
use uuid::Uuid;

use crate::{PARTNERS_MANAGE, PARTNERS_READ, Partners};

use bodies::{
    DeskKeyMade, DeskKeyOrder, DeskNewsPage, DeskPartner, DeskPartnerChange, DeskPartnerKey, DeskPartnerMade, DeskPartnerOrder,
    DeskPartnerRow,
};

/// Rows of a page unless more or fewer are wanted, and the most there are.
const SIZE: u32 = 50;
const SIZE_MAX: u32 = 100;

#[derive(Tags)]
enum ConsoleTag {
    /// Partners, their keys, and what they were told.
    Partners,
}

/// The console's calls.
pub struct PartnersDesk(Arc<Partners>);

impl PartnersDesk {
    /// The calls.
    #[must_use]
    pub fn new(partners: Arc<Partners>) -> Self {
        Self(partners)
    }
}

#[OpenApi(prefix_path = "/api/admin/v1/partners", tag = "ConsoleTag::Partners")]
impl PartnersDesk {
    /// List partners
    ///
    /// The newest first. Needs `partners.read`.
    #[oai(path = "/", method = "get", operation_id = "listPartners")]
    async fn list(&self, staff: StaffAuth) -> Outcome<Answer<Vec<DeskPartnerRow>>> {
        staff.may(PARTNERS_READ)?;
        Ok(Answer(self.0.all().await?.iter().map(DeskPartnerRow::of).collect()))
    }

    /// Add a partner
    ///
    /// The answer holds the secret their news are signed with; it is not shown again. Needs `partners.manage` and a fresh second factor.
    #[oai(path = "/", method = "post", operation_id = "addPartner")]
    async fn add(
        &self,
        staff: StaffAuth,
        input: Input<DeskPartnerOrder>,
        /// Any text of 8 to 255 visible ASCII characters, made anew for each partner.
        #[oai(name = "Idempotency-Key")]
        key: Header<Option<String>>,
    ) -> Outcome<Created<DeskPartnerMade>> {
        let by = staff.may(PARTNERS_MANAGE)?;
        staff.require_fresh()?;
        let content = serde_json::to_vec(&input.0).map_err(Error::internal)?;
        let key = IdempotencyKey::check(key.0)?.for_content(format!("partner.add:{}", by.id), &content);
        let made = self.0.make_partner(input.0.into(), by, key).await?;
        Ok(Created { body: DeskPartnerMade::of(made), cookie: None })
    }

    /// A partner
    ///
    /// With keys and what was exchanged through them. Needs `partners.read`.
    #[oai(path = "/:id", method = "get", operation_id = "getPartner")]
    async fn view(&self, staff: StaffAuth, id: Path<Uuid>) -> Outcome<Answer<DeskPartner>> {
        staff.may(PARTNERS_READ)?;
        Ok(Answer(DeskPartner::of(self.0.whole(id.0).await?)))
    }

    /// Change a partner
    ///
    /// While one is off, none of their keys opens anything. Needs `partners.manage` and a fresh second factor.
    #[oai(path = "/:id", method = "patch", operation_id = "changePartner")]
    async fn change(&self, staff: StaffAuth, id: Path<Uuid>, input: Input<DeskPartnerChange>) -> Outcome<Answer<DeskPartnerRow>> {
        let by = staff.may(PARTNERS_MANAGE)?;
        staff.require_fresh()?;
        let revision = input.0.revision;
        Ok(Answer(DeskPartnerRow::of(&self.0.change_partner(id.0, revision, input.0.into(), by).await?)))
    }

    /// Make another secret for a partner's news
    ///
    /// From now on their news are signed with it. It is not shown again. Needs `partners.manage` and a fresh second factor.
    #[oai(path = "/:id/secret", method = "post", operation_id = "changePartnerSecret")]
    async fn secret(&self, staff: StaffAuth, id: Path<Uuid>) -> Outcome<Answer<DeskPartnerMade>> {
        let by = staff.may(PARTNERS_MANAGE)?;
        staff.require_fresh()?;
        Ok(Answer(DeskPartnerMade::of(self.0.change_secret(id.0, by).await?)))
    }

    /// Make a key
    ///
    /// The answer holds its secret; it is not shown again. Needs `partners.manage` and a fresh second factor.
    #[oai(path = "/:id/keys", method = "post", operation_id = "addPartnerKey")]
    async fn add_key(
        &self,
        staff: StaffAuth,
        id: Path<Uuid>,
        input: Input<DeskKeyOrder>,
        /// Any text of 8 to 255 visible ASCII characters, made anew for each key.
        #[oai(name = "Idempotency-Key")]
        key: Header<Option<String>>,
    ) -> Outcome<Created<DeskKeyMade>> {
        let by = staff.may(PARTNERS_MANAGE)?;
        staff.require_fresh()?;
        let content = serde_json::to_vec(&input.0).map_err(Error::internal)?;
        let once = IdempotencyKey::check(key.0)?.for_content(format!("partner.key:{}", id.0), &content);
        let made = self.0.make_key(id.0, input.0.into(), by, once).await?;
        Ok(Created { body: DeskKeyMade { key: DeskPartnerKey::of(&made.row), secret: made.secret }, cookie: None })
    }

    /// Revoke a key
    ///
    /// It opens nothing from now on. Needs `partners.manage`.
    #[oai(path = "/:id/keys/:key/revoke", method = "post", operation_id = "revokePartnerKey")]
    async fn revoke_key(&self, staff: StaffAuth, id: Path<Uuid>, key: Path<Uuid>) -> Outcome<Answer<DeskPartnerKey>> {
        let by = staff.may(PARTNERS_MANAGE)?;
        Ok(Answer(DeskPartnerKey::of(&self.0.revoke_key(id.0, key.0, by).await?)))
    }

    /// What a partner was told
    ///
    /// The newest first. Needs `partners.read`.
    #[oai(path = "/:id/news", method = "get", operation_id = "listPartnerNews")]
    async fn news(
        &self,
        staff: StaffAuth,
        id: Path<Uuid>,
        /// `queued`, `sent` or `dead`; all where nothing is given.
        state: Query<Option<String>>,
        /// `nextCursor` of the page before.
        cursor: Query<Option<String>>,
        /// Rows of a page, at most 100.
        size: Query<Option<u32>>,
    ) -> Outcome<Answer<DeskNewsPage>> {
        staff.may(PARTNERS_READ)?;
        let given = |text: Option<String>| text.filter(|text| !text.is_empty());
        let state: Option<State> = given(state.0).map(|name| name.parse().map_err(|_| refused("state"))).transpose()?;
        let before = given(cursor.0).map(|text| text.parse().map_err(|_| refused("cursor"))).transpose()?;
        let size = size.0.unwrap_or(SIZE);
        if !(1..=SIZE_MAX).contains(&size) {
            return Err(refused("size").into());
        }
        let news = self.0.news(id.0, state, before, i64::from(size) + 1).await?;
        Ok(Answer(DeskNewsPage::of(news, size as usize)?))
    }

    /// Tell a partner once more
    ///
    /// What could not be delivered is tried anew, and what was delivered is sent again as the same event. 409 `message_waits` while it is
    /// still being tried. Needs `partners.manage`.
    #[oai(path = "/:id/news/:message/resend", method = "post", operation_id = "resendPartnerNews")]
    async fn resend(&self, staff: StaffAuth, id: Path<Uuid>, message: Path<i64>) -> Outcome<Done> {
        let by = staff.may(PARTNERS_MANAGE)?;
        self.0.tell_again(id.0, message.0, by).await?;
        Ok(Done)
    }
}

fn refused(field: &str) -> Error {
    Error::unprocessable("validation_failed").at(field, "malformed_parameter")
}
