//! A folder of plugin libraries and its changes.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agio_core::Clock;
use agio_core::random::Random;
use agio_plugin_sdk::protocol::Manifest;

use crate::supervisor::{PluginLibrary, ProcessState, SupervisedPlugin, SupervisorPolicy, file_sha256};

/// A library in the folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundLibrary {
    /// File name without `lib` and the extension, with dashes for underscores.
    pub name: String,
    pub library: PluginLibrary,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LibraryChange {
    Added(FoundLibrary),
    Replaced(FoundLibrary),
    Removed(FoundLibrary),
}

/// A folder of libraries. Each scan reads only files that changed.
#[derive(Debug)]
pub struct PluginFolder {
    path: PathBuf,
    known: BTreeMap<PathBuf, (FileStamp, FoundLibrary)>,
}

/// Changes with every change of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileStamp {
    file: (u64, u64),
    length: u64,
    changed: (i64, i64),
}

impl FileStamp {
    fn of(file: &Metadata) -> Self {
        Self { file: (file.dev(), file.ino()), length: file.len(), changed: (file.ctime(), file.ctime_nsec()) }
    }
}

impl PluginFolder {
    /// The folder is not read yet.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), known: BTreeMap::new() }
    }

    /// Libraries found by the last scan.
    pub fn libraries(&self) -> impl Iterator<Item = &FoundLibrary> {
        self.known.values().map(|(_, found)| found)
    }

    /// Scans the folder and returns the changes since the last scan. Blocks on file I/O.
    pub fn scan(&mut self) -> io::Result<Vec<LibraryChange>> {
        let mut current = BTreeMap::new();
        let mut changes = Vec::new();
        for path in libraries(&self.path)? {
            // A file may disappear during the scan.
            let Ok(stamp) = std::fs::metadata(&path).map(|file| FileStamp::of(&file)) else { continue };
            let before = self.known.remove(&path);
            let found = match &before {
                Some((before, found)) if *before == stamp => found.clone(),
                _ => {
                    let Ok(sha256) = file_sha256(&path) else { continue };
                    FoundLibrary { name: name_of(&path), library: PluginLibrary { path: path.clone(), sha256 } }
                }
            };
            match before {
                None => changes.push(LibraryChange::Added(found.clone())),
                Some((_, old)) if old != found => changes.push(LibraryChange::Replaced(found.clone())),
                Some(_) => {}
            }
            current.insert(path, (stamp, found));
        }
        let gone = std::mem::replace(&mut self.known, current);
        changes.extend(gone.into_values().map(|(_, found)| LibraryChange::Removed(found)));
        Ok(changes)
    }
}

/// Loads a library in its own process and returns its manifest.
///
/// # Errors
/// Why it cannot be loaded.
pub async fn read_manifest(
    library: PluginLibrary,
    policy: SupervisorPolicy,
    clock: Arc<dyn Clock>,
    random: Arc<dyn Random>,
) -> Result<Arc<Manifest>, String> {
    let supervised = SupervisedPlugin::start(library, policy, clock, random);
    let state = supervised.states().wait_for(|state| *state != ProcessState::Starting).await.map(|state| state.clone());
    let manifest = supervised.manifest();
    supervised.stop().await;
    match (manifest, state) {
        (Some(manifest), _) => Ok(manifest),
        (None, Ok(ProcessState::BackingOff { reason } | ProcessState::Quarantined { reason })) => Err(reason),
        (None, _) => Err("it did not return a manifest".to_owned()),
    }
}

fn libraries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let is_library = |path: &PathBuf| {
        path.is_file() && path.extension().is_some_and(|ending| ending.to_str() == Some(std::env::consts::DLL_EXTENSION))
    };
    Ok(paths.filter(is_library).collect())
}

fn name_of(path: &Path) -> String {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    stem.strip_prefix("lib").unwrap_or(&stem).replace('_', "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_change_is_reported_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(format!("libagio_ecb.{}", std::env::consts::DLL_EXTENSION));
        let mut watched = PluginFolder::new(folder.path());
        std::fs::write(folder.path().join("README"), "no library").unwrap();
        assert_eq!(watched.scan().unwrap(), []);

        std::fs::write(&path, "abc").unwrap();
        let library = PluginLibrary {
            path: path.clone(),
            sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad".to_owned(),
        };
        let first = FoundLibrary { name: "agio-ecb".to_owned(), library };
        assert_eq!(watched.scan().unwrap(), [LibraryChange::Added(first.clone())]);
        assert_eq!(watched.scan().unwrap(), []);

        std::fs::write(&path, "abcd").unwrap();
        let changes = watched.scan().unwrap();
        let [LibraryChange::Replaced(second)] = &changes[..] else { panic!("{changes:?}") };
        assert_ne!(second.library.sha256, first.library.sha256);

        // The same bytes in another file are no change.
        std::fs::rename(&path, folder.path().join("moved")).unwrap();
        std::fs::write(&path, "abcd").unwrap();
        assert_eq!(watched.scan().unwrap(), []);

        std::fs::remove_file(&path).unwrap();
        assert_eq!(watched.scan().unwrap(), [LibraryChange::Removed(second.clone())]);
        assert_eq!(watched.libraries().count(), 0);
        assert_eq!(PluginFolder::new(folder.path().join("absent")).scan().unwrap(), []);
    }
}
