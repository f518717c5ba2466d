//! A feed that is ready to be sent: its bytes, their names, and what was found while making them.

use std::io::Write as _;

use agio_core::{Timestamp, hex};
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest as _, Sha256};

use super::Key;
use crate::model::{Feed, Finding, write};

/// One form of a feed.
#[derive(Clone, Debug)]
pub struct Face {
    /// As it is.
    pub plain: Bytes,
    /// Compressed.
    pub gzip: Bytes,
    /// Names the content: equal content has an equal name, after a restart and on another node too.
    pub etag: String,
}

/// A feed that is ready.
#[derive(Debug)]
pub struct Ready {
    /// What it follows from.
    pub(super) key: Key,
    /// As XML.
    pub xml: Face,
    /// As JSON.
    pub json: Face,
    /// How many directions are in it.
    pub edges: usize,
    /// What was kept out.
    pub findings: Vec<Finding>,
    /// How many manual directions rest now.
    pub resting: usize,
    /// How many directions an operator keeps from monitors.
    pub unlisted: usize,
    /// How many directions of cash are left out for want of a city.
    pub without_city: usize,
    /// When it was made.
    pub built_at: Timestamp,
}

impl Ready {
    /// Writes a feed.
    pub(super) fn of(key: Key, feed: Feed, built_at: Timestamp) -> Self {
        Self {
            key,
            xml: Face::of(write::xml(&feed.items)),
            json: Face::of(write::json(&feed.items)),
            edges: feed.items.len(),
            findings: feed.findings,
            resting: feed.resting,
            unlisted: feed.unlisted,
            without_city: feed.without_city,
            built_at,
        }
    }
}

impl Face {
    fn of(text: String) -> Self {
        let digest = Sha256::digest(text.as_bytes());
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text.as_bytes()).expect("memory takes what is written");
        Self {
            gzip: encoder.finish().expect("memory takes what is written").into(),
            etag: hex::encode(&digest[..16]),
            plain: text.into(),
        }
    }
}
