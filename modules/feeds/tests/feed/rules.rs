//! Independent rules of the rates file format.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use rust_decimal::Decimal;

/// An entry of the file.
#[derive(Clone, Debug, Default)]
pub struct Entry {
    /// Text elements in order.
    pub fields: Vec<(String, String)>,
    /// Rates of larger amounts: in and out.
    pub steps: Vec<BTreeMap<String, String>>,
}

const MARKS: [&str; 12] = [
    "manual",
    "juridical",
    "verifying",
    "cardverify",
    "floating",
    "otherin",
    "otherout",
    "reg",
    "card2card",
    "delivery",
    "hold",
    "delay",
];

const FIELDS: [&str; 15] = [
    "from",
    "to",
    "in",
    "out",
    "amount",
    "frommin",
    "frommax",
    "tomin",
    "tomax",
    "fromfee",
    "tofee",
    "city",
    "minamount",
    "maxamount",
    "param",
];

impl Entry {
    pub fn text(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(field, _)| field == name).map(|(_, text)| text.as_str())
    }

    pub fn number(&self, name: &str) -> Decimal {
        let text = self.text(name).unwrap_or_else(|| panic!("{name} is missing in {self:?}"));
        number(text)
    }

    pub fn ends(&self) -> (&str, &str) {
        (self.text("from").unwrap(), self.text("to").unwrap())
    }

    pub fn marks(&self) -> BTreeSet<&str> {
        self.text("param").map(|list| list.split(", ").collect()).unwrap_or_default()
    }
}

/// A plain number: at most one point, no exponent, sign or leading zeros.
pub fn number(text: &str) -> Decimal {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    assert!(digits(whole) && digits(fraction) && (whole == "0" || !whole.starts_with('0')), "{text:?} is no plain number");
    text.parse().unwrap()
}

/// Parses a file and checks all rules that do not need the site.
pub fn read(xml: &str) -> Vec<Entry> {
    assert!(xml.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>"), "{}", &xml[..60.min(xml.len())]);
    let entries = parse(xml);
    let mut view = HashSet::new();
    for entry in &entries {
        check(entry);
        let key = (entry.text("from").unwrap(), entry.text("to").unwrap(), entry.text("city"));
        assert!(view.insert(key), "{key:?} stands twice");
    }
    entries
}

fn check(entry: &Entry) {
    let names: Vec<&str> = entry.fields.iter().map(|(name, _)| name.as_str()).collect();
    for name in &names {
        assert!(FIELDS.contains(name) || MARKS.contains(name), "{name} is no element of an entry");
        assert_eq!(names.iter().filter(|other| *other == name).count(), 1, "{name} repeats in {entry:?}");
    }
    assert_eq!(names[..5], ["from", "to", "in", "out", "amount"]);
    let is_code = |code: &str| code.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    let (from, to) = entry.ends();
    assert!(is_code(from) && is_code(to) && from != to, "{entry:?}");
    rate(entry.text("in").unwrap(), entry.text("out").unwrap());
    let [amount, from_min, from_max, to_min, to_max] =
        ["amount", "frommin", "frommax", "tomin", "tomax"].map(|name| entry.number(name));
    assert!(from_min <= from_max && to_min <= to_max && to_max <= amount && from_min > Decimal::ZERO, "{entry:?}");
    assert_eq!((entry.number("minamount"), entry.number("maxamount")), (from_min, from_max), "both names say the same");
    // Marks are both listed and elements.
    let of_elements: BTreeSet<&str> = names.iter().copied().filter(|name| MARKS.contains(name)).collect();
    assert_eq!(of_elements, entry.marks(), "{entry:?}");
    for mark in &of_elements {
        let answer = entry.text(mark).unwrap();
        assert_eq!(answer, if *mark == "floating" { "" } else { "true" });
    }
    let is_cash = from.starts_with("CASH") || to.starts_with("CASH");
    assert_eq!(is_cash, entry.text("city").is_some(), "a city is for cash: {entry:?}");
    let mut min_rate = from_min;
    for step in &entry.steps {
        rate(&step["in"], &step["out"]);
        let (min, max) = (number(&step["frommin"]), number(&step["frommax"]));
        assert!(min_rate < min && min <= max && max <= from_max, "{entry:?}");
        min_rate = min;
    }
}

fn rate(give: &str, get: &str) {
    assert!(give == "1" || get == "1", "{give} to {get}");
    assert!(number(give) > Decimal::ZERO && number(get) > Decimal::ZERO);
}

fn parse(xml: &str) -> Vec<Entry> {
    let mut reader = Reader::from_str(xml);
    let (mut entries, mut path, mut text) = (Vec::new(), Vec::<String>::new(), String::new());
    let mut entry = Entry::default();
    loop {
        let event = reader.read_event().expect("the file is well-formed");
        match event {
            Event::Start(start) => {
                let name = start.name().as_ref().to_owned();
                if name == "step" {
                    entry.steps.push(attributes(&start));
                }
                path.push(name);
                text.clear();
            }
            Event::Empty(empty) => {
                let name = empty.name().as_ref().to_owned();
                if path.is_empty() {
                    assert_eq!(name, "rates");
                } else {
                    assert_eq!(name, "floating");
                    assert!(attributes(&empty)["minutes"].parse::<u32>().unwrap() > 0, "the payment is due within some time");
                    entry.fields.push((name, String::new()));
                }
            }
            Event::Text(words) => text.push_str(&words),
            Event::End(_) => {
                let name = path.pop().unwrap();
                match path.iter().map(String::as_str).collect::<Vec<_>>()[..] {
                    [] => assert_eq!(name, "rates"),
                    ["rates"] => {
                        assert_eq!(name, "item");
                        entries.push(std::mem::take(&mut entry));
                    }
                    ["rates", "item"] if name != "step" => entry.fields.push((name, text.clone())),
                    ["rates", "item"] => {}
                    ["rates", "item", "step"] => {
                        entry.steps.last_mut().unwrap().insert(name, text.clone());
                    }
                    _ => panic!("{name} is too deep"),
                }
                text.clear();
            }
            Event::Eof => return entries,
            _ => {}
        }
    }
}

fn attributes(element: &BytesStart<'_>) -> BTreeMap<String, String> {
    let attributes = element.attributes().map(Result::unwrap);
    attributes.map(|attribute| (attribute.key.as_ref().to_owned(), attribute.value.to_string())).collect()
}
