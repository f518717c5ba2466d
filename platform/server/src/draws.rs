//! `agio contest verify`: a published draw, computed again.

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use agio_contest::model::published::{Published, Wrong};
use agio_core::{Error, Result};
use agio_outside::{Bounds, Caller};
use bytes::Bytes;
use hyper::{Request, header};

/// How long a server may take, and the longest file that is read: a list of some hundred thousand entrants.
const BOUNDS: Bounds = Bounds { patience: Duration::from_secs(120), body_bytes: 64 * 1024 * 1024 };

/// Reads a published draw from a file or a web address, computes it again, and says what it finds.
///
/// # Errors
/// The draw cannot be read.
pub async fn verify(from: &str) -> Result<ExitCode> {
    let bytes = if from.starts_with("https://") || from.starts_with("http://") {
        fetch(from).await?
    } else {
        std::fs::read(Path::new(from)).map_err(Error::internal)?.into()
    };
    let draw: Published = serde_json::from_slice(&bytes).map_err(Error::internal)?;
    let faults = draw.faults();
    if faults.is_empty() {
        println!("The draw is right: {} entries, winners {}.", draw.entrants.len(), listed(&draw.winners));
        return Ok(ExitCode::SUCCESS);
    }
    for fault in faults {
        println!("{}", said(&fault));
    }
    Ok(ExitCode::FAILURE)
}

fn said(fault: &Wrong) -> String {
    match fault {
        Wrong::Format => "The file is of a form this program does not know.".to_owned(),
        Wrong::NotDrawn => "It is not drawn yet.".to_owned(),
        Wrong::Secret => "The secret is not the one whose digest was published.".to_owned(),
        Wrong::Entrants => "The list of entrants is not the one whose digest was published.".to_owned(),
        Wrong::Line(line) => format!("Line {line} of the list is not an entry, repeats one, or is out of order."),
        Wrong::Winners(won) => format!("Other entries win: {}.", listed(won)),
    }
}

fn listed(entries: &[i64]) -> String {
    let entries: Vec<_> = entries.iter().map(i64::to_string).collect();
    if entries.is_empty() { "none".to_owned() } else { entries.join(", ") }
}

async fn fetch(address: &str) -> Result<Bytes> {
    let request = Request::get(address).header(header::ACCEPT, "application/json").body(Bytes::new().into());
    // Whoever runs the command names the address, so it may be within their house.
    let answer = Caller::new(true)?.call(request.map_err(Error::internal)?, BOUNDS).await.map_err(Error::internal)?;
    if !answer.status().is_success() {
        return Err(Error::internal(format!("{address} answers {}", answer.status())));
    }
    Ok(answer.into_body())
}
