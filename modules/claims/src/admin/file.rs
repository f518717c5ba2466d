//! A receipt, as the console downloads it.

use poem::http::{HeaderValue, header};
use poem::{IntoResponse, Response};
use poem_openapi::ApiResponse;
use poem_openapi::registry::{MetaMediaType, MetaResponse, MetaResponses, MetaSchema, MetaSchemaRef, Registry};

use crate::rules::payment::percent_encoded;

/// A receipt's file, to be saved.
pub struct DeskFile {
    /// The name to save it under.
    pub name: String,
    /// Its media type.
    pub media_type: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

impl IntoResponse for DeskFile {
    fn into_response(self) -> Response {
        let mut response = Response::builder().content_type(&self.media_type).body(self.bytes);
        let headers = response.headers_mut();
        let disposition = format!("attachment; filename*=UTF-8''{}", percent_encoded(&self.name));
        headers.insert(header::CONTENT_DISPOSITION, HeaderValue::try_from(disposition).expect("an encoded name is ASCII"));
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("sandbox"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
        response
    }
}

impl ApiResponse for DeskFile {
    fn meta() -> MetaResponses {
        let schema = || MetaSchemaRef::Inline(Box::new(MetaSchema::new_with_format("string", "binary")));
        let types = ["image/jpeg", "image/png", "application/pdf"];
        MetaResponses {
            responses: vec![MetaResponse {
                description: "The file, as an attachment.",
                status: Some(200),
                status_range: None,
                content: types.map(|content_type| MetaMediaType { content_type, schema: schema() }).into(),
                headers: Vec::new(),
            }],
        }
    }

    fn register(_registry: &mut Registry) {}
}
