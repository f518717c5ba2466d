//! Storage of uploaded files.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Seek as _};
use std::net::IpAddr;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use agio_core::{Error, ErrorKind, Result};
use image::DynamicImage;
use uuid::Uuid;

use crate::sanitization::{FileRejection, MediaType, SanitizedFile, decode_image, sanitize};
use crate::upload_limits::{UploadPermit, busy};
use crate::{UploadLimits, UploadedFile};

/// Timeout of decoding, including the time in the queue.
const DECODING_TIMEOUT: Duration = Duration::from_secs(30);

/// A folder of files outside everything that is served. Files are named by identifier, so a customer's file name is never part of a
/// path.
pub struct FileStore {
    path: PathBuf,
    uploads: Arc<UploadLimits>,
}

impl FileStore {
    /// The folder is created with the first file.
    pub fn at(path: PathBuf, uploads: Arc<UploadLimits>) -> Self {
        Self { path, uploads }
    }

    /// Starts an upload: returns the permit and an unnamed temporary file.
    ///
    /// # Errors
    /// 429 `too_many_uploads`; 503 `uploads_busy`, `storage_unavailable`.
    pub(crate) async fn begin(&self, address: IpAddr) -> Result<(UploadPermit, File)> {
        let permit = self.uploads.begin(address)?;
        let path = self.path.clone();
        let file = off_thread(move || temporary_file(&path)).await?.map_err(unavailable)?;
        Ok((permit, file))
    }

    /// Checks a file and prepares it for storage. `to_error` maps a rejection to an error.
    ///
    /// # Errors
    /// The mapped rejection; 503 `uploads_busy`, `storage_unavailable`.
    pub async fn sanitize(
        &self,
        file: UploadedFile,
        accepted: &'static [MediaType],
        to_error: impl FnOnce(FileRejection) -> Error,
    ) -> Result<SanitizedFile> {
        let path = self.path.clone();
        let work = move |deadline| {
            Ok(sanitize(&file.name, file.content, temporary_file(&path).map_err(unavailable)?, accepted, deadline))
        };
        self.decode(work, to_error).await
    }

    /// Checks an image and passes it to `edit`, in the same way.
    ///
    /// # Errors
    /// The mapped rejection or that of `edit`; 503 `uploads_busy`.
    pub async fn edit_image<T: Send + 'static>(
        &self,
        file: UploadedFile,
        accepted: &'static [MediaType],
        to_error: impl FnOnce(FileRejection) -> Error,
        edit: impl FnOnce(DynamicImage) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let work = move |deadline| Ok(decode_image(&file.name, file.content, accepted, deadline).map(edit));
        self.decode(work, to_error).await?
    }

    /// Runs work that decodes, when it is its turn and until the deadline.
    async fn decode<T: Send + 'static>(
        &self,
        work: impl FnOnce(Instant) -> Result<Result<T, FileRejection>> + Send + 'static,
        to_error: impl FnOnce(FileRejection) -> Error,
    ) -> Result<T> {
        let deadline = tokio::time::Instant::now() + DECODING_TIMEOUT;
        let decoded = async {
            let permit = self.uploads.decoder().await?;
            // The work keeps its permit even if the caller stops waiting.
            off_thread(move || {
                let _permit = permit;
                work(deadline.into_std())
            })
            .await?
        };
        match tokio::time::timeout_at(deadline, decoded).await {
            Err(_) => Err(busy()),
            Ok(Err(error)) => Err(error),
            Ok(Ok(Err(FileRejection::Timeout))) => Err(busy()),
            Ok(Ok(decoded)) => decoded.map_err(to_error),
        }
    }

    /// Saves a file durably.
    ///
    /// # Errors
    /// 503 `storage_unavailable`.
    pub async fn save(&self, id: Uuid, file: SanitizedFile) -> Result<()> {
        let path = self.path_of(id);
        let written = off_thread(move || {
            let mut content = file.content;
            content.rewind()?;
            let mut target = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
            io::copy(&mut content, &mut target)?;
            target.sync_all()
        });
        written.await?.map_err(unavailable)
    }

    pub async fn read(&self, id: Uuid) -> std::io::Result<Vec<u8>> {
        tokio::fs::read(self.path_of(id)).await
    }

    /// Deletes a file if it exists.
    pub async fn delete(&self, id: Uuid) -> Result<()> {
        match tokio::fs::remove_file(self.path_of(id)).await {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::internal(error)),
            _ => Ok(()),
        }
    }

    fn path_of(&self, id: Uuid) -> PathBuf {
        self.path.join(id.simple().to_string())
    }
}

/// An unnamed temporary file in a folder that only its owner can enter.
fn temporary_file(folder: &Path) -> io::Result<File> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    tempfile::tempfile_in(folder)
}

async fn off_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(Error::internal)
}

fn unavailable(error: io::Error) -> Error {
    Error::new(ErrorKind::Unavailable, "storage_unavailable").caused_by(error)
}
