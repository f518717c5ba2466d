//! Settings that an operator changes at run time.
//!
//! A module declares each setting with its kind and default. The operator's values are stored in the database, and all
//! readers see one immutable snapshot that is swapped after the commit of a change.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use arc_swap::ArcSwap;
use serde_json::json;
use uuid::Uuid;

use crate::audit::{self, NewAuditEntry};
use crate::clock::Timestamp;
use crate::db::{Db, Tx};
use crate::error::{Error, Result};
use crate::identity::{Actor, AuditActorKind};
use crate::networks::Networks;
use crate::{execute, fetch_all, fetch_optional};

crate::statements! {
    SETTING = "SELECT value FROM setting WHERE name = $1";
    SETTINGS = "SELECT name, value, changed_at, changed_by FROM setting";
    PUT_SETTING = "INSERT INTO setting (name, value, changed_at, changed_by) VALUES ($1, $2, $3, $4)
        ON CONFLICT (name) DO UPDATE SET value = excluded.value, changed_at = excluded.changed_at, changed_by = excluded.changed_by";
}

/// The values a setting takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingKind {
    /// `true` or `false`.
    Bool,
    /// A line of at most 500 characters; may be empty.
    Text,
    /// An integer within both bounds, inclusive.
    Int(i64, i64),
    /// An RFC 3339 date and time, or empty.
    DateTime,
    /// Comma-separated addresses and networks; may be empty.
    Networks,
}

impl SettingKind {
    #[must_use]
    pub fn accepts(self, value: &str) -> bool {
        match self {
            Self::Bool => matches!(value, "true" | "false"),
            Self::Text => value.chars().count() <= 500 && !value.chars().any(char::is_control),
            Self::Int(least, most) => value.parse().is_ok_and(|number| (least..=most).contains(&number)),
            Self::Networks => Self::Text.accepts(value) && Networks::parse(value).is_some(),
            Self::DateTime => value.is_empty() || Timestamp::parse(value).is_ok(),
        }
    }
}

/// Which changes of a setting may let the exchange pay more, skip a check or promise more of its reserve. They need a second
/// person while the two-person rule is on; others do not wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingGuard {
    /// All: no direction is safe for certain.
    AnyChange,
    /// Higher numbers; on.
    Raising,
    /// The same where 0 is no limit, and so the highest.
    RaisingToZero,
    /// Lower numbers; off.
    Lowering,
    /// The same where 0 is never, and so the highest.
    LoweringFromZero,
}

impl SettingGuard {
    /// What is compared; `None` for what is no number and no switch.
    fn rank(self, value: &str) -> Option<i64> {
        let number = match value {
            "true" => 1,
            "false" => 0,
            number => number.parse().ok()?,
        };
        let is_highest = number == 0 && matches!(self, Self::RaisingToZero | Self::LoweringFromZero);
        Some(if is_highest { i64::MAX } else { number })
    }
}

/// A setting as its module declares it. Its title and help are the texts `setting.NAME` and `setting.NAME.help`.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Unique: `group.name`.
    pub name: &'static str,
    pub kind: SettingKind,
    pub default: &'static str,
    /// Whether the settings screen shows it. Technical mode, for example, has its own screen.
    pub listed: bool,
    /// `None` for a setting that one person may change.
    pub guard: Option<SettingGuard>,
}

impl Setting {
    #[must_use]
    pub const fn new(name: &'static str, kind: SettingKind, default: &'static str) -> Self {
        Self { name, kind, default, listed: true, guard: None }
    }

    /// An integer from `least` to `most`, inclusive.
    #[must_use]
    pub const fn number(name: &'static str, least: i64, most: i64, default: &'static str) -> Self {
        Self::new(name, SettingKind::Int(least, most), default)
    }

    #[must_use]
    pub const fn switch(name: &'static str, default: &'static str) -> Self {
        Self::new(name, SettingKind::Bool, default)
    }

    #[must_use]
    pub const fn line(name: &'static str, default: &'static str) -> Self {
        Self::new(name, SettingKind::Text, default)
    }

    /// Keeps the setting off the settings screen.
    #[must_use]
    pub const fn unlisted(self) -> Self {
        Self { listed: false, ..self }
    }

    #[must_use]
    pub const fn guarded(self, guard: SettingGuard) -> Self {
        Self { guard: Some(guard), ..self }
    }

    /// Whether its guard is for a change. A value that cannot be compared is never the safer one.
    #[must_use]
    pub fn is_loosened_by(&self, before: &str, after: &str) -> bool {
        let Some(guard) = self.guard.filter(|_| before != after) else { return false };
        let (Some(before), Some(after)) = (guard.rank(before), guard.rank(after)) else { return true };
        match guard {
            SettingGuard::AnyChange => true,
            SettingGuard::Raising | SettingGuard::RaisingToZero => after > before,
            SettingGuard::Lowering | SettingGuard::LoweringFromZero => after < before,
        }
    }
}

/// An operator's value.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct StoredSetting {
    pub name: String,
    pub value: String,
    pub changed_at: Timestamp,
    /// The staff member; `None` for the installation itself.
    pub changed_by: Option<Uuid>,
}

/// The current values. Clones share the snapshot.
#[derive(Clone, Default)]
pub struct Settings(Arc<Inner>);

#[derive(Default)]
struct Inner {
    declared: ArcSwap<BTreeMap<&'static str, Setting>>,
    stored: ArcSwap<HashMap<String, StoredSetting>>,
}

impl Settings {
    /// Declares the modules' settings.
    ///
    /// # Panics
    /// Two settings have the same name, or a default is not of its kind.
    pub fn declare(&self, settings: impl IntoIterator<Item = Setting>) {
        let mut declared = BTreeMap::new();
        for setting in settings {
            assert!(setting.kind.accepts(setting.default), "the default of {} is not of its kind", setting.name);
            assert!(declared.insert(setting.name, setting).is_none(), "{} is declared twice", setting.name);
        }
        self.0.declared.store(Arc::new(declared));
    }

    /// All declared settings by name.
    #[must_use]
    pub fn declared(&self) -> Vec<Setting> {
        self.0.declared.load().values().copied().collect()
    }

    /// The operator's value.
    #[must_use]
    pub fn stored(&self, name: &str) -> Option<StoredSetting> {
        self.0.stored.load().get(name).cloned()
    }

    /// Reloads the operator's values.
    pub async fn load(&self, db: &Db) -> Result<()> {
        let mut tx = db.read().await?;
        let rows = fetch_all!(&mut tx, StoredSetting, SETTINGS)?;
        self.0.stored.store(Arc::new(rows.into_iter().map(|stored| (stored.name.clone(), stored)).collect()));
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

    /// Stores a value with its audit entry in the caller's transaction. Readers see it after the commit.
    ///
    /// # Errors
    /// `setting_unknown`, or `setting_invalid` when the value is not of the setting's kind.
    pub async fn put(&self, tx: &mut Tx, name: &str, value: &str, now: Timestamp, by: &Actor) -> Result<()> {
        let setting = self.check(name, value)?;
        let stored = fetch_optional!(tx, (String,), SETTING, name)?.map(|(value,)| value);
        let before = stored.unwrap_or_else(|| setting.default.to_owned());
        let staff = by.id.filter(|_| by.kind == AuditActorKind::Staff);
        execute!(tx, PUT_SETTING, name, value, now, staff)?;
        if before != value {
            let (before, after) = (Some(json!({ "value": before })), Some(json!({ "value": value })));
            audit::record(
                tx,
                NewAuditEntry { by, action: "setting.changed", about: "setting", id: name.to_owned(), before, after },
                now,
            )
            .await?;
        }
        let stored = StoredSetting { name: name.to_owned(), value: value.to_owned(), changed_at: now, changed_by: staff };
        let this = self.clone();
        tx.after_commit(move || {
            this.0.stored.rcu(|before| {
                let mut after = HashMap::clone(before);
                after.insert(stored.name.clone(), stored.clone());
                after
            });
        });
        Ok(())
    }

    /// The value as text, as the caller's transaction sees it: memory may be some seconds behind.
    ///
    /// # Panics
    /// The setting is not declared.
    pub async fn text_in(&self, tx: &mut Tx, name: &str) -> Result<String> {
        let stored = fetch_optional!(tx, (String,), SETTING, name)?;
        Ok(stored.map_or_else(|| self.default_of(name).to_owned(), |(value,)| value))
    }

    fn default_of(&self, name: &str) -> &'static str {
        let declared = self.0.declared.load();
        declared.get(name).unwrap_or_else(|| panic!("no module declares the setting {name}")).default
    }

    /// Reads the value where it is.
    fn read<T>(&self, name: &str, read: impl FnOnce(&str) -> T) -> T {
        match self.0.stored.load().get(name) {
            Some(stored) => read(&stored.value),
            None => read(self.default_of(name)),
        }
    }

    /// The value as text.
    ///
    /// # Panics
    /// The setting is not declared.
    #[must_use]
    pub fn text(&self, name: &str) -> String {
        self.read(name, str::to_owned)
    }

    /// The value of a [`SettingKind::Bool`] setting.
    #[must_use]
    pub fn is_on(&self, name: &str) -> bool {
        self.read(name, |text| text == "true")
    }

    /// The value of a [`SettingKind::Int`] setting.
    #[must_use]
    pub fn int(&self, name: &str) -> i64 {
        self.read(name, |text| text.parse().expect("the value was checked when it was stored"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guard_is_for_its_direction() {
        let loosens = |guard, before, after| Setting::line("a.b", "").guarded(guard).is_loosened_by(before, after);
        for guard in [SettingGuard::Raising, SettingGuard::RaisingToZero] {
            assert!(loosens(guard, "9", "10") && !loosens(guard, "10", "9") && !loosens(guard, "10", "10"), "{guard:?}");
        }
        for guard in [SettingGuard::Lowering, SettingGuard::LoweringFromZero] {
            assert!(loosens(guard, "10", "9") && !loosens(guard, "9", "10") && !loosens(guard, "10", "10"), "{guard:?}");
        }
        assert!(loosens(SettingGuard::Raising, "false", "true") && !loosens(SettingGuard::Raising, "true", "false"));
        assert!(loosens(SettingGuard::Lowering, "true", "false") && !loosens(SettingGuard::Lowering, "false", "true"));
        assert!(loosens(SettingGuard::Raising, "0", "1") && !loosens(SettingGuard::Raising, "1", "0"));
        assert!(loosens(SettingGuard::RaisingToZero, "1", "0") && !loosens(SettingGuard::RaisingToZero, "0", "1"));
        assert!(loosens(SettingGuard::LoweringFromZero, "0", "1") && !loosens(SettingGuard::LoweringFromZero, "1", "0"));
        assert!(loosens(SettingGuard::AnyChange, "1", "2") && loosens(SettingGuard::AnyChange, "2", "1"));
        assert!(loosens(SettingGuard::Raising, "2024-03-28", "") && !loosens(SettingGuard::Raising, "", ""));
        assert!(!Setting::line("a.b", "").is_loosened_by("1", "2"));
    }
}
