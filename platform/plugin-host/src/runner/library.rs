//! A library with the four symbols.

use std::error::Error as _;
use std::path::Path;

use agio_plugin::abi::{self, Buffer};
use agio_plugin::protocol::{PROTOCOL, PROTOCOL_OLDEST};
use serde_json::value::RawValue;

/// An error with what the system says of it.
fn told(error: &libloading::Error) -> String {
    error.source().map_or_else(|| error.to_string(), |cause| format!("{error}: {cause}"))
}

/// A loaded library. It is never unloaded: destructors of threads and C runtimes do not survive that.
pub struct Library {
    /// The number of its protocol.
    pub protocol: u32,
    describe: unsafe extern "C" fn() -> Buffer,
    handle: unsafe extern "C" fn(*const u8, usize) -> Buffer,
    free: unsafe extern "C" fn(Buffer),
}

impl Library {
    /// Loads a library.
    ///
    /// # Errors
    /// It is none, or speaks no protocol that is served.
    #[expect(unsafe_code, reason = "loading runs code of the library, which is why this is done in a process of its own")]
    pub fn load(path: &Path) -> Result<Self, String> {
        // SAFETY: nothing this process has can be harmed by it; see `confine`.
        let library =
            unsafe { libloading::Library::new(path) }.map_err(|error| format!("it cannot be loaded: {}", told(&error)))?;
        let library = std::mem::ManuallyDrop::new(library);
        let missing = |error: libloading::Error| format!("a symbol is missing: {}", told(&error));
        // SAFETY: the header asks for these types; a library that lies about them harms its own process.
        let version: unsafe extern "C" fn() -> u32 = unsafe { *library.get(b"agio_abi_version\0").map_err(missing)? };
        // SAFETY: as above.
        let protocol = unsafe { version() };
        if !(PROTOCOL_OLDEST..=PROTOCOL).contains(&protocol) {
            return Err(format!("it speaks protocol {protocol}; {PROTOCOL_OLDEST} to {PROTOCOL} are served"));
        }
        // SAFETY: as above.
        unsafe {
            Ok(Self {
                protocol,
                describe: *library.get(b"agio_describe\0").map_err(missing)?,
                handle: *library.get(b"agio_handle\0").map_err(missing)?,
                free: *library.get(b"agio_free\0").map_err(missing)?,
            })
        }
    }

    /// Its manifest.
    ///
    /// # Errors
    /// It has none.
    #[expect(unsafe_code, reason = "it calls into the library")]
    pub fn manifest(&self, longest: u32) -> Result<Box<RawValue>, String> {
        // SAFETY: the header asks for no more.
        let (status, bytes) = self.taken(unsafe { (self.describe)() }, longest)?;
        if status != abi::GOOD {
            return Err(format!("its manifest cannot be had: {}", super::words(&bytes)));
        }
        serde_json::from_slice(&bytes).map_err(|error| format!("its manifest is no JSON: {error}"))
    }

    /// What it answers: the status of the buffer, and its bytes.
    ///
    /// # Errors
    /// The buffer cannot be one.
    #[expect(unsafe_code, reason = "it calls into the library")]
    pub fn ask(&self, question: &[u8], longest: u32) -> Result<(u32, Vec<u8>), String> {
        // SAFETY: the slice lives through the call.
        self.taken(unsafe { (self.handle)(question.as_ptr(), question.len()) }, longest)
    }

    #[expect(unsafe_code, reason = "the bytes are where the library says")]
    fn taken(&self, buffer: Buffer, longest: u32) -> Result<(u32, Vec<u8>), String> {
        let (status, len) = (buffer.status, buffer.len);
        // The frame around an answer takes some of the length.
        let room = (longest as usize).saturating_sub(256);
        let bytes = match (buffer.ptr.is_null(), len) {
            (true, _) => Err("its buffer is nowhere".to_owned()),
            (false, len) if len > room => Err(format!("its answer has {len} bytes; at most {room} are read")),
            // SAFETY: the library says so; if it lies, its own process ends.
            (false, len) => Ok(unsafe { std::slice::from_raw_parts(buffer.ptr, len) }.to_vec()),
        };
        // SAFETY: it came from this library and is given back once.
        unsafe { (self.free)(buffer) };
        bytes.map(|bytes| (status, bytes))
    }
}
