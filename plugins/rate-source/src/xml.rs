//! Small XML documents as trees, decoded strictly by their declaration.

use encoding_rs::WINDOWS_1251;
use quick_xml::XmlVersion;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::reader::Reader;

use crate::ReadError;

/// Elements within elements; sources use four at most.
const MAX_DEPTH: usize = 16;

/// An element with what is in it. Names are without their namespace prefix.
#[derive(Debug, Default)]
pub struct Element {
    pub name: String,
    attributes: Vec<(String, String)>,
    /// All text directly inside, joined.
    text: String,
    /// The elements directly inside.
    pub children: Vec<Element>,
}

impl Element {
    /// The value of an attribute.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The trimmed text of a child.
    pub fn child_text(&self, name: &str) -> Option<&str> {
        let child = self.children.iter().find(|child| child.name == name);
        child.map(|child| child.text.trim())
    }
}

/// Reads a document and returns its root.
///
/// # Errors
/// It is not in the encoding it declares, not well-formed, or has what no source writes.
pub fn read(bytes: &[u8]) -> Result<Element, ReadError> {
    let text = decode(bytes)?;
    let mut reader = Reader::from_str(&text);
    let mut open = vec![Element::default()];
    loop {
        let event = reader.read_event();
        let at = reader.buffer_position();
        let broken = |what: &dyn std::fmt::Display| ReadError::Xml { at, what: what.to_string() };
        match event.map_err(|error| broken(&error))? {
            Event::Start(start) if open.len() > MAX_DEPTH => {
                return Err(broken(&format!("{} is nested too deep", start.name().as_ref())));
            }
            Event::Start(start) => open.push(element(&start).map_err(|error| broken(&error))?),
            Event::Empty(start) => {
                let element = element(&start).map_err(|error| broken(&error))?;
                innermost(&mut open).children.push(element);
            }
            Event::End(_) => {
                let closed = open.pop().expect("the reader checks that ends match starts");
                innermost(&mut open).children.push(closed);
            }
            Event::Text(text) => innermost(&mut open).text.push_str(&text.xml10_content()),
            Event::CData(text) => innermost(&mut open).text.push_str(&text.xml10_content()),
            Event::GeneralRef(reference) => {
                let resolved = resolve(&reference).ok_or_else(|| broken(&"an unknown entity"))?;
                innermost(&mut open).text.push_str(&resolved);
            }
            Event::DocType(_) => return Err(broken(&"a document type is not expected")),
            Event::Decl(_) | Event::PI(_) | Event::Comment(_) => {}
            Event::Eof => break,
        }
    }
    let missing = || ReadError::Xml { at: reader.buffer_position(), what: "the document is incomplete".to_owned() };
    let [document] = open.as_mut_slice() else {
        return Err(missing());
    };
    document.children.pop().ok_or_else(missing)
}

fn innermost(open: &mut [Element]) -> &mut Element {
    open.last_mut().expect("the document itself is never closed")
}

fn element(start: &BytesStart<'_>) -> Result<Element, quick_xml::Error> {
    let mut attributes = Vec::new();
    for attribute in start.attributes() {
        let attribute = attribute?;
        let name = attribute.key.local_name().as_ref().to_owned();
        let value = attribute.normalized_value(XmlVersion::Implicit1_0)?;
        attributes.push((name, value.into_owned()));
    }
    Ok(Element { name: start.local_name().as_ref().to_owned(), attributes, ..Element::default() })
}

fn resolve(reference: &BytesRef<'_>) -> Option<String> {
    if reference.is_char_ref() {
        return reference.resolve_char_ref().ok()?.map(String::from);
    }
    resolve_predefined_entity(&reference.xml10_content()).map(str::to_owned)
}

/// Decodes the bytes as the document declares, UTF-8 when it doesn't.
///
/// A document that was turned into UTF-8 on its way but still declares windows-1251 is refused: its
/// numbers would survive a lenient reading, but who changed the bytes may have changed more.
fn decode(bytes: &[u8]) -> Result<String, ReadError> {
    let declared = declared_encoding(bytes);
    match declared.as_deref() {
        None | Some("utf-8") => match std::str::from_utf8(bytes) {
            Ok(text) => Ok(text.to_owned()),
            Err(error) => Err(ReadError::Bytes { declared: "utf-8", at: error.valid_up_to() }),
        },
        Some("windows-1251") => decode_windows_1251(bytes),
        Some(other) => Err(ReadError::Encoding(other.to_owned())),
    }
}

fn decode_windows_1251(bytes: &[u8]) -> Result<String, ReadError> {
    // Russian text in windows-1251 is never valid UTF-8 by chance.
    if !bytes.is_ascii() && std::str::from_utf8(bytes).is_ok() {
        return Err(ReadError::Reencoded);
    }
    // The decoder lets the one unassigned byte pass as a control character.
    if let Some(at) = bytes.iter().position(|byte| *byte == 0x98) {
        return Err(ReadError::Bytes { declared: "windows-1251", at });
    }
    let (text, _) = WINDOWS_1251.decode_without_bom_handling(bytes);
    Ok(text.into_owned())
}

/// The encoding named in the XML declaration, in lower case.
fn declared_encoding(bytes: &[u8]) -> Option<String> {
    let head = &bytes[..bytes.len().min(256)];
    let head: String = head.iter().map(|byte| char::from(*byte)).collect();
    let declaration = head.strip_prefix("<?xml")?.split_once("?>")?.0.to_owned();
    let value = declaration.split_once("encoding")?.1.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let value = value[1..].split(quote).next()?;
    Some(value.to_ascii_lowercase())
}
