//! Who the plugin says it is.

use std::hint::black_box;

use agio_plugin::protocol::Kind;

/// What the line begins with, so that it is found in a library.
const MARK: &[u8] = b"agio-misbehaving-says-it-is: ";
/// How long the line is, its mark and the blanks at its end included.
const LENGTH: usize = 128;

/// The line: name, kind and what it does unless it is told otherwise.
static LINE: [u8; LENGTH] = line(b"agio-misbehaving-says-it-is: misbehaving,requisites,good");

const fn line(said: &[u8]) -> [u8; LENGTH] {
    let mut line = [b' '; LENGTH];
    let mut place = 0;
    while place < said.len() {
        line[place] = said[place];
        place += 1;
    }
    line
}

/// Name, kind and usual mode.
pub fn own() -> (String, Kind, String) {
    // What is compiled must not be what the line was when it was: it may have been written over.
    let line = String::from_utf8_lossy(black_box(&LINE)).into_owned();
    let mut said = line[MARK.len()..].trim_end().split(',').map(str::to_owned);
    let mut next = || said.next().unwrap_or_default();
    let (name, kind, mode) = (next(), next(), next());
    (name, named(&kind), mode)
}

fn named(kind: &str) -> Kind {
    serde_json::from_value(kind.into()).unwrap_or(Kind::Requisites)
}

/// A library that says it is somebody else: of this name and kind, and in this mode until it is told otherwise.
///
/// # Panics
/// The bytes are not this plugin's library, or there is no room for the words.
#[must_use]
pub fn disguised(library: &[u8], name: &str, kind: &str, mode: &str) -> Vec<u8> {
    let said = [MARK, format!("{name},{kind},{mode}").as_bytes()].concat();
    assert!(said.len() <= LENGTH, "{name}: there is no room for that");
    // The line is followed by blanks; the mark alone is there once more, where it is looked for.
    let whole = |bytes: &[u8]| bytes.starts_with(MARK) && bytes.ends_with(b" ");
    let place = library.windows(LENGTH).position(whole).expect("the library of this plugin");
    let mut other = library.to_vec();
    other[place..place + LENGTH].copy_from_slice(&line(&said));
    other
}
