//! Settings an operator changes while the house runs.
//!
//! A module declares each setting with its kind and default; the operator's values are rows of the database, and
//! all readers see one immutable snapshot that is swapped after the change is durable.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use arc_swap::ArcSwap;
use serde_json::json;
use uuid::Uuid;

use crate::audit::{self, Entry};
use crate::clock::Timestamp;
use crate::db::{Db, Tx};
use crate::error::{Error, Result};
use crate::identity::{Actor, ActorKind};
use crate::networks::Networks;
use crate::{execute, fetch_all, fetch_optional};

crate::statements! {
    SETTING = "SELECT value FROM setting WHERE name = $1";
    SETTINGS = "SELECT name, value, changed_at, changed_by FROM setting";
    PUT_SETTING = "INSERT INTO setting (name, value, changed_at, changed_by) VALUES ($1, $2, $3, $4)
        ON CONFLICT (name) DO UPDATE SET value = excluded.value, changed_at = excluded.changed_at, changed_by = excluded.changed_by";
}

/// What values a setting takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingKind {
    /// `true` or `false`.
    Bool,
    /// A line of text of at most 500 characters; may be empty.
    Text,
    /// A whole number from the first to the second bound, both included.
    Int(i64, i64),
    /// A moment in RFC 3339, or empty for none.
    Moment,
    /// Addresses and networks, parted by commas; may be empty.
    Networks,
}

impl SettingKind {
    /// Whether `value` is one of this kind.
    #[must_use]
    pub fn accepts(self, value: &str) -> bool {
        match self {
            Self::Bool => matches!(value, "true" | "false"),
            Self::Text => value.chars().count() <= 500 && !value.chars().any(char::is_control),
            Self::Int(least, most) => value.parse().is_ok_and(|number| (least..=most).contains(&number)),
            Self::Networks => Self::Text.accepts(value) && Networks::parse(value).is_some(),
            Self::Moment => value.is_empty() || Timestamp::parse(value).is_ok(),
        }
    }
}

/// A setting as its module declares it. Its title and help are the texts `setting.NAME` and `setting.NAME.help`.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Unique name, `group.what`.
    pub name: &'static str,
    /// What values it takes.
    pub kind: SettingKind,
    /// What holds until an operator says otherwise.
    pub default: &'static str,
    /// Whether the settings screen shows it; technical mode, say, has a screen of its own.
    pub listed: bool,
}

impl Setting {
    /// A setting of this kind that the settings screen shows.
    #[must_use]
    pub const fn new(name: &'static str, kind: SettingKind, default: &'static str) -> Self {
        Self { name, kind, default, listed: true }
    }

    /// A whole number from `least` to `most`, both included.
    #[must_use]
    pub const fn number(name: &'static str, least: i64, most: i64, default: &'static str) -> Self {
        Self::new(name, SettingKind::Int(least, most), default)
    }

    /// Something that is on or off.
    #[must_use]
    pub const fn switch(name: &'static str, default: &'static str) -> Self {
        Self::new(name, SettingKind::Bool, default)
    }

    /// A line of text.
    #[must_use]
    pub const fn line(name: &'static str, default: &'static str) -> Self {
        Self::new(name, SettingKind::Text, default)
    }

    /// The same, kept off the settings screen.
    #[must_use]
    pub const fn unlisted(self) -> Self {
        Self { listed: false, ..self }
    }
}

/// A value an operator gave.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Given {
    /// The setting's name.
    pub name: String,
    /// The value as text.
    pub value: String,
    /// When it was given.
    pub changed_at: Timestamp,
    /// Which member of staff gave it; nothing for the installation itself.
    pub changed_by: Option<Uuid>,
}

/// The settings of the house. Clones share the snapshot.
#[derive(Clone, Default)]
pub struct Settings(Arc<Inner>);

#[derive(Default)]
struct Inner {
    declared: ArcSwap<BTreeMap<&'static str, Setting>>,
    given: ArcSwap<HashMap<String, Given>>,
}

impl Settings {
    /// Makes the modules' settings known.
    ///
    /// # Panics
    /// Two modules declare one name, or a default is not of its kind: faults of the program, found at start.
    pub fn declare(&self, settings: impl IntoIterator<Item = Setting>) {
        let mut declared = BTreeMap::new();
        for setting in settings {
            assert!(setting.kind.accepts(setting.default), "the default of {} is not of its kind", setting.name);
            assert!(declared.insert(setting.name, setting).is_none(), "{} is declared twice", setting.name);
        }
        self.0.declared.store(Arc::new(declared));
    }

    /// Every declared setting, by name.
    #[must_use]
    pub fn declared(&self) -> Vec<Setting> {
        self.0.declared.load().values().copied().collect()
    }

    /// What an operator gave for a setting.
    #[must_use]
    pub fn given(&self, name: &str) -> Option<Given> {
        self.0.given.load().get(name).cloned()
    }

    /// Reads the operator's values anew.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn load(&self, db: &Db) -> Result<()> {
        let mut tx = db.read().await?;
        let rows = fetch_all!(&mut tx, Given, SETTINGS)?;
        self.0.given.store(Arc::new(rows.into_iter().map(|given| (given.name.clone(), given)).collect()));
        Ok(())
    }

    /// The setting, if it takes this value.
    ///
    /// # Errors
    /// `setting_unknown`, or `setting_invalid` when the value is not of the setting's kind.
    pub fn check(&self, name: &str, value: &str) -> Result<Setting> {
        let declared = self.0.declared.load();
        let setting = declared.get(name).copied().ok_or_else(|| Error::unprocessable("setting_unknown"))?;
        if !setting.kind.accepts(value) {
            return Err(Error::unprocessable("validation_failed").at(name, "setting_invalid"));
        }
        Ok(setting)
    }

    /// Stores a value in the caller's transaction and writes that down in the audit log; readers see it once that is durable.
    ///
    /// # Errors
    /// `setting_unknown`, or `setting_invalid` when the value is not of the setting's kind.
    pub async fn put(&self, tx: &mut Tx, name: &str, value: &str, now: Timestamp, by: &Actor) -> Result<()> {
        let setting = self.check(name, value)?;
        let given = fetch_optional!(tx, (String,), SETTING, name)?.map(|(value,)| value);
        let before = given.unwrap_or_else(|| setting.default.to_owned());
        let staff = by.id.filter(|_| by.kind == ActorKind::Staff);
        execute!(tx, PUT_SETTING, name, value, now, staff)?;
        if before != value {
            let (before, after) = (Some(json!({ "value": before })), Some(json!({ "value": value })));
            audit::record(tx, Entry { by, action: "setting.changed", about: "setting", id: name.to_owned(), before, after }, now)
                .await?;
        }
        let given = Given { name: name.to_owned(), value: value.to_owned(), changed_at: now, changed_by: staff };
        let this = self.clone();
        tx.after_commit(move || {
            this.0.given.rcu(|before| {
                let mut after = HashMap::clone(before);
                after.insert(given.name.clone(), given.clone());
                after
            });
        });
        Ok(())
    }

    /// The value as text.
    ///
    /// # Panics
    /// No module declares the name: a fault of the program.
    #[must_use]
    pub fn text(&self, name: &str) -> String {
        if let Some(given) = self.0.given.load().get(name) {
            return given.value.clone();
        }
        let declared = self.0.declared.load();
        declared.get(name).unwrap_or_else(|| panic!("no module declares the setting {name}")).default.to_owned()
    }

    /// The value of a [`SettingKind::Bool`] setting.
    #[must_use]
    pub fn is_on(&self, name: &str) -> bool {
        self.text(name) == "true"
    }

    /// The value of a [`SettingKind::Int`] setting.
    #[must_use]
    pub fn int(&self, name: &str) -> i64 {
        self.text(name).parse().expect("the value was checked when it was given")
    }
}
