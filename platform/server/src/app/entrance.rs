//! What stands before the calls: the sites, the bounds, the doors.

use std::sync::Arc;

use agio_core::Result;
use poem::{EndpointExt as _, IntoEndpoint as _};

use super::App;
use crate::config::Config;
use crate::http::built_in;
use crate::http::docs::Docs;
use crate::http::doors::{Door, Leads};
use crate::http::edge::Edge;
use crate::http::filling;
use crate::http::limit::CallLimit;
use crate::http::once::Once;
use crate::http::site::{Policy, Shell, Site};
use crate::http::streams::StreamLimit;

/// Pages the public site makes in the browser, in both languages.
const PUBLIC_SHELLS: &[Shell] = &[
    Shell { prefix: "claim", shell: "app.html" },
    Shell { prefix: "en/claim", shell: "en/app.html" },
    Shell { prefix: "verify", shell: "app.html" },
    Shell { prefix: "en/verify", shell: "en/app.html" },
];

/// The console is one page.
const CONSOLE_SHELLS: &[Shell] = &[Shell { prefix: "", shell: "index.html" }];

impl App {
    /// The outer doors with everything behind them: the public one, and the console's where it listens by itself.
    ///
    /// # Errors
    /// A site cannot be read.
    pub fn doors(&self, config: &Config) -> Result<(Door, Option<Door>)> {
        let edge = Arc::new(self.edge(config)?);
        Ok(match config.admin.listen {
            None => (Door::new(edge, Leads::Everywhere), None),
            Some(_) => (Door::new(edge.clone(), Leads::ToThePublic), Some(Door::new(edge, Leads::ToTheConsole))),
        })
    }

    fn edge(&self, config: &Config) -> Result<Edge> {
        let (app, keyed) = (self.clone(), self.clone());
        Ok(Edge {
            platform: self.platform.clone(),
            ledger: self.ledger.clone(),
            texts: self.texts.clone(),
            staff: self.auth.clone(),
            customers: self.auth.clone(),
            presence: self.auth.clone(),
            public_api: Arc::new(self.public_api().into_endpoint().boxed()),
            console_api: Arc::new(self.console_api().into_endpoint().boxed()),
            public_site: Site::open(&config.sites.public, &built_in::public, PUBLIC_SHELLS, Policy::Strict)?
                .living_at(&self.public_url)?
                .showing((!config.captcha.verify_url.is_empty()).then_some(config.captcha.provider))
                .framing(self.platform.settings.clone())
                .filled_by(Arc::new(filling::Texts { content: self.content.clone(), origin: self.public_url.clone() })),
            console_site: Site::open(&config.sites.console, &built_in::console, CONSOLE_SHELLS, Policy::Nonce)?,
            partners: self.partners.clone(),
            partner_api: Arc::new(self.partner_api().into_endpoint().boxed()),
            once: Once::new(&self.platform, move || keyed.keyed()),
            docs: Docs::new(move || app.documents()),
            limit: CallLimit::new(config.server.calls_per_minute),
            robots: self.monitors.clone(),
            trusted_proxies: config.server.trusted_proxies.clone(),
            proxy_header: config.server.proxy_header,
            streams: StreamLimit::new(config.connections.streams_per_caller),
            https: self.secure_cookies,
        })
    }
}
