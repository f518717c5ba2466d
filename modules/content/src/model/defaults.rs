//! Default texts.
//!
//! A file starts with the lines `title: …` and `description: …`; the Markdown follows after an empty line.

use agio_core::texts::Locale;

use super::{ContentPageName, PageText};

macro_rules! texts {
    ($language:literal) => {
        [
            (ContentPageName::Aml, include_str!(concat!("../../texts/", $language, "/aml.md"))),
            (ContentPageName::Faq, include_str!(concat!("../../texts/", $language, "/faq.md"))),
            (ContentPageName::Rules, include_str!(concat!("../../texts/", $language, "/rules.md"))),
            (ContentPageName::Contacts, include_str!(concat!("../../texts/", $language, "/contacts.md"))),
            (ContentPageName::Partners, include_str!(concat!("../../texts/", $language, "/partners.md"))),
            (ContentPageName::Discounts, include_str!(concat!("../../texts/", $language, "/discounts.md"))),
            (ContentPageName::Contest, include_str!(concat!("../../texts/", $language, "/contest.md"))),
        ]
    };
}

const RU: [(ContentPageName, &str); 7] = texts!("ru");
const EN: [(ContentPageName, &str); 7] = texts!("en");

/// The default text of a page.
///
/// # Panics
/// If a file is malformed; a test checks them.
pub fn default_text(page: ContentPageName, locale: Locale) -> PageText {
    let files = match locale {
        Locale::Ru => &RU,
        Locale::En => &EN,
    };
    let file = files.iter().find(|(of, _)| *of == page).map(|(_, file)| *file).expect("every page has a file");
    parse_file(file).unwrap_or_else(|| panic!("the text of {page} in {locale} has no head"))
}

/// `None` if the file is malformed.
fn parse_file(file: &str) -> Option<PageText> {
    let (head, markdown) = file.split_once("\n\n")?;
    let (title, description) = head.split_once('\n')?;
    let title = title.strip_prefix("title: ")?.to_owned();
    let description = description.strip_prefix("description: ")?.to_owned();
    Some(PageText { title, description, markdown: markdown.to_owned() }.trimmed())
}

#[cfg(test)]
mod tests {
    use agio_core::texts::Locale;

    use super::super::{Layout, Placeholders, render};
    use super::*;

    const NAMES: fn() -> Placeholders = || Placeholders { site: "Agio".into(), support: "help@agio.example".into() };

    #[test]
    fn the_texts_fit_the_bounds_that_editors_have() {
        for page in ContentPageName::ALL {
            for locale in [Locale::Ru, Locale::En] {
                let mut wrong = Vec::new();
                default_text(page, locale).check(locale, &mut wrong);
                assert!(wrong.is_empty(), "{page}: {wrong:?}");
            }
        }
    }

    #[test]
    fn the_texts_name_nothing_that_is_not_filled_in() {
        for page in ContentPageName::ALL {
            for locale in [Locale::Ru, Locale::En] {
                let text = default_text(page, locale);
                let html = render(&text.markdown, page.layout(), locale, &NAMES());
                let said = [NAMES().fill_in(&text.title), NAMES().fill_in(&text.description), html].concat();
                assert!(!said.contains('{') && !said.contains('}'), "{page} {locale}: {said}");
            }
        }
    }

    #[test]
    fn both_languages_have_the_same_anchors() {
        let anchors = |page: ContentPageName, locale| -> Vec<String> {
            let html = render(&default_text(page, locale).markdown, Layout::Article, locale, &NAMES());
            html.split(" id=\"").skip(1).map(|rest| rest.split('"').next().unwrap_or_default().to_owned()).collect()
        };
        for page in ContentPageName::ALL {
            assert_eq!(anchors(page, Locale::Ru), anchors(page, Locale::En), "{page}");
        }
    }

    #[test]
    fn links_inside_the_texts_lead_to_pages_there_are() {
        let known = [
            "/",
            "/rules",
            "/aml",
            "/claim",
            "/faq",
            "/contacts",
            "/partners",
            "/discounts",
            "/contest",
            "/account/referrer",
            "/account/partner",
            "/docs",
        ];
        for page in ContentPageName::ALL {
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
