//! Tries plugins against a server on this machine that speaks well or badly.
//!
//! A [`Double`] stands for whoever a plugin calls and answers what it was told to; [`ask`] asks a plugin as the house does, with every bound of the
//! house around it. [`survives`] sends it everything that goes wrong on the way, whatever the plugin reads.

mod double;
mod poison;

use std::sync::Arc;

use agio_core::Timestamp;
use agio_core::clock::ManualClock;
use agio_plugin::Plugin;
use agio_plugin::protocol::{Answer, Body, Call, Document, Manifest, Prices, Question, Step};
use agio_plugin_host::{BuiltIn, Fault, Hand, Plugins as _, Private, Reason};

pub use double::{Double, Reply, Seen};
pub use poison::survives;

/// A plugin that is waited for no longer than a test should last.
struct Hurried<P>(P);

impl<P: Plugin> Plugin for Hurried<P> {
    fn manifest(&self) -> Manifest {
        let mut manifest = self.0.manifest();
        manifest.limits.request_ms = manifest.limits.request_ms.min(PATIENCE_MS);
        manifest
    }

    fn handle(&self, question: &Question) -> Step {
        self.0.handle(question)
    }
}

/// How long a request may last here, in milliseconds.
const PATIENCE_MS: u32 = 400;

/// A plugin with what is set for it, in a house whose clock stands still.
#[must_use]
pub fn house(now: &str, plugin: impl Plugin, set: &[(&str, &str)]) -> BuiltIn {
    let clock = Arc::new(ManualClock::at(Timestamp::parse(now).expect("a moment")));
    let hand = Hand::new(clock, Private::Everything).expect("TLS can be had");
    BuiltIn::new(hand).with(Hurried(plugin), set)
}

/// Asks a plugin once.
///
/// # Errors
/// Whatever the house would be told.
pub async fn ask(now: &str, plugin: impl Plugin, set: &[(&str, &str)], call: Call) -> Result<Answer, Fault> {
    let name = plugin.manifest().name;
    house(now, plugin, set).ask(&name, call).await
}

/// The prices of these assets that a source tells.
///
/// # Errors
/// Why it does not, in words.
pub async fn prices(now: &str, plugin: impl Plugin, assets: &[&str]) -> Result<Prices, String> {
    match ask(now, plugin, &[], prices_of(assets)).await {
        Ok(Answer::Prices(prices)) => Ok(prices),
        Ok(other) => panic!("{other:?} are no prices"),
        Err(fault) => Err(fault.to_string()),
    }
}

/// The question what these assets are worth.
#[must_use]
pub fn prices_of(assets: &[&str]) -> Call {
    Call::Prices { assets: assets.iter().map(|asset| (*asset).to_owned()).collect() }
}

/// Has a plugin read a file.
///
/// # Errors
/// The code of the refusal, and why.
pub fn read(now: &str, plugin: &impl Plugin, file: &[u8]) -> Result<Prices, (String, String)> {
    let received_at = Timestamp::parse(now).expect("a moment").0;
    let question = Question {
        call: Call::Read(Document { body: Body::of(file.to_vec()), received_at }),
        now: received_at,
        settings: Default::default(),
        kept: Default::default(),
        memo: Default::default(),
        outcomes: Vec::new(),
    };
    match plugin.handle(&question) {
        Step::Done(Answer::Prices(prices)) => Ok(prices),
        Step::Refused(refusal) => Err((refusal.code, refusal.why)),
        other => panic!("{other:?} does not answer"),
    }
}

/// Bid and ask of a pair, as text, and when they held.
///
/// # Panics
/// The pair is not there.
#[must_use]
pub fn pair(prices: &Prices, base: &str, quote: &str) -> (String, String, String) {
    let found = prices.observations.iter().find(|seen| seen.base == base && seen.quote == quote);
    let seen = found.unwrap_or_else(|| panic!("{base}/{quote} is not there"));
    (seen.bid.to_string(), seen.ask.to_string(), seen.observed_at.clone())
}

/// The refusal behind a fault, and whether asking again later may help.
///
/// # Panics
/// The plugin itself is to blame.
#[must_use]
pub fn refusal(fault: &Fault) -> (&str, &str, bool) {
    match &fault.reason {
        Reason::Refused { code, why, later } => (code, why, *later),
        other => panic!("{other} is no refusal"),
    }
}
