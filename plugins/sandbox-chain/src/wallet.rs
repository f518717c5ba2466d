//! The wallet page: pays to addresses of the simulated network and shows confirmations. Rendering is a pure function of the networks.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Write as _};
use std::sync::LazyLock;

use crate::chain::{Chain, Output, Transaction};
use crate::money::{amount, units};
use crate::networks::SandboxNetworks;

pub const STYLE: &str = include_str!("../page/wallet.css");

pub const SCRIPT: &str = include_str!("../page/wallet.js");

pub const ICON: &str = include_str!("../page/wallet.svg");

/// Maximum length of a query or form value, in bytes.
const VALUE_MAX: usize = 200;

/// Maximum payment in units: a million coins.
const UNITS_MAX: u64 = 100_000_000_000_000;

/// Number of shown blocks.
const BLOCKS: u64 = 6;

/// Number of shown payments per network.
const RECENT: usize = 5;

/// A language of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    Ru,
    En,
}

impl Language {
    pub fn from_code(code: &str) -> Option<Self> {
        match code {
            "ru" => Some(Self::Ru),
            "en" => Some(Self::En),
            _ => None,
        }
    }

    /// The preferred language of an `Accept-Language` header; Russian by default, as on the site.
    pub fn from_accept_language(header: &str) -> Self {
        let mut best: Option<(u32, Self)> = None;
        for entry in header.split(',') {
            let mut parts = entry.split(';').map(str::trim);
            let tag = parts.next().unwrap_or_default().to_ascii_lowercase();
            let Some(language) = Self::from_code(tag.split('-').next().unwrap_or_default()) else { continue };
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

    fn text(self, name: &str) -> Text<'static> {
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

/// Query or form fields of the page.
#[derive(Debug, Default)]
pub struct WalletForm {
    address: String,
    amount: String,
    tx: String,
    /// Chosen language.
    pub language: Option<Language>,
}

impl WalletForm {
    /// Parses an encoded form. Unknown and too long values are ignored.
    pub fn of(form: &str) -> Self {
        let mut input = Self::default();
        for (name, value) in form_urlencoded::parse(form.as_bytes()).filter(|(_, value)| value.len() <= VALUE_MAX) {
            let value = value.trim().to_owned();
            match &*name {
                "address" => input.address = value,
                "amount" => input.amount = value,
                "tx" => input.tx = value,
                "locale" => input.language = Language::from_code(&value),
                _ => {}
            }
        }
        input
    }

    fn place(&self, language: Language) -> String {
        let fields = [("address", &self.address), ("amount", &self.amount), ("tx", &self.tx)];
        let mut place = form_urlencoded::Serializer::new(String::new());
        place.append_pair("locale", &language.to_string());
        place.extend_pairs(fields.into_iter().filter(|(_, value)| !value.is_empty()));
        format!("/?{}", place.finish())
    }
}

/// Errors of a form: text keys by field name.
pub type FormErrors = BTreeMap<&'static str, &'static str>;

/// Validates the form and returns the currency and the payment.
pub fn parse_payment(networks: &SandboxNetworks, input: &WalletForm) -> Result<(String, Output), FormErrors> {
    let mut wrong = FormErrors::new();
    let currency = networks.currency_of(&input.address);
    if currency.is_none() {
        wrong.insert("address", "address_unknown");
    }
    let units = written(&input.amount).filter(|units| *units <= UNITS_MAX);
    if units.is_none() {
        wrong.insert("amount", "amount_wrong");
    }
    let ordered = currency.zip(units).map(|(currency, units)| (currency, Output { address: input.address.clone(), units }));
    ordered.ok_or(wrong)
}

/// Parses an amount with spaces between digits and a decimal comma or point.
fn written(amount: &str) -> Option<u64> {
    let plain: String = amount.chars().filter(|letter| !letter.is_whitespace()).collect();
    units(&plain.replacen(',', ".", 1))
}

/// Renders the page with the form errors.
pub fn page(networks: &SandboxNetworks, input: &WalletForm, language: Language, wrong: &FormErrors) -> String {
    let translate = |name: &str| language.text(name);
    let main = match input.tx.as_str() {
        "" => format!("{}{}", form(input, language, wrong), recent(networks, language)),
        tx => payment(networks, tx, input, language),
    };
    format!(
        "<!doctype html>\n<html lang=\"{language}\"><head><meta charset=\"utf-8\"><title>{title}</title>\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><link rel=\"icon\" href=\"/wallet.svg\">\
         <link rel=\"stylesheet\" href=\"/wallet.css\"><script src=\"/wallet.js\" defer></script></head>\
         <body><header><p>{brand}</p><nav aria-label=\"{choose}\"><a href=\"{place}\" lang=\"{other}\" hreflang=\"{other}\">{name}</a>\
         </nav></header><main><h1>{title}</h1><p class=\"lead\">{lead}</p>{main}</main></body></html>\n",
        title = translate("title"),
        brand = translate("brand"),
        choose = translate("language"),
        place = Text(&input.place(language.other())),
        other = language.other(),
        name = translate("other_language"),
        lead = translate("lead"),
    )
}

fn form(input: &WalletForm, language: Language, wrong: &FormErrors) -> String {
    let translate = |name: &str| language.text(name);
    let fault =
        if wrong.is_empty() { String::new() } else { format!("<p class=\"fault\" role=\"alert\">{}</p>", translate("wrong")) };
    let field = |name: &str, value: &str, more: &str| {
        let fault = wrong.get(name).map(|text| {
            let about = format!(" aria-invalid=\"true\" aria-describedby=\"{name}-fault\"");
            (about, format!("<p class=\"fault\" id=\"{name}-fault\">{}</p>", translate(text)))
        });
        let (about, fault) = fault.unwrap_or_default();
        format!(
            "<div class=\"field\"><label for=\"{name}\">{label}</label><input id=\"{name}\" name=\"{name}\" value=\"{value}\" required \
             maxlength=\"{VALUE_MAX}\" autocomplete=\"off\" {more}{about}>{fault}</div>",
            label = translate(name),
            value = Text(value),
        )
    };
    format!(
        "<section><form method=\"post\" action=\"/pay\">{fault}<input type=\"hidden\" name=\"locale\" value=\"{language}\">\
         {address}{amount}<button type=\"submit\">{send}</button></form></section>",
        address = field("address", &input.address, "spellcheck=\"false\" autocapitalize=\"none\""),
        amount = field("amount", &input.amount, "inputmode=\"decimal\""),
        send = translate("send"),
    )
}

/// The latest payments with links.
fn recent(networks: &SandboxNetworks, language: Language) -> String {
    let translate = |name: &str| language.text(name);
    let mut lines = String::new();
    for (currency, chain) in networks.all() {
        for known in chain.payments().take(RECENT) {
            let _ = write!(
                lines,
                "<li><a href=\"/?locale={language}&amp;tx={id}\">{amount} {currency}</a><span>{label}: {count}</span></li>",
                id = Text(&known.id),
                amount = shown(known.outputs.iter().fold(0, |sum, output| sum.saturating_add(output.units)), language),
                label = translate("confirmations"),
                count = chain.confirmations(known),
            );
        }
    }
    let body = if lines.is_empty() {
        format!("<p>{}</p>", translate("recent_none"))
    } else {
        format!("<ul class=\"recent\">{lines}</ul>")
    };
    format!("<section><h2>{}</h2><div id=\"live\">{body}</div></section>", translate("recent"))
}

/// State of a payment.
fn payment(networks: &SandboxNetworks, tx: &str, input: &WalletForm, language: Language) -> String {
    let translate = |name: &str| language.text(name);
    let links = format!(
        "<p class=\"links\"><a href=\"{here}\">{again}</a><a href=\"/?locale={language}\">{another}</a></p>",
        here = Text(&input.place(language)),
        again = translate("look_again"),
        another = translate("pay_again"),
    );
    let found = networks.all().find_map(|(currency, chain)| Some((currency, chain, chain.transaction(tx)?)));
    let Some((currency, chain, known)) = found else {
        return format!("<section><p role=\"alert\">{}</p>{links}</section>", translate("transaction_unknown"));
    };
    let mut facts = String::new();
    let mut fact = |name: &str, value: &str| {
        let _ = write!(facts, "<dt>{}</dt><dd>{}</dd>", translate(name), Text(value));
    };
    for output in &known.outputs {
        fact("amount", &format!("{} {currency}", shown(output.units, language)));
        fact("to", &output.address);
    }
    fact("transaction", &known.id);
    format!(
        "<section><h2>{heading}</h2><p id=\"status\" role=\"status\"></p><div id=\"live\">{status}{facts}</dl>{blocks}</div>{links}</section>",
        heading = translate("payment"),
        status = status(chain, known, language),
        blocks = blocks(chain, known, language),
    )
}

/// Confirmations of a payment, or why there will be none.
fn status(chain: &Chain, known: &Transaction, language: Language) -> String {
    let translate = |name: &str| language.text(name);
    if known.gone {
        return format!("<p class=\"fault\">{}</p><dl>", translate("gone"));
    }
    let count = chain.confirmations(known);
    let block = known.height.map_or_else(|| translate("block_awaited").to_string(), |height| height.to_string());
    format!(
        "<dl><dt>{label}</dt><dd class=\"count\" id=\"count\" data-status=\"{label}: {count}\">{count}</dd><dt>{of}</dt><dd>{block}</dd>",
        label = translate("confirmations"),
        of = translate("block"),
    )
}

/// The newest blocks, with the block of the payment marked.
fn blocks(chain: &Chain, known: &Transaction, language: Language) -> String {
    let translate = |name: &str| language.text(name);
    let mut lines = String::new();
    for height in (chain.height().saturating_sub(BLOCKS - 1)..=chain.height()).rev() {
        if known.height == Some(height) {
            let _ = write!(lines, "<li class=\"ours\">{height}, {}</li>", translate("blocks_with"));
        } else {
            let _ = write!(lines, "<li>{height}</li>");
        }
    }
    format!("<h3>{}</h3><ol class=\"blocks\">{lines}</ol>", translate("blocks"))
}

/// An amount in the language's format, without trailing zeros.
fn shown(units: u64, language: Language) -> String {
    let whole = amount(units);
    let plain = whole.trim_end_matches('0').trim_end_matches('.');
    match language {
        Language::Ru => plain.replace('.', ","),
        Language::En => plain.to_owned(),
    }
}

/// Escaped text.
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
    fn dictionaries_have_the_keys_the_page_uses() {
        let (ru, en) = (dictionary(include_str!("../texts/ru.json")), dictionary(include_str!("../texts/en.json")));
        assert_eq!(ru.keys().collect::<Vec<_>>(), en.keys().collect::<Vec<_>>());
        let own = include_str!("wallet.rs").split("#[cfg(test)]").next().unwrap();
        for name in ru.keys() {
            assert!(own.contains(&format!("\"{name}\"")), "no text uses {name}");
        }
    }

    #[test]
    fn the_preferred_language_is_used() {
        let headers = [
            ("", Language::Ru),
            ("de", Language::Ru),
            ("en-GB,en;q=0.9", Language::En),
            ("ru;q=0.5,en;q=0.8", Language::En),
            ("en;q=0.125, ru-RU;q=0.25", Language::Ru),
            ("en;q=0, de", Language::Ru),
            ("en;q=x,;;,=", Language::Ru),
        ];
        for (header, language) in headers {
            assert_eq!(Language::from_accept_language(header), language, "{header}");
        }
    }

    #[test]
    fn amounts_accept_common_formats() {
        assert_eq!(written("1 000,5"), Some(100_050_000_000));
        assert_eq!(written("0.00000001"), Some(1));
        for wrong in ["", "0", "-1", "1,000.5", "1e3", "0.000000001", "много", "99999999999999999999"] {
            assert_eq!(written(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn user_input_is_escaped() {
        let mut networks = SandboxNetworks::new(7, 0);
        networks.of("ETH");
        let input = WalletForm::of("address=%22%3E%3Cscript%3E&amount=%27%26&tx=");
        let wrong = parse_payment(&networks, &input).unwrap_err();
        let page = page(&networks, &input, Language::En, &wrong);
        assert!(page.contains("value=\"&quot;&gt;&lt;script&gt;\"") && page.contains("value=\"&#39;&amp;\""), "{page}");
    }
}
