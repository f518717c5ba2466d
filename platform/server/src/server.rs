//! Runs the listeners, jobs and node synchronisation until the process is asked to stop.

use std::net::SocketAddr;
use std::time::Duration;

use agio_core::{Error, Result};

use crate::app::App;
use crate::config::Config;
use crate::connections::Listener;
use crate::http::listeners::ListenerEndpoint;
use crate::metrics::MetricsEndpoint;
use crate::{jobs, nodes, process};

/// What is bound before anything is served: the public listener, and the console's own, if any.
pub struct Listeners {
    public: (Listener, ListenerEndpoint),
    console: Option<(Listener, ListenerEndpoint)>,
    metrics: Option<(Listener, MetricsEndpoint)>,
}

/// Binds the addresses of the configuration.
///
/// # Errors
/// A site cannot be read, or an address is taken.
pub async fn bind(app: &App, config: &Config) -> Result<Listeners> {
    let limits = config.connection_limits(process::raise_open_files());
    let bind = async |address: SocketAddr, key| {
        Listener::bind(address, limits.clone())
            .await
            .map_err(|error| Error::internal(format!("cannot listen on {address} ({key}): {error}")))
    };
    let (public, console) = app.endpoints(config)?;
    Ok(Listeners {
        public: (bind(config.server.listen, "server.listen").await?, public),
        console: match config.admin.listen.zip(console) {
            Some((address, console)) => Some((bind(address, "admin.listen").await?, console)),
            None => None,
        },
        metrics: match config.metrics.listen {
            Some(address) => Some((bind(address, "metrics.listen").await?, MetricsEndpoint::new(app, config))),
            None => None,
        },
    })
}

/// Serves both sites and all APIs until the process is asked to stop.
///
/// # Errors
/// The database cannot be reached.
pub async fn serve(app: App, config: &Config, Listeners { public, console, metrics }: Listeners) -> Result<()> {
    process::report_open_permissions(config);
    let running = (jobs::start(&app), nodes::start(&app).await?);
    tracing::info!(listen = %config.server.listen, console = config.admin.listen.map(tracing::field::display), engine = ?app.platform.db.engine(), "serving");
    let grace = Duration::from_secs(config.server.stop_seconds);
    let serve = |(listener, endpoint): (Listener, ListenerEndpoint)| listener.serve(endpoint, stop_signal(), grace);
    // Until the process ends: Prometheus sees how it stops.
    let metrics = metrics.map(|(listener, endpoint)| tokio::spawn(listener.serve(endpoint, std::future::pending(), grace)));
    match console {
        Some(console) => drop(tokio::join!(serve(public), serve(console))),
        None => serve(public).await,
    }
    drop(running);
    metrics.inspect(|metrics| metrics.abort());
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
