//! The texts the house comes with.
//!
//! A file begins with two lines, `title: …` and `description: …`; after an empty line the Markdown follows.

use agio_core::texts::Locale;

use super::{Page, Text};

macro_rules! texts {
    ($language:literal) => {
        [
            (Page::Aml, include_str!(concat!("../../texts/", $language, "/aml.md"))),
            (Page::Faq, include_str!(concat!("../../texts/", $language, "/faq.md"))),
            (Page::Rules, include_str!(concat!("../../texts/", $language, "/rules.md"))),
            (Page::Contacts, include_str!(concat!("../../texts/", $language, "/contacts.md"))),
            (Page::Partners, include_str!(concat!("../../texts/", $language, "/partners.md"))),
            (Page::Discounts, include_str!(concat!("../../texts/", $language, "/discounts.md"))),
            (Page::Contest, include_str!(concat!("../../texts/", $language, "/contest.md"))),
        ]
    };
}

const RU: [(Page, &str); 7] = texts!("ru");
const EN: [(Page, &str); 7] = texts!("en");

/// The text a page begins with.
///
/// # Panics
/// A file of this crate is not written as it should be: a fault of the program, found by its test.
#[must_use]
pub fn default_text(page: Page, locale: Locale) -> Text {
    let files = match locale {
        Locale::Ru => &RU,
        Locale::En => &EN,
    };
    let file = files.iter().find(|(of, _)| *of == page).map(|(_, file)| *file).expect("every page has a file");
    of_file(file).unwrap_or_else(|| panic!("the text of {page} in {locale} has no head"))
}

/// The text in a file; nothing where the file does not begin as it should.
fn of_file(file: &str) -> Option<Text> {
    let (head, markdown) = file.split_once("\n\n")?;
    let (title, description) = head.split_once('\n')?;
    let title = title.strip_prefix("title: ")?.to_owned();
    let description = description.strip_prefix("description: ")?.to_owned();
    Some(Text { title, description, markdown: markdown.to_owned() }.tidied())
}

#[cfg(test)]
mod tests {
    use agio_core::texts::Locale;

    use super::super::{Form, Names, render};
    use super::*;

    const NAMES: fn() -> Names = || Names { site: "Agio".into(), support: "help@agio.example".into() };

    #[test]
    fn the_texts_fit_the_bounds_that_editors_have() {
        for page in Page::ALL {
            for locale in [Locale::Ru, Locale::En] {
                let mut wrong = Vec::new();
                default_text(page, locale).check(locale, &mut wrong);
                assert!(wrong.is_empty(), "{page}: {wrong:?}");
            }
        }
    }

    #[test]
    fn the_texts_name_nothing_that_is_not_filled_in() {
        for page in Page::ALL {
            for locale in [Locale::Ru, Locale::En] {
                let text = default_text(page, locale);
                let html = render(&text.markdown, page.form(), locale, &NAMES());
                let said = [NAMES().put_into(&text.title), NAMES().put_into(&text.description), html].concat();
                assert!(!said.contains('{') && !said.contains('}'), "{page} {locale}: {said}");
            }
        }
    }

    #[test]
    fn both_languages_have_the_same_anchors() {
        let anchors = |page: Page, locale| -> Vec<String> {
            let html = render(&default_text(page, locale).markdown, Form::Article, locale, &NAMES());
            html.split(" id=\"").skip(1).map(|rest| rest.split('"').next().unwrap_or_default().to_owned()).collect()
        };
        for page in Page::ALL {
            assert_eq!(anchors(page, Locale::Ru), anchors(page, Locale::En), "{page}");
        }
    }

    #[test]
    fn links_inside_the_texts_lead_to_pages_there_are() {
        let known = [
            "/",
            "/rules",
            "/aml",
            "/faq",
            "/contacts",
            "/partners",
            "/discounts",
            "/contest",
            "/account/referrer",
            "/account/partner",
            "/docs",
        ];
        for page in Page::ALL {
            for (locale, file) in [(Locale::Ru, &RU), (Locale::En, &EN)] {
                let text = file.iter().find(|(of, _)| *of == page).unwrap().1;
                for link in text.split("](/").skip(1) {
                    let path = format!("/{}", link.split([')', '#']).next().unwrap());
                    assert!(known.contains(&path.as_str()), "{page} {locale}: {path}");
                }
            }
        }
    }
}
