//! A typo of one character in a value with a checksum must never be accepted.

use crate::{RequisiteKind, check_as};

/// Values with a checksum, at least one of every form.
const CHECKSUMMED: [(RequisiteKind, &str); 82] = [
    (RequisiteKind::Btc, "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"),
    (RequisiteKind::Btc, "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy"),
    (RequisiteKind::Btc, "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"),
    (RequisiteKind::Btc, "BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4"),
    (RequisiteKind::Btc, "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0"),
    (RequisiteKind::Ltc, "LVuDpNCSSj6pQ7t9Pv6d6sUkLKoqDEVUnJ"),
    (RequisiteKind::Ltc, "MJaRnao1s62a2zAKSkmG582KbLKianqb7v"),
    (RequisiteKind::Ltc, "ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9"),
    (RequisiteKind::Ltc, "ltc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqpj6zg2"),
    (RequisiteKind::Doge, "DFpN6QqFfUm3gKNaxN6tNcab1FArL9cZLE"),
    (RequisiteKind::Doge, "A37YDYSwz3438rFtm1SLVcQHyD7JeueC9H"),
    (RequisiteKind::Dash, "XmN7PQYWKn5MJFna5fRYgP6mxT2F7xpekE"),
    (RequisiteKind::Dash, "7d5vJtfDixGnEFRNcVSRarmaCBZeScHACn"),
    (RequisiteKind::Zec, "t1UYsZVJkLPeMjxEtACvSxfWuNmddpWfxzs"),
    (RequisiteKind::Zec, "t3VEtV2oBtHxjq7wKHJb3PHsqXHvMRgUmVw"),
    (RequisiteKind::Bch, "bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a"),
    (RequisiteKind::Bch, "ppm2qsznhks23z7629mms6s4cwef74vcwvn0h829pq"),
    (RequisiteKind::Evm, "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"),
    (RequisiteKind::Evm, "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359"),
    (RequisiteKind::Tron, "TLeUZDGLWnyiJVFcp3m3M1782uBsGWa8uf"),
    (RequisiteKind::Ton, "EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPrHF"),
    (RequisiteKind::Ton, "UQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPuwA"),
    (RequisiteKind::Ton, "Ef_KbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPk6N"),
    (RequisiteKind::Xmr, "44AFFq5kSiGBoZ4NMDwYtN18obc8AemS33DBLWs3H7otXft3XjrpDtQGv7SqSsaBYBb98uNbr2VBBEt7f2wfn3RVGQBEP3A"),
    (RequisiteKind::Xmr, "888tNkZrPN6JsEgekjMnABU4TBzc2Dt29EPAvkRxbANsAnjyPbb3iQ1YBRk1UXcdRsiKc9dhwMVgN5S9cQUiyoogDavup3H"),
    (
        RequisiteKind::Xmr,
        "4DrvGduF3ynBoZ4NMDwYtN18obc8AemS33DBLWs3H7otXft3XjrpDtQGv7SqSsaBYBb98uNbr2VBBEt7f2wfn3RVPkQywN5o4wNU3C4oBH",
    ),
    (RequisiteKind::Xrp, "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh"),
    (RequisiteKind::Xrp, "XVPcpSm47b1CZkf5AkKM9a84dQHe3mTAxgxfLw2qYoe7Boa"),
    (RequisiteKind::Xlm, "GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ"),
    (RequisiteKind::Ada, "addr1vx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzers66hrl8"),
    (
        RequisiteKind::Ada,
        "addr1qx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzer3n0d3vllmyqwsx5wktcd8cc3sq835lu7drv2xwl2wywfgse35a3x",
    ),
    (RequisiteKind::Qtum, "QXHFfTBKYXjaaTH1e7Rox8CcdNPGHVhM59"),
    (RequisiteKind::Qtum, "MR8UQSBr5ULwWheBHznrHk2jxyxkHQu8vB"),
    (RequisiteKind::Qtum, "qc1qw508d6qejxtdg4y5r3zarvary0c5xw7kq52at0"),
    (RequisiteKind::Qtum, "QC1QRP33G0Q5C5TXSP9ARYSRX4K6ZDKFS4NCE4XJ0GDCCCEFVPYSXF3QTD3G7A"),
    (RequisiteKind::Xvg, "DFpN6QqFfUm3gKNaxN6tNcab1FArL9cZLE"),
    (RequisiteKind::Xvg, "EaPDfb7x1QU3cLGhss8S3cQNGQaiGVDNz7"),
    (RequisiteKind::Bsv, "1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH"),
    (RequisiteKind::Kmd, "RKxTdfmtxtfLDKZBgx6SvNkBtNu9jRYnLh"),
    (RequisiteKind::Kmd, "bVxasEcvvnZc8sXD9gT1G8ZGzdym8MezvH"),
    (RequisiteKind::Btg, "GUXByHDZLvU4DnVH9imSFckt3HEQ5cFgE5"),
    (RequisiteKind::Btg, "AZ1BpW94ubqHRzsqdfoFCMgVyN1H4CnSEp"),
    (RequisiteKind::Btg, "btg1qw508d6qejxtdg4y5r3zarvary0c5xw7k6w057a"),
    (RequisiteKind::Rvn, "RKxTdfmtxtfLDKZBgx6SvNkBtNu9jRYnLh"),
    (RequisiteKind::Rvn, "rPTuJFebCTi2PugR4CmoCmdPHJWfVh28Ha"),
    (RequisiteKind::Dgb, "DFpN6QqFfUm3gKNaxN6tNcab1FArL9cZLE"),
    (RequisiteKind::Dgb, "SeXKCr4bJpNL9LTJcT7zbNZy9YK1Vihyox"),
    (RequisiteKind::Dgb, "3JvL6Ymt8MVWiCNHC7oWU6nLeHNJKLZGLN"),
    (RequisiteKind::Dgb, "dgb1qw508d6qejxtdg4y5r3zarvary0c5xw7kmudfnm"),
    (RequisiteKind::Dgb, "dgb1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqlussds"),
    (RequisiteKind::Dot, "15sND1xy2556eoAx6eGV6zkURiPJ9T9qJ8XMDHsYTuZezp7f"),
    (RequisiteKind::Atom, "cosmos1w508d6qejxtdg4y5r3zarvary0c5xw7k6ah60c"),
    (RequisiteKind::Atom, "cosmos16adfsqvzky9t042tlmfujeq88g8wzuhnm2nzxfd0qgdx3ac82ydqkss0nh"),
    (RequisiteKind::Atom, "COSMOS1W508D6QEJXTDG4Y5R3ZARVARY0C5XW7K6AH60C"),
    (RequisiteKind::Xtz, "tz1VSUr8wwNhLAzempoch5d6hLRiTh8Cjcjb"),
    (RequisiteKind::Xtz, "tz2Ao6WUwrHQC2NWaLMAZEwri5swKGmfa9cR"),
    (RequisiteKind::Xtz, "tz3NouToqiQwaepozbRRZCQEXSmT66v5p6Gn"),
    (RequisiteKind::Xtz, "tz4HVR6aty9KwsQFHh81C1G7gBdhxT8kuytm"),
    (RequisiteKind::Algo, "25NJQAMCWEFLPVKL73J4SZAHHIHOC4XT3KTCGJNPAINGR5YHKENMEF5QTE"),
    (RequisiteKind::Xem, "NBCXN3R4SUTPPTR5ZFKHW7TXTMS6KT7BHIHU3YIZ"),
    (RequisiteKind::Neo, "NVHt5YtAnadMwntAVAJLUy36M2nLYKHUeK"),
    (RequisiteKind::Ont, "AR6NuGFzZfzqbXR3YasfXNmR3VHVNKi2yo"),
    (RequisiteKind::Waves, "3PQyEjxFZZuH8ewGJsLTpuDbJsNqhSwYvoW"),
    (RequisiteKind::Hbar, "0.0.1234567-ylkls"),
    (RequisiteKind::Hbar, "0.0.1234567890-zbhlt"),
    (RequisiteKind::Fil, "f17uoq6tp427uzv7fztkbsnn64iwotfrristwpryy"),
    (RequisiteKind::Fil, "f3vvmn62lofvhjd2ugzca6sof2j2ubwok6cj4xxbfzz4yuxfkgobpihhd2thlanmsh3w2ptld2gqkn2jvlss4a"),
    (RequisiteKind::Fil, "f410flkxlmbj7h2kmtonat4zwnfbv47xrx2xn5yjm6ma"),
    (RequisiteKind::Kas, "kaspa:qqjmak7xtwq8kn57ngjt0fcw59jgh7nrxc4q59kj0g2gqgyktfeucgwqm3fnl"),
    (RequisiteKind::Kas, "qqjmak7xtwq8kn57ngjt0fcw59jgh7nrxc4q59kj0g2gqgyktfeucgwqm3fnl"),
    (RequisiteKind::Kas, "kaspa:qyp4scvsxvkrjxyq98gd4xedhgrqtmf78l7wl8p8p4j0mjuvpwjg5cqhy97n472"),
    (RequisiteKind::Kas, "kaspa:pq3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zy877axpvm"),
    (RequisiteKind::Iban, "GB29NWBK60161331926819"),
    (RequisiteKind::Iban, "DE89370400440532013000"),
    (RequisiteKind::Iban, "KZ86125KZT5004100100"),
    (RequisiteKind::Iban, "MT84MALT011000012345MTLCAST001S"),
    (RequisiteKind::Iban, "NO9386011117947"),
    (RequisiteKind::Card, "4111111111111111"),
    (RequisiteKind::Card, "2200000000000004"),
    (RequisiteKind::Card, "6205500000000000004"),
    (RequisiteKind::Card, "378282246310005"),
    (RequisiteKind::AccountRu, "40817810500012345678/044525974"),
];

/// Digits of a Russian BIC that the account's check digit does not cover: the region and the first of the bank's number.
const UNCOVERED_BIC_DIGITS: std::ops::Range<usize> = 23..27;

/// Whether the kind's checksum is known not to see this change.
fn is_uncovered(kind: RequisiteKind, index: usize, before: &str, after: &str) -> bool {
    let is_digit = |text: &str| text.as_bytes()[index].is_ascii_digit();
    match kind {
        RequisiteKind::AccountRu => UNCOVERED_BIC_DIGITS.contains(&index),
        // Remainders by 97 can agree when a letter, which counts as two digits, takes the place of one digit or the other way round.
        RequisiteKind::Iban => is_digit(before) != is_digit(after),
        _ => false,
    }
}

/// Every letter and digit, and the marks of base64. Spaces and dashes are left out: dropping them is what the check is for.
fn replacements() -> impl Iterator<Item = char> {
    ('0'..='9').chain('A'..='Z').chain('a'..='z').chain(['+', '/', '_', ':', '.'])
}

/// Every value that differs from `value` in one character, with the index of that character.
fn mutations(value: &str) -> impl Iterator<Item = (usize, String)> {
    value.char_indices().flat_map(move |(index, original)| {
        let changed = move |new: char| (index, format!("{}{new}{}", &value[..index], &value[index + 1..]));
        replacements().filter(move |&new| new != original).map(changed)
    })
}

#[test]
fn one_changed_character_is_rejected_at_any_position() {
    for (kind, value) in CHECKSUMMED {
        let right = check_as(kind, value).unwrap_or_else(|refusal| panic!("{kind} {value}: {refusal:?}"));
        assert!(!right.warnings.iter().any(|warning| warning.code == "check_twice"), "{kind} {value} has no checksum");
        for (index, changed) in mutations(value) {
            // Another writing of the same value is no slip: a small letter in an IBAN, `+` for `-` in TON's base64, `0X` for `0x`.
            let passes = check_as(kind, &changed).is_ok_and(|accepted| accepted.value != right.value);
            assert!(!passes || is_uncovered(kind, index, value, &changed), "{kind}: {changed} passes for {value}");
        }
    }
}

#[test]
fn one_missing_character_is_rejected_in_every_address() {
    for (kind, value) in CHECKSUMMED.into_iter().filter(|(kind, _)| kind.is_address()) {
        for index in 0..value.len() {
            let shorter = format!("{}{}", &value[..index], &value[index + 1..]);
            assert!(check_as(kind, &shorter).is_err(), "{kind}: {shorter} passes for {value}");
        }
    }
}
