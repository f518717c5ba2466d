//! Captcha key and used answers in SQL.

use agio_core::retention::RetentionRule;
use agio_core::{Result, Timestamp, Tx, delete_rows, execute, fetch_one, fetch_optional};

agio_core::statements! {
    CAPTCHA_KEY = "SELECT sealed FROM captcha_key WHERE id = 1";
    /// Keeps an existing key; the update without effect makes the statement return it.
    INSERT_CAPTCHA_KEY = "INSERT INTO captcha_key (id, sealed) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET id = 1 RETURNING sealed";
    REPLACE_CAPTCHA_KEY = "INSERT INTO captcha_key (id, sealed) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET sealed = excluded.sealed RETURNING sealed";
    USE_CAPTCHA = "INSERT INTO captcha_used (signature, ends_at) VALUES ($1, $2) ON CONFLICT (signature) DO NOTHING";
}

/// Answers whose challenge has expired are rejected anyway.
pub const RETENTION: &[RetentionRule] = &[RetentionRule {
    name: "captcha_used",
    delete: delete_rows!("captcha_used", "signature", "ends_at < $1"),
    before: |_, now| now.0,
}];

pub async fn key(tx: &mut Tx) -> Result<Option<String>> {
    let row = fetch_optional!(tx, (String,), CAPTCHA_KEY)?;
    Ok(row.map(|(sealed,)| sealed))
}

/// Stores the key and returns the stored one: this one, or an existing one that is not to be replaced.
pub async fn save_key(tx: &mut Tx, sealed: &str, replace: bool) -> Result<String> {
    let sql = if replace { REPLACE_CAPTCHA_KEY } else { INSERT_CAPTCHA_KEY };
    let (stored,) = fetch_one!(tx, (String,), sql, sealed)?;
    Ok(stored)
}

/// Marks an answer as used; false if it was used before.
pub async fn use_once(tx: &mut Tx, signature: &str, ends_at: Timestamp) -> Result<bool> {
    Ok(execute!(tx, USE_CAPTCHA, signature, ends_at)? == 1)
}
