//! XML and JSON output. All values are validated codes, marks and numbers, so nothing needs escaping.

use std::fmt::Write as _;

use agio_core::money::plain;
use rust_decimal::Decimal;

use super::item::{FeedItem, FeedRate};
use super::marks::FeedMark;

/// The root element refers to the schema of version 1.1, which includes version 1.0.
const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rates xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" \
    xsi:noNamespaceSchemaLocation=\"https://docs.bestchange.biz/schema/1.1.xsd\"";

/// Approximate size of an entry.
const ITEM_BYTES: usize = 640;

/// With the element names of versions 1.0 and 1.1 side by side.
pub fn xml(items: &[FeedItem]) -> String {
    if items.is_empty() {
        return format!("{HEAD}/>\n");
    }
    let mut out = String::with_capacity(items.len() * ITEM_BYTES);
    out.push_str(HEAD);
    out.push_str(">\n");
    for item in items {
        xml_item(&mut out, item);
    }
    out.push_str("</rates>\n");
    out
}

fn xml_item(out: &mut String, item: &FeedItem) {
    out.push_str("<item>");
    element(out, "from", &item.from);
    element(out, "to", &item.to);
    rate(out, item.rate);
    number(out, "amount", item.amount);
    number(out, "frommin", item.from_min);
    number(out, "frommax", item.from_max);
    number(out, "tomin", item.to_min);
    number(out, "tomax", item.to_max);
    for (name, fee) in [("fromfee", item.from_fee), ("tofee", item.to_fee)] {
        if !fee.is_zero() {
            number(out, name, fee);
        }
    }
    for mark in &item.marks {
        match item.floating {
            // Minutes within which the payment that fixes the rate is due.
            Some(minutes) if *mark == FeedMark::Floating => drop(write!(out, "<floating minutes=\"{minutes}\"/>")),
            _ => element(out, mark.name(), "true"),
        }
    }
    if let Some(city) = &item.city {
        element(out, "city", city);
    }
    for step in &item.steps {
        let _ = write!(out, "<step frommin=\"{}\" frommax=\"{}\">", plain(step.from_min), plain(step.from_max));
        rate(out, step.rate);
        out.push_str("</step>");
    }
    number(out, "minamount", item.from_min);
    number(out, "maxamount", item.from_max);
    if !item.marks.is_empty() {
        element(out, "param", &item.marks.iter().map(|mark| mark.name()).collect::<Vec<_>>().join(", "));
    }
    out.push_str("</item>\n");
}

fn rate(out: &mut String, rate: FeedRate) {
    number(out, "in", rate.give);
    number(out, "out", rate.get);
}

fn number(out: &mut String, name: &str, value: Decimal) {
    element(out, name, &plain(value));
}

fn element(out: &mut String, name: &str, text: &str) {
    let _ = write!(out, "<{name}>{text}</{name}>");
}

/// The same values; numbers are never converted to floats.
pub fn json(items: &[FeedItem]) -> String {
    let mut out = String::with_capacity(items.len() * ITEM_BYTES / 2);
    out.push_str("{\"rates\":[");
    for (place, item) in items.iter().enumerate() {
        out.push_str(if place == 0 { "\n" } else { ",\n" });
        json_item(&mut out, item);
    }
    out.push_str("]}\n");
    out
}

fn json_item(out: &mut String, item: &FeedItem) {
    let _ = write!(out, "{{\"from\":\"{}\",\"to\":\"{}\"", item.from, item.to);
    let numbers = [
        ("in", item.rate.give),
        ("out", item.rate.get),
        ("amount", item.amount),
        ("in_min_amount", item.from_min),
        ("in_max_amount", item.from_max),
        ("out_min_amount", item.to_min),
        ("out_max_amount", item.to_max),
        ("in_min_fee", item.from_fee),
        ("out_min_fee", item.to_fee),
    ];
    for (name, value) in numbers {
        let _ = write!(out, ",\"{name}\":{}", plain(value));
    }
    if let Some(minutes) = item.floating {
        let _ = write!(out, ",\"floating_minutes\":{minutes}");
    }
    if let Some(city) = &item.city {
        let _ = write!(out, ",\"city\":\"{city}\"");
    }
    if !item.steps.is_empty() {
        out.push_str(",\"steps\":[");
        for (place, step) in item.steps.iter().enumerate() {
            let comma = if place == 0 { "" } else { "," };
            let [min, max, give, get] = [step.from_min, step.from_max, step.rate.give, step.rate.get].map(plain);
            let _ = write!(out, "{comma}{{\"in_min_amount\":{min},\"in_max_amount\":{max},\"in\":{give},\"out\":{get}}}");
        }
        out.push(']');
    }
    let marks: Vec<_> = item.marks.iter().map(|mark| format!("\"{mark}\"")).collect();
    let _ = write!(out, ",\"options\":[{}]}}", marks.join(","));
}
