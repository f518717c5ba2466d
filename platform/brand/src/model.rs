//! What an owner says about the exchange, beside its name and support address, which are settings.

use agio_core::Timestamp;
use agio_core::error::FieldError;
use agio_core::texts::{Bilingual, Locale, Texts};
use serde::{Deserialize, Serialize};

use crate::accent::{Color, DEFAULT_ACCENT, Theme};
use crate::schedule::WorkWeek;

/// Maximum lengths, in characters.
pub const NAME_MAX: usize = 40;
const DESCRIPTION_MAX: usize = 160;
const LINE_MAX: usize = 100;
const NOTE_MAX: usize = 500;
const LABEL_MAX: usize = 40;
const URL_MAX: usize = 300;

/// Maximum number of links.
pub const LINKS_MAX: usize = 12;

agio_core::named! {
    /// The heading a link of the footer stands under.
    BrandLinkKind {
        /// A channel or page of the exchange on another site.
        Social = "social",
        /// A page where customers rate the exchange.
        Review = "review",
    }
}

agio_core::named! {
    /// The typeface of the site.
    Typeface {
        /// The default.
        Geologica = "geologica",
        Inter = "inter",
        GolosText = "golos-text",
        Manrope = "manrope",
        Onest = "onest",
        Rubik = "rubik",
    }
}

#[expect(clippy::derivable_impls, reason = "`named!` writes the derives")]
impl Default for Typeface {
    fn default() -> Self {
        Self::Geologica
    }
}

impl Typeface {
    /// As the style sheet of the site names it.
    pub const fn family(self) -> &'static str {
        match self {
            Self::Geologica => "Geologica",
            Self::Inter => "Inter",
            Self::GolosText => "Golos Text",
            Self::Manrope => "Manrope",
            Self::Onest => "Onest",
            Self::Rubik => "Rubik",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BrandLink {
    pub kind: BrandLinkKind,
    pub label: String,
    /// HTTPS.
    pub url: String,
}

/// Every text may be empty. Nothing empty is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Brand {
    /// One sentence for the footer and search engines.
    pub description: Bilingual,
    /// `#rrggbb`; empty for the default.
    pub accent: String,
    /// The accent of the dark theme; empty for the same as in the light theme.
    pub accent_dark: String,
    pub typeface: Typeface,
    /// User name without `@`.
    pub telegram: String,
    pub phone: String,
    pub work_week: WorkWeek,
    /// What else is to be said of the working hours.
    pub hours: Bilingual,
    /// The end of the footer, such as the company's name and registration.
    pub note: Bilingual,
    pub links: Vec<BrandLink>,
    /// Whether the logo contains the name, so that it is not repeated beside it.
    pub logo_has_name: bool,
    /// Whether the footer names the software.
    pub shows_software: bool,
}

impl Brand {
    /// The accents of both themes, unless they are the default.
    pub fn accents(&self) -> Option<(Color, Color)> {
        let light = Color::parse(&self.accent);
        let dark = Color::parse(&self.accent_dark).or(light);
        let other = |color: Option<Color>| color.unwrap_or(DEFAULT_ACCENT);
        (light.is_some() || dark.is_some()).then(|| (other(light), other(dark)))
    }

    /// The URL of the Telegram account.
    pub fn telegram_url(&self) -> Option<String> {
        (!self.telegram.is_empty()).then(|| format!("https://t.me/{}", self.telegram))
    }

    /// How to reach the exchange besides email, one line each.
    pub fn contact_lines(&self, texts: &Texts, locale: Locale, now: Timestamp) -> impl Iterator<Item = String> {
        let telegram = self.telegram_url().map(|url| format!("Telegram: {url}"));
        // A letter is read later: it says the hours, not whether they are running.
        let hours = self.work_week.status(now).map(|(status, _)| status.hours_text(&self.work_week, texts, locale));
        let others = [self.phone.clone(), hours.unwrap_or_default(), self.hours.get(locale).to_owned()];
        telegram.into_iter().chain(others.into_iter().filter(|line| !line.is_empty()))
    }

    /// Removes what surrounds the texts.
    pub(crate) fn trimmed(mut self) -> Self {
        let lines = [&mut self.accent, &mut self.accent_dark, &mut self.telegram, &mut self.phone, &mut self.work_week.time_zone];
        let texts = [&mut self.description, &mut self.hours, &mut self.note];
        let texts = texts.into_iter().flat_map(|text| [&mut text.ru, &mut text.en]);
        let links = self.links.iter_mut().flat_map(|link| [&mut link.label, &mut link.url]);
        for text in lines.into_iter().chain(texts).chain(links) {
            *text = text.trim().to_owned();
        }
        self.telegram = self.telegram.trim_start_matches("https://t.me/").trim_start_matches('@').to_owned();
        self
    }

    /// Everything that is wrong with the values.
    pub fn errors(&self) -> Vec<FieldError> {
        let mut errors = Vec::new();
        let texts = [
            ("description", &self.description, DESCRIPTION_MAX),
            ("hours", &self.hours, LINE_MAX),
            ("note", &self.note, NOTE_MAX),
        ];
        for (name, text, max) in texts {
            errors.extend(check_text(&format!("{name}.ru"), &text.ru, max));
            errors.extend(check_text(&format!("{name}.en"), &text.en, max));
        }
        errors.extend(self.check_accents());
        errors.extend(self.work_week.errors("workWeek"));
        if !(self.telegram.is_empty() || is_telegram_name(&self.telegram)) {
            errors.push(FieldError::new("telegram", "brand_telegram"));
        }
        if !(self.phone.is_empty() || is_phone(&self.phone)) {
            errors.push(FieldError::new("phone", "brand_phone"));
        }
        if self.links.len() > LINKS_MAX {
            errors.push(FieldError::new("links", "brand_links").with("max", LINKS_MAX));
        }
        for (index, link) in self.links.iter().enumerate() {
            let label = format!("links.{index}.label");
            if link.label.is_empty() {
                errors.push(FieldError::new(label, "required"));
            } else {
                errors.extend(check_text(&label, &link.label, LABEL_MAX));
            }
            if !is_https(&link.url) {
                errors.push(FieldError::new(format!("links.{index}.url"), "brand_url"));
            }
        }
        errors
    }

    /// Without an accent of its own, the dark theme has to bear the light one.
    fn check_accents(&self) -> Vec<FieldError> {
        let of = |field: &str, text: &str, themes: &[Theme]| match Color::parse(text) {
            None if text.is_empty() => None,
            None => Some(FieldError::new(field, "accent_format")),
            Some(color) => themes.iter().find_map(|theme| color.check(field, *theme).err()),
        };
        let themes: &[Theme] = if self.accent_dark.is_empty() { &[Theme::Light, Theme::Dark] } else { &[Theme::Light] };
        [of("accent", &self.accent, themes), of("accentDark", &self.accent_dark, &[Theme::Dark])].into_iter().flatten().collect()
    }
}

/// The name of an exchange: it stands in titles and in the sender of emails.
///
/// # Errors
/// `required`, `text_too_long` and `brand_text`.
pub fn check_name(field: &str, name: &str) -> Option<FieldError> {
    if name.trim().is_empty() { Some(FieldError::new(field, "required")) } else { check_text(field, name, NAME_MAX) }
}

fn check_text(field: &str, text: &str, max: usize) -> Option<FieldError> {
    // Marks of the writing direction could show another text than the one that was checked.
    let is_hidden =
        |c: char| c.is_control() || matches!(c, '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if text.chars().count() > max {
        return Some(FieldError::new(field, "text_too_long").with("max", max));
    }
    text.contains(is_hidden).then(|| FieldError::new(field, "brand_text"))
}

fn is_telegram_name(name: &str) -> bool {
    (5..=32).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn is_phone(phone: &str) -> bool {
    let digits = phone.bytes().filter(u8::is_ascii_digit).count();
    (5..=15).contains(&digits) && phone.len() <= 30 && phone.bytes().all(|byte| byte.is_ascii_digit() || b"+-() ".contains(&byte))
}

/// Whether a URL is absolute, HTTPS, of a public host name and harmless in an attribute.
pub fn is_https(url: &str) -> bool {
    let Some(rest) = url.strip_prefix("https://").filter(|_| url.len() <= URL_MAX) else { return false };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let is_label = |label: &str| !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let is_visible = url.bytes().all(|byte| byte.is_ascii_graphic() && !b"\"'<>\\".contains(&byte));
    host.contains('.') && host.split('.').all(is_label) && is_visible
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::WorkDay;

    fn codes(brand: &Brand) -> Vec<(String, &'static str)> {
        brand.errors().into_iter().map(|error| (error.field, error.code)).collect()
    }

    fn link(url: &str) -> BrandLink {
        BrandLink { kind: BrandLinkKind::Social, label: "Channel".to_owned(), url: url.to_owned() }
    }

    #[test]
    fn an_empty_brand_is_valid_and_has_the_default_accent() {
        assert_eq!((codes(&Brand::default()), Brand::default().accents()), (vec![], None));
        assert_eq!(serde_json::from_str::<Brand>("{}").unwrap(), Brand::default());
    }

    #[test]
    fn the_accent_of_the_dark_theme_is_checked_on_its_own() {
        let navy = Brand { accent: "#1e1b4b".to_owned(), ..Brand::default() };
        assert_eq!(codes(&navy), [("accent".to_owned(), "accent_too_dark")]);
        let both = Brand { accent_dark: "#a5b4fc".to_owned(), ..navy };
        assert_eq!(codes(&both), []);
        assert_eq!(
            both.accents().map(|(light, dark)| (light.to_string(), dark.to_string())),
            Some(("#1e1b4b".to_owned(), "#a5b4fc".to_owned()))
        );
        let wrong = Brand { accent: "blue".to_owned(), accent_dark: "#000000".to_owned(), ..Brand::default() };
        assert_eq!(codes(&wrong), [("accent".to_owned(), "accent_format"), ("accentDark".to_owned(), "accent_too_dark")]);
    }

    #[test]
    fn only_https_urls_of_public_hosts_are_accepted() {
        for url in ["https://t.me/obmen", "https://www.bestchange.com/obmen-exchanger.html?a=1#reviews"] {
            assert_eq!(codes(&Brand { links: vec![link(url)], ..Brand::default() }), [], "{url}");
        }
        for url in [
            "",
            "http://a.example",
            "javascript:alert(1)",
            "https://",
            "https://localhost",
            "//a.example",
            "https://a.example/\"onload=",
            "https://a.example/<b>",
            "https://user@a.example",
            "https://a.example:80",
            "https://a..example",
            "https://a.example/ б",
        ] {
            let found = codes(&Brand { links: vec![link(url)], ..Brand::default() });
            assert_eq!(found, [("links.0.url".to_owned(), "brand_url")], "{url}");
        }
        let many = Brand { links: vec![link("https://a.example"); LINKS_MAX + 1], ..Brand::default() };
        assert_eq!(codes(&many), [("links".to_owned(), "brand_links")]);
    }

    #[test]
    fn contacts_are_normalised() {
        let brand =
            Brand { telegram: " @obmen_bot ".to_owned(), phone: "+7 (999) 123-45-67".to_owned(), ..Brand::default() }.trimmed();
        assert_eq!((codes(&brand), brand.telegram_url().as_deref()), (vec![], Some("https://t.me/obmen_bot")));
        let texts = Texts::merge(&[crate::DICTIONARY]).unwrap();
        let day = WorkDay { from: "09:00".to_owned(), to: "21:00".to_owned() };
        let mut days = vec![day; 5];
        days.resize(7, WorkDay::default());
        let work_week = WorkWeek { time_zone: "Europe/Moscow".to_owned(), days };
        let brand = Brand { work_week, ..brand };
        assert_eq!(
            brand.contact_lines(&texts, Locale::Ru, Timestamp(0)).collect::<Vec<_>>(),
            ["Telegram: https://t.me/obmen_bot", "+7 (999) 123-45-67", "Часы работы: пн–пт 09:00–21:00, сб–вс выходной (UTC+3)"]
        );
        let wrong = Brand { telegram: "a/b".to_owned(), phone: "call".to_owned(), ..Brand::default() };
        assert_eq!(codes(&wrong), [("telegram".to_owned(), "brand_telegram"), ("phone".to_owned(), "brand_phone")]);
    }

    #[test]
    fn hidden_characters_are_rejected() {
        assert_eq!(check_name("siteName", "Obmen\u{202e}").map(|error| error.code), Some("brand_text"));
        assert_eq!(check_name("siteName", "Obmen\nX-Header: 1").map(|error| error.code), Some("brand_text"));
        assert_eq!(check_name("siteName", &"я".repeat(NAME_MAX)), None);
        assert_eq!(check_name("siteName", &"я".repeat(NAME_MAX + 1)).map(|error| error.code), Some("text_too_long"));
    }
}
