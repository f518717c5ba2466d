//! The captcha's key and used answers in SQL.

use agio_core::{Result, Timestamp, Tx, execute, fetch_one, fetch_optional};

agio_core::statements! {
    CAPTCHA_KEY = "SELECT sealed FROM captcha_key WHERE id = 1";
    /// Keeps the key that is there; the update that changes nothing makes the statement give it.
    INSERT_CAPTCHA_KEY = "INSERT INTO captcha_key (id, sealed) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET id = 1 RETURNING sealed";
    REPLACE_CAPTCHA_KEY = "INSERT INTO captcha_key (id, sealed) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET sealed = excluded.sealed RETURNING sealed";
    USE_CAPTCHA = "INSERT INTO captcha_used (signature, ends_at) VALUES ($1, $2) ON CONFLICT (signature) DO NOTHING";
    FORGET_CAPTCHAS = "DELETE FROM captcha_used WHERE ends_at < $1";
}

pub async fn key(tx: &mut Tx) -> Result<Option<String>> {
    let row = fetch_optional!(tx, (String,), CAPTCHA_KEY)?;
    Ok(row.map(|(sealed,)| sealed))
}

/// Stores the key and gives the one that holds: this one, or another that was there first and is not to be replaced.
pub async fn put_key(tx: &mut Tx, sealed: &str, replace: bool) -> Result<String> {
    let sql = if replace { REPLACE_CAPTCHA_KEY } else { INSERT_CAPTCHA_KEY };
    let (kept,) = fetch_one!(tx, (String,), sql, sealed)?;
    Ok(kept)
}

/// Notes that an answer was used; false if it was used before.
pub async fn use_once(tx: &mut Tx, signature: &str, ends_at: Timestamp) -> Result<bool> {
    Ok(execute!(tx, USE_CAPTCHA, signature, ends_at)? == 1)
}

/// Forgets answers whose challenge has ended: they are refused for that.
pub async fn forget_used(tx: &mut Tx, now: Timestamp) -> Result<()> {
    execute!(tx, FORGET_CAPTCHAS, now).map(drop)
}
