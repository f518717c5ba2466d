//! Writing to the standard output, which may be closed: `agio audit verify | head`.

/// As `println!`, without a panic when nobody reads any more.
macro_rules! say {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stdout(), $($text)*);
    }};
}

pub(crate) use say;
