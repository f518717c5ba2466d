//! Request checks against DNS rebinding and cross-site requests: the service is local, but so is the user's browser.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};

use hyper::HeaderMap;
use hyper::header::{CONTENT_TYPE, HOST, HeaderName, ORIGIN};

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Whether the `Host` header is the service's own address.
pub fn has_own_host(headers: &HeaderMap, address: SocketAddr) -> bool {
    let names = [
        SocketAddr::from((address.ip(), address.port())).to_string(),
        SocketAddr::from((Ipv4Addr::LOCALHOST, address.port())).to_string(),
        SocketAddr::from((Ipv6Addr::LOCALHOST, address.port())).to_string(),
        format!("localhost:{}", address.port()),
    ];
    text(headers, HOST).is_some_and(|host| names.iter().any(|name| name == host))
}

/// Whether a request comes from an API client and not from a page in a browser.
pub fn is_api_client(headers: &HeaderMap) -> bool {
    let is_json = text(headers, CONTENT_TYPE).is_some_and(|kind| kind.split(';').next() == Some("application/json"));
    is_json && !headers.contains_key(ORIGIN) && !headers.contains_key(FETCH_SITE)
}

/// Whether a form was sent from the wallet page.
pub fn is_same_origin_form(headers: &HeaderMap) -> bool {
    let own_origin = text(headers, HOST).map(|host| format!("http://{host}"));
    let is_own = !headers.contains_key(ORIGIN) || text(headers, ORIGIN).map(str::to_owned) == own_origin;
    is_own && (!headers.contains_key(FETCH_SITE) || text(headers, FETCH_SITE) == Some("same-origin"))
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}
