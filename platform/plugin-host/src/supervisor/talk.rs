//! The talk with a plugin's process: many may ask at once; it answers one after the other.

use std::collections::VecDeque;
use std::process::ExitStatus;
use std::sync::PoisonError;
use std::time::Duration;

use agio_plugin::protocol::{Manifest, Step};
use serde_json::value::RawValue;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::UnixStream;
use tokio::net::unix::OwnedReadHalf;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until, timeout};

use super::child::{Child, describe};
use super::copy::Copy;
use super::dialect::Dialect;
use super::{Order, Shared, Told, log};
use crate::Reason;
use crate::rounds::cut;
use crate::wire::{Frames, FromPlugin, Load, Reply, Said, ToPlugin, frame};

/// How many questions lie with the plugin at once.
const PIPELINED: usize = 32;
const CHUNK_BYTES: usize = 64 * 1024;
/// How long what was printed before the end may take to come.
const PRINTING: Duration = Duration::from_millis(500);

/// A round that is asked.
pub struct Ask {
    /// As the plugin understands it.
    pub question: Box<RawValue>,
    /// How it answers.
    pub dialect: Dialect,
    /// Where the answer goes.
    pub reply: oneshot::Sender<Result<Step, Unanswered>>,
}

/// Why a round has no answer.
pub enum Unanswered {
    /// For this.
    For(Reason),
    /// Another round ended the process; this one only was in the way.
    InTheWay,
}

/// Why a talk is over.
pub enum Ending {
    /// The plugin is to blame.
    Fault(Reason),
    /// The plugin is to blame so much that there is no second try.
    Hopeless(String),
    /// The plugin is not to blame: the machine is short of something.
    Unlucky(String),
    /// Somebody wants it to end.
    Stop,
}

/// A process that said who it is.
pub struct Talk<'a> {
    shared: &'a Shared,
    child: Child,
    reader: OwnedReadHalf,
    chunk: Box<[u8]>,
    frames: Frames,
    writer: Option<mpsc::Sender<Vec<u8>>>,
    drains: Vec<JoinHandle<()>>,
    last_id: u64,
    waiting: VecDeque<Waiting>,
    round: Duration,
}

struct Waiting {
    id: u64,
    dialect: Dialect,
    reply: oneshot::Sender<Result<Step, Unanswered>>,
    /// Since when it is the first: what came before was thought about until then.
    first_since: Instant,
}

impl<'a> Talk<'a> {
    /// Starts a process and lets it say who it is.
    pub async fn begin(shared: &'a Shared, copy: &Copy) -> Result<Self, Ending> {
        let unlucky = |error: std::io::Error| Ending::Unlucky(format!("no process could be started: {error}"));
        let (mut child, socket) = Child::start(&shared.policy.runner, &copy.empty_folder()).await.map_err(unlucky)?;
        shared.record().process(Some(child.id));
        let prints = std::mem::take(&mut child.prints).into_iter();
        let drains = prints.map(|pipe| tokio::spawn(log::drain(pipe, shared.log.clone()))).collect();
        let (reader, writer) = line(socket);
        let frames = Frames::new(shared.policy.answer_bytes);
        let (waiting, round, chunk) = (VecDeque::new(), shared.policy.round, vec![0; CHUNK_BYTES].into());
        let mut talk = Self { shared, child, reader, chunk, frames, writer: Some(writer), drains, last_id: 0, waiting, round };
        let load = Load {
            library: copy.library(),
            house: i32::try_from(std::process::id()).unwrap_or_default(),
            memory_bytes: shared.policy.memory_bytes,
            cpu_seconds: shared.policy.cpu_seconds,
            frame_bytes: shared.policy.answer_bytes,
        };
        talk.say(Said::Load(load));
        let hello = shared.policy.hello;
        let heard = timeout(hello, talk.hear()).await.unwrap_or_else(|_| Err(Heard::Wrong(late(hello))));
        let frame = match heard {
            Ok(frame) => frame,
            Err(why) => return Err(Ending::Fault(talk.why(why).await)),
        };
        match talk.introduced(&frame) {
            Ok(told) => {
                talk.round = talk.round.min(Duration::from_millis(told.manifest.limits.round_ms.into()));
                *shared.manifest.lock().unwrap_or_else(PoisonError::into_inner) = Some(told);
                Ok(talk)
            }
            Err(reason) => Err(Ending::Hopeless(reason.to_string())),
        }
    }

    /// Who the plugin says it is.
    fn introduced(&self, frame: &[u8]) -> Result<Told, Reason> {
        let FromPlugin { id, answer } = understood(frame)?;
        let (protocol, said) = match answer {
            Reply::Loaded { protocol, manifest } if id == self.last_id => (protocol, manifest),
            Reply::Unusable(why) => return Err(Reason::Nonsense(cut(&why))),
            _ => return Err(Reason::Nonsense("it did not say who it is".to_owned())),
        };
        let dialect = Dialect::of(protocol).map_err(Reason::Nonsense)?;
        let manifest: Manifest = dialect.manifest(said).map_err(|why| Reason::Nonsense(cut(&why)))?;
        match self.shared.told() {
            Some(told) if *told.manifest != manifest => {
                Err(Reason::Nonsense("it says to be somebody else than before".to_owned()))
            }
            Some(told) => Ok(told),
            None => Ok(Told { manifest: manifest.into(), dialect }),
        }
    }

    /// Talks until the process has to end, and ends it.
    pub async fn hold(mut self, asks: &mut mpsc::Receiver<Ask>, orders: &mut mpsc::UnboundedReceiver<Order>) -> Ending {
        loop {
            let deadline = self.waiting.front().map(|first| first.first_since + self.round);
            tokio::select! {
                biased;
                heard = self.hear() => match heard {
                    Ok(frame) => if let Err(ending) = self.answered(&frame) {
                        return self.end(ending).await;
                    },
                    Err(why) => {
                        let reason = self.why(why).await;
                        return self.end(Ending::Fault(reason)).await;
                    }
                },
                order = orders.recv() => match order {
                    Some(Order::Blame(reason)) => if self.is_too_much(&reason) {
                        return self.end(Ending::Hopeless(reason.to_string())).await;
                    },
                    Some(Order::Revive) => {}
                    Some(Order::Stop) | None => return self.end(Ending::Stop).await,
                },
                () = until(deadline) => {
                    let reason = late(self.round);
                    return self.end(Ending::Fault(reason)).await;
                }
                Some(ask) = asks.recv(), if self.waiting.len() < PIPELINED => self.ask(ask),
            }
        }
    }

    fn ask(&mut self, ask: Ask) {
        // Whoever asked may have stopped waiting.
        if ask.reply.is_closed() {
            return;
        }
        self.say(Said::Ask(&ask.question));
        let Ask { dialect, reply, .. } = ask;
        self.waiting.push_back(Waiting { id: self.last_id, dialect, reply, first_since: Instant::now() });
    }

    fn answered(&mut self, frame: &[u8]) -> Result<(), Ending> {
        let FromPlugin { id, answer } = understood(frame).map_err(Ending::Fault)?;
        if self.waiting.front().is_none_or(|first| first.id != id) {
            return Err(Ending::Fault(Reason::Nonsense(format!("it answered {id}, which was not asked"))));
        }
        let Some(first) = self.waiting.pop_front() else { return Ok(()) };
        let now = Instant::now();
        if let Some(next) = self.waiting.front_mut() {
            next.first_since = now;
        }
        let step = match answer {
            Reply::Step(said) => {
                first.dialect.step(said).map_err(|why| Reason::Nonsense(format!("its answer is none: {}", cut(&why))))
            }
            Reply::Panicked(why) => Err(Reason::Stopped(format!("it panicked: {}", cut(&why)))),
            Reply::Nonsense(why) => Err(Reason::Nonsense(cut(&why))),
            Reply::Loaded { .. } | Reply::Unusable(_) => Err(Reason::Nonsense("it said again who it is".to_owned())),
        };
        self.shared.record().answered(now - first.first_since);
        let wrong = step.as_ref().err().cloned();
        let _ = first.reply.send(step.map_err(Unanswered::For));
        match wrong {
            Some(reason) if self.is_too_much(&reason) => Err(Ending::Hopeless(reason.to_string())),
            _ => Ok(()),
        }
    }

    /// Holds something against the plugin; says whether that was too much.
    fn is_too_much(&self, reason: &Reason) -> bool {
        self.shared.blame(reason) >= self.shared.policy.faults
    }

    fn say(&mut self, said: Said<'_>) {
        self.last_id += 1;
        let bytes = frame(&ToPlugin { id: self.last_id, said });
        // The line is as long as what may wait, so it is full only when it is broken, which the reader notices.
        let _ = self.writer.as_ref().is_some_and(|writer| writer.try_send(bytes).is_ok());
    }

    /// The next frame. May be dropped while it waits: what came is kept.
    async fn hear(&mut self) -> Result<Vec<u8>, Heard> {
        loop {
            match self.frames.next_frame() {
                Ok(Some(frame)) => return Ok(frame),
                Ok(None) => {}
                Err(garbled) => return Err(Heard::Wrong(Reason::Nonsense(garbled.to_string()))),
            }
            match self.reader.read(&mut self.chunk).await {
                Ok(0) | Err(_) => return Err(Heard::Nothing),
                Ok(came) => self.frames.push(&self.chunk[..came]),
            }
        }
    }

    /// What was wrong: if the line broke, how the process ended.
    async fn why(&mut self, heard: Heard) -> Reason {
        match heard {
            Heard::Wrong(reason) => reason,
            Heard::Nothing => match timeout(self.shared.policy.shutdown, self.child.ended()).await {
                Ok(Some(status)) => Reason::Stopped(self.last_words(status).await),
                Ok(None) | Err(_) => Reason::Stopped("it closed its line to the house".to_owned()),
            },
        }
    }

    /// How the process ended, and what it printed last.
    async fn last_words(&mut self, status: ExitStatus) -> String {
        self.print_out().await;
        let ended = describe(status);
        match self.shared.log.last_words() {
            Some(line) => format!("{ended}; its last words: {line}"),
            None => ended,
        }
    }

    /// Waits for what was printed before the end.
    async fn print_out(&mut self) {
        for drain in self.drains.drain(..) {
            let _ = timeout(PRINTING, drain).await;
        }
    }

    /// Ends the process, and tells those who wait.
    async fn end(mut self, ending: Ending) -> Ending {
        // The line is closed, and it may end by itself; whatever waits for an answer would keep it from that.
        self.writer = None;
        if !matches!(ending, Ending::Stop) || timeout(self.shared.policy.shutdown, self.child.ended()).await.is_err() {
            self.child.kill();
            let _ = timeout(self.shared.policy.shutdown, self.child.ended()).await;
        }
        self.print_out().await;
        let mut waiting = self.waiting.drain(..);
        if let (Ending::Fault(reason), Some(first)) = (&ending, waiting.next()) {
            let _ = first.reply.send(Err(Unanswered::For(reason.clone())));
        }
        for other in waiting {
            let _ = other.reply.send(Err(Unanswered::InTheWay));
        }
        ending
    }
}

/// What was heard instead of a frame.
enum Heard {
    Nothing,
    Wrong(Reason),
}

fn understood(frame: &[u8]) -> Result<FromPlugin<'_>, Reason> {
    serde_json::from_slice(frame).map_err(|error| Reason::Nonsense(format!("a frame says nothing: {}", cut(&error.to_string()))))
}

fn late(patience: Duration) -> Reason {
    Reason::Late(u32::try_from(patience.as_millis()).unwrap_or(u32::MAX))
}

async fn until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

/// The two directions of a line; writing never waits for reading.
fn line(socket: UnixStream) -> (OwnedReadHalf, mpsc::Sender<Vec<u8>>) {
    let (reader, mut half) = socket.into_split();
    let (writer, mut frames) = mpsc::channel::<Vec<u8>>(PIPELINED + 1);
    tokio::spawn(async move {
        while let Some(frame) = frames.recv().await {
            if half.write_all(&frame).await.is_err() {
                return;
            }
        }
        let _ = half.shutdown().await;
    });
    (reader, writer)
}
