//! The news of the exchange: a list, a page for each post and an Atom feed, complete without a script.

use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use agio_brand::Brands;
use agio_content::{Content, NewsCache, PublishedNews};
use agio_core::Timestamp;
use agio_core::error::Params;
use agio_core::markup::escape;
use agio_core::texts::{Locale, Texts};
use serde_json::json;

use super::page_content::{PageContentProvider, PageRoute, data_block, fill_slots};
use super::paged_list::{ListPath, PagedList, is_sitemap, with_sitemap_entries};

const LIST: PagedList = PagedList { path: "news", per_page: 20 };
/// Posts of the feed.
const FEED_MAX: usize = 20;

pub struct NewsPages {
    pub content: Arc<Content>,
    pub brands: Brands,
    pub texts: Arc<Texts>,
    /// The origin of the site: `https://exchange.example`.
    pub origin: String,
}

/// The language of a feed's file.
fn feed(name: &str) -> Option<Locale> {
    match name {
        "news.xml" => Some(Locale::Ru),
        "en/news.xml" => Some(Locale::En),
        _ => None,
    }
}

impl NewsPages {
    /// An item of the footer's list of pages; empty without news.
    pub fn link(content: &Content, texts: &Texts, locale: Locale) -> String {
        if content.published_news().posts().is_empty() { String::new() } else { LIST.link(texts, locale) }
    }

    pub(super) fn find(&self, path: &str) -> Option<PageRoute> {
        let (locale, part) = LIST.parse(path.trim_end_matches('/'))?;
        let news = self.content.published_news();
        match part {
            ListPath::Page(1) => None,
            ListPath::Page(page) if (1..=LIST.pages(news.posts().len())).contains(&page) => {
                Some(LIST.route(locale, &format!("/{page}")))
            }
            ListPath::Name(slug) if news.find(slug).is_some() => Some(LIST.route(locale, &format!("/{slug}"))),
            _ => Some(PageRoute::Missing),
        }
    }
}

impl PageContentProvider for NewsPages {
    fn number(&self, name: &str) -> u64 {
        if LIST.parse_file(name).is_none() && feed(name).is_none() && !is_sitemap(name) {
            return 0;
        }
        let mut hasher = DefaultHasher::new();
        (self.content.published_news().number(), self.brands.number()).hash(&mut hasher);
        hasher.finish()
    }

    fn fill(&self, name: &str, page: &str) -> Option<String> {
        let news = self.content.published_news();
        if is_sitemap(name) {
            let mut entries = String::new();
            if !news.posts().is_empty() {
                entries.push_str(&LIST.sitemap_entries(&self.origin, ""));
            }
            entries.extend(news.posts().iter().map(|post| LIST.sitemap_entries(&self.origin, &format!("/{}", post.slug))));
            return Some(with_sitemap_entries(page, &entries));
        }
        if let Some(locale) = feed(name) {
            return Some(fill_slots(page, &[("FEED", &self.language(locale).feed(&news))]));
        }
        let (locale, part) = LIST.parse_file(name)?;
        let pages = self.language(locale);
        match part {
            ListPath::Page(number) => Some(pages.list(page, &news, number)),
            ListPath::Name(slug) => Some(pages.post(page, news.find(slug)?)),
        }
    }
}

impl NewsPages {
    fn language(&self, locale: Locale) -> LocalizedNews<'_> {
        LocalizedNews { pages: self, locale }
    }
}

struct LocalizedNews<'p> {
    pages: &'p NewsPages,
    locale: Locale,
}

impl LocalizedNews<'_> {
    fn plain_text(&self, key: &str) -> String {
        self.pages.texts.get(self.locale, key, &Params::from([("site", self.pages.brands.site_name())]))
    }

    /// A text as markup.
    fn text(&self, key: &str) -> String {
        escape(&self.plain_text(key))
    }

    /// The full address of the list with an end such as `/2`.
    fn url(&self, end: &str) -> String {
        format!("{}{}", self.pages.origin.trim_end_matches('/'), LIST.named(self.locale, end))
    }

    fn list(&self, page: &str, news: &NewsCache, number: usize) -> String {
        let mut markup = format!("<h1>{}</h1>", self.text("news.title"));
        let items: String = LIST.items(news.posts(), number).map(|post| self.item(post)).collect();
        if items.is_empty() {
            let _ = write!(markup, "<p>{}</p>", self.text("news.none"));
        } else {
            let _ = write!(markup, "<ol>{items}</ol>");
        }
        markup.push_str(&LIST.navigation(&self.pages.texts, self.locale, number, news.posts().len()));
        let part = if number == 1 { String::new() } else { format!("/{number}") };
        // An empty page is nothing to find.
        let head = if items.is_empty() { "<meta name=\"robots\" content=\"noindex\"/>".to_owned() } else { String::new() };
        self.page(page, &self.plain_text("news.title"), &self.plain_text("news.description"), &part, &markup, &head)
    }

    fn item(&self, post: &PublishedNews) -> String {
        let article = post.get(self.locale);
        let description = match article.description.as_str() {
            "" => String::new(),
            description => format!("<p>{}</p>", escape(description)),
        };
        format!(
            "<li>{}<h2><a href=\"{}\">{}</a></h2>{description}</li>",
            self.date(post),
            LIST.named(self.locale, &format!("/{}", post.slug)),
            escape(&article.title),
        )
    }

    fn date(&self, post: &PublishedNews) -> String {
        let date = escape(&post.get(self.locale).published_on);
        format!("<p class=\"muted\"><time datetime=\"{}\">{date}</time></p>", post.published_at)
    }

    fn post(&self, page: &str, post: &PublishedNews) -> String {
        let (article, end) = (post.get(self.locale), format!("/{}", post.slug));
        let site = self.pages.brands.site_name();
        let data = json!({
            "@context": "https://schema.org",
            "@type": "NewsArticle",
            "headline": article.title,
            "description": article.description,
            "inLanguage": self.locale.to_string(),
            "datePublished": post.published_at.to_string(),
            "dateModified": post.updated_at.to_string(),
            "mainEntityOfPage": self.url(&end),
            "author": { "@type": "Organization", "name": site, "url": self.pages.origin },
            "publisher": { "@type": "Organization", "name": site },
        });
        let head = data_block(&data.to_string());
        let markup = format!(
            "<article>{}<h1>{}</h1>{}</article><p><a href=\"{}\">{}</a></p>",
            self.date(post),
            escape(&article.title),
            article.html,
            LIST.address(self.locale, 1),
            self.text("news.all"),
        );
        self.page(page, &article.title, &article.description, &end, &markup, &head)
    }

    fn page(&self, page: &str, title: &str, description: &str, part: &str, markup: &str, head: &str) -> String {
        let title = format!("{title} | {}", self.pages.brands.site_name());
        let filled = fill_slots(
            page,
            &[("TITLE", &escape(&title)), ("DESCRIPTION", &escape(description)), ("PART", part), ("NEWS", markup)],
        );
        let prefix = if self.locale == Locale::En { "/en" } else { "" };
        let feed = format!(
            "<link rel=\"alternate\" type=\"application/atom+xml\" title=\"{}\" href=\"{prefix}/news.xml\"/>",
            self.text("news.title")
        );
        filled.replacen("</head>", &format!("{feed}{head}</head>"), 1)
    }

    /// The content of the feed's element.
    fn feed(&self, news: &NewsCache) -> String {
        let (site, list) = (escape(&self.pages.brands.site_name()), escape(&self.url("")));
        let updated = news.posts().iter().map(|post| post.updated_at).max().unwrap_or(Timestamp(0));
        let mut feed = format!(
            "<title>{site}: {}</title><id>{list}</id><link href=\"{list}\"/><link rel=\"self\" href=\"{list}.xml\"/>\
             <updated>{updated}</updated><author><name>{site}</name></author>",
            self.text("news.title"),
        );
        for post in news.posts().iter().take(FEED_MAX) {
            let (article, url) = (post.get(self.locale), escape(&self.url(&format!("/{}", post.slug))));
            let origin = format!("href=\"{}/", self.pages.origin.trim_end_matches('/'));
            let _ = write!(
                feed,
                "<entry><title>{}</title><id>{url}</id><link href=\"{url}\"/><published>{}</published><updated>{}</updated>\
                 <summary>{}</summary><content type=\"html\">{}</content></entry>",
                escape(&article.title),
                post.published_at,
                post.updated_at,
                escape(&article.description),
                escape(&article.html.replace("href=\"/", &origin)),
            );
        }
        feed
    }
}
