//! The calls the console makes.

mod bodies;
mod money;
mod news;

use std::sync::Arc;

use agio_approvals::Proposed;
use agio_core::Error;
use agio_core::identity::Actor;
use agio_core::outbox::State;
use agio_http::{Accepted, Answer, Created, Done, Either, IdempotencyKey, Input, Outcome, StaffAuth, Visitor};
use poem_openapi::param::{Header, Path, Query};
use poem_openapi::{OpenApi, Tags};
use uuid::Uuid;

use crate::{PARTNERS_MANAGE, PARTNERS_PAY, PARTNERS_READ, Partners};

use bodies::{
    DeskKeyMade, DeskKeyOrder, DeskPartner, DeskPartnerChange, DeskPartnerKey, DeskPartnerMade, DeskPartnerOrder, DeskPartnerRow,
};
use money::{DeskPartnerDecision, DeskPartnerPayoutOrder};
use news::DeskNewsPage;

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
        let made = self.0.make_partner(input.0.into(), Actor::from(&by), key).await?;
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
        Ok(Answer(DeskPartnerRow::of(&self.0.change_partner(id.0, revision, input.0.into(), Actor::from(&by)).await?)))
    }

    /// Decide on a partner who asks for access
    ///
    /// They are written to. 409 `partner_decided` when nobody asks any more. Needs `partners.manage` and a fresh second factor.
    #[oai(path = "/:id/decision", method = "post", operation_id = "decidePartner")]
    async fn decide(
        &self,
        staff: StaffAuth,
        id: Path<Uuid>,
        input: Input<DeskPartnerDecision>,
    ) -> Outcome<Answer<DeskPartnerRow>> {
        let by = staff.may(PARTNERS_MANAGE)?;
        staff.require_fresh()?;
        let revision = input.0.revision;
        let row = self.0.decide(id.0, revision, input.0.into(), Actor::from(&by)).await?;
        Ok(Answer(DeskPartnerRow::of(&row)))
    }

    /// Pay a partner
    ///
    /// Books that a part of their balance was paid out of the reserve. Above the limit for payouts a colleague has to agree: then the answer
    /// is 202 with the proposal. Needs `partners.pay` and a fresh second factor.
    #[oai(path = "/:id/payouts", method = "post", operation_id = "payPartner")]
    async fn pay(
        &self,
        staff: StaffAuth,
        id: Path<Uuid>,
        input: Input<DeskPartnerPayoutOrder>,
        /// Any text of 8 to 255 visible ASCII characters, made anew for each payout.
        #[oai(name = "Idempotency-Key")]
        key: Header<Option<String>>,
        visitor: Visitor,
    ) -> Outcome<Either<Answer<DeskPartner>, Proposed>> {
        let by = staff.may(PARTNERS_PAY)?;
        staff.require_fresh()?;
        let content = serde_json::to_vec(&input.0).map_err(Error::internal)?;
        let key = IdempotencyKey::check(key.0)?.for_content(format!("partner.pay:{}", id.0), &content);
        if let Some(proposal) = self.0.pay(id.0, input.0.into(), by.clone(), key).await? {
            let row = self.0.approvals.proposal(&mut self.0.platform.db.read().await?, proposal).await?;
            return Ok(Either::That(Accepted(self.0.approvals.show(row, &by, visitor.locale))));
        }
        Ok(Either::This(Answer(DeskPartner::of(self.0.whole(id.0).await?))))
    }

    /// Make another secret for a partner's news
    ///
    /// From now on their news are signed with it. It is not shown again. Needs `partners.manage` and a fresh second factor.
    #[oai(path = "/:id/secret", method = "post", operation_id = "changePartnerSecret")]
    async fn secret(&self, staff: StaffAuth, id: Path<Uuid>) -> Outcome<Answer<DeskPartnerMade>> {
        let by = staff.may(PARTNERS_MANAGE)?;
        staff.require_fresh()?;
        Ok(Answer(DeskPartnerMade::of(self.0.change_secret(id.0, Actor::from(&by)).await?)))
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
        let made = self.0.make_key(id.0, input.0.into(), Actor::from(&by), once).await?;
        Ok(Created { body: DeskKeyMade { key: DeskPartnerKey::of(&made.row), secret: made.secret }, cookie: None })
    }

    /// Revoke a key
    ///
    /// It opens nothing from now on. Needs `partners.manage`.
    #[oai(path = "/:id/keys/:key/revoke", method = "post", operation_id = "revokePartnerKey")]
    async fn revoke_key(&self, staff: StaffAuth, id: Path<Uuid>, key: Path<Uuid>) -> Outcome<Answer<DeskPartnerKey>> {
        let by = staff.may(PARTNERS_MANAGE)?;
        Ok(Answer(DeskPartnerKey::of(&self.0.revoke_key(id.0, key.0, Actor::from(&by)).await?)))
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
        self.0.tell_again(id.0, message.0, Actor::from(&by)).await?;
        Ok(Done)
    }
}

fn refused(field: &str) -> Error {
    Error::unprocessable("validation_failed").at(field, "malformed_parameter")
}
