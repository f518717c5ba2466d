//! Settings and technical mode.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use agio_approvals::{ChangeOutcome, PendingApproval};
use agio_contracts::StaffLookup;
use agio_core::error::Params;
use agio_core::events::ChangeEvent;
use agio_core::identity::Actor;
use agio_core::settings::{Setting, SettingKind};
use agio_core::texts::{Locale, Texts};
use agio_core::{Error, Result, Timestamp};
use agio_http::{Accepted, ApiResult, DateTime, Either, JsonBody, JsonResponse, Nullable, StaffAuth, Visitor, body};
use poem_openapi::param::Query;
use poem_openapi::registry::{MetaSchema, MetaSchemaRef};
use poem_openapi::types::{Example, Type};
use poem_openapi::{Enum, OpenApi};
use serde::{Deserialize, Deserializer, Serialize};

use super::Tag;
use crate::settings::{TECH_ON, TECH_UNTIL, check, needs_confirmation};
use crate::{Calculator, SETTINGS_EDIT, SETTINGS_READ};

/// Value type of a setting.
#[derive(Clone, Copy, Debug, Serialize, Enum)]
#[serde(rename_all = "lowercase")]
#[oai(rename_all = "lowercase")]
enum SettingValueKind {
    /// `true` or `false`.
    Bool,
    /// One line of text.
    Text,
    /// An integer.
    Int,
    /// An RFC 3339 timestamp, or empty.
    Moment,
}

/// A setting with its value. Values are always text: `true`, `72`, `Agio`.
#[body(response)]
#[derive(Debug)]
struct SettingView {
    /// Name in the form `group.name`.
    key: String,
    /// First part of the name.
    group: String,
    /// Value type.
    kind: SettingValueKind,
    /// Current value.
    value: String,
    /// Default value.
    default: String,
    /// Range of an integer. Null for other types.
    range: Nullable<SettingRange>,
    /// Title in the request's language.
    title: String,
    /// Description in the request's language.
    help: String,
    /// When the value was set. Null for the default.
    updated_at: Nullable<DateTime>,
    /// Who set the value. Null for the system.
    updated_by: Nullable<String>,
}

/// Range of an integer, both ends included.
#[body(response)]
#[derive(Debug)]
struct SettingRange {
    /// Minimum.
    min: i64,
    /// Maximum.
    max: i64,
}

/// Technical mode. New claims are rejected while it is on.
#[body(shared, example)]
#[derive(Debug)]
struct TechnicalMode {
    /// Whether technical mode is on.
    on: bool,
    /// When the service is expected back. Null if unknown.
    time: Nullable<DateTime>,
}

impl Example for TechnicalMode {
    fn example() -> Self {
        Self { on: true, time: Nullable(Timestamp::parse("2024-03-28T15:00:00Z").ok().map(DateTime)) }
    }
}

/// A setting value in a request: text, a number or a boolean.
#[derive(Debug)]
struct SettingValue(String);

/// Values by setting name.
#[derive(Debug)]
struct SettingValues(BTreeMap<String, SettingValue>);

pub(super) struct SettingsAdminApi {
    pub(super) calculator: Arc<Calculator>,
    pub(super) texts: Arc<Texts>,
    pub(super) names: Arc<dyn StaffLookup>,
}

#[OpenApi(prefix_path = "/api/admin/v1", tag = "Tag::Settings")]
impl SettingsAdminApi {
    /// List settings
    ///
    /// All settings, by name. Needs `settings.read`.
    #[oai(path = "/settings", method = "get", operation_id = "listSettings")]
    async fn list_settings(&self, auth: StaffAuth, visitor: Visitor) -> ApiResult<JsonResponse<Vec<SettingView>>> {
        auth.require(SETTINGS_READ)?;
        Ok(JsonResponse(self.rows(visitor.locale).await?))
    }

    /// Update settings
    ///
    /// Takes an object of names and values and applies all of them or none. Needs `settings.edit` and a fresh second
    /// factor. Allowing arbitrage requires the setting's name in `confirm`: 422 `confirmation_needed` otherwise. While
    /// two-person approval is enabled, a change that may loosen the approval rules, or let the exchange pay more, skip a
    /// check or promise more of its reserve, creates one approval request for all values: 202. What makes a setting
    /// stricter does not wait.
    #[oai(path = "/settings", method = "put", operation_id = "updateSettings")]
    async fn update_settings(
        &self,
        auth: StaffAuth,
        visitor: Visitor,
        /// Name of the setting to confirm.
        confirm: Query<Option<String>>,
        values: JsonBody<SettingValues>,
    ) -> ApiResult<Either<JsonResponse<Vec<SettingView>>, PendingApproval>> {
        let staff = auth.require(SETTINGS_EDIT)?;
        auth.require_fresh()?;
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
        Ok(match self.calculator.update_settings(values, &staff).await? {
            ChangeOutcome::Applied(()) => Either::Left(JsonResponse(self.rows(visitor.locale).await?)),
            ChangeOutcome::PendingApproval(row) => {
                Either::Right(Accepted(self.calculator.approvals.show(*row, &staff, visitor.locale)))
            }
        })
    }

    /// Get technical mode
    ///
    /// Needs `settings.read`.
    #[oai(path = "/tech", method = "get", operation_id = "getTechnicalMode")]
    async fn get_technical_mode(&self, auth: StaffAuth) -> ApiResult<JsonResponse<TechnicalMode>> {
        auth.require(SETTINGS_READ)?;
        Ok(JsonResponse(self.technical_mode()))
    }

    /// Update technical mode
    ///
    /// New claims are rejected while it is on; open claims stay reachable and payable. Needs `settings.edit`.
    #[oai(path = "/tech", method = "put", operation_id = "updateTechnicalMode")]
    async fn update_technical_mode(
        &self,
        auth: StaffAuth,
        mode: JsonBody<TechnicalMode>,
    ) -> ApiResult<JsonResponse<TechnicalMode>> {
        let staff = auth.require(SETTINGS_EDIT)?;
        let until = mode.0.time.0.map(|time| time.0.to_string()).unwrap_or_default();
        let values = vec![(TECH_ON.to_owned(), mode.0.on.to_string()), (TECH_UNTIL.to_owned(), until)];
        self.calculator.put_settings(values, Actor::from(&staff)).await?;
        self.calculator.platform.events.publish(ChangeEvent::TechnicalMode(mode.0.on));
        Ok(JsonResponse(self.technical_mode()))
    }
}

impl SettingsAdminApi {
    fn listed(&self) -> Vec<Setting> {
        self.calculator.platform.settings.declared().into_iter().filter(|setting| setting.listed).collect()
    }

    fn technical_mode(&self) -> TechnicalMode {
        let (on, until) = crate::settings::technical_mode(&self.calculator.platform.settings);
        TechnicalMode { on, time: Nullable(until.map(DateTime)) }
    }

    async fn rows(&self, locale: Locale) -> Result<Vec<SettingView>> {
        let mut rows = Vec::new();
        for setting in self.listed() {
            rows.push(self.row(setting, locale).await?);
        }
        Ok(rows)
    }

    async fn row(&self, setting: Setting, locale: Locale) -> Result<SettingView> {
        let settings = &self.calculator.platform.settings;
        let given = settings.stored(setting.name);
        let updated_by = match given.as_ref().and_then(|given| given.changed_by) {
            Some(id) => self.names.name(id).await?,
            None => None,
        };
        let text = |key: String| self.texts.get(locale, &key, &Params::new());
        let (kind, range) = match setting.kind {
            SettingKind::Bool => (SettingValueKind::Bool, None),
            SettingKind::Text | SettingKind::Networks => (SettingValueKind::Text, None),
            SettingKind::Int(min, max) => (SettingValueKind::Int, Some(SettingRange { min, max })),
            SettingKind::DateTime => (SettingValueKind::Moment, None),
        };
        Ok(SettingView {
            key: setting.name.to_owned(),
            group: setting.name.split('.').next().unwrap_or_default().to_owned(),
            kind,
            value: settings.text(setting.name),
            default: setting.default.to_owned(),
            range: Nullable(range),
            title: text(format!("setting.{}", setting.name)),
            help: text(format!("setting.{}.help", setting.name)),
            updated_at: Nullable(given.map(|given| DateTime(given.changed_at))),
            updated_by: Nullable(updated_by),
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

/// Documented as an object with text values; numbers and booleans are accepted too.
impl Type for SettingValues {
    agio_http::one_value!();

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
}
