//! Lifecycle of a plugin process: start, run, restart, quarantine.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::sleep;

use super::library_copy::LibraryCopy;
use super::session::{PluginSession, RoundFailure, RoundRequest, SessionEnd};
use super::{ProcessState, Shared, SupervisorCommand};
use crate::PluginErrorReason;

/// During a shorter backoff, calls wait; during a longer one, they fail.
const SHORT_BACKOFF: Duration = Duration::from_millis(500);

type Requests = mpsc::Receiver<RoundRequest>;
type Commands = mpsc::UnboundedReceiver<SupervisorCommand>;

/// Supervises a plugin until it is stopped or its handle is dropped.
pub async fn supervise(shared: Arc<Shared>, mut requests: Requests, mut commands: Commands) {
    let mut copy = None;
    loop {
        let end = run(&shared, &mut copy, &mut requests, &mut commands).await;
        shared.statistics().set_process(None);
        let restarts = match end {
            SessionEnd::Stop => false,
            SessionEnd::Fatal(reason) => {
                copy = None;
                quarantine(&shared, reason, &mut requests, &mut commands).await
            }
            SessionEnd::Environment(why) => {
                back_off(&shared, shared.policy.max_backoff, PluginErrorReason::Crashed(why), &mut requests, &mut commands).await
            }
            SessionEnd::Fault(reason) => {
                let faults = shared.record_fault(&reason);
                if faults >= shared.policy.max_faults {
                    quarantine(&shared, reason.to_string(), &mut requests, &mut commands).await
                } else {
                    back_off(&shared, shared.backoff_after(faults), reason, &mut requests, &mut commands).await
                }
            }
        };
        if !restarts {
            break;
        }
        shared.statistics().count_restart();
    }
    shared.enter(ProcessState::Stopped);
}

/// Runs one process from start to end.
async fn run(
    shared: &Shared,
    copy: &mut Option<Arc<LibraryCopy>>,
    requests: &mut Requests,
    commands: &mut Commands,
) -> SessionEnd {
    shared.enter(ProcessState::Starting);
    let started = async {
        let ready = verified_copy(shared, copy.take()).await?;
        *copy = Some(ready.clone());
        PluginSession::start(shared, &ready).await
    };
    let session = tokio::select! {
        started = started => match started {
            Ok(session) => session,
            Err(end) => return end,
        },
        () = stopped(shared, commands) => return SessionEnd::Stop,
    };
    shared.enter(ProcessState::Ready);
    session.run(requests, commands).await
}

/// A copy of the library with a verified digest.
async fn verified_copy(shared: &Shared, copy: Option<Arc<LibraryCopy>>) -> Result<Arc<LibraryCopy>, SessionEnd> {
    let library = shared.library.clone();
    let verified = tokio::task::spawn_blocking(move || match copy {
        Some(copy) => copy.verify().map(|()| copy),
        None => LibraryCopy::create(&library).map(Arc::new),
    });
    verified.await.map_err(|error| SessionEnd::Environment(error.to_string()))?.map_err(SessionEnd::Fatal)
}

/// Waits for the stop command.
async fn stopped(shared: &Shared, commands: &mut Commands) {
    loop {
        match commands.recv().await {
            Some(SupervisorCommand::ReportFault(reason)) => {
                shared.record_fault(&reason);
            }
            Some(SupervisorCommand::Revive) => {}
            Some(SupervisorCommand::Stop) | None => return,
        }
    }
}

/// Waits before a restart. Returns false if the plugin is stopped.
async fn back_off(
    shared: &Shared,
    delay: Duration,
    reason: PluginErrorReason,
    requests: &mut Requests,
    commands: &mut Commands,
) -> bool {
    shared.enter(ProcessState::BackingOff { reason: reason.to_string() });
    let over = sleep(delay);
    tokio::pin!(over);
    loop {
        tokio::select! {
            () = &mut over => return true,
            () = stopped(shared, commands) => return false,
            Some(request) = requests.recv(), if delay > SHORT_BACKOFF => reject(request, reason.clone()),
        }
    }
}

/// Quarantines a plugin. Returns whether it was revived; false if it is stopped.
async fn quarantine(shared: &Shared, reason: String, requests: &mut Requests, commands: &mut Commands) -> bool {
    tracing::error!(library = %shared.library.path.display(), reason, "a plugin is quarantined");
    shared.log.push_event(&format!("quarantined: {reason}"));
    shared.enter(ProcessState::Quarantined { reason: reason.clone() });
    loop {
        tokio::select! {
            Some(request) = requests.recv() => reject(request, PluginErrorReason::Quarantined(reason.clone())),
            command = commands.recv() => match command {
                Some(SupervisorCommand::Revive) => {
                    shared.statistics().clear_faults();
                    return true;
                }
                Some(SupervisorCommand::ReportFault(_)) => {}
                Some(SupervisorCommand::Stop) | None => return false,
            },
        }
    }
}

fn reject(request: RoundRequest, reason: PluginErrorReason) {
    let _ = request.reply.send(Err(RoundFailure::Error(reason)));
}

impl Shared {
    /// Records a fault of the plugin. Returns the number of recent faults.
    pub fn record_fault(&self, reason: &PluginErrorReason) -> usize {
        tracing::warn!(library = %self.library.path.display(), %reason, "a plugin is at fault");
        self.log.push_event(&reason.to_string());
        self.statistics().count_fault(self.clock.now(), &self.policy)
    }

    /// Delay before a restart: doubled with each fault, minus a random part of up to a quarter, so that plugins that failed together do
    /// not restart together.
    fn backoff_after(&self, faults: usize) -> Duration {
        let doublings = u32::try_from(faults.saturating_sub(1)).unwrap_or(u32::MAX).min(20);
        let delay = self.policy.backoff.saturating_mul(1 << doublings).min(self.policy.max_backoff);
        let mut byte = [0];
        self.random.fill(&mut byte);
        delay - delay / 1024 * u32::from(byte[0])
    }
}
