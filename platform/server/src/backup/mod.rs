//! `agio backup`, `agio restore` and `agio db copy`: a whole installation in a folder, and back.
//!
//! Rows are read at one instant while the server runs. They are stored in a form that belongs to neither engine, so
//! that a backup of one can be restored on the other.

mod archive;
pub mod progress;

use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use agio_core::audit::{self, NewAuditEntry};
use agio_core::clock::{Clock as _, SystemClock};
use agio_core::db::{DbOptions, Import, Row, SequenceState, Table};
use agio_core::identity::Actor;
use agio_core::settings::{Setting, SettingKind, Settings};
use agio_core::{Db, Error, Result, Timestamp, execute};
use clap::{Args, Subcommand};
use futures_util::StreamExt as _;
use futures_util::stream::{self, BoxStream};
use serde_json::json;

use crate::app::App;
use crate::backup::archive::{BackupManifest, RowDigest, SavedFile, TableWriter, about};
use crate::backup::progress::Progress;
use crate::cli::{called_as, connect, lock_database, open_database, platform};
use crate::config::{Config, DatabaseUrl};
use crate::keys;
use crate::output::say;

/// When the last backup was made.
pub const LAST_BACKUP: Setting = Setting::new("backup.last_at", SettingKind::DateTime, "").unlisted();

/// When the last backup was made, if there was one.
pub fn last_made(settings: &Settings) -> Option<Timestamp> {
    Timestamp::parse(&settings.text(LAST_BACKUP.name)).ok()
}

agio_core::statements! {
    CLOSE_PAYOUTS = "INSERT INTO setting (name, value, changed_at) VALUES ($1, 'true', $2)
        ON CONFLICT (name) DO UPDATE SET value = excluded.value, changed_at = excluded.changed_at, changed_by = NULL";
}

/// Tables that have no rows before somebody uses the installation.
const USED: [&str; 5] = ["audit", "claim", "customer", "ledger_transfer", "staff"];

/// How long PostgreSQL may take to notice that a server has ended.
const STOPPED_WITHIN: Duration = Duration::from_secs(2);

/// Rows that are stored together.
const BATCH: usize = 2_000;

/// Fewer if they are large.
const BATCH_BYTES: usize = 4 << 20;

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, arg_required_else_help = true)]
pub struct BackupArgs {
    #[command(subcommand)]
    command: Option<BackupCommand>,
    /// The folder that gets the backup, in a folder of its own. It holds personal data: nobody else may read it.
    folder: Option<PathBuf>,
    /// Afterwards delete the oldest backups there, and keep so many.
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    keep: Option<u32>,
}

#[derive(Subcommand)]
enum BackupCommand {
    /// Restore a backup into a scratch database, compare every table, check the ledger and verify the audit log.
    Verify {
        /// The backup, or a folder of backups: then the newest.
        folder: PathBuf,
    },
}

#[derive(Args)]
pub struct RestoreArgs {
    /// The backup.
    folder: PathBuf,
}

#[derive(Subcommand)]
pub enum DbCommand {
    /// Copy a database into an empty one, of the same engine or the other, and compare every table. Stop the server
    /// first. A copy that was stopped leaves nothing behind: start it again.
    Copy {
        /// The URL of the database to read: sqlite:PATH or postgres://...
        from: String,
        /// The URL of the database to fill.
        to: String,
    },
}

/// # Errors
/// The backup could not be made, or is not good; a sentence says why.
pub async fn run(config: &Config, args: BackupArgs) -> Result<()> {
    match (args.command, args.folder) {
        (Some(BackupCommand::Verify { folder }), _) => verify(config, &folder).await,
        (None, Some(folder)) => create(config, &folder, args.keep).await,
        (None, None) => Err(Error::internal("name the folder that gets the backup: agio backup FOLDER")),
    }
}

async fn create(config: &Config, folder: &Path, keep: Option<u32>) -> Result<()> {
    let db = open_database(&config.database.url, &config.db_options()).await?;
    let vault = keys::open_vault(config, &db).await?;
    keys::record(&db, &vault).await?;
    fs::create_dir_all(folder).map_err(about(folder))?;
    let _alone = lock(folder)?;
    delete_unfinished(folder)?;

    let mut snapshot = db.snapshot().await?;
    let created_at = SystemClock.now();
    let name = format!("{}{}", archive::PREFIX, name_of(created_at));
    let (draft, backup) = (folder.join(format!("{UNFINISHED}{name}")), folder.join(&name));
    if backup.exists() {
        return Err(Error::internal(format!("{} exists already", backup.display())));
    }
    for part in ["tables", "files/receipts", "files/photos"] {
        fs::create_dir_all(draft.join(part)).map_err(about(&draft))?;
    }
    let mut manifest = BackupManifest {
        format: archive::FORMAT,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        created_at,
        migrations: snapshot.migrations().await?,
        keys: keys::known_in(snapshot.tx()).await?.into_iter().map(|(id, _)| id).collect(),
        tables: Vec::new(),
        sequences: snapshot.sequences().await?,
        files: Vec::new(),
    };
    let mut progress = Progress::new("Saved", None);
    for table in snapshot.tables().to_vec() {
        let mut writer = TableWriter::create(&draft, &table)?;
        let mut rows = snapshot.rows(&table);
        while let Some(row) = rows.next().await {
            writer.add(&row?)?;
            progress.add(&table.name, 1);
        }
        drop(rows);
        manifest.tables.push(writer.finish(table)?);
    }
    // A file that the rows name was there before them; one that is gone by now was deleted on purpose.
    drop(snapshot);
    for (part, stored) in file_folders(config) {
        manifest.files.extend(save_files(stored, &draft, part)?);
    }
    archive::write_manifest(&draft, &manifest, &vault)?;
    fs::rename(&draft, &backup).map_err(about(&backup))?;
    File::open(folder).and_then(|opened| opened.sync_all()).map_err(about(folder))?;
    progress.finish();
    let (rows, files) = (progress.rows(), manifest.files.len());
    say!("{}: {} tables, {rows} rows, {files} files, as of {created_at}", backup.display(), manifest.tables.len());
    delete_oldest(folder, keep)?;
    record(&db, created_at).await?;
    db.close().await;
    Ok(())
}

/// The folders of uploaded files, by their place in a backup.
fn file_folders(config: &Config) -> [(&'static str, &Path); 2] {
    [("files/receipts", &config.files.receipts), ("files/photos", &config.files.photos)]
}

fn save_files(stored: &Path, draft: &Path, part: &str) -> Result<Vec<SavedFile>> {
    let mut saved = Vec::new();
    if !stored.exists() {
        return Ok(saved);
    }
    for entry in fs::read_dir(stored).map_err(about(stored))?.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type().is_ok_and(|found| found.is_file()) {
            let to = draft.join(part).join(&name);
            saved.extend(archive::copy_file(&entry.path(), &to, format!("{part}/{name}"))?);
        }
    }
    saved.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(saved)
}

/// Two backups at once would delete each other's.
fn lock(folder: &Path) -> Result<File> {
    let path = folder.join(".agio-backup.lock");
    let lock = File::create(&path).map_err(about(&path))?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(Error::internal(format!("another backup into {} is under way", folder.display()))),
        Err(TryLockError::Error(error)) => Err(about(&path)(error)),
    }
}

/// How the names of backups begin that were not finished.
const UNFINISHED: &str = ".unfinished-";

fn delete_unfinished(folder: &Path) -> Result<()> {
    for entry in fs::read_dir(folder).map_err(about(folder))?.flatten() {
        if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
            fs::remove_dir_all(entry.path()).map_err(about(&entry.path()))?;
        }
    }
    Ok(())
}

fn delete_oldest(folder: &Path, keep: Option<u32>) -> Result<()> {
    let Some(keep) = keep else { return Ok(()) };
    let backups = archive::list(folder)?;
    for old in backups.iter().rev().skip(keep as usize) {
        // Without its manifest it is no backup any more, if this is interrupted.
        fs::remove_file(old.join(archive::MANIFEST)).and_then(|()| fs::remove_dir_all(old)).map_err(about(old))?;
        say!("{}: deleted", old.display());
    }
    Ok(())
}

/// An instant as in the names of backups: 20261126T121546.123Z.
fn name_of(at: Timestamp) -> String {
    let text = Timestamp(at.0 - at.0.rem_euclid(1_000_000)).to_string();
    let seconds = text.trim_end_matches('Z').replace(['-', ':'], "");
    format!("{seconds}.{:03}Z", at.0.rem_euclid(1_000_000) / 1_000)
}

/// Lets the server and the doctor know.
async fn record(db: &Db, created_at: Timestamp) -> Result<()> {
    let settings = Settings::default();
    settings.declare([LAST_BACKUP]);
    db.write(move |tx| {
        let settings = settings.clone();
        Box::pin(async move {
            let by = Actor::system("agio backup");
            settings.put(tx, LAST_BACKUP.name, &created_at.to_string(), SystemClock.now(), &by).await
        })
    })
    .await
}

async fn verify(config: &Config, folder: &Path) -> Result<()> {
    let newest = archive::list(folder)?.pop();
    let folder = if folder.join(archive::MANIFEST).exists() { folder } else { newest.as_deref().unwrap_or(folder) };
    let (text, manifest) = archive::read_manifest(folder)?;
    check_migrations(folder, &manifest)?;
    let vault = keys::vault_with(config, &manifest.keys)?;
    archive::check(folder, (&text, &manifest), &vault)?;

    let scratch = tempfile::tempdir().map_err(Error::internal)?;
    let db = Db::open(&format!("sqlite:{}", scratch.path().join("scratch.db").display())).await?;
    fill_from(&db, folder, &manifest).await?.commit().await?;
    db.migrate().await?;
    let app = App::assemble(platform(db.clone(), vault), config)?;
    let (ledger, audited) = (app.check_ledger().await?, app.verify_audit_chain().await?);
    let faults: Vec<String> = ledger.differences.iter().map(ToString::to_string).chain(audited.faults).collect();
    db.close().await;
    if !faults.is_empty() {
        faults.iter().for_each(|fault| say!("{fault}"));
        return Err(Error::internal(format!("{} was restored, and its content has faults", folder.display())));
    }
    say!("{} is good: all of its tables were restored and compared.", folder.display());
    say!("The ledger has no differences. The audit log is valid: {} entries.", audited.entries);
    Ok(())
}

/// Restores a backup into the database and folders of the configuration.
///
/// # Errors
/// A sentence says why; then nothing was written to the database.
pub async fn restore(config: &Config, RestoreArgs { folder }: RestoreArgs) -> Result<()> {
    // Which of them is a decision: everything after it is lost.
    if !folder.join(archive::MANIFEST).exists()
        && let Some(newest) = archive::list(&folder).unwrap_or_default().pop()
    {
        let message = format!("{} holds backups: name one of them, such as {}", folder.display(), newest.display());
        return Err(Error::internal(message));
    }
    let (text, manifest) = archive::read_manifest(&folder)?;
    check_migrations(&folder, &manifest)?;
    let vault = keys::vault_with(config, &manifest.keys)?;
    archive::check(&folder, (&text, &manifest), &vault)?;
    let missing = missing_files(config, &folder, &manifest)?;

    let _alone = lock_database(&config.database.url)?;
    let db = connect(&config.database.url, &config.db_options()).await?;
    check_not_served(&db, &config.database.url).await?;
    let mut import = fill_from(&db, &folder, &manifest).await?;
    let now = SystemClock.now();
    let tx = import.tx();
    execute!(tx, CLOSE_PAYOUTS, agio_payments::PAYOUTS_CLOSED.name, now)?;
    let by = Actor::system("agio restore");
    let after = Some(json!({ "backup": manifest.created_at.to_string() }));
    let entry =
        NewAuditEntry { by: &by, action: "database.restored", about: "database", id: "1".to_owned(), before: None, after };
    audit::record(tx, entry, now).await?;
    // First the files: every file that a row names is there once the row is.
    for (from, to) in &missing {
        fs::create_dir_all(to.parent().expect("it is in a folder")).map_err(about(to))?;
        archive::copy_file(from, to, String::new())?;
    }
    import.commit().await?;
    db.migrate().await?;
    keys::record(&db, &vault).await?;
    db.close().await;
    let rows: u64 = manifest.tables.iter().map(|table| table.content.rows).sum();
    say!("Restored: {rows} rows and {} files, as of {}.", manifest.files.len(), manifest.created_at);
    let agio = called_as(|| "agio".to_owned());
    say!(
        "Payouts are closed. What was paid after that time is unknown here: compare wallets and banks with the claims, \
         settle what differs, then let an owner open them with `{agio} payouts open`."
    );
    Ok(())
}

/// The files to copy. One that is there with the same content is right.
fn missing_files(config: &Config, folder: &Path, manifest: &BackupManifest) -> Result<Vec<(PathBuf, PathBuf)>> {
    let mut missing = Vec::new();
    for saved in &manifest.files {
        let target = file_folders(config).into_iter().find_map(|(part, stored)| {
            let name = saved.path.strip_prefix(part)?.strip_prefix('/')?;
            Some(stored.join(name))
        });
        let target = target.ok_or_else(|| Error::internal(format!("{} belongs to no folder", saved.path)))?;
        if !target.exists() {
            missing.push((folder.join(&saved.path), target));
        } else if agio_plugin_runtime::file_sha256(&target).ok().as_ref() != Some(&saved.sha256) {
            return Err(Error::internal(format!(
                "{} exists with other content: move it away first (nothing was written)",
                target.display()
            )));
        }
    }
    Ok(missing)
}

/// # Errors
/// The backup has the schema of a later build, or of another.
fn check_migrations(folder: &Path, manifest: &BackupManifest) -> Result<()> {
    let known = Db::known_migrations();
    if manifest.migrations.is_empty() || !known.starts_with(&manifest.migrations) {
        return Err(Error::internal(format!(
            "{} was made by Agio {} with a schema that this build does not know: use that build, or a later one \
             (nothing was written)",
            folder.display(),
            manifest.version
        )));
    }
    Ok(())
}

/// Fills a database from a backup, ready to commit.
async fn fill_from(db: &Db, folder: &Path, manifest: &BackupManifest) -> Result<Import> {
    let total = manifest.tables.iter().map(|table| table.content.rows).sum();
    let mut filling = Filling::begin(db, &manifest.migrations, Progress::new("Restored", Some(total))).await?;
    filling.check_tables(&manifest.tables.iter().map(|saved| &saved.table).collect::<BTreeSet<_>>())?;
    for table in filling.import.tables().to_vec() {
        let saved = manifest.tables.iter().find(|saved| saved.table == table).expect("the tables are the same");
        let found = filling.fill(&table, stream::iter(archive::rows(folder, saved)?).boxed()).await?;
        if found != saved.content {
            return Err(Error::internal(format!("{} has other rows than its backup was made with", table.name)));
        }
    }
    filling.finish(&manifest.sequences).await
}

/// Copies a database.
///
/// # Errors
/// A sentence says why; then nothing was written.
pub async fn copy(command: DbCommand) -> Result<()> {
    let DbCommand::Copy { from, to } = command;
    let (from, to) = (DatabaseUrl(from), DatabaseUrl(to));
    if from.0 == to.0 {
        return Err(Error::internal("these are the same database"));
    }
    let _locks = (lock_database(&from)?, lock_database(&to)?);
    let source = open_database(&from, &DbOptions::default()).await?;
    check_not_served(&source, &from).await?;
    let mut snapshot = source.snapshot().await?;
    let target = connect(&to, &DbOptions::default()).await?;
    check_not_served(&target, &to).await?;
    let migrations = snapshot.migrations().await?;
    let mut filling = Filling::begin(&target, &migrations, Progress::new("Copied", None)).await?;
    filling.check_tables(&snapshot.tables().iter().collect())?;
    for table in filling.import.tables().to_vec() {
        let found = filling.fill(&table, snapshot.rows(&table)).await?;
        say!("{:<28} {:>12} rows  {}", table.name, found.rows, &found.digest[..16]);
    }
    let sequences = snapshot.sequences().await?;
    let rows = filling.progress.rows();
    filling.finish(&sequences).await?.commit().await?;
    drop(snapshot);
    source.close().await;
    target.close().await;
    say!("{rows} rows were copied and compared: every table of {} equals that of {}.", to.shown(), from.shown());
    say!("The sealing keys are not in the database. The new one needs the same: see `agio keys list`.");
    Ok(())
}

/// # Errors
/// A server uses the database: what it writes from now on would be lost.
async fn check_not_served(db: &Db, url: &DatabaseUrl) -> Result<()> {
    let asked = Instant::now();
    while db.is_served().await? {
        if asked.elapsed() > STOPPED_WITHIN {
            let message = format!("a server uses {}: stop all that do first (nothing was written)", url.shown());
            return Err(Error::internal(message));
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    Ok(())
}

/// A database that is being filled, and compared with what it was filled from.
struct Filling {
    import: Import,
    progress: Progress,
}

impl Filling {
    /// Creates the schema if there is none.
    async fn begin(db: &Db, migrations: &[i64], progress: Progress) -> Result<Self> {
        db.migrate_to(*migrations.last().unwrap_or(&0)).await?;
        let found = db.snapshot().await?.migrations().await?;
        if found != migrations {
            return Err(Error::internal(
                "the database has a later schema than the backup: use one without a schema (nothing was written)",
            ));
        }
        Ok(Self { import: db.import(&USED).await?, progress })
    }

    fn check_tables(&self, expected: &BTreeSet<&Table>) -> Result<()> {
        if self.import.tables().iter().collect::<BTreeSet<_>>() == *expected {
            return Ok(());
        }
        Err(Error::internal("the tables are not those of this schema (nothing was written)"))
    }

    /// Stores the rows of a table and reads them back.
    async fn fill(&mut self, table: &Table, mut rows: BoxStream<'_, Result<Row>>) -> Result<RowDigest> {
        let (mut given, mut batch, mut bytes) = (RowDigest::default(), Vec::with_capacity(BATCH), 0);
        loop {
            let row = rows.next().await.transpose()?;
            let is_last = row.is_none();
            if let Some(row) = row {
                let line = archive::line_of(&row)?;
                given.add(&line);
                bytes += line.len();
                batch.push(row);
            }
            if is_last || batch.len() == BATCH || bytes >= BATCH_BYTES {
                if !batch.is_empty() {
                    self.import.insert(table, &batch).await?;
                }
                self.progress.add(&table.name, batch.len());
                (batch, bytes) = (Vec::with_capacity(BATCH), 0);
            }
            if is_last {
                break;
            }
        }
        let mut stored = RowDigest::default();
        let mut rows = self.import.rows(table);
        while let Some(row) = rows.next().await {
            stored.add(&archive::line_of(&row?)?);
        }
        let (given, stored) = (given.finish(), stored.finish());
        if given == stored {
            return Ok(stored);
        }
        Err(Error::internal(format!(
            "{}: {} rows were written and {} other ones read back (nothing was kept)",
            table.name, given.rows, stored.rows
        )))
    }

    async fn finish(mut self, sequences: &[SequenceState]) -> Result<Import> {
        self.import.set_sequences(sequences).await?;
        self.import.enable_triggers().await?;
        self.progress.finish();
        Ok(self.import)
    }
}
