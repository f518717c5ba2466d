//! Plugins that are built by themselves are loaded: a newcomer's, made in another place, and those that come with the house.

use std::path::{Path, PathBuf};
use std::process::Command;

use agio_plugin::protocol::{Answer, Call, Checked, Kind, Requisite};
use agio_plugin_host::create::create;
use agio_plugin_host::{Change, Folder};

use crate::bench::{ask, check, library, start, strict};

/// Where what is built stays for the next time, apart from the house's own.
fn target() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("newcomer")
}

/// Builds in a folder with another profile than the house has; gives where libraries are then.
fn build(folder: &Path, words: &[&str]) -> PathBuf {
    let target = target();
    let built = Command::new(env!("CARGO"))
        .args(words)
        .args(["--release", "--offline", "--quiet"])
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", &target)
        .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1")
        .env("CARGO_PROFILE_RELEASE_PANIC", "abort")
        .output()
        .unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    target.join("release")
}

fn file(name: &str) -> String {
    format!("lib{name}.{}", std::env::consts::DLL_EXTENSION)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plugin_from_the_template_built_elsewhere_with_another_profile_is_loaded() {
    let house = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = tempfile::tempdir().unwrap();
    let crate_folder = create(folder.path(), "ten-digits", Kind::Requisites, &house.join("plugins/sdk")).unwrap();
    // The versions the house was built with, so that nothing has to be fetched.
    std::fs::copy(house.join("Cargo.lock"), crate_folder.join("Cargo.lock")).unwrap();
    let built = build(&crate_folder, &["build"]);
    let plugin = start(library(built.join(file("ten_digits"))), strict());
    let answer = ask(&plugin, "", check("01234 56789")).await;
    assert_eq!(answer, Ok(Answer::Checked(Checked::Good { canonical: "0123456789".to_owned() })));
    plugin.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plugin_of_the_house_is_a_library_too() {
    let house = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let words = ["rustc", "-p", "agio-plugin-payeer", "--lib", "--crate-type", "cdylib", "--features", "library"];
    let built = build(&house, &words).join(file("agio_plugin_payeer"));
    let place = tempfile::tempdir().unwrap();
    let mut folder = Folder::new(place.path());
    std::fs::copy(built, place.path().join(file("payeer"))).unwrap();
    let changes = folder.look().unwrap();
    let [Change::Came(found)] = &changes[..] else { panic!("{changes:?}") };
    assert_eq!(found.name, "payeer");

    let plugin = start(found.library.clone(), strict());
    let asked = |value: &str| {
        Call::Check(Requisite { currency: "PRUSD".to_owned(), field: "account".to_owned(), value: value.to_owned() })
    };
    let answer = ask(&plugin, "", asked("p 1000 000")).await;
    assert_eq!(answer, Ok(Answer::Checked(Checked::Good { canonical: "P1000000".to_owned() })));
    assert!(matches!(ask(&plugin, "", asked("1000000")).await, Ok(Answer::Checked(Checked::Bad { .. }))));
    let manifest = plugin.manifest().unwrap();
    assert_eq!((manifest.name.as_str(), manifest.kind), ("payeer", Kind::Requisites));
    plugin.stop().await;
}
