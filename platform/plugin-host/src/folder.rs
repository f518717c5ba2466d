//! A folder of libraries, and what changed in it.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agio_core::Clock;
use agio_core::random::Random;
use agio_plugin::protocol::Manifest;

use crate::supervisor::{Library, Policy, State, Supervised, digest};

/// A library that lies in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its file's name without `lib` and the ending, dashes for underscores.
    pub name: String,
    /// Where it is, and what it is.
    pub library: Library,
}

/// What changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A library is there that was not.
    Came(Found),
    /// A file is another than it was.
    Replaced(Found),
    /// A library is gone.
    Went(Found),
}

/// A folder of libraries. It is looked into whenever somebody asks; files that did not change are not read again.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    seen: BTreeMap<PathBuf, (Stamp, Found)>,
}

/// What changes when a file does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    file: (u64, u64),
    length: u64,
    changed: (i64, i64),
}

impl Stamp {
    fn of(file: &Metadata) -> Self {
        Self { file: (file.dev(), file.ino()), length: file.len(), changed: (file.ctime(), file.ctime_nsec()) }
    }
}

impl Folder {
    /// A folder that was not looked into yet.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), seen: BTreeMap::new() }
    }

    /// What lies there, as it was when somebody looked the last time.
    pub fn found(&self) -> impl Iterator<Item = &Found> {
        self.seen.values().map(|(_, found)| found)
    }

    /// Looks, and says what changed since the last time. It reads files, so it is for a thread that may wait.
    ///
    /// # Errors
    /// The folder cannot be read. One that is not there is empty.
    pub fn look(&mut self) -> io::Result<Vec<Change>> {
        let mut seen = BTreeMap::new();
        let mut changes = Vec::new();
        for path in libraries(&self.path)? {
            // A file may go while the folder is read.
            let Ok(stamp) = std::fs::metadata(&path).map(|file| Stamp::of(&file)) else { continue };
            let before = self.seen.remove(&path);
            let found = match &before {
                Some((known, found)) if *known == stamp => found.clone(),
                _ => {
                    let Ok(sha256) = digest(&path) else { continue };
                    Found { name: name_of(&path), library: Library { path: path.clone(), sha256 } }
                }
            };
            match before {
                None => changes.push(Change::Came(found.clone())),
                Some((_, old)) if old != found => changes.push(Change::Replaced(found.clone())),
                Some(_) => {}
            }
            seen.insert(path, (stamp, found));
        }
        let gone = std::mem::replace(&mut self.seen, seen);
        changes.extend(gone.into_values().map(|(_, found)| Change::Went(found)));
        Ok(changes)
    }
}

/// Loads a library in a process of its own, for as long as it takes to say who it is.
///
/// # Errors
/// It cannot be loaded; why, in words.
pub async fn describe(
    library: Library,
    policy: Policy,
    clock: Arc<dyn Clock>,
    random: Arc<dyn Random>,
) -> Result<Arc<Manifest>, String> {
    let supervised = Supervised::start(library, policy, clock, random);
    let settled = supervised.states().wait_for(|state| *state != State::Starting).await.map(|state| state.clone());
    let manifest = supervised.manifest();
    supervised.stop().await;
    match (manifest, settled) {
        (Some(manifest), _) => Ok(manifest),
        (None, Ok(State::Resting { reason } | State::Quarantined { reason })) => Err(reason),
        (None, _) => Err("it did not say who it is".to_owned()),
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
    fn what_comes_changes_and_goes_is_noticed_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(format!("libagio_ecb.{}", std::env::consts::DLL_EXTENSION));
        let mut watched = Folder::new(folder.path());
        std::fs::write(folder.path().join("README"), "no library").unwrap();
        assert_eq!(watched.look().unwrap(), []);

        std::fs::write(&path, "abc").unwrap();
        let library =
            Library { path: path.clone(), sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad".to_owned() };
        let first = Found { name: "agio-ecb".to_owned(), library };
        assert_eq!(watched.look().unwrap(), [Change::Came(first.clone())]);
        assert_eq!(watched.look().unwrap(), []);

        std::fs::write(&path, "abcd").unwrap();
        let changes = watched.look().unwrap();
        let [Change::Replaced(second)] = &changes[..] else { panic!("{changes:?}") };
        assert_ne!(second.library.sha256, first.library.sha256);

        // The same bytes in another file are no change.
        std::fs::rename(&path, folder.path().join("moved")).unwrap();
        std::fs::write(&path, "abcd").unwrap();
        assert_eq!(watched.look().unwrap(), []);

        std::fs::remove_file(&path).unwrap();
        assert_eq!(watched.look().unwrap(), [Change::Went(second.clone())]);
        assert_eq!(watched.found().count(), 0);
        assert_eq!(Folder::new(folder.path().join("absent")).look().unwrap(), []);
    }
}
