//! Limits and permissions of the process: open files, and the mode of new files.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::Mode;
use rustix::process::{Resource, getrlimit, setrlimit, umask};

use crate::config::Config;

/// Permission bits of group and others.
const OF_OTHERS: u32 = 0o077;

/// Restricts new files and folders to their owner: 0600 and 0700.
pub fn keep_files_private() {
    umask(Mode::from_raw_mode(OF_OTHERS));
}

/// Raises the limit of open files to the maximum and returns it.
pub fn raise_open_files() -> Option<u64> {
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current != limit.maximum {
        let before = limit.current;
        limit.current = limit.maximum;
        if let Err(error) = setrlimit(Resource::Nofile, limit) {
            tracing::warn!(%error, "the limit of open files could not be raised");
            limit.current = before;
        }
    }
    limit.current
}

/// Logs the private files and folders that other users can access.
pub fn report_open_permissions(config: &Config) {
    for path in exposed_paths(config) {
        tracing::warn!(path = %path.display(), "other users can access it; restrict it to its owner: chmod -R go-rwx");
    }
}

/// The private files and folders that other users can access.
pub fn exposed_paths(config: &Config) -> Vec<PathBuf> {
    open_to_others(&private_paths(config))
}

/// The private files and folders: the database with its folder and write-ahead log, the key file, receipts and photos.
fn private_paths(config: &Config) -> Vec<PathBuf> {
    let mut paths = vec![crate::secrets::file_of(config)];
    if let Some(path) = config.database.url.0.strip_prefix("sqlite:") {
        let path = path.trim_start_matches("//");
        paths.extend(["", "-wal", "-shm"].map(|end| PathBuf::from(format!("{path}{end}"))));
        paths.extend(Path::new(path).parent().filter(|folder| !folder.as_os_str().is_empty()).map(Path::to_owned));
    }
    for folder in [&config.files.receipts, &config.files.photos] {
        let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        // One file per folder is enough.
        paths.extend(std::iter::once(folder.clone()).chain(files.filter(|file| is_open(file)).take(1)));
    }
    paths
}

fn open_to_others(paths: &[PathBuf]) -> Vec<PathBuf> {
    paths.iter().filter(|path| is_open(path)).cloned().collect()
}

fn is_open(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| !found.is_symlink() && found.permissions().mode() & OF_OTHERS != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ConfigSources;

    #[test]
    fn paths_open_to_others_are_found() {
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o700)).unwrap();
        let at = |name: &str, mode: u32| {
            let path = folder.path().join(name);
            fs::write(&path, "").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            path
        };
        let (open, private) = (at("agio.db", 0o644), at("agio.keys", 0o600));
        let config = Config::read(&ConfigSources {
            set: &[
                format!("database.url=sqlite:{}", open.display()),
                format!("files.receipts={}", folder.path().join("receipts").display()),
                format!("files.photos={}", folder.path().join("photos").display()),
            ],
            ..ConfigSources::default()
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
