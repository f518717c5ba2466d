//! Differences between the supported protocol versions.

use agio_plugin_sdk::protocol::{
    Action, AllowedHost, Call, HttpMethod, LocalizedText, Manifest, PROTOCOL, PluginLimits, PluginRequest, PluginResponse, json,
};
use agio_plugin_sdk::protocol::{PluginKind, PluginSetting};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProtocolVersion {
    /// Version 1: no stored values, no files, GET requests only.
    V1,
    /// The current version, as in the SDK.
    V2,
}

#[derive(Deserialize)]
struct ManifestV1 {
    name: String,
    version: String,
    kind: PluginKind,
    title: LocalizedText,
    about: LocalizedText,
    #[serde(default)]
    hosts: Vec<String>,
    #[serde(default)]
    settings: Vec<PluginSetting>,
    #[serde(default)]
    limits: PluginLimits,
}

impl ProtocolVersion {
    /// # Errors
    /// The version is not supported.
    pub fn from_number(protocol: u32) -> Result<Self, String> {
        match protocol {
            PROTOCOL => Ok(Self::V2),
            1 => Ok(Self::V1),
            _ => Err(format!("protocol version {protocol} is not supported")),
        }
    }

    /// Parses and validates a manifest.
    ///
    /// # Errors
    /// Why it is invalid.
    pub fn parse_manifest(self, manifest: &RawValue) -> Result<Manifest, String> {
        let unread = |error: serde_json::Error| format!("its manifest is invalid: {error}");
        let manifest = match self {
            Self::V2 => json::read(manifest.get().as_bytes()).map_err(unread)?,
            Self::V1 => {
                let first: ManifestV1 = json::read(manifest.get().as_bytes()).map_err(unread)?;
                let hosts = first.hosts.into_iter().map(|origin| AllowedHost::Origin { origin, methods: vec![HttpMethod::Get] });
                Manifest {
                    name: first.name,
                    version: first.version,
                    kind: first.kind,
                    title: first.title,
                    about: first.about,
                    hosts: hosts.collect(),
                    settings: first.settings,
                    limits: first.limits,
                    features: Vec::new(),
                }
            }
        };
        manifest.validate().map_err(|why| format!("its manifest is invalid: {why}"))?;
        Ok(manifest)
    }

    /// Encodes a request; `None` if this version does not have the call.
    pub fn encode_request(self, request: &PluginRequest) -> Option<Box<RawValue>> {
        let mut bytes = json::write(request);
        if self == Self::V1 {
            if matches!(request.call, Call::ReadFile(_)) {
                return None;
            }
            let mut value: Value = serde_json::from_slice(&bytes).ok()?;
            value.as_object_mut()?.remove("kept");
            bytes = json::write(&value);
        }
        RawValue::from_string(String::from_utf8(bytes).ok()?).ok()
    }

    /// Parses a response.
    ///
    /// # Errors
    /// It is not valid in this version.
    pub fn parse_response(self, response: &RawValue) -> Result<PluginResponse, String> {
        let response: PluginResponse = json::read(response.get().as_bytes()).map_err(|error| error.to_string())?;
        let stores = matches!(&response, PluginResponse::Needs { actions, .. } if actions.iter().any(|action| matches!(action, Action::Store { .. })));
        if stores && self == Self::V1 { Err("protocol version 1 has no stored values".to_owned()) } else { Ok(response) }
    }
}
