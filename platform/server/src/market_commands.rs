//! `agio market`: the market of an installation as a file.

use std::io::Read as _;
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
    /// Write the stored currencies and pairs to a file.
    Export {
        /// The file, or - for the standard output.
        file: PathBuf,
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
    /// Archive the currencies and disable the pairs that the file does not list. Without it they stay as they are.
    #[arg(long)]
    prune: bool,
}

/// There are changes.
const CHANGES: u8 = 2;

/// # Errors
/// The database cannot be used, or the file cannot be written. Errors of a market file are printed with their place.
pub async fn run(app: &App, command: MarketCommand) -> Result<ExitCode> {
    let done = match &command {
        MarketCommand::Export { file } => export(app, file).await.map(|()| ExitCode::SUCCESS),
        MarketCommand::Plan(args) => plan(app, args).await,
        MarketCommand::Apply { file, plan } => apply(app, file, plan.as_deref()).await.map(|()| ExitCode::SUCCESS),
    };
    match (done, &command) {
        (Err(error), MarketCommand::Plan(args) | MarketCommand::Apply { file: args, .. })
            if error.kind() != ErrorKind::Internal =>
        {
            eprint!("{}", describe(app, &args.file, &error));
            Ok(ExitCode::FAILURE)
        }
        (done, _) => done,
    }
}

async fn export(app: &App, file: &Path) -> Result<()> {
    let text = app.calculator.export_market().await?;
    if file == Path::new("-") {
        print!("{text}");
        return Ok(());
    }
    std::fs::write(file, text).map_err(Error::internal)
}

async fn plan(app: &App, args: &MarketFileArgs) -> Result<ExitCode> {
    let plan = read_plan(app, args).await?;
    if plan.is_empty() {
        println!("The market is as the file says.");
        return Ok(ExitCode::SUCCESS);
    }
    println!("{plan}\nPlan {}", plan.identifier());
    Ok(ExitCode::from(CHANGES))
}

async fn apply(app: &App, args: &MarketFileArgs, expected: Option<&str>) -> Result<()> {
    let plan = read_plan(app, args).await?;
    if expected.is_some_and(|expected| expected != plan.identifier()) {
        return Err(Error::conflict("market_plan_outdated"));
    }
    app.calculator.apply_market(&plan, &Actor::system("agio market apply")).await?;
    nodes::notify_others(app, ChangeEvent::Market).await?;
    if plan.is_empty() {
        println!("The market is as the file says.");
    } else {
        print!("{plan}");
    }
    Ok(())
}

async fn read_plan(app: &App, args: &MarketFileArgs) -> Result<MarketPlan> {
    let mut text = Vec::new();
    // One byte more than allowed, so that a longer file is refused and not cut.
    let limit = MARKET_FILE_MAX as u64 + 1;
    let read = if args.file == Path::new("-") {
        std::io::stdin().take(limit).read_to_end(&mut text)
    } else {
        std::fs::File::open(&args.file).and_then(|file| file.take(limit).read_to_end(&mut text))
    };
    read.map_err(|error| Error::internal(format!("{}: {error}", args.file.display())))?;
    app.calculator.plan_market(MarketFile::parse(text)?, args.prune).await
}

/// The error in English: of each field, the line and its path.
fn describe(app: &App, file: &Path, error: &Error) -> String {
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
