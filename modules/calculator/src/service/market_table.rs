//! Currencies and pairs as tables for spreadsheets.
//!
//! Columns are the keys of the market file. A column that a table does not have leaves the value as it is; an empty cell
//! stands for no value. Both are compared with the market as a market file is.
//!
//! Text that a spreadsheet could run as a formula begins with an apostrophe, which is removed again when it is read. A
//! file is CSV or XLSX; both have the same cells.

use std::collections::{BTreeMap, HashMap};

use agio_contracts::{CurrencyKind, NetworkFeePayer, VerificationSubject};
use agio_core::spreadsheet::{self, marked, to_csv, unmarked};
use agio_core::texts::Locale;
use agio_core::{Error, FieldError, Result};
use rust_decimal::Decimal;
use serde::Deserialize as _;
use toml::{Table, Value};

use super::Calculator;
use super::market_file::{
    CityEntry, CurrencyEntry, InputEntry, MarketDocument, MarketFile, PairGroup, PairTemplate, TierTemplate, flatten, overlay,
    table,
};
use super::market_plan::{MarketPlan, StoredMarket};
use super::xlsx;
use crate::market::{Currency, Pair, RateSourceKind};

/// Maximum size of a table, in bytes.
pub const TABLE_BYTES_MAX: usize = 1 << 20;

/// Maximum number of lines below the header.
const LINES_MAX: usize = 10_000;

/// Currencies without a position follow the others this far apart.
const POSITION_STEP: i64 = 10;

agio_core::named! {
    /// A table of the market.
    MarketTable {
        /// Currencies.
        Currencies = "currencies",
        /// Pairs.
        Pairs = "pairs",
    }
}

agio_core::named! {
    /// Kind of a table's file.
    MarketTableFormat {
        /// Text in UTF-8.
        Csv = "csv",
        /// A spreadsheet of Excel and others.
        Xlsx = "xlsx",
    }
}

#[derive(Clone, Copy)]
enum CellKind {
    Text,
    Flag,
    Whole,
    Decimal,
    Name(fn(&str) -> bool),
    /// A list as in the market file.
    List(fn(&Value) -> bool),
}

type Column = (&'static str, CellKind);

const CURRENCY_COLUMNS: &[Column] = &[
    ("code", CellKind::Text),
    ("ticker", CellKind::Text),
    ("name.ru", CellKind::Text),
    ("name.en", CellKind::Text),
    ("network.ru", CellKind::Text),
    ("network.en", CellKind::Text),
    ("kind", CellKind::Name(|name| name.parse::<CurrencyKind>().is_ok())),
    ("icon", CellKind::Text),
    ("scale", CellKind::Whole),
    ("roundCalculator", CellKind::Whole),
    ("send", CellKind::Flag),
    ("receive", CellKind::Flag),
    ("archived", CellKind::Flag),
    ("position", CellKind::Whole),
    ("reserveFloor", CellKind::Decimal),
    ("networkFee", CellKind::Decimal),
    ("explorer", CellKind::Text),
    ("inputs", CellKind::List(|list| Vec::<InputEntry>::deserialize(list.clone()).is_ok())),
    ("cities", CellKind::List(|list| Vec::<CityEntry>::deserialize(list.clone()).is_ok())),
];

/// Of a new currency.
const CURRENCY_REQUIRED: [&str; 10] =
    ["code", "ticker", "name.ru", "name.en", "network.ru", "network.en", "kind", "icon", "scale", "roundCalculator"];

const PAIR_COLUMNS: &[Column] = &[
    ("give", CellKind::Text),
    ("receive", CellKind::Text),
    ("enabled", CellKind::Flag),
    ("archived", CellKind::Flag),
    ("source", CellKind::Name(|name| name.parse::<RateSourceKind>().is_ok())),
    ("manualRate", CellKind::Decimal),
    ("spreadPercent", CellKind::Decimal),
    ("fees.from.fixed", CellKind::Decimal),
    ("fees.from.percent", CellKind::Decimal),
    ("fees.to.fixed", CellKind::Decimal),
    ("fees.to.percent", CellKind::Decimal),
    ("networkFeePayer", CellKind::Name(|name| name.parse::<NetworkFeePayer>().is_ok())),
    ("limits.from.min", CellKind::Decimal),
    ("limits.from.max", CellKind::Decimal),
    ("limits.from.step", CellKind::Decimal),
    ("limits.to.min", CellKind::Decimal),
    ("limits.to.max", CellKind::Decimal),
    ("limits.to.step", CellKind::Decimal),
    ("hold", CellKind::Whole),
    ("reportedMinutes", CellKind::Whole),
    ("floating", CellKind::Flag),
    ("verification", CellKind::Name(|name| name.parse::<VerificationSubject>().is_ok())),
    ("tolerance.latePercent", CellKind::Decimal),
    ("tolerance.amountFixed", CellKind::Decimal),
    ("tolerance.amountPercent", CellKind::Decimal),
    ("tiers", CellKind::List(|list| Vec::<TierTemplate>::deserialize(list.clone()).is_ok())),
    ("notices.general.ru.title", CellKind::Text),
    ("notices.general.ru.message", CellKind::Text),
    ("notices.general.en.title", CellKind::Text),
    ("notices.general.en.message", CellKind::Text),
    ("notices.from.ru.title", CellKind::Text),
    ("notices.from.ru.message", CellKind::Text),
    ("notices.from.en.title", CellKind::Text),
    ("notices.from.en.message", CellKind::Text),
    ("notices.to.ru.title", CellKind::Text),
    ("notices.to.ru.message", CellKind::Text),
    ("notices.to.en.title", CellKind::Text),
    ("notices.to.en.message", CellKind::Text),
    ("customerTerms.ru.title", CellKind::Text),
    ("customerTerms.ru.message", CellKind::Text),
    ("customerTerms.en.title", CellKind::Text),
    ("customerTerms.en.message", CellKind::Text),
    ("cities", CellKind::List(|list| Vec::<String>::deserialize(list.clone()).is_ok())),
];

impl MarketTable {
    fn columns(self) -> &'static [Column] {
        match self {
            Self::Currencies => CURRENCY_COLUMNS,
            Self::Pairs => PAIR_COLUMNS,
        }
    }

    /// The columns that say what a line is about.
    pub(super) fn key(self) -> &'static [&'static str] {
        match self {
            Self::Currencies => &["code"],
            Self::Pairs => &["give", "receive"],
        }
    }
}

impl Calculator {
    /// The stored currencies or pairs as a table: in Russian with semicolons and decimal commas, as spreadsheets in that
    /// language read and write it.
    ///
    /// # Errors
    /// 422 `cell_too_long` if XLSX cannot hold a text.
    pub async fn export_table(&self, of: MarketTable, format: MarketTableFormat, locale: Locale) -> Result<Vec<u8>> {
        let stored = self.stored_market(&mut self.platform.db.read().await?).await?;
        let written = move || {
            let lines = cells(of, &stored, locale)?;
            match format {
                MarketTableFormat::Csv => Ok(to_csv(lines, locale)),
                MarketTableFormat::Xlsx => xlsx::write(&lines),
            }
        };
        self.platform.background.run(written).await?
    }

    /// Compares a table with the stored market.
    ///
    /// # Errors
    /// 422 `validation_failed` with the errors of the table, each with its column and the parameter `line`.
    pub async fn plan_table(&self, of: MarketTable, format: MarketTableFormat, bytes: Vec<u8>) -> Result<MarketPlan> {
        let (stored, now) = (self.stored_market(&mut self.platform.db.read().await?).await?, self.platform.clock.now());
        let planned = move || MarketPlan::new(file(of, format, &bytes, &stored)?.into(), false, &stored, now);
        self.platform.background.run(planned).await?
    }
}

/// The settings of every line, in the order of the table.
fn stored_lines(of: MarketTable, stored: &StoredMarket) -> Result<Vec<(Vec<String>, Table)>> {
    let currencies = stored.currencies.iter().map(Currency::from_row).collect::<Result<Vec<_>>>()?;
    if of == MarketTable::Currencies {
        let line = |currency: &Currency| Ok((vec![currency.facts.code.clone()], table(&CurrencyEntry::of(currency))?));
        return currencies.iter().map(line).collect();
    }
    let by_id: HashMap<i64, &Currency> = currencies.iter().map(|currency| (currency.id(), currency)).collect();
    let find = |id: i64| by_id.get(&id).copied().ok_or_else(|| Error::internal(format!("a pair names currency {id}")));
    let lines = stored.pairs.iter().map(|row| {
        let (give, receive) = (find(row.give_id)?, find(row.receive_id)?);
        let settings = table(&PairTemplate::of(&Pair::from_row(row, give, receive)?))?;
        Ok((vec![give.facts.code.clone(), receive.facts.code.clone()], settings))
    });
    lines.collect()
}

/// The header and a line for each currency or pair.
fn cells(of: MarketTable, stored: &StoredMarket, locale: Locale) -> Result<Vec<Vec<String>>> {
    let columns = of.columns();
    let mut lines = vec![columns.iter().map(|(path, _)| (*path).to_owned()).collect()];
    for (key, settings) in stored_lines(of, stored)? {
        let mut values = BTreeMap::new();
        flatten("", &settings, &mut values);
        values.extend(of.key().iter().map(|path| (*path).to_owned()).zip(key.into_iter().map(Value::from)));
        let cells = columns.iter().map(|(path, kind)| match (values.get(*path), kind) {
            (None, _) => String::new(),
            (Some(Value::String(number)), CellKind::Decimal) => spreadsheet::number(number, locale),
            (Some(Value::String(text)), CellKind::Text) => marked(text),
            (Some(Value::String(text)), _) => text.clone(),
            (Some(value), _) => value.to_string(),
        });
        lines.push(cells.collect());
    }
    Ok(lines)
}

/// The text of a cell, or the code of why it has none that is exact.
pub(super) type TableCell = std::result::Result<String, &'static str>;

/// A line of a file.
pub(super) struct Record {
    /// From 1.
    pub line: usize,
    pub cells: Vec<TableCell>,
}

impl Record {
    fn is_empty(&self) -> bool {
        self.cells.iter().all(|cell| cell.as_ref().is_ok_and(|text| text.trim().is_empty()))
    }
}

/// A line with its number in the table and its values; `None` for an empty cell.
struct TableLine {
    number: usize,
    cells: Vec<(&'static str, Option<Value>)>,
}

impl TableLine {
    fn text(&self, column: &str) -> String {
        let value = self.cells.iter().find(|(path, _)| *path == column).and_then(|(_, value)| value.as_ref());
        value.and_then(Value::as_str).unwrap_or_default().to_owned()
    }

    /// The stored settings with what the line says.
    fn over(&self, stored: Option<&Table>, key: &[&str]) -> Table {
        let mut settings = stored.cloned().unwrap_or_default();
        for (path, value) in self.cells.iter().filter(|(path, _)| !key.contains(path)) {
            put(&mut settings, path, value.clone());
        }
        settings
    }
}

/// The market file that says what a table says.
fn file(of: MarketTable, format: MarketTableFormat, bytes: &[u8], stored: &StoredMarket) -> Result<MarketFile> {
    let lines = read(of, format, bytes)?;
    let known: HashMap<Vec<String>, Table> = stored_lines(of, stored)?.into_iter().collect();
    let mut errors = Vec::new();
    let mut document = MarketDocument::default();
    let mut position = stored.currencies.iter().map(|row| row.position).max().unwrap_or_default();
    for line in &lines {
        let key: Vec<String> = of.key().iter().map(|column| line.text(column)).collect();
        let before = known.get(&key);
        let wrong = |column: &str, code| FieldError::new(column, code).with("line", line.number);
        if let Some((column, _)) = of.key().iter().zip(&key).find(|(_, value)| value.is_empty()) {
            errors.push(wrong(column, "required"));
            continue;
        }
        match of {
            MarketTable::Currencies => {
                let mut settings = line.over(before, &[]);
                let missing =
                    CURRENCY_REQUIRED.iter().filter(|column| !has(&settings, column)).map(|column| wrong(column, "required"));
                errors.extend(missing);
                if before.is_none() && !settings.contains_key("position") {
                    position = position.saturating_add(POSITION_STEP);
                    settings.insert("position".to_owned(), position.into());
                }
                match CurrencyEntry::deserialize(settings) {
                    Ok(entry) => document.currencies.push(entry),
                    Err(error) => errors.push(wrong("", "market_file_syntax").with("reason", error.message())),
                }
            }
            MarketTable::Pairs => {
                let mut settings = line.over(before, of.key());
                fill_notices(&mut settings);
                match PairTemplate::deserialize(settings) {
                    Ok(set) => {
                        let [give, receive] = [0, 1].map(|place| vec![key[place].clone()]);
                        document.pairs.push(PairGroup { give, receive, set });
                    }
                    Err(error) => errors.push(wrong("", "market_file_syntax").with("reason", error.message())),
                }
            }
        }
    }
    if !errors.is_empty() {
        return Err(Error::invalid(errors));
    }
    Ok(MarketFile::of_table(of, lines.iter().map(|line| line.number).collect(), document))
}

fn read(of: MarketTable, format: MarketTableFormat, bytes: &[u8]) -> Result<Vec<TableLine>> {
    let refuse = |error: FieldError| Err(Error::invalid(vec![error]));
    if bytes.len() > TABLE_BYTES_MAX {
        return refuse(FieldError::new("", "market_file_too_large").with("max", TABLE_BYTES_MAX).with("line", 1));
    }
    // A decimal comma cannot be told from a separator where commas separate the cells.
    let read = match format {
        MarketTableFormat::Csv => read_csv(bytes),
        MarketTableFormat::Xlsx => xlsx::read(bytes, LINES_MAX + 2).map(|records| (records, true)),
    };
    let (records, has_commas) = read.map_err(|error| Error::invalid(vec![error]))?;
    let mut records = records.into_iter().filter(|record| !record.is_empty());
    let Some(head) = records.next() else {
        return refuse(FieldError::new(of.key()[0], "column_missing").with("line", 1));
    };
    let columns = header(of, &head).map_err(Error::invalid)?;
    let (mut lines, mut errors) = (Vec::new(), Vec::new());
    for Record { line: number, mut cells } in records {
        if lines.len() == LINES_MAX {
            return refuse(FieldError::new("", "table_too_long").with("max", LINES_MAX).with("line", number));
        }
        // A spreadsheet leaves out empty cells at the end of a line.
        if matches!(format, MarketTableFormat::Xlsx) && cells.len() < columns.len() {
            cells.resize(columns.len(), Ok(String::new()));
        }
        if cells.len() != columns.len() {
            errors.push(
                FieldError::new("", "cells_do_not_fit")
                    .with("line", number)
                    .with("columns", columns.len())
                    .with("cells", cells.len()),
            );
            continue;
        }
        let mut values = Vec::with_capacity(columns.len());
        for ((path, kind), cell) in columns.iter().zip(cells) {
            match cell.and_then(|text| value(*kind, &text, has_commas)) {
                Ok(value) => values.push((*path, value)),
                Err(code) => errors.push(FieldError::new(*path, code).with("line", number)),
            }
        }
        lines.push(TableLine { number, cells: values });
    }
    if errors.is_empty() { Ok(lines) } else { Err(Error::invalid(errors)) }
}

/// The lines of a CSV file, and whether its decimals may have commas.
fn read_csv(bytes: &[u8]) -> std::result::Result<(Vec<Record>, bool), FieldError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let head = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let count = |delimiter: &u8| head.iter().filter(|byte| *byte == delimiter).count();
    let delimiter = [b',', b';', b'\t'].into_iter().rev().max_by_key(count).unwrap_or(b',');
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).delimiter(delimiter).from_reader(bytes);
    let mut place = LinePlace { offset: 0, line: 1 };
    let mut records = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| {
            let line = error.position().map_or(1, |position| position.line() as usize);
            FieldError::new("", "table_unreadable").with("line", line)
        })?;
        let line = place.line_at(bytes, record.position().map_or(0, |position| position.byte() as usize));
        records.push(Record { line, cells: record.iter().map(|cell| Ok(cell.to_owned())).collect() });
    }
    Ok((records, delimiter != b','))
}

/// How far the lines of a table have been counted.
struct LinePlace {
    offset: usize,
    line: usize,
}

impl LinePlace {
    /// The line of a record that begins at a byte, after empty lines if there are such.
    fn line_at(&mut self, bytes: &[u8], start: usize) -> usize {
        let empty = bytes.iter().skip(start).take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        let passed = bytes.get(self.offset..start + empty).unwrap_or_default();
        self.line += passed.iter().filter(|byte| **byte == b'\n').count();
        self.offset = (start + empty).max(self.offset);
        self.line
    }
}

/// The columns of a table by its first line.
fn header(of: MarketTable, record: &Record) -> std::result::Result<Vec<Column>, Vec<FieldError>> {
    let (mut columns, mut errors): (Vec<Column>, Vec<FieldError>) = (Vec::new(), Vec::new());
    for cell in &record.cells {
        let name = match cell {
            Ok(name) => name.trim(),
            Err(code) => {
                errors.push(FieldError::new("", code));
                continue;
            }
        };
        match of.columns().iter().find(|(path, _)| *path == name) {
            None => errors.push(FieldError::new(name, "column_unknown")),
            Some((path, _)) if columns.iter().any(|(other, _)| other == path) => {
                errors.push(FieldError::new(name, "listed_twice"));
            }
            Some(column) => columns.push(*column),
        }
    }
    let missing = of.key().iter().filter(|key| !columns.iter().any(|(path, _)| path == *key));
    errors.extend(missing.map(|key| FieldError::new(*key, "column_missing")));
    if errors.is_empty() { Ok(columns) } else { Err(errors.into_iter().map(|error| error.with("line", record.line)).collect()) }
}

/// The value of a cell, or the code of what is wrong with it. `has_commas` says that a decimal may have a comma.
fn value(kind: CellKind, cell: &str, has_commas: bool) -> std::result::Result<Option<Value>, &'static str> {
    let cell = unmarked(cell);
    let plain = cell.trim();
    if plain.is_empty() {
        return Ok(None);
    }
    Ok(Some(match kind {
        CellKind::Text => cell.into(),
        CellKind::Flag => flag(plain).ok_or("not_a_flag")?.into(),
        CellKind::Whole => plain.parse::<i64>().map_err(|_| "not_a_whole_number")?.into(),
        CellKind::Decimal => {
            let number = if has_commas && !plain.contains('.') { plain.replacen(',', ".", 1) } else { plain.to_owned() };
            let number: String = number.chars().filter(|sign| !sign.is_whitespace()).collect();
            Decimal::from_str_exact(&number).map_err(|_| "not_an_amount")?;
            number.into()
        }
        CellKind::Name(is_known) => is_known(plain).then(|| plain.into()).ok_or("name_unknown")?,
        CellKind::List(is_right) => {
            let list = toml::from_str::<Table>(&format!("list = {plain}")).ok().filter(|table| table.len() == 1);
            list.and_then(|mut table| table.remove("list")).filter(is_right).ok_or("list_malformed")?
        }
    }))
}

/// True and false as spreadsheets and people write them.
fn flag(cell: &str) -> Option<bool> {
    match cell.to_lowercase().as_str() {
        "true" | "yes" | "1" | "истина" | "да" => Some(true),
        "false" | "no" | "0" | "ложь" | "нет" => Some(false),
        _ => None,
    }
}

/// Puts a value at a path; `None` removes it.
fn put(table: &mut Table, path: &str, value: Option<Value>) {
    match (path.split_once('.'), value) {
        (None, Some(value)) => drop(table.insert(path.to_owned(), value)),
        (None, None) => drop(table.remove(path)),
        (Some((first, rest)), value) => {
            if let (None, false) = (&value, table.contains_key(first)) {
                return;
            }
            let inner = table.entry(first.to_owned()).or_insert_with(|| Value::Table(Table::new()));
            if let Value::Table(inner) = inner {
                put(inner, rest, value);
                if inner.is_empty() {
                    table.remove(first);
                }
            }
        }
    }
}

fn has(table: &Table, path: &str) -> bool {
    match path.split_once('.') {
        None => table.contains_key(path),
        Some((first, rest)) => table.get(first).and_then(Value::as_table).is_some_and(|inner| has(inner, rest)),
    }
}

/// Completes notices that have some of their four texts.
fn fill_notices(settings: &mut Table) {
    let Some(Value::Table(notices)) = settings.get_mut("notices") else { return };
    for (_, notice) in notices.iter_mut() {
        let Value::Table(notice) = notice else { continue };
        let text = || Value::Table(["title", "message"].map(|name| (name.to_owned(), "".into())).into_iter().collect());
        let mut whole: Table = ["ru", "en"].map(|locale| (locale.to_owned(), text())).into_iter().collect();
        overlay(&mut whole, notice);
        *notice = whole;
    }
}
