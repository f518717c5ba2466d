//! Serving: the doors on their addresses and the house's own work, until the process is asked to stop.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use agio_core::{Error, Result};
use poem::Server;
use poem::listener::TcpListener;

use crate::app::App;
use crate::config::{Config, Server as ServerConfig};
use crate::http::doors::Door;
use crate::{jobs, nodes};

/// How long a connection may say nothing. Live streams send a sign of life more often.
const IDLE_TIMEOUT: Duration = Duration::from_secs(60);

/// Serves both sites and all APIs, the console on an address of its own where it has one.
///
/// # Errors
/// A site cannot be read, an address is taken, or the database cannot be reached.
pub async fn serve(app: App, config: &Config) -> Result<()> {
    let (public, console) = app.doors(config)?;
    let running = (jobs::start(Arc::new(app.jobs())), nodes::start(&app).await?);
    tracing::info!(listen = %config.server.listen, console = ?config.admin.listen, engine = ?app.platform.db.engine(), "serving");
    match (console, config.admin.listen) {
        (Some(console), Some(listen)) => {
            let both = tokio::try_join!(
                listen_at(config.server.listen, public, &config.server),
                listen_at(listen, console, &config.server)
            );
            both.map(drop)?;
        }
        _ => listen_at(config.server.listen, public, &config.server).await?,
    }
    drop(running);
    app.platform.db.close().await;
    tracing::info!("stopped");
    Ok(())
}

/// Serves behind a door until the process is asked to stop.
async fn listen_at(address: SocketAddr, door: Door, config: &ServerConfig) -> Result<()> {
    Server::new(TcpListener::bind(address))
        .idle_timeout(IDLE_TIMEOUT)
        .run_with_graceful_shutdown(door, asked_to_stop(), Some(Duration::from_secs(config.stop_seconds)))
        .await
        .map_err(Error::internal)
}

async fn asked_to_stop() {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate()).expect("the process may listen to signals");
    tokio::select! {
        _ = terminate.recv() => {}
        _ = tokio::signal::ctrl_c() => {}
    }
}
