//! The results: printed as they come, and written with the machine they were measured on.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::load::Measurement;

/// Of the flushes that describe the disk.
const FLUSHES: usize = 200;

/// All results of a run.
#[derive(Default)]
pub struct Report {
    rows: Vec<Row>,
}

struct Row {
    operation: String,
    limit: Option<f64>,
    agio: f64,
    /// What is demanded of the ratio, or of the figure where there is no limit to compare with.
    demand: String,
    /// CPU time of one operation, in microseconds.
    processors: Option<f64>,
    is_rate: bool,
}

impl Report {
    pub fn print_head() {
        println!("{:<58} {:>9} {:>9} {:>7} {:>9} {:>12}", "operation", "limit", "agio", "ratio", "demand", "CPU each, us");
    }

    /// Operations per second, compared with a limit of the same run. `processors` is the CPU time of Agio's requests.
    pub fn add_rate(
        &mut self,
        operation: &str,
        limit: &[Measurement],
        agio: &[Measurement],
        at_least: f64,
        processors: Option<Duration>,
    ) {
        let failed: u64 = agio.iter().chain(limit).map(|measured| measured.failed).sum();
        assert_eq!(failed, 0, "{operation}: {failed} requests failed, so the result is invalid");
        let requests: u64 = agio.iter().map(|measured| measured.requests).sum();
        let each = processors.map(|time| time.as_secs_f64() * 1e6 / requests as f64);
        let (limit, agio) = (Some(median(limit)), median(agio));
        let demand = format!(">= {at_least:.2}");
        self.add(Row { operation: operation.to_owned(), limit, agio, demand, processors: each, is_rate: true });
    }

    /// A figure that is not a rate.
    pub fn add_figure(&mut self, operation: &str, limit: Option<f64>, agio: f64, demand: &str) {
        let (operation, demand) = (operation.to_owned(), demand.to_owned());
        self.add(Row { operation, limit, agio, demand, processors: None, is_rate: false });
    }

    /// The median of the 99th percentiles, in milliseconds.
    pub fn add_p99(&mut self, operation: &str, measured: &[Measurement], demand: &str) {
        let latency = median_of(measured.iter().map(|measured| measured.percentile_millis(99)));
        self.add_figure(operation, None, latency, demand);
    }

    fn add(&mut self, row: Row) {
        println!("{:<58} {}", row.operation, row.cells().map(|(cell, width)| format!("{cell:>width$}")).join(" "));
        self.rows.push(row);
    }

    /// Writes the table as `benchmarks.md` and its rates as a picture into this folder.
    pub fn write(&self, folder: &Path) {
        fs::create_dir_all(folder.join("images")).expect("a folder is made");
        fs::write(folder.join("benchmarks.md"), self.markdown()).expect("a file is written");
        fs::write(folder.join("images/benchmarks.svg"), self.picture()).expect("a file is written");
    }

    fn markdown(&self) -> String {
        let mut text = format!(
            "# Benchmarks\n\nWritten by `make bench RECORD=docs` on {}.\n\nEvery row is compared with a limit measured in the same run, in \
             turns; the medians of {} measurements count. Clients, server and database share the machine. Rates are per second with {} \
             connections.\n\n![Rates as shares of their limits](images/benchmarks.svg)\n\n| Operation | Limit | Agio | Ratio | \
             Demand | CPU each, µs |\n|---|--:|--:|--:|--:|--:|\n",
            machine(),
            crate::ROUNDS,
            crate::CONNECTIONS,
        );
        for row in &self.rows {
            let cells = row.cells().map(|(cell, _)| cell.replace(">=", "≥").replace("<=", "≤"));
            writeln!(text, "| {} | {} |", row.operation, cells.join(" | ")).expect("text takes text");
        }
        text
    }

    /// Bars of the ratios, in the colours of the reader's theme. The line is the limit.
    fn picture(&self) -> String {
        const BAR: f64 = 210.0;
        let rates: Vec<_> = self.rows.iter().filter(|row| row.is_rate).collect();
        let most = rates.iter().filter_map(|row| row.ratio()).fold(1.0, f64::max);
        let height = 34 * rates.len() + 40;
        let mut bars = String::new();
        for (place, row) in rates.iter().enumerate() {
            let (y, ratio) = (34 * place + 24, row.ratio().unwrap_or(0.0));
            let operation = row.operation.replace('&', "&amp;").replace('<', "&lt;");
            writeln!(
                bars,
                "<text x=\"8\" y=\"{}\">{operation}</text><rect x=\"420\" y=\"{y}\" width=\"{:.1}\" height=\"20\" rx=\"3\"/>\
                 <text x=\"{:.1}\" y=\"{}\" class=\"n\">{ratio:.2}</text>",
                y + 15,
                ratio / most * BAR,
                426.0 + ratio / most * BAR,
                y + 15,
            )
            .expect("text takes text");
        }
        let line = 420.0 + BAR / most;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 720 {height}\" role=\"img\" aria-label=\"Rates as shares of their \
             limits\"><style>text{{font:13px sans-serif;fill:#1c2b26}}.n{{font-weight:600}}rect{{fill:#1e7a5a}}line{{stroke:#8a6d1f;\
             stroke-dasharray:4 3}}@media(prefers-color-scheme:dark){{text{{fill:#e6efe9}}rect{{fill:#49b48c}}line{{stroke:#d9b75a}}}}\
             </style>\n{bars}<line x1=\"{line:.1}\" x2=\"{line:.1}\" y1=\"16\" y2=\"{}\"/><text x=\"{line:.1}\" y=\"12\" \
             text-anchor=\"middle\">limit</text></svg>\n",
            height - 16,
        )
    }
}

impl Row {
    fn ratio(&self) -> Option<f64> {
        self.limit.map(|limit| self.agio / limit)
    }

    /// The cells after the operation, with their widths in the terminal.
    fn cells(&self) -> [(String, usize); 5] {
        let number = |value: f64| if self.is_rate || value >= 100.0 { format!("{value:.0}") } else { format!("{value:.1}") };
        [
            (self.limit.map(number).unwrap_or_default(), 9),
            (number(self.agio), 9),
            (self.ratio().map(|ratio| format!("{ratio:.2}")).unwrap_or_default(), 7),
            (self.demand.clone(), 9),
            (self.processors.map(|each| format!("{each:.0}")).unwrap_or_default(), 12),
        ]
    }
}

pub fn median(measured: &[Measurement]) -> f64 {
    median_of(measured.iter().map(|measured| measured.per_second))
}

fn median_of(figures: impl Iterator<Item = f64>) -> f64 {
    let mut figures: Vec<_> = figures.collect();
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

/// What the figures depend on.
pub fn machine() -> String {
    let file = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let field = |text: &str, name: &str| {
        let line = text.lines().find(|line| line.starts_with(name)).map(str::to_owned);
        line.and_then(|line| Some(line.split_once(':')?.1.trim().to_owned())).unwrap_or_default()
    };
    let date = Command::new("date").args(["-u", "+%-d %B %Y"]).output().map(|output| output.stdout).unwrap_or_default();
    let kib: f64 = field(&file("/proc/meminfo"), "MemTotal").trim_end_matches(" kB").parse().unwrap_or(0.0);
    format!(
        "{}: {} × {}, {:.0} GiB of memory, Linux {}, {:.2} ms to flush 4 KiB to the disk",
        String::from_utf8_lossy(&date).trim(),
        std::thread::available_parallelism().map_or(0, usize::from),
        field(&file("/proc/cpuinfo"), "model name"),
        kib / 1024.0 / 1024.0,
        file("/proc/sys/kernel/osrelease").trim().split('-').next().unwrap_or_default(),
        flush_time().as_secs_f64() * 1e3,
    )
}

/// The median time to append 4 KiB and flush them.
fn flush_time() -> Duration {
    let mut file = tempfile::tempfile_in(".").expect("a file on the measured disk");
    let mut times: Vec<_> = (0..FLUSHES)
        .map(|_| {
            let started = Instant::now();
            file.write_all(&[0; 4096]).and_then(|()| file.sync_data()).expect("the disk is writable");
            started.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[FLUSHES / 2]
}
