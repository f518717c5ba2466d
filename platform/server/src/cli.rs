//! The command line of the one binary.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use agio_core::clock::SystemClock;
use agio_core::identity::{Actor, Role};
use agio_core::live::Live;
use agio_core::outbox::Outbox;
use agio_core::random::OsRandom;
use agio_core::settings::Settings;
use agio_core::texts::Locale;
use agio_core::{Aside, Db, Error, Platform, Result, Vault};
use agio_plugin_host::Runner;
use clap::{Parser, Subcommand};

use crate::app::App;
use crate::config::{Config, Wanted};
use crate::plugin_tools::{self, Plugin};
use crate::{demo, draws, logs, openapi, process, sandbox, secrets, serving};

/// Agio, an online currency exchange.
#[derive(Parser)]
#[command(name = "agio", version, about)]
struct Cli {
    /// A shipped profile: demo.
    #[arg(long, global = true)]
    profile: Option<String>,
    /// The operator's configuration file.
    #[arg(long, global = true)]
    config: Option<PathBuf>,
    /// One value, as section.key=value; stronger than files and the environment.
    #[arg(long = "set", global = true)]
    set: Vec<String>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Serve both sites and all APIs.
    Serve,
    /// Bring the database's schema up to date.
    Migrate,
    /// Fill the database.
    Seed {
        #[command(subcommand)]
        what: Seed,
    },
    /// Write openapi/*.json, or check that they are fresh.
    Openapi {
        /// Only compare; fail when a file differs.
        #[arg(long)]
        check: bool,
    },
    /// Who works here.
    Staff {
        #[command(subcommand)]
        what: Staff,
    },
    /// Print the effective configuration, secrets hidden.
    Config,
    /// The keys tokens are made with. They change by themselves every month.
    Keys {
        #[command(subcommand)]
        what: Keys,
    },
    /// The audit log.
    Audit {
        #[command(subcommand)]
        what: Audit,
    },
    /// Mails that stayed in the house for want of a mail server.
    Mail {
        #[command(subcommand)]
        what: Option<Mails>,
    },
    /// The books.
    Ledger {
        #[command(subcommand)]
        what: Books,
    },
    /// Draws of contests.
    Contest {
        #[command(subcommand)]
        what: Draws,
    },
    /// Serve the sandbox network: a made-up one for demonstrations and trials, with money that is worth nothing.
    SandboxChain {
        /// Where it answers, on this machine.
        #[arg(long, default_value = "127.0.0.1:18999")]
        listen: SocketAddr,
        /// What its whole life follows from. A journal has its own.
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// A file in which everything is written down that happens, and from which the network lives on.
        #[arg(long)]
        journal: Option<PathBuf>,
        /// After how many seconds a block is found; 0 for only when one is asked for.
        #[arg(long, default_value_t = 10)]
        block_seconds: u64,
    },
    /// Rates of markets and central banks.
    Rates {
        #[command(subcommand)]
        what: Rates,
    },
    /// Plugins: begin one, look at one.
    Plugin {
        #[command(subcommand)]
        what: Plugin,
    },
    /// Become the process of a plugin. Said by the house to itself.
    #[command(name = Runner::COMMAND, hide = true)]
    PluginRunner,
}

#[derive(Subcommand)]
enum Seed {
    /// Currencies, pairs, rates, reserves, requisites, claims and logins to try everything with.
    Demo,
    /// The demonstration's market with reserves for a load and no limits on customers.
    Bench,
}

#[derive(Subcommand)]
enum Staff {
    /// Invite somebody: prints a link that is good once and for a day. Whoever follows it chooses name and password, and sets up a second
    /// factor. The first owner comes this way; owners invite everybody else from the console.
    Add {
        /// Invite an owner at this e-mail address.
        #[arg(long, value_name = "EMAIL", conflicts_with_all = ["email", "role"], required_unless_present = "email")]
        owner: Option<String>,
        /// The e-mail address of somebody who is to have another role.
        #[arg(long, requires = "role")]
        email: Option<String>,
        /// Their role: owner, operator, cashier, editor or auditor.
        #[arg(long, requires = "email")]
        role: Option<Role>,
        /// The language of their letters.
        #[arg(long, default_value = "ru")]
        language: Locale,
    },
    /// Print a link, good once and for a day, by which somebody who forgot theirs sets a new password: for an owner whom no colleague can
    /// help.
    Restore {
        /// The e-mail address they sign in with.
        #[arg(value_name = "EMAIL")]
        email: String,
        /// Take their second factor away as well, because the phone and the recovery codes are gone. This signs them out.
        #[arg(long)]
        forget_second_factor: bool,
    },
}

#[derive(Subcommand)]
enum Keys {
    /// Make a new key now; the one before it still opens tokens, so nobody is signed out by doing this once.
    Rotate {
        /// Throw all other keys away, because somebody may have them. This signs everybody out, staff included.
        #[arg(long)]
        sign_everybody_out: bool,
    },
}

#[derive(Subcommand)]
enum Audit {
    /// Prove that no entry was changed, taken out or slipped in, and print where each chain ends.
    Verify,
}

#[derive(Subcommand)]
enum Mails {
    /// The newest ones, a line each; also when nothing is said.
    List,
    /// One in full, secrets included.
    Show {
        /// Its number in the list.
        number: i64,
    },
}

#[derive(Subcommand)]
enum Books {
    /// Prove that every balance is the sum of its entries and every currency sums to zero.
    Check,
}

#[derive(Subcommand)]
enum Draws {
    /// Compute a published draw again and say whether its winners follow from what was committed to. Needs no installation.
    Verify {
        /// The published file, or its web address.
        #[arg(value_name = "FILE|URL")]
        from: String,
    },
}

#[derive(Subcommand)]
enum Rates {
    /// Import a published file: ECB, Bank of Russia, Binance bookTicker or currency-api.
    Import {
        /// The file.
        file: PathBuf,
    },
}

/// Runs the command of the process.
#[must_use]
pub fn run() -> ExitCode {
    let cli = Cli::parse();
    // Before anything of the house is there: the process has one thread, and only what it needs.
    if matches!(cli.command, Command::PluginRunner) {
        return agio_plugin_host::runner::run();
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let outcome = runtime.map_err(Error::internal).and_then(|runtime| runtime.block_on(obey(cli)));
    match outcome {
        Ok(code) => code,
        Err(error) => {
            eprintln!("agio: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn obey(cli: Cli) -> Result<ExitCode> {
    let wanted = Wanted { profile: cli.profile.as_deref(), file: cli.config.as_deref(), set: &cli.set };
    let config = Config::read(&wanted)?;
    // What these make is to be published; everything else is the installation's own.
    if !matches!(cli.command, Command::Openapi { .. } | Command::Plugin { .. }) {
        process::keep_files_private();
    }
    match cli.command {
        Command::Config => print_config(&config),
        Command::Contest { what: Draws::Verify { from } } => return draws::verify(&from).await,
        Command::Openapi { check } => return documents(&config, check).await,
        Command::Serve => {
            logs::start(&config.log)?;
            let app = opened(&config).await?;
            if !config.is_demo {
                demo::check_private(&app).await?;
            }
            let network = sandbox::open(&app, &config).await?;
            serving::serve(app, &config).await?;
            drop(network);
        }
        Command::Migrate => assembled(&config).await?.seal().await?,
        Command::Seed { what } => seed(&config, &what).await?,
        Command::Staff { what: Staff::Add { owner, email, role, language } } => {
            let invited = owner.map(|owner| (owner, Role::Owner)).or(email.zip(role));
            let (email, role) = invited.ok_or_else(|| Error::internal("name somebody: --owner EMAIL, or --email and --role"))?;
            println!("{}", opened(&config).await?.auth.invite_by_house(&email, role, language).await?);
        }
        Command::Staff { what: Staff::Restore { email, forget_second_factor } } => {
            println!("{}", opened(&config).await?.auth.restore_by_house(&email, forget_second_factor).await?);
        }
        Command::Keys { what: Keys::Rotate { sign_everybody_out } } => {
            opened(&config).await?.auth.rotate_keys(&Actor::house("agio keys"), sign_everybody_out).await?;
        }
        Command::Audit { what: Audit::Verify } => return verify_audit(&config).await,
        Command::Mail { what: None | Some(Mails::List) } => list_mails(&config).await?,
        Command::Mail { what: Some(Mails::Show { number }) } => show_mail(&config, number).await?,
        Command::Ledger { what: Books::Check } => return check_books(&config).await,
        Command::SandboxChain { listen, seed, journal, block_seconds } => {
            sandbox::serve(listen, seed, journal.as_deref(), block_seconds).await?;
        }
        Command::Rates { what: Rates::Import { file } } => import_rates(&config, &file).await?,
        Command::Plugin { what } => return plugin_tools::obey(what).await,
        Command::PluginRunner => unreachable!("it was answered before there was a runtime"),
    }
    Ok(ExitCode::SUCCESS)
}

/// Refuses before anything is opened or made.
async fn seed(config: &Config, what: &Seed) -> Result<()> {
    match what {
        Seed::Demo => {
            config.check_demo("this makes logins with public passwords and payment details that belong to nobody")?;
            demo::seed(&opened(config).await?, config).await
        }
        Seed::Bench => {
            config.check_demo("this makes reserves out of nothing and takes the limits on customers away")?;
            demo::seed_bench(&opened(config).await?).await
        }
    }
}

/// Opens the database, with its folder, and brings it up to date.
async fn open(config: &Config) -> Result<Db> {
    if let Some(path) = config.database.url.0.strip_prefix("sqlite:")
        && let Some(folder) = Path::new(path).parent()
    {
        std::fs::create_dir_all(folder).map_err(Error::internal)?;
    }
    let db = Db::open(&config.database.url.0).await?;
    db.migrate().await?;
    Ok(db)
}

fn platform(db: Db, vault: Vault) -> Platform {
    Platform {
        db,
        clock: Arc::new(SystemClock),
        random: Arc::new(OsRandom::default()),
        settings: Settings::default(),
        live: Live::default(),
        outbox: Outbox::default(),
        vault,
        aside: Aside::default(),
    }
}

async fn assembled(config: &Config) -> Result<App> {
    let db = open(config).await?;
    App::assemble(platform(db, secrets::vault(config, Arc::new(OsRandom::default()))?), config)
}

async fn opened(config: &Config) -> Result<App> {
    let app = assembled(config).await?;
    app.open().await?;
    Ok(app)
}

fn print_config(config: &Config) {
    let text = serde_json::to_string_pretty(config).expect("the configuration is plain data");
    println!("{text}");
}

/// Writes the published documents, or compares them. Needs no database of the installation.
async fn documents(config: &Config, check: bool) -> Result<ExitCode> {
    let folder = std::env::temp_dir().join(format!("agio-documents-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(Error::internal)?;
    let db = Db::open(&format!("sqlite:{}", folder.join("empty.db").display())).await?;
    let documents = App::assemble(platform(db, Vault::forgetful(Arc::new(OsRandom::default()))), config)?.documents();
    std::fs::remove_dir_all(&folder).map_err(Error::internal)?;
    let mut stale = Vec::new();
    for (file, document) in documents.files() {
        let fresh = openapi::text(document);
        if !check {
            std::fs::write(file, fresh).map_err(Error::internal)?;
        } else if std::fs::read_to_string(file).unwrap_or_default() != fresh {
            stale.push(file);
        }
    }
    if stale.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    eprintln!("agio: not fresh: {}; write them with `make gen`", stale.join(", "));
    Ok(ExitCode::FAILURE)
}

async fn check_books(config: &Config) -> Result<ExitCode> {
    let checked = opened(config).await?.check_books().await?;
    if checked.is_clean() {
        println!("The books are clean.");
        return Ok(ExitCode::SUCCESS);
    }
    for difference in &checked.differences {
        println!("{difference}");
    }
    Ok(ExitCode::FAILURE)
}

async fn verify_audit(config: &Config) -> Result<ExitCode> {
    let found = opened(config).await?.prove_audit().await?;
    for fault in &found.faults {
        println!("{fault}");
    }
    if !found.faults.is_empty() {
        return Ok(ExitCode::FAILURE);
    }
    println!("The audit log is whole: {} entries.", found.entries);
    for head in &found.heads {
        println!("chain {:>2}, entry {:>8}  {}", head.chain, head.number, head.digest);
    }
    Ok(ExitCode::SUCCESS)
}

/// How many mails are listed.
const MAILS_LISTED: i64 = 50;

async fn list_mails(config: &Config) -> Result<()> {
    for kept in opened(config).await?.mailbox.newest(MAILS_LISTED).await? {
        println!("{:>6}  {}  {:<30}  {}", kept.id, kept.delivered_at, kept.mail.to, kept.mail.subject);
    }
    Ok(())
}

async fn show_mail(config: &Config, number: i64) -> Result<()> {
    let app = opened(config).await?;
    let kept = app.mailbox.mail(number).await?;
    println!("To: {}\nSubject: {}\nDate: {}\n", kept.mail.to, kept.mail.subject, kept.delivered_at);
    println!("{}", kept.mail.content(&app.platform.vault)?.text);
    Ok(())
}

async fn import_rates(config: &Config, file: &Path) -> Result<()> {
    let bytes = std::fs::read(file).map_err(Error::internal)?;
    let imported = opened(config).await?.calculator.import_rates(&bytes, &Actor::house("agio rates import")).await?;
    println!("{imported}");
    Ok(())
}
