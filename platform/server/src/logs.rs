//! The log: lines for people, or JSON for machines.

use agio_core::{Error, Result};
use tracing_subscriber::EnvFilter;

use crate::config::{Log, LogFormat};

/// Starts logging to standard error.
///
/// # Errors
/// The filter does not parse, or logging was started before.
pub fn start(log: &Log) -> Result<()> {
    let filter = EnvFilter::try_new(&log.filter).map_err(Error::internal)?;
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    match log.format {
        LogFormat::Text => lines.compact().try_init(),
        LogFormat::Json => lines.json().flatten_event(true).try_init(),
    }
    .map_err(Error::internal)
}
