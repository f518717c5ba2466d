//! What the desk sends.

use std::collections::BTreeMap;

use agio_core::{Error, Result, Timestamp};
use agio_http::{Dec, Moment};
use poem_openapi::Object;
use poem_openapi::types::Example;
use serde::{Deserialize, Serialize};

use crate::Said;
use crate::model::{Action, State};
use crate::rules::desk::Desk;
use crate::service::Asked;
use crate::store::desk::After;

/// Rows of a page unless more or fewer are wanted, and the most there are.
const SIZE: u32 = 50;
const SIZE_MAX: u32 = 100;

/// A step of an operator.
#[derive(Clone, Debug, Deserialize, Serialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields, example)]
pub struct DeskTransition {
    /// One of the claim's `transitions`.
    action: String,
    /// The revision the operator saw.
    revision: i64,
    /// Why: a code such as `aml_check`, or words for the customer.
    #[serde(default)]
    reason: Option<String>,
    /// By when the customer has an answer.
    #[serde(default)]
    answer_by: Option<Moment>,
    /// The transaction's identifier, or the bank's reference.
    #[serde(default)]
    tx_id: Option<String>,
    /// The whole amount that came so far, or that was paid out so far.
    #[serde(default)]
    amount: Option<Dec>,
    /// A remark for the staff.
    #[serde(default)]
    note: Option<String>,
    /// For `recalculate`: the amounts that were shown.
    #[serde(default)]
    terms: Option<DeskShownTerms>,
    /// When the payment was made, with `payment_received`, `payment_seen` and `amount_mismatch`; now, where it is left out. After the agreed terms
    /// have ended it is late, and the claim goes to `late_payment`. What was seen on a watched network is dated by that.
    #[serde(default)]
    paid_at: Option<Moment>,
}

/// The amounts an operator was shown for another amount that came.
#[derive(Clone, Debug, Deserialize, Serialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields)]
pub struct DeskShownTerms {
    /// What came.
    came: Dec,
    /// What is received for it.
    receive: Dec,
}

impl Example for DeskTransition {
    fn example() -> Self {
        Self {
            action: "hold".into(),
            revision: 4,
            reason: Some("aml_check".into()),
            answer_by: Some(Moment(Timestamp(1_711_634_400_000_000))),
            tx_id: None,
            amount: None,
            note: Some("Asked for the origin of the coins.".into()),
            terms: None,
            paid_at: None,
        }
    }
}

impl DeskTransition {
    /// The action, the revision, and what is said with them.
    ///
    /// # Errors
    /// 422 for an action there is none of.
    pub fn read(self) -> Result<(Action, i64, Said)> {
        let unknown = |_| Error::unprocessable("validation_failed").at("action", "action_unknown");
        let filled = |text: Option<String>| text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
        let said = Said {
            reason: filled(self.reason),
            answer_by: self.answer_by.map(|moment| moment.0),
            tx_id: filled(self.tx_id),
            amount: self.amount.map(|amount| amount.0),
            note: filled(self.note),
            shown: self.terms.map(|terms| (terms.came.0.normalize(), terms.receive.0.normalize())),
            paid_at: self.paid_at.map(|moment| moment.0),
            ..Said::default()
        };
        Ok((self.action.parse().map_err(unknown)?, self.revision, said))
    }
}

/// A remark for the staff.
#[derive(Clone, Debug, Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields, example)]
pub struct DeskNote {
    /// The remark, at most 2000 characters.
    pub text: String,
}

impl Example for DeskNote {
    fn example() -> Self {
        Self { text: "Called the bank, the transfer is on its way.".into() }
    }
}

/// Where the customer told staff that they want their payment returned to.
#[derive(Clone, Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields, example)]
pub struct DeskRefundDestination {
    /// The revision the operator saw.
    pub revision: i64,
    /// Requisites of the currency that was sent, as customers give them to receive it.
    pub requisites: BTreeMap<String, String>,
    /// How the customer said so, for the staff; at most 2000 characters.
    pub note: String,
}

impl Example for DeskRefundDestination {
    fn example() -> Self {
        let address = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq";
        Self {
            revision: 7,
            requisites: BTreeMap::from([("address".into(), address.into())]),
            note: "Written from the claim's address, letter of 28 March.".into(),
        }
    }
}

/// What the list is asked for, as it stands in the address.
pub struct DeskQuery {
    /// The tab.
    pub group: Option<String>,
    /// The state.
    pub status: Option<String>,
    /// What to find.
    pub q: Option<String>,
    /// Where the page before ended.
    pub cursor: Option<String>,
    /// Rows of a page.
    pub size: Option<u32>,
    /// The order.
    pub sort: Option<String>,
}

impl DeskQuery {
    /// The question in our own words.
    ///
    /// # Errors
    /// 422 for a tab, state, order, size or cursor there is none of.
    pub fn read(self) -> Result<Asked> {
        let refused = |field: &str| Error::unprocessable("validation_failed").at(field, "malformed_parameter");
        let tab = match self.group.as_deref() {
            None | Some("" | "open") => None,
            Some(name) => Some(name.parse::<Desk>().map_err(|_| refused("group"))?),
        };
        let state = self.status.unwrap_or_default();
        if !state.is_empty() && state.parse::<State>().is_err() {
            return Err(refused("status"));
        }
        let by_age = match self.sort.as_deref() {
            None | Some("" | "due") => false,
            Some("created") => true,
            Some(_) => return Err(refused("sort")),
        };
        let size = self.size.unwrap_or(SIZE);
        if !(1..=SIZE_MAX).contains(&size) {
            return Err(refused("size"));
        }
        let after = match self.cursor.as_deref() {
            None | Some("") => None,
            Some(text) => Some(read_cursor(text).ok_or_else(|| refused("cursor"))?),
        };
        let said = self.q.unwrap_or_default().chars().take(200).collect();
        Ok(Asked { tab, state, said, after, size: size.into(), by_age })
    }
}

/// A cursor as text: the due time in microseconds and the number of the last row.
pub fn cursor(after: After) -> String {
    format!("{}_{}", after.due_at.0, after.public_id)
}

fn read_cursor(text: &str) -> Option<After> {
    let (due_at, public_id) = text.split_once('_')?;
    Some(After { due_at: Timestamp(due_at.parse().ok()?), public_id: public_id.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query() -> DeskQuery {
        DeskQuery { group: None, status: None, q: None, cursor: None, size: None, sort: None }
    }

    #[test]
    fn a_cursor_comes_back_as_it_went() {
        let after = After { due_at: Timestamp(-5), public_id: 100_001 };
        assert_eq!(read_cursor(&cursor(after)), Some(after));
    }

    #[test]
    fn what_there_is_none_of_is_refused_by_name() {
        let refused = |query: DeskQuery| query.read().unwrap_err().fields()[0].field.clone();
        assert_eq!(refused(DeskQuery { group: Some("mine".into()), ..query() }), "group");
        assert_eq!(refused(DeskQuery { status: Some("new".into()), ..query() }), "status");
        assert_eq!(refused(DeskQuery { sort: Some("id; DROP".into()), ..query() }), "sort");
        assert_eq!(refused(DeskQuery { size: Some(101), ..query() }), "size");
        assert_eq!(refused(DeskQuery { cursor: Some("5".into()), ..query() }), "cursor");
        assert_eq!(query().read().unwrap().size, 50);
    }
}
