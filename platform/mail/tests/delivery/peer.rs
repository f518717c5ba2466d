//! A mail server that does as it is told.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// How the server behaves from the next connection on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// It takes every mail.
    Takes,
    /// It hangs up at once.
    Down,
    /// It says nothing, until it behaves otherwise.
    Silent,
    /// It answers the recipient with this line.
    Answers(&'static str),
    /// It hangs up in the middle of the mail.
    CutsInData,
    /// It takes the mail and hangs up without a word.
    CutsAfterData,
    /// It does not accept the password.
    RefusesLogin,
}

/// A mail as it came.
#[derive(Clone, Debug)]
pub struct Received {
    /// The envelope's sender.
    pub from: String,
    /// The envelope's recipient.
    pub to: String,
    /// Headers and body.
    pub data: String,
}

impl Received {
    /// The value of a header, unfolded.
    pub fn header(&self, name: &str) -> String {
        let head = self.data.split("\r\n\r\n").next().unwrap().replace("\r\n ", " ");
        let line = head.lines().find(|line| line.to_lowercase().starts_with(&format!("{}:", name.to_lowercase())));
        line.unwrap_or_else(|| panic!("no {name} in {head}"))[name.len() + 1..].trim().to_owned()
    }
}

#[derive(Default)]
struct Book {
    received: Vec<Received>,
    said: Vec<String>,
    calls: usize,
}

/// The server.
pub struct Peer {
    /// Where it listens.
    pub address: SocketAddr,
    manner: watch::Sender<Manner>,
    book: Arc<Mutex<Book>>,
    listening: JoinHandle<()>,
}

impl Peer {
    /// A server that behaves so.
    pub async fn start(manner: Manner) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (manner, behaviour) = watch::channel(manner);
        let book = Arc::new(Mutex::new(Book::default()));
        let kept = book.clone();
        let listening = tokio::spawn(async move {
            while let Ok((line, _)) = listener.accept().await {
                lock(&kept).calls += 1;
                let (kept, behaviour) = (kept.clone(), behaviour.clone());
                tokio::spawn(async move {
                    // A client that hangs up ends the conversation.
                    let _ = converse(line, behaviour, &kept).await;
                });
            }
        });
        Self { address, manner, book, listening }
    }

    /// Behaves so from the next connection on.
    pub fn behave(&self, manner: Manner) {
        self.manner.send_replace(manner);
    }

    /// Every mail that came, in order.
    pub fn received(&self) -> Vec<Received> {
        lock(&self.book).received.clone()
    }

    /// How often somebody called.
    pub fn calls(&self) -> usize {
        lock(&self.book).calls
    }

    /// Every command that was said.
    pub fn said(&self) -> Vec<String> {
        lock(&self.book).said.clone()
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

fn lock(book: &Mutex<Book>) -> MutexGuard<'_, Book> {
    book.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn converse(line: TcpStream, mut behaviour: watch::Receiver<Manner>, book: &Mutex<Book>) -> std::io::Result<()> {
    let manner = *behaviour.borrow();
    if manner == Manner::Down {
        return Ok(());
    }
    if manner == Manner::Silent {
        // Whoever waits is let go once the server behaves otherwise.
        let _ = behaviour.wait_for(|manner| *manner != Manner::Silent).await;
        return Ok(());
    }
    let mut line = BufReader::new(line);
    line.write_all(b"220 peer.example ESMTP\r\n").await?;
    let (mut from, mut to) = (String::new(), String::new());
    loop {
        let mut command = String::new();
        if line.read_line(&mut command).await? == 0 {
            return Ok(());
        }
        let command = command.trim_end().to_owned();
        lock(book).said.push(command.clone());
        let verb = command.split_whitespace().next().unwrap_or_default().to_uppercase();
        let answer = match verb.as_str() {
            "EHLO" => "250-peer.example\r\n250-8BITMIME\r\n250 AUTH PLAIN LOGIN",
            "AUTH" if manner == Manner::RefusesLogin => "535 5.7.8 wrong password",
            "AUTH" => "235 2.7.0 welcome",
            "MAIL" => {
                from = command;
                "250 2.1.0 ok"
            }
            "RCPT" => {
                to = command;
                if let Manner::Answers(answer) = manner { answer } else { "250 2.1.5 ok" }
            }
            "DATA" => {
                line.write_all(b"354 go on\r\n").await?;
                let Some(data) = read_mail(&mut line, manner).await? else { return Ok(()) };
                lock(book).received.push(Received { from: from.clone(), to: to.clone(), data });
                if manner == Manner::CutsAfterData {
                    return Ok(());
                }
                "250 2.0.0 taken"
            }
            "QUIT" => {
                line.write_all(b"221 bye\r\n").await?;
                return Ok(());
            }
            _ => "500 5.5.1 what?",
        };
        line.write_all(format!("{answer}\r\n").as_bytes()).await?;
    }
}

/// The mail up to the lone dot; nothing if the server hangs up before.
async fn read_mail(line: &mut BufReader<TcpStream>, manner: Manner) -> std::io::Result<Option<String>> {
    let mut data = String::new();
    loop {
        let mut text = String::new();
        if line.read_line(&mut text).await? == 0 || manner == Manner::CutsInData {
            return Ok(None);
        }
        if text == ".\r\n" {
            return Ok(Some(data));
        }
        data.push_str(text.strip_prefix('.').unwrap_or(&text));
    }
}
