//! Escaping of plain text for HTML.

/// Escapes text for use between tags and in attributes.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut markup = String::with_capacity(text.len());
    escape_into(&mut markup, text);
    markup
}

/// Appends text that is escaped for use between tags and in attributes.
pub fn escape_into(markup: &mut String, text: &str) {
    replace_into(markup, text, |byte| {
        Some(match byte {
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'>' => "&gt;",
            b'"' => "&quot;",
            b'\'' => "&#39;",
            _ => return None,
        })
    });
}

/// Escapes characters of JSON that could end the script element it stands in. They only occur in strings.
#[must_use]
pub fn inside_a_script(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    replace_into(&mut escaped, json, |byte| {
        Some(match byte {
            b'<' => "\\u003c",
            b'>' => "\\u003e",
            b'&' => "\\u0026",
            _ => return None,
        })
    });
    escaped
}

/// Texts rarely need an escape: what is between two of them is copied at once.
fn replace_into(written: &mut String, text: &str, replacement: impl Fn(u8) -> Option<&'static str>) {
    let mut copied = 0;
    for (at, byte) in text.bytes().enumerate() {
        // Only ASCII is replaced, so that no character is cut.
        if let Some(escaped) = replacement(byte) {
            written.extend([&text[copied..at], escaped]);
            copied = at + 1;
        }
    }
    written.push_str(&text[copied..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_characters_are_escaped() {
        assert_eq!(escape("A & \"Б\" <i> 'c'"), "A &amp; &quot;Б&quot; &lt;i&gt; &#39;c&#39;");
        assert_eq!(escape("Курс ≈ 1"), "Курс ≈ 1");
        assert_eq!(inside_a_script(r#"["</script>","&é"]"#), r#"["\u003c/script\u003e","\u0026é"]"#);
    }
}
