//! Clients that do not get on, against a listener with short deadlines.

use std::net::SocketAddr;

use poem::http::StatusCode;
use poem::{Endpoint, Request, Response};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

use super::*;

/// Longer than any deadline here: what has not happened by then does not happen.
const LONG: Duration = Duration::from_secs(20);
const SHORT: Duration = Duration::from_millis(150);

/// Reads the body at `/read`, answers without reading it at `/refuse`, answers more than a socket takes at `/large`, and little elsewhere.
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
        answer: LONG,
    }
}

async fn listening(limits: ConnectionLimits) -> SocketAddr {
    let listener = Listener::bind(SocketAddr::from(([127, 0, 0, 1], 0)), limits).await.unwrap();
    let address = listener.address().unwrap();
    tokio::spawn(listener.serve(Calls, std::future::pending(), Duration::ZERO));
    address
}

/// What comes until the server closes the connection.
async fn rest(stream: &mut TcpStream) -> Vec<u8> {
    let mut read = Vec::new();
    // A connection that is cut off ends as well as one that is closed.
    let _ = tokio::time::timeout(LONG / 2, stream.read_to_end(&mut read)).await.expect("the server closes the connection");
    read
}

async fn asked(address: SocketAddr, text: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(text.as_bytes()).await.unwrap();
    stream
}

/// Sends a byte every now and then until the connection is closed; what was answered.
async fn dripped(address: SocketAddr, head: &str) -> String {
    let (mut reading, mut writing) = asked(address, head).await.into_split();
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
async fn a_head_that_does_not_end_is_not_waited_for() {
    let address = listening(ConnectionLimits { head: SHORT, ..limits() }).await;
    assert_eq!(dripped(address, "GET / HTTP/1.1\r\nX: ").await, "");
    assert!(rest(&mut asked(address, "").await).await.is_empty(), "nor one that does not begin");
    let again = dripped(address, "GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nX: ").await;
    assert_eq!(again.matches("200 OK").count(), 1, "{again}");
}

#[tokio::test]
async fn a_connection_nothing_is_asked_over_is_closed() {
    let address = listening(ConnectionLimits { idle: SHORT, ..limits() }).await;
    let answered = rest(&mut asked(address, "GET / HTTP/1.1\r\nHost: a\r\n\r\n").await).await;
    assert!(answered.ends_with(b"hello"));
    let preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
    let address = listening(ConnectionLimits { head: SHORT, ..limits() }).await;
    assert!(!rest(&mut asked(address, preface).await).await.is_empty(), "its settings are told to an HTTP/2 client");
}

#[tokio::test]
async fn a_body_that_does_not_come_is_not_waited_for() {
    let address = listening(ConnectionLimits { stall: SHORT, ..limits() }).await;
    let head = "POST /read HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n";
    let answered = rest(&mut asked(address, head).await).await;
    assert!(answered.starts_with(b"HTTP/1.1 400 "), "{}", String::from_utf8_lossy(&answered));
    let head = "POST /read HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab";
    assert!(rest(&mut asked(address, head).await).await.starts_with(b"HTTP/1.1 400 "));
    // Much of it at once is no right to keep silent about the rest.
    let much = format!("POST /read HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n{}", "x".repeat(90_000));
    assert!(rest(&mut asked(address, &much).await).await.starts_with(b"HTTP/1.1 400 "));
}

#[tokio::test]
async fn a_body_that_comes_a_byte_at_a_time_is_not_waited_for_either() {
    let address = listening(ConnectionLimits { stall: SHORT, body_bytes_per_second: 10_000, ..limits() }).await;
    let answered = dripped(address, "POST /read HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n").await;
    assert!(answered.starts_with("HTTP/1.1 400 "), "{answered}");
}

#[tokio::test]
async fn a_body_that_comes_fast_enough_is_read() {
    let address = listening(ConnectionLimits { stall: LONG, ..limits() }).await;
    let mut stream = asked(address, "POST /read HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 40\r\n\r\n").await;
    for _ in 0..40 {
        stream.write_all(b"x").await.unwrap();
        tokio::task::yield_now().await;
    }
    assert!(rest(&mut stream).await.ends_with(b"40"));
}

#[tokio::test]
async fn an_answer_nobody_takes_is_given_up() {
    let address = listening(ConnectionLimits { stall: SHORT, per_address: 1, ..limits() }).await;
    let deaf = asked(address, "GET /large HTTP/1.1\r\nHost: a\r\n\r\n").await;
    // The one connection there may be is free again once the server has given up.
    let served = async {
        loop {
            let mut stream = TcpStream::connect(address).await.unwrap();
            let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").await;
            if rest(&mut stream).await.ends_with(b"hello") {
                break;
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(LONG, served).await.expect("the server gives up");
    drop(deaf);
}

#[tokio::test]
async fn whoever_is_refused_before_the_body_was_read_learns_why() {
    let address = listening(limits()).await;
    let mut stream = asked(address, "POST /refuse HTTP/1.1\r\nHost: a\r\nContent-Length: 8000000\r\n\r\n").await;
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

/// Connects from an address of this machine and asks; whether that was answered.
async fn is_served(from: [u8; 4], address: SocketAddr) -> Option<TcpStream> {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(SocketAddr::from((from, 0))).unwrap();
    let mut stream = socket.connect(address).await.unwrap();
    let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").await;
    let mut head = [0; 15];
    let answered = tokio::time::timeout(LONG, stream.read_exact(&mut head)).await.expect("an answer or an end");
    (answered.is_ok() && &head == b"HTTP/1.1 200 OK").then_some(stream)
}

#[tokio::test]
async fn one_address_does_not_have_every_connection() {
    let proxies = Networks::parse("127.0.0.9").unwrap();
    let address = listening(ConnectionLimits { total: 5, per_address: 2, proxies, ..limits() }).await;
    let first = is_served([127, 0, 0, 2], address).await.unwrap();
    let _second = is_served([127, 0, 0, 2], address).await.unwrap();
    assert!(is_served([127, 0, 0, 2], address).await.is_none(), "one too many");
    let mut proxied = Vec::new();
    for _ in 0..3 {
        proxied.push(is_served([127, 0, 0, 9], address).await.expect("a proxy speaks for many"));
    }
    assert!(is_served([127, 0, 0, 3], address).await.is_none(), "all are taken");
    drop((first, proxied));
    let again = async {
        loop {
            match is_served([127, 0, 0, 2], address).await {
                Some(stream) => break stream,
                None => tokio::task::yield_now().await,
            }
        }
    };
    tokio::time::timeout(LONG, again).await.expect("what is closed makes room");
}

/// One frame of HTTP/2.
fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let mut frame = u32::try_from(payload.len()).unwrap().to_be_bytes()[1..].to_vec();
    frame.extend([kind, flags]);
    frame.extend(stream.to_be_bytes());
    frame.extend(payload);
    frame
}

/// What an HTTP/2 client begins with, taking so much of each answer at first.
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
async fn an_http2_connection_has_few_streams_and_they_end() {
    let address = listening(ConnectionLimits { answer: SHORT, ..limits() }).await;
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(&[preface(0), get(1)].concat()).await.unwrap();
    let answered = rest(&mut stream).await;
    let most = [&[0, 3][..], &64_u32.to_be_bytes()].concat();
    assert!(answered.windows(6).any(|window| window == most), "SETTINGS_MAX_CONCURRENT_STREAMS is 64");
}

#[tokio::test]
async fn streams_that_are_taken_back_at_once_end_the_connection() {
    let address = listening(limits()).await;
    let mut stream = TcpStream::connect(address).await.unwrap();
    let resets =
        (0..2_000_u32).flat_map(|number| [get(2 * number + 1), frame(3, 0, 2 * number + 1, &8_u32.to_be_bytes())].concat());
    let _ = stream.write_all(&[preface(65_535), resets.collect()].concat()).await;
    rest(&mut stream).await;
}
