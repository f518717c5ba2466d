//! The process of one plugin: loads its library, asks it what the house asks, and does nothing else.
//!
//! `agio plugin-runner` is this. Its standard input is one end of a pair of sockets whose other end the house holds; it is moved out of a library's way before
//! one is loaded. When the house's end closes, the process is over.

mod confine;
mod library;

use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;

use agio_plugin::abi;
use serde_json::value::RawValue;

use self::library::Library;
use crate::wire::{Frames, FromPlugin, Load, Reply, Said, ToPlugin, frame};

/// How much is read from the house at once.
const CHUNK_BYTES: usize = 64 * 1024;
/// Questions carry replies to requests, which a manifest bounds; the house is trusted, so this only bounds a fault.
const QUESTION_BYTES_MAX: u32 = 256 * 1024 * 1024;

/// Is the process of a plugin until the house is gone.
#[must_use]
pub fn run() -> ExitCode {
    match Line::open().and_then(serve) {
        Ok(()) => confine::leave(),
        Err(error) => {
            eprintln!("agio plugin-runner: {error}");
            ExitCode::FAILURE
        }
    }
}

fn serve(mut line: Line) -> io::Result<()> {
    let Some(first) = line.hear()? else { return Ok(()) };
    let ToPlugin { id, said: Said::Load(load) } = understood(&first)? else {
        return Err(io::Error::other("nothing was said about what to load"));
    };
    confine::die_with(load.house)?;
    confine::step_back()?;
    confine::limit(&load)?;
    confine::forbid_all_but_loading().map_err(io::Error::other)?;
    let loaded = Library::load(&load.library).and_then(|library| {
        confine::forbid_all_but_thinking()?;
        let manifest = library.manifest(load.frame_bytes)?;
        Ok((library, manifest))
    });
    match loaded {
        Err(why) => line.say(id, Reply::Unusable(why)),
        Ok((library, manifest)) => {
            line.say(id, Reply::Loaded { protocol: library.protocol, manifest: &manifest })?;
            drop(manifest);
            answer(&mut line, &library, &load)
        }
    }
}

fn answer(line: &mut Line, library: &Library, load: &Load) -> io::Result<()> {
    while let Some(frame) = line.hear()? {
        let ToPlugin { id, said: Said::Ask(question) } = understood(&frame)? else {
            return Err(io::Error::other("a library is loaded already"));
        };
        confine::allow_time(load.cpu_seconds)?;
        let reply = library.ask(question.get().as_bytes(), load.frame_bytes);
        match &reply {
            Err(why) => line.say(id, Reply::Nonsense(why.clone()))?,
            Ok((abi::GOOD, bytes)) => match serde_json::from_slice::<&RawValue>(bytes) {
                Ok(step) => line.say(id, Reply::Step(step))?,
                Err(error) => line.say(id, Reply::Nonsense(format!("its answer is no JSON: {error}")))?,
            },
            Ok((abi::UNREADABLE, why)) => {
                let why = format!("it does not understand the question: {}", words(why));
                line.say(id, Reply::Nonsense(why))?;
            }
            Ok((abi::PANICKED, why)) => line.say(id, Reply::Panicked(words(why)))?,
            Ok((status, _)) => line.say(id, Reply::Nonsense(format!("its buffer has the status {status}")))?,
        }
    }
    Ok(())
}

/// Text of a plugin, bounded.
fn words(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&bytes[..bytes.len().min(500)]).into_owned()
}

fn understood(frame: &[u8]) -> io::Result<ToPlugin<'_>> {
    serde_json::from_slice(frame).map_err(io::Error::other)
}

/// The line to the house.
struct Line {
    socket: UnixStream,
    frames: Frames,
}

impl Line {
    /// Takes the socket from where the house left it, and closes whatever else came along.
    fn open() -> io::Result<Self> {
        let socket = rustix::io::fcntl_dupfd_cloexec(io::stdin().as_fd(), 3)?;
        rustix::stdio::dup2_stdin(std::fs::File::open("/dev/null")?)?;
        confine::close_all_but(&socket)?;
        Ok(Self { socket: UnixStream::from(socket), frames: Frames::new(QUESTION_BYTES_MAX) })
    }

    /// The next frame; nothing when the house is gone.
    fn hear(&mut self) -> io::Result<Option<Vec<u8>>> {
        loop {
            if let Some(frame) = self.frames.next_frame().map_err(io::Error::other)? {
                return Ok(Some(frame));
            }
            let mut chunk = [0; CHUNK_BYTES];
            match self.socket.read(&mut chunk) {
                Ok(0) => return Ok(None),
                Ok(came) => self.frames.push(&chunk[..came]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn say(&mut self, id: u64, answer: Reply<'_>) -> io::Result<()> {
        self.socket.write_all(&frame(&FromPlugin { id, answer }))
    }
}
