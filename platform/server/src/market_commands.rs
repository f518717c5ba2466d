//! `agio market`: the market of an installation as a file.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use agio_calculator::{MARKET_FILE_MAX, MarketFile, MarketPlan};
use agio_core::events::ChangeEvent;
use agio_core::identity::Actor;
use agio_core::texts::Locale;
use agio_core::{Error, ErrorKind, Result};
use clap::{Args, Subcommand};

use crate::app::App;
use crate::nodes;

#[derive(Subcommand)]
pub enum MarketCommand {
    /// Write the stored market to a file: settings, currencies with their reserves, pairs and rate rules.
    Export {
        /// The file, or - for the standard output.
        file: PathBuf,
        /// Also write the payment details that customers pay to, in clear text.
        #[arg(long)]
        payment_details: bool,
    },
    /// Show what a file would change, without changing it. Exits with 2 if there are changes.
    Plan(MarketFileArgs),
    /// Make the changes of a file, all or none.
    Apply {
        #[command(flatten)]
        file: MarketFileArgs,
        /// Make exactly the changes that `plan` showed with this identifier, or none.
        #[arg(long, value_name = "ID")]
        plan: Option<String>,
    },
}

#[derive(Args)]
pub struct MarketFileArgs {
    /// The file, or - for the standard input.
    file: PathBuf,
    /// Archive the currencies, disable the pairs and remove the rate rules that the file does not list. Without it they
    /// stay as they are.
    #[arg(long)]
    prune: bool,
}

/// The part with the payment details that customers pay to.
const PAYMENT_DETAILS: &str = "paymentDetails";

const UNCHANGED: &str = "The market is as the file says.\n";

/// There are changes.
const CHANGES: u8 = 2;

/// # Errors
/// The database cannot be used, or the file cannot be written. Errors of a market file are printed with their place.
pub async fn run(app: &App, command: MarketCommand) -> Result<ExitCode> {
    let done = match &command {
        MarketCommand::Export { file, payment_details } => export(app, file, *payment_details).await.map(|()| ExitCode::SUCCESS),
        MarketCommand::Plan(args) => plan(app, args).await,
        MarketCommand::Apply { file, plan } => apply(app, file, plan.as_deref()).await.map(|()| ExitCode::SUCCESS),
    };
    match (done, &command) {
        (Err(error), MarketCommand::Plan(args) | MarketCommand::Apply { file: args, .. })
            if error.kind() != ErrorKind::Internal =>
        {
            let _ = std::io::stderr().write_all(describe(app, &args.file, &error).as_bytes());
            Ok(ExitCode::FAILURE)
        }
        (done, _) => done,
    }
}

async fn export(app: &App, file: &Path, with_payment_details: bool) -> Result<()> {
    let mut parts = app.market_parts();
    parts.0.retain(|part| with_payment_details || part.key() != PAYMENT_DETAILS);
    let text = app.calculator.export_market(&parts).await?;
    let written = if file == Path::new("-") { std::io::stdout().write_all(text.as_bytes()) } else { std::fs::write(file, text) };
    written.map_err(|error| Error::internal(format!("{}: {error}", file.display())))
}

async fn plan(app: &App, args: &MarketFileArgs) -> Result<ExitCode> {
    let plan = read_plan(app, args).await?;
    if plan.is_empty() {
        print(UNCHANGED)?;
        return Ok(ExitCode::SUCCESS);
    }
    print(&format!("{plan}\nPlan {}\n", plan.identifier()))?;
    Ok(ExitCode::from(CHANGES))
}

async fn apply(app: &App, args: &MarketFileArgs, expected: Option<&str>) -> Result<()> {
    let plan = read_plan(app, args).await?;
    if expected.is_some_and(|expected| expected != plan.identifier()) {
        return Err(Error::conflict("market_plan_outdated"));
    }
    store(app, &plan, "agio market apply").await?;
    if plan.is_empty() { print(UNCHANGED) } else { print(&plan.to_string()) }
}

/// Makes the changes of a plan, as the audit log names the actor.
pub async fn store(app: &App, plan: &MarketPlan, actor: &str) -> Result<()> {
    app.calculator.apply_market(plan, &Actor::system(actor)).await?;
    // A file may change settings and reserves as well; the reserves of all currencies are loaded at once.
    for event in [ChangeEvent::Settings, ChangeEvent::Reserve(0), ChangeEvent::Market] {
        nodes::notify_others(app, event).await?;
    }
    Ok(())
}

async fn read_plan(app: &App, args: &MarketFileArgs) -> Result<MarketPlan> {
    let file = MarketFile::parse(read_file(&args.file)?)?;
    app.calculator.plan_market(file, args.prune, &app.market_parts()).await
}

/// The bytes of a market file; one more than allowed of a longer file, which is then refused and not cut.
///
/// # Errors
/// It cannot be read.
pub fn read_file(file: &Path) -> Result<Vec<u8>> {
    let mut text = Vec::new();
    let limit = MARKET_FILE_MAX as u64 + 1;
    let read = if file == Path::new("-") {
        std::io::stdin().take(limit).read_to_end(&mut text)
    } else {
        std::fs::File::open(file).and_then(|file| file.take(limit).read_to_end(&mut text))
    };
    read.map_err(|error| Error::internal(format!("{}: {error}", file.display())))?;
    Ok(text)
}

/// Writes to the standard output, which may be closed: `agio market plan FILE | head`.
fn print(text: &str) -> Result<()> {
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(Error::internal(error)),
        _ => Ok(()),
    }
}

/// The error in English: of each field, the line and its path.
pub fn describe(app: &App, file: &Path, error: &Error) -> String {
    let text = |code, params| app.texts().get(Locale::En, code, params);
    if error.fields().is_empty() {
        return format!("agio: {}\n", text(error.code(), error.params()));
    }
    let fields = error.fields().iter().map(|field| {
        let line = field.params.get("line").map_or("1", String::as_str);
        let path = if field.field.is_empty() { String::new() } else { format!("{}: ", field.field) };
        format!("{}:{line}: {path}{}\n", file.display(), text(field.code, &field.params))
    });
    fields.collect()
}
