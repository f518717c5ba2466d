//! Logging as text or JSON.
//!
//! Two things hold for every line, wherever it is written. No identifier that gives access and no email address gets
//! into the log: texts of others, such as the answer of a mail server, are part of lines. And a fault that hits every
//! request does not fill the disk: one place in the code may write a limited number of warnings and errors in a period.

use std::collections::HashMap;
use std::io::{self, IsTerminal as _, Write};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use agio_core::{Error, Result};
use opentelemetry_sdk::trace::SdkTracerProvider;
use regex::{Captures, Regex};
use tracing::callsite::Identifier;
use tracing::{Level, Metadata, Subscriber};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer as _};

use crate::config::{LogConfig, LogFormat};
use crate::traces;

/// How many warnings and errors one place in the code may write in a period.
const LINES_MAX: u32 = 20;
const PERIOD: Duration = Duration::from_secs(10);

/// Starts logging to standard error, and tracing. Needs the runtime.
pub fn start(log: &LogConfig, traces: Option<&SdkTracerProvider>) -> Result<()> {
    let limit = Arc::new(LineLimit::default());
    let subscriber = subscriber(log, io::stderr, limit.clone(), io::stderr().is_terminal(), traces)?;
    subscriber.try_init().map_err(Error::internal)?;
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(PERIOD).await;
            limit.end_period();
        }
    });
    Ok(())
}

/// What writes the lines, and hands the spans on.
///
/// # Errors
/// The filter cannot be read.
pub fn subscriber<W>(
    log: &LogConfig,
    out: W,
    limit: Arc<LineLimit>,
    ansi: bool,
    traces: Option<&SdkTracerProvider>,
) -> Result<Box<dyn Subscriber + Send + Sync>>
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    let filter =
        EnvFilter::try_new(&log.filter).map_err(|error| Error::internal(format!("log.filter, {:?}: {error}", log.filter)))?;
    let lines = tracing_subscriber::fmt::layer().with_ansi(ansi).with_writer(LogWriter { out, limit });
    let lines = match log.format {
        LogFormat::Text => lines.compact().boxed(),
        LogFormat::Json => lines.json().flatten_event(true).with_span_list(false).boxed(),
    };
    Ok(Box::new(tracing_subscriber::registry().with(lines.with_filter(filter)).with(traces.map(traces::layer))))
}

/// Counts the lines of each place in the code.
#[derive(Default)]
pub struct LineLimit(Mutex<HashMap<Identifier, LineCount>>);

struct LineCount {
    lines: u32,
    /// File and line.
    at: String,
}

impl LineLimit {
    fn allows(&self, metadata: &Metadata<'_>) -> bool {
        if *metadata.level() > Level::WARN {
            return true;
        }
        let (Some(file), Some(line)) = (metadata.file(), metadata.line()) else { return true };
        let mut counts = self.counts();
        let place = || LineCount { lines: 0, at: format!("{file}:{line}") };
        let count = counts.entry(metadata.callsite()).or_insert_with(place);
        count.lines += 1;
        count.lines <= LINES_MAX
    }

    /// Begins a new period, and says how many lines of the last one are missing.
    pub fn end_period(&self) {
        let counts = std::mem::take(&mut *self.counts());
        for LineCount { lines, at } in counts.into_values() {
            if let Some(omitted @ 1..) = lines.checked_sub(LINES_MAX) {
                tracing::warn!(omitted, at, "further lines like those before were left out");
            }
        }
    }

    fn counts(&self) -> MutexGuard<'_, HashMap<Identifier, LineCount>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct LogWriter<W> {
    out: W,
    limit: Arc<LineLimit>,
}

/// Writes one line, or nothing.
struct LineWriter<W>(Option<W>);

impl<'w, W: MakeWriter<'w>> MakeWriter<'w> for LogWriter<W> {
    type Writer = LineWriter<W::Writer>;

    fn make_writer(&'w self) -> Self::Writer {
        LineWriter(Some(self.out.make_writer()))
    }

    fn make_writer_for(&'w self, metadata: &Metadata<'_>) -> Self::Writer {
        LineWriter(self.limit.allows(metadata).then(|| self.out.make_writer_for(metadata)))
    }
}

impl<W: Write> Write for LineWriter<W> {
    /// Gets whole lines.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if let Some(out) = &mut self.0 {
            out.write_all(redact(&String::from_utf8_lossy(line)).as_bytes())?;
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.as_mut().map_or(Ok(()), Write::flush)
    }
}

/// An id in the form of claim ids, unless it is the id of a request, which a caller may choose; an email address.
static PRIVATE: LazyLock<Regex> = LazyLock::new(|| {
    let id = "[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}";
    let email = r"[\w.+%-]+@(?:[\w-]+\.)+[A-Za-z]{2,}";
    Regex::new(&format!("(request_id\"?[=:]\"?)?(?:({id})|{email})")).expect("the expression is valid")
});

fn redact(line: &str) -> std::borrow::Cow<'_, str> {
    PRIVATE.replace_all(line, |found: &Captures<'_>| match (found.get(1), found.get(2)) {
        (Some(_), _) => found[0].to_owned(),
        (None, Some(_)) => "{id}".to_owned(),
        (None, None) => "{email}".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines that `work` writes.
    fn lines_of(format: LogFormat, work: impl FnOnce(&LineLimit)) -> Vec<String> {
        let (written, limit) = (Arc::new(Mutex::new(Vec::new())), Arc::new(LineLimit::default()));
        let log = LogConfig { format, filter: "info".to_owned(), slow_statement_ms: 0 };
        let out = SharedBuffer(written.clone());
        let subscriber = subscriber(&log, move || out.clone(), limit.clone(), false, None).unwrap();
        tracing::subscriber::with_default(subscriber, || work(&limit));
        let written = written.lock().unwrap();
        std::str::from_utf8(&written).unwrap().lines().map(str::to_owned).collect()
    }

    #[derive(Clone)]
    struct SharedBuffer(Arc<Mutex<Vec<u8>>>);

    impl Write for SharedBuffer {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn ids_and_addresses_of_others_are_left_out() {
        let id = "2f1c5e0a-5b5e-4f5e-9b5e-2f1c5e0a5b5e";
        for format in [LogFormat::Text, LogFormat::Json] {
            let lines = lines_of(format, |_| {
                tracing::error_span!("request", request_id = id).in_scope(|| {
                    tracing::info!(claim = id, fault = "550 <anna.k+1@mail.example.com>: unknown", "not delivered");
                });
                tracing::info!(url = "postgres://agio@127.0.0.1:5432/agio", head = "0:12:4f9e2a7b3c1d5e6f4f9e2a7b3c1d5e6f");
            });
            assert!(!lines[0].contains("anna") && lines[0].contains("{email}") && lines[0].contains("{id}"), "{lines:?}");
            assert_eq!(lines[0].matches(id).count(), 1, "the request has its id: {lines:?}");
            let kept = ["postgres://agio@127.0.0.1:5432/agio", "0:12:4f9e2a7b3c1d5e6f4f9e2a7b3c1d5e6f"];
            assert!(kept.iter().all(|kept| lines[1].contains(kept)), "{lines:?}");
        }
    }

    #[test]
    fn a_fault_of_every_request_does_not_fill_the_disk() {
        let lines = lines_of(LogFormat::Json, |limit| {
            for _ in 0..5_000 {
                tracing::error!("the disk is full");
                tracing::info!("a request");
            }
            tracing::error!("something else");
            limit.end_period();
            tracing::error!("the disk is full");
            limit.end_period();
        });
        let count = |text: &str| lines.iter().filter(|line| line.contains(text)).count();
        assert_eq!((count("the disk is full"), count("something else"), count("a request")), (21, 1, 5_000));
        assert_eq!((count("left out"), count("\"omitted\":4980")), (1, 1), "{:?}", lines.last());
    }
}
