//! The query macros: one call, both engines.
//!
//! Each takes the `&mut Tx`, the SQL text and the values to bind, and gives a future's [`Result`](crate::Result).
//! The statement is a `&'static str`: text made at run time does not compile. The driver's futures are kept on the heap: they are large,
//! and a unit of work would carry the room for each of its statements, in both engines, wherever it goes.

/// One row as the given type; a missing row is an internal error, so use it where the row must be there.
#[macro_export]
macro_rules! fetch_one {
    ($tx:expr, $row:ty, $sql:expr $(, $bind:expr)* $(,)?) => {
        match $crate::db::Tx::lane($tx) {
            $crate::db::Lane::Lite(conn) => {
                let asked = $crate::sqlx::query_as::<_, $row>($sql)$(.bind($bind))*.fetch_one(conn);
                Box::pin(asked).await.map_err($crate::Error::from)
            }
            $crate::db::Lane::Pg(conn) => {
                let asked = $crate::sqlx::query_as::<_, $row>($sql)$(.bind($bind))*.fetch_one(conn);
                Box::pin(asked).await.map_err($crate::Error::from)
            }
            $crate::db::Lane::Blind(_) => Err($crate::db::reads()),
        }
    };
}

/// One row as the given type, or nothing.
#[macro_export]
macro_rules! fetch_optional {
    ($tx:expr, $row:ty, $sql:expr $(, $bind:expr)* $(,)?) => {
        match $crate::db::Tx::lane($tx) {
            $crate::db::Lane::Lite(conn) => {
                let asked = $crate::sqlx::query_as::<_, $row>($sql)$(.bind($bind))*.fetch_optional(conn);
                Box::pin(asked).await.map_err($crate::Error::from)
            }
            $crate::db::Lane::Pg(conn) => {
                let asked = $crate::sqlx::query_as::<_, $row>($sql)$(.bind($bind))*.fetch_optional(conn);
                Box::pin(asked).await.map_err($crate::Error::from)
            }
            $crate::db::Lane::Blind(_) => Err($crate::db::reads()),
        }
    };
}

/// The row as the given type, or nothing; nobody else changes the row of `table` until the transaction ends. What a unit of work decides
/// on it reads so, and first. The statement ends after its WHERE and reads that table alone: after waiting it sees the row anew, and of others
/// what was there before.
#[macro_export]
macro_rules! fetch_locked {
    ($tx:expr, $row:ty, $table:literal, $sql:expr $(, $bind:expr)* $(,)?) => {
        match $crate::db::Tx::lane($tx) {
            $crate::db::Lane::Lite(conn) => {
                let asked = $crate::sqlx::query_as::<_, $row>($sql)$(.bind($bind))*.fetch_optional(conn);
                Box::pin(asked).await.map_err($crate::Error::from)
            }
            $crate::db::Lane::Pg(conn) => {
                const SQL: &str = $sql;
                // Of constants alone, so no text of a caller gets in.
                let sql = $crate::sqlx::AssertSqlSafe(format!("{SQL} FOR NO KEY UPDATE OF {}", $table));
                let asked = $crate::sqlx::query_as::<_, $row>(sql)$(.bind($bind))*.fetch_optional(conn);
                Box::pin(asked).await.map_err($crate::Error::from)
            }
            $crate::db::Lane::Blind(_) => Err($crate::db::reads()),
        }
    };
}

/// All rows as the given type.
#[macro_export]
macro_rules! fetch_all {
    ($tx:expr, $row:ty, $sql:expr $(, $bind:expr)* $(,)?) => {
        match $crate::db::Tx::lane($tx) {
            $crate::db::Lane::Lite(conn) => {
                let asked = $crate::sqlx::query_as::<_, $row>($sql)$(.bind($bind))*.fetch_all(conn);
                Box::pin(asked).await.map_err($crate::Error::from)
            }
            $crate::db::Lane::Pg(conn) => {
                let asked = $crate::sqlx::query_as::<_, $row>($sql)$(.bind($bind))*.fetch_all(conn);
                Box::pin(asked).await.map_err($crate::Error::from)
            }
            $crate::db::Lane::Blind(_) => Err($crate::db::reads()),
        }
    };
}

/// Runs a statement and gives the number of rows it changed.
#[macro_export]
macro_rules! execute {
    ($tx:expr, $sql:expr $(, $bind:expr)* $(,)?) => {
        match $crate::db::Tx::lane($tx) {
            $crate::db::Lane::Lite(conn) => {
                let done = Box::pin($crate::sqlx::query($sql)$(.bind($bind))*.execute(conn)).await;
                done.map(|done| done.rows_affected()).map_err($crate::Error::from)
            }
            $crate::db::Lane::Pg(conn) => {
                let done = Box::pin($crate::sqlx::query($sql)$(.bind($bind))*.execute(conn)).await;
                done.map(|done| done.rows_affected()).map_err($crate::Error::from)
            }
            $crate::db::Lane::Blind(_) => Err($crate::db::reads()),
        }
    };
}

/// Runs a statement that changes exactly one row, and of which nobody needs more than that it did. A unit of work of such
/// statements alone is written to SQLite together with others of its kind, which is much quicker.
///
/// What changes no row or several is an error whose [`constraint`](crate::Error::constraint) is
/// [`Condition`](crate::error::Constraint::Condition).
#[macro_export]
macro_rules! write_one {
    ($tx:expr, $sql:expr $(, $bind:expr)* $(,)?) => {
        match $crate::db::Tx::lane($tx) {
            $crate::db::Lane::Blind(collected) => $crate::db::Lane::collect(collected, $sql)$(.bind($bind))*.collect(),
            _ => match $crate::execute!($tx, $sql $(, $bind)*) {
                Ok(1) => Ok(()),
                Ok(_) => Err($crate::db::unchanged()),
                Err(failure) => Err(failure),
            },
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

/// Declares an enum whose members have stable names: in the database, where it is a [text column](crate::text_column), in the API and in
/// the keys of the texts.
#[macro_export]
macro_rules! named {
    ($(#[$about:meta])* $enum:ident { $($(#[$member_about:meta])* $member:ident = $name:literal,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        pub enum $enum {
            $($(#[$member_about])* #[serde(rename = $name)] $member,)+
        }

        impl $enum {
            /// Every member, in the order of the list.
            pub const ALL: [Self; [$($name,)+].len()] = [$(Self::$member,)+];

            /// The stable name.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$member => $name,)+
                }
            }
        }

        impl std::fmt::Display for $enum {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }

        impl std::str::FromStr for $enum {
            type Err = String;

            fn from_str(name: &str) -> std::result::Result<Self, String> {
                let member = Self::ALL.into_iter().find(|member| member.name() == name);
                member.ok_or_else(|| format!(concat!("no ", stringify!($enum), " is called {:?}"), name))
            }
        }

        $crate::text_column!($enum);
    };
}
