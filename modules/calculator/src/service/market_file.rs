//! The market file: settings, currencies, pairs and the parts of other modules in one TOML document, written by hand or
//! by an export.
//!
//! Keys are those of the admin API. Settings of a pair are merged from `defaults`, its group and the overrides that
//! name it, later ones first.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;

use agio_contracts::{CashCity, CurrencyInput, CurrencyKind, NetworkFeePayer, VerificationSubject};
use agio_core::decimal::StoredDecimal;
use agio_core::texts::Bilingual;
use agio_core::{Error, FieldError, Result};
use agio_requisites::RequisiteKind;
use serde::{Deserialize, Serialize};
use toml::de::{DeTable, DeValue};
use toml::{Table, Value};

use super::market_table::MarketTable;
use crate::market::{BilingualNotice, Currency, CurrencyChange, Pair, PairChange, PairNotices, RateSourceKind, Tolerance};
use crate::model::limits::{ConfiguredLimits, ConfiguredRange};
use crate::model::pricing::{Fee, TierRule};

const VERSION: i64 = 1;

/// The part that is one table and no list.
const BRAND: &str = "brand";

/// Maximum size of a file, in bytes.
pub const MARKET_FILE_MAX: usize = 8 << 20;

/// Currencies without a position are this far apart, in the order of the file.
const POSITION_STEP: i64 = 10;

/// How many errors are reported at once.
const ERRORS_MAX: usize = 20;

/// A market file that could be read. Its values are checked against the market when it is planned.
#[derive(Debug)]
pub struct MarketFile {
    source: MarketFileSource,
    pub(super) document: MarketDocument,
}

/// Where the lines of a file are.
#[derive(Debug)]
enum MarketFileSource {
    Toml(String),
    /// The lines of its currencies or pairs.
    Table(MarketTable, Vec<usize>),
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct MarketDocument {
    #[serde(rename = "version")]
    _version: i64,
    /// Settings of the exchange: nested by the parts of their names.
    pub settings: Table,
    pub currencies: Vec<CurrencyEntry>,
    pub defaults: PairTemplate,
    pub pairs: Vec<PairGroup>,
    pub overrides: Vec<PairOverride>,
    // The parts of other modules.
    brand: Option<Table>,
    brand_files: Vec<Table>,
    /// Uploaded icons that currencies name.
    icons: Vec<Table>,
    rate_sources: Vec<Table>,
    rate_rules: Vec<Table>,
    payment_routes: Vec<Table>,
    payment_details: Vec<Table>,
    aggregators: Vec<Table>,
    feed_directions: Vec<Table>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct CurrencyEntry {
    pub code: String,
    ticker: String,
    name: EntryText,
    network: EntryText,
    pub kind: CurrencyKind,
    icon: String,
    pub scale: u32,
    round_calculator: u32,
    #[serde(default = "agio_contracts::yes")]
    send: bool,
    #[serde(default = "agio_contracts::yes")]
    receive: bool,
    #[serde(default)]
    archived: bool,
    position: Option<i64>,
    #[serde(default = "zero")]
    reserve_floor: StoredDecimal,
    #[serde(default = "zero")]
    network_fee: StoredDecimal,
    /// Deposited if the ledger has no entry of the currency. A currency itself has none.
    pub opening_reserve: Option<StoredDecimal>,
    #[serde(default)]
    inputs: Vec<InputEntry>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    cities: Vec<CityEntry>,
    #[serde(skip_serializing_if = "Option::is_none")]
    explorer: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EntryText {
    ru: String,
    en: String,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct InputEntry {
    name: String,
    kind: RequisiteKind,
    label: EntryText,
    #[serde(default)]
    required: bool,
    #[serde(default)]
    send: bool,
    #[serde(default)]
    receive: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<EntryText>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pattern: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mask: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CityEntry {
    code: String,
    name: EntryText,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<EntryText>,
}

/// Every pair from a list of currencies to another; the two currencies of a pair differ.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PairGroup {
    pub give: Vec<String>,
    pub receive: Vec<String>,
    #[serde(default)]
    pub set: PairTemplate,
}

/// Settings of pairs that groups list. A missing side matches every currency.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PairOverride {
    pub give: Option<Vec<String>>,
    pub receive: Option<Vec<String>>,
    pub set: PairTemplate,
}

/// Settings of pairs. `None` leaves the value to the template below.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct PairTemplate {
    enabled: Option<bool>,
    archived: Option<bool>,
    source: Option<RateSourceKind>,
    manual_rate: Option<StoredDecimal>,
    spread_percent: Option<StoredDecimal>,
    fees: TemplateSides<FeeTemplate>,
    network_fee_payer: Option<NetworkFeePayer>,
    limits: TemplateSides<RangeTemplate>,
    hold: Option<i64>,
    reported_minutes: Option<i64>,
    floating: Option<bool>,
    verification: Option<VerificationSubject>,
    tolerance: ToleranceTemplate,
    tiers: Option<Vec<TierTemplate>>,
    notices: PairNotices,
    customer_terms: Option<BilingualNotice>,
    /// Codes of the cities it is limited to.
    cities: Option<Vec<String>>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct TemplateSides<T> {
    from: T,
    to: T,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct FeeTemplate {
    fixed: Option<StoredDecimal>,
    percent: Option<StoredDecimal>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct RangeTemplate {
    min: Option<StoredDecimal>,
    max: Option<StoredDecimal>,
    step: Option<StoredDecimal>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
struct ToleranceTemplate {
    late_percent: Option<StoredDecimal>,
    amount_fixed: Option<StoredDecimal>,
    amount_percent: Option<StoredDecimal>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct TierTemplate {
    min: StoredDecimal,
    add_percent: StoredDecimal,
}

/// What is wrong, and where: the first of these paths that the file has, or the last.
pub(super) struct MarketFileError {
    pub paths: Vec<String>,
    pub error: FieldError,
}

impl MarketFile {
    /// Reads a file.
    ///
    /// # Errors
    /// 422 `validation_failed` with `market_file_too_large`, `market_file_version` or `market_file_syntax`, which also
    /// stands for unknown keys and values of a wrong type. Each has the parameter `line`.
    pub fn parse(bytes: impl Into<Vec<u8>>) -> Result<Self> {
        let bytes = bytes.into();
        let refuse = |line: usize, error: FieldError| Err(Error::invalid(vec![error.with("line", line)]));
        if bytes.len() > MARKET_FILE_MAX {
            return refuse(1, FieldError::new("", "market_file_too_large").with("max", MARKET_FILE_MAX));
        }
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                let line = line_of(error.as_bytes(), error.utf8_error().valid_up_to());
                return refuse(line, FieldError::new("", "market_file_syntax").with("reason", error));
            }
        };
        let at = |offset: usize, error: FieldError| Error::invalid(vec![error.with("line", line_of(text.as_bytes(), offset))]);
        let unreadable = |error: toml::de::Error| {
            let place = error.span().map_or(0, |span| span.start);
            at(place, FieldError::new("", "market_file_syntax").with("reason", error.message()))
        };
        let table = DeTable::parse(&text).map_err(unreadable)?;
        let version = table.get_ref().get("version");
        let is_supported = match version.map(toml::Spanned::get_ref) {
            Some(DeValue::Integer(number)) => number.to_string().parse() == Ok(VERSION),
            _ => false,
        };
        if !is_supported {
            let place = version.map_or(0, |version| version.span().start);
            return Err(at(place, FieldError::new("version", "market_file_version").with("version", VERSION)));
        }
        let document = MarketDocument::deserialize(toml::de::Deserializer::from(table)).map_err(unreadable)?;
        Ok(Self { source: MarketFileSource::Toml(text), document })
    }

    /// The content of a table, with the lines of its currencies or pairs.
    pub(super) fn of_table(table: MarketTable, lines: Vec<usize>, document: MarketDocument) -> Self {
        Self { source: MarketFileSource::Table(table, lines), document }
    }

    /// What the audit log calls it.
    pub(super) fn name(&self) -> &'static str {
        match self.source {
            MarketFileSource::Toml(_) => "file",
            MarketFileSource::Table(table, _) => table.name(),
        }
    }

    /// The text of a TOML file; none of a table.
    pub(super) fn text(&self) -> &str {
        match &self.source {
            MarketFileSource::Toml(text) => text,
            MarketFileSource::Table(..) => "",
        }
    }

    /// The line of a currency or pair of a table.
    pub(super) fn line(&self, place: usize) -> Option<usize> {
        match &self.source {
            MarketFileSource::Toml(_) => None,
            MarketFileSource::Table(_, lines) => lines.get(place).copied(),
        }
    }

    /// An error of a part, whose fields are paths within its list.
    pub(super) fn refuse_part(&self, key: &str, error: Error) -> Error {
        let path = |field: &str| format!("{key}{}", if key == BRAND { field.trim_start_matches("[0]") } else { field });
        let fields = error.fields().iter();
        let errors: Vec<_> =
            fields.map(|field| MarketFileError { paths: vec![path(&field.field)], error: field.clone() }).collect();
        if errors.is_empty() { error } else { self.refuse(errors) }
    }

    /// 422 `validation_failed` with every error in its place.
    pub(super) fn refuse(&self, mut errors: Vec<MarketFileError>) -> Error {
        let text = match &self.source {
            MarketFileSource::Toml(text) => text,
            MarketFileSource::Table(table, lines) => {
                return Error::invalid(errors.drain(..).map(|error| error.in_table(*table, lines)).collect());
            }
        };
        let Ok(table) = DeTable::parse(text) else { return Error::internal("a market file was read only once") };
        let mut known = HashSet::new();
        let located = errors.drain(..).filter_map(|MarketFileError { paths, error }| {
            let exact = paths.iter().find_map(|path| Some((path, find(&table, path).0?)));
            let (path, place) = exact.or_else(|| paths.last().map(|path| (path, find(&table, path).1)))?;
            let line = line_of(text.as_bytes(), place);
            let is_new = known.insert((path.clone(), error.code));
            is_new.then(|| FieldError { field: path.clone(), ..error }.with("line", line))
        });
        Error::invalid(located.take(ERRORS_MAX).collect())
    }
}

impl MarketFileError {
    /// The error in its line and column.
    fn in_table(self, table: MarketTable, lines: &[usize]) -> FieldError {
        let path = self.paths.first().map(String::as_str).unwrap_or_default();
        let inner = path.strip_prefix(table.name()).and_then(|path| path.strip_prefix('[')).unwrap_or(path);
        let (place, column) = inner.split_once(']').unwrap_or((inner, ""));
        let line = place.parse().ok().and_then(|place: usize| lines.get(place)).copied().unwrap_or(1);
        let column = column.strip_prefix(".set").unwrap_or(column).trim_start_matches('.');
        // The list of one code.
        let column = column.strip_suffix("[0]").filter(|column| table.key().contains(column)).unwrap_or(column);
        FieldError { field: column.to_owned(), ..self.error }.with("line", line)
    }
}

impl MarketDocument {
    /// The entries of a part.
    ///
    /// # Errors
    /// `internal` for a key that no file has.
    pub fn part(&self, key: &str) -> Result<Vec<serde_json::Value>> {
        let entries = match key {
            BRAND => self.brand.as_slice(),
            "brandFiles" => &self.brand_files,
            "icons" => &self.icons,
            "rateSources" => &self.rate_sources,
            "rateRules" => &self.rate_rules,
            "paymentRoutes" => &self.payment_routes,
            "paymentDetails" => &self.payment_details,
            "aggregators" => &self.aggregators,
            "feedDirections" => &self.feed_directions,
            _ => return Err(Error::internal(format!("a market file has no part {key}"))),
        };
        entries.iter().map(|entry| serde_json::to_value(entry).map_err(Error::internal)).collect()
    }
}

/// The line of a byte, from 1.
fn line_of(text: &[u8], offset: usize) -> usize {
    text[..offset.min(text.len())].iter().filter(|byte| **byte == b'\n').count() + 1
}

/// Where a path such as `pairs[3].set.fees.from.percent` is: its own place, if the file has it, and that of the last
/// part that the file has.
fn find(table: &toml::Spanned<DeTable<'_>>, path: &str) -> (Option<usize>, usize) {
    let mut place = table.span().start;
    // The root is a table, everything below a value.
    let mut inside: Result<&DeTable<'_>, &DeValue<'_>> = Ok(table.get_ref());
    for part in path.split(['.', '[']) {
        let found = match (inside, part.strip_suffix(']')) {
            (Ok(table), None) => table.get_key_value(part).map(|(key, value)| (key.span().start, value)),
            (Err(DeValue::Array(items)), Some(number)) => {
                let item = number.parse().ok().and_then(|number: usize| items.get(number));
                item.map(|item| (item.span().start, item))
            }
            _ => None,
        };
        let Some((start, value)) = found else { return (None, place) };
        place = start;
        inside = match value.get_ref() {
            DeValue::Table(table) => Ok(table),
            other => Err(other),
        };
    }
    (Some(place), place)
}

impl CurrencyEntry {
    pub fn of(currency: &Currency) -> Self {
        let facts = &currency.facts;
        Self {
            code: facts.code.clone(),
            ticker: facts.ticker.clone(),
            name: facts.name.clone().into(),
            network: facts.network.clone().into(),
            kind: facts.kind,
            icon: facts.icon.clone(),
            scale: facts.scale,
            round_calculator: currency.round_digits,
            send: currency.can_give,
            receive: currency.can_receive,
            archived: currency.archived,
            position: Some(currency.position),
            reserve_floor: StoredDecimal(currency.amount(currency.reserve_floor).value()),
            network_fee: StoredDecimal(currency.amount(currency.network_fee).value()),
            opening_reserve: None,
            inputs: facts.inputs.iter().map(InputEntry::of).collect(),
            cities: facts.cities.iter().map(CityEntry::of).collect(),
            explorer: facts.explorer.clone(),
        }
    }

    /// Every property. `place` is that in the file.
    pub fn properties(&self, place: usize) -> CurrencyChange {
        CurrencyChange {
            code: Some(self.code.clone()),
            ticker: Some(self.ticker.clone()),
            network: Some(self.network.to_text()),
            inputs: Some(self.inputs.iter().map(InputEntry::to_input).collect()),
            cities: Some(self.cities.iter().map(CityEntry::to_city).collect()),
            explorer: Some(self.explorer.clone()),
            name: Some(self.name.to_text()),
            icon: Some(self.icon.clone()),
            round_digits: Some(self.round_calculator),
            can_give: Some(self.send),
            can_receive: Some(self.receive),
            position: Some(self.position.unwrap_or_else(|| default_position(place))),
            reserve_floor: Some(self.reserve_floor.0),
            network_fee: Some(self.network_fee.0),
            archived: Some(self.archived),
        }
    }
}

/// The position of a currency that has none, by its place in the file.
fn default_position(place: usize) -> i64 {
    i64::try_from(place + 1).unwrap_or(i64::MAX).saturating_mul(POSITION_STEP)
}

fn zero() -> StoredDecimal {
    StoredDecimal(rust_decimal::Decimal::ZERO)
}

impl From<Bilingual> for EntryText {
    fn from(text: Bilingual) -> Self {
        Self { ru: text.ru, en: text.en }
    }
}

impl EntryText {
    fn to_text(&self) -> Bilingual {
        Bilingual { ru: self.ru.clone(), en: self.en.clone() }
    }
}

impl InputEntry {
    fn of(input: &CurrencyInput) -> Self {
        Self {
            name: input.name.clone(),
            kind: input.kind,
            label: input.label.clone().into(),
            required: input.required,
            send: input.give,
            receive: input.receive,
            hint: input.hint.clone().map(Into::into),
            pattern: input.pattern.clone(),
            mask: input.mask.clone(),
        }
    }

    fn to_input(&self) -> CurrencyInput {
        CurrencyInput {
            name: self.name.clone(),
            kind: self.kind,
            label: self.label.to_text(),
            required: self.required,
            give: self.send,
            receive: self.receive,
            hint: self.hint.as_ref().map(EntryText::to_text),
            pattern: self.pattern.clone(),
            mask: self.mask.clone(),
        }
    }
}

impl CityEntry {
    fn of(city: &CashCity) -> Self {
        let place = Some(&city.place).filter(|place| **place != Bilingual::default());
        Self { code: city.code.clone(), name: city.name.clone().into(), place: place.cloned().map(Into::into) }
    }

    fn to_city(&self) -> CashCity {
        let place = self.place.as_ref().map(EntryText::to_text).unwrap_or_default();
        CashCity { code: self.code.clone(), name: self.name.to_text(), place }
    }
}

impl PairTemplate {
    pub fn of(pair: &Pair) -> Self {
        let some = |value| Some(StoredDecimal(value));
        let optional = |value: Option<_>| value.map(StoredDecimal);
        let fee = |fee: Fee| FeeTemplate { fixed: some(fee.fixed), percent: some(fee.percent) };
        let range = |range: ConfiguredRange| RangeTemplate {
            min: optional(range.min),
            max: optional(range.max),
            step: optional(range.step),
        };
        let tier =
            |tier: &TierRule| TierTemplate { min: StoredDecimal(tier.min_give), add_percent: StoredDecimal(tier.add_percent) };
        Self {
            enabled: Some(pair.enabled),
            archived: Some(pair.archived),
            source: Some(pair.source),
            manual_rate: optional(pair.manual_rate),
            spread_percent: some(pair.spread_percent),
            fees: TemplateSides { from: fee(pair.give_fee), to: fee(pair.receive_fee) },
            network_fee_payer: Some(pair.network_fee_payer),
            limits: TemplateSides { from: range(pair.limits.give), to: range(pair.limits.receive) },
            hold: Some(pair.hold_minutes),
            reported_minutes: pair.reported_minutes,
            floating: Some(pair.floating),
            verification: pair.verification,
            tolerance: ToleranceTemplate {
                late_percent: optional(pair.tolerance.late_percent),
                amount_fixed: optional(pair.tolerance.amount_fixed),
                amount_percent: optional(pair.tolerance.amount_percent),
            },
            tiers: Some(pair.tiers.iter().map(tier).collect()),
            notices: pair.notices.clone(),
            customer_terms: pair.customer_terms.clone(),
            cities: Some(pair.cities.clone()).filter(|cities| !cities.is_empty()),
        }
    }

    /// The change that gives a pair these settings and the defaults of a new one for the rest.
    pub fn change(self, new: &Pair) -> PairChange {
        let optional = |value: Option<StoredDecimal>| value.map(|value| value.0);
        let fee = |fee: &FeeTemplate| Fee {
            fixed: optional(fee.fixed).unwrap_or_default(),
            percent: optional(fee.percent).unwrap_or_default(),
        };
        let range = |range: &RangeTemplate| ConfiguredRange {
            min: optional(range.min),
            max: optional(range.max),
            step: optional(range.step),
        };
        let tier = |tier: &TierTemplate| TierRule { min_give: tier.min.0, add_percent: tier.add_percent.0 };
        PairChange {
            enabled: Some(self.enabled.unwrap_or(new.enabled)),
            archived: Some(self.archived.unwrap_or(new.archived)),
            source: Some(self.source.unwrap_or(new.source)),
            manual_rate: Some(optional(self.manual_rate)),
            spread_percent: Some(optional(self.spread_percent).unwrap_or(new.spread_percent)),
            give_fee: Some(fee(&self.fees.from)),
            receive_fee: Some(fee(&self.fees.to)),
            network_fee_payer: Some(self.network_fee_payer.unwrap_or(new.network_fee_payer)),
            tiers: Some(self.tiers.unwrap_or_default().iter().map(tier).collect()),
            limits: Some(ConfiguredLimits { give: range(&self.limits.from), receive: range(&self.limits.to) }),
            hold_minutes: Some(self.hold.unwrap_or(new.hold_minutes)),
            reported_minutes: Some(self.reported_minutes),
            floating: Some(self.floating.unwrap_or(new.floating)),
            notices: Some(self.notices),
            customer_terms: Some(self.customer_terms),
            cities: Some(self.cities.unwrap_or_default()),
            verification: Some(self.verification),
            tolerance: Some(Tolerance {
                late_percent: optional(self.tolerance.late_percent),
                amount_fixed: optional(self.tolerance.amount_fixed),
                amount_percent: optional(self.tolerance.amount_percent),
            }),
        }
    }
}

/// An entry as a table.
pub(super) fn table(entry: &impl Serialize) -> Result<Table> {
    Table::try_from(entry).map_err(Error::internal)
}

/// An entry of another module as a table.
pub(super) fn part_table(entry: &serde_json::Value) -> Result<Table> {
    match toml_value(entry)? {
        Value::Table(table) => Ok(table),
        other => Err(Error::internal(format!("an entry of the market file is a table, not {other}"))),
    }
}

/// By hand: numbers of `serde_json` keep their digits in a form of their own.
fn toml_value(value: &serde_json::Value) -> Result<Value> {
    use serde_json::Value as Json;
    Ok(match value {
        Json::String(text) => text.as_str().into(),
        Json::Bool(flag) => (*flag).into(),
        Json::Number(number) => number.as_i64().ok_or_else(|| Error::internal("a number of the file is an integer"))?.into(),
        Json::Array(items) => Value::Array(items.iter().map(toml_value).collect::<Result<_>>()?),
        Json::Object(fields) => {
            let fields = fields.iter().map(|(key, value)| Ok((key.clone(), toml_value(value)?)));
            Value::Table(fields.collect::<Result<_>>()?)
        }
        Json::Null => return Err(Error::internal("a market file has no null")),
    })
}

/// The values of a table by path.
pub(super) fn flatten(prefix: &str, table: &Table, values: &mut BTreeMap<String, Value>) {
    for (key, value) in table {
        match value {
            Value::Table(inner) => flatten(&format!("{prefix}{key}."), inner, values),
            value => drop(values.insert(format!("{prefix}{key}"), value.clone())),
        }
    }
}

/// Puts the values of one table over those of another.
pub(super) fn overlay(below: &mut Table, above: &Table) {
    for (key, value) in above {
        match (below.get_mut(key), value) {
            (Some(Value::Table(below)), Value::Table(above)) => overlay(below, above),
            _ => drop(below.insert(key.clone(), value.clone())),
        }
    }
}

/// The part of a table that differs from the defaults.
pub(super) fn without_defaults(table: &Table, defaults: &Table) -> Table {
    let differing = |(key, value): (&String, &Value)| match (value, defaults.get(key)) {
        (Value::Table(inner), default) => {
            let nothing = Table::new();
            let inner = without_defaults(inner, default.and_then(Value::as_table).unwrap_or(&nothing));
            (!inner.is_empty()).then(|| (key.clone(), Value::Table(inner)))
        }
        (value, default) => (default != Some(value)).then(|| (key.clone(), value.clone())),
    };
    table.iter().filter_map(differing).collect()
}

/// What the canonical file says.
pub(super) struct FileContent<'a> {
    /// Settings of the exchange, by name.
    pub settings: Vec<(String, String)>,
    /// Each with its reserve, if it has one.
    pub currencies: Vec<(Currency, Option<StoredDecimal>)>,
    pub pairs: Vec<(&'a str, &'a str, Table)>,
    /// Entries by the key of their part.
    pub parts: Vec<(&'static str, Vec<Table>)>,
}

/// Writes the canonical file: currencies and pairs in the order in which they were created, settings of new ones left
/// out, and neighbouring pairs with equal settings in one group.
pub(super) fn write(content: &FileContent<'_>) -> Result<String> {
    let mut text = format!("version = {VERSION}\n");
    if !content.settings.is_empty() {
        text.push_str("\n[settings]\n");
        text.extend(content.settings.iter().map(|(name, value)| format!("{name} = {}\n", Value::from(value.as_str()))));
    }
    for (place, (currency, reserve)) in content.currencies.iter().enumerate() {
        let mut defaults = Table::new();
        defaults.extend([("send", true), ("receive", true), ("archived", false)].map(|(key, on)| (key.to_owned(), on.into())));
        defaults.extend(["reserveFloor", "networkFee"].map(|key| (key.to_owned(), "0".into())));
        defaults.insert("position".to_owned(), default_position(place).into());
        let input = |input: &InputEntry| {
            let flags = ["required", "send", "receive"].map(|key| (key.to_owned(), Value::from(false)));
            table(input).map(|input| Value::Table(without_defaults(&input, &flags.into_iter().collect())))
        };
        let entry = CurrencyEntry { opening_reserve: *reserve, ..CurrencyEntry::of(currency) };
        let mut shown = without_defaults(&table(&entry)?, &defaults);
        shown.insert("inputs".to_owned(), Value::Array(entry.inputs.iter().map(input).collect::<Result<_>>()?));
        text.push_str("\n[[currencies]]\n");
        write_keys(&mut text, &shown);
    }
    write_groups(&mut text, "pairs", &content.pairs);
    for (key, entries) in &content.parts {
        let pairs: Option<Vec<_>> = entries.iter().map(pair_entry).collect();
        if let Some(pairs) = pairs {
            write_groups(&mut text, key, &pairs);
            continue;
        }
        for entry in entries {
            let _ = if *key == BRAND { write!(text, "\n[{key}]\n") } else { write!(text, "\n[[{key}]]\n") };
            write_keys(&mut text, entry);
        }
    }
    Ok(text)
}

/// The codes and settings of an entry about a pair.
fn pair_entry(entry: &Table) -> Option<(&str, &str, Table)> {
    let code = |side| entry.get(side).and_then(Value::as_str);
    Some((code("give")?, code("receive")?, entry.get("set")?.as_table()?.clone()))
}

fn write_groups(text: &mut String, key: &str, pairs: &[(&str, &str, Table)]) {
    for (give, receive, set) in grouped(pairs) {
        let side = |codes: Vec<&str>| Value::from(codes);
        let _ = write!(text, "\n[[{key}]]\ngive = {}\nreceive = {}\n", side(give), side(receive));
        if !set.is_empty() {
            let _ = writeln!(text, "[{key}.set]");
            write_keys(text, set);
        }
    }
}

fn write_keys(text: &mut String, table: &Table) {
    for (key, value) in table {
        let _ = match value {
            Value::Array(items) if items.iter().any(Value::is_table) => {
                let lines: String = items.iter().map(|item| format!("  {item},\n")).collect();
                writeln!(text, "{key} = [\n{lines}]")
            }
            value => writeln!(text, "{key} = {value}"),
        };
    }
}

/// Joins consecutive pairs into rows and consecutive rows into products.
fn grouped<'a>(pairs: &'a [(&'a str, &'a str, Table)]) -> Vec<(Vec<&'a str>, Vec<&'a str>, &'a Table)> {
    let mut rows: Vec<(Vec<&str>, Vec<&str>, &Table)> = Vec::new();
    for (give, receive, set) in pairs {
        match rows.last_mut() {
            Some((row, receives, shared)) if row[0] == *give && *shared == set => receives.push(receive),
            _ => rows.push((vec![give], vec![receive], set)),
        }
    }
    let mut groups: Vec<(Vec<&str>, Vec<&str>, &Table)> = Vec::new();
    for (give, receives, set) in rows {
        match groups.last_mut() {
            Some((gives, shared, same)) if *shared == receives && *same == set => gives.extend(give),
            _ => groups.push((give, receives, set)),
        }
    }
    groups
}
