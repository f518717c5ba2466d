//! A copy of a library that was looked at, and that nobody else writes.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use super::Library;

/// The longest library.
const LIBRARY_BYTES_MAX: u64 = 512 * 1024 * 1024;

/// What the names of the folders begin with.
const PREFIX: &str = "agio-plugin-copy-";

/// The copy, in a folder that only the house can enter, and an empty folder beside it.
pub struct Copy {
    folder: TempDir,
    sha256: String,
    /// Locked for as long as the folder is in use: the system lets go of it when the house ends, in whatever way.
    _lock: File,
}

impl Copy {
    /// Copies a library if it is what it should be. A file that is replaced while it is copied is noticed: what is compared is what was written.
    ///
    /// # Errors
    /// It is not, or cannot be copied; in words.
    pub fn of(library: &Library) -> Result<Self, String> {
        let unread = |error: io::Error| format!("the library cannot be read: {error}");
        let (folder, lock) = own_folder(&std::env::temp_dir()).map_err(unread)?;
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

    /// Whether the copy still is what it should be.
    ///
    /// # Errors
    /// It is not; in words.
    pub fn verify(&self) -> Result<(), String> {
        let found = digest(&self.library()).map_err(|error| format!("the library cannot be read: {error}"))?;
        if found == self.sha256 { Ok(()) } else { Err(format!("the library's SHA-256 is {found}, not {}", self.sha256)) }
    }

    /// Where the copy is.
    pub fn library(&self) -> PathBuf {
        self.folder.path().join("library.so")
    }

    /// Where nothing is.
    pub fn empty_folder(&self) -> PathBuf {
        self.folder.path().join("empty")
    }
}

/// A folder nobody else has, locked.
fn own_folder(place: &Path) -> io::Result<(TempDir, File)> {
    loop {
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(place)?;
        let lock = match File::open(folder.path()) {
            Ok(lock) => lock,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        };
        // Another house that starts at this moment may take the folder for one that was left, before it is locked.
        let is_taken = matches!(lock.try_lock(), Err(TryLockError::WouldBlock)) || !folder.path().is_dir();
        if !is_taken {
            return Ok((folder, lock));
        }
    }
}

/// Removes the copies that houses left which were ended before they could do that themselves. Copies in use are locked and stay.
pub fn clear_up() {
    clear_up_in(&std::env::temp_dir());
}

fn clear_up_in(place: &Path) {
    let Ok(entries) = fs::read_dir(place) else { return };
    let own = rustix::process::geteuid().as_raw();
    let copies = entries.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX));
    for path in copies.map(|entry| entry.path()) {
        let is_own = fs::symlink_metadata(&path).is_ok_and(|folder| folder.is_dir() && folder.uid() == own);
        let Some(folder) = is_own.then(|| File::open(&path).ok()).flatten() else { continue };
        if folder.try_lock().is_ok() {
            match fs::remove_dir_all(&path) {
                Ok(()) => tracing::info!(path = %path.display(), "a copy that an earlier house left is removed"),
                Err(error) => tracing::warn!(path = %path.display(), %error, "a copy that an earlier house left stays"),
            }
        }
    }
}

/// The SHA-256 of a file, in lower-case hexadecimal digits.
///
/// # Errors
/// It cannot be read.
pub fn digest(path: &Path) -> io::Result<String> {
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
    fn what_a_dead_house_left_goes_and_what_is_in_use_stays() {
        let place = tempfile::tempdir().unwrap();
        let left = place.path().join(format!("{PREFIX}left"));
        fs::create_dir_all(left.join("empty")).unwrap();
        fs::write(left.join("library.so"), "abc").unwrap();
        let other = place.path().join("agio-documents");
        fs::create_dir(&other).unwrap();
        let (used, lock) = own_folder(place.path()).unwrap();

        clear_up_in(place.path());
        assert!(!left.exists());
        assert!(other.exists() && used.path().exists());

        // A house that is ended at once locks nothing any more, and removes nothing.
        drop(lock);
        let path = used.keep();
        clear_up_in(place.path());
        assert!(!path.exists());
    }
}
