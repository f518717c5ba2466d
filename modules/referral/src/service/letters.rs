//! Letters to referrers about their withdrawals.

use agio_core::{Result, Timestamp, Tx};
use agio_mail::{Addressee, Letter, amount_in_words};

use super::Referral;
use crate::model::WithdrawalState;
use crate::store::withdrawals::Withdrawal;

impl Referral {
    /// Writes to the referrer, if the state a withdrawal has come to is news to them.
    pub(super) async fn write_letter(&self, tx: &mut Tx, row: &Withdrawal, now: Timestamp) -> Result<()> {
        let Some(kind) = kind_of(row.state) else { return Ok(()) };
        let to: Vec<String> = row.goes_to(&self.platform.vault)?.into_iter().map(|requisite| requisite.masked).collect();
        let letter = Letter::new(kind, ("referral_withdrawal", row.id.to_string()))
            .with("amount", format!("{} {}", amount_in_words(row.payout().value(), row.locale()), row.payout_code))
            .with("to", to.join(", "))
            .with("tx", row.tx.as_deref().unwrap_or_default())
            .with("reason", row.reason.as_deref().unwrap_or_default())
            .linking("/account/referrer");
        let addressee = Addressee { email: row.email.clone(), locale: row.locale() };
        self.mailroom.send(tx, &addressee, &letter, now).await
    }
}

/// The letter about a state. That a withdrawal may be paid is no news until it is.
fn kind_of(state: WithdrawalState) -> Option<&'static str> {
    match state {
        WithdrawalState::Requested => Some("referral_withdrawal_requested"),
        WithdrawalState::Approved => None,
        WithdrawalState::Paid => Some("referral_withdrawal_paid"),
        WithdrawalState::Refused => Some("referral_withdrawal_refused"),
    }
}

#[cfg(test)]
mod tests {
    use agio_core::texts::Texts;

    use super::*;
    use crate::DICTIONARY;

    #[test]
    fn every_letter_and_step_has_its_words() {
        let texts = Texts::merge(&[DICTIONARY]).unwrap();
        for kind in WithdrawalState::ALL.into_iter().filter_map(kind_of) {
            for part in ["subject", "body", "button"] {
                assert!(texts.has(&format!("mail.{kind}.{part}")), "{kind}: {part}");
            }
        }
        for step in ["joined", "programme_added", "terms_changed", "programme_given", "approved", "refused"] {
            assert!(texts.has(&format!("audit.referral.{step}")), "{step}");
        }
        for step in WithdrawalState::ALL {
            assert!(texts.has(&format!("audit.referral.withdrawal_{step}")), "{step}");
        }
    }
}
