//! Bitcoin and its relatives: base58check by version bytes, segwit by human-readable part. Neo, Ontology and Tezos have no coins of that
//! kind, but addresses.

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

/// What most coins have: base58check only.
const BASE58: Coin =
    Coin { versions: &[], testnet_versions: &[], shared_versions: &[], segwit: None, testnet_segwit: &[], unsupported: &[] };

pub(crate) const QTUM: Coin = Coin {
    versions: &[&[0x3a]],
    testnet_versions: &[&[0x78], &[0x6e]],
    shared_versions: &[(&[0x32], RequisiteKind::Ltc)],
    segwit: Some("qc"),
    testnet_segwit: &["tq", "qcrt"],
    ..BASE58
};

pub(crate) const VERGE: Coin = Coin {
    versions: &[&[0x21]],
    testnet_versions: &[&[0x73], &[0xc6]],
    shared_versions: &[(&[0x1e], RequisiteKind::Doge)],
    ..BASE58
};

/// Its nodes take no new payments to script hashes.
pub(crate) const BITCOIN_SV: Coin =
    Coin { testnet_versions: &[&[0x6f], &[0xc4]], shared_versions: &[(&[0x00], RequisiteKind::Btc)], ..BASE58 };

pub(crate) const KOMODO: Coin = Coin { versions: &[&[0x55]], shared_versions: &[(&[0x3c], RequisiteKind::Rvn)], ..BASE58 };

pub(crate) const BITCOIN_GOLD: Coin = Coin {
    versions: &[&[0x26]],
    testnet_versions: &[&[0x6f], &[0xc4]],
    shared_versions: &[(&[0x17], RequisiteKind::Ont)],
    segwit: Some("btg"),
    testnet_segwit: &["tbtg"],
    ..BASE58
};

pub(crate) const RAVENCOIN: Coin = Coin {
    versions: &[&[0x7a]],
    testnet_versions: &[&[0x6f], &[0xc4]],
    shared_versions: &[(&[0x3c], RequisiteKind::Kmd)],
    ..BASE58
};

pub(crate) const DIGIBYTE: Coin = Coin {
    versions: &[&[0x3f]],
    testnet_versions: &[&[0x7e], &[0x8c]],
    shared_versions: &[(&[0x1e], RequisiteKind::Doge), (&[0x05], RequisiteKind::Btc)],
    segwit: Some("dgb"),
    testnet_segwit: &["dgbt", "dgbrt"],
    ..BASE58
};

/// Accounts `tz1…` to `tz4…`, by the kind of key. Contracts (`KT1…`) are refused: a plain transfer to one can fail or be kept by its code. The
/// test networks have the same addresses.
pub(crate) const TEZOS: Coin =
    Coin { versions: &[&[0x06, 0xa1, 0x9f], &[0x06, 0xa1, 0xa1], &[0x06, 0xa1, 0xa4], &[0x06, 0xa1, 0xa6]], ..BASE58 };

/// Neo N3. The older network, whose addresses begin with `A` (0x17), is switched off.
pub(crate) const NEO: Coin = Coin { versions: &[&[0x35]], ..BASE58 };

pub(crate) const ONTOLOGY: Coin = Coin { versions: &[&[0x17]], ..BASE58 };

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
