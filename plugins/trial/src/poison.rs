//! Everything that goes wrong on the way, whatever a plugin reads.

use agio_plugin::Plugin;
use agio_plugin::protocol::Call;

use crate::{Double, Reply, ask, refusal};

/// Asks a plugin whose server does every kind of wrong, and sees that there is no answer each time, that the plugin is not to blame, that nobody is
/// called whom the server only named, and that nothing secret is told.
///
/// # Panics
/// The plugin does otherwise.
pub async fn survives<P: Plugin>(
    now: &str,
    make: impl Fn(&str) -> P,
    set: impl Fn(&str) -> Vec<(&'static str, String)>,
    call: Call,
    good: &[u8],
    secret: &str,
) {
    let inner = Double::telling([Reply::ok(good)]).await;
    let elsewhere = vec![("location", format!("{}/inner", inner.origin()))];
    let html = "<!DOCTYPE html><html><body>Service is being maintained</body></html>";
    let utf16: Vec<u8> = good.iter().flat_map(|byte| [*byte, 0]).collect();
    let poisons = [
        ("cut in half", Reply::ok(&good[..good.len() / 2]), None),
        ("a broken connection", Reply::Broken(good.to_vec()), Some(true)),
        ("ten gigabytes", Reply::Huge, Some(true)),
        ("no end", Reply::Endless, Some(true)),
        ("a slow drip", Reply::Drip(good.to_vec()), Some(true)),
        ("a closed connection", Reply::Nothing, Some(true)),
        ("an empty page", Reply::ok(""), None),
        ("a page for people", Reply::ok(html), None),
        ("another encoding", Reply::ok(utf16), None),
        ("no text", Reply::ok([0xff, 0xfe, 0x00, 0xd8]), None),
        ("a redirect inside", Reply::Whole(302, elsewhere, good.to_vec()), Some(false)),
        ("a page for people as an error", Reply::status(503, html), Some(true)),
        ("too many calls", Reply::Whole(429, vec![("retry-after", "30".to_owned())], Vec::new()), Some(true)),
        ("a barred country", Reply::status(451, good), Some(true)),
    ];
    for (what, reply, later) in poisons {
        let server = Double::telling([reply]).await;
        let set = set(server.origin());
        let set: Vec<_> = set.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let fault = ask(now, make(server.origin()), &set, call.clone()).await.expect_err(what);
        assert!(!fault.blames_plugin(), "{what}: {fault}");
        let (_, why, again) = refusal(&fault);
        assert!(secret.is_empty() || !why.contains(secret), "{what}: the refusal tells a secret");
        assert!(later.is_none_or(|later| later == again), "{what}: {fault}, later: {again}");
    }
    assert!(inner.seen().is_empty(), "a redirect was followed");
}
