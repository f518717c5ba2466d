//! The life of a plugin: started, asked, ended, started again; and now and then given up.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::sleep;

use super::copy::Copy;
use super::talk::{Ask, Ending, Talk, Unanswered};
use super::{Order, Shared, State};
use crate::Reason;

/// A rest as short as this is waited out by those who ask.
const SHORT_REST: Duration = Duration::from_millis(500);

type Asks = mpsc::Receiver<Ask>;
type Orders = mpsc::UnboundedReceiver<Order>;

/// Minds a plugin until it is told to stop, or nobody is left who could ask.
pub async fn live(shared: Arc<Shared>, mut asks: Asks, mut orders: Orders) {
    let mut copy = None;
    loop {
        let ending = run(&shared, &mut copy, &mut asks, &mut orders).await;
        shared.record().process(None);
        let goes_on = match ending {
            Ending::Stop => false,
            Ending::Hopeless(reason) => {
                copy = None;
                quarantine(&shared, reason, &mut asks, &mut orders).await
            }
            Ending::Unlucky(why) => rest(&shared, shared.policy.rest_most, Reason::Stopped(why), &mut asks, &mut orders).await,
            Ending::Fault(reason) => {
                let faults = shared.blame(&reason);
                if faults >= shared.policy.faults {
                    quarantine(&shared, reason.to_string(), &mut asks, &mut orders).await
                } else {
                    rest(&shared, shared.rest_after(faults), reason, &mut asks, &mut orders).await
                }
            }
        };
        if !goes_on {
            break;
        }
        shared.record().restarted();
    }
    shared.enter(State::Stopped);
}

/// One process, from its start to its end.
async fn run(shared: &Shared, copy: &mut Option<Arc<Copy>>, asks: &mut Asks, orders: &mut Orders) -> Ending {
    shared.enter(State::Starting);
    let begun = async {
        let ready = prepared(shared, copy.take()).await?;
        *copy = Some(ready.clone());
        Talk::begin(shared, &ready).await
    };
    let talk = tokio::select! {
        begun = begun => match begun {
            Ok(talk) => talk,
            Err(ending) => return ending,
        },
        () = stopped(shared, orders) => return Ending::Stop,
    };
    shared.enter(State::Ready);
    talk.hold(asks, orders).await
}

/// A copy of the library that is what it should be, a moment before it is used.
async fn prepared(shared: &Shared, copy: Option<Arc<Copy>>) -> Result<Arc<Copy>, Ending> {
    let library = shared.library.clone();
    let prepared = tokio::task::spawn_blocking(move || match copy {
        Some(copy) => copy.verify().map(|()| copy),
        None => Copy::of(&library).map(Arc::new),
    });
    prepared.await.map_err(|error| Ending::Unlucky(error.to_string()))?.map_err(Ending::Hopeless)
}

/// Waits until the plugin is to stop.
async fn stopped(shared: &Shared, orders: &mut Orders) {
    loop {
        match orders.recv().await {
            Some(Order::Blame(reason)) => {
                shared.blame(&reason);
            }
            Some(Order::Revive) => {}
            Some(Order::Stop) | None => return,
        }
    }
}

/// Lets a plugin be for a while. Says whether it goes on after that.
async fn rest(shared: &Shared, delay: Duration, reason: Reason, asks: &mut Asks, orders: &mut Orders) -> bool {
    shared.enter(State::Resting { reason: reason.to_string() });
    let over = sleep(delay);
    tokio::pin!(over);
    loop {
        tokio::select! {
            () = &mut over => return true,
            () = stopped(shared, orders) => return false,
            Some(ask) = asks.recv(), if delay > SHORT_REST => refuse(ask, reason.clone()),
        }
    }
}

/// Gives a plugin up. Says whether it goes on, after somebody said so.
async fn quarantine(shared: &Shared, reason: String, asks: &mut Asks, orders: &mut Orders) -> bool {
    tracing::error!(library = %shared.library.path.display(), reason, "a plugin is quarantined");
    shared.log.say(&format!("quarantined: {reason}"));
    shared.enter(State::Quarantined { reason: reason.clone() });
    loop {
        tokio::select! {
            Some(ask) = asks.recv() => refuse(ask, Reason::Quarantined(reason.clone())),
            order = orders.recv() => match order {
                Some(Order::Revive) => {
                    shared.record().forgive();
                    return true;
                }
                Some(Order::Blame(_)) => {}
                Some(Order::Stop) | None => return false,
            },
        }
    }
}

fn refuse(ask: Ask, reason: Reason) {
    let _ = ask.reply.send(Err(Unanswered::For(reason)));
}

impl Shared {
    /// Holds something against the plugin; gives how many faults there were lately.
    pub fn blame(&self, reason: &Reason) -> usize {
        tracing::warn!(library = %self.library.path.display(), %reason, "a plugin is at fault");
        self.log.say(&reason.to_string());
        self.record().blame(self.clock.now(), &self.policy)
    }

    /// How long it rests after so many faults: twice as long each time, and up to a quarter less, so that plugins that fell together do not rise
    /// together.
    fn rest_after(&self, faults: usize) -> Duration {
        let doublings = u32::try_from(faults.saturating_sub(1)).unwrap_or(u32::MAX).min(20);
        let rest = self.policy.rest.saturating_mul(1 << doublings).min(self.policy.rest_most);
        let mut byte = [0];
        self.random.fill(&mut byte);
        rest - rest / 1024 * u32::from(byte[0])
    }
}
