//! A built file split at its slots once, so that a page costs only its own values.

use std::borrow::Cow;
use std::mem;

use super::page_content::{SLOT_PREFIX, split_slot};
use super::site::Asset;

/// Slots of a template and their values.
pub type SlotValues = Vec<(&'static str, Cow<'static, str>)>;

/// The slot at the end of the head, which every template has.
pub(super) const HEAD: &str = "HEAD";
const HEAD_END: &str = "</head>";

pub(super) struct PageTemplate {
    content_type: &'static str,
    pieces: Vec<Piece>,
}

enum Piece {
    Text(String),
    Slot(&'static str),
}

impl PageTemplate {
    /// `fill` writes the content that all pages of this template share. `None` if the file is no text.
    pub(super) fn new(built: &Asset, slots: &[&'static str], fill: impl Fn(String) -> String) -> Option<Self> {
        let text = built.text()?.replacen(HEAD_END, &format!("{SLOT_PREFIX}{HEAD}{HEAD_END}"), 1);
        let mut parts = text.split(SLOT_PREFIX);
        let mut shared = parts.next()?.to_owned();
        let mut pieces = Vec::new();
        for part in parts {
            let (name, rest) = split_slot(part);
            match slots.iter().chain([&HEAD]).find(|slot| **slot == name) {
                Some(slot) => pieces.extend([Piece::Text(fill(mem::take(&mut shared))), Piece::Slot(slot)]),
                None => shared.extend([SLOT_PREFIX, name]),
            }
            shared.push_str(rest);
        }
        pieces.push(Piece::Text(fill(shared)));
        Some(Self { content_type: built.content_type(), pieces })
    }

    /// A page with these values. Slots without a value are empty.
    pub(super) fn fill(&self, values: &SlotValues) -> Asset {
        let parts = || {
            self.pieces.iter().filter_map(|piece| match piece {
                Piece::Text(text) => Some(text.as_str()),
                Piece::Slot(slot) => values.iter().find(|(name, _)| name == slot).map(|(_, value)| &**value),
            })
        };
        let mut page = String::with_capacity(parts().map(str::len).sum());
        page.extend(parts());
        Asset::composed(self.content_type, page)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_and_shared_content_do_not_fill_each_other() {
        let built = "<head>AGIO_SLOT_NAME</head>AGIO_SLOT_LEAD AGIO_SLOT_LEAD AGIO_SLOT_OTHER";
        let built = Asset::written("text/html; charset=utf-8", built.to_owned());
        let fill = |text: String| text.replace("AGIO_SLOT_NAME", "AGIO_SLOT_LEAD");
        let template = PageTemplate::new(&built, &["LEAD"], fill).expect("a template");
        let values = vec![("LEAD", "AGIO_SLOT_NAME".into()), (HEAD, "<meta/>".into())];
        let page = template.fill(&values);
        let text = "<head>AGIO_SLOT_LEAD<meta/></head>AGIO_SLOT_NAME AGIO_SLOT_NAME AGIO_SLOT_OTHER";
        assert_eq!(page.text(), Some(text));
    }
}
