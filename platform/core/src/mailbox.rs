//! Which e-mail addresses lead to one mailbox: whoever has one can write it in many ways, and each looks like somebody else's.
//!
//! The form is for comparing alone. Nothing is sent to it: a provider this page does not know may give `a+b@` and `a@` to two people.

/// Providers under several names: every mailbox is there under each of them.
const SAME_PROVIDER: [(&str, &[&str]); 4] = [
    ("gmail.com", &["googlemail.com"]),
    ("yandex.ru", &["ya.ru", "yandex.com", "yandex.by", "yandex.kz", "yandex.ua", "yandex.com.tr", "narod.ru"]),
    ("proton.me", &["protonmail.com", "protonmail.ch", "pm.me"]),
    ("icloud.com", &["me.com", "mac.com"]),
];

/// An e-mail address in the form in which all that lead to its mailbox are equal.
///
/// Case says nothing, nor does what follows a `+`. Some providers have several names, and some read nothing into dots.
#[must_use]
pub fn mailbox(email: &str) -> String {
    let email = email.trim().to_lowercase();
    let Some((local, domain)) = email.rsplit_once('@') else { return email };
    let domain = domain.trim_matches(|sign: char| sign == '.' || sign.is_whitespace());
    let provider = SAME_PROVIDER.iter().find(|(_, names)| names.contains(&domain)).map_or(domain, |(name, _)| *name);
    let named = local.split('+').next().unwrap_or_default();
    let plain: String = match provider {
        "gmail.com" => named.replace('.', ""),
        // A hyphen is a dot there.
        "yandex.ru" => named.replace('-', "."),
        "proton.me" => named.replace(['.', '-', '_'], ""),
        _ => named.to_owned(),
    };
    // Nobody has a mailbox without a name; such an address is as it was typed.
    let name = if plain.trim().is_empty() { local } else { plain.trim() };
    format!("{name}@{provider}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn one_mailbox_has_one_form() {
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
        fn the_form_is_its_own_form(email in "\\PC{0,24}(@\\PC{0,12})?") {
            let form = mailbox(&email);
            prop_assert_eq!(mailbox(&form), form);
        }

        #[test]
        fn case_and_what_follows_a_plus_say_nothing((local, domain) in addresses(), tag in "[a-z0-9.+]{0,8}") {
            let plain = mailbox(&format!("{local}@{domain}"));
            prop_assert_eq!(mailbox(&format!("{local}+{tag}@{domain}").to_uppercase()), plain);
        }

        #[test]
        fn dots_say_nothing_where_the_provider_reads_nothing_into_them((local, _) in addresses(), at in 1_usize..12) {
            let at = at.min(local.len() - 1);
            let dotted = format!("{}.{}", &local[..at], &local[at..]);
            prop_assert_eq!(mailbox(&format!("{dotted}@gmail.com")), mailbox(&format!("{local}@gmail.com")));
            prop_assert_ne!(mailbox(&format!("{dotted}@mail.ru")), mailbox(&format!("{local}@mail.ru")));
        }

        #[test]
        fn other_names_stay_others((one, domain) in addresses(), (other, _) in addresses()) {
            let letters = |text: &str| text.replace(['.', '-', '_'], "");
            prop_assume!(letters(&one) != letters(&other));
            prop_assert_ne!(mailbox(&format!("{one}@{domain}")), mailbox(&format!("{other}@{domain}")));
        }
    }
}
