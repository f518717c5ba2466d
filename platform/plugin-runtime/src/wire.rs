//! Frames between the server and a plugin process: a little-endian length in four bytes, then that many bytes of JSON. Each frame has
//! the identifier of its request; requests are answered in order.

use std::path::PathBuf;

use agio_plugin_sdk::protocol::json::DEPTH_MAX;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use thiserror::Error;

const PREFIX_BYTES: usize = 4;
/// Nesting depth of the frame around the plugin's message.
const ENVELOPE_DEPTH: usize = 4;

#[derive(Debug, Serialize, Deserialize)]
pub struct ServerFrame<'a> {
    /// Sequence number.
    pub id: u64,
    #[serde(borrow)]
    pub message: ServerMessage<'a>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ServerMessage<'a> {
    /// The first message: loads a library.
    Load(LoadCommand),
    /// One round: a plugin request in JSON.
    Handle(#[serde(borrow)] &'a RawValue),
}

/// The library to load, and the limits of the process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LoadCommand {
    /// A copy of the library that only the server can write.
    pub library: PathBuf,
    pub server_pid: i32,
    pub memory_bytes: u64,
    /// CPU time per round.
    pub cpu_seconds: u64,
    /// Maximum size of a frame to the server.
    pub frame_bytes: u32,
}

/// A frame from a plugin process.
#[derive(Debug, Serialize, Deserialize)]
pub struct RunnerFrame<'a> {
    /// Sequence number of the server's frame.
    pub id: u64,
    #[serde(borrow)]
    pub answer: RunnerMessage<'a>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunnerMessage<'a> {
    /// The library is loaded.
    Loaded {
        /// Protocol version.
        protocol: u32,
        #[serde(borrow)]
        manifest: &'a RawValue,
    },
    /// The library cannot be used: error message.
    Unusable(String),
    /// The plugin's response in JSON.
    Step(#[serde(borrow)] &'a RawValue),
    /// The plugin panicked: panic message.
    Panicked(String),
    /// The plugin violated the protocol: error message.
    ProtocolViolation(String),
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MalformedFrame {
    #[error("a frame of {0} bytes is too long")]
    TooLong(u32),
    #[error("a frame is nested too deep")]
    TooDeep,
}

pub fn encode_frame(frame: &impl Serialize) -> Vec<u8> {
    let mut bytes = vec![0; PREFIX_BYTES];
    serde_json::to_writer(&mut bytes, frame).expect("frames are plain data");
    let length = u32::try_from(bytes.len() - PREFIX_BYTES).unwrap_or(u32::MAX);
    bytes[..PREFIX_BYTES].copy_from_slice(&length.to_le_bytes());
    bytes
}

/// Splits a stream into frames. Buffers at most one frame of the maximum length and the data received with its end.
pub struct FrameReader {
    max_bytes: u32,
    buffer: Vec<u8>,
}

impl FrameReader {
    /// `max_bytes` is the maximum length of a frame.
    pub fn new(max_bytes: u32) -> Self {
        Self { max_bytes, buffer: Vec::new() }
    }

    pub fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// The next complete frame.
    ///
    /// # Errors
    /// The stream is malformed; nothing after this can be read.
    pub fn next_frame(&mut self) -> Result<Option<Vec<u8>>, MalformedFrame> {
        let Some(prefix) = self.buffer.first_chunk::<PREFIX_BYTES>() else { return Ok(None) };
        let length = u32::from_le_bytes(*prefix);
        if length > self.max_bytes {
            return Err(MalformedFrame::TooLong(length));
        }
        let end = PREFIX_BYTES + length as usize;
        if self.buffer.len() < end {
            return Ok(None);
        }
        let rest = self.buffer.split_off(end);
        let mut frame = std::mem::replace(&mut self.buffer, rest);
        frame.drain(..PREFIX_BYTES);
        if is_deeper_than(&frame, DEPTH_MAX + ENVELOPE_DEPTH) { Err(MalformedFrame::TooDeep) } else { Ok(Some(frame)) }
    }
}

/// Whether brackets outside strings are nested deeper than `max_depth`.
fn is_deeper_than(json: &[u8], max_depth: usize) -> bool {
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    for byte in json {
        match (quoted, byte) {
            (true, _) if escaped => escaped = false,
            (true, b'\\') => escaped = true,
            (_, b'"') => quoted = !quoted,
            (false, b'{' | b'[') => depth += 1,
            (false, b'}' | b']') => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > max_depth {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LONGEST: u32 = 300;

    proptest! {
        #[test]
        fn frames_are_read_from_any_chunks(texts in prop::collection::vec("[a-z\\[\\]{}\"\\\\]{0,40}", 0..8), cut in 1_usize..9) {
            let stream: Vec<u8> = texts.iter().flat_map(encode_frame).collect();
            let mut frames = FrameReader::new(LONGEST);
            let mut read = Vec::new();
            for part in stream.chunks(cut) {
                frames.push(part);
                while let Some(frame) = frames.next_frame().unwrap() {
                    read.push(serde_json::from_slice::<String>(&frame).unwrap());
                }
            }
            prop_assert_eq!(read, texts);
        }

        #[test]
        fn garbage_is_bounded_and_harmless(parts in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..64), 0..64)) {
            let mut frames = FrameReader::new(LONGEST);
            for part in parts {
                frames.push(&part);
                loop {
                    match frames.next_frame() {
                        Ok(Some(frame)) => {
                            let _ = serde_json::from_slice::<RunnerFrame<'_>>(&frame);
                        }
                        Ok(None) => break,
                        Err(_) => return Ok(()),
                    }
                }
                prop_assert!(frames.buffer.len() < PREFIX_BYTES + LONGEST as usize);
            }
        }
    }

    #[test]
    fn length_and_depth_are_limited() {
        let mut frames = FrameReader::new(LONGEST);
        frames.push(&u32::MAX.to_le_bytes());
        assert_eq!(frames.next_frame(), Err(MalformedFrame::TooLong(u32::MAX)));
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(!is_deeper_than(nested(8).as_bytes(), 8) && is_deeper_than(nested(9).as_bytes(), 8));
        assert!(!is_deeper_than(br#""[[[[\"[[[[""#, 2));
        let mut frames = FrameReader::new(LONGEST);
        let deep = nested(100);
        frames.push(&u32::try_from(deep.len()).unwrap().to_le_bytes());
        frames.push(deep.as_bytes());
        assert_eq!(frames.next_frame(), Err(MalformedFrame::TooDeep));
    }
}
