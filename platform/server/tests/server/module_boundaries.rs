//! The boundaries between crates.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn manifest(krate: &Path) -> String {
    fs::read_to_string(krate.join("Cargo.toml")).unwrap()
}

fn folders(of: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join(of)).unwrap();
    entries.map(|entry| entry.unwrap().path()).filter(|path| path.join("Cargo.toml").is_file()).collect()
}

/// The dependencies of a crate without dev-dependencies.
fn dependencies(manifest: &str) -> impl Iterator<Item = &str> {
    let own = manifest.split("[dependencies]").nth(1).unwrap_or_default();
    own.split("\n[").next().unwrap_or_default().lines().filter_map(|line| line.split(['.', ' ', '=']).next())
}

#[test]
fn no_module_depends_on_another() {
    let modules = folders("modules");
    assert!(modules.len() >= 3);
    let names: Vec<String> = modules.iter().map(|path| format!("agio-{}", path.file_name().unwrap().to_string_lossy())).collect();
    for (module, name) in modules.iter().zip(&names) {
        let manifest = manifest(module);
        let known: Vec<_> =
            dependencies(&manifest).filter(|dependency| names.iter().any(|other| other == dependency && other != name)).collect();
        assert!(known.is_empty(), "{name} depends on {known:?}: ask for a trait in agio_contracts instead");
    }
}

#[test]
fn only_the_server_and_test_tools_depend_on_modules() {
    for krate in folders("platform") {
        let name = krate.file_name().unwrap().to_string_lossy().into_owned();
        if ["server", "test-app"].contains(&name.as_str()) {
            continue;
        }
        let manifest = manifest(&krate);
        for module in ["agio-auth", "agio-calculator", "agio-claims"] {
            assert!(!dependencies(&manifest).any(|dependency| dependency == module), "platform/{name} depends on {module}");
        }
    }
}

/// The source files below a folder with their text.
fn sources(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            found.push((path, text));
        }
    }
}

/// Crates without unit tests or examples in their documentation say so, which saves building them a second time.
#[test]
fn a_crate_that_declares_no_tests_has_none() {
    for krate in ["platform", "modules", "plugins"].into_iter().flat_map(folders) {
        let (manifest, mut files) = (manifest(&krate), Vec::new());
        let library = manifest.split("[lib]\n").nth(1).and_then(|after| after.split("\n[").next()).unwrap_or_default();
        sources(&krate.join("src"), &mut files);
        let lines = || files.iter().flat_map(|(_, text)| text.lines().map(str::trim));
        let has_tests = lines().any(|line| line == "#[test]" || line.starts_with("#[tokio::test") || line == "proptest! {");
        // Every other fence opens an example; without a language it is Rust.
        let fences = lines().filter_map(|line| line.strip_prefix("/// ```").or_else(|| line.strip_prefix("//! ```")));
        let has_examples = fences.step_by(2).any(|language| language.is_empty() || language.starts_with("rust"));
        assert!(
            !(library.lines().any(|line| line == "test = false") && has_tests),
            "{}: unit tests are not run",
            krate.display()
        );
        assert!(
            !(library.lines().any(|line| line == "doctest = false") && has_examples),
            "{}: examples are not run",
            krate.display()
        );
    }
}

/// So that a name in an error, a search or a review means one thing.
#[test]
fn a_public_type_name_stands_once() {
    let mut places: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for krate in ["platform", "modules", "plugins"].into_iter().flat_map(folders) {
        // `agio plugin new` replaces the names of the template.
        if krate.ends_with("plugins/template") {
            continue;
        }
        let mut files = Vec::new();
        sources(&krate.join("src"), &mut files);
        for (path, text) in files {
            let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
            for line in code.lines() {
                let kinds = ["pub struct ", "pub enum ", "pub trait ", "pub type "];
                let Some(rest) = kinds.iter().find_map(|kind| line.trim_start().strip_prefix(kind)) else { continue };
                let name = rest.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
                places.entry(name.to_owned()).or_default().push(path.clone());
            }
        }
    }
    assert!(places.len() > 900, "{} types were found", places.len());
    places.retain(|_, paths| paths.len() > 1);
    assert!(places.is_empty(), "{places:#?}");
}

#[test]
fn the_web_framework_is_used_in_api_and_admin_only() {
    for module in folders("modules") {
        let mut files = Vec::new();
        sources(&module.join("src"), &mut files);
        for (path, text) in files {
            let inside = path.strip_prefix(module.join("src")).unwrap().to_string_lossy().into_owned();
            let is_http_layer = |part: &str| matches!(part.trim_end_matches(".rs"), "api" | "admin");
            if !inside.split('/').any(is_http_layer) {
                assert!(!text.contains("use poem"), "{}: handlers belong in api or admin", path.display());
            }
        }
    }
}

#[test]
fn pure_crates_have_no_clock_randomness_io_or_floats() {
    let banned = ["f32", "f64", "SystemTime", "OffsetDateTime::now", "std::fs", "std::net", "tokio::", "sqlx::", "rand::"];
    let mut files = Vec::new();
    for folder in ["modules/calculator/src/model", "modules/claims/src/model", "platform/requisites/src"] {
        sources(&root().join(folder), &mut files);
    }
    for (path, text) in files {
        // Tests at the end of a file may use what the code must not.
        let rules = text.split("#[cfg(test)]").next().unwrap();
        for line in rules.lines().filter(|line| !line.trim_start().starts_with("//")) {
            for word in banned {
                assert!(!line.contains(word), "{}: {word} in pure code: {line}", path.display());
            }
        }
    }
}
