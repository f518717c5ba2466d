//! The doors: what listens on an address, and where it leads to.

use std::sync::Arc;

use poem::{Endpoint, Request, Response};

use super::edge::Edge;

/// Where a door leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leads {
    /// To everything: the console is on the public address.
    Everywhere,
    /// To what is public.
    ToThePublic,
    /// To the console, its API and its documents.
    ToTheConsole,
}

/// A door: what listens on one address.
#[derive(Clone)]
pub struct Door {
    edge: Arc<Edge>,
    leads: Leads,
}

impl Door {
    /// A door into the house.
    #[must_use]
    pub fn new(edge: Arc<Edge>, leads: Leads) -> Self {
        Self { edge, leads }
    }
}

impl Leads {
    /// Whether this door leads to a room. At each it is told whether the process is alive.
    pub(super) fn to(self, room: &Room) -> bool {
        match room {
            Room::Live | Room::Ready | Room::DocsStyle => true,
            Room::ConsoleApi | Room::ConsoleSite | Room::ConsoleDocs => self != Self::ToThePublic,
            Room::PublicApi | Room::PartnerApi | Room::PublicSite | Room::Docs => self != Self::ToTheConsole,
        }
    }
}

/// What a request is for.
pub(super) enum Room {
    PublicApi,
    PartnerApi,
    ConsoleApi,
    ConsoleSite,
    PublicSite,
    Docs,
    ConsoleDocs,
    DocsStyle,
    Live,
    Ready,
}

/// Which room an address means.
pub(super) fn room(path: &str) -> Room {
    match path {
        "/health/live" => Room::Live,
        "/health/ready" => Room::Ready,
        _ if is_at(path, "/api/admin") => Room::ConsoleApi,
        _ if is_at(path, "/export") => Room::PublicApi,
        _ if is_at(path, "/api/partner") => Room::PartnerApi,
        _ if is_at(path, "/api") || is_at(path, "/front-api") || path.starts_with("/.well-known/agio") => Room::PublicApi,
        _ if is_at(path, "/admin") => Room::ConsoleSite,
        "/docs/admin" | "/docs/admin/" | "/openapi/admin.json" => Room::ConsoleDocs,
        "/docs/docs.css" => Room::DocsStyle,
        _ if is_at(path, "/docs") || is_at(path, "/openapi") => Room::Docs,
        _ => Room::PublicSite,
    }
}

/// Whether an address is this one or below it.
pub(super) fn is_at(path: &str, prefix: &str) -> bool {
    path.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

impl Endpoint for Door {
    type Output = Response;

    async fn call(&self, request: Request) -> poem::Result<Response> {
        Ok(self.edge.answer(request, self.leads).await)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_lead_to_their_rooms() {
        assert!(matches!(room("/api/admin/v1/claims"), Room::ConsoleApi));
        assert!(matches!(room("/api/v1/claim"), Room::PublicApi));
        assert!(matches!(room("/api/partner/v1/claims"), Room::PartnerApi));
        assert!(matches!(room("/api/partners"), Room::PublicApi));
        assert!(matches!(room("/admin/claims"), Room::ConsoleSite));
        assert!(matches!(room("/administration"), Room::PublicSite));
        assert!(matches!(room("/en/claim"), Room::PublicSite));
        assert!(matches!(room("/export/rates.xml"), Room::PublicApi));
        assert!(matches!(room("/exports"), Room::PublicSite));
    }
}
