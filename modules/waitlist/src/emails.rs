//! The emails of the waitlist.

use agio_contracts::{CurrencyInfo, OfferedDirection};
use agio_core::error::Params;
use agio_core::texts::{Locale, Texts};
use agio_mail::{Email, format_money, format_rate};
use rust_decimal::Decimal;
use uuid::Uuid;

use crate::service::{WaitlistDirection, WaitlistEntry};

pub struct WaitlistEmail<'e> {
    pub entry: &'e WaitlistEntry,
    pub texts: &'e Texts,
}

impl WaitlistEmail<'_> {
    /// Asks the owner of the address whether they want to be told.
    pub fn confirmation(&self, hours: u64) -> Email {
        let WaitlistEntry { condition, direction, row } = self.entry;
        let mut email = self.email("waitlist_confirmation").with("hours", hours).with_button(page(row.id));
        if let Some(amount) = condition.amount {
            email = email.with_detail(self.text("waitlist.amount"), self.money(amount, &direction.receive), None);
        }
        if let Some(rate) = condition.rate {
            email = email.with_detail(self.text("waitlist.rate"), self.rate(rate), None);
        }
        email
    }

    /// Tells what the direction offers now.
    pub fn notification(&self, offer: &OfferedDirection) -> Email {
        let WaitlistEntry { direction: WaitlistDirection { give, receive }, .. } = self.entry;
        let rate = offer.rates.first().map_or(Decimal::ZERO, |(_, rate)| *rate);
        self.email("waitlist_notification")
            .with_detail(self.text("waitlist.rate_now"), self.rate(rate), None)
            .with_detail(self.text("waitlist.max_now"), self.money(offer.to.max, receive), None)
            .with_button(format!("/?cur_from={}&cur_to={}", give.code, receive.code))
    }

    fn email(&self, kind: &'static str) -> Email {
        let WaitlistEntry { direction: WaitlistDirection { give, receive }, row, .. } = self.entry;
        let name = |currency: &CurrencyInfo| currency.name.get(self.locale()).to_owned();
        Email::new(kind, ("waitlist", format!("{}-{}", give.code, receive.code)))
            .with("give", name(give))
            .with("receive", name(receive))
            .with_unsubscribe(self.text("waitlist.stop"), page(row.id), format!("/api/v1/waitlist/{}/unsubscribe", row.id))
            .private()
    }

    fn locale(&self) -> Locale {
        self.entry.row.locale
    }

    fn text(&self, key: &str) -> String {
        self.texts.get(self.locale(), key, &Params::new())
    }

    fn money(&self, value: Decimal, currency: &CurrencyInfo) -> String {
        format_money(value, &currency.ticker, self.locale())
    }

    fn rate(&self, rate: Decimal) -> String {
        let WaitlistDirection { give, receive } = &self.entry.direction;
        format_rate(rate, &give.ticker, &receive.ticker, self.locale())
    }
}

/// The page that confirms an entry and unsubscribes.
fn page(id: Uuid) -> String {
    format!("/waitlist/{id}")
}
