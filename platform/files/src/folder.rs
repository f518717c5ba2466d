//! Where files are kept.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Seek as _};
use std::net::IpAddr;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use agio_core::{Error, Kind, Result};
use uuid::Uuid;

use crate::picture::{Cleaned, Media, Refusal, clean};
use crate::uploads::{UploadPermit, busy};
use crate::{Uploaded, Uploads};

/// How long decoding may take, with the wait for it.
const DECODING_MAX: Duration = Duration::from_secs(30);

/// A folder of files, outside everything that is served. Files are named after their identifiers alone, so that no name a customer
/// chose is ever a path.
pub struct Folder {
    path: PathBuf,
    uploads: Arc<Uploads>,
}

impl Folder {
    /// A folder; it is made when the first file comes.
    #[must_use]
    pub fn at(path: PathBuf, uploads: Arc<Uploads>) -> Self {
        Self { path, uploads }
    }

    /// The right to send a file, and the nameless file it is received in.
    ///
    /// # Errors
    /// 429 `too_many_uploads`; 503 `uploads_busy`, `storage_unavailable`.
    pub(crate) async fn begin(&self, address: IpAddr) -> Result<(UploadPermit, File)> {
        let permit = self.uploads.begin(address)?;
        let path = self.path.clone();
        let file = off_thread(move || nameless(&path)).await?.map_err(unavailable)?;
        Ok((permit, file))
    }

    /// Checks a file of one of these types and makes of it what may be kept.
    ///
    /// # Errors
    /// What `refused` makes of a refusal; 503 `uploads_busy`, `storage_unavailable`.
    pub async fn clean(
        &self,
        file: Uploaded,
        taken: &'static [Media],
        refused: impl FnOnce(Refusal) -> Error,
    ) -> Result<Cleaned> {
        let until = tokio::time::Instant::now() + DECODING_MAX;
        let cleaned = async {
            let turn = self.uploads.decoder().await?;
            let path = self.path.clone();
            // Whoever stops waiting leaves the work its turn, which it gives back when it is over.
            let work = off_thread(move || {
                let _turn = turn;
                Ok::<_, io::Error>(clean(&file.name, file.content, nameless(&path)?, taken, until.into_std()))
            });
            work.await?.map_err(unavailable)
        };
        match tokio::time::timeout_at(until, cleaned).await {
            Err(_) => Err(busy()),
            Ok(Err(error)) => Err(error),
            Ok(Ok(Err(Refusal::TooSlow))) => Err(busy()),
            Ok(Ok(cleaned)) => cleaned.map_err(refused),
        }
    }

    /// Keeps a file. When it is kept it survives a loss of power.
    ///
    /// # Errors
    /// 503 `storage_unavailable`.
    pub async fn keep(&self, id: Uuid, file: Cleaned) -> Result<()> {
        let place = self.place(id);
        let written = off_thread(move || {
            let mut content = file.content;
            content.rewind()?;
            let mut kept = OpenOptions::new().write(true).create_new(true).mode(0o600).open(place)?;
            io::copy(&mut content, &mut kept)?;
            kept.sync_all()
        });
        written.await?.map_err(unavailable)
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

/// A file without a name, which is gone when it is closed, in a folder only its owner may enter.
fn nameless(folder: &Path) -> io::Result<File> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    tempfile::tempfile_in(folder)
}

async fn off_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(Error::internal)
}

fn unavailable(error: io::Error) -> Error {
    Error::new(Kind::Unavailable, "storage_unavailable").caused_by(error)
}
