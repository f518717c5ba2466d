//! A verified copy of a library that only the server can write.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use super::PluginLibrary;

const LIBRARY_BYTES_MAX: u64 = 512 * 1024 * 1024;

/// Prefix of the folders' names.
const PREFIX: &str = "agio-plugin-copy-";

/// The copy, in a folder that only the server can enter, next to an empty folder.
pub struct LibraryCopy {
    folder: TempDir,
    sha256: String,
    /// Locked while the folder is in use. The system releases the lock when the server ends.
    _lock: File,
}

impl LibraryCopy {
    /// Copies a library and verifies its digest. Verification reads the copy, so replacing the file meanwhile has no effect.
    ///
    /// # Errors
    /// The digest differs, or the file cannot be copied.
    pub fn create(library: &PluginLibrary) -> Result<Self, String> {
        let unread = |error: io::Error| format!("the library cannot be read: {error}");
        let (folder, lock) = create_locked_folder(&std::env::temp_dir()).map_err(unread)?;
        let mut source = File::open(&library.path).map_err(unread)?.take(LIBRARY_BYTES_MAX + 1);
        fs::create_dir(folder.path().join("empty")).map_err(unread)?;
        let copy = Self { folder, sha256: library.sha256.to_ascii_lowercase(), _lock: lock };
        let mut target = fs::OpenOptions::new().write(true).create_new(true).mode(0o400).open(copy.library()).map_err(unread)?;
        if io::copy(&mut source, &mut target).map_err(unread)? > LIBRARY_BYTES_MAX {
            return Err("the library is too long".to_owned());
        }
        target.flush().map_err(unread)?;
        copy.verify()?;
        Ok(copy)
    }

    /// Verifies the digest of the copy.
    ///
    /// # Errors
    /// The digest differs.
    pub fn verify(&self) -> Result<(), String> {
        let found = file_sha256(&self.library()).map_err(|error| format!("the library cannot be read: {error}"))?;
        if found == self.sha256 { Ok(()) } else { Err(format!("the library's SHA-256 is {found}, not {}", self.sha256)) }
    }

    pub fn library(&self) -> PathBuf {
        self.folder.path().join("library.so")
    }

    pub fn empty_folder(&self) -> PathBuf {
        self.folder.path().join("empty")
    }
}

fn create_locked_folder(place: &Path) -> io::Result<(TempDir, File)> {
    loop {
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(place)?;
        let lock = match File::open(folder.path()) {
            Ok(lock) => lock,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        };
        // Another server that starts now may remove the folder as stale before it is locked.
        let is_taken = matches!(lock.try_lock(), Err(TryLockError::WouldBlock)) || !folder.path().is_dir();
        if !is_taken {
            return Ok((folder, lock));
        }
    }
}

/// Removes copies left by servers that were killed. Copies in use are locked and stay.
pub fn remove_stale_copies() {
    remove_stale_copies_in(&std::env::temp_dir());
}

fn remove_stale_copies_in(place: &Path) {
    let Ok(entries) = fs::read_dir(place) else { return };
    let own = rustix::process::geteuid().as_raw();
    let copies = entries.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX));
    for path in copies.map(|entry| entry.path()) {
        let is_own = fs::symlink_metadata(&path).is_ok_and(|folder| folder.is_dir() && folder.uid() == own);
        let Some(folder) = is_own.then(|| File::open(&path).ok()).flatten() else { continue };
        if folder.try_lock().is_ok() {
            match fs::remove_dir_all(&path) {
                Ok(()) => tracing::info!(path = %path.display(), "a stale plugin copy is removed"),
                Err(error) => tracing::warn!(path = %path.display(), %error, "a stale plugin copy cannot be removed"),
            }
        }
    }
}

/// The SHA-256 of a file, in lower-case hexadecimal digits.
pub fn file_sha256(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut hasher = Sha256::new();
    let mut chunk = vec![0; 256 * 1024];
    loop {
        match file.read(&mut chunk)? {
            0 => break,
            read => hasher.update(&chunk[..read]),
        }
    }
    Ok(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stale_copies_are_removed_and_copies_in_use_stay() {
        let place = tempfile::tempdir().unwrap();
        let stale = place.path().join(format!("{PREFIX}stale"));
        fs::create_dir_all(stale.join("empty")).unwrap();
        fs::write(stale.join("library.so"), "abc").unwrap();
        let other = place.path().join("agio-documents");
        fs::create_dir(&other).unwrap();
        let (used, lock) = create_locked_folder(place.path()).unwrap();

        remove_stale_copies_in(place.path());
        assert!(!stale.exists());
        assert!(other.exists() && used.path().exists());

        // A killed server holds no lock and removes nothing.
        drop(lock);
        let path = used.keep();
        remove_stale_copies_in(place.path());
        assert!(!path.exists());
    }
}
