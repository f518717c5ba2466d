//! Keys: the account that sends payouts, and the addresses of an extended public key.

use bip32::{ChildNumber, XPrv, XPub};
use bip0039::{English, Mnemonic};
use k256::ecdsa::{SigningKey, VerifyingKey};

use crate::values::{EvmAddress, bytes, keccak};

/// The coin type of Ethereum in derivation paths (SLIP-44). Wallets use it for the networks like it as well.
pub const ETHEREUM: u32 = 60;

/// Depth of an account's key (`m/44'/60'/0'`) and of its external chain (`m/44'/60'/0'/0`).
const ACCOUNT_DEPTH: u8 = 3;
const CHAIN_DEPTH: u8 = 4;

/// The signing key in a recovery phrase or a private key (`0x` and 64 digits). Of a phrase it is the first account of the
/// coin, as wallets derive it: `m/44'/coin'/0'/0/0`.
pub fn signing_key(secret: &str, coin: u32) -> Option<SigningKey> {
    let secret = secret.trim();
    if !secret.contains(' ') {
        let prefixed = if secret.starts_with("0x") { secret.to_owned() } else { format!("0x{secret}") };
        return SigningKey::from_slice(&bytes(&prefixed)?).ok();
    }
    let phrase = secret.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
    let seed = Mnemonic::<English>::from_phrase(phrase).ok()?.to_seed("");
    let derive = |key: XPrv, (number, is_hardened)| key.derive_child(ChildNumber::new(number, is_hardened)?);
    let path = [(44, true), (coin, true), (0, true), (0, false), (0, false)];
    path.into_iter().try_fold(XPrv::new(seed).ok()?, derive).ok().map(|key| key.private_key().clone())
}

/// The address of a public key.
pub fn address_of(key: &VerifyingKey) -> EvmAddress {
    let point = key.to_encoded_point(false);
    let digest = keccak(&point.as_bytes()[1..]);
    let mut address = [0; 20];
    address.copy_from_slice(&digest[12..]);
    EvmAddress(address)
}

/// The external chain of an extended public key: of an account, or already of the chain.
pub struct DepositChain(XPub);

impl DepositChain {
    pub fn parse(text: &str) -> Option<Self> {
        // The library also reads private keys, which have no place in this setting.
        let key: XPub = Some(text.trim()).filter(|text| text.starts_with("xpub"))?.parse().ok()?;
        match key.attrs().depth {
            ACCOUNT_DEPTH => key.derive_child(ChildNumber(0)).ok().map(Self),
            CHAIN_DEPTH => Some(Self(key)),
            _ => None,
        }
    }

    /// The address with a number.
    pub fn address(&self, index: u32) -> Option<EvmAddress> {
        let child = ChildNumber::new(index, false).ok()?;
        self.0.derive_child(child).ok().map(|key| address_of(key.public_key()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The phrase and the accounts that Hardhat and other development nodes publish.
    const PHRASE: &str = "test test test test test test test test test test test junk";
    const ACCOUNTS: [&str; 4] = [
        "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
        "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
        "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
        "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
    ];
    const FIRST_KEY: &str = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";

    /// Its keys as another library (ethers) derives them: `m/44'/60'/0'` and `m/44'/60'/0'/0`.
    const ACCOUNT_KEYS: [&str; 2] = [
        "xpub6Ce9NcJvTk36xtLSrJLZqE7wtgA5deCeYs7rSQtreh4cj6ByPtrg9sD7V2FNFLPnf8heNP3FGkeV9qwfzvZNSd54JoNXVsXFYSYwHsnJxqP",
        "xpub6DyUKdwoLWmUJ4Tn9Bbsdtx7B5Ws18mEN19e5HT52ikE53FiUheSQXrZUNPovqfyKmw4579A1Mm3GXXKM39N64uooBfJ4tNAzFsEbodRTx4",
    ];
    /// Keys of other depths, and a private one: `m`, `m/44'`, `m/44'/60'/0'/0/0`, `m/44'/60'/0'`.
    const OTHER_KEYS: [&str; 4] = [
        "xpub661MyMwAqRbcGCHqYL6cunEAC4sjobr4oEsADYNVSpvM1oCFfV98EVtMuHVmKomD5EWqhYwUPCkQdrti7hUGbmxaoTGLSkzhtBmR5tk9Jtu",
        "xpub684A9eLXsd3iyo21BdpHcG7Auc1eFYh19aZDa98zXH7JbmetZDxgCgn3BXAMnjCRkC73VwEBnmkzqzUBKt4AC1HFB4vq4DZC8H5gnJmRzas",
        "xpub6GJwaADoeFMvX8WJvWaNc9SGyGk5WNu1ot6qKxQxEuBpFy2LoHbetz41PgEcEg4n2bk3hWoHYJ69EqkjpoSv9KrinCnZV6y4Xo6VJZ6KHWT",
        "xprv9yeny6n2dNUokQFykGoZU6BDLeKbEBUoBeCFe2VF6MXdrHrprMYRc4tddncDRxrJCy7GtPDk68zRcgWtGFveqdCV5NyhZwVgMoZVbTm78vx",
    ];

    #[test]
    fn the_phrase_and_its_private_key_are_the_same_account() {
        for secret in [PHRASE, &PHRASE.to_uppercase(), &format!("  {} ", PHRASE.replace(' ', "  ")), FIRST_KEY, &FIRST_KEY[2..]] {
            assert_eq!(address_of(signing_key(secret, ETHEREUM).unwrap().verifying_key()).to_string(), ACCOUNTS[0]);
        }
        for secret in ["", "0x", "0x00", &format!("0x{}", "0".repeat(64)), &PHRASE[5..], &PHRASE.replace("junk", "test"), "ключ"]
        {
            assert!(signing_key(secret, ETHEREUM).is_none(), "{secret}");
        }
    }

    #[test]
    fn an_extended_public_key_has_the_addresses_of_the_phrase() {
        for key in ACCOUNT_KEYS {
            let chain = DepositChain::parse(key).unwrap();
            for (index, account) in (0..).zip(ACCOUNTS) {
                assert_eq!(chain.address(index).unwrap().to_string(), account);
            }
            assert_eq!(chain.address(1 << 31), None);
        }
        for text in OTHER_KEYS.into_iter().chain([PHRASE, ""]) {
            assert!(DepositChain::parse(text).is_none(), "{text}");
        }
    }

    #[test]
    fn keys_derive_as_in_bip_32() {
        // Test vector 2 of BIP-32: the chain m and its child m/0.
        let parent: XPub =
            "xpub661MyMwAqRbcFW31YEwpkMuc5THy2PSt5bDMsktWQcFF8syAmRUapSCGu8ED9W6oDMSgv6Zz8idoc4a6mr8BDzTJY47LJhkJ8UB7WEGuduB"
                .parse()
                .unwrap();
        let child: XPub =
            "xpub69H7F5d8KSRgmmdJg2KhpAK8SR3DjMwAdkxj3ZuxV27CprR9LgpeyGmXUbC6wb7ERfvrnKZjXoUmmDznezpbZb7ap6r1D3tgFxHmwMkQTPH"
                .parse()
                .unwrap();
        assert_eq!(parent.derive_child(ChildNumber(0)).unwrap(), child);
    }
}
