//! A contest's rules: pure.

pub mod draw;
pub mod published;

use std::fmt;
use std::str::FromStr;

use agio_core::text_column;
use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive as _;

/// Where a contest stands.
///
/// ```text
/// planned → running → closed → drawn → paid
///    └────────┴─→ cancelled
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// Its period has not begun.
    Planned,
    /// Exchanges that are done now are entries.
    Running,
    /// The list is fixed; the public value is awaited.
    Closed,
    /// There are winners.
    Drawn,
    /// Every winner has their prize.
    Paid,
    /// Called off.
    Cancelled,
}

impl State {
    /// Every state.
    pub const ALL: [Self; 6] = [Self::Planned, Self::Running, Self::Closed, Self::Drawn, Self::Paid, Self::Cancelled];

    /// The stable name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Planned => "planned",
            Self::Running => "running",
            Self::Closed => "closed",
            Self::Drawn => "drawn",
            Self::Paid => "paid",
            Self::Cancelled => "cancelled",
        }
    }

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

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for State {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|state| state.name() == name).ok_or_else(|| format!("no contest is {name:?}"))
    }
}

text_column!(State);

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
