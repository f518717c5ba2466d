//! Sources that say what is not so: the pair stops within a cycle, the others go on.

use std::time::Duration;

use agio_core::identity::Role;
use agio_plugin::Plugin;
use agio_plugin::protocol::{
    Action, Answer, Field, FieldKind, Host, HttpRequest, Kind, Limits, Manifest, Method, Observation, Outcome, Prices, Question,
    Refusal, Step, Words,
};
use agio_testkit::{Database, Engine, House, both_engines};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::world::{PRICE, RATES, Says, Source, claims, cycle, live, pair, shown, stops, switches, why};

async fn a_price_that_is_not_one_stops_its_pair_within_a_cycle(engine: Engine) {
    let source = Source::new("kraken");
    let house = live(engine, &[&source]).await;
    claims(&house, "BTC", "0.001", None).await.ok();
    let old = "2024-03-28T11:00:00Z".to_owned();
    let future = "2024-03-28T18:00:00Z".to_owned();
    let price = || PRICE.to_owned();
    for (says, cause, word) in [
        (Says::price("64416000"), "jump", "64416000"),
        (Says::price("644160"), "jump", "644160"),
        (Says::price("0"), "unusable", "kraken: 0 / 0"),
        (Says::price("-6441600"), "unusable", "kraken: -6441600"),
        (Says::sides("6441600", "6000000"), "unusable", "kraken: it buys above"),
        (Says::Of(price(), price(), old), "stale", "kraken: nothing since 2024-03-28T11:00:00Z"),
        (Says::Of(price(), price(), future), "unusable", "kraken: it is of the future"),
    ] {
        source.says(says.clone());
        cycle(&house).await;
        let (found, text) = why(&house).await.unwrap_or_else(|| panic!("{says:?} stops nothing"));
        assert_eq!(found, cause, "{says:?}: {text}");
        assert!(text.contains(word), "{says:?}: {text}");
        claims(&house, "BTC", "0.001", None).await.refused(404, "pair_unavailable");
        shown(&house, "BTC", "SBERRUB").await.refused(404, "pair_unavailable");
        // No path of this one goes over what is poisoned.
        claims(&house, "ETH", "0.05", None).await.ok();
        source.says(Says::price(PRICE));
        for _ in 0..3 {
            cycle(&house).await;
        }
        assert_eq!(why(&house).await, None, "{says:?} is over");
        claims(&house, "BTC", "0.001", None).await.ok();
    }
    house.books_are_clean().await;
    house.audit_is_whole().await;
}

async fn a_source_that_does_not_answer_is_waited_for_until_its_prices_are_old(engine: Engine) {
    let source = Source::new("kraken");
    let house = live(engine, &[&source]).await;
    for says in [Says::Panics, Says::Refuses("451 from here".into()), Says::price("NaN")] {
        source.says(says.clone());
        house.later(Duration::from_secs(30)).await;
        assert_eq!(why(&house).await, None, "{says:?}: what it said half a minute ago holds");
        house.later(Duration::from_secs(31)).await;
        let (cause, text) = why(&house).await.unwrap();
        assert_eq!(cause, "stale", "{says:?}: {text}");
        claims(&house, "BTC", "0.001", None).await.refused(404, "pair_unavailable");
        let seen = house.owner().await.get(&format!("{RATES}/sources")).await.ok();
        let fault = seen[0]["fault"].as_str().unwrap();
        assert!(["panicked", "451 from here", "NaN"].iter().any(|word| fault.contains(word)), "{fault}");
        assert_eq!((&seen[0]["live"], &seen[0]["name"]), (&json!(false), &json!("kraken")));
        source.says(Says::price(PRICE));
        for _ in 0..3 {
            cycle(&house).await;
        }
        assert_eq!(why(&house).await, None);
    }
}

async fn staff_are_told_which_pair_stopped_and_why_and_an_operator_lets_it_go_on(engine: Engine) {
    let source = Source::new("kraken");
    let house = live(engine, &[&source]).await;
    let owner = house.owner().await;
    owner.put("/api/admin/v1/settings", json!({ "rates.resume_after": 0 })).await.ok();
    // Of all prices one moves alone, so round trips over it gain; this is not about those.
    let open = json!({ "rates.allow_arbitrage": true });
    owner.put("/api/admin/v1/settings?confirm=rates.allow_arbitrage", open).await.ok();
    source.says(Says::price("7500000"));
    house.later(Duration::from_secs(60)).await;
    let told = house.mail_to("owner@agio.example").await.into_iter().find(|mail| mail.kind == "alert_rates").unwrap();
    for word in ["6441600", "7500000", "BTC"] {
        assert!(told.text.contains(word), "{}", told.text);
    }
    let id = pair(&house, "BTC", "SBERRUB");
    let release = format!("{RATES}/pairs/{id}/release");
    for _ in 0..5 {
        cycle(&house).await;
    }
    let state = house.operator().await.get("/api/admin/v1/pairs").await.ok();
    let of_pair = state.as_array().unwrap().iter().find(|row| row["id"] == id).unwrap().clone();
    assert_eq!(of_pair["state"], "stopped");

    house.staff_unconfirmed(Role::Auditor).await.post_empty(&release).await.refused(403, "forbidden");
    house.wait(Duration::from_secs(301));
    house.staff_unconfirmed(Role::Operator).await.post_empty(&release).await.refused(403, "fresh_second_factor_needed");
    let operator = house.operator().await;
    assert_eq!(operator.post_empty(&release).await.status, 204);
    operator.post_empty(&release).await.refused(409, "pair_not_stopped");
    cycle(&house).await;
    assert!(stops(&house).await.iter().all(|stop| stop["pairId"] != id));
    claims(&house, "BTC", "0.001", None).await.ok();
    assert!(shown(&house, "BTC", "SBERRUB").await.ok()["course"].as_str().unwrap().starts_with("73"));
    house.audit_is_whole().await;
}

/// A source that reads "bid ask" from an address.
struct Reader;

impl Plugin for Reader {
    fn manifest(&self) -> Manifest {
        let title = Words::new("Читатель", "Reader");
        let url = Field { name: "url".into(), kind: FieldKind::Url, title: title.clone(), default: None };
        Manifest {
            name: "reader".into(),
            version: "1".into(),
            kind: Kind::Rates,
            about: Words::default(),
            title,
            hosts: vec![Host::Setting { setting: "url".into(), methods: vec![Method::Get] }],
            settings: vec![url],
            limits: Limits { request_ms: 400, reply_bytes: 10_000, ..Limits::default() },
            features: Vec::new(),
        }
    }

    fn handle(&self, question: &Question) -> Step {
        let unreadable = |why: String| Step::Refused(Refusal::later("unreadable", why));
        match question.outcomes.first() {
            None => Step::first(Action::Http(HttpRequest::get(question.setting("url")))),
            Some(Outcome::Http(reply)) if reply.status == 200 => {
                let Ok(text) = std::str::from_utf8(reply.body.bytes()) else { return unreadable("it is no text".into()) };
                let mut sides = text.split(' ').map(str::parse);
                let (Some(Ok(bid)), Some(Ok(ask))) = (sides.next(), sides.next()) else { return unreadable(text.to_owned()) };
                let observed_at = agio_core::Timestamp(question.now).to_string();
                let observation = Observation { base: "BTC".into(), quote: "RUB".into(), bid, ask, observed_at };
                Step::Done(Answer::Prices(Prices { observations: vec![observation], skipped: Vec::new() }))
            }
            Some(Outcome::Http(reply)) => unreadable(format!("status {}", reply.status)),
            Some(other) => unreadable(format!("{other:?}")),
        }
    }
}

/// How a server of rates behaves.
#[derive(Clone, Copy, Debug)]
enum Manner {
    /// As it should.
    Well,
    /// A byte now and then, for ever.
    Drips,
    /// Ten gigabytes.
    Floods,
    /// It sends on to an inner address.
    SendsInside,
    /// Its digits are of another charset.
    OtherCharset,
}

/// A server of rates at an address.
async fn serves(manner: std::sync::Arc<std::sync::Mutex<Manner>>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let manner = *manner.lock().unwrap();
            tokio::spawn(async move {
                let mut asked = [0; 1024];
                let _ = stream.read(&mut asked).await;
                let well = format!("{PRICE} {PRICE}");
                let _ = match manner {
                    Manner::Well => {
                        stream
                            .write_all(format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{well}", well.len()).as_bytes())
                            .await
                    }
                    Manner::SendsInside => {
                        stream
                            .write_all(b"HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n")
                            .await
                    }
                    Manner::OtherCharset => {
                        let wide: Vec<u8> = well.encode_utf16().flat_map(u16::to_be_bytes).chain([0xFF, 0xFE]).collect();
                        let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", wide.len());
                        stream.write_all(&[head.as_bytes(), &wide].concat()).await
                    }
                    Manner::Floods => {
                        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 10000000000\r\n\r\n").await;
                        while stream.write_all(&[b'6'; 8_192]).await.is_ok() {}
                        Ok(())
                    }
                    Manner::Drips => {
                        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n").await;
                        let mut beat = tokio::time::interval(Duration::from_millis(50));
                        while stream.write_all(b"6").await.is_ok() {
                            beat.tick().await;
                        }
                        Ok(())
                    }
                };
            });
        }
    });
    format!("http://{address}/rates")
}

async fn a_server_that_misbehaves_costs_no_more_than_its_own_prices(engine: Engine) {
    let manner = std::sync::Arc::new(std::sync::Mutex::new(Manner::Well));
    let url = serves(manner.clone()).await;
    let asking = |hand| agio_plugin_host::BuiltIn::new(hand).with(Reader, &[("url", &url)]);
    let house = House::open_asking(Database::furnished(engine).await, |_| {}, asking).await;
    let owner = house.owner().await;
    owner.put("/api/admin/v1/settings", json!({ "rates.fixed_day": "" })).await.ok();
    switches(&owner, "reader", true, 1).await;
    cycle(&house).await;
    claims(&house, "BTC", "0.001", None).await.ok();
    for (bad, word) in
        [(Manner::Drips, "reader"), (Manner::Floods, "reader"), (Manner::SendsInside, "reader"), (Manner::OtherCharset, "reader")]
    {
        *manner.lock().unwrap() = bad;
        house.later(Duration::from_secs(30)).await;
        house.later(Duration::from_secs(31)).await;
        let (cause, text) = why(&house).await.unwrap_or_else(|| panic!("{bad:?} stops nothing"));
        assert_eq!(cause, "stale", "{bad:?}: {text}");
        assert!(text.contains(word), "{text}");
        claims(&house, "BTC", "0.001", None).await.refused(404, "pair_unavailable");
        claims(&house, "ETH", "0.05", None).await.ok();
        *manner.lock().unwrap() = Manner::Well;
        for _ in 0..3 {
            cycle(&house).await;
        }
        assert_eq!(why(&house).await, None, "{bad:?} is over");
    }
}

both_engines!(
    a_price_that_is_not_one_stops_its_pair_within_a_cycle,
    a_source_that_does_not_answer_is_waited_for_until_its_prices_are_old,
    staff_are_told_which_pair_stopped_and_why_and_an_operator_lets_it_go_on,
    a_server_that_misbehaves_costs_no_more_than_its_own_prices,
);
