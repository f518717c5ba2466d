//! What speaks for a referrer having exchanged themselves. It is told to staff, who decide; nothing is dropped for it.

use uuid::Uuid;

/// One thing that speaks for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flag {
    /// The exchange was made in the referrer's own account.
    Account,
    /// With the e-mail address of it.
    Email,
    /// In a browser the referrer used.
    Browser,
    /// From a network address the referrer used.
    Address,
}

impl Flag {
    /// Every flag, the strongest first.
    pub const ALL: [Self; 4] = [Self::Account, Self::Email, Self::Browser, Self::Address];

    /// The code it is stored and sent under.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Account => "same_account",
            Self::Email => "same_email",
            Self::Browser => "same_browser",
            Self::Address => "same_address",
        }
    }
}

/// What is known of a referrer.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    /// The account.
    pub account: Uuid,
    /// Its e-mail address, in lower case.
    pub email: &'a str,
    /// Digests of browsers and network addresses they were seen with.
    pub marks: &'a [String],
}

/// What speaks for the referrer having made an exchange: in this account, with this e-mail address, in this browser, from this address.
#[must_use]
pub fn flags(referrer: Known<'_>, account: Option<Uuid>, email: &str, browser: &str, address: &str) -> Vec<Flag> {
    let is_marked = |digest: &str| referrer.marks.iter().any(|mark| mark == digest);
    let holds = |flag: &Flag| match flag {
        Flag::Account => account == Some(referrer.account),
        Flag::Email => email == referrer.email,
        Flag::Browser => is_marked(browser),
        Flag::Address => is_marked(address),
    };
    Flag::ALL.into_iter().filter(holds).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_thing_in_common_is_named() {
        let account = Uuid::from_u128(1);
        let marks = ["browser".to_owned(), "address".to_owned()];
        let known = Known { account, email: "ivan@example.com", marks: &marks };
        assert_eq!(flags(known, None, "olga@example.com", "another", "elsewhere"), []);
        assert_eq!(flags(known, Some(account), "ivan@example.com", "browser", "address"), Flag::ALL);
        assert_eq!(flags(known, Some(Uuid::nil()), "olga@example.com", "browser", "elsewhere"), [Flag::Browser]);
    }
}
