//! The list of directions: what monitors get, with what the contract adds to it.

use std::fmt::Write as _;
use std::sync::Arc;

use agio_core::hex;
use agio_core::markup::escaped;
use agio_core::money::plain;
use agio_core::needs::{CurrencyFacts, Direction, OfferStamp};
use rust_decimal::Decimal;
use sha2::{Digest as _, Sha256};

use super::api::bodies::TrusteeRateType;
use super::sides::{is_orderable, network, rates};
use crate::Partners;

/// The list as it is sent, and the name of this very one.
#[derive(Debug)]
pub struct RateList {
    of: OfferStamp,
    /// The bytes.
    pub xml: String,
    /// What it is known by.
    pub etag: String,
}

impl Partners {
    /// The list of directions that can be ordered by the contract. It is written anew when what is offered has changed.
    pub fn trustee_rates(&self) -> Arc<RateList> {
        let of = self.directions.stamp();
        if let Some(list) = self.trustee_list.load_full().filter(|list| list.of == of) {
            return list;
        }
        let directions = self.directions.directions(&of);
        let named = |code: &str| self.offers.named(code);
        let items = directions
            .iter()
            .filter_map(|direction| item(direction, &*named(&direction.from.code)?, &*named(&direction.to.code)?));
        let xml = format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rates>\n{}</rates>\n", items.collect::<String>());
        let etag = hex::encode(&Sha256::digest(&xml)[..16]);
        let list = Arc::new(RateList { of, xml, etag });
        self.trustee_list.store(Some(list.clone()));
        list
    }
}

/// A direction at the rate of its least amount; none where it cannot be ordered by the contract.
fn item(direction: &Direction, from: &CurrencyFacts, to: &CurrencyFacts) -> Option<String> {
    if !is_orderable(from, to, direction.proof) {
        return None;
    }
    let (_, course) = direction.courses.iter().rfind(|(least, _)| *least <= direction.from.min)?;
    let (give, get) = rates(*course)?;
    let mut item = String::from("<item>");
    let mut element = |name: &str, text: &str| {
        let _ = write!(item, "<{name}>{}</{name}>", escaped(text));
    };
    let sum = |amount: Decimal, currency: &CurrencyFacts| format!("{} {}", plain(amount), currency.ticker);
    element("from", &from.code);
    element("to", &to.code);
    for (name, code) in [("fromnetwork", network(from)), ("tonetwork", network(to))] {
        if let Some(code) = code {
            element(name, code);
        }
    }
    element("in", &plain(give));
    element("out", &plain(get));
    element("amount", &plain(direction.reserve));
    element("fromfee", &sum(direction.fee_from, from));
    element("tofee", &sum(direction.fee_to, to));
    element("minamount", &sum(direction.from.min, from));
    element("maxamount", &sum(direction.from.max, from));
    element("ratetype", TrusteeRateType::of(direction.floating.is_some()).name());
    item.push_str("</item>\n");
    Some(item)
}
