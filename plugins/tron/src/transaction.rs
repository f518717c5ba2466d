//! Transactions, in the encoding of protocol buffers: built from the fields and signed here, so that a node cannot put
//! anything else under the signature. Source: `core/Tron.proto` of java-tron.

use agio_plugin_evm::values::EvmAddress;
use k256::ecdsa::SigningKey;
use sha2::{Digest as _, Sha256};

use crate::address::prefixed;
use crate::node::digits;

/// What a transaction does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contract {
    /// Sends TRX. The amount is in sun.
    Transfer { to: EvmAddress, amount: u64 },
    /// Calls a contract.
    Trigger { contract: EvmAddress, data: Vec<u8> },
}

/// A transaction to sign. Times are in milliseconds since 1970-01-01 UTC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TronTransaction {
    /// Number and hash of a block that precedes it: on any other chain it is invalid.
    pub reference: (u64, [u8; 32]),
    /// No block after the first one of this time can contain it.
    pub expiration: u64,
    pub timestamp: u64,
    pub owner: EvmAddress,
    pub contract: Contract,
    /// The most that its energy may cost, in sun. TRX needs none.
    pub fee_limit: u64,
}

/// A signed transaction as the node takes it, with its identifier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedTronTransaction {
    pub raw: String,
    pub id: String,
}

impl TronTransaction {
    /// Signs it. The same transaction always gets the same signature (RFC 6979).
    pub fn sign(&self, key: &SigningKey) -> Option<SignedTronTransaction> {
        let content = self.content();
        let digest: [u8; 32] = Sha256::digest(&content).into();
        let (signature, parity) = key.sign_prehash_recoverable(&digest).ok()?;
        let signature = [&signature.to_bytes()[..], &[parity.to_byte()]].concat();
        Some(SignedTronTransaction { raw: digits(&[bytes(1, &content), bytes(2, &signature)].concat()), id: digits(&digest) })
    }

    /// The signed part (`raw_data`).
    fn content(&self) -> Vec<u8> {
        let (kind, name, value) = match &self.contract {
            Contract::Transfer { to, amount } => {
                (1, "TransferContract", [bytes(1, &prefixed(self.owner)), bytes(2, &prefixed(*to)), number(3, *amount)])
            }
            Contract::Trigger { contract, data } => {
                (31, "TriggerSmartContract", [bytes(1, &prefixed(self.owner)), bytes(2, &prefixed(*contract)), bytes(4, data)])
            }
        };
        let any = [bytes(1, format!("type.googleapis.com/protocol.{name}").as_bytes()), bytes(2, &value.concat())].concat();
        let contract = [number(1, kind), bytes(2, &any)].concat();
        let (block, hash) = &self.reference;
        [
            bytes(1, &block.to_be_bytes()[6..]),
            bytes(4, &hash[8..16]),
            number(8, self.expiration),
            bytes(11, &contract),
            number(14, self.timestamp),
            number(18, self.fee_limit),
        ]
        .concat()
    }
}

fn bytes(field: u64, value: &[u8]) -> Vec<u8> {
    [varint(field << 3 | 2), varint(value.len() as u64), value.to_vec()].concat()
}

/// A field of a number. Zero is the default and is left out.
fn number(field: u64, value: u64) -> Vec<u8> {
    if value == 0 { Vec::new() } else { [varint(field << 3), varint(value)].concat() }
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    bytes.push(value.to_le_bytes()[0]);
    bytes
}

#[cfg(test)]
mod tests {
    use agio_plugin_evm::keys::{address_of, signing_key};
    use agio_plugin_evm::values;
    use k256::ecdsa::{RecoveryId, Signature, VerifyingKey};
    use proptest::prelude::*;

    use super::*;
    use crate::address::{decode, of_hex};

    /// The key of the test vectors of Trust Wallet Core.
    const KEY: &str = "2d8f68944bdbfbc0769542fba8fc2d2a3de67393334471624364c7006da2aa54";

    fn unhex(digits: &str) -> Vec<u8> {
        values::bytes(&format!("0x{digits}")).unwrap()
    }

    /// A transaction after a block whose hash has these eight bytes in the middle.
    fn transaction(contract: Contract, owner: &str, (block, hash): (u64, &str)) -> TronTransaction {
        let mut id = [0; 32];
        id[8..16].copy_from_slice(&unhex(hash));
        let owner = of_hex(owner).unwrap();
        TronTransaction { reference: (block, id), expiration: 0, timestamp: 0, owner, contract, fee_limit: 0 }
    }

    #[test]
    fn transactions_are_signed_as_by_trust_wallet_core() {
        let owner = "415cd0fb0ab3ce40f3051414c604b27756e69e43db";
        let recipient = decode("THTR75o8xXAgCTQqpiot2AFRAjvW1tSbVV").unwrap();
        // Its encoder of transfers keeps the prefix of the recipient in the word.
        let data = format!("a9059cbb{:0>64}{:064x}", "41dbd7c53729b3310e1843083000fa84abad996961", 1000);
        for (contract, raw, id, signature) in [
            (
                Contract::Transfer { to: recipient, amount: 2_000_000 },
                "0a027b3b2208b21ace8d6ac20e7e40d8abb9bae62c5a67080112630a2d747970652e676f6f676c65617069732e636f6d2f70726f746f636f6c2e5472616e73666572436f6e747261637412320a15415cd0fb0ab3ce40f3051414c604b27756e69e43db121541521ea197907927725ef36d70f25f850d1659c7c71880897a70d889a4a9e62c",
                "dc6f6d9325ee44ab3c00528472be16e1572ab076aa161ccd12515029869d0451",
                "ede769f6df28aefe6a846be169958c155e23e7e5c9621d2e8dce1719b4d952b63e8a8bf9f00e41204ac1bf69b1a663dacdf764367e48e4a5afcd6b055a747fb200",
            ),
            (
                Contract::Trigger { contract: recipient, data: unhex(&data) },
                "0a027b3b2208b21ace8d6ac20e7e40d8abb9bae62c5aae01081f12a9010a31747970652e676f6f676c65617069732e636f6d2f70726f746f636f6c2e54726967676572536d617274436f6e747261637412740a15415cd0fb0ab3ce40f3051414c604b27756e69e43db121541521ea197907927725ef36d70f25f850d1659c7c72244a9059cbb000000000000000000000041dbd7c53729b3310e1843083000fa84abad99696100000000000000000000000000000000000000000000000000000000000003e870d889a4a9e62c",
                "0d644290e3cf554f6219c7747f5287589b6e7e30e1b02793b48ba362da6a5058",
                "bec790877b3a008640781e3948b070740b1f6023c29ecb3f7b5835433c13fc5835e5cad3bd44360ff2ddad5ed7dc9d7dee6878f90e86a40355b7697f5954b88c01",
            ),
        ] {
            let transaction = TronTransaction {
                expiration: 1_539_331_479_000,
                timestamp: 1_539_295_479_000,
                ..transaction(contract, owner, (3_111_739, "b21ace8d6ac20e7e"))
            };
            assert_eq!(digits(&transaction.content()), raw);
            let signed = transaction.sign(&signing_key(KEY, 195).unwrap()).unwrap();
            assert_eq!(signed.id, id);
            let content = unhex(raw);
            assert_eq!(signed.raw, digits(&[bytes(1, &content), bytes(2, &unhex(signature))].concat()));
        }
    }

    #[test]
    fn a_transfer_with_a_fee_limit_is_the_one_on_the_network() {
        // A TRC-20 transfer in block 42510738 of the main network (0x288a972 is among the last blocks before it).
        let data = format!("a9059cbb{:0>64}{:064x}", "e46cf63b61bea8603421d5b23fba07805451c147", 5_000_000_000_000_000_000_u64);
        let contract = of_hex("4170082243784dcdf3042034e7b044d6d342a91360").unwrap();
        let transaction = TronTransaction {
            expiration: 1_702_139_469_000,
            timestamp: 1_702_139_409_876,
            fee_limit: 150_000_000,
            ..transaction(
                Contract::Trigger { contract, data: unhex(&data) },
                "414ff3a8df95dd76a23819562e6c185d94644a00cd",
                (0x0288_a972, "763a263a755e830b"),
            )
        };
        let content = transaction.content();
        assert_eq!(
            digits(&content),
            "0a02a9722208763a263a755e830b40c8b9acfbc4315aae01081f12a9010a31747970652e676f6f676c65617069732e636f6d2f70726f746f636f6c2e54726967676572536d617274436f6e747261637412740a15414ff3a8df95dd76a23819562e6c185d94644a00cd12154170082243784dcdf3042034e7b044d6d342a913602244a9059cbb000000000000000000000000e46cf63b61bea8603421d5b23fba07805451c1470000000000000000000000000000000000000000000000004563918244f4000070d4eba8fbc431900180a3c347"
        );
        let id: [u8; 32] = Sha256::digest(content).into();
        assert_eq!(digits(&id), "55b9efa905b65be1222b9bf5826aa68329ffec641e59fd9b3af79474334e2ced");
    }

    /// The fields of a message: number, and the value of a number or the bytes.
    fn fields(mut message: &[u8]) -> Option<Vec<(u64, u64, Vec<u8>)>> {
        let mut fields = Vec::new();
        while !message.is_empty() {
            let tag = read_varint(&mut message)?;
            let value = read_varint(&mut message)?;
            let content = if tag & 7 == 2 { message.split_off(..usize::try_from(value).ok()?)?.to_vec() } else { Vec::new() };
            fields.push((tag >> 3, value, content));
        }
        Some(fields)
    }

    fn read_varint(message: &mut &[u8]) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = *message.split_off_first()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    proptest! {
        #[test]
        fn what_is_signed_is_what_was_meant(
            block in 1_u64..1 << 40, hash: [u8; 32], expiration in 1_u64..1 << 50, timestamp in 1_u64..1 << 50,
            to: [u8; 20], amount in 1_u64..1 << 62, fee_limit in 1_u64..1 << 40,
        ) {
            let key = signing_key(KEY, 195).unwrap();
            let owner = address_of(key.verifying_key());
            let contract = Contract::Transfer { to: EvmAddress(to), amount };
            let transaction = TronTransaction { reference: (block, hash), expiration, timestamp, owner, contract, fee_limit };
            let signed = transaction.sign(&key).unwrap();
            let whole = fields(&unhex(&signed.raw)).unwrap();
            let [(1, _, content), (2, 65, signature)] = &whole[..] else { panic!("{whole:?}") };
            prop_assert_eq!(digits(&Sha256::digest(content)), signed.id);
            let recovered = VerifyingKey::recover_from_prehash(
                &Sha256::digest(content),
                &Signature::from_slice(&signature[..64]).unwrap(),
                RecoveryId::from_byte(signature[64]).unwrap(),
            );
            prop_assert_eq!(address_of(&recovered.unwrap()), owner);
            let raw = fields(content).unwrap();
            let numbers: Vec<_> = raw.iter().map(|(field, ..)| *field).collect();
            prop_assert_eq!(numbers, [1, 4, 8, 11, 14, 18]);
            prop_assert_eq!(&raw[0].2, &block.to_be_bytes()[6..]);
            prop_assert_eq!(&raw[1].2, &hash[8..16]);
            prop_assert_eq!((raw[2].1, raw[4].1, raw[5].1), (expiration, timestamp, fee_limit));
            let contract = fields(&raw[3].2).unwrap();
            prop_assert_eq!(contract[0].1, 1);
            let value = fields(&fields(&contract[1].2).unwrap()[1].2).unwrap();
            prop_assert_eq!((&value[0].2[..], &value[1].2[..]), (&prefixed(owner)[..], &prefixed(EvmAddress(to))[..]));
            prop_assert_eq!(value[2].1, amount);
        }
    }
}
