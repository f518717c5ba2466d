//! `agio init`: from nothing to a configuration file, a database with a market, and the owner's invitation.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, Read as _, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use agio_brand::BrandUpdate;
use agio_calculator::{MarketFile, settings};
use agio_core::identity::{Actor, Role};
use agio_core::texts::Locale;
use agio_core::{Error, ErrorKind, Result};
use clap::Args;
use toml::{Table, Value};
use toml_edit::DocumentMut;

use crate::app::App;
use crate::cli::{called_as, open_updated_app};
use crate::config::{Config, ConfigSources};
use crate::doctor::sqlite_file;
use crate::market_commands;

/// Maximum size of a file of answers and of everything that is typed, in bytes.
const INPUT_MAX: u64 = 64 * 1024;

/// What the audit log calls it.
const INIT: &str = "agio init";

const HEAD: &str =
    "# Written by agio init. `agio config` lists every key with the value in force. Give secrets by the environment:
# AGIO__MAIL__PASSWORD, AGIO__SECRETS__KEYS.
";

#[derive(Args)]
pub struct InitArgs {
    /// Take answers from a TOML file, such as name = "Exchange". The others are asked for.
    #[arg(long)]
    file: Option<PathBuf>,
    /// Ask nothing: what the file does not answer has its default.
    #[arg(long)]
    non_interactive: bool,
    /// The configuration file. In an existing one only the answers are set; a copy of it is kept as FILE.old.
    #[arg(long, default_value = "agio.toml")]
    output: PathBuf,
}

/// What an answer is for.
#[derive(Clone, Copy)]
enum Purpose {
    /// A key of the configuration file.
    Config(&'static str),
    /// A setting of the exchange, in the database.
    Setting(&'static str),
    /// The time zone of the working hours and of emails.
    TimeZone,
    /// The owner to invite.
    Owner,
    /// The market file to apply.
    Market,
}

struct Question {
    /// In a file of answers.
    key: &'static str,
    text: &'static str,
    purpose: Purpose,
    /// That of a key of the configuration file is what is in force without the answer.
    default: &'static str,
    /// It is asked if this other question has a non-empty answer.
    only_with: Option<&'static str>,
}

impl Question {
    const fn new(key: &'static str, purpose: Purpose, default: &'static str, text: &'static str) -> Self {
        Self { key, text, purpose, default, only_with: None }
    }

    const fn config(key: &'static str, path: &'static str, text: &'static str) -> Self {
        Self::new(key, Purpose::Config(path), "", text)
    }

    const fn only_with(self, other: &'static str) -> Self {
        Self { only_with: Some(other), ..self }
    }
}

const QUESTIONS: &[Question] = &[
    Question::new("name", Purpose::Setting(settings::SITE_NAME), "Agio", "Name of the exchange"),
    Question::new("support_email", Purpose::Setting(settings::SUPPORT_EMAIL), "", "Email address that customers write to"),
    Question::new(
        "site_languages",
        Purpose::Setting(settings::LANGUAGES),
        "ru en",
        "Languages of the site, the default first: ru en, en ru, ru or en",
    ),
    Question::new(
        "base_currency",
        Purpose::Setting(settings::BASE),
        "USDT",
        "Ticker of the currency that limits and reports use",
    ),
    Question::new(
        "time_zone",
        Purpose::TimeZone,
        "",
        "Time zone of the working hours and emails, such as Europe/Moscow, empty for UTC",
    ),
    Question::config("language", "notices.language", "Language of emails to staff, ru or en"),
    Question::config("database", "database.url", "Database, sqlite:PATH or postgres://user:password@host:port/name"),
    Question::config("listen", "server.listen", "Address and port of the site"),
    Question::config("public_url", "server.public_url", "Public URL of the site, empty for that address"),
    Question::config(
        "console_listen",
        "admin.listen",
        "Address and port of the console, empty to serve it under /admin/ of the site",
    ),
    Question::config("console_url", "admin.public_url", "Public URL of the console").only_with("console_listen"),
    Question::config("mail_server", "mail.server", "Mail server as host:port, empty to only store emails"),
    Question::config("mail_security", "mail.security", "Its encryption: tls, starttls or none").only_with("mail_server"),
    Question::config("mail_user", "mail.user", "Its user, empty if it needs no login").only_with("mail_server"),
    Question::config("mail_from", "mail.from", "Sender address of emails").only_with("mail_server"),
    Question::new("market", Purpose::Market, "", "Market file to apply, empty for none"),
    Question::new("owner", Purpose::Owner, "", "Email address of the owner to invite, empty to do that later"),
];

/// Answers by the key of their question.
type Answers = BTreeMap<&'static str, String>;

/// # Errors
/// An answer is missing or wrong, or the database cannot be used or has staff already. Until all answers are right, no
/// configuration is written.
pub async fn run(args: &InitArgs, input: &mut impl BufRead, out: &mut impl Write) -> Result<ExitCode> {
    let existing = Some(args.output.as_path()).filter(|file| file.exists());
    let read = |set: &[String]| Config::read(&ConfigSources { file: existing, set, ..ConfigSources::default() });
    let in_force = Defaults::of(&read(&[])?)?;
    let given = args.file.as_deref().map(read_answers).transpose()?.unwrap_or_default();
    let answers = collect(given, &in_force, args.non_interactive, input, out)?;
    let values = in_force.changed_by(&answers);
    let set: Vec<_> = values.iter().map(|(path, answer)| format!("{path}={answer}")).collect();
    let config = read(&set)?;
    let app = open_updated_app(&config).await?;
    if app.auth.has_staff().await? {
        return Err(Error::internal(format!("{} belongs to an exchange that has staff already", config.database.url.shown())));
    }
    let market = Path::new(&answers["market"]);
    if let Some(market) = Some(market).filter(|market| !market.as_os_str().is_empty())
        && !apply_market(&app, market).await?
    {
        return Ok(ExitCode::FAILURE);
    }
    let settings = MarketFile::parse(settings_file(&answers)?)?;
    let plan = app.calculator.plan_market(settings, false, &app.market_parts()).await?;
    market_commands::store(&app, &plan, INIT).await?;
    choose_base_currency(&app).await?;
    set_time_zone(&app, &answers["time_zone"]).await?;
    let had_file = existing.is_some();
    let mut paths = whole_paths(&config)?;
    if had_file {
        paths.retain(|(path, _)| values.iter().any(|(answered, _)| answered == path));
    }
    let written: Vec<_> = values.into_iter().chain(paths.iter().map(|(path, whole)| (*path, whole.as_str()))).collect();
    write_config(existing, &args.output, &written, !had_file && is_behind_local_proxy(&config))?;
    finish(&app, had_file, &args.output, &config, &answers, out).await?;
    Ok(ExitCode::SUCCESS)
}

/// Stores the base currency also where it is the default: it was asked for, so the console's set-up has it as done.
async fn choose_base_currency(app: &App) -> Result<()> {
    let (stored, now) = (app.platform.settings.clone(), app.platform.clock.now());
    app.platform
        .db
        .write(move |tx| {
            let stored = stored.clone();
            Box::pin(async move {
                let base = stored.text_in(tx, settings::BASE).await?;
                stored.put(tx, settings::BASE, &base, now, &Actor::system(INIT)).await
            })
        })
        .await
}

async fn set_time_zone(app: &App, zone: &str) -> Result<()> {
    if zone.is_empty() {
        return Ok(());
    }
    let current = app.brands.current();
    let mut brand = current.brand.clone();
    zone.clone_into(&mut brand.work_week.time_zone);
    let update = BrandUpdate {
        revision: current.revision,
        site_name: app.brands.site_name(),
        support_email: app.brands.support_email(),
        languages: app.platform.settings.text(settings::LANGUAGES),
        brand,
    };
    app.brands.update(update, Actor::system(INIT)).await
}

/// Applies a market file. Returns false after its errors were printed.
async fn apply_market(app: &App, file: &Path) -> Result<bool> {
    let planned = async {
        let file = MarketFile::parse(market_commands::read_file(file)?)?;
        app.calculator.plan_market(file, false, &app.market_parts()).await
    };
    match planned.await {
        Ok(plan) => market_commands::store(app, &plan, INIT).await.map(|()| true),
        Err(error) if error.kind() == ErrorKind::Internal => Err(error),
        Err(error) => {
            let _ = std::io::stderr().write_all(market_commands::describe(app, file, &error).as_bytes());
            Ok(false)
        }
    }
}

fn read_answers(file: &Path) -> Result<BTreeMap<String, String>> {
    let refused = |reason: &dyn std::fmt::Display| Error::internal(format!("{}: {reason}", file.display()));
    let mut text = String::new();
    fs::File::open(file).and_then(|opened| opened.take(INPUT_MAX).read_to_string(&mut text)).map_err(|error| refused(&error))?;
    let answers: BTreeMap<String, String> = toml::from_str(&text).map_err(|error| refused(&error))?;
    let is_known = |key: &str| QUESTIONS.iter().any(|question| question.key == key);
    match answers.keys().find(|key| !is_known(key)) {
        Some(key) => {
            let known: Vec<&str> = QUESTIONS.iter().map(|question| question.key).collect();
            Err(refused(&format!("nothing asks for {key}; the keys are {}", known.join(", "))))
        }
        None => Ok(answers),
    }
}

/// An answer for every question: of the file, else typed, else the default.
fn collect(
    mut given: BTreeMap<String, String>,
    in_force: &Defaults,
    non_interactive: bool,
    input: &mut impl BufRead,
    out: &mut impl Write,
) -> Result<Answers> {
    let mut input = input.take(INPUT_MAX);
    let mut answers = Answers::new();
    for question in QUESTIONS {
        let is_needed = question.only_with.is_none_or(|other| !answers[other].is_empty());
        let default = in_force.of_question(question);
        let answer = match given.remove(question.key) {
            Some(answer) => checked(question, default, answer)?,
            None if non_interactive || !is_needed => default.to_owned(),
            None => ask(question, default, &mut input, out)?,
        };
        answers.insert(question.key, answer);
    }
    Ok(answers)
}

fn checked(question: &Question, default: &str, answer: String) -> Result<String> {
    match question.fault(&answer, default) {
        None => Ok(answer),
        Some(fault) => Err(Error::internal(format!("{}: {fault}", question.key))),
    }
}

/// Asks until the answer is right; an empty line takes the default.
fn ask(question: &Question, default: &str, input: &mut impl BufRead, out: &mut impl Write) -> Result<String> {
    let shown = if default.is_empty() { String::new() } else { format!(" [{default}]") };
    loop {
        write!(out, "{}{shown}: ", question.text).and_then(|()| out.flush()).map_err(Error::internal)?;
        let mut line = String::new();
        if input.read_line(&mut line).map_err(Error::internal)? == 0 {
            let key = question.key;
            return Err(Error::internal(format!("the input ended before the answer to {key}; nothing was written")));
        }
        let typed = line.trim();
        let answer = if typed.is_empty() { default } else { typed };
        match question.fault(answer, default) {
            None => return Ok(answer.to_owned()),
            Some(fault) => writeln!(out, "  {fault}").map_err(Error::internal)?,
        }
    }
}

impl Question {
    /// What is wrong with an answer.
    fn fault(&self, answer: &str, default: &str) -> Option<String> {
        // The default of the configuration stays in force, and so does that of a setting.
        if answer == default && (answer.is_empty() || matches!(self.purpose, Purpose::Config(_))) {
            return None;
        }
        if let Purpose::Config(path) = self.purpose
            && let Some(variable) = variable_of(path)
        {
            return Some(format!("{variable} is set in the environment and goes before the file: leave this out, or unset it"));
        }
        match (self.purpose, self.key) {
            (Purpose::Config(_), "language") if answer.parse::<Locale>().is_err() => Some("It is ru or en".to_owned()),
            (Purpose::Config(_), "mail_security") if !["tls", "starttls", "none"].contains(&answer) => {
                Some("It is tls, starttls or none".to_owned())
            }
            (Purpose::Config(_), "database") if !is_database(answer) => Some("It begins with sqlite: or postgres://".to_owned()),
            (Purpose::Config(_), "mail_server") if !is_host_and_port(answer) => {
                Some("It is a host and a port, such as mail.exchange.example:587".to_owned())
            }
            (Purpose::Config(_), "mail_from") if !agio_brand::is_email(answer) => Some("It is an email address".to_owned()),
            (Purpose::Config(key), _) => {
                let set = [format!("{key}={answer}")];
                let read = Config::read(&ConfigSources { set: &set, ..ConfigSources::default() });
                read.err().map(|error| crate::cli::cause(&error))
            }
            (Purpose::Setting(name), _) => {
                let is_right = !answer.chars().any(char::is_control) && settings::check(name, answer).is_ok();
                (!is_right).then(|| format!("{answer:?} does not fit"))
            }
            (Purpose::TimeZone, _) => {
                (!agio_mail::is_time_zone(answer)).then(|| "It is a name of the IANA list, such as Europe/Moscow".to_owned())
            }
            (Purpose::Owner, _) => (!agio_brand::is_email(answer)).then(|| "It is an email address".to_owned()),
            (Purpose::Market, _) => match market_commands::read_file(Path::new(answer)) {
                Err(error) => Some(crate::cli::cause(&error)),
                Ok(_) => None,
            },
        }
    }
}

/// The variable of the environment that sets a key of the configuration, if there is one.
fn variable_of(path: &str) -> Option<String> {
    let name = format!("AGIO__{}", path.replace('.', "__").to_uppercase());
    std::env::var_os(&name).map(|_| name)
}

fn is_database(url: &str) -> bool {
    ["sqlite:", "postgres://", "postgresql://"].iter().any(|scheme| url.len() > scheme.len() && url.starts_with(scheme))
}

fn is_host_and_port(address: &str) -> bool {
    address.rsplit_once(':').is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok_and(|port| port > 0))
}

/// What is in force of the configuration without the answers: by the existing file, the environment or its defaults.
/// Passwords are hidden.
struct Defaults(BTreeMap<&'static str, String>);

impl Defaults {
    fn of(config: &Config) -> Result<Self> {
        let config = serde_json::to_value(config).map_err(Error::internal)?;
        let value = |path: &str| config.pointer(&format!("/{}", path.replace('.', "/"))).and_then(|value| value.as_str());
        let default = |question: &Question| match question.purpose {
            Purpose::Config(path) => value(path).unwrap_or_default().to_owned(),
            _ => question.default.to_owned(),
        };
        Ok(Self(QUESTIONS.iter().map(|question| (question.key, default(question))).collect()))
    }

    fn of_question(&self, question: &Question) -> &str {
        &self.0[question.key]
    }

    /// The keys of the configuration that the answers change, and their values.
    fn changed_by<'a>(&self, answers: &'a Answers) -> Vec<(&'static str, &'a str)> {
        let change = |question: &Question| match question.purpose {
            Purpose::Config(path) => Some((path, answers[question.key].as_str())),
            _ => None,
        };
        QUESTIONS.iter().filter(|question| answers[question.key] != self.0[question.key]).filter_map(change).collect()
    }
}

/// The relative paths in force as whole ones, so that a new file means the same in every folder that a command is
/// started in. What goes with an SQLite database is beside it.
fn whole_paths(config: &Config) -> Result<Vec<(&'static str, String)>> {
    let whole = |path: &Path| std::path::absolute(path).map(|path| path.display().to_string()).map_err(Error::internal);
    let database = sqlite_file(config);
    let folder = database.as_deref().and_then(Path::parent);
    let beside = |path: &Path| match folder.zip(path.file_name()) {
        Some((folder, name)) => whole(&folder.join(name)),
        None => whole(path),
    };
    let mut paths = Vec::new();
    if let Some(file) = database.as_deref().filter(|file| file.is_relative() && variable_of("database.url").is_none()) {
        paths.push(("database.url", format!("sqlite:{}", whole(file)?)));
    }
    for (key, path) in [
        ("files.receipts", &config.files.receipts),
        ("files.photos", &config.files.photos),
        ("plugins.folder", &config.plugins.folder),
        ("plugins.list", &config.plugins.list),
    ] {
        if path.is_relative() && variable_of(key).is_none() {
            paths.push((key, beside(path)?));
        }
    }
    Ok(paths)
}

/// Whether visitors come through a proxy on this machine: their URL has TLS, which this server does not speak, and
/// nobody else can reach its address.
fn is_behind_local_proxy(config: &Config) -> bool {
    let server = &config.server;
    server.public_url.starts_with("https://")
        && server.listen.ip().is_loopback()
        && server.trusted_proxies.is_empty()
        && variable_of("server.trusted_proxies").is_none()
}

/// A market file with the settings that were answered.
fn settings_file(answers: &Answers) -> Result<String> {
    let mut settings = Table::new();
    for question in QUESTIONS {
        let answer = &answers[question.key];
        if let Purpose::Setting(name) = question.purpose
            && answer != question.default
        {
            settings.insert(name.to_owned(), Value::from(answer.as_str()));
        }
    }
    let file = Table::from_iter([("version".to_owned(), Value::from(1)), ("settings".to_owned(), Value::Table(settings))]);
    toml::to_string(&file).map_err(Error::internal)
}

/// Sets the values in the configuration file and leaves the rest of an existing one as it is, owner and mode included. A
/// new one is for its owner alone: the URL of the database may have a password.
fn write_config(existing: Option<&Path>, file: &Path, values: &[(&str, &str)], trusts_local_proxy: bool) -> Result<()> {
    let failed = |error: &dyn std::fmt::Display| Error::internal(format!("{} cannot be written: {error}", file.display()));
    let before = existing.map(fs::read_to_string).transpose().map_err(|error| failed(&error))?.unwrap_or_default();
    let mut document: DocumentMut = before.parse().map_err(|error| failed(&error))?;
    for (path, answer) in values {
        let (section, key) = path.split_once('.').ok_or_else(|| Error::internal(format!("{path} is in no section")))?;
        document.entry(section).or_insert_with(toml_edit::table)[key] = toml_edit::value(*answer);
    }
    if trusts_local_proxy {
        let loopback = toml_edit::Array::from_iter(["127.0.0.1", "::1"]);
        document.entry("server").or_insert_with(toml_edit::table)["trusted_proxies"] = toml_edit::value(loopback);
    }
    let text = if existing.is_some() { document.to_string() } else { format!("{HEAD}\n{document}") };
    let create = |file: &Path, text: &str| {
        let mut options = fs::OpenOptions::new();
        options.write(true).create(true).truncate(true).mode(0o600).open(file)?.write_all(text.as_bytes())
    };
    if existing.is_some() {
        create(&kept(file), &before).map_err(|error| failed(&error))?;
    }
    create(file, &text).map_err(|error| failed(&error))
}

/// Where an existing configuration file is kept.
fn kept(file: &Path) -> PathBuf {
    let mut kept = file.as_os_str().to_owned();
    kept.push(".old");
    kept.into()
}

/// Says what to do next, with the owner's invitation.
async fn finish(app: &App, had_file: bool, file: &Path, config: &Config, answers: &Answers, out: &mut impl Write) -> Result<()> {
    let owner = &answers["owner"];
    let agio = called_as(|| format!("agio --config {}", file.display()));
    let next = if had_file {
        format!("What it was before is in {}. Start the server, or restart it.", kept(file).display())
    } else {
        format!("Next:\n\n    {agio} doctor\n    {agio} serve")
    };
    let mut text = format!("\nThe configuration is in {}. {next}\n", file.display());
    if owner.is_empty() {
        text.push_str(&format!("\nInvite the owner:\n\n    {agio} staff add --owner EMAIL\n"));
    } else {
        let link = app.auth.invite_from_cli(owner, Role::Owner, answers["language"].parse().map_err(Error::internal)?).await?;
        text.push_str(&format!("\nThe owner opens this link in the console. It works once, for one day:\n\n    {link}\n"));
    }
    if !answers["mail_user"].is_empty() && config.mail.password.0.is_empty() {
        text.push_str("\nGive the password of the mail server in the environment: AGIO__MAIL__PASSWORD\n");
    }
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(Error::internal)
}
