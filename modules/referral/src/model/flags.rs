//! Signs of self-referral. They only send a commission to review.

use agio_core::mailbox::mailbox;
use uuid::Uuid;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flag {
    Account,
    Email,
    Payout,
    Browser,
    Address,
}

impl Flag {
    /// Strongest first.
    pub const ALL: [Self; 5] = [Self::Account, Self::Email, Self::Payout, Self::Browser, Self::Address];

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

#[derive(Clone, Copy, Debug)]
pub struct ReferrerTraces<'a> {
    pub account: Uuid,
    pub email: &'a str,
    pub traces: &'a [String],
}

#[derive(Clone, Copy, Debug)]
pub struct ExchangeTraces<'a> {
    pub account: Option<Uuid>,
    pub email: &'a str,
    pub payout: Option<&'a str>,
    pub browser: &'a str,
    pub address: &'a str,
}

pub fn flags(referrer: ReferrerTraces<'_>, exchange: ExchangeTraces<'_>) -> Vec<Flag> {
    let is_traced = |digest: &str| referrer.traces.iter().any(|trace| trace == digest);
    let holds = |flag: &Flag| match flag {
        Flag::Account => exchange.account == Some(referrer.account),
        Flag::Email => mailbox(exchange.email) == mailbox(referrer.email),
        Flag::Payout => exchange.payout.is_some_and(is_traced),
        Flag::Browser => is_traced(exchange.browser),
        Flag::Address => is_traced(exchange.address),
    };
    Flag::ALL.into_iter().filter(holds).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shared_trace_is_flagged() {
        let account = Uuid::from_u128(1);
        let traces = ["browser".to_owned(), "address".to_owned(), "card".to_owned()];
        let known = ReferrerTraces { account, email: "ivan@gmail.com", traces: &traces };
        let other =
            ExchangeTraces { account: None, email: "olga@gmail.com", payout: None, browser: "another", address: "elsewhere" };
        assert_eq!(flags(known, other), []);
        let own = ExchangeTraces {
            account: Some(account),
            email: "ivan@gmail.com",
            payout: Some("card"),
            browser: "browser",
            address: "address",
        };
        assert_eq!(flags(known, own), Flag::ALL);
        assert_eq!(flags(known, ExchangeTraces { account: Some(Uuid::nil()), browser: "browser", ..other }), [Flag::Browser]);
        assert_eq!(flags(known, ExchangeTraces { email: "i.van+1@googlemail.com", ..other }), [Flag::Email]);
        assert_eq!(flags(known, ExchangeTraces { payout: Some("card"), ..other }), [Flag::Payout]);
    }
}
