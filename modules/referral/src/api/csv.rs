//! The referral history as CSV.

use agio_core::money::plain;
use poem::http::{HeaderValue, header};
use poem::{IntoResponse, Response};
use poem_openapi::ApiResponse;
use poem_openapi::registry::{MetaMediaType, MetaResponse, MetaResponses, MetaSchema, MetaSchemaRef, Registry};

use crate::service::ReferralHistory;
use crate::service::units;

const MEDIA_TYPE: &str = "text/csv; charset=utf-8";

pub struct Csv(String);

impl Csv {
    /// Every cell is a code, a number or a timestamp, so nothing needs quoting.
    pub fn of(history: &ReferralHistory) -> Self {
        let mut table = String::from("id,kind,amount,currency,status,createdAt\r\n");
        for line in &history.lines {
            let amount = plain(units(line.units, line.scale));
            let cells = [line.id.to_string(), line.kind.to_string(), amount, history.currency.clone(), line.status.to_string()];
            table.push_str(&cells.join(","));
            table.push_str(&format!(",{}\r\n", line.created_at));
        }
        Self(table)
    }
}

impl IntoResponse for Csv {
    fn into_response(self) -> Response {
        let mut response = Response::builder().content_type(MEDIA_TYPE).body(self.0);
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_DISPOSITION, HeaderValue::from_static("attachment; filename=referral.csv"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        response
    }
}

impl ApiResponse for Csv {
    fn meta() -> MetaResponses {
        let schema = MetaSchemaRef::Inline(Box::new(MetaSchema::new("string")));
        MetaResponses {
            responses: vec![MetaResponse {
                description: "The table, as an attachment.",
                status: Some(200),
                status_range: None,
                content: vec![MetaMediaType { content_type: "text/csv", schema }],
                headers: Vec::new(),
            }],
        }
    }

    fn register(_registry: &mut Registry) {}
}
