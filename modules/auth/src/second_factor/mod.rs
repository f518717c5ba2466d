//! Second factor: codes of an authenticator app (RFC 6238) and recovery codes.
//!
//! It belongs to an account of a customer or a staff member. The secret is encrypted in the database. Every code works
//! once: the period of the last accepted code is stored, and a used recovery code is deleted.

pub mod store;

use std::fmt::Display;

use agio_core::{Error, Platform, Result, Timestamp, Tx};
use totp_rs::{Builder, Secret, Totp};
use uuid::Uuid;

use crate::secrets::digest;

const RECOVERY_CODES: usize = 10;

/// 120 bits, so that an unsalted digest is enough.
const RECOVERY_BYTES: usize = 15;

/// As RFC 4226 recommends.
const SECRET_BYTES: usize = 20;

/// Periods of 30 seconds a code may be early or late.
const SKEW: u16 = 1;

/// Secret for an authenticator app.
#[derive(Clone, Debug)]
pub struct TotpSecret {
    /// In base32, for manual entry.
    pub secret: String,
    /// As an `otpauth` URL, for a QR code.
    pub url: String,
}

/// Kind of an accepted code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AcceptedCode {
    Totp,
    /// It cannot be used again.
    RecoveryCode,
}

/// Starts the setup, which [`confirm`] completes. Starting again creates another secret.
///
/// # Errors
/// 409 `totp_is_on`.
pub async fn begin(tx: &mut Tx, platform: &Platform, account: Uuid, issuer: &str, label: &str) -> Result<TotpSecret> {
    let mut secret = [0; SECRET_BYTES];
    platform.random.fill(&mut secret);
    let sealed = platform.vault.seal(&purpose(account), &secret);
    if !store::put(tx, account, &sealed).await? {
        return Err(Error::conflict("totp_is_on"));
    }
    // A colon separates the two names in the URL.
    let plain = |name: &str| name.replace(':', " ");
    let app =
        builder(&secret).with_issuer(Some(plain(issuer))).with_account_name(plain(label)).build().map_err(Error::internal)?;
    Ok(TotpSecret { secret: Secret::from(secret.to_vec()).to_base32(), url: app.to_url().map_err(Error::internal)? })
}

/// Enables the second factor with its first code and returns the recovery codes.
///
/// # Errors
/// 409 `totp_not_begun`; 422 `otp_invalid` at `code`.
pub async fn confirm(tx: &mut Tx, platform: &Platform, account: Uuid, code: &str, now: Timestamp) -> Result<Vec<String>> {
    let stored = store::get(tx, account).await?.filter(|stored| stored.confirmed_at.is_none());
    let stored = stored.ok_or_else(|| Error::conflict("totp_not_begun"))?;
    let step = stored_totp(platform, account, &stored.sealed)?.check(code, seconds(now)).ok_or_else(invalid_code)?;
    store::confirm(tx, account, period(step)?, now).await?;
    renew_recovery_codes(tx, platform, account).await
}

/// The second factor of an account, as its owner sees it.
#[derive(Clone, Copy, Debug)]
pub struct SecondFactorStatus {
    pub enabled: bool,
    /// Number of unused recovery codes.
    pub recovery_codes: i64,
}

pub async fn status(tx: &mut Tx, account: Uuid) -> Result<SecondFactorStatus> {
    Ok(SecondFactorStatus { enabled: is_on(tx, account).await?, recovery_codes: store::recovery_codes(tx, account).await? })
}

pub async fn is_on(tx: &mut Tx, account: Uuid) -> Result<bool> {
    Ok(store::get(tx, account).await?.is_some_and(|stored| stored.confirmed_at.is_some()))
}

/// Accepts a code of the app or a recovery code, each once.
///
/// # Errors
/// 422 `otp_invalid` at `code`: wrong, used before, or there is no second factor.
pub async fn verify_code(tx: &mut Tx, platform: &Platform, account: Uuid, code: &str, now: Timestamp) -> Result<AcceptedCode> {
    let code: String = code.chars().filter(|c| !c.is_whitespace() && *c != '-').take(64).collect();
    let stored = store::get(tx, account).await?.filter(|stored| stored.confirmed_at.is_some()).ok_or_else(invalid_code)?;
    if code.len() == 6 && code.bytes().all(|byte| byte.is_ascii_digit()) {
        let step = stored_totp(platform, account, &stored.sealed)?.check(&code, seconds(now)).ok_or_else(invalid_code)?;
        return if store::advance(tx, account, period(step)?).await? { Ok(AcceptedCode::Totp) } else { Err(invalid_code()) };
    }
    let is_right = store::use_recovery_code(tx, account, &digest(&code.to_ascii_uppercase())).await?;
    if is_right { Ok(AcceptedCode::RecoveryCode) } else { Err(invalid_code()) }
}

/// Replaces the recovery codes.
pub async fn renew_recovery_codes(tx: &mut Tx, platform: &Platform, account: Uuid) -> Result<Vec<String>> {
    store::delete_recovery_codes(tx, account).await?;
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

pub async fn remove(tx: &mut Tx, account: Uuid) -> Result<()> {
    store::delete_recovery_codes(tx, account).await?;
    store::delete(tx, account).await
}

/// Removes one that was set up at this time or later.
pub async fn remove_confirmed_since(tx: &mut Tx, account: Uuid, since: Timestamp) -> Result<()> {
    if store::is_confirmed_since(tx, account, since).await? { remove(tx, account).await } else { Ok(()) }
}

fn builder(secret: &[u8]) -> Builder {
    Builder::new().with_secret(secret.to_vec()).with_skew(SKEW)
}

fn stored_totp(platform: &Platform, account: Uuid, sealed: &str) -> Result<Totp> {
    let secret = platform.vault.open(&purpose(account), sealed)?;
    builder(&secret).with_account_name("account").build().map_err(Error::internal)
}

/// Encryption context: moved to another account, the secret cannot be decrypted.
pub(crate) fn purpose(account: impl Display) -> String {
    format!("second factor {account}")
}

fn seconds(now: Timestamp) -> u64 {
    u64::try_from(now.as_seconds()).unwrap_or(0)
}

fn period(step: u64) -> Result<i64> {
    i64::try_from(step).map_err(Error::internal)
}

/// The error of a request without a code that needs one.
pub fn missing_code() -> Error {
    Error::unprocessable("validation_failed").at("code", "otp_required")
}

pub fn invalid_code() -> Error {
    Error::unprocessable("otp_invalid").at("code", "otp_invalid")
}

fn in_groups(code: &str) -> String {
    code.as_bytes().chunks(4).map(|group| String::from_utf8_lossy(group)).collect::<Vec<_>>().join("-")
}
