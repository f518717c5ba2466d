//! Transactions of type 2 (EIP-1559): encoding and signing.

use k256::ecdsa::SigningKey;

use crate::values::{EvmAddress, hex, keccak};

/// The type byte of EIP-1559.
const TYPE: u8 = 2;

/// A transaction to sign. Amounts are in the smallest units of the native coin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeeMarketTransaction {
    pub chain_id: u64,
    pub nonce: u64,
    pub tip: u128,
    pub max_fee_per_gas: u128,
    pub gas: u64,
    pub to: EvmAddress,
    pub value: u128,
    pub data: Vec<u8>,
}

/// A signed transaction as the node takes it, with its hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedTransaction {
    pub raw: String,
    pub hash: String,
}

impl FeeMarketTransaction {
    /// Signs it. The same transaction always gets the same signature (RFC 6979).
    pub fn sign(&self, key: &SigningKey) -> Option<SignedTransaction> {
        let mut fields = vec![
            integer(self.chain_id.into()),
            integer(self.nonce.into()),
            integer(self.tip),
            integer(self.max_fee_per_gas),
            integer(self.gas.into()),
            string(&self.to.0),
            integer(self.value),
            string(&self.data),
            list(&[]),
        ];
        let (signature, parity) = key.sign_prehash_recoverable(&keccak(&typed(&fields))).ok()?;
        fields.push(integer(parity.is_y_odd().into()));
        fields.extend([scalar(&signature.r().to_bytes()), scalar(&signature.s().to_bytes())]);
        let raw = typed(&fields);
        Some(SignedTransaction { hash: hex(&keccak(&raw)), raw: hex(&raw) })
    }
}

fn typed(fields: &[Vec<u8>]) -> Vec<u8> {
    [vec![TYPE], list(fields)].concat()
}

/// RLP of a string of bytes.
fn string(bytes: &[u8]) -> Vec<u8> {
    match bytes {
        [byte] if *byte < 0x80 => vec![*byte],
        _ => [head(0x80, bytes.len()), bytes.to_vec()].concat(),
    }
}

/// RLP of a list of encoded items.
fn list(items: &[Vec<u8>]) -> Vec<u8> {
    let content = items.concat();
    [head(0xc0, content.len()), content].concat()
}

fn head(base: u8, len: usize) -> Vec<u8> {
    match u8::try_from(len) {
        Ok(short) if short < 56 => vec![base + short],
        _ => {
            let len = trimmed(&len.to_be_bytes()).to_vec();
            [vec![base + 55 + u8::try_from(len.len()).unwrap_or(8)], len].concat()
        }
    }
}

fn integer(value: u128) -> Vec<u8> {
    scalar(&value.to_be_bytes())
}

/// RLP of a big-endian number, which has no leading zeros.
fn scalar(bytes: &[u8]) -> Vec<u8> {
    string(trimmed(bytes))
}

fn trimmed(bytes: &[u8]) -> &[u8] {
    let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
    &bytes[zeros..]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::{ETHEREUM, signing_key};
    use crate::values::bytes;

    /// The first account of the development nodes' published phrase.
    const KEY: &str = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";

    fn sign(transaction: &FeeMarketTransaction) -> SignedTransaction {
        transaction.sign(&signing_key(KEY, ETHEREUM).unwrap()).unwrap()
    }

    #[test]
    fn transactions_are_signed_as_by_ethers() {
        let plain = FeeMarketTransaction {
            chain_id: 1,
            nonce: 0,
            tip: 0,
            max_fee_per_gas: 7,
            gas: 21_000,
            to: EvmAddress::parse("0x70997970C51812dc3A010C7d01b50e0d17dc79C8").unwrap(),
            value: 0,
            data: Vec::new(),
        };
        let token = FeeMarketTransaction {
            chain_id: 137,
            nonce: 127,
            tip: 1_500_000_000,
            max_fee_per_gas: 40_000_000_000,
            gas: 78_000,
            to: EvmAddress::parse("0xdAC17F958D2ee523a2206206994597C13D831ec7").unwrap(),
            value: 0,
            data: bytes(&format!("0xa9059cbb{:0>64}{:064x}", "70997970c51812dc3a010c7d01b50e0d17dc79c8", 123_456_789)).unwrap(),
        };
        let other = EvmAddress::parse("0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC").unwrap();
        let large = FeeMarketTransaction {
            chain_id: 42_161,
            nonce: 128,
            tip: 1,
            max_fee_per_gas: 255,
            gas: 300_000,
            to: other,
            value: 1_234_567_890_123_456_789_012,
            data: vec![0],
        };
        let long = FeeMarketTransaction {
            chain_id: 56,
            nonce: 256,
            max_fee_per_gas: 256,
            value: u128::MAX,
            data: vec![0xab; 300],
            ..large.clone()
        };
        for (transaction, raw, hash) in [
            (
                plain,
                "0x02f862018080078252089470997970c51812dc3a010c7d01b50e0d17dc79c88080c080a098f49b0c1e86320f162311090c62bee8561b2e1c2362559f1f5c8889f93c9605a0178e070c5c34b45ea341284d1cd7d15f4c6c6e7791b4ec7625ca3fdd06bfb7d6",
                "0x8ea687acff01b5761793d1dd065b84781cbabb24a27eadab748e10ec0b988ba0",
            ),
            (
                token,
                "0x02f8b281897f8459682f008509502f9000830130b094dac17f958d2ee523a2206206994597c13d831ec780b844a9059cbb00000000000000000000000070997970c51812dc3a010c7d01b50e0d17dc79c800000000000000000000000000000000000000000000000000000000075bcd15c001a0d138b11e6ba54141dc5c5f2b65563053e51919b0aafc08af785a47f968d2f282a01326df5b3c240a69437817247507613a6153e4ed9d5e36c11c6a2a842f247e5c",
                "0x33afb8067b8b41f7888e378d31850d705d0806c842ffedeaefebfd688b60ddbd",
            ),
            (
                large,
                "0x02f87082a4b181800181ff830493e0943c44cdddb6a900fa2b585dd299e03d12fa4293bc8942ed123b0bd8203a1400c001a0ad0cf016b10d64a5c84363637c130d3302c8c665081c4a961afe947c741359fda04bcab28e534c871c92b0b149e4ce30b12fa84c7b8f524ce127c11eeebb760bd4",
                "0x099434175ba07f88ad6a880ae6b2eaed384587c44c9c5902fa5d1dce0e9554b5",
            ),
        ] {
            assert_eq!(sign(&transaction), SignedTransaction { raw: raw.to_owned(), hash: hash.to_owned() });
        }
        assert_eq!(sign(&long).hash, "0xcf9aaa57f9823515155cb538e3ca462af2815b4217ee125b79f3aac5f4d5b1de");
    }
}
