//! The wallet that pays: the contract "V4R2", whose number of the next message lets each message be carried out once.
//!
//! All common wallet apps can show this version. W5 would gain nothing here: what it adds is for fees in jettons and for
//! other programs that may send.

use ed25519_dalek::{Signer as _, SigningKey};
use hmac::{Hmac, KeyInit as _, Mac as _};
use pbkdf2::pbkdf2_hmac;
use sha2::Sha512;
use tycho_types::boc::{Boc, BocRepr};
use tycho_types::cell::{Cell, CellBuilder, HashBytes};
use tycho_types::error::Error;
use tycho_types::models::{
    ExtInMsgInfo, MsgInfo, OwnedMessage, OwnedRelaxedMessage, RelaxedIntMsgInfo, RelaxedMsgInfo, StateInit, StdAddr,
};
use tycho_types::num::Tokens;

/// The code of the contract, as on the network. Its hash is `feb5ff68...d5c0`.
const CODE: &str = include_str!("wallet_v4r2.boc64");

/// The wallet apps' number of the first wallet of a key in the workchain 0.
const WALLET_ID: u32 = 698_983_191;

/// Words of a recovery phrase, and the rounds that make a seed of them.
const WORDS: usize = 24;
const ROUNDS: u32 = 100_000;

/// What the message asks the contract to do.
const SEND: u8 = 0;

/// Fees are paid beside the amount, and a message that cannot be sent is left out instead of being tried again.
const MODE: u8 = 1 | 2;

/// The wallet of a key.
pub struct Wallet {
    key: SigningKey,
    pub address: StdAddr,
}

/// What the wallet is to send, once.
pub struct Order {
    /// The number that the wallet's next message must have.
    pub seqno: u32,
    /// In seconds since 1970-01-01 UTC. From this time on no block can contain the message.
    pub valid_until: u32,
    pub to: StdAddr,
    /// Whether the toncoin comes back if the recipient refuses it.
    pub bounce: bool,
    /// In nanotons.
    pub amount: u128,
    pub body: Cell,
}

/// A message to the wallet.
pub struct SignedMessage {
    pub boc: String,
    /// The hash of the signed part. On the way to the wallet the rest may be written in another way.
    pub body: String,
}

impl Wallet {
    /// The wallet of a recovery phrase of 24 words or of a private key (64 hexadecimal digits).
    pub fn of_secret(secret: &str) -> Option<Self> {
        let secret = secret.trim();
        let seed = if secret.contains(' ') {
            seed(secret)?
        } else {
            let digits = Some(secret.strip_prefix("0x").unwrap_or(secret)).filter(|digits| digits.len() == 64)?;
            digits.parse::<HashBytes>().ok()?.0
        };
        let key = SigningKey::from_bytes(&seed);
        let init = init(&key).ok()?;
        let hash = *CellBuilder::build_from(&init).ok()?.repr_hash();
        Some(Self { key, address: StdAddr::new(0, hash) })
    }

    /// The number of the next message, by the data of the contract; `None` if the contract is not that of the key.
    pub fn seqno(&self, data: &Cell) -> Option<u32> {
        let mut data = data.as_slice().ok()?;
        let (seqno, wallet_id, key) = (data.load_u32().ok()?, data.load_u32().ok()?, data.load_u256().ok()?);
        (wallet_id == WALLET_ID && key.0 == self.key.verifying_key().to_bytes()).then_some(seqno)
    }

    /// Signs a message. The same order always gets the same signature. `deploy` adds the contract, which the first
    /// message needs.
    pub fn sign(&self, order: &Order, deploy: bool) -> Result<SignedMessage, Error> {
        let unsigned = order.unsigned()?;
        let digest = *CellBuilder::build_from(unsigned.as_full_slice())?.repr_hash();
        let mut body = CellBuilder::new();
        body.store_raw(&self.key.sign(&digest.0).to_bytes(), 512)?;
        body.store_builder(&unsigned)?;
        let body = body.build()?;
        let message = OwnedMessage {
            info: MsgInfo::ExtIn(ExtInMsgInfo { dst: self.address.clone().into(), ..ExtInMsgInfo::default() }),
            init: if deploy { Some(init(&self.key)?) } else { None },
            body: body.clone().into(),
            layout: None,
        };
        Ok(SignedMessage { boc: BocRepr::encode_base64(&message)?, body: body.repr_hash().to_string() })
    }
}

impl Order {
    /// What is signed.
    fn unsigned(&self) -> Result<CellBuilder, Error> {
        let message = OwnedRelaxedMessage {
            info: RelaxedMsgInfo::Int(RelaxedIntMsgInfo {
                bounce: self.bounce,
                dst: self.to.clone().into(),
                value: Tokens::new(self.amount).into(),
                ..RelaxedIntMsgInfo::default()
            }),
            init: None,
            body: self.body.clone().into(),
            layout: None,
        };
        let mut order = CellBuilder::new();
        order.store_u32(WALLET_ID)?;
        order.store_u32(self.valid_until)?;
        order.store_u32(self.seqno)?;
        order.store_u8(SEND)?;
        order.store_u8(MODE)?;
        order.store_reference(CellBuilder::build_from(&message)?)?;
        Ok(order)
    }
}

/// The contract of a new wallet.
fn init(key: &SigningKey) -> Result<StateInit, Error> {
    let mut data = CellBuilder::new();
    data.store_u32(0)?;
    data.store_u32(WALLET_ID)?;
    data.store_u256(&HashBytes(key.verifying_key().to_bytes()))?;
    // No plugins.
    data.store_bit_zero()?;
    let code = Boc::decode_base64(CODE).map_err(|_| Error::InvalidData)?;
    Ok(StateInit { code: Some(code), data: Some(data.build()?), ..StateInit::default() })
}

/// The seed of the key in a recovery phrase as wallet apps of TON make it. That of other networks is told by its missing
/// mark.
fn seed(phrase: &str) -> Option<[u8; 32]> {
    let words: Vec<_> = phrase.split_whitespace().map(str::to_lowercase).collect();
    let entropy = Hmac::<Sha512>::new_from_slice(words.join(" ").as_bytes()).ok()?.finalize().into_bytes();
    let mut mark = [0; 1];
    pbkdf2_hmac::<Sha512>(&entropy, b"TON seed version", ROUNDS / 256, &mut mark);
    let mut seed = [0; 32];
    pbkdf2_hmac::<Sha512>(&entropy, b"TON default seed", ROUNDS, &mut seed);
    (words.len() == WORDS && mark == [0]).then_some(seed)
}

#[cfg(test)]
mod tests {
    use ed25519_dalek::{Signature, VerifyingKey};
    use serde_json::Value;
    use tycho_types::models::{IntAddr, Message, Transaction};

    use super::*;

    /// The phrase and the wallet of the tests of tonlib-rs, a library of STON.fi.
    const PHRASE: &str = "fancy carpet hello mandate penalty trial consider property top vicious exit rebuild tragic profit \
        urban major total month holiday sudden rib gather media vicious";
    const ADDRESS: &str = "EQCDM_QGggZ3qMa_f3lRPk4_qLDnLTqdi6OkMAV2NB9r5TG3";

    /// A recorded transaction: the first message of a V4R2 wallet, with its contract.
    const DEPLOYMENT: &str = include_str!("../tests/recorded/wallet_deployment.json");

    #[test]
    fn a_phrase_has_the_wallet_that_apps_show() {
        let wallet = Wallet::of_secret(PHRASE).unwrap();
        assert_eq!(wallet.address.display_base64_url(true).to_string(), ADDRESS);
        let spaced = format!("  {}\n", PHRASE.to_uppercase().replace(' ', "  "));
        assert_eq!(Wallet::of_secret(&spaced).unwrap().address, wallet.address);
        let key = HashBytes(wallet.key.to_bytes()).to_string();
        assert_eq!(Wallet::of_secret(&key).unwrap().address, wallet.address);
        assert_eq!(Wallet::of_secret(&format!("0x{key}")).unwrap().address, wallet.address);
        // A typing error, a phrase of another network, what is no secret.
        let mistyped = PHRASE.replace("fancy", "fence");
        let other = format!("{}about", "abandon ".repeat(23));
        for secret in ["", "nonsense", "a b", &key[1..], &format!("{key}00"), ADDRESS, &mistyped, &other] {
            assert!(Wallet::of_secret(secret).is_none(), "{secret}");
        }
    }

    #[test]
    fn a_message_is_the_one_on_the_network() {
        let recorded: Value = serde_json::from_str(DEPLOYMENT).unwrap();
        let transaction = Boc::decode_base64(recorded["data"].as_str().unwrap()).unwrap().parse::<Transaction>().unwrap();
        let message = transaction.in_msg.unwrap();
        let message = message.parse::<Message<'_>>().unwrap();
        let (contract, mut body) = (message.init.unwrap(), message.body);
        let mut signature = [0; 64];
        body.load_raw(&mut signature, 512).unwrap();
        let digest = *CellBuilder::build_from(body).unwrap().repr_hash();

        // The contract is the one of this driver, and the address is its hash.
        let mut data = contract.data.as_ref().unwrap().as_slice().unwrap();
        data.skip_first(64, 0).unwrap();
        let key = VerifyingKey::from_bytes(&data.load_u256().unwrap().0).unwrap();
        assert_eq!(contract.code.as_ref(), Some(&Boc::decode_base64(CODE).unwrap()));
        assert_eq!(CellBuilder::build_from(&contract).unwrap().repr_hash(), &transaction.account);

        // What was signed is what this driver would sign.
        key.verify_strict(&digest.0, &Signature::from_bytes(&signature)).unwrap();
        body.skip_first(32, 0).unwrap();
        let (valid_until, seqno) = (body.load_u32().unwrap(), body.load_u32().unwrap());
        let sent = body.load_reference_cloned().unwrap().parse::<OwnedRelaxedMessage>().unwrap();
        let RelaxedMsgInfo::Int(info) = sent.info else { panic!("it is external") };
        let IntAddr::Std(to) = info.dst else { panic!("another kind of address") };
        let amount = info.value.tokens.into_inner();
        let order = Order { seqno, valid_until, to, bounce: info.bounce, amount, body: Cell::default() };
        assert_eq!((seqno, valid_until, amount), (0, u32::MAX, 898_800_240));
        assert_eq!(CellBuilder::build_from(order.unsigned().unwrap().as_full_slice()).unwrap().repr_hash(), &digest);
    }

    #[test]
    fn a_contract_with_another_key_is_not_ours() {
        let wallet = Wallet::of_secret(PHRASE).unwrap();
        let data = init(&wallet.key).unwrap().data.unwrap();
        assert_eq!(wallet.seqno(&data), Some(0));
        assert_eq!(Wallet::of_secret(&"11".repeat(32)).unwrap().seqno(&data), None);
        assert_eq!(wallet.seqno(&Cell::default()), None);
    }
}
