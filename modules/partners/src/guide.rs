//! The partner guide, as HTML sections. Tests run its examples.

use agio_core::markup::escape;
use agio_core::texts::Locale;

const EXAMPLES: [(&str, &str); 3] = [
    ("{{curl}}", include_str!("../examples/quote.sh")),
    ("{{python}}", include_str!("../examples/partner.py")),
    ("{{typescript}}", include_str!("../examples/partner.ts")),
];

pub fn guide(locale: Locale) -> String {
    let text = match locale {
        Locale::Ru => include_str!("../guide/ru.html"),
        Locale::En => include_str!("../guide/en.html"),
    };
    EXAMPLES.iter().fold(text.to_owned(), |text, (place, example)| text.replace(place, &escape(example.trim_end())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_guides_have_the_same_structure() {
        let marks = |locale| {
            let text = guide(locale);
            let marks =
                text.match_indices("<h").count() + text.match_indices("<tr").count() + text.match_indices("<code>").count();
            (marks, text.match_indices("id=\"guide").count(), text.contains("{{"))
        };
        assert_eq!(marks(Locale::Ru), marks(Locale::En));
        assert!(!marks(Locale::En).2 && marks(Locale::En).1 == 9);
    }
}
