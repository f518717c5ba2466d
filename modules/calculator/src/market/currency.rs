//! A currency on the market, and what an operator may change of it.

use std::sync::Arc;

use agio_core::error::Params;
use agio_core::needs::{CurrencyFacts, InputFacts};
use agio_core::texts::Bilingual;
use agio_core::{Amount, Error, FieldError, Result, Timestamp};
use rust_decimal::Decimal;

use crate::store::CurrencyRow;

/// The longest name of a currency.
const NAME_MAX: usize = 80;
/// The longest name of an icon.
const ICON_MAX: usize = 40;
/// Places in lists run from zero to this.
const POSITION_MAX: i64 = 1_000_000;

/// A currency: an asset on a network or in a payment system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Currency {
    /// What other rooms know of it.
    pub facts: Arc<CurrencyFacts>,
    /// Decimals customers see and may type.
    pub round_digits: u32,
    /// Whether customers may send it.
    pub send: bool,
    /// Whether customers may receive it.
    pub receive: bool,
    /// Its place in lists.
    pub position: i64,
    /// The reserve below which the console warns, in units.
    pub reserve_floor: i64,
    /// How often it was changed.
    pub revision: i64,
    /// When it was changed last.
    pub updated_at: Timestamp,
}

/// What an operator changes of a currency; what is nothing stays as it is.
#[derive(Clone, Debug, Default)]
pub struct CurrencyChange {
    /// Another name.
    pub name: Option<Bilingual>,
    /// Another icon.
    pub icon: Option<String>,
    /// Other digits for customers.
    pub round_digits: Option<u32>,
    /// Whether customers may send it.
    pub send: Option<bool>,
    /// Whether customers may receive it.
    pub receive: Option<bool>,
    /// Another place in lists.
    pub position: Option<i64>,
    /// Another warning mark of the reserve.
    pub reserve_floor: Option<Decimal>,
}

impl Currency {
    /// Reads a currency from its row.
    ///
    /// # Errors
    /// `internal` when the row is not one this program has written.
    pub fn from_row(row: &CurrencyRow) -> Result<Self> {
        let scale = u32::try_from(row.scale).map_err(Error::internal)?;
        let inputs: Vec<InputFacts> = serde_json::from_str(&row.inputs).map_err(Error::internal)?;
        Ok(Self {
            facts: Arc::new(CurrencyFacts {
                id: row.id,
                code: row.code.clone(),
                ticker: row.ticker.clone(),
                network: Bilingual { ru: row.network_ru.clone(), en: row.network_en.clone() },
                kind: row.kind.clone(),
                name: Bilingual { ru: row.name_ru.clone(), en: row.name_en.clone() },
                icon: row.icon.clone(),
                scale,
                inputs,
            }),
            round_digits: u32::try_from(row.round_digits).map_err(Error::internal)?,
            send: row.send,
            receive: row.receive,
            position: row.position,
            reserve_floor: row.reserve_floor,
            revision: row.revision,
            updated_at: row.updated_at,
        })
    }

    /// The row it is stored as.
    #[must_use]
    pub fn to_row(&self) -> CurrencyRow {
        let facts = &self.facts;
        CurrencyRow {
            id: facts.id,
            code: facts.code.clone(),
            ticker: facts.ticker.clone(),
            network_ru: facts.network.ru.clone(),
            network_en: facts.network.en.clone(),
            kind: facts.kind.clone(),
            name_ru: facts.name.ru.clone(),
            name_en: facts.name.en.clone(),
            icon: facts.icon.clone(),
            scale: i64::from(facts.scale),
            round_digits: i64::from(self.round_digits),
            send: self.send,
            receive: self.receive,
            position: self.position,
            inputs: serde_json::to_string(&facts.inputs).expect("inputs are plain data"),
            reserve_floor: self.reserve_floor,
            revision: self.revision,
            updated_at: self.updated_at,
        }
    }

    /// Its identifier.
    #[must_use]
    pub fn id(&self) -> i64 {
        self.facts.id
    }

    /// Whether customers see it at all.
    #[must_use]
    pub fn is_visible(&self) -> bool {
        self.send || self.receive
    }

    /// An amount of it.
    #[must_use]
    pub fn amount(&self, units: i64) -> Amount {
        Amount::of_units(units, self.facts.scale)
    }

    /// What is free of it as a decimal; what is below zero counts as nothing.
    #[must_use]
    pub fn free(&self, units: i64) -> Decimal {
        self.amount(units.max(0)).value()
    }

    /// The currency as an operator wants it.
    ///
    /// # Errors
    /// 422 `validation_failed` with what is wrong with each field.
    pub fn changed(&self, change: CurrencyChange) -> Result<Self> {
        let mut after = self.clone();
        let mut wrong = Vec::new();
        if let Some(name) = change.name {
            check_text(&mut wrong, "name.ru", &name.ru, NAME_MAX);
            check_text(&mut wrong, "name.en", &name.en, NAME_MAX);
            Arc::make_mut(&mut after.facts).name = name;
        }
        if let Some(icon) = change.icon {
            check_text(&mut wrong, "icon", &icon, ICON_MAX);
            Arc::make_mut(&mut after.facts).icon = icon;
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
        if let Some(floor) = change.reserve_floor {
            match amount(floor, self.facts.scale, "reserveFloor") {
                Ok(floor) => after.reserve_floor = floor.units(),
                Err(error) => wrong.push(error),
            }
        }
        after.send = change.send.unwrap_or(self.send);
        after.receive = change.receive.unwrap_or(self.receive);
        if wrong.is_empty() { Ok(after) } else { Err(Error::invalid(wrong)) }
    }
}

/// Notes a text that is empty, too long or has control characters.
pub(super) fn check_text(wrong: &mut Vec<FieldError>, field: &str, text: &str, max: usize) {
    let code = if text.trim().is_empty() {
        "required"
    } else if text.chars().count() > max || text.chars().any(char::is_control) {
        "text_too_long"
    } else {
        return;
    };
    wrong.push(FieldError { field: field.to_owned(), code, params: Params::from([("max", max.to_string())]) });
}

/// A number outside its range.
pub(super) fn out_of_range(field: impl Into<String>, least: impl ToString, most: impl ToString) -> FieldError {
    let params = Params::from([("min", least.to_string()), ("max", most.to_string())]);
    FieldError { field: field.into(), code: "value_out_of_range", params }
}

/// An amount of zero or more that the scale can hold, or what is wrong with it.
pub(super) fn amount(value: Decimal, scale: u32, field: &str) -> Result<Amount, FieldError> {
    if value < Decimal::ZERO {
        return Err(FieldError { field: field.to_owned(), code: "amount_negative", params: Params::new() });
    }
    Amount::exact(value, scale).map_err(|error| FieldError {
        field: field.to_owned(),
        code: error.code(),
        params: error.params().clone(),
    })
}
