//! A plugin in a process of its own, and somebody who minds it: starts it, waits no longer than was agreed, stops what misbehaves, starts it again, and
//! gives it up when that happens too often.

mod child;
mod copy;
mod dialect;
mod life;
mod log;
mod record;
mod talk;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use agio_core::random::Random;
use agio_core::{BoxFuture, Clock, Timestamp};
use agio_plugin::protocol::{Answer, Call, Manifest, Question, Refusal, Step};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::timeout;

use crate::rounds::{self, Hand, Memory, Thinking};
use crate::{Fault, Reason};

pub use self::copy::{clear_up, digest};
use self::log::Log;
pub use self::log::LogLine;
use self::record::Record;
use self::talk::{Ask, Unanswered};

/// How many rounds may wait for a plugin.
const WAITING_MAX: usize = 256;

/// A library that an operator agreed to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Library {
    /// Where it is.
    pub path: PathBuf,
    /// What it is: the SHA-256 of the file, in lower-case hexadecimal digits. Another file is not loaded.
    pub sha256: String,
}

/// The command that becomes the process of a plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Runner {
    /// The program.
    pub program: PathBuf,
    /// What it is started with.
    pub arguments: Vec<String>,
}

impl Runner {
    /// The word by which `agio` becomes the process of a plugin.
    pub const COMMAND: &'static str = "plugin-runner";

    /// This very program, also when its file was replaced meanwhile.
    ///
    /// # Errors
    /// The system does not say which program this is.
    pub fn own() -> std::io::Result<Self> {
        let program = if cfg!(target_os = "linux") { PathBuf::from("/proc/self/exe") } else { std::env::current_exe()? };
        Ok(Self { program, arguments: vec![Self::COMMAND.to_owned()] })
    }
}

/// What a plugin is held to, whatever its manifest says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// What becomes its process.
    pub runner: Runner,
    /// How long it may take until it is loaded and has said who it is.
    pub hello: Duration,
    /// How long it may think about one round at most.
    pub round: Duration,
    /// How long somebody waits for a round at most, others before it included.
    pub patience: Duration,
    /// How long it may take to end when it is told to.
    pub shutdown: Duration,
    /// How much memory it may take, in bytes.
    pub memory_bytes: u64,
    /// How much processor time a round may take, in seconds.
    pub cpu_seconds: u64,
    /// The longest answer, in bytes.
    pub answer_bytes: u32,
    /// How long it rests after a fault; twice as long after each further one.
    pub rest: Duration,
    /// How long it rests at most.
    pub rest_most: Duration,
    /// With how many faults it is given up,
    pub faults: usize,
    /// if they happen within this time.
    pub window: Duration,
}

impl Policy {
    /// The usual one.
    #[must_use]
    pub fn new(runner: Runner) -> Self {
        Self {
            runner,
            hello: Duration::from_secs(5),
            round: Duration::from_secs(5),
            patience: Duration::from_secs(10),
            shutdown: Duration::from_secs(2),
            memory_bytes: 256 * 1024 * 1024,
            cpu_seconds: 10,
            answer_bytes: 8 * 1024 * 1024,
            rest: Duration::from_millis(100),
            rest_most: Duration::from_secs(60),
            faults: 5,
            window: Duration::from_secs(600),
        }
    }
}

/// How a plugin is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// It is being started.
    Starting,
    /// It answers.
    Ready,
    /// It is started again in a moment.
    Resting {
        /// What happened.
        reason: String,
    },
    /// It was given up, until an operator says otherwise.
    Quarantined {
        /// What happened last.
        reason: String,
    },
    /// It was told to end.
    Stopped,
}

/// How a plugin has been.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Health {
    /// How it is.
    pub state: State,
    /// Since when.
    pub since: Timestamp,
    /// Rounds it answered.
    pub calls: u64,
    /// Faults it is to blame for.
    pub faults: u64,
    /// How often it was started again.
    pub restarts: u64,
    /// How long it thought: half of the latest rounds were quicker.
    pub p50: Option<Duration>,
    /// How long it thought: 99 of 100 of the latest rounds were quicker.
    pub p99: Option<Duration>,
    /// Its process, while there is one.
    pub process: Option<u32>,
}

/// What those who mind a plugin are told.
enum Order {
    Blame(Reason),
    Revive,
    Stop,
}

/// A plugin that is minded.
pub struct Supervised {
    shared: Arc<Shared>,
    asks: mpsc::Sender<Ask>,
    orders: mpsc::UnboundedSender<Order>,
}

/// What its minders and those who ask about it have in common.
struct Shared {
    library: Library,
    policy: Policy,
    clock: Arc<dyn Clock>,
    random: Arc<dyn Random>,
    state: watch::Sender<State>,
    manifest: Mutex<Option<Told>>,
    record: Mutex<Record>,
    log: Arc<Log>,
}

/// Who a plugin said it is, and how it speaks.
#[derive(Clone)]
struct Told {
    manifest: Arc<Manifest>,
    dialect: dialect::Dialect,
}

impl Supervised {
    /// Minds a plugin from now on. Returns at once: nothing waits for a plugin to start. Runs on the present runtime until [`stop`](Self::stop) or until the value is dropped.
    #[must_use]
    pub fn start(library: Library, policy: Policy, clock: Arc<dyn Clock>, random: Arc<dyn Random>) -> Arc<Self> {
        let shared = Arc::new(Shared {
            record: Mutex::new(Record::beginning(clock.now())),
            log: Arc::new(Log::new(clock.clone())),
            state: watch::Sender::new(State::Starting),
            manifest: Mutex::default(),
            library,
            policy,
            clock,
            random,
        });
        let (asks, asked) = mpsc::channel(WAITING_MAX);
        let (orders, ordered) = mpsc::unbounded_channel();
        tokio::spawn(life::live(shared.clone(), asked, ordered));
        Arc::new(Self { shared, asks, orders })
    }

    /// Who the plugin said it is; nothing before it was loaded for the first time.
    #[must_use]
    pub fn manifest(&self) -> Option<Arc<Manifest>> {
        self.shared.told().map(|told| told.manifest)
    }

    /// The library.
    #[must_use]
    pub fn library(&self) -> &Library {
        &self.shared.library
    }

    /// How it has been.
    #[must_use]
    pub fn health(&self) -> Health {
        self.shared.record().health(self.shared.state.borrow().clone())
    }

    /// How it is, and news of that.
    #[must_use]
    pub fn states(&self) -> watch::Receiver<State> {
        self.shared.state.subscribe()
    }

    /// The latest lines it printed, and what happened to it, the oldest first.
    #[must_use]
    pub fn log(&self) -> Vec<LogLine> {
        self.shared.log.lines()
    }

    /// Gives a plugin another chance that was given up. Nothing happens to one that was not.
    pub fn revive(&self) {
        let _ = self.orders.send(Order::Revive);
    }

    /// Ends it for good, and waits until its process is gone.
    pub async fn stop(&self) {
        let _ = self.orders.send(Order::Stop);
        let _ = self.states().wait_for(|state| *state == State::Stopped).await;
    }

    /// Asks a question until there is an answer, and holds what is wrong with the answer against the plugin.
    ///
    /// # Errors
    /// There is none.
    pub async fn ask(&self, hand: &Hand, memory: &dyn Memory, call: Call) -> Result<Answer, Fault> {
        let nobody = |reason| Fault { reason, may_have_acted: false };
        let told = self.known().await.map_err(nobody)?;
        let answer = rounds::ask(hand, &told.manifest, self, memory, call).await;
        if let Err(Fault { reason: reason @ (Reason::Nonsense(_) | Reason::Forbidden(_)), .. }) = &answer {
            let _ = self.orders.send(Order::Blame(reason.clone()));
        }
        answer
    }

    /// Who it is, as soon as that is known.
    async fn known(&self) -> Result<Told, Reason> {
        let mut states = self.states();
        let begun = states.wait_for(|state| *state != State::Starting || self.shared.told().is_some());
        let _ = timeout(self.shared.policy.patience, begun).await;
        let why = match &*self.shared.state.borrow() {
            State::Quarantined { reason } => return Err(Reason::Quarantined(reason.clone())),
            State::Stopped => return Err(Reason::Absent),
            State::Resting { reason } => reason.clone(),
            State::Starting | State::Ready => "it is being started".to_owned(),
        };
        self.shared.told().ok_or(Reason::Stopped(why))
    }

    async fn think(&self, question: &Question) -> Result<Step, Reason> {
        let told = self.known().await?;
        let Some(question) = told.dialect.question(question) else {
            return Ok(Step::Refused(Refusal::never("not_mine", "the plugin speaks a protocol in which this is not asked")));
        };
        // Once more for a round that only was in the way when the process had to be stopped: questions can be asked again.
        for _ in 0..2 {
            let (reply, answered) = oneshot::channel();
            let ask = Ask { question: question.clone(), dialect: told.dialect, reply };
            self.asks
                .try_send(ask)
                .map_err(|_| Reason::Stopped("too many questions wait for it, or it was stopped".to_owned()))?;
            match answered.await {
                Ok(Ok(step)) => return Ok(step),
                Ok(Err(Unanswered::For(reason))) => return Err(reason),
                Ok(Err(Unanswered::InTheWay)) => {}
                Err(_) => return Err(Reason::Absent),
            }
        }
        Err(Reason::Stopped("it was stopped twice while others were answered".to_owned()))
    }
}

impl Thinking for Supervised {
    fn round<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Result<Step, Reason>> {
        let patience = self.shared.policy.patience;
        let late = Reason::Late(u32::try_from(patience.as_millis()).unwrap_or(u32::MAX));
        Box::pin(async move { timeout(patience, self.think(question)).await.unwrap_or(Err(late)) })
    }
}

impl Shared {
    fn told(&self) -> Option<Told> {
        self.manifest.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn record(&self) -> std::sync::MutexGuard<'_, Record> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn enter(&self, state: State) {
        self.record().since(self.clock.now());
        self.state.send_replace(state);
    }
}
