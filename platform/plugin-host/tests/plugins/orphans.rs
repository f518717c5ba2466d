//! Nothing of a plugin is left when its house is killed.

use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use crate::bench::{EVER, misbehaving};

fn leaves_no_orphan(mode: &str) {
    let library = misbehaving();
    let mut house = Command::new(env!("CARGO_BIN_EXE_agio-plugin-stand-in"))
        .args([OsStr::new("mind"), library.path.as_os_str(), OsStr::new(&library.sha256), OsStr::new(mode)])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(house.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let plugin = pidfd_open(Pid::from_raw(line.trim().parse().unwrap()).unwrap(), PidfdFlags::empty()).unwrap();
    house.kill().unwrap();
    house.wait().unwrap();
    let patience = Timespec { tv_sec: EVER.as_secs().cast_signed(), tv_nsec: 0 };
    assert_eq!(poll(&mut [PollFd::new(&plugin, PollFlags::IN)], Some(&patience)), Ok(1), "{mode}: its plugin lives on");
}

#[test]
fn a_plugin_that_waits_ends_with_a_house_that_is_killed() {
    leaves_no_orphan("good");
}

#[test]
fn a_plugin_that_never_ends_ends_with_a_house_that_is_killed() {
    leaves_no_orphan("loop");
}
