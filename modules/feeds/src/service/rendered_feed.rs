//! A rendered feed: bytes, ETags and findings.

use std::io::Write as _;

use agio_core::{Timestamp, hex};
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest as _, Sha256};

use super::FeedInputs;
use crate::model::{Feed, Finding, format};

#[derive(Clone, Debug)]
pub struct Representation {
    pub plain: Bytes,
    pub gzip: Bytes,
    /// Derived from the content, so equal across restarts and nodes.
    pub etag: String,
}

#[derive(Debug)]
pub struct RenderedFeed {
    pub(super) key: FeedInputs,
    pub xml: Representation,
    pub json: Representation,
    pub edges: usize,
    pub findings: Vec<Finding>,
    pub resting: usize,
    pub unlisted: usize,
    pub built_at: Timestamp,
}

impl RenderedFeed {
    pub(super) fn of(key: FeedInputs, feed: Feed, built_at: Timestamp) -> Self {
        Self {
            key,
            xml: Representation::of(format::xml(&feed.items)),
            json: Representation::of(format::json(&feed.items)),
            edges: feed.items.len(),
            findings: feed.findings,
            resting: feed.resting,
            unlisted: feed.unlisted,
            built_at,
        }
    }
}

impl Representation {
    fn of(text: String) -> Self {
        let digest = Sha256::digest(text.as_bytes());
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text.as_bytes()).expect("writing to memory does not fail");
        Self {
            gzip: encoder.finish().expect("writing to memory does not fail").into(),
            etag: hex::encode(&digest[..16]),
            plain: text.into(),
        }
    }
}
