//! Renders an email's texts into one layout, as plain text and as HTML that mail programs show alike.

use agio_brand::{BrandFile, Color, CurrentBrand, DEFAULT_ACCENT, INK, LOGO};
use agio_core::error::Params;
use agio_core::markup::escape;
use agio_core::texts::{Locale, Texts, fill};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::{Deserialize, Serialize};

use crate::{Email, EmailDetail, EmailHeadline, UnsubscribeLinks};

/// HTML layout. Styles are inline, because many programs drop everything else.
const LAYOUT: &str = include_str!("layout.html");

const PARAGRAPH: &str = r#"<p class="ink" style="margin:0 0 16px;color:#122b2c">"#;
const QUOTE: &str = "margin:0 0 16px;padding:0 0 0 14px;color:#122b2c;overflow-wrap:anywhere";
const TABLE: &str =
    r#"<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 16px">"#;
const LABEL: &str =
    r#"<td class="muted" valign="top" style="padding:3px 12px 3px 0;font-size:13px;line-height:20px;color:#4d6160">"#;
const VALUE: &str = r#"<td class="ink" valign="top" style="padding:3px 0;font-size:15px;line-height:20px;color:#122b2c;overflow-wrap:anywhere;word-break:break-word">"#;
const BUTTON: &str =
    "display:inline-block;margin:8px 0 20px;padding:13px 22px;border-radius:10px;text-decoration:none;font-weight:600";
const MARK: &str = "display:inline-block;width:11px;height:11px;border-radius:3px";
const LINK: &str = "color:#122b2c;font-size:13px;overflow-wrap:anywhere";
const SMALL: &str = "margin:0;font-size:13px;line-height:20px;color:#4d6160;overflow-wrap:anywhere";

/// Maximum length of a subject, in characters.
const SUBJECT_MAX: usize = 150;

/// The name of the picture that a delivered email carries.
pub const LOGO_ID: &str = "logo";

/// The owner's logo at the head of an email.
#[derive(Clone, Debug)]
pub struct EmailLogo {
    /// The address of the picture.
    source: String,
    /// Whether it contains the name, so that it is not repeated beside it.
    has_name: bool,
}

impl EmailLogo {
    /// For a page that shows the email.
    pub fn within(brand: &CurrentBrand) -> Option<Self> {
        let encoded = |file: &BrandFile| format!("data:{};base64,{}", file.media_type, BASE64_STANDARD.encode(&file.content));
        Some(Self { source: encoded(brand.file(LOGO)?), has_name: brand.brand.logo_has_name })
    }

    /// For an email that carries the picture as [`LOGO_ID`]: many mail programs load no others.
    pub(crate) fn attached(brand: &CurrentBrand) -> Option<(Self, &BrandFile)> {
        let file = brand.file(LOGO)?;
        Some((Self { source: format!("cid:{LOGO_ID}"), has_name: brand.brand.logo_has_name }, file))
    }
}

pub struct EmailLayout {
    pub brand: String,
    /// URL of the site, without a trailing slash.
    pub site: String,
    /// Support address.
    pub support: String,
    /// How to reach the exchange besides email, one line each.
    pub contacts: Vec<String>,
    /// `None` for the default.
    pub accent: Option<Color>,
}

/// The subject and the text of an email in one language.
pub fn render(texts: &Texts, layout: &EmailLayout, email: &Email, locale: Locale) -> (String, EmailText) {
    let params = params(email);
    let text = |part: &str| texts.get(locale, &format!("mail.{}.{part}", email.kind), &params);
    let frame = |part: &str, params: &Params| texts.get(locale, &format!("mail.frame.{part}"), params);
    let rendered = EmailText {
        locale,
        body: text("body").trim().to_owned(),
        details: email.details.iter().map(one_line).collect(),
        quoted: email.quote.as_deref().map(paragraphs).unwrap_or_default(),
        listed: email.links.iter().map(|(label, link)| (line(label), address(&layout.site, link, locale))).collect(),
        button: email.button.as_ref().map(|link| (text("button"), address(&layout.site, link, locale))),
        copy: frame("link", &Params::new()),
        support: frame("support", &Params::from([("email", line(&layout.support))])),
        contacts: layout.contacts.iter().map(|contact| line(contact)).collect(),
        accent: layout.accent.map(|accent| (accent.to_string(), accent.text_on().to_string())),
        reason: frame("reason", &Params::from([("brand", line(&layout.brand)), ("site", layout.site.clone())])),
        unsubscribe: email.unsubscribe.as_ref().map(|UnsubscribeLinks { label, page, one_click }| UnsubscribeLinks {
            label: line(label),
            page: address(&layout.site, page, locale),
            one_click: address(&layout.site, one_click, locale),
        }),
    };
    (subject(texts, email, locale), rendered)
}

/// The subject and the button of an email, whose target is a path of the site.
pub fn headline(texts: &Texts, email: &Email, locale: Locale) -> EmailHeadline {
    let label = || texts.get(locale, &format!("mail.{}.button", email.kind), &params(email));
    EmailHeadline {
        subject: subject(texts, email, locale),
        button: email.button.as_ref().map(|path| (label(), address("", path, locale))),
    }
}

fn subject(texts: &Texts, email: &Email, locale: Locale) -> String {
    let text = texts.get(locale, &format!("mail.{}.subject", email.kind), &params(email));
    line(&text).chars().take(SUBJECT_MAX).collect()
}

fn params(email: &Email) -> Params {
    email.params.iter().map(|(name, value)| (*name, line(value))).collect()
}

/// Everything an email says under its subject, in order. This is stored; the layout is applied on delivery.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EmailText {
    locale: Locale,
    /// Paragraphs separated by empty lines.
    body: String,
    /// Absent in emails stored by old versions.
    #[serde(default)]
    details: Vec<EmailDetail>,
    /// Quoted text: paragraphs of lines.
    quoted: Vec<Vec<String>>,
    /// Links: label and URL.
    listed: Vec<(String, String)>,
    /// Button: label and URL.
    button: Option<(String, String)>,
    copy: String,
    support: String,
    /// Lines after the support address. Absent in emails stored by old versions, as is the accent.
    #[serde(default)]
    contacts: Vec<String>,
    /// The accent and the text on it: `#rrggbb`. `None` for the default.
    accent: Option<(String, String)>,
    reason: String,
    /// Absent in emails stored by old versions.
    pub unsubscribe: Option<UnsubscribeLinks>,
}

impl EmailText {
    pub fn plain(&self, subject: &str) -> String {
        let Self { body, listed, button, support, reason, .. } = self;
        let mut details = String::new();
        for EmailDetail { label, value, link } in &self.details {
            details.push_str(&format!("{label}: {value}\n"));
            details.extend(link.iter().map(|link| format!("{link}\n")));
        }
        if !details.is_empty() {
            details.push('\n');
        }
        let quoted: String = self.quoted.iter().map(|lines| format!("> {}\n\n", lines.join("\n> "))).collect();
        let listed: String = listed.iter().map(|(label, link)| format!("{label}\n{link}\n\n")).collect();
        let button = button.as_ref().map(|(label, link)| format!("{label}:\n{link}\n\n")).unwrap_or_default();
        // Two dashes and a space start a signature.
        let contacts: String = self.contacts.iter().map(|contact| format!("{contact}\n")).collect();
        let unsubscribe = self.unsubscribe.as_ref().map(|links| format!("{}: {}\n", links.label, links.page)).unwrap_or_default();
        format!("{subject}\n\n{body}\n\n{details}{quoted}{listed}{button}-- \n{support}\n{contacts}{reason}\n{unsubscribe}")
    }

    pub fn html(&self, brand: &str, logo: Option<&EmailLogo>, subject: &str) -> String {
        let (accent, on_accent) = self.accent.clone().unwrap_or_else(|| (DEFAULT_ACCENT.to_string(), INK.to_string()));
        let mut body = String::new();
        for paragraph in self.body.split("\n\n") {
            let lines: Vec<_> = paragraph.lines().map(escape).collect();
            body.push_str(&format!("{PARAGRAPH}{}</p>\n", lines.join("<br>")));
        }
        if !self.details.is_empty() {
            let rows: String = self.details.iter().map(row).collect();
            body.push_str(&format!("{TABLE}\n{rows}</table>\n"));
        }
        for lines in &self.quoted {
            let lines: Vec<_> = lines.iter().map(|line| escape(line)).collect();
            let style = format!("{QUOTE};border-left:3px solid {accent}");
            body.push_str(&format!("<p class=\"ink\" style=\"{style}\">{}</p>\n", lines.join("<br>")));
        }
        for (label, link) in &self.listed {
            let (label, link) = (escape(label), escape(link));
            body.push_str(&format!("{PARAGRAPH}{label}<br><a class=\"ink\" href=\"{link}\" style=\"{LINK}\">{link}</a></p>\n"));
        }
        if let Some((label, link)) = &self.button {
            let (label, link, copy) = (escape(label), escape(link), escape(&self.copy));
            let style = format!("{BUTTON};background:{accent};color:{on_accent}");
            body.push_str(&format!("<a href=\"{link}\" style=\"{style}\">{label}</a>\n"));
            body.push_str(&format!("<p class=\"muted\" style=\"{SMALL}\">{copy}<br><a class=\"muted\" href=\"{link}\" style=\"color:#4d6160\">{link}</a></p>"));
        }
        let parts = Params::from([
            ("lang", self.locale.to_string()),
            ("head", head(&escape(&line(brand)), logo, &accent)),
            ("subject", escape(subject)),
            ("body", body),
            (
                "support",
                std::iter::once(&self.support).chain(&self.contacts).map(|line| escape(line)).collect::<Vec<_>>().join("<br>"),
            ),
            (
                "reason",
                match &self.unsubscribe {
                    None => escape(&self.reason),
                    Some(UnsubscribeLinks { label, page, .. }) => format!(
                        "{}<br><a class=\"muted\" href=\"{}\" style=\"color:#4d6160\">{}</a>",
                        escape(&self.reason),
                        escape(page),
                        escape(label)
                    ),
                },
            ),
        ]);
        fill(LAYOUT, &parts)
    }
}

/// The logo, or a mark in the accent, and the name.
fn head(brand: &str, logo: Option<&EmailLogo>, accent: &str) -> String {
    let picture = |source: &str, name: &str| {
        format!("<img src=\"{source}\" alt=\"{name}\" height=\"32\" style=\"height:32px;border:0;vertical-align:middle\">")
    };
    match logo {
        Some(EmailLogo { source, has_name: true }) => picture(source, brand),
        Some(EmailLogo { source, has_name: false }) => format!("{} {brand}", picture(source, "")),
        None => format!("<span aria-hidden=\"true\" style=\"{MARK};background:{accent}\"></span> {brand}"),
    }
}

fn one_line(detail: &EmailDetail) -> EmailDetail {
    EmailDetail { label: line(&detail.label), value: line(&detail.value), link: detail.link.clone() }
}

fn row(EmailDetail { label, value, link }: &EmailDetail) -> String {
    let value = escape(value);
    let shown = match link {
        Some(link) => format!("<a class=\"ink\" href=\"{}\" style=\"color:#122b2c\">{value}</a>", escape(link)),
        None => value,
    };
    format!("<tr>{LABEL}{}</td>{VALUE}{shown}</td></tr>\n", escape(label))
}

/// Absolute URL of a link.
fn address(site: &str, link: &str, locale: Locale) -> String {
    match (link.starts_with('/'), locale) {
        (true, Locale::Ru) => format!("{site}{link}"),
        (true, Locale::En) => format!("{site}/en{link}"),
        (false, _) => link.to_owned(),
    }
}

/// Splits quoted text into paragraphs of sanitised lines.
fn paragraphs(text: &str) -> Vec<Vec<String>> {
    let parts = text.split("\n\n").map(|part| part.lines().map(line).filter(|line| !line.is_empty()).collect::<Vec<_>>());
    parts.filter(|lines| !lines.is_empty()).collect()
}

/// Makes a value one line of visible text: it cannot end a header, start a paragraph or change the writing direction.
fn line(text: &str) -> String {
    let is_direction = |c: char| matches!(c, '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let visible = text.chars().filter(|c| !is_direction(*c));
    let spaced: String = visible.map(|c| if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') { ' ' } else { c }).collect();
    spaced.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use agio_core::texts::Dictionary;

    use super::*;

    const GREETING: Dictionary = Dictionary {
        crate_name: "test",
        ru: r#"{"mail.greeting.subject": "Привет, {name}", "mail.greeting.body": "Первый: {name}\nвторая строка\n\nВторой", "mail.greeting.button": "Открыть"}"#,
        en: r#"{"mail.greeting.subject": "Hello {name}", "mail.greeting.body": "First: {name}\nsecond line\n\nSecond", "mail.greeting.button": "Open"}"#,
    };

    struct RenderedForms {
        subject: String,
        text: String,
        html: String,
    }

    fn forms(texts: &Texts, layout: &EmailLayout, email: &Email, locale: Locale) -> RenderedForms {
        let (subject, text) = render(texts, layout, email, locale);
        RenderedForms { text: text.plain(&subject), html: text.html(&layout.brand, None, &subject), subject }
    }

    fn layout() -> EmailLayout {
        EmailLayout {
            brand: "A & B".into(),
            site: "https://agio.example".into(),
            support: "help@agio.example".into(),
            contacts: vec!["+7 999 123-45-67".into()],
            accent: Color::parse("#0f766e"),
        }
    }

    fn greeting(name: &str, locale: Locale) -> RenderedForms {
        let texts = Texts::merge(&[GREETING, crate::DICTIONARY]).unwrap();
        let layout = layout();
        let email = Email::new("greeting", ("test", "1".into())).with("name", name).with_button("/claim/1");
        forms(&texts, &layout, &email, locale)
    }

    #[test]
    fn text_and_html_have_the_same_content() {
        let email = greeting("Анна", Locale::Ru);
        assert_eq!(email.subject, "Привет, Анна");
        assert!(email.text.contains("Первый: Анна\nвторая строка\n\nВторой"), "{}", email.text);
        assert!(email.text.contains("Открыть:\nhttps://agio.example/claim/1\n"), "{}", email.text);
        assert!(email.text.contains("help@agio.example"));
        assert!(email.html.contains(r#"<html lang="ru">"#));
        assert!(email.html.contains("Первый: Анна<br>вторая строка</p>"), "{}", email.html);
        assert!(email.html.contains(r#"<a href="https://agio.example/claim/1""#));
        assert!(email.html.contains("A &amp; B") && !email.html.contains("A & B"));
        assert!(greeting("Anna", Locale::En).html.contains(r#"href="https://agio.example/en/claim/1""#));
    }

    #[test]
    fn the_accent_and_the_contacts_are_those_of_the_brand() {
        let email = greeting("Anna", Locale::En);
        assert!(email.html.contains(";background:#0f766e;color:#ffffff\">Open</a>"), "{}", email.html);
        assert!(!email.html.contains("ffd23f"), "{}", email.html);
        assert!(email.html.contains("help@agio.example<br>+7 999 123-45-67<br>"), "{}", email.html);
        assert!(email.text.contains("help@agio.example\n+7 999 123-45-67\n"), "{}", email.text);
        let texts = Texts::merge(&[GREETING, crate::DICTIONARY]).unwrap();
        let plain = EmailLayout { contacts: Vec::new(), accent: None, ..layout() };
        let email = forms(&texts, &plain, &Email::new("greeting", ("test", "1".into())).with_button("/"), Locale::En);
        assert!(email.html.contains(";background:#ffd23f;color:#122b2c\">Open</a>"), "{}", email.html);
    }

    #[test]
    fn links_are_listed_after_the_body() {
        let texts = Texts::merge(&[GREETING, crate::DICTIONARY]).unwrap();
        let layout = layout();
        let email = Email::new("greeting", ("test", "1".into())).with("name", "Anna").with_link("No. 7 <b>", "/claim/7");
        let email = forms(&texts, &layout, &email, Locale::En);
        assert!(email.text.contains("Second\n\nNo. 7 <b>\nhttps://agio.example/en/claim/7\n\n-- "), "{}", email.text);
        assert!(
            email.html.contains("No. 7 &lt;b&gt;<br><a class=\"ink\" href=\"https://agio.example/en/claim/7\""),
            "{}",
            email.html
        );
    }

    #[test]
    fn details_are_rendered_as_a_table() {
        let texts = Texts::merge(&[GREETING, crate::DICTIONARY]).unwrap();
        let layout = layout();
        let email = Email::new("greeting", ("test", "1".into()))
            .with("name", "Anna")
            .with_detail("You send", "0.01 BTC\n<i>", None)
            .with_detail("Payout", "abc", Some("https://explorer.example/tx/abc?a=1&b=\"".into()));
        let email = forms(&texts, &layout, &email, Locale::En);
        let rows = "Second\n\nYou send: 0.01 BTC <i>\nPayout: abc\nhttps://explorer.example/tx/abc?a=1&b=\"\n\n-- ";
        assert!(email.text.contains(rows), "{}", email.text);
        assert!(email.html.contains("You send</td>") && email.html.contains("0.01 BTC &lt;i&gt;</td></tr>"), "{}", email.html);
        assert!(email.html.contains(r#"href="https://explorer.example/tx/abc?a=1&amp;b=&quot;""#), "{}", email.html);
    }

    #[test]
    fn a_quote_keeps_its_paragraphs_and_is_escaped() {
        let texts = Texts::merge(&[GREETING, crate::DICTIONARY]).unwrap();
        let layout = layout();
        let email =
            Email::new("greeting", ("test", "1".into())).with("name", "Anna").with_quote("One <b>\ntwo\n\n\n-- \n{name}\u{202e}");
        let email = forms(&texts, &layout, &email, Locale::En);
        assert!(email.text.contains("Second\n\n> One <b>\n> two\n\n> --\n> {name}\n\n-- "), "{}", email.text);
        assert!(email.html.contains("One &lt;b&gt;<br>two</p>") && !email.html.contains("<b>"), "{}", email.html);
    }

    #[test]
    fn values_cannot_inject_markup_headers_or_paragraphs() {
        let email = greeting("<b onload='x'>\r\nBcc: all@example.com\n\n{body}\u{202e}", Locale::En);
        assert_eq!(email.subject, "Hello <b onload='x'>  Bcc: all@example.com  {body}");
        assert!(!email.html.contains("<b ") && email.html.contains("&lt;b onload=&#39;x&#39;&gt;"));
        assert!(email.html.contains("{body}"), "braces in a value are shown");
        assert_eq!(email.html.matches("<p ").count(), 3, "two paragraphs and the address");
        assert!(greeting(&"x".repeat(1_000), Locale::En).subject.chars().count() <= SUBJECT_MAX);
    }
}
