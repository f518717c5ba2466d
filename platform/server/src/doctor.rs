//! `agio doctor`: what is wrong with an installation, and what to do about it. It changes nothing.

use std::fmt::Display;
use std::fs;
use std::net::IpAddr;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use agio_brand::Brands;
use agio_calculator::settings::SUPPORT_EMAIL;
use agio_core::clock::{Clock as _, SystemClock};
use agio_core::random::SecretRandom;
use agio_core::{Db, Error, Result, Timestamp, Vault, fetch_all};
use agio_outbound_http::{OutboundClient, RequestLimits};
use agio_plugin_runtime::file_sha256;
use rustix::fs::{Access, access, statvfs};
use serde::Serialize;
use tokio::time::timeout;
use tracing_subscriber::EnvFilter;
use uuid::Uuid;

use crate::app::App;
use crate::cli::{called_as, cause, platform};
use crate::config::{Config, MailSecurity, url_of};
use crate::http::arrival::{self, Arrival};
use crate::http::embedded_sites;
use crate::output::say;
use crate::{backup, demo, keys, mail_channel, plugins, process, secrets};

agio_core::statements! {
    NEWEST_RECEIPTS = "SELECT id FROM claim_receipt WHERE deleted_at IS NULL ORDER BY created_at DESC LIMIT 50";
    NEWEST_PHOTOS = "SELECT id FROM verification_photo WHERE deleted_at IS NULL ORDER BY created_at DESC LIMIT 50";
}

/// How long a name server, the database or the mail server may take.
const DEADLINE: Duration = Duration::from_secs(10);

/// Free space below which the database soon cannot store, in bytes.
const DISK_ERROR: u64 = 256 << 20;
const DISK_WARNING: u64 = 2 << 30;

/// How far a file may be ahead of the clock, in microseconds.
const CLOCK_TOLERANCE: i128 = 60_000_000;

/// How old the last backup may be.
const BACKUP_AGE: Duration = Duration::from_secs(2 * 24 * 60 * 60);

/// Open files that a busy site needs.
const OPEN_FILES: u64 = 4096;

#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Severity {
    Ok,
    Warning,
    Error,
}

#[derive(Serialize)]
struct Finding {
    severity: Severity,
    /// The key of the configuration, or what was checked.
    subject: &'static str,
    message: String,
    /// What to do; empty if nothing is wrong.
    #[serde(skip_serializing_if = "String::is_empty")]
    cure: String,
}

#[derive(Default)]
struct Report(Vec<Finding>);

impl Report {
    fn right(&mut self, subject: &'static str, message: impl Display) {
        self.0.push(Finding { severity: Severity::Ok, subject, message: message.to_string(), cure: String::new() });
    }

    fn warn(&mut self, subject: &'static str, message: impl Display, cure: impl Display) {
        self.0.push(Finding { severity: Severity::Warning, subject, message: message.to_string(), cure: cure.to_string() });
    }

    fn wrong(&mut self, subject: &'static str, message: impl Display, cure: impl Display) {
        self.0.push(Finding { severity: Severity::Error, subject, message: message.to_string(), cure: cure.to_string() });
    }

    fn count(&self, severity: Severity) -> usize {
        self.0.iter().filter(|finding| finding.severity == severity).count()
    }

    fn print(&self, as_json: bool) -> Result<ExitCode> {
        let (errors, warnings) = (self.count(Severity::Error), self.count(Severity::Warning));
        if as_json {
            say!("{}", serde_json::to_string_pretty(&self.0).map_err(Error::internal)?);
        } else {
            for Finding { severity, subject, message, cure } in &self.0 {
                let severity = match severity {
                    Severity::Ok => "ok",
                    Severity::Warning => "warning",
                    Severity::Error => "ERROR",
                };
                say!("{severity:<8} {subject}: {message}");
                if !cure.is_empty() {
                    say!("         To do: {cure}");
                }
            }
            say!("\nErrors: {errors}. Warnings: {warnings}.");
        }
        Ok(if errors == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

/// Reports a configuration that cannot be read: nothing else can be checked.
///
/// # Errors
/// The report cannot be written as JSON.
pub fn report_unreadable(error: &Error, as_json: bool) -> Result<ExitCode> {
    let mut report = Report::default();
    let cure = "correct this key or file; `config/default.toml` explains every key";
    report.wrong("configuration", cause(error), cure);
    report.print(as_json)
}

/// Checks the installation. Fails the process if something is wrong; warnings do not.
///
/// # Errors
/// The report cannot be written as JSON.
pub async fn run(config: &Config, file: Option<&Path>, as_json: bool) -> Result<ExitCode> {
    let mut report = Report::default();
    check_configuration(&mut report, config, file);
    check_addresses(&mut report, config).await;
    check_paths(&mut report, config);
    check_clock(&mut report, config, file);
    check_keys(&mut report, config);
    check_database(&mut report, config, &command(file)).await;
    check_proxy(&mut report, config).await;
    check_mail(&mut report, config).await;
    check_plugins(&mut report, config);
    check_sites(&mut report, config);
    report.print(as_json)
}

/// How to call the program for this installation. Without its file a command would open another database.
fn command(file: Option<&Path>) -> String {
    called_as(|| match file {
        Some(file) => format!("agio --config {}", file.display()),
        None => "agio".to_owned(),
    })
}

fn check_configuration(report: &mut Report, config: &Config, file: Option<&Path>) {
    match file {
        Some(file) => report.right("configuration", format!("{} is read", file.display())),
        None => report.warn(
            "configuration",
            "no file is named: only defaults, the environment and --set are in force",
            "name the file of the installation: agio --config FILE doctor",
        ),
    }
    if config.is_demo {
        report.warn(
            "--profile demo",
            "this is the demo, with simulated money and public logins",
            "leave out --profile for a real exchange",
        );
    } else {
        if config.staff.second_factor == crate::config::SecondFactor::Optional {
            report.wrong(
                "staff.second_factor",
                "staff may sign in with a password alone",
                "set staff.second_factor = \"required\"",
            );
        }
        if config.partners.private_callbacks {
            report.wrong(
                "partners.private_callbacks",
                "a partner can make the server call addresses of its own network",
                "set partners.private_callbacks = false",
            );
        }
    }
    if config.push.private_services {
        report.wrong(
            "push.private_services",
            "any visitor can make the server call addresses of its own network",
            "set push.private_services = false",
        );
    }
    if let Err(error) = EnvFilter::try_new(&config.log.filter) {
        let message = format!("{:?} is no filter: {error}", config.log.filter);
        report.wrong("log.filter", message, "set log.filter = \"info\"");
    }
    if !config.captcha.verify_url.is_empty() && (config.captcha.secret.0.is_empty() || config.captcha.site_key.is_empty()) {
        report.wrong(
            "captcha",
            "verify_url names a provider, and one of its two keys is missing",
            "set captcha.site_key and AGIO__CAPTCHA__SECRET, or leave captcha.verify_url empty",
        );
    }
    if let Some(file) = file.filter(|file| is_open_to_others(file) && has_secrets(file)) {
        report.wrong(
            "permissions",
            format!("{} has secrets, and other users can read it", file.display()),
            format!("chmod 600 {}", file.display()),
        );
    }
    if let Some(files) = process::raise_open_files().filter(|files| *files < OPEN_FILES) {
        report.warn(
            "open files",
            format!("the process may open {files} files, which limits its connections"),
            format!("raise the limit: LimitNOFILE={OPEN_FILES} in the unit, or ulimit -n {OPEN_FILES}"),
        );
    }
}

/// Whether users may read a file who are neither its owner nor in the group of this process.
fn is_open_to_others(file: &Path) -> bool {
    let Ok(found) = fs::metadata(file) else { return false };
    let is_of_service = found.gid() == rustix::process::getegid().as_raw();
    found.permissions().mode() & if is_of_service { 0o007 } else { 0o077 } != 0
}

/// Whether a configuration file itself gives passwords or keys.
fn has_secrets(file: &Path) -> bool {
    let read = fs::read_to_string(file).ok().and_then(|text| text.parse::<toml::Table>().ok());
    let Some(values) = read else { return false };
    let text = |section: &str, key: &str| {
        let value = values.get(section).and_then(|section| section.get(key)).and_then(toml::Value::as_str);
        value.unwrap_or_default().to_owned()
    };
    let has_keys = values.get("secrets").and_then(|section| section.get("keys")).is_some();
    let url = crate::config::DatabaseUrl(text("database", "url"));
    has_keys || !text("mail", "password").is_empty() || !text("captcha", "secret").is_empty() || url.shown() != url.0
}

async fn check_addresses(report: &mut Report, config: &Config) {
    let console = Some(config.console_url()).filter(|url| *url != config.server.public_url.trim_end_matches('/'));
    check_url(report, "server.public_url", &config.server.public_url, config.is_demo).await;
    if let Some(console) = &console {
        check_url(report, "admin.public_url", console, config.is_demo).await;
    }
    let proxies = &config.server.trusted_proxies;
    let is_behind_a_proxy = !is_of_this_machine(host_of(&config.server.public_url));
    let anyone = [IpAddr::from([1, 1, 1, 1]), IpAddr::from([203, 0, 113, 1])];
    if anyone.into_iter().all(|address| proxies.contains(address)) {
        report.wrong(
            "server.trusted_proxies",
            "every address is trusted, so customers can pretend to have any address",
            "list the addresses of your own proxies only, such as [\"127.0.0.1\"]",
        );
    } else if is_behind_a_proxy && proxies.is_empty() {
        report.wrong(
            "server.trusted_proxies",
            "no proxy is trusted: all customers behind the one that ends TLS count as one address and share its limits",
            "list the address that the proxy connects from, such as [\"127.0.0.1\"]",
        );
    } else if config.server.listen.ip().is_unspecified() && is_behind_a_proxy {
        report.warn(
            "server.listen",
            format!("{} can be reached around the proxy, without TLS", config.server.listen),
            "listen on the address that the proxy uses, such as 127.0.0.1:8080",
        );
    }
    if config.admin.listen == Some(config.server.listen) {
        report.wrong(
            "admin.listen",
            format!("the site and the console cannot both listen on {}", config.server.listen),
            "give the console another port, or leave admin.listen empty",
        );
    }
}

/// An address that nobody has (RFC 5737).
const FORGED: &str = "192.0.2.99";

/// Sends a request through the proxy as a visitor would who pretends to have another address, and looks at what arrives.
async fn check_proxy(report: &mut Report, config: &Config) {
    const KEY: &str = "proxy";
    let url = config.server.public_url.trim_end_matches('/');
    let proxies = &config.server.trusted_proxies;
    // Without keys the server does not answer, and without a proxy nothing is between. Both were reported.
    let vault = secrets::vault_if_present(config);
    let is_between = !proxies.is_empty() && url != url_of(config.server.listen) && !is_example(host_of(url));
    let Some(vault) = vault.filter(|_| is_between) else { return };
    let header = config.server.proxy_header.name();
    let request = hyper::Request::get(format!("{url}/health/live"))
        .header(arrival::HEADER, arrival::proof(&vault, &SystemClock))
        .header("x-forwarded-for", FORGED)
        .header("forwarded", format!("for={FORGED}"))
        .body(http_body_util::Full::default());
    let (Ok(request), Ok(client)) = (request, OutboundClient::new(true)) else { return };
    let limits = RequestLimits { timeout: DEADLINE, body_bytes: 16 * 1024 };
    let examples = "the files in config/nginx, config/caddy and config/haproxy show how";
    let arrival = match client.send(request, limits).await {
        Ok(answer) => serde_json::from_slice::<Arrival>(answer.body()).ok(),
        Err(why) => {
            let cure =
                "start the server and the proxy, and let this machine reach them and trust the certificate; then run this again";
            return report.warn(KEY, format!("{url} does not answer a request of this machine: {why}"), cure);
        }
    };
    let Some(Arrival { peer, client, lines }) = arrival else {
        let message = format!("what answers at {url} is not this server, or another build or key of it");
        return report.wrong(KEY, message, "let the proxy pass all paths to server.listen, and start this build with these keys");
    };
    let last = lines.last().and_then(|line| line.rsplit(',').next());
    if !proxies.contains(peer) {
        let message = format!("requests come from {peer}, which is not trusted: all visitors count as this address");
        report.wrong("server.trusted_proxies", message, format!("add \"{peer}\" to server.trusted_proxies"));
    } else if lines.is_empty() {
        let message = format!("the proxy at {peer} sends no {header}: all visitors count as this address");
        report.wrong(KEY, message, format!("let it set {header} to the visitor's address; {examples}"));
    } else if last.is_some_and(|last| last.contains(FORGED)) {
        let message = format!("the proxy at {peer} passes {header} on as visitors send it: they can pretend to have any address");
        report.wrong(KEY, message, format!("let it replace {header}, or append the visitor's address; {examples}"));
    } else {
        report.right(KEY, format!("a request of this machine arrives through {peer} as one of {client}"));
    }
}

async fn check_url(report: &mut Report, key: &'static str, url: &str, is_demo: bool) {
    let host = host_of(url);
    if is_of_this_machine(host) {
        if !is_demo {
            let cure = format!("set {key} to the address that browsers open, such as https://exchange.your-domain");
            report.warn(key, format!("{url} works on this machine only"), cure);
        }
        return;
    }
    if url.starts_with("http://") {
        report.wrong(
            key,
            format!("{url} is without TLS: passwords and sessions can be read on the way"),
            format!("put a proxy with TLS in front and set {key} to https://{host}"),
        );
    }
    if is_example(host) {
        let cure = format!("set {key} to your own host name");
        return report.wrong(key, format!("{host} is an example address"), cure);
    }
    let found = timeout(DEADLINE, tokio::net::lookup_host((host.trim_matches(['[', ']']), 443))).await;
    match found.map(|found| found.is_ok_and(|mut found| found.next().is_some())) {
        Ok(true) => report.right(key, format!("{host} has an address in DNS")),
        _ => report.wrong(
            key,
            format!("DNS has no address for {host}"),
            format!("add an A or AAAA record for {host}, or correct {key}"),
        ),
    }
}

/// The host of a URL, without the port.
fn host_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split('/').next().unwrap_or_default();
    match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => authority,
    }
}

fn is_of_this_machine(host: &str) -> bool {
    let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

/// Whether a host name is reserved for documentation (RFC 2606).
fn is_example(host: &str) -> bool {
    let last_two = host.rsplit('.').take(2).collect::<Vec<_>>();
    matches!(last_two.as_slice(), ["example", ..] | ["com" | "net" | "org", "example"])
}

fn is_example_email(address: &str) -> bool {
    address.rsplit_once('@').is_some_and(|(_, host)| is_example(host))
}

/// The path of an SQLite database.
pub fn sqlite_file(config: &Config) -> Option<PathBuf> {
    config.database.url.0.strip_prefix("sqlite:").map(|path| PathBuf::from(path.trim_start_matches("//")))
}

fn check_paths(report: &mut Report, config: &Config) {
    let database = sqlite_file(config);
    let folder_of_database = database.as_deref().and_then(Path::parent).map(Path::to_owned);
    let named = [
        ("database.url", database.as_deref()),
        ("files.receipts", Some(config.files.receipts.as_path())),
        ("files.photos", Some(config.files.photos.as_path())),
        ("plugins.folder", Some(config.plugins.folder.as_path())),
        ("plugins.list", Some(config.plugins.list.as_path())),
    ];
    if !config.is_demo {
        for (key, path) in named.into_iter().filter_map(|(key, path)| Some((key, path?))).filter(|(_, path)| path.is_relative()) {
            report.warn(
                key,
                format!("{} is relative: it depends on the folder that a command is started in", path.display()),
                format!("write the whole path, such as /var/lib/agio/{}", path.file_name().unwrap_or_default().display()),
            );
        }
    }
    let folders = [
        ("database.url", folder_of_database),
        ("files.receipts", Some(config.files.receipts.clone())),
        ("files.photos", Some(config.files.photos.clone())),
    ];
    for (key, folder) in folders.into_iter().filter_map(|(key, folder)| Some((key, folder?))) {
        check_folder(report, key, &folder);
    }
    for path in process::exposed_paths(config) {
        let cure = format!("chmod -R go-rwx {}", path.display());
        report.wrong("permissions", format!("other users can access {}", path.display()), cure);
    }
}

/// Checks the folder, or the one it will be created in: that it can be written, and the space on its disk.
fn check_folder(report: &mut Report, key: &'static str, folder: &Path) {
    let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let Some(found) = absolute.ancestors().find(|path| path.exists()) else { return };
    if !found.is_dir() {
        let cure = format!("move {} away, or name another folder in {key}", found.display());
        return report.wrong(key, format!("{} is not a folder", found.display()), cure);
    }
    if access(found, Access::WRITE_OK | Access::EXEC_OK).is_err() {
        let message = format!("this user cannot write to {}", found.display());
        return report.wrong(key, message, format!("run as the user of the service, or: chown USER {}", found.display()));
    }
    let Ok(disk) = statvfs(found) else { return };
    let free = disk.f_bavail.saturating_mul(disk.f_frsize);
    let message = format!("{} MiB are free on the disk of {}", free >> 20, found.display());
    let cure = "free some space, or move the data to a larger disk";
    if free < DISK_ERROR {
        report.wrong(key, message, cure);
    } else if free < DISK_WARNING {
        report.warn(key, message, cure);
    } else {
        report.right(key, format!("{} can be written; {message}", found.display()));
    }
}

fn check_clock(report: &mut Report, config: &Config, file: Option<&Path>) {
    let now = i128::from(SystemClock.now().0);
    let paths = [std::env::current_exe().ok(), sqlite_file(config), file.map(Path::to_owned)];
    let ahead = paths.into_iter().flatten().find(|path| {
        let modified = fs::metadata(path).and_then(|found| found.modified()).ok();
        let modified = modified.and_then(|modified| modified.duration_since(UNIX_EPOCH).ok());
        modified.and_then(|since| i128::try_from(since.as_micros()).ok()).is_some_and(|at| at > now + CLOCK_TOLERANCE)
    });
    match ahead {
        Some(path) => report.wrong(
            "clock",
            format!("{} was written later than now: the clock of this machine is wrong", path.display()),
            "synchronise the clock, for example with systemd-timesyncd or chrony: timedatectl set-ntp true",
        ),
        None => report.right("clock", "no file is ahead of it"),
    }
}

fn check_keys(report: &mut Report, config: &Config) {
    const KEY: &str = "secrets.keys";
    const MAKE: &str = "make one with `openssl rand -base64 32` and set it in AGIO__SECRETS__KEYS";
    let file = secrets::file_of(config);
    if !config.secrets.keys.is_empty() {
        for (number, key) in (1..).zip(&config.secrets.keys) {
            match secrets::decode(&key.0) {
                Err(_) => report.wrong(KEY, format!("key {number} is not 32 bytes in base64"), MAKE),
                Ok(bytes) if bytes.iter().all(|byte| *byte == bytes[0]) => {
                    report.wrong(KEY, format!("key {number} is an example that anybody can guess"), MAKE);
                }
                Ok(_) => report.right(KEY, format!("key {number} has the right length")),
            }
        }
    } else if file.exists() {
        let keys = fs::read_to_string(&file).unwrap_or_default();
        let is_right = |line: &str| secrets::decode(line.trim()).is_ok();
        if keys.lines().any(is_right) && keys.lines().filter(|line| !line.trim().is_empty()).all(is_right) {
            report.right(KEY, format!("{} has the keys", file.display()));
        } else {
            let cure =
                "restore the file from where you keep the keys (backups have none): another one does not open what is sealed";
            report.wrong(KEY, format!("{} has no keys of 32 bytes in base64", file.display()), cure);
        }
    } else if sqlite_file(config).is_some_and(|database| database.exists()) {
        report.wrong(
            KEY,
            format!("there is a database, and its key file {} is missing", file.display()),
            "restore the file from where you keep the keys (backups have none) before anything is started: payment details cannot be \
             read without it",
        );
    } else {
        let message = format!("no key is configured: the first start creates {}", file.display());
        report.warn(KEY, message, format!("keep a copy of that file; for several nodes, {MAKE}"));
    }
}

fn check_backup(report: &mut Report, last: Option<Timestamp>, agio: &str) {
    let cure = format!("{agio} backup FOLDER --keep 14, every day: the package has the timer agio-backup.timer");
    match last {
        None => report.warn("backup", "there was no backup with `agio backup` yet", cure),
        Some(at) if at < SystemClock.now().minus(BACKUP_AGE) => {
            report.warn("backup", format!("the last backup was made at {at}"), cure);
        }
        Some(at) => report.right("backup", format!("the last backup was made at {at}")),
    }
}

async fn check_database(report: &mut Report, config: &Config, agio: &str) {
    const KEY: &str = "database.url";
    let url = config.database.url.shown();
    if sqlite_file(config).is_some_and(|file| !file.exists()) {
        return report.warn(KEY, format!("{url} does not exist yet"), format!("create it: {agio} migrate, or agio init"));
    }
    let cure = match sqlite_file(config) {
        Some(_) => format!(
            "if the file is damaged, stop the server, move it away with its -wal and -shm, and restore the newest backup: {agio} \
             restore FOLDER; otherwise correct database.url, or the owner and the permissions of the file"
        ),
        None => "start the database, free connections of it (database.connections of each node, max_connections), or correct \
                 database.url, its user and its password (AGIO__DATABASE__URL)"
            .to_owned(),
    };
    let db = match timeout(DEADLINE, Db::open(&config.database.url.0)).await {
        Ok(Ok(db)) => db,
        Ok(Err(error)) => return report.wrong(KEY, format!("{url} cannot be opened: {}", cause(&error)), cure),
        Err(_) => return report.wrong(KEY, format!("{url} did not answer within {DEADLINE:?}"), cure),
    };
    let stored = async {
        db.write(|_| Box::pin(async { Ok(()) })).await?;
        db.probe().await
    };
    let fault = match timeout(DEADLINE, stored).await {
        Ok(Ok(())) => None,
        Ok(Err(error)) => Some(cause(&error)),
        Err(_) => Some(format!("no answer within {DEADLINE:?}")),
    };
    match fault {
        None => report.right(KEY, format!("{url} answers and takes transactions")),
        Some(fault) => report.wrong(
            KEY,
            format!("{url} takes no transactions: {fault}"),
            "free disk space, check the rights of its user, and whether it is a replica or set to read only",
        ),
    }
    // Keys that cannot be read were reported.
    if secrets::vault_if_present(config).is_some()
        && let Err(error) = keys::check(config, &db).await
    {
        report.wrong(
            "secrets.keys",
            cause(&error),
            "put the key back from another node or a backup of the keys: nothing starts without it",
        );
    }
    // Its own checks report what is wrong with these; the data can be read without them.
    let mut readable = config.clone();
    readable.mail.server.clear();
    readable.captcha.verify_url.clear();
    let stored = async {
        db.check_schema().await?;
        let app = App::assemble(platform(db.clone(), Vault::temporary(Arc::new(SecretRandom::default()))), &readable)?;
        app.platform.settings.load(&app.platform.db).await?;
        let support = app.platform.settings.text(SUPPORT_EMAIL);
        check_files(report, config, &db).await?;
        let staff = if app.auth.has_staff().await? {
            StaffAccess::Staff
        } else {
            app.auth.invited_owner().await?.map_or(StaffAccess::Nobody, |(email, until)| StaffAccess::Invited { email, until })
        };
        if staff == StaffAccess::Staff && !config.is_demo {
            check_backup(report, backup::last_made(&app.platform.settings), agio);
        }
        if app.payments.are_payouts_closed() {
            let cure = format!("compare wallets and banks with the claims, then: {agio} payouts open");
            report.warn("payouts", "payouts are closed, as after every restore", cure);
        }
        Ok::<_, Error>((support, staff, demo::has_demo_login(&app).await?))
    };
    match stored.await {
        Ok((support, staff, has_demo_login)) => check_stored(report, config, &support, &staff, has_demo_login, agio),
        Err(error) => report.wrong(
            "database schema",
            format!("this build cannot read the tables: {}", cause(&error)),
            format!("run `{agio} migrate` with this build, or start the build that the database belongs to"),
        ),
    }
    db.close().await;
}

/// Checks that the newest uploads are here: each node needs the files of all others.
async fn check_files(report: &mut Report, config: &Config, db: &Db) -> Result<()> {
    let mut tx = db.read().await?;
    let receipts = fetch_all!(&mut tx, (Uuid,), NEWEST_RECEIPTS)?;
    let photos = fetch_all!(&mut tx, (Uuid,), NEWEST_PHOTOS)?;
    for (key, folder, files) in
        [("files.receipts", &config.files.receipts, receipts), ("files.photos", &config.files.photos, photos)]
    {
        let missing = files.iter().filter(|(id,)| !folder.join(id.simple().to_string()).exists()).count();
        if missing > 0 {
            report.wrong(
                key,
                format!("{missing} of the newest {} uploads are not in {}", files.len(), folder.display()),
                "mount one shared folder there on every node, or restore the files from a backup",
            );
        } else if !files.is_empty() {
            report.right(key, format!("the newest uploads are in {}", folder.display()));
        }
    }
    Ok(())
}

/// Who can get into the console.
#[derive(PartialEq, Eq)]
enum StaffAccess {
    Nobody,
    Invited { email: String, until: Timestamp },
    Staff,
}

fn check_stored(report: &mut Report, config: &Config, support: &str, staff: &StaffAccess, has_demo_login: bool, agio: &str) {
    report.right("database schema", "this build can read the tables");
    if config.is_demo {
        return;
    }
    if has_demo_login {
        report.wrong(
            "staff",
            "the database has the public demo logins: anybody can sign in as owner",
            "use another database: its data are not real, and a real exchange refuses to serve it",
        );
    }
    let invite = format!("{agio} staff add --owner EMAIL");
    match staff {
        StaffAccess::Nobody => report.warn("staff", "nobody can sign in to the console", format!("invite the owner: {invite}")),
        StaffAccess::Invited { email, until } => {
            let cure = format!("open the link that was printed; if it is lost, this prints another one: {invite}");
            report.warn("staff", format!("nobody can sign in to the console yet; {email} is invited until {until}"), cure);
        }
        StaffAccess::Staff => {}
    }
    if is_example_email(support) {
        report.wrong(
            SUPPORT_EMAIL,
            format!("customers are told to write to {support}, which is an example"),
            format!("set it in the console under Settings, or in a market file: {agio} market apply FILE"),
        );
    }
}

async fn check_mail(report: &mut Report, config: &Config) {
    const KEY: &str = "mail.server";
    let mail = &config.mail;
    if mail.server.is_empty() {
        if !config.is_demo {
            let message = "no mail server is configured: emails are only stored, and no customer gets one";
            report.warn(KEY, message, "set mail.server = \"HOST:587\", mail.user, mail.from and AGIO__MAIL__PASSWORD");
        }
        return;
    }
    if is_example_email(&mail.from) {
        let cure = "set mail.from to an address of your own domain";
        report.wrong("mail.from", format!("{} is an example address", mail.from), cure);
    }
    if !mail.user.is_empty() && mail.password.0.is_empty() {
        let message = format!("the user {} has no password", mail.user);
        report.wrong("mail.password", message, "set AGIO__MAIL__PASSWORD, or leave mail.user empty");
    }
    if mail.security == MailSecurity::None && !is_of_this_machine(host_of(&mail.server)) {
        let message = "emails with links to accounts leave this machine without encryption";
        report.wrong("mail.security", message, "set mail.security = \"starttls\" or \"tls\"");
    }
    let platform_of_mail = async {
        let folder = tempfile::tempdir().map_err(Error::internal)?;
        let db = Db::open(&format!("sqlite:{}", folder.path().join("mail.db").display())).await?;
        let platform = platform(db.clone(), Vault::temporary(Arc::new(SecretRandom::default())));
        let opened = mail_channel::smtp(&platform, &Brands::new(&platform), mail);
        db.close().await;
        opened
    };
    let cure = "correct mail.server, mail.security, mail.user and the password, or start the mail server; for a certificate of \
                your own authority set mail.certificates";
    match platform_of_mail.await {
        Err(error) => report.wrong(KEY, cause(&error), cure),
        Ok(channel) => match channel.check().await {
            Ok(()) => report.right(KEY, format!("{} accepts a connection; no email was sent", mail.server)),
            Err(why) => report.wrong(KEY, format!("{} cannot be used: {why}", mail.server), cure),
        },
    }
}

fn check_plugins(report: &mut Report, config: &Config) {
    let (folder, list) = (&config.plugins.folder, &config.plugins.list);
    let allowed = match plugins::read_allowed(list) {
        Ok(allowed) => allowed,
        Err(error) => {
            let message = format!("{} cannot be read: {}", list.display(), cause(&error));
            return report.wrong("plugins.list", message, "write a line for each library as `agio plugin check FILE` prints it");
        }
    };
    let files: Vec<PathBuf> = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    let files = files.into_iter().filter(|path| path.is_file());
    let digests: Vec<_> = files.filter_map(|path| file_sha256(&path).ok().map(|digest| (path, digest))).collect();
    for (name, digest) in &allowed {
        if digests.iter().any(|(_, found)| found.eq_ignore_ascii_case(digest)) {
            report.right("plugins", format!("{name} is present with the allowed digest"));
        } else {
            report.wrong(
                "plugins",
                format!("no file in {} has the digest that {} allows for {name}", folder.display(), list.display()),
                "copy the library there, or write its new digest as `agio plugin check FILE` prints it",
            );
        }
    }
    for (path, digest) in &digests {
        if !allowed.values().any(|listed| listed.eq_ignore_ascii_case(digest)) {
            report.warn(
                "plugins",
                format!("{} is not allowed, so it is not loaded", path.display()),
                format!("allow it in {} after `agio plugin check {}`, or remove it", list.display(), path.display()),
            );
        }
        if fs::metadata(path).is_ok_and(|found| found.permissions().mode() & 0o022 != 0) {
            let cure = format!("chmod go-w {}", path.display());
            report.wrong("plugins", format!("other users can change {}", path.display()), cure);
        }
    }
}

fn check_sites(report: &mut Report, config: &Config) {
    let sites = [
        ("sites.public", &config.sites.public, embedded_sites::public().is_empty()),
        ("sites.console", &config.sites.console, embedded_sites::console().is_empty()),
        ("sites.help", &config.sites.help, embedded_sites::help().is_empty()),
    ];
    for (key, folder, is_not_embedded) in sites {
        if folder.join("index.html").is_file() {
            report.right(key, format!("{} is served", folder.display()));
        } else if !folder.exists() && !is_not_embedded {
            report.right(key, "the copy in the binary is served");
        } else {
            report.wrong(
                key,
                format!("{} has no index.html, so there is nothing to serve", folder.display()),
                format!(
                    "build the sites (make sites) and name their folder in {key}, or use a binary with all of them (make dist)"
                ),
            );
        }
    }
}
