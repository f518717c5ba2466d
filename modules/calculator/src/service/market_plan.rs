//! What a market file changes, and the changes in one transaction.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

use agio_contracts::{
    CurrencyInfo, MarketOutline, MarketPart, MarketPartChange, OutlinedCurrency, PartEntries, VerificationSubject,
};
use agio_core::audit::{self, NewAuditEntry};
use agio_core::decimal::StoredDecimal;
use agio_core::identity::Actor;
use agio_core::settings::Settings;
use agio_core::{Amount, Error, ErrorKind, FieldError, Result, Timestamp, Tx};
use agio_ledger::{Account, Ledger, TransferBatch};
use rust_decimal::Decimal;
use serde::Deserialize as _;
use serde_json::json;
use sha2::{Digest as _, Sha256};
use toml::{Table, Value};
use uuid::Uuid;

use super::Calculator;
use super::currencies::check_use;
use super::market_file::{
    CurrencyEntry, FileContent, MarketFile, MarketFileError, PairGroup, PairOverride, PairTemplate, flatten, overlay, part_table,
    table, without_defaults, write,
};
use super::pairs::PairsPlan;
use super::reserves::ReserveMovementReason;
use crate::market::{Currency, NewCurrency, Pair};
use crate::settings;
use crate::store::{self, CurrencyRow, PairRow};

const PAIRS_MAX: usize = 50_000;

/// The note of an opening reserve in the ledger.
const OPENING_NOTE: &str = "Opening reserve of the market file";

/// The parts of the file that other modules keep.
#[derive(Clone, Default)]
pub struct MarketParts(pub Vec<Arc<dyn MarketPart>>);

impl fmt::Debug for MarketParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|part| part.key())).finish()
    }
}

/// What a file changes in the market it was compared with.
#[derive(Clone, Debug)]
pub struct MarketPlan {
    file: Arc<MarketFile>,
    prune: bool,
    parts: MarketParts,
    pub(super) rows: PlannedRows,
    changes: Vec<MarketChange>,
}

/// Rows to store, each with the row it was planned on.
#[derive(Clone, Debug, Default)]
pub(super) struct PlannedRows {
    pub currencies: Vec<(Option<CurrencyRow>, CurrencyRow)>,
    pub pairs: Vec<(Option<PairRow>, PairRow)>,
    /// Reserves of currencies that the ledger has no entry of.
    pub reserves: Vec<Amount>,
    /// Settings by name.
    settings: Vec<(String, String)>,
    /// The changes of each part.
    parts: Vec<Vec<MarketPartChange>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MarketChangeKind {
    Added,
    Changed,
    /// Not in the file: a currency is archived, a pair disabled.
    Pruned,
}

/// The change of one currency or pair. Values by their path in the file.
#[derive(Clone, Debug)]
struct MarketChange {
    kind: MarketChangeKind,
    /// `currency BTC`, `pair BTC → SBERRUB`, `setting site.name`.
    subject: String,
    /// Its line in a table.
    line: Option<usize>,
    before: BTreeMap<String, Value>,
    after: BTreeMap<String, Value>,
}

/// What a line of a table changes.
pub struct PlannedLine<'a> {
    /// Its number in the table, from 1.
    pub line: usize,
    /// The currency's code, or `BTC → SBERRUB`.
    pub subject: &'a str,
    pub is_new: bool,
    /// Column, value before and after; `None` for no value.
    pub values: Vec<(String, Option<String>, Option<String>)>,
}

#[derive(Default)]
pub(super) struct StoredMarket {
    /// In the order of creation.
    pub currencies: Vec<CurrencyRow>,
    pub pairs: Vec<PairRow>,
    /// The free reserve of each currency that the ledger has an entry of, in units.
    reserves: HashMap<i64, i64>,
    pub settings: Settings,
}

impl Calculator {
    /// The stored market as a file, with the parts that other modules keep.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn export_market(&self, parts: &MarketParts) -> Result<String> {
        let mut tx = self.platform.db.read().await?;
        let stored = self.stored_market(&mut tx).await?;
        let outline = stored.outline(&PlannedRows::default())?;
        let mut exported = Vec::with_capacity(parts.0.len());
        for part in &parts.0 {
            let entries = part.export(&mut tx, &outline).await?;
            exported.push((part.key(), entries.iter().map(part_table).collect::<Result<_>>()?));
        }
        stored.export(exported)
    }

    /// Compares a file with the stored market. With `prune`, currencies that it does not list are archived, pairs
    /// disabled, and the rate rules of pairs removed.
    ///
    /// # Errors
    /// 422 `validation_failed` with the errors of the file, each with the parameter `line`.
    pub async fn plan_market(&self, file: MarketFile, prune: bool, parts: &MarketParts) -> Result<MarketPlan> {
        let (mut tx, now) = (self.platform.db.read().await?, self.platform.clock.now());
        let stored = self.stored_market(&mut tx).await?;
        let mut plan = MarketPlan::new(Arc::new(file), prune, &stored, now)?;
        plan.add_parts(&mut tx, parts, &stored).await?;
        drop(tx);
        let outline = stored.outline(&plan.rows)?;
        for (part, changes) in plan.parts.0.iter().zip(&plan.rows.parts) {
            part.check(&outline, changes).await.map_err(|error| plan.file.refuse_part(part.key(), error))?;
        }
        Ok(plan)
    }

    pub(super) async fn stored_market(&self, tx: &mut Tx) -> Result<StoredMarket> {
        StoredMarket::read(tx, &self.ledger, &self.platform.settings).await
    }

    /// Whether a plan needs a second factor, as the same changes one by one would.
    ///
    /// # Errors
    /// 409 `approval_one_by_one` if one person may not make them.
    pub async fn is_large_plan(&self, plan: &MarketPlan) -> Result<bool> {
        // The rows may come from another node's market.
        self.reload().await?;
        let before = self.market();
        let currencies = plan.rows.currencies.iter().filter(|(before, _)| before.is_some());
        let currencies = currencies.map(|(_, row)| Currency::from_row(row)).collect::<Result<Vec<_>>>()?;
        let adds_currencies = currencies.len() < plan.rows.currencies.len();
        let is_large = self.any_large_currency_change(&before, &currencies)? || adds_currencies;
        if plan.rows.pairs.is_empty() {
            return Ok(is_large);
        }
        let rows: Vec<PairRow> = plan.rows.pairs.iter().map(|(_, row)| row.clone()).collect();
        let pairs = rows.iter().map(|row| row.id).collect();
        let priced = move || Ok::<_, Error>(PairsPlan { after: Arc::new(before.with_pairs(rows)?), before, pairs, existing: 0 });
        let pairs = self.platform.background.run(priced).await??;
        self.check_one_person(&pairs)?;
        Ok(is_large || self.any_large_change(&pairs))
    }

    /// Stores what a plan changes, or nothing.
    ///
    /// # Errors
    /// 409 `market_changed` if the plan would be another one by now.
    pub async fn apply_market(self: &Arc<Self>, plan: &MarketPlan, by: &Actor) -> Result<()> {
        if plan.is_empty() {
            return Ok(());
        }
        let (this, batches) = (self.clone(), plan.rows.reserves.iter().map(|_| self.platform.random.uuid()));
        let (plan, by, batches) = (Arc::new(plan.clone()), Arc::new(by.clone()), batches.collect::<Vec<_>>());
        let changes_settings = !plan.rows.settings.is_empty();
        self.platform
            .db
            .write(move |tx| {
                let (this, plan, by, batches) = (this.clone(), plan.clone(), by.clone(), batches.clone());
                Box::pin(async move {
                    let now = this.platform.clock.now();
                    store::lock_definitions(tx).await?;
                    let current = this.replan(tx, &plan, now).await?;
                    this.store_rows(tx, &current.rows, now).await?;
                    this.deposit(tx, &current.rows.reserves, &batches, (&by, now)).await?;
                    for (name, value) in &current.rows.settings {
                        this.platform.settings.put(tx, name, value, now, &by).await?;
                    }
                    for (part, changes) in current.parts.0.iter().zip(&current.rows.parts) {
                        part.apply(tx, changes, &by).await?;
                    }
                    audit::record(tx, plan.audit_entry(&by), now).await
                })
            })
            .await?;
        if changes_settings { self.settings_changed().await } else { self.reload().await }
    }

    /// The plan as it is now.
    ///
    /// # Errors
    /// 409 `market_changed` if it is another one.
    async fn replan(&self, tx: &mut Tx, plan: &MarketPlan, now: Timestamp) -> Result<MarketPlan> {
        let stored = self.stored_market(tx).await?;
        // A file that fitted then and does not now is no fault of the file.
        let changed = |error: Error| if error.kind() == ErrorKind::Unprocessable { market_changed() } else { error };
        let mut current = MarketPlan::new(plan.file.clone(), plan.prune, &stored, now).map_err(changed)?;
        current.add_parts(tx, &plan.parts, &stored).await.map_err(changed)?;
        if current.is_same_as(plan) { Ok(current) } else { Err(market_changed()) }
    }

    async fn store_rows(&self, tx: &mut Tx, rows: &PlannedRows, now: Timestamp) -> Result<()> {
        for (before, after) in &rows.currencies {
            let after = CurrencyRow { updated_at: now, ..after.clone() };
            let stored = match before {
                Some(_) => store::update_currency(tx, &after).await?,
                None => {
                    self.ledger.open_currency(tx, after.id).await?;
                    store::insert_currency(tx, &after).await?
                }
            };
            stored.then_some(()).ok_or_else(market_changed)?;
        }
        for (before, after) in &rows.pairs {
            let after = PairRow { updated_at: now, ..after.clone() };
            let stored = match before {
                Some(_) => store::update_pair(tx, &after).await?,
                None => store::insert_pair(tx, &after).await?,
            };
            stored.then_some(()).ok_or_else(market_changed)?;
        }
        Ok(())
    }

    /// Deposits opening reserves.
    async fn deposit(&self, tx: &mut Tx, reserves: &[Amount], batches: &[Uuid], (by, now): (&Actor, Timestamp)) -> Result<()> {
        for (amount, id) in reserves.iter().zip(batches) {
            self.ledger.open_currency(tx, amount.currency().id()).await?;
            let mut batch = TransferBatch::new(*id, ReserveMovementReason::Deposit.name(), *id, now);
            batch.actor = Some(by.name.clone());
            batch.note = Some(OPENING_NOTE.to_owned());
            self.ledger.post(tx, &batch.with_transfer(Account::External, Account::Reserve, *amount)).await?;
        }
        Ok(())
    }
}

fn market_changed() -> Error {
    Error::conflict("market_changed")
}

impl StoredMarket {
    /// Pairs first, so that the currencies of each are read as well.
    async fn read(tx: &mut Tx, ledger: &Ledger, settings: &Settings) -> Result<Self> {
        let pairs = store::pairs(tx).await?;
        let mut currencies = store::currencies(tx).await?;
        currencies.sort_by_key(|currency| currency.id);
        Ok(Self { currencies, pairs, reserves: ledger.reserves_with_entries(tx).await?, settings: settings.clone() })
    }

    /// The currencies and pairs that there are once these rows are stored.
    fn outline(&self, rows: &PlannedRows) -> Result<MarketOutline> {
        let new = rows.currencies.iter().map(|(_, row)| row);
        let currencies: BTreeMap<i64, &CurrencyRow> = self.currencies.iter().chain(new).map(|row| (row.id, row)).collect();
        let mut outline = MarketOutline::default();
        for row in currencies.values() {
            let info = CurrencyInfo::clone(&Currency::from_row(row)?.facts);
            outline.currencies.insert(row.code.clone(), OutlinedCurrency { info, archived: row.archived });
        }
        for row in self.pairs.iter().chain(rows.pairs.iter().map(|(_, row)| row)) {
            let code = |id| currencies.get(&id).map(|row| row.code.clone());
            if let (Some(give), Some(receive)) = (code(row.give_id), code(row.receive_id)) {
                outline.pairs.insert((give, receive), row.id);
            }
        }
        Ok(outline)
    }

    /// The settings that differ from their defaults.
    fn settings(&self) -> Vec<(String, String)> {
        let listed = self.settings.declared().into_iter().filter(|setting| setting.listed);
        let values = listed.map(|setting| (setting.name.to_owned(), setting.default, self.settings.text(setting.name)));
        values.filter(|(_, default, value)| value != default).map(|(name, _, value)| (name, value)).collect()
    }

    fn export(&self, parts: Vec<(&'static str, Vec<Table>)>) -> Result<String> {
        let currencies = self.currencies.iter().map(Currency::from_row).collect::<Result<Vec<_>>>()?;
        let by_id: HashMap<i64, &Currency> = currencies.iter().map(|currency| (currency.id(), currency)).collect();
        let find = |id| by_id.get(&id).copied().ok_or_else(|| Error::internal(format!("a pair names currency {id}")));
        let mut pairs = Vec::with_capacity(self.pairs.len());
        for row in &self.pairs {
            let (from, to) = (find(row.give_id)?, find(row.receive_id)?);
            let settings = settings(&Pair::from_row(row, from, to)?)?;
            pairs.push((from.facts.code.as_str(), to.facts.code.as_str(), settings));
        }
        let with_reserve = |currency: &Currency| {
            let units = self.reserves.get(&currency.id()).copied().filter(|units| *units > 0);
            (currency.clone(), units.map(|units| StoredDecimal(currency.amount(units).value())))
        };
        let shown = currencies.iter().map(with_reserve).collect();
        write(&FileContent { settings: self.settings(), currencies: shown, pairs, parts })
    }
}

/// Settings that differ from those of a new pair.
fn settings(pair: &Pair) -> Result<Table> {
    let new = Pair::new(pair.id, pair.give_id, pair.receive_id, pair.updated_at);
    Ok(without_defaults(&table(&PairTemplate::of(pair))?, &table(&PairTemplate::of(&new))?))
}

impl MarketPlan {
    pub(super) fn new(file: Arc<MarketFile>, prune: bool, stored: &StoredMarket, now: Timestamp) -> Result<Self> {
        let mut planner =
            Planner { file: &file, stored, now, errors: Vec::new(), rows: PlannedRows::default(), changes: Vec::new() };
        planner.settings();
        let currencies = planner.currencies(prune)?;
        // Pairs of a currency with errors would all have errors, too.
        if planner.errors.is_empty() {
            planner.pairs(&currencies, prune)?;
        }
        let Planner { errors, rows, changes, .. } = planner;
        if errors.is_empty() {
            Ok(Self { prune, parts: MarketParts::default(), rows, changes, file })
        } else {
            Err(file.refuse(errors))
        }
    }

    /// Plans the parts that other modules keep.
    async fn add_parts(&mut self, tx: &mut Tx, parts: &MarketParts, stored: &StoredMarket) -> Result<()> {
        let outline = stored.outline(&self.rows)?;
        for part in &parts.0 {
            let entries = self.file.document.part(part.key())?;
            let changes = part.plan(tx, PartEntries { market: &outline, entries: &entries, prune: self.prune }).await;
            let changes = changes.map_err(|error| self.file.refuse_part(part.key(), error))?;
            for change in &changes {
                let side = |value: &Option<serde_json::Value>| value.as_ref().map_or_else(|| Ok(Table::new()), part_table);
                let kind = if change.entry.is_some() { MarketChangeKind::Changed } else { MarketChangeKind::Pruned };
                let (before, after) = (side(&change.before)?, side(&change.after)?);
                self.changes.push(MarketChange::new(kind, change.subject.clone(), None, &before, &after));
            }
            self.rows.parts.push(changes);
        }
        self.parts = parts.clone();
        Ok(())
    }

    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Whether both make the same changes to the same revisions.
    fn is_same_as(&self, other: &Self) -> bool {
        self.revisions() == other.revisions() && self.to_string() == other.to_string()
    }

    /// Identifies the changes and the revisions that they are made to.
    pub fn identifier(&self) -> String {
        // What is shown is masked, so the file itself counts, too.
        let digest = Sha256::digest(format!("{self}{:?}{}", self.revisions(), self.file.text()));
        agio_core::hex::encode(&digest[..8])
    }

    /// The changes of a table's lines: line, subject, whether it is new, and the values before and after by column.
    pub fn lines(&self) -> impl Iterator<Item = PlannedLine<'_>> {
        self.changes.iter().map(|change| {
            let columns: BTreeSet<_> = change.before.keys().chain(change.after.keys()).collect();
            let shown = |values: &BTreeMap<String, Value>, column: &str| {
                values.get(column).map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
            };
            let value = |column: &String| (column.clone(), shown(&change.before, column), shown(&change.after, column));
            PlannedLine {
                line: change.line.unwrap_or_default(),
                subject: change.subject.split_once(' ').map_or(&change.subject, |(_, subject)| subject),
                is_new: change.kind == MarketChangeKind::Added,
                values: columns.into_iter().map(value).collect(),
            }
        })
    }

    /// The revisions of the rows that it changes, by kind and identifier.
    fn revisions(&self) -> Vec<(&'static str, i64, i64)> {
        let currencies = self.rows.currencies.iter().flat_map(|(before, _)| before);
        let pairs = self.rows.pairs.iter().flat_map(|(before, _)| before);
        let currencies = currencies.map(|row| ("currency", row.id, row.revision));
        currencies.chain(pairs.map(|row| ("pair", row.id, row.revision))).collect()
    }

    fn audit_entry<'a>(&self, by: &'a Actor) -> NewAuditEntry<'a> {
        let side = |of: fn(&MarketChange) -> &BTreeMap<String, Value>| {
            let changes = self.changes.iter().filter(|change| !of(change).is_empty());
            Some(json!(changes.map(|change| (&change.subject, of(change))).collect::<BTreeMap<_, _>>()))
        };
        NewAuditEntry {
            by,
            action: "market.applied",
            about: "market",
            id: self.file.name().to_owned(),
            before: side(|change| &change.before),
            after: side(|change| &change.after),
        }
    }
}

/// One line per currency or pair, and one per changed value.
impl fmt::Display for MarketPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for change in &self.changes {
            let (sign, note) = match change.kind {
                MarketChangeKind::Added => ("+", ""),
                MarketChangeKind::Changed => ("~", ""),
                MarketChangeKind::Pruned => ("-", " (not in the file)"),
            };
            writeln!(f, "{sign} {}{note}", change.subject)?;
            let paths: BTreeSet<_> = change.before.keys().chain(change.after.keys()).collect();
            for path in paths {
                let shown =
                    |values: &BTreeMap<String, Value>| values.get(path).map_or_else(|| "none".to_owned(), Value::to_string);
                match change.kind {
                    MarketChangeKind::Added => writeln!(f, "    {path}: {}", shown(&change.after))?,
                    _ => writeln!(f, "    {path}: {} -> {}", shown(&change.before), shown(&change.after))?,
                }
            }
        }
        Ok(())
    }
}

struct Planner<'a> {
    file: &'a MarketFile,
    stored: &'a StoredMarket,
    now: Timestamp,
    errors: Vec<MarketFileError>,
    rows: PlannedRows,
    changes: Vec<MarketChange>,
}

impl Planner<'_> {
    /// Plans the settings of the file; those that it does not list stay.
    fn settings(&mut self) {
        let mut listed = BTreeMap::new();
        flatten("", &self.file.document.settings, &mut listed);
        let known = self.stored.settings.declared();
        for (name, value) in listed {
            let refused = |code| FieldError::new("", code);
            let is_known = known.iter().any(|setting| setting.listed && setting.name == name);
            let value = match value {
                _ if !is_known => Err(refused("setting_unknown")),
                Value::String(text) => Ok(text),
                Value::Integer(number) => Ok(number.to_string()),
                Value::Boolean(flag) => Ok(flag.to_string()),
                _ => Err(refused("setting_invalid")),
            };
            let checked = value.and_then(|value| {
                let checked = self.stored.settings.check(&name, &value).and_then(|_| settings::check(&name, &value));
                checked.map(|()| value).map_err(|_| refused("setting_invalid"))
            });
            match checked {
                Err(error) => self.refuse(format!("settings.{name}"), error),
                Ok(value) => self.plan_setting(name, value),
            }
        }
    }

    fn plan_setting(&mut self, name: String, after: String) {
        let before = self.stored.settings.text(&name);
        if before == after {
            return;
        }
        let side = |value: &str| Table::from_iter([("value".to_owned(), Value::from(value))]);
        let subject = format!("setting {name}");
        self.changes.push(MarketChange::new(MarketChangeKind::Changed, subject, None, &side(&before), &side(&after)));
        self.rows.settings.push((name, after));
    }

    /// The reserve to deposit: none if the ledger has an entry of the currency.
    fn opening_reserve(&mut self, path: &str, entry: &CurrencyEntry, currency: &Currency) -> Option<Amount> {
        let reserve = entry.opening_reserve?.0;
        let refused = |code| FieldError::new("", code).with("digits", currency.facts.scale);
        let checked = if reserve < Decimal::ZERO {
            Err(refused("amount_negative"))
        } else {
            currency.facts.exact(reserve).map_err(|error| refused(error.code()))
        };
        match checked {
            Ok(amount) => Some(amount).filter(|amount| amount.units() > 0 && !self.stored.reserves.contains_key(&currency.id())),
            Err(error) => {
                self.refuse(format!("{path}.openingReserve"), error);
                None
            }
        }
    }

    /// Plans the currencies of the file and returns those that its pairs may name, by code.
    fn currencies(&mut self, prune: bool) -> Result<HashMap<String, Currency>> {
        let stored: HashMap<&str, &CurrencyRow> = self.stored.currencies.iter().map(|row| (row.code.as_str(), row)).collect();
        let mut next_id = self.stored.currencies.last().map_or(1, |row| row.id + 1);
        let (mut known, mut listed) = (HashMap::new(), HashSet::new());
        for (place, entry) in self.file.document.currencies.iter().enumerate() {
            let path = format!("currencies[{place}]");
            if !listed.insert(&entry.code) {
                self.refuse(format!("{path}.code"), FieldError::new("", "listed_twice"));
                continue;
            }
            let before = stored.get(entry.code.as_str()).copied();
            let after = match before {
                Some(before) => {
                    self.check_for_life(&path, entry, before);
                    let currency = Currency::from_row(before)?;
                    let changed = currency.changed(entry.properties(place));
                    changed.and_then(|changed| self.check_use(&currency, &changed).map(|()| changed))
                }
                None => {
                    let new = NewCurrency { kind: entry.kind, scale: entry.scale, properties: entry.properties(place) };
                    Currency::new(next_id, new, self.now)
                }
            };
            let Some(after) = self.valid(after, |field| vec![format!("{path}.{field}")])? else { continue };
            if before.is_none() {
                next_id += 1;
            }
            let reserve = self.opening_reserve(&path, entry, &after);
            self.plan_currency(before, (&after, reserve), MarketChangeKind::Changed, self.file.line(place))?;
            known.insert(entry.code.clone(), after);
        }
        for row in self.stored.currencies.iter().filter(|row| !known.contains_key(&row.code)).collect::<Vec<_>>() {
            let mut currency = Currency::from_row(row)?;
            if prune {
                currency.archived = true;
                self.plan_currency(Some(row), (&currency, None), MarketChangeKind::Pruned, None)?;
            } else {
                known.insert(row.code.clone(), currency);
            }
        }
        Ok(known)
    }

    fn check_for_life(&mut self, path: &str, entry: &CurrencyEntry, before: &CurrencyRow) {
        if i64::from(entry.scale) != before.scale {
            self.refuse(format!("{path}.scale"), FieldError::new("", "currency_for_life"));
        }
        if entry.kind != before.kind {
            self.refuse(format!("{path}.kind"), FieldError::new("", "currency_for_life"));
        }
    }

    fn check_use(&self, before: &Currency, after: &Currency) -> Result<()> {
        let id = before.id();
        let mut pairs = self.stored.pairs.iter().filter(|row| row.give_id == id || row.receive_id == id).peekable();
        let has_pairs = pairs.peek().is_some();
        let by_card = VerificationSubject::Card.name();
        check_use(before, after, has_pairs, pairs.any(|row| row.give_id == id && row.verification == by_card))
    }

    fn plan_currency(
        &mut self,
        before: Option<&CurrencyRow>,
        (after, reserve): (&Currency, Option<Amount>),
        kind: MarketChangeKind,
        line: Option<usize>,
    ) -> Result<()> {
        let row = after.to_row();
        let is_same = before == Some(&row);
        if is_same && reserve.is_none() {
            return Ok(());
        }
        let shown = match before {
            Some(before) => table(&CurrencyEntry::of(&Currency::from_row(before)?))?,
            None => Table::new(),
        };
        let mut entry = CurrencyEntry::of(after);
        entry.opening_reserve = reserve.map(|amount| StoredDecimal(amount.value()));
        self.changes.push(MarketChange::new(kind, format!("currency {}", row.code), line, &shown, &table(&entry)?));
        self.rows.reserves.extend(reserve);
        if !is_same {
            self.rows.currencies.push((before.cloned(), row));
        }
        Ok(())
    }

    fn pairs(&mut self, currencies: &HashMap<String, Currency>, prune: bool) -> Result<()> {
        let stored: HashMap<(i64, i64), &PairRow> =
            self.stored.pairs.iter().map(|row| ((row.give_id, row.receive_id), row)).collect();
        let document = &self.file.document;
        let first_id = self.stored.pairs.last().map_or(1, |row| row.id + 1);
        let (mut created, mut listed) = (0, HashSet::new());
        let defaults = table(&document.defaults)?;
        let mut overrides = Vec::new();
        for (place, set) in document.overrides.iter().enumerate() {
            overrides.push(Override::new(place, set)?);
            for (side, codes) in [("give", &set.give), ("receive", &set.receive)] {
                let codes = codes.as_deref().unwrap_or_default();
                self.check_codes(&format!("overrides[{place}].{side}"), codes, currencies);
            }
        }
        for (place, group) in document.pairs.iter().enumerate() {
            let path = format!("pairs[{place}]");
            self.check_codes(&format!("{path}.give"), &group.give, currencies);
            self.check_codes(&format!("{path}.receive"), &group.receive, currencies);
            if listed.len() + group.give.len().saturating_mul(group.receive.len()) > PAIRS_MAX {
                self.refuse(path, FieldError::new("", "too_many_pairs").with("max", PAIRS_MAX));
                return Ok(());
            }
            let mut below = defaults.clone();
            overlay(&mut below, &table(&group.set)?);
            for (give, receive) in product(group) {
                let (Some(from), Some(to)) = (currencies.get(give), currencies.get(receive)) else { continue };
                if !listed.insert((from.id(), to.id())) {
                    let error = FieldError::new("", "pair_listed_twice").with("pair", format!("{give} → {receive}"));
                    self.refuse(path.clone(), error);
                    continue;
                }
                let mut set = below.clone();
                let mut layers = vec![path.clone(), "defaults".to_owned()];
                for one in overrides.iter_mut().filter(|one| one.matches(give, receive)) {
                    one.used = true;
                    overlay(&mut set, &one.set);
                    layers.insert(0, format!("overrides[{}]", one.place));
                }
                let before = stored.get(&(from.id(), to.id())).copied();
                let new = Pair::new(first_id + created, from.id(), to.id(), self.now);
                let change = PairTemplate::deserialize(set).map_err(Error::internal)?.change(&new);
                let base = before.map_or_else(|| Ok(new), |row| Pair::from_row(row, from, to))?;
                let Some(after) = self.valid(base.changed(change, from, to), |field| field_paths(&layers, field))? else {
                    continue;
                };
                created += i64::from(before.is_none());
                self.plan_pair(before, &after, (from, to), MarketChangeKind::Changed, self.file.line(place))?;
            }
        }
        for unused in overrides.iter().filter(|one| !one.used) {
            self.refuse(format!("overrides[{}]", unused.place), FieldError::new("", "override_unused"));
        }
        if prune {
            self.prune_pairs(&listed)?;
        }
        Ok(())
    }

    fn prune_pairs(&mut self, listed: &HashSet<(i64, i64)>) -> Result<()> {
        let currencies = self.stored.currencies.iter().map(Currency::from_row).collect::<Result<Vec<_>>>()?;
        let by_id: HashMap<i64, &Currency> = currencies.iter().map(|currency| (currency.id(), currency)).collect();
        let stored = self.stored;
        for row in stored.pairs.iter().filter(|row| row.enabled && !listed.contains(&(row.give_id, row.receive_id))) {
            let (Some(from), Some(to)) = (by_id.get(&row.give_id), by_id.get(&row.receive_id)) else { continue };
            let after = Pair { enabled: false, ..Pair::from_row(row, from, to)? };
            self.plan_pair(Some(row), &after, (from, to), MarketChangeKind::Pruned, None)?;
        }
        Ok(())
    }

    fn plan_pair(
        &mut self,
        before: Option<&PairRow>,
        after: &Pair,
        (from, to): (&Currency, &Currency),
        kind: MarketChangeKind,
        line: Option<usize>,
    ) -> Result<()> {
        let row = after.to_row(from, to)?;
        if before == Some(&row) {
            return Ok(());
        }
        let (shown, after) = match before {
            Some(before) => (table(&PairTemplate::of(&Pair::from_row(before, from, to)?))?, table(&PairTemplate::of(after))?),
            None => (Table::new(), settings(after)?),
        };
        let subject = format!("pair {} → {}", from.facts.code, to.facts.code);
        self.changes.push(MarketChange::new(kind, subject, line, &shown, &after));
        self.rows.pairs.push((before.cloned(), row));
        Ok(())
    }

    fn check_codes(&mut self, path: &str, codes: &[String], currencies: &HashMap<String, Currency>) {
        let mut listed = HashSet::new();
        for (place, code) in codes.iter().enumerate() {
            if !currencies.contains_key(code) {
                self.refuse(format!("{path}[{place}]"), FieldError::new("", "currency_unknown"));
            } else if !listed.insert(code) {
                self.refuse(format!("{path}[{place}]"), FieldError::new("", "listed_twice"));
            }
        }
    }

    fn refuse(&mut self, path: String, error: FieldError) {
        self.errors.push(MarketFileError { paths: vec![path], error });
    }

    /// The value, or `None` after its errors were noted. An error that has no fields is not one of the file.
    fn valid<T>(&mut self, checked: Result<T>, paths: impl Fn(&str) -> Vec<String>) -> Result<Option<T>> {
        match checked {
            Ok(value) => Ok(Some(value)),
            Err(error) if error.fields().is_empty() => Err(error),
            Err(error) => {
                let fields = error.fields().iter();
                self.errors.extend(fields.map(|field| MarketFileError { paths: paths(&field.field), error: field.clone() }));
                Ok(None)
            }
        }
    }
}

/// Where a setting may be: in each layer, then the group itself.
fn field_paths(layers: &[String], field: &str) -> Vec<String> {
    let in_layer = |layer: &String| if layer == "defaults" { format!("{layer}.{field}") } else { format!("{layer}.set.{field}") };
    let group = layers.iter().rev().nth(1);
    layers.iter().map(in_layer).chain(group.map(|group| format!("{group}.set.{field}"))).collect()
}

fn product(group: &PairGroup) -> impl Iterator<Item = (&String, &String)> {
    let sides = group.give.iter().flat_map(|give| group.receive.iter().map(move |receive| (give, receive)));
    sides.filter(|(give, receive)| give != receive)
}

struct Override<'a> {
    place: usize,
    give: Option<HashSet<&'a str>>,
    receive: Option<HashSet<&'a str>>,
    set: Table,
    used: bool,
}

impl<'a> Override<'a> {
    fn new(place: usize, entry: &'a PairOverride) -> Result<Self> {
        let codes = |codes: &'a Option<Vec<String>>| codes.as_ref().map(|codes| codes.iter().map(String::as_str).collect());
        Ok(Self { place, give: codes(&entry.give), receive: codes(&entry.receive), set: table(&entry.set)?, used: false })
    }

    fn matches(&self, give: &str, receive: &str) -> bool {
        let has = |codes: &Option<HashSet<&str>>, code| codes.as_ref().is_none_or(|codes| codes.contains(code));
        has(&self.give, give) && has(&self.receive, receive)
    }
}

impl MarketChange {
    fn new(kind: MarketChangeKind, subject: String, line: Option<usize>, before: &Table, after: &Table) -> Self {
        let kind = if before.is_empty() { MarketChangeKind::Added } else { kind };
        let (mut old, mut new) = (BTreeMap::new(), BTreeMap::new());
        flatten("", before, &mut old);
        flatten("", after, &mut new);
        let same: Vec<String> =
            old.iter().filter(|(path, value)| new.get(*path) == Some(value)).map(|(path, _)| path.clone()).collect();
        for path in same {
            old.remove(&path);
            new.remove(&path);
        }
        Self { kind, subject, line, before: old, after: new }
    }
}
