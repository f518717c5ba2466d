//! What actions a plugin may request.

use std::collections::BTreeMap;

use agio_plugin_sdk::protocol::{AllowedHost, HttpRequest, Manifest};
use hyper::Uri;

/// Maximum length of a stored name and value, in bytes.
const STORED_NAME_MAX: usize = 64;
const STORED_VALUE_MAX: usize = 16 * 1024;

/// Headers that only the server sets.
const RESERVED_HEADERS: [&str; 8] =
    ["host", "content-length", "connection", "transfer-encoding", "upgrade", "te", "trailer", "proxy-authorization"];

/// Checks that the manifest allows the host and the method of a request.
///
/// # Errors
/// Why the request is not allowed.
pub fn check_request(manifest: &Manifest, settings: &BTreeMap<String, String>, request: &HttpRequest) -> Result<(), String> {
    let wanted = origin(&request.url).ok_or_else(|| format!("{:?} is not an HTTP URL", request.url))?;
    let allows = |host: &AllowedHost| {
        let (named, methods) = match host {
            AllowedHost::Origin { origin, methods } => (origin.as_str(), methods),
            AllowedHost::Setting { setting, methods } => (settings.get(setting).map_or("", String::as_str), methods),
        };
        origin(named).as_ref() == Some(&wanted) && methods.contains(&request.method)
    };
    if !manifest.hosts.iter().any(allows) {
        return Err(format!("{:?} to {} is not in the manifest", request.method, wanted));
    }
    match request.headers.iter().find(|(name, _)| RESERVED_HEADERS.contains(&name.to_ascii_lowercase().as_str())) {
        Some((name, _)) => Err(format!("the plugin must not set the header {name:?}")),
        None => Ok(()),
    }
}

/// Checks the size of a value to store.
///
/// # Errors
/// Why it is not allowed.
pub fn check_stored_value(name: &str, value: Option<&str>) -> Result<(), String> {
    let fits = !name.is_empty() && name.len() <= STORED_NAME_MAX && value.is_none_or(|value| value.len() <= STORED_VALUE_MAX);
    if fits { Ok(()) } else { Err("a stored name or value is too long".to_owned()) }
}

/// Normalised scheme, host and port of a URL; `None` if it is not an HTTP URL.
pub fn origin(url: &str) -> Option<String> {
    let uri: Uri = url.parse().ok()?;
    let scheme = uri.scheme_str().filter(|scheme| matches!(*scheme, "http" | "https"))?;
    if uri.authority()?.as_str().contains('@') {
        return None;
    }
    let port = uri.port_u16().unwrap_or(if scheme == "https" { 443 } else { 80 });
    Some(format!("{scheme}://{}:{port}", uri.host()?.to_ascii_lowercase()))
}

/// The origin of an HTTPS URL without a user; `None` if it is none.
pub fn https_origin(url: &str) -> Option<String> {
    origin(url).filter(|origin| origin.starts_with("https://"))
}

#[cfg(test)]
mod tests {
    use agio_plugin_sdk::protocol::{HttpMethod, LocalizedText, PluginKind, PluginLimits};

    use super::*;

    fn manifest() -> Manifest {
        let known = AllowedHost::Origin { origin: "https://api.example.com".to_owned(), methods: vec![HttpMethod::Get] };
        let own = AllowedHost::Setting { setting: "url".to_owned(), methods: vec![HttpMethod::Post] };
        Manifest {
            name: "example".to_owned(),
            version: "1".to_owned(),
            kind: PluginKind::Rates,
            title: LocalizedText::default(),
            about: LocalizedText::default(),
            hosts: vec![known, own],
            settings: Vec::new(),
            limits: PluginLimits::default(),
            features: Vec::new(),
        }
    }

    #[test]
    fn requests_go_only_to_hosts_in_the_manifest() {
        let settings = BTreeMap::from([("url".to_owned(), "http://node.lan:8332/wallet/a".to_owned())]);
        let may = |request: HttpRequest| check_request(&manifest(), &settings, &request).is_ok();
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
