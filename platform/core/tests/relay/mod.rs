//! Connections to PostgreSQL that can fall silent, or lead to another server.

use std::sync::Arc;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream, tcp};
use tokio::sync::watch;

/// The database through a relay that can stop passing anything on, without closing a connection.
pub struct Relay {
    pub url: String,
    /// Connections up to this number are silent.
    silent: watch::Sender<usize>,
    opened: Arc<watch::Sender<usize>>,
    /// Where new connections lead: address and port.
    address: watch::Sender<String>,
}

impl Relay {
    pub async fn start(url: &str) -> Self {
        let (address, name) = address_and_name(url);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("postgres://postgres@{}/{name}", listener.local_addr().unwrap());
        let (silent, _) = watch::channel(0);
        let opened = Arc::new(watch::channel(0).0);
        let (address, leads_to) = watch::channel(address.to_owned());
        let (is_silent, count) = (silent.subscribe(), opened.clone());
        tokio::spawn(async move {
            while let Ok((mut client, _)) = listener.accept().await {
                if *is_silent.borrow() == usize::MAX {
                    // What hangs opens nothing behind it: PostgreSQL would count those who came as its clients.
                    tokio::spawn(async move { tokio::io::copy(&mut client, &mut tokio::io::sink()).await });
                    continue;
                }
                let address = leads_to.borrow().clone();
                // As a proxy whose server is down: the client's connection is closed.
                let Ok(server) = TcpStream::connect(address).await else { continue };
                count.send_modify(|count| *count += 1);
                let number = *count.borrow();
                let ((from_client, to_client), (from_server, to_server)) = (client.into_split(), server.into_split());
                tokio::spawn(pass(from_client, to_server, number, is_silent.clone()));
                tokio::spawn(pass(from_server, to_client, number, is_silent.clone()));
            }
        });
        Self { url, silent, opened, address }
    }

    /// Leads new connections to another server.
    pub fn lead_to(&self, url: &str) {
        self.address.send_replace(address_and_name(url).0.to_owned());
    }

    /// Silences every connection, new ones as well, until [`silence`](Self::silence) lets those pass that come later.
    pub fn hang(&self) {
        self.silent.send_replace(usize::MAX);
    }

    /// Silences every connection there is. New ones pass.
    pub fn silence(&self) {
        self.silent.send_replace(*self.opened.borrow());
    }
}

fn address_and_name(url: &str) -> (&str, &str) {
    url.rsplit_once('@').unwrap().1.split_once('/').unwrap()
}

async fn pass(mut from: tcp::OwnedReadHalf, mut to: tcp::OwnedWriteHalf, number: usize, silent: watch::Receiver<usize>) {
    let mut bytes = vec![0; 16 * 1024];
    while let Ok(count @ 1..) = from.read(&mut bytes).await {
        if *silent.borrow() >= number {
            std::future::pending::<()>().await;
        }
        if to.write_all(&bytes[..count]).await.is_err() {
            return;
        }
    }
}
