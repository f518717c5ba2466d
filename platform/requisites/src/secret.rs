//! Detects private keys and recovery phrases. They are rejected before anything else, so that they are never stored or shown.

use crate::{base58, input, kind::RequisiteKind, stellar, validation::RequisiteRefusal};

/// First bytes of private keys in wallet import format: Bitcoin (and many others), Litecoin, Dogecoin, Dash, Komodo.
const WALLET_IMPORT_VERSIONS: [u8; 5] = [0x80, 0xb0, 0x9e, 0xcc, 0xbc];

/// First byte of an XRP Ledger family seed, `s…`.
const XRP_SEED_VERSION: u8 = 0x21;

/// Rejects a private key or a recovery phrase. Names and free texts are not checked: a dozen short words are ordinary there.
pub(crate) fn refuse_secrets(kind: RequisiteKind, input: &str) -> Result<(), RequisiteRefusal> {
    if input.len() > input::LONGEST_INPUT || matches!(kind, RequisiteKind::Holder | RequisiteKind::Text) {
        return Ok(());
    }
    let compact: String = input.chars().filter(|c| !c.is_whitespace()).collect();
    let is_secret = is_recovery_phrase(input)
        || is_wallet_import_key(&compact)
        || is_xrp_seed(&compact)
        || is_solana_keypair(&compact)
        || stellar::is_secret_seed(&compact);
    if is_secret { Err(RequisiteRefusal::new("secret_key")) } else { Ok(()) }
}

/// BIP-39 phrases have 12 to 24 words, Monero's 25; all are short lower-case Latin words.
fn is_recovery_phrase(input: &str) -> bool {
    let words: Vec<&str> = input.split_whitespace().collect();
    let is_seed_word = |word: &&str| (3..=12).contains(&word.len()) && word.bytes().all(|b| b.is_ascii_lowercase());
    matches!(words.len(), 12 | 15 | 18 | 21 | 24 | 25) && words.iter().all(is_seed_word)
}

fn is_wallet_import_key(compact: &str) -> bool {
    matches!(compact.len(), 51 | 52)
        && base58::decode_check(compact)
            .is_ok_and(|bytes| matches!(bytes.len(), 33 | 34) && WALLET_IMPORT_VERSIONS.contains(&bytes[0]))
}

fn is_xrp_seed(compact: &str) -> bool {
    compact.starts_with('s')
        && base58::decode_check_xrp(compact).is_ok_and(|bytes| bytes.len() == 17 && bytes[0] == XRP_SEED_VERSION)
}

/// A Solana key file's 64 bytes in base58: the private key followed by the public one.
fn is_solana_keypair(compact: &str) -> bool {
    matches!(compact.len(), 86..=88) && base58::decode(compact).is_ok_and(|bytes| bytes.len() == 64)
}
