//! A loaded plugin library.

use std::error::Error as _;
use std::path::Path;

use agio_plugin_sdk::abi::{self, Buffer};
use agio_plugin_sdk::protocol::{PROTOCOL, PROTOCOL_OLDEST};
use serde_json::value::RawValue;

/// An error with its cause.
fn describe(error: &libloading::Error) -> String {
    error.source().map_or_else(|| error.to_string(), |cause| format!("{error}: {cause}"))
}

/// A loaded library. It is never unloaded, because thread destructors and C runtimes do not survive that.
pub struct LoadedLibrary {
    /// Protocol version.
    pub protocol: u32,
    describe: unsafe extern "C" fn() -> Buffer,
    handle: unsafe extern "C" fn(*const u8, usize) -> Buffer,
    free: unsafe extern "C" fn(Buffer),
}

impl LoadedLibrary {
    /// # Errors
    /// The file is not a plugin library, or its protocol version is not supported.
    #[expect(unsafe_code, reason = "loading runs code of the library, so it happens in a separate process")]
    pub fn load(path: &Path) -> Result<Self, String> {
        // SAFETY: this process has nothing the library could harm; see `sandbox`.
        let library =
            unsafe { libloading::Library::new(path) }.map_err(|error| format!("it cannot be loaded: {}", describe(&error)))?;
        let library = std::mem::ManuallyDrop::new(library);
        let missing = |error: libloading::Error| format!("a symbol is missing: {}", describe(&error));
        // SAFETY: the header requires these types; a library with other types harms only its own process.
        let version: unsafe extern "C" fn() -> u32 = unsafe { *library.get(b"agio_abi_version\0").map_err(missing)? };
        // SAFETY: as above.
        let protocol = unsafe { version() };
        if !(PROTOCOL_OLDEST..=PROTOCOL).contains(&protocol) {
            return Err(format!("protocol version {protocol} is not supported; supported are {PROTOCOL_OLDEST} to {PROTOCOL}"));
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

    /// The manifest in JSON.
    #[expect(unsafe_code, reason = "it calls into the library")]
    pub fn manifest(&self, max_bytes: u32) -> Result<Box<RawValue>, String> {
        // SAFETY: the header requires no more.
        let (status, bytes) = self.read(unsafe { (self.describe)() }, max_bytes)?;
        if status != abi::OK {
            return Err(format!("the manifest cannot be read: {}", super::text(&bytes)));
        }
        serde_json::from_slice(&bytes).map_err(|error| format!("its manifest is not JSON: {error}"))
    }

    /// Handles a request. Returns the status and the bytes of the response.
    ///
    /// # Errors
    /// The buffer is invalid.
    #[expect(unsafe_code, reason = "it calls into the library")]
    pub fn handle(&self, request: &[u8], max_bytes: u32) -> Result<(u32, Vec<u8>), String> {
        // SAFETY: the slice lives through the call.
        self.read(unsafe { (self.handle)(request.as_ptr(), request.len()) }, max_bytes)
    }

    #[expect(unsafe_code, reason = "the library promises that the bytes are there")]
    fn read(&self, buffer: Buffer, max_bytes: u32) -> Result<(u32, Vec<u8>), String> {
        let (status, len) = (buffer.status, buffer.len);
        // The frame around the response needs some bytes too.
        let available = (max_bytes as usize).saturating_sub(256);
        let bytes = match (buffer.ptr.is_null(), len) {
            (true, _) => Err("its buffer is null".to_owned()),
            (false, len) if len > available => Err(format!("its response has {len} bytes; the maximum is {available}")),
            // SAFETY: as the library promises; if it is wrong, only its own process ends.
            (false, len) => Ok(unsafe { std::slice::from_raw_parts(buffer.ptr, len) }.to_vec()),
        };
        // SAFETY: the buffer came from this library and is freed once.
        unsafe { (self.free)(buffer) };
        bytes.map(|bytes| (status, bytes))
    }
}
