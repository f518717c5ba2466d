//! Cash: where it changes hands, and to whom it is handed.
//!
//! The operator hands cash to the person who says the meeting code. Only the customer sees it, so neither another
//! person who knows the claim nor staff alone can collect. It is derived from the claim, and nine digits cannot be
//! guessed at the rate at which requests are accepted.

use agio_contracts::CurrencyKind;
use agio_core::error::Params;
use agio_core::texts::Locale;
use agio_core::{Error, Result};

use super::Claims;
use super::transition::{Initiator, TransitionInput};
use crate::model::{Action, ClaimState, Transition, TransitionField};
use crate::rules::Claim;
use crate::rules::claim::ClaimSide;
use crate::rules::terms::city;

/// The purpose of the digest that the code is derived from.
const MEETING_CODE: &str = "claim.meeting_code";
const CODE_DIGITS: u32 = 9;

impl Claims {
    /// Whether a side of a claim is cash.
    pub(super) fn is_cash(&self, side: &ClaimSide) -> bool {
        self.currency(side.currency_id(), &side.code).is_cash()
    }

    /// The city and the office; `None` without cash.
    ///
    /// # Errors
    /// 409 `claim_unreadable`.
    pub fn meeting_place(&self, claim: &Claim, locale: Locale) -> Result<Option<String>> {
        let Some(city) = city(claim)? else { return Ok(None) };
        let place = match city.place.get(locale) {
            "" => self.texts.get(locale, "claim.place_by_agreement", &Params::new()),
            place => place.to_owned(),
        };
        Ok(Some(format!("{}, {place}", city.name.get(locale))))
    }

    /// What the customer says to collect cash, from the payment or the decision to refund until it is handed out:
    /// `482 193 504`.
    pub fn meeting_code(&self, claim: &Claim) -> Option<String> {
        let side = match claim.state {
            ClaimState::Paid | ClaimState::Processing | ClaimState::PayoutError | ClaimState::PayoutPartial => &claim.receive,
            ClaimState::RefundPending => &claim.give,
            _ => return None,
        };
        let digest = || self.platform.vault.digest(MEETING_CODE, &handover(claim));
        self.is_cash(side).then(|| {
            let code = code_of(&digest());
            format!("{} {} {}", &code[..3], &code[3..6], &code[6..])
        })
    }

    /// The fields an operator must fill in. Cash has no transaction, and is handed to who says the code. A payment on a
    /// network is booked with its transaction, so that none counts for several claims. What a proposed transition sends is
    /// named after the approval.
    pub fn required_fields(&self, claim: &Claim, row: &Transition, is_proposed: bool) -> Vec<TransitionField> {
        let mut fields = row.required_fields.to_vec();
        if self.hands_out_cash(claim, row) {
            fields = vec![TransitionField::MeetingCode];
        } else if row.action == Action::PaymentSeen && self.is_cash(&claim.give) {
            fields.clear();
        } else if matches!(row.action, Action::PaymentReceived | Action::AmountMismatch) && self.lacks_transaction(claim) {
            fields.push(TransitionField::TxId);
        }
        fields.retain(|field| !is_proposed || !matches!(field, TransitionField::TxId | TransitionField::MeetingCode));
        fields
    }

    /// Whether a claim is paid on a network and no transaction of its payment is known.
    fn lacks_transaction(&self, claim: &Claim) -> bool {
        let currency = self.currency(claim.give.currency_id(), &claim.give.code);
        currency.kind == CurrencyKind::Crypto && claim.references.tx_in.is_none()
    }

    pub(super) fn hands_out_cash(&self, claim: &Claim, row: &Transition) -> bool {
        match row.action {
            Action::PayoutSent => self.is_cash(&claim.receive),
            Action::RefundSent => self.is_cash(&claim.give),
            _ => false,
        }
    }

    /// # Errors
    /// 422 `meeting_code_wrong` at `meetingCode`.
    pub(super) fn check_meeting_code(
        &self,
        claim: &Claim,
        row: &Transition,
        initiator: &Initiator,
        input: &TransitionInput,
    ) -> Result<()> {
        // A driver hands out cash by the rules of its own office.
        if initiator.staff().is_none() || !self.hands_out_cash(claim, row) {
            return Ok(());
        }
        let said: String = input.meeting_code.iter().flat_map(|code| code.chars()).filter(|char| !char.is_whitespace()).collect();
        // A code that was shown before the vault got a new key stays valid.
        let digests = self.platform.vault.digests(MEETING_CODE, &handover(claim));
        if digests.iter().any(|digest| code_of(digest) == said) {
            return Ok(());
        }
        Err(Error::unprocessable("validation_failed").at(TransitionField::MeetingCode.name(), "meeting_code_wrong"))
    }
}

/// What is handed out now: the rest of a payout, and what is returned after it, have another code than the payout before,
/// which staff know.
fn handover(claim: &Claim) -> String {
    let part = match claim.state {
        ClaimState::RefundPending if claim.balances.surplus.units() > 0 => "surplus".to_owned(),
        ClaimState::RefundPending => "refund".to_owned(),
        _ => claim.balances.paid_out.units().to_string(),
    };
    format!("{} {part}", claim.id)
}

/// The code of a digest in hexadecimal.
fn code_of(digest: &str) -> String {
    let number = u64::from_str_radix(&digest[..16], 16).expect("a digest is hexadecimal");
    format!("{:0width$}", number % 10_u64.pow(CODE_DIGITS), width = CODE_DIGITS as usize)
}
