//! Settings of the whole house, and technical mode.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use agio_approvals::{Done, Proposed};
use agio_core::error::Params;
use agio_core::identity::Actor;
use agio_core::live::Notice;
use agio_core::needs::StaffNames;
use agio_core::settings::{Setting, SettingKind};
use agio_core::texts::{Locale, Texts};
use agio_core::{Error, Result, Timestamp};
use agio_http::{Accepted, Answer, Either, Input, Moment, Null, Outcome, StaffAuth, Visitor};
use poem_openapi::param::Query;
use poem_openapi::registry::{MetaSchema, MetaSchemaRef};
use poem_openapi::types::{Example, Type};
use poem_openapi::{Enum, Object, OpenApi};
use serde::{Deserialize, Deserializer, Serialize};

use super::Tag;
use crate::settings::{TECH_ON, TECH_UNTIL, check, is_guard, needs_confirmation};
use crate::{Calculator, SETTINGS_EDIT, SETTINGS_READ};

/// What values a setting takes.
#[derive(Clone, Copy, Debug, Serialize, Enum)]
#[serde(rename_all = "lowercase")]
#[oai(rename_all = "lowercase")]
enum SettingsKind {
    /// `true` or `false`.
    Bool,
    /// A line of text.
    Text,
    /// A whole number.
    Int,
    /// A moment in RFC 3339, or empty.
    Moment,
}

/// A setting with its value. Values are text whatever the kind: `true`, `72`, `Agio`.
#[derive(Debug, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
struct SettingsRow {
    /// Its name, `group.what`.
    key: String,
    /// The first part of its name.
    group: String,
    /// What values it takes.
    kind: SettingsKind,
    /// The value that holds.
    value: String,
    /// The value that holds until another is given.
    default: String,
    /// Least and greatest value of a whole number; null for other kinds.
    range: Null<SettingsRange>,
    /// What it is called, in the language of the console.
    title: String,
    /// What it does.
    help: String,
    /// When the value was given; null while the default holds.
    updated_at: Null<Moment>,
    /// Who gave it; null for the installation itself.
    updated_by: Null<String>,
}

/// Bounds of a whole number, both included.
#[derive(Debug, Serialize, Object)]
struct SettingsRange {
    /// The least value.
    min: i64,
    /// The greatest value.
    max: i64,
}

/// Technical mode: while it is on new claims are refused.
#[derive(Debug, Deserialize, Serialize, Object)]
#[serde(deny_unknown_fields)]
#[oai(deny_unknown_fields, example)]
struct TechnicalMode {
    /// Whether it is on.
    on: bool,
    /// When service is expected back; null while nobody knows.
    time: Null<Moment>,
}

impl Example for TechnicalMode {
    fn example() -> Self {
        Self { on: true, time: Null(Timestamp::parse("2024-03-28T15:00:00Z").ok().map(Moment)) }
    }
}

/// The value of a setting as it is sent: text, a number, or true or false.
#[derive(Debug)]
struct SettingValue(String);

/// Values by the names of their settings.
#[derive(Debug)]
struct SettingValues(BTreeMap<String, SettingValue>);

pub(super) struct SettingsDesk {
    pub(super) calculator: Arc<Calculator>,
    pub(super) texts: Arc<Texts>,
    pub(super) names: Arc<dyn StaffNames>,
}

#[OpenApi(prefix_path = "/api/admin/v1", tag = "Tag::Settings")]
impl SettingsDesk {
    /// Settings
    ///
    /// Of the whole house, by name. Needs `settings.read`.
    #[oai(path = "/settings", method = "get", operation_id = "listSettings")]
    async fn list(&self, auth: StaffAuth, visitor: Visitor) -> Outcome<Answer<Vec<SettingsRow>>> {
        auth.may(SETTINGS_READ)?;
        Ok(Answer(self.rows(visitor.locale).await?))
    }

    /// Change settings
    ///
    /// An object of names and values; all of them are taken or none. Needs `settings.edit`, and a fresh second factor where one of them is a
    /// rule of four eyes, the bound of large rate changes or leaves round trips that gain open. The last is switched on only with its name in
    /// `confirm`: 422 `confirmation_needed` otherwise. While the four-eyes rule holds, a change that touches the rule or its
    /// limits is proposed as a whole: 202.
    #[oai(path = "/settings", method = "put", operation_id = "changeSettings")]
    async fn change(
        &self,
        auth: StaffAuth,
        visitor: Visitor,
        /// The name of a setting that has to be confirmed.
        confirm: Query<Option<String>>,
        values: Input<SettingValues>,
    ) -> Outcome<Either<Answer<Vec<SettingsRow>>, Proposed>> {
        let staff = auth.may(SETTINGS_EDIT)?;
        if values.0.0.keys().any(|name| is_guard(name)) {
            auth.require_fresh()?;
        }
        let values: Vec<(String, String)> = values.0.0.into_iter().map(|(name, value)| (name, value.0)).collect();
        let listed = self.listed();
        for (name, value) in &values {
            if !listed.iter().any(|setting| setting.name == name) {
                return Err(Error::unprocessable("validation_failed").at(name, "setting_unknown").into());
            }
            check(name, value)?;
            if needs_confirmation(name, value) && confirm.0.as_ref() != Some(name) {
                return Err(Error::unprocessable("confirmation_needed").at(name, "confirmation_needed").into());
            }
        }
        Ok(match self.calculator.change_settings(values, &staff).await? {
            Done::Now(()) => Either::This(Answer(self.rows(visitor.locale).await?)),
            Done::Proposed(row) => Either::That(Accepted(self.calculator.approvals.show(*row, &staff, visitor.locale))),
        })
    }

    /// Technical mode
    ///
    /// Needs `settings.read`.
    #[oai(path = "/tech", method = "get", operation_id = "getTechnicalMode")]
    async fn tech(&self, auth: StaffAuth) -> Outcome<Answer<TechnicalMode>> {
        auth.may(SETTINGS_READ)?;
        Ok(Answer(self.technical_mode()))
    }

    /// Switch technical mode
    ///
    /// New claims are refused while it is on; open ones stay reachable and payable. Needs `settings.edit`.
    #[oai(path = "/tech", method = "put", operation_id = "setTechnicalMode")]
    async fn switch(&self, auth: StaffAuth, mode: Input<TechnicalMode>) -> Outcome<Answer<TechnicalMode>> {
        let staff = auth.may(SETTINGS_EDIT)?;
        let until = mode.0.time.0.map(|time| time.0.to_string()).unwrap_or_default();
        let values = vec![(TECH_ON.to_owned(), mode.0.on.to_string()), (TECH_UNTIL.to_owned(), until)];
        self.calculator.put_settings(values, Actor::from(&staff)).await?;
        self.calculator.platform.live.tell(Notice::TechnicalMode(mode.0.on));
        Ok(Answer(self.technical_mode()))
    }
}

impl SettingsDesk {
    fn listed(&self) -> Vec<Setting> {
        self.calculator.platform.settings.declared().into_iter().filter(|setting| setting.listed).collect()
    }

    fn technical_mode(&self) -> TechnicalMode {
        let (on, until) = crate::settings::technical_mode(&self.calculator.platform.settings);
        TechnicalMode { on, time: Null(until.map(Moment)) }
    }

    async fn rows(&self, locale: Locale) -> Result<Vec<SettingsRow>> {
        let mut rows = Vec::new();
        for setting in self.listed() {
            rows.push(self.row(setting, locale).await?);
        }
        Ok(rows)
    }

    async fn row(&self, setting: Setting, locale: Locale) -> Result<SettingsRow> {
        let settings = &self.calculator.platform.settings;
        let given = settings.given(setting.name);
        let updated_by = match given.as_ref().and_then(|given| given.changed_by) {
            Some(id) => self.names.name(id).await?,
            None => None,
        };
        let text = |key: String| self.texts.get(locale, &key, &Params::new());
        let (kind, range) = match setting.kind {
            SettingKind::Bool => (SettingsKind::Bool, None),
            SettingKind::Text | SettingKind::Networks => (SettingsKind::Text, None),
            SettingKind::Int(min, max) => (SettingsKind::Int, Some(SettingsRange { min, max })),
            SettingKind::Moment => (SettingsKind::Moment, None),
        };
        Ok(SettingsRow {
            key: setting.name.to_owned(),
            group: setting.name.split('.').next().unwrap_or_default().to_owned(),
            kind,
            value: settings.text(setting.name),
            default: setting.default.to_owned(),
            range: Null(range),
            title: text(format!("setting.{}", setting.name)),
            help: text(format!("setting.{}.help", setting.name)),
            updated_at: Null(given.map(|given| Moment(given.changed_at))),
            updated_by: Null(updated_by),
        })
    }
}

impl<'de> Deserialize<'de> for SettingValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match serde_json::Value::deserialize(deserializer)? {
            serde_json::Value::String(text) => Ok(Self(text)),
            serde_json::Value::Bool(flag) => Ok(Self(flag.to_string())),
            serde_json::Value::Number(number) => Ok(Self(number.to_string())),
            _ => Err(serde::de::Error::custom("a setting is text, a number, or true or false")),
        }
    }
}

impl<'de> Deserialize<'de> for SettingValues {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        BTreeMap::deserialize(deserializer).map(Self)
    }
}

/// Described as an object whose values are text; numbers, true and false are taken too.
impl Type for SettingValues {
    const IS_REQUIRED: bool = true;
    type RawValueType = Self;
    type RawElementValueType = Self;

    fn name() -> Cow<'static, str> {
        "SettingValues".into()
    }

    fn schema_ref() -> MetaSchemaRef {
        MetaSchemaRef::Inline(Box::new(MetaSchema {
            additional_properties: Some(Box::new(String::schema_ref())),
            example: Some(serde_json::json!({ "site.name": "Agio" })),
            ..MetaSchema::new("object")
        }))
    }

    fn as_raw_value(&self) -> Option<&Self> {
        Some(self)
    }

    fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a Self> + 'a> {
        Box::new(std::iter::once(self))
    }
}
