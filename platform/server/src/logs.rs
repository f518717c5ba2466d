//! Logging as text or JSON.

use std::io::IsTerminal as _;

use agio_core::{Error, Result};
use tracing_subscriber::EnvFilter;

use crate::config::{LogConfig, LogFormat};

/// Starts logging to standard error.
pub fn start(log: &LogConfig) -> Result<()> {
    let filter = EnvFilter::try_new(&log.filter).map_err(Error::internal)?;
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    let lines = lines.with_ansi(std::io::stderr().is_terminal());
    match log.format {
        LogFormat::Text => lines.compact().try_init(),
        LogFormat::Json => lines.json().flatten_event(true).try_init(),
    }
    .map_err(Error::internal)
}
