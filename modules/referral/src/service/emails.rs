//! E-mails about withdrawals.

use agio_core::{Result, Timestamp, Tx};
use agio_mail::{Email, Recipient, format_money};

use super::Referral;
use crate::model::ReferralWithdrawalState;
use crate::store::withdrawals::Withdrawal;

impl Referral {
    pub(super) async fn send_email(&self, tx: &mut Tx, row: &Withdrawal, now: Timestamp) -> Result<()> {
        let Some(kind) = kind_of(row.state) else { return Ok(()) };
        let to: Vec<String> = row.payout_details(&self.platform.vault)?.into_iter().map(|requisite| requisite.masked).collect();
        let message = Email::new(kind, ("referral_withdrawal", row.id.to_string()))
            .with("amount", format_money(row.payout().value(), &row.payout_code, row.locale))
            .with("to", to.join(", "))
            .with("tx", row.tx.as_deref().unwrap_or_default())
            .with("reason", row.reason.as_deref().unwrap_or_default())
            .with_button("/account/referrer");
        let addressee = Recipient { email: row.email.clone(), locale: row.locale };
        self.mailer.send(tx, &addressee, &message, now).await
    }
}

/// No e-mail for an approval: the payment follows.
fn kind_of(state: ReferralWithdrawalState) -> Option<&'static str> {
    match state {
        ReferralWithdrawalState::Requested => Some("referral_withdrawal_requested"),
        ReferralWithdrawalState::Approved => None,
        ReferralWithdrawalState::Paid => Some("referral_withdrawal_paid"),
        ReferralWithdrawalState::Refused => Some("referral_withdrawal_refused"),
    }
}

#[cfg(test)]
mod tests {
    use agio_core::texts::Texts;

    use super::*;
    use crate::DICTIONARY;

    #[test]
    fn every_email_and_audit_action_has_texts() {
        let texts = Texts::merge(&[DICTIONARY]).unwrap();
        for kind in ReferralWithdrawalState::ALL.into_iter().filter_map(kind_of) {
            for part in ["subject", "body", "button"] {
                assert!(texts.has(&format!("mail.{kind}.{part}")), "{kind}: {part}");
            }
        }
        for step in ["joined", "plan_added", "terms_changed", "plan_assigned", "approved", "refused"] {
            assert!(texts.has(&format!("audit.referral.{step}")), "{step}");
        }
        for step in ReferralWithdrawalState::ALL {
            assert!(texts.has(&format!("audit.referral.withdrawal_{step}")), "{step}");
        }
    }
}
