//! Plain text within HTML.

/// Text as markup that shows it, between tags and within an attribute.
#[must_use]
pub fn escaped(text: &str) -> String {
    let mut markup = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => markup.push_str("&amp;"),
            '<' => markup.push_str("&lt;"),
            '>' => markup.push_str("&gt;"),
            '"' => markup.push_str("&quot;"),
            '\'' => markup.push_str("&#39;"),
            letter => markup.push(letter),
        }
    }
    markup
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_means_something_in_markup_is_shown() {
        assert_eq!(escaped("A & \"B\" <i> 'c'"), "A &amp; &quot;B&quot; &lt;i&gt; &#39;c&#39;");
    }
}
