//! A session with a plugin process: requests are pipelined and answered in order.

use std::collections::VecDeque;
use std::process::ExitStatus;
use std::sync::PoisonError;
use std::time::Duration;

use agio_plugin_sdk::protocol::{Manifest, PluginResponse};
use serde_json::value::RawValue;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::UnixStream;
use tokio::net::unix::OwnedReadHalf;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until, timeout};

use super::child_process::{ChildProcess, describe_exit};
use super::library_copy::LibraryCopy;
use super::protocol_version::ProtocolVersion;
use super::{LoadedPlugin, Shared, SupervisorCommand, log};
use crate::PluginErrorReason;
use crate::request_loop::truncate;
use crate::wire::{FrameReader, LoadCommand, RunnerFrame, RunnerMessage, ServerFrame, ServerMessage, encode_frame};

/// Maximum requests in the pipeline.
const PIPELINE_MAX: usize = 32;
const CHUNK_BYTES: usize = 64 * 1024;
/// Timeout for reading the remaining output after the end.
const OUTPUT_TIMEOUT: Duration = Duration::from_millis(500);

/// A round to run.
pub struct RoundRequest {
    /// Request in the plugin's protocol version.
    pub request: Box<RawValue>,
    pub protocol: ProtocolVersion,
    pub reply: oneshot::Sender<Result<PluginResponse, RoundFailure>>,
}

pub enum RoundFailure {
    Error(PluginErrorReason),
    /// Another round ended the process. This round may be repeated.
    Interrupted,
}

/// Why a session ended.
pub enum SessionEnd {
    Fault(PluginErrorReason),
    /// A fault that leads to quarantine at once.
    Fatal(String),
    /// The machine lacks resources; the plugin is not at fault.
    Environment(String),
    /// Stopped on command.
    Stop,
}

/// A running process whose library is loaded.
pub struct PluginSession<'a> {
    shared: &'a Shared,
    child: ChildProcess,
    reader: OwnedReadHalf,
    chunk: Box<[u8]>,
    frames: FrameReader,
    writer: Option<mpsc::Sender<Vec<u8>>>,
    drains: Vec<JoinHandle<()>>,
    last_id: u64,
    pending: VecDeque<PendingRound>,
    round: Duration,
}

struct PendingRound {
    id: u64,
    protocol: ProtocolVersion,
    reply: oneshot::Sender<Result<PluginResponse, RoundFailure>>,
    /// When it became the first in the queue, from which its time counts.
    first_since: Instant,
}

impl<'a> PluginSession<'a> {
    /// Starts a process and loads the library.
    pub async fn start(shared: &'a Shared, copy: &LibraryCopy) -> Result<Self, SessionEnd> {
        let environment = |error: std::io::Error| SessionEnd::Environment(format!("the process cannot be started: {error}"));
        let (mut child, socket) = ChildProcess::start(&shared.policy.runner, &copy.empty_folder()).await.map_err(environment)?;
        shared.statistics().set_process(Some(child.id));
        let pipes = std::mem::take(&mut child.output_pipes).into_iter();
        let drains = pipes.map(|pipe| tokio::spawn(log::drain(pipe, shared.log.clone()))).collect();
        let (reader, writer) = split(socket);
        let frames = FrameReader::new(shared.policy.response_bytes);
        let (pending, round, chunk) = (VecDeque::new(), shared.policy.round_timeout, vec![0; CHUNK_BYTES].into());
        let mut session = Self { shared, child, reader, chunk, frames, writer: Some(writer), drains, last_id: 0, pending, round };
        let load = LoadCommand {
            library: copy.library(),
            server_pid: i32::try_from(std::process::id()).unwrap_or_default(),
            memory_bytes: shared.policy.memory_bytes,
            cpu_seconds: shared.policy.cpu_seconds,
            frame_bytes: shared.policy.response_bytes,
        };
        session.send(ServerMessage::Load(load));
        let limit = shared.policy.startup_timeout;
        let received = timeout(limit, session.receive()).await.unwrap_or_else(|_| Err(ReceiveFailure::Invalid(timed_out(limit))));
        let frame = match received {
            Ok(frame) => frame,
            Err(failure) => return Err(SessionEnd::Fault(session.reason_of(failure).await)),
        };
        match session.read_loaded(&frame) {
            Ok(loaded) => {
                session.round = session.round.min(Duration::from_millis(loaded.manifest.limits.round_ms.into()));
                *shared.loaded.lock().unwrap_or_else(PoisonError::into_inner) = Some(loaded);
                Ok(session)
            }
            Err(reason) => Err(SessionEnd::Fatal(reason.to_string())),
        }
    }

    /// Reads the manifest after loading.
    fn read_loaded(&self, frame: &[u8]) -> Result<LoadedPlugin, PluginErrorReason> {
        let RunnerFrame { id, answer } = parse_frame(frame)?;
        let (protocol, manifest) = match answer {
            RunnerMessage::Loaded { protocol, manifest } if id == self.last_id => (protocol, manifest),
            RunnerMessage::Unusable(why) => return Err(PluginErrorReason::ProtocolViolation(truncate(&why))),
            _ => return Err(PluginErrorReason::ProtocolViolation("it did not return a manifest".to_owned())),
        };
        let protocol = ProtocolVersion::from_number(protocol).map_err(PluginErrorReason::ProtocolViolation)?;
        let manifest: Manifest =
            protocol.parse_manifest(manifest).map_err(|why| PluginErrorReason::ProtocolViolation(truncate(&why)))?;
        match self.shared.loaded() {
            Some(loaded) if *loaded.manifest != manifest => {
                Err(PluginErrorReason::ProtocolViolation("its manifest differs from the previous one".to_owned()))
            }
            Some(loaded) => Ok(loaded),
            None => Ok(LoadedPlugin { manifest: manifest.into(), protocol }),
        }
    }

    /// Runs the session until the process has to end, and ends it.
    pub async fn run(
        mut self,
        requests: &mut mpsc::Receiver<RoundRequest>,
        commands: &mut mpsc::UnboundedReceiver<SupervisorCommand>,
    ) -> SessionEnd {
        loop {
            let deadline = self.pending.front().map(|first| first.first_since + self.round);
            tokio::select! {
                biased;
                received = self.receive() => match received {
                    Ok(frame) => if let Err(end) = self.handle_response(&frame) {
                        return self.end(end).await;
                    },
                    Err(failure) => {
                        let reason = self.reason_of(failure).await;
                        return self.end(SessionEnd::Fault(reason)).await;
                    }
                },
                command = commands.recv() => match command {
                    Some(SupervisorCommand::ReportFault(reason)) => if self.reaches_fault_limit(&reason) {
                        return self.end(SessionEnd::Fatal(reason.to_string())).await;
                    },
                    Some(SupervisorCommand::Revive) => {}
                    Some(SupervisorCommand::Stop) | None => return self.end(SessionEnd::Stop).await,
                },
                () = until(deadline) => {
                    let reason = timed_out(self.round);
                    return self.end(SessionEnd::Fault(reason)).await;
                }
                Some(request) = requests.recv(), if self.pending.len() < PIPELINE_MAX => self.submit(request),
            }
        }
    }

    fn submit(&mut self, round: RoundRequest) {
        // The caller may have stopped waiting.
        if round.reply.is_closed() {
            return;
        }
        self.send(ServerMessage::Handle(&round.request));
        let RoundRequest { protocol, reply, .. } = round;
        self.pending.push_back(PendingRound { id: self.last_id, protocol, reply, first_since: Instant::now() });
    }

    fn handle_response(&mut self, frame: &[u8]) -> Result<(), SessionEnd> {
        let RunnerFrame { id, answer } = parse_frame(frame).map_err(SessionEnd::Fault)?;
        if self.pending.front().is_none_or(|first| first.id != id) {
            return Err(SessionEnd::Fault(PluginErrorReason::ProtocolViolation(format!(
                "it answered {id}, which was not requested"
            ))));
        }
        let Some(first) = self.pending.pop_front() else { return Ok(()) };
        let now = Instant::now();
        if let Some(next) = self.pending.front_mut() {
            next.first_since = now;
        }
        let response = match answer {
            RunnerMessage::Step(response) => first
                .protocol
                .parse_response(response)
                .map_err(|why| PluginErrorReason::ProtocolViolation(format!("its response is invalid: {}", truncate(&why)))),
            RunnerMessage::Panicked(why) => Err(PluginErrorReason::Crashed(format!("it panicked: {}", truncate(&why)))),
            RunnerMessage::ProtocolViolation(why) => Err(PluginErrorReason::ProtocolViolation(truncate(&why))),
            RunnerMessage::Loaded { .. } | RunnerMessage::Unusable(_) => {
                Err(PluginErrorReason::ProtocolViolation("it returned the manifest again".to_owned()))
            }
        };
        self.shared.statistics().count_round(now - first.first_since);
        let fault = response.as_ref().err().cloned();
        let _ = first.reply.send(response.map_err(RoundFailure::Error));
        match fault {
            Some(reason) if self.reaches_fault_limit(&reason) => Err(SessionEnd::Fatal(reason.to_string())),
            _ => Ok(()),
        }
    }

    /// Records a fault. Returns whether the limit is reached.
    fn reaches_fault_limit(&self, reason: &PluginErrorReason) -> bool {
        self.shared.record_fault(reason) >= self.shared.policy.max_faults
    }

    fn send(&mut self, message: ServerMessage<'_>) {
        self.last_id += 1;
        let bytes = encode_frame(&ServerFrame { id: self.last_id, message });
        // The channel is large enough for all pending requests, so it is full only if the connection is broken, which the reader notices.
        let _ = self.writer.as_ref().is_some_and(|writer| writer.try_send(bytes).is_ok());
    }

    /// Receives the next frame. Cancel safe.
    async fn receive(&mut self) -> Result<Vec<u8>, ReceiveFailure> {
        loop {
            match self.frames.next_frame() {
                Ok(Some(frame)) => return Ok(frame),
                Ok(None) => {}
                Err(malformed) => {
                    return Err(ReceiveFailure::Invalid(PluginErrorReason::ProtocolViolation(malformed.to_string())));
                }
            }
            match self.reader.read(&mut self.chunk).await {
                Ok(0) | Err(_) => return Err(ReceiveFailure::Closed),
                Ok(count) => self.frames.push(&self.chunk[..count]),
            }
        }
    }

    /// The reason of a failure; for a closed connection, how the process ended.
    async fn reason_of(&mut self, failure: ReceiveFailure) -> PluginErrorReason {
        match failure {
            ReceiveFailure::Invalid(reason) => reason,
            ReceiveFailure::Closed => match timeout(self.shared.policy.shutdown_timeout, self.child.ended()).await {
                Ok(Some(status)) => PluginErrorReason::Crashed(self.describe_end(status).await),
                Ok(None) | Err(_) => PluginErrorReason::Crashed("it closed its connection to the server".to_owned()),
            },
        }
    }

    /// How the process ended, and its last output.
    async fn describe_end(&mut self, status: ExitStatus) -> String {
        self.drain_output().await;
        let ended = describe_exit(status);
        match self.shared.log.last_output() {
            Some(line) => format!("{ended}; last output: {line}"),
            None => ended,
        }
    }

    /// Waits for the output printed before the end.
    async fn drain_output(&mut self) {
        for drain in self.drains.drain(..) {
            let _ = timeout(OUTPUT_TIMEOUT, drain).await;
        }
    }

    /// Ends the process and fails the pending rounds.
    async fn end(mut self, end: SessionEnd) -> SessionEnd {
        // Closing the connection lets the process exit by itself.
        self.writer = None;
        if !matches!(end, SessionEnd::Stop) || timeout(self.shared.policy.shutdown_timeout, self.child.ended()).await.is_err() {
            self.child.kill();
            let _ = timeout(self.shared.policy.shutdown_timeout, self.child.ended()).await;
        }
        self.drain_output().await;
        let mut pending = self.pending.drain(..);
        if let (SessionEnd::Fault(reason), Some(first)) = (&end, pending.next()) {
            let _ = first.reply.send(Err(RoundFailure::Error(reason.clone())));
        }
        for other in pending {
            let _ = other.reply.send(Err(RoundFailure::Interrupted));
        }
        end
    }
}

/// Why no frame was received.
enum ReceiveFailure {
    Closed,
    Invalid(PluginErrorReason),
}

fn parse_frame(frame: &[u8]) -> Result<RunnerFrame<'_>, PluginErrorReason> {
    serde_json::from_slice(frame).map_err(|error| {
        PluginErrorReason::ProtocolViolation(format!("a frame cannot be parsed: {}", truncate(&error.to_string())))
    })
}

fn timed_out(limit: Duration) -> PluginErrorReason {
    PluginErrorReason::Timeout(u32::try_from(limit.as_millis()).unwrap_or(u32::MAX))
}

async fn until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

/// Splits a connection; writing never waits for reading.
fn split(socket: UnixStream) -> (OwnedReadHalf, mpsc::Sender<Vec<u8>>) {
    let (reader, mut half) = socket.into_split();
    let (writer, mut frames) = mpsc::channel::<Vec<u8>>(PIPELINE_MAX + 1);
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
