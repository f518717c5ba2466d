//! Whom the service answers. It is on this machine alone, but so is the browser that shows pages of strangers.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};

use hyper::HeaderMap;
use hyper::header::{CONTENT_TYPE, HOST, HeaderName, ORIGIN};

/// Where a browser says that a request comes from.
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Whether a request names the place the service is at, and not a name of somebody else's that leads there.
pub fn is_addressed(headers: &HeaderMap, address: SocketAddr) -> bool {
    let names = [
        SocketAddr::from((address.ip(), address.port())).to_string(),
        SocketAddr::from((Ipv4Addr::LOCALHOST, address.port())).to_string(),
        SocketAddr::from((Ipv6Addr::LOCALHOST, address.port())).to_string(),
        format!("localhost:{}", address.port()),
    ];
    text(headers, HOST).is_some_and(|host| names.iter().any(|name| name == host))
}

/// Whether a request comes from a program, and not from a page in a browser: pages have no business with calls.
pub fn is_a_program(headers: &HeaderMap) -> bool {
    let is_json = text(headers, CONTENT_TYPE).is_some_and(|kind| kind.split(';').next() == Some("application/json"));
    is_json && !headers.contains_key(ORIGIN) && !headers.contains_key(FETCH_SITE)
}

/// Whether a form was sent from the wallet's own page.
pub fn is_own_form(headers: &HeaderMap) -> bool {
    let home = text(headers, HOST).map(|host| format!("http://{host}"));
    let is_own = !headers.contains_key(ORIGIN) || text(headers, ORIGIN).map(str::to_owned) == home;
    is_own && (!headers.contains_key(FETCH_SITE) || text(headers, FETCH_SITE) == Some("same-origin"))
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}
