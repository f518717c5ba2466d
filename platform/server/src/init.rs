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
use agio_core::{Error, ErrorKind, Result};
use clap::Args;
use toml::{Table, Value};

use crate::app::App;
use crate::cli::open_updated_app;
use crate::config::{Config, ConfigSources};
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
    /// The configuration file to write. An existing one is never changed.
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
    default: &'static str,
    /// It is asked if this other question has a non-empty answer.
    only_with: Option<&'static str>,
}

impl Question {
    const fn new(key: &'static str, purpose: Purpose, default: &'static str, text: &'static str) -> Self {
        Self { key, text, purpose, default, only_with: None }
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
    Question::new("language", Purpose::Config("notices.language"), "ru", "Language of emails to staff, ru or en"),
    Question::new(
        "database",
        Purpose::Config("database.url"),
        "sqlite:var/agio.db",
        "Database, sqlite:PATH or postgres://user:password@host:port/name",
    ),
    Question::new("listen", Purpose::Config("server.listen"), "127.0.0.1:8080", "Address and port of the site"),
    Question::new("public_url", Purpose::Config("server.public_url"), "", "Public URL of the site, empty for that address"),
    Question::new(
        "console_listen",
        Purpose::Config("admin.listen"),
        "",
        "Address and port of the console, empty to serve it under /admin/ of the site",
    ),
    Question::new("console_url", Purpose::Config("admin.public_url"), "", "Public URL of the console")
        .only_with("console_listen"),
    Question::new("mail_server", Purpose::Config("mail.server"), "", "Mail server as host:port, empty to only store emails"),
    Question::new("mail_security", Purpose::Config("mail.security"), "starttls", "Its encryption: tls, starttls or none")
        .only_with("mail_server"),
    Question::new("mail_user", Purpose::Config("mail.user"), "", "Its user, empty if it needs no login").only_with("mail_server"),
    Question::new("mail_from", Purpose::Config("mail.from"), "no-reply@example.com", "Sender address of emails")
        .only_with("mail_server"),
    Question::new("market", Purpose::Market, "", "Market file to apply, empty for none"),
    Question::new("owner", Purpose::Owner, "", "Email address of the owner to invite, empty to do that later"),
];

/// Answers by the key of their question.
type Answers = BTreeMap<&'static str, String>;

/// # Errors
/// An answer is missing or wrong, the configuration file exists, or the database cannot be used or has staff already.
/// Until all answers are right, no configuration is written.
pub async fn run(args: &InitArgs, input: &mut impl BufRead, out: &mut impl Write) -> Result<ExitCode> {
    if args.output.exists() {
        return Err(Error::internal(format!("{} exists already; name another file with --output", args.output.display())));
    }
    let given = args.file.as_deref().map(read_answers).transpose()?.unwrap_or_default();
    let answers = collect(given, args.non_interactive, input, out)?;
    let config = Config::read(&ConfigSources { set: &overrides(&answers), ..ConfigSources::default() })?;
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
    set_time_zone(&app, &answers["time_zone"]).await?;
    write_config(&args.output, &answers)?;
    finish(&app, args, &answers, out).await?;
    Ok(ExitCode::SUCCESS)
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

/// The answers of a file.
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
    non_interactive: bool,
    input: &mut impl BufRead,
    out: &mut impl Write,
) -> Result<Answers> {
    let mut input = input.take(INPUT_MAX);
    let mut answers = Answers::new();
    for question in QUESTIONS {
        let is_needed = question.only_with.is_none_or(|other| !answers[other].is_empty());
        let answer = match given.remove(question.key) {
            Some(answer) => checked(question, answer)?,
            None if non_interactive || !is_needed => question.default.to_owned(),
            None => ask(question, &mut input, out)?,
        };
        answers.insert(question.key, answer);
    }
    Ok(answers)
}

fn checked(question: &Question, answer: String) -> Result<String> {
    match question.fault(&answer) {
        None => Ok(answer),
        Some(fault) => Err(Error::internal(format!("{}: {fault}", question.key))),
    }
}

/// Asks until the answer is right; an empty line takes the default.
fn ask(question: &Question, input: &mut impl BufRead, out: &mut impl Write) -> Result<String> {
    let default = if question.default.is_empty() { String::new() } else { format!(" [{}]", question.default) };
    loop {
        write!(out, "{}{default}: ", question.text).and_then(|()| out.flush()).map_err(Error::internal)?;
        let mut line = String::new();
        if input.read_line(&mut line).map_err(Error::internal)? == 0 {
            let key = question.key;
            return Err(Error::internal(format!("the input ended before the answer to {key}; nothing was written")));
        }
        let typed = line.trim();
        let answer = if typed.is_empty() { question.default } else { typed };
        match question.fault(answer) {
            None => return Ok(answer.to_owned()),
            Some(fault) => writeln!(out, "  {fault}").map_err(Error::internal)?,
        }
    }
}

impl Question {
    /// What is wrong with an answer.
    fn fault(&self, answer: &str) -> Option<String> {
        // An empty answer leaves the default of the configuration or setting, where the question has none.
        if answer.is_empty() && self.default.is_empty() {
            return None;
        }
        match (self.purpose, self.key) {
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

fn is_database(url: &str) -> bool {
    ["sqlite:", "postgres://", "postgresql://"].iter().any(|scheme| url.len() > scheme.len() && url.starts_with(scheme))
}

fn is_host_and_port(address: &str) -> bool {
    address.rsplit_once(':').is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok_and(|port| port > 0))
}

/// The keys of the configuration that differ from its defaults.
fn config_values(answers: &Answers) -> impl Iterator<Item = (&'static str, &str)> {
    QUESTIONS.iter().filter_map(|question| match question.purpose {
        Purpose::Config(key) => Some((key, answers[question.key].as_str())).filter(|(_, answer)| *answer != question.default),
        _ => None,
    })
}

fn overrides(answers: &Answers) -> Vec<String> {
    config_values(answers).map(|(key, answer)| format!("{key}={answer}")).collect()
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

/// Creates the configuration file for its owner alone: the URL of the database may have a password.
fn write_config(file: &Path, answers: &Answers) -> Result<()> {
    let mut sections = Table::new();
    for (path, answer) in config_values(answers) {
        let (section, key) = path.split_once('.').ok_or_else(|| Error::internal(format!("{path} is in no section")))?;
        let section = sections.entry(section).or_insert_with(|| Value::Table(Table::new()));
        if let Value::Table(section) = section {
            section.insert(key.to_owned(), Value::from(answer));
        }
    }
    let text = format!("{HEAD}\n{}", toml::to_string(&sections).map_err(Error::internal)?);
    let written = fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(file)
        .and_then(|mut created| created.write_all(text.as_bytes()));
    written.map_err(|error| Error::internal(format!("{} cannot be written: {error}", file.display())))
}

/// Says what to do next, with the owner's invitation.
async fn finish(app: &App, args: &InitArgs, answers: &Answers, out: &mut impl Write) -> Result<()> {
    let file = args.output.display();
    let owner = &answers["owner"];
    let mut text = format!("\nThe configuration is in {file}. Next:\n\n    agio --config {file} serve\n");
    if owner.is_empty() {
        text.push_str(&format!("    agio --config {file} staff add --owner EMAIL\n"));
    } else {
        let link = app.auth.invite_from_cli(owner, Role::Owner, answers["language"].parse().map_err(Error::internal)?).await?;
        text.push_str(&format!("    agio --config {file} market export market.toml\n"));
        text.push_str(&format!("\nThe owner opens this link in the console. It works once, for one day:\n\n    {link}\n"));
    }
    if !answers["mail_user"].is_empty() {
        text.push_str("\nGive the password of the mail server in the environment: AGIO__MAIL__PASSWORD\n");
    }
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(Error::internal)
}
