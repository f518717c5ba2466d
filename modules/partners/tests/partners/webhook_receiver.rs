//! A partner's webhook receiver.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use agio_partners::model::signature;
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// A webhook as received.
#[derive(Clone, Debug)]
pub struct ReceivedWebhook {
    pub event: String,
    pub attempt: i64,
    pub timestamp: i64,
    pub signature: String,
    pub text: String,
    pub body: Value,
}

impl ReceivedWebhook {
    pub fn is_signed(&self, secret: &str) -> bool {
        signature::of_webhook(secret.as_bytes(), self.timestamp, &self.event, self.attempt, &self.text) == self.signature
    }

    pub fn state(&self) -> &str {
        self.body["claim"]["state"].as_str().unwrap()
    }
}

type Answers = Arc<Mutex<Vec<&'static str>>>;

/// Records webhooks and responds with the queued statuses, then with 200.
pub struct WebhookReceiver {
    pub url: String,
    webhooks: Arc<Mutex<Vec<ReceivedWebhook>>>,
    answers: Answers,
    connections: Arc<AtomicUsize>,
    serving: JoinHandle<()>,
}

impl WebhookReceiver {
    pub async fn open() -> Self {
        let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/webhook-deliveries", socket.local_addr().unwrap());
        let (webhooks, answers): (Arc<Mutex<Vec<ReceivedWebhook>>>, Answers) = (Arc::default(), Arc::default());
        let (received, statuses) = (webhooks.clone(), answers.clone());
        let connections: Arc<AtomicUsize> = Arc::default();
        let counts = connections.clone();
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = socket.accept().await {
                counts.fetch_add(1, Ordering::Relaxed);
                tokio::spawn(serve(stream, received.clone(), statuses.clone()));
            }
        });
        Self { url, webhooks, answers, connections, serving }
    }

    pub fn received(&self) -> Vec<ReceivedWebhook> {
        self.webhooks.lock().unwrap().clone()
    }

    /// Number of connections, with or without a request.
    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }

    pub fn states(&self) -> Vec<String> {
        self.received().iter().map(|webhook| webhook.state().to_owned()).collect()
    }

    /// Statuses of the next responses.
    pub fn respond_with(&self, answers: &[&'static str]) {
        *self.answers.lock().unwrap() = answers.iter().rev().copied().collect();
    }
}

impl Drop for WebhookReceiver {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn serve(mut stream: TcpStream, webhooks: Arc<Mutex<Vec<ReceivedWebhook>>>, answers: Answers) {
    let mut bytes = Vec::new();
    let (head, length, begins) = loop {
        let mut chunk = [0; 4_096];
        let read = stream.read(&mut chunk).await.unwrap_or(0);
        if read == 0 {
            return;
        }
        bytes.extend_from_slice(&chunk[..read]);
        let Some(begins) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else { continue };
        let head = String::from_utf8(bytes[..begins].to_vec()).unwrap().to_lowercase();
        let length: usize = header(&head, "content-length").parse().unwrap();
        if bytes.len() >= begins + 4 + length {
            break (head, length, begins + 4);
        }
    };
    let text = String::from_utf8(bytes[begins..begins + length].to_vec()).unwrap();
    webhooks.lock().unwrap().push(ReceivedWebhook {
        event: header(&head, "x-agio-event"),
        attempt: header(&head, "x-agio-attempt").parse().unwrap(),
        timestamp: header(&head, "x-agio-timestamp").parse().unwrap(),
        signature: header(&head, "x-agio-signature"),
        body: serde_json::from_str(&text).unwrap(),
        text,
    });
    let answer = answers.lock().unwrap().pop().unwrap_or("200 OK");
    let _ = stream.write_all(format!("HTTP/1.1 {answer}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n").as_bytes()).await;
}

fn header(head: &str, name: &str) -> String {
    let line = head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    line.unwrap_or_default().trim().to_owned()
}
