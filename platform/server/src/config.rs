//! The installation's configuration: `config/default.toml` < profile < the operator's file < environment < flags.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use agio_captcha::Widget;
use agio_core::networks::Networks;
use agio_core::texts::Locale;
use agio_core::{Error, Result};
use config::{Environment, File, FileFormat};
use serde::{Deserialize, Serialize};

use crate::connections::ConnectionLimits;
use crate::http::client_address::ProxyHeader;
use crate::sandbox;

/// How long an answer over HTTP/2 may take to be taken.
const ANSWER: Duration = Duration::from_secs(600);

const DEFAULT: &str = include_str!("../../../config/default.toml");
const DEMO: &str = include_str!("../../../config/demo.toml");

/// The name of the demonstration's profile.
const DEMO_PROFILE: &str = "demo";

/// What an installation is told before it starts.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Listening.
    pub server: Server,
    /// What clients are held to.
    pub connections: Connections,
    /// The console.
    pub admin: Admin,
    /// Who works here.
    pub staff: Staff,
    /// Storage.
    pub database: Database,
    /// Mail.
    pub mail: Mail,
    /// Notices to staff.
    pub notices: Notices,
    /// The captcha's provider.
    pub captcha: Captcha,
    /// Partners.
    pub partners: Partners,
    /// Plugins.
    pub plugins: Plugins,
    /// Keys.
    pub secrets: Secrets,
    /// Private files.
    pub files: Files,
    /// The built sites.
    pub sites: Sites,
    /// What only demonstrations have.
    pub demo: Demo,
    /// Logging.
    pub log: Log,
    /// Whether the demonstration's profile was named. No file and no variable can say so.
    #[serde(skip)]
    pub is_demo: bool,
}

/// Where the house listens.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Server {
    /// The address and port it listens on.
    pub listen: SocketAddr,
    /// The address visitors know it under, without a slash at the end.
    pub public_url: String,
    /// Networks of the proxies in front of the server.
    pub trusted_proxies: Networks,
    /// The header they write it in.
    pub proxy_header: ProxyHeader,
    /// Calls one address may make in a minute; 0 is no limit.
    pub calls_per_minute: u32,
    /// Seconds running calls may take to end when the house stops.
    pub stop_seconds: u64,
}

/// What clients are held to.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Connections {
    /// How many may be open at each address that is listened at.
    pub total: u32,
    /// How many of them to one client address.
    pub per_address: u32,
    /// Seconds the head of a request may take.
    pub head_seconds: u32,
    /// Seconds a connection may wait for its next request.
    pub idle_seconds: u32,
    /// Seconds a client may send nothing of a body or take nothing of an answer.
    pub stall_seconds: u32,
    /// Bytes of a body that must come in a second.
    pub body_bytes_per_second: u32,
    /// Live streams one caller may have.
    pub streams_per_caller: u32,
}

/// The console.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Admin {
    /// The address and port it listens on, where that is another than the public one.
    #[serde(with = "listen")]
    pub listen: Option<SocketAddr>,
    /// The address staff know its host under; empty: the public one.
    pub public_url: String,
}

/// An address to listen on, or nothing: written as empty text.
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

/// Who works here.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Staff {
    /// Whether everybody needs a second factor.
    pub second_factor: SecondFactor,
}

/// Whether everybody who works here needs a second factor.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SecondFactor {
    /// Everybody.
    Required,
    /// Who wants one: for demonstrations.
    Optional,
}

/// The database.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Database {
    /// `sqlite:PATH` or `postgres://...`.
    pub url: DatabaseUrl,
}

/// An address that may hold a password, which is never shown.
#[derive(Clone, Deserialize)]
#[serde(transparent)]
pub struct DatabaseUrl(pub String);

impl DatabaseUrl {
    /// The address with the password hidden.
    #[must_use]
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

/// Mail.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Mail {
    /// The mail server, `host:port`; empty: mails stay in the house.
    pub server: String,
    /// How the line to it is kept private.
    pub security: MailSecurity,
    /// The name it knows us by; empty where it asks for none.
    pub user: String,
    /// The password to that name.
    pub password: Secret,
    /// The address mails come from.
    pub from: String,
    /// Seconds a delivery may last.
    pub timeout_seconds: u64,
    /// A file of certificates in PEM that are trusted beside the machine's; empty for none.
    pub certificates: PathBuf,
}

/// Notices to staff by plugins.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Notices {
    /// The language they are written in.
    pub language: Locale,
}

/// How the line to a mail server is kept private.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MailSecurity {
    /// It begins with TLS.
    Tls,
    /// It turns to TLS first of all.
    StartTls,
    /// It is not.
    None,
}

/// A secret, which is never shown.
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

/// The captcha's provider.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Captcha {
    /// Whose widget pages show.
    pub provider: Widget,
    /// Where answers are verified; empty: callers do a proof of work, which needs nobody else.
    pub verify_url: String,
    /// The key the provider's script takes in a page.
    pub site_key: String,
    /// The key answers are verified with.
    pub secret: Secret,
}

/// What plugins may do.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Plugins {
    /// Where libraries of plugins lie.
    pub folder: PathBuf,
    /// The file that lists those that are loaded.
    pub list: PathBuf,
    /// Places inside the house's own network that plugins may call: scheme, host and port.
    pub private_origins: Vec<String>,
    /// How long a library may think about one round, in milliseconds.
    pub round_ms: u32,
    /// How much memory the process of a library may take, in MiB.
    pub memory_mib: u32,
    /// With how many faults within some minutes a library is quarantined.
    pub faults: u16,
}

/// Partners.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Partners {
    /// Whether their news may go to private addresses and without TLS: for trying things on one machine.
    pub private_callbacks: bool,
}

/// Keys.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Secrets {
    /// Keys small secrets are sealed with in the database; the first seals, all open. None: a file beside the database.
    pub keys: Vec<Secret>,
}

/// What is shown in place of a secret.
const HIDDEN: &str = "***";

/// Private files.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Files {
    /// Where receipts are kept.
    pub receipts: PathBuf,
    /// Where photos for verifications are kept.
    pub photos: PathBuf,
    /// Uploads that may be under way.
    pub uploads: u32,
    /// How many of them from one client address.
    pub uploads_per_address: u32,
}

/// The built sites.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Sites {
    /// The public site's folder.
    pub public: PathBuf,
    /// The console's folder.
    pub console: PathBuf,
}

/// What only demonstrations have.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Demo {
    /// Where the house serves a sandbox network beside itself, on this machine; nowhere unless it is said.
    #[serde(with = "listen")]
    pub sandbox_chain: Option<SocketAddr>,
}

/// Logging.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Log {
    /// How lines are written.
    pub format: LogFormat,
    /// What is written, as `tracing` filters say it.
    pub filter: String,
}

/// How log lines are written.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// For people.
    Text,
    /// For machines.
    Json,
}

/// Which configuration is meant, from the flags.
#[derive(Clone, Debug, Default)]
pub struct Wanted<'a> {
    /// A profile shipped with the house: `demo`.
    pub profile: Option<&'a str>,
    /// The operator's own file.
    pub file: Option<&'a Path>,
    /// `section.key=value` from the command line.
    pub set: &'a [String],
}

impl Config {
    /// The address staff know the console's host under, without a slash at the end.
    #[must_use]
    pub fn console_url(&self) -> String {
        let own = &self.admin.public_url;
        let url = if own.is_empty() { &self.server.public_url } else { own };
        url.trim_end_matches('/').to_owned()
    }

    /// What connections are held to, where so many files may be open.
    #[must_use]
    pub fn connection_limits(&self, open_files: Option<u64>) -> ConnectionLimits {
        let seconds = |seconds: u32| Duration::from_secs(seconds.max(1).into());
        let Connections { total, per_address, head_seconds, idle_seconds, stall_seconds, body_bytes_per_second, .. } =
            self.connections;
        // A quarter is left for the database, files, and calls to others.
        let places = open_files.map_or(u64::MAX, |files| files / 4 * 3) / if self.admin.listen.is_some() { 2 } else { 1 };
        let total = usize::try_from(places.min(total.into())).unwrap_or(usize::MAX).max(1);
        ConnectionLimits {
            total,
            // One address never has them all.
            per_address: usize::try_from(per_address).unwrap_or(usize::MAX).min(total.div_ceil(2)),
            proxies: self.server.trusted_proxies.clone(),
            head: seconds(head_seconds),
            idle: seconds(idle_seconds),
            stall: seconds(stall_seconds),
            body_bytes_per_second,
            answer: ANSWER,
        }
    }

    /// Places inside the house's own network that plugins may call.
    #[must_use]
    pub fn private_origins(&self) -> Vec<String> {
        let sandbox = self.demo.sandbox_chain.map(|address| format!("http://{address}"));
        self.plugins.private_origins.iter().cloned().chain(sandbox).collect()
    }

    /// Reads the configuration.
    ///
    /// # Errors
    /// A file cannot be read, a key is unknown, or a value is not of its kind; the message says which. A sandbox network would answer
    /// others than this machine, or is wanted outside the demonstration.
    pub fn read(wanted: &Wanted<'_>) -> Result<Self> {
        let mut layers = config::Config::builder().add_source(File::from_str(DEFAULT, FileFormat::Toml));
        match wanted.profile {
            None => {}
            Some(DEMO_PROFILE) => layers = layers.add_source(File::from_str(DEMO, FileFormat::Toml)),
            Some(other) => {
                return Err(Error::internal(format!("there is no profile {other:?}; there is: demo")));
            }
        }
        if let Some(file) = wanted.file {
            layers = layers.add_source(File::from(file).format(FileFormat::Toml));
        }
        layers = layers.add_source(
            Environment::with_prefix("AGIO")
                .prefix_separator("__")
                .separator("__")
                .try_parsing(true)
                .list_separator(",")
                .with_list_parse_key("server.trusted_proxies")
                .with_list_parse_key("secrets.keys"),
        );
        for pair in wanted.set {
            let (key, value) =
                pair.split_once('=').ok_or_else(|| Error::internal(format!("--set wants key=value, not {pair:?}")))?;
            layers = layers.set_override(key, value).map_err(Error::internal)?;
        }
        let mut config: Self = layers.build().and_then(config::Config::try_deserialize).map_err(Error::internal)?;
        config.is_demo = wanted.profile == Some(DEMO_PROFILE);
        if let Some(address) = config.demo.sandbox_chain {
            sandbox::check_address(address)?;
            config.check_demo("demo.sandbox_chain serves a network with made-up money")?;
        }
        Ok(config)
    }

    /// Refuses what belongs to the demonstration alone, unless its profile was named.
    ///
    /// # Errors
    /// The profile is another one; the message gives `what` as the reason and says what to do.
    pub fn check_demo(&self, what: &str) -> Result<()> {
        if self.is_demo {
            return Ok(());
        }
        Err(Error::internal(format!(
            "{what}, so it is for the demonstration alone: add --profile {DEMO_PROFILE} and name a database of its own with --set database.url=..."
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_configuration_is_whole() {
        Config::read(&Wanted::default()).unwrap();
        Config::read(&Wanted { profile: Some("demo"), ..Wanted::default() }).unwrap();
    }

    #[test]
    fn a_second_factor_is_required_but_in_the_demonstration() {
        let asked = |profile| Config::read(&Wanted { profile, ..Wanted::default() }).unwrap().staff.second_factor;
        assert_eq!((asked(None), asked(Some("demo"))), (SecondFactor::Required, SecondFactor::Optional));
    }

    #[test]
    fn the_console_listens_with_the_public_site_unless_told_otherwise() {
        let read = |set: &[String]| Config::read(&Wanted { set, ..Wanted::default() });
        let shared = read(&[]).unwrap();
        assert_eq!((shared.admin.listen, shared.console_url()), (None, shared.server.public_url.clone()));
        let own = read(&["admin.listen=127.0.0.1:8081".into(), "admin.public_url=https://console.example/".into()]).unwrap();
        assert_eq!(own.admin.listen.map(|address| address.port()), Some(8081));
        assert_eq!(own.console_url(), "https://console.example");
        read(&["admin.listen=here".into()]).unwrap_err();
    }

    #[test]
    fn the_sandbox_network_is_beside_the_demonstration_alone_and_answers_this_machine_alone() {
        let read = |profile, set: &[String]| Config::read(&Wanted { profile, set, ..Wanted::default() });
        let (plain, demo) = (read(None, &[]).unwrap(), read(Some("demo"), &[]).unwrap());
        assert!(plain.demo.sandbox_chain.is_none() && plain.private_origins().is_empty());
        assert_eq!(demo.private_origins(), ["http://127.0.0.1:18999"]);
        assert!(read(Some("demo"), &["demo.sandbox_chain=".into()]).unwrap().demo.sandbox_chain.is_none());
        for open in ["0.0.0.0:18999", "[::]:18999", "192.0.2.1:18999", "127.0.0.1:0"] {
            let refused = read(Some("demo"), &[format!("demo.sandbox_chain={open}")]).unwrap_err();
            assert!(refused.to_string().contains("127.0.0.1:18999"), "{refused}");
        }
        let in_service = read(None, &["demo.sandbox_chain=127.0.0.1:18999".into()]).unwrap_err();
        assert!(in_service.to_string().contains("--profile demo"), "{in_service}");
    }

    #[test]
    fn proxies_are_networks() {
        let read = |list: &str| {
            let proxies: Vec<String> = list.split(' ').map(str::to_owned).collect();
            let mut config = Config::read(&Wanted::default()).unwrap();
            config.server.trusted_proxies = serde_json::from_value(proxies.into()).unwrap();
            config.server.trusted_proxies
        };
        let proxies = read("10.0.0.0/8 2001:db8::1");
        assert!(proxies.contain("10.9.8.7".parse().unwrap()) && proxies.contain("2001:db8::1".parse().unwrap()));
        assert!(!proxies.contain("11.0.0.1".parse().unwrap()));
        assert!(serde_json::from_value::<Networks>(vec!["10.0.0.0/33"].into()).is_err());
    }

    #[test]
    fn few_open_files_leave_room_for_more_than_connections() {
        let mut config = Config::read(&Wanted::default()).unwrap();
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
        let refused = Config::read(&Wanted { set: &["server.lisen=1".into()], ..Wanted::default() }).unwrap_err();
        assert!(refused.to_string().contains("lisen"), "{refused}");
    }

    #[test]
    fn a_password_is_never_shown() {
        let url = DatabaseUrl("postgres://agio:hunter2@db:5432/agio".into());
        assert_eq!(format!("{url:?}"), "postgres://agio:***@db:5432/agio");
        assert!(!serde_json::to_string(&url).unwrap().contains("hunter2"));
    }
}
