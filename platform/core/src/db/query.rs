//! The query macros: one call, both engines.
//!
//! Each takes the `&mut Tx`, the SQL text and the values to bind, and gives a future's [`Result`](crate::Result).
//! The statement is a `&'static str`: text made at run time does not compile.

/// One row as the given type; a missing row is an internal error, so use it where the row must be there.
#[macro_export]
macro_rules! fetch_one {
    ($tx:expr, $row:ty, $sql:expr $(, $bind:expr)* $(,)?) => {
        $crate::on_connection!($tx, conn => $crate::sqlx::query_as::<_, $row>($sql)$(.bind($bind))*.fetch_one(&mut **conn).await)
    };
}

/// One row as the given type, or nothing.
#[macro_export]
macro_rules! fetch_optional {
    ($tx:expr, $row:ty, $sql:expr $(, $bind:expr)* $(,)?) => {
        $crate::on_connection!($tx, conn => $crate::sqlx::query_as::<_, $row>($sql)$(.bind($bind))*.fetch_optional(&mut **conn).await)
    };
}

/// All rows as the given type.
#[macro_export]
macro_rules! fetch_all {
    ($tx:expr, $row:ty, $sql:expr $(, $bind:expr)* $(,)?) => {
        $crate::on_connection!($tx, conn => $crate::sqlx::query_as::<_, $row>($sql)$(.bind($bind))*.fetch_all(&mut **conn).await)
    };
}

/// Runs a statement and gives the number of rows it changed.
#[macro_export]
macro_rules! execute {
    ($tx:expr, $sql:expr $(, $bind:expr)* $(,)?) => {
        $crate::on_connection!($tx, conn => $crate::sqlx::query($sql)$(.bind($bind))*.execute(&mut **conn).await.map(|done| done.rows_affected()))
    };
}

/// The body, compiled for each engine's connection type.
#[doc(hidden)]
#[macro_export]
macro_rules! on_connection {
    ($tx:expr, $conn:ident => $body:expr) => {
        match $crate::db::Tx::conn($tx) {
            $crate::db::Conn::Lite($conn) => $body.map_err($crate::Error::from),
            $crate::db::Conn::Pg($conn) => $body.map_err($crate::Error::from),
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
            fn decode(
                value: <DB as $crate::sqlx::Database>::ValueRef<'r>,
            ) -> Result<Self, $crate::sqlx::error::BoxDynError> {
                Ok(<&str as $crate::sqlx::Decode<DB>>::decode(value)?.parse()?)
            }
        }
    };
}
