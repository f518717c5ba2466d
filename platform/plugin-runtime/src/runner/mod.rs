//! The process of one plugin: loads its library and passes it the server's requests.
//!
//! `agio plugin-runner` runs this. Its standard input is a socket to the server; it is moved to another descriptor before the library is
//! loaded. The process ends when the server closes the socket.

mod loaded_library;
mod sandbox;

use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;

use agio_plugin_sdk::abi;
use serde_json::value::RawValue;

use self::loaded_library::LoadedLibrary;
use crate::wire::{FrameReader, LoadCommand, RunnerFrame, RunnerMessage, ServerFrame, ServerMessage, encode_frame};

const CHUNK_BYTES: usize = 64 * 1024;
/// Requests contain HTTP responses, which the manifest limits. The server is trusted, so this only limits the damage of a bug.
const REQUEST_BYTES_MAX: u32 = 256 * 1024 * 1024;

/// Runs a plugin until the server closes the connection.
pub fn run() -> ExitCode {
    match Connection::open().and_then(serve) {
        Ok(()) => sandbox::exit(),
        Err(error) => {
            eprintln!("agio plugin-runner: {error}");
            ExitCode::FAILURE
        }
    }
}

fn serve(mut connection: Connection) -> io::Result<()> {
    let Some(first) = connection.receive()? else { return Ok(()) };
    let ServerFrame { id, message: ServerMessage::Load(load) } = parse(&first)? else {
        return Err(io::Error::other("the first message must be a load command"));
    };
    sandbox::exit_with_parent(load.server_pid)?;
    sandbox::lower_priority()?;
    sandbox::set_limits(&load)?;
    sandbox::allow_only_loading().map_err(io::Error::other)?;
    let loaded = LoadedLibrary::load(&load.library).and_then(|library| {
        sandbox::allow_only_computing()?;
        let manifest = library.manifest(load.frame_bytes)?;
        Ok((library, manifest))
    });
    match loaded {
        Err(why) => connection.send(id, RunnerMessage::Unusable(why)),
        Ok((library, manifest)) => {
            connection.send(id, RunnerMessage::Loaded { protocol: library.protocol, manifest: &manifest })?;
            drop(manifest);
            serve_requests(&mut connection, &library, &load)
        }
    }
}

fn serve_requests(connection: &mut Connection, library: &LoadedLibrary, load: &LoadCommand) -> io::Result<()> {
    while let Some(frame) = connection.receive()? {
        let ServerFrame { id, message: ServerMessage::Handle(request) } = parse(&frame)? else {
            return Err(io::Error::other("a library is loaded already"));
        };
        sandbox::extend_cpu_limit(load.cpu_seconds)?;
        let reply = library.handle(request.get().as_bytes(), load.frame_bytes);
        match &reply {
            Err(why) => connection.send(id, RunnerMessage::ProtocolViolation(why.clone()))?,
            Ok((abi::OK, bytes)) => match serde_json::from_slice::<&RawValue>(bytes) {
                Ok(response) => connection.send(id, RunnerMessage::Step(response))?,
                Err(error) => {
                    connection.send(id, RunnerMessage::ProtocolViolation(format!("its response is not JSON: {error}")))?
                }
            },
            Ok((abi::UNREADABLE, why)) => {
                let why = format!("it cannot parse the request: {}", text(why));
                connection.send(id, RunnerMessage::ProtocolViolation(why))?;
            }
            Ok((abi::PANICKED, why)) => connection.send(id, RunnerMessage::Panicked(text(why)))?,
            Ok((status, _)) => {
                connection.send(id, RunnerMessage::ProtocolViolation(format!("its buffer has the status {status}")))?
            }
        }
    }
    Ok(())
}

/// Text of a plugin, shortened.
fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&bytes[..bytes.len().min(500)]).into_owned()
}

fn parse(frame: &[u8]) -> io::Result<ServerFrame<'_>> {
    serde_json::from_slice(frame).map_err(io::Error::other)
}

/// The connection to the server.
struct Connection {
    socket: UnixStream,
    frames: FrameReader,
}

impl Connection {
    /// Takes the socket from standard input and closes all other inherited descriptors.
    fn open() -> io::Result<Self> {
        let socket = rustix::io::fcntl_dupfd_cloexec(io::stdin().as_fd(), 3)?;
        rustix::stdio::dup2_stdin(std::fs::File::open("/dev/null")?)?;
        sandbox::close_all_except(&socket)?;
        Ok(Self { socket: UnixStream::from(socket), frames: FrameReader::new(REQUEST_BYTES_MAX) })
    }

    /// The next frame; `None` when the server has closed the connection.
    fn receive(&mut self) -> io::Result<Option<Vec<u8>>> {
        loop {
            if let Some(frame) = self.frames.next_frame().map_err(io::Error::other)? {
                return Ok(Some(frame));
            }
            let mut chunk = [0; CHUNK_BYTES];
            match self.socket.read(&mut chunk) {
                Ok(0) => return Ok(None),
                Ok(count) => self.frames.push(&chunk[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn send(&mut self, id: u64, answer: RunnerMessage<'_>) -> io::Result<()> {
        self.socket.write_all(&encode_frame(&RunnerFrame { id, answer }))
    }
}
