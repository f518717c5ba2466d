//! Uploaded files: streamed with a size limit, recognised by content, re-encoded without metadata, and stored outside everything that is
//! served.
//!
//! Purpose, access and retention of a file belong to the module that accepts it.

pub mod api;
mod file_store;
mod sanitization;
mod upload_limits;

use std::fs::File;

pub use file_store::FileStore;
pub use sanitization::{FileRejection, MediaType, PIXELS_MAX, SanitizedFile, shown_name};
pub use upload_limits::UploadLimits;

/// Maximum size of a file.
pub const BYTES_MAX: usize = 10 * 1024 * 1024;

/// A received file.
#[derive(Debug)]
pub struct UploadedFile {
    /// File name from the browser.
    pub name: String,
    /// SHA-256 of the content, in hexadecimal.
    pub sha256: String,
    /// Content, in an unnamed temporary file.
    pub content: File,
}
