//! Listening at an address.

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response, Version};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use poem::Endpoint;
use poem::http::header;
use poem::http::uri::Scheme;
use poem::web::{LocalAddr, RemoteAddr};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::body::{AnswerBody, RequestBody};
use super::client::{Call, Client, Line};
use super::{ConnectionLimits, OpenConnections, Permit};

/// How many calls one HTTP/2 connection may have under way.
const STREAMS_MAX: u32 = 64;

/// How many calls one HTTP/2 connection may take back before they are looked at.
const RESETS_MAX: usize = 20;

/// The largest head of a request, and what is buffered of a connection in either direction.
const HEAD_BYTES_MAX: u32 = 16 * 1024;
const BUFFER_BYTES_MAX: usize = 64 * 1024;

/// How often a silent HTTP/2 client is asked whether it is there.
const PING_EVERY: Duration = Duration::from_secs(20);

/// How long accepting pauses when the process has run out of descriptors or memory: at first, and at most.
const PAUSE: Duration = Duration::from_millis(50);
const PAUSE_MAX: Duration = Duration::from_secs(1);

/// An address that is listened at.
pub struct Listener {
    listener: TcpListener,
    limits: Arc<ConnectionLimits>,
}

impl Listener {
    /// Listens at an address.
    ///
    /// # Errors
    /// The address is taken.
    pub async fn bind(address: SocketAddr, limits: ConnectionLimits) -> io::Result<Self> {
        Ok(Self { listener: TcpListener::bind(address).await?, limits: Arc::new(limits) })
    }

    /// The address, with the port that was free where none was asked for.
    ///
    /// # Errors
    /// The system does not know.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until asked to stop; then calls under way may take so long to end.
    pub async fn serve<E>(self, endpoint: E, asked_to_stop: impl Future<Output = ()>, patience: Duration)
    where
        E: Endpoint<Output = poem::Response> + 'static,
    {
        let (endpoint, open) = (Arc::new(endpoint), OpenConnections::new(self.limits.clone()));
        let (stop, stopping) = watch::channel(());
        let mut connections = JoinSet::new();
        let mut asked_to_stop = pin!(asked_to_stop);
        let mut pause = PAUSE;
        loop {
            let accepted = tokio::select! {
                () = &mut asked_to_stop => break,
                Some(_) = connections.join_next() => continue,
                accepted = self.listener.accept() => accepted,
            };
            match accepted {
                Ok((stream, peer)) => {
                    pause = PAUSE;
                    // Whoever has too many learns it from the closed connection: an answer would cost what the cap saves.
                    let Some(permit) = open.admit(peer.ip()) else { continue };
                    let connection = Connection { stream, peer, permit, limits: self.limits.clone(), endpoint: endpoint.clone() };
                    connections.spawn(connection.serve(stopping.clone()));
                }
                Err(error) if is_of_one_connection(&error) => {}
                Err(error) => {
                    tracing::warn!(%error, "no connections are accepted for a moment");
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(PAUSE_MAX);
                }
            }
        }
        drop(self.listener);
        drop(stop);
        let _ = tokio::time::timeout(patience, async { while connections.join_next().await.is_some() {} }).await;
    }
}

/// Whether accepting failed because of the one connection that would have been accepted.
fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted)
}

struct Connection<E> {
    stream: TcpStream,
    peer: SocketAddr,
    permit: Permit,
    limits: Arc<ConnectionLimits>,
    endpoint: Arc<E>,
}

impl<E: Endpoint<Output = poem::Response> + 'static> Connection<E> {
    /// Serves the connection until its client closes it, does not get on, or the server stops.
    async fn serve(self, mut stopping: watch::Receiver<()>) {
        let Self { stream, peer, permit, limits, endpoint } = self;
        let _ = stream.set_nodelay(true);
        let Ok(local) = stream.local_addr() else { return };
        let client = Client::new();
        let line = TokioIo::new(Line::new(stream, client.clone(), limits.stall));
        let service = service_fn({
            let (client, limits) = (client.clone(), limits.clone());
            move |request: Request<Incoming>| {
                let call = client.calls(request.version() == Version::HTTP_2);
                answer(endpoint.clone(), request, (local, peer), call, limits.clone())
            }
        });
        let mut builder = auto::Builder::new(TokioExecutor::new());
        builder.http1().max_buf_size(BUFFER_BYTES_MAX);
        builder
            .http2()
            .timer(TokioTimer::new())
            .max_concurrent_streams(STREAMS_MAX)
            .max_pending_accept_reset_streams(RESETS_MAX)
            .max_local_error_reset_streams(RESETS_MAX)
            .max_header_list_size(HEAD_BYTES_MAX)
            .max_send_buf_size(BUFFER_BYTES_MAX)
            .keep_alive_interval(PING_EVERY)
            .keep_alive_timeout(limits.stall);
        let mut connection = pin!(builder.serve_connection(line, service));
        let mut timer = pin!(tokio::time::sleep(limits.head));
        let mut stopped = pin!(stopping.changed());
        let mut is_stopping = false;
        poll_fn(|cx| {
            if !is_stopping && stopped.as_mut().poll(cx).is_ready() {
                is_stopping = true;
                connection.as_mut().graceful_shutdown();
            }
            if connection.as_mut().poll(cx).is_ready() {
                return Poll::Ready(());
            }
            // The timer is set anew when it must ring earlier, and when it rang: a call that comes and goes between costs it nothing.
            loop {
                let deadline = client.deadline(&limits);
                if let Some(deadline) = deadline.filter(|deadline| *deadline < timer.deadline()) {
                    timer.as_mut().reset(deadline);
                }
                if timer.as_mut().poll(cx).is_pending() {
                    return Poll::Pending;
                }
                let now = Instant::now();
                match deadline {
                    Some(deadline) if deadline <= now => return Poll::Ready(()),
                    Some(deadline) => timer.as_mut().reset(deadline),
                    None => timer.as_mut().reset(now + limits.head),
                }
            }
        })
        .await;
        drop(permit);
    }
}

async fn answer<E: Endpoint<Output = poem::Response>>(
    endpoint: Arc<E>,
    request: Request<Incoming>,
    (local, peer): (SocketAddr, SocketAddr),
    call: Call,
    limits: Arc<ConnectionLimits>,
) -> Result<Response<AnswerBody>, Infallible> {
    use hyper::body::Body as _;
    let has_body = !request.body().is_end_stream();
    let mut request: poem::Request = (request, LocalAddr(local.into()), RemoteAddr(peer.into()), Scheme::HTTP).into();
    if has_body {
        let body: BoxBody<Bytes, io::Error> = request.take_body().into();
        request.set_body(BoxBody::new(RequestBody::new(body, call.client(), limits)));
    }
    let response: Response<BoxBody<Bytes, io::Error>> = endpoint.get_response(request).await.into();
    let kind = response.headers().get(header::CONTENT_TYPE);
    if kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream")) {
        call.lasts();
    }
    Ok(response.map(|body| AnswerBody::new(body, call)))
}
