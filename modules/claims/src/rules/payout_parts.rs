//! The transfers of a payout that was made in parts.

use agio_core::Timestamp;

use crate::model::Action;

/// An event of a payout, as the history keeps it.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct PayoutEvent {
    pub at: Timestamp,
    pub action: String,
    /// The transaction that was sent. Older events have none.
    pub tx_id: Option<String>,
    /// What of the payout has arrived, in units of its currency; of the events that say it.
    pub paid_out_units: Option<i64>,
}

/// A transfer of a payout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PayoutPart {
    pub sent_at: Timestamp,
    pub tx_id: String,
    /// What arrived with it, in units of the payout's currency.
    pub units: i64,
}

/// The transfers of a payout of `whole` units, the oldest first. Until it is known how much of the last one has arrived,
/// it is the rest. What failed or came back is no part, and neither is a transfer whose transaction is not recorded.
pub fn payout_parts(events: &[PayoutEvent], whole: i64) -> Vec<PayoutPart> {
    let mut parts: Vec<PayoutPart> = Vec::new();
    let (mut sent, mut arrived) = (None, 0);
    let part = |(sent_at, tx_id): (Timestamp, Option<String>), units| Some(PayoutPart { sent_at, tx_id: tx_id?, units });
    for event in events {
        if event.action == Action::PayoutSent.name() {
            sent = Some((event.at, event.tx_id.clone()));
        } else if event.action == Action::PayoutFailed.name() {
            sent = None;
        } else if event.action == Action::PayoutReturned.name() {
            parts.clear();
            (sent, arrived) = (None, 0);
        } else if let Some(units) = event.paid_out_units {
            if let Some(sent) = sent.take() {
                parts.extend(part(sent, units - arrived));
            } else if let Some(last) = parts.last_mut() {
                // More of it has arrived than was known.
                last.units += units - arrived;
            }
            arrived = units;
        }
    }
    parts.extend(sent.and_then(|sent| part(sent, whole - arrived)));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(at: i64, tx_id: Option<&str>) -> PayoutEvent {
        let (action, tx_id) = (Action::PayoutSent.name().to_owned(), tx_id.map(str::to_owned));
        PayoutEvent { at: Timestamp(at), action, tx_id, paid_out_units: None }
    }

    fn event(action: Action, units: Option<i64>) -> PayoutEvent {
        PayoutEvent { at: Timestamp(100), action: action.name().to_owned(), tx_id: None, paid_out_units: units }
    }

    /// The transactions, times and amounts of a payout of 1000 units.
    fn parts(events: &[PayoutEvent]) -> Vec<(String, i64, i64)> {
        payout_parts(events, 1_000).into_iter().map(|part| (part.tx_id, part.sent_at.0, part.units)).collect()
    }

    fn part(tx_id: &str, at: i64, units: i64) -> (String, i64, i64) {
        (tx_id.to_owned(), at, units)
    }

    #[test]
    fn each_part_is_what_arrived_with_it() {
        let mut events = vec![sent(1, Some("a")), event(Action::PayoutPartial, Some(300)), sent(2, Some("b"))];
        assert_eq!(parts(&events), [part("a", 1, 300), part("b", 2, 700)], "the last one is the rest");
        events.push(event(Action::PayoutPartial, Some(400)));
        assert_eq!(parts(&events), [part("a", 1, 300), part("b", 2, 100)]);
        events.push(event(Action::Refund, Some(450)));
        assert_eq!(parts(&events), [part("a", 1, 300), part("b", 2, 150)], "more had arrived than was known");
    }

    #[test]
    fn what_failed_or_came_back_is_no_part() {
        let failed = [sent(1, Some("a")), event(Action::PayoutFailed, None), sent(2, Some("b"))];
        assert_eq!(parts(&failed), [part("b", 2, 1_000)]);
        let partial = event(Action::PayoutPartial, Some(300));
        let returned = [sent(1, Some("a")), partial.clone(), sent(2, Some("b")), event(Action::PayoutReturned, None)];
        assert!(parts(&returned).is_empty());
        let older = [sent(1, None), partial, sent(2, Some("b"))];
        assert_eq!(parts(&older), [part("b", 2, 700)], "an older transfer has no recorded transaction");
    }
}
