//! A plugin process.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use tokio::net::UnixStream;
use tokio::sync::oneshot;

use super::RunnerCommand;

/// A child process. Dropping it kills the process.
pub struct ChildProcess {
    pub id: u32,
    /// Standard output and standard error.
    pub output_pipes: Vec<OwnedFd>,
    pid: SharedPid,
    ended: Option<oneshot::Receiver<ExitStatus>>,
    status: Option<ExitStatus>,
}

/// The process identifier while the process exists. It is removed from here before the system can reuse it.
type SharedPid = Arc<Mutex<Option<Pid>>>;

struct StartedProcess {
    id: u32,
    output_pipes: Vec<OwnedFd>,
}

impl ChildProcess {
    /// Starts a process and returns the server's end of the connection.
    pub async fn start(runner: &RunnerCommand, folder: &Path) -> io::Result<(Self, UnixStream)> {
        let (ours, theirs) = std::os::unix::net::UnixStream::pair()?;
        ours.set_nonblocking(true)?;
        let mut command = Command::new(&runner.program);
        command.args(&runner.arguments).env_clear().current_dir(folder).process_group(0);
        command.stdin(OwnedFd::from(theirs)).stdout(Stdio::piped()).stderr(Stdio::piped());
        let pid = SharedPid::default();
        let (started_sender, started) = oneshot::channel();
        let (end_sender, ended) = oneshot::channel();
        let shared_pid = pid.clone();
        // The parent-death signal is bound to the thread that starts the process, so the thread lives as long as the process.
        std::thread::Builder::new()
            .name("plugin".to_owned())
            .stack_size(256 * 1024)
            .spawn(move || supervise(command, &shared_pid, started_sender, end_sender))?;
        let StartedProcess { id, output_pipes } = started.await.map_err(io::Error::other)??;
        Ok((Self { id, output_pipes, pid, ended: Some(ended), status: None }, UnixStream::from_std(ours)?))
    }

    /// Kills the process group.
    pub fn kill(&self) {
        kill(&self.pid);
    }

    /// Waits for the end of the process and returns its status.
    pub async fn ended(&mut self) -> Option<ExitStatus> {
        if let Some(ended) = &mut self.ended {
            self.status = ended.await.ok();
            self.ended = None;
        }
        self.status
    }
}

impl Drop for ChildProcess {
    fn drop(&mut self) {
        self.kill();
    }
}

fn kill(pid: &SharedPid) {
    if let Some(pid) = *pid.lock().unwrap_or_else(PoisonError::into_inner) {
        let _ = kill_process_group(pid, Signal::KILL);
    }
}

fn supervise(
    mut command: Command,
    shared_pid: &SharedPid,
    started_sender: oneshot::Sender<io::Result<StartedProcess>>,
    end_sender: oneshot::Sender<ExitStatus>,
) {
    let started = command.spawn();
    // It holds a copy of the child's end of the connection, which would keep the connection open.
    drop(command);
    let mut child = match started {
        Ok(child) => child,
        Err(error) => return drop(started_sender.send(Err(error))),
    };
    let pid = Pid::from_child(&child);
    *shared_pid.lock().unwrap_or_else(PoisonError::into_inner) = Some(pid);
    if let (Some(output), Some(error)) = (child.stdout.take(), child.stderr.take()) {
        let output_pipes = vec![OwnedFd::from(output), OwnedFd::from(error)];
        if started_sender.send(Ok(StartedProcess { id: child.id(), output_pipes })).is_err() {
            kill(shared_pid);
        }
    }
    // Wait without reaping, so that the identifier is not reused yet.
    while let Err(error) = waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT) {
        if error != rustix::io::Errno::INTR {
            break;
        }
    }
    kill(shared_pid);
    let mut pid = shared_pid.lock().unwrap_or_else(PoisonError::into_inner);
    let status = child.wait();
    *pid = None;
    if let Ok(status) = status {
        let _ = end_sender.send(status);
    }
}

/// Describes how a process ended.
pub fn describe_exit(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(signal), _) => match signal {
            libc::SIGSEGV => "signal 11 (SIGSEGV): invalid memory access".to_owned(),
            libc::SIGABRT => "signal 6 (SIGABRT): aborted".to_owned(),
            libc::SIGSYS => "signal 31 (SIGSYS): it tried to start a process or open a connection".to_owned(),
            libc::SIGXCPU => "signal 24 (SIGXCPU): it used too much CPU time".to_owned(),
            libc::SIGKILL => "signal 9 (SIGKILL): killed".to_owned(),
            signal => format!("signal {signal}"),
        },
        (None, Some(code)) => format!("it exited with status {code}"),
        (None, None) => "it ended".to_owned(),
    }
}
