//! A contest's rules: pure.

pub mod draw;
pub mod published;

use agio_core::named;
use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive as _;

named! {
    /// Where a contest stands.
    ///
    /// ```text
    /// planned → running → closed → drawn → paid
    ///    └────────┴─→ cancelled
    /// ```
    State {
        /// Its period has not begun.
        Planned = "planned",
        /// Exchanges that are done now are entries.
        Running = "running",
        /// The list is fixed; the public value is awaited.
        Closed = "closed",
        /// There are winners.
        Drawn = "drawn",
        /// Every winner has their prize.
        Paid = "paid",
        /// Called off.
        Cancelled = "cancelled",
    }
}

impl State {
    /// Whether there are winners.
    #[must_use]
    pub const fn is_drawn(self) -> bool {
        matches!(self, Self::Drawn | Self::Paid)
    }

    /// Whether it takes entries, or will.
    #[must_use]
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Planned | Self::Running)
    }
}

/// How many tickets an exchange is: one, or one for each so much of its worth in the base currency, so many at most. An exchange whose worth
/// nobody can tell is one.
#[must_use]
pub fn weight(worth: Option<Decimal>, per_worth: Option<Decimal>, most: i64) -> i64 {
    let Some((worth, each)) = worth.zip(per_worth.filter(|each| *each > Decimal::ZERO)) else { return 1 };
    let tickets = worth.checked_div(each).and_then(|tickets| tickets.floor().to_i64());
    tickets.unwrap_or(most).clamp(0, most)
}

/// An e-mail address as the public sees it: its first letters and its ending.
#[must_use]
pub fn masked(email: &str) -> String {
    let (name, host) = email.split_once('@').unwrap_or((email, ""));
    let first = |text: &str| text.chars().next().filter(char::is_ascii_alphanumeric).map(String::from).unwrap_or_default();
    let ending =
        host.rsplit_once('.').map(|(_, ending)| ending).filter(|ending| ending.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    format!("{}***@{}***.{}", first(name), first(host), ending.unwrap_or("***"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        text.parse().unwrap()
    }

    #[test]
    fn a_greater_exchange_is_more_tickets_up_to_the_most() {
        let tickets = |worth: &str| weight(Some(decimal(worth)), Some(decimal("100")), 50);
        assert_eq!([tickets("99.99"), tickets("100"), tickets("1234.5"), tickets("99999999")], [0, 1, 12, 50]);
        assert_eq!(weight(Some(decimal("5")), None, 50), 1);
        assert_eq!(weight(None, Some(decimal("100")), 50), 1);
    }

    #[test]
    fn an_address_is_masked_so_that_its_owner_knows_it_and_nobody_else() {
        assert_eq!(masked("ivan@example.com"), "i***@e***.com");
        assert_eq!(masked("\"a\"@почта.рф"), "***@***.***");
        assert_eq!(masked("nobody"), "n***@***.***");
    }
}
