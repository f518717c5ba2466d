//! The brand of an installation: what makes the site, the emails and the pictures the owner's.
//!
//! Readers share one snapshot, which is loaded again after each change on any node.

mod accent;
mod days;
mod icons;
mod market_parts;
mod model;
mod schedule;
mod store;

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use agio_core::audit::{self, NewAuditEntry};
use agio_core::error::FieldError;
use agio_core::events::ChangeEvent;
use agio_core::identity::{Actor, Staff};
use agio_core::texts::Dictionary;
use agio_core::{Error, Platform, Result, Timestamp, Tx, hex};
use arc_swap::{ArcSwap, ArcSwapOption};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

pub use accent::{Color, DEFAULT_ACCENT, INK, Theme, WHITE};
pub use days::DayPeriod;
pub use icons::{CurrencyIcons, ICON_BYTES_MAX};
pub use market_parts::{BrandFilesPart, BrandPart};
pub use model::{Brand, BrandLink, BrandLinkKind, LINKS_MAX, NAME_MAX, Typeface, check_name, is_https};
pub use schedule::{WorkDay, WorkStatus, WorkWeek};
pub use store::STATEMENTS;

pub const DICTIONARY: Dictionary = agio_core::dictionary!();

/// Maximum size of a file, in bytes.
pub const FILE_BYTES_MAX: usize = 512 * 1024;

/// The name of the logo as pages and emails show it.
pub const LOGO: &str = "logo.png";

const SITE_NAME: &str = "site.name";
const SUPPORT_EMAIL: &str = "site.support_email";
const LANGUAGES: &str = "site.languages";

agio_core::named! {
    /// A picture that an owner uploads.
    BrandFileKind {
        /// The mark at the top of every page.
        Logo = "logo",
        /// The square picture of the browser tab and the home screen. Without it they show the logo.
        Icon = "icon",
        /// The picture that messengers show with a link.
        Card = "card",
    }
}

/// A picture in the size it is served in.
#[derive(Clone, Debug)]
pub struct BrandFile {
    pub kind: BrandFileKind,
    /// Unique: `logo.png`.
    pub name: String,
    pub media_type: String,
    /// Of the content.
    pub digest: String,
    pub content: Arc<[u8]>,
}

impl BrandFile {
    pub fn new(kind: BrandFileKind, name: &str, media_type: &str, content: Vec<u8>) -> Self {
        let digest = hex::encode(&Sha256::digest(&content)[..8]);
        Self { kind, name: name.to_owned(), media_type: media_type.to_owned(), digest, content: content.into() }
    }

    /// The path it is served at. Another content has another path.
    pub fn path(&self) -> String {
        format!("/brand/{}?v={}", self.name, self.digest)
    }
}

/// The brand that is in force.
#[derive(Debug, Default)]
pub struct CurrentBrand {
    /// Changes with the files as well.
    pub revision: i64,
    pub brand: Brand,
    pub files: Vec<BrandFile>,
}

impl CurrentBrand {
    pub fn file(&self, name: &str) -> Option<&BrandFile> {
        self.files.iter().find(|file| file.name == name)
    }
}

/// A change of everything but the files.
#[derive(Clone, Debug)]
pub struct BrandUpdate {
    /// The revision the change was made on.
    pub revision: i64,
    pub site_name: String,
    pub support_email: String,
    /// The value of the setting.
    pub languages: String,
    pub brand: Brand,
}

/// Reads and changes the brand. Clones share the snapshot.
#[derive(Clone)]
pub struct Brands {
    platform: Platform,
    current: Arc<ArcSwap<CurrentBrand>>,
    work_status: Arc<ArcSwapOption<KnownWorkStatus>>,
    icons: Arc<ArcSwap<CurrencyIcons>>,
}

/// The status of a brand's working hours.
struct KnownWorkStatus {
    /// Of the brand.
    revision: i64,
    status: WorkStatus,
    known_until: Timestamp,
}

impl Brands {
    /// Call [`load`](Self::load) before serving.
    pub fn new(platform: &Platform) -> Self {
        Self { platform: platform.clone(), current: Arc::default(), work_status: Arc::default(), icons: Arc::default() }
    }

    pub fn current(&self) -> Arc<CurrentBrand> {
        self.current.load_full()
    }

    pub fn site_name(&self) -> String {
        self.platform.settings.text(SITE_NAME)
    }

    pub fn support_email(&self) -> String {
        self.platform.settings.text(SUPPORT_EMAIL)
    }

    /// Whether the working hours are running; `None` where the owner keeps none.
    pub fn work_status(&self) -> Option<WorkStatus> {
        let (current, now) = (self.current.load(), self.platform.clock.now());
        if current.brand.work_week.is_empty() {
            return None;
        }
        let is_known = |known: &&Arc<KnownWorkStatus>| known.revision == current.revision && now < known.known_until;
        if let Some(known) = self.work_status.load().as_ref().filter(is_known) {
            return Some(known.status.clone());
        }
        let (status, known_until) = current.brand.work_week.status(now)?;
        let known = KnownWorkStatus { revision: current.revision, status: status.clone(), known_until };
        self.work_status.store(Some(Arc::new(known)));
        Some(status)
    }

    /// The days from `from` to `to`, as `YYYY-MM-DD`, by the clock of the exchange. Without one of them it is the rest of
    /// the other's month, without both the current month.
    ///
    /// # Errors
    /// 422 `validation_failed` at `from` or `to`: `malformed_parameter`, or `period_too_long` for more than 366 days.
    pub fn days(&self, from: Option<&str>, to: Option<&str>) -> Result<DayPeriod> {
        DayPeriod::of(&self.current.load().brand.work_week.time_zone, from, to, self.platform.clock.now())
    }

    /// Today by the clock of the exchange.
    ///
    /// # Errors
    /// `internal` for a clock out of range.
    pub fn today(&self) -> Result<DayPeriod> {
        DayPeriod::today(&self.current.load().brand.work_week.time_zone, self.platform.clock.now())
    }

    /// Changes with everything that a page shows of the brand.
    pub fn number(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.current.load().revision, self.work_status(), self.site_name(), self.support_email()).hash(&mut hasher);
        hasher.finish()
    }

    /// Loads the brand.
    pub async fn load(&self) -> Result<()> {
        let mut tx = self.platform.db.read().await?;
        let (revision, brand) = store::get(&mut tx).await?;
        let files = store::files(&mut tx).await?;
        self.current.store(Arc::new(CurrentBrand { revision, brand, files }));
        drop(tx);
        self.load_icons().await
    }

    /// Loads what another process has changed, such as a command on the same database.
    pub async fn refresh(&self) -> Result<()> {
        let (revision, _) = store::get(&mut self.platform.db.read().await?).await?;
        if revision == self.current.load().revision { self.load_icons().await } else { self.finish().await }
    }

    /// Changes the name, the support address and the brand together.
    ///
    /// # Errors
    /// 422 `validation_failed` at the fields; 409 `brand_changed`.
    pub async fn update(&self, update: BrandUpdate, by: Actor) -> Result<()> {
        let update = Arc::new(BrandUpdate {
            site_name: update.site_name.trim().to_owned(),
            support_email: update.support_email.trim().to_owned(),
            brand: update.brand.trimmed(),
            ..update
        });
        let mut errors: Vec<_> = check_name("siteName", &update.site_name).into_iter().collect();
        if !is_email(&update.support_email) {
            errors.push(FieldError::new("supportEmail", "brand_email"));
        }
        errors.extend(update.brand.errors());
        if !errors.is_empty() {
            return Err(Error::invalid(errors));
        }
        let (platform, by) = (self.platform.clone(), Arc::new(by));
        let work = self.platform.db.write(move |tx| {
            let (platform, update, by) = (platform.clone(), update.clone(), by.clone());
            Box::pin(async move {
                let now = platform.clock.now();
                let (revision, before) = store::get(tx).await?;
                if revision != update.revision || !store::update(tx, revision, &update.brand).await? {
                    return Err(Error::conflict("brand_changed"));
                }
                let settings =
                    [(SITE_NAME, &update.site_name), (SUPPORT_EMAIL, &update.support_email), (LANGUAGES, &update.languages)];
                for (name, value) in settings {
                    // An address that nobody has set stays so: the set-up checklist asks for it.
                    if platform.settings.text(name) != *value {
                        platform.settings.put(tx, name, value, now, &by).await?;
                    }
                }
                let changes = audit::difference(&before, &update.brand)?;
                record(tx, &by, "brand.changed", changes, &platform).await
            })
        });
        work.await?;
        self.finish().await
    }

    pub async fn replace_files(&self, kind: BrandFileKind, files: Vec<BrandFile>, staff: &Staff) -> Result<()> {
        let (this, by, files) = (self.clone(), Arc::new(Actor::from(staff)), Arc::new(files));
        let work = self.platform.db.write(move |tx| {
            let (this, by, files) = (this.clone(), by.clone(), files.clone());
            Box::pin(async move { this.put_files(tx, kind, &files, &by).await })
        });
        work.await?;
        self.finish().await
    }

    async fn put_files(&self, tx: &mut Tx, kind: BrandFileKind, files: &[BrandFile], by: &Actor) -> Result<()> {
        store::count_revision(tx).await?;
        store::delete_files(tx, kind).await?;
        for file in files {
            store::insert_file(tx, file).await?;
        }
        let after = json!({ "kind": kind.name(), "files": files.iter().map(|file| &file.name).collect::<Vec<_>>() });
        record(tx, by, "brand.file_uploaded", (None, Some(after)), &self.platform).await
    }

    /// Deletes the files of a kind. Without any nothing happens.
    pub async fn delete_files(&self, kind: BrandFileKind, staff: &Staff) -> Result<()> {
        let (platform, by) = (self.platform.clone(), Arc::new(Actor::from(staff)));
        let work = self.platform.db.write(move |tx| {
            let (platform, by) = (platform.clone(), by.clone());
            Box::pin(async move {
                store::count_revision(tx).await?;
                if store::delete_files(tx, kind).await? == 0 {
                    return Ok(());
                }
                let before = json!({ "kind": kind.name() });
                record(tx, &by, "brand.file_deleted", (Some(before), None), &platform).await
            })
        });
        work.await?;
        self.finish().await
    }

    async fn finish(&self) -> Result<()> {
        self.load().await?;
        self.platform.events.publish(ChangeEvent::Settings);
        Ok(())
    }
}

async fn record(
    tx: &mut Tx,
    by: &Actor,
    action: &str,
    (before, after): (Option<Value>, Option<Value>),
    platform: &Platform,
) -> Result<()> {
    let entry = NewAuditEntry { by, action, about: "brand", id: "site".to_owned(), before, after };
    audit::record(tx, entry, platform.clock.now()).await
}

/// Whether customers could write to this address.
pub fn is_email(address: &str) -> bool {
    let is_plain = !address.contains(|c: char| c.is_control() || c.is_whitespace()) && address.chars().count() <= 254;
    is_plain && address.split_once('@').is_some_and(|(name, host)| !name.is_empty() && host.contains('.'))
}
