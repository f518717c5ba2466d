//! The process of a plugin.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use tokio::net::UnixStream;
use tokio::sync::oneshot;

use super::Runner;

/// A process, whose end ends with this value.
pub struct Child {
    /// Its number.
    pub id: u32,
    /// What it prints on its standard output and its standard error.
    pub prints: Vec<OwnedFd>,
    life: Life,
    ended: Option<oneshot::Receiver<ExitStatus>>,
    status: Option<ExitStatus>,
}

/// The number of a process for as long as it is its own. Nobody else gets the number before it is taken out of here.
type Life = Arc<Mutex<Option<Pid>>>;

struct Born {
    id: u32,
    prints: Vec<OwnedFd>,
}

impl Child {
    /// Starts a process, and gives the house's end of the line to it.
    ///
    /// # Errors
    /// It cannot be started.
    pub async fn start(runner: &Runner, folder: &Path) -> io::Result<(Self, UnixStream)> {
        let (ours, theirs) = std::os::unix::net::UnixStream::pair()?;
        ours.set_nonblocking(true)?;
        let mut command = Command::new(&runner.program);
        command.args(&runner.arguments).env_clear().current_dir(folder).process_group(0);
        command.stdin(OwnedFd::from(theirs)).stdout(Stdio::piped()).stderr(Stdio::piped());
        let life = Life::default();
        let (bear, born) = oneshot::channel();
        let (end, ended) = oneshot::channel();
        let kept = life.clone();
        // The system ends the process when the thread ends that started it, so that thread stays until then.
        std::thread::Builder::new()
            .name("plugin".to_owned())
            .stack_size(256 * 1024)
            .spawn(move || keep(command, &kept, bear, end))?;
        let Born { id, prints } = born.await.map_err(io::Error::other)??;
        Ok((Self { id, prints, life, ended: Some(ended), status: None }, UnixStream::from_std(ours)?))
    }

    /// Ends the process and whatever it started.
    pub fn kill(&self) {
        kill(&self.life);
    }

    /// How the process ended, when it has.
    pub async fn ended(&mut self) -> Option<ExitStatus> {
        if let Some(ended) = &mut self.ended {
            self.status = ended.await.ok();
            self.ended = None;
        }
        self.status
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.kill();
    }
}

fn kill(life: &Life) {
    if let Some(pid) = *life.lock().unwrap_or_else(PoisonError::into_inner) {
        let _ = kill_process_group(pid, Signal::KILL);
    }
}

fn keep(mut command: Command, life: &Life, bear: oneshot::Sender<io::Result<Born>>, end: oneshot::Sender<ExitStatus>) {
    let started = command.spawn();
    // Its copy of the other end of the line, which would keep the line open.
    drop(command);
    let mut child = match started {
        Ok(child) => child,
        Err(error) => return drop(bear.send(Err(error))),
    };
    let pid = Pid::from_child(&child);
    *life.lock().unwrap_or_else(PoisonError::into_inner) = Some(pid);
    if let (Some(output), Some(error)) = (child.stdout.take(), child.stderr.take()) {
        let prints = vec![OwnedFd::from(output), OwnedFd::from(error)];
        if bear.send(Ok(Born { id: child.id(), prints })).is_err() {
            kill(life);
        }
    }
    // It has ended, but keeps its number until it is waited for.
    while let Err(error) = waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT) {
        if error != rustix::io::Errno::INTR {
            break;
        }
    }
    kill(life);
    let mut life = life.lock().unwrap_or_else(PoisonError::into_inner);
    let status = child.wait();
    *life = None;
    if let Ok(status) = status {
        let _ = end.send(status);
    }
}

/// How a process ended, in words.
pub fn describe(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(signal), _) => match signal {
            libc::SIGSEGV => "signal 11 (SIGSEGV): it touched memory it does not have".to_owned(),
            libc::SIGABRT => "signal 6 (SIGABRT): it gave itself up".to_owned(),
            libc::SIGSYS => "signal 31 (SIGSYS): it tried to start a process or to make a connection".to_owned(),
            libc::SIGXCPU => "signal 24 (SIGXCPU): it took too much processor time".to_owned(),
            libc::SIGKILL => "signal 9 (SIGKILL): somebody ended it".to_owned(),
            signal => format!("signal {signal}"),
        },
        (None, Some(code)) => format!("it ended with the status {code}"),
        (None, None) => "it ended".to_owned(),
    }
}
