//! The query macros: one call, both engines.
//!
//! Each takes the `&mut Tx`, the SQL text and the values to bind, and gives a future's [`Result`](crate::Result).
//! The statement is a `&'static str`: text made at run time does not compile.

/// One row as the given type; a missing row is an internal error, so use it where the row must be there.
#[macro_export]
macro_rules! fetch_one {
    ($tx:expr, $row:ty, $sql:expr $(, $bind:expr)* $(,)?) => {
        match $crate::db::Tx::lane($tx) {
            $crate::db::Lane::Lite(call) => call$(.bind($bind))*.fetch_one::<$row>($sql).await,
            $crate::db::Lane::Pg(conn) =>
                $crate::sqlx::query_as::<_, $row>($sql)$(.bind($bind))*.fetch_one(conn).await.map_err($crate::Error::from),
        }
    };
}

/// One row as the given type, or nothing.
#[macro_export]
macro_rules! fetch_optional {
    ($tx:expr, $row:ty, $sql:expr $(, $bind:expr)* $(,)?) => {
        match $crate::db::Tx::lane($tx) {
            $crate::db::Lane::Lite(call) => call$(.bind($bind))*.fetch_optional::<$row>($sql).await,
            $crate::db::Lane::Pg(conn) =>
                $crate::sqlx::query_as::<_, $row>($sql)$(.bind($bind))*.fetch_optional(conn).await.map_err($crate::Error::from),
        }
    };
}

/// All rows as the given type.
#[macro_export]
macro_rules! fetch_all {
    ($tx:expr, $row:ty, $sql:expr $(, $bind:expr)* $(,)?) => {
        match $crate::db::Tx::lane($tx) {
            $crate::db::Lane::Lite(call) => call$(.bind($bind))*.fetch_all::<$row>($sql).await,
            $crate::db::Lane::Pg(conn) =>
                $crate::sqlx::query_as::<_, $row>($sql)$(.bind($bind))*.fetch_all(conn).await.map_err($crate::Error::from),
        }
    };
}

/// Runs a statement and gives the number of rows it changed.
#[macro_export]
macro_rules! execute {
    ($tx:expr, $sql:expr $(, $bind:expr)* $(,)?) => {
        match $crate::db::Tx::lane($tx) {
            $crate::db::Lane::Lite(call) => call$(.bind($bind))*.execute($sql).await,
            $crate::db::Lane::Pg(conn) => {
                let done = $crate::sqlx::query($sql)$(.bind($bind))*.execute(conn).await;
                done.map(|done| done.rows_affected()).map_err($crate::Error::from)
            }
        }
    };
}

/// Runs a statement of which nobody needs more than that it succeeds. On SQLite it may wait and go along with the next statement; a
/// failure then undoes the transaction, which is run again with every statement at its place. So the error is known where it belongs,
/// and only the usual case, success, is quicker.
#[macro_export]
macro_rules! defer {
    ($tx:expr, $sql:expr $(, $bind:expr)* $(,)?) => {
        match $crate::db::Tx::lane($tx) {
            $crate::db::Lane::Lite(call) => call$(.bind($bind))*.defer($sql).await,
            $crate::db::Lane::Pg(conn) =>
                $crate::sqlx::query($sql)$(.bind($bind))*.execute(conn).await.map(drop).map_err($crate::Error::from),
        }
    };
}

/// Names a room's statements and lists them, so that a test can prepare every one on both engines.
#[macro_export]
macro_rules! statements {
    ($($(#[$doc:meta])* $name:ident = $sql:expr;)*) => {
        $($(#[$doc])* pub(crate) const $name: &str = $sql;)*

        /// Every statement of this room, with its name.
        pub const STATEMENTS: &[(&str, &str)] = &[$((stringify!($name), $name)),*];
    };
}

/// Stores a type as text in both engines, through its `Display` and `FromStr`.
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
