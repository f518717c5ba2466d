//! The local service of the network: a JSON-RPC API and the wallet page.

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

use crate::chain::{Chain, Deposit, FEE, InsufficientFunds, Output, PayoutStatus};
use crate::driver::INSUFFICIENT_FUNDS;
use crate::money::{amount, units};
use crate::networks::SandboxNetworks;
use crate::wallet::{self, Language, WalletForm};

mod request_checks;

/// Maximum size of a request, in bytes.
const REQUEST_MAX: usize = 1024 * 1024;

/// Maximum length of a key, an address and an identifier, in bytes.
const TEXT_MAX: usize = 200;

/// Maximum length of a currency code.
const CODE_MAX: usize = 20;

/// Maximum number of networks.
const NETWORKS_MAX: usize = 100;

/// Failure rates in percent of the calls. The seed determines which calls fail.
#[derive(Clone, Copy, Debug, Default)]
pub struct Faults {
    /// Returns 503 and does nothing.
    pub before: u64,
    /// Executes the call and drops the connection.
    pub lost: u64,
    /// Executes the call and never responds.
    pub stalled: u64,
}

/// The simulated fault of a call.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SimulatedFault {
    Served,
    FailsBefore,
    DroppedConnection,
    Stalled,
}

/// The running service. Dropping it stops the service.
pub struct Service {
    /// URL with a trailing slash.
    pub url: String,
    state: Arc<Mutex<State>>,
    stop: Option<oneshot::Sender<()>>,
    serving: JoinHandle<()>,
    pace: Option<JoinHandle<()>>,
}

struct State {
    networks: SandboxNetworks,
    faults: Faults,
}

impl Service {
    /// Starts the service without a journal. `balance` is the initial balance of the exchange's wallet on each network, in units.
    ///
    /// # Errors
    /// The address is not available.
    pub async fn start(seed: u64, balance: u64, listen: SocketAddr) -> io::Result<Self> {
        Self::serve(TcpListener::bind(listen).await?, SandboxNetworks::new(seed, balance))
    }

    /// Starts the service with a journal, which is written before each response and restores the networks after a restart.
    ///
    /// # Errors
    /// The address is not available; the journal cannot be read or written, or another process writes it.
    pub async fn start_with(journal: &Path, seed: u64, balance: u64, listen: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind(listen).await?;
        Self::serve(listener, SandboxNetworks::open(journal, seed, balance)?)
    }

    fn serve(listener: TcpListener, networks: SandboxNetworks) -> io::Result<Self> {
        let address = listener.local_addr()?;
        let state = Arc::new(Mutex::new(State { networks, faults: Faults::default() }));
        let (stop, stopped) = oneshot::channel();
        let serving = tokio::spawn(serve(listener, address, state.clone(), stopped));
        Ok(Self { url: format!("http://{address}/"), state, stop: Some(stop), serving, pace: None })
    }

    /// Mines a block on every network at this interval.
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

    /// Changes the network of a currency directly.
    pub fn chain<T>(&self, currency: &str, act: impl FnOnce(&mut Chain) -> T) -> T {
        change(&self.state, |state| act(state.networks.of(currency))).0
    }

    /// Sets the failure rates.
    pub fn fail(&self, faults: Faults) {
        lock(&self.state).faults = faults;
    }

    /// Mines blocks on every network.
    pub fn mine(&self, blocks: u64) {
        change(&self.state, |state| state.networks.mine(blocks));
    }

    /// Stops the service and waits until the port and the journal are released.
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

/// Changes the state and writes the journal. Returns false if the journal cannot be written.
fn change<T>(state: &Mutex<State>, act: impl FnOnce(&mut State) -> T) -> (T, bool) {
    let mut state = lock(state);
    let outcome = act(&mut state);
    let saved = state.networks.save();
    if let Err(error) = &saved {
        eprintln!("agio: the sandbox network cannot write its journal: {error}");
    }
    (outcome, saved.is_ok())
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
            // Connection errors are the client's problem.
            let _ = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), answering).await;
        });
    }
    drop(listener);
    connections.shutdown().await;
}

/// Drops the connection without a response.
#[derive(Debug)]
struct DroppedConnection;

impl std::fmt::Display for DroppedConnection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the answer is lost")
    }
}

impl std::error::Error for DroppedConnection {}

async fn answer(
    state: Arc<Mutex<State>>,
    address: SocketAddr,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, DroppedConnection> {
    let (head, body) = request.into_parts();
    // Protection against DNS rebinding.
    if !request_checks::has_own_host(&head.headers, address) {
        return Ok(response(StatusCode::MISDIRECTED_REQUEST, String::new()));
    }
    let Ok(body) = Limited::new(body, REQUEST_MAX).collect().await else {
        return Ok(response(StatusCode::PAYLOAD_TOO_LARGE, String::new()));
    };
    let body = body.to_bytes();
    match (&head.method, head.uri.path()) {
        (&Method::POST, "/") if !request_checks::is_api_client(&head.headers) => {
            Ok(response(StatusCode::FORBIDDEN, String::new()))
        }
        (&Method::POST, "/") => call(&state, &body).await,
        (&Method::POST, "/pay") if !request_checks::is_same_origin_form(&head.headers) => {
            Ok(response(StatusCode::FORBIDDEN, String::new()))
        }
        (&Method::POST, "/pay") => Ok(pay(&state, &head, &body)),
        (&Method::GET | &Method::HEAD, path) => Ok(look(&state, &head, path)),
        _ => Ok(response(StatusCode::NOT_FOUND, String::new())),
    }
}

/// Handles a JSON-RPC call.
async fn call(state: &Mutex<State>, body: &[u8]) -> Result<Response<Full<Bytes>>, DroppedConnection> {
    let Ok(call) = serde_json::from_slice::<Value>(body) else {
        return Ok(response(StatusCode::BAD_REQUEST, String::new()));
    };
    let ((fate, outcome), is_saved) = change(state, |state| decide(state, &call));
    match fate {
        _ if !is_saved => Ok(response(StatusCode::SERVICE_UNAVAILABLE, String::new())),
        SimulatedFault::Served => {
            let body = match outcome {
                Ok(result) => json!({ "jsonrpc": "2.0", "id": call["id"], "result": result }),
                Err((code, message)) => {
                    json!({ "jsonrpc": "2.0", "id": call["id"], "error": { "code": code, "message": message } })
                }
            };
            Ok(response(StatusCode::OK, body.to_string()))
        }
        SimulatedFault::FailsBefore => Ok(response(StatusCode::SERVICE_UNAVAILABLE, String::new())),
        SimulatedFault::DroppedConnection => Err(DroppedConnection),
        SimulatedFault::Stalled => match std::future::pending::<Infallible>().await {},
    }
}

/// The wallet page and its assets.
fn look(state: &Mutex<State>, head: &Parts, path: &str) -> Response<Full<Bytes>> {
    match path {
        "/" => {
            let form = WalletForm::of(head.uri.query().unwrap_or_default());
            let page = wallet::page(&lock(state).networks, &form, language(&form, head), &BTreeMap::new());
            document(StatusCode::OK, page)
        }
        "/wallet.css" => file("text/css; charset=utf-8", wallet::STYLE),
        "/wallet.js" => file("text/javascript; charset=utf-8", wallet::SCRIPT),
        "/wallet.svg" => file("image/svg+xml", wallet::ICON),
        _ => response(StatusCode::NOT_FOUND, String::new()),
    }
}

/// Pays with the wallet form and redirects to the payment.
fn pay(state: &Mutex<State>, head: &Parts, body: &[u8]) -> Response<Full<Bytes>> {
    let form = WalletForm::of(&String::from_utf8_lossy(body));
    let language = language(&form, head);
    let (paid, is_saved) = change(state, |state| {
        let order = wallet::parse_payment(&state.networks, &form);
        order.map(|(currency, output)| state.networks.of(&currency).pay(vec![output]))
    });
    match paid {
        _ if !is_saved => response(StatusCode::SERVICE_UNAVAILABLE, String::new()),
        Ok(tx_id) => {
            let mut response = response(StatusCode::SEE_OTHER, String::new());
            let place = format!("/?tx={tx_id}&locale={language}").parse().expect("an identifier and a language are plain");
            response.headers_mut().insert(LOCATION, place);
            response
        }
        Err(wrong) => document(StatusCode::UNPROCESSABLE_ENTITY, wallet::page(&lock(state).networks, &form, language, &wrong)),
    }
}

/// The chosen language, or the browser's.
fn language(form: &WalletForm, head: &Parts) -> Language {
    let accepted = head.headers.get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    form.language.unwrap_or_else(|| Language::from_accept_language(accepted))
}

/// Content security policy: own style, script and icon only.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; \
                      base-uri 'none'; frame-ancestors 'none'";

fn document(status: StatusCode, page: String) -> Response<Full<Bytes>> {
    let mut response = response(status, page);
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CONTENT_SECURITY_POLICY, POLICY),
        (CACHE_CONTROL, "no-store"),
        (VARY, "accept-language"),
        // Browsers send the form's origin only if the referrer policy allows it.
        (REFERRER_POLICY, "same-origin"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    for (name, value) in headers {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

fn file(kind: &'static str, text: &'static str) -> Response<Full<Bytes>> {
    let mut response = response(StatusCode::OK, text.to_owned());
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response.headers_mut().insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

fn response(status: StatusCode, body: String) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(body)));
    *response.status_mut() = status;
    response
}

fn decide(state: &mut State, call: &Value) -> (SimulatedFault, Result<Value, (i64, String)>) {
    let Faults { before, lost, stalled } = state.faults;
    let currency = call["params"]["currency"].as_str().unwrap_or_default();
    let is_known = state.networks.all().any(|(known, _)| known == currency);
    if !is_known && (!is_code(currency) || state.networks.all().count() >= NETWORKS_MAX) {
        return (SimulatedFault::Served, Err((-32_602, "currency is missing or wrong".to_owned())));
    }
    let chain = state.networks.of(currency);
    let drawn = if before + lost + stalled > 0 { chain.chance(100) } else { 100 };
    let fate = match drawn {
        drawn if drawn < before => return (SimulatedFault::FailsBefore, Ok(Value::Null)),
        drawn if drawn < before + lost => SimulatedFault::DroppedConnection,
        drawn if drawn < before + lost + stalled => SimulatedFault::Stalled,
        _ => SimulatedFault::Served,
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
        |name: &str| params[name].as_str().filter(|text| text.len() <= TEXT_MAX).map(str::to_owned).ok_or_else(|| missing(name));
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
            let (incoming_payments, cursor) = chain.incoming_payments(params["after"].as_u64(), confirmations);
            let movements: Vec<_> = incoming_payments.iter().map(shown).collect();
            Ok(json!({ "movements": movements, "cursor": cursor, "height": chain.height() }))
        }
        "send" => match chain.send(&text("key")?, output()?) {
            Ok(sending) => Ok(sent(&sending)),
            Err(InsufficientFunds) => Err((INSUFFICIENT_FUNDS, "the wallet has not enough".to_owned())),
        },
        "sent" => Ok(sent(&chain.payout_status(&text("key")?))),
        "pay" => Ok(json!(chain.pay(vec![output()?]))),
        "replace" => Ok(json!(chain.replace(&text("tx_id")?, vec![output()?]))),
        "mine" => {
            chain.mine(number("blocks", 1).ok_or_else(|| missing("blocks"))?.min(1_000));
            Ok(json!(chain.height()))
        }
        "reorganise" => {
            let depth = number("depth", 1).ok_or_else(|| missing("depth"))?;
            chain.reorganize(depth, number("dropped", 0).ok_or_else(|| missing("dropped"))?);
            Ok(json!(chain.height()))
        }
        _ => Err((-32_601, "there is no such call".to_owned())),
    }
}

fn shown(arrival: &Deposit) -> Value {
    json!({
        "tx_id": arrival.tx_id, "output": arrival.output, "address": arrival.address, "amount": amount(arrival.units),
        "confirmations": arrival.confirmations, "gone": arrival.gone,
    })
}

fn sent(sending: &PayoutStatus) -> Value {
    match sending {
        PayoutStatus::Never => json!({ "state": "never" }),
        PayoutStatus::Sent { tx_id, confirmations } => {
            json!({ "state": "sent", "tx_id": tx_id, "confirmations": confirmations, "fee": amount(FEE) })
        }
        PayoutStatus::Returned { tx_id } => json!({ "state": "returned", "tx_id": tx_id }),
    }
}
