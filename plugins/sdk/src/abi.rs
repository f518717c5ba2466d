//! The C interface: four symbols that exchange JSON as bytes. `include/agio_plugin.h` is the C header.
//!
//! Plugin authors do not use this module; [`export!`](crate::export) does.

use std::any::Any;
use std::panic::catch_unwind;

use crate::Plugin;
use crate::protocol::{PROTOCOL, PluginRequest, json};

/// The bytes are the result.
pub const OK: u32 = 0;
/// The request could not be parsed; the bytes are an error message.
pub const UNREADABLE: u32 = 1;
/// The plugin panicked; the bytes are the panic message.
pub const PANICKED: u32 = 2;

/// Bytes returned by a plugin. They stay the plugin's memory: the caller passes them to `agio_free` once.
#[repr(C)]
#[derive(Debug)]
pub struct Buffer {
    /// Start of the bytes.
    pub ptr: *mut u8,
    /// Number of bytes.
    pub len: usize,
    /// Capacity of the allocation; used by the plugin only.
    pub capacity: usize,
    /// Status: [`OK`], [`UNREADABLE`] or [`PANICKED`].
    pub status: u32,
}

impl Buffer {
    fn of(status: u32, bytes: Vec<u8>) -> Self {
        let mut bytes = std::mem::ManuallyDrop::new(bytes);
        Self { ptr: bytes.as_mut_ptr(), len: bytes.len(), capacity: bytes.capacity(), status }
    }
}

/// Returns the plugin instance.
pub type PluginAccessor = fn() -> &'static dyn Plugin;

/// Protocol version of this library.
#[must_use]
pub fn version() -> u32 {
    PROTOCOL
}

/// Returns the manifest.
#[must_use]
pub fn describe(plugin: PluginAccessor) -> Buffer {
    catch(|| Ok(json::write(&plugin().manifest())))
}

/// Handles one round.
///
/// # Safety
/// `request` points to `len` bytes that do not change during the call.
#[must_use]
pub unsafe fn handle(plugin: PluginAccessor, request: *const u8, len: usize) -> Buffer {
    let bytes = if len == 0 {
        &[][..]
    } else {
        // SAFETY: guaranteed by the caller.
        unsafe { std::slice::from_raw_parts(request, len) }
    };
    catch(|| {
        let request: PluginRequest = json::read(bytes).map_err(|error| error.to_string())?;
        Ok(json::write(&plugin().handle(&request)))
    })
}

/// Frees a buffer.
///
/// # Safety
/// The buffer came from [`describe`] or [`handle`] of this library and was not freed before.
pub unsafe fn free(buffer: Buffer) {
    if !buffer.ptr.is_null() {
        // SAFETY: the caller guarantees that these parts came from a vector.
        drop(unsafe { Vec::from_raw_parts(buffer.ptr, buffer.len, buffer.capacity) });
    }
}

/// Turns a panic into a status: unwinding must not cross the C interface.
fn catch(work: impl FnOnce() -> Result<Vec<u8>, String> + std::panic::UnwindSafe) -> Buffer {
    match catch_unwind(work) {
        Ok(Ok(bytes)) => Buffer::of(OK, bytes),
        Ok(Err(why)) => Buffer::of(UNREADABLE, why.into_bytes()),
        Err(panic) => Buffer::of(PANICKED, panic_message(panic.as_ref()).into_bytes()),
    }
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let literal = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    literal.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "panic without a message".to_owned())
}

/// Exports a plugin: defines the four symbols. Use it once in a `cdylib` crate, with an expression that creates the plugin.
#[macro_export]
macro_rules! export {
    ($plugin:expr) => {
        const _: () = {
            fn shared() -> &'static dyn $crate::Plugin {
                static PLUGIN: ::std::sync::OnceLock<::std::boxed::Box<dyn $crate::Plugin>> = ::std::sync::OnceLock::new();
                PLUGIN.get_or_init(|| ::std::boxed::Box::new($plugin)).as_ref()
            }

            #[unsafe(no_mangle)]
            extern "C" fn agio_abi_version() -> u32 {
                $crate::abi::version()
            }

            #[unsafe(no_mangle)]
            extern "C" fn agio_describe() -> $crate::abi::Buffer {
                $crate::abi::describe(shared)
            }

            #[unsafe(no_mangle)]
            unsafe extern "C" fn agio_handle(request: *const u8, len: usize) -> $crate::abi::Buffer {
                // SAFETY: the caller keeps to the header.
                unsafe { $crate::abi::handle(shared, request, len) }
            }

            #[unsafe(no_mangle)]
            unsafe extern "C" fn agio_free(buffer: $crate::abi::Buffer) {
                // SAFETY: the caller keeps to the header.
                unsafe { $crate::abi::free(buffer) }
            }
        };
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{Call, LocalizedText, Manifest, PluginKind, PluginResponse, RequisiteInput};

    struct PanickingPlugin;

    impl Plugin for PanickingPlugin {
        fn manifest(&self) -> Manifest {
            Manifest::new("panicking", "1", PluginKind::Requisites, LocalizedText::default(), LocalizedText::default())
        }

        fn handle(&self, _request: &PluginRequest) -> PluginResponse {
            panic!("too much for me")
        }
    }

    fn panicking() -> &'static dyn Plugin {
        &PanickingPlugin
    }

    fn read(buffer: Buffer) -> (u32, String) {
        // SAFETY: the buffer is new and freed once.
        let bytes = unsafe { std::slice::from_raw_parts(buffer.ptr, buffer.len) }.to_vec();
        let status = buffer.status;
        unsafe { free(buffer) };
        (status, String::from_utf8(bytes).unwrap())
    }

    fn handled(request: &[u8]) -> (u32, String) {
        // SAFETY: the slice lives through the call.
        read(unsafe { handle(panicking, request.as_ptr(), request.len()) })
    }

    #[test]
    fn panics_and_unreadable_requests_become_a_status() {
        let requisite = RequisiteInput { currency: "BTC".to_owned(), field: "address".to_owned(), value: "1".to_owned() };
        assert_eq!(
            handled(&json::write(&PluginRequest::of(Call::CheckRequisite(requisite)))),
            (PANICKED, "too much for me".to_owned())
        );
        for unreadable in [&b""[..], b"{", b"null", b"\xff"] {
            assert_eq!(handled(unreadable).0, UNREADABLE);
        }
        let (status, manifest) = read(describe(panicking));
        assert_eq!((status, json::read::<Manifest>(manifest.as_bytes()).unwrap().name), (OK, "panicking".to_owned()));
    }
}
