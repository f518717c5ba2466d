//! The installation's configuration: `config/default.toml` < profile < the operator's file < environment < flags.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use agio_auth::PasswordCost;
use agio_captcha::CaptchaWidget;
use agio_core::db::DbOptions;
use agio_core::networks::Networks;
use agio_core::texts::Locale;
use agio_core::{Error, Result};
use config::{Environment, File, FileFormat};
use serde::de::IntoDeserializer as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::connections::ConnectionLimits;
use crate::http::client_address::ProxyHeader;
use crate::sandbox;

/// The timeout of a whole response over HTTP/2.
const HTTP2_RESPONSE_TIMEOUT: Duration = Duration::from_secs(600);

const DEFAULT: &str = include_str!("../../../config/default.toml");
/// Settings whose values the environment and the command line separate with commas.
const LISTS: [&str; 3] = ["server.trusted_proxies", "secrets.keys", "plugins.private_origins"];

const DEMO: &str = include_str!("../../../config/demo.toml");

const DEMO_PROFILE: &str = "demo";

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    pub server: ServerConfig,
    pub connections: ConnectionsConfig,
    pub admin: AdminConfig,
    pub staff: StaffConfig,
    pub database: DatabaseConfig,
    pub mail: MailConfig,
    pub notices: NoticesConfig,
    pub captcha: CaptchaConfig,
    pub partners: PartnersConfig,
    pub push: PushConfig,
    pub plugins: PluginsConfig,
    pub secrets: SecretsConfig,
    pub files: FilesConfig,
    pub sites: SitesConfig,
    pub demo: DemoConfig,
    pub log: LogConfig,
    pub metrics: MetricsConfig,
    pub traces: TracesConfig,
    /// Whether the demo profile was selected on the command line. No file or variable can do that.
    #[serde(skip)]
    pub is_demo: bool,
    /// No file or variable changes it.
    #[serde(skip)]
    pub password_cost: PasswordCost,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ServerConfig {
    /// The address and port of the public listener.
    pub listen: SocketAddr,
    /// The public URL without a trailing slash.
    pub public_url: String,
    pub trusted_proxies: Networks,
    /// The header with the client address.
    #[serde(deserialize_with = "one_of")]
    pub proxy_header: ProxyHeader,
    /// Requests per minute and address, over all nodes; 0 means no limit.
    pub calls_per_minute: u32,
    /// Seconds that running requests may take when the server stops.
    pub stop_seconds: u64,
}

/// Connection limits.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ConnectionsConfig {
    /// The maximum number of open connections per listener.
    pub total: u32,
    /// The maximum per client address.
    pub per_address: u32,
    /// Timeout of a request head.
    pub head_seconds: u32,
    /// Timeout between requests.
    pub idle_seconds: u32,
    /// Timeout of a body or response without progress.
    pub stall_seconds: u32,
    /// The minimum rate of a body.
    pub body_bytes_per_second: u32,
    /// Event streams per caller.
    pub streams_per_caller: u32,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct AdminConfig {
    /// The console's own listener, if any.
    #[serde(with = "listen")]
    pub listen: Option<SocketAddr>,
    /// The URL of the console; empty means the public one.
    pub public_url: String,
}

/// Serialises an optional address as a string; `None` is empty.
mod listen {
    use std::net::SocketAddr;

    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    pub fn serialize<S: Serializer>(address: &Option<SocketAddr>, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&address.map(|address| address.to_string()).unwrap_or_default())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<SocketAddr>, D::Error> {
        match String::deserialize(deserializer)?.as_str() {
            "" => Ok(None),
            text => text.parse().map(Some).map_err(D::Error::custom),
        }
    }
}

/// One of a few words, in capitals or not. Any other one is refused with the words that are right: the configuration's
/// own reader would name an internal type instead.
fn one_of<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> std::result::Result<T, D::Error> {
    T::deserialize(String::deserialize(deserializer)?.to_lowercase().into_deserializer())
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct StaffConfig {
    #[serde(deserialize_with = "one_of")]
    pub second_factor: SecondFactor,
}

/// Whether everybody who works here needs a second factor.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SecondFactor {
    Required,
    /// For demos.
    Optional,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct DatabaseConfig {
    /// `sqlite:PATH` or `postgres://...`.
    pub url: DatabaseUrl,
    /// PostgreSQL itself, if `url` is a pooler's that pools transactions; else empty.
    pub direct_url: DatabaseUrl,
    /// The maximum number of connections of this process to PostgreSQL.
    pub connections: u32,
}

impl Config {
    pub fn db_options(&self) -> DbOptions {
        let slow = self.log.slow_statement_ms;
        DbOptions {
            direct_url: Some(self.database.direct_url.0.clone()).filter(|url| !url.is_empty()),
            postgres_connections: self.database.connections.max(CONNECTIONS_MIN),
            slow_statement: (slow > 0).then(|| Duration::from_millis(slow)),
        }
    }
}

/// Requests that hold a connection may need those of jobs to go on.
const CONNECTIONS_MIN: u32 = 4;

/// A URL whose password is hidden in all output.
#[derive(Clone, Deserialize)]
#[serde(transparent)]
pub struct DatabaseUrl(pub String);

impl DatabaseUrl {
    /// The URL without the password.
    pub fn shown(&self) -> String {
        let Some((scheme, rest)) = self.0.split_once("://") else { return self.0.clone() };
        let Some((login, place)) = rest.rsplit_once('@') else { return self.0.clone() };
        let user = login.split(':').next().unwrap_or_default();
        if login.contains(':') { format!("{scheme}://{user}:***@{place}") } else { self.0.clone() }
    }
}

impl Serialize for DatabaseUrl {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.shown())
    }
}

impl std::fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.shown())
    }
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct MailConfig {
    /// `host:port` of the mail server; empty: emails are stored locally.
    pub server: String,
    #[serde(deserialize_with = "one_of")]
    pub security: MailSecurity,
    /// Empty if the server needs no login.
    pub user: String,
    pub password: Secret,
    /// The sender address.
    pub from: String,
    /// Timeout of a delivery.
    pub timeout_seconds: u64,
    /// A PEM file with additional trusted certificates; empty for none.
    pub certificates: PathBuf,
}

/// Staff alerts by notifier plugins.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct NoticesConfig {
    #[serde(deserialize_with = "one_of")]
    pub language: Locale,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MailSecurity {
    /// TLS from the start.
    Tls,
    /// STARTTLS, required.
    StartTls,
    /// No encryption.
    None,
}

/// A secret that is hidden in all output.
#[derive(Clone, Default, Deserialize)]
#[serde(transparent)]
pub struct Secret(pub String);

impl Secret {
    fn shown(&self) -> &'static str {
        if self.0.is_empty() { "" } else { HIDDEN }
    }
}

impl Serialize for Secret {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.serialize_str(self.shown())
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.shown())
    }
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct CaptchaConfig {
    #[serde(deserialize_with = "one_of")]
    pub provider: CaptchaWidget,
    /// The verification URL of the provider; empty: a built-in proof of work is used.
    pub verify_url: String,
    /// The public key of the widget.
    pub site_key: String,
    /// The private key for verification.
    pub secret: Secret,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PluginsConfig {
    /// The folder of plugin libraries.
    pub folder: PathBuf,
    /// The file that lists the allowed libraries.
    pub list: PathBuf,
    /// Origins in private networks that plugins may call: scheme, host and port.
    pub private_origins: Vec<String>,
    /// The timeout of one round of a library, in milliseconds.
    pub round_ms: u32,
    /// The memory limit of a plugin process, in MiB.
    pub memory_mib: u32,
    /// The number of faults within a few minutes that quarantines a library.
    pub faults: u16,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PartnersConfig {
    /// Whether webhooks may go to private addresses and without TLS: for tests on one machine.
    pub private_callbacks: bool,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PushConfig {
    /// Whether push services may be at private addresses and without TLS: for tests on one machine.
    pub private_services: bool,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SecretsConfig {
    /// Keys that encrypt secrets in the database: the first encrypts, all decrypt. If empty, a file next to the
    /// database is used.
    pub keys: Vec<Secret>,
}

const HIDDEN: &str = "***";

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct FilesConfig {
    pub receipts: PathBuf,
    /// The folder of verification photos.
    pub photos: PathBuf,
    /// The maximum number of concurrent uploads.
    pub uploads: u32,
    /// The maximum per client address.
    pub uploads_per_address: u32,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SitesConfig {
    pub public: PathBuf,
    pub console: PathBuf,
    pub help: PathBuf,
}

/// Settings of the demo profile.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct DemoConfig {
    /// The local address of the sandbox network; empty for none.
    #[serde(with = "listen")]
    pub sandbox_chain: Option<SocketAddr>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct MetricsConfig {
    /// The address of `/metrics`; none by default.
    #[serde(with = "listen")]
    pub listen: Option<SocketAddr>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct LogConfig {
    #[serde(deserialize_with = "one_of")]
    pub format: LogFormat,
    /// A `tracing` filter.
    pub filter: String,
    /// Statements that take longer, in milliseconds, are logged; 0: none are.
    pub slow_statement_ms: u64,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    Text,
    Json,
}

/// Traces for OpenTelemetry.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TracesConfig {
    /// The URL of a collector that speaks OTLP over HTTP; empty: none.
    pub endpoint: String,
    /// The share of the requests that are traced, from 0 to 1.
    pub share: f64,
}

/// The configuration flags of the command line.
#[derive(Clone, Debug, Default)]
pub struct ConfigSources<'a> {
    /// A shipped profile: `demo`.
    pub profile: Option<&'a str>,
    /// The operator's configuration file.
    pub file: Option<&'a Path>,
    /// `section.key=value` from the command line.
    pub set: &'a [String],
}

impl Config {
    /// The URL of the console's host without a trailing slash. The console's own path may be given with it, as browsers
    /// show it: links add it again.
    pub fn console_url(&self) -> String {
        let own = &self.admin.public_url;
        let url = if own.is_empty() { &self.server.public_url } else { own };
        let url = url.trim_end_matches('/');
        url.strip_suffix("/admin").unwrap_or(url).to_owned()
    }

    /// The connection limits, given the limit of open files.
    pub fn connection_limits(&self, open_files: Option<u64>) -> ConnectionLimits {
        let seconds = |seconds: u32| Duration::from_secs(seconds.max(1).into());
        let ConnectionsConfig { total, per_address, head_seconds, idle_seconds, stall_seconds, body_bytes_per_second, .. } =
            self.connections;
        // A quarter is left for the database, files and outbound requests.
        let places = open_files.map_or(u64::MAX, |files| files / 4 * 3) / if self.admin.listen.is_some() { 2 } else { 1 };
        let total = usize::try_from(places.min(total.into())).unwrap_or(usize::MAX).max(1);
        ConnectionLimits {
            total,
            // One address never uses all connections.
            per_address: usize::try_from(per_address).unwrap_or(usize::MAX).min(total.div_ceil(2)),
            proxies: self.server.trusted_proxies.clone(),
            head: seconds(head_seconds),
            idle: seconds(idle_seconds),
            stall: seconds(stall_seconds),
            body_bytes_per_second,
            http2_response: HTTP2_RESPONSE_TIMEOUT,
        }
    }

    /// Origins in private networks that plugins may call.
    pub fn private_origins(&self) -> Vec<String> {
        let sandbox = self.demo.sandbox_chain.map(|address| format!("http://{address}"));
        self.plugins.private_origins.iter().cloned().chain(sandbox).collect()
    }

    /// # Errors
    /// If a file cannot be read, a key is unknown or a value is invalid; the message names it. Also if the sandbox
    /// network is enabled outside the demo profile or on an address that others can reach.
    pub fn read(sources: &ConfigSources<'_>) -> Result<Self> {
        let mut layers = config::Config::builder().add_source(File::from_str(DEFAULT, FileFormat::Toml));
        match sources.profile {
            None => {}
            Some(DEMO_PROFILE) => layers = layers.add_source(File::from_str(DEMO, FileFormat::Toml)),
            Some(other) => {
                return Err(Error::internal(format!("unknown profile {other:?}; the only profile is demo")));
            }
        }
        if let Some(file) = sources.file {
            layers = layers.add_source(File::from(file).format(FileFormat::Toml));
        }
        let environment = Environment::with_prefix("AGIO").prefix_separator("__").separator("__").try_parsing(true);
        let environment = environment.list_separator(",");
        layers = layers.add_source(LISTS.iter().fold(environment, |environment, list| environment.with_list_parse_key(list)));
        for pair in sources.set {
            let (key, value) =
                pair.split_once('=').ok_or_else(|| Error::internal(format!("--set expects key=value, not {pair:?}")))?;
            let set = if LISTS.contains(&key) {
                let values: Vec<&str> = value.split(',').filter(|value| !value.is_empty()).collect();
                layers.set_override(key, values)
            } else {
                layers.set_override(key, value)
            };
            layers = set.map_err(Error::internal)?;
        }
        let mut config: Self = layers.build().and_then(config::Config::try_deserialize).map_err(Error::internal)?;
        config.is_demo = sources.profile == Some(DEMO_PROFILE);
        config.complete_urls()?;
        if let Some(address) = config.demo.sandbox_chain {
            sandbox::check_address(address)?;
            config.check_demo("demo.sandbox_chain serves a simulated network")?;
        }
        Ok(config)
    }

    /// Without a public URL, derives the URLs from the listeners.
    ///
    /// # Errors
    /// If one is not a URL that links can begin with, which a URL with a path is not.
    fn complete_urls(&mut self) -> Result<()> {
        if self.server.public_url.is_empty() {
            self.server.public_url = url_of(self.server.listen);
            if let (Some(listen), true) = (self.admin.listen, self.admin.public_url.is_empty()) {
                self.admin.public_url = url_of(listen);
            }
        }
        for (key, url) in [("server.public_url", &self.server.public_url), ("admin.public_url", &self.admin.public_url)] {
            let host = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
            if !url.is_empty() && host.is_none_or(str::is_empty) {
                return Err(Error::internal(format!(
                    "{key} must begin with https:// or http://, as https://exchange.example, not {url:?}"
                )));
            }
            // Pages are at fixed paths, so links that begin with another one lead nowhere.
            let rest = host.and_then(|host| host.find(['/', '?', '#']).map(|end| &host[end..])).unwrap_or_default();
            let rest = rest.trim_end_matches('/');
            if !rest.is_empty() && (key, rest) != ("admin.public_url", "/admin") {
                return Err(Error::internal(format!("{key} must end after the host or its port, without {rest:?}: {url:?}")));
            }
        }
        Ok(())
    }

    /// # Errors
    /// If the demo profile is not selected. The message gives `what` as the reason.
    pub fn check_demo(&self, what: &str) -> Result<()> {
        if self.is_demo {
            return Ok(());
        }
        Err(Error::internal(format!(
            "{what}, so it is for demos only: add --profile {DEMO_PROFILE} and name a separate database with --set database.url=..."
        )))
    }
}

/// The URL of a listener for a browser on this machine.
pub fn url_of(mut listen: SocketAddr) -> String {
    if listen.ip().is_unspecified() {
        listen.set_ip(Ipv4Addr::LOCALHOST.into());
    }
    format!("http://{listen}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_configuration_is_valid() {
        Config::read(&ConfigSources::default()).unwrap();
        Config::read(&ConfigSources { profile: Some("demo"), ..ConfigSources::default() }).unwrap();
    }

    #[test]
    fn the_second_factor_is_optional_only_in_the_demo() {
        let second_factor_of =
            |profile| Config::read(&ConfigSources { profile, ..ConfigSources::default() }).unwrap().staff.second_factor;
        assert_eq!((second_factor_of(None), second_factor_of(Some("demo"))), (SecondFactor::Required, SecondFactor::Optional));
    }

    #[test]
    fn the_console_shares_the_public_listener_by_default() {
        let read = |set: &[String]| Config::read(&ConfigSources { set, ..ConfigSources::default() });
        let shared = read(&[]).unwrap();
        assert_eq!((shared.admin.listen, shared.console_url()), (None, shared.server.public_url.clone()));
        let own = read(&["admin.listen=127.0.0.1:8081".into(), "admin.public_url=https://console.example/".into()]).unwrap();
        assert_eq!(own.admin.listen.map(|address| address.port()), Some(8081));
        assert_eq!(own.console_url(), "https://console.example");
        for shown in ["https://exchange.example/admin", "https://exchange.example/admin/"] {
            assert_eq!(read(&[format!("admin.public_url={shown}")]).unwrap().console_url(), "https://exchange.example");
        }
        read(&["admin.listen=here".into()]).unwrap_err();
    }

    #[test]
    fn urls_follow_the_listeners_unless_they_are_given() {
        let read = |set: &[&str]| {
            let set: Vec<String> = set.iter().map(|pair| (*pair).to_owned()).collect();
            Config::read(&ConfigSources { set: &set, ..ConfigSources::default() })
        };
        let urls = |set: &[&str]| read(set).map(|config| (config.server.public_url.clone(), config.console_url())).unwrap();
        let both = |url: &str| (url.to_owned(), url.to_owned());
        assert_eq!(urls(&[]), both("http://127.0.0.1:8080"));
        assert_eq!(urls(&["server.listen=0.0.0.0:9000"]), both("http://127.0.0.1:9000"));
        assert_eq!(urls(&["server.public_url=https://exchange.example"]), both("https://exchange.example"));
        assert_eq!(urls(&["admin.listen=127.0.0.1:8081"]).1, "http://127.0.0.1:8081");
        let proxied = ["server.public_url=https://exchange.example", "admin.listen=127.0.0.1:8081"];
        assert_eq!(urls(&proxied), both("https://exchange.example"));
        for wrong in ["exchange.example", "https://", "ftp://exchange.example"] {
            let refused = read(&[&format!("server.public_url={wrong}")]).unwrap_err().to_string();
            assert!(refused.contains("server.public_url") && refused.contains("https://"), "{refused}");
        }
        for (key, wrong) in [("server", "/en"), ("server", "/admin"), ("server", "?a"), ("admin", "/office"), ("admin", "#a")] {
            let refused = read(&[&format!("{key}.public_url=https://exchange.example{wrong}")]).unwrap_err().to_string();
            assert!(refused.contains(&format!("{key}.public_url")) && refused.contains(wrong), "{refused}");
        }
        read(&["server.public_url=https://exchange.example:8443/"]).unwrap();
    }

    #[test]
    fn the_sandbox_network_is_local_and_for_the_demo_only() {
        let read = |profile, set: &[String]| Config::read(&ConfigSources { profile, set, ..ConfigSources::default() });
        let (plain, demo) = (read(None, &[]).unwrap(), read(Some("demo"), &[]).unwrap());
        assert!(plain.demo.sandbox_chain.is_none() && plain.private_origins().is_empty());
        assert_eq!(demo.private_origins(), ["http://127.0.0.1:18999"]);
        assert!(read(Some("demo"), &["demo.sandbox_chain=".into()]).unwrap().demo.sandbox_chain.is_none());
        for open in ["0.0.0.0:18999", "[::]:18999", "192.0.2.1:18999", "127.0.0.1:0"] {
            let refused = read(Some("demo"), &[format!("demo.sandbox_chain={open}")]).unwrap_err();
            assert!(refused.to_string().contains("127.0.0.1:18999"), "{refused}");
        }
        let origins = ["plugins.private_origins=http://127.0.0.1:18999,http://127.0.0.1:9332".to_owned()];
        assert_eq!(read(None, &origins).unwrap().private_origins(), ["http://127.0.0.1:18999", "http://127.0.0.1:9332"]);
        let in_service = read(None, &["demo.sandbox_chain=127.0.0.1:18999".into()]).unwrap_err();
        assert!(in_service.to_string().contains("--profile demo"), "{in_service}");
    }

    #[test]
    fn proxies_are_networks() {
        let read = |list: &str| {
            let proxies: Vec<String> = list.split(' ').map(str::to_owned).collect();
            let mut config = Config::read(&ConfigSources::default()).unwrap();
            config.server.trusted_proxies = serde_json::from_value(proxies.into()).unwrap();
            config.server.trusted_proxies
        };
        let proxies = read("10.0.0.0/8 2001:db8::1");
        assert!(proxies.contains("10.9.8.7".parse().unwrap()) && proxies.contains("2001:db8::1".parse().unwrap()));
        assert!(!proxies.contains("11.0.0.1".parse().unwrap()));
        assert!(serde_json::from_value::<Networks>(vec!["10.0.0.0/33"].into()).is_err());
    }

    #[test]
    fn connection_limits_respect_the_open_file_limit() {
        let mut config = Config::read(&ConfigSources::default()).unwrap();
        let limits = |config: &Config, files| {
            let limits = config.connection_limits(files);
            (limits.total, limits.per_address)
        };
        assert_eq!(limits(&config, None), (10_000, 256));
        assert_eq!(limits(&config, Some(1024)), (768, 256));
        assert_eq!(limits(&config, Some(256)), (192, 96));
        config.admin.listen = Some("127.0.0.1:8081".parse().unwrap());
        assert_eq!(limits(&config, Some(1024)), (384, 192));
    }

    #[test]
    fn an_unknown_key_is_refused_by_name() {
        let refused = Config::read(&ConfigSources { set: &["server.lisen=1".into()], ..ConfigSources::default() }).unwrap_err();
        assert!(refused.to_string().contains("lisen"), "{refused}");
    }

    #[test]
    fn a_word_that_is_none_of_a_setting_is_refused_with_those_that_are() {
        let read = |set: &str| Config::read(&ConfigSources { set: &[set.to_owned()], ..ConfigSources::default() });
        for (key, words) in [
            ("server.proxy_header", &["x-forwarded-for", "forwarded"][..]),
            ("staff.second_factor", &["required", "optional"][..]),
            ("mail.security", &["tls", "starttls", "none"][..]),
            ("notices.language", &["ru", "en"][..]),
            ("captcha.provider", &["recaptcha", "hcaptcha", "turnstile"][..]),
            ("log.format", &["text", "json"][..]),
        ] {
            let refused = read(&format!("{key}=wrong")).unwrap_err().to_string();
            for said in words.iter().chain(&[key, "wrong"]) {
                assert!(refused.contains(said), "{refused}");
            }
            for word in words {
                read(&format!("{key}={word}")).unwrap();
                read(&format!("{key}={}", word.to_uppercase())).unwrap();
            }
        }
    }

    #[test]
    fn a_password_is_never_shown() {
        let url = DatabaseUrl("postgres://agio:hunter2@db:5432/agio".into());
        assert_eq!(format!("{url:?}"), "postgres://agio:***@db:5432/agio");
        assert!(!serde_json::to_string(&url).unwrap().contains("hunter2"));
    }
}
