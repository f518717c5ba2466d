//! Lists of the public site that go over several pages, each with an address of its own.

use agio_core::error::Params;
use agio_core::markup::escape;
use agio_core::texts::{Locale, Texts};

use super::page_content::PageRoute;

/// A list by the first part of its path: `reviews`.
pub(super) struct PagedList {
    pub path: &'static str,
    pub per_page: usize,
}

impl PagedList {
    /// The language of a path of the list, and what follows it: a number from 1, or a name.
    pub fn parse<'p>(&self, path: &'p str) -> Option<(Locale, ListPath<'p>)> {
        let (locale, path) = path.strip_prefix("en/").map_or((Locale::Ru, path), |path| (Locale::En, path));
        let part = path.strip_prefix(self.path)?;
        let part = match part.strip_prefix('/') {
            None => part.is_empty().then_some(ListPath::Page(1))?,
            // One address for each page: no leading zeros or signs.
            Some(name) => match name.parse().ok().filter(|number: &usize| number.to_string() == name) {
                Some(number) => ListPath::Page(number),
                None => ListPath::Name(name),
            },
        };
        Some((locale, part))
    }

    /// The same of a file.
    pub fn parse_file<'p>(&self, name: &'p str) -> Option<(Locale, ListPath<'p>)> {
        self.parse(name.strip_suffix("/index.html")?)
    }

    pub fn address(&self, locale: Locale, page: usize) -> String {
        if page == 1 { self.named(locale, "") } else { self.named(locale, &format!("/{page}")) }
    }

    /// The address of the list with an end such as `/2`.
    pub fn named(&self, locale: Locale, end: &str) -> String {
        format!("{}/{}{end}", if locale == Locale::En { "/en" } else { "" }, self.path)
    }

    pub fn pages(&self, items: usize) -> usize {
        items.div_ceil(self.per_page).max(1)
    }

    /// A page that is filled from the list's file.
    pub fn route(&self, locale: Locale, end: &str) -> PageRoute {
        let file = |end| format!("{}/index.html", &self.named(locale, end)[1..]);
        PageRoute::Page { name: file(end), template: file("") }
    }

    pub fn items<'i, T>(&self, all: &'i [T], page: usize) -> impl Iterator<Item = &'i T> + use<'i, T> {
        all.iter().skip((page - 1) * self.per_page).take(self.per_page)
    }

    /// Links to the pages before and after; the texts are `reviews.newer`, `.older` and `.pages`. Empty for one page.
    pub fn navigation(&self, texts: &Texts, locale: Locale, page: usize, items: usize) -> String {
        let count = self.pages(items);
        if count == 1 {
            return String::new();
        }
        let label = |key| escape(&texts.get(locale, &format!("{}.{key}", self.path), &Params::new()));
        let link = |page: usize, rel, key| match page {
            page if (1..=count).contains(&page) => {
                format!("<a href=\"{}\" rel=\"{rel}\">{}</a> ", self.address(locale, page), label(key))
            }
            _ => String::new(),
        };
        let links = [link(page - 1, "prev", "newer"), link(page + 1, "next", "older")].concat();
        format!("<nav aria-label=\"{}\">{links}</nav>", label("pages"))
    }

    /// An item of the footer's list of pages.
    pub fn link(&self, texts: &Texts, locale: Locale) -> String {
        let text = escape(&texts.get(locale, &format!("{}.link", self.path), &Params::new()));
        format!("<li><a href=\"{}\">{text}</a></li>", self.address(locale, 1))
    }

    /// The entries of an address in the sitemap, in both languages.
    pub fn sitemap_entries(&self, origin: &str, end: &str) -> String {
        let url = |locale| format!("{}{}", escape(origin), self.named(locale, end));
        let links: String = Locale::ALL
            .iter()
            .map(|locale| format!("<xhtml:link rel=\"alternate\" hreflang=\"{locale}\" href=\"{}\"/>", url(*locale)))
            .collect();
        Locale::ALL.iter().map(|locale| format!("  <url><loc>{}</loc>{links}</url>\n", url(*locale))).collect()
    }
}

/// What follows the first part of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ListPath<'p> {
    /// From 1; 0 is no page.
    Page(usize),
    Name(&'p str),
}

pub(super) fn is_sitemap(name: &str) -> bool {
    name.starts_with("sitemap") && name.ends_with(".xml")
}

/// Adds entries to a sitemap of the build.
pub(super) fn with_sitemap_entries(sitemap: &str, entries: &str) -> String {
    sitemap.replacen("</urlset>", &format!("{entries}</urlset>"), 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_page_has_one_address() {
        let list = PagedList { path: "reviews", per_page: 20 };
        assert_eq!(list.parse("reviews"), Some((Locale::Ru, ListPath::Page(1))));
        assert_eq!(list.parse("en/reviews/12"), Some((Locale::En, ListPath::Page(12))));
        assert_eq!(list.parse("reviews/new-year"), Some((Locale::Ru, ListPath::Name("new-year"))));
        assert_eq!(list.parse_file("en/reviews/index.html"), Some((Locale::En, ListPath::Page(1))));
        for name in ["", "02", "+2", "x"] {
            assert_eq!(list.parse(&format!("reviews/{name}")), Some((Locale::Ru, ListPath::Name(name))), "{name}");
        }
        for other in ["reviews2", "rates", "en"] {
            assert_eq!(list.parse(other), None, "{other}");
        }
    }
}
