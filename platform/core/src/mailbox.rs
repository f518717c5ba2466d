//! Normalisation of e-mail addresses: one mailbox can be written in many ways.
//!
//! The normal form is for comparison only. Nothing is sent to it: an unknown provider may treat `a+b@` and `a@` as two
//! mailboxes.

/// Providers with several domain names, whose mailboxes exist under each of them.
const SAME_PROVIDER: [(&str, &[&str]); 4] = [
    ("gmail.com", &["googlemail.com"]),
    ("yandex.ru", &["ya.ru", "yandex.com", "yandex.by", "yandex.kz", "yandex.ua", "yandex.com.tr", "narod.ru"]),
    ("proton.me", &["protonmail.com", "protonmail.ch", "pm.me"]),
    ("icloud.com", &["me.com", "mac.com"]),
];

/// The normal form of an address, equal for all addresses of one mailbox.
///
/// Case and everything after a `+` are ignored. So are, for some providers, domain aliases and dots.
#[must_use]
pub fn mailbox(email: &str) -> String {
    let email = email.trim().to_lowercase();
    let Some((local, domain)) = email.rsplit_once('@') else { return email };
    let domain = domain.trim_matches(|sign: char| sign == '.' || sign.is_whitespace());
    let provider = SAME_PROVIDER.iter().find(|(_, names)| names.contains(&domain)).map_or(domain, |(name, _)| *name);
    let named = local.split('+').next().unwrap_or_default();
    let plain: String = match provider {
        "gmail.com" => named.replace('.', ""),
        // Yandex treats a hyphen as a dot.
        "yandex.ru" => named.replace('-', "."),
        "proton.me" => named.replace(['.', '-', '_'], ""),
        _ => named.to_owned(),
    };
    // An address without a local part stays as it is.
    let name = if plain.trim().is_empty() { local } else { plain.trim() };
    format!("{name}@{provider}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn aliases_of_a_mailbox_are_equal() {
        for (one, other) in [
            ("Ivan.Petrov+work@GoogleMail.com", "ivanpetrov@gmail.com"),
            ("ivan-petrov@ya.ru", "ivan.petrov+1+2@yandex.com"),
            ("i.v_a-n@pm.me", "ivan@protonmail.com"),
            ("ivan+shop@outlook.com", "ivan@outlook.com"),
            ("ivan@mac.com", "ivan@icloud.com"),
            ("ivan@example.com.", "ivan@example.com"),
        ] {
            assert_eq!(mailbox(one), mailbox(other));
        }
        for (one, other) in [
            ("i.van@outlook.com", "ivan@outlook.com"),
            ("i-van@gmail.com", "ivan@gmail.com"),
            ("ivan@mail.ru", "ivan@inbox.ru"),
            ("+a@gmail.com", "+b@gmail.com"),
            ("ivan@example.com", "ivan@example.org"),
        ] {
            assert_ne!(mailbox(one), mailbox(other));
        }
    }

    fn addresses() -> impl Strategy<Value = (String, String)> {
        let domains =
            prop::sample::select(vec!["gmail.com", "googlemail.com", "ya.ru", "yandex.kz", "pm.me", "mail.ru", "example.com"]);
        ("[a-z0-9._-]{1,12}[a-z0-9]", domains.prop_map(str::to_owned))
    }

    proptest! {
        #[test]
        fn normalisation_is_idempotent(email in "\\PC{0,24}(@\\PC{0,12})?") {
            let form = mailbox(&email);
            prop_assert_eq!(mailbox(&form), form);
        }

        #[test]
        fn case_and_plus_tags_are_ignored((local, domain) in addresses(), tag in "[a-z0-9.+]{0,8}") {
            let plain = mailbox(&format!("{local}@{domain}"));
            prop_assert_eq!(mailbox(&format!("{local}+{tag}@{domain}").to_uppercase()), plain);
        }

        #[test]
        fn dots_are_ignored_for_gmail_only((local, _) in addresses(), at in 1_usize..12) {
            let at = at.min(local.len() - 1);
            let dotted = format!("{}.{}", &local[..at], &local[at..]);
            prop_assert_eq!(mailbox(&format!("{dotted}@gmail.com")), mailbox(&format!("{local}@gmail.com")));
            prop_assert_ne!(mailbox(&format!("{dotted}@mail.ru")), mailbox(&format!("{local}@mail.ru")));
        }

        #[test]
        fn different_names_stay_different((one, domain) in addresses(), (other, _) in addresses()) {
            let without_separators = |text: &str| text.replace(['.', '-', '_'], "");
            prop_assume!(without_separators(&one) != without_separators(&other));
            prop_assert_ne!(mailbox(&format!("{one}@{domain}")), mailbox(&format!("{other}@{domain}")));
        }
    }
}
