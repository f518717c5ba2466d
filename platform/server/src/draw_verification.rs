//! `agio contest verify`: recomputes a published draw.

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use agio_contest::model::published_draw::{DrawFault, PublishedDraw};
use agio_core::{Error, Result};
use agio_outbound_http::{OutboundClient, RequestLimits};
use bytes::Bytes;
use hyper::{Request, header};

use crate::output::say;

/// The limits of a download: the list has some hundred thousand entrants.
const LIMITS: RequestLimits = RequestLimits { timeout: Duration::from_secs(120), body_bytes: 64 * 1024 * 1024 };

/// Reads a published draw from a file or URL, recomputes it and prints the result.
pub async fn verify(from: &str) -> Result<ExitCode> {
    let bytes = if from.starts_with("https://") || from.starts_with("http://") {
        fetch(from).await?
    } else {
        std::fs::read(Path::new(from)).map_err(|error| Error::internal(format!("{from}: {error}")))?.into()
    };
    let draw: PublishedDraw =
        serde_json::from_slice(&bytes).map_err(|error| Error::internal(format!("{from} is no published draw: {error}")))?;
    let faults = draw.faults();
    if faults.is_empty() {
        say!("The draw is valid: {} entries, winners {}.", draw.entrants.len(), join_entries(&draw.winners));
        return Ok(ExitCode::SUCCESS);
    }
    for fault in faults {
        say!("{}", describe(&fault));
    }
    Ok(ExitCode::FAILURE)
}

fn describe(fault: &DrawFault) -> String {
    match fault {
        DrawFault::Format => "Unknown file format.".to_owned(),
        DrawFault::NotDrawn => "The contest has not been drawn yet.".to_owned(),
        DrawFault::Secret => "The secret does not match the published commitment.".to_owned(),
        DrawFault::Entrants => "The list of entrants does not match the published digest.".to_owned(),
        DrawFault::Line(line) => format!("Line {line} of the list is invalid, repeated or out of order."),
        DrawFault::Winners(won) => format!("The computed winners differ: {}.", join_entries(won)),
    }
}

fn join_entries(entries: &[i64]) -> String {
    let entries: Vec<_> = entries.iter().map(i64::to_string).collect();
    if entries.is_empty() { "none".to_owned() } else { entries.join(", ") }
}

async fn fetch(address: &str) -> Result<Bytes> {
    let request = Request::get(address).header(header::ACCEPT, "application/json").body(Bytes::new().into());
    // The operator names the address, so it may be a private one.
    let answer = OutboundClient::new(true)?.send(request.map_err(Error::internal)?, LIMITS).await.map_err(Error::internal)?;
    if !answer.status().is_success() {
        return Err(Error::internal(format!("{address} returned {}", answer.status())));
    }
    Ok(answer.into_body())
}
