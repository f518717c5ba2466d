//! The languages that the owner offers.
//!
//! Every page exists in all languages of the product. A language that is not offered leads to the other one, and nothing
//! names it.

use agio_calculator::settings::site_languages;
use agio_core::settings::Settings;
use agio_core::texts::Locale;
use poem::Request;

use super::market_pages::{localized, prefix};
use super::paged_list::is_sitemap;

/// The cookie that the language switch writes.
const COOKIE: &str = "agio_lang";

/// Hides the language switches: their links are the only ones with a language.
pub(super) const WITHOUT_SWITCH: &str = "a[hreflang]{display:none}";

/// The language of a site with one language.
pub(super) fn only_language(settings: &Settings) -> Option<Locale> {
    match site_languages(settings) {
        [only] => Some(*only),
        _ => None,
    }
}

/// The address of a page in a language that is offered, if it is another one. `path` is without a leading slash.
pub(super) fn offered_address(settings: &Settings, request: &Request, path: &str) -> Option<String> {
    let languages = site_languages(settings);
    let default = *languages.first()?;
    let (locale, rest) = localized(path);
    let is_home = rest.is_empty() && locale == Locale::Ru;
    let prefers_default = languages.contains(&locale)
        && is_home
        && default != locale
        && agio_http::caller::cookie(request, COOKIE).is_none_or(|chosen| chosen != locale.to_string());
    // Files of the build have one form for both languages.
    let is_page = !rest.rsplit('/').next().unwrap_or_default().contains('.') && rest.trim_end_matches('/') != "embed";
    let is_missing = !languages.contains(&locale) && is_page;
    (prefers_default || is_missing).then(|| {
        let address = format!("{}/{rest}", prefix(default));
        if rest.is_empty() && default == Locale::En { "/en".to_owned() } else { address }
    })
}

/// A page or sitemap that names no language but this one. It may be a piece of a page.
pub(super) fn in_one_language(name: &str, text: &str, only: Locale, origin: &str) -> String {
    if !is_sitemap(name) {
        // What is left is data that nothing reads: the tag may be cut by the end of the piece.
        return ["ru", "en", "x-default"].iter().fold(text.to_owned(), |text, language| {
            let tag = format!("<link rel=\"alternate\" hrefLang=\"{language}\" href=\"");
            text.replace(&tag, "<meta name=\"language-link\" content=\"")
        });
    }
    let is_english =
        |line: &str| line.contains(&format!("<loc>{origin}/en</loc>")) || line.contains(&format!("<loc>{origin}/en/"));
    let lines = text.lines().filter(|line| !line.contains("<url>") || is_english(line) == (only == Locale::En));
    let mut kept = String::with_capacity(text.len());
    for line in lines {
        let mut parts = line.split("<xhtml:link ");
        kept.push_str(parts.next().unwrap_or_default());
        kept.extend(parts.filter_map(|part| part.split_once("/>").map(|(_, rest)| rest)));
        kept.push('\n');
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_language_is_left_in_a_sitemap() {
        let link = |language: &str, path: &str| {
            format!("<xhtml:link rel=\"alternate\" hreflang=\"{language}\" href=\"https://a.example{path}\"/>")
        };
        let url =
            |path: &str| format!("  <url><loc>https://a.example{path}</loc>{}{}</url>\n", link("ru", "/x"), link("en", "/en/x"));
        let sitemap = format!("<urlset>\n{}{}{}{}</urlset>\n", url("/"), url("/en"), url("/english"), url("/en/english"));
        let only = |locale| in_one_language("sitemap.xml", &sitemap, locale, "https://a.example");
        let kept = |paths: [&str; 2]| {
            format!(
                "<urlset>\n  <url><loc>https://a.example{}</loc></url>\n  <url><loc>https://a.example{}</loc></url>\n</urlset>\n",
                paths[0], paths[1]
            )
        };
        assert_eq!(only(Locale::Ru), kept(["/", "/english"]));
        assert_eq!(only(Locale::En), kept(["/en", "/en/english"]));
    }
}
