//! The problem codes that each operation can give.
//!
//! Tests record them in `openapi/problem-codes.json`. Codes that middleware gives are not recorded: they follow from
//! what an operation declares.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use super::paths::PathTemplates;

/// Codes by HTTP status.
pub type Codes = BTreeMap<u16, BTreeSet<String>>;

/// Recorded codes by operation id. An operation that is not in it was not recorded yet.
pub type RecordedCodes = BTreeMap<String, Codes>;

const RECORDED: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../openapi/problem-codes.json"));

/// The recorded codes of all operations.
pub fn recorded() -> RecordedCodes {
    serde_json::from_str(RECORDED).expect("openapi/problem-codes.json has codes by status by operation")
}

/// What an operation declares, as far as it decides which codes middleware gives.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Operation {
    operation_id: String,
    #[serde(default)]
    security: Vec<BTreeMap<String, IgnoredAny>>,
    #[serde(default)]
    parameters: Vec<Parameter>,
    request_body: Option<RequestBody>,
}

#[derive(Debug, Deserialize)]
struct Parameter {
    #[serde(default)]
    name: String,
    #[serde(default, rename = "in")]
    place: String,
    #[serde(default, rename = "$ref")]
    reference: String,
}

#[derive(Debug, Deserialize)]
struct RequestBody {
    content: BTreeMap<String, IgnoredAny>,
}

/// The codes of the middleware.
fn common(path: &str, operation: &Operation) -> Codes {
    let is_in_url = |parameter: &Parameter| matches!(parameter.place.as_str(), "path" | "query");
    let is_key = |parameter: &Parameter| parameter.name == super::KEY || parameter.reference == super::KEY_REFERENCE;
    let takes = |media_type: &str| operation.request_body.as_ref().is_some_and(|body| body.content.contains_key(media_type));
    let needs = |scheme: &str| operation.security.iter().any(|schemes| schemes.contains_key(scheme));
    let takes_form = takes("multipart/form-data");
    // A customer's token is verified wherever it is sent, except for signing in with an expired one.
    let reads_customer_token = ["/api/v1/", "/export/", "/.well-known/"].iter().any(|prefix| path.starts_with(prefix));
    let rules: [(bool, &[(u16, &str)]); 9] = [
        (true, &[(429, "too_many_requests"), (500, "internal"), (503, "overloaded"), (503, "storage_unavailable")]),
        (operation.parameters.iter().any(is_in_url) || needs("PartnerAuth"), &[(400, "malformed_parameter")]),
        (takes("application/json") || takes_form, &[(400, "malformed_body"), (413, "too_large"), (415, "unsupported_media")]),
        (takes_form, &[(422, "validation_failed"), (429, "too_many_uploads"), (503, "uploads_busy")]),
        (
            operation.parameters.iter().any(is_key),
            &[(409, "idempotency_in_progress"), (422, "idempotency_key_invalid"), (422, "idempotency_mismatch")],
        ),
        (reads_customer_token || needs("StaffAuth") || needs("StaffSetupAuth"), &[(401, "token_not_valid")]),
        (needs("StaffAuth"), &[(403, "second_factor_setup_needed")]),
        (
            needs("PartnerAuth") || needs("TrusteeAuth"),
            &[(401, "signature_invalid"), (401, "signature_stale"), (403, "address_not_allowed")],
        ),
        (needs("PartnerAuth"), &[(401, "nonce_reused")]),
    ];
    let mut codes = Codes::new();
    for (status, code) in rules.into_iter().filter(|(applies, _)| *applies).flat_map(|(_, codes)| codes) {
        codes.entry(*status).or_default().insert((*code).to_owned());
    }
    codes
}

/// Removes the error responses that an operation cannot give, and lists the codes of the others.
pub(super) fn declare(path: &str, operation: &mut Value, recorded: &RecordedCodes) {
    let declared = Operation::deserialize(&*operation).expect("the framework writes operations");
    let Some(own) = recorded.get(&declared.operation_id) else { return };
    let mut codes = common(path, &declared);
    for (status, own) in own {
        codes.entry(*status).or_default().extend(own.iter().cloned());
    }
    let Some(responses) = operation["responses"].as_object_mut() else { return };
    responses.retain(|status, _| status.parse().is_ok_and(|status: u16| status < 400 || codes.contains_key(&status)));
    if responses.values().any(|response| response["content"].get(super::PROBLEM).is_some()) {
        operation["x-problem-codes"] = json!(codes);
    }
}

/// The operations of published documents, by method and path.
pub struct PublishedOperations(PathTemplates<BTreeMap<String, PublishedOperation>>);

pub struct PublishedOperation {
    pub id: String,
    /// The codes that are not recorded, because middleware gives them.
    pub common: Codes,
}

#[derive(Deserialize)]
struct Document {
    paths: BTreeMap<String, BTreeMap<String, Operation>>,
}

impl PublishedOperations {
    /// Reads documents.
    ///
    /// # Errors
    /// If one is no OpenAPI document.
    pub fn read(documents: &[String]) -> serde_json::Result<Self> {
        let mut operations = Vec::new();
        for document in documents {
            for (path, methods) in serde_json::from_str::<Document>(document)?.paths {
                let published = |(method, operation): (String, Operation)| {
                    (method, PublishedOperation { common: common(&path, &operation), id: operation.operation_id })
                };
                operations.push((path.clone(), methods.into_iter().map(published).collect()));
            }
        }
        Ok(Self(operations.into_iter().collect()))
    }

    pub fn find(&self, method: &str, path: &str) -> Option<&PublishedOperation> {
        self.0.find(path)?.get(&method.to_lowercase())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(codes: &[(u16, &[&str])]) -> Codes {
        codes.iter().map(|(status, codes)| (*status, codes.iter().map(|code| (*code).to_owned()).collect())).collect()
    }

    #[test]
    fn recorded_codes_are_valid() {
        assert!(recorded().values().flat_map(Codes::keys).all(|status| (400..600).contains(status)));
    }

    #[test]
    fn operations_declare_what_they_can_give() {
        let problem = json!({ "content": { "application/problem+json": {} } });
        let mut operation = json!({
            "operationId": "getClaim",
            "security": [{ "StaffAuth": [] }],
            "parameters": [{ "name": "id", "in": "path" }],
            "responses": { "200": {}, "400": problem, "401": problem, "403": problem, "404": problem, "409": problem, "500": problem },
        });
        let recorded = RecordedCodes::from([("getClaim".to_owned(), codes(&[(403, &["forbidden"]), (404, &["not_found"])]))]);
        declare("/api/admin/v1/claims/{id}", &mut operation, &recorded);
        let statuses: Vec<_> = operation["responses"].as_object().unwrap().keys().cloned().collect();
        assert_eq!(statuses, ["200", "400", "401", "403", "404", "500"]);
        let declared: Codes = serde_json::from_value(operation["x-problem-codes"].clone()).unwrap();
        let expected: [(u16, &[&str]); 7] = [
            (400, &["malformed_parameter"]),
            (401, &["token_not_valid"]),
            (403, &["forbidden", "second_factor_setup_needed"]),
            (404, &["not_found"]),
            (429, &["too_many_requests"]),
            (500, &["internal"]),
            (503, &["overloaded", "storage_unavailable"]),
        ];
        assert_eq!(declared, codes(&expected));
    }

    #[test]
    fn operations_that_were_not_recorded_keep_all_responses() {
        let before = json!({ "operationId": "getClaim", "responses": { "200": {}, "404": {} } });
        let mut operation = before.clone();
        declare("/api/admin/v1/claims/{id}", &mut operation, &RecordedCodes::new());
        assert_eq!(operation, before);
    }

    #[test]
    fn published_operations_are_found_by_method_and_path() {
        let document = json!({ "paths": {
            "/api/v1/claim/{id}/status/": { "get": { "operationId": "getClaimStatus" } },
            "/api/v1/claim/find/": { "post": {
                "operationId": "findClaims",
                "parameters": [{ "$ref": "#/components/parameters/IdempotencyKey" }],
            } },
        } });
        let operations = PublishedOperations::read(&[document.to_string()]).unwrap();
        let id = |method: &str, path: &str| operations.find(method, path).map(|operation| operation.id.as_str());
        assert_eq!(id("GET", "/api/v1/claim/7/status"), Some("getClaimStatus"));
        assert_eq!(id("POST", "/api/v1/claim/7/status"), None);
        assert_eq!(id("POST", "/api/v1/claim/find/"), Some("findClaims"));
        let keyed = &operations.find("POST", "/api/v1/claim/find/").unwrap().common;
        assert!(keyed[&422].contains("idempotency_mismatch"));
    }
}
