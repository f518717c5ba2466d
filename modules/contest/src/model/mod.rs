//! Pure rules of contests.

pub mod draw;
pub mod published_draw;

use agio_core::named;
use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive as _;

// planned → running → closed → drawn → paid
//    └────────┴─→ cancelled
named! {
    /// State of a contest.
    ContestState {
        /// The period has not begun.
        Planned = "planned",
        /// Completed exchanges become entries.
        Running = "running",
        /// The list of entries is final; waiting for the draw.
        Closed = "closed",
        /// Winners are drawn.
        Drawn = "drawn",
        /// All prizes are paid.
        Paid = "paid",
        Cancelled = "cancelled",
    }
}

impl ContestState {
    pub const fn is_drawn(self) -> bool {
        matches!(self, Self::Drawn | Self::Paid)
    }

    /// Whether it takes entries now or later.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Planned | Self::Running)
    }
}

/// Tickets of an exchange: one per `volume_per_ticket` of its value in the base currency, at most `max`; one if there is no
/// `volume_per_ticket` or the value is unknown.
pub fn weight(volume: Option<Decimal>, volume_per_ticket: Option<Decimal>, max: i64) -> i64 {
    let Some((volume, each)) = volume.zip(volume_per_ticket.filter(|each| *each > Decimal::ZERO)) else { return 1 };
    let tickets = volume.checked_div(each).and_then(|tickets| tickets.floor().to_i64());
    tickets.unwrap_or(max).clamp(0, max)
}

/// Masks an e-mail address except its first letters and its top-level domain.
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
    fn larger_exchanges_get_more_tickets_up_to_the_maximum() {
        let tickets = |volume: &str| weight(Some(decimal(volume)), Some(decimal("100")), 50);
        assert_eq!([tickets("99.99"), tickets("100"), tickets("1234.5"), tickets("99999999")], [0, 1, 12, 50]);
        assert_eq!(weight(Some(decimal("5")), None, 50), 1);
        assert_eq!(weight(None, Some(decimal("100")), 50), 1);
    }

    #[test]
    fn addresses_are_masked() {
        assert_eq!(masked("ivan@example.com"), "i***@e***.com");
        assert_eq!(masked("\"a\"@почта.рф"), "***@***.***");
        assert_eq!(masked("nobody"), "n***@***.***");
    }
}
