//! Servers that run as processes of their own.

use std::net::{Ipv4Addr, TcpListener};

/// A port of this machine that nobody listens on.
///
/// # Panics
/// If none is free.
pub fn free_port() -> u16 {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| listener.local_addr()).expect("a port is free").port()
}

/// Whether the server on this port answers. That it takes connections says nothing: until another thread's new process
/// executes its program, it holds the listener that found the port free.
///
/// # Errors
/// What went wrong.
pub async fn is_live(port: u16) -> Result<(), String> {
    let answer = reqwest::get(format!("http://127.0.0.1:{port}/health/live")).await;
    answer.and_then(reqwest::Response::error_for_status).map(drop).map_err(|error| error.to_string())
}
