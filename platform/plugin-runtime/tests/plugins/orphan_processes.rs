//! Plugin processes end with the server.

use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use crate::fixtures::{MAX_WAIT, faulty};

fn leaves_no_orphan(mode: &str) {
    let library = faulty();
    let mut server = Command::new(env!("CARGO_BIN_EXE_agio-plugin-test-runner"))
        .args([OsStr::new("supervise"), library.path.as_os_str(), OsStr::new(&library.sha256), OsStr::new(mode)])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let plugin = pidfd_open(Pid::from_raw(line.trim().parse().unwrap()).unwrap(), PidfdFlags::empty()).unwrap();
    server.kill().unwrap();
    server.wait().unwrap();
    let patience = Timespec { tv_sec: MAX_WAIT.as_secs().cast_signed(), tv_nsec: 0 };
    assert_eq!(poll(&mut [PollFd::new(&plugin, PollFlags::IN)], Some(&patience)), Ok(1), "{mode}: its plugin lives on");
}

#[test]
fn an_idle_plugin_ends_with_a_killed_server() {
    leaves_no_orphan("good");
}

#[test]
fn a_busy_plugin_ends_with_a_killed_server() {
    leaves_no_orphan("loop");
}
