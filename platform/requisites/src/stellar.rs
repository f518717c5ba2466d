//! Stellar: strkey accounts (SEP-23).

use crc::{CRC_16_XMODEM, Crc};

use crate::{
    base32, payees,
    validation::{CheckResult, RequisiteRefusal, ValidRequisite},
};

const CRC: Crc<u16> = Crc::<u16>::new(&CRC_16_XMODEM);

const ACCOUNT: u8 = 6 << 3;
const SECRET_SEED: u8 = 18 << 3;
const CONTRACT: u8 = 2 << 3;

/// Characters of a strkey over 32 bytes: 35 bytes in base32 without padding. A muxed account has 69.
const LENGTH: usize = 56;
const MUXED_LENGTH: usize = 69;

/// Checks a `G…` account. Muxed `M…` accounts are refused: few wallets send to them, so the memo is asked for separately.
pub(crate) fn check(value: &str) -> CheckResult {
    if value.len() == MUXED_LENGTH && value.starts_with('M') {
        return Err(RequisiteRefusal::new("unsupported_version"));
    }
    match version_of(value)? {
        ACCOUNT => {
            payees::refuse(payees::XLM, value)?;
            ValidRequisite::plain(value)
        }
        CONTRACT => Err(RequisiteRefusal::new("contract_address")),
        SECRET_SEED => Err(RequisiteRefusal::new("secret_key")),
        _ => Err(RequisiteRefusal::new("unsupported_version")),
    }
}

/// Whether the text is a secret seed `S…`.
pub(crate) fn is_secret_seed(value: &str) -> bool {
    version_of(value).is_ok_and(|version| version == SECRET_SEED)
}

/// Version byte of a strkey whose checksum is right.
fn version_of(value: &str) -> Result<u8, RequisiteRefusal> {
    if value.len() != LENGTH {
        return Err(RequisiteRefusal::new("bad_length"));
    }
    let bytes = base32::decode(value)?;
    let (body, stated) = bytes.split_at(33);
    if CRC.checksum(body).to_le_bytes() != stated {
        return Err(RequisiteRefusal::new("bad_checksum"));
    }
    Ok(body[0])
}
