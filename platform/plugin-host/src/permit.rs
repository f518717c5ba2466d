//! What a plugin may have done for it.

use std::collections::BTreeMap;

use agio_plugin::protocol::{Host, HttpRequest, Manifest};
use hyper::Uri;

/// The longest name and value a plugin may keep, in bytes.
const KEPT_NAME_MAX: usize = 64;
const KEPT_VALUE_MAX: usize = 16 * 1024;

/// Headers that belong to the connection, not to the request.
const OWN_HEADERS: [&str; 8] =
    ["host", "content-length", "connection", "transfer-encoding", "upgrade", "te", "trailer", "proxy-authorization"];

/// Whether a request goes to a host of the manifest, by a method named there.
///
/// # Errors
/// Why it may not be made, in words.
pub fn request(manifest: &Manifest, settings: &BTreeMap<String, String>, request: &HttpRequest) -> Result<(), String> {
    let wanted = origin(&request.url).ok_or_else(|| format!("{:?} is no address of the web", request.url))?;
    let allows = |host: &Host| {
        let (named, methods) = match host {
            Host::Origin { origin, methods } => (origin.as_str(), methods),
            Host::Setting { setting, methods } => (settings.get(setting).map_or("", String::as_str), methods),
        };
        origin(named).as_ref() == Some(&wanted) && methods.contains(&request.method)
    };
    if !manifest.hosts.iter().any(allows) {
        return Err(format!("{:?} to {} is not in the manifest", request.method, wanted));
    }
    match request.headers.iter().find(|(name, _)| OWN_HEADERS.contains(&name.to_ascii_lowercase().as_str())) {
        Some((name, _)) => Err(format!("the header {name:?} is not the plugin's to set")),
        None => Ok(()),
    }
}

/// Whether a value may be kept.
///
/// # Errors
/// Why not, in words.
pub fn keeping(name: &str, value: Option<&str>) -> Result<(), String> {
    let fits = !name.is_empty() && name.len() <= KEPT_NAME_MAX && value.is_none_or(|value| value.len() <= KEPT_VALUE_MAX);
    if fits { Ok(()) } else { Err("a value to keep is too long".to_owned()) }
}

/// Scheme, host and port of an address, in one spelling; nothing when it is no address of the web.
pub fn origin(url: &str) -> Option<String> {
    let uri: Uri = url.parse().ok()?;
    let scheme = uri.scheme_str().filter(|scheme| matches!(*scheme, "http" | "https"))?;
    if uri.authority()?.as_str().contains('@') {
        return None;
    }
    let port = uri.port_u16().unwrap_or(if scheme == "https" { 443 } else { 80 });
    Some(format!("{scheme}://{}:{port}", uri.host()?.to_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use agio_plugin::protocol::{Kind, Limits, Method, Words};

    use super::*;

    fn manifest() -> Manifest {
        let known = Host::Origin { origin: "https://api.example.com".to_owned(), methods: vec![Method::Get] };
        let own = Host::Setting { setting: "url".to_owned(), methods: vec![Method::Post] };
        Manifest {
            name: "example".to_owned(),
            version: "1".to_owned(),
            kind: Kind::Rates,
            title: Words::default(),
            about: Words::default(),
            hosts: vec![known, own],
            settings: Vec::new(),
            limits: Limits::default(),
            features: Vec::new(),
        }
    }

    #[test]
    fn requests_go_where_the_manifest_says_and_nowhere_else() {
        let settings = BTreeMap::from([("url".to_owned(), "http://node.lan:8332/wallet/a".to_owned())]);
        let may = |wanted: HttpRequest| request(&manifest(), &settings, &wanted).is_ok();
        assert!(may(HttpRequest::get("https://API.example.com:443/v1?x=1")));
        assert!(may(HttpRequest::post_json("http://node.lan:8332/", &serde_json::json!({}))));
        for url in [
            "http://api.example.com/",
            "https://api.example.com:8443/",
            "https://api.example.com.evil.example/",
            "https://api.example.com@evil.example/",
            "https://evil.example/https://api.example.com",
            "ftp://api.example.com/",
            "/v1",
            "",
        ] {
            assert!(!may(HttpRequest::get(url)), "{url}");
        }
        assert!(!may(HttpRequest::post_json("https://api.example.com/", &serde_json::json!({}))));
        assert!(!may(HttpRequest::get("https://api.example.com/").header("Host", "evil.example")));
    }
}
