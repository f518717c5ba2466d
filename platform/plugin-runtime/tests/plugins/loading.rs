//! Loading of libraries.

use std::sync::Arc;
use std::time::Duration;

use agio_core::clock::SystemClock;
use agio_core::random::SecretRandom;
use agio_plugin_runtime::{PluginErrorReason, PluginLibrary, SupervisorPolicy, read_manifest};
use agio_plugin_sdk::protocol::{AllowedHost, Body, Call, CallResult, HttpMethod, Notification, PluginKind, SourceFile};

use crate::fixtures::{call_plugin, faulty, in_c, library, quarantine, start, strict};

fn notify(event: &str) -> Call {
    let text = || "text".to_owned();
    Call::Notify(Notification { key: text(), recipient: None, event: event.to_owned(), text: text(), url: None })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_library_in_c_with_the_previous_protocol_version_is_supported() {
    let (_folder, library) = in_c("PREVIOUS");
    let plugin = start(library, strict());
    assert_eq!(call_plugin(&plugin, "good", notify("hello")).await, Ok(CallResult::Notified));
    let manifest = plugin.manifest().unwrap();
    assert_eq!((manifest.name.as_str(), manifest.kind), ("elder", PluginKind::Notifier));
    let elder = AllowedHost::Origin { origin: "https://elder.example".to_owned(), methods: vec![HttpMethod::Get] };
    assert_eq!(manifest.hosts, [elder]);
    // Calls and actions of the current version are not available.
    let document = Call::ReadFile(SourceFile { body: Body::Text(String::new()), received_at: 0 });
    let fault = call_plugin(&plugin, "good", document).await.unwrap_err();
    assert!(matches!(fault.reason, PluginErrorReason::CallFailed { ref code, .. } if code == "not_mine"), "{fault}");
    let fault = call_plugin(&plugin, "good", notify("keep")).await.unwrap_err();
    assert!(fault.to_string().contains("protocol version 1 has no stored values"), "{fault}");
    plugin.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_libraries_are_quarantined_with_the_reason() {
    let wrong = [
        ("FUTURE", "protocol version 99 is not supported; supported are 1 to 2"),
        ("NO_SYMBOLS", "agio_abi_version"),
        ("NONSENSE", "its manifest is invalid"),
        ("NO_JSON", "its manifest is not JSON"),
        ("NOWHERE", "its buffer is null"),
        ("PRESENT", "its manifest is invalid"),
    ];
    for (what, why) in wrong {
        let (_folder, library) = in_c(what);
        let plugin = start(library, strict());
        let reason = quarantine(&plugin).await;
        assert!(reason.contains(why), "{what}: {reason}");
        let fault = call_plugin(&plugin, "good", notify("hello")).await.unwrap_err();
        assert_eq!(fault.reason, PluginErrorReason::Quarantined(reason));
        plugin.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_library_that_fails_to_load_is_retried_then_quarantined() {
    for (what, why) in [("CRASHES", "SIGABRT"), ("FORKS", "SIGSYS"), ("HANGS", "no answer within 300 ms")] {
        let (_folder, library) = in_c(what);
        let startup_timeout = if what == "HANGS" { Duration::from_millis(300) } else { strict().startup_timeout };
        let plugin = start(library, SupervisorPolicy { startup_timeout, ..strict() });
        let reason = quarantine(&plugin).await;
        assert!(reason.contains(why), "{what}: {reason}");
        assert_eq!(plugin.health().faults, 2);
        plugin.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn only_a_file_with_the_listed_digest_is_loaded() {
    let other = PluginLibrary { sha256: "0".repeat(64), ..faulty() };
    let plugin = start(other, strict());
    let reason = quarantine(&plugin).await;
    assert!(reason.contains(&faulty().sha256), "{reason}");
    plugin.stop().await;

    // Replacing the file of a running plugin has no effect: the server uses a copy.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plugin.so");
    std::fs::copy(faulty().path, &path).unwrap();
    let plugin = start(library(path.clone()), SupervisorPolicy { max_faults: 3, ..strict() });
    crate::fixtures::call_text(&plugin, "good").await;
    std::fs::write(&path, "something else").unwrap();
    call_plugin(&plugin, "abort", notify("hello")).await.unwrap_err();
    crate::fixtures::call_text(&plugin, "good").await;
    plugin.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_manifest_can_be_read_without_running_the_plugin() {
    let manifest = read_manifest(faulty(), strict(), Arc::new(SystemClock), Arc::new(SecretRandom::default())).await;
    assert_eq!(manifest.unwrap().name, "faulty");
    let (_folder, library) = in_c("FUTURE");
    let manifest = read_manifest(library, strict(), Arc::new(SystemClock), Arc::new(SecretRandom::default())).await;
    assert!(manifest.unwrap_err().contains("protocol version 99"));
}
