//! The catalogue of assets and rails: what does not depend on the exchange, so that staff need not type it.
//!
//! Its files hold one currency a line, by aggregators' code. A coin whose network's addresses
//! [`agio_requisites`] cannot check has none: an offered currency must not accept an address with a typo.

use std::collections::HashMap;
use std::sync::LazyLock;

use agio_contracts::{CurrencyInput, CurrencyKind};
use agio_core::texts::Bilingual;
use agio_requisites::RequisiteKind;
use serde::Deserialize;

const FILES: [(CurrencyKind, &str); 4] = [
    (CurrencyKind::Crypto, include_str!("../catalogue/crypto.json")),
    (CurrencyKind::Bank, include_str!("../catalogue/banks.json")),
    (CurrencyKind::Ewallet, include_str!("../catalogue/ewallets.json")),
    (CurrencyKind::Cash, include_str!("../catalogue/cash.json")),
];

const CITIES: &str = include_str!("../catalogue/cities.json");

const INPUTS: &str = include_str!("../catalogue/inputs.json");

/// Stands in a label for what the details belong to.
const OF: &str = "{of}";

/// What the catalogue knows about a currency.
#[derive(Clone, Debug)]
pub(crate) struct CatalogueCurrency {
    /// The aggregators' code.
    pub(crate) code: String,
    pub(crate) ticker: String,
    pub(crate) name: Bilingual,
    pub(crate) network: Bilingual,
    pub(crate) kind: CurrencyKind,
    /// The name of a glyph, or of the kind where there is none.
    pub(crate) icon: String,
    /// Decimals stored.
    pub(crate) scale: u32,
    /// Decimals usually shown.
    pub(crate) round_digits: u32,
    pub(crate) inputs: Vec<CurrencyInput>,
    /// Other words to find it by: slang, other scripts, former names. In lower case.
    pub(crate) aliases: Vec<String>,
}

/// The catalogue, by kind and then by code.
pub(crate) fn catalogue() -> &'static [CatalogueCurrency] {
    static CATALOGUE: LazyLock<Vec<CatalogueCurrency>> =
        LazyLock::new(|| read().expect("the files of the catalogue are part of the program"));
    &CATALOGUE
}

/// A city in which exchangers hand in and collect cash.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CatalogueCity {
    /// The aggregators' code.
    pub(crate) code: String,
    pub(crate) name: Bilingual,
}

/// The cities, by code.
pub(crate) fn cities() -> &'static [CatalogueCity] {
    static CITY_LIST: LazyLock<Vec<CatalogueCity>> =
        LazyLock::new(|| serde_json::from_str(CITIES).expect("the files of the catalogue are part of the program"));
    &CITY_LIST
}

fn read() -> serde_json::Result<Vec<CatalogueCurrency>> {
    let templates: HashMap<String, Vec<InputTemplate>> = serde_json::from_str(INPUTS)?;
    let mut currencies = Vec::new();
    for (kind, file) in FILES {
        let lines: Vec<CatalogueLine> = serde_json::from_str(file)?;
        for line in lines {
            currencies.push(line.read(kind, &templates)?);
        }
    }
    Ok(currencies)
}

/// A text that is the same in both languages, or one in each.
#[derive(Deserialize)]
#[serde(untagged)]
enum LineText {
    Same(String),
    Each(Bilingual),
}

impl From<LineText> for Bilingual {
    fn from(text: LineText) -> Self {
        match text {
            LineText::Same(same) => Self { ru: same.clone(), en: same },
            LineText::Each(each) => each,
        }
    }
}

/// A currency as the files write it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct CatalogueLine {
    code: String,
    ticker: String,
    name: LineText,
    /// The name, unless given.
    network: Option<LineText>,
    /// Unless given, the name of the kind.
    icon: Option<String>,
    /// Two, unless given.
    scale: Option<u32>,
    /// The scale, unless given.
    round_digits: Option<u32>,
    /// Name of the template.
    inputs: String,
    /// What an address of the network is checked as.
    address: Option<RequisiteKind>,
    /// What the labels say the details belong to. Unless given, the asset on its network: `USDT TRC20`.
    of: Option<LineText>,
    #[serde(default)]
    aliases: Vec<String>,
}

impl CatalogueLine {
    fn read(self, kind: CurrencyKind, templates: &HashMap<String, Vec<InputTemplate>>) -> serde_json::Result<CatalogueCurrency> {
        let name = Bilingual::from(self.name);
        let network = self.network.map_or_else(|| name.clone(), Bilingual::from);
        let of = self.of.map(Bilingual::from).unwrap_or_else(|| Bilingual {
            ru: format!("{} {}", self.ticker, network.ru),
            en: format!("{} {}", self.ticker, network.en),
        });
        let template = templates.get(&self.inputs).ok_or_else(|| missing(&self.code, "template"))?;
        let inputs = template.iter().map(|input| input.fill(&self.code, self.address, &of)).collect::<Result<_, _>>()?;
        let scale = self.scale.unwrap_or(2);
        Ok(CatalogueCurrency {
            code: self.code,
            ticker: self.ticker,
            name,
            network,
            kind,
            icon: self.icon.unwrap_or_else(|| kind.name().to_owned()),
            scale,
            round_digits: self.round_digits.unwrap_or(scale),
            inputs,
            aliases: self.aliases,
        })
    }
}

fn missing(code: &str, what: &str) -> serde_json::Error {
    serde::de::Error::custom(format!("{code} has no {what}"))
}

/// An input of all currencies with the same kind of details.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct InputTemplate {
    name: String,
    /// An address of the currency's network, unless given.
    kind: Option<RequisiteKind>,
    label: Bilingual,
    required: bool,
    give: bool,
    receive: bool,
    hint: Option<Bilingual>,
    pattern: Option<String>,
    mask: Option<String>,
}

impl InputTemplate {
    fn fill(&self, code: &str, address: Option<RequisiteKind>, of: &Bilingual) -> serde_json::Result<CurrencyInput> {
        Ok(CurrencyInput {
            name: self.name.clone(),
            kind: self.kind.or(address).ok_or_else(|| missing(code, "address"))?,
            label: Bilingual { ru: self.label.ru.replace(OF, &of.ru), en: self.label.en.replace(OF, &of.en) },
            required: self.required,
            give: self.give,
            receive: self.receive,
            hint: self.hint.clone(),
            pattern: self.pattern.clone(),
            mask: self.mask.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use agio_contracts::CashCity;
    use agio_core::Timestamp;

    use super::*;
    use crate::market::{Currency, CurrencyChange, NewCurrency};

    #[test]
    fn every_file_is_in_the_order_of_its_codes_and_no_code_is_in_two() {
        let mut seen = HashSet::new();
        for currency in catalogue() {
            assert!(seen.insert(&currency.code), "{} is listed twice", currency.code);
        }
        for (kind, _) in FILES {
            assert!(
                catalogue().iter().filter(|currency| currency.kind == kind).is_sorted_by_key(|currency| &currency.code),
                "{kind}"
            );
        }
    }

    #[test]
    fn an_alias_adds_a_word_that_code_ticker_and_names_do_not_have() {
        for currency in catalogue() {
            let known = [&currency.code, &currency.ticker, &currency.name.ru, &currency.name.en].map(|text| text.to_lowercase());
            for alias in &currency.aliases {
                assert_eq!(*alias, alias.trim().to_lowercase(), "{}", currency.code);
                assert!(!known.iter().any(|text| text.contains(alias)), "{}: {alias}", currency.code);
            }
            assert_eq!(currency.aliases.iter().collect::<HashSet<_>>().len(), currency.aliases.len(), "{}", currency.code);
        }
    }

    #[test]
    fn every_entry_is_a_currency_that_can_be_created() {
        let city =
            |city: &CatalogueCity| CashCity { code: city.code.clone(), name: city.name.clone(), place: Bilingual::default() };
        let all_cities: Vec<_> = cities().iter().map(city).collect();
        assert!(all_cities.is_sorted_by_key(|city| &city.code));
        for entry in catalogue().iter().cloned() {
            let code = entry.code.clone();
            let properties = CurrencyChange {
                code: Some(entry.code),
                ticker: Some(entry.ticker),
                name: Some(entry.name),
                network: Some(entry.network),
                icon: Some(entry.icon),
                round_digits: Some(entry.round_digits),
                inputs: Some(entry.inputs),
                cities: (entry.kind == CurrencyKind::Cash).then(|| all_cities.clone()),
                ..CurrencyChange::default()
            };
            let new = NewCurrency { kind: entry.kind, scale: entry.scale, properties };
            if let Err(error) = Currency::new(1, new, Timestamp(0)) {
                panic!("{code}: {:?}", error.fields());
            }
        }
    }

    #[test]
    fn coins_are_paid_only_to_addresses_that_are_checked() {
        for entry in catalogue().iter().filter(|entry| entry.kind == CurrencyKind::Crypto) {
            let addresses = entry.inputs.iter().filter(|input| input.kind.is_address());
            assert_eq!(addresses.filter(|input| input.required && input.receive).count(), 1, "{}", entry.code);
        }
    }

    #[test]
    fn labels_name_what_they_ask_for() {
        let labels = |code: &str| -> Vec<String> {
            let entry = catalogue().iter().find(|entry| entry.code == code).expect("it is in the catalogue");
            entry.inputs.iter().flat_map(|input| [input.label.ru.clone(), input.label.en.clone()]).collect()
        };
        assert_eq!(labels("USDTSOL")[..2], ["Адрес кошелька USDT Solana", "USDT Solana wallet address"]);
        assert_eq!(labels("ACRUB")[..2], ["Номер карты Альфа-Банка", "Alfa-Bank card number"]);
        let unfilled = catalogue()
            .iter()
            .flat_map(|entry| &entry.inputs)
            .find(|input| input.label.ru.contains('{') || input.label.en.contains('{'));
        assert_eq!(unfilled, None);
    }

    /// The sites draw these names; for the name of a kind they draw letters.
    #[test]
    fn every_icon_is_drawn() {
        let glyphs = include_str!("../../../public-web/src/components/coins.svg");
        for currency in catalogue() {
            let is_glyph = glyphs.contains(&format!("<symbol id=\"{}\"", currency.icon));
            assert!(is_glyph || currency.icon == currency.kind.name(), "{}: {}", currency.code, currency.icon);
        }
    }
}
