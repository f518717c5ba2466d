//! The keys that sign quotes.

use std::sync::Arc;

use agio_http::{ApiResult, JsonResponse, StaffAuth};
use poem_openapi::OpenApi;

use super::Tag;
use crate::api::QuoteKeyView;
use crate::{Calculator, SETTINGS_EDIT, SETTINGS_READ};

pub(super) struct QuoteKeysAdminApi(pub(super) Arc<Calculator>);

#[OpenApi(prefix_path = "/api/admin/v1", tag = "Tag::Settings")]
impl QuoteKeysAdminApi {
    /// List quote signing keys
    ///
    /// The published keys, newest first. Needs `settings.read`.
    #[oai(path = "/quote-keys", method = "get", operation_id = "listQuoteKeys")]
    async fn list_keys(&self, auth: StaffAuth) -> ApiResult<JsonResponse<Vec<QuoteKeyView>>> {
        auth.require(SETTINGS_READ)?;
        Ok(JsonResponse(self.published_keys()))
    }

    /// Rotate the quote signing key
    ///
    /// Publishes a new key at once; it starts signing 30 seconds later. The old key stays published until its last quote
    /// expires. No other key is created until the new one signs. Keys also rotate automatically, see the setting
    /// `rates.quote_key_days`. Needs `settings.edit` and a fresh second factor.
    #[oai(path = "/quote-keys/rotate", method = "post", operation_id = "rotateQuoteKey")]
    async fn rotate_key(&self, auth: StaffAuth) -> ApiResult<JsonResponse<Vec<QuoteKeyView>>> {
        let staff = auth.require(SETTINGS_EDIT)?;
        auth.require_fresh()?;
        self.0.rotate_quote_key(&staff).await?;
        Ok(JsonResponse(self.published_keys()))
    }
}

impl QuoteKeysAdminApi {
    fn published_keys(&self) -> Vec<QuoteKeyView> {
        let keys = self.0.quote_keys();
        keys.published(self.0.platform.clock.now()).map(QuoteKeyView::from).collect()
    }
}
