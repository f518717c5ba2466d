//! Signed quotes, valid and forged.

use agio_calculator::model::engine::{Terms, TermsParts, Tier};
use agio_calculator::model::quote::{MAX_TOKEN_LENGTH, Quote, QuoteBonus, QuoteCurrency, QuoteError, SIGNED_PREFIX};
use agio_contracts::{BonusKind, BonusPart, NetworkFee, NetworkFeePayer};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ed25519_dalek::{Signer as _, SigningKey};
use rust_decimal::Decimal;
use uuid::Uuid;

const ISSUED: i64 = 1_711_620_000_000_000;
const EXPIRES: i64 = ISSUED + 20 * 60 * 1_000_000;

fn number(text: &str) -> Decimal {
    text.parse().expect("a decimal number")
}

fn own_key() -> SigningKey {
    SigningKey::from_bytes(&[7; 32])
}

fn quote(tiers: usize) -> Quote {
    let tier = |place: usize| Tier { min_give: Decimal::from(place + 1), rate: number("6300071.01537") };
    let terms = Terms::new(TermsParts {
        rate: number("6281227.33337"),
        tiers: (0..tiers).map(tier).collect(),
        give_fee: number("0.0001"),
        receive_fee: Decimal::ZERO,
        network_fee: None,
        give_digits: 8,
        receive_digits: 2,
        give_step: None,
        receive_step: None,
    });
    Quote {
        from: QuoteCurrency { id: 1, code: "BTC".to_owned() },
        to: QuoteCurrency { id: 2, code: "SBERRUB".to_owned() },
        terms: terms.expect("terms within bounds"),
        bonus_percent: number("0.50"),
        issued_at: ISSUED,
        expires_at: EXPIRES,
        rates_version: 42,
        explanation: None,
        bonus_for: None,
    }
}

fn verify(token: &str) -> Result<Quote, QuoteError> {
    Quote::verify(token, &own_key().verifying_key(), ISSUED)
}

#[test]
fn the_canonical_text_is_what_the_documentation_shows() {
    assert_eq!(
        quote(1).canonical(),
        "{\"v\":1,\"from\":{\"id\":1,\"code\":\"BTC\"},\"to\":{\"id\":2,\"code\":\"SBERRUB\"},\
         \"course\":\"6281227.33337\",\"tiers\":[{\"min\":\"1\",\"course\":\"6300071.01537\"}],\
         \"feeFrom\":\"0.0001\",\"feeTo\":\"0\",\"digitsFrom\":8,\"digitsTo\":2,\"bonus\":\"0.5\",\
         \"issuedAt\":1711620000000000,\"expiresAt\":1711621200000000,\"ratesVersion\":42}"
    );
}

#[test]
fn a_network_fee_is_named_beside_the_fee_that_includes_it() {
    let plain = quote(1);
    let parts = TermsParts {
        receive_fee: number("150.5"),
        network_fee: NetworkFee::of(NetworkFeePayer::Customer, number("100")),
        ..plain.terms.parts().clone()
    };
    let quote = Quote { terms: Terms::new(parts).expect("terms within bounds"), ..plain };
    let fees = "\"feeTo\":\"150.5\",\"feeNetwork\":{\"payer\":\"customer\",\"amount\":\"100\"},\"digitsFrom\"";
    assert!(quote.canonical().contains(fees), "{}", quote.canonical());
    assert_eq!(verify(&quote.sign(&own_key()).token()), Ok(quote));
}

/// A quote with a tier bonus and a promo code.
fn bound() -> Quote {
    let part =
        |kind, percent: &str, code: Option<&str>| BonusPart { kind, percent: number(percent), code: code.map(str::to_owned) };
    let parts = vec![part(BonusKind::Tier, "0.30", None), part(BonusKind::Promo, "0.2", Some("SPRING"))];
    Quote { bonus_for: Some(QuoteBonus { customer: Some(Uuid::from_u128(7)), parts }), ..quote(1) }
}

#[test]
fn a_bonus_names_its_customer_and_parts_last() {
    let plain = quote(1).canonical();
    assert_eq!(
        bound().canonical(),
        plain.replace(
            ":42}",
            ":42,\"for\":{\"customer\":\"00000000-0000-0000-0000-000000000007\",\"parts\":[{\"kind\":\"tier\",\"percent\":\"0.3\"},\
             {\"kind\":\"promo\",\"percent\":\"0.2\",\"code\":\"SPRING\"}]}}"
        )
    );
    let promo_alone = Quote { bonus_for: bound().bonus_for.map(|bound| QuoteBonus { customer: None, ..bound }), ..bound() };
    assert!(promo_alone.canonical().contains("\"for\":{\"parts\""), "nobody is no key");
    for quote in [bound(), promo_alone] {
        assert_eq!(verify(&quote.sign(&own_key()).token()), Ok(quote));
    }
}

#[test]
fn a_bound_quote_holds_for_its_customer_and_its_code_alone() {
    let (ivan, olga) = (Some(Uuid::from_u128(7)), Some(Uuid::from_u128(8)));
    assert!(bound().holds_for(ivan, Some("SPRING")));
    for (customer, promo) in [(olga, Some("SPRING")), (None, Some("SPRING")), (ivan, None), (ivan, Some("OTHER"))] {
        assert!(!bound().holds_for(customer, promo), "{customer:?} {promo:?}");
    }
    assert!(quote(1).holds_for(None, None));
    assert!(quote(1).holds_for(ivan, None), "what everybody gets, everybody may have");
    assert!(!quote(1).holds_for(ivan, Some("SPRING")));
}

#[test]
fn no_byte_of_a_bound_quote_can_be_changed() {
    let token = bound().sign(&own_key()).token();
    for place in 0..token.len() {
        let mut bytes = token.clone().into_bytes();
        bytes[place] = if bytes[place] == b'A' { b'B' } else { b'A' };
        assert!(verify(&String::from_utf8(bytes).expect("still ASCII")).is_err(), "byte {place}");
    }
}

#[test]
fn a_quote_comes_back_as_it_was_signed_until_it_expires() {
    let signed = quote(3).sign(&own_key());
    let token = signed.token();
    assert_eq!(verify(&token), Ok(quote(3)));
    let at = |now| Quote::verify(&token, &own_key().verifying_key(), now);
    assert_eq!(at(EXPIRES - 1), Ok(quote(3)));
    assert_eq!(at(EXPIRES), Err(QuoteError::Expired));
    assert_eq!(at(i64::MAX), Err(QuoteError::Expired));
}

#[test]
fn the_longest_quote_fits() {
    let mut longest = quote(0);
    let terms = longest.terms.parts().clone();
    let tier = |place: usize| Tier {
        min_give: number("99999999999.12345678") + Decimal::from(place),
        rate: number("0.000000001234567890123456"),
    };
    longest.bonus_for = bound().bonus_for;
    longest.terms = Terms::new(TermsParts { tiers: (0..32).map(tier).collect(), ..terms }).expect("terms within bounds");
    let token = longest.sign(&own_key()).token();
    assert!(token.len() < MAX_TOKEN_LENGTH, "{}", token.len());
    assert_eq!(verify(&token), Ok(longest));
}

#[test]
fn no_byte_of_a_token_can_be_changed() {
    let token = quote(1).sign(&own_key()).token();
    for place in 0..token.len() {
        let mut bytes = token.clone().into_bytes();
        bytes[place] = if bytes[place] == b'A' { b'B' } else { b'A' };
        let changed = String::from_utf8(bytes).expect("still ASCII");
        assert!(verify(&changed).is_err(), "byte {place}");
    }
    for length in 0..token.len() {
        assert!(verify(&token[..length]).is_err(), "cut at {length}");
    }
}

#[test]
fn foreign_signatures_are_rejected() {
    let foreign_key = SigningKey::from_bytes(&[8; 32]);
    let token = quote(0).sign(&foreign_key).token();
    assert_eq!(verify(&token), Err(QuoteError::Signature));
    // A better rate under the signature of a valid quote.
    let honest = quote(0).sign(&own_key());
    let mut better = quote(0);
    better.rates_version = 43;
    let content = better.sign(&foreign_key).content;
    let forged = format!("{content}.{}", honest.signature);
    assert_eq!(verify(&forged), Err(QuoteError::Signature));
}

/// Validly signed, but not encoded by this code.
fn sign_with_own_key(content: &str) -> String {
    let content = URL_SAFE_NO_PAD.encode(content);
    let signature = own_key().sign(format!("{SIGNED_PREFIX}{content}").as_bytes());
    format!("{content}.{}", URL_SAFE_NO_PAD.encode(signature.to_bytes()))
}

#[test]
fn only_the_canonical_text_is_a_quote() {
    let canonical = quote(0).canonical();
    assert!(verify(&sign_with_own_key(&canonical)).is_ok());
    let others = [
        canonical.replace(":42", ": 42"),
        canonical.replace("\"0.0001\"", "\"0.00010\""),
        canonical.replace("\"0.0001\"", "0.0001"),
        canonical.replace("\"v\":1", "\"v\":2"),
        canonical.replace("\"feeTo\"", "\"extra\":1,\"feeTo\""),
        canonical.replace("\"6281227.33337\"", "\"-1\""),
        canonical.replace("\"digitsTo\":2", "\"digitsTo\":9"),
        canonical.replace(":42}", ":42,\"for\":null}"),
        canonical.replace(":42}", ":42,\"for\":{\"parts\":[{\"kind\":\"tier\",\"percent\":\"0.50\"}]}}"),
        canonical.replace(":42}", ":42,\"for\":{\"customer\":null,\"parts\":[]}}"),
        "{}".to_owned(),
        "[".repeat(3000),
        String::new(),
    ];
    for other in others {
        assert_ne!(other, canonical);
        assert_eq!(verify(&sign_with_own_key(&other)), Err(QuoteError::Malformed), "{other}");
    }
}

#[test]
fn hostile_tokens_are_refused_quickly() {
    let long = "A".repeat(MAX_TOKEN_LENGTH + 1);
    for token in ["", ".", "..", "a.b", "=.=", "é.é", "\0.\0", long.as_str()] {
        assert_eq!(verify(token), Err(QuoteError::Malformed), "{} bytes", token.len());
    }
}
