//! Serving: the listeners at their addresses and the server's own work, until the process is asked to stop.

use std::sync::Arc;
use std::time::Duration;

use agio_core::{Error, Result};

use crate::app::App;
use crate::config::Config;
use crate::connections::Listener;
use crate::{jobs, nodes, process};

/// Serves both sites and all APIs, the console on an address of its own where it has one.
///
/// # Errors
/// A site cannot be read, an address is taken, or the database cannot be reached.
pub async fn serve(app: App, config: &Config) -> Result<()> {
    let limits = config.connection_limits(process::raise_open_files());
    process::report_open_permissions(config);
    let (public, console) = app.doors(config)?;
    let listener = Listener::bind(config.server.listen, limits.clone()).await.map_err(Error::internal)?;
    let own = match config.admin.listen {
        Some(address) => Some(Listener::bind(address, limits).await.map_err(Error::internal)?),
        None => None,
    };
    let running = (jobs::start(Arc::new(app.jobs())), nodes::start(&app).await?);
    tracing::info!(listen = %config.server.listen, console = ?config.admin.listen, engine = ?app.platform.db.engine(), "serving");
    let patience = Duration::from_secs(config.server.stop_seconds);
    let public = listener.serve(public, asked_to_stop(), patience);
    match (console, own) {
        (Some(console), Some(own)) => {
            tokio::join!(public, own.serve(console, asked_to_stop(), patience));
        }
        _ => public.await,
    }
    drop(running);
    app.platform.db.close().await;
    tracing::info!("stopped");
    Ok(())
}

async fn asked_to_stop() {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate()).expect("the process may listen to signals");
    tokio::select! {
        _ = terminate.recv() => {}
        _ = tokio::signal::ctrl_c() => {}
    }
}
