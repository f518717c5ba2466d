//! Addresses that cannot receive payouts: contracts of well-known tokens and addresses without an owner.
//!
//! Customers sometimes copy the token contract from a block explorer instead of their own address; coins sent there are lost. The lists have
//! the most common ones and cannot be complete.

use crate::validation::RequisiteRefusal;

/// An address and its refusal code.
type Entry = (&'static str, &'static str);

/// Token contracts on the EVM networks, in EIP-55 form.
const EVM: &[Entry] = &[
    // Tether USD: Ethereum, BNB Chain, Polygon, Avalanche, Arbitrum.
    ("0xdAC17F958D2ee523a2206206994597C13D831ec7", "contract_address"),
    ("0x55d398326f99059fF775485246999027B3197955", "contract_address"),
    ("0xc2132D05D31c914a87C6611C10748AEb04B58e8F", "contract_address"),
    ("0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7", "contract_address"),
    ("0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9", "contract_address"),
    // USD Coin: Ethereum, BNB Chain, Polygon, Avalanche, Arbitrum.
    ("0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", "contract_address"),
    ("0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d", "contract_address"),
    ("0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359", "contract_address"),
    ("0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E", "contract_address"),
    ("0xaf88d065e77c8cC2239327C5EDb3A432268e5831", "contract_address"),
    // Dai, wrapped Bitcoin, wrapped Ether and wrapped BNB.
    ("0x6B175474E89094C44Da98b954EedeAC495271d0F", "contract_address"),
    ("0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599", "contract_address"),
    ("0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2", "contract_address"),
    ("0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c", "contract_address"),
];

/// Contracts on TRON: Tether USD, USD Coin, wrapped TRX.
pub(crate) const TRON: &[Entry] = &[
    ("TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", "contract_address"),
    ("TEkxiTehnzSmSe2XqrBj4w32RUN966rdz8", "contract_address"),
    ("TNUC9Qb1rRpS5CbWLmNMxXBjyFoydXjWFR", "contract_address"),
    // Twenty zero bytes: the owner of nothing.
    ("T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb", "forbidden_payee"),
];

/// The jetton master of Tether USD on TON, in one of its forms.
pub(crate) const TON: &[&str] = &["EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs"];

/// Accounts of the XRP Ledger that no key opens.
pub(crate) const XRP: &[Entry] =
    &[("rrrrrrrrrrrrrrrrrrrrrhoLvTp", "forbidden_payee"), ("rrrrrrrrrrrrrrrrrrrrBZbvji", "forbidden_payee")];

/// The Stellar account of 32 zero bytes.
pub(crate) const XLM: &[Entry] = &[("GAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAWHF", "forbidden_payee")];

/// Programs and mints on Solana: system, token, token-2022 and associated-token programs; USD Coin, Tether USD and wrapped SOL.
pub(crate) const SOL: &[Entry] = &[
    ("11111111111111111111111111111111", "forbidden_payee"),
    ("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA", "contract_address"),
    ("TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb", "contract_address"),
    ("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL", "contract_address"),
    ("EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", "contract_address"),
    ("Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB", "contract_address"),
    ("So11111111111111111111111111111111111111112", "contract_address"),
];

/// Rejects a listed address in normal form.
pub(crate) fn refuse(list: &[Entry], address: &str) -> Result<(), RequisiteRefusal> {
    match list.iter().find(|(listed, _)| *listed == address) {
        Some((_, code)) => Err(RequisiteRefusal::new(code)),
        None => Ok(()),
    }
}

/// Rejects a listed EVM address, and the first 65,536 addresses: the zero address, the precompiled contracts
/// and `0x…dEaD`, where coins are burnt.
pub(crate) fn refuse_evm(address: &str) -> Result<(), RequisiteRefusal> {
    if address[2..].bytes().take(36).all(|digit| digit == b'0') {
        return Err(RequisiteRefusal::new("forbidden_payee"));
    }
    refuse(EVM, address)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RequisiteKind, check};

    #[test]
    fn every_listed_address_is_well_formed_and_rejected() {
        let lists = [
            (RequisiteKind::Evm, EVM),
            (RequisiteKind::Tron, TRON),
            (RequisiteKind::Xrp, XRP),
            (RequisiteKind::Xlm, XLM),
            (RequisiteKind::Sol, SOL),
        ];
        for (kind, list) in lists {
            for (address, code) in list {
                assert_eq!(check(kind, address), Err(RequisiteRefusal::new(code)), "{kind} {address}");
            }
        }
        for address in TON {
            assert_eq!(check(RequisiteKind::Ton, address), Err(RequisiteRefusal::new("contract_address")), "{address}");
        }
    }
}
