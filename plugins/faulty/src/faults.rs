//! Faults that no plugin should have.

use std::hint::black_box;
use std::os::fd::RawFd;

/// More descriptors than a plugin process may have.
const DESCRIPTORS: std::ops::Range<RawFd> = 0..1024;

/// Writes to invalid memory.
pub fn segfault() {
    // SAFETY: it is unsound on purpose.
    unsafe { std::ptr::without_provenance_mut::<u8>(8).write_volatile(1) }
}

/// Loops forever.
pub fn busy_loop() {
    loop {
        black_box(0);
    }
}

/// Allocates memory without limit.
pub fn exhaust_memory() {
    let mut chunks = Vec::new();
    loop {
        chunks.push(vec![0_u8; 1024 * 1024]);
        black_box(&chunks);
    }
}

/// Forks without limit.
pub fn fork_bomb() {
    loop {
        // SAFETY: the child does nothing but fork.
        unsafe { libc::fork() };
    }
}

/// Tries to open a connection.
pub fn connect() {
    let _ = std::net::TcpStream::connect("127.0.0.1:80");
}

/// Writes to the connection to the server.
pub fn write_to_connection(bytes: &[u8]) {
    for descriptor in descriptors().into_iter().filter(|descriptor| *descriptor > 2) {
        // SAFETY: the bytes live through the call.
        unsafe { libc::write(descriptor, bytes.as_ptr().cast(), bytes.len()) };
    }
}

/// Closes all descriptors.
pub fn close_everything() {
    for descriptor in DESCRIPTORS {
        // SAFETY: it closes foreign descriptors on purpose.
        unsafe { libc::close(descriptor) };
    }
}

/// Open descriptors.
pub fn descriptors() -> Vec<RawFd> {
    // SAFETY: the call only reads.
    DESCRIPTORS.filter(|descriptor| unsafe { libc::fcntl(*descriptor, libc::F_GETFD) } >= 0).collect()
}

/// Tries to signal the server; returns the result of `kill`.
pub fn signal_server() -> i32 {
    // SAFETY: signal 0 is not delivered.
    unsafe { libc::kill(libc::getppid(), 0) }
}
