//! The plugins that misbehave: one of each kind for each crime, all of one library.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use agio_misbehaving::disguised;
use agio_plugin_host::digest;

/// What a plugin does, and what is said of it.
pub const CRIMES: [(&str, &str); 9] = [
    ("segfault", "SIGSEGV"),
    ("abort", "SIGABRT"),
    ("loop", "no answer within"),
    ("late", "no answer within"),
    ("flood", "no answer within"),
    ("hog", "memory allocation of"),
    ("lies", "the answer is to another question"),
    ("garbage", "a frame of 4294967295 bytes is too long"),
    ("forks", "SIGSYS"),
];

/// What plugins are for.
pub const KINDS: [&str; 5] = ["rates", "payments", "screening", "notifier", "requisites"];

/// One that behaves.
pub const STEADY: &str = "steady";
/// One that is called like a plugin that came with the house.
pub const GUEST: &str = "payeer";
/// One of a protocol nobody speaks yet.
pub const FUTURE: &str = "future";

/// The name of the plugin of a kind that commits a crime.
pub fn name(kind: &str, mode: &str) -> String {
    format!("{kind}-{mode}")
}

/// Puts all of them into a folder, and agrees to them in a list.
pub fn assemble(folder: &Path, list: &Path) {
    let library = std::env::current_exe().unwrap().with_file_name(file("agio_misbehaving"));
    let library = slim(&library, folder);
    let mut agreed = String::from("[plugins.allowed]\n");
    let mut put = |name: &str, bytes: &[u8]| {
        let path = folder.join(file(&name.replace('-', "_")));
        std::fs::write(&path, bytes).unwrap();
        writeln!(agreed, "{name} = \"{}\"", digest(&path).unwrap()).unwrap();
    };
    for (mode, _) in CRIMES {
        for kind in KINDS {
            put(&name(kind, mode), &disguised(&library, &name(kind, mode), kind, mode));
        }
    }
    put(STEADY, &disguised(&library, STEADY, "requisites", "good"));
    put(GUEST, &disguised(&library, GUEST, "requisites", "good"));
    put(FUTURE, &future(folder));
    std::fs::write(list, agreed).unwrap();
}

fn file(name: &str) -> String {
    format!("lib{name}.{}", std::env::consts::DLL_EXTENSION)
}

/// The library without what only a debugger reads: there are many of it.
fn slim(library: &Path, folder: &Path) -> Vec<u8> {
    let slim = folder.join("slim");
    let stripped = Command::new("strip").arg("--strip-unneeded").arg("-o").arg(&slim).arg(library).status();
    let bytes = match stripped {
        Ok(status) if status.success() => std::fs::read(&slim).unwrap(),
        _ => std::fs::read(library).unwrap(),
    };
    let _ = std::fs::remove_file(&slim);
    bytes
}

/// A library of another protocol, in C.
fn future(folder: &Path) -> Vec<u8> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let target = folder.join("future");
    let built = Command::new("cc")
        .args(["-shared", "-fPIC", "-DFUTURE", "-I"])
        .arg(root.join("plugins/sdk/include"))
        .arg(root.join("platform/plugin-host/tests/plugins/libraries.c"))
        .arg("-o")
        .arg(&target)
        .status();
    assert!(built.unwrap().success());
    let bytes = std::fs::read(&target).unwrap();
    std::fs::remove_file(&target).unwrap();
    bytes
}
