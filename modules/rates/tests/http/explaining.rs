//! Explaining the rate of a claim: what is stored with it gives the same number again.

use agio_core::identity::Role;
use agio_core::random::{Random as _, SeededRandom};
use agio_testkit::{Engine, both_engines};
use serde_json::{Value, json};

use crate::world::{RATES, Says, Source, claims, cycle, live, pair, sets, shown};

/// How many claims are made on each engine.
const CLAIMS: usize = 60;

async fn the_rate_of_any_claim_replays_to_the_same_number(engine: Engine) {
    let (source, monitor) = (Source::new("kraken"), Source::monitor("bestchange"));
    let house = live(engine, &[&source, &monitor]).await;
    house
        .owner()
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
    let mut made = Vec::new();
    let mut quotes: Vec<(String, String)> = Vec::new();
    for _ in 0..CLAIMS {
        let price = 6_300_000 + below(300_000);
        source.says(Says::sides(&format!("{price}.{}", below(99)), &format!("{}", price + 1 + below(5_000))));
        let rival = |name: &str, course: u64| (name.to_owned(), course.to_string(), "9000000".to_owned());
        monitor.says(Says::Offers(vec![
            rival("One", price - 60_000 - below(50_000)),
            rival("Other", price - 150_000 - below(9_000)),
        ]));
        if below(3) == 0 {
            let levels = json!([{ "from": "0", "percent": format!("-0.{}", below(99)) }, { "from": "50", "percent": format!("0.{}", below(99)) }]);
            let position = json!({
                "monitor": "bestchange", "best": 1, "worst": 2, "step": format!("0.{:02}", 1 + below(98)), "undercut": "0.01",
                "own": [], "leastReserve": "0",
            });
            let rules = json!({
                "bounds": { "floor": "0.5", "ceiling": "4" }, "reserve": { "target": "30000000", "levels": levels }, "position": position,
            });
            sets(&house, pair(&house, "BTC", "SBERRUB"), rules).await;
        }
        let from = pairs[below(4) as usize];
        let quote = shown(&house, from, "SBERRUB").await.ok()["quote"]["id"].as_str().unwrap().to_owned();
        quotes.push((from.to_owned(), quote));
        cycle(&house).await;
        // Some come with the quote of a rate that holds no longer, some without any.
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
        made.push(claims(&house, &from, &send, quote.as_deref()).await.ok()["id"].as_str().unwrap().to_owned());
    }
    source.says(Says::price("9000000"));
    cycle(&house).await;

    let auditor = house.staff(Role::Auditor).await;
    let mut kinds = std::collections::BTreeSet::new();
    for id in made {
        let told = auditor.get(&format!("{RATES}/claims/{id}/explain")).await.ok();
        assert_eq!(told["agrees"], true, "{told}");
        assert_eq!(told["course"], told["replayed"], "{told}");
        let steps: Value = serde_json::from_str(told["steps"].as_str().unwrap()).unwrap();
        kinds.extend(steps["steps"].as_array().unwrap().iter().map(|step| step["kind"].as_str().unwrap().to_owned()));
    }
    for kind in ["leg", "spread", "position", "reserve"] {
        assert!(kinds.contains(kind), "{kinds:?}");
    }
    auditor.get(&format!("{RATES}/claims/{}/explain", uuid::Uuid::nil())).await.refused(404, "claim_not_found");
}

async fn a_claim_with_a_quote_is_explained_by_the_rate_it_was_promised(engine: Engine) {
    let source = Source::new("kraken");
    let house = live(engine, &[&source]).await;
    let quote = shown(&house, "BTC", "SBERRUB").await.ok();
    source.says(Says::price("6200000"));
    cycle(&house).await;
    let now = shown(&house, "BTC", "SBERRUB").await.ok();
    assert_ne!(now["course"], quote["course"]);
    let claim = claims(&house, "BTC", "0.001", quote["quote"]["id"].as_str()).await.ok();
    let told = house.operator().await.get(&format!("{RATES}/claims/{}/explain", claim["id"].as_str().unwrap())).await.ok();
    assert_eq!(
        (&told["course"], &told["replayed"], &told["agrees"]),
        (&quote["course"], &quote["course"], &json!(true)),
        "{told}"
    );
    assert!(told["text"].as_str().unwrap().replace(['\u{a0}', ','], "").contains("6441600"), "{told}");
}

both_engines!(the_rate_of_any_claim_replays_to_the_same_number, a_claim_with_a_quote_is_explained_by_the_rate_it_was_promised,);
