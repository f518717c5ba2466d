//! Traces for an OpenTelemetry collector, if a setting names one: a span for each request and for its transactions.
//!
//! These spans have the level `debug`. Spans of the level `error` give the lines of the log their request id.

use std::time::Duration;

use agio_core::{Error, Result};
use agio_outbound_http::{OutboundClient, RequestLimits};
use opentelemetry::KeyValue;
use opentelemetry::trace::{TraceContextExt as _, TracerProvider as _};
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{Sampler, SdkTracerProvider};
use poem::http::Method;
use tokio::runtime::Handle;
use tracing::{Level, Metadata, Span, Subscriber};
use tracing_opentelemetry::OpenTelemetrySpanExt as _;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::registry::LookupSpan;

use crate::config::TracesConfig;

const LIMITS: RequestLimits = RequestLimits { timeout: Duration::from_secs(10), body_bytes: 64 * 1024 };

/// Sends the spans to the collector in the background, from outside the runtime.
#[derive(Clone)]
struct Collector {
    client: OutboundClient,
    runtime: Handle,
}

impl std::fmt::Debug for Collector {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Collector")
    }
}

#[async_trait::async_trait]
impl HttpClient for Collector {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let client = self.client.clone();
        let sent = self.runtime.spawn(async move { client.send(request.map(Into::into), LIMITS).await });
        Ok(sent.await??)
    }
}

/// What collects the spans of this program and sends them, if there is a collector. Needs the runtime.
///
/// Each request begins a trace: a caller's trace id is not taken over, so that no visitor decides what is recorded.
/// The collector gets spans and no log lines, which may quote what others wrote.
///
/// # Errors
/// The endpoint is not a URL, or the share is not one.
pub fn provider(config: &TracesConfig) -> Result<Option<SdkTracerProvider>> {
    if config.endpoint.is_empty() {
        return Ok(None);
    }
    if !(0.0..=1.0).contains(&config.share) {
        return Err(Error::internal(format!("traces.share must be between 0 and 1, not {}", config.share)));
    }
    // The administrator's collector may be in a private network.
    let collector = Collector { client: OutboundClient::new(true)?, runtime: Handle::current() };
    let exporter = SpanExporter::builder()
        .with_http()
        .with_http_client(collector)
        .with_protocol(Protocol::HttpBinary)
        .with_endpoint(format!("{}/v1/traces", config.endpoint.trim_end_matches('/')))
        .build()
        .map_err(|error| Error::internal(format!("traces.endpoint, {:?}: {error}", config.endpoint)))?;
    let resource = Resource::builder().with_service_name("agio");
    let resource = resource.with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")));
    let provider = SdkTracerProvider::builder()
        .with_batch_exporter(exporter)
        .with_resource(resource.build())
        .with_sampler(Sampler::TraceIdRatioBased(config.share));
    Ok(Some(provider.build()))
}

/// Sends what is not sent yet.
pub async fn send_rest(provider: Option<SdkTracerProvider>) {
    let sent = tokio::task::spawn_blocking(move || provider.map_or(Ok(()), |provider| provider.shutdown())).await;
    if let Ok(Err(error)) = sent {
        tracing::warn!(%error, "the last traces are lost");
    }
}

/// The span of a request, in the log's one. Disabled without a collector.
pub fn request_span(log: &Span, id: &str) -> Span {
    tracing::debug_span!(parent: log, "request", otel.kind = "server", request_id = id)
}

/// Gives the span of a request its name and outcome, which are known at its end.
pub fn end_request(span: &Span, operation: &'static str, method: &Method, status: u16) {
    if span.is_disabled() {
        return;
    }
    let context = span.context();
    let span = context.span();
    span.update_name(operation);
    span.set_attribute(KeyValue::new("http.request.method", method.as_str().to_owned()));
    span.set_attribute(KeyValue::new("http.response.status_code", i64::from(status)));
}

/// The part of the subscriber that hands the program's own spans to the provider.
pub fn layer<S>(provider: &SdkTracerProvider) -> impl Layer<S> + use<S>
where
    S: Subscriber + for<'span> LookupSpan<'span>,
{
    let is_own = |metadata: &Metadata<'_>| metadata.target().starts_with("agio_") && *metadata.level() == Level::DEBUG;
    let is_own_span = move |metadata: &Metadata<'_>| metadata.is_span() && is_own(metadata);
    tracing_opentelemetry::layer()
        .with_tracer(provider.tracer("agio"))
        .with_location(false)
        .with_threads(false)
        .with_filter(filter_fn(is_own_span))
}
