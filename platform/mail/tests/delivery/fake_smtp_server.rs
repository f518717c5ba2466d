//! A fake SMTP server with configurable behavior.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;

/// Behavior from the next connection on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behavior {
    Accepts,
    /// Disconnects at once.
    Down,
    /// Sends nothing until the behavior changes.
    Silent,
    /// Replies to RCPT TO with this line.
    RepliesToRecipient(&'static str),
    DisconnectsInData,
    /// Accepts the email and disconnects without a reply.
    DisconnectsAfterData,
    RejectsLogin,
}

#[derive(Clone, Debug)]
pub struct SmtpEmail {
    /// The envelope's sender.
    pub from: String,
    /// The envelope's recipient.
    pub to: String,
    /// Headers and body.
    pub data: String,
}

impl SmtpEmail {
    /// The value of a header, unfolded.
    pub fn header(&self, name: &str) -> String {
        let head = self.data.split("\r\n\r\n").next().unwrap().replace("\r\n ", " ");
        let line = head.lines().find(|line| line.to_lowercase().starts_with(&format!("{}:", name.to_lowercase())));
        line.unwrap_or_else(|| panic!("no {name} in {head}"))[name.len() + 1..].trim().to_owned()
    }
}

#[derive(Clone)]
pub enum TlsMode {
    None,
    Implicit(TlsAcceptor),
    StartTls(TlsAcceptor),
}

#[derive(Default)]
struct Recording {
    received: Vec<SmtpEmail>,
    commands: Vec<String>,
    tls_commands: Vec<String>,
    connections: usize,
}

/// The server.
pub struct FakeSmtpServer {
    pub address: SocketAddr,
    behavior: watch::Sender<Behavior>,
    recording: Arc<Mutex<Recording>>,
    listening: JoinHandle<()>,
}

impl FakeSmtpServer {
    pub async fn start(behavior: Behavior) -> Self {
        Self::start_with_tls(behavior, TlsMode::None).await
    }

    pub async fn start_with_tls(behavior: Behavior, private: TlsMode) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (behavior, behaviors) = watch::channel(behavior);
        let recording = Arc::new(Mutex::new(Recording::default()));
        let shared = recording.clone();
        let listening = tokio::spawn(async move {
            while let Ok((line, _)) = listener.accept().await {
                lock(&shared).connections += 1;
                let (shared, behaviors, private) = (shared.clone(), behaviors.clone(), private.clone());
                tokio::spawn(async move {
                    // The client may disconnect.
                    let _ = serve_connection(line, behaviors, &shared, private).await;
                });
            }
        });
        Self { address, behavior, recording, listening }
    }

    pub fn set_behavior(&self, behavior: Behavior) {
        self.behavior.send_replace(behavior);
    }

    /// Received emails, in order.
    pub fn received(&self) -> Vec<SmtpEmail> {
        lock(&self.recording).received.clone()
    }

    /// Number of connections.
    pub fn connections(&self) -> usize {
        lock(&self.recording).connections
    }

    /// Commands received without TLS.
    pub fn commands(&self) -> Vec<String> {
        lock(&self.recording).commands.clone()
    }

    /// Commands received over TLS.
    pub fn tls_commands(&self) -> Vec<String> {
        lock(&self.recording).tls_commands.clone()
    }
}

impl Drop for FakeSmtpServer {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

fn lock(recording: &Mutex<Recording>) -> MutexGuard<'_, Recording> {
    recording.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn serve_connection(
    line: TcpStream,
    mut behaviors: watch::Receiver<Behavior>,
    recording: &Mutex<Recording>,
    private: TlsMode,
) -> std::io::Result<()> {
    let behavior = *behaviors.borrow();
    if behavior == Behavior::Down {
        return Ok(());
    }
    if behavior == Behavior::Silent {
        // Connections end when the behavior changes.
        let _ = behaviors.wait_for(|behavior| *behavior != Behavior::Silent).await;
        return Ok(());
    }
    let mut line = match private {
        TlsMode::Implicit(tls) => {
            let mut line = BufReader::new(tls.accept(line).await?);
            line.write_all(GREETING).await?;
            serve_session(&mut line, behavior, recording, Encryption::Active).await?;
            return Ok(());
        }
        TlsMode::None | TlsMode::StartTls(_) => BufReader::new(line),
    };
    line.write_all(GREETING).await?;
    let encryption = if matches!(private, TlsMode::None) { Encryption::Unavailable } else { Encryption::Available };
    if let (SessionEnd::StartTls, TlsMode::StartTls(tls)) =
        (serve_session(&mut line, behavior, recording, encryption).await?, private)
    {
        line.write_all(b"220 2.0.0 go on\r\n").await?;
        let mut line = BufReader::new(tls.accept(line.into_inner()).await?);
        serve_session(&mut line, behavior, recording, Encryption::Active).await?;
    }
    Ok(())
}

const GREETING: &[u8] = b"220 peer.example ESMTP\r\n";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Encryption {
    Unavailable,
    Available,
    Active,
}

enum SessionEnd {
    Over,
    StartTls,
}

async fn serve_session<S>(
    line: &mut BufReader<S>,
    behavior: Behavior,
    recording: &Mutex<Recording>,
    encryption: Encryption,
) -> std::io::Result<SessionEnd>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let (mut from, mut to) = (String::new(), String::new());
    loop {
        let mut command = String::new();
        if line.read_line(&mut command).await? == 0 {
            return Ok(SessionEnd::Over);
        }
        let command = command.trim_end().to_owned();
        match encryption {
            Encryption::Active => lock(recording).tls_commands.push(command.clone()),
            Encryption::Unavailable | Encryption::Available => lock(recording).commands.push(command.clone()),
        }
        let verb = command.split_whitespace().next().unwrap_or_default().to_uppercase();
        let answer = match verb.as_str() {
            "EHLO" if encryption == Encryption::Available => "250-peer.example\r\n250-8BITMIME\r\n250 STARTTLS",
            "STARTTLS" if encryption == Encryption::Available => return Ok(SessionEnd::StartTls),
            "EHLO" => "250-peer.example\r\n250-8BITMIME\r\n250 AUTH PLAIN LOGIN",
            "AUTH" if behavior == Behavior::RejectsLogin => "535 5.7.8 wrong password",
            "AUTH" => "235 2.7.0 welcome",
            "MAIL" => {
                from = command;
                "250 2.1.0 ok"
            }
            "RCPT" => {
                to = command;
                if let Behavior::RepliesToRecipient(answer) = behavior { answer } else { "250 2.1.5 ok" }
            }
            "DATA" => {
                line.write_all(b"354 go on\r\n").await?;
                let Some(data) = read_mail(line, behavior).await? else { return Ok(SessionEnd::Over) };
                lock(recording).received.push(SmtpEmail { from: from.clone(), to: to.clone(), data });
                if behavior == Behavior::DisconnectsAfterData {
                    return Ok(SessionEnd::Over);
                }
                "250 2.0.0 taken"
            }
            "QUIT" => {
                line.write_all(b"221 bye\r\n").await?;
                return Ok(SessionEnd::Over);
            }
            _ => "500 5.5.1 what?",
        };
        line.write_all(format!("{answer}\r\n").as_bytes()).await?;
    }
}

/// The mail up to the lone dot; nothing if the server hangs up before.
async fn read_mail<S: AsyncRead + Unpin>(line: &mut BufReader<S>, behavior: Behavior) -> std::io::Result<Option<String>> {
    let mut data = String::new();
    loop {
        let mut text = String::new();
        if line.read_line(&mut text).await? == 0 || behavior == Behavior::DisconnectsInData {
            return Ok(None);
        }
        if text == ".\r\n" {
            return Ok(Some(data));
        }
        data.push_str(text.strip_prefix('.').unwrap_or(&text));
    }
}
