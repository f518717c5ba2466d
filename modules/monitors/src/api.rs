//! The feeds, as monitors fetch them.

use std::sync::Arc;

use agio_http::Outcome;
use poem::http::{StatusCode, header};
use poem::{IntoResponse, Response};
use poem_openapi::param::{Header, Path};
use poem_openapi::registry::{MetaMediaType, MetaResponse, MetaResponses, MetaSchema, MetaSchemaRef, Registry};
use poem_openapi::{ApiResponse, OpenApi, Tags};

use crate::Monitors;
use crate::service::{Face, OWN, Ready};

#[derive(Tags)]
enum Tag {
    /// Feeds for monitors of exchange rates.
    Export,
}

/// The feeds.
pub struct ExportApi(Arc<Monitors>);

/// One form of a feed on its way.
struct Sent {
    ready: Arc<Ready>,
    is_xml: bool,
    /// The names of what the caller has already.
    known: Option<String>,
    /// What they can unpack.
    accepted: Option<String>,
}

/// A feed as XML, or that it is still the one the caller has.
struct XmlFeed(Sent);

/// A feed as JSON, or that it is still the one the caller has.
struct JsonFeed(Sent);

impl ExportApi {
    /// The calls.
    #[must_use]
    pub fn new(monitors: Arc<Monitors>) -> Self {
        Self(monitors)
    }

    async fn sent(&self, slug: &str, is_xml: bool, known: Option<String>, accepted: Option<String>) -> Outcome<Sent> {
        Ok(Sent { ready: self.0.feed(slug).await?, is_xml, known, accepted })
    }
}

#[OpenApi(prefix_path = "/export", tag = "Tag::Export")]
impl ExportApi {
    /// Rates as XML
    ///
    /// Every direction that can be exchanged now, in the format most monitors read: the names of versions 1.0 and 1.1 side by side. One of
    /// `in` and `out` is 1. While nothing is offered, as in technical mode, the list is empty. Ask again with `If-None-Match`: 304 while
    /// nothing has changed.
    #[oai(path = "/rates.xml", method = "get", operation_id = "exportRatesXml")]
    async fn xml(
        &self,
        /// The `ETag` of the feed you have.
        #[oai(name = "If-None-Match")]
        known: Header<Option<String>>,
        /// `gzip` where you can unpack it.
        #[oai(name = "Accept-Encoding")]
        accepted: Header<Option<String>>,
    ) -> Outcome<XmlFeed> {
        Ok(XmlFeed(self.sent(OWN, true, known.0, accepted.0).await?))
    }

    /// Rates as JSON
    ///
    /// The same numbers as in the XML, as JSON numbers with all their digits: read them as decimals.
    #[oai(path = "/rates.json", method = "get", operation_id = "exportRatesJson")]
    async fn json(
        &self,
        /// The `ETag` of the feed you have.
        #[oai(name = "If-None-Match")]
        known: Header<Option<String>>,
        /// `gzip` where you can unpack it.
        #[oai(name = "Accept-Encoding")]
        accepted: Header<Option<String>>,
    ) -> Outcome<JsonFeed> {
        Ok(JsonFeed(self.sent(OWN, false, known.0, accepted.0).await?))
    }

    /// Rates as XML, for one monitor
    ///
    /// With the codes and marks agreed with it.
    #[oai(path = "/:monitor/rates.xml", method = "get", operation_id = "exportMonitorRatesXml")]
    async fn monitor_xml(
        &self,
        /// The monitor's part of the address.
        monitor: Path<String>,
        /// The `ETag` of the feed you have.
        #[oai(name = "If-None-Match")]
        known: Header<Option<String>>,
        /// `gzip` where you can unpack it.
        #[oai(name = "Accept-Encoding")]
        accepted: Header<Option<String>>,
    ) -> Outcome<XmlFeed> {
        Ok(XmlFeed(self.sent(&monitor.0, true, known.0, accepted.0).await?))
    }

    /// Rates as JSON, for one monitor
    ///
    /// With the codes and marks agreed with it.
    #[oai(path = "/:monitor/rates.json", method = "get", operation_id = "exportMonitorRatesJson")]
    async fn monitor_json(
        &self,
        /// The monitor's part of the address.
        monitor: Path<String>,
        /// The `ETag` of the feed you have.
        #[oai(name = "If-None-Match")]
        known: Header<Option<String>>,
        /// `gzip` where you can unpack it.
        #[oai(name = "Accept-Encoding")]
        accepted: Header<Option<String>>,
    ) -> Outcome<JsonFeed> {
        Ok(JsonFeed(self.sent(&monitor.0, false, known.0, accepted.0).await?))
    }
}

impl Sent {
    fn face(&self) -> &Face {
        if self.is_xml { &self.ready.xml } else { &self.ready.json }
    }
}

impl IntoResponse for Sent {
    fn into_response(self) -> Response {
        let face = self.face();
        let packed = self.accepted.as_deref().is_some_and(takes_gzip);
        // The packed form is another representation, and so has another name.
        let name = if packed { format!("\"{}-gz\"", face.etag) } else { format!("\"{}\"", face.etag) };
        let is_known = self.known.as_deref().is_some_and(|known| is_among(known, &face.etag));
        let response = Response::builder()
            .header(header::ETAG, name)
            .header(header::CACHE_CONTROL, "no-cache")
            .header(header::VARY, "accept-encoding");
        if is_known {
            return response.status(StatusCode::NOT_MODIFIED).finish();
        }
        let response = response.content_type(if self.is_xml { "application/xml; charset=utf-8" } else { "application/json" });
        if packed {
            response.header(header::CONTENT_ENCODING, "gzip").body(face.gzip.clone())
        } else {
            response.body(face.plain.clone())
        }
    }
}

/// Whether a list of names has this one, in either representation.
fn is_among(known: &str, etag: &str) -> bool {
    known
        .split(',')
        .map(|name| name.trim().trim_start_matches("W/").trim_matches('"'))
        .any(|name| name == "*" || name.strip_suffix("-gz").unwrap_or(name) == etag)
}

fn takes_gzip(accepted: &str) -> bool {
    accepted.split(',').map(str::trim).any(|offer| {
        let (name, quality) = offer.split_once(";q=").unwrap_or((offer, "1"));
        name == "gzip" && !matches!(quality.trim(), "0" | "0.0" | "0.00" | "0.000")
    })
}

macro_rules! feed_response {
    ($feed:ident, $content_type:literal, $type:literal) => {
        impl IntoResponse for $feed {
            fn into_response(self) -> Response {
                self.0.into_response()
            }
        }

        impl ApiResponse for $feed {
            fn meta() -> MetaResponses {
                let schema = MetaSchemaRef::Inline(Box::new(MetaSchema::new($type)));
                let answer = |status, description, content| MetaResponse {
                    description,
                    status: Some(status),
                    status_range: None,
                    content,
                    headers: Vec::new(),
                };
                let content = vec![MetaMediaType { content_type: $content_type, schema }];
                MetaResponses {
                    responses: vec![
                        answer(200, "The feed.", content),
                        answer(304, "Nothing has changed since the one you have.", Vec::new()),
                    ],
                }
            }

            fn register(_registry: &mut Registry) {}
        }
    };
}

feed_response!(XmlFeed, "application/xml", "string");
feed_response!(JsonFeed, "application/json", "object");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_feed_one_has_is_known_in_either_representation() {
        for known in ["\"abc\"", "\"abc-gz\"", "W/\"abc\"", "\"x\", \"abc\"", "*"] {
            assert!(is_among(known, "abc"), "{known}");
        }
        assert!(!is_among("\"abcd\"", "abc"));
        assert!(takes_gzip("br, gzip;q=0.8") && !takes_gzip("gzip;q=0, br") && !takes_gzip("br"));
    }
}
