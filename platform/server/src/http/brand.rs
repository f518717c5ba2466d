//! The brand on pages: fills the slots that the build leaves, and serves the owner's pictures and accent.
//!
//! The build cannot know the name, so every page carries slots. What depends on whether something exists, such as the
//! links of the footer, is markup that is written here once: the page contains it, and the scripts take the same markup
//! from a data block, so that both agree.

use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use agio_brand::{Brand, BrandFile, BrandFileKind, BrandLinkKind, Brands, Color, CurrentBrand, INK, LOGO, Typeface, WorkStatus};
use agio_content::Content;
use agio_contracts::MessengerProvider;
use agio_core::error::Params;
use agio_core::hex;
use agio_core::markup::escape;
use agio_core::settings::Settings;
use agio_core::texts::{Locale, Texts};
use agio_push::BROWSER_NOTIFICATIONS;
use agio_reviews::Reviews;
use poem::http::{Method, StatusCode, header};
use poem::{Request, Response};
use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::languages::{WITHOUT_SWITCH, in_one_language, only_language};
use super::news_pages::NewsPages;
use super::page_content::{PageContentProvider, fill_slots};
use super::review_pages::ReviewPages;

/// The slot of the name in the manifest.
const NAME_SLOT: &str = "\"AGIO_SLOT_NAME\"";
/// Stands in the head of every page.
const HEAD_SLOT: &str = "<!--brand-->";

const MANIFEST: &str = "manifest.webmanifest";
/// The home page, also while nothing can be exchanged.
const HOMES: [&str; 4] = ["index.html", "opening.html", "en/index.html", "en/opening.html"];

/// How the tag of a preloaded font begins (public-web/scripts/html.mjs).
const FONT_PRELOAD: &str = "<link rel=\"preload\" as=\"font\"";

const FOLDER: &str = "/brand/";
const STYLE: &str = "style.css";

/// Height of the logo at the top of pages, in CSS pixels.
const LOGO_HEIGHT: u32 = 32;
const LOGO_WIDTH_MAX: u32 = 180;
const LOGO_WIDTH_ON_PHONES: u32 = 120;

/// The name of the exchange on the pages of the console.
pub struct ConsolePages {
    pub brands: Brands,
}

impl PageContentProvider for ConsolePages {
    fn number(&self, _name: &str) -> u64 {
        self.brands.number()
    }

    fn fill(&self, _name: &str, page: &str) -> Option<String> {
        Some(fill_slots(page, &[("NAME", &escape(&self.brands.site_name()))]))
    }
}

/// Fills pages with the brand, and serves its files.
#[derive(Clone)]
pub struct BrandPages {
    pub brands: Brands,
    pub settings: Settings,
    pub reviews: Arc<Reviews>,
    pub content: Arc<Content>,
    pub messengers: Arc<dyn MessengerProvider>,
    /// Whether customers get emails.
    pub sends_emails: bool,
    pub texts: Arc<Texts>,
    /// The origin of the site: `https://exchange.example`.
    pub origin: String,
}

impl PageContentProvider for BrandPages {
    fn number(&self, _name: &str) -> u64 {
        let mut hasher = DefaultHasher::new();
        let has_news = !self.content.published_news().posts().is_empty();
        (self.brands.number(), only_language(&self.settings), self.reviews.published().count() > 0, has_news).hash(&mut hasher);
        (self.settings.is_on(BROWSER_NOTIFICATIONS), self.messengers.messengers()).hash(&mut hasher);
        hasher.finish()
    }

    fn fill(&self, name: &str, page: &str) -> Option<String> {
        let (current, site_name) = (self.brands.current(), self.brands.site_name());
        if name == MANIFEST {
            return Some(manifest(page, &site_name, &current));
        }
        let locale = if name.starts_with("en/") { Locale::En } else { Locale::Ru };
        let email = self.brands.support_email();
        let texts = BrandTexts { texts: &self.texts, locale };
        let status = self.brands.work_status();
        let closed = status.as_ref().and_then(|status| status.closed_text(&self.texts, locale));
        let (contacts, footer, motto) =
            (contacts(&current.brand, status.as_ref(), &texts), footer(&current, &texts), texts.motto(&current));
        let pages = ReviewPages::link(&self.reviews, &self.texts, locale) + &NewsPages::link(&self.content, &self.texts, locale);
        let mut page = fill_slots(
            page,
            &[
                ("NAME", &escape(&site_name)),
                ("EMAIL", &escape(&email)),
                ("MOTTO", &escape(&motto)),
                ("CONTACTS", &contacts),
                ("FOOTER", &footer),
                ("PAGES", &pages),
            ],
        );
        let description = current.brand.description.get(locale);
        if !description.is_empty() && HOMES.contains(&name) {
            for attribute in ["<meta name=\"description\" content=\"", "<meta property=\"og:description\" content=\""] {
                replace_value(&mut page, attribute, &escape(description));
            }
        }
        let data = json!({
            "name": site_name, "email": email, "motto": motto, "description": description, "contacts": contacts, "footer": footer,
            "pages": pages, "closed": closed, "sendsEmails": self.sends_emails,
            "browserNotifications": self.settings.is_on(BROWSER_NOTIFICATIONS),
            "messengers": self.messengers.messengers().iter().map(|messenger| json!({
                "name": messenger.name, "title": messenger.title.get(locale),
            })).collect::<Vec<_>>(),
        });
        if current.brand.typeface != Typeface::default() {
            page = without_font_preloads(&page);
        }
        let page = page.replacen(HEAD_SLOT, &self.head(&current, &site_name, locale, &data.to_string()), 1);
        Some(match only_language(&self.settings) {
            Some(only) => in_one_language(name, &page, only, self.origin.trim_end_matches('/')),
            None => page,
        })
    }
}

impl BrandPages {
    /// Answers a request for the owner's accent or a picture.
    pub fn respond(&self, request: &Request, path: &str) -> Option<Response> {
        let name = path.strip_prefix(FOLDER).filter(|_| matches!(*request.method(), Method::GET | Method::HEAD))?;
        if let Some(icon) = name.strip_suffix(".png").and_then(|name| self.brands.currency_icon(name)) {
            // Another icon has another name.
            let response = Response::builder().header(header::CACHE_CONTROL, "public, max-age=31536000, immutable");
            return Some(response.content_type("image/png").body(icon.to_vec()));
        }
        let current = self.brands.current();
        let style = if name == STYLE { self.style(&current) } else { None };
        let file = style.as_ref().or_else(|| current.file(name))?;
        let is_versioned = request.uri().query() == Some(&format!("v={}", file.digest));
        let tag = format!("\"{}\"", file.digest);
        let response = Response::builder()
            .header(header::ETAG, &tag)
            .header(header::CACHE_CONTROL, if is_versioned { "public, max-age=31536000, immutable" } else { "no-cache" });
        Some(if request.header(header::IF_NONE_MATCH) == Some(&tag) {
            response.status(StatusCode::NOT_MODIFIED).finish()
        } else {
            response.content_type(&file.media_type).body(file.content.to_vec())
        })
    }

    fn style(&self, current: &CurrentBrand) -> Option<BrandFile> {
        style(current, only_language(&self.settings).is_some())
    }

    /// The tags of the head that every page has.
    fn head(&self, current: &CurrentBrand, site_name: &str, locale: Locale, data: &str) -> String {
        let (tab, apple) = match icons(current) {
            Some(icon) => (format!("<link rel=\"icon\" href=\"{}\" type=\"image/png\"/>", icon(48)), icon(180)),
            None => {
                ("<link rel=\"icon\" href=\"/favicon.svg\" type=\"image/svg+xml\"/>".to_owned(), "/icons/icon-180.png".to_owned())
            }
        };
        let card = current.file("card.jpg").map_or_else(|| format!("/icons/card-{locale}.jpg"), BrandFile::path);
        let style =
            self.style(current).map(|file| format!("<link rel=\"stylesheet\" href=\"{}\"/>", file.path())).unwrap_or_default();
        // Data, not a script: the content security policy allows it.
        format!(
            "{tab}<link rel=\"apple-touch-icon\" href=\"{apple}\"/><meta property=\"og:site_name\" content=\"{}\"/>\
            <meta property=\"og:image\" content=\"{}{card}\"/><meta name=\"twitter:card\" content=\"summary_large_image\"/>\
            {style}<script type=\"application/json\" id=\"brand\">{}</script>",
            escape(site_name),
            escape(&self.origin),
            data.replace('<', "\\u003c"),
        )
    }
}

struct BrandTexts<'a> {
    texts: &'a Texts,
    locale: Locale,
}

impl BrandTexts<'_> {
    fn text(&self, key: &str) -> String {
        self.texts.get(self.locale, key, &Params::new())
    }

    fn motto(&self, current: &CurrentBrand) -> String {
        let own = current.brand.description.get(self.locale);
        if own.is_empty() { self.text("brand.motto") } else { own.to_owned() }
    }
}

/// The items of the list of contacts, after the support address.
fn contacts(brand: &Brand, status: Option<&WorkStatus>, texts: &BrandTexts<'_>) -> String {
    let mut items = String::new();
    if let Some(url) = brand.telegram_url() {
        let _ =
            write!(items, "<li><a href=\"{}\" rel=\"noopener\">Telegram: @{}</a></li>", escape(&url), escape(&brand.telegram));
    }
    if !brand.phone.is_empty() {
        let number: String = brand.phone.chars().filter(|c| c.is_ascii_digit() || *c == '+').collect();
        let _ = write!(items, "<li><a href=\"tel:{number}\">{}</a></li>", escape(&brand.phone));
    }
    if let Some(status) = status {
        let hours = status.hours_text(&brand.work_week, texts.texts, texts.locale);
        let mark = status.mark_text(texts.texts, texts.locale);
        let _ = write!(items, "<li>{}</li><li data-open=\"{}\">{}</li>", escape(&hours), status.is_open, escape(&mark));
    }
    let hours = brand.hours.get(texts.locale);
    if !hours.is_empty() {
        let _ = write!(items, "<li>{}</li>", escape(hours));
    }
    items
}

/// The last part of the footer.
fn footer(current: &CurrentBrand, texts: &BrandTexts<'_>) -> String {
    let brand = &current.brand;
    let mut markup = String::new();
    for (kind, title) in [(BrandLinkKind::Social, "brand.social"), (BrandLinkKind::Review, "brand.reviews")] {
        let links = brand.links.iter().filter(|link| link.kind == kind);
        let items: String = links
            .map(|link| format!("<li><a href=\"{}\" rel=\"noopener\">{}</a></li>", escape(&link.url), escape(&link.label)))
            .collect();
        if !items.is_empty() {
            let _ = write!(markup, "<nav><h2>{}</h2><ul>{items}</ul></nav>", escape(&texts.text(title)));
        }
    }
    let software = if brand.shows_software { texts.text("brand.software") } else { String::new() };
    for line in [brand.note.get(texts.locale), &software].into_iter().filter(|line| !line.is_empty()) {
        let _ = write!(markup, "<p>{}</p>", escape(line));
    }
    markup
}

/// The manifest of the installable site with the owner's name and icons.
fn manifest(template: &str, site_name: &str, current: &CurrentBrand) -> String {
    let name = serde_json::Value::from(site_name).to_string();
    let named = template.replace(NAME_SLOT, &name);
    icons(current).into_iter().fold(named, |text, icon| {
        [192, 512].into_iter().fold(text, |text, size| text.replace(&format!("/icons/icon-{size}.png"), &icon(size)))
    })
}

/// The path of an icon of the owner by its side. The uploaded icon goes before the logo.
fn icons(current: &CurrentBrand) -> Option<impl Fn(u32) -> String> {
    let of = |kind| current.files.iter().any(|file| file.kind == kind);
    let name = match (of(BrandFileKind::Icon), of(BrandFileKind::Logo)) {
        (true, _) => "icon",
        (false, true) => "logo-icon",
        (false, false) => return None,
    };
    Some(move |size: u32| current.file(&format!("{name}-{size}.png")).map(BrandFile::path).unwrap_or_default())
}

/// The build preloads the default typeface.
fn without_font_preloads(page: &str) -> String {
    let mut pieces = page.split(FONT_PRELOAD);
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |kept, piece| kept + piece.split_once('>').map_or("", |(_, rest)| rest))
}

/// What is not the default of the accent, the typeface, the logo and the languages, as a style sheet; `None` for nothing.
fn style(current: &CurrentBrand, has_one_language: bool) -> Option<BrandFile> {
    let mut css = if has_one_language { WITHOUT_SWITCH.to_owned() } else { String::new() };
    if let Some((light, dark)) = current.brand.accents() {
        // A pressed button moves away from the colour of its text, so that the text stays readable.
        let press = |accent: Color| {
            format!("color-mix(in oklab, {accent} 88%, {})", if accent.text_on() == INK { "#fff" } else { "#000" })
        };
        let _ = write!(
            css,
            ":root:root{{--accent:light-dark({light},{dark});--accent-press:light-dark({},{});--on-accent:light-dark({},{});\
            --accent-wash:light-dark(color-mix(in oklab, {light} 12%, #fbfdfb),color-mix(in oklab, {dark} 16%, #0d1c1d))}}",
            press(light),
            press(dark),
            light.text_on(),
            dark.text_on(),
        );
    }
    if current.brand.typeface != Typeface::default() {
        let family = current.brand.typeface.family();
        let _ = write!(css, ":root:root{{--font:\"{family}\",\"{family} Fallback\",system-ui,sans-serif}}");
    }
    if let Some(logo) = current.file(LOGO) {
        let (width, height) = png_size(&logo.content).unwrap_or((1, 1));
        let width = (width * LOGO_HEIGHT).div_ceil(height.max(1)).clamp(1, LOGO_WIDTH_MAX);
        let path = logo.path();
        let _ = write!(
            css,
            ":root [data-mark]{{width:{width}px;height:{LOGO_HEIGHT}px;background:url(\"{path}\") left center/contain no-repeat}}\
            :root [data-mark] use{{display:none}}"
        );
        // A wide logo leaves no space for the name on a phone.
        let phone = "@media(max-width:720px)";
        let _ = write!(css, "{phone}{{:root [data-mark]{{width:{}px}}}}", width.min(LOGO_WIDTH_ON_PHONES));
        match (current.brand.logo_has_name, width > 2 * LOGO_HEIGHT) {
            (true, _) => css.push_str(":root [data-mark]+span{display:none}"),
            (false, true) => css.push_str(&format!("{phone}{{:root [data-mark]+span{{display:none}}}}")),
            (false, false) => {}
        }
    }
    let file = |css: String| BrandFile {
        kind: BrandFileKind::Logo,
        name: STYLE.to_owned(),
        media_type: "text/css; charset=utf-8".to_owned(),
        digest: hex::encode(&Sha256::digest(&css)[..8]),
        content: css.into_bytes().into(),
    };
    (!css.is_empty()).then(|| file(css))
}

/// Width and height in the header of a PNG.
fn png_size(content: &[u8]) -> Option<(u32, u32)> {
    let number = |at: usize| content.get(at..at + 4)?.try_into().ok().map(u32::from_be_bytes);
    Some((number(16)?, number(20)?))
}

/// Replaces the value of an attribute whose tag begins so.
fn replace_value(page: &mut String, start: &str, value: &str) {
    if let Some(from) = page.find(start).map(|at| at + start.len())
        && let Some(length) = page[from..].find('"')
    {
        page.replace_range(from..from + length, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_build_writes_the_same_slots() {
        let source = include_str!("../../../../public-web/src/brand.ts");
        for slot in ["NAME", "EMAIL", "MOTTO", "CONTACTS", "FOOTER", "PAGES"] {
            assert!(source.contains(&format!("'AGIO_SLOT_{slot}'")), "{slot}");
        }
        assert!(include_str!("../../../../public-web/index.html").contains(HEAD_SLOT));
        assert!(include_str!("../../../../public-web/scripts/html.mjs").contains(FONT_PRELOAD));
        assert_eq!(include_str!("../../../../admin-web/index.html").matches("AGIO_SLOT_NAME").count(), 2);
        let typefaces = [
            include_str!("../../../../public-web/src/styles/fonts.css"),
            include_str!("../../../../public-web/src/styles/typefaces.css"),
        ]
        .concat();
        for family in Typeface::ALL.map(Typeface::family) {
            for name in [family.to_owned(), format!("{family} Fallback")] {
                assert!(typefaces.contains(&format!("font-family: \"{name}\"")), "{name}");
            }
        }
        assert!(include_str!("../../../../public-web/public/manifest.webmanifest").contains(NAME_SLOT));
    }

    #[test]
    fn only_fonts_are_no_longer_preloaded() {
        let link = |kind: &str| format!("<link rel=\"preload\" as=\"{kind}\" href=\"/a\"/>");
        let page = format!("<head>{}{}{}</head>", link("font"), link("image"), link("font"));
        assert_eq!(without_font_preloads(&page), format!("<head>{}</head>", link("image")));
    }

    #[test]
    fn a_value_is_replaced_within_its_attribute() {
        let mut page = "<meta name=\"description\" content=\"old\"/><p>old</p>".to_owned();
        replace_value(&mut page, "<meta name=\"description\" content=\"", "new");
        replace_value(&mut page, "<meta name=\"author\" content=\"", "nobody");
        assert_eq!(page, "<meta name=\"description\" content=\"new\"/><p>old</p>");
    }
}
