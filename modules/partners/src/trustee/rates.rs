//! The Trustee rates file: the aggregator format with Trustee's additions.

use std::fmt::Write as _;
use std::sync::Arc;

use agio_contracts::{CurrencyInfo, OfferedDirection, OffersVersion};
use agio_core::hex;
use agio_core::markup::escape;
use agio_core::money::plain;
use rust_decimal::Decimal;
use sha2::{Digest as _, Sha256};

use super::api::bodies::TrusteeRateType;
use super::sides::{is_orderable, network, rates};
use crate::Partners;

#[derive(Debug)]
pub struct RateList {
    of: OffersVersion,
    pub xml: String,
    pub etag: String,
}

impl Partners {
    /// Rebuilt when the offers change.
    pub fn trustee_rate_list(&self) -> Arc<RateList> {
        let of = self.directions.stamp();
        if let Some(list) = self.trustee_list.load_full().filter(|list| list.of == of) {
            return list;
        }
        let directions = self.directions.directions(&of);
        let named = |code: &str| self.offers.by_code(code);
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

/// Uses the rate of the minimum amount; `None` if Trustee orders cannot express the direction.
fn item(direction: &OfferedDirection, from: &CurrencyInfo, to: &CurrencyInfo) -> Option<String> {
    if !is_orderable(from, to, direction.verification, direction.has_terms) {
        return None;
    }
    let (_, rate) = direction.rates.iter().rfind(|(min, _)| *min <= direction.from.min)?;
    let (give, receive) = rates(*rate)?;
    let mut item = String::from("<item>");
    let mut element = |name: &str, text: &str| {
        let _ = write!(item, "<{name}>{}</{name}>", escape(text));
    };
    let sum = |amount: Decimal, currency: &CurrencyInfo| format!("{} {}", plain(amount), currency.ticker);
    element("from", &from.code);
    element("to", &to.code);
    for (name, code) in [("fromnetwork", network(from)), ("tonetwork", network(to))] {
        if let Some(code) = code {
            element(name, code);
        }
    }
    element("in", &plain(give));
    element("out", &plain(receive));
    element("amount", &plain(direction.reserve));
    element("fromfee", &sum(direction.give_fee, from));
    element("tofee", &sum(direction.receive_fee, to));
    element("minamount", &sum(direction.from.min, from));
    element("maxamount", &sum(direction.from.max, from));
    element("ratetype", TrusteeRateType::of(direction.floating.is_some()).name());
    item.push_str("</item>\n");
    Some(item)
}
