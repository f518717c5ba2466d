//! The wallet: the page by which somebody without any money pays to an address of the network, and watches the payment being confirmed. What it
//! shows is a pure function of the networks.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Write as _};
use std::sync::LazyLock;

use crate::chain::{Chain, Output, Transaction};
use crate::money::{amount, units};
use crate::networks::Networks;

/// The style of the page.
pub const STYLE: &str = include_str!("../page/wallet.css");

/// The script of the page.
pub const SCRIPT: &str = include_str!("../page/wallet.js");

/// The icon of the page.
pub const ICON: &str = include_str!("../page/wallet.svg");

/// The longest value that is read from an address or a form, in bytes.
const VALUE_MAX: usize = 200;

/// The greatest payment, in units: a million coins.
const UNITS_MAX: u64 = 100_000_000_000_000;

/// How many blocks are shown.
const BLOCKS: u64 = 6;

/// How many payments of each network are shown.
const RECENT: usize = 5;

/// A language of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Russian.
    Ru,
    /// English.
    En,
}

impl Language {
    /// A language by its code.
    #[must_use]
    pub fn named(code: &str) -> Option<Self> {
        match code {
            "ru" => Some(Self::Ru),
            "en" => Some(Self::En),
            _ => None,
        }
    }

    /// The one of an `Accept-Language` header that is wanted most; Russian, as on the site, where none of them is.
    #[must_use]
    pub fn accepted(header: &str) -> Self {
        let mut best: Option<(u32, Self)> = None;
        for wish in header.split(',') {
            let mut parts = wish.split(';').map(str::trim);
            let tag = parts.next().unwrap_or_default().to_ascii_lowercase();
            let Some(language) = Self::named(tag.split('-').next().unwrap_or_default()) else { continue };
            let weight = parts.find_map(|part| part.strip_prefix("q=")).map_or(Some(1_000), thousandths).unwrap_or_default();
            if weight > best.map_or(0, |(before, _)| before) {
                best = Some((weight, language));
            }
        }
        best.map_or(Self::Ru, |(_, language)| language)
    }

    fn other(self) -> Self {
        match self {
            Self::Ru => Self::En,
            Self::En => Self::Ru,
        }
    }

    fn says(self, name: &str) -> Text<'static> {
        static RU: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| dictionary(include_str!("../texts/ru.json")));
        static EN: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| dictionary(include_str!("../texts/en.json")));
        let texts = match self {
            Self::Ru => &*RU,
            Self::En => &*EN,
        };
        Text(texts.get(name).unwrap_or_else(|| panic!("there is a text {name}")))
    }
}

impl Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ru => "ru",
            Self::En => "en",
        })
    }
}

fn dictionary(json: &str) -> BTreeMap<String, String> {
    serde_json::from_str(json).expect("the dictionary is one of texts")
}

/// A weight between 0 and 1, in thousandths.
fn thousandths(weight: &str) -> Option<u32> {
    let (whole, rest) = weight.split_once('.').unwrap_or((weight, ""));
    let digits: u32 = format!("{rest:0<3}").get(..3)?.parse().ok()?;
    Some((whole.parse::<u32>().ok()?.checked_mul(1_000)? + digits).min(1_000))
}

/// What the page is asked for, by its address or by its form.
#[derive(Debug, Default)]
pub struct Asked {
    address: String,
    amount: String,
    tx: String,
    /// The language somebody chose.
    pub language: Option<Language>,
}

impl Asked {
    /// What an encoded form says; what is not known or too long is not looked at.
    #[must_use]
    pub fn of(form: &str) -> Self {
        let mut asked = Self::default();
        for (name, value) in form_urlencoded::parse(form.as_bytes()).filter(|(_, value)| value.len() <= VALUE_MAX) {
            let value = value.trim().to_owned();
            match &*name {
                "address" => asked.address = value,
                "amount" => asked.amount = value,
                "tx" => asked.tx = value,
                "locale" => asked.language = Language::named(&value),
                _ => {}
            }
        }
        asked
    }

    fn place(&self, language: Language) -> String {
        let said = [("address", &self.address), ("amount", &self.amount), ("tx", &self.tx)];
        let mut place = form_urlencoded::Serializer::new(String::new());
        place.append_pair("locale", &language.to_string());
        place.extend_pairs(said.into_iter().filter(|(_, value)| !value.is_empty()));
        format!("/?{}", place.finish())
    }
}

/// What is wrong with a form: names of texts by names of fields.
pub type Wrong = BTreeMap<&'static str, &'static str>;

/// The payment a form asks for, and the currency whose network has the address.
///
/// # Errors
/// What is wrong with it.
pub fn order(networks: &Networks, asked: &Asked) -> Result<(String, Output), Wrong> {
    let mut wrong = Wrong::new();
    let currency = networks.currency_of(&asked.address);
    if currency.is_none() {
        wrong.insert("address", "address_unknown");
    }
    let units = written(&asked.amount).filter(|units| *units <= UNITS_MAX);
    if units.is_none() {
        wrong.insert("amount", "amount_wrong");
    }
    let ordered = currency.zip(units).map(|(currency, units)| (currency, Output { address: asked.address.clone(), units }));
    ordered.ok_or(wrong)
}

/// Units of an amount as people write it: with spaces between the digits, and a comma or a point before the decimals.
fn written(amount: &str) -> Option<u64> {
    let plain: String = amount.chars().filter(|letter| !letter.is_whitespace()).collect();
    units(&plain.replacen(',', ".", 1))
}

/// The page, with what is wrong with the form if anything is.
#[must_use]
pub fn page(networks: &Networks, asked: &Asked, language: Language, wrong: &Wrong) -> String {
    let say = |name: &str| language.says(name);
    let main = match asked.tx.as_str() {
        "" => format!("{}{}", form(asked, language, wrong), recent(networks, language)),
        tx => payment(networks, tx, asked, language),
    };
    format!(
        "<!doctype html>\n<html lang=\"{language}\"><head><meta charset=\"utf-8\"><title>{title}</title>\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><link rel=\"icon\" href=\"/wallet.svg\">\
         <link rel=\"stylesheet\" href=\"/wallet.css\"><script src=\"/wallet.js\" defer></script></head>\
         <body><header><p>{brand}</p><nav aria-label=\"{choose}\"><a href=\"{place}\" lang=\"{other}\" hreflang=\"{other}\">{name}</a>\
         </nav></header><main><h1>{title}</h1><p class=\"lead\">{lead}</p>{main}</main></body></html>\n",
        title = say("title"),
        brand = say("brand"),
        choose = say("language"),
        place = Text(&asked.place(language.other())),
        other = language.other(),
        name = say("other_language"),
        lead = say("lead"),
    )
}

fn form(asked: &Asked, language: Language, wrong: &Wrong) -> String {
    let say = |name: &str| language.says(name);
    let fault = if wrong.is_empty() { String::new() } else { format!("<p class=\"fault\" role=\"alert\">{}</p>", say("wrong")) };
    let field = |name: &str, value: &str, more: &str| {
        let fault = wrong.get(name).map(|text| {
            let about = format!(" aria-invalid=\"true\" aria-describedby=\"{name}-fault\"");
            (about, format!("<p class=\"fault\" id=\"{name}-fault\">{}</p>", say(text)))
        });
        let (about, fault) = fault.unwrap_or_default();
        format!(
            "<div class=\"field\"><label for=\"{name}\">{label}</label><input id=\"{name}\" name=\"{name}\" value=\"{value}\" required \
             maxlength=\"{VALUE_MAX}\" autocomplete=\"off\" {more}{about}>{fault}</div>",
            label = say(name),
            value = Text(value),
        )
    };
    format!(
        "<section><form method=\"post\" action=\"/pay\">{fault}<input type=\"hidden\" name=\"locale\" value=\"{language}\">\
         {address}{amount}<button type=\"submit\">{send}</button></form></section>",
        address = field("address", &asked.address, "spellcheck=\"false\" autocapitalize=\"none\""),
        amount = field("amount", &asked.amount, "inputmode=\"decimal\""),
        send = say("send"),
    )
}

/// The payments there were, each with a link to its own page.
fn recent(networks: &Networks, language: Language) -> String {
    let say = |name: &str| language.says(name);
    let mut lines = String::new();
    for (currency, chain) in networks.all() {
        for known in chain.payments().take(RECENT) {
            let _ = write!(
                lines,
                "<li><a href=\"/?locale={language}&amp;tx={id}\">{amount} {currency}</a><span>{label}: {count}</span></li>",
                id = Text(&known.id),
                amount = shown(known.outputs.iter().fold(0, |sum, output| sum.saturating_add(output.units)), language),
                label = say("confirmations"),
                count = chain.confirmations(known),
            );
        }
    }
    let body =
        if lines.is_empty() { format!("<p>{}</p>", say("recent_none")) } else { format!("<ul class=\"recent\">{lines}</ul>") };
    format!("<section><h2>{}</h2><div id=\"live\">{body}</div></section>", say("recent"))
}

/// A payment as it stands.
fn payment(networks: &Networks, tx: &str, asked: &Asked, language: Language) -> String {
    let say = |name: &str| language.says(name);
    let links = format!(
        "<p class=\"links\"><a href=\"{here}\">{again}</a><a href=\"/?locale={language}\">{another}</a></p>",
        here = Text(&asked.place(language)),
        again = say("look_again"),
        another = say("pay_again"),
    );
    let found = networks.all().find_map(|(currency, chain)| Some((currency, chain, chain.transaction(tx)?)));
    let Some((currency, chain, known)) = found else {
        return format!("<section><p role=\"alert\">{}</p>{links}</section>", say("transaction_unknown"));
    };
    let mut facts = String::new();
    let mut fact = |name: &str, value: &str| {
        let _ = write!(facts, "<dt>{}</dt><dd>{}</dd>", say(name), Text(value));
    };
    for output in &known.outputs {
        fact("amount", &format!("{} {currency}", shown(output.units, language)));
        fact("to", &output.address);
    }
    fact("transaction", &known.id);
    format!(
        "<section><h2>{heading}</h2><p id=\"told\" role=\"status\"></p><div id=\"live\">{standing}{facts}</dl>{blocks}</div>{links}</section>",
        heading = say("payment"),
        standing = standing(chain, known, language),
        blocks = blocks(chain, known, language),
    )
}

/// The beginning of the list of facts: how many blocks are on top of a payment, or why there will be none.
fn standing(chain: &Chain, known: &Transaction, language: Language) -> String {
    let say = |name: &str| language.says(name);
    if known.gone {
        return format!("<p class=\"fault\">{}</p><dl>", say("gone"));
    }
    let count = chain.confirmations(known);
    let block = known.height.map_or_else(|| say("block_awaited").to_string(), |height| height.to_string());
    format!(
        "<dl><dt>{label}</dt><dd class=\"count\" id=\"count\" data-told=\"{label}: {count}\">{count}</dd><dt>{of}</dt><dd>{block}</dd>",
        label = say("confirmations"),
        of = say("block"),
    )
}

/// The newest blocks of a network, and which of them a payment is in.
fn blocks(chain: &Chain, known: &Transaction, language: Language) -> String {
    let say = |name: &str| language.says(name);
    let mut lines = String::new();
    for height in (chain.height().saturating_sub(BLOCKS - 1)..=chain.height()).rev() {
        if known.height == Some(height) {
            let _ = write!(lines, "<li class=\"ours\">{height}, {}</li>", say("blocks_with"));
        } else {
            let _ = write!(lines, "<li>{height}</li>");
        }
    }
    format!("<h3>{}</h3><ol class=\"blocks\">{lines}</ol>", say("blocks"))
}

/// An amount as people of a language write it, without the zeros at its end.
fn shown(units: u64, language: Language) -> String {
    let whole = amount(units);
    let plain = whole.trim_end_matches('0').trim_end_matches('.');
    match language {
        Language::Ru => plain.replace('.', ","),
        Language::En => plain.to_owned(),
    }
}

/// Text as it stands in a page.
struct Text<'a>(&'a str);

impl Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for letter in self.0.chars() {
            match letter {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                letter => f.write_char(letter)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_dictionaries_say_the_same_things_and_the_page_asks_for_no_other() {
        let (ru, en) = (dictionary(include_str!("../texts/ru.json")), dictionary(include_str!("../texts/en.json")));
        assert_eq!(ru.keys().collect::<Vec<_>>(), en.keys().collect::<Vec<_>>());
        let own = include_str!("wallet.rs").split("#[cfg(test)]").next().unwrap();
        for name in ru.keys() {
            assert!(own.contains(&format!("\"{name}\"")), "nobody says {name}");
        }
    }

    #[test]
    fn the_language_is_what_is_wanted_most() {
        let wished = [
            ("", Language::Ru),
            ("de", Language::Ru),
            ("en-GB,en;q=0.9", Language::En),
            ("ru;q=0.5,en;q=0.8", Language::En),
            ("en;q=0.125, ru-RU;q=0.25", Language::Ru),
            ("en;q=0, de", Language::Ru),
            ("en;q=x,;;,=", Language::Ru),
        ];
        for (header, language) in wished {
            assert_eq!(Language::accepted(header), language, "{header}");
        }
    }

    #[test]
    fn amounts_are_read_as_people_write_them() {
        assert_eq!(written("1 000,5"), Some(100_050_000_000));
        assert_eq!(written("0.00000001"), Some(1));
        for wrong in ["", "0", "-1", "1,000.5", "1e3", "0.000000001", "много", "99999999999999999999"] {
            assert_eq!(written(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn what_somebody_wrote_is_shown_as_text() {
        let mut networks = Networks::new(7, 0);
        networks.of("ETH");
        let asked = Asked::of("address=%22%3E%3Cscript%3E&amount=%27%26&tx=");
        let wrong = order(&networks, &asked).unwrap_err();
        let page = page(&networks, &asked, Language::En, &wrong);
        assert!(page.contains("value=\"&quot;&gt;&lt;script&gt;\"") && page.contains("value=\"&#39;&amp;\""), "{page}");
    }
}
