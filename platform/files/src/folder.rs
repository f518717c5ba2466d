//! Where files are kept.

use std::path::PathBuf;

use agio_core::{Error, Kind, Result, hex};
use sha2::{Digest as _, Sha256};
use tokio::io::AsyncWriteExt as _;
use tokio::sync::Semaphore;
use uuid::Uuid;

use crate::picture::{Cleaned, Media, Refusal, clean};
use crate::{BYTES_MAX, Uploaded};

/// How many pictures are unpacked at one time: each takes up to 100 MB while it is.
const PICTURES_AT_A_TIME: usize = 2;

/// A folder of files, outside everything that is served. Files are named after their identifiers alone, so that no name a customer
/// chose is ever a path.
pub struct Folder {
    path: PathBuf,
    pictures: Semaphore,
}

impl Folder {
    /// A folder; it is made when the first file comes.
    #[must_use]
    pub fn at(path: PathBuf) -> Self {
        Self { path, pictures: Semaphore::new(PICTURES_AT_A_TIME) }
    }

    /// Checks a file of one of these types and makes of it what may be kept.
    ///
    /// # Errors
    /// What `refused` makes of a refusal; 413 `too_large`.
    pub async fn clean(
        &self,
        file: Uploaded,
        taken: &'static [Media],
        refused: impl FnOnce(Refusal) -> Error,
    ) -> Result<Cleaned> {
        if file.bytes.len() > BYTES_MAX {
            return Err(Error::new(Kind::TooLarge, "too_large").with("max", BYTES_MAX));
        }
        let _turn = self.pictures.acquire().await.map_err(Error::internal)?;
        let cleaned = tokio::task::spawn_blocking(move || clean(&file.name, file.bytes, taken)).await.map_err(Error::internal)?;
        cleaned.map_err(refused)
    }

    /// Keeps a file. When it is kept it survives a loss of power.
    ///
    /// # Errors
    /// 503 `storage_unavailable`.
    pub async fn keep(&self, id: Uuid, bytes: &[u8]) -> Result<()> {
        let write = async {
            tokio::fs::create_dir_all(&self.path).await?;
            let mut file = tokio::fs::File::create_new(self.place(id)).await?;
            file.write_all(bytes).await?;
            file.sync_all().await
        };
        write.await.map_err(|error| Error::new(Kind::Unavailable, "storage_unavailable").caused_by(error))
    }

    /// A file's content.
    ///
    /// # Errors
    /// It is not there, or cannot be read.
    pub async fn read(&self, id: Uuid) -> std::io::Result<Vec<u8>> {
        tokio::fs::read(self.place(id)).await
    }

    /// Deletes a file, if it is there.
    ///
    /// # Errors
    /// It cannot be deleted.
    pub async fn delete(&self, id: Uuid) -> Result<()> {
        match tokio::fs::remove_file(self.place(id)).await {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::internal(error)),
            _ => Ok(()),
        }
    }

    fn place(&self, id: Uuid) -> PathBuf {
        self.path.join(id.simple().to_string())
    }
}

/// The digest by which a file is known again, in hexadecimal.
#[must_use]
pub fn digest(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}
