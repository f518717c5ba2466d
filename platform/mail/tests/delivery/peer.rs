//! A mail server that does as it is told.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;

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

/// How the server keeps a line private.
#[derive(Clone)]
pub enum Lock {
    /// It cannot.
    None,
    /// From the first byte on.
    AtOnce(TlsAcceptor),
    /// When it is asked to.
    WhenAsked(TlsAcceptor),
}

#[derive(Default)]
struct Book {
    received: Vec<Received>,
    said: Vec<String>,
    said_in_private: Vec<String>,
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
    /// A server that behaves so and keeps nothing private.
    pub async fn start(manner: Manner) -> Self {
        Self::locked(manner, Lock::None).await
    }

    /// A server that behaves so and keeps its lines private so.
    pub async fn locked(manner: Manner, private: Lock) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (manner, behaviour) = watch::channel(manner);
        let book = Arc::new(Mutex::new(Book::default()));
        let kept = book.clone();
        let listening = tokio::spawn(async move {
            while let Ok((line, _)) = listener.accept().await {
                lock(&kept).calls += 1;
                let (kept, behaviour, private) = (kept.clone(), behaviour.clone(), private.clone());
                tokio::spawn(async move {
                    // A client that hangs up ends the conversation.
                    let _ = converse(line, behaviour, &kept, private).await;
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

    /// Every command that was said for anybody to hear.
    pub fn said(&self) -> Vec<String> {
        lock(&self.book).said.clone()
    }

    /// Every command that was said in private.
    pub fn said_in_private(&self) -> Vec<String> {
        lock(&self.book).said_in_private.clone()
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

async fn converse(
    line: TcpStream,
    mut behaviour: watch::Receiver<Manner>,
    book: &Mutex<Book>,
    private: Lock,
) -> std::io::Result<()> {
    let manner = *behaviour.borrow();
    if manner == Manner::Down {
        return Ok(());
    }
    if manner == Manner::Silent {
        // Whoever waits is let go once the server behaves otherwise.
        let _ = behaviour.wait_for(|manner| *manner != Manner::Silent).await;
        return Ok(());
    }
    let mut line = match private {
        Lock::AtOnce(tls) => {
            let mut line = BufReader::new(tls.accept(line).await?);
            line.write_all(GREETING).await?;
            talk(&mut line, manner, book, Privacy::Kept).await?;
            return Ok(());
        }
        Lock::None | Lock::WhenAsked(_) => BufReader::new(line),
    };
    line.write_all(GREETING).await?;
    let privacy = if matches!(private, Lock::None) { Privacy::Never } else { Privacy::Offered };
    if let (End::TurnsPrivate, Lock::WhenAsked(tls)) = (talk(&mut line, manner, book, privacy).await?, private) {
        line.write_all(b"220 2.0.0 go on\r\n").await?;
        let mut line = BufReader::new(tls.accept(line.into_inner()).await?);
        talk(&mut line, manner, book, Privacy::Kept).await?;
    }
    Ok(())
}

const GREETING: &[u8] = b"220 peer.example ESMTP\r\n";

/// Whether others can hear what is said.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Privacy {
    Never,
    Offered,
    Kept,
}

/// How a talk ended.
enum End {
    Over,
    TurnsPrivate,
}

async fn talk<S>(line: &mut BufReader<S>, manner: Manner, book: &Mutex<Book>, privacy: Privacy) -> std::io::Result<End>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let (mut from, mut to) = (String::new(), String::new());
    loop {
        let mut command = String::new();
        if line.read_line(&mut command).await? == 0 {
            return Ok(End::Over);
        }
        let command = command.trim_end().to_owned();
        match privacy {
            Privacy::Kept => lock(book).said_in_private.push(command.clone()),
            Privacy::Never | Privacy::Offered => lock(book).said.push(command.clone()),
        }
        let verb = command.split_whitespace().next().unwrap_or_default().to_uppercase();
        let answer = match verb.as_str() {
            "EHLO" if privacy == Privacy::Offered => "250-peer.example\r\n250-8BITMIME\r\n250 STARTTLS",
            "STARTTLS" if privacy == Privacy::Offered => return Ok(End::TurnsPrivate),
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
                let Some(data) = read_mail(line, manner).await? else { return Ok(End::Over) };
                lock(book).received.push(Received { from: from.clone(), to: to.clone(), data });
                if manner == Manner::CutsAfterData {
                    return Ok(End::Over);
                }
                "250 2.0.0 taken"
            }
            "QUIT" => {
                line.write_all(b"221 bye\r\n").await?;
                return Ok(End::Over);
            }
            _ => "500 5.5.1 what?",
        };
        line.write_all(format!("{answer}\r\n").as_bytes()).await?;
    }
}

/// The mail up to the lone dot; nothing if the server hangs up before.
async fn read_mail<S: AsyncRead + Unpin>(line: &mut BufReader<S>, manner: Manner) -> std::io::Result<Option<String>> {
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
