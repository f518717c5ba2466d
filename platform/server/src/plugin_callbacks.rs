//! Callbacks of the services behind plugins.

use agio_core::Error;
use agio_http::{ApiResult, NoContent};
use poem_openapi::param::Path;
use poem_openapi::{OpenApi, Tags};

use crate::app::App;

/// The beginning of their paths.
pub const PATH: &str = "/hooks";

#[derive(Tags)]
enum Tag {
    /// Callbacks of banks, merchants and other services of the exchange.
    Callbacks,
}

pub struct PluginCallbackApi(pub App);

#[OpenApi(prefix_path = "/hooks", tag = "Tag::Callbacks")]
impl PluginCallbackApi {
    /// Send a callback
    ///
    /// For payment gateways and other services behind plugins, which are given this URL. The server asks the service at
    /// once what has happened. Any body is accepted and ignored, so a callback that is forged, repeated or lost does no
    /// harm. 404 `not_found` for a wrong token as for an unknown or disabled plugin.
    #[oai(path = "/:plugin/:token", method = "post", operation_id = "sendPluginCallback")]
    async fn receive(&self, plugin: Path<String>, token: Path<String>) -> ApiResult<NoContent> {
        if !self.0.plugin_manager.accepts_callback(&plugin.0, &token.0) {
            return Err(Error::not_found("not_found").into());
        }
        self.0.payments.poll_soon(&plugin.0);
        Ok(NoContent)
    }
}
