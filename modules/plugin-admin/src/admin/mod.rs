//! The plugin API of the console.

mod bodies;

use std::sync::Arc;

use agio_approvals::{ChangeOutcome, PendingApproval};
use agio_core::texts::Locale;
use agio_http::{Accepted, ApiResult, Either, JsonBody, JsonResponse, StaffAuth, Visitor};
use poem_openapi::param::Path;
use poem_openapi::{OpenApi, Tags};

use crate::service::PluginManager;
use crate::{PLUGINS_EDIT, PLUGINS_READ};

use bodies::{PluginList, PluginLogEntry, PluginReader, PluginUpdateRequest, PluginView};

#[derive(Tags)]
enum PluginTag {
    /// Plugins.
    Plugins,
}

/// The changed plugin, or an approval request.
type UpdatePluginResponse = Either<JsonResponse<PluginView>, PendingApproval>;

pub struct PluginsAdminApi(pub Arc<PluginManager>);

impl PluginsAdminApi {
    /// A plugin as somebody sees it who may edit it.
    fn view(&self, name: &str, locale: Locale) -> ApiResult<JsonResponse<PluginView>> {
        Ok(JsonResponse(PluginView::of(&self.0, &*self.0.entry(name)?, PluginReader { locale, may_edit: true })))
    }
}

#[OpenApi(prefix_path = "/api/admin/v1/plugins", tag = "PluginTag::Plugins")]
impl PluginsAdminApi {
    /// List plugins
    ///
    /// With settings, state and statistics. Needs `plugins.read`.
    #[oai(path = "/", method = "get", operation_id = "listPlugins")]
    async fn list(&self, staff: StaffAuth, visitor: Visitor) -> ApiResult<JsonResponse<PluginList>> {
        staff.require(PLUGINS_READ)?;
        let may_edit = staff.require(PLUGINS_EDIT).is_ok();
        Ok(JsonResponse(PluginList::of(&self.0, PluginReader { locale: visitor.locale, may_edit })))
    }

    /// Update a plugin
    ///
    /// Enables or disables it and changes its settings or its callback URL. 409 `plugin_changed` if it has changed
    /// since `revision`. With two-person approval it creates an approval request, 202, unless the change only disables
    /// the plugin or replaces its callback URL. Needs `plugins.edit` and a recent second factor, because plugins set
    /// rates and send money.
    #[oai(path = "/:name", method = "patch", operation_id = "updatePlugin")]
    async fn update(
        &self,
        staff: StaffAuth,
        visitor: Visitor,
        name: Path<String>,
        input: JsonBody<PluginUpdateRequest>,
    ) -> ApiResult<UpdatePluginResponse> {
        let by = staff.require(PLUGINS_EDIT)?;
        staff.require_fresh()?;
        let (revision, update) = input.0.parts();
        Ok(match self.0.update(&name.0, revision, update, by.clone()).await? {
            ChangeOutcome::Applied(()) => Either::Left(self.view(&name.0, visitor.locale)?),
            ChangeOutcome::PendingApproval(row) => Either::Right(Accepted(self.0.approvals.show(*row, &by, visitor.locale))),
        })
    }

    /// Revive a quarantined plugin
    ///
    /// Restarts its process. Does nothing if it is not in quarantine. Needs `plugins.edit` and a recent second factor.
    #[oai(path = "/:name/revive", method = "post", operation_id = "revivePlugin")]
    async fn revive(&self, staff: StaffAuth, visitor: Visitor, name: Path<String>) -> ApiResult<JsonResponse<PluginView>> {
        let by = staff.require(PLUGINS_EDIT)?;
        staff.require_fresh()?;
        self.0.revive(&name.0, by).await?;
        self.view(&name.0, visitor.locale)
    }

    /// Get a plugin's log
    ///
    /// The latest output and process events, oldest first; empty for a built-in plugin. Needs `plugins.read`.
    #[oai(path = "/:name/log", method = "get", operation_id = "getPluginLog")]
    async fn log(&self, staff: StaffAuth, name: Path<String>) -> ApiResult<JsonResponse<Vec<PluginLogEntry>>> {
        staff.require(PLUGINS_READ)?;
        let entry = self.0.entry(&name.0)?;
        let lines = entry.supervised().map(|plugin| plugin.log()).unwrap_or_default();
        Ok(JsonResponse(lines.into_iter().map(PluginLogEntry::from).collect()))
    }
}
