//! What the framework cannot say about the partner API: its signatures, webhooks and Trustee's errors.

use agio_core::texts::{Locale, Texts};
use agio_core::{Error, ErrorKind};
use agio_partners::trustee::{self, TrusteeCall};
use serde_json::{Map, Value, json};

/// The errors that differ from those of the other documents, because requests are signed.
const REFUSALS: [(ErrorKind, &str, &str); 2] = [
    (ErrorKind::Unauthorised, "signature_invalid", "The signature is invalid or expired, or its nonce was used."),
    (ErrorKind::Forbidden, "scope_missing", "The key lacks the scope, or is not allowed from this address."),
];

/// The differences in the Trustee API.
const TRUSTEE_REFUSALS: [(ErrorKind, &str); 1] = [(ErrorKind::Unprocessable, "amount_below_min")];

/// The name of a security scheme, its header and its description.
type SignatureHeader = (&'static str, &'static str, &'static str);

/// The headers of a signed request, by the security scheme of its key.
const SIGNATURES: [(&str, &[SignatureHeader]); 2] = [
    (
        "PartnerAuth",
        &[
            ("PartnerTimestamp", "X-Agio-Timestamp", "Unix time in seconds, at most 60 seconds from the server's."),
            ("PartnerNonce", "X-Agio-Nonce", "16 to 64 letters, digits, `-` or `_`, unique for each request."),
            (
                "PartnerSignature",
                "X-Agio-Signature",
                "`v1=` and the HMAC-SHA256, with the key's secret and in lower-case hex, of these lines: `v1`, the method, the path, the \
                canonical query, the SHA-256 of the body, the timestamp, the nonce.",
            ),
        ],
    ),
    (
        "TrusteeAuth",
        &[
            ("TrusteeTimestamp", "trustee-timestamp", "Unix time in milliseconds."),
            (
                "TrusteeSignature",
                "trustee-signature",
                "The HMAC-SHA512 of the sorted fields and the timestamp, as Trustee defines it.",
            ),
        ],
    ),
];

const WEBHOOKS_TAG: &str = "Webhooks";

const WEBHOOK_HEADERS: [(&str, &str, &str); 4] = [
    ("X-Agio-Event", "The id of the event, as in the body.", "uuid"),
    ("X-Agio-Attempt", "The number of this attempt, from 1.", "int64"),
    ("X-Agio-Timestamp", "Unix time in seconds. Reject webhooks that are older than five minutes.", "int64"),
    (
        "X-Agio-Signature",
        "`v1=` and the HMAC-SHA256, with the webhook secret and in lower-case hex, of these lines: `v1`, the timestamp, the event, the \
        attempt, the body.",
        "signature",
    ),
];

pub(super) fn describe(document: &mut Value, texts: &Texts) {
    for (kind, code, about) in REFUSALS {
        let (status, problem) = super::refusal(texts, &Error::new(kind, code).with("scope", "claim"));
        document["components"]["examples"][status] = problem;
        for operation in super::operations_mut(document) {
            if let Some(response) = operation["responses"].get_mut(kind.status().to_string()) {
                response["description"] = about.into();
            }
        }
    }
    for (path, operations) in document["paths"].as_object_mut().into_iter().flatten() {
        for (method, operation) in operations.as_object_mut().into_iter().flatten() {
            let call = TrusteeCall::of(&method.to_uppercase(), path.trim_end_matches('/'));
            add_trustee_refusal_examples(operation, call, texts);
        }
    }
    declare_signatures(document);
    declare_webhooks(document);
}

/// Declares the other headers of a signature beside the key, for every signed operation.
fn declare_signatures(document: &mut Value) {
    for (key, headers) in SIGNATURES {
        for (scheme, name, about) in headers {
            document["components"]["securitySchemes"][*scheme] =
                json!({ "type": "apiKey", "in": "header", "name": name, "description": about });
        }
        let needed: Map<String, Value> =
            headers.iter().map(|(scheme, ..)| *scheme).chain([key]).map(|scheme| (scheme.to_owned(), json!([]))).collect();
        for operation in super::operations_mut(document) {
            let requirements = operation["security"].as_array_mut().into_iter().flatten();
            for requirement in requirements.filter(|requirement| requirement.get(key).is_some()) {
                *requirement = Value::Object(needed.clone());
            }
        }
    }
}

fn declare_webhooks(document: &mut Value) {
    document["components"]["schemas"]["ClaimStatusChangedEvent"] = json!({
        "type": "object",
        "description": "The status of a claim changed.",
        "required": ["id", "type", "createdAt", "claim"],
        "properties": {
            "id": { "type": "string", "format": "uuid", "description": "Unique id. A webhook may arrive more than once." },
            "type": { "type": "string", "enum": ["claim.status_changed"] },
            "createdAt": { "type": "string", "format": "date-time", "description": "Time of the change." },
            "claim": { "$ref": "#/components/schemas/PartnerClaim" },
        },
    });
    let headers = WEBHOOK_HEADERS.map(|(name, about, format)| {
        let schema = match format {
            "int64" => json!({ "type": "integer", "format": format, "minimum": 0 }),
            "signature" => json!({ "type": "string", "pattern": "^v1=[0-9a-f]{64}$" }),
            _ => json!({ "type": "string", "format": format }),
        };
        json!({ "name": name, "in": "header", "required": true, "description": about, "schema": schema })
    });
    // A tag of its own: generators write the code of each tag to a file.
    let tag = json!({ "name": WEBHOOKS_TAG, "description": "What the exchange sends to its partners." });
    document["tags"].as_array_mut().into_iter().for_each(|tags| tags.push(tag.clone()));
    document["webhooks"]["claimStatusChanged"]["post"] = json!({
        "operationId": "claimStatusChanged",
        "summary": "Claim status changed",
        "description": "Sent to your webhook URL, or to the claim's own `callbackUrl`, for every status change. Answer within ten seconds; \
            otherwise we retry at increasing intervals for three days. Webhooks of one claim arrive in order.",
        "tags": [WEBHOOKS_TAG],
        "security": [],
        "parameters": headers,
        "requestBody": {
            "required": true,
            "content": { "application/json": { "schema": { "$ref": "#/components/schemas/ClaimStatusChangedEvent" } } },
        },
        "responses": {
            "2XX": { "description": "Received." },
            "410": { "description": "No further attempts." },
            "default": { "description": "Not received: sent again later." },
        },
    });
    super::add_examples(&mut document["webhooks"]["claimStatusChanged"]["post"], &super::examples());
}

/// Adds examples of errors in Trustee's format.
fn add_trustee_refusal_examples(operation: &mut Value, call: TrusteeCall, texts: &Texts) {
    let codes = REFUSALS.iter().map(|(kind, code, _)| (*kind, *code)).chain(TRUSTEE_REFUSALS).chain(super::REFUSALS);
    let codes: Vec<_> = codes.collect();
    for (status, response) in operation["responses"].as_object_mut().into_iter().flatten() {
        let known = codes.iter().find(|(kind, _)| kind.status().to_string() == *status);
        if let (Some((kind, code)), Some(content)) = (known, response.pointer_mut("/content/application~1json")) {
            let error = Error::new(*kind, code).with("scope", "trustee").with("min", "0.001").with("currency", "BTC");
            content["example"] = json!(trustee::error_body(call, &error, texts, Locale::En));
        }
    }
}
