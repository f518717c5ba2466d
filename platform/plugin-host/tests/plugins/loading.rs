//! Which libraries are loaded, and why others are not.

use std::sync::Arc;
use std::time::Duration;

use agio_core::clock::SystemClock;
use agio_core::random::OsRandom;
use agio_plugin::protocol::{Answer, Body, Call, Document, Host, Kind, Method, Notice};
use agio_plugin_host::{Library, Policy, Reason, describe};

use crate::bench::{ask, in_c, library, misbehaving, quarantine, start, strict};

fn notify(event: &str) -> Call {
    let text = || "text".to_owned();
    Call::Notify(Notice { key: text(), recipient: None, event: event.to_owned(), text: text(), url: None })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_library_of_the_previous_protocol_written_in_c_is_served() {
    let (_folder, library) = in_c("PREVIOUS");
    let plugin = start(library, strict());
    assert_eq!(ask(&plugin, "good", notify("hello")).await, Ok(Answer::Told));
    let manifest = plugin.manifest().unwrap();
    assert_eq!((manifest.name.as_str(), manifest.kind), ("elder", Kind::Notifier));
    let elder = Host::Origin { origin: "https://elder.example".to_owned(), methods: vec![Method::Get] };
    assert_eq!(manifest.hosts, [elder]);
    // What came with the present protocol is not asked, and not taken.
    let document = Call::Read(Document { body: Body::Text(String::new()), received_at: 0 });
    let fault = ask(&plugin, "good", document).await.unwrap_err();
    assert!(matches!(fault.reason, Reason::Refused { ref code, .. } if code == "not_mine"), "{fault}");
    let fault = ask(&plugin, "good", notify("keep")).await.unwrap_err();
    assert!(fault.to_string().contains("nothing is kept in protocol 1"), "{fault}");
    plugin.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_plugin_is_not_loaded_and_the_reason_is_said_at_once() {
    let wrong = [
        ("FUTURE", "it speaks protocol 99; 1 to 2 are served"),
        ("NO_SYMBOLS", "agio_abi_version"),
        ("NONSENSE", "its manifest is none"),
        ("NO_JSON", "its manifest is no JSON"),
        ("NOWHERE", "its buffer is nowhere"),
        ("PRESENT", "its manifest is none"),
    ];
    for (what, why) in wrong {
        let (_folder, library) = in_c(what);
        let plugin = start(library, strict());
        let reason = quarantine(&plugin).await;
        assert!(reason.contains(why), "{what}: {reason}");
        let fault = ask(&plugin, "good", notify("hello")).await.unwrap_err();
        assert_eq!(fault.reason, Reason::Quarantined(reason));
        plugin.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_breaks_while_it_is_loaded_is_tried_again_and_given_up() {
    for (what, why) in [("CRASHES", "SIGABRT"), ("FORKS", "SIGSYS"), ("HANGS", "no answer within 300 ms")] {
        let (_folder, library) = in_c(what);
        let hello = if what == "HANGS" { Duration::from_millis(300) } else { strict().hello };
        let plugin = start(library, Policy { hello, ..strict() });
        let reason = quarantine(&plugin).await;
        assert!(reason.contains(why), "{what}: {reason}");
        assert_eq!(plugin.health().faults, 2);
        plugin.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_very_file_an_operator_agreed_to_is_loaded() {
    let other = Library { sha256: "0".repeat(64), ..misbehaving() };
    let plugin = start(other, strict());
    let reason = quarantine(&plugin).await;
    assert!(reason.contains(&misbehaving().sha256), "{reason}");
    plugin.stop().await;

    // A file that is replaced while its plugin runs changes nothing: the house has a copy.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plugin.so");
    std::fs::copy(misbehaving().path, &path).unwrap();
    let plugin = start(library(path.clone()), Policy { faults: 3, ..strict() });
    crate::bench::told(&plugin, "good").await;
    std::fs::write(&path, "something else").unwrap();
    ask(&plugin, "abort", notify("hello")).await.unwrap_err();
    crate::bench::told(&plugin, "good").await;
    plugin.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_a_library_is_can_be_asked_without_keeping_it() {
    let said = describe(misbehaving(), strict(), Arc::new(SystemClock), Arc::new(OsRandom::default())).await;
    assert_eq!(said.unwrap().name, "misbehaving");
    let (_folder, library) = in_c("FUTURE");
    let said = describe(library, strict(), Arc::new(SystemClock), Arc::new(OsRandom::default())).await;
    assert!(said.unwrap_err().contains("protocol 99"));
}
