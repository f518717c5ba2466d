//! All rows of a database, in a form that belongs to neither engine: for backups and copies.
//!
//! Tables and columns are read from the catalogue, so that a new table needs nothing here. That makes this the only
//! place where SQL is built at run time, from names that the catalogue gave.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;
use serde::{Deserialize, Serialize, Serializer};
use sqlx::{AssertSqlSafe, Row as _};

use super::{Connection, Db, Engine, Inner, Tx, postgres, schema};
use crate::error::{Error, Result};
use crate::{execute, fetch_all, fetch_one, hex};

/// The values of a column, as both engines know them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ColumnKind {
    Integer,
    Boolean,
    Text,
    /// Identifiers as well: PostgreSQL has a type of its own for them.
    Bytes,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Column {
    pub name: String,
    pub kind: ColumnKind,
}

/// A table with its columns by name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Table {
    pub name: String,
    pub columns: Vec<Column>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    Null,
    Integer(i64),
    Boolean(bool),
    Text(String),
    Bytes(Vec<u8>),
}

/// The values of a row, in the order of its table's columns.
pub type Row = Vec<Value>;

/// Bytes are hexadecimal text: the column says which it is.
impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Integer(number) => serializer.serialize_i64(*number),
            Self::Boolean(truth) => serializer.serialize_bool(*truth),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Bytes(bytes) => serializer.serialize_str(&hex::encode(bytes)),
        }
    }
}

impl Table {
    /// The row of a line as [`Value`] serialises it.
    ///
    /// # Errors
    /// `internal`: it is no row of this table.
    pub fn parse_row(&self, line: &str) -> Result<Row> {
        let values: Vec<serde_json::Value> = serde_json::from_str(line).map_err(Error::internal)?;
        let row = (values.len() == self.columns.len()).then(|| {
            let values = values.into_iter().zip(&self.columns);
            values.map(|(value, column)| column.kind.value(value)).collect::<Option<Row>>()
        });
        row.flatten().ok_or_else(|| Error::internal(format!("a line is no row of {}", self.name)))
    }
}

impl ColumnKind {
    /// The kind of a type that the migrations use.
    fn of(declared: &str) -> Option<Self> {
        Some(match declared.to_ascii_lowercase().as_str() {
            "bigint" | "integer" => Self::Integer,
            "boolean" => Self::Boolean,
            "text" => Self::Text,
            "blob" | "bytea" | UUID => Self::Bytes,
            _ => return None,
        })
    }

    fn value(self, json: serde_json::Value) -> Option<Value> {
        Some(match (self, json) {
            (_, serde_json::Value::Null) => Value::Null,
            (Self::Integer, serde_json::Value::Number(number)) => Value::Integer(number.as_i64()?),
            (Self::Boolean, serde_json::Value::Bool(truth)) => Value::Boolean(truth),
            (Self::Text, serde_json::Value::String(text)) => Value::Text(text),
            (Self::Bytes, serde_json::Value::String(text)) => Value::Bytes(hex::decode_all(&text)?),
            _ => return None,
        })
    }
}

/// The last number that a column of numbers by itself has given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SequenceState {
    pub table: String,
    pub column: String,
    pub last: i64,
}

/// PostgreSQL's type of identifiers.
const UUID: &str = "uuid";

/// Rows in a statement for SQLite. It allows 32,766 values in one.
const ROWS_MAX: usize = 100;

/// A transaction over all tables.
struct Tables {
    tx: Tx,
    tables: Vec<Table>,
    /// The columns that PostgreSQL stores as identifiers.
    uuids: BTreeSet<(String, String)>,
}

/// All tables at one instant. Nobody who writes waits for it.
pub struct Snapshot(Tables);

/// A transaction that fills an empty database. Unless it is finished, nothing of it stays.
pub struct Import {
    tables: Tables,
    /// What creates SQLite's triggers again.
    triggers: Vec<String>,
}

impl Db {
    /// # Errors
    /// 503 `storage_unavailable`; `internal` for a column of an unknown type.
    pub async fn snapshot(&self) -> Result<Snapshot> {
        let (mut tx, begin) = match &*self.0 {
            Inner::Sqlite { readers, .. } => {
                let mut conn = readers.acquire().await?;
                // The driver does not know of this transaction.
                conn.close_on_drop();
                (Tx::new(conn), "BEGIN")
            }
            Inner::Postgres { direct, .. } => {
                let conn = postgres::without_deadlines(direct).await?;
                (Tx::new(conn), "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            }
        };
        execute!(&mut tx, begin)?;
        // The first statement that reads decides the instant.
        Tables::read(tx).await.map(Snapshot)
    }

    /// Begins to fill a database with this schema. Its triggers do not run, and the rows that every new database has
    /// are deleted. `used` are tables that have no rows before somebody uses the installation.
    ///
    /// # Errors
    /// `internal` if one of them has rows; 503 `storage_unavailable`.
    pub async fn import(&self, used: &[&str]) -> Result<Import> {
        let (mut tx, begin) = match &*self.0 {
            Inner::Sqlite { writer, .. } => {
                let mut conn = writer.connection().await?;
                conn.close_on_drop();
                let mut tx = Tx::new(conn);
                // All references are checked at the end.
                execute!(&mut tx, "PRAGMA foreign_keys = OFF")?;
                (tx, "BEGIN IMMEDIATE")
            }
            Inner::Postgres { direct, .. } => (Tx::new(postgres::without_deadlines(direct).await?), "BEGIN"),
        };
        execute!(&mut tx, begin)?;
        let mut import = Import { tables: Tables::read(tx).await?, triggers: Vec::new() };
        import.disable_triggers().await?;
        for table in used {
            let (rows,) =
                fetch_one!(&mut import.tables.tx, (i64,), AssertSqlSafe(format!("SELECT COUNT(*) FROM {}", quoted(table))))?;
            if rows > 0 {
                return Err(Error::internal(format!("this database is in use: it has rows in {table} (nothing was written)")));
            }
        }
        for position in (0..import.tables.tables.len()).rev() {
            let name = quoted(&import.tables.tables[position].name);
            execute!(&mut import.tables.tx, AssertSqlSafe(format!("DELETE FROM {name}")))?;
        }
        Ok(import)
    }
}

impl Tables {
    async fn read(mut tx: Tx) -> Result<Self> {
        let columns = match tx.engine() {
            Engine::Sqlite => {
                "SELECT t.name, c.name, c.type FROM sqlite_schema t JOIN pragma_table_info(t.name) c
                WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND t.name NOT LIKE '_sqlx%'"
            }
            Engine::Postgres => {
                "SELECT CAST(c.table_name AS TEXT), CAST(c.column_name AS TEXT), CAST(c.data_type AS TEXT)
                FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
                WHERE c.table_schema = current_schema() AND t.table_type = 'BASE TABLE' AND c.table_name NOT LIKE '\\_sqlx%'"
            }
        };
        let mut tables = BTreeMap::<String, Vec<Column>>::new();
        let mut uuids = BTreeSet::new();
        for (table, name, declared) in fetch_all!(&mut tx, (String, String, String), columns)? {
            let kind = ColumnKind::of(&declared)
                .ok_or_else(|| Error::internal(format!("{table}.{name} is of the unknown type {declared}")))?;
            if declared == UUID {
                uuids.insert((table.clone(), name.clone()));
            }
            tables.entry(table).or_default().push(Column { name, kind });
        }
        let mut tables: Vec<_> = tables.into_iter().map(|(name, columns)| Table { name, columns }).collect();
        for table in &mut tables {
            table.columns.sort_by(|one, other| one.name.cmp(&other.name));
        }
        if tx.engine() == Engine::Postgres {
            let references = "SELECT CAST(of.relname AS TEXT), CAST(target.relname AS TEXT) FROM pg_constraint k
                JOIN pg_class of ON of.oid = k.conrelid JOIN pg_class target ON target.oid = k.confrelid
                WHERE k.contype = 'f' AND of.oid <> target.oid AND k.connamespace = CAST(current_schema() AS regnamespace)";
            let references = fetch_all!(&mut tx, (String, String), references)?;
            tables = after_their_references(tables, &references)?;
        }
        Ok(Self { tx, tables, uuids })
    }

    fn is_uuid(&self, table: &Table, column: &Column) -> bool {
        self.uuids.contains(&(table.name.clone(), column.name.clone()))
    }

    fn rows<'t>(&'t mut self, table: &Table) -> BoxStream<'t, Result<Row>> {
        macro_rules! rows {
            ($conn:expr, $sql:expr) => {{
                let kinds: Vec<ColumnKind> = table.columns.iter().map(|column| column.kind).collect();
                let rows = sqlx::query(AssertSqlSafe($sql)).persistent(false).fetch(&mut ***$conn);
                rows.map(move |row| {
                    let row = row?;
                    let value = |(index, kind): (usize, &ColumnKind)| -> Result<Value> {
                        Ok(match kind {
                            ColumnKind::Integer => row.try_get::<Option<i64>, _>(index)?.map(Value::Integer),
                            ColumnKind::Boolean => row.try_get::<Option<bool>, _>(index)?.map(Value::Boolean),
                            ColumnKind::Text => row.try_get::<Option<String>, _>(index)?.map(Value::Text),
                            ColumnKind::Bytes => row.try_get::<Option<Vec<u8>>, _>(index)?.map(Value::Bytes),
                        }
                        .unwrap_or(Value::Null))
                    };
                    kinds.iter().enumerate().map(value).collect()
                })
                .boxed()
            }};
        }
        let read = |column: &Column| {
            let name = quoted(&column.name);
            if self.is_uuid(table, column) { format!("uuid_send({name})") } else { name }
        };
        let columns = table.columns.iter().map(read).collect::<Vec<_>>().join(", ");
        let sql = format!("SELECT {columns} FROM {}", quoted(&table.name));
        match &mut self.tx.conn {
            Connection::Sqlite(conn) => rows!(conn, sql),
            Connection::Postgres(conn) => rows!(conn, sql),
            Connection::Batched(_) => unreachable!("a transaction over all tables has a connection"),
        }
    }

    async fn insert(&mut self, table: &Table, rows: &[Row]) -> Result<()> {
        let names = table.columns.iter().map(|column| quoted(&column.name)).collect::<Vec<_>>().join(", ");
        let uuids: Vec<bool> = table.columns.iter().map(|column| self.is_uuid(table, column)).collect();
        let name = quoted(&table.name);
        match &mut self.tx.conn {
            Connection::Sqlite(conn) => {
                let marks = format!("({})", vec!["?"; table.columns.len()].join(", "));
                for rows in rows.chunks(ROWS_MAX) {
                    let marks = vec![marks.as_str(); rows.len()].join(", ");
                    let mut insert = sqlx::query(AssertSqlSafe(format!("INSERT INTO {name} ({names}) VALUES {marks}")));
                    for value in rows.iter().flatten() {
                        insert = match value {
                            Value::Null => insert.bind(None::<i64>),
                            Value::Integer(number) => insert.bind(*number),
                            Value::Boolean(truth) => insert.bind(*truth),
                            Value::Text(text) => insert.bind(text.as_str()),
                            Value::Bytes(bytes) => insert.bind(bytes.as_slice()),
                        };
                    }
                    insert.execute(&mut ***conn).await?;
                }
            }
            Connection::Postgres(conn) => {
                let mut text = String::new();
                for row in rows {
                    for (position, value) in row.iter().enumerate() {
                        if position > 0 {
                            text.push('\t');
                        }
                        copy_text(&mut text, value, uuids[position]);
                    }
                    text.push('\n');
                }
                let mut copy = conn.copy_in_raw(&format!("COPY {name} ({names}) FROM STDIN")).await?;
                copy.send(text.as_bytes()).await?;
                copy.finish().await?;
            }
            Connection::Batched(_) => unreachable!("a transaction over all tables has a connection"),
        }
        Ok(())
    }
}

impl Drop for Tables {
    /// The transaction is open, so the connection is not used again. SQLite's is closed with it.
    fn drop(&mut self) {
        self.tx.is_unusable = true;
    }
}

impl Snapshot {
    #[must_use]
    pub fn tables(&self) -> &[Table] {
        &self.0.tables
    }

    /// The rows of a table, in any order.
    pub fn rows(&mut self, table: &Table) -> BoxStream<'_, Result<Row>> {
        self.0.rows(table)
    }

    /// For statements of a store at the same instant.
    pub fn tx(&mut self) -> &mut Tx {
        &mut self.0.tx
    }

    /// The versions of the applied migrations.
    pub async fn migrations(&mut self) -> Result<Vec<i64>> {
        Ok(schema::applied(&mut self.0.tx).await?.into_iter().map(|(version, _)| version).collect())
    }

    pub async fn sequences(&mut self) -> Result<Vec<SequenceState>> {
        sequences_of(&mut self.0.tx).await
    }
}

async fn sequences_of(tx: &mut Tx) -> Result<Vec<SequenceState>> {
    let last = match tx.engine() {
        Engine::Sqlite => {
            "SELECT t.name, c.name, COALESCE(s.seq, 0) FROM sqlite_schema t JOIN pragma_table_info(t.name) c
            LEFT JOIN sqlite_sequence s ON s.name = t.name
            WHERE t.type = 'table' AND t.sql LIKE '%AUTOINCREMENT%' AND c.pk = 1"
        }
        Engine::Postgres => {
            "SELECT CAST(c.table_name AS TEXT), CAST(c.column_name AS TEXT), COALESCE(s.last_value, s.start_value - 1)
            FROM information_schema.columns c
            JOIN pg_sequences s ON to_regclass(quote_ident(s.schemaname) || '.' || quote_ident(s.sequencename))
                = to_regclass(pg_get_serial_sequence(quote_ident(c.table_schema) || '.' || quote_ident(c.table_name), c.column_name))
            WHERE c.table_schema = current_schema() AND c.is_identity = 'YES'"
        }
    };
    let mut sequences: Vec<_> = fetch_all!(tx, (String, String, i64), last)?
        .into_iter()
        .map(|(table, column, last)| SequenceState { table, column, last })
        .collect();
    sequences.sort_by(|one, other| one.table.cmp(&other.table));
    Ok(sequences)
}

impl Import {
    /// The tables, each after those that it refers to.
    #[must_use]
    pub fn tables(&self) -> &[Table] {
        &self.tables.tables
    }

    /// Stores rows of a table.
    ///
    /// # Errors
    /// The database refuses one, or 503 `storage_unavailable`.
    pub async fn insert(&mut self, table: &Table, rows: &[Row]) -> Result<()> {
        self.tables.insert(table, rows).await
    }

    /// The rows as they are stored, in any order.
    pub fn rows(&mut self, table: &Table) -> BoxStream<'_, Result<Row>> {
        self.tables.rows(table)
    }

    /// Lets columns go on after the last numbers that were given. Of some the other engine knows none: these go on after
    /// the numbers of their rows.
    pub async fn set_sequences(&mut self, given: &[SequenceState]) -> Result<()> {
        let tx = &mut self.tables.tx;
        for SequenceState { table, column, .. } in sequences_of(tx).await? {
            let greatest = format!("SELECT COALESCE(MAX({}), 0) FROM {}", quoted(&column), quoted(&table));
            let (greatest,) = fetch_one!(tx, (i64,), AssertSqlSafe(greatest.clone()))?;
            let given = given.iter().find(|state| (&state.table, &state.column) == (&table, &column));
            let last = given.map_or(0, |state| state.last).max(greatest);
            match tx.engine() {
                Engine::Sqlite => {
                    execute!(tx, "DELETE FROM sqlite_sequence WHERE name = $1", &table)?;
                    execute!(tx, "INSERT INTO sqlite_sequence (name, seq) VALUES ($1, $2)", &table, last)?;
                }
                // A sequence that has given nothing is left as it is: it has no last number.
                Engine::Postgres if last > 0 => {
                    execute!(tx, "SELECT setval(pg_get_serial_sequence(quote_ident($1), $2), $3)", &table, &column, last)?;
                }
                Engine::Postgres => {}
            }
        }
        Ok(())
    }

    /// For ordinary work in this transaction, once the triggers run again.
    pub fn tx(&mut self) -> &mut Tx {
        &mut self.tables.tx
    }

    /// Checks all references and lets the triggers run again.
    ///
    /// # Errors
    /// A row refers to one that does not exist.
    pub async fn enable_triggers(&mut self) -> Result<()> {
        let tx = &mut self.tables.tx;
        match tx.engine() {
            Engine::Sqlite => {
                let stray = "SELECT \"table\", \"parent\" FROM pragma_foreign_key_check LIMIT 1";
                if let Some((table, parent)) = crate::fetch_optional!(tx, (String, String), stray)? {
                    return Err(Error::internal(format!("a row of {table} refers to a row of {parent} that does not exist")));
                }
                for create in std::mem::take(&mut self.triggers) {
                    execute!(tx, AssertSqlSafe(create))?;
                }
            }
            Engine::Postgres => {
                for table in &self.tables.tables {
                    execute!(tx, AssertSqlSafe(format!("ALTER TABLE {} ENABLE TRIGGER USER", quoted(&table.name))))?;
                }
            }
        }
        Ok(())
    }

    async fn disable_triggers(&mut self) -> Result<()> {
        let tx = &mut self.tables.tx;
        match tx.engine() {
            Engine::Sqlite => {
                let triggers = "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'";
                for (name, create) in fetch_all!(tx, (String, String), triggers)? {
                    execute!(tx, AssertSqlSafe(format!("DROP TRIGGER {}", quoted(&name))))?;
                    self.triggers.push(create);
                }
            }
            Engine::Postgres => {
                for table in &self.tables.tables {
                    execute!(tx, AssertSqlSafe(format!("ALTER TABLE {} DISABLE TRIGGER USER", quoted(&table.name))))?;
                }
            }
        }
        Ok(())
    }

    /// Commits. Call [`enable_triggers`](Self::enable_triggers) first.
    ///
    /// # Errors
    /// Nothing was stored.
    pub async fn commit(mut self) -> Result<()> {
        assert!(self.triggers.is_empty(), "the triggers were enabled");
        execute!(&mut self.tables.tx, "COMMIT").map(drop)
    }
}

/// Sorts tables so that each comes after those that it refers to.
fn after_their_references(tables: Vec<Table>, references: &[(String, String)]) -> Result<Vec<Table>> {
    let (mut sorted, mut waiting) = (Vec::<Table>::new(), tables);
    while !waiting.is_empty() {
        let is_waiting = |name: &str| waiting.iter().any(|table| table.name == name);
        let is_free = |table: &Table| !references.iter().any(|(from, to)| *from == table.name && is_waiting(to));
        let (free, rest): (Vec<_>, Vec<_>) = waiting.iter().cloned().partition(is_free);
        if free.is_empty() {
            return Err(Error::internal("tables refer to each other in a circle"));
        }
        sorted.extend(free);
        waiting = rest;
    }
    Ok(sorted)
}

/// A value in the text format of COPY.
fn copy_text(text: &mut String, value: &Value, is_uuid: bool) {
    match value {
        Value::Null => text.push_str("\\N"),
        Value::Integer(number) => write!(text, "{number}").expect("a string takes any text"),
        Value::Boolean(truth) => text.push(if *truth { 't' } else { 'f' }),
        Value::Bytes(bytes) => {
            text.push_str(if is_uuid { "" } else { "\\\\x" });
            text.push_str(&hex::encode(bytes));
        }
        Value::Text(value) => {
            for character in value.chars() {
                match character {
                    '\\' => text.push_str("\\\\"),
                    '\t' => text.push_str("\\t"),
                    '\n' => text.push_str("\\n"),
                    '\r' => text.push_str("\\r"),
                    other => text.push(other),
                }
            }
        }
    }
}

/// A name as an identifier of SQL.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
