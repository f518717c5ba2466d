//! Finding a letter's words, and putting them into the house's one form: plain text, and the same as HTML that mail programs show alike.

use agio_core::error::Params;
use agio_core::markup::escaped;
use agio_core::texts::{Locale, Texts, fill};
use serde::{Deserialize, Serialize};

use crate::letter::{Detail, Letter};

/// The HTML form. Styles stand in the markup, because many programs drop everything else.
const FRAME: &str = include_str!("frame.html");

const PARAGRAPH: &str = r#"<p class="ink" style="margin:0 0 16px;color:#122b2c">"#;
const QUOTED: &str = r#"<p class="ink" style="margin:0 0 16px;padding:0 0 0 14px;border-left:3px solid #ffd23f;color:#122b2c;overflow-wrap:anywhere">"#;
const TABLE: &str =
    r#"<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 16px">"#;
const LABEL: &str =
    r#"<td class="muted" valign="top" style="padding:3px 12px 3px 0;font-size:13px;line-height:20px;color:#4d6160">"#;
const VALUE: &str = r#"<td class="ink" valign="top" style="padding:3px 0;font-size:15px;line-height:20px;color:#122b2c;overflow-wrap:anywhere;word-break:break-word">"#;
const BUTTON: &str = "display:inline-block;margin:8px 0 20px;padding:13px 22px;border-radius:10px;background:#ffd23f;color:#122b2c;text-decoration:none;font-weight:600";
const LISTED: &str = "color:#122b2c;font-size:13px;overflow-wrap:anywhere";
const SMALL: &str = "margin:0;font-size:13px;line-height:20px;color:#4d6160;overflow-wrap:anywhere";

/// The longest subject; programs show less.
const SUBJECT_MAX: usize = 150;

/// Whose letters these are.
pub struct Letterhead {
    /// Name of the site.
    pub brand: String,
    /// Its address, without a slash at the end.
    pub site: String,
    /// Where customers write to.
    pub support: String,
}

/// The subject and the words of a letter in one language.
pub fn words(texts: &Texts, head: &Letterhead, letter: &Letter, locale: Locale) -> (String, Words) {
    let params: Params = letter.params.iter().map(|(name, value)| (*name, line(value))).collect();
    let said = |part: &str| texts.get(locale, &format!("mail.{}.{part}", letter.kind), &params);
    let frame = |part: &str, params: &Params| texts.get(locale, &format!("mail.frame.{part}"), params);
    let words = Words {
        locale,
        body: said("body").trim().to_owned(),
        details: letter.details.iter().map(one_line).collect(),
        quoted: letter.quoted.as_deref().map(paragraphs).unwrap_or_default(),
        listed: letter.listed.iter().map(|(label, link)| (line(label), address(&head.site, link, locale))).collect(),
        button: letter.link.as_ref().map(|link| (said("button"), address(&head.site, link, locale))),
        copy: frame("link", &Params::new()),
        support: frame("support", &Params::from([("email", line(&head.support))])),
        reason: frame("reason", &Params::from([("brand", line(&head.brand)), ("site", head.site.clone())])),
    };
    (line(&said("subject")).chars().take(SUBJECT_MAX).collect(), words)
}

/// Everything a letter says under its subject, in the order it says it: all that is kept of it, for its form adds nothing but looks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Words {
    locale: Locale,
    /// Paragraphs are parted by empty lines.
    body: String,
    /// What it tells in numbers. Letters of before have none.
    #[serde(default)]
    details: Vec<Detail>,
    /// What somebody else said: paragraphs of lines.
    quoted: Vec<Vec<String>>,
    /// What it leads to: what that is called, and its address.
    listed: Vec<(String, String)>,
    /// What stands on the button, and where it leads.
    button: Option<(String, String)>,
    copy: String,
    support: String,
    reason: String,
}

impl Words {
    /// The letter as plain text.
    pub fn text(&self, subject: &str) -> String {
        let Self { body, listed, button, support, reason, .. } = self;
        let mut details = String::new();
        for Detail { label, value, link } in &self.details {
            details.push_str(&format!("{label}: {value}\n"));
            details.extend(link.iter().map(|link| format!("{link}\n")));
        }
        if !details.is_empty() {
            details.push('\n');
        }
        let quoted: String = self.quoted.iter().map(|lines| format!("> {}\n\n", lines.join("\n> "))).collect();
        let listed: String = listed.iter().map(|(label, link)| format!("{label}\n{link}\n\n")).collect();
        let button = button.as_ref().map(|(label, link)| format!("{label}:\n{link}\n\n")).unwrap_or_default();
        // A line of two dashes and a space begins a signature.
        format!("{subject}\n\n{body}\n\n{details}{quoted}{listed}{button}-- \n{support}\n{reason}\n")
    }

    /// The letter as a page.
    pub fn html(&self, brand: &str, subject: &str) -> String {
        let mut body = String::new();
        for paragraph in self.body.split("\n\n") {
            let lines: Vec<_> = paragraph.lines().map(escaped).collect();
            body.push_str(&format!("{PARAGRAPH}{}</p>\n", lines.join("<br>")));
        }
        if !self.details.is_empty() {
            let rows: String = self.details.iter().map(row).collect();
            body.push_str(&format!("{TABLE}\n{rows}</table>\n"));
        }
        for lines in &self.quoted {
            let lines: Vec<_> = lines.iter().map(|line| escaped(line)).collect();
            body.push_str(&format!("{QUOTED}{}</p>\n", lines.join("<br>")));
        }
        for (label, link) in &self.listed {
            let (label, link) = (escaped(label), escaped(link));
            body.push_str(&format!("{PARAGRAPH}{label}<br><a class=\"ink\" href=\"{link}\" style=\"{LISTED}\">{link}</a></p>\n"));
        }
        if let Some((label, link)) = &self.button {
            let (label, link, copy) = (escaped(label), escaped(link), escaped(&self.copy));
            body.push_str(&format!("<a href=\"{link}\" style=\"{BUTTON}\">{label}</a>\n"));
            body.push_str(&format!("<p class=\"muted\" style=\"{SMALL}\">{copy}<br><a class=\"muted\" href=\"{link}\" style=\"color:#4d6160\">{link}</a></p>"));
        }
        let parts = Params::from([
            ("lang", self.locale.to_string()),
            ("brand", escaped(&line(brand))),
            ("subject", escaped(subject)),
            ("body", body),
            ("support", escaped(&self.support)),
            ("reason", escaped(&self.reason)),
        ]);
        fill(FRAME, &parts)
    }
}

/// A row as it is written: each part on one line.
fn one_line(detail: &Detail) -> Detail {
    Detail { label: line(&detail.label), value: line(&detail.value), link: detail.link.clone() }
}

/// A row of the page.
fn row(Detail { label, value, link }: &Detail) -> String {
    let value = escaped(value);
    let shown = match link {
        Some(link) => format!("<a class=\"ink\" href=\"{}\" style=\"color:#122b2c\">{value}</a>", escaped(link)),
        None => value,
    };
    format!("<tr>{LABEL}{}</td>{VALUE}{shown}</td></tr>\n", escaped(label))
}

/// Where a link leads.
fn address(site: &str, link: &str, locale: Locale) -> String {
    match (link.starts_with('/'), locale) {
        (true, Locale::Ru) => format!("{site}{link}"),
        (true, Locale::En) => format!("{site}/en{link}"),
        (false, _) => link.to_owned(),
    }
}

/// What somebody else said as paragraphs of lines; each line is visible text that cannot act.
fn paragraphs(words: &str) -> Vec<Vec<String>> {
    let parts = words.split("\n\n").map(|part| part.lines().map(line).filter(|line| !line.is_empty()).collect::<Vec<_>>());
    parts.filter(|lines| !lines.is_empty()).collect()
}

/// A value as one line of visible text: nothing in it can end a header, begin a paragraph or turn the writing around.
fn line(text: &str) -> String {
    let is_direction =
        |letter: char| matches!(letter, '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let seen = text.chars().filter(|letter| !is_direction(*letter));
    let spaced: String =
        seen.map(|letter| if letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}') { ' ' } else { letter }).collect();
    spaced.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use agio_core::texts::Dictionary;

    use super::*;

    const GREETING: Dictionary = Dictionary {
        room: "test",
        ru: r#"{"mail.greeting.subject": "Привет, {name}", "mail.greeting.body": "Первый: {name}\nвторая строка\n\nВторой", "mail.greeting.button": "Открыть"}"#,
        en: r#"{"mail.greeting.subject": "Hello {name}", "mail.greeting.body": "First: {name}\nsecond line\n\nSecond", "mail.greeting.button": "Open"}"#,
    };

    struct Rendered {
        subject: String,
        text: String,
        html: String,
    }

    fn render(texts: &Texts, head: &Letterhead, letter: &Letter, locale: Locale) -> Rendered {
        let (subject, words) = words(texts, head, letter, locale);
        Rendered { text: words.text(&subject), html: words.html(&head.brand, &subject), subject }
    }

    fn greeting(name: &str, locale: Locale) -> Rendered {
        let texts = Texts::merge(&[GREETING, crate::DICTIONARY]).unwrap();
        let head = Letterhead { brand: "A & B".into(), site: "https://agio.example".into(), support: "help@agio.example".into() };
        let letter = Letter::new("greeting", ("test", "1".into())).with("name", name).linking("/claim/1");
        render(&texts, &head, &letter, locale)
    }

    #[test]
    fn a_letter_says_the_same_as_text_and_as_a_page() {
        let letter = greeting("Анна", Locale::Ru);
        assert_eq!(letter.subject, "Привет, Анна");
        assert!(letter.text.contains("Первый: Анна\nвторая строка\n\nВторой"), "{}", letter.text);
        assert!(letter.text.contains("Открыть:\nhttps://agio.example/claim/1\n"), "{}", letter.text);
        assert!(letter.text.contains("help@agio.example"));
        assert!(letter.html.contains(r#"<html lang="ru">"#));
        assert!(letter.html.contains("Первый: Анна<br>вторая строка</p>"), "{}", letter.html);
        assert!(letter.html.contains(r#"<a href="https://agio.example/claim/1""#));
        assert!(letter.html.contains("A &amp; B") && !letter.html.contains("A & B"));
        assert!(greeting("Anna", Locale::En).html.contains(r#"href="https://agio.example/en/claim/1""#));
    }

    #[test]
    fn a_letter_lists_what_it_leads_to() {
        let texts = Texts::merge(&[GREETING, crate::DICTIONARY]).unwrap();
        let head = Letterhead { brand: "A".into(), site: "https://agio.example".into(), support: "help@agio.example".into() };
        let letter = Letter::new("greeting", ("test", "1".into())).with("name", "Anna").listing("No. 7 <b>", "/claim/7");
        let letter = render(&texts, &head, &letter, Locale::En);
        assert!(letter.text.contains("Second\n\nNo. 7 <b>\nhttps://agio.example/en/claim/7\n\n-- "), "{}", letter.text);
        assert!(
            letter.html.contains("No. 7 &lt;b&gt;<br><a class=\"ink\" href=\"https://agio.example/en/claim/7\""),
            "{}",
            letter.html
        );
    }

    #[test]
    fn a_letter_tells_numbers_in_rows() {
        let texts = Texts::merge(&[GREETING, crate::DICTIONARY]).unwrap();
        let head = Letterhead { brand: "A".into(), site: "https://agio.example".into(), support: "help@agio.example".into() };
        let letter = Letter::new("greeting", ("test", "1".into()))
            .with("name", "Anna")
            .detailing("You send", "0.01 BTC\n<i>", None)
            .detailing("Payout", "abc", Some("https://explorer.example/tx/abc?a=1&b=\"".into()));
        let letter = render(&texts, &head, &letter, Locale::En);
        let rows = "Second\n\nYou send: 0.01 BTC <i>\nPayout: abc\nhttps://explorer.example/tx/abc?a=1&b=\"\n\n-- ";
        assert!(letter.text.contains(rows), "{}", letter.text);
        assert!(letter.html.contains("You send</td>") && letter.html.contains("0.01 BTC &lt;i&gt;</td></tr>"), "{}", letter.html);
        assert!(letter.html.contains(r#"href="https://explorer.example/tx/abc?a=1&amp;b=&quot;""#), "{}", letter.html);
    }

    #[test]
    fn what_somebody_else_said_keeps_its_paragraphs_and_does_nothing() {
        let texts = Texts::merge(&[GREETING, crate::DICTIONARY]).unwrap();
        let head = Letterhead { brand: "A".into(), site: "https://agio.example".into(), support: "help@agio.example".into() };
        let letter =
            Letter::new("greeting", ("test", "1".into())).with("name", "Anna").quoting("One <b>\ntwo\n\n\n-- \n{name}\u{202e}");
        let letter = render(&texts, &head, &letter, Locale::En);
        assert!(letter.text.contains("Second\n\n> One <b>\n> two\n\n> --\n> {name}\n\n-- "), "{}", letter.text);
        assert!(letter.html.contains("One &lt;b&gt;<br>two</p>") && !letter.html.contains("<b>"), "{}", letter.html);
    }

    #[test]
    fn a_value_is_neither_markup_nor_a_header_nor_a_paragraph() {
        let letter = greeting("<b onload='x'>\r\nBcc: all@example.com\n\n{body}\u{202e}", Locale::En);
        assert_eq!(letter.subject, "Hello <b onload='x'>  Bcc: all@example.com  {body}");
        assert!(!letter.html.contains("<b ") && letter.html.contains("&lt;b onload=&#39;x&#39;&gt;"));
        assert!(letter.html.contains("{body}"), "what a value says in braces is shown");
        assert_eq!(letter.html.matches("<p ").count(), 3, "two paragraphs and the address");
        assert!(greeting(&"x".repeat(1_000), Locale::En).subject.chars().count() <= SUBJECT_MAX);
    }
}
