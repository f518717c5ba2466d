//! The network's service as programs and people meet it.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

use agio_sandbox_chain::Service;
use reqwest::header::{ACCEPT_LANGUAGE, CONTENT_TYPE, HOST, LOCATION, ORIGIN};
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder, Response, StatusCode};
use serde_json::{Value, json};

const MUCH: u64 = 1_000_000_000_000;

fn browser() -> Client {
    Client::builder().redirect(Policy::none()).build().unwrap()
}

async fn network() -> Service {
    Service::start(7, MUCH, "127.0.0.1:0".parse().unwrap()).await.unwrap()
}

fn call(service: &Service, method: &str, params: Value) -> RequestBuilder {
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    browser().post(&service.url).header(CONTENT_TYPE, "application/json").body(call.to_string())
}

async fn result(request: RequestBuilder) -> Value {
    let answer: Value = serde_json::from_str(&request.send().await.unwrap().text().await.unwrap()).unwrap();
    assert!(answer["error"].is_null(), "{answer}");
    answer["result"].clone()
}

fn form(service: &Service, body: &str) -> RequestBuilder {
    let form = browser().post(format!("{}pay", service.url)).header(CONTENT_TYPE, "application/x-www-form-urlencoded");
    form.body(body.to_owned())
}

/// The page of the payment that a form led to.
async fn paid(service: &Service, answer: Response) -> String {
    assert_eq!(answer.status(), StatusCode::SEE_OTHER);
    let place = answer.headers()[LOCATION].to_str().unwrap();
    format!("{}{}", service.url, place.trim_start_matches('/'))
}

async fn page(url: &str) -> String {
    browser().get(url).send().await.unwrap().text().await.unwrap()
}

#[tokio::test]
async fn a_wallet_payment_shows_its_confirmations() {
    let service = network().await;
    let address = service.chain("ETH", |chain| chain.address("a"));
    let offered = page(&format!("{}?address={address}&amount=0.4&locale=en", service.url)).await;
    assert!(offered.contains(&format!("value=\"{address}\"")) && offered.contains("value=\"0.4\""), "{offered}");
    let answer = form(&service, &format!("address={address}&amount=0%2C4&locale=en")).send().await.unwrap();
    let place = paid(&service, answer).await;
    let (waits, confirmed) = (page(&place).await, {
        service.mine(2);
        page(&place).await
    });
    assert!(
        waits.contains("0.4 ETH") && waits.contains("Confirmations: 0") && waits.contains("waits for the next block"),
        "{waits}"
    );
    assert!(confirmed.contains("Confirmations: 2") && confirmed.contains("101, the payment is here"), "{confirmed}");
    let report = result(call(&service, "watch", json!({ "currency": "ETH" }))).await;
    assert_eq!((&report["movements"][0]["amount"], &report["movements"][0]["confirmations"]), (&json!("0.40000000"), &json!(2)));
    let tx_id = report["movements"][0]["tx_id"].as_str().unwrap();
    assert!(service.chain("ETH", |chain| chain.drop_transaction(tx_id)));
    assert!(page(&place).await.contains("The network undid this payment"));
}

#[tokio::test]
async fn invalid_forms_show_errors_and_keep_their_values() {
    let service = network().await;
    let address = service.chain("ETH", |chain| chain.address("a"));
    for (body, text) in [
        (format!("address={address}&amount=0&locale=ru"), "Укажите сумму больше нуля"),
        (format!("address={address}&amount=1000001&locale=ru"), "Укажите сумму больше нуля"),
        ("address=0xabc&amount=1&locale=ru".to_owned(), "Такого адреса в учебной сети нет"),
    ] {
        let answer = form(&service, &body).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::UNPROCESSABLE_ENTITY);
        let page = answer.text().await.unwrap();
        assert!(page.contains(text) && page.contains("role=\"alert\"") && page.contains("aria-invalid"), "{page}");
    }
    assert_eq!(service.chain("ETH", |chain| chain.payments().count()), 0);
}

#[tokio::test]
async fn the_page_uses_the_language_of_the_browser() {
    let service = network().await;
    let get = |language: &str| browser().get(&service.url).header(ACCEPT_LANGUAGE, language).send();
    assert!(get("en-GB,en;q=0.9").await.unwrap().text().await.unwrap().contains("<html lang=\"en\">"));
    let russian = get("ru").await.unwrap();
    let policy = russian.headers()["content-security-policy"].to_str().unwrap().to_owned();
    assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
    assert!(russian.text().await.unwrap().contains("<html lang=\"ru\">"));
    assert!(page(&format!("{}?locale=en", service.url)).await.contains("<html lang=\"en\">"));
}

#[tokio::test]
async fn cross_site_requests_are_rejected() {
    let service = network().await;
    let address = service.chain("ETH", |chain| chain.address("a"));
    let pays = format!("address={address}&amount=1");
    let foreign = [
        form(&service, &pays).header(ORIGIN, "https://evil.example"),
        form(&service, &pays).header(ORIGIN, "null"),
        form(&service, &pays).header("sec-fetch-site", "cross-site"),
        call(&service, "mine", json!({ "currency": "ETH" })).header(ORIGIN, "https://evil.example"),
        call(&service, "mine", json!({ "currency": "ETH" })).header("sec-fetch-site", "same-origin"),
        browser().post(&service.url).body(json!({ "method": "mine", "params": { "currency": "ETH" } }).to_string()),
    ];
    for (number, request) in foreign.into_iter().enumerate() {
        assert_eq!(request.send().await.unwrap().status(), StatusCode::FORBIDDEN, "{number}");
    }
    // Another host name that leads to this machine.
    for request in [browser().get(&service.url), form(&service, &pays), call(&service, "mine", json!({ "currency": "ETH" }))] {
        let answer = request.header(HOST, "evil.example:80").send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::MISDIRECTED_REQUEST);
    }
    assert_eq!(service.chain("ETH", |chain| (chain.height(), chain.payments().count())), (100, 0));
    let own = form(&service, &pays).header(ORIGIN, service.url.trim_end_matches('/')).header("sec-fetch-site", "same-origin");
    assert_eq!(own.send().await.unwrap().status(), StatusCode::SEE_OTHER);
}

#[tokio::test]
async fn an_invalid_currency_creates_no_network() {
    let service = network().await;
    for currency in ["", "a b", "ABCDEFGHIJKLMNOPQRSTU", "ЭФИР"] {
        let answer = call(&service, "watch", json!({ "currency": currency })).send().await.unwrap().text().await.unwrap();
        assert!(answer.contains("currency is missing or wrong"), "{answer}");
    }
}

#[tokio::test]
async fn payments_survive_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let journal = folder.path().join("journal");
    let first = Service::start_with(&journal, 7, MUCH, "127.0.0.1:0".parse().unwrap()).await.unwrap();
    let listen = first.url.trim_start_matches("http://").trim_end_matches('/').parse().unwrap();
    let keys = json!({ "currency": "ETH", "keys": ["a"] });
    let given = result(call(&first, "addresses", keys.clone())).await;
    let address = given[0].as_str().unwrap().to_owned();
    let place = paid(&first, form(&first, &format!("address={address}&amount=2")).send().await.unwrap()).await;
    first.mine(3);
    let sends = json!({ "currency": "BTC", "key": "k", "address": "them", "amount": "0.5" });
    let sent = result(call(&first, "send", sends.clone())).await;
    let report = result(call(&first, "watch", json!({ "currency": "ETH" }))).await;
    let shown = page(&place).await;
    assert!(Service::start_with(&journal, 7, MUCH, "127.0.0.1:0".parse().unwrap()).await.is_err(), "a journal has one writer");
    first.stop().await;

    let again = Service::start_with(&journal, 8, 0, listen).await.unwrap();
    assert_eq!(page(&place).await, shown);
    assert_eq!(result(call(&again, "watch", json!({ "currency": "ETH" }))).await, report);
    assert_eq!(result(call(&again, "addresses", keys)).await, given);
    assert_eq!(result(call(&again, "send", sends)).await, sent, "a payout leaves once");
}
