//! Recorded answers. The API puts the transaction itself beside its own reading of it; the driver reads the former.
//!
//! `recorded/deposit.json` is from the documentation of pytonlib (get_transactions), `recorded/wallet_deployment.json`
//! from the tests of jeyroik/toncenter-php-sdk; both are of the main network. The other forms are those of
//! https://docs.ton.org (API v2) and https://toncenter.com/api/v2.

use agio_plugin_sdk::harness::{http, json_of};
use agio_plugin_sdk::protocol::HttpRequest;
use serde_json::{Value, json};

use super::{ton, watch};
use crate::network::MAINNET;

#[test]
fn a_recorded_deposit_is_read() {
    let recorded: Value = serde_json::from_str(include_str!("../recorded/deposit.json")).unwrap();
    let owner = recorded["address"]["account_address"].as_str().unwrap();
    let mut server = |request: &HttpRequest| {
        let call = json_of(request);
        let result = match call["method"].as_str().unwrap() {
            "getMasterchainInfo" => json!({
                "@type": "blocks.masterchainInfo",
                "last": { "@type": "ton.blockIdExt", "workchain": -1, "shard": "-9223372036854775808", "seqno": 38_115_600 },
                "init": { "@type": "ton.blockIdExt", "workchain": -1, "shard": "0", "seqno": 0, "root_hash": MAINNET },
            }),
            "getAddressInformation" => json!({
                "@type": "raw.fullAccountState", "balance": "3673200", "data": "", "state": "active",
                "last_transaction_id": recorded["transaction_id"], "sync_utime": 1_716_874_930,
            }),
            "getTransactions" => json!([recorded]),
            other => panic!("unexpected call of {other}"),
        };
        http(200, json!({ "ok": true, "result": result, "jsonrpc": "2.0", "id": "1" }).to_string())
    };
    // Everything before it was read.
    let previous =
        json!({ "lt": 46_762_305_000_001_u64, "hash": "7bf8b20fb3750f2b540d4c9a0d603812561a0c895378b066aec1299a1a88a14d" });
    let account = "0:ffbd85ffba92089f5263a510ae89b7a8b0bc8bbea7c76102fb7154a4e84de04b";
    let cursor = json!({ "account": account, "watched": account, "last": previous, "since": 0, "scan": null, "open": [] });
    let mut driver = ton().set("address", owner).set("smallest", "0.001");
    let report = driver.poll(watch("TON"), &mut Some(cursor.to_string()), &mut server);
    let [movement] = &report.movements[..] else { panic!("{report:?}") };
    assert_eq!(movement.memo.as_deref(), recorded["in_msg"]["message"].as_str());
    assert_eq!((movement.amount.to_string(), movement.confirmations, report.height), ("0.003673200".to_owned(), 1, 38_115_600));
    assert_eq!(movement.tx_id, "b97a90cf72c4263a2bd3d708719e08a11417f881ae5678c1475cd0ceeb75b4a6");
}
