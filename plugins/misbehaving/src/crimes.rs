//! What no plugin should do.

use std::hint::black_box;
use std::os::fd::RawFd;

/// More descriptors than a plugin's process may have.
const DESCRIPTORS: std::ops::Range<RawFd> = 0..1024;

/// Writes where nothing is.
pub fn segfault() {
    // SAFETY: there is none, which is the point.
    unsafe { std::ptr::without_provenance_mut::<u8>(8).write_volatile(1) }
}

/// Never ends.
pub fn busy() {
    loop {
        black_box(0);
    }
}

/// Takes memory until there is none.
pub fn hog() {
    let mut taken = Vec::new();
    loop {
        taken.push(vec![0_u8; 1024 * 1024]);
        black_box(&taken);
    }
}

/// Starts processes that start processes.
pub fn fork_bomb() {
    loop {
        // SAFETY: whatever the copy of the process does, it does only this.
        unsafe { libc::fork() };
    }
}

/// Tries to reach the network by itself.
pub fn connect() {
    let _ = std::net::TcpStream::connect("127.0.0.1:80");
}

/// Says something on the house's own line.
pub fn say(bytes: &[u8]) {
    for line in descriptors().into_iter().filter(|descriptor| *descriptor > 2) {
        // SAFETY: the bytes live through the call.
        unsafe { libc::write(line, bytes.as_ptr().cast(), bytes.len()) };
    }
}

/// Closes whatever is open.
pub fn close_everything() {
    for descriptor in DESCRIPTORS {
        // SAFETY: they are not this library's to close, which is the point.
        unsafe { libc::close(descriptor) };
    }
}

/// What is open.
pub fn descriptors() -> Vec<RawFd> {
    // SAFETY: asking harms nothing.
    DESCRIPTORS.filter(|descriptor| unsafe { libc::fcntl(*descriptor, libc::F_GETFD) } >= 0).collect()
}

/// Asks whether the house could be sent a signal; gives what the system said to that.
pub fn signal_the_house() -> i32 {
    // SAFETY: no signal is sent by this one, whoever it goes to.
    unsafe { libc::kill(libc::getppid(), 0) }
}
