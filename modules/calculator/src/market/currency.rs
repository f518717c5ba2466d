//! Currencies and their updates.

use std::collections::HashSet;
use std::sync::Arc;

use agio_brand::is_https;
use agio_contracts::{CashCity, CurrencyInfo, CurrencyInput, CurrencyKind, TX_PLACE};
use agio_core::money::SCALE_MAX;
use agio_core::texts::Bilingual;
use agio_core::{Amount, Error, FieldError, Result, Timestamp};
use agio_requisites::{INPUT_MASK_MAX, InputMask, PATTERN_MAX, RequisiteKind, RequisitePattern};
use rust_decimal::Decimal;

use crate::store::CurrencyRow;

const NAME_MAX: usize = 80;
const ICON_MAX: usize = 40;
pub const POSITION_MAX: i64 = 1_000_000;
const CODE_MAX: usize = 20;
const TICKER_MAX: usize = 10;
const INPUTS_MAX: usize = 10;
const INPUT_NAME_MAX: usize = 40;
const HINT_MAX: usize = 120;
const CITIES_MAX: usize = 100;
const CITY_CODE_MAX: usize = 12;
const PLACE_MAX: usize = 300;

/// A currency: an asset on a network or in a payment system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Currency {
    pub facts: Arc<CurrencyInfo>,
    /// Decimals shown to customers and accepted from them.
    pub round_digits: u32,
    pub can_give: bool,
    pub can_receive: bool,
    pub position: i64,
    /// The console warns when the reserve falls below this. In units.
    pub reserve_floor: i64,
    /// What one payout costs on its network. In units.
    pub network_fee: i64,
    /// Offered nowhere, whatever `can_give` and `can_receive` say. Claims, ledger and reports keep it.
    pub archived: bool,
    pub revision: i64,
    pub updated_at: Timestamp,
}

/// Changes to a currency. `None` keeps the value.
#[derive(Clone, Debug, Default)]
pub struct CurrencyChange {
    pub code: Option<String>,
    pub ticker: Option<String>,
    pub network: Option<Bilingual>,
    pub inputs: Option<Vec<CurrencyInput>>,
    pub cities: Option<Vec<CashCity>>,
    /// `Some(None)` stands for the usual one.
    pub explorer: Option<Option<String>>,
    pub name: Option<Bilingual>,
    pub icon: Option<String>,
    pub round_digits: Option<u32>,
    pub can_give: Option<bool>,
    pub can_receive: Option<bool>,
    pub position: Option<i64>,
    pub reserve_floor: Option<Decimal>,
    pub network_fee: Option<Decimal>,
    pub archived: Option<bool>,
}

/// A currency to create.
#[derive(Clone, Debug)]
pub struct NewCurrency {
    /// For life.
    pub kind: CurrencyKind,
    /// Decimals stored. For life.
    pub scale: u32,
    /// Every property; `reserve_floor`, `network_fee` and `archived` may be missing.
    pub properties: CurrencyChange,
}

impl Currency {
    /// # Errors
    /// 422 `validation_failed` with every invalid field.
    pub fn new(id: i64, new: NewCurrency, now: Timestamp) -> Result<Self> {
        let NewCurrency { kind, scale, properties } = new;
        let blank = Self {
            facts: Arc::new(CurrencyInfo {
                id,
                code: String::new(),
                ticker: String::new(),
                network: Bilingual::default(),
                kind,
                name: Bilingual::default(),
                icon: String::new(),
                scale: scale.min(SCALE_MAX),
                inputs: Vec::new(),
                cities: Vec::new(),
                explorer: None,
            }),
            round_digits: 0,
            can_give: false,
            can_receive: false,
            position: 0,
            reserve_floor: 0,
            network_fee: 0,
            archived: false,
            revision: 1,
            updated_at: now,
        };
        let required = CurrencyChange {
            code: properties.code.or_else(|| Some(String::new())),
            ticker: properties.ticker.or_else(|| Some(String::new())),
            network: properties.network.or_else(|| Some(Bilingual::default())),
            inputs: properties.inputs.or_else(|| Some(Vec::new())),
            cities: properties.cities.or_else(|| Some(Vec::new())),
            name: properties.name.or_else(|| Some(Bilingual::default())),
            icon: properties.icon.or_else(|| Some(String::new())),
            ..properties
        };
        let created = blank.changed(required);
        if scale <= SCALE_MAX {
            return created;
        }
        let mut wrong = vec![out_of_range("scale", 0, SCALE_MAX)];
        wrong.extend(created.err().into_iter().flat_map(|error| error.fields().to_vec()));
        Err(Error::invalid(wrong))
    }

    /// # Errors
    /// `internal` if the row is invalid.
    pub fn from_row(row: &CurrencyRow) -> Result<Self> {
        let scale = u32::try_from(row.scale).map_err(Error::internal)?;
        let inputs: Vec<CurrencyInput> = serde_json::from_str(&row.inputs).map_err(Error::internal)?;
        let cities: Vec<CashCity> = serde_json::from_str(&row.cities).map_err(Error::internal)?;
        Ok(Self {
            facts: Arc::new(CurrencyInfo {
                id: row.id,
                code: row.code.clone(),
                ticker: row.ticker.clone(),
                network: Bilingual { ru: row.network_ru.clone(), en: row.network_en.clone() },
                kind: row.kind,
                name: Bilingual { ru: row.name_ru.clone(), en: row.name_en.clone() },
                icon: row.icon.clone(),
                scale,
                inputs,
                cities,
                explorer: row.explorer.clone(),
            }),
            round_digits: u32::try_from(row.round_digits).map_err(Error::internal)?,
            can_give: row.can_give,
            can_receive: row.can_receive,
            position: row.position,
            reserve_floor: row.reserve_floor,
            network_fee: row.network_fee,
            archived: row.archived,
            revision: row.revision,
            updated_at: row.updated_at,
        })
    }

    pub fn to_row(&self) -> CurrencyRow {
        let facts = &self.facts;
        CurrencyRow {
            id: facts.id,
            code: facts.code.clone(),
            ticker: facts.ticker.clone(),
            network_ru: facts.network.ru.clone(),
            network_en: facts.network.en.clone(),
            kind: facts.kind,
            name_ru: facts.name.ru.clone(),
            name_en: facts.name.en.clone(),
            icon: facts.icon.clone(),
            scale: i64::from(facts.scale),
            round_digits: i64::from(self.round_digits),
            can_give: self.can_give,
            can_receive: self.can_receive,
            position: self.position,
            inputs: serde_json::to_string(&facts.inputs).expect("inputs are plain data"),
            cities: serde_json::to_string(&facts.cities).expect("cities are plain data"),
            explorer: facts.explorer.clone(),
            reserve_floor: self.reserve_floor,
            network_fee: self.network_fee,
            archived: self.archived,
            revision: self.revision,
            updated_at: self.updated_at,
        }
    }

    pub fn id(&self) -> i64 {
        self.facts.id
    }

    /// Whether customers can give it now.
    pub fn is_giveable(&self) -> bool {
        self.can_give && !self.archived
    }

    /// Whether customers can receive it now.
    pub fn is_receivable(&self) -> bool {
        self.can_receive && !self.archived
    }

    pub fn is_visible(&self) -> bool {
        self.is_giveable() || self.is_receivable()
    }

    pub fn amount(&self, units: i64) -> Amount {
        self.facts.amount(units)
    }

    /// An available amount as a decimal. A negative amount counts as zero.
    pub fn free(&self, units: i64) -> Decimal {
        self.amount(units.max(0)).value()
    }

    /// Applies a change.
    ///
    /// # Errors
    /// 422 `validation_failed` with every invalid field.
    pub fn changed(&self, change: CurrencyChange) -> Result<Self> {
        let mut after = self.clone();
        let mut wrong = Vec::new();
        let facts = Arc::make_mut(&mut after.facts);
        if let Some(code) = change.code {
            check_capitals(&mut wrong, "code", &code, CODE_MAX);
            facts.code = code;
        }
        if let Some(ticker) = change.ticker {
            check_capitals(&mut wrong, "ticker", &ticker, TICKER_MAX);
            facts.ticker = ticker;
        }
        if let Some(network) = change.network {
            check_bilingual(&mut wrong, "network", &network);
            facts.network = network;
        }
        if let Some(name) = change.name {
            check_bilingual(&mut wrong, "name", &name);
            facts.name = name;
        }
        if let Some(icon) = change.icon {
            check_icon(&mut wrong, &icon);
            facts.icon = icon;
        }
        if let Some(inputs) = change.inputs {
            check_inputs(&mut wrong, self.facts.kind, &inputs);
            facts.inputs = inputs;
        }
        if let Some(cities) = change.cities {
            check_cities(&mut wrong, self.facts.kind, &cities);
            facts.cities = cities;
        }
        if let Some(explorer) = change.explorer {
            wrong.extend(explorer.as_deref().and_then(explorer_fault));
            facts.explorer = explorer;
        }
        if let Some(digits) = change.round_digits {
            if digits > self.facts.scale {
                wrong.push(out_of_range("roundCalculator", 0, self.facts.scale));
            }
            after.round_digits = digits;
        }
        if let Some(position) = change.position {
            if !(0..=POSITION_MAX).contains(&position) {
                wrong.push(out_of_range("position", 0, POSITION_MAX));
            }
            after.position = position;
        }
        for (field, value, units) in [
            ("reserveFloor", change.reserve_floor, &mut after.reserve_floor),
            ("networkFee", change.network_fee, &mut after.network_fee),
        ] {
            match value.map(|value| amount(value, &self.facts, field)).transpose() {
                Ok(amount) => *units = amount.map_or(*units, Amount::units),
                Err(error) => wrong.push(error),
            }
        }
        after.can_give = change.can_give.unwrap_or(self.can_give);
        after.can_receive = change.can_receive.unwrap_or(self.can_receive);
        after.archived = change.archived.unwrap_or(self.archived);
        if wrong.is_empty() { Ok(after) } else { Err(Error::invalid(wrong)) }
    }
}

/// Codes and tickers: capital letters and digits, among them a letter, because a number is an identifier.
fn check_capitals(wrong: &mut Vec<FieldError>, field: &str, text: &str, max: usize) {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    if !(is_plain && (2..=max).contains(&text.len()) && text.bytes().any(|byte| byte.is_ascii_uppercase())) {
        let code = if text.is_empty() { "required" } else { "not_capitals" };
        wrong.push(FieldError::new(field, code).with("min", 2).with("max", max));
    }
}

fn check_bilingual(wrong: &mut Vec<FieldError>, field: &str, text: &Bilingual) {
    check_text(wrong, &format!("{field}.ru"), &text.ru, NAME_MAX);
    check_text(wrong, &format!("{field}.en"), &text.en, NAME_MAX);
}

/// The name becomes part of an address in the page, so only plain characters are accepted.
fn check_icon(wrong: &mut Vec<FieldError>, icon: &str) {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if icon.is_empty() {
        wrong.push(FieldError::new("icon", "required"));
    } else if icon.len() > ICON_MAX || !icon.bytes().all(is_plain) {
        wrong.push(FieldError::new("icon", "icon_invalid").with("max", ICON_MAX));
    }
}

/// The id of the transaction stands once, and not in the host.
fn explorer_fault(page: &str) -> Option<FieldError> {
    let is_page = page.split_once(TX_PLACE).is_some_and(|(before, after)| {
        let is_after_host = before.strip_prefix("https://").is_some_and(|rest| rest.contains(['/', '?', '#']));
        is_after_host && !after.contains(TX_PLACE) && is_https(&format!("{before}0{after}"))
    });
    (!is_page).then(|| FieldError::new("explorer", "explorer_invalid").with("tx", TX_PLACE))
}

fn check_inputs(wrong: &mut Vec<FieldError>, kind: CurrencyKind, inputs: &[CurrencyInput]) {
    if inputs.len() > INPUTS_MAX {
        wrong.push(FieldError::new("inputs", "too_many_inputs").with("max", INPUTS_MAX));
        return;
    }
    if kind != CurrencyKind::Cash
        && !inputs.iter().any(|input| input.receive && input.required && is_destination(kind, input.kind))
    {
        wrong.push(FieldError::new("inputs", "destination_missing"));
    }
    let mut names = HashSet::new();
    for (place, input) in inputs.iter().enumerate() {
        let field = |name: &str| format!("inputs[{place}].{name}");
        let is_name = input.name.starts_with(|first: char| first.is_ascii_lowercase())
            && input.name.len() <= INPUT_NAME_MAX
            && input.name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if !is_name {
            wrong.push(FieldError::new(field("name"), "input_name_invalid").with("max", INPUT_NAME_MAX));
        } else if !names.insert(&input.name) {
            wrong.push(FieldError::new(field("name"), "input_name_taken"));
        }
        if !fits(kind, input.kind) {
            wrong.push(FieldError::new(field("kind"), "input_kind_unfit"));
        }
        if !(input.give || input.receive) {
            wrong.push(FieldError::new(field("send"), "input_unused"));
        }
        check_bilingual(wrong, &field("label"), &input.label);
        if let Some(hint) = &input.hint {
            check_text(wrong, &field("hint.ru"), &hint.ru, HINT_MAX);
            check_text(wrong, &field("hint.en"), &hint.en, HINT_MAX);
        }
        if let Some(refused) = input.pattern.as_ref().and_then(|pattern| RequisitePattern::new(pattern).err()) {
            wrong.push(FieldError::new(field("pattern"), refused).with("max", PATTERN_MAX));
        }
        if let Some(refused) = input.mask.as_ref().and_then(|mask| InputMask::new(mask).err()) {
            wrong.push(FieldError::new(field("mask"), refused).with("max", INPUT_MASK_MAX));
        }
        for (name, form) in [("pattern", &input.pattern), ("mask", &input.mask)] {
            // Other kinds have a form of their own.
            if form.is_some() && !input.kind.is_free_text() {
                wrong.push(FieldError::new(field(name), "pattern_unfit"));
            }
        }
        if (input.pattern.is_some() || input.mask.is_some()) && input.hint.is_none() {
            wrong.push(FieldError::new(field("hint"), "hint_required"));
        }
    }
}

/// Cash always has a city, so that everyone knows where to come before they type anything.
fn check_cities(wrong: &mut Vec<FieldError>, kind: CurrencyKind, cities: &[CashCity]) {
    if (kind == CurrencyKind::Cash) == cities.is_empty() {
        let code = if cities.is_empty() { "city_required" } else { "city_unfit" };
        wrong.push(FieldError::new("cities", code));
        return;
    }
    if cities.len() > CITIES_MAX {
        wrong.push(FieldError::new("cities", "too_many_cities").with("max", CITIES_MAX));
        return;
    }
    let mut codes = HashSet::new();
    for (index, city) in cities.iter().enumerate() {
        let field = |name: &str| format!("cities[{index}].{name}");
        check_capitals(wrong, &field("code"), &city.code, CITY_CODE_MAX);
        if !codes.insert(&city.code) {
            wrong.push(FieldError::new(field("code"), "city_taken"));
        }
        check_bilingual(wrong, &field("name"), &city.name);
        if city.place != Bilingual::default() {
            check_text(wrong, &field("place.ru"), &city.place.ru, PLACE_MAX);
            check_text(wrong, &field("place.en"), &city.place.en, PLACE_MAX);
        }
    }
}

/// Whether customers of a kind of currency can be asked for a kind of requisite.
fn fits(currency: CurrencyKind, requisite: RequisiteKind) -> bool {
    match requisite {
        RequisiteKind::Iban | RequisiteKind::Card | RequisiteKind::AccountRu => {
            matches!(currency, CurrencyKind::Bank | CurrencyKind::Ewallet)
        }
        RequisiteKind::Tag => currency == CurrencyKind::Crypto,
        address if address.is_address() => currency == CurrencyKind::Crypto,
        _ => true,
    }
}

/// Whether money can be sent to a requisite of this kind.
fn is_destination(currency: CurrencyKind, requisite: RequisiteKind) -> bool {
    match currency {
        CurrencyKind::Crypto => requisite.is_address() || requisite == RequisiteKind::Text,
        _ => !matches!(requisite, RequisiteKind::Holder | RequisiteKind::Memo),
    }
}

/// Reports a text that is empty, too long or has control characters.
pub(super) fn check_text(wrong: &mut Vec<FieldError>, field: &str, text: &str, max: usize) {
    let code = if text.trim().is_empty() {
        "required"
    } else if text.chars().count() > max || text.chars().any(char::is_control) {
        "text_too_long"
    } else {
        return;
    };
    wrong.push(FieldError::new(field, code).with("max", max));
}

pub(super) fn out_of_range(field: impl Into<String>, least: impl ToString, most: impl ToString) -> FieldError {
    FieldError::new(field, "value_out_of_range").with("min", least).with("max", most)
}

/// Checks that an amount is not negative and fits the scale.
pub(super) fn amount(value: Decimal, currency: &CurrencyInfo, field: &str) -> Result<Amount, FieldError> {
    if value < Decimal::ZERO {
        return Err(FieldError::new(field, "amount_negative"));
    }
    currency.exact(value).map_err(|error| FieldError { params: error.params().clone(), ..FieldError::new(field, error.code()) })
}
