//! Where money of a claim goes, as a driver is told it.

use agio_core::needs::PayTo;
use agio_requisites::Kind;

use super::Claim;
use super::claim::Requisite;

/// The field of the sent side in which customers say where a refund goes.
const REFUND_FIELD: &str = "refundAddress";

impl Claim {
    /// Where the payment goes back to: where the customer wanted it when they chose a refund, or else where they said when they made the claim.
    #[must_use]
    pub fn returns_to(&self) -> Vec<Requisite> {
        let chosen = self.refund_requisites();
        if !chosen.is_empty() {
            return chosen;
        }
        self.from_requisites().into_iter().filter(|requisite| requisite.name == REFUND_FIELD).collect()
    }

    /// The address a refund goes to; nothing where there is none, and it has to be asked for.
    #[must_use]
    pub fn refund_to(&self) -> Option<PayTo> {
        addressed(&self.returns_to())
    }
}

/// The address among requisites, with its memo.
#[must_use]
pub fn addressed(requisites: &[Requisite]) -> Option<PayTo> {
    let beside = |kind: Kind| matches!(kind, Kind::Memo | Kind::Tag);
    let main = requisites.iter().find(|requisite| !beside(requisite.kind))?;
    let memo = requisites.iter().find(|requisite| beside(requisite.kind)).map(|requisite| requisite.value.clone());
    Some(PayTo { address: main.value.clone(), memo })
}
