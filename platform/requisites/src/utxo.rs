//! Bitcoin and its relatives: base58check by version bytes, segwit by human-readable part.

use crate::{
    base58,
    kind::RequisiteKind,
    segwit,
    validation::{CheckResult, RequisiteRefusal, RequisiteWarning, ValidRequisite},
};

/// Length of a public key or script hash, in bytes.
const HASH_LENGTH: usize = 20;

/// Address forms of one coin.
pub(crate) struct Coin {
    /// Version bytes of addresses money may be sent to.
    versions: &'static [&'static [u8]],
    /// Versions of this coin's test networks.
    testnet_versions: &'static [&'static [u8]],
    /// Versions shared with another coin: accepted, with a warning that names it.
    shared_versions: &'static [(&'static [u8], RequisiteKind)],
    /// Human-readable part of segwit addresses.
    segwit: Option<&'static str>,
    /// Human-readable parts of segwit addresses on the test networks.
    testnet_segwit: &'static [&'static str],
    /// Beginnings of address forms that exist but are not paid to.
    unsupported: &'static [&'static str],
}

pub(crate) const BITCOIN: Coin = Coin {
    versions: &[&[0x00], &[0x05]],
    testnet_versions: &[&[0x6f], &[0xc4]],
    shared_versions: &[],
    segwit: Some("bc"),
    testnet_segwit: &["tb", "bcrt"],
    unsupported: &[],
};

pub(crate) const LITECOIN: Coin = Coin {
    versions: &[&[0x30], &[0x32]],
    testnet_versions: &[&[0x6f], &[0xc4]],
    shared_versions: &[(&[0x05], RequisiteKind::Btc)],
    segwit: Some("ltc"),
    testnet_segwit: &["tltc", "rltc"],
    unsupported: &["ltcmweb1"],
};

pub(crate) const DOGECOIN: Coin = Coin {
    versions: &[&[0x1e], &[0x16]],
    testnet_versions: &[&[0x71], &[0xc4]],
    shared_versions: &[],
    segwit: None,
    testnet_segwit: &[],
    unsupported: &[],
};

pub(crate) const DASH: Coin = Coin {
    versions: &[&[0x4c], &[0x10]],
    testnet_versions: &[&[0x8c], &[0x13]],
    shared_versions: &[],
    segwit: None,
    testnet_segwit: &[],
    unsupported: &[],
};

/// Only transparent addresses: `t1…` and `t3…`.
pub(crate) const ZCASH: Coin = Coin {
    versions: &[&[0x1c, 0xb8], &[0x1c, 0xbd]],
    testnet_versions: &[&[0x1d, 0x25], &[0x1c, 0xba]],
    shared_versions: &[],
    segwit: None,
    testnet_segwit: &[],
    unsupported: &["u1", "zs1", "zc", "tex1"],
};

impl Coin {
    /// Checks an address of this coin. Base58 keeps its case, segwit is stored in lower case.
    pub(crate) fn check(&self, value: &str) -> CheckResult {
        let lower = value.to_ascii_lowercase();
        if self.unsupported.iter().any(|beginning| lower.starts_with(beginning)) {
            return Err(RequisiteRefusal::new("unsupported_version"));
        }
        let part = lower.rsplit_once('1').map_or("", |(part, _)| part);
        if self.testnet_segwit.contains(&part) {
            return Err(RequisiteRefusal::new("testnet"));
        }
        match self.segwit {
            Some(own) if part == own => segwit::check(value),
            _ => self.check_base58(value),
        }
    }

    fn check_base58(&self, value: &str) -> CheckResult {
        let bytes = base58::decode_check(value)?;
        let is_any = |versions: &[&[u8]]| versions.iter().any(|version| has_version(&bytes, version));
        if is_any(self.versions) {
            return ValidRequisite::plain(value);
        }
        if let Some((_, other)) = self.shared_versions.iter().find(|(version, _)| has_version(&bytes, version)) {
            return ValidRequisite::warned(value, RequisiteWarning::also_valid_on(*other));
        }
        Err(RequisiteRefusal::new(if is_any(self.testnet_versions) { "testnet" } else { "unsupported_version" }))
    }
}

fn has_version(bytes: &[u8], version: &[u8]) -> bool {
    bytes.len() == version.len() + HASH_LENGTH && bytes.starts_with(version)
}
