//! Forged tokens.

use std::time::Duration;

use agio_test_app::{Engine, TestApp, TestCustomer, both_engines};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256, Sha512};

use crate::fixtures::{access_token, get_me, refresh_token, refresh_with};

fn written(part: &Value) -> String {
    URL_SAFE_NO_PAD.encode(part.to_string())
}

fn read(token: &str, part: usize) -> Value {
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(token.split('.').nth(part).unwrap()).unwrap()).unwrap()
}

/// A token signed with this secret.
fn signed(secret: &[u8], header: &Value, claims: &Value) -> String {
    let said = format!("{}.{}", written(header), written(claims));
    let mac = Hmac::<Sha256>::new_from_slice(secret).unwrap().chain_update(&said).finalize().into_bytes();
    format!("{said}.{}", URL_SAFE_NO_PAD.encode(mac))
}

/// The signing key, which an attacker does not have.
async fn secret(app: &TestApp, id: &str) -> Vec<u8> {
    let mut tx = app.server.platform.db.read().await.unwrap();
    let (sealed,) = agio_core::fetch_one!(&mut tx, (String,), "SELECT sealed FROM token_key WHERE id = $1", id).unwrap();
    app.server.platform.vault.open(&format!("token key {id}"), &sealed).unwrap()
}

fn with(value: &Value, changes: &Value) -> Value {
    let mut value = value.clone();
    for (key, change) in changes.as_object().unwrap() {
        value[key] = change.clone();
    }
    value
}

fn without(value: &Value, key: &str) -> Value {
    let mut value = value.clone();
    value.as_object_mut().unwrap().remove(key);
    value
}

async fn forged_tokens_are_rejected(engine: Engine) {
    let app = TestApp::start(engine).await;
    let mut ivan = TestCustomer::registered(&app, "ivan@example.com").await;
    let signed_in = ivan.sign_in().await;
    let (good, refresh) = (access_token(&signed_in), refresh_token(&signed_in));
    let (header, claims) = (read(&good, 0), read(&good, 1));
    let (said, mac) = good.rsplit_once('.').unwrap();
    let secret = secret(&app, header["kid"].as_str().unwrap()).await;
    let operator = app.operator().await;
    let staff = operator.post("/api/admin/v1/auth/refresh", json!({})).await.ok()["accessToken"].as_str().unwrap().to_owned();
    // The forger below would get through if only one of these differences did not count.
    get_me(&app, &signed(&secret, &header, &claims)).await.ok();
    let now = claims["iat"].as_i64().unwrap();

    let mut forged = Vec::new();
    // No signature, or none of ours.
    for none in ["none", "None", "NONE", "nOnE"] {
        forged.push(format!("{}.{}.", written(&with(&header, &json!({ "alg": none }))), written(&claims)));
        forged.push(format!("{}.{}.{mac}", written(&with(&header, &json!({ "alg": none }))), written(&claims)));
    }
    for guess in [b"".as_slice(), b"secret", b"agio", &[0; 32], &secret[..31], Sha256::digest(&secret).as_slice()] {
        forged.push(signed(guess, &header, &claims));
    }
    forged.extend([
        said.to_owned(),
        format!("{said}."),
        format!("{said}.{}", &mac[1..]),
        format!("{said}.{mac}A"),
        format!("{said}.{mac}.{mac}"),
    ]);
    forged.push(format!("{said}.{}", URL_SAFE_NO_PAD.encode(Sha256::digest(said))));
    let mac512 = Hmac::<Sha512>::new_from_slice(&secret).unwrap().chain_update(said).finalize().into_bytes();
    forged.push(format!("{said}.{}", URL_SAFE_NO_PAD.encode(mac512)));
    // Another algorithm in the header, signed as ours.
    for other in ["HS384", "HS512", "RS256", "ES256", "PS256", "EdDSA", "hs256", "", "HS256 "] {
        forged.push(signed(&secret, &with(&header, &json!({ "alg": other })), &claims));
    }
    // Another key by its name.
    for kid in ["", "p0", "../../../dev/null", "' OR 1=1 --", "0", "https://evil.example/key", "\u{0}"] {
        forged.push(signed(&secret, &with(&header, &json!({ "kid": kid })), &claims));
        forged.push(signed(b"", &with(&header, &json!({ "kid": kid })), &claims));
    }
    forged.push(signed(&secret, &without(&header, "kid"), &claims));
    // A key that comes along.
    let jwk = json!({ "kty": "oct", "k": URL_SAFE_NO_PAD.encode(b"mine"), "alg": "HS256" });
    for along in
        [json!({ "jwk": jwk }), json!({ "jku": "https://evil.example/keys" }), json!({ "x5u": "https://evil.example/x" })]
    {
        forged.push(signed(b"mine", &with(&header, &along), &claims));
    }
    // Rightly signed, and for something else.
    for other in [
        json!({ "exp": now }),
        json!({ "exp": now - 600 }),
        json!({ "iat": now + 60 }),
        json!({ "aud": "agio-console" }),
        json!({ "aud": "elsewhere" }),
        json!({ "aud": [] }),
        json!({ "iss": "elsewhere" }),
        json!({ "typ": "refresh" }),
        json!({ "typ": "" }),
        json!({ "sid": "00000000-0000-0000-0000-000000000000" }),
        json!({ "sid": read(&staff, 1)["sid"] }),
    ] {
        forged.push(signed(&secret, &header, &with(&claims, &other)));
    }
    for missing in ["exp", "aud", "iss", "typ", "sid", "iat"] {
        forged.push(signed(&secret, &header, &without(&claims, missing)));
    }
    // Other tokens of the server.
    forged.extend([refresh.clone(), staff.clone(), "a.b.c".to_owned(), "..".to_owned()]);

    forged.sort();
    forged.dedup();
    assert!(forged.len() >= 60, "{}", forged.len());
    for token in &forged {
        assert_eq!(get_me(&app, token).await.status, 401, "{token}");
    }
    get_me(&app, &good).await.ok();
    app.visitor().with_token(&good).get("/api/admin/v1/auth/me").await.refused(401, "token_not_valid");

    // The same with refresh tokens.
    let bytes = URL_SAFE_NO_PAD.decode(&refresh).unwrap();
    for place in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[place] ^= 1;
        refresh_with(&app, &URL_SAFE_NO_PAD.encode(changed)).await.refused(401, "token_not_valid");
    }
    for other in [good.as_str(), staff.as_str(), "", "x", &refresh[1..]] {
        refresh_with(&app, other).await.refused(401, "token_not_valid");
    }
    refresh_with(&app, &refresh).await.ok();
}

async fn token_lifetimes_follow_the_clock(engine: Engine) {
    let app = TestApp::start(engine).await;
    let mut ivan = TestCustomer::registered(&app, "ivan@example.com").await;
    let token = access_token(&ivan.sign_in().await);
    app.advance_clock(Duration::from_secs(599));
    get_me(&app, &token).await.ok();
    app.advance_clock(Duration::from_secs(2));
    get_me(&app, &token).await.refused(401, "token_not_valid");
}

both_engines!(forged_tokens_are_rejected, token_lifetimes_follow_the_clock);
