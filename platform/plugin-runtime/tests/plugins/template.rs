//! Loads plugins built as separate libraries: one created from the template and a built-in one.

use std::path::{Path, PathBuf};
use std::process::Command;

use agio_plugin_runtime::scaffold::create_plugin;
use agio_plugin_runtime::{LibraryChange, PluginFolder};
use agio_plugin_sdk::protocol::{Call, CallResult, PluginKind, RequisiteCheck, RequisiteInput};

use crate::fixtures::{call_plugin, check, library, start, strict};

/// Build folder, reused between runs and separate from the workspace.
fn target() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("template")
}

/// Builds with another profile than the server and returns the output folder.
fn build(folder: &Path, args: &[&str]) -> PathBuf {
    let target = target();
    let built = Command::new(env!("CARGO"))
        .args(args)
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
async fn a_plugin_created_from_the_template_is_loaded() {
    let server = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = tempfile::tempdir().unwrap();
    let crate_folder = create_plugin(folder.path(), "ten-digits", PluginKind::Requisites, &server.join("plugins/sdk")).unwrap();
    // The locked versions, so that nothing has to be downloaded.
    std::fs::copy(server.join("Cargo.lock"), crate_folder.join("Cargo.lock")).unwrap();
    let built = build(&crate_folder, &["build"]);
    let plugin = start(library(built.join(file("ten_digits"))), strict());
    let answer = call_plugin(&plugin, "", check("01234 56789")).await;
    assert_eq!(answer, Ok(CallResult::Checked(RequisiteCheck::Valid { canonical: "0123456789".to_owned() })));
    plugin.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_built_in_plugin_can_be_built_as_a_library() {
    let server = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let args = ["rustc", "-p", "agio-plugin-payeer", "--lib", "--crate-type", "cdylib", "--features", "library"];
    let built = build(&server, &args).join(file("agio_plugin_payeer"));
    let place = tempfile::tempdir().unwrap();
    let mut folder = PluginFolder::new(place.path());
    std::fs::copy(built, place.path().join(file("payeer"))).unwrap();
    let changes = folder.scan().unwrap();
    let [LibraryChange::Added(found)] = &changes[..] else { panic!("{changes:?}") };
    assert_eq!(found.name, "payeer");

    let plugin = start(found.library.clone(), strict());
    let check_account = |value: &str| {
        Call::CheckRequisite(RequisiteInput {
            currency: "PRUSD".to_owned(),
            field: "account".to_owned(),
            value: value.to_owned(),
        })
    };
    let answer = call_plugin(&plugin, "", check_account("p 1000 000")).await;
    assert_eq!(answer, Ok(CallResult::Checked(RequisiteCheck::Valid { canonical: "P1000000".to_owned() })));
    assert!(matches!(
        call_plugin(&plugin, "", check_account("1000000")).await,
        Ok(CallResult::Checked(RequisiteCheck::Invalid { .. }))
    ));
    let manifest = plugin.manifest().unwrap();
    assert_eq!((manifest.name.as_str(), manifest.kind), ("payeer", PluginKind::Requisites));
    plugin.stop().await;
}
