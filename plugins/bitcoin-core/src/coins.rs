//! The coins: what differs between nodes that have the same RPC.

use agio_plugin_sdk::protocol::LocalizedText;

/// A coin whose node has the RPC of Bitcoin Core.
#[derive(Debug)]
pub struct Coin {
    /// Name of the plugin.
    pub plugin: &'static str,
    /// Code of the currency.
    pub code: &'static str,
    /// Title in the console: the name of the node.
    pub title: &'static str,
    pub about_ru: &'static str,
    pub about_en: &'static str,
    /// Where the node listens unless it is configured otherwise.
    pub url: &'static str,
    /// Its networks; the first one is where money has a value.
    pub networks: &'static [CoinNetwork],
}

#[derive(Debug)]
pub struct CoinNetwork {
    /// As `getblockchaininfo` names it.
    pub name: &'static str,
    /// Hash of the first block. It tells coins and networks apart.
    pub genesis: &'static str,
}

impl Coin {
    /// The hash of the first block on a network; `None` if the coin has no such network.
    pub fn genesis(&self, network: &str) -> Option<&'static str> {
        self.networks.iter().find(|known| known.name == network).map(|known| known.genesis)
    }

    pub fn about(&self) -> LocalizedText {
        LocalizedText::new(self.about_ru, self.about_en)
    }
}

const fn network(name: &'static str, genesis: &'static str) -> CoinNetwork {
    CoinNetwork { name, genesis }
}

pub static BITCOIN: Coin = Coin {
    plugin: "bitcoin-core",
    code: "BTC",
    title: "Bitcoin Core",
    about_ru: "Принимает и отправляет биткоины через собственный узел Bitcoin Core.",
    about_en: "Takes and sends bitcoin through a Bitcoin Core node of one's own.",
    url: "http://127.0.0.1:8332",
    networks: &[
        network("main", "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f"),
        network("test", "000000000933ea01ad0ee984209779baaec3ced90fa3f408719526f8d77f4943"),
        network("testnet4", "00000000da84f2bafbbc53dee25a72ae507ff4914b867c565be350b0da8bf043"),
        network("signet", "00000008819873e925422c1ff0f99f7cc9bbb232af63a077a480a3633bee1ef6"),
        network("regtest", "0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206"),
    ],
};

pub static LITECOIN: Coin = Coin {
    plugin: "litecoin-core",
    code: "LTC",
    title: "Litecoin Core",
    about_ru: "Принимает и отправляет лайткоины через собственный узел Litecoin Core.",
    about_en: "Takes and sends litecoin through a Litecoin Core node of one's own.",
    url: "http://127.0.0.1:9332",
    networks: &[
        network("main", "12a765e31ffd4059bada1e25190f6e98c99d9714d334efa41a195a7e7e04bfe2"),
        network("test", "4966625a4b2851d9fdee139e56211a0d88575f59ed816ff5e6a63deb4e3e29a0"),
        network("regtest", "530827f38f93b43ed12af0b3ad25a288dc02ed74d6d7857862df51fc56c416f9"),
    ],
};
