//! Runs the listeners, jobs and node synchronisation until the process is asked to stop.

use std::sync::Arc;
use std::time::Duration;

use agio_core::{Error, Result};

use crate::app::App;
use crate::config::Config;
use crate::connections::Listener;
use crate::{jobs, nodes, process};

/// Serves both sites and all APIs. The console may have its own address.
///
/// # Errors
/// A site cannot be read, an address is taken, or the database cannot be reached.
pub async fn serve(app: App, config: &Config) -> Result<()> {
    let limits = config.connection_limits(process::raise_open_files());
    process::report_open_permissions(config);
    let (public, console) = app.endpoints(config)?;
    let listener = Listener::bind(config.server.listen, limits.clone()).await.map_err(Error::internal)?;
    let own = match config.admin.listen {
        Some(address) => Some(Listener::bind(address, limits).await.map_err(Error::internal)?),
        None => None,
    };
    let running = (jobs::start(Arc::new(app.jobs())), nodes::start(&app).await?);
    tracing::info!(listen = %config.server.listen, console = ?config.admin.listen, engine = ?app.platform.db.engine(), "serving");
    let grace = Duration::from_secs(config.server.stop_seconds);
    let public = listener.serve(public, stop_signal(), grace);
    match (console, own) {
        (Some(console), Some(own)) => {
            tokio::join!(public, own.serve(console, stop_signal(), grace));
        }
        _ => public.await,
    }
    drop(running);
    app.platform.db.close().await;
    tracing::info!("stopped");
    Ok(())
}

async fn stop_signal() {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate()).expect("the process may listen to signals");
    tokio::select! {
        _ = terminate.recv() => {}
        _ = tokio::signal::ctrl_c() => {}
    }
}
