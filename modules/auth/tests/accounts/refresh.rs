//! Staying signed in.

use std::time::Duration;

use agio_testkit::{Caller, Customer, Database, Engine, House, both_engines};
use reqwest::Method;
use serde_json::json;

use crate::people::{access_token, cookies, deeds, elsewhere, refresh_token, shows, tries, who_is};

const MINUTE: Duration = Duration::from_secs(60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Longer than a replaced token is taken for that of another tab.
const LONG: Duration = Duration::from_secs(11);

async fn each_use_gives_a_new_token_for_the_same_session(engine: Engine) {
    let house = House::open(engine).await;
    let mut ivan = Customer::at(&house, "ivan@example.com").await;
    let mut seen = vec![refresh_token(&ivan.signs_in().await)];
    for _ in 0..5 {
        let answer = ivan.refreshes().await;
        seen.push(refresh_token(&answer));
        let body = answer.ok();
        assert_eq!((&body["user"], &body["expiresIn"]), (&ivan.me().await.ok(), &json!(600)));
    }
    seen.dedup();
    assert_eq!(seen.len(), 6);
    assert!(seen.iter().all(|token| token.len() >= 43), "256 bits: {seen:?}");
    let sessions = ivan.caller.get("/api/v1/users/me/sessions/").await.ok();
    assert_eq!(sessions.as_array().unwrap().len(), 2, "two sign-ins, whatever was refreshed");
}

async fn the_cookies_are_for_the_sign_in_calls_and_the_marker_for_the_page(engine: Engine) {
    let house =
        House::open_on(Database::furnished(engine).await, |config| config.server.public_url = "https://exchange.example".into())
            .await;
    let ivan = Customer::signs_up(&house, "ivan@example.com").await;
    let set = cookies(&tries(&ivan.caller, &ivan.email, &ivan.password).await);
    for path in ["/front-api/auth", "/en/front-api/auth"] {
        for name in ["__Secure-agio_refresh", "__Secure-agio_device"] {
            let cookie =
                set.iter().find(|cookie| cookie.starts_with(&format!("{name}=")) && cookie.contains(&format!("Path={path};")));
            let cookie = cookie.unwrap_or_else(|| panic!("{name} {path} {set:?}"));
            assert!(["; HttpOnly", "; Secure", "; SameSite=Strict"].iter().all(|word| cookie.contains(word)), "{cookie}");
        }
    }
    let marker = set.iter().find(|cookie| cookie.starts_with("agio_session=1;")).unwrap();
    assert!(marker.contains("Path=/;") && marker.contains("; Secure") && !marker.contains("HttpOnly"), "{marker}");
    assert_eq!(set.len(), 5);
    assert!(set.iter().all(|cookie| !cookie.contains("Domain")));
}

async fn a_session_is_restored_under_either_language(engine: Engine) {
    let house = House::open(engine).await;
    let ivan = Customer::at(&house, "ivan@example.com").await;
    for path in ["/en/front-api/auth/refresh/", "/front-api/auth/refresh/", "/en/front-api/auth/refresh/"] {
        house.wait(MINUTE);
        ivan.caller.get(path).await.ok();
    }
    ivan.caller.post_empty("/en/front-api/auth/logout/").await;
    ivan.caller.get("/front-api/auth/refresh/").await.refused(401, "token_not_valid");
}

async fn a_copied_token_ends_the_session_of_both(engine: Engine) {
    let house = House::open(engine).await;
    let mut ivan = Customer::at(&house, "ivan@example.com").await;
    let id = ivan.me().await.ok()["id"].as_str().unwrap().to_owned();
    let copied = refresh_token(&ivan.signs_in().await);
    let mut tablet = elsewhere(&house, &ivan, "192.0.2.7");
    tablet.signs_in().await.ok();
    house.wait(MINUTE);
    let access = access_token(&ivan.refreshes().await);
    house.wait(LONG);
    who_is(&house, &access).await.ok();

    shows(&house, &copied).await.refused(401, "token_not_valid");
    who_is(&house, &access).await.refused(401, "token_not_valid");
    ivan.refreshes().await.refused(401, "token_not_valid");
    tablet.me().await.ok();
    assert_eq!(ivan.mail(&house, "session_copied").await.subject, "Мы завершили один из ваших сеансов");
    assert!(deeds(&house, &id).await.contains(&"customer.refresh_reused".to_owned()));
    shows(&house, &copied).await.refused(401, "token_not_valid");
    let told = house.mail_to(&ivan.email).await.iter().filter(|mail| mail.kind == "session_copied").count();
    assert_eq!(told, 1, "it is told once");
}

/// The thief may be quicker than the owner, and refresh many times before the owner's old token is shown.
async fn a_thief_who_is_quicker_is_found_as_well(engine: Engine) {
    let house = House::open(engine).await;
    let mut ivan = Customer::at(&house, "ivan@example.com").await;
    let mut stolen = refresh_token(&ivan.signs_in().await);
    let mut access = String::new();
    for _ in 0..4 {
        house.wait(MINUTE);
        let answer = shows(&house, &stolen).await;
        (stolen, access) = (refresh_token(&answer), access_token(&answer));
    }
    who_is(&house, &access).await.ok();
    ivan.refreshes().await.refused(401, "token_not_valid");
    who_is(&house, &access).await.refused(401, "token_not_valid");
    shows(&house, &stolen).await.refused(401, "token_not_valid");
}

async fn two_tabs_go_on_together_a_hundred_times(engine: Engine) {
    let house = House::open(engine).await;
    let mut ivan = Customer::at(&house, "ivan@example.com").await;
    let mut token = refresh_token(&ivan.signs_in().await);
    for round in 0..100 {
        house.wait(9 * MINUTE);
        let (one, other) = tokio::join!(shows(&house, &token), shows(&house, &token));
        let (next, same) = (refresh_token(&one), refresh_token(&other));
        assert_eq!(next, same, "round {round}: one successor, not two branches");
        for answer in [&one, &other] {
            who_is(&house, &access_token(answer)).await.ok();
        }
        token = next;
    }
}

async fn many_tabs_and_lost_answers_sign_nobody_out(engine: Engine) {
    let house = House::open(engine).await;
    let mut ivan = Customer::at(&house, "ivan@example.com").await;
    let mut token = refresh_token(&ivan.signs_in().await);
    for _ in 0..5 {
        house.wait(9 * MINUTE);
        // The first answer is lost; some seconds later the page asks again, and meanwhile other tabs went on twice.
        let lost = refresh_token(&shows(&house, &token).await);
        let further = refresh_token(&shows(&house, &lost).await);
        house.wait(Duration::from_secs(8));
        let answers = futures(&house, &token, 20).await;
        assert!(answers.iter().all(|next| *next == further), "{answers:?}");
        token = further;
    }
}

async fn futures(house: &House, token: &str, tabs: usize) -> Vec<String> {
    let mut asking = tokio::task::JoinSet::new();
    for _ in 0..tabs {
        let (root, token) = (house.root.clone(), token.to_owned());
        asking.spawn(async move { refresh_token(&crate::people::shows_at(&root, &token).await) });
    }
    asking.join_all().await
}

async fn a_session_ends_after_two_idle_weeks_and_after_a_month(engine: Engine) {
    let house = House::open(engine).await;
    let mut ivan = Customer::at(&house, "ivan@example.com").await;
    house.wait(14 * DAY - MINUTE);
    ivan.refreshes().await.ok();
    house.wait(14 * DAY);
    ivan.refreshes().await.refused(401, "token_not_valid");
    ivan.signs_in().await.ok();
    for _ in 0..5 {
        house.wait(6 * DAY - MINUTE);
        ivan.refreshes().await.ok();
    }
    house.wait(6 * MINUTE);
    ivan.refreshes().await.refused(401, "token_not_valid");
}

async fn an_access_token_lives_for_ten_minutes(engine: Engine) {
    let house = House::open(engine).await;
    let mut ivan = Customer::at(&house, "ivan@example.com").await;
    house.wait(10 * MINUTE - Duration::from_secs(1));
    ivan.me().await.ok();
    house.wait(Duration::from_secs(1));
    ivan.me().await.refused(401, "token_not_valid");
    ivan.refreshes().await.ok();
    ivan.me().await.ok();
    // A page whose token has just ended sends it along, and is refreshed all the same.
    house.wait(11 * MINUTE);
    ivan.refreshes().await.ok();
}

async fn another_site_refreshes_nothing(engine: Engine) {
    let house = House::open(engine).await;
    let mut ivan = Customer::at(&house, "ivan@example.com").await;
    let token = refresh_token(&ivan.signs_in().await);
    let host = house.root.trim_start_matches("http://").to_owned();
    let cases: [(&[(&str, &str)], bool); 8] = [
        (&[("sec-fetch-site", "cross-site")], false),
        (&[("sec-fetch-site", "same-site")], false),
        (&[("sec-fetch-site", "none")], false),
        (&[("sec-fetch-site", "cross-site"), ("origin", "http://127.0.0.1:8080")], false),
        (&[("origin", "https://evil.example")], false),
        (&[("origin", "null")], false),
        (&[("origin", "http://127.0.0.1:8080")], true),
        (&[("sec-fetch-site", "same-origin")], true),
    ];
    for (path, method) in [("/front-api/auth/refresh/", Method::GET), ("/front-api/auth/logout/", Method::POST)] {
        for (headers, is_ours) in cases {
            // Whoever may sign out would end the session the other cases are about.
            if method == Method::POST && is_ours {
                continue;
            }
            let caller = Caller::at(&house.root);
            let mut request = caller.request(method.clone(), path).header("cookie", format!("agio_refresh={token}"));
            for (name, value) in headers {
                request = request.header(*name, *value);
            }
            let answer = caller.send(request).await;
            assert_eq!(answer.status.is_success(), is_ours, "{path} {headers:?}");
            assert_eq!(
                answer.headers.contains_key("set-cookie"),
                is_ours,
                "a foreign page takes no cookie away: {path} {headers:?}"
            );
        }
    }
    let caller = Caller::at(&house.root);
    let request = caller.request(Method::GET, "/front-api/auth/refresh/").header("cookie", format!("agio_refresh={token}"));
    caller.send(request.header("origin", format!("http://{host}"))).await.ok();
    let login = json!({ "email": ivan.email, "password": ivan.password });
    let request = caller.request(Method::POST, "/front-api/auth/login/").json(&login);
    caller.send(request.header("sec-fetch-site", "cross-site")).await.refused(401, "token_not_valid");
}

both_engines!(
    each_use_gives_a_new_token_for_the_same_session,
    the_cookies_are_for_the_sign_in_calls_and_the_marker_for_the_page,
    a_session_is_restored_under_either_language,
    a_copied_token_ends_the_session_of_both,
    a_thief_who_is_quicker_is_found_as_well,
    two_tabs_go_on_together_a_hundred_times,
    many_tabs_and_lost_answers_sign_nobody_out,
    a_session_ends_after_two_idle_weeks_and_after_a_month,
    an_access_token_lives_for_ten_minutes,
    another_site_refreshes_nothing,
);
