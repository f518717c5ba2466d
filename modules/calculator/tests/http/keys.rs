//! Quotes that anybody can check.

use agio_testkit::{Engine, House, both_engines};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ed25519_dalek::{Signature, VerifyingKey};
use serde_json::Value;

use crate::about;

/// Checks a quote with nothing but the published key and format.
async fn a_stranger_can_check_a_quote(engine: Engine) {
    let house = House::open(engine).await;
    let stranger = house.customer();
    let published = stranger.get("/.well-known/agio-quote-key.json").await.ok();
    assert_eq!(published["algorithm"], "Ed25519");
    let key: [u8; 32] = STANDARD.decode(published["publicKey"].as_str().unwrap()).unwrap().try_into().unwrap();
    let key = VerifyingKey::from_bytes(&key).unwrap();

    let pair = stranger.get(&about(&house, "pair", "BTC", "SBERRUB").await).await.ok();
    let (content, signature) = pair["quote"]["id"].as_str().unwrap().split_once('.').unwrap();
    assert_eq!(pair["quote"]["signature"], signature);
    let signature = Signature::from_slice(&URL_SAFE_NO_PAD.decode(signature).unwrap()).unwrap();
    key.verify_strict(format!("agio-quote-v1.{content}").as_bytes(), &signature).unwrap();

    let promised: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(content).unwrap()).unwrap();
    assert_eq!(promised["from"]["code"], "BTC");
    assert_eq!(promised["course"], pair["course"]);
}

both_engines!(a_stranger_can_check_a_quote);
