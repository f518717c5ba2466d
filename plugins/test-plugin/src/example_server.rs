//! An example server in another language, as a process.

use std::net::{SocketAddr, TcpListener};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long it may take to start.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server that ends with the test.
pub struct ExampleServer {
    process: Child,
    address: SocketAddr,
}

impl ExampleServer {
    /// Starts it where `command` says, and waits until it answers.
    ///
    /// That a port takes connections, or is taken, says nothing: until another thread's new process executes its
    /// program, it holds the listener that found the port free.
    ///
    /// # Panics
    /// If it does not start.
    pub async fn start(command: impl Fn(SocketAddr) -> Command) -> Self {
        let started = Instant::now();
        let mut server = Self::spawn(&command);
        while reqwest::get(server.origin()).await.is_err() {
            assert!(started.elapsed() < PATIENCE, "the example does not answer");
            tokio::time::sleep(Duration::from_millis(50)).await;
            if server.process.try_wait().expect("its state is known").is_some() {
                server = Self::spawn(&command);
            }
        }
        server
    }

    fn spawn(command: &impl Fn(SocketAddr) -> Command) -> Self {
        let address = closed_port();
        let mut command = command(address);
        let process = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        Self { process: process.unwrap_or_else(|error| panic!("{command:?} does not start: {error}")), address }
    }

    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for ExampleServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A port that nobody listens on. Its address is not that of other tests, so that no connection of theirs takes it.
///
/// # Panics
/// If no port is free.
pub fn closed_port() -> SocketAddr {
    TcpListener::bind("127.77.0.1:0").and_then(|listener| listener.local_addr()).expect("a port is free")
}
