//! Pages that show the market without a script: the home page, the rates, and a page for each direction.
//!
//! They are filled from the market in memory. Every text that staff write is escaped.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};
use std::sync::{Arc, Mutex, PoisonError};

use agio_calculator::market::rate_text::number;
use agio_calculator::market::{Currency, Market, MarketPair, NoticeText, PairNotices, Rate};
use agio_calculator::model::limits::Limits;
use agio_calculator::settings::{SITE_NAME, technical_mode};
use agio_calculator::{Calculator, CalculatorApi, PairStatus};
use agio_content::questions;
use agio_contracts::{CashCity, CurrencyKind, VerificationSubject};
use agio_core::markup::{escape, escape_into, inside_a_script};
use agio_core::money::plain;
use agio_core::settings::Settings;
use agio_core::texts::{Locale, Texts, fill_with};
use agio_requisites::RequisiteKind;
use agio_waitlist::Waitlist;
use arc_swap::ArcSwap;
use hashlink::LruCache;
use rust_decimal::{Decimal, RoundingStrategy};
use serde::Serialize;

use super::page_content::{PageContentProvider, PageRoute, PageRoutes, data_block, fill_slots};
use super::page_template::{HEAD, SlotValues};
use super::sitemap::Sitemap;

/// The built page that every direction is filled from.
const DIRECTION_TEMPLATE: &str = "exchange/AGIO_SLOT_SLUG/index.html";
const SEPARATOR: &str = "-to-";
/// Rows of the home page.
const POPULAR_ROWS: usize = 12;
/// Rows of the page of rates; the other directions have their own pages.
const RATE_ROWS: usize = 400;
/// Links from a direction to others with the same currency, for each side.
const NEIGHBOURS: usize = 8;
/// Usual bytes of the parts of a page, to be allocated once.
const LEAD_BYTES: usize = 1 << 10;
const DETAILS_BYTES: usize = 8 << 10;
/// Answers about directions that are kept.
const KEPT_ANSWERS: usize = 256;
/// A placeholder of `StubForm.tsx`.
const BLANK: &str = "<span class=\"skeleton\"></span>";
const HINT_BLANK: &str = "<small class=\"skeleton\"></small>";
const RATE_DIGITS: u32 = 12;
const LIMIT_DIGITS: u32 = 7;

pub struct MarketPages {
    pub calculator: Arc<Calculator>,
    pub api: CalculatorApi,
    pub waitlist: Arc<Waitlist>,
    pub settings: Settings,
    pub texts: Arc<Texts>,
    /// The origin of the site: `https://exchange.example`.
    pub origin: String,
    pub sitemap: Sitemap,
    pub links: MarketLinks,
    pub answers: MarketAnswers,
}

/// A file that shows the market.
enum MarketFile<'n> {
    Home(Locale),
    Rates(Locale),
    Direction(Locale, &'n str),
    Sitemap(Option<usize>),
}

impl<'n> MarketFile<'n> {
    fn parse(name: &'n str) -> Option<Self> {
        if let Some(part) = name.strip_prefix("sitemap").and_then(|rest| rest.strip_suffix(".xml")) {
            return match part.strip_prefix('-') {
                None => part.is_empty().then_some(Self::Sitemap(None)),
                Some(part) => Some(Self::Sitemap(Some(part.parse().ok()?))),
            };
        }
        let (locale, path) = localized(name);
        match path {
            "index.html" => Some(Self::Home(locale)),
            "rates/index.html" => Some(Self::Rates(locale)),
            _ => Some(Self::Direction(locale, path.strip_prefix("exchange/")?.strip_suffix("/index.html")?)),
        }
    }
}

/// The language of a path and the path without its prefix.
pub(super) fn localized(path: &str) -> (Locale, &str) {
    match path.strip_prefix("en") {
        Some("") => (Locale::En, ""),
        Some(rest) if rest.starts_with('/') => (Locale::En, &rest[1..]),
        _ => (Locale::Ru, path),
    }
}

pub(super) const fn prefix(locale: Locale) -> &'static str {
    match locale {
        Locale::Ru => "",
        Locale::En => "/en",
    }
}

/// The end of a direction's address: `btc-to-sberrub`. `None` if a code has characters of an address: its slug could be
/// that of another direction.
pub(super) fn slug(pair: &MarketPair) -> Option<String> {
    let codes = [&pair.give.facts.code, &pair.receive.facts.code];
    let is_plain =
        |code: &&String| !code.is_empty() && code.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    codes.iter().all(is_plain).then(|| codes.map(|code| code.to_ascii_lowercase()).join(SEPARATOR))
}

/// The end of the address of a direction, or of a direction in a city: `btc-to-cashusd/dubai`.
pub(super) fn city_slug(slug: &str, city: &CashCity) -> String {
    format!("{slug}/{}", city.code.to_ascii_lowercase())
}

/// What a page is about: a direction, or a direction with cash in one city.
#[derive(Clone, Copy)]
struct Subject<'m> {
    pair: &'m MarketPair,
    city: Option<&'m CashCity>,
}

impl<'m> Subject<'m> {
    /// The direction of a slug in any case, also one that cannot be exchanged now.
    fn of(market: &'m Market, slug: &str) -> Option<Self> {
        let Some((direction, code)) = slug.split_once('/') else {
            return Some(Self { pair: pair_of(market, slug)?, city: None });
        };
        let pair = pair_of(market, direction)?;
        let city = pair.cities().into_iter().find(|city| city.code.eq_ignore_ascii_case(code))?;
        Some(Self { pair, city: Some(city) })
    }

    fn slug(self) -> Option<String> {
        let slug = slug(self.pair)?;
        Some(self.city.map_or_else(|| slug.clone(), |city| city_slug(&slug, city)))
    }
}

fn pair_of<'m>(market: &'m Market, slug: &str) -> Option<&'m MarketPair> {
    let (give, receive) = slug.split_once(SEPARATOR)?;
    let find = |code| market.currency_by_code(code).filter(|currency| currency.is_visible()).map(|currency| currency.id());
    market.between(find(give)?, find(receive)?).filter(|pair| !pair.pair.archived)
}

impl PageRoutes for MarketPages {
    fn find(&self, path: &str) -> Option<PageRoute> {
        if let Some(MarketFile::Sitemap(Some(part))) = MarketFile::parse(path) {
            let is_there = self.sitemap.current(&self.calculator).parts().contains(&part);
            let file = || PageRoute::Page { name: path.to_owned(), template: "sitemap.xml".to_owned() };
            return Some(if is_there { file() } else { PageRoute::Missing });
        }
        let (locale, rest) = localized(path.trim_end_matches('/'));
        if rest == "exchange" {
            return Some(PageRoute::Redirect(format!("{}/rates", prefix(locale))));
        }
        let requested = rest.strip_prefix("exchange/")?.to_ascii_lowercase();
        let market = self.calculator.market();
        let Some(slug) = Subject::of(&market, &requested).and_then(Subject::slug) else { return Some(PageRoute::Missing) };
        let address = format!("{}/exchange/{slug}/", prefix(locale));
        if address[1..] != *path {
            return Some(PageRoute::Redirect(address));
        }
        let folder = prefix(locale).trim_start_matches('/');
        let file = |name: String| if folder.is_empty() { name } else { format!("{folder}/{name}") };
        Some(PageRoute::Composed {
            name: file(format!("exchange/{slug}/index.html")),
            template: file(DIRECTION_TEMPLATE.to_owned()),
        })
    }

    fn slots(&self) -> &'static [&'static str] {
        &[
            "SLUG",
            "FROM",
            "TO",
            "CITY",
            "CASH",
            "OPEN",
            "WAITLIST",
            "TITLE",
            "DESCRIPTION",
            "LEAD",
            "RECEIVE_BLANKS",
            "GIVE_BLANKS",
            "DETAILS",
        ]
    }

    fn values(&self, name: &str) -> Option<SlotValues> {
        let Some(MarketFile::Direction(locale, slug)) = MarketFile::parse(name) else { return None };
        // The links first: they may be older than the market, never newer.
        let links = self.links.current(&self.calculator);
        let market = self.calculator.market();
        let subject = Subject::of(&market, slug)?;
        Some(self.language(locale).direction(&market, subject, slug, &links))
    }
}

impl PageContentProvider for MarketPages {
    fn number(&self, name: &str) -> u64 {
        let Some(file) = MarketFile::parse(name) else { return 0 };
        let mut hasher = DefaultHasher::new();
        // Before the market, so that a change in between fills a page once too often, never too rarely.
        self.calculator.market_version().hash(&mut hasher);
        match file {
            MarketFile::Sitemap(_) => return self.sitemap.current(&self.calculator).number(),
            MarketFile::Home(_) => (self.calculator.reserves_version(), self.api.home_data_slot()).hash(&mut hasher),
            MarketFile::Rates(_) => self.calculator.reserves_version().hash(&mut hasher),
            // Composed at each request.
            MarketFile::Direction(..) => return 0,
        }
        technical_mode(&self.settings).0.hash(&mut hasher);
        hasher.finish()
    }

    fn fill(&self, name: &str, page: &str) -> Option<String> {
        let market = self.calculator.market();
        match MarketFile::parse(name)? {
            MarketFile::Home(locale) => Some(self.language(locale).home(&market, page)),
            MarketFile::Rates(locale) => Some(self.language(locale).rates(&market, page)),
            MarketFile::Direction(..) => None,
            MarketFile::Sitemap(part) => self.sitemap.current(&self.calculator).fill(page, part, &escape(&self.origin)),
        }
    }
}

impl MarketPages {
    fn language(&self, locale: Locale) -> LocalizedPages<'_> {
        LocalizedPages { pages: self, locale, is_paused: technical_mode(&self.settings).0 }
    }
}

/// Links to directions of each currency, so that a page of a direction does not write them again.
#[derive(Default)]
pub struct MarketLinks(ArcSwap<DirectionLinks>);

/// The links of one market.
#[derive(Default)]
struct DirectionLinks {
    /// `None` before the first request.
    market_version: Option<u64>,
    lists: Mutex<HashMap<(Locale, LinkSide), Arc<LinkList>>>,
}

/// The other currency of a direction, and the link.
type LinkList = Vec<(i64, String)>;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum LinkSide {
    Given(i64),
    Received(i64),
}

impl MarketLinks {
    fn current(&self, calculator: &Calculator) -> Arc<DirectionLinks> {
        let version = Some(calculator.market_version());
        let known = self.0.load_full();
        if known.market_version == version {
            return known;
        }
        let links = Arc::new(DirectionLinks { market_version: version, lists: Mutex::default() });
        self.0.store(links.clone());
        links
    }
}

impl DirectionLinks {
    /// One more than a page shows: a page leaves out its own.
    fn get(&self, pages: &LocalizedPages<'_>, side: LinkSide, market: &Market) -> Arc<LinkList> {
        let lists = || self.lists.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(list) = lists().get(&(pages.locale, side)) {
            return list.clone();
        }
        let link = |other| {
            let pair = match side {
                LinkSide::Given(give) => market.between(give, other),
                LinkSide::Received(receive) => market.between(other, receive),
            };
            Some((other, pages.link(pair?)?))
        };
        let ids = market.currencies.iter().map(|currency| currency.id());
        let list: Arc<LinkList> = Arc::new(ids.filter_map(link).take(NEIGHBOURS + 1).collect());
        lists().insert((pages.locale, side), list.clone());
        list
    }
}

/// Answers about directions, which many directions share.
pub struct MarketAnswers(Mutex<LruCache<AnswerFacts, Arc<Answers>>>);

/// Everything that the answers about a direction depend on.
#[derive(Clone, PartialEq, Eq, Hash)]
struct AnswerFacts {
    locale: Locale,
    hold_minutes: i64,
    floating: bool,
    confirmations: Option<u32>,
    /// The greatest automatic payout, for reading.
    automatic_payout: Option<String>,
    fixed_fee: Option<String>,
    verification: Option<VerificationSubject>,
}

struct Answers {
    html: Box<str>,
    /// The same for search engines.
    data: Box<str>,
}

impl Default for MarketAnswers {
    fn default() -> Self {
        Self(Mutex::new(LruCache::new(KEPT_ANSWERS)))
    }
}

impl MarketAnswers {
    fn get(&self, facts: AnswerFacts, write: impl FnOnce(&AnswerFacts) -> Answers) -> Arc<Answers> {
        let kept = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(answers) = kept().get(&facts) {
            return answers.clone();
        }
        let answers = Arc::new(write(&facts));
        kept().insert(facts, answers.clone());
        answers
    }
}

/// The pages in one language.
struct LocalizedPages<'p> {
    pages: &'p MarketPages,
    locale: Locale,
    is_paused: bool,
}

/// Values of a text's parameters, by their names.
type Values<'v> = &'v [(&'v str, &'v str)];

fn of<'v>(values: Values<'v>) -> impl Fn(&str) -> Option<&'v str> {
    move |name| values.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
}

/// A part of a page that is written in one go, since it is written at each request.
struct PageWriter<'w> {
    language: &'w LocalizedPages<'w>,
    markup: String,
}

impl PageWriter<'_> {
    fn markup(&mut self, parts: &[&str]) {
        self.markup.extend(parts.iter().copied());
    }

    fn text(&mut self, text: &str) {
        escape_into(&mut self.markup, text);
    }

    fn label(&mut self, key: &str) {
        escape_into(&mut self.markup, self.language.plain_label(key));
    }

    fn filled(&mut self, key: &str, values: Values<'_>) {
        fill_with(self.language.plain_label(key), of(values), |piece| escape_into(&mut self.markup, piece));
    }

    fn heading(&mut self, key: &str) {
        self.markup.push_str("<section><h2>");
        self.label(key);
        self.markup.push_str("</h2>");
    }

    fn link(&mut self, locale: Locale, path: &[&str], text: &str) {
        self.markup(&["<a href=\"", prefix(locale)]);
        self.markup(path);
        self.markup.push_str("\">");
        self.text(text);
        self.markup.push_str("</a>");
    }
}

/// A direction that can be exchanged now.
struct Offered<'m> {
    pair: &'m MarketPair,
    rate: &'m Rate,
    limits: Limits,
    reserve: Decimal,
}

/// The figures of a direction, for reading.
struct Figures {
    rate: String,
    min_give: String,
    max_give: String,
    reserve: String,
    /// The fixed fees of both sides. `None` without any.
    fixed_fee: Option<String>,
}

impl LocalizedPages<'_> {
    fn writer(&self, bytes: usize) -> PageWriter<'_> {
        PageWriter { language: self, markup: String::with_capacity(bytes) }
    }

    /// A text as markup.
    fn text(&self, key: &str, values: Values<'_>) -> String {
        escape(&self.plain_text(key, values))
    }

    fn plain_text(&self, key: &str, values: Values<'_>) -> String {
        let template = self.plain_label(key);
        let mut text = String::with_capacity(template.len() + values.iter().map(|(_, value)| value.len()).sum::<usize>());
        fill_with(template, of(values), |piece| text.push_str(piece));
        text
    }

    /// `30 min`, and whole hours as such.
    fn hold_text(&self, minutes: i64) -> String {
        let (key, count) = if minutes % 60 == 0 { ("market.hold_hours", minutes / 60) } else { ("market.hold_fixed", minutes) };
        self.plain_text(key, &[("minutes", &count.to_string())])
    }

    /// A text without parameters, as markup.
    fn label(&self, key: &str) -> String {
        escape(self.plain_label(key))
    }

    fn plain_label<'t>(&'t self, key: &'t str) -> &'t str {
        self.pages.texts.label(self.locale, key)
    }

    fn offered<'m>(&self, pair: &'m MarketPair) -> Option<Offered<'m>> {
        let free = self.pages.calculator.free(pair.pair.receive_id);
        if self.is_paused || pair.state(free) != PairStatus::Ok {
            return None;
        }
        let rate = pair.rate.as_ref()?;
        Some(Offered { pair, rate, limits: pair.limits(&rate.terms, free)?, reserve: pair.receive.free(free) })
    }

    fn figures(&self, Offered { pair, rate, limits, reserve }: &Offered<'_>) -> Figures {
        Figures {
            rate: self.rate(rate.terms.parts().rate, pair),
            min_give: number(self.locale, limits.give.min.value),
            max_give: self.money(limits.give.max.value, &pair.give),
            reserve: self.reserve(*reserve, &pair.receive),
            fixed_fee: self.fixed_fee(pair),
        }
    }

    fn home(&self, market: &Market, page: &str) -> String {
        let free = |currency| self.pages.calculator.free(currency);
        let rows: String =
            market.popular(free).into_iter().filter_map(|pair| self.row(&self.offered(pair)?, true)).take(POPULAR_ROWS).collect();
        let default = market.default_pair(None, None, free).and_then(|(from, to)| self.offered(market.between(from, to)?));
        let pair = default.as_ref().map(|offered| offered.pair);
        let default = default.as_ref().map_or_else(String::new, |offered| self.default_pair(offered));
        let slots = [
            ("RATES", &self.or_none(rows)),
            ("DEFAULT_PAIR", &default),
            ("RECEIVE_BLANKS", &receive_blanks(pair)),
            ("GIVE_BLANKS", &give_blanks(pair)),
            ("RESERVES", &self.reserves(market)),
        ];
        let filled = fill_slots(page, &slots.map(|(slot, value)| (slot, value.as_str())));
        match self.pages.api.home_data(self.locale).filter(|_| !self.is_paused) {
            Some(data) => filled.replacen("</head>", &format!("{}</head>", market_data(&data)), 1),
            None => filled,
        }
    }

    /// The rows of `Reserves.tsx`, without coins.
    fn reserves(&self, market: &Market) -> String {
        let row = |currency: &Arc<Currency>| {
            let reserve = self.reserve(currency.free(self.pages.calculator.free(currency.id())), currency);
            format!(
                "<li><span class=\"served-coin\"></span><span class=\"served-name\">{}</span><span class=\"served-value num\">{}</span></li>",
                escape(currency.facts.name.get(self.locale)),
                escape(&reserve),
            )
        };
        market.currencies.iter().filter(|currency| currency.is_receivable()).map(row).collect()
    }

    fn default_pair(&self, offered: &Offered<'_>) -> String {
        let Offered { pair, .. } = offered;
        let heading = escape(&self.heading(pair));
        let heading = match slug(pair) {
            Some(slug) => format!("<a href=\"{}/exchange/{slug}/\">{heading}</a>", prefix(self.locale)),
            None => heading,
        };
        format!("<p>{heading}. {}</p><p>{}</p>", escape(&self.summary(&self.figures(offered))), self.label("market.noscript"))
    }

    fn rates(&self, market: &Market, page: &str) -> String {
        let givers = market.currencies.iter().filter(|currency| currency.is_giveable()).count().max(1);
        let share = RATE_ROWS.div_ceil(givers);
        let mut rows = String::new();
        let (mut giver, mut count, mut is_cut) = (None, 0, false);
        for pair in &market.pairs {
            if giver != Some(pair.pair.give_id) {
                (giver, count) = (Some(pair.pair.give_id), 0);
            }
            if count == share {
                is_cut = is_cut || self.offered(pair).is_some();
                continue;
            }
            if let Some(row) = self.offered(pair).and_then(|offered| self.row(&offered, false)) {
                rows.push_str(&row);
                count += 1;
            }
        }
        if is_cut {
            rows.push_str(&self.text_row("market.cut"));
        }
        fill_slots(page, &[("RATES", &self.or_none(rows))])
    }

    fn or_none(&self, rows: String) -> String {
        let key = if self.is_paused { "market.paused" } else { "market.none" };
        if rows.is_empty() { self.text_row(key) } else { rows }
    }

    fn text_row(&self, key: &str) -> String {
        format!("<tr><td colspan=\"4\" class=\"muted\">{}</td></tr>", self.label(key))
    }

    /// A row of a table of rates.
    fn row(&self, offered: &Offered<'_>, is_short: bool) -> Option<String> {
        let Offered { pair, rate, limits, reserve } = offered;
        let name = |currency: &Currency| {
            escape(&if is_short { self.short_name(currency) } else { currency.facts.name.get(self.locale).to_owned() })
        };
        let (give, receive) = (&pair.give.facts, &pair.receive.facts);
        let limit = |value| number(self.locale, significant(value, LIMIT_DIGITS));
        let fee = self.fixed_fee(pair).map(|amount| {
            let note = self.text("market.row_fee", &[("amount", &amount)]);
            format!("<small class=\"muted\">{note}</small>")
        });
        // Lines break where they do once the script has drawn the row: the arrow stays with the word it leads to.
        let received = name(&pair.receive);
        let (into, rest) = received.split_once(' ').map_or((&*received, ""), |(into, _)| (into, &received[into.len()..]));
        Some(format!(
            "<tr data-codes=\"{} {}\"><td><a class=\"served-pair\" href=\"{}/exchange/{}/\"><b>{} <span class=\"nb\">→ {into}</span>{rest}\
             </b></a></td><td class=\"nb\">{}{}</td>\
             <td class=\"nb muted\">{}–{}\u{a0}{}</td><td class=\"nb muted\">{}</td></tr>",
            escape(&give.code),
            escape(&receive.code),
            prefix(self.locale),
            slug(pair)?,
            name(&pair.give),
            escape(&self.rate(rate.terms.parts().rate, pair)),
            fee.unwrap_or_default(),
            limit(limits.give.min.value),
            limit(limits.give.max.value),
            escape(unit(&give.ticker)),
            escape(&self.reserve(*reserve, &pair.receive)),
        ))
    }

    fn direction(&self, market: &Market, subject: Subject<'_>, slug: &str, links: &DirectionLinks) -> SlotValues {
        let Subject { pair, city } = subject;
        let offered = self.offered(pair).map(|offered| (self.figures(&offered), offered));
        let heading = self.heading_of(subject);
        let site = self.pages.settings.text(SITE_NAME);
        let mut summary = match &offered {
            Some((figures, _)) => self.summary(figures),
            None => self.plain_label(if self.is_paused { "market.paused" } else { "market.unavailable" }).to_owned(),
        };
        if let Some(city) = city {
            summary.extend([" ", &self.plain_text("market.summary_place", &[("place", &self.place(city))])]);
        }
        let mut lead = self.writer(LEAD_BYTES);
        lead.markup.push_str("<nav class=\"crumbs\" aria-label=\"");
        lead.label("market.crumbs");
        lead.markup(&["\"><a href=\"", if self.locale == Locale::Ru { "/" } else { "/en" }, "\">"]);
        lead.text(&site);
        lead.markup.push_str("</a> / ");
        lead.link(self.locale, &["/rates"], self.plain_label("market.rates"));
        lead.markup.push_str("</nav><h1>");
        lead.text(&heading);
        lead.markup.push_str("</h1><p>");
        lead.text(&summary);
        lead.markup.push_str("</p>");
        if offered.is_some() {
            lead.markup.push_str("<noscript><p>");
            lead.label("market.noscript");
            lead.markup.push_str("</p></noscript>");
        }
        let mut head = self.structured_data(subject, offered.as_ref().map(|(_, offered)| offered), slug, &heading, &site);
        let mut details = self.writer(DETAILS_BYTES);
        if pair.is_offered() {
            self.notices(pair, &mut details);
        } else {
            head.push_str("<meta name=\"robots\" content=\"noindex\"/>");
        }
        if let Some((figures, offered)) = &offered {
            let answers = self.pages.answers.get(self.answer_facts(offered, figures), |facts| self.answers(facts));
            head.push_str(&answers.data);
            self.facts(offered, figures, city, &mut details);
            self.cities(subject, slug, &mut details);
            self.steps(pair, &mut details);
            details.markup.push_str(&answers.html);
        }
        self.neighbours(market, pair, links, &mut details);
        let has_waitlist = pair.is_offered() && self.pages.waitlist.is_open();
        let yes_or_no = |yes| Cow::Borrowed(if yes { "yes" } else { "no" });
        let mut description = escape(&heading);
        description.push_str(". ");
        escape_into(&mut description, &summary);
        vec![
            (HEAD, head.into()),
            ("SLUG", slug.to_owned().into()),
            ("FROM", escape(&pair.give.facts.code).into()),
            ("TO", escape(&pair.receive.facts.code).into()),
            ("CITY", city.map(|city| escape(&city.code)).unwrap_or_default().into()),
            ("CASH", yes_or_no(!pair.cities().is_empty())),
            ("OPEN", yes_or_no(offered.is_some())),
            ("WAITLIST", yes_or_no(has_waitlist)),
            ("TITLE", self.text("market.title", &[("heading", &heading), ("site", &site)]).into()),
            ("DESCRIPTION", description.into()),
            ("LEAD", lead.markup.into()),
            ("RECEIVE_BLANKS", receive_blanks(Some(pair)).into()),
            ("GIVE_BLANKS", give_blanks(Some(pair)).into()),
            ("DETAILS", details.markup.into()),
        ]
    }

    /// Rate, limits and reserve in one sentence.
    fn summary(&self, figures: &Figures) -> String {
        let Figures { rate, min_give, max_give, reserve, .. } = figures;
        self.plain_text("market.summary", &[("rate", rate), ("min", min_give), ("max", max_give), ("reserve", reserve)])
    }

    /// The city and the office.
    fn place(&self, city: &CashCity) -> String {
        let place = match city.place.get(self.locale) {
            "" => self.plain_label("claim.place_by_agreement").to_owned(),
            place => place.to_owned(),
        };
        format!("{}, {place}", city.name.get(self.locale))
    }

    /// What staff tell customers of the pair. The messages are limited HTML.
    fn notices(&self, pair: &MarketPair, page: &mut PageWriter<'_>) {
        let PairNotices { general, from, to } = pair.pair.notices.clone().sanitised();
        for notice in [general, from, to].into_iter().flatten() {
            let NoticeText { title, message } = notice.get(self.locale);
            page.markup.push_str("<section><h2>");
            page.text(title);
            page.markup(&["</h2>", message, "</section>"]);
        }
    }

    /// Links to the pages of the direction in the other cities.
    fn cities(&self, subject: Subject<'_>, slug: &str, page: &mut PageWriter<'_>) {
        let mut cities = subject.pair.cities();
        cities.retain(|city| subject.city.is_none_or(|own| own.code != city.code));
        if cities.is_empty() {
            return;
        }
        let direction = slug.split_once('/').map_or(slug, |(direction, _)| direction);
        page.heading("market.cities");
        page.markup.push_str("<ul>");
        for city in cities {
            let heading = self.heading_of(Subject { city: Some(city), ..subject });
            page.markup.push_str("<li>");
            page.link(self.locale, &["/exchange/", &escape(&city_slug(direction, city)), "/"], &heading);
            page.markup.push_str("</li>");
        }
        page.markup.push_str("</ul></section>");
    }

    fn facts(&self, offered: &Offered<'_>, figures: &Figures, city: Option<&CashCity>, page: &mut PageWriter<'_>) {
        let Offered { pair, rate, limits, .. } = offered;
        let parts = rate.terms.parts();
        page.heading("market.terms");
        page.markup.push_str("<dl>");
        let mut fact = |label, values: &[&str]| {
            page.markup.push_str("<div><dt>");
            page.label(label);
            page.markup.push_str("</dt><dd>");
            values.iter().for_each(|value| page.text(value));
            page.markup.push_str("</dd></div>");
        };
        fact("market.rate", &[&figures.rate]);
        if let Some(city) = city {
            fact("market.place", &[&self.place(city)]);
        }
        for tier in limits.reachable_tiers(parts) {
            let values = [("min", &*self.money(tier.min_give, &pair.give)), ("rate", &self.rate(tier.rate, pair))];
            fact("market.tier", &[&self.plain_text("market.tier_rate", &values)]);
        }
        let hold = self.hold_text(pair.pair.hold_minutes);
        fact("market.hold", &[if pair.pair.floating { self.plain_label("market.hold_floating") } else { &hold }]);
        fact("market.give", &[&figures.min_give, "–", &figures.max_give]);
        let (min, max) = (limits.receive.min.value, limits.receive.max.value);
        fact("market.receive", &[&number(self.locale, min), "–", &self.money(max, &pair.receive)]);
        fact("market.reserve", &[&figures.reserve]);
        fact("market.fee", &[figures.fixed_fee.as_deref().unwrap_or_else(|| self.plain_label("market.fee_inside"))]);
        fact("market.verification", &[self.plain_label(verification_key(pair.pair.verification, "fact"))]);
        page.markup.push_str("</dl></section>");
    }

    fn steps(&self, pair: &MarketPair, page: &mut PageWriter<'_>) {
        let (open, close) = match self.locale {
            Locale::Ru => ('«', '»'),
            Locale::En => ('“', '”'),
        };
        let mut payout = String::new();
        for input in pair.receive.facts.inputs.iter().filter(|input| input.receive && input.required) {
            payout.push_str(if payout.is_empty() { "" } else { ", " });
            payout.push(open);
            payout.push_str(input.label.get(self.locale));
            payout.push(close);
        }
        let payout = if payout.is_empty() { self.plain_label("market.step_no_inputs") } else { &payout };
        let time = self.hold_text(pair.pair.hold_minutes);
        let (give, receive) = (&pair.give, &pair.receive);
        let steps: [(&str, Values<'_>); 3] = [
            ("market.step_1", &[("inputs", payout)]),
            (
                if give.facts.is_cash() { "market.step_2_cash" } else { "market.step_2" },
                &[("give", &self.name(give)), ("time", &time)],
            ),
            (if receive.facts.is_cash() { "market.step_3_cash" } else { "market.step_3" }, &[("receive", &self.name(receive))]),
        ];
        page.heading("market.steps");
        page.markup.push_str("<ol>");
        for (key, values) in steps {
            page.markup.push_str("<li>");
            page.filled(key, values);
            page.markup.push_str("</li>");
        }
        page.markup.push_str("</ol></section>");
    }

    fn answer_facts(&self, offered: &Offered<'_>, figures: &Figures) -> AnswerFacts {
        let Offered { pair, limits, .. } = offered;
        let handling = |currency| self.pages.calculator.payment_handling(currency);
        let least = pair.receive.facts.exact(limits.receive.min.value).map_or(0, agio_core::Amount::units);
        let automatic = handling(pair.pair.receive_id).automatic_payout.filter(|most| *most >= least);
        AnswerFacts {
            locale: self.locale,
            hold_minutes: pair.pair.hold_minutes,
            floating: pair.pair.floating,
            confirmations: handling(pair.pair.give_id).confirmations,
            automatic_payout: automatic.map(|most| self.money(pair.receive.amount(most).value(), &pair.receive)),
            fixed_fee: figures.fixed_fee.clone(),
            verification: pair.pair.verification,
        }
    }

    fn answers(&self, facts: &AnswerFacts) -> Answers {
        let arrival = match facts.confirmations {
            Some(count) => self.plain_text("market.time_confirmations", &[("count", &count.to_string())]),
            None => self.plain_label("market.time_by_staff").to_owned(),
        };
        let payout = match &facts.automatic_payout {
            Some(most) => self.plain_text("market.time_payout_automatic", &[("amount", most)]),
            None => self.plain_label("market.time_payout_by_staff").to_owned(),
        };
        let fee = match &facts.fixed_fee {
            Some(amount) => self.plain_text("market.answer_fee_fixed", &[("amount", amount)]),
            None => self.plain_label("market.answer_fee_inside").to_owned(),
        };
        let rate = if facts.floating { "market.answer_rate_floating" } else { "market.answer_rate_fixed" };
        let answers = [
            ("market.question_time", format!("{arrival} {payout}")),
            ("market.question_rate", self.plain_text(rate, &[("time", &self.hold_text(facts.hold_minutes))])),
            ("market.question_fee", format!("{fee} {}", self.plain_label("market.answer_fee_own"))),
            ("market.question_verification", self.plain_label(verification_key(facts.verification, "answer")).to_owned()),
        ];
        let mut page = self.writer(DETAILS_BYTES);
        page.heading("market.questions");
        for (question, answer) in &answers {
            page.markup.push_str("<details><summary>");
            page.label(question);
            page.markup.push_str("</summary><div>");
            page.text(answer);
            page.markup.push_str("</div></details>");
        }
        page.markup.push_str("</section>");
        let html = page.markup.into_boxed_str();
        let data = questions(&html, self.locale, &self.pages.origin).as_deref().map(data_block).unwrap_or_default();
        Answers { html, data: data.into_boxed_str() }
    }

    /// Links to the reverse direction and to others with the same currencies.
    fn neighbours(&self, market: &Market, pair: &MarketPair, links: &DirectionLinks, page: &mut PageWriter<'_>) {
        let (give, receive) = (pair.pair.give_id, pair.pair.receive_id);
        let reverse = market.between(receive, give).and_then(|reverse| self.link(reverse));
        let lists = [
            (links.get(self, LinkSide::Given(give), market), receive),
            (links.get(self, LinkSide::Received(receive), market), give),
        ];
        let others = lists.iter().flat_map(|(list, own)| list.iter().filter(move |(other, _)| other != own).take(NEIGHBOURS));
        let mut items = reverse.iter().chain(others.map(|(_, link)| link)).peekable();
        page.heading("market.others");
        if items.peek().is_some() {
            page.markup.push_str("<ul>");
            items.for_each(|item| page.markup.push_str(item));
            page.markup.push_str("</ul>");
        }
        page.markup.push_str("<p>");
        page.link(self.locale, &["/rates"], self.plain_label("market.all"));
        page.markup.push_str("</p></section>");
    }

    /// `None` unless staff offer the pair.
    fn link(&self, pair: &MarketPair) -> Option<String> {
        let (address, name) = (slug(pair).filter(|_| pair.is_offered())?, escape(&self.heading(pair)));
        Some(format!("<li><a href=\"{}/exchange/{address}/\">{name}</a></li>", prefix(self.locale)))
    }

    fn structured_data(
        &self,
        subject: Subject<'_>,
        offered: Option<&Offered<'_>>,
        slug: &str,
        heading: &str,
        site: &str,
    ) -> String {
        let pair = subject.pair;
        let home = format!("{}{}", self.pages.origin.trim_end_matches('/'), prefix(self.locale));
        let address = format!("{home}/exchange/{slug}/");
        let mut crumbs = vec![(site, home.clone()), (self.plain_label("market.rates"), format!("{home}/rates"))];
        let direction = slug.split_once('/').map(|(direction, _)| (self.heading(pair), format!("{home}/exchange/{direction}/")));
        crumbs.extend(direction.as_ref().map(|(heading, address)| (heading.as_str(), address.clone())));
        crumbs.push((heading, address));
        let items = (1..).zip(&crumbs).map(|(position, (name, item))| ListItem { position, name, item }).collect();
        let rate = offered.map(|Offered { rate, .. }| SchemaItem::ExchangeRateSpecification {
            currency: &pair.give.facts.ticker,
            current_exchange_rate: UnitPriceSpecification {
                price: plain(rate.terms.parts().rate),
                price_currency: &pair.receive.facts.ticker,
            },
        });
        let graph = [SchemaItem::BreadcrumbList { item_list_element: items }].into_iter().chain(rate).collect();
        let data = SchemaGraph { context: "https://schema.org", graph };
        data_block(&serde_json::to_string(&data).expect("texts and numbers are JSON"))
    }

    fn heading_of(&self, Subject { pair, city }: Subject<'_>) -> String {
        let heading = self.heading(pair);
        let Some(city) = city else { return heading };
        self.plain_text("market.heading_city", &[("heading", &heading), ("city", city.name.get(self.locale))])
    }

    fn heading(&self, pair: &MarketPair) -> String {
        let sides = [
            ("give", &*self.side(&pair.give, ["market.from_card", "market.from_cash"])),
            ("receive", &self.side(&pair.receive, ["market.to_card", "market.to_cash"])),
        ];
        self.plain_text("market.heading", &sides)
    }

    /// A currency within the heading of a direction.
    fn side<'c>(&self, currency: &'c Currency, [card_key, cash_key]: [&str; 2]) -> Cow<'c, str> {
        let ticker = ("ticker", &*currency.facts.ticker);
        match self.card(currency) {
            Some(card) => self.plain_text(card_key, &[("card", card), ticker]).into(),
            None if currency.facts.is_cash() => self.plain_text(cash_key, &[ticker]).into(),
            None => self.name(currency),
        }
    }

    /// What a card of this bank is called after "card": taken from the label of the card's number.
    fn card<'c>(&self, currency: &'c Currency) -> Option<&'c str> {
        let input = currency.facts.inputs.iter().find(|input| input.kind == RequisiteKind::Card && input.receive)?;
        let label = input.label.get(self.locale);
        let card = match self.locale {
            Locale::Ru => label.strip_prefix("Номер карты "),
            Locale::En => label.strip_suffix(" card number"),
        };
        card.filter(|card| !card.is_empty())
    }

    /// A coin by its name and ticker, money by its ticker and the name of the bank. Names in Latin script stay
    /// undeclined in Russian sentences.
    fn name<'c>(&self, currency: &'c Currency) -> Cow<'c, str> {
        let facts = &currency.facts;
        let (name, ticker) = (facts.name.get(self.locale), &facts.ticker);
        match facts.kind {
            CurrencyKind::Crypto if facts.name.en.contains(ticker.as_str()) => facts.name.en.as_str().into(),
            CurrencyKind::Crypto => format!("{} ({ticker})", facts.name.en).into(),
            _ => format!("{ticker} ({name})").into(),
        }
    }

    /// A coin by its ticker and network, a bank by its name, as `shortName` of the site.
    fn short_name(&self, currency: &Currency) -> String {
        let facts = &currency.facts;
        let is_on_many_networks = ["USD", "DAI", "EUR"].iter().any(|start| facts.ticker.to_ascii_uppercase().starts_with(start));
        match facts.kind {
            CurrencyKind::Crypto if is_on_many_networks => format!("{}\u{a0}{}", facts.ticker, facts.network.get(self.locale)),
            CurrencyKind::Crypto => facts.ticker.clone(),
            _ => facts.name.get(self.locale).to_owned(),
        }
    }

    fn money(&self, value: Decimal, currency: &Currency) -> String {
        format!("{}\u{a0}{}", number(self.locale, value), unit(&currency.facts.ticker))
    }

    /// From ten thousand on without decimals, as `reserveText` of the site.
    fn reserve(&self, value: Decimal, currency: &Currency) -> String {
        let digits = if value >= Decimal::from(10_000) { 0 } else { LIMIT_DIGITS };
        self.money(significant(value, digits), currency)
    }

    /// One unit of the dearer currency in units of the cheaper, as `rateText` of the site.
    fn rate(&self, rate: Decimal, pair: &MarketPair) -> String {
        let inverse = Decimal::ONE.checked_div(rate).filter(|_| rate < Decimal::ONE);
        let (one, other, sign) = match inverse {
            Some(_) => (&pair.receive, &pair.give, '≈'),
            None => (&pair.give, &pair.receive, '='),
        };
        let value = significant(inverse.unwrap_or(rate), RATE_DIGITS);
        format!("1\u{a0}{} {sign} {}", unit(&one.facts.ticker), self.money(value, other))
    }

    /// The fixed fees of both sides. `None` without any.
    fn fixed_fee(&self, pair: &MarketPair) -> Option<String> {
        let parts = pair.rate.as_ref()?.terms.parts();
        let sides = [(parts.give_fee, &pair.give), (parts.receive_fee, &pair.receive)];
        let fees = sides.iter().filter(|(fee, _)| !fee.is_zero()).map(|(fee, currency)| self.money(*fee, currency));
        Some(fees.collect::<Vec<_>>().join(" + ")).filter(|fees| !fees.is_empty())
    }
}

fn verification_key(verification: Option<VerificationSubject>, what: &str) -> &'static str {
    match (verification, what) {
        (None, "fact") => "market.verification_none",
        (None, _) => "market.answer_verification_none",
        (Some(VerificationSubject::Card), "fact") => "market.verification_card",
        (Some(VerificationSubject::Card), _) => "market.answer_verification_card",
        (Some(VerificationSubject::Identity), "fact") => "market.verification_identity",
        (Some(VerificationSubject::Identity), _) => "market.answer_verification_identity",
    }
}

/// Structured data for search engines: <https://schema.org> in JSON-LD.
#[derive(Serialize)]
struct SchemaGraph<'s> {
    #[serde(rename = "@context")]
    context: &'s str,
    #[serde(rename = "@graph")]
    graph: Vec<SchemaItem<'s>>,
}

#[derive(Serialize)]
#[serde(tag = "@type", rename_all_fields = "camelCase")]
enum SchemaItem<'s> {
    BreadcrumbList { item_list_element: Vec<ListItem<'s>> },
    ExchangeRateSpecification { currency: &'s str, current_exchange_rate: UnitPriceSpecification<'s> },
}

#[derive(Serialize)]
#[serde(tag = "@type")]
struct ListItem<'s> {
    position: u8,
    name: &'s str,
    item: &'s str,
}

#[derive(Serialize)]
#[serde(tag = "@type", rename_all = "camelCase")]
struct UnitPriceSpecification<'s> {
    price: String,
    price_currency: &'s str,
}

/// The data that the calculator begins with (public-web/src/served/servedMarket.ts).
fn market_data(json: &str) -> String {
    format!("<script type=\"application/json\" id=\"market\">{}</script>", inside_a_script(json))
}

/// A placeholder for each payout field of a pair; one where there is none yet.
fn receive_blanks(pair: Option<&MarketPair>) -> String {
    let Some(pair) = pair else { return BLANK.to_owned() };
    pair.receive.facts.inputs.iter().filter(|input| input.receive).map(blank).collect()
}

/// A placeholder for each field about the payment.
fn give_blanks(pair: Option<&MarketPair>) -> String {
    let Some(pair) = pair else { return String::new() };
    pair.give.facts.inputs.iter().filter(|input| input.give).map(blank).collect()
}

fn blank(input: &agio_contracts::CurrencyInput) -> String {
    if input.hint.is_some() { format!("{BLANK}{HINT_BLANK}") } else { BLANK.to_owned() }
}

/// The sign of money that everyone knows, or the ticker.
fn unit(ticker: &str) -> &str {
    match ticker {
        "RUB" => "₽",
        "USD" => "$",
        "EUR" => "€",
        "UAH" => "₴",
        "KZT" => "₸",
        ticker => ticker,
    }
}

/// Cuts a decimal after so many significant digits, for reading; whole digits are never cut.
fn significant(value: Decimal, digits: u32) -> Decimal {
    let whole = value.trunc();
    if whole.is_zero() {
        return value.round_sf_with_strategy(digits, RoundingStrategy::ToZero).unwrap_or(value).normalize();
    }
    let whole_digits = u32::try_from(whole.abs().to_string().len()).unwrap_or(digits);
    value.round_dp_with_strategy(digits.saturating_sub(whole_digits), RoundingStrategy::ToZero).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_cuts_decimals_only() {
        let number = |text: &str| text.parse::<Decimal>().expect("a decimal number");
        for (value, digits, cut) in [
            ("6299908.04229", 7, "6299908"),
            ("0.0001234567891", 7, "0.0001234567"),
            ("12.3456", 3, "12.3"),
            ("123456", 2, "123456"),
        ] {
            assert_eq!(significant(number(value), digits), number(cut), "{value}");
        }
    }

    #[test]
    fn files_are_recognised_by_their_names() {
        assert!(matches!(
            MarketFile::parse("en/exchange/btc-to-eth/index.html"),
            Some(MarketFile::Direction(Locale::En, "btc-to-eth"))
        ));
        assert!(matches!(MarketFile::parse("sitemap-2.xml"), Some(MarketFile::Sitemap(Some(2)))));
        for other in ["faq/index.html", "sitemap-x.xml", "enough/index.html", "exchange/index.html", "opening.html"] {
            assert!(MarketFile::parse(other).is_none(), "{other}");
        }
    }
}
