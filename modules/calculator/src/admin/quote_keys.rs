//! The keys quotes are signed with.

use std::sync::Arc;

use agio_http::{Answer, Moment, Null, Outcome, StaffAuth};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use poem_openapi::{Object, OpenApi};
use serde::Serialize;

use super::Tag;
use crate::{Calculator, SETTINGS_EDIT, SETTINGS_READ};

/// A key that quotes are signed with.
#[derive(Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
struct QuoteKeyRow {
    /// Its name.
    id: String,
    /// The public key in base64.
    public_key: String,
    /// From when on it signs.
    signs_from: Moment,
    /// When the last quote signed with it has ended; null while it has no successor.
    ends_at: Null<Moment>,
}

pub(super) struct QuoteKeyDesk(pub(super) Arc<Calculator>);

#[OpenApi(prefix_path = "/api/admin/v1", tag = "Tag::Settings")]
impl QuoteKeyDesk {
    /// List quote signing keys
    ///
    /// Those that are published now, the newest first. Needs `settings.read`.
    #[oai(path = "/quote-keys", method = "get", operation_id = "listQuoteKeys")]
    async fn list(&self, auth: StaffAuth) -> Outcome<Answer<Vec<QuoteKeyRow>>> {
        auth.may(SETTINGS_READ)?;
        Ok(Answer(self.rows()))
    }

    /// Rotate the quote signing key
    ///
    /// The new key is published at once and signs 30 seconds later; the old one stays published until its last quote has ended.
    /// Until the new one signs, no other is made. Keys are also replaced by themselves: setting `rates.quote_key_days`. Needs
    /// `settings.edit` and a fresh second factor.
    #[oai(path = "/quote-keys/rotate", method = "post", operation_id = "rotateQuoteKey")]
    async fn rotate(&self, auth: StaffAuth) -> Outcome<Answer<Vec<QuoteKeyRow>>> {
        let staff = auth.may(SETTINGS_EDIT)?;
        auth.require_fresh()?;
        self.0.rotate_quote_key(&staff).await?;
        Ok(Answer(self.rows()))
    }
}

impl QuoteKeyDesk {
    fn rows(&self) -> Vec<QuoteKeyRow> {
        let keys = self.0.quote_keys();
        let rows = keys.published(self.0.platform.clock.now()).map(|key| QuoteKeyRow {
            id: key.id.clone(),
            public_key: STANDARD.encode(key.verifying().to_bytes()),
            signs_from: Moment(key.signs_from),
            ends_at: Null(key.ends_at.map(Moment)),
        });
        rows.collect()
    }
}
