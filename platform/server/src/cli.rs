//! The command line of the one binary.

use std::fs::{File, TryLockError};
use std::io::Write as _;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use agio_calculator::settings;
use agio_core::clock::SystemClock;
use agio_core::db::DbOptions;
use agio_core::events::{ChangeEvent, EventBus};
use agio_core::identity::{Actor, Role};
use agio_core::outbox::{self, Outbox, OutboxState};
use agio_core::random::SecretRandom;
use agio_core::settings::Settings;
use agio_core::texts::Locale;
use agio_core::{BackgroundExecutor, Db, Error, ErrorKind, Platform, Result, Vault};
use agio_mail::RenderedEmail;
use agio_outbound_http::{OutboundClient, RequestLimits};
use agio_plugin_runtime::RunnerCommand;
use clap::{CommandFactory as _, Parser, Subcommand};
use clap_complete::Shell;

use crate::app::App;
use crate::backup::{self, BackupArgs, DbCommand, RestoreArgs};
use crate::config::{Config, ConfigSources, DatabaseUrl};
use crate::init::InitArgs;
use crate::market_commands::{self, MarketCommand};
use crate::output::say;
use crate::plugin_commands::{self, PluginCommand};
use crate::{app, demo, doctor, draw_verification, first_owner, init, keys, logs, nodes, process, sandbox, server, traces};

/// The end of the long help and of the manual page.
const MANUAL: &str = "\
Configuration:
  Each of these is stronger than the ones before it: the defaults in the program, --profile, the file of --config,
  variables of the environment (AGIO__SECTION__KEY), --set. An unknown key is an error. `agio config` prints what
  is in force, with secrets hidden. Give secrets by the environment:

    AGIO__DATABASE__URL     sqlite:PATH, or postgres://user:password@host/name
    AGIO__SECRETS__KEYS     the keys that seal payment details: new,old
    AGIO__MAIL__PASSWORD    the password of the mail server

Output:
  Results go to the standard output, the log and errors to the standard error, coloured only on a terminal.

Exit status:
  0  done
  1  it could not be done, or a check failed; the last line says why
  2  the command line is wrong; `agio market plan`: there are changes

Examples:
  Set up a new exchange, check it and run it:
    agio init
    agio --config agio.toml doctor
    agio --config agio.toml serve

  Look at the demo, in a database of its own:
    agio --profile demo --set database.url=sqlite:demo.db seed demo
    agio --profile demo --set database.url=sqlite:demo.db serve

  Show what a market file would change, and make these changes:
    agio --config agio.toml market plan market.toml
    agio --config agio.toml market apply market.toml

  Prove the records:
    agio --config agio.toml ledger check
    agio --config agio.toml audit verify";

/// Agio, an online currency exchange.
///
/// One program and one database: the public site, the staff console and the APIs. Data is in an SQLite file or in a
/// PostgreSQL, which several nodes may share. `agio init` sets an exchange up, `agio serve` runs it, `agio doctor` says
/// what is wrong with it.
#[derive(Parser)]
#[command(name = "agio", version, after_long_help = MANUAL)]
pub struct Cli {
    /// A shipped profile: demo.
    #[arg(long, global = true)]
    profile: Option<String>,
    /// The operator's configuration file.
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// One value, as section.key=value; stronger than files and the environment.
    #[arg(long = "set", global = true, value_name = "KEY=VALUE")]
    set: Vec<String>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Serve both sites and all APIs.
    Serve {
        /// While there are no staff, invite an owner at this e-mail address: prints the link, on a terminal only.
        #[arg(long, value_name = "EMAIL")]
        owner: Option<String>,
    },
    /// Run all database migrations.
    Migrate,
    /// Fill the database.
    Seed {
        #[command(subcommand)]
        command: SeedCommand,
    },
    /// Manage staff accounts.
    Staff {
        #[command(subcommand)]
        command: StaffCommand,
    },
    /// Print the effective configuration without secrets.
    Config,
    /// Check the installation and say what is wrong and what to do. Changes nothing; fails if there are errors.
    Doctor {
        /// Print the findings as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Ask the server of this configuration whether it is ready; fails if it is not. For containers and scripts.
    Health,
    /// Manage the keys that seal values in the database, and those of access tokens, which rotate every month.
    Keys {
        #[command(subcommand)]
        command: KeysCommand,
    },
    /// Verify the audit log.
    Audit {
        #[command(subcommand)]
        command: AuditCommand,
    },
    /// Show the emails that are stored: sent ones, and all of them without a mail server.
    Mail {
        #[command(subcommand)]
        command: Option<MailCommand>,
    },
    /// Check the ledger.
    Ledger {
        #[command(subcommand)]
        command: LedgerCommand,
    },
    /// Verify contest draws.
    Contest {
        #[command(subcommand)]
        command: ContestCommand,
    },
    /// Serve the sandbox network: a simulated network for demos and tests.
    SandboxChain {
        /// The address to listen on, on this machine.
        #[arg(long, default_value = "127.0.0.1:18999")]
        listen: SocketAddr,
        /// The random seed. A journal has its own.
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// A file that records all events and restores the network at the next start.
        #[arg(long)]
        journal: Option<PathBuf>,
        /// Seconds between blocks; 0 for blocks on request only.
        #[arg(long, default_value_t = 10)]
        block_seconds: u64,
    },
    /// Import rates of markets and central banks.
    Rates {
        #[command(subcommand)]
        command: RatesCommand,
    },
    /// Set up a new exchange: asks, writes the configuration file, applies a market file and invites the owner.
    Init(InitArgs),
    /// Keep the market in a file: settings, currencies, reserves, pairs, rate rules and payment details.
    Market {
        #[command(subcommand)]
        command: MarketCommand,
    },
    /// Back the installation up while it runs: database, uploaded files and the names of the keys, as of one instant.
    Backup(BackupArgs),
    /// Restore a backup into an empty database. Payouts stay closed until an owner opens them.
    Restore(RestoreArgs),
    /// Copy databases.
    Db {
        #[command(subcommand)]
        command: DbCommand,
    },
    /// Close or open payouts, or say which they are.
    Payouts {
        #[command(subcommand)]
        command: PayoutsCommand,
    },
    /// Switch technical mode on or off, or say which it is.
    TechnicalMode {
        #[command(subcommand)]
        command: TechnicalModeCommand,
    },
    /// Create or inspect a plugin.
    Plugin {
        #[command(subcommand)]
        command: PluginCommand,
    },
    /// Print a completion script for a shell.
    ///
    /// The Debian package has those of bash, fish and zsh. Elsewhere, for bash:
    /// agio completions bash > ~/.local/share/bash-completion/completions/agio
    Completions { shell: Shell },
    /// Print the manual page, or write the pages of all commands to a folder.
    Man {
        /// A folder that exists.
        #[arg(long)]
        folder: Option<PathBuf>,
    },
    /// Run a plugin. Only the server starts this.
    #[command(name = RunnerCommand::COMMAND, hide = true)]
    PluginRunner,
}

#[derive(Subcommand)]
enum SeedCommand {
    /// Currencies, pairs, rates, reserves, requisites, claims and logins of the demo.
    Demo,
    /// The demo market with reserves for load tests and no customer limits.
    Bench,
    /// The same with a long history of claims: of ten, three completed, six cancelled and one open. Can be stopped and
    /// run again: it adds what is missing.
    Load {
        /// How many claims there will be.
        #[arg(long, default_value_t = 1_000_000)]
        claims: u64,
    },
}

#[derive(Subcommand)]
enum PayoutsCommand {
    /// Say whether payouts are open.
    Status,
    /// Let no driver send a payout or refund until they are opened again.
    Close,
    /// Let drivers send again. After a restore: when wallets and banks were compared with the claims.
    Open,
}

#[derive(Subcommand)]
enum TechnicalModeCommand {
    /// Say whether technical mode is on.
    Status,
    /// Take no new claims, before an upgrade or the first start after a restore. Open claims stay reachable and payable.
    On,
    /// Take new claims again.
    Off,
}

#[derive(Subcommand)]
enum StaffCommand {
    /// Invite a staff member: prints a link that is valid once and for a day. The invitee chooses a name and password
    /// and sets up a second factor. Use this for the first owner; owners invite all others in the console.
    Add {
        /// Invite an owner at this e-mail address.
        #[arg(long, value_name = "EMAIL", conflicts_with_all = ["email", "role"], required_unless_present = "email")]
        owner: Option<String>,
        /// Invite a staff member with another role at this e-mail address.
        #[arg(long, requires = "role")]
        email: Option<String>,
        /// The role: owner, operator, cashier, editor or auditor.
        #[arg(long, requires = "email")]
        role: Option<Role>,
        /// The language of their emails.
        #[arg(long, default_value = "ru")]
        language: Locale,
    },
    /// Print a link, valid once and for a day, to set a new password: for an owner whom no other owner can help.
    Restore {
        /// The e-mail address of the account.
        #[arg(value_name = "EMAIL")]
        email: String,
        /// Also remove the second factor, because the phone and recovery codes are lost. This signs the account out.
        #[arg(long)]
        forget_second_factor: bool,
    },
}

#[derive(Subcommand)]
enum KeysCommand {
    /// List the sealing keys by name. The first one seals, all of them open.
    List,
    /// Seal every value with the first key, so that the others can be removed. The server may run; if this is stopped,
    /// start it again. First give all nodes the new key, before the old ones.
    Reseal,
    /// Create a new key of access tokens now. The previous key remains valid, so rotating once signs nobody out.
    Rotate {
        /// Delete all other keys, because they may be compromised. This signs everyone out, including staff.
        #[arg(long)]
        sign_everybody_out: bool,
    },
}

#[derive(Subcommand)]
enum AuditCommand {
    /// Verify that no entry was changed, removed or inserted, and print the head of each chain.
    Verify,
}

#[derive(Subcommand)]
enum MailCommand {
    /// List the newest emails: those that wait, were given up and were sent (default).
    List,
    /// Show an email, including its secrets.
    Show {
        /// The number in the list.
        number: i64,
    },
}

#[derive(Subcommand)]
enum LedgerCommand {
    /// Check that every balance equals the sum of its entries and every currency sums to zero.
    Check,
}

#[derive(Subcommand)]
enum ContestCommand {
    /// Recompute a published draw and check its winners. Needs no installation.
    Verify {
        /// The published file or its URL.
        #[arg(value_name = "FILE|URL")]
        from: String,
    },
}

#[derive(Subcommand)]
enum RatesCommand {
    /// Import a published file: ECB, Bank of Russia, Binance bookTicker or currency-api.
    Import {
        /// The file.
        file: PathBuf,
    },
}

/// Runs the command of the process.
pub fn run() -> ExitCode {
    let cli = Cli::parse();
    let outcome = match cli.command {
        // Before the runtime starts: the process has a single thread.
        Command::PluginRunner => return agio_plugin_runtime::runner::run(),
        Command::Completions { shell } => {
            write_completions(shell);
            Ok(ExitCode::SUCCESS)
        }
        Command::Man { folder } => write_manual(folder.as_deref()),
        _ => {
            let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
            runtime.map_err(Error::internal).and_then(|runtime| runtime.block_on(execute(cli)))
        }
    };
    match outcome {
        Ok(code) => code,
        Err(error) => {
            // Nobody may be reading any more.
            let _ = writeln!(std::io::stderr(), "agio: {}", cause(&error));
            ExitCode::FAILURE
        }
    }
}

fn write_completions(shell: Shell) {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "agio", &mut script);
    // Nobody may be reading any more.
    let _ = std::io::stdout().write_all(&script);
}

fn write_manual(folder: Option<&Path>) -> Result<ExitCode> {
    if let Some(folder) = folder {
        clap_mangen::generate_to(Cli::command(), folder)
            .map_err(|error| Error::internal(format!("{} cannot be written to: {error}", folder.display())))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(Cli::command()).render(&mut page).map_err(Error::internal)?;
    let _ = std::io::stdout().write_all(&page);
    Ok(ExitCode::SUCCESS)
}

/// How the program is called: as `agioctl`, which says so, or as told here.
pub fn called_as(otherwise: impl FnOnce() -> String) -> String {
    std::env::var("AGIO_COMMAND").unwrap_or_else(|_| otherwise())
}

/// The message of an error, for the operator.
pub fn cause(error: &Error) -> String {
    // The text of an unavailable database is for customers.
    if matches!(error.kind(), ErrorKind::Internal | ErrorKind::Unavailable)
        && let Some(source) = std::error::Error::source(error)
    {
        // The driver adds the line in PostgreSQL's own source.
        return match source.downcast_ref::<sqlx::Error>() {
            Some(sqlx::Error::Database(database)) => database.message().to_owned(),
            _ => source.to_string(),
        };
    }
    if error.kind() == ErrorKind::Internal {
        return error.to_string();
    }
    let texts = app::all_texts();
    if error.fields().is_empty() {
        return texts.get(Locale::En, error.code(), error.params());
    }
    let fields = error.fields().iter();
    fields
        .map(|field| format!("{}: {}", field.field, texts.get(Locale::En, field.code, &field.params)))
        .collect::<Vec<_>>()
        .join("; ")
}

async fn execute(cli: Cli) -> Result<ExitCode> {
    let sources = ConfigSources { profile: cli.profile.as_deref(), file: cli.config.as_deref(), set: &cli.set };
    let config = match (Config::read(&sources), &cli.command) {
        (Err(error), Command::Doctor { json }) => return doctor::report_unreadable(&error, *json),
        (read, _) => read?,
    };
    // These commands write files to publish; all others write private files.
    if !matches!(cli.command, Command::Plugin { .. }) {
        process::keep_files_private();
    }
    match cli.command {
        Command::Config => print_config(&config),
        Command::Health => return ask_for_health(&config).await,
        Command::Doctor { json } => return doctor::run(&config, sources.file, json).await,
        Command::Contest { command: ContestCommand::Verify { from } } => return draw_verification::verify(&from).await,
        Command::Serve { owner } => {
            let traces = traces::provider(&config.traces)?;
            logs::start(&config.log, traces.as_ref())?;
            let _alone = lock_database(&config.database.url)?;
            let app = assemble_updated_app(&config).await?;
            app.refresh_all().await?;
            // Most checks are done before the first request. A job repeats one that takes longer or fails.
            let _ = tokio::time::timeout(FIRST_CHECK_WAIT, app.check_new_entries()).await;
            if !config.is_demo {
                demo::check_no_demo_logins(&app).await?;
            }
            let network = sandbox::open(&app, &config).await?;
            let listeners = server::bind(&app, &config).await?;
            first_owner::welcome(&app, &config, owner.as_deref(), sources.file).await?;
            server::serve(app, &config, listeners).await?;
            drop(network);
            traces::send_rest(traces).await;
        }
        Command::Migrate => drop(assemble_updated_app(&config).await?),
        Command::Seed { command } => seed(&config, &command).await?,
        Command::Staff { command: StaffCommand::Add { owner, email, role, language } } => {
            let invited = owner.map(|owner| (owner, Role::Owner)).or(email.zip(role));
            let (email, role) =
                invited.ok_or_else(|| Error::internal("expected --owner EMAIL, or --email EMAIL and --role ROLE"))?;
            say!("{}", open_app(&config).await?.auth.invite_from_cli(&email, role, language).await?);
        }
        Command::Staff { command: StaffCommand::Restore { email, forget_second_factor } } => {
            say!("{}", open_app(&config).await?.auth.reset_password_from_cli(&email, forget_second_factor).await?);
        }
        Command::Keys { command: KeysCommand::List } => {
            let db = open_database(&config.database.url, &config.db_options()).await?;
            keys::list(&db, &keys::open_vault(&config, &db).await?).await?;
        }
        Command::Keys { command: KeysCommand::Reseal } => {
            logs::start(&config.log, None)?;
            let db = open_database(&config.database.url, &config.db_options()).await?;
            let vault = keys::open_vault(&config, &db).await?;
            keys::record(&db, &vault).await?;
            keys::reseal(&App::assemble(platform(db, vault), &config)?).await?;
        }
        Command::Keys { command: KeysCommand::Rotate { sign_everybody_out } } => {
            open_app(&config).await?.auth.rotate_keys(&Actor::system("agio keys"), sign_everybody_out).await?;
        }
        Command::Audit { command: AuditCommand::Verify } => return verify_audit(&config).await,
        Command::Mail { command: None | Some(MailCommand::List) } => list_emails(&config).await?,
        Command::Mail { command: Some(MailCommand::Show { number }) } => show_email(&config, number).await?,
        Command::Ledger { command: LedgerCommand::Check } => return check_ledger(&config).await,
        Command::SandboxChain { listen, seed, journal, block_seconds } => {
            sandbox::serve(listen, seed, journal.as_deref(), block_seconds).await?;
        }
        Command::Rates { command: RatesCommand::Import { file } } => import_rates(&config, &file).await?,
        Command::Init(args) => return init::run(&args, &mut std::io::stdin().lock(), &mut std::io::stdout()).await,
        Command::Market { command } => return market_commands::run(&open_app(&config).await?, command).await,
        Command::Backup(args) => backup::run(&config, args).await?,
        Command::Restore(args) => backup::restore(&config, args).await?,
        Command::Db { command } => backup::copy(command).await?,
        Command::Payouts { command } => set_payouts(&config, &command).await?,
        Command::TechnicalMode { command } => set_technical_mode(&config, &command).await?,
        Command::Plugin { command } => return plugin_commands::run(command).await,
        Command::PluginRunner | Command::Completions { .. } | Command::Man { .. } => {
            unreachable!("handled before the runtime starts")
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// How long a server may take to say whether it is ready.
const HEALTH_LIMITS: RequestLimits = RequestLimits { timeout: Duration::from_secs(3), body_bytes: 16 * 1024 };

/// Prints what `/health/ready` answers.
async fn ask_for_health(config: &Config) -> Result<ExitCode> {
    let mut address = config.server.listen;
    if address.ip().is_unspecified() {
        address.set_ip(Ipv4Addr::LOCALHOST.into());
    }
    let request = hyper::Request::get(format!("http://{address}/health/ready")).body(http_body_util::Full::default());
    let answer = OutboundClient::new(true)?.send(request.map_err(Error::internal)?, HEALTH_LIMITS).await;
    let answer = answer.map_err(|why| Error::internal(format!("no server answers at {address}: {why}")))?;
    say!("{}", String::from_utf8_lossy(answer.body()).trim_end());
    Ok(if answer.status().is_success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// How long a start waits for the check of the ledger.
const FIRST_CHECK_WAIT: Duration = Duration::from_millis(250);

/// Checks the profile before the database is opened.
async fn seed(config: &Config, command: &SeedCommand) -> Result<()> {
    match command {
        SeedCommand::Demo => {
            config.check_demo("the seed has logins with public passwords and example payment details")?;
            demo::seed(&open_updated_app(config).await?, config).await
        }
        SeedCommand::Bench => {
            config.check_demo("the seed has unfunded reserves and no customer limits")?;
            demo::seed_bench(&open_updated_app(config).await?).await
        }
        SeedCommand::Load { claims } => {
            config.check_demo("the seed has unfunded reserves and no customer limits")?;
            demo::seed_load(&open_updated_app(config).await?, *claims).await
        }
    }
}

/// Keeps a second server off an SQLite file: each remembers what it wrote itself. Other commands may use the file at
/// the same time. The lock ends with the process.
///
/// # Errors
/// Another process serves the file.
pub fn lock_database(url: &DatabaseUrl) -> Result<Option<File>> {
    let Some(path) = url.0.strip_prefix("sqlite:") else { return Ok(None) };
    create_database_folder(url)?;
    // Not the database itself: closing a second handle of it would release SQLite's own locks.
    let path = format!("{}.lock", path.trim_start_matches("//"));
    let lock = File::create(&path).map_err(|error| Error::internal(format!("{path} cannot be created: {error}")))?;
    match lock.try_lock() {
        Ok(()) => Ok(Some(lock)),
        Err(TryLockError::WouldBlock) => Err(Error::internal(format!(
            "another server uses {} (database.url): stop it first. Several servers need one PostgreSQL",
            url.shown()
        ))),
        Err(TryLockError::Error(error)) => Err(Error::internal(format!("{path} cannot be locked: {error}"))),
    }
}

fn create_database_folder(url: &DatabaseUrl) -> Result<()> {
    if let Some(path) = url.0.strip_prefix("sqlite:")
        && let Some(folder) = Path::new(path).parent()
    {
        std::fs::create_dir_all(folder)
            .map_err(|error| Error::internal(format!("{} (database.url) cannot be created: {error}", folder.display())))?;
    }
    Ok(())
}

pub async fn connect(url: &DatabaseUrl, options: &DbOptions) -> Result<Db> {
    Db::open_with(&url.0, options).await.map_err(|error| {
        Error::internal(format!("{} (database.url or AGIO__DATABASE__URL) cannot be opened: {}", url.shown(), cause(&error)))
    })
}

/// Opens a database that exists and has the schema of this build. Changes nothing.
pub async fn open_database(url: &DatabaseUrl, options: &DbOptions) -> Result<Db> {
    if let Some(path) = url.0.strip_prefix("sqlite:")
        && !Path::new(path.trim_start_matches("//")).exists()
    {
        return Err(Error::internal(format!(
            "{} does not exist. Name the configuration of the installation by --config FILE; `agio init` creates a new one",
            url.shown()
        )));
    }
    let db = connect(url, options).await?;
    db.check_schema().await?;
    Ok(db)
}

pub fn platform(db: Db, vault: Vault) -> Platform {
    Platform {
        db,
        clock: Arc::new(SystemClock),
        random: Arc::new(SecretRandom::default()),
        settings: Settings::default(),
        events: EventBus::default(),
        outbox: Outbox::default(),
        vault,
        background: BackgroundExecutor::default(),
    }
}

/// Creates the folder of the database, checks the keys and then updates the schema.
async fn assemble_updated_app(config: &Config) -> Result<App> {
    create_database_folder(&config.database.url)?;
    let db = connect(&config.database.url, &config.db_options()).await?;
    let vault = keys::open_vault(config, &db).await?;
    db.migrate().await?;
    keys::record(&db, &vault).await?;
    App::assemble(platform(db, vault), config)
}

/// The app, for commands that create or serve an installation: its schema is updated first.
pub async fn open_updated_app(config: &Config) -> Result<App> {
    let app = assemble_updated_app(config).await?;
    app.open().await?;
    Ok(app)
}

/// The app, for all other commands.
///
/// # Errors
/// The database does not exist, its schema is not the one of this build, or a key is missing. Nothing is written then.
async fn open_app(config: &Config) -> Result<App> {
    let db = open_database(&config.database.url, &config.db_options()).await?;
    let vault = keys::open_vault(config, &db).await?;
    keys::record(&db, &vault).await?;
    let app = App::assemble(platform(db, vault), config)?;
    app.open().await?;
    Ok(app)
}

async fn set_payouts(config: &Config, command: &PayoutsCommand) -> Result<()> {
    let app = open_app(config).await?;
    let closed = match command {
        PayoutsCommand::Status => app.payments.are_payouts_closed(),
        PayoutsCommand::Close | PayoutsCommand::Open => {
            let closed = matches!(command, PayoutsCommand::Close);
            app.payments.close_payouts(closed, &Actor::system("agio payouts")).await?;
            nodes::notify_others(&app, ChangeEvent::Settings).await?;
            closed
        }
    };
    say!("Payouts are {}.", if closed { "closed" } else { "open" });
    Ok(())
}

async fn set_technical_mode(config: &Config, command: &TechnicalModeCommand) -> Result<()> {
    let app = open_app(config).await?;
    if !matches!(command, TechnicalModeCommand::Status) {
        let is_on = matches!(command, TechnicalModeCommand::On);
        let values = vec![(settings::TECH_ON.to_owned(), is_on.to_string()), (settings::TECH_UNTIL.to_owned(), String::new())];
        app.calculator.put_settings(values, Actor::system("agio technical-mode")).await?;
        nodes::notify_others(&app, ChangeEvent::TechnicalMode(is_on)).await?;
    }
    let (is_on, _) = settings::technical_mode(&app.platform.settings);
    say!("Technical mode is {}.", if is_on { "on" } else { "off" });
    Ok(())
}

fn print_config(config: &Config) {
    let text = serde_json::to_string_pretty(config).expect("the configuration is plain data");
    say!("{text}");
}

async fn check_ledger(config: &Config) -> Result<ExitCode> {
    let checked = open_app(config).await?.check_ledger().await?;
    if checked.is_clean() {
        say!("The ledger has no differences.");
        return Ok(ExitCode::SUCCESS);
    }
    for difference in &checked.differences {
        say!("{difference}");
    }
    Ok(ExitCode::FAILURE)
}

async fn verify_audit(config: &Config) -> Result<ExitCode> {
    let found = open_app(config).await?.verify_audit_chain().await?;
    for fault in &found.faults {
        say!("{fault}");
    }
    if !found.faults.is_empty() {
        return Ok(ExitCode::FAILURE);
    }
    say!("The audit log is valid: {} entries.", found.entries);
    for head in found.heads.iter().filter(|head| head.number > 0) {
        say!("chain {:>2}, entry {:>8}  {}", head.chain, head.number, head.digest);
    }
    Ok(ExitCode::SUCCESS)
}

/// How many emails of each state are listed.
const EMAILS_LISTED: usize = 50;

async fn list_emails(config: &Config) -> Result<()> {
    let app = open_app(config).await?;
    let mut tx = app.platform.db.read().await?;
    for state in [OutboxState::Queued, OutboxState::Dead, OutboxState::Sent] {
        for message in outbox::messages(&mut tx, agio_mail::CHANNEL, state, None, EMAILS_LISTED).await?.rows {
            let email = RenderedEmail::read(&message.payload)?;
            let at = message.settled_at.unwrap_or(message.created_at);
            let state = match state {
                OutboxState::Queued => "waits",
                OutboxState::Dead => "given up",
                OutboxState::Sent => "sent",
            };
            say!("{:>6}  {at}  {state:<8}  {:<30}  {}", message.id, email.to, email.subject);
            if let Some(fault) = message.fault.filter(|_| message.state != OutboxState::Sent) {
                let next = (message.state == OutboxState::Queued).then(|| format!("; next at {}", message.next_at));
                say!("        {} attempts, the last one: {fault}{}", message.attempts, next.unwrap_or_default());
            }
        }
    }
    Ok(())
}

async fn show_email(config: &Config, number: i64) -> Result<()> {
    let app = open_app(config).await?;
    let message = outbox::message(&mut app.platform.db.read().await?, agio_mail::CHANNEL, number).await?;
    let email = RenderedEmail::read(&message.payload)?;
    let at = message.settled_at.unwrap_or(message.created_at);
    say!("To: {}\nSubject: {}\nDate: {at}\n", email.to, email.subject);
    say!("{}", email.content(&app.platform.vault, None)?.text);
    Ok(())
}

async fn import_rates(config: &Config, file: &Path) -> Result<()> {
    let bytes = std::fs::read(file).map_err(|error| Error::internal(format!("{}: {error}", file.display())))?;
    let imported = open_app(config).await?.calculator.import_rates(&bytes, &Actor::system("agio rates import")).await?;
    say!("{imported}");
    Ok(())
}
