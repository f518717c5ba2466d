//! Public rate feeds.

use std::sync::Arc;

use agio_http::ApiResult;
use poem::http::{StatusCode, header};
use poem::{IntoResponse, Response};
use poem_openapi::param::{Header, Path};
use poem_openapi::registry::{MetaMediaType, MetaResponse, MetaResponses, MetaSchema, MetaSchemaRef, Registry};
use poem_openapi::{ApiResponse, OpenApi, Tags};

use crate::Feeds;
use crate::service::{OWN_FEED, RenderedFeed, Representation};

#[derive(Tags)]
enum Tag {
    /// Exchange aggregators and their rate feeds.
    Feeds,
}

pub struct FeedApi(pub Arc<Feeds>);

struct FeedResponse {
    rendered: Arc<RenderedFeed>,
    is_xml: bool,
    /// `If-None-Match`.
    known: Option<String>,
    /// `Accept-Encoding`.
    accepted: Option<String>,
}

/// The XML feed, or 304 if the client's copy is current.
struct XmlFeed(FeedResponse);

/// The JSON feed, or 304 if the client's copy is current.
struct JsonFeed(FeedResponse);

impl FeedApi {
    async fn response(
        &self,
        slug: &str,
        is_xml: bool,
        known: Option<String>,
        accepted: Option<String>,
    ) -> ApiResult<FeedResponse> {
        Ok(FeedResponse { rendered: self.0.feed(slug).await?, is_xml, known, accepted })
    }
}

#[OpenApi(prefix_path = "/export", tag = "Tag::Feeds")]
impl FeedApi {
    /// Get rates as XML
    ///
    /// All currently available directions in the format of BestChange and other aggregators, with the element names
    /// of versions 1.0 and 1.1 side by side. One of `in` and `out` is 1. The list is empty while nothing is offered,
    /// as in maintenance mode. Send `If-None-Match`: 304 while nothing has changed.
    #[oai(path = "/rates.xml", method = "get", operation_id = "getRatesXml")]
    async fn xml(
        &self,
        /// `ETag` of your copy.
        #[oai(name = "If-None-Match")]
        known: Header<Option<String>>,
        /// `gzip` for a compressed response.
        #[oai(name = "Accept-Encoding")]
        accepted: Header<Option<String>>,
    ) -> ApiResult<XmlFeed> {
        Ok(XmlFeed(self.response(OWN_FEED, true, known.0, accepted.0).await?))
    }

    /// Get rates as JSON
    ///
    /// The same values as in the XML file, as JSON numbers with all digits: parse them as decimals.
    #[oai(path = "/rates.json", method = "get", operation_id = "getRatesJson")]
    async fn json(
        &self,
        /// `ETag` of your copy.
        #[oai(name = "If-None-Match")]
        known: Header<Option<String>>,
        /// `gzip` for a compressed response.
        #[oai(name = "Accept-Encoding")]
        accepted: Header<Option<String>>,
    ) -> ApiResult<JsonFeed> {
        Ok(JsonFeed(self.response(OWN_FEED, false, known.0, accepted.0).await?))
    }

    /// Get an aggregator's rates as XML
    ///
    /// With the aggregator's own codes and marks.
    #[oai(path = "/:aggregator/rates.xml", method = "get", operation_id = "getAggregatorRatesXml")]
    async fn aggregator_xml(
        &self,
        /// Path segment of the aggregator.
        aggregator: Path<String>,
        /// `ETag` of your copy.
        #[oai(name = "If-None-Match")]
        known: Header<Option<String>>,
        /// `gzip` for a compressed response.
        #[oai(name = "Accept-Encoding")]
        accepted: Header<Option<String>>,
    ) -> ApiResult<XmlFeed> {
        Ok(XmlFeed(self.response(&aggregator.0, true, known.0, accepted.0).await?))
    }

    /// Get an aggregator's rates as JSON
    ///
    /// With the aggregator's own codes and marks.
    #[oai(path = "/:aggregator/rates.json", method = "get", operation_id = "getAggregatorRatesJson")]
    async fn aggregator_json(
        &self,
        /// Path segment of the aggregator.
        aggregator: Path<String>,
        /// `ETag` of your copy.
        #[oai(name = "If-None-Match")]
        known: Header<Option<String>>,
        /// `gzip` for a compressed response.
        #[oai(name = "Accept-Encoding")]
        accepted: Header<Option<String>>,
    ) -> ApiResult<JsonFeed> {
        Ok(JsonFeed(self.response(&aggregator.0, false, known.0, accepted.0).await?))
    }
}

impl FeedResponse {
    fn representation(&self) -> &Representation {
        if self.is_xml { &self.rendered.xml } else { &self.rendered.json }
    }
}

impl IntoResponse for FeedResponse {
    fn into_response(self) -> Response {
        let representation = self.representation();
        let is_compressed = self.accepted.as_deref().is_some_and(takes_gzip);
        // The compressed representation has its own ETag.
        let name = if is_compressed { format!("\"{}-gz\"", representation.etag) } else { format!("\"{}\"", representation.etag) };
        let is_known = self.known.as_deref().is_some_and(|known| is_among(known, &representation.etag));
        let response = Response::builder()
            .header(header::ETAG, name)
            .header(header::CACHE_CONTROL, "no-cache")
            .header(header::VARY, "accept-encoding");
        if is_known {
            return response.status(StatusCode::NOT_MODIFIED).finish();
        }
        let response = response.content_type(if self.is_xml { "application/xml; charset=utf-8" } else { "application/json" });
        if is_compressed {
            response.header(header::CONTENT_ENCODING, "gzip").body(representation.gzip.clone())
        } else {
            response.body(representation.plain.clone())
        }
    }
}

/// Matches the ETag of either representation.
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
                MetaResponses { responses: vec![answer(200, "The feed.", content), answer(304, "Not modified.", Vec::new())] }
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
    fn either_etag_matches() {
        for known in ["\"abc\"", "\"abc-gz\"", "W/\"abc\"", "\"x\", \"abc\"", "*"] {
            assert!(is_among(known, "abc"), "{known}");
        }
        assert!(!is_among("\"abcd\"", "abc"));
        assert!(takes_gzip("br, gzip;q=0.8") && !takes_gzip("gzip;q=0, br") && !takes_gzip("br"));
    }
}
