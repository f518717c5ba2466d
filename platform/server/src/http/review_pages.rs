//! The public page of reviews, complete without a script, and the links that lead to it while there are any.
//!
//! Search engines show no stars for what an organisation publishes about itself ("self-serving reviews"), and their
//! rules forbid such markup, so the pages carry no `Review` or `AggregateRating` data.

use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use agio_brand::{BrandLinkKind, Brands};
use agio_core::error::Params;
use agio_core::markup::escape;
use agio_core::texts::{Locale, Texts};
use agio_reviews::{PublishedReview, PublishedReviews, Reviews};

use super::market_pages::MarketPages;
use super::page_content::{PageContentProvider, PageRoute, PageRoutes, fill_slots};
use super::page_template::SlotValues;

const PATH: &str = "reviews";
const PER_PAGE: usize = 20;
const STARS: usize = 5;

pub struct ReviewPages {
    pub reviews: Arc<Reviews>,
    pub brands: Brands,
    pub texts: Arc<Texts>,
    /// The origin of the site: `https://exchange.example`.
    pub origin: String,
}

/// The language of a path, and the number of the page, from 1.
fn page_of(path: &str) -> Option<(Locale, usize)> {
    let (locale, path) = path.strip_prefix("en/").map_or((Locale::Ru, path), |path| (Locale::En, path));
    let part = path.strip_prefix(PATH)?;
    let number = match part.strip_prefix('/') {
        None => part.is_empty().then_some(1)?,
        // One address for each page: no leading zeros or signs.
        Some(digits) => digits.parse().ok().filter(|number: &usize| number.to_string() == digits)?,
    };
    Some((locale, number))
}

fn address(locale: Locale, page: usize) -> String {
    let prefix = if locale == Locale::En { "/en" } else { "" };
    if page == 1 { format!("{prefix}/{PATH}") } else { format!("{prefix}/{PATH}/{page}") }
}

fn pages(shown: &PublishedReviews) -> usize {
    shown.latest().len().div_ceil(PER_PAGE).max(1)
}

impl ReviewPages {
    /// An item of the footer's list of pages; empty without reviews.
    #[must_use]
    pub fn link(reviews: &Reviews, texts: &Texts, locale: Locale) -> String {
        if reviews.published().count() == 0 {
            return String::new();
        }
        let text = escape(&texts.get(locale, "reviews.link", &Params::new()));
        format!("<li><a href=\"{}\">{text}</a></li>", address(locale, 1))
    }

    fn find(&self, path: &str) -> Option<PageRoute> {
        let (locale, page) = page_of(path.trim_end_matches('/')).filter(|(_, page)| *page != 1)?;
        if page == 0 || page > pages(&self.reviews.published()) {
            return Some(PageRoute::Missing);
        }
        let file = |page| format!("{}/index.html", &address(locale, page)[1..]);
        Some(PageRoute::Page { name: file(page), template: file(1) })
    }
}

impl PageContentProvider for ReviewPages {
    fn number(&self, name: &str) -> u64 {
        if page_of_file(name).is_none() && !is_sitemap(name) {
            return 0;
        }
        let mut hasher = DefaultHasher::new();
        (self.reviews.published().number(), self.brands.number()).hash(&mut hasher);
        hasher.finish()
    }

    fn fill(&self, name: &str, page: &str) -> Option<String> {
        let shown = self.reviews.published();
        if is_sitemap(name) {
            return Some(page.replacen("</urlset>", &format!("{}</urlset>", self.sitemap_entries(&shown)), 1));
        }
        let (locale, number) = page_of_file(name)?;
        let part = if number == 1 { String::new() } else { format!("/{number}") };
        let filled = fill_slots(page, &[("PART", &part), ("REVIEWS", &self.language(locale).page(&shown, number))]);
        // An empty page is nothing to find.
        let head = if shown.count() == 0 { "<meta name=\"robots\" content=\"noindex\"/></head>" } else { "</head>" };
        Some(filled.replacen("</head>", head, 1))
    }
}

fn page_of_file(name: &str) -> Option<(Locale, usize)> {
    page_of(name.strip_suffix("/index.html")?)
}

fn is_sitemap(name: &str) -> bool {
    name.starts_with("sitemap") && name.ends_with(".xml")
}

impl ReviewPages {
    fn language(&self, locale: Locale) -> LocalizedReviews<'_> {
        LocalizedReviews { pages: self, locale }
    }

    /// The first page in both languages, while there are reviews.
    fn sitemap_entries(&self, shown: &PublishedReviews) -> String {
        let origin = escape(&self.origin);
        let url = |locale| format!("{origin}{}", address(locale, 1));
        let links: String = Locale::ALL
            .iter()
            .map(|locale| format!("<xhtml:link rel=\"alternate\" hreflang=\"{locale}\" href=\"{}\"/>", url(*locale)))
            .collect();
        let entries = Locale::ALL.iter().map(|locale| format!("  <url><loc>{}</loc>{links}</url>\n", url(*locale)));
        if shown.count() == 0 { String::new() } else { entries.collect() }
    }
}

struct LocalizedReviews<'p> {
    pages: &'p ReviewPages,
    locale: Locale,
}

impl LocalizedReviews<'_> {
    fn plain_text(&self, key: &str, params: &Params) -> String {
        self.pages.texts.get(self.locale, key, params)
    }

    /// A text as markup.
    fn text(&self, key: &str, params: Params) -> String {
        escape(&self.plain_text(key, &params))
    }

    fn label(&self, key: &str) -> String {
        self.text(key, Params::new())
    }

    fn page(&self, shown: &PublishedReviews, number: usize) -> String {
        let mut markup = match shown.average_tenths() {
            None => format!("<p>{}</p>", self.label("reviews.none")),
            Some(tenths) => {
                let separator = if self.locale == Locale::Ru { ',' } else { '.' };
                let average = format!("{}{separator}{}", tenths / 10, tenths % 10);
                let params = Params::from([("average", average), ("count", shown.count().to_string())]);
                format!("<p><b>{}</b></p>", self.text("reviews.average", params))
            }
        };
        let on_page = shown.latest().iter().skip((number - 1) * PER_PAGE).take(PER_PAGE);
        let items: String = on_page.map(|review| self.review(review)).collect();
        if !items.is_empty() {
            let _ = write!(markup, "<ol>{items}</ol>");
        }
        let count = pages(shown);
        if count > 1 {
            let link = |page: usize, rel, key| match page {
                page if (1..=count).contains(&page) => {
                    format!("<a href=\"{}\" rel=\"{rel}\">{}</a> ", address(self.locale, page), self.label(key))
                }
                _ => String::new(),
            };
            let links = [link(number - 1, "prev", "reviews.newer"), link(number + 1, "next", "reviews.older")].concat();
            let _ = write!(markup, "<nav aria-label=\"{}\">{links}</nav>", self.label("reviews.pages"));
        }
        markup + &self.elsewhere()
    }

    fn review(&self, review: &PublishedReview) -> String {
        let rating = usize::try_from(review.rating).unwrap_or_default().min(STARS);
        let stars = "★".repeat(rating) + &"☆".repeat(STARS - rating);
        let name = if review.name.is_empty() { self.label("reviews.anonymous") } else { escape(&review.name) };
        let params = Params::from([("give", review.give.clone()), ("receive", review.receive.clone())]);
        let reply = if review.reply.is_empty() {
            String::new()
        } else {
            let site = Params::from([("site", self.pages.brands.site_name())]);
            format!("<div><p><b>{}</b></p>{}</div>", self.text("reviews.reply", site), paragraphs(&review.reply))
        };
        format!(
            "<li><p><span role=\"img\" aria-label=\"{}\">{stars}</span> <b><bdi>{name}</bdi></b></p>\
             <p class=\"muted\">{}, {}</p><blockquote lang=\"{}\">{}</blockquote>{reply}</li>",
            self.text("reviews.stars", Params::from([("rating", rating.to_string())])),
            self.text("reviews.verified", params),
            self.month(review),
            review.locale,
            paragraphs(&review.text),
        )
    }

    /// The month alone: the day would tell more about the claim.
    fn month(&self, review: &PublishedReview) -> String {
        let date = review.exchanged_at.date();
        let months = self.plain_text("reviews.months", &Params::new());
        let month = u8::from(date.month());
        let name = months.split(' ').nth(usize::from(month) - 1).unwrap_or_default();
        format!("<time datetime=\"{}-{month:02}\">{} {}</time>", date.year(), escape(name), date.year())
    }

    /// The owner's links to reviews on other sites.
    fn elsewhere(&self) -> String {
        let current = self.pages.brands.current();
        let links = current.brand.links.iter().filter(|link| link.kind == BrandLinkKind::Review);
        let items: String = links
            .map(|link| format!("<li><a href=\"{}\" rel=\"noopener\">{}</a></li>", escape(&link.url), escape(&link.label)))
            .collect();
        if items.is_empty() {
            return items;
        }
        format!("<section><h2>{}</h2><ul>{items}</ul></section>", self.label("reviews.elsewhere"))
    }
}

/// Plain text as paragraphs. Addresses in it are no links.
fn paragraphs(text: &str) -> String {
    let lines = text.split('\n').map(str::trim).filter(|line| !line.is_empty());
    lines.map(|line| format!("<p dir=\"auto\">{}</p>", escape(line))).collect()
}

/// The routes of the reviews and of the market.
pub struct SiteRoutes {
    pub reviews: Arc<ReviewPages>,
    pub market: Arc<MarketPages>,
}

impl PageContentProvider for SiteRoutes {
    fn number(&self, name: &str) -> u64 {
        self.market.number(name)
    }

    fn fill(&self, name: &str, page: &str) -> Option<String> {
        self.market.fill(name, page)
    }
}

impl PageRoutes for SiteRoutes {
    fn find(&self, path: &str) -> Option<PageRoute> {
        self.reviews.find(path).or_else(|| self.market.find(path))
    }

    fn slots(&self) -> &'static [&'static str] {
        self.market.slots()
    }

    fn values(&self, name: &str) -> Option<SlotValues> {
        self.market.values(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_page_has_one_address() {
        assert_eq!(page_of("reviews"), Some((Locale::Ru, 1)));
        assert_eq!(page_of("en/reviews/12"), Some((Locale::En, 12)));
        assert_eq!(page_of_file("en/reviews/index.html"), Some((Locale::En, 1)));
        for other in ["reviews/", "reviews/02", "reviews/+2", "reviews/x", "reviews2", "rates", "en"] {
            assert_eq!(page_of(other), None, "{other}");
        }
    }
}
