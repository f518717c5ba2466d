//! The calls the console makes.

mod bodies;

use std::sync::Arc;

use agio_http::{Answer, Input, Outcome, StaffAuth, Visitor};
use poem_openapi::param::Path;
use poem_openapi::{OpenApi, Tags};

use crate::service::Shelf;
use crate::{PLUGINS_EDIT, PLUGINS_READ};

use bodies::{DeskPlugin, DeskPluginChange, DeskPluginLine, DeskPlugins};

#[derive(Tags)]
enum ConsoleTag {
    /// Plugins.
    Plugins,
}

/// The console's calls.
pub struct PluginDesk(Arc<Shelf>);

impl PluginDesk {
    /// The calls.
    #[must_use]
    pub fn new(shelf: Arc<Shelf>) -> Self {
        Self(shelf)
    }
}

#[OpenApi(prefix_path = "/api/admin/v1/plugins", tag = "ConsoleTag::Plugins")]
impl PluginDesk {
    /// Plugins, how they are set and how they do
    ///
    /// Needs `plugins.read`.
    #[oai(path = "/", method = "get", operation_id = "listPlugins")]
    async fn list(&self, staff: StaffAuth, visitor: Visitor) -> Outcome<Answer<DeskPlugins>> {
        staff.may(PLUGINS_READ)?;
        Ok(Answer(DeskPlugins::of(&self.0, visitor.locale)))
    }

    /// Switch a plugin on or off, and set it
    ///
    /// What is left out stays; a setting of null goes back to its default. `revision` is the one that was seen: 409 `plugin_changed` when a
    /// colleague was faster. Needs `plugins.edit` and a fresh second factor: plugins say what rates are, and send money.
    #[oai(path = "/:name", method = "patch", operation_id = "changePlugin")]
    async fn change(
        &self,
        staff: StaffAuth,
        visitor: Visitor,
        name: Path<String>,
        input: Input<DeskPluginChange>,
    ) -> Outcome<Answer<DeskPlugin>> {
        let by = staff.may(PLUGINS_EDIT)?;
        staff.require_fresh()?;
        let (revision, change) = input.0.parts()?;
        self.0.change(&name.0, revision, change, by).await?;
        Ok(Answer(DeskPlugin::of(&*self.0.entry(&name.0)?, visitor.locale)))
    }

    /// Give a quarantined plugin another chance
    ///
    /// Its process is started anew. Nothing happens to one that is not in quarantine. Needs `plugins.edit` and a fresh second factor.
    #[oai(path = "/:name/revival", method = "post", operation_id = "revivePlugin")]
    async fn revive(&self, staff: StaffAuth, visitor: Visitor, name: Path<String>) -> Outcome<Answer<DeskPlugin>> {
        let by = staff.may(PLUGINS_EDIT)?;
        staff.require_fresh()?;
        self.0.revive(&name.0, by).await?;
        Ok(Answer(DeskPlugin::of(&*self.0.entry(&name.0)?, visitor.locale)))
    }

    /// What a plugin printed, and what happened to its process
    ///
    /// The latest lines, the oldest first; none of a plugin that came with the house. Needs `plugins.read`.
    #[oai(path = "/:name/log", method = "get", operation_id = "readPluginLog")]
    async fn log(&self, staff: StaffAuth, name: Path<String>) -> Outcome<Answer<Vec<DeskPluginLine>>> {
        staff.may(PLUGINS_READ)?;
        let entry = self.0.entry(&name.0)?;
        let lines = entry.supervised().map(|plugin| plugin.log()).unwrap_or_default();
        Ok(Answer(lines.into_iter().map(DeskPluginLine::from).collect()))
    }
}
