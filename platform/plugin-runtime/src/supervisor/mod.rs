//! Supervises a plugin in its own process: starts it, enforces timeouts, restarts it after faults and quarantines it after too many.

mod child_process;
mod library_copy;
mod lifecycle;
mod log;
mod protocol_version;
mod session;
mod statistics;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use agio_core::random::Random;
use agio_core::{BoxFuture, Clock, Timestamp};
use agio_plugin_sdk::protocol::{Call, CallError, CallResult, Manifest, PluginRequest, PluginResponse};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::timeout;

use crate::request_loop::{self, ActionExecutor, PluginStorage, RoundHandler};
use crate::{PluginError, PluginErrorReason};

pub use self::library_copy::{file_sha256, remove_stale_copies};
use self::log::Log;
pub use self::log::PluginLogLine;
use self::session::{RoundFailure, RoundRequest};
use self::statistics::PluginStatistics;

/// Maximum rounds waiting for a plugin.
const QUEUE_MAX: usize = 256;

/// A plugin library in the allow list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PluginLibrary {
    pub path: PathBuf,
    /// SHA-256 of the file in lower-case hexadecimal digits. A file with another digest is not loaded.
    pub sha256: String,
}

/// The command that starts a plugin process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunnerCommand {
    pub program: PathBuf,
    pub arguments: Vec<String>,
}

impl RunnerCommand {
    /// Subcommand of `agio` that runs a plugin.
    pub const COMMAND: &'static str = "plugin-runner";

    /// The running program, even if its file was replaced.
    ///
    /// # Errors
    /// The path of the program is not known.
    pub fn own() -> std::io::Result<Self> {
        let program = if cfg!(target_os = "linux") { PathBuf::from("/proc/self/exe") } else { std::env::current_exe()? };
        Ok(Self { program, arguments: vec![Self::COMMAND.to_owned()] })
    }
}

/// Limits of a plugin process, whatever its manifest says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SupervisorPolicy {
    pub runner: RunnerCommand,
    /// Timeout for loading the library and returning the manifest.
    pub startup_timeout: Duration,
    pub round_timeout: Duration,
    /// Timeout of one round including the time in the queue.
    pub call_timeout: Duration,
    /// Timeout for ending the process.
    pub shutdown_timeout: Duration,
    pub memory_bytes: u64,
    /// CPU time per round.
    pub cpu_seconds: u64,
    /// Maximum size of a response, in bytes.
    pub response_bytes: u32,
    /// Delay before a restart; doubled after each further fault.
    pub backoff: Duration,
    /// Maximum delay before a restart.
    pub max_backoff: Duration,
    /// Number of faults within `fault_window` that leads to quarantine.
    pub max_faults: usize,
    pub fault_window: Duration,
}

impl SupervisorPolicy {
    /// The default limits.
    pub fn new(runner: RunnerCommand) -> Self {
        Self {
            runner,
            startup_timeout: Duration::from_secs(5),
            round_timeout: Duration::from_secs(5),
            call_timeout: Duration::from_secs(10),
            shutdown_timeout: Duration::from_secs(2),
            memory_bytes: 256 * 1024 * 1024,
            cpu_seconds: 10,
            response_bytes: 8 * 1024 * 1024,
            backoff: Duration::from_millis(100),
            max_backoff: Duration::from_secs(60),
            max_faults: 5,
            fault_window: Duration::from_secs(600),
        }
    }
}

/// State of a plugin process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProcessState {
    Starting,
    Ready,
    /// Waiting for the next restart after a fault.
    BackingOff {
        reason: String,
    },
    /// Not restarted until staff revive it.
    Quarantined {
        reason: String,
    },
    Stopped,
}

/// State and statistics of a plugin process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PluginHealth {
    pub state: ProcessState,
    /// When it entered the state.
    pub since: Timestamp,
    /// Completed rounds.
    pub calls: u64,
    pub faults: u64,
    pub restarts: u64,
    /// Median duration of the latest rounds.
    pub p50: Option<Duration>,
    /// 99th percentile of the duration of the latest rounds.
    pub p99: Option<Duration>,
    /// Process identifier, while it runs.
    pub process: Option<u32>,
}

/// A command to the supervising task.
enum SupervisorCommand {
    ReportFault(PluginErrorReason),
    Revive,
    Stop,
}

/// A plugin with a supervising task.
pub struct SupervisedPlugin {
    shared: Arc<Shared>,
    requests: mpsc::Sender<RoundRequest>,
    commands: mpsc::UnboundedSender<SupervisorCommand>,
}

/// State shared by the handle and the supervising task.
struct Shared {
    library: PluginLibrary,
    policy: SupervisorPolicy,
    clock: Arc<dyn Clock>,
    random: Arc<dyn Random>,
    state: watch::Sender<ProcessState>,
    loaded: Mutex<Option<LoadedPlugin>>,
    statistics: Mutex<PluginStatistics>,
    log: Arc<Log>,
}

/// Manifest and protocol version of a loaded plugin.
#[derive(Clone)]
struct LoadedPlugin {
    manifest: Arc<Manifest>,
    protocol: protocol_version::ProtocolVersion,
}

impl SupervisedPlugin {
    /// Starts supervising a plugin and returns at once. The task runs until [`stop`](Self::stop) or until the value is dropped.
    pub fn start(library: PluginLibrary, policy: SupervisorPolicy, clock: Arc<dyn Clock>, random: Arc<dyn Random>) -> Arc<Self> {
        let shared = Arc::new(Shared {
            statistics: Mutex::new(PluginStatistics::new(clock.now())),
            log: Arc::new(Log::new(clock.clone())),
            state: watch::Sender::new(ProcessState::Starting),
            loaded: Mutex::default(),
            library,
            policy,
            clock,
            random,
        });
        let (requests, request_receiver) = mpsc::channel(QUEUE_MAX);
        let (commands, command_receiver) = mpsc::unbounded_channel();
        tokio::spawn(lifecycle::supervise(shared.clone(), request_receiver, command_receiver));
        Arc::new(Self { shared, requests, commands })
    }

    /// The manifest; `None` until the library was loaded for the first time.
    pub fn manifest(&self) -> Option<Arc<Manifest>> {
        self.shared.loaded().map(|loaded| loaded.manifest)
    }

    pub fn library(&self) -> &PluginLibrary {
        &self.shared.library
    }

    pub fn health(&self) -> PluginHealth {
        self.shared.statistics().health(self.shared.state.borrow().clone())
    }

    /// The state and its changes.
    pub fn states(&self) -> watch::Receiver<ProcessState> {
        self.shared.state.subscribe()
    }

    /// The latest output and events, oldest first.
    pub fn log(&self) -> Vec<PluginLogLine> {
        self.shared.log.lines()
    }

    /// Ends the quarantine of the plugin. Does nothing if it is not in quarantine.
    pub fn revive(&self) {
        let _ = self.commands.send(SupervisorCommand::Revive);
    }

    /// Stops the plugin and waits until its process has ended.
    pub async fn stop(&self) {
        let _ = self.commands.send(SupervisorCommand::Stop);
        let _ = self.states().wait_for(|state| *state == ProcessState::Stopped).await;
    }

    /// Requests a request until there is an answer, and holds what is wrong with the answer against the plugin.
    ///
    /// # Errors
    /// There is none.
    pub async fn call(
        &self,
        executor: &ActionExecutor,
        storage: &dyn PluginStorage,
        call: Call,
    ) -> Result<CallResult, PluginError> {
        let not_called = |reason| PluginError { reason, may_have_acted: false };
        let loaded = self.loaded().await.map_err(not_called)?;
        let result = request_loop::call_plugin(executor, &loaded.manifest, self, storage, call).await;
        if let Err(PluginError {
            reason: reason @ (PluginErrorReason::ProtocolViolation(_) | PluginErrorReason::Forbidden(_)),
            ..
        }) = &result
        {
            let _ = self.commands.send(SupervisorCommand::ReportFault(reason.clone()));
        }
        result
    }

    /// Waits until the library is loaded.
    async fn loaded(&self) -> Result<LoadedPlugin, PluginErrorReason> {
        let mut states = self.states();
        let started = states.wait_for(|state| *state != ProcessState::Starting || self.shared.loaded().is_some());
        let _ = timeout(self.shared.policy.call_timeout, started).await;
        let why = match &*self.shared.state.borrow() {
            ProcessState::Quarantined { reason } => return Err(PluginErrorReason::Quarantined(reason.clone())),
            ProcessState::Stopped => return Err(PluginErrorReason::NotFound),
            ProcessState::BackingOff { reason } => reason.clone(),
            ProcessState::Starting | ProcessState::Ready => "it is starting".to_owned(),
        };
        self.shared.loaded().ok_or(PluginErrorReason::Crashed(why))
    }

    async fn run_round(&self, request: &PluginRequest) -> Result<PluginResponse, PluginErrorReason> {
        let loaded = self.loaded().await?;
        let Some(request) = loaded.protocol.encode_request(request) else {
            return Ok(PluginResponse::Failed(CallError::permanent(
                "not_mine",
                "the plugin's protocol version does not have this call",
            )));
        };
        // A round that was interrupted by another round's fault is repeated once: handling has no side effects.
        for _ in 0..2 {
            let (reply, receiver) = oneshot::channel();
            let round = RoundRequest { request: request.clone(), protocol: loaded.protocol, reply };
            self.requests
                .try_send(round)
                .map_err(|_| PluginErrorReason::Crashed("too many calls are waiting, or it was stopped".to_owned()))?;
            match receiver.await {
                Ok(Ok(response)) => return Ok(response),
                Ok(Err(RoundFailure::Error(reason))) => return Err(reason),
                Ok(Err(RoundFailure::Interrupted)) => {}
                Err(_) => return Err(PluginErrorReason::NotFound),
            }
        }
        Err(PluginErrorReason::Crashed("it was stopped twice during other calls".to_owned()))
    }
}

impl RoundHandler for SupervisedPlugin {
    fn handle_round<'a>(&'a self, request: &'a PluginRequest) -> BoxFuture<'a, Result<PluginResponse, PluginErrorReason>> {
        let limit = self.shared.policy.call_timeout;
        let late = PluginErrorReason::Timeout(u32::try_from(limit.as_millis()).unwrap_or(u32::MAX));
        Box::pin(async move { timeout(limit, self.run_round(request)).await.unwrap_or(Err(late)) })
    }
}

impl Shared {
    fn loaded(&self) -> Option<LoadedPlugin> {
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn statistics(&self) -> std::sync::MutexGuard<'_, PluginStatistics> {
        self.statistics.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn enter(&self, state: ProcessState) {
        self.statistics().set_since(self.clock.now());
        self.state.send_replace(state);
    }
}
