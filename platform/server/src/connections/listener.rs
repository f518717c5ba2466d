//! The TCP listener.

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

use super::body::{RequestBody, ResponseBody};
use super::client::{Call, Client, ClientStream};
use super::{ConnectionLimits, OpenConnections, Permit};

/// The maximum number of concurrent streams per HTTP/2 connection.
const STREAMS_MAX: u32 = 64;

/// The maximum number of pending resets per HTTP/2 connection.
const RESETS_MAX: usize = 20;

const HEAD_BYTES_MAX: u32 = 16 * 1024;
const BUFFER_BYTES_MAX: usize = 64 * 1024;

const PING_EVERY: Duration = Duration::from_secs(20);

/// The first and the longest pause of accepting when the process is out of descriptors or memory.
const PAUSE: Duration = Duration::from_millis(50);
const PAUSE_MAX: Duration = Duration::from_secs(1);

pub struct Listener {
    listener: TcpListener,
    limits: Arc<ConnectionLimits>,
}

impl Listener {
    pub async fn bind(address: SocketAddr, limits: ConnectionLimits) -> io::Result<Self> {
        Ok(Self { listener: TcpListener::bind(address).await?, limits: Arc::new(limits) })
    }

    /// The bound address with its actual port.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until `stop_signal`. Running calls then have the `grace` period to end.
    pub async fn serve<E>(self, endpoint: E, stop_signal: impl Future<Output = ()>, grace: Duration)
    where
        E: Endpoint<Output = poem::Response> + 'static,
    {
        let (endpoint, open) = (Arc::new(endpoint), OpenConnections::new(self.limits.clone()));
        let (stop, stopping) = watch::channel(());
        let mut connections = JoinSet::new();
        let mut stop_signal = pin!(stop_signal);
        let mut pause = PAUSE;
        loop {
            let accepted = tokio::select! {
                () = &mut stop_signal => break,
                Some(_) = connections.join_next() => continue,
                accepted = self.listener.accept() => accepted,
            };
            match accepted {
                Ok((stream, peer)) => {
                    pause = PAUSE;
                    // Beyond the limit the connection is closed without a response, which would cost what the limit
                    // saves.
                    let Some(permit) = open.admit(peer.ip()) else { continue };
                    let connection = Connection { stream, peer, permit, limits: self.limits.clone(), endpoint: endpoint.clone() };
                    connections.spawn(connection.serve(stopping.clone()));
                }
                Err(error) if is_connection_error(&error) => {}
                Err(error) => {
                    tracing::warn!(%error, "accepting connections is paused");
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(PAUSE_MAX);
                }
            }
        }
        drop(self.listener);
        drop(stop);
        let _ = tokio::time::timeout(grace, async { while connections.join_next().await.is_some() {} }).await;
    }
}

/// Whether the error concerns only the connection being accepted.
fn is_connection_error(error: &io::Error) -> bool {
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
    /// Serves the connection until the client closes it, a timeout passes, or the server stops.
    async fn serve(self, mut stopping: watch::Receiver<()>) {
        let Self { stream, peer, permit, limits, endpoint } = self;
        let _ = stream.set_nodelay(true);
        let Ok(local) = stream.local_addr() else { return };
        let client = Client::new();
        let stream = TokioIo::new(ClientStream::new(stream, client.clone(), limits.stall));
        let service = service_fn({
            let (client, limits) = (client.clone(), limits.clone());
            move |request: Request<Incoming>| {
                let call = client.start_call(request.version() == Version::HTTP_2);
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
        let mut connection = pin!(builder.serve_connection(stream, service));
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
            // The timer is reset only if the deadline is earlier, or when it fires, so that short calls do not touch
            // it.
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
) -> Result<Response<ResponseBody>, Infallible> {
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
        call.remove_timeout();
    }
    Ok(response.map(|body| ResponseBody::new(body, call)))
}
