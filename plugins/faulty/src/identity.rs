//! The configurable identity of the plugin.

use std::hint::black_box;

use agio_plugin_sdk::protocol::PluginKind;

/// Prefix by which the line is found in a library.
const PREFIX: &[u8] = b"agio-faulty-plugin-identity: ";
/// Length of the line, including prefix and trailing blanks.
const LENGTH: usize = 128;

/// The line: name, kind and default mode.
static LINE: [u8; LENGTH] = line(b"agio-faulty-plugin-identity: faulty,requisites,good");

const fn line(text: &[u8]) -> [u8; LENGTH] {
    let mut line = [b' '; LENGTH];
    let mut index = 0;
    while index < text.len() {
        line[index] = text[index];
        index += 1;
    }
    line
}

/// Name, kind and default mode.
pub fn current() -> (String, PluginKind, String) {
    // `black_box` keeps the compiler from using the original line, which may have been overwritten.
    let line = String::from_utf8_lossy(black_box(&LINE)).into_owned();
    let mut parts = line[PREFIX.len()..].trim_end().split(',').map(str::to_owned);
    let mut next = || parts.next().unwrap_or_default();
    let (name, kind, mode) = (next(), next(), next());
    (name, parse_kind(&kind), mode)
}

fn parse_kind(kind: &str) -> PluginKind {
    serde_json::from_value(kind.into()).unwrap_or(PluginKind::Requisites)
}

/// A copy of the library with another name, kind and default mode.
///
/// # Panics
/// The bytes are not this plugin's library, or the identity is too long.
pub fn with_identity(library: &[u8], name: &str, kind: &str, mode: &str) -> Vec<u8> {
    let identity = [PREFIX, format!("{name},{kind},{mode}").as_bytes()].concat();
    assert!(identity.len() <= LENGTH, "{name}: the identity is too long");
    // The prefix also occurs as a constant; only the line ends with blanks.
    let is_line = |bytes: &[u8]| bytes.starts_with(PREFIX) && bytes.ends_with(b" ");
    let start = library.windows(LENGTH).position(is_line).expect("the library of this plugin");
    let mut copy = library.to_vec();
    copy[start..start + LENGTH].copy_from_slice(&line(&identity));
    copy
}
