//! Tests plugins against a local server with valid and invalid responses.
//!
//! [`FakeServer`] returns scripted responses; [`call_plugin`] calls a plugin as the server does, with all limits.
//! [`assert_handles_bad_responses`] tests a plugin with every kind of failure and malformed response.

mod example_server;
mod fake_server;
mod malformed_responses;

use std::sync::Arc;

use agio_core::Timestamp;
use agio_core::clock::ManualClock;
use agio_plugin_runtime::{
    ActionExecutor, BuiltInPlugins, PluginError, PluginErrorReason, PluginRegistry as _, PrivateNetworkAccess,
};
use agio_plugin_sdk::Plugin;
use agio_plugin_sdk::protocol::{Body, Call, CallResult, Manifest, PluginRequest, PluginResponse, Prices, SourceFile};

pub use example_server::{ExampleServer, closed_port};
pub use fake_server::{FakeResponse, FakeServer, ReceivedRequest};
pub use malformed_responses::assert_handles_bad_responses;

/// A plugin with a short request timeout.
struct ShortTimeout<P>(P);

impl<P: Plugin> Plugin for ShortTimeout<P> {
    fn manifest(&self) -> Manifest {
        let mut manifest = self.0.manifest();
        manifest.limits.request_ms = manifest.limits.request_ms.min(REQUEST_TIMEOUT_MS);
        manifest
    }

    fn handle(&self, request: &PluginRequest) -> PluginResponse {
        self.0.handle(request)
    }
}

const REQUEST_TIMEOUT_MS: u32 = 400;

/// A registry with one plugin and a fixed clock.
pub fn plugin_registry(now: &str, plugin: impl Plugin, set: &[(&str, &str)]) -> BuiltInPlugins {
    let clock = Arc::new(ManualClock::at(Timestamp::parse(now).expect("a timestamp")));
    let executor = ActionExecutor::new(clock, PrivateNetworkAccess::All).expect("TLS is available");
    BuiltInPlugins::new(executor).with(ShortTimeout(plugin), set)
}

pub async fn call_plugin(now: &str, plugin: impl Plugin, set: &[(&str, &str)], call: Call) -> Result<CallResult, PluginError> {
    let name = plugin.manifest().name;
    plugin_registry(now, plugin, set).call(&name, call).await
}

/// Prices of these assets from a source.
///
/// # Errors
/// The error message.
pub async fn fetch_prices(now: &str, plugin: impl Plugin, assets: &[&str]) -> Result<Prices, String> {
    match call_plugin(now, plugin, &[], prices_call(assets)).await {
        Ok(CallResult::Prices(prices)) => Ok(prices),
        Ok(other) => panic!("{other:?} is not a price list"),
        Err(error) => Err(error.to_string()),
    }
}

/// The call for the prices of these assets.
pub fn prices_call(assets: &[&str]) -> Call {
    Call::Prices { assets: assets.iter().map(|asset| (*asset).to_owned()).collect() }
}

/// Calls a plugin to read a file.
///
/// # Errors
/// Code and message of the error.
pub fn read_file(now: &str, plugin: &impl Plugin, file: &[u8]) -> Result<Prices, (String, String)> {
    let received_at = Timestamp::parse(now).expect("a timestamp").0;
    let call = Call::ReadFile(SourceFile { body: Body::of(file.to_vec()), received_at });
    let request = PluginRequest { now: received_at, ..PluginRequest::of(call) };
    match plugin.handle(&request) {
        PluginResponse::Done(CallResult::Prices(prices)) => Ok(prices),
        PluginResponse::Failed(error) => Err((error.code, error.why)),
        other => panic!("{other:?} is not a result"),
    }
}

/// Bid, ask and time of a pair, as text.
///
/// # Panics
/// The pair is missing.
pub fn pair_price(prices: &Prices, base: &str, quote: &str) -> (String, String, String) {
    let found = prices.observations.iter().find(|price| price.base == base && price.quote == quote);
    let price = found.unwrap_or_else(|| panic!("{base}/{quote} is missing"));
    (price.bid.to_string(), price.ask.to_string(), price.observed_at.clone())
}

/// Code, message and retryability of an error returned by the plugin.
///
/// # Panics
/// The error is the plugin's fault.
pub fn call_error(error: &PluginError) -> (&str, &str, bool) {
    match &error.reason {
        PluginErrorReason::CallFailed { code, why, later } => (code, why, *later),
        other => panic!("{other} is not an error of the call"),
    }
}
