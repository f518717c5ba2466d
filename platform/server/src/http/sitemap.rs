//! The sitemap: the pages of the build and one page for each direction, in both languages.
//!
//! Past [`URLS_PER_FILE`] addresses, `sitemap.xml` becomes an index of files with as many each.

use std::collections::hash_map::DefaultHasher;
use std::fmt::Write as _;
use std::hash::{Hash as _, Hasher as _};
use std::ops::RangeInclusive;
use std::sync::Arc;

use agio_calculator::Calculator;
use agio_core::markup::escape;
use arc_swap::ArcSwap;

use super::market_pages::{city_slug, slug};

/// The protocol allows 50 000; small files keep each answer small.
const URLS_PER_FILE: usize = 2_000;
const LANGUAGES: [(&str, &str); 2] = [("ru", ""), ("en", "/en")];
const SLUGS_PER_FILE: usize = URLS_PER_FILE / LANGUAGES.len();
const END: &str = "</urlset>";

#[derive(Default)]
pub struct Sitemap(ArcSwap<ListedDirections>);

/// The directions of one market that staff offer, with their cities, also those that cannot be exchanged now.
#[derive(Default)]
pub(super) struct ListedDirections {
    /// `None` before the first request.
    market_version: Option<u64>,
    /// Of the content: equal for markets that differ only in rates.
    number: u64,
    slugs: Vec<String>,
}

impl Sitemap {
    pub(super) fn current(&self, calculator: &Calculator) -> Arc<ListedDirections> {
        let version = Some(calculator.market_version());
        let known = self.0.load_full();
        if known.market_version == version {
            return known;
        }
        let market = calculator.market();
        let mut slugs = Vec::new();
        for pair in market.pairs.iter().filter(|pair| pair.is_offered()) {
            let Some(slug) = slug(pair) else { continue };
            let cities: Vec<_> = pair.cities().into_iter().map(|city| city_slug(&slug, city)).collect();
            slugs.push(slug);
            slugs.extend(cities);
        }
        let mut hasher = DefaultHasher::new();
        slugs.hash(&mut hasher);
        let listed = Arc::new(ListedDirections { market_version: version, number: hasher.finish(), slugs });
        self.0.store(listed.clone());
        listed
    }
}

impl ListedDirections {
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// The files that the index names; none while one file is enough.
    pub(super) fn parts(&self) -> RangeInclusive<usize> {
        let files = self.slugs.len().div_ceil(SLUGS_PER_FILE);
        1..=if files > 1 { files } else { 0 }
    }

    /// `built` has the pages of the build, `part` is one of [`ListedDirections::parts`] or `None` for `sitemap.xml`.
    pub(super) fn fill(&self, built: &str, part: Option<usize>, origin: &str) -> Option<String> {
        let (pages, _) = built.split_once(END)?;
        let (opening, _) = pages.split_once("<url>").map_or((pages, ""), |(opening, rest)| (opening.trim_end(), rest));
        match part {
            None if self.parts().is_empty() => Some(format!("{pages}{}{END}\n", urls(&self.slugs, origin))),
            // The first file has the pages of the build.
            Some(1) => Some(format!("{pages}{}{END}\n", urls(self.slugs.chunks(SLUGS_PER_FILE).next()?, origin))),
            Some(part) => {
                let slugs = self.slugs.chunks(SLUGS_PER_FILE).nth(part.checked_sub(1)?)?;
                Some(format!("{opening}\n{}{END}\n", urls(slugs, origin)))
            }
            None => {
                let files: String =
                    self.parts().map(|part| format!("  <sitemap><loc>{origin}/sitemap-{part}.xml</loc></sitemap>\n")).collect();
                Some(format!(
                    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
                     <sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n{files}</sitemapindex>\n"
                ))
            }
        }
    }
}

fn urls(slugs: &[String], origin: &str) -> String {
    let mut urls = String::new();
    for slug in slugs.iter().map(|slug| escape(slug)) {
        let address = |prefix: &str| format!("{origin}{prefix}/exchange/{slug}/");
        let links: String = LANGUAGES
            .iter()
            .map(|(language, prefix)| {
                format!("<xhtml:link rel=\"alternate\" hreflang=\"{language}\" href=\"{}\"/>", address(prefix))
            })
            .collect();
        for (_, prefix) in LANGUAGES {
            writeln!(urls, "  <url><loc>{}</loc>{links}</url>", address(prefix)).expect("a string can be written");
        }
    }
    urls
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUILT: &str = "<?xml version=\"1.0\"?>\n<urlset xmlns=\"x\">\n  <url><loc>https://a.example/</loc></url>\n</urlset>\n";

    fn listed(count: usize) -> ListedDirections {
        let slugs = (0..count).map(|number| format!("a{number}-to-b")).collect();
        ListedDirections { market_version: None, number: 0, slugs }
    }

    #[test]
    fn a_small_market_has_one_file() {
        let listed = listed(SLUGS_PER_FILE);
        assert!(listed.parts().is_empty());
        let file = listed.fill(BUILT, None, "https://a.example").expect("there is a file");
        assert_eq!(file.matches("<url>").count(), 1 + URLS_PER_FILE);
        assert!(file.contains("<loc>https://a.example/en/exchange/a7-to-b/</loc>"));
        assert!(file.ends_with("</urlset>\n"));
    }

    #[test]
    fn the_files_of_a_large_market_have_each_direction_once() {
        let listed = listed(10_000);
        let index = listed.fill(BUILT, None, "https://a.example").expect("there is an index");
        assert_eq!(index.matches("<sitemap>").count(), listed.parts().count());
        let files = listed.parts().filter_map(|part| listed.fill(BUILT, Some(part), "https://a.example"));
        let files: Vec<_> = files.collect();
        assert_eq!(files.iter().map(|file| file.matches("<url>").count()).sum::<usize>(), 1 + 20_000);
        assert!(files.iter().all(|file| file.matches("<url>").count() <= URLS_PER_FILE + 1 && file.starts_with("<?xml")));
        assert!(listed.fill(BUILT, Some(files.len() + 1), "https://a.example").is_none());
        assert!(listed.fill(BUILT, Some(0), "https://a.example").is_none());
    }
}
