//! Responses as server-sent events.

use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;
use poem::http::{HeaderValue, header};
use poem::web::sse::{Event, SSE};
use poem::{IntoResponse, Response};
use poem_openapi::ApiResponse;
use poem_openapi::registry::{MetaMediaType, MetaResponse, MetaResponses, Registry};
use poem_openapi::types::Type;
use serde::Serialize;

const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// A stream of named events whose data is the JSON of a `T`.
pub struct LiveEvents<T>(pub BoxStream<'static, (&'static str, T)>);

impl<T: Serialize + Send + 'static> IntoResponse for LiveEvents<T> {
    fn into_response(self) -> Response {
        let events = self
            .0
            .map(|(name, value)| Event::message(serde_json::to_string(&value).expect("an event is plain data")).event_type(name));
        let mut response = SSE::new(events).keep_alive(KEEP_ALIVE).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        // Proxies that gather answers before they pass them on would make the stream useless.
        headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
        response
    }
}

impl<T: Type> ApiResponse for LiveEvents<T> {
    fn meta() -> MetaResponses {
        MetaResponses {
            responses: vec![MetaResponse {
                description: "A stream of events; the data of each is this object.",
                status: Some(200),
                status_range: None,
                content: vec![MetaMediaType { content_type: "text/event-stream", schema: T::schema_ref() }],
                headers: Vec::new(),
            }],
        }
    }

    fn register(registry: &mut Registry) {
        T::register(registry);
    }
}
