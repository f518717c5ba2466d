//! Bodies that are sent to many: hashed once, and compressed at the first request for a copy.

use std::io::{Read as _, Write as _};
use std::sync::OnceLock;

use brotli::enc::BrotliEncoderParams;
use bytes::Bytes;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use poem::Response;
use poem::http::{HeaderMap, HeaderValue, StatusCode, header};
use twox_hash::XxHash3_128;

/// A smaller body fits into one packet as it is.
const COMPRESSED_MIN: usize = 1024;

/// How well copies are compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// For a body that is sent about once: gzip at its fastest. More would cost more than all the rest.
    Fast,
    /// For a body that is sent to many.
    Good,
}

/// A body with its entity tag and its compressed copies.
#[derive(Debug)]
pub struct PreparedBody {
    plain: OnceLock<Bytes>,
    /// Of the content, whatever its encoding.
    etag: HeaderValue,
    effort: Effort,
    brotli: OnceLock<Option<Bytes>>,
    gzip: OnceLock<Option<Bytes>>,
}

impl PreparedBody {
    pub fn new(plain: Bytes, effort: Effort) -> Self {
        Self { etag: etag(&plain), plain: plain.into(), effort, brotli: OnceLock::new(), gzip: OnceLock::new() }
    }

    /// With the copies that a build made. It made none where they would save nothing.
    pub fn with_copies(plain: Bytes, brotli: Option<Bytes>, gzip: Option<Bytes>) -> Self {
        Self { etag: etag(&plain), plain: plain.into(), effort: Effort::Good, brotli: brotli.into(), gzip: gzip.into() }
    }

    /// With the copies of a build that are all there is of the content. Few clients take none of them.
    pub fn compressed(brotli: Option<Bytes>, gzip: Bytes) -> Self {
        Self { etag: etag(&gzip), plain: OnceLock::new(), effort: Effort::Good, brotli: brotli.into(), gzip: Some(gzip).into() }
    }

    /// # Panics
    /// If the build's copy is damaged.
    pub fn plain(&self) -> &Bytes {
        self.plain.get_or_init(|| {
            let copy = self.gzip.get().and_then(Option::as_ref).expect("a body has its content or a copy");
            let mut plain = Vec::with_capacity(copy.len() * 4);
            GzDecoder::new(&copy[..]).read_to_end(&mut plain).expect("a copy is whole");
            plain.into()
        })
    }

    /// Sends the body in the best encoding that the request accepts. A successful one is 304 if the client has it.
    pub fn send(&self, negotiation: &Negotiation, mut response: Response) -> Response {
        let headers = response.headers_mut();
        headers.append(header::VARY, HeaderValue::from_static("accept-encoding"));
        headers.insert(header::ETAG, self.etag.clone());
        if response.status() == StatusCode::OK && negotiation.knows(&self.etag) {
            response.headers_mut().remove(header::CONTENT_TYPE);
            response.set_status(StatusCode::NOT_MODIFIED);
            response.set_body(());
            return response;
        }
        let brotli = || if negotiation.takes("br") { Some(("br", self.brotli()?)) } else { None };
        let gzip = || if negotiation.takes("gzip") { Some(("gzip", self.gzip()?)) } else { None };
        match brotli().or_else(gzip) {
            Some((encoding, copy)) => {
                response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
                response.set_body(copy.clone());
            }
            None => response.set_body(self.plain().clone()),
        }
        response
    }

    fn brotli(&self) -> Option<&Bytes> {
        let compress = || {
            let params = BrotliEncoderParams { quality: 5, size_hint: self.plain().len(), ..BrotliEncoderParams::default() };
            let mut copy = Vec::with_capacity(self.plain().len() / 3);
            brotli::BrotliCompress(&mut &self.plain()[..], &mut copy, &params).ok()?;
            Some(copy.into())
        };
        let is_worth_it = self.effort == Effort::Good && self.is_worth_it();
        self.brotli.get_or_init(|| is_worth_it.then(compress).flatten()).as_ref()
    }

    fn gzip(&self) -> Option<&Bytes> {
        let compress = || {
            let level = if self.effort == Effort::Fast { Compression::fast() } else { Compression::default() };
            let mut gzip = GzEncoder::new(Vec::with_capacity(self.plain().len() / 3), level);
            gzip.write_all(self.plain()).ok()?;
            gzip.finish().ok().map(Bytes::from)
        };
        self.gzip.get_or_init(|| self.is_worth_it().then(compress).flatten()).as_ref()
    }

    fn is_worth_it(&self) -> bool {
        self.plain().len() >= COMPRESSED_MIN
    }
}

/// What a request says about the bodies that its client takes and has.
#[derive(Debug, Clone, Default)]
pub struct Negotiation {
    encodings: Option<HeaderValue>,
    tags: Option<HeaderValue>,
}

impl Negotiation {
    pub fn of(request: &HeaderMap) -> Self {
        let header = |name| request.get(name).cloned();
        Self { encodings: header(header::ACCEPT_ENCODING), tags: header(header::IF_NONE_MATCH) }
    }

    fn takes(&self, encoding: &str) -> bool {
        values(self.encodings.as_ref()).any(|offer| {
            let (name, quality) = offer.split_once(";q=").unwrap_or((offer, "1"));
            name == encoding && quality.trim().parse::<f32>().is_ok_and(|quality| quality > 0.0)
        })
    }

    /// RFC 9110, section 13.1.2: tags are compared weakly, so the tag names the content in any encoding.
    fn knows(&self, etag: &HeaderValue) -> bool {
        let own = etag.to_str().unwrap_or_default();
        values(self.tags.as_ref()).any(|tag| tag == "*" || tag.trim_start_matches("W/") == own)
    }
}

/// The values of a list in a header.
fn values(list: Option<&HeaderValue>) -> impl Iterator<Item = &str> {
    list.and_then(|list| list.to_str().ok()).unwrap_or_default().split(',').map(str::trim)
}

fn etag(plain: &[u8]) -> HeaderValue {
    let tag = format!("\"{:032x}\"", XxHash3_128::oneshot(plain));
    HeaderValue::try_from(tag).expect("a number in quotes is a header's value")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepted(name: header::HeaderName, value: &str) -> Negotiation {
        Negotiation::of(&HeaderMap::from_iter([(name, HeaderValue::from_str(value).expect("a value"))]))
    }

    async fn sent(body: &PreparedBody, encodings: &str) -> (Option<HeaderValue>, Vec<u8>) {
        let response = body.send(&accepted(header::ACCEPT_ENCODING, encodings), Response::default());
        let encoding = response.headers().get(header::CONTENT_ENCODING).cloned();
        (encoding, response.into_body().into_vec().await.expect("a body"))
    }

    #[tokio::test]
    async fn the_best_accepted_encoding_is_sent_and_decodes_to_the_content() {
        let content = "{\"id\":1},".repeat(500).into_bytes();
        let good = PreparedBody::new(content.clone().into(), Effort::Good);
        let fast = PreparedBody::new(content.clone().into(), Effort::Fast);
        for encodings in ["gzip, deflate, br, zstd", "br;q=0.5, gzip", "gzip;q=0, br"] {
            let (encoding, copy) = sent(&good, encodings).await;
            assert_eq!(encoding.expect("an encoding"), "br", "{encodings}");
            let mut decoded = Vec::new();
            brotli::BrotliDecompress(&mut &copy[..], &mut decoded).expect("brotli");
            assert!(decoded == content && copy.len() < content.len() / 10);
        }
        assert_eq!(sent(&fast, "gzip, br").await.0.expect("an encoding"), "gzip");
        assert_eq!(sent(&fast, "br").await.0, None);
        for body in [good, fast] {
            for encodings in ["gzip", "br;q=0, gzip;q=0.1", "br;q=x,gzip"] {
                let (encoding, copy) = sent(&body, encodings).await;
                assert_eq!(encoding.expect("an encoding"), "gzip", "{encodings}");
                let mut decoded = Vec::new();
                GzDecoder::new(&copy[..]).read_to_end(&mut decoded).expect("gzip");
                assert_eq!(decoded, content);
            }
            for encodings in ["", "identity", "br;q=0.0, gzip;q=0", "brotli"] {
                assert_eq!(sent(&body, encodings).await, (None, content.clone()), "{encodings}");
            }
        }
    }

    #[tokio::test]
    async fn neither_small_bodies_nor_those_without_a_copy_of_the_build_are_compressed() {
        let small = PreparedBody::new(vec![b' '; COMPRESSED_MIN - 1].into(), Effort::Good);
        let picture = PreparedBody::with_copies(vec![b' '; COMPRESSED_MIN].into(), None, None);
        for body in [small, picture] {
            assert_eq!(sent(&body, "br, gzip").await, (None, body.plain().to_vec()));
        }
    }

    #[tokio::test]
    async fn copies_are_enough() {
        let content = "let a = 1;".repeat(200).into_bytes();
        let whole = PreparedBody::new(content.clone().into(), Effort::Good);
        let copies = PreparedBody::compressed(whole.brotli().cloned(), whole.gzip().expect("a copy").clone());
        for encodings in ["br", "gzip", "identity"] {
            assert_eq!(sent(&copies, encodings).await, sent(&whole, encodings).await, "{encodings}");
        }
        assert_eq!(copies.plain()[..], content);
    }

    #[test]
    fn a_client_that_has_the_content_gets_304() {
        let body = PreparedBody::new("[]".into(), Effort::Good);
        let etag = etag(b"[]").to_str().expect("ASCII").to_owned();
        let answer = |tags: &str, status| {
            let response = Response::builder().status(status).finish();
            body.send(&accepted(header::IF_NONE_MATCH, tags), response).status()
        };
        for known in [etag.clone(), format!("W/{etag}"), format!("\"other\", {etag}"), "*".to_owned()] {
            assert_eq!(answer(&known, StatusCode::OK), StatusCode::NOT_MODIFIED, "{known}");
        }
        assert_eq!(answer("\"other\"", StatusCode::OK), StatusCode::OK);
        assert_eq!(answer(&etag, StatusCode::NOT_FOUND), StatusCode::NOT_FOUND);
    }
}
