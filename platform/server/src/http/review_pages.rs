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
use super::news_pages::NewsPages;
use super::page_content::{PageContentProvider, PageRoute, PageRoutes, fill_slots};
use super::page_template::SlotValues;
use super::paged_list::{ListPath, PagedList, is_sitemap, with_sitemap_entries};

const LIST: PagedList = PagedList { path: "reviews", per_page: 20 };
const STARS: usize = 5;

pub struct ReviewPages {
    pub reviews: Arc<Reviews>,
    pub brands: Brands,
    pub texts: Arc<Texts>,
    /// The origin of the site: `https://exchange.example`.
    pub origin: String,
}

impl ReviewPages {
    /// An item of the footer's list of pages; empty without reviews.
    pub fn link(reviews: &Reviews, texts: &Texts, locale: Locale) -> String {
        if reviews.published().count() == 0 {
            return String::new();
        }
        LIST.link(texts, locale)
    }

    fn find(&self, path: &str) -> Option<PageRoute> {
        match LIST.parse(path.trim_end_matches('/'))? {
            (_, ListPath::Page(1)) => None,
            (locale, ListPath::Page(page)) if (1..=LIST.pages(self.reviews.published().latest().len())).contains(&page) => {
                Some(LIST.route(locale, &format!("/{page}")))
            }
            _ => Some(PageRoute::Missing),
        }
    }
}

impl PageContentProvider for ReviewPages {
    fn number(&self, name: &str) -> u64 {
        if LIST.parse_file(name).is_none() && !is_sitemap(name) {
            return 0;
        }
        let mut hasher = DefaultHasher::new();
        (self.reviews.published().number(), self.brands.number()).hash(&mut hasher);
        hasher.finish()
    }

    fn fill(&self, name: &str, page: &str) -> Option<String> {
        let shown = self.reviews.published();
        if is_sitemap(name) {
            // The first page, while there are reviews.
            let entries = if shown.count() == 0 { String::new() } else { LIST.sitemap_entries(&self.origin, "") };
            return Some(with_sitemap_entries(page, &entries));
        }
        let (locale, ListPath::Page(number)) = LIST.parse_file(name)? else { return None };
        let part = if number == 1 { String::new() } else { format!("/{number}") };
        let filled = fill_slots(page, &[("PART", &part), ("REVIEWS", &self.language(locale).page(&shown, number))]);
        // An empty page is nothing to find.
        let head = if shown.count() == 0 { "<meta name=\"robots\" content=\"noindex\"/></head>" } else { "</head>" };
        Some(filled.replacen("</head>", head, 1))
    }
}

impl ReviewPages {
    fn language(&self, locale: Locale) -> LocalizedReviews<'_> {
        LocalizedReviews { pages: self, locale }
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
        let items: String = LIST.items(shown.latest(), number).map(|review| self.review(review)).collect();
        if !items.is_empty() {
            let _ = write!(markup, "<ol>{items}</ol>");
        }
        markup.push_str(&LIST.navigation(&self.pages.texts, self.locale, number, shown.latest().len()));
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

/// The routes of the lists and of the market.
pub struct SiteRoutes {
    pub reviews: Arc<ReviewPages>,
    pub news: Arc<NewsPages>,
    pub market: Arc<MarketPages>,
}

impl PageRoutes for SiteRoutes {
    fn find(&self, path: &str) -> Option<PageRoute> {
        self.reviews.find(path).or_else(|| self.news.find(path)).or_else(|| self.market.find(path))
    }

    fn slots(&self) -> &'static [&'static str] {
        self.market.slots()
    }

    fn values(&self, name: &str) -> Option<SlotValues> {
        self.market.values(name)
    }
}
