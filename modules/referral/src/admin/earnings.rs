//! What referrers earned, and by whom, as the console sees it.

use agio_core::identity::Staff;
use agio_core::texts::Locale;
use agio_core::{Error, Result};
use agio_http::{Dec, Moment, Null};
use poem_openapi::types::Example;
use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::bodies::DeskReferrerRow;
use super::cursor;
use crate::Referral;
use crate::service::{Decided, DeskAccrual, Page, Person, Verdict, WholeReferrer, units};

/// A reason with its words.
#[derive(Serialize, Object)]
struct DeskReferralReason {
    /// A stable code.
    code: String,
    /// The same in words.
    text: String,
}

/// What a referrer earned by one claim.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskAccrualRow {
    /// Identifier.
    id: Uuid,
    /// Whose it is.
    referrer_id: Uuid,
    /// The e-mail address of their account.
    referrer: String,
    /// The claim.
    claim_id: Uuid,
    /// Its number for talk.
    claim_number: i64,
    /// The e-mail address it was made with.
    email: String,
    /// `review`, `unpriced`, `held`, `available`, `none`, `refused` or `reversed`.
    status: String,
    /// What speaks for the referrer having exchanged themselves.
    flags: Vec<DeskReferralReason>,
    /// Why it has no price, or is nothing.
    reason: Null<DeskReferralReason>,
    /// What staff said when they decided.
    words: Null<String>,
    /// Who decided.
    decided_by: Null<String>,
    /// The percent of the share.
    percent: Dec,
    /// How much.
    amount: Dec,
    /// The code of its currency; null where it has no amount.
    currency: Null<String>,
    /// When what is held may be withdrawn.
    available_at: Moment,
    /// When it was earned.
    created_at: Moment,
    /// Whether it waits for a decision.
    open: bool,
}

impl DeskAccrualRow {
    /// An accrual as the console shows it.
    ///
    /// # Errors
    /// `internal` when a percent that is stored cannot be read.
    pub fn of(referral: &Referral, accrual: DeskAccrual, locale: Locale) -> Result<Self> {
        let DeskAccrual { row, currency, referrer } = accrual;
        let reason = |list: &str, code: &str| DeskReferralReason {
            code: code.to_owned(),
            text: referral.said(&format!("{list}.{code}"), locale),
        };
        let flags = row.flags.split(',').filter(|code| !code.is_empty()).map(|code| reason("referral_flag", code));
        Ok(Self {
            id: row.id,
            referrer_id: row.referrer_id,
            referrer: referrer.email,
            claim_id: row.claim_id,
            claim_number: row.claim_number,
            status: row.state.to_string(),
            flags: flags.collect(),
            reason: row.reason.as_deref().map(|code| reason("referral_reason", code)).into(),
            percent: Dec(row.percent.parse().map_err(Error::internal)?),
            amount: Dec(units(row.units, row.scale).value()),
            currency: currency.into(),
            available_at: row.available_at.into(),
            created_at: row.created_at.into(),
            open: row.state.is_open(),
            email: row.email,
            words: row.words.into(),
            decided_by: row.decided_name.into(),
        })
    }
}

/// A page of what was earned.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskAccrualPage {
    /// The accruals.
    items: Vec<DeskAccrualRow>,
    /// What the next page is asked for with; null on the last.
    next_cursor: Null<String>,
    /// How many wait for the staff.
    open: i64,
}

impl DeskAccrualPage {
    /// A page as the console shows it.
    ///
    /// # Errors
    /// `internal` when a percent that is stored cannot be read.
    pub fn of(referral: &Referral, page: Page<DeskAccrual>, locale: Locale) -> Result<Self> {
        let (next_cursor, open) = (cursor(&page).into(), page.open);
        let items: Result<_> = page.rows.into_iter().map(|row| DeskAccrualRow::of(referral, row, locale)).collect();
        Ok(Self { items: items?, next_cursor, open })
    }
}

/// What is decided on an accrual.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, Enum)]
#[serde(rename_all = "lowercase")]
#[oai(rename_all = "lowercase")]
pub enum DeskAccrualDecision {
    /// It is the referrer's.
    Approve,
    /// It is not.
    Refuse,
}

/// A decision on an accrual.
#[derive(Debug, Serialize, Deserialize, Object)]
#[serde(deny_unknown_fields)]
#[oai(deny_unknown_fields, skip_serializing_if_is_none, example)]
pub struct DeskAccrualVerdict {
    /// What is decided.
    decision: DeskAccrualDecision,
    /// Why, for colleagues; needed for `refuse`.
    words: Option<String>,
}

impl Example for DeskAccrualVerdict {
    fn example() -> Self {
        Self { decision: DeskAccrualDecision::Refuse, words: Some("The referrer's own second address.".into()) }
    }
}

impl DeskAccrualVerdict {
    /// The decision in the name of somebody.
    pub fn by(self, staff: Staff) -> Decided {
        let verdict = match self.decision {
            DeskAccrualDecision::Approve => Verdict::Approve,
            DeskAccrualDecision::Refuse => Verdict::Refuse,
        };
        Decided { staff, verdict, words: self.words }
    }
}

/// Who brought a referrer.
#[derive(Serialize, Object)]
struct DeskReferralBringer {
    /// The account.
    id: Uuid,
    /// Its e-mail address.
    email: String,
    /// The code in their link.
    code: String,
}

/// Somebody who came by a link.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
struct DeskReferralPerson {
    /// The account; null for somebody who exchanged without one.
    customer_id: Null<Uuid>,
    /// The e-mail address.
    email: String,
    /// Since when they are bound.
    created_at: Moment,
    /// How many claims of theirs were completed.
    claims: i64,
    /// What the referrer earned by them.
    earned: Dec,
    /// Their own code; null where they have none.
    code: Null<String>,
    /// How many they brought in turn.
    brought: i64,
}

/// A referrer with everything about them.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
pub struct DeskReferrerView {
    /// Their numbers.
    referrer: DeskReferrerRow,
    /// Who brought them; null where nobody did.
    brought_by: Null<DeskReferralBringer>,
    /// Whom they brought, the newest first, at most 200.
    people: Vec<DeskReferralPerson>,
    /// What they earned last, at most 200.
    accruals: Vec<DeskAccrualRow>,
}

impl DeskReferrerView {
    /// A referrer as the console shows them.
    ///
    /// # Errors
    /// `internal` when a percent that is stored cannot be read.
    pub fn of(referral: &Referral, whole: WholeReferrer, locale: Locale) -> Result<Self> {
        let WholeReferrer { desk, brought_by, people, accruals } = whole;
        let scale = desk.currency.as_ref().map_or(0, |currency| i64::from(currency.scale));
        let person = |person: Person| DeskReferralPerson {
            customer_id: person.bond.customer_id.into(),
            email: person.bond.email,
            created_at: person.bond.created_at.into(),
            claims: person.claims,
            earned: Dec(units(person.earned, scale).value()),
            code: person.bond.code.into(),
            brought: person.bond.brought,
        };
        let bringer = brought_by.map(|by| DeskReferralBringer { id: by.customer_id, email: by.email, code: by.code });
        let accruals: Result<_> = accruals.into_iter().map(|row| DeskAccrualRow::of(referral, row, locale)).collect();
        Ok(Self {
            referrer: desk.into(),
            brought_by: bringer.into(),
            people: people.into_iter().map(person).collect(),
            accruals: accruals?,
        })
    }
}
