//! Files strangers send: taken off the wire in pieces and no further than their limit, recognised by their content, stripped of what is
//! behind the picture, and kept where nothing is served from.
//!
//! What a file is for, who may see it and when it goes, the modules that take files know; here is what is the same for all of them.

pub mod api;
mod folder;
mod picture;
mod uploads;

use std::fs::File;

pub use folder::Folder;
pub use picture::{Cleaned, Media, PIXELS_MAX, Refusal, shown_name};
pub use uploads::Uploads;

/// The largest file that is taken.
pub const BYTES_MAX: usize = 10 * 1024 * 1024;

/// A file as it came.
#[derive(Debug)]
pub struct Uploaded {
    /// The name the browser gave.
    pub name: String,
    /// SHA-256 of its content, by which it is known again, in hexadecimal.
    pub sha256: String,
    /// Its content, in a file without a name.
    pub content: File,
}
