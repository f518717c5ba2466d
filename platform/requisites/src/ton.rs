//! TON addresses: the user-friendly form of TEP-2 and the raw `workchain:hash` form.

use crc::{CRC_16_XMODEM, Crc};

use crate::{
    payees,
    validation::{CheckResult, RequisiteRefusal, ValidRequisite},
};

const CRC: Crc<u16> = Crc::<u16>::new(&CRC_16_XMODEM);

/// Characters of the user-friendly form: 36 bytes in base64.
const LENGTH: usize = 48;
const TESTNET_FLAG: u8 = 0x80;
const BOUNCEABLE: u8 = 0x11;
const NON_BOUNCEABLE: u8 = 0x51;
const WORKCHAIN: u8 = 0;
const MASTERCHAIN: u8 = 0xff;

/// Checks an address. The normal form is base64url with the flags as given, or the raw form in lower case, which has no checksum.
pub(crate) fn check(value: &str) -> CheckResult {
    if value.contains(':') {
        return check_raw(value);
    }
    if value.len() != LENGTH {
        return Err(RequisiteRefusal::new("bad_length"));
    }
    let bytes = decode(value)?;
    let (body, stated) = bytes.split_at(34);
    if CRC.checksum(body).to_be_bytes() != stated {
        return Err(RequisiteRefusal::new("bad_checksum"));
    }
    match (body[0], body[1]) {
        (tag, _) if is_testnet(tag) => Err(RequisiteRefusal::new("testnet")),
        (BOUNCEABLE | NON_BOUNCEABLE, WORKCHAIN | MASTERCHAIN) => {
            refuse_payee(&body[2..])?;
            ValidRequisite::plain(value.replace('+', "-").replace('/', "_"))
        }
        _ => Err(RequisiteRefusal::new("unsupported_version")),
    }
}

fn is_testnet(tag: u8) -> bool {
    matches!(tag ^ TESTNET_FLAG, BOUNCEABLE | NON_BOUNCEABLE)
}

fn check_raw(value: &str) -> CheckResult {
    let (workchain, hash) = value.split_once(':').ok_or(RequisiteRefusal::new("bad_characters"))?;
    if !matches!(workchain, "0" | "-1") {
        return Err(RequisiteRefusal::new("unsupported_version"));
    }
    if hash.len() != 64 {
        return Err(RequisiteRefusal::new("bad_length"));
    }
    let bytes: Option<Vec<u8>> = hash.as_bytes().chunks(2).map(hex_byte).collect();
    refuse_payee(&bytes.ok_or(RequisiteRefusal::new("bad_characters"))?)?;
    ValidRequisite::unchecked(value.to_ascii_lowercase())
}

fn hex_byte(pair: &[u8]) -> Option<u8> {
    pair.iter().try_fold(0, |byte, &digit| Some(byte << 4 | u8::try_from(char::from(digit).to_digit(16)?).ok()?))
}

/// The same contract can be written in many forms, so its hash is compared and not its text.
fn refuse_payee(hash: &[u8]) -> Result<(), RequisiteRefusal> {
    if hash.iter().all(|&byte| byte == 0) {
        return Err(RequisiteRefusal::new("forbidden_payee"));
    }
    let is_contract = payees::TON.iter().filter_map(|contract| decode(contract).ok()).any(|bytes| bytes[2..34] == *hash);
    if is_contract { Err(RequisiteRefusal::new("contract_address")) } else { Ok(()) }
}

/// Decodes base64 in either alphabet. `value` has a length divisible by four, so there is no padding.
pub(crate) fn decode(value: &str) -> Result<Vec<u8>, RequisiteRefusal> {
    let sextets: Option<Vec<u32>> = value.bytes().map(sextet).collect();
    let sextets = sextets.ok_or(RequisiteRefusal::new("bad_characters"))?;
    let triple = |four: &[u32]| {
        let [_, bytes @ ..] = four.iter().fold(0, |bits, sextet| bits << 6 | sextet).to_be_bytes();
        bytes
    };
    Ok(sextets.chunks(4).flat_map(triple).collect())
}

fn sextet(byte: u8) -> Option<u32> {
    let value = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    };
    Some(value.into())
}
