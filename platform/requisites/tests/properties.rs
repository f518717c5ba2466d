//! Properties for any input: no panic, a stable normal form, known codes.

use agio_requisites::{REFUSAL_CODES, RequisiteKind, WARNING_CODES, check, check_memo, group_for_reading, mask};
use proptest::{prelude::*, sample::select};

/// Right values to start from, so that random changes reach beyond the first check of each kind.
const SEEDS: [&str; 24] = [
    "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
    "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
    "ltc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqpj6zg2",
    "bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a",
    "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    "TLeUZDGLWnyiJVFcp3m3M1782uBsGWa8uf",
    "EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPrHF",
    "0:ca6e321c7cce9ecedf0a8ca2492ec8592494aa5fb5ce0387dff96ef6af982a3e",
    "44AFFq5kSiGBoZ4NMDwYtN18obc8AemS33DBLWs3H7otXft3XjrpDtQGv7SqSsaBYBb98uNbr2VBBEt7f2wfn3RVGQBEP3A",
    "XVPcpSm47b1CZkf5AkKM9a84dQHe3mTAxgxfLw2qYoe7Boa",
    "GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ",
    "addr1vx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzers66hrl8",
    "15sND1xy2556eoAx6eGV6zkURiPJ9T9qJ8XMDHsYTuZezp7f",
    "cosmos1w508d6qejxtdg4y5r3zarvary0c5xw7k6ah60c",
    "NBCXN3-R4SUTP-PTR5ZF-KHW7TX-TMS6KT-7BHIHU-3YIZ",
    "0x7968dab936c1bad187c60ce4082f307d030d780e91e694ae03aef16aba73f30",
    "0.0.1234567-ylkls",
    "f410flkxlmbj7h2kmtonat4zwnfbv47xrx2xn5yjm6ma",
    "kaspa:qqjmak7xtwq8kn57ngjt0fcw59jgh7nrxc4q59kj0g2gqgyktfeucgwqm3fnl",
    "Sub-account_1.alice.near",
    "GB29 NWBK 6016 1331 9268 19",
    "4111 1111 1111 1111",
    "8 (999) 123-45-67",
    "anna@example.com",
];

/// Any text, text of the characters requisites are made of, and right values with a part replaced by anything.
fn typed() -> impl Strategy<Value = String> {
    let damaged = (select(&SEEDS[..]), 0..120usize, 0..4usize, any::<String>()).prop_map(|(seed, at, lost, inserted)| {
        let characters: Vec<char> = seed.chars().collect();
        let cut = at.min(characters.len());
        let rest = (cut + lost).min(characters.len());
        let short: String = inserted.chars().take(at % 3).collect();
        characters[..cut].iter().collect::<String>() + &short + &characters[rest..].iter().collect::<String>()
    });
    let plausible = proptest::collection::vec(select(b"0123456789abcdefxABCDEFGLMTXrqpzt:+-_/@. ".as_slice()), 0..130)
        .prop_map(|bytes| bytes.into_iter().map(char::from).collect());
    prop_oneof![any::<String>(), plausible, damaged]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn any_text_has_a_known_result_and_the_normal_form_is_stable(kind in select(&RequisiteKind::ALL[..]), text in typed()) {
        match check(kind, &text) {
            Ok(accepted) => {
                prop_assert!(!accepted.value.is_empty());
                prop_assert!(accepted.warnings.iter().all(|warning| WARNING_CODES.contains(&warning.code)));
                let again = check(kind, &accepted.value);
                prop_assert_eq!(again.map(|again| again.value), Ok(accepted.value));
            }
            Err(refusal) => {
                prop_assert!(REFUSAL_CODES.contains(&refusal.code), "{} is not listed", refusal.code);
                prop_assert!(refusal.other.is_none_or(|other| other.parse::<RequisiteKind>().is_ok_and(|other| other != kind)));
            }
        }
    }

    #[test]
    fn any_memo_has_a_result_for_any_address(kind in select(&RequisiteKind::ALL[..]), text in typed()) {
        if let Ok(accepted) = check_memo(kind, &text) {
            let again = check_memo(kind, &accepted.value);
            prop_assert_eq!(again.map(|again| again.value), Ok(accepted.value));
        }
    }

    #[test]
    fn invisible_characters_and_outer_spaces_are_ignored(seed in select(&SEEDS[..]), at in 0..120usize, kind in select(&RequisiteKind::ALL[..])) {
        let at = at.min(seed.len());
        let dressed = format!("\u{feff} \u{a0}{}\u{200b}{}\u{2060}\t", &seed[..at], &seed[at..]);
        prop_assert_eq!(check(kind, &dressed), check(kind, seed));
    }

    #[test]
    fn any_text_can_be_masked_and_grouped_and_grouping_loses_nothing(kind in select(&RequisiteKind::ALL[..]), text in typed()) {
        let _ = mask(kind, &text);
        let compact = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
        prop_assert_eq!(compact(&group_for_reading(kind, &text)), compact(&text));
    }
}
