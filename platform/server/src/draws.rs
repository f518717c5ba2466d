//! `agio contest verify`: a published draw, computed again.

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use agio_contest::model::published::{Published, Wrong};
use agio_core::{Error, Result};
use http_body_util::{BodyExt as _, Empty, Limited};
use hyper::body::Bytes;
use hyper::{Request, Uri, header};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;

/// The longest file that is read, in bytes: a list of some hundred thousand entrants.
const FILE_BYTES_MAX: usize = 64 * 1024 * 1024;

/// How long a server may take.
const PATIENCE: Duration = Duration::from_secs(60);

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
    let address: Uri = address.parse().map_err(Error::internal)?;
    let connector = hyper_rustls::HttpsConnectorBuilder::new()
        .with_provider_and_webpki_roots(rustls::crypto::ring::default_provider())
        .map_err(Error::internal)?
        .https_or_http()
        .enable_http1()
        .build();
    let client = Client::builder(TokioExecutor::new()).build(connector);
    let request = Request::get(&address).header(header::ACCEPT, "application/json").body(Empty::<Bytes>::new());
    let answer = client.request(request.map_err(Error::internal)?);
    let answer = tokio::time::timeout(PATIENCE, answer).await.map_err(Error::internal)?.map_err(Error::internal)?;
    if !answer.status().is_success() {
        return Err(Error::internal(format!("{address} answers {}", answer.status())));
    }
    let body = Limited::new(answer.into_body(), FILE_BYTES_MAX).collect();
    let body = tokio::time::timeout(PATIENCE, body).await.map_err(Error::internal)?;
    Ok(body.map_err(Error::internal)?.to_bytes())
}
