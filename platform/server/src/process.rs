//! What the process asks of the system: how many files it may open, and that what it makes is its own.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::Mode;
use rustix::process::{Resource, getrlimit, setrlimit, umask};

use crate::config::Config;

/// Bits of a file's mode by which others than its owner may use it.
const OF_OTHERS: u32 = 0o077;

/// Lets files and folders that are made from now on be their owner's alone: 0600 and 0700.
pub fn keep_files_private() {
    umask(Mode::from_raw_mode(OF_OTHERS));
}

/// Raises the number of files that may be open to what the system allows, and says how many that is.
pub fn raise_open_files() -> Option<u64> {
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current != limit.maximum {
        let before = limit.current;
        limit.current = limit.maximum;
        if let Err(error) = setrlimit(Resource::Nofile, limit) {
            tracing::warn!(%error, "the number of files that may be open could not be raised");
            limit.current = before;
        }
    }
    limit.current
}

/// Says which files and folders of the installation others than their owner may use.
pub fn report_open_permissions(config: &Config) {
    for path in open_to_others(&private_paths(config)) {
        tracing::warn!(path = %path.display(), "others than its owner may use it; allow it to its owner alone: chmod -R go-rwx");
    }
}

/// The files and folders of an installation that are nobody else's: the database with its folder and its write-ahead log, the file of
/// keys, receipts and photos.
fn private_paths(config: &Config) -> Vec<PathBuf> {
    let mut paths = vec![crate::secrets::file_of(config)];
    if let Some(path) = config.database.url.0.strip_prefix("sqlite:") {
        let path = path.trim_start_matches("//");
        paths.extend(["", "-wal", "-shm"].map(|end| PathBuf::from(format!("{path}{end}"))));
        paths.extend(Path::new(path).parent().filter(|folder| !folder.as_os_str().is_empty()).map(Path::to_owned));
    }
    for folder in [&config.files.receipts, &config.files.photos] {
        let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        // One of many is enough to say.
        paths.extend(std::iter::once(folder.clone()).chain(files.filter(|file| is_open(file)).take(1)));
    }
    paths
}

/// Those of these paths that others may use.
fn open_to_others(paths: &[PathBuf]) -> Vec<PathBuf> {
    paths.iter().filter(|path| is_open(path)).cloned().collect()
}

fn is_open(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| !found.is_symlink() && found.permissions().mode() & OF_OTHERS != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Wanted;

    #[test]
    fn what_others_may_use_is_named() {
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o700)).unwrap();
        let at = |name: &str, mode: u32| {
            let path = folder.path().join(name);
            fs::write(&path, "").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            path
        };
        let (open, private) = (at("agio.db", 0o644), at("agio.keys", 0o600));
        let config = Config::read(&Wanted {
            set: &[
                format!("database.url=sqlite:{}", open.display()),
                format!("files.receipts={}", folder.path().join("receipts").display()),
                format!("files.photos={}", folder.path().join("photos").display()),
            ],
            ..Wanted::default()
        })
        .unwrap();
        assert!(private_paths(&config).contains(&private));
        assert_eq!(open_to_others(&private_paths(&config)), std::slice::from_ref(&open));

        let photos = folder.path().join("photos");
        fs::create_dir(&photos).unwrap();
        fs::set_permissions(&photos, fs::Permissions::from_mode(0o755)).unwrap();
        let photo = at("photos/one", 0o640);
        assert_eq!(open_to_others(&private_paths(&config)), [open, photos, photo]);
    }
}
