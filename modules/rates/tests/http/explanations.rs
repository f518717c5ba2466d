//! Explanations of claim rates, recalculated from the stored terms.

use agio_core::identity::Role;
use agio_core::random::{Random as _, SeededRandom};
use agio_test_app::{Engine, both_engines};
use serde_json::{Value, json};

use crate::fixtures::{RATES_API, Source, SourceBehaviour, create_claim, cycle, open_with_sources, pair, set_rules, show_pair};

/// Claims per database engine.
const CLAIMS: usize = 60;

async fn the_rate_of_any_claim_recalculates_to_the_same_number(engine: Engine) {
    let (source, aggregator) = (Source::new("kraken"), Source::aggregator("bestchange"));
    let app = open_with_sources(engine, &[&source, &aggregator]).await;
    app.owner()
        .await
        .put("/api/admin/v1/settings", json!({ "claims.unpaid_per_email": 0, "claims.unpaid_per_address": 0 }))
        .await
        .ok();
    let random = SeededRandom::new(5);
    let below = |most: u64| {
        let mut bytes = [0; 8];
        random.fill(&mut bytes);
        u64::from_le_bytes(bytes) % most
    };
    let pairs = ["BTC", "ETH", "USDTTRC20", "LTC"];
    let mut claims = Vec::new();
    let mut quotes: Vec<(String, String)> = Vec::new();
    for _ in 0..CLAIMS {
        let price = 6_300_000 + below(300_000);
        source.says(SourceBehaviour::sides(&format!("{price}.{}", below(99)), &format!("{}", price + 1 + below(5_000))));
        let rival = |name: &str, rate: u64| (name.to_owned(), rate.to_string(), "9000000".to_owned());
        aggregator.says(SourceBehaviour::Offers(vec![
            rival("One", price - 60_000 - below(50_000)),
            rival("Other", price - 150_000 - below(9_000)),
        ]));
        if below(3) == 0 {
            let levels = json!([{ "from": "0", "percent": format!("-0.{}", below(99)) }, { "from": "50", "percent": format!("0.{}", below(99)) }]);
            let rank = json!({
                "aggregator": "bestchange", "best": 1, "worst": 2, "step": format!("0.{:02}", 1 + below(98)), "undercut": "0.01",
                "own": [], "leastReserve": "0",
            });
            let rules = json!({
                "bounds": { "floor": "0.5", "ceiling": "4" }, "reserve": { "target": "30000000", "levels": levels }, "rank": rank,
            });
            set_rules(&app, pair(&app, "BTC", "SBERRUB"), rules).await;
        }
        let from = pairs[below(4) as usize];
        let quote = show_pair(&app, from, "SBERRUB").await.ok()["quote"]["id"].as_str().unwrap().to_owned();
        quotes.push((from.to_owned(), quote));
        cycle(&app).await;
        // Some with a quote of an older rate, some without.
        let (from, quote) = match below(2) {
            0 => (from.to_owned(), None),
            _ => quotes.pop().map(|(from, quote)| (from, Some(quote))).unwrap(),
        };
        let send = match from.as_str() {
            "BTC" if below(5) == 0 => format!("0.1{}", below(9)),
            "BTC" => format!("0.0{}", 10 + below(10)),
            "ETH" => format!("0.{}", 11 + below(80)),
            "LTC" => format!("{}.5", 1 + below(9)),
            _ => format!("{}", 900 + below(1_000)),
        };
        claims.push(create_claim(&app, &from, &send, quote.as_deref()).await.ok()["id"].as_str().unwrap().to_owned());
    }
    source.says(SourceBehaviour::price("9000000"));
    cycle(&app).await;

    let auditor = app.staff(Role::Auditor).await;
    let mut kinds = std::collections::BTreeSet::new();
    for id in claims {
        let explanation = auditor.get(&format!("{RATES_API}/claims/{id}/explain")).await.ok();
        assert_eq!(explanation["agrees"], true, "{explanation}");
        assert_eq!(explanation["rate"], explanation["recomputed"], "{explanation}");
        let steps: Value = serde_json::from_str(explanation["steps"].as_str().unwrap()).unwrap();
        kinds.extend(steps["steps"].as_array().unwrap().iter().map(|step| step["kind"].as_str().unwrap().to_owned()));
    }
    for kind in ["leg", "spread", "position", "reserve"] {
        assert!(kinds.contains(kind), "{kinds:?}");
    }
    auditor.get(&format!("{RATES_API}/claims/{}/explain", uuid::Uuid::nil())).await.refused(404, "claim_not_found");
}

async fn a_claim_with_a_quote_is_explained_by_its_quoted_rate(engine: Engine) {
    let source = Source::new("kraken");
    let app = open_with_sources(engine, &[&source]).await;
    let quote = show_pair(&app, "BTC", "SBERRUB").await.ok();
    source.says(SourceBehaviour::price("6200000"));
    cycle(&app).await;
    let now = show_pair(&app, "BTC", "SBERRUB").await.ok();
    assert_ne!(now["course"], quote["course"]);
    let claim = create_claim(&app, "BTC", "0.001", quote["quote"]["id"].as_str()).await.ok();
    let explanation =
        app.operator().await.get(&format!("{RATES_API}/claims/{}/explain", claim["id"].as_str().unwrap())).await.ok();
    assert_eq!(
        (&explanation["rate"], &explanation["recomputed"], &explanation["agrees"]),
        (&quote["course"], &quote["course"], &json!(true)),
        "{explanation}"
    );
    assert!(explanation["text"].as_str().unwrap().replace(['\u{a0}', ','], "").contains("6441600"), "{explanation}");
}

both_engines!(the_rate_of_any_claim_recalculates_to_the_same_number, a_claim_with_a_quote_is_explained_by_its_quoted_rate,);
