//! Files strangers send: read off the wire no further than their limit, recognised by their content, stripped of what is behind the
//! picture, and kept where nothing is served from.
//!
//! What a file is for, who may see it and when it goes, the rooms that take files know; here is what is the same for all of them.

pub mod api;
mod folder;
mod picture;

pub use folder::{Folder, digest};
pub use picture::{Cleaned, Media, PIXELS_MAX, Refusal, shown_name};

/// The largest file that is taken.
pub const BYTES_MAX: usize = 10 * 1024 * 1024;

/// A file as it came.
#[derive(Clone, Debug)]
pub struct Uploaded {
    /// The name the browser gave.
    pub name: String,
    /// Its content.
    pub bytes: Vec<u8>,
}
