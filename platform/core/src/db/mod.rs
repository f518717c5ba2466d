//! One code, two engines: SQLite in the process, or PostgreSQL for several nodes.
//!
//! A module's `store` is ordinary functions over `&mut Tx` with one SQL text for both engines, run through the query
//! macros of this module ([`fetch_one!`](crate::fetch_one) and its siblings). Reads take a connection with
//! [`Db::read`]; every change goes through [`Db::write`], the only thing that opens a transaction.
//!
//! SQL is the common subset: `$n`, `RETURNING`, `ON CONFLICT`, common table expressions. `SUM` is cast to `BIGINT`,
//! money is `BIGINT` units, time is `BIGINT` microseconds, decimals that are never summed are `TEXT`.

mod blind;
mod committing;
mod error;
mod group;
mod lite;
mod lock;
mod memory;
mod news;
mod pg;
mod query;

use std::sync::Arc;
use std::time::Duration;

use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{PgPool, Postgres, Sqlite, SqliteConnection, SqlitePool};

use crate::BoxFuture;
use crate::error::{Error, Result};

pub use blind::{Binding, Collected};
pub use error::{reads, unchanged};
use memory::Memory;
pub use memory::{Known, Place};
pub use news::{Ear, Heard};

/// The two engines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// SQLite, embedded.
    Sqlite,
    /// PostgreSQL.
    Postgres,
}

/// The database. Cheap to clone; all clones share the same connections.
#[derive(Clone)]
pub struct Db(Arc<Inner>);

enum Inner {
    Lite { readers: SqlitePool, writer: group::Writer },
    Pg { pool: PgPool },
}

/// A connection of either engine.
pub enum Conn {
    /// To SQLite.
    Lite(PoolConnection<Sqlite>),
    /// To PostgreSQL.
    Pg(PoolConnection<Postgres>),
    /// None yet: statements are collected for SQLite, and nothing can be read.
    Blind(Collected),
}

/// A connection in use: inside a transaction when it was given by [`Db::write`], outside one when it came from
/// [`Db::read`].
pub struct Tx {
    conn: Conn,
    after_commit: Vec<Box<dyn FnOnce() + Send>>,
    /// What SQLite's writer remembers; nothing elsewhere.
    memory: Option<Memory>,
}

/// The way a statement goes: what the query macros choose between.
#[doc(hidden)]
pub enum Lane<'t> {
    /// To SQLite.
    Lite(&'t mut SqliteConnection),
    /// To PostgreSQL.
    Pg(&'t mut PgConnection),
    /// To SQLite, later.
    Blind(&'t mut Collected),
}

impl<'t> Lane<'t> {
    /// A statement in the making, for the query macros.
    #[doc(hidden)]
    pub fn collect(collected: &'t mut Collected, sql: &'static str) -> Binding<'t> {
        collected.next(sql)
    }
}

impl Tx {
    fn new(conn: Conn) -> Self {
        Self { conn, after_commit: Vec::new(), memory: None }
    }

    /// Throws the connection away: what state it is in is not known.
    fn discard(mut self) {
        match &mut self.conn {
            Conn::Lite(conn) => conn.close_on_drop(),
            Conn::Pg(conn) => conn.close_on_drop(),
            Conn::Blind(_) => {}
        }
    }

    /// The statements collected so far.
    fn collected(&mut self) -> &mut Collected {
        match &mut self.conn {
            Conn::Blind(collected) => collected,
            _ => panic!("this transaction has a connection"),
        }
    }

    /// The way to the connection, for the query macros.
    #[doc(hidden)]
    pub fn lane(&mut self) -> Lane<'_> {
        match &mut self.conn {
            Conn::Lite(conn) => Lane::Lite(conn),
            Conn::Pg(conn) => Lane::Pg(conn),
            Conn::Blind(collected) => Lane::Blind(collected),
        }
    }

    /// The connection itself, for what is not a statement of a store.
    pub fn conn(&mut self) -> &mut Conn {
        &mut self.conn
    }

    /// Which engine this is, where two dialects are unavoidable.
    #[must_use]
    pub fn engine(&self) -> Engine {
        match self.conn {
            Conn::Lite(_) | Conn::Blind(_) => Engine::Sqlite,
            Conn::Pg(_) => Engine::Postgres,
        }
    }

    /// Whether statements are only collected, and nothing can be read: the writes are tried together with others first, and if any of them is
    /// refused the work is run anew in a transaction that can.
    #[must_use]
    pub fn only_writes(&self) -> bool {
        matches!(self.conn, Conn::Blind(_))
    }

    /// What SQLite's writer knows from its own writes, so that it need not read; nothing where writers share a database. It can be
    /// wrong when another process has written: what is written from it must then break a unique key.
    pub fn recall(&mut self, place: Place) -> Option<Known> {
        self.memory.as_mut()?.recall(place)
    }

    /// Lets SQLite's writer know something that will be so once this transaction is durable.
    pub fn remember(&mut self, place: Place, known: Known) {
        if let Some(memory) = &mut self.memory {
            memory.remember(place, known);
        }
    }

    /// Runs `notice` once this transaction is durable, and never if it is not. It is for telling memory and
    /// listeners of what happened, so it must be quick and cannot fail.
    pub fn after_commit(&mut self, notice: impl FnOnce() + Send + 'static) {
        self.after_commit.push(Box::new(notice));
    }
}

impl Db {
    /// Opens the database at `url`: `sqlite:PATH`, or `postgres://...`.
    ///
    /// # Errors
    /// The address is of neither engine, or the database cannot be opened.
    pub async fn open(url: &str) -> Result<Self> {
        if let Some(path) = url.strip_prefix("sqlite:") {
            return lite::open(path.trim_start_matches("//")).await;
        }
        if url.starts_with("postgres:") || url.starts_with("postgresql:") {
            return pg::open(url.parse::<PgConnectOptions>().map_err(Error::internal)?).await;
        }
        Err(Error::internal(format!("the database address must begin with sqlite: or postgres:, not {url:?}")))
    }

    /// Which engine this is.
    #[must_use]
    pub fn engine(&self) -> Engine {
        match &*self.0 {
            Inner::Lite { .. } => Engine::Sqlite,
            Inner::Pg { .. } => Engine::Postgres,
        }
    }

    /// Brings the schema up to date.
    ///
    /// # Errors
    /// A migration failed, or one that has run was changed since.
    pub async fn migrate(&self) -> Result<()> {
        match &*self.0 {
            Inner::Lite { writer, .. } => {
                let mut conn = writer.connection().await?;
                sqlx::migrate!("../../migrations/sqlite").run(&mut *conn).await
            }
            Inner::Pg { pool } => sqlx::migrate!("../../migrations/postgres").run(pool).await,
        }
        .map_err(Error::internal)
    }

    /// A connection to read with. It sees what is durable and nothing of open transactions.
    ///
    /// # Errors
    /// `storage_unavailable` when no connection can be had in time.
    pub async fn read(&self) -> Result<Tx> {
        let conn = match &*self.0 {
            Inner::Lite { readers, .. } => Conn::Lite(readers.acquire().await?),
            Inner::Pg { pool } => Conn::Pg(pool.acquire().await?),
        };
        Ok(Tx::new(conn))
    }

    /// Runs `work` in one transaction and returns its value once that is durable. An error of `work` undoes all it
    /// did. The work may be run more than once (a lost race, a neighbour's failure), so it must have no effect
    /// but through its `Tx`; what memory and listeners have to learn goes to [`Tx::after_commit`].
    ///
    /// The transaction runs to its end even if the caller stops waiting.
    ///
    /// # Errors
    /// What `work` returned; `overloaded` when too many writes wait; `storage_unavailable` when nothing can be
    /// stored. After the latter the outcome is unknown: a caller with an idempotency key asks again with it.
    pub async fn write<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: for<'t> Fn(&'t mut Tx) -> BoxFuture<'t, Result<T>> + Send + Sync + 'static,
    {
        match &*self.0 {
            Inner::Lite { writer, .. } => writer.write(work).await,
            Inner::Pg { pool } => pg::write(pool.clone(), work).await,
        }
    }

    /// Whether a write can be stored now, as far as is known without trying.
    #[must_use]
    pub fn is_writable(&self) -> bool {
        match &*self.0 {
            Inner::Lite { writer, .. } => writer.is_healthy(),
            Inner::Pg { pool } => !pool.is_closed(),
        }
    }

    /// Waits until running writes are done and closes every connection.
    pub async fn close(&self) {
        match &*self.0 {
            Inner::Lite { readers, writer } => {
                writer.close().await;
                readers.close().await;
            }
            Inner::Pg { pool } => pool.close().await,
        }
    }
}

/// How long a caller waits for a connection before it is told to come back.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);
