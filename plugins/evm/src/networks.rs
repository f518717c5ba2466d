//! The networks with defaults of their own.

/// A network: what differs in the manifests.
#[derive(Debug)]
pub struct EvmNetwork {
    /// The plugin's name.
    pub name: &'static str,
    pub title: (&'static str, &'static str),
    pub chain_id: &'static str,
    /// Code of the native coin.
    pub native: &'static str,
    pub tokens: &'static str,
    /// The most that one payout may cost, in the native coin.
    pub max_fee: &'static str,
    pub max_gas: &'static str,
    pub final_blocks: &'static str,
}

/// Networks with known tokens, and one for any other.
pub const NETWORKS: [EvmNetwork; 5] = [
    EvmNetwork {
        name: "ethereum",
        title: ("Ethereum", "Ethereum"),
        chain_id: "1",
        native: "ETH",
        tokens: concat!(
            "USDTERC20=0xdAC17F958D2ee523a2206206994597C13D831ec7:6, ",
            "USDCERC20=0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48:6, ",
            "DAI=0x6B175474E89094C44Da98b954EedeAC495271d0F:18",
        ),
        max_fee: "0.02",
        max_gas: "300000",
        final_blocks: "64",
    },
    EvmNetwork {
        name: "bnb-chain",
        title: ("BNB Smart Chain", "BNB Smart Chain"),
        chain_id: "56",
        native: "BNBBEP20",
        tokens: concat!(
            "USDTBEP20=0x55d398326f99059fF775485246999027B3197955:18, ",
            "USDCBEP20=0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d:18",
        ),
        max_fee: "0.005",
        max_gas: "300000",
        final_blocks: "64",
    },
    EvmNetwork {
        name: "polygon",
        title: ("Polygon", "Polygon"),
        chain_id: "137",
        native: "MATIC",
        tokens: concat!(
            "USDTPOLYGON=0xc2132D05D31c914a87C6611C10748AEb04B58e8F:6, ",
            "USDCPOLYGON=0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359:6",
        ),
        max_fee: "1",
        max_gas: "300000",
        final_blocks: "256",
    },
    EvmNetwork {
        name: "arbitrum",
        title: ("Arbitrum One", "Arbitrum One"),
        chain_id: "42161",
        native: "ETHARBTM",
        tokens: concat!(
            "USDTARBTM=0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9:6, ",
            "USDCARBTM=0xaf88d065e77c8cC2239327C5EDb3A432268e5831:6",
        ),
        max_fee: "0.005",
        max_gas: "3000000",
        final_blocks: "1200",
    },
    EvmNetwork {
        name: "evm",
        title: ("Другая сеть EVM", "Another EVM network"),
        chain_id: "",
        native: "",
        tokens: "",
        max_fee: "0.01",
        max_gas: "1000000",
        final_blocks: "64",
    },
];
