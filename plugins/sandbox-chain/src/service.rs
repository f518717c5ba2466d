//! The network's service, on this machine: JSON-RPC for programs, and a wallet for people.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{
    ACCEPT_LANGUAGE, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderValue, LOCATION, REFERRER_POLICY, VARY,
    X_CONTENT_TYPE_OPTIONS,
};
use hyper::http::request::Parts;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::{JoinHandle, JoinSet};

use crate::chain::{Arrival, Chain, FEE, NotEnough, Output, Sending};
use crate::driver::NOT_ENOUGH;
use crate::money::{amount, units};
use crate::networks::Networks;
use crate::wallet::{self, Asked, Language};

mod door;

/// The longest request that is read, in bytes.
const REQUEST_MAX: usize = 1024 * 1024;

/// The longest key, address and identifier, in bytes.
const WORD_MAX: usize = 200;

/// The longest code of a currency.
const CODE_MAX: usize = 20;

/// How many networks there may be.
const NETWORKS_MAX: usize = 100;

/// How often the service fails, in percent of the calls. Which calls fail follows from the seed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Faults {
    /// It answers 503 and does nothing.
    pub before: u64,
    /// It does what was asked, and the answer is lost.
    pub lost: u64,
    /// It does what was asked and never answers.
    pub stalled: u64,
}

/// What becomes of a call.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Served,
    FailsBefore,
    Lost,
    Stalled,
}

/// The running service. It ends when this is dropped.
pub struct Service {
    /// Where it answers, with a slash at the end.
    pub url: String,
    state: Arc<Mutex<State>>,
    stop: Option<oneshot::Sender<()>>,
    serving: JoinHandle<()>,
    pace: Option<JoinHandle<()>>,
}

struct State {
    networks: Networks,
    faults: Faults,
}

impl Service {
    /// Starts to answer. The life of every network follows from `seed`, and the house has `balance` units in its wallet on each.
    ///
    /// # Errors
    /// Nothing can listen there.
    pub async fn start(seed: u64, balance: u64, listen: SocketAddr) -> io::Result<Self> {
        Self::serve(TcpListener::bind(listen).await?, Networks::new(seed, balance))
    }

    /// The same with a journal: what happens on the networks is written down in it before anybody is told, and they live on from it.
    ///
    /// # Errors
    /// Nothing can listen there; the journal cannot be read or written, or another process writes it.
    pub async fn start_with(journal: &Path, seed: u64, balance: u64, listen: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind(listen).await?;
        Self::serve(listener, Networks::kept_in(journal, seed, balance)?)
    }

    fn serve(listener: TcpListener, networks: Networks) -> io::Result<Self> {
        let address = listener.local_addr()?;
        let state = Arc::new(Mutex::new(State { networks, faults: Faults::default() }));
        let (stop, stopped) = oneshot::channel();
        let serving = tokio::spawn(serve(listener, address, state.clone(), stopped));
        Ok(Self { url: format!("http://{address}/"), state, stop: Some(stop), serving, pace: None })
    }

    /// Finds a block on every network each time so much has passed.
    pub fn find_blocks(&mut self, every: Duration) {
        let state = self.state.clone();
        let pace = tokio::spawn(async move {
            let mut pace = tokio::time::interval(every);
            loop {
                pace.tick().await;
                change(&state, |state| state.networks.mine(1));
            }
        });
        if let Some(before) = self.pace.replace(pace) {
            before.abort();
        }
    }

    /// Does something with the network of a currency, as the world around the house does.
    pub fn chain<T>(&self, currency: &str, act: impl FnOnce(&mut Chain) -> T) -> T {
        change(&self.state, |state| act(state.networks.of(currency))).0
    }

    /// Lets calls fail from now on.
    pub fn fail(&self, faults: Faults) {
        lock(&self.state).faults = faults;
    }

    /// Adds blocks to every network that was ever asked for.
    pub fn mine(&self, blocks: u64) {
        change(&self.state, |state| state.networks.mine(blocks));
    }

    /// Ends, and waits until nothing listens, nobody is answered and the journal is another process's to write.
    pub async fn stop(mut self) {
        if let Some(pace) = self.pace.take() {
            pace.abort();
            let _ = pace.await;
        }
        drop(self.stop.take());
        let _ = (&mut self.serving).await;
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.serving.abort();
        self.pace.iter().for_each(JoinHandle::abort);
    }
}

/// Changes the state and writes down what changed. Only what is written down is told: false when it is not.
fn change<T>(state: &Mutex<State>, act: impl FnOnce(&mut State) -> T) -> (T, bool) {
    let mut state = lock(state);
    let outcome = act(&mut state);
    let kept = state.networks.keep();
    if let Err(error) = &kept {
        eprintln!("agio: the sandbox network cannot write its journal: {error}");
    }
    (outcome, kept.is_ok())
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn serve(listener: TcpListener, address: SocketAddr, state: Arc<Mutex<State>>, mut stopped: oneshot::Receiver<()>) {
    let mut connections = JoinSet::new();
    loop {
        let stream = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                Err(_) => break,
            },
            Some(_) = connections.join_next() => continue,
            _ = &mut stopped => break,
        };
        let state = state.clone();
        connections.spawn(async move {
            let answering = service_fn(move |request| answer(state.clone(), address, request));
            // A connection that breaks is the caller's business.
            let _ = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), answering).await;
        });
    }
    drop(listener);
    connections.shutdown().await;
}

/// An answer that is lost breaks the connection.
#[derive(Debug)]
struct Lost;

impl std::fmt::Display for Lost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the answer is lost")
    }
}

impl std::error::Error for Lost {}

async fn answer(
    state: Arc<Mutex<State>>,
    address: SocketAddr,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Lost> {
    let (head, body) = request.into_parts();
    // A page of somebody else's whose name leads to this machine is not answered.
    if !door::is_addressed(&head.headers, address) {
        return Ok(said(StatusCode::MISDIRECTED_REQUEST, String::new()));
    }
    let Ok(body) = Limited::new(body, REQUEST_MAX).collect().await else {
        return Ok(said(StatusCode::PAYLOAD_TOO_LARGE, String::new()));
    };
    let body = body.to_bytes();
    match (&head.method, head.uri.path()) {
        (&Method::POST, "/") if !door::is_a_program(&head.headers) => Ok(said(StatusCode::FORBIDDEN, String::new())),
        (&Method::POST, "/") => call(&state, &body).await,
        (&Method::POST, "/pay") if !door::is_own_form(&head.headers) => Ok(said(StatusCode::FORBIDDEN, String::new())),
        (&Method::POST, "/pay") => Ok(pay(&state, &head, &body)),
        (&Method::GET | &Method::HEAD, path) => Ok(look(&state, &head, path)),
        _ => Ok(said(StatusCode::NOT_FOUND, String::new())),
    }
}

/// The answer to a call.
async fn call(state: &Mutex<State>, body: &[u8]) -> Result<Response<Full<Bytes>>, Lost> {
    let Ok(call) = serde_json::from_slice::<Value>(body) else {
        return Ok(said(StatusCode::BAD_REQUEST, String::new()));
    };
    let ((fate, outcome), is_kept) = change(state, |state| decide(state, &call));
    match fate {
        _ if !is_kept => Ok(said(StatusCode::SERVICE_UNAVAILABLE, String::new())),
        Fate::Served => {
            let told = match outcome {
                Ok(result) => json!({ "jsonrpc": "2.0", "id": call["id"], "result": result }),
                Err((code, message)) => {
                    json!({ "jsonrpc": "2.0", "id": call["id"], "error": { "code": code, "message": message } })
                }
            };
            Ok(said(StatusCode::OK, told.to_string()))
        }
        Fate::FailsBefore => Ok(said(StatusCode::SERVICE_UNAVAILABLE, String::new())),
        Fate::Lost => Err(Lost),
        Fate::Stalled => match std::future::pending::<Infallible>().await {},
    }
}

/// The wallet, and what its page is made of.
fn look(state: &Mutex<State>, head: &Parts, path: &str) -> Response<Full<Bytes>> {
    match path {
        "/" => {
            let asked = Asked::of(head.uri.query().unwrap_or_default());
            let page = wallet::page(&lock(state).networks, &asked, language(&asked, head), &BTreeMap::new());
            document(StatusCode::OK, page)
        }
        "/wallet.css" => file("text/css; charset=utf-8", wallet::STYLE),
        "/wallet.js" => file("text/javascript; charset=utf-8", wallet::SCRIPT),
        "/wallet.svg" => file("image/svg+xml", wallet::ICON),
        _ => said(StatusCode::NOT_FOUND, String::new()),
    }
}

/// Pays what the wallet's form says, and leads to the page of the payment.
fn pay(state: &Mutex<State>, head: &Parts, body: &[u8]) -> Response<Full<Bytes>> {
    let asked = Asked::of(&String::from_utf8_lossy(body));
    let language = language(&asked, head);
    let (paid, is_kept) = change(state, |state| {
        let order = wallet::order(&state.networks, &asked);
        order.map(|(currency, output)| state.networks.of(&currency).pay(vec![output]))
    });
    match paid {
        _ if !is_kept => said(StatusCode::SERVICE_UNAVAILABLE, String::new()),
        Ok(tx_id) => {
            let mut response = said(StatusCode::SEE_OTHER, String::new());
            let place = format!("/?tx={tx_id}&locale={language}").parse().expect("an identifier and a language are plain");
            response.headers_mut().insert(LOCATION, place);
            response
        }
        Err(wrong) => document(StatusCode::UNPROCESSABLE_ENTITY, wallet::page(&lock(state).networks, &asked, language, &wrong)),
    }
}

/// The language somebody chose, or else the one their browser asks for.
fn language(asked: &Asked, head: &Parts) -> Language {
    let accepted = head.headers.get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    asked.language.unwrap_or_else(|| Language::accepted(accepted))
}

/// What the page may load: its own style, script and icon.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; \
                      base-uri 'none'; frame-ancestors 'none'";

fn document(status: StatusCode, page: String) -> Response<Full<Bytes>> {
    let mut response = said(status, page);
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CONTENT_SECURITY_POLICY, POLICY),
        (CACHE_CONTROL, "no-store"),
        (VARY, "accept-language"),
        // The form's origin is only told where a page may be told as the one somebody comes from.
        (REFERRER_POLICY, "same-origin"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    for (name, value) in headers {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

fn file(kind: &'static str, text: &'static str) -> Response<Full<Bytes>> {
    let mut response = said(StatusCode::OK, text.to_owned());
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response.headers_mut().insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

fn said(status: StatusCode, body: String) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(body)));
    *response.status_mut() = status;
    response
}

/// What becomes of a call, and what came of it if it was acted on.
fn decide(state: &mut State, call: &Value) -> (Fate, Result<Value, (i64, String)>) {
    let Faults { before, lost, stalled } = state.faults;
    let currency = call["params"]["currency"].as_str().unwrap_or_default();
    let is_known = state.networks.all().any(|(known, _)| known == currency);
    if !is_known && (!is_code(currency) || state.networks.all().count() >= NETWORKS_MAX) {
        return (Fate::Served, Err((-32_602, "currency is missing or wrong".to_owned())));
    }
    let chain = state.networks.of(currency);
    let drawn = if before + lost + stalled > 0 { chain.chance(100) } else { 100 };
    let fate = match drawn {
        drawn if drawn < before => return (Fate::FailsBefore, Ok(Value::Null)),
        drawn if drawn < before + lost => Fate::Lost,
        drawn if drawn < before + lost + stalled => Fate::Stalled,
        _ => Fate::Served,
    };
    (fate, act(chain, call))
}

fn is_code(currency: &str) -> bool {
    (1..=CODE_MAX).contains(&currency.len()) && currency.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

fn act(chain: &mut Chain, call: &Value) -> Result<Value, (i64, String)> {
    let params = &call["params"];
    let missing = |what: &str| (-32_602, format!("{what} is missing or wrong"));
    let text =
        |name: &str| params[name].as_str().filter(|text| text.len() <= WORD_MAX).map(str::to_owned).ok_or_else(|| missing(name));
    let number = |name: &str, default: u64| if params[name].is_null() { Some(default) } else { params[name].as_u64() };
    let output = || Ok(Output { address: text("address")?, units: units(&text("amount")?).ok_or_else(|| missing("amount"))? });
    match call["method"].as_str().unwrap_or_default() {
        "addresses" => {
            let keys = params["keys"].as_array().ok_or_else(|| missing("keys"))?;
            let address = |key: &Value| key.as_str().map(|key| chain.address(key)).ok_or_else(|| missing("keys"));
            Ok(json!(keys.iter().map(address).collect::<Result<Vec<_>, _>>()?))
        }
        "watch" => {
            let confirmations = number("confirmations", 0).and_then(|count| u32::try_from(count).ok());
            let confirmations = confirmations.ok_or_else(|| missing("confirmations"))?;
            let (arrivals, cursor) = chain.arrivals(params["after"].as_u64(), confirmations);
            let movements: Vec<_> = arrivals.iter().map(shown).collect();
            Ok(json!({ "movements": movements, "cursor": cursor, "height": chain.height() }))
        }
        "send" => match chain.send(&text("key")?, output()?) {
            Ok(sending) => Ok(sent(&sending)),
            Err(NotEnough) => Err((NOT_ENOUGH, "the wallet has not enough".to_owned())),
        },
        "sent" => Ok(sent(&chain.sent(&text("key")?))),
        "pay" => Ok(json!(chain.pay(vec![output()?]))),
        "replace" => Ok(json!(chain.replace(&text("tx_id")?, vec![output()?]))),
        "mine" => {
            chain.mine(number("blocks", 1).ok_or_else(|| missing("blocks"))?.min(1_000));
            Ok(json!(chain.height()))
        }
        "reorganise" => {
            let depth = number("depth", 1).ok_or_else(|| missing("depth"))?;
            chain.reorganise(depth, number("dropped", 0).ok_or_else(|| missing("dropped"))?);
            Ok(json!(chain.height()))
        }
        _ => Err((-32_601, "there is no such call".to_owned())),
    }
}

fn shown(arrival: &Arrival) -> Value {
    json!({
        "tx_id": arrival.tx_id, "output": arrival.output, "address": arrival.address, "amount": amount(arrival.units),
        "confirmations": arrival.confirmations, "gone": arrival.gone,
    })
}

fn sent(sending: &Sending) -> Value {
    match sending {
        Sending::Never => json!({ "state": "never" }),
        Sending::Sent { tx_id, confirmations } => {
            json!({ "state": "sent", "tx_id": tx_id, "confirmations": confirmations, "fee": amount(FEE) })
        }
        Sending::Returned { tx_id } => json!({ "state": "returned", "tx_id": tx_id }),
    }
}
