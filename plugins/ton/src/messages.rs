//! The bodies of messages: comments, and those of jettons (TEP-74).

use tycho_types::cell::{Cell, CellBuilder, CellFamily as _, CellSlice, Load as _, Store as _};
use tycho_types::error::Error;
use tycho_types::models::{IntAddr, StdAddr};
use tycho_types::num::Tokens;

/// A text. Nothing else follows the number that says what a body is.
pub const COMMENT: u32 = 0;
/// Asks one's jetton wallet to pay.
pub const TRANSFER: u32 = 0x0f8a_7ea5;
/// From the sender's jetton wallet to the recipient's, which checks who sends it.
pub const INTERNAL_TRANSFER: u32 = 0x178d_4519;
/// Tells the owner of a jetton wallet that jettons arrived.
pub const TRANSFER_NOTIFICATION: u32 = 0x7362_d09c;
/// Returns toncoin that a transfer of jettons did not use.
pub const EXCESSES: u32 = 0xd532_76db;
/// Tells that an NFT has a new owner (TEP-62).
pub const OWNERSHIP_ASSIGNED: u32 = 0x0513_8d91;

/// A longer comment is not read. No payment of ours needs one.
const COMMENT_BYTES_READ: usize = 1_000;

/// What fits into one cell beside the number and what a body of jettons has before it.
pub const COMMENT_BYTES_SENT: usize = 120;

/// The number a body begins with, and what follows.
pub fn operation<'a>(mut body: CellSlice<'a>) -> Option<(u32, CellSlice<'a>)> {
    let operation = body.load_u32().ok()?;
    Some((operation, body))
}

/// The text in a body; `None` if the body is not one, or if it is encrypted or no text in UTF-8.
pub fn comment(body: CellSlice<'_>) -> Option<String> {
    let (COMMENT, mut rest) = operation(body)? else { return None };
    let mut bytes = Vec::new();
    loop {
        let mut part = vec![0; usize::from(rest.size_bits() / 8)];
        rest.load_raw(&mut part, rest.size_bits() / 8 * 8).ok()?;
        bytes.extend(part);
        if rest.size_refs() == 0 || bytes.len() > COMMENT_BYTES_READ {
            break;
        }
        rest = rest.load_reference_as_slice().ok()?;
    }
    let text = String::from_utf8(bytes).ok()?;
    let text = text.trim();
    (!text.is_empty() && text.len() <= COMMENT_BYTES_READ && !text.contains(char::is_control)).then(|| text.to_owned())
}

pub fn comment_body(text: &str) -> Result<Cell, Error> {
    let mut body = CellBuilder::new();
    body.store_u32(COMMENT)?;
    body.store_raw(text.as_bytes(), u16::try_from(text.len() * 8).map_err(|_| Error::CellOverflow)?)?;
    body.build()
}

/// What a jetton wallet received.
#[derive(Debug, PartialEq, Eq)]
pub struct JettonTransfer {
    pub units: u128,
    pub comment: Option<String>,
}

impl JettonTransfer {
    /// Reads what follows the number [`INTERNAL_TRANSFER`].
    pub fn read(mut body: CellSlice<'_>) -> Option<Self> {
        let _query = body.load_u64().ok()?;
        let units = Tokens::load_from(&mut body).ok()?.into_inner();
        skip_address(&mut body)?;
        skip_address(&mut body)?;
        Tokens::load_from(&mut body).ok()?;
        // Without a payload the jettons have arrived all the same.
        let payload = match body.load_bit() {
            Ok(true) => body.load_reference_as_slice().ok(),
            Ok(false) => Some(body),
            Err(_) => None,
        };
        Some(Self { units, comment: payload.and_then(comment) })
    }
}

/// Skips an address, or none.
fn skip_address(body: &mut CellSlice<'_>) -> Option<()> {
    if body.get_small_uint(0, 2).ok()? == 0 {
        return body.skip_first(2, 0).ok();
    }
    IntAddr::load_from(body).ok().map(drop)
}

/// The request to one's jetton wallet. What it does not use of the attached toncoin comes back to the owner.
pub fn jetton_transfer(units: u128, recipient: &StdAddr, owner: &StdAddr, comment: Option<&str>) -> Result<Cell, Error> {
    let context = Cell::empty_context();
    let mut body = CellBuilder::new();
    body.store_u32(TRANSFER)?;
    body.store_u64(0)?;
    Tokens::new(units).store_into(&mut body, context)?;
    IntAddr::from(recipient.clone()).store_into(&mut body, context)?;
    IntAddr::from(owner.clone()).store_into(&mut body, context)?;
    body.store_bit_zero()?;
    // A nanoton carries the comment to the recipient.
    Tokens::new(1).store_into(&mut body, context)?;
    match comment {
        None => body.store_bit_zero()?,
        Some(text) => {
            body.store_bit_one()?;
            body.store_reference(comment_body(text)?)?;
        }
    }
    body.build()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A cell of these bits, and another one behind it.
    fn cell(bits: &[u8], next: Option<&[u8]>) -> Cell {
        let mut cell = CellBuilder::new();
        cell.store_raw(bits, u16::try_from(bits.len() * 8).unwrap()).unwrap();
        if let Some(next) = next {
            cell.store_reference(self::cell(next, None)).unwrap();
        }
        cell.build().unwrap()
    }

    fn read_comment(cell: &Cell) -> Option<String> {
        comment(cell.as_slice().unwrap())
    }

    proptest! {
        #[test]
        fn a_comment_is_read_as_it_was_written(text in "[!-~а-я😀]{1,30}") {
            prop_assert_eq!(read_comment(&comment_body(&text).unwrap()), Some(text));
        }

        #[test]
        fn a_text_may_go_on_in_the_next_cell(text in "[!-~]{0,100}", more in "[!-~]{1,100}") {
            let first = [&[0; 4], text.as_bytes()].concat();
            prop_assert_eq!(read_comment(&cell(&first, Some(more.as_bytes()))), Some(format!("{text}{more}")));
        }

        #[test]
        fn no_body_breaks_the_reader(
            operation in prop_oneof![Just(vec![]), Just(vec![0; 4]), Just(INTERNAL_TRANSFER.to_be_bytes().to_vec())],
            bits in proptest::collection::vec(any::<u8>(), 0..120), next in proptest::option::of(proptest::collection::vec(any::<u8>(), 0..120)),
        ) {
            let cell = cell(&[operation, bits].concat(), next.as_deref());
            let body = cell.as_slice().unwrap();
            let _ = (comment(body), super::operation(body).map(|(_, rest)| JettonTransfer::read(rest)));
        }

        #[test]
        fn jettons_are_read_as_their_wallet_sends_them(units in 0_u128..1 << 120, text in "[!-~]{1,60}", inline: bool) {
            let context = Cell::empty_context();
            let mut body = CellBuilder::new();
            body.store_u64(5).unwrap();
            Tokens::new(units).store_into(&mut body, context).unwrap();
            IntAddr::from(StdAddr::ZERO).store_into(&mut body, context).unwrap();
            // Nobody gets the rest of the toncoin.
            body.store_zeros(2).unwrap();
            Tokens::new(1).store_into(&mut body, context).unwrap();
            body.store_bit(!inline).unwrap();
            if inline {
                // Not much fits beside the rest.
                body.store_u32(COMMENT).unwrap();
                body.store_raw(&text.as_bytes()[..1], 8).unwrap();
            } else {
                body.store_reference(comment_body(&text).unwrap()).unwrap();
            }
            let comment = Some(if inline { text[..1].to_owned() } else { text });
            let body = body.build().unwrap();
            prop_assert_eq!(JettonTransfer::read(body.as_slice().unwrap()), Some(JettonTransfer { units, comment }));
        }
    }
}
