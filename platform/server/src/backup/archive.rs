//! The folder of a backup: a manifest, the rows of each table as compressed lines of JSON, and the uploaded files.
//!
//! The manifest names everything with its SHA-256. A digest of the manifest with a sealing key shows that nobody without
//! the keys made or changed it.

use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, BufWriter, Read, Write};
use std::path::{Component, Path, PathBuf};

use agio_core::db::{Row, SequenceState, Table};
use agio_core::{Error, Result, Timestamp, Vault, hex};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// The version of this format.
pub const FORMAT: u32 = 1;

pub const MANIFEST: &str = "manifest.json";
const SIGNATURE: &str = "manifest.digest";
const PURPOSE: &str = "backup manifest";

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BackupManifest {
    pub format: u32,
    /// The version of Agio.
    pub version: String,
    /// The instant whose state it is.
    pub created_at: Timestamp,
    /// The schema: its migrations.
    pub migrations: Vec<i64>,
    /// The names of the sealing keys that it needs.
    pub keys: Vec<String>,
    pub tables: Vec<SavedTable>,
    pub sequences: Vec<SequenceState>,
    pub files: Vec<SavedFile>,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct SavedTable {
    pub table: Table,
    pub content: RowDigest,
    pub file: SavedFile,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct SavedFile {
    /// Below the folder of the backup.
    pub path: String,
    pub size: u64,
    pub sha256: String,
}

/// The number of rows, and a sum over their SHA-256 that does not depend on their order: two tables with the same one
/// have the same rows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowDigest {
    pub rows: u64,
    pub digest: String,
    #[serde(skip)]
    sum: [u64; 4],
}

impl RowDigest {
    pub fn add(&mut self, line: &[u8]) {
        self.rows += 1;
        for (sum, word) in self.sum.iter_mut().zip(Sha256::digest(line).as_chunks::<8>().0) {
            *sum = sum.wrapping_add(u64::from_be_bytes(*word));
        }
    }

    #[must_use]
    pub fn finish(mut self) -> Self {
        self.digest = hex::encode(self.sum.map(u64::to_be_bytes).concat());
        self.sum = [0; 4];
        self
    }
}

/// A row as a line, without its end.
pub fn line_of(row: &Row) -> Result<Vec<u8>> {
    serde_json::to_vec(row).map_err(Error::internal)
}

/// An error about a file, for people.
pub fn about(path: &Path) -> impl FnOnce(io::Error) -> Error {
    move |error| Error::internal(format!("{}: {error}", path.display()))
}

/// Passes bytes on, counts them and computes their SHA-256.
struct Hashing<T> {
    inner: T,
    sha256: Sha256,
    size: u64,
}

impl<T> Hashing<T> {
    fn new(inner: T) -> Self {
        Self { inner, sha256: Sha256::new(), size: 0 }
    }

    fn count(&mut self, bytes: &[u8]) {
        self.sha256.update(bytes);
        self.size += bytes.len() as u64;
    }

    fn saved_as(self, path: String) -> SavedFile {
        SavedFile { path, size: self.size, sha256: hex::encode(self.sha256.finalize()) }
    }
}

impl<T: Write> Write for Hashing<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.count(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<T: Read> Read for Hashing<T> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(into)?;
        self.count(&into[..read]);
        Ok(read)
    }
}

/// Writes the rows of one table.
pub struct TableWriter {
    lines: GzEncoder<Hashing<BufWriter<File>>>,
    content: RowDigest,
    path: String,
}

impl TableWriter {
    pub fn create(folder: &Path, table: &Table) -> Result<Self> {
        let path = format!("tables/{}.jsonl.gz", table.name);
        let file = File::create_new(folder.join(&path)).map_err(about(&folder.join(&path)))?;
        let lines = GzEncoder::new(Hashing::new(BufWriter::new(file)), Compression::fast());
        Ok(Self { lines, content: RowDigest::default(), path })
    }

    pub fn add(&mut self, row: &Row) -> Result<()> {
        let mut line = line_of(row)?;
        self.content.add(&line);
        line.push(b'\n');
        self.lines.write_all(&line).map_err(about(Path::new(&self.path)))
    }

    pub fn finish(self, table: Table) -> Result<SavedTable> {
        let path = self.path;
        let mut hashing = self.lines.finish().map_err(about(Path::new(&path)))?;
        let synced = hashing.flush().and_then(|()| hashing.inner.get_ref().sync_all());
        synced.map_err(about(Path::new(&path)))?;
        Ok(SavedTable { table, content: self.content.finish(), file: hashing.saved_as(path) })
    }
}

/// The rows of one table of a backup.
pub fn rows(folder: &Path, saved: &SavedTable) -> Result<impl Iterator<Item = Result<Row>> + Send> {
    let path = folder.join(&saved.file.path);
    let file = File::open(&path).map_err(about(&path))?;
    let (lines, table) = (BufReader::new(GzDecoder::new(BufReader::new(file))).lines(), saved.table.clone());
    Ok(lines.map(move |line| table.parse_row(&line.map_err(about(&path))?)))
}

/// Copies a file into a backup, or out of one; `None` if it was deleted meanwhile.
pub fn copy_file(from: &Path, to: &Path, name: String) -> Result<Option<SavedFile>> {
    let source = match File::open(from) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(about(from))?,
    };
    let mut source = Hashing::new(source);
    let copied = File::create_new(to).and_then(|mut target| io::copy(&mut source, &mut target).and_then(|_| target.sync_all()));
    copied.map_err(about(to))?;
    Ok(Some(source.saved_as(name)))
}

/// Writes the manifest, which makes the folder a backup.
pub fn write_manifest(folder: &Path, manifest: &BackupManifest, vault: &Vault) -> Result<()> {
    let text = serde_json::to_string_pretty(manifest).map_err(Error::internal)?;
    write_synced(&folder.join(SIGNATURE), &vault.digest(PURPOSE, &text))?;
    write_synced(&folder.join(MANIFEST), &text)
}

fn write_synced(path: &Path, text: &str) -> Result<()> {
    let written = File::create_new(path).and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()));
    written.map_err(about(path))
}

/// The text of a manifest, and what it says. Nobody has vouched for it yet.
pub fn read_manifest(folder: &Path) -> Result<(String, BackupManifest)> {
    let path = folder.join(MANIFEST);
    let text = fs::read_to_string(&path)
        .map_err(|error| Error::internal(format!("{} is no complete backup: {MANIFEST}: {error}", folder.display())))?;
    #[derive(Deserialize)]
    struct Format {
        format: u32,
    }
    let damaged = |error| Error::internal(format!("{}: {error}", path.display()));
    // A later format may have another manifest.
    let Format { format } = serde_json::from_str(&text).map_err(damaged)?;
    if format != FORMAT {
        return Err(Error::internal(format!(
            "{} is in format {format}, and this build reads format {FORMAT}: use the build that made it, or a later one",
            folder.display()
        )));
    }
    let manifest = serde_json::from_str(&text).map_err(damaged)?;
    Ok((text, manifest))
}

/// Checks that the manifest was made with one of the keys, and that everything it names is there and unchanged.
pub fn check(folder: &Path, (text, manifest): (&str, &BackupManifest), vault: &Vault) -> Result<()> {
    let changed = |what: &str| Error::internal(format!("{} cannot be used: {what}", folder.display()));
    let signature = fs::read_to_string(folder.join(SIGNATURE)).map_err(about(&folder.join(SIGNATURE)))?;
    if !vault.digests(PURPOSE, text).contains(&signature) {
        return Err(changed("its manifest was changed, or made with other keys"));
    }
    for saved in manifest.tables.iter().map(|table| &table.file).chain(&manifest.files) {
        if !Path::new(&saved.path).components().all(|part| matches!(part, Component::Normal(_))) {
            return Err(changed(&format!("{} is not below it", saved.path)));
        }
        let path = folder.join(&saved.path);
        let mut file = Hashing::new(File::open(&path).map_err(|error| changed(&format!("{}: {error}", saved.path)))?);
        io::copy(&mut file, &mut io::sink()).map_err(about(&path))?;
        let found = file.saved_as(saved.path.clone());
        if (found.size, &found.sha256) != (saved.size, &saved.sha256) {
            return Err(changed(&format!("{} was changed or cut short", saved.path)));
        }
    }
    Ok(())
}

/// The complete backups of a folder, the oldest first.
pub fn list(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).map_err(about(folder))?;
    let backups = entries.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX));
    let mut backups: Vec<_> = backups.map(|entry| entry.path()).filter(|path| path.join(MANIFEST).is_file()).collect();
    backups.sort();
    Ok(backups)
}

/// How the names of backups begin.
pub const PREFIX: &str = "agio-";
