//! Links that people paste instead of what stands in them.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

/// The parts of a link after its host, decoded: those of its path, query and fragment. None of a text that is no link.
///
/// ```
/// use agio_requisites::link_parts;
///
/// assert_eq!(link_parts("https://mempool.space/tx%2F4a5e?mode=details"), ["tx/4a5e", "mode", "details"]);
/// assert!(link_parts("15 000").is_empty());
/// ```
pub fn link_parts(text: &str) -> Vec<String> {
    let address = text.split_once("://").map(|(_, address)| address);
    let Some((host, rest)) = address.unwrap_or(text).split_once(['/', '?', '#']) else { return Vec::new() };
    let is_host = host.contains('.') && host.ends_with(char::is_alphabetic) && !host.contains(char::is_whitespace);
    if address.is_none() && !is_host {
        return Vec::new();
    }
    rest.split(['/', '?', '#', '&', '=']).filter(|part| !part.is_empty()).map(percent_decoded).collect()
}

/// A part that is no text when decoded stays as it is.
fn percent_decoded(part: &str) -> String {
    percent_decode_str(part).decode_utf8().map_or_else(|_| part.to_owned(), Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_links_have_parts() {
        for link in ["https://localhost:3000/a/b", "ton.example/a?b", "https://ton.example/#/a/b/"] {
            assert_eq!(link_parts(link), ["a", "b"], "{link}");
        }
        for text in ["", "1.5/2", "order no.x/5", "https://ton.example", "lyZDlb1lolWkKbETJshBKLfXD/7XlJq64wNtUGujhiE="] {
            assert!(link_parts(text).is_empty(), "{text}");
        }
        assert_eq!(link_parts("ton.example/%D1%8F%2fa%ff"), ["%D1%8F%2fa%ff"], "no text");
        assert_eq!(link_parts("ton.example/%D1%8F%2fa%zz%"), ["я/a%zz%"]);
    }
}
