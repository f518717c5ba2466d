//! The keys of the vault: from the configuration, or from a private file that is created at the first start.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agio_core::random::{Random, SecretRandom};
use agio_core::vault::KEY_BYTES;
use agio_core::{Error, Result, Vault};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::config::Config;

/// The key file, next to the private files if the database is not a local file.
const KEY_FILE: &str = "agio.keys";

/// # Errors
/// If a key is not 32 bytes in base64, or the file cannot be read or created, or other users can read it.
pub fn vault(config: &Config, random: Arc<dyn Random>) -> Result<Vault> {
    let given: Vec<String> = config.secrets.keys.iter().map(|key| key.0.clone()).collect();
    let encoded = if given.is_empty() { keys_in(&file_of(config), &*random)? } else { given };
    let keys = encoded.iter().map(|key| decode(key)).collect::<Result<Vec<_>>>()?;
    Ok(Vault::new(random, &keys))
}

/// The same, if there are keys that can be read. Creates none.
pub fn vault_if_present(config: &Config) -> Option<Vault> {
    let exist = !config.secrets.keys.is_empty() || file_of(config).exists();
    exist.then(|| vault(config, Arc::new(SecretRandom::default())).ok())?
}

/// The key file next to the database, or next to the folder of receipts.
pub fn file_of(config: &Config) -> PathBuf {
    match config.database.url.0.strip_prefix("sqlite:") {
        Some(path) => Path::new(path.trim_start_matches("//")).with_extension("keys"),
        None => config.files.receipts.with_file_name(KEY_FILE),
    }
}

/// The keys of the file, one per line. Creates the file with one key if it does not exist.
fn keys_in(file: &Path, random: &dyn Random) -> Result<Vec<String>> {
    if !file.exists() {
        create_key_file(file, random)
            .map_err(|error| Error::internal(format!("{} cannot be created: {error}", file.display())))?;
    }
    let refused = |error: std::io::Error| Error::internal(format!("{} cannot be read: {error}", file.display()));
    let mode = fs::metadata(file).map_err(refused)?.permissions().mode();
    if mode & 0o077 != 0 {
        let file = file.display();
        return Err(Error::internal(format!("other users can read {file}; restrict it to its owner: chmod 600 {file}")));
    }
    let text = fs::read_to_string(file).map_err(refused)?;
    let keys: Vec<_> = text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect();
    if keys.is_empty() { Err(Error::internal(format!("there is no key in {}", file.display()))) } else { Ok(keys) }
}

/// Creates the file atomically, and never overwrites one that another process created meanwhile.
fn create_key_file(file: &Path, random: &dyn Random) -> std::io::Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut key = [0; KEY_BYTES];
    random.fill(&mut key);
    let draft = file.with_extension(format!("keys-{}", std::process::id()));
    let mut written = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
    writeln!(written, "{}", STANDARD.encode(key))?;
    written.sync_all()?;
    let linked = fs::hard_link(&draft, file);
    fs::remove_file(&draft)?;
    match linked {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// The bytes of a key.
///
/// # Errors
/// It is not 32 bytes in base64.
pub fn decode(key: &str) -> Result<[u8; KEY_BYTES]> {
    let bytes = STANDARD.decode(key).ok();
    let key = bytes.and_then(|bytes| bytes.try_into().ok());
    key.ok_or_else(|| {
        Error::internal(
            "each key of secrets.keys or of the key file is 32 bytes in base64, as `openssl rand -base64 32` makes them",
        )
    })
}

#[cfg(test)]
mod tests {
    use agio_core::random::SeededRandom;

    use super::*;
    use crate::config::{ConfigSources, Secret};

    fn config(set: &[String]) -> Config {
        Config::read(&ConfigSources { set, ..ConfigSources::default() }).unwrap()
    }

    #[test]
    fn the_key_file_is_created_once() {
        let folder = tempfile::tempdir().unwrap();
        let config = config(&[format!("database.url=sqlite:{}", folder.path().join("agio.db").display())]);
        let sealed = vault(&config, Arc::new(SeededRandom::new(1))).unwrap().seal("a", b"secret");
        let again = vault(&config, Arc::new(SeededRandom::new(2))).unwrap();
        assert_eq!(again.open("a", &sealed).unwrap(), b"secret");
        let file = folder.path().join("agio.keys");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no draft is left behind");

        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        let refused = vault(&config, Arc::new(SeededRandom::new(1))).err().unwrap();
        assert!(refused.to_string().contains("chmod 600"), "{refused}");
    }

    #[test]
    fn configured_keys_are_used_and_never_shown() {
        let (old, new) = (STANDARD.encode([1; KEY_BYTES]), STANDARD.encode([2; KEY_BYTES]));
        let mut config = config(&[]);
        config.secrets.keys = vec![Secret(old.clone())];
        let sealed = vault(&config, Arc::new(SeededRandom::new(1))).unwrap().seal("a", b"secret");
        config.secrets.keys = vec![Secret(new), Secret(old.clone())];
        assert_eq!(vault(&config, Arc::new(SeededRandom::new(1))).unwrap().open("a", &sealed).unwrap(), b"secret");
        assert!(!serde_json::to_string(&config).unwrap().contains(&old));
        config.secrets.keys = vec![Secret("short".into())];
        assert!(vault(&config, Arc::new(SeededRandom::new(1))).is_err());
    }
}
