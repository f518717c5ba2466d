//! What speaks for a referrer having exchanged themselves. It is told to staff, who decide; nothing is dropped for it.

use agio_core::mailbox::mailbox;
use uuid::Uuid;

/// One thing that speaks for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flag {
    /// The exchange was made in the referrer's own account.
    Account,
    /// With an e-mail address of its mailbox.
    Email,
    /// Paid out to where the referrer was paid.
    Payout,
    /// In a browser the referrer used.
    Browser,
    /// From a network address the referrer used.
    Address,
}

impl Flag {
    /// Every flag, the strongest first.
    pub const ALL: [Self; 5] = [Self::Account, Self::Email, Self::Payout, Self::Browser, Self::Address];

    /// The code it is stored and sent under.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Account => "same_account",
            Self::Email => "same_email",
            Self::Payout => "same_payout",
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
    /// Digests of browsers, network addresses and payout details they were seen with.
    pub marks: &'a [String],
}

/// What is known of an exchange.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// The account it was made in.
    pub account: Option<Uuid>,
    /// Its e-mail address, in lower case.
    pub email: &'a str,
    /// Digest of where it was paid out to.
    pub payout: Option<&'a str>,
    /// Digest of the browser it was made in.
    pub browser: &'a str,
    /// Digest of the network address it was made from.
    pub address: &'a str,
}

/// What speaks for the referrer having made an exchange.
#[must_use]
pub fn flags(referrer: Known<'_>, exchange: Seen<'_>) -> Vec<Flag> {
    let is_marked = |digest: &str| referrer.marks.iter().any(|mark| mark == digest);
    let holds = |flag: &Flag| match flag {
        Flag::Account => exchange.account == Some(referrer.account),
        Flag::Email => mailbox(exchange.email) == mailbox(referrer.email),
        Flag::Payout => exchange.payout.is_some_and(is_marked),
        Flag::Browser => is_marked(exchange.browser),
        Flag::Address => is_marked(exchange.address),
    };
    Flag::ALL.into_iter().filter(holds).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_thing_in_common_is_named() {
        let account = Uuid::from_u128(1);
        let marks = ["browser".to_owned(), "address".to_owned(), "card".to_owned()];
        let known = Known { account, email: "ivan@gmail.com", marks: &marks };
        let other = Seen { account: None, email: "olga@gmail.com", payout: None, browser: "another", address: "elsewhere" };
        assert_eq!(flags(known, other), []);
        let own = Seen {
            account: Some(account),
            email: "ivan@gmail.com",
            payout: Some("card"),
            browser: "browser",
            address: "address",
        };
        assert_eq!(flags(known, own), Flag::ALL);
        assert_eq!(flags(known, Seen { account: Some(Uuid::nil()), browser: "browser", ..other }), [Flag::Browser]);
        assert_eq!(flags(known, Seen { email: "i.van+1@googlemail.com", ..other }), [Flag::Email]);
        assert_eq!(flags(known, Seen { payout: Some("card"), ..other }), [Flag::Payout]);
    }
}
