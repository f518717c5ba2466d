//! Escaping of plain text for HTML.

/// Escapes text for use between tags and in attributes.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut markup = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => markup.push_str("&amp;"),
            '<' => markup.push_str("&lt;"),
            '>' => markup.push_str("&gt;"),
            '"' => markup.push_str("&quot;"),
            '\'' => markup.push_str("&#39;"),
            character => markup.push(character),
        }
    }
    markup
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_characters_are_escaped() {
        assert_eq!(escape("A & \"B\" <i> 'c'"), "A &amp; &quot;B&quot; &lt;i&gt; &#39;c&#39;");
    }
}
