//! Which routes each listener serves.

use std::sync::Arc;

use poem::{Endpoint, Request, Response};

use super::middleware::Middleware;
use crate::plugin_callbacks;

/// What a listener serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListenerAudience {
    /// Everything: the console is on the public address.
    Everyone,
    /// The public routes.
    Public,
    /// The console, its API and its documents.
    Staff,
}

#[derive(Clone)]
pub struct ListenerEndpoint {
    middleware: Arc<Middleware>,
    audience: ListenerAudience,
}

impl ListenerEndpoint {
    pub fn new(middleware: Arc<Middleware>, audience: ListenerAudience) -> Self {
        Self { middleware, audience }
    }
}

impl ListenerAudience {
    /// Whether a listener serves a route. All of them serve health checks.
    pub(super) fn serves(self, route: &Route) -> bool {
        match route {
            Route::Live | Route::Ready | Route::AcceptsClaims | Route::DocsStyle => true,
            Route::ConsoleApi | Route::ConsoleSite | Route::Help | Route::ConsoleDocs => self != Self::Public,
            Route::PublicApi | Route::PartnerApi | Route::PublicSite | Route::Docs => self != Self::Staff,
        }
    }
}

pub(super) enum Route {
    PublicApi,
    PartnerApi,
    ConsoleApi,
    ConsoleSite,
    Help,
    PublicSite,
    Docs,
    ConsoleDocs,
    DocsStyle,
    Live,
    Ready,
    AcceptsClaims,
}

impl Route {
    /// What metrics call requests without an operation.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::PublicApi => "public_api",
            Self::PartnerApi => "partner_api",
            Self::ConsoleApi => "console_api",
            Self::ConsoleSite => "console",
            Self::Help => "help",
            Self::PublicSite => "site",
            Self::Docs | Self::ConsoleDocs | Self::DocsStyle => "docs",
            Self::Live | Self::Ready | Self::AcceptsClaims => "health",
        }
    }
}

pub(super) fn route(path: &str) -> Route {
    match path {
        "/health/live" => Route::Live,
        "/health/ready" => Route::Ready,
        "/health/claims" => Route::AcceptsClaims,
        _ if is_at(path, "/api/admin") => Route::ConsoleApi,
        _ if is_at(path, "/export") => Route::PublicApi,
        _ if is_at(path, plugin_callbacks::PATH) => Route::PublicApi,
        _ if is_at(path, "/api/partner") => Route::PartnerApi,
        _ if is_at(path, "/api") || is_at(path, "/front-api") || path.starts_with("/.well-known/agio") => Route::PublicApi,
        _ if is_at(path, "/admin") => Route::ConsoleSite,
        _ if is_at(path, "/help") => Route::Help,
        "/docs/admin" | "/docs/admin/" | "/openapi/admin.json" => Route::ConsoleDocs,
        "/docs/docs.css" => Route::DocsStyle,
        _ if is_at(path, "/docs") || is_at(path, "/openapi") => Route::Docs,
        _ => Route::PublicSite,
    }
}

/// Whether a path equals a prefix or is below it.
pub(super) fn is_at(path: &str, prefix: &str) -> bool {
    path.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

impl Endpoint for ListenerEndpoint {
    type Output = Response;

    async fn call(&self, request: Request) -> poem::Result<Response> {
        Ok(self.middleware.answer(request, self.audience).await)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_select_routes() {
        assert!(matches!(route("/api/admin/v1/claims"), Route::ConsoleApi));
        assert!(matches!(route("/api/v1/claim"), Route::PublicApi));
        assert!(matches!(route("/api/partner/v1/claims"), Route::PartnerApi));
        assert!(matches!(route("/api/partners"), Route::PublicApi));
        assert!(matches!(route("/admin/claims"), Route::ConsoleSite));
        assert!(matches!(route("/administration"), Route::PublicSite));
        assert!(matches!(route("/help/guide/en/operator/claims.html"), Route::Help));
        assert!(matches!(route("/en/claim"), Route::PublicSite));
        assert!(matches!(route("/export/rates.xml"), Route::PublicApi));
        assert!(matches!(route("/exports"), Route::PublicSite));
        assert!(matches!(route("/hooks/payments-http/token"), Route::PublicApi));
    }
}
