//! The faulty plugins: one of each kind for each fault, all built from one library.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use agio_faulty::with_identity;
use agio_plugin_runtime::file_sha256;

/// What a plugin does, and a part of the quarantine reason.
pub const FAULTS: [(&str, &str); 9] = [
    ("segfault", "SIGSEGV"),
    ("abort", "SIGABRT"),
    ("loop", "no answer within"),
    ("late", "no answer within"),
    ("flood", "no answer within"),
    ("hog", "memory allocation of"),
    ("lies", "the result does not fit the call"),
    ("garbage", "a frame of 4294967295 bytes is too long"),
    ("forks", "SIGSYS"),
];

pub const KINDS: [&str; 5] = ["rates", "payments", "screening", "notifier", "requisites"];

/// A plugin without faults.
pub const HEALTHY: &str = "steady";
/// A library with the name of a built-in plugin, which it replaces.
pub const REPLACED_BUILT_IN: &str = "payeer";
/// A library with an unknown protocol version.
pub const UNKNOWN_PROTOCOL: &str = "future";

pub fn name(kind: &str, mode: &str) -> String {
    format!("{kind}-{mode}")
}

/// Writes all plugins to a folder and lists them as allowed.
pub fn write_plugins(folder: &Path, list: &Path) {
    let library = std::env::current_exe().unwrap().with_file_name(file("agio_faulty"));
    let library = strip_library(&library, folder);
    let mut allowed = String::from("[plugins.allowed]\n");
    let mut put = |name: &str, bytes: &[u8]| {
        let path = folder.join(file(&name.replace('-', "_")));
        std::fs::write(&path, bytes).unwrap();
        writeln!(allowed, "{name} = \"{}\"", file_sha256(&path).unwrap()).unwrap();
    };
    for (mode, _) in FAULTS {
        for kind in KINDS {
            put(&name(kind, mode), &with_identity(&library, &name(kind, mode), kind, mode));
        }
    }
    put(HEALTHY, &with_identity(&library, HEALTHY, "requisites", "good"));
    put(REPLACED_BUILT_IN, &with_identity(&library, REPLACED_BUILT_IN, "requisites", "good"));
    put(UNKNOWN_PROTOCOL, &unknown_protocol_library(folder));
    std::fs::write(list, allowed).unwrap();
}

fn file(name: &str) -> String {
    format!("lib{name}.{}", std::env::consts::DLL_EXTENSION)
}

/// The library without debug information, because there are many copies.
fn strip_library(library: &Path, folder: &Path) -> Vec<u8> {
    let slim = folder.join("slim");
    let stripped = Command::new("strip").arg("--strip-unneeded").arg("-o").arg(&slim).arg(library).status();
    let bytes = match stripped {
        Ok(status) if status.success() => std::fs::read(&slim).unwrap(),
        _ => std::fs::read(library).unwrap(),
    };
    let _ = std::fs::remove_file(&slim);
    bytes
}

/// A library with another protocol version, written in C.
fn unknown_protocol_library(folder: &Path) -> Vec<u8> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let target = folder.join("future");
    let built = Command::new("cc")
        .args(["-shared", "-fPIC", "-DFUTURE", "-I"])
        .arg(root.join("plugins/sdk/include"))
        .arg(root.join("platform/plugin-runtime/tests/plugins/libraries.c"))
        .arg("-o")
        .arg(&target)
        .status();
    assert!(built.unwrap().success());
    let bytes = std::fs::read(&target).unwrap();
    std::fs::remove_file(&target).unwrap();
    bytes
}
