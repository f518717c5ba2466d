//! Clients that try to exhaust connections, memory or time of the server.

use std::net::{Ipv4Addr, SocketAddr};
use std::process::Stdio;
use std::time::Duration;

use agio_test_app::{Engine, TestApp, free_port};
use rustix::process::{Resource, getrlimit, setrlimit};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::process::Command;

use crate::examples::order;

const TIMEOUT: Duration = Duration::from_secs(20);

/// Raises the limit of open files for the attacks.
fn raise_open_files() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit).unwrap();
}

async fn connected(from: Ipv4Addr, to: SocketAddr) -> Option<TcpStream> {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(SocketAddr::from((from, 0))).unwrap();
    socket.connect(to).await.ok()
}

/// Whether a caller at this address gets a health response.
async fn gets_health_response(from: Ipv4Addr, server: SocketAddr) -> bool {
    let Some(mut stream) = connected(from, server).await else { return false };
    let _ = stream.write_all(b"GET /health/live HTTP/1.1\r\nHost: agio\r\nConnection: close\r\n\r\n").await;
    let mut answer = Vec::new();
    let _ = tokio::time::timeout(TIMEOUT, stream.read_to_end(&mut answer)).await;
    answer.starts_with(b"HTTP/1.1 200 ")
}

/// A process with few file descriptors, and one address with more connections than that.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn idle_connections_of_one_address_do_not_block_others() {
    raise_open_files();
    let folder = tempfile::tempdir().unwrap();
    let port = free_port();
    let server = SocketAddr::from(([127, 0, 0, 1], port));
    let at = |name: &str| folder.path().join(name).display().to_string();
    let mut agio = Command::new("sh");
    agio.args(["-c", "ulimit -n 1024 && exec \"$@\"", "sh", env!("CARGO_BIN_EXE_agio")]);
    for set in [
        format!("database.url=sqlite:{}", at("agio.db")),
        format!("files.receipts={}", at("receipts")),
        format!("files.photos={}", at("photos")),
        format!("server.listen={server}"),
        "sites.public=/dev/null/none".to_owned(),
        "sites.console=/dev/null/none".to_owned(),
        "log.filter=off".to_owned(),
    ] {
        agio.args(["--set", &set]);
    }
    let _agio = agio.arg("serve").stdout(Stdio::null()).kill_on_drop(true).spawn().unwrap();
    let (attacker, other) = (Ipv4Addr::new(127, 0, 0, 2), Ipv4Addr::new(127, 0, 0, 3));
    let starts = async {
        while !gets_health_response(other, server).await {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(TIMEOUT * 3, starts).await.expect("the server starts");
    let mut idle = Vec::new();
    for _ in 0..1_100 {
        idle.extend(connected(attacker, server).await);
    }
    assert!(idle.len() > 1_024, "{} connections were opened", idle.len());
    for _ in 0..20 {
        assert!(gets_health_response(other, server).await, "another address is served");
    }
}

/// The memory of this process in bytes.
fn resident_memory() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    statm.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * rustix::param::page_size() as u64
}

/// A thousand callers start to upload a receipt and stop.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "it measures the memory of the process, so it runs alone"]
async fn a_thousand_half_sent_uploads_cost_little() {
    const UPLOADS: u32 = 1_000;
    const MIB: u64 = 1024 * 1024;
    raise_open_files();
    let app = TestApp::start(Engine::Sqlite).await;
    let customer = app.visitor();
    let created = customer.post("/api/v1/claim/", order(&app, "0.005")).await.ok();
    let claim = format!("/api/v1/claim/{}", created["id"].as_str().unwrap());
    customer.post_empty(&format!("{claim}/confirm/")).await.ok();
    let server: SocketAddr = app.root.trim_start_matches("http://").parse().unwrap();
    let before = resident_memory();
    let mut held = Vec::new();
    for number in 0..UPLOADS {
        let address = Ipv4Addr::from_bits(0xc633_6400 + number);
        let head = format!(
            "POST {claim}/bill/ HTTP/1.1\r\nHost: agio\r\nX-Forwarded-For: {address}\r\nContent-Length: 8000000\r\n\
             Content-Type: multipart/form-data; boundary=part\r\n\r\n--part\r\n\
             Content-Disposition: form-data; name=\"file\"; filename=\"a.pdf\"\r\n\r\n%PDF-"
        );
        let mut stream = connected(Ipv4Addr::LOCALHOST, server).await.unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        held.push(stream);
    }
    let piece = vec![b'x'; 64 * 1024];
    // As much as the server accepts from each client, up to 4 MiB.
    for _ in 0..64 {
        for stream in &mut held {
            let _ = stream.try_write(&piece);
        }
        tokio::task::yield_now().await;
    }
    let (mut going_on, mut busy) = (0, 0);
    for stream in &mut held {
        let mut answer = [0; 12];
        match tokio::time::timeout(Duration::from_millis(20), stream.read(&mut answer)).await {
            Err(_) => going_on += 1,
            Ok(_) if answer == *b"HTTP/1.1 503" => busy += 1,
            Ok(read) => panic!("{read:?} {}", String::from_utf8_lossy(&answer)),
        }
    }
    let cost = resident_memory().saturating_sub(before);
    println!("{UPLOADS} half-sent uploads: {} MiB; {going_on} wait for the rest, {busy} were sent away", cost / MIB);
    assert_eq!((going_on, busy), (32, UPLOADS - 32));
    assert!(cost < 64 * MIB, "{} MiB", cost / MIB);
    assert!(gets_health_response(Ipv4Addr::LOCALHOST, server).await);
}
