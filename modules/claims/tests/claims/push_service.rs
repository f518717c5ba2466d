//! A push service and the browsers that are subscribed at it.

use std::sync::{Arc, Mutex};

use agio_test_app::TestClient;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use p256::SecretKey;
use p256::ecdsa::signature::Verifier as _;
use p256::ecdsa::{Signature, VerifyingKey};
use p256::elliptic_curve::sec1::ToEncodedPoint as _;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// A request as received.
#[derive(Clone, Debug)]
pub struct PushRequest {
    head: String,
    body: Vec<u8>,
}

impl PushRequest {
    pub fn path(&self) -> &str {
        self.head.split(' ').nth(1).unwrap()
    }

    pub fn header(&self, name: &str) -> &str {
        let lines = self.head.lines().skip(1).filter_map(|line| line.split_once(": "));
        lines.filter(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value).next().unwrap_or_default()
    }

    /// The claims of the token, whose signature is checked with the key the browser subscribed with.
    pub fn identity(&self, key: &str) -> Value {
        let (token, public) = self.header("authorization").strip_prefix("vapid t=").unwrap().split_once(", k=").unwrap();
        assert_eq!(public, key);
        let (signed, signature) = token.rsplit_once('.').unwrap();
        let verifying = VerifyingKey::from_sec1_bytes(&decode(key)).unwrap();
        verifying.verify(signed.as_bytes(), &Signature::from_slice(&decode(signature)).unwrap()).unwrap();
        let (header, claims) = signed.split_once('.').unwrap();
        let header: Value = serde_json::from_slice(&decode(header)).unwrap();
        assert_eq!(header, json!({ "typ": "JWT", "alg": "ES256" }));
        serde_json::from_slice(&decode(claims)).unwrap()
    }
}

fn decode(text: &str) -> Vec<u8> {
    URL_SAFE_NO_PAD.decode(text).unwrap()
}

/// Records requests and responds with the queued statuses, then with 201.
pub struct PushService {
    pub origin: String,
    requests: Arc<Mutex<Vec<PushRequest>>>,
    answers: Arc<Mutex<Vec<&'static str>>>,
    serving: JoinHandle<()>,
}

impl PushService {
    pub async fn open() -> Self {
        let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("http://{}", socket.local_addr().unwrap());
        let (requests, answers) = (Arc::<Mutex<Vec<_>>>::default(), Arc::<Mutex<Vec<&'static str>>>::default());
        let (received, statuses) = (requests.clone(), answers.clone());
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = socket.accept().await {
                tokio::spawn(serve(stream, received.clone(), statuses.clone()));
            }
        });
        Self { origin, requests, answers, serving }
    }

    pub fn requests(&self) -> Vec<PushRequest> {
        self.requests.lock().unwrap().clone()
    }

    /// Statuses of the next responses.
    pub fn respond_with(&self, answers: &[&'static str]) {
        *self.answers.lock().unwrap() = answers.iter().rev().copied().collect();
    }
}

impl Drop for PushService {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn serve(mut stream: TcpStream, requests: Arc<Mutex<Vec<PushRequest>>>, answers: Arc<Mutex<Vec<&'static str>>>) {
    let mut bytes = Vec::new();
    loop {
        let mut chunk = [0; 4_096];
        let read = stream.read(&mut chunk).await.unwrap_or(0);
        if read == 0 {
            return;
        }
        bytes.extend_from_slice(&chunk[..read]);
        let Some(ends) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else { continue };
        let request = PushRequest { head: String::from_utf8(bytes[..ends].to_vec()).unwrap(), body: bytes[ends + 4..].to_vec() };
        if request.body.len() < request.header("content-length").parse().unwrap() {
            continue;
        }
        requests.lock().unwrap().push(request);
        break;
    }
    let answer = answers.lock().unwrap().pop().unwrap_or("201 Created");
    let _ = stream.write_all(format!("HTTP/1.1 {answer}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n").as_bytes()).await;
}

/// A browser with a subscription of its own.
pub struct TestBrowser {
    path: String,
    subscription: Value,
    secret: [u8; 32],
    auth: [u8; 16],
}

impl TestBrowser {
    /// `number` tells browsers apart.
    pub fn at(service: &PushService, number: u8) -> Self {
        let (secret, auth, path) = ([number; 32], [number; 16], format!("/push/{number}"));
        let public = SecretKey::from_slice(&secret).unwrap().public_key().to_encoded_point(false);
        let subscription = json!({
            "endpoint": format!("{}{path}", service.origin),
            "keys": { "p256dh": URL_SAFE_NO_PAD.encode(public), "auth": URL_SAFE_NO_PAD.encode(auth) },
        });
        Self { path, subscription, secret, auth }
    }

    /// Subscribes at a path of the API and returns the path that unsubscribes.
    pub async fn subscribe(&self, caller: &TestClient, path: &str) -> String {
        let made = caller.post(path, self.subscription.clone()).await.ok();
        format!("{path}{}/", made["id"].as_str().unwrap())
    }

    pub fn subscription(&self) -> Value {
        self.subscription.clone()
    }

    /// What it was sent, decrypted with its own key.
    pub fn messages(&self, service: &PushService) -> Vec<Value> {
        let own = service.requests().into_iter().filter(|request| request.path() == self.path);
        own.map(|request| {
            assert_eq!(request.header("content-encoding"), "aes128gcm");
            serde_json::from_slice(&agio_push::decrypt(&self.secret, &self.auth, request.body).unwrap()).unwrap()
        })
        .collect()
    }

    pub fn titles(&self, service: &PushService) -> Vec<String> {
        self.messages(service).iter().map(|message| message["title"].as_str().unwrap().to_owned()).collect()
    }
}
