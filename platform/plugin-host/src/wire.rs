//! What goes between the house and a plugin's process: a length in four bytes, the least significant first, and that many bytes of JSON. Each frame
//! carries the number of the question it belongs to; questions are answered in their order.

use std::path::PathBuf;

use agio_plugin::protocol::json::DEPTH_MAX;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use thiserror::Error;

/// How many bytes say how long a frame is.
const PREFIX_BYTES: usize = 4;
/// What a frame is wrapped in lies this deep.
const WRAPPING_DEPTH: usize = 4;

/// From the house.
#[derive(Debug, Serialize, Deserialize)]
pub struct ToPlugin<'a> {
    /// Counts the frames.
    pub id: u64,
    /// What is said.
    #[serde(borrow)]
    pub said: Said<'a>,
}

/// What the house says.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Said<'a> {
    /// First of all: what to load, and what holds from then on.
    Load(Load),
    /// A question, as the plugin is given it.
    Ask(#[serde(borrow)] &'a RawValue),
}

/// What a plugin's process is to load, and its limits.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Load {
    /// The library: a copy that only the house may write.
    pub library: PathBuf,
    /// The process of the house.
    pub house: i32,
    /// How much memory the plugin may take.
    pub memory_bytes: u64,
    /// How much processor time a round may take.
    pub cpu_seconds: u64,
    /// The longest frame the house reads.
    pub frame_bytes: u32,
}

/// From a plugin's process.
#[derive(Debug, Serialize, Deserialize)]
pub struct FromPlugin<'a> {
    /// The number of the frame that is answered.
    pub id: u64,
    /// The answer.
    #[serde(borrow)]
    pub answer: Reply<'a>,
}

/// What a plugin's process answers.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply<'a> {
    /// The library is loaded.
    Loaded {
        /// The number of its protocol.
        protocol: u32,
        /// Its manifest.
        #[serde(borrow)]
        manifest: &'a RawValue,
    },
    /// The library cannot be used; why, in words.
    Unusable(String),
    /// What the plugin says.
    Step(#[serde(borrow)] &'a RawValue),
    /// The plugin panicked; its last words.
    Panicked(String),
    /// What the plugin said is not of the protocol; why, in words.
    Nonsense(String),
}

/// What is wrong with a stream of frames.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Garbled {
    /// Longer than is read.
    #[error("a frame of {0} bytes is too long")]
    TooLong(u32),
    /// Deeper than is read.
    #[error("a frame is nested too deep")]
    TooDeep,
}

/// The bytes of a frame.
#[must_use]
pub fn frame(said: &impl Serialize) -> Vec<u8> {
    let mut bytes = vec![0; PREFIX_BYTES];
    serde_json::to_writer(&mut bytes, said).expect("frames are plain data");
    let length = u32::try_from(bytes.len() - PREFIX_BYTES).unwrap_or(u32::MAX);
    bytes[..PREFIX_BYTES].copy_from_slice(&length.to_le_bytes());
    bytes
}

/// Cuts a stream into frames. It holds no more than one frame of the greatest length and what came with its end.
pub struct Frames {
    longest: u32,
    came: Vec<u8>,
}

impl Frames {
    /// Frames of at most `longest` bytes.
    #[must_use]
    pub fn new(longest: u32) -> Self {
        Self { longest, came: Vec::new() }
    }

    /// More bytes of the stream.
    pub fn push(&mut self, bytes: &[u8]) {
        self.came.extend_from_slice(bytes);
    }

    /// The next frame, if it is whole.
    ///
    /// # Errors
    /// The stream is garbled; nothing after this can be made sense of.
    pub fn next_frame(&mut self) -> Result<Option<Vec<u8>>, Garbled> {
        let Some(prefix) = self.came.first_chunk::<PREFIX_BYTES>() else { return Ok(None) };
        let length = u32::from_le_bytes(*prefix);
        if length > self.longest {
            return Err(Garbled::TooLong(length));
        }
        let end = PREFIX_BYTES + length as usize;
        if self.came.len() < end {
            return Ok(None);
        }
        let rest = self.came.split_off(end);
        let mut frame = std::mem::replace(&mut self.came, rest);
        frame.drain(..PREFIX_BYTES);
        if is_deeper(&frame, DEPTH_MAX + WRAPPING_DEPTH) { Err(Garbled::TooDeep) } else { Ok(Some(frame)) }
    }
}

/// Whether brackets lie deeper in each other than `most`. Brackets inside strings are none.
fn is_deeper(json: &[u8], most: usize) -> bool {
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
        if depth > most {
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
        fn frames_are_read_however_they_are_cut(texts in prop::collection::vec("[a-z\\[\\]{}\"\\\\]{0,40}", 0..8), cut in 1_usize..9) {
            let stream: Vec<u8> = texts.iter().flat_map(frame).collect();
            let mut frames = Frames::new(LONGEST);
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
        fn garbage_is_bounded_and_breaks_nothing(parts in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..64), 0..64)) {
            let mut frames = Frames::new(LONGEST);
            for part in parts {
                frames.push(&part);
                loop {
                    match frames.next_frame() {
                        Ok(Some(frame)) => {
                            let _ = serde_json::from_slice::<FromPlugin<'_>>(&frame);
                        }
                        Ok(None) => break,
                        Err(_) => return Ok(()),
                    }
                }
                prop_assert!(frames.came.len() < PREFIX_BYTES + LONGEST as usize);
            }
        }
    }

    #[test]
    fn a_length_is_believed_only_within_bounds_and_depth_is_counted_outside_strings() {
        let mut frames = Frames::new(LONGEST);
        frames.push(&u32::MAX.to_le_bytes());
        assert_eq!(frames.next_frame(), Err(Garbled::TooLong(u32::MAX)));
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(!is_deeper(nested(8).as_bytes(), 8) && is_deeper(nested(9).as_bytes(), 8));
        assert!(!is_deeper(br#""[[[[\"[[[[""#, 2));
        let mut frames = Frames::new(LONGEST);
        let deep = nested(100);
        frames.push(&u32::try_from(deep.len()).unwrap().to_le_bytes());
        frames.push(deep.as_bytes());
        assert_eq!(frames.next_frame(), Err(Garbled::TooDeep));
    }
}
