//! The C interface: four symbols, and bytes of JSON in and out. `include/agio_plugin.h` says the same to a C compiler.
//!
//! Plugin authors do not use this module; [`export!`](crate::export) does.

use std::any::Any;
use std::panic::catch_unwind;

use crate::Plugin;
use crate::protocol::{PROTOCOL, Question, json};

/// The bytes are what was asked for.
pub const GOOD: u32 = 0;
/// The question was not understood; the bytes say why, as text.
pub const UNREADABLE: u32 = 1;
/// The plugin panicked; the bytes are its last words, as text.
pub const PANICKED: u32 = 2;

/// Bytes a plugin gives away. They stay the plugin's memory: whoever got them gives them back to `agio_free`, once.
#[repr(C)]
#[derive(Debug)]
pub struct Buffer {
    /// Where they begin.
    pub ptr: *mut u8,
    /// How many there are.
    pub len: usize,
    /// How many the memory holds: the plugin's own business.
    pub capacity: usize,
    /// What they are: [`GOOD`], [`UNREADABLE`] or [`PANICKED`].
    pub status: u32,
}

impl Buffer {
    fn of(status: u32, bytes: Vec<u8>) -> Self {
        let mut bytes = std::mem::ManuallyDrop::new(bytes);
        Self { ptr: bytes.as_mut_ptr(), len: bytes.len(), capacity: bytes.capacity(), status }
    }
}

/// How the symbols find the plugin.
pub type Shared = fn() -> &'static dyn Plugin;

/// The number of the protocol this library speaks.
#[must_use]
pub fn version() -> u32 {
    PROTOCOL
}

/// The manifest.
#[must_use]
pub fn describe(plugin: Shared) -> Buffer {
    guarded(|| Ok(json::write(&plugin().manifest())))
}

/// One round.
///
/// # Safety
/// `len` bytes that nobody changes meanwhile are at `question`.
#[must_use]
pub unsafe fn handle(plugin: Shared, question: *const u8, len: usize) -> Buffer {
    let bytes = if len == 0 {
        &[][..]
    } else {
        // SAFETY: the caller promises it.
        unsafe { std::slice::from_raw_parts(question, len) }
    };
    guarded(|| {
        let question: Question = json::read(bytes).map_err(|error| error.to_string())?;
        Ok(json::write(&plugin().handle(&question)))
    })
}

/// Takes a buffer back.
///
/// # Safety
/// The buffer came from [`describe`] or [`handle`] of this very library and was not given back before.
pub unsafe fn free(buffer: Buffer) {
    if !buffer.ptr.is_null() {
        // SAFETY: the three were a vector before, by the caller's promise.
        drop(unsafe { Vec::from_raw_parts(buffer.ptr, buffer.len, buffer.capacity) });
    }
}

/// Unwinding must not leave the library: a panic becomes a status.
fn guarded(work: impl FnOnce() -> Result<Vec<u8>, String> + std::panic::UnwindSafe) -> Buffer {
    match catch_unwind(work) {
        Ok(Ok(bytes)) => Buffer::of(GOOD, bytes),
        Ok(Err(why)) => Buffer::of(UNREADABLE, why.into_bytes()),
        Err(panic) => Buffer::of(PANICKED, last_words(panic.as_ref()).into_bytes()),
    }
}

fn last_words(panic: &(dyn Any + Send)) -> String {
    let literal = panic.downcast_ref::<&str>().map(|words| (*words).to_owned());
    literal.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "it panicked without a word".to_owned())
}

/// Makes a library of a plugin: writes the four symbols. Said once in a crate of the type `cdylib`, with an expression whose value is the plugin.
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
            unsafe extern "C" fn agio_handle(question: *const u8, len: usize) -> $crate::abi::Buffer {
                // SAFETY: whoever calls promises what the header asks for.
                unsafe { $crate::abi::handle(shared, question, len) }
            }

            #[unsafe(no_mangle)]
            unsafe extern "C" fn agio_free(buffer: $crate::abi::Buffer) {
                // SAFETY: whoever calls promises what the header asks for.
                unsafe { $crate::abi::free(buffer) }
            }
        };
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{Call, Kind, Manifest, Requisite, Step, Words};

    struct Nervous;

    impl Plugin for Nervous {
        fn manifest(&self) -> Manifest {
            Manifest::new("nervous", "1", Kind::Requisites, Words::default(), Words::default())
        }

        fn handle(&self, _question: &Question) -> Step {
            panic!("too much for me")
        }
    }

    fn nervous() -> &'static dyn Plugin {
        &Nervous
    }

    fn taken(buffer: Buffer) -> (u32, String) {
        // SAFETY: the buffer was made a moment ago and is given back once.
        let bytes = unsafe { std::slice::from_raw_parts(buffer.ptr, buffer.len) }.to_vec();
        let status = buffer.status;
        unsafe { free(buffer) };
        (status, String::from_utf8(bytes).unwrap())
    }

    fn handled(question: &[u8]) -> (u32, String) {
        // SAFETY: the slice lives through the call.
        taken(unsafe { handle(nervous, question.as_ptr(), question.len()) })
    }

    #[test]
    fn a_panic_and_an_unreadable_question_are_told_and_go_no_further() {
        let requisite = Requisite { currency: "BTC".to_owned(), field: "address".to_owned(), value: "1".to_owned() };
        assert_eq!(handled(&json::write(&Question::of(Call::Check(requisite)))), (PANICKED, "too much for me".to_owned()));
        for unreadable in [&b""[..], b"{", b"null", b"\xff"] {
            assert_eq!(handled(unreadable).0, UNREADABLE);
        }
        let (status, manifest) = taken(describe(nervous));
        assert_eq!((status, json::read::<Manifest>(manifest.as_bytes()).unwrap().name), (GOOD, "nervous".to_owned()));
    }
}
