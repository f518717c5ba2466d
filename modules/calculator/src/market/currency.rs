//! Currencies and their updates.

use std::sync::Arc;

use agio_contracts::{CurrencyInfo, CurrencyInput};
use agio_core::texts::Bilingual;
use agio_core::{Amount, Error, FieldError, Result, Timestamp};
use rust_decimal::Decimal;

use crate::store::CurrencyRow;

const NAME_MAX: usize = 80;
const ICON_MAX: usize = 40;
const POSITION_MAX: i64 = 1_000_000;

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
    pub revision: i64,
    pub updated_at: Timestamp,
}

/// Changes to a currency. `None` keeps the value.
#[derive(Clone, Debug, Default)]
pub struct CurrencyChange {
    pub name: Option<Bilingual>,
    pub icon: Option<String>,
    pub round_digits: Option<u32>,
    pub can_give: Option<bool>,
    pub can_receive: Option<bool>,
    pub position: Option<i64>,
    pub reserve_floor: Option<Decimal>,
}

impl Currency {
    /// # Errors
    /// `internal` if the row is invalid.
    pub fn from_row(row: &CurrencyRow) -> Result<Self> {
        let scale = u32::try_from(row.scale).map_err(Error::internal)?;
        let inputs: Vec<CurrencyInput> = serde_json::from_str(&row.inputs).map_err(Error::internal)?;
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
            }),
            round_digits: u32::try_from(row.round_digits).map_err(Error::internal)?,
            can_give: row.can_give,
            can_receive: row.can_receive,
            position: row.position,
            reserve_floor: row.reserve_floor,
            revision: row.revision,
            updated_at: row.updated_at,
        })
    }

    #[must_use]
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
            reserve_floor: self.reserve_floor,
            revision: self.revision,
            updated_at: self.updated_at,
        }
    }

    #[must_use]
    pub fn id(&self) -> i64 {
        self.facts.id
    }

    #[must_use]
    pub fn is_visible(&self) -> bool {
        self.can_give || self.can_receive
    }

    #[must_use]
    pub fn amount(&self, units: i64) -> Amount {
        self.facts.amount(units)
    }

    /// An available amount as a decimal. A negative amount counts as zero.
    #[must_use]
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
            match amount(floor, &self.facts, "reserveFloor") {
                Ok(floor) => after.reserve_floor = floor.units(),
                Err(error) => wrong.push(error),
            }
        }
        after.can_give = change.can_give.unwrap_or(self.can_give);
        after.can_receive = change.can_receive.unwrap_or(self.can_receive);
        if wrong.is_empty() { Ok(after) } else { Err(Error::invalid(wrong)) }
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
