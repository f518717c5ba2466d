//! Clients that do not get on, against a listener with short deadlines.

use std::net::SocketAddr;

use poem::http::StatusCode;
use poem::{Endpoint, Request, Response};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

use super::*;

/// Longer than any timeout here.
const LONG: Duration = Duration::from_secs(20);
const SHORT: Duration = Duration::from_millis(150);

/// Reads the body at `/read`, ignores it at `/refuse`, and returns more than a socket buffer at `/large`.
struct Calls;

impl Endpoint for Calls {
    type Output = Response;

    async fn call(&self, mut request: Request) -> poem::Result<Response> {
        Ok(match request.uri().path() {
            "/read" => match request.take_body().into_bytes().await {
                Ok(body) => Response::builder().body(body.len().to_string()),
                Err(_) => Response::builder().status(StatusCode::BAD_REQUEST).body("gave up"),
            },
            "/refuse" => Response::builder().status(StatusCode::PAYLOAD_TOO_LARGE).body("refused"),
            "/large" => Response::builder().body(vec![b'.'; 64 * 1024 * 1024]),
            _ => Response::builder().body("hello"),
        })
    }
}

fn limits() -> ConnectionLimits {
    ConnectionLimits {
        total: 100,
        per_address: 100,
        proxies: Networks::default(),
        head: LONG,
        idle: LONG,
        stall: LONG,
        body_bytes_per_second: 1,
        http2_response: LONG,
    }
}

async fn start_listener(limits: ConnectionLimits) -> SocketAddr {
    let listener = Listener::bind(SocketAddr::from(([127, 0, 0, 1], 0)), limits).await.unwrap();
    let address = listener.address().unwrap();
    tokio::spawn(listener.serve(Calls, std::future::pending(), Duration::ZERO));
    address
}

/// Reads until the server closes the connection.
async fn read_until_closed(stream: &mut TcpStream) -> Vec<u8> {
    let mut read = Vec::new();
    // A reset counts as the end too.
    let _ = tokio::time::timeout(LONG / 2, stream.read_to_end(&mut read)).await.expect("the server closes the connection");
    read
}

async fn send_request(address: SocketAddr, text: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(text.as_bytes()).await.unwrap();
    stream
}

/// Sends single bytes until the connection is closed, and returns the response.
async fn send_slowly(address: SocketAddr, head: &str) -> String {
    let (mut reading, mut writing) = send_request(address, head).await.into_split();
    let drip = async {
        loop {
            tokio::time::sleep(SHORT / 10).await;
            if writing.write_all(b"x").await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    };
    let mut read = Vec::new();
    tokio::select! {
        outcome = tokio::time::timeout(LONG / 2, reading.read_to_end(&mut read)) => drop(outcome.expect("the server closes the connection")),
        () = drip => unreachable!("it goes on for ever"),
    }
    String::from_utf8(read).unwrap()
}

#[tokio::test]
async fn an_incomplete_head_times_out() {
    let address = start_listener(ConnectionLimits { head: SHORT, ..limits() }).await;
    assert_eq!(send_slowly(address, "GET / HTTP/1.1\r\nX: ").await, "");
    assert!(read_until_closed(&mut send_request(address, "").await).await.is_empty(), "nor one that does not begin");
    let again = send_slowly(address, "GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nX: ").await;
    assert_eq!(again.matches("200 OK").count(), 1, "{again}");
}

#[tokio::test]
async fn an_idle_connection_is_closed() {
    let address = start_listener(ConnectionLimits { idle: SHORT, ..limits() }).await;
    let answered = read_until_closed(&mut send_request(address, "GET / HTTP/1.1\r\nHost: a\r\n\r\n").await).await;
    assert!(answered.ends_with(b"hello"));
    let preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
    let address = start_listener(ConnectionLimits { head: SHORT, ..limits() }).await;
    assert!(
        !read_until_closed(&mut send_request(address, preface).await).await.is_empty(),
        "its settings are told to an HTTP/2 client"
    );
}

#[tokio::test]
async fn a_missing_body_times_out() {
    let address = start_listener(ConnectionLimits { stall: SHORT, ..limits() }).await;
    let head = "POST /read HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n";
    let answered = read_until_closed(&mut send_request(address, head).await).await;
    assert!(answered.starts_with(b"HTTP/1.1 400 "), "{}", String::from_utf8_lossy(&answered));
    let head = "POST /read HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab";
    assert!(read_until_closed(&mut send_request(address, head).await).await.starts_with(b"HTTP/1.1 400 "));
    // A large first part does not allow a pause.
    let much = format!("POST /read HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n{}", "x".repeat(90_000));
    assert!(read_until_closed(&mut send_request(address, &much).await).await.starts_with(b"HTTP/1.1 400 "));
}

#[tokio::test]
async fn a_slow_body_times_out() {
    let address = start_listener(ConnectionLimits { stall: SHORT, body_bytes_per_second: 10_000, ..limits() }).await;
    let answered = send_slowly(address, "POST /read HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n").await;
    assert!(answered.starts_with("HTTP/1.1 400 "), "{answered}");
}

#[tokio::test]
async fn a_fast_enough_body_is_read() {
    let address = start_listener(ConnectionLimits { stall: LONG, ..limits() }).await;
    let mut stream =
        send_request(address, "POST /read HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 40\r\n\r\n").await;
    for _ in 0..40 {
        stream.write_all(b"x").await.unwrap();
        tokio::task::yield_now().await;
    }
    assert!(read_until_closed(&mut stream).await.ends_with(b"40"));
}

#[tokio::test]
async fn an_unread_response_times_out() {
    let address = start_listener(ConnectionLimits { stall: SHORT, per_address: 1, ..limits() }).await;
    let deaf = send_request(address, "GET /large HTTP/1.1\r\nHost: a\r\n\r\n").await;
    // The only allowed connection is free again after the timeout.
    let served = async {
        loop {
            let mut stream = TcpStream::connect(address).await.unwrap();
            let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").await;
            if read_until_closed(&mut stream).await.ends_with(b"hello") {
                break;
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(LONG, served).await.expect("the server gives up");
    drop(deaf);
}

#[tokio::test]
async fn a_refusal_before_the_body_is_read_reaches_the_client() {
    let address = start_listener(limits()).await;
    let mut stream = send_request(address, "POST /refuse HTTP/1.1\r\nHost: a\r\nContent-Length: 8000000\r\n\r\n").await;
    let piece = [b'x'; 8_000];
    for _ in 0..1_000 {
        if stream.write_all(&piece).await.is_err() {
            break;
        }
    }
    let mut answered = Vec::new();
    stream.read_to_end(&mut answered).await.expect("the connection is closed and not reset");
    assert!(answered.starts_with(b"HTTP/1.1 413 ") && answered.ends_with(b"refused"));
}

/// Connects from a local address and sends a request. `None` if there is no response.
async fn try_request(from: [u8; 4], address: SocketAddr) -> Option<TcpStream> {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(SocketAddr::from((from, 0))).unwrap();
    let mut stream = socket.connect(address).await.unwrap();
    let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").await;
    let mut head = [0; 15];
    let answered = tokio::time::timeout(LONG, stream.read_exact(&mut head)).await.expect("an answer or an end");
    (answered.is_ok() && &head == b"HTTP/1.1 200 OK").then_some(stream)
}

#[tokio::test]
async fn connections_are_limited_per_address() {
    let proxies = Networks::parse("127.0.0.9").unwrap();
    let address = start_listener(ConnectionLimits { total: 5, per_address: 2, proxies, ..limits() }).await;
    let first = try_request([127, 0, 0, 2], address).await.unwrap();
    let _second = try_request([127, 0, 0, 2], address).await.unwrap();
    assert!(try_request([127, 0, 0, 2], address).await.is_none(), "one too many");
    let mut proxied = Vec::new();
    for _ in 0..3 {
        proxied.push(try_request([127, 0, 0, 9], address).await.expect("a proxy speaks for many"));
    }
    assert!(try_request([127, 0, 0, 3], address).await.is_none(), "all are taken");
    drop((first, proxied));
    let again = async {
        loop {
            match try_request([127, 0, 0, 2], address).await {
                Some(stream) => break stream,
                None => tokio::task::yield_now().await,
            }
        }
    };
    tokio::time::timeout(LONG, again).await.expect("closed connections free the limit");
}

/// An HTTP/2 frame.
fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let mut frame = u32::try_from(payload.len()).unwrap().to_be_bytes()[1..].to_vec();
    frame.extend([kind, flags]);
    frame.extend(stream.to_be_bytes());
    frame.extend(payload);
    frame
}

/// The start of an HTTP/2 connection with this initial window.
fn preface(window: u32) -> Vec<u8> {
    let mut settings = vec![0, 4];
    settings.extend(window.to_be_bytes());
    [b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(), frame(4, 0, 0, &settings)].concat()
}

/// `GET / HTTP/2` for the host `a`.
fn get(stream: u32) -> Vec<u8> {
    frame(1, 5, stream, &[0x82, 0x86, 0x84, 0x01, 0x01, b'a'])
}

#[tokio::test]
async fn http2_streams_are_limited_and_time_out() {
    let address = start_listener(ConnectionLimits { http2_response: SHORT, ..limits() }).await;
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(&[preface(0), get(1)].concat()).await.unwrap();
    let answered = read_until_closed(&mut stream).await;
    let most = [&[0, 3][..], &64_u32.to_be_bytes()].concat();
    assert!(answered.windows(6).any(|window| window == most), "SETTINGS_MAX_CONCURRENT_STREAMS is 64");
}

#[tokio::test]
async fn rapid_stream_resets_end_the_connection() {
    let address = start_listener(limits()).await;
    let mut stream = TcpStream::connect(address).await.unwrap();
    let resets =
        (0..2_000_u32).flat_map(|number| [get(2 * number + 1), frame(3, 0, 2 * number + 1, &8_u32.to_be_bytes())].concat());
    let _ = stream.write_all(&[preface(65_535), resets.collect()].concat()).await;
    read_until_closed(&mut stream).await;
}
