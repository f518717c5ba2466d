//! The query macros for both engines.
//!
//! Each takes the `&mut Tx`, the SQL text and the values to bind, and evaluates to a [`Result`](crate::Result). The
//! statement is a `&'static str`: text built at run time does not compile.

/// One row. A missing row is an internal error.
#[macro_export]
macro_rules! fetch_one {
    ($tx:expr, $row:ty, $sql:expr $(, $bind:expr)* $(,)?) => {
        $crate::db::BoundStatement::new($tx, $sql)$(.bind($bind))*.fetch_one().await.and_then(|row| row.read::<$row>())
    };
}

/// One row or `None`.
#[macro_export]
macro_rules! fetch_optional {
    ($tx:expr, $row:ty, $sql:expr $(, $bind:expr)* $(,)?) => {
        $crate::db::BoundStatement::new($tx, $sql)$(.bind($bind))*
            .fetch_optional()
            .await
            .and_then(|row| row.map(|row| row.read::<$row>()).transpose())
    };
}

/// One row or `None`, locked until the transaction ends. Read what a unit of work decides on this way, and first. The
/// statement must end with its WHERE clause and read only `table`: after waiting it sees the new row, but old versions
/// of rows in other tables.
#[macro_export]
macro_rules! fetch_locked {
    ($tx:expr, $row:ty, $table:literal, $sql:expr $(, $bind:expr)* $(,)?) => {
        $crate::fetch_locked!(@ "", $tx, $row, $table, $sql $(, $bind)*)
    };
    (@ $suffix:literal, $tx:expr, $row:ty, $table:literal, $sql:expr $(, $bind:expr)*) => {
        $crate::db::BoundStatement::locking($tx, $sql, $table, $suffix)$(.bind($bind))*
            .fetch_optional()
            .await
            .and_then(|row| row.map(|row| row.read::<$row>()).transpose())
    };
}

/// As [`fetch_locked!`](crate::fetch_locked), but `None` as well if another transaction has locked the row: for work that
/// any node may do, and that one of them has begun.
#[macro_export]
macro_rules! fetch_locked_if_free {
    ($tx:expr, $row:ty, $table:literal, $sql:expr $(, $bind:expr)* $(,)?) => {
        $crate::fetch_locked!(@ " SKIP LOCKED", $tx, $row, $table, $sql $(, $bind)*)
    };
}

/// All rows.
#[macro_export]
macro_rules! fetch_all {
    ($tx:expr, $row:ty, $sql:expr $(, $bind:expr)* $(,)?) => {
        $crate::db::BoundStatement::new($tx, $sql)$(.bind($bind))*
            .fetch_all()
            .await
            .and_then(|rows| rows.iter().map(|row| row.read::<$row>()).collect::<$crate::Result<Vec<$row>>>())
    };
}

/// Runs a statement and returns the number of rows it changed.
#[macro_export]
macro_rules! execute {
    ($tx:expr, $sql:expr $(, $bind:expr)* $(,)?) => {
        $crate::db::BoundStatement::new($tx, $sql)$(.bind($bind))*.execute().await
    };
}

/// Runs a statement that must change exactly one row. A unit of work that consists only of these is batched with others,
/// which is much faster; on PostgreSQL, if they are inserts whose ON CONFLICT names no parameter.
///
/// Changing no row or several is an error with the [`constraint`](crate::Error::constraint)
/// [`Condition`](crate::error::Constraint::Condition).
#[macro_export]
macro_rules! write_one {
    ($tx:expr, $sql:expr $(, $bind:expr)* $(,)?) => {
        match $crate::db::Tx::target($tx) {
            $crate::db::StatementTarget::Batched(batch) => $crate::db::StatementTarget::collect(batch, $sql)$(.bind($bind))*.collect(),
            _ => match $crate::execute!($tx, $sql $(, $bind)*) {
                Ok(1) => Ok(()),
                Ok(_) => Err($crate::db::wrong_row_count()),
                Err(failure) => Err(failure),
            },
        }
    };
}

/// As [`write_one!`](crate::write_one), for rows that every other unit of work wants as well, with the statement's form
/// for a set of rows on PostgreSQL, where it runs after all others. It is what follows `WITH batch AS (...)`: `batch` has
/// the parameters as the columns `p1`, `p2` ... and the number of the unit of work, `place`. It returns the places that
/// it has written; the others are run alone.
#[macro_export]
macro_rules! write_hot {
    ($tx:expr, $sql:expr, $set:expr $(, $bind:expr)* $(,)?) => {
        match $crate::db::Tx::target($tx) {
            $crate::db::StatementTarget::Batched(batch) => {
                $crate::db::StatementTarget::collect_hot(batch, $sql, $set)$(.bind($bind))*.collect()
            }
            _ => $crate::write_one!($tx, $sql $(, $bind)*),
        }
    };
}

/// Whether a condition holds that seldom does: a SELECT of one boolean. Batched work goes on as if it did not, and is
/// run alone if it does.
#[macro_export]
macro_rules! is_rarely_true {
    ($tx:expr, $sql:expr $(, $bind:expr)* $(,)?) => {
        match $crate::db::Tx::target($tx) {
            $crate::db::StatementTarget::Batched(batch) => {
                $crate::db::StatementTarget::collect_check(batch, $sql)$(.bind($bind))*.collect().map(|()| false)
            }
            _ => $crate::fetch_one!($tx, (bool,), $sql $(, $bind)*).map(|(found,)| found),
        }
    };
}

/// Names a module's statements and lists them, so that a test can prepare each of them on both engines.
#[macro_export]
macro_rules! statements {
    ($($(#[$doc:meta])* $name:ident = $sql:expr;)*) => {
        $($(#[$doc])* pub(crate) const $name: &str = $sql;)*

        /// Every statement of this module with its name.
        pub const STATEMENTS: &[(&str, &str)] = &[$((stringify!($name), $name)),*];
    };
}

/// Stores a type as text, through its `Display` and `FromStr`.
#[macro_export]
macro_rules! text_column {
    ($type:ty) => {
        impl<DB: $crate::sqlx::Database> $crate::sqlx::Type<DB> for $type
        where
            String: $crate::sqlx::Type<DB>,
        {
            fn type_info() -> DB::TypeInfo {
                <String as $crate::sqlx::Type<DB>>::type_info()
            }

            fn compatible(ty: &DB::TypeInfo) -> bool {
                <String as $crate::sqlx::Type<DB>>::compatible(ty)
            }
        }

        impl<'q, DB: $crate::sqlx::Database> $crate::sqlx::Encode<'q, DB> for $type
        where
            String: $crate::sqlx::Encode<'q, DB>,
        {
            fn encode_by_ref(
                &self,
                buffer: &mut <DB as $crate::sqlx::Database>::ArgumentBuffer,
            ) -> Result<$crate::sqlx::encode::IsNull, $crate::sqlx::error::BoxDynError> {
                $crate::sqlx::Encode::<DB>::encode(self.to_string(), buffer)
            }
        }

        impl $crate::rusqlite::ToSql for $type {
            fn to_sql(&self) -> $crate::rusqlite::Result<$crate::rusqlite::types::ToSqlOutput<'_>> {
                Ok(self.to_string().into())
            }
        }

        impl<'r, DB: $crate::sqlx::Database> $crate::sqlx::Decode<'r, DB> for $type
        where
            &'r str: $crate::sqlx::Decode<'r, DB>,
        {
            fn decode(value: <DB as $crate::sqlx::Database>::ValueRef<'r>) -> Result<Self, $crate::sqlx::error::BoxDynError> {
                Ok(<&str as $crate::sqlx::Decode<DB>>::decode(value)?.parse()?)
            }
        }
    };
}
