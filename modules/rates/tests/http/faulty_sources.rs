//! Faulty sources: the pair is suspended within a cycle, others continue.

use std::time::Duration;

use agio_core::identity::Role;
use agio_plugin_sdk::Plugin;
use agio_plugin_sdk::protocol::{
    Action, ActionResult, AllowedHost, CallError, CallResult, HttpMethod, HttpRequest, LocalizedText, Manifest, PluginKind,
    PluginLimits, PluginRequest, PluginResponse, PluginSetting, PluginSettingKind, PriceObservation, Prices,
};
use agio_test_app::{Database, Engine, TestApp, both_engines};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::fixtures::{
    PRICE, RATES_API, Source, SourceBehaviour, bitcoin_suspension, configure_source, create_claim, cycle, list_suspensions,
    open_with_sources, pair, show_pair,
};

async fn an_invalid_price_suspends_its_pair_within_a_cycle(engine: Engine) {
    let source = Source::new("kraken");
    let app = open_with_sources(engine, &[&source]).await;
    create_claim(&app, "BTC", "0.001", None).await.ok();
    let old = "2024-03-28T11:00:00Z".to_owned();
    let future = "2024-03-28T18:00:00Z".to_owned();
    let price = || PRICE.to_owned();
    for (says, cause, word) in [
        (SourceBehaviour::price("64416000"), "jump", "64416000"),
        (SourceBehaviour::price("644160"), "jump", "644160"),
        (SourceBehaviour::price("0"), "unusable", "kraken: 0 / 0"),
        (SourceBehaviour::price("-6441600"), "unusable", "kraken: -6441600"),
        (SourceBehaviour::sides("6441600", "6000000"), "unusable", "kraken: bid above ask"),
        (SourceBehaviour::Of(price(), price(), old), "stale", "kraken: no data since 2024-03-28T11:00:00Z"),
        (SourceBehaviour::Of(price(), price(), future), "unusable", "kraken: timestamp in the future"),
    ] {
        source.says(says.clone());
        cycle(&app).await;
        let (found, text) = bitcoin_suspension(&app).await.unwrap_or_else(|| panic!("{says:?} stops nothing"));
        assert_eq!(found, cause, "{says:?}: {text}");
        assert!(text.contains(word), "{says:?}: {text}");
        create_claim(&app, "BTC", "0.001", None).await.refused(404, "pair_unavailable");
        show_pair(&app, "BTC", "SBERRUB").await.refused(404, "pair_unavailable");
        // This pair does not use the faulty price.
        create_claim(&app, "ETH", "0.05", None).await.ok();
        source.says(SourceBehaviour::price(PRICE));
        for _ in 0..3 {
            cycle(&app).await;
        }
        assert_eq!(bitcoin_suspension(&app).await, None, "{says:?} is over");
        create_claim(&app, "BTC", "0.001", None).await.ok();
    }
    app.assert_ledger_is_clean().await;
    app.assert_audit_chain_is_intact().await;
}

async fn an_unresponsive_source_counts_until_its_prices_are_stale(engine: Engine) {
    let source = Source::new("kraken");
    let app = open_with_sources(engine, &[&source]).await;
    for says in [SourceBehaviour::Panics, SourceBehaviour::Refuses("451 from here".into()), SourceBehaviour::price("NaN")] {
        source.says(says.clone());
        app.advance_and_run_jobs(Duration::from_secs(30)).await;
        assert_eq!(bitcoin_suspension(&app).await, None, "{says:?}: what it said half a minute ago holds");
        app.advance_and_run_jobs(Duration::from_secs(31)).await;
        let (cause, text) = bitcoin_suspension(&app).await.unwrap();
        assert_eq!(cause, "stale", "{says:?}: {text}");
        create_claim(&app, "BTC", "0.001", None).await.refused(404, "pair_unavailable");
        let sources = app.owner().await.get(&format!("{RATES_API}/sources")).await.ok();
        let fault = sources[0]["fault"].as_str().unwrap();
        assert!(["panicked", "451 from here", "NaN"].iter().any(|word| fault.contains(word)), "{fault}");
        assert_eq!((&sources[0]["live"], &sources[0]["name"]), (&json!(false), &json!("kraken")));
        source.says(SourceBehaviour::price(PRICE));
        for _ in 0..3 {
            cycle(&app).await;
        }
        assert_eq!(bitcoin_suspension(&app).await, None);
    }
}

async fn staff_are_alerted_and_can_resume_a_suspended_pair(engine: Engine) {
    let source = Source::new("kraken");
    let app = open_with_sources(engine, &[&source]).await;
    let owner = app.owner().await;
    owner.put("/api/admin/v1/settings", json!({ "rates.resume_after": 0 })).await.ok();
    // Only one price moves, so round trips would gain; not tested here.
    let open = json!({ "rates.allow_arbitrage": true });
    owner.put("/api/admin/v1/settings?confirm=rates.allow_arbitrage", open).await.ok();
    source.says(SourceBehaviour::price("7500000"));
    app.advance_and_run_jobs(Duration::from_secs(60)).await;
    let alert = app.emails_to("owner@agio.example").await.into_iter().find(|mail| mail.kind == "alert_rates").unwrap();
    for word in ["6441600", "7500000", "BTC"] {
        assert!(alert.text.contains(word), "{}", alert.text);
    }
    let id = pair(&app, "BTC", "SBERRUB");
    let release = format!("{RATES_API}/pairs/{id}/resume");
    for _ in 0..5 {
        cycle(&app).await;
    }
    let state = app.operator().await.get("/api/admin/v1/pairs").await.ok();
    let of_pair = state.as_array().unwrap().iter().find(|row| row["id"] == id).unwrap().clone();
    assert_eq!(of_pair["state"], "stopped");

    app.staff_unconfirmed(Role::Auditor).await.post_empty(&release).await.refused(403, "forbidden");
    app.advance_clock(Duration::from_secs(301));
    app.staff_unconfirmed(Role::Operator).await.post_empty(&release).await.refused(403, "fresh_second_factor_needed");
    let operator = app.operator().await;
    assert_eq!(operator.post_empty(&release).await.status, 204);
    operator.post_empty(&release).await.refused(409, "pair_not_stopped");
    cycle(&app).await;
    assert!(list_suspensions(&app).await.iter().all(|suspension| suspension["pairId"] != id));
    create_claim(&app, "BTC", "0.001", None).await.ok();
    assert!(show_pair(&app, "BTC", "SBERRUB").await.ok()["course"].as_str().unwrap().starts_with("73"));
    app.assert_audit_chain_is_intact().await;
}

/// A source that reads "bid ask" from a URL.
struct Reader;

impl Plugin for Reader {
    fn manifest(&self) -> Manifest {
        let title = LocalizedText::new("Читатель", "Reader");
        let url = PluginSetting { name: "url".into(), kind: PluginSettingKind::Url, title: title.clone(), default: None };
        Manifest {
            name: "reader".into(),
            version: "1".into(),
            kind: PluginKind::Rates,
            about: LocalizedText::default(),
            title,
            hosts: vec![AllowedHost::Setting { setting: "url".into(), methods: vec![HttpMethod::Get] }],
            settings: vec![url],
            limits: PluginLimits { request_ms: 400, reply_bytes: 10_000, ..PluginLimits::default() },
            features: Vec::new(),
        }
    }

    fn handle(&self, question: &PluginRequest) -> PluginResponse {
        let unreadable =
            |bitcoin_suspension: String| PluginResponse::Failed(CallError::temporary("unreadable", bitcoin_suspension));
        match question.outcomes.first() {
            None => PluginResponse::action(Action::Http(HttpRequest::get(question.setting("url")))),
            Some(ActionResult::Http(reply)) if reply.status == 200 => {
                let Ok(text) = std::str::from_utf8(reply.body.bytes()) else { return unreadable("it is no text".into()) };
                let mut sides = text.split(' ').map(str::parse);
                let (Some(Ok(bid)), Some(Ok(ask))) = (sides.next(), sides.next()) else { return unreadable(text.to_owned()) };
                let observed_at = agio_core::Timestamp(question.now).to_string();
                let observation = PriceObservation { base: "BTC".into(), quote: "RUB".into(), bid, ask, observed_at };
                PluginResponse::Done(CallResult::Prices(Prices { observations: vec![observation], skipped: Vec::new() }))
            }
            Some(ActionResult::Http(reply)) => unreadable(format!("status {}", reply.status)),
            Some(other) => unreadable(format!("{other:?}")),
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Manner {
    Well,
    Drips,
    Floods,
    SendsInside,
    /// Digits in another charset.
    OtherCharset,
}

async fn serves(manner: std::sync::Arc<std::sync::Mutex<Manner>>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let manner = *manner.lock().unwrap();
            tokio::spawn(async move {
                let mut buffer = [0; 1024];
                let _ = stream.read(&mut buffer).await;
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

async fn a_faulty_server_costs_only_its_own_prices(engine: Engine) {
    let manner = std::sync::Arc::new(std::sync::Mutex::new(Manner::Well));
    let url = serves(manner.clone()).await;
    let asking = |executor| agio_plugin_runtime::BuiltInPlugins::new(executor).with(Reader, &[("url", &url)]);
    let app = TestApp::start_with_plugins(Database::with_market(engine).await, |_| {}, asking).await;
    let owner = app.owner().await;
    owner.put("/api/admin/v1/settings", json!({ "rates.fixed_day": "" })).await.ok();
    configure_source(&owner, "reader", true, 1).await;
    cycle(&app).await;
    create_claim(&app, "BTC", "0.001", None).await.ok();
    for (bad, word) in
        [(Manner::Drips, "reader"), (Manner::Floods, "reader"), (Manner::SendsInside, "reader"), (Manner::OtherCharset, "reader")]
    {
        *manner.lock().unwrap() = bad;
        app.advance_and_run_jobs(Duration::from_secs(30)).await;
        app.advance_and_run_jobs(Duration::from_secs(31)).await;
        let (cause, text) = bitcoin_suspension(&app).await.unwrap_or_else(|| panic!("{bad:?} stops nothing"));
        assert_eq!(cause, "stale", "{bad:?}: {text}");
        assert!(text.contains(word), "{text}");
        create_claim(&app, "BTC", "0.001", None).await.refused(404, "pair_unavailable");
        create_claim(&app, "ETH", "0.05", None).await.ok();
        *manner.lock().unwrap() = Manner::Well;
        for _ in 0..3 {
            cycle(&app).await;
        }
        assert_eq!(bitcoin_suspension(&app).await, None, "{bad:?} is over");
    }
}

both_engines!(
    an_invalid_price_suspends_its_pair_within_a_cycle,
    an_unresponsive_source_counts_until_its_prices_are_stale,
    staff_are_alerted_and_can_resume_a_suspended_pair,
    a_faulty_server_costs_only_its_own_prices,
);
