//! The second factor: codes of an authenticator app (RFC 6238), and recovery codes for the day the app is gone.
//!
//! It belongs to an account, a customer's or a member of staff's. The secret is sealed in the database. Every code counts once: of the
//! app's the period of the last one taken is kept, and a recovery code is deleted when it is used.

pub mod store;

use agio_core::{Error, Platform, Result, Timestamp, Tx};
use totp_rs::{Builder, Secret, Totp};
use uuid::Uuid;

use crate::secrets::digest;

/// How many recovery codes are given.
const RECOVERY_CODES: usize = 10;

/// Bytes of a recovery code: 120 bits, so that a plain digest keeps it.
const RECOVERY_BYTES: usize = 15;

/// Bytes of the app's secret: what RFC 4226 recommends.
const SECRET_BYTES: usize = 20;

/// How many periods of 30 seconds a code may be early or late.
const SKEW: u16 = 1;

/// What an authenticator app is told.
#[derive(Clone, Debug)]
pub struct Begun {
    /// The secret in base32, for typing.
    pub secret: String,
    /// The same with names, for a QR code.
    pub url: String,
}

/// How a code was found right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// It is the app's.
    Code,
    /// It is a recovery code, which is used up now.
    Recovery,
}

/// Begins to turn the second factor on: it holds once a code was shown ([`confirm`]). Beginning again makes another secret.
///
/// # Errors
/// 409 `totp_is_on`.
pub async fn begin(tx: &mut Tx, platform: &Platform, account: Uuid, issuer: &str, label: &str) -> Result<Begun> {
    let mut secret = [0; SECRET_BYTES];
    platform.random.fill(&mut secret);
    let sealed = platform.vault.seal(&purpose(account), &secret);
    if !store::put(tx, account, &sealed).await? {
        return Err(Error::conflict("totp_is_on"));
    }
    // A colon parts the two names in the address, so neither may hold one.
    let plain = |name: &str| name.replace(':', " ");
    let app =
        builder(&secret).with_issuer(Some(plain(issuer))).with_account_name(plain(label)).build().map_err(Error::internal)?;
    Ok(Begun { secret: Secret::from(secret.to_vec()).to_base32(), url: app.to_url().map_err(Error::internal)? })
}

/// Turns the second factor on, if the app shows the right code, and gives the recovery codes, this once.
///
/// # Errors
/// 409 `totp_not_begun`; 422 `otp_invalid` at `code`.
pub async fn confirm(tx: &mut Tx, platform: &Platform, account: Uuid, code: &str, now: Timestamp) -> Result<Vec<String>> {
    let stored = store::get(tx, account).await?.filter(|stored| stored.confirmed_at.is_none());
    let stored = stored.ok_or_else(|| Error::conflict("totp_not_begun"))?;
    let step = opened(platform, account, &stored.sealed)?.check(code, seconds(now)).ok_or_else(invalid)?;
    store::confirm(tx, account, period(step)?, now).await?;
    renew_recovery_codes(tx, platform, account).await
}

/// Whether an account needs a code to sign in.
///
/// # Errors
/// The database cannot be read.
pub async fn is_on(tx: &mut Tx, account: Uuid) -> Result<bool> {
    Ok(store::get(tx, account).await?.is_some_and(|stored| stored.confirmed_at.is_some()))
}

/// Takes a code of the app or a recovery code; either counts once.
///
/// # Errors
/// 422 `otp_invalid` at `code`: wrong, used before, or there is no second factor.
pub async fn take(tx: &mut Tx, platform: &Platform, account: Uuid, code: &str, now: Timestamp) -> Result<Taken> {
    let code: String = code.chars().filter(|c| !c.is_whitespace() && *c != '-').take(64).collect();
    let stored = store::get(tx, account).await?.filter(|stored| stored.confirmed_at.is_some()).ok_or_else(invalid)?;
    if code.len() == 6 && code.bytes().all(|byte| byte.is_ascii_digit()) {
        let step = opened(platform, account, &stored.sealed)?.check(&code, seconds(now)).ok_or_else(invalid)?;
        return if store::advance(tx, account, period(step)?).await? { Ok(Taken::Code) } else { Err(invalid()) };
    }
    let is_right = store::use_recovery_code(tx, account, &digest(&code.to_ascii_uppercase())).await?;
    if is_right { Ok(Taken::Recovery) } else { Err(invalid()) }
}

/// Makes new recovery codes in place of those there are, and gives them, this once.
///
/// # Errors
/// The database cannot be written.
pub async fn renew_recovery_codes(tx: &mut Tx, platform: &Platform, account: Uuid) -> Result<Vec<String>> {
    store::forget_recovery_codes(tx, account).await?;
    let mut codes = Vec::with_capacity(RECOVERY_CODES);
    for _ in 0..RECOVERY_CODES {
        let mut bytes = [0; RECOVERY_BYTES];
        platform.random.fill(&mut bytes);
        let code = Secret::from(bytes.to_vec()).to_base32();
        store::insert_recovery_code(tx, account, &digest(&code)).await?;
        codes.push(in_groups(&code));
    }
    Ok(codes)
}

/// Turns the second factor off.
///
/// # Errors
/// The database cannot be written.
pub async fn remove(tx: &mut Tx, account: Uuid) -> Result<()> {
    store::forget_recovery_codes(tx, account).await?;
    store::delete(tx, account).await
}

fn builder(secret: &[u8]) -> Builder {
    Builder::new().with_secret(secret.to_vec()).with_skew(SKEW)
}

fn opened(platform: &Platform, account: Uuid, sealed: &str) -> Result<Totp> {
    let secret = platform.vault.open(&purpose(account), sealed)?;
    builder(&secret).with_account_name("account").build().map_err(Error::internal)
}

/// What the secret is sealed for: moved to another account's row it does not open.
fn purpose(account: Uuid) -> String {
    format!("second factor {account}")
}

fn seconds(now: Timestamp) -> u64 {
    u64::try_from(now.as_seconds()).unwrap_or(0)
}

fn period(step: u64) -> Result<i64> {
    i64::try_from(step).map_err(Error::internal)
}

/// The refusal of a code.
pub fn invalid() -> Error {
    Error::unprocessable("otp_invalid").at("code", "otp_invalid")
}

fn in_groups(code: &str) -> String {
    code.as_bytes().chunks(4).map(|group| String::from_utf8_lossy(group)).collect::<Vec<_>>().join("-")
}
