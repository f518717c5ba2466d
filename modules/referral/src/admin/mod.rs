//! The calls the console makes.

mod bodies;
mod earnings;
mod payouts;

use std::sync::Arc;

use agio_approvals::Proposed;
use agio_core::{Error, Result, Timestamp};
use agio_http::{Accepted, Answer, Created, Done, Either, IdempotencyKey, Input, Outcome, StaffAuth, Visitor};
use poem_openapi::param::{Header, Path, Query};
use poem_openapi::{OpenApi, Tags};
use uuid::Uuid;

use crate::service::{Page, Tab};
use crate::store::Place;
use crate::{REFERRAL_PAY, REFERRAL_READ, REFERRAL_REVIEW, REFERRAL_TERMS, Referral};

use bodies::{DeskProgramme, DeskProgrammeChange, DeskProgrammeGift, DeskProgrammeOrder, DeskReferrerPage};
use earnings::{DeskAccrualPage, DeskAccrualRow, DeskAccrualVerdict, DeskReferrerView};
use payouts::{DeskReferralWithdrawal, DeskReferralWithdrawalPage, DeskReferralWithdrawalStep};

/// Rows of a page unless more or fewer are wanted, and the most there are.
const SIZE: u32 = 20;
const SIZE_MAX: u32 = 50;

/// The most that is searched for.
const SAID_MAX: usize = 200;

#[derive(Tags)]
enum ConsoleTag {
    /// Referrers, what they earn, and how they are paid.
    Referral,
}

/// The console's calls.
pub struct ReferralDesk(Arc<Referral>);

impl ReferralDesk {
    /// The calls.
    #[must_use]
    pub fn new(referral: Arc<Referral>) -> Self {
        Self(referral)
    }
}

fn refused(field: &str) -> Error {
    Error::unprocessable("validation_failed").at(field, "malformed_parameter")
}

fn size_of(size: Option<u32>) -> Result<i64> {
    let size = size.unwrap_or(SIZE);
    if (1..=SIZE_MAX).contains(&size) { Ok(size.into()) } else { Err(refused("size")) }
}

fn tab_of(tab: Option<&str>) -> Result<Tab> {
    match tab {
        None | Some("open") => Ok(Tab::Open),
        Some("past") => Ok(Tab::Past),
        Some(_) => Err(refused("tab")),
    }
}

/// Where a page begins, as the page before said it.
fn place_of(cursor: Option<String>) -> Result<Option<Place>> {
    let read = |text: &str| {
        let (at, id) = text.split_once('_')?;
        Some((Timestamp(at.parse().ok()?), id.parse().ok()?))
    };
    cursor.filter(|text| !text.is_empty()).map(|text| read(&text).ok_or_else(|| refused("cursor"))).transpose()
}

/// Where the next page begins, for whoever asks for it.
fn cursor<T>(page: &Page<T>) -> Option<String> {
    page.next.map(|(at, id)| format!("{}_{}", at.0, id.simple()))
}

#[OpenApi(prefix_path = "/api/admin/v1/referral", tag = "ConsoleTag::Referral")]
impl ReferralDesk {
    /// List programmes
    ///
    /// The common one first. Needs `referral.read`.
    #[oai(path = "/programmes", method = "get", operation_id = "listReferralProgrammes")]
    async fn programmes(&self, staff: StaffAuth) -> Outcome<Answer<Vec<DeskProgramme>>> {
        staff.may(REFERRAL_READ)?;
        Ok(Answer(self.0.programmes().await?.into_iter().map(DeskProgramme::from).collect()))
    }

    /// Add a programme
    ///
    /// Referrers can be given it as their own. Needs `referral.terms` and a fresh second factor.
    #[oai(path = "/programmes", method = "post", operation_id = "addReferralProgramme")]
    async fn add_programme(
        &self,
        staff: StaffAuth,
        input: Input<DeskProgrammeOrder>,
        /// Any text of 8 to 255 visible ASCII characters, made anew for each programme.
        #[oai(name = "Idempotency-Key")]
        key: Header<Option<String>>,
    ) -> Outcome<Created<DeskProgramme>> {
        let by = staff.may(REFERRAL_TERMS)?;
        staff.require_fresh()?;
        let content = serde_json::to_vec(&input.0).map_err(Error::internal)?;
        let key = IdempotencyKey::check(key.0)?.for_content(format!("referral.programme:{}", by.id), &content);
        let id = self.0.add_programme(input.0.into(), by, key).await?;
        Ok(Created { body: self.0.programme(id).await?.into(), cookie: None })
    }

    /// Change a programme
    ///
    /// What was earned stays as it is. `revision` is the one that was seen: 409 `referral_changed` when a colleague was faster. Needs
    /// `referral.terms` and a fresh second factor.
    #[oai(path = "/programmes/:id", method = "put", operation_id = "changeReferralProgramme")]
    async fn change_programme(
        &self,
        staff: StaffAuth,
        id: Path<Uuid>,
        input: Input<DeskProgrammeChange>,
    ) -> Outcome<Answer<DeskProgramme>> {
        let by = staff.may(REFERRAL_TERMS)?;
        staff.require_fresh()?;
        let DeskProgrammeChange { revision, terms } = input.0;
        Ok(Answer(self.0.change_programme(id.0, revision, terms.into(), by).await?.into()))
    }

    /// List referrers
    ///
    /// The newest first, or those with a code or e-mail address. Needs `referral.read`.
    #[oai(path = "/referrers", method = "get", operation_id = "listReferrers")]
    async fn referrers(
        &self,
        staff: StaffAuth,
        /// A code or e-mail address to find.
        q: Query<Option<String>>,
        /// `nextCursor` of the page before.
        cursor: Query<Option<String>>,
        /// Rows of a page, at most 50.
        size: Query<Option<u32>>,
    ) -> Outcome<Answer<DeskReferrerPage>> {
        staff.may(REFERRAL_READ)?;
        let said: String = q.0.unwrap_or_default().chars().take(SAID_MAX).collect();
        let page = self.0.referrers(&said, place_of(cursor.0)?, size_of(size.0)?).await?;
        Ok(Answer(page.into()))
    }

    /// A referrer with everything about them
    ///
    /// Their numbers, whom they brought, and what they earned last. Needs `referral.read`.
    #[oai(path = "/referrers/:id", method = "get", operation_id = "getReferrer")]
    async fn referrer(&self, staff: StaffAuth, visitor: Visitor, id: Path<Uuid>) -> Outcome<Answer<DeskReferrerView>> {
        staff.may(REFERRAL_READ)?;
        Ok(Answer(DeskReferrerView::of(&self.0, self.0.whole_referrer(id.0).await?, visitor.locale)?))
    }

    /// Give a referrer a programme of their own
    ///
    /// Or, with null, the common one again. Needs `referral.terms` and a fresh second factor.
    #[oai(path = "/referrers/:id/programme", method = "put", operation_id = "giveReferrerProgramme")]
    async fn give_programme(&self, staff: StaffAuth, id: Path<Uuid>, input: Input<DeskProgrammeGift>) -> Outcome<Done> {
        let by = staff.may(REFERRAL_TERMS)?;
        staff.require_fresh()?;
        self.0.give_programme(id.0, input.0.programme_id.0, by).await?;
        Ok(Done)
    }

    /// List what referrers earned
    ///
    /// `open` waits for the staff, the oldest first; `past` is all, the newest first. Needs `referral.read`.
    #[oai(path = "/accruals", method = "get", operation_id = "listReferralAccruals")]
    async fn accruals(
        &self,
        staff: StaffAuth,
        visitor: Visitor,
        /// `open` or `past`.
        tab: Query<Option<String>>,
        /// `nextCursor` of the page before.
        cursor: Query<Option<String>>,
        /// Rows of a page, at most 50.
        size: Query<Option<u32>>,
    ) -> Outcome<Answer<DeskAccrualPage>> {
        staff.may(REFERRAL_READ)?;
        let page = self.0.accruals(tab_of(tab.0.as_deref())?, place_of(cursor.0)?, size_of(size.0)?).await?;
        Ok(Answer(DeskAccrualPage::of(&self.0, page, visitor.locale)?))
    }

    /// Decide on what was earned
    ///
    /// What waits for the staff is the referrer's, or is not. What had no price gets that of this moment. Needs `referral.review`.
    #[oai(path = "/accruals/:id/decision", method = "post", operation_id = "decideReferralAccrual")]
    async fn decide(
        &self,
        staff: StaffAuth,
        visitor: Visitor,
        id: Path<Uuid>,
        input: Input<DeskAccrualVerdict>,
        /// Any text of 8 to 255 visible ASCII characters, made anew for each decision.
        #[oai(name = "Idempotency-Key")]
        key: Header<Option<String>>,
    ) -> Outcome<Answer<DeskAccrualRow>> {
        let content = serde_json::to_vec(&input.0).map_err(Error::internal)?;
        let key = IdempotencyKey::check(key.0)?.for_content(format!("referral.decide:{}", id.0), &content);
        let by = staff.may(REFERRAL_REVIEW)?;
        self.0.decide(id.0, input.0.by(by), key).await?;
        Ok(Answer(DeskAccrualRow::of(&self.0, self.0.accrual_of(id.0).await?, visitor.locale)?))
    }

    /// List withdrawals
    ///
    /// `open` waits for the staff, the oldest first; `past` is over, the newest first. Needs `referral.read`.
    #[oai(path = "/withdrawals", method = "get", operation_id = "listReferralWithdrawals")]
    async fn withdrawals(
        &self,
        staff: StaffAuth,
        visitor: Visitor,
        /// `open` or `past`.
        tab: Query<Option<String>>,
        /// `nextCursor` of the page before.
        cursor: Query<Option<String>>,
        /// Rows of a page, at most 50.
        size: Query<Option<u32>>,
    ) -> Outcome<Answer<DeskReferralWithdrawalPage>> {
        staff.may(REFERRAL_READ)?;
        let page = self.0.withdrawals(tab_of(tab.0.as_deref())?, place_of(cursor.0)?, size_of(size.0)?).await?;
        Ok(Answer(DeskReferralWithdrawalPage::of(page, &self.0.platform.vault, visitor.locale)?))
    }

    /// A withdrawal
    ///
    /// Needs `referral.read`.
    #[oai(path = "/withdrawals/:id", method = "get", operation_id = "getReferralWithdrawal")]
    async fn withdrawal(&self, staff: StaffAuth, visitor: Visitor, id: Path<Uuid>) -> Outcome<Answer<DeskReferralWithdrawal>> {
        staff.may(REFERRAL_READ)?;
        Ok(Answer(DeskReferralWithdrawal::of(self.0.withdrawal(id.0).await?, &self.0.platform.vault, visitor.locale)?))
    }

    /// Move a withdrawal on
    ///
    /// Approve it, note that it is paid, or refuse it. `revision` is the one that was seen: 409 `referral_changed` when a colleague was
    /// faster. Approving and paying need a fresh second factor. Above the limit of the four-eyes rule for payouts an approval is proposed
    /// instead: 202. Needs `referral.pay`.
    #[oai(path = "/withdrawals/:id/steps", method = "post", operation_id = "moveReferralWithdrawal")]
    async fn step(
        &self,
        staff: StaffAuth,
        visitor: Visitor,
        id: Path<Uuid>,
        input: Input<DeskReferralWithdrawalStep>,
        /// Any text of 8 to 255 visible ASCII characters, made anew for each step.
        #[oai(name = "Idempotency-Key")]
        key: Header<Option<String>>,
    ) -> Outcome<Either<Answer<DeskReferralWithdrawal>, Proposed>> {
        let content = serde_json::to_vec(&input.0).map_err(Error::internal)?;
        let key = IdempotencyKey::check(key.0)?.for_content(format!("referral.step:{}", id.0), &content);
        let by = staff.may(REFERRAL_PAY)?;
        if input.0.sends_money() {
            staff.require_fresh()?;
        }
        if let Some(proposal) = self.0.step(id.0, input.0.by(by.clone()), key).await? {
            let row = self.0.approvals.proposal(&mut self.0.platform.db.read().await?, proposal).await?;
            return Ok(Either::That(Accepted(self.0.approvals.show(row, &by, visitor.locale))));
        }
        Ok(Either::This(Answer(DeskReferralWithdrawal::of(
            self.0.withdrawal(id.0).await?,
            &self.0.platform.vault,
            visitor.locale,
        )?)))
    }
}
