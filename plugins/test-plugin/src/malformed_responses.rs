//! Failures and malformed responses for any plugin.

use agio_plugin_sdk::Plugin;
use agio_plugin_sdk::protocol::Call;

use crate::{FakeResponse, FakeServer, call_error, call_plugin};

/// Calls a plugin with every kind of failure and malformed response. Asserts that each call fails without a fault of the plugin, that
/// redirects are not followed and that errors contain no secret.
///
/// # Panics
/// An assertion fails.
pub async fn assert_handles_bad_responses<P: Plugin>(
    now: &str,
    create: impl Fn(&str) -> P,
    set: impl Fn(&str) -> Vec<(&'static str, String)>,
    call: Call,
    valid: &[u8],
    secret: &str,
) {
    let redirect_target = FakeServer::start([FakeResponse::ok(valid)]).await;
    let location = vec![("location", format!("{}/inner", redirect_target.origin()))];
    let html = "<!DOCTYPE html><html><body>Service is being maintained</body></html>";
    let utf16: Vec<u8> = valid.iter().flat_map(|byte| [*byte, 0]).collect();
    let responses = [
        ("cut in half", FakeResponse::ok(&valid[..valid.len() / 2]), None),
        ("a broken connection", FakeResponse::Truncated(valid.to_vec()), Some(true)),
        ("ten gigabytes", FakeResponse::Huge, Some(true)),
        ("no end", FakeResponse::Endless, Some(true)),
        ("a slow drip", FakeResponse::Drip(valid.to_vec()), Some(true)),
        ("a closed connection", FakeResponse::Close, Some(true)),
        ("an empty page", FakeResponse::ok(""), None),
        ("a page for people", FakeResponse::ok(html), None),
        ("another encoding", FakeResponse::ok(utf16), None),
        ("no text", FakeResponse::ok([0xff, 0xfe, 0x00, 0xd8]), None),
        ("a redirect inside", FakeResponse::Full(302, location, valid.to_vec()), Some(false)),
        ("a page for people as an error", FakeResponse::status(503, html), Some(true)),
        ("too many calls", FakeResponse::Full(429, vec![("retry-after", "30".to_owned())], Vec::new()), Some(true)),
        ("a barred country", FakeResponse::status(451, valid), Some(true)),
    ];
    for (name, response, later) in responses {
        let server = FakeServer::start([response]).await;
        let set = set(server.origin());
        let set: Vec<_> = set.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let error = call_plugin(now, create(server.origin()), &set, call.clone()).await.expect_err(name);
        assert!(!error.is_plugin_fault(), "{name}: {error}");
        let (_, message, retryable) = call_error(&error);
        assert!(secret.is_empty() || !message.contains(secret), "{name}: the error contains a secret");
        assert!(later.is_none_or(|later| later == retryable), "{name}: {error}, retryable: {retryable}");
    }
    assert!(redirect_target.received().is_empty(), "a redirect was followed");
}
