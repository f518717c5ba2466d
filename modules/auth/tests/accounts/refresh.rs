//! Staying signed in.

use std::time::Duration;

use agio_test_app::{Database, Engine, TestApp, TestClient, TestCustomer, both_engines};
use reqwest::Method;
use serde_json::json;

use crate::fixtures::{
    access_token, at_another_address, audit_actions, cookies, get_me, refresh_token, refresh_with, try_sign_in,
};

const MINUTE: Duration = Duration::from_secs(60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Longer than a replaced token is taken for that of another tab.
const LONG: Duration = Duration::from_secs(11);

async fn refresh_rotates_the_token(engine: Engine) {
    let app = TestApp::start(engine).await;
    let mut ivan = TestCustomer::registered(&app, "ivan@example.com").await;
    let mut tokens = vec![refresh_token(&ivan.sign_in().await)];
    for _ in 0..5 {
        let answer = ivan.refresh().await;
        tokens.push(refresh_token(&answer));
        let body = answer.ok();
        assert_eq!((&body["user"], &body["expiresIn"]), (&ivan.me().await.ok(), &json!(600)));
    }
    tokens.dedup();
    assert_eq!(tokens.len(), 6);
    assert!(tokens.iter().all(|token| token.len() >= 43), "256 bits: {tokens:?}");
    let sessions = ivan.caller.get("/api/v1/users/me/sessions/").await.ok();
    assert_eq!(sessions.as_array().unwrap().len(), 2, "two sign-ins, whatever was refreshed");
}

async fn cookie_paths_and_attributes(engine: Engine) {
    let app = TestApp::start_with(Database::with_market(engine).await, |config| {
        config.server.public_url = "https://exchange.example".into()
    })
    .await;
    let ivan = TestCustomer::sign_up(&app, "ivan@example.com").await;
    let set = cookies(&try_sign_in(&ivan.caller, &ivan.email, &ivan.password).await);
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

async fn refresh_works_under_both_languages(engine: Engine) {
    let app = TestApp::start(engine).await;
    let ivan = TestCustomer::registered(&app, "ivan@example.com").await;
    for path in ["/en/front-api/auth/refresh/", "/front-api/auth/refresh/", "/en/front-api/auth/refresh/"] {
        app.advance_clock(MINUTE);
        ivan.caller.get(path).await.ok();
    }
    ivan.caller.post_empty("/en/front-api/auth/logout/").await;
    ivan.caller.get("/front-api/auth/refresh/").await.refused(401, "token_not_valid");
}

async fn reused_token_revokes_the_session(engine: Engine) {
    let app = TestApp::start(engine).await;
    let mut ivan = TestCustomer::registered(&app, "ivan@example.com").await;
    let id = ivan.me().await.ok()["id"].as_str().unwrap().to_owned();
    let copied = refresh_token(&ivan.sign_in().await);
    let mut tablet = at_another_address(&app, &ivan, "192.0.2.7");
    tablet.sign_in().await.ok();
    app.advance_clock(MINUTE);
    let access = access_token(&ivan.refresh().await);
    app.advance_clock(LONG);
    get_me(&app, &access).await.ok();

    refresh_with(&app, &copied).await.refused(401, "token_not_valid");
    get_me(&app, &access).await.refused(401, "token_not_valid");
    ivan.refresh().await.refused(401, "token_not_valid");
    tablet.me().await.ok();
    assert_eq!(ivan.newest_email(&app, "session_copied").await.subject, "Мы завершили один из ваших сеансов");
    assert!(audit_actions(&app, &id).await.contains(&"customer.refresh_reused".to_owned()));
    refresh_with(&app, &copied).await.refused(401, "token_not_valid");
    let emails = app.emails_to(&ivan.email).await.iter().filter(|mail| mail.kind == "session_copied").count();
    assert_eq!(emails, 1, "notified once");
}

/// The thief may be quicker than the owner, and refresh many times before the owner's old token is shown.
async fn reused_token_is_detected_after_a_stolen_refresh(engine: Engine) {
    let app = TestApp::start(engine).await;
    let mut ivan = TestCustomer::registered(&app, "ivan@example.com").await;
    let mut stolen = refresh_token(&ivan.sign_in().await);
    let mut access = String::new();
    for _ in 0..4 {
        app.advance_clock(MINUTE);
        let answer = refresh_with(&app, &stolen).await;
        (stolen, access) = (refresh_token(&answer), access_token(&answer));
    }
    get_me(&app, &access).await.ok();
    ivan.refresh().await.refused(401, "token_not_valid");
    get_me(&app, &access).await.refused(401, "token_not_valid");
    refresh_with(&app, &stolen).await.refused(401, "token_not_valid");
}

async fn two_tabs_refresh_concurrently(engine: Engine) {
    let app = TestApp::start(engine).await;
    let mut ivan = TestCustomer::registered(&app, "ivan@example.com").await;
    let mut token = refresh_token(&ivan.sign_in().await);
    for round in 0..100 {
        app.advance_clock(9 * MINUTE);
        let (one, other) = tokio::join!(refresh_with(&app, &token), refresh_with(&app, &token));
        let (next, same) = (refresh_token(&one), refresh_token(&other));
        assert_eq!(next, same, "round {round}: one successor, not two branches");
        for answer in [&one, &other] {
            get_me(&app, &access_token(answer)).await.ok();
        }
        token = next;
    }
}

async fn lost_responses_keep_the_session(engine: Engine) {
    let app = TestApp::start(engine).await;
    let mut ivan = TestCustomer::registered(&app, "ivan@example.com").await;
    let mut token = refresh_token(&ivan.sign_in().await);
    for _ in 0..5 {
        app.advance_clock(9 * MINUTE);
        // The first answer is lost; some seconds later the page asks again, and meanwhile other tabs went on twice.
        let lost = refresh_token(&refresh_with(&app, &token).await);
        let further = refresh_token(&refresh_with(&app, &lost).await);
        app.advance_clock(Duration::from_secs(8));
        let answers = futures(&app, &token, 20).await;
        assert!(answers.iter().all(|next| *next == further), "{answers:?}");
        token = further;
    }
}

async fn futures(app: &TestApp, token: &str, tabs: usize) -> Vec<String> {
    let mut asking = tokio::task::JoinSet::new();
    for _ in 0..tabs {
        let (root, token) = (app.root.clone(), token.to_owned());
        asking.spawn(async move { refresh_token(&crate::fixtures::refresh_at(&root, &token).await) });
    }
    asking.join_all().await
}

async fn session_expires_when_idle_and_after_a_month(engine: Engine) {
    let app = TestApp::start(engine).await;
    let mut ivan = TestCustomer::registered(&app, "ivan@example.com").await;
    app.advance_clock(14 * DAY - MINUTE);
    ivan.refresh().await.ok();
    app.advance_clock(14 * DAY);
    ivan.refresh().await.refused(401, "token_not_valid");
    ivan.sign_in().await.ok();
    for _ in 0..5 {
        app.advance_clock(6 * DAY - MINUTE);
        ivan.refresh().await.ok();
    }
    app.advance_clock(6 * MINUTE);
    ivan.refresh().await.refused(401, "token_not_valid");
}

async fn access_token_expires_after_ten_minutes(engine: Engine) {
    let app = TestApp::start(engine).await;
    let mut ivan = TestCustomer::registered(&app, "ivan@example.com").await;
    app.advance_clock(10 * MINUTE - Duration::from_secs(1));
    ivan.me().await.ok();
    app.advance_clock(Duration::from_secs(1));
    ivan.me().await.refused(401, "token_not_valid");
    ivan.refresh().await.ok();
    ivan.me().await.ok();
    // A page whose token has just ended sends it along, and is refreshed all the same.
    app.advance_clock(11 * MINUTE);
    ivan.refresh().await.ok();
}

async fn cross_site_refresh_is_rejected(engine: Engine) {
    let app = TestApp::start(engine).await;
    let mut ivan = TestCustomer::registered(&app, "ivan@example.com").await;
    let token = refresh_token(&ivan.sign_in().await);
    let host = app.root.trim_start_matches("http://").to_owned();
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
            // A successful sign-out would end the session of the other cases.
            if method == Method::POST && is_ours {
                continue;
            }
            let caller = TestClient::at(&app.root);
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
    let caller = TestClient::at(&app.root);
    let request = caller.request(Method::GET, "/front-api/auth/refresh/").header("cookie", format!("agio_refresh={token}"));
    caller.send(request.header("origin", format!("http://{host}"))).await.ok();
    let login = json!({ "email": ivan.email, "password": ivan.password });
    let request = caller.request(Method::POST, "/front-api/auth/login/").json(&login);
    caller.send(request.header("sec-fetch-site", "cross-site")).await.refused(401, "token_not_valid");
}

both_engines!(
    refresh_rotates_the_token,
    cookie_paths_and_attributes,
    refresh_works_under_both_languages,
    reused_token_revokes_the_session,
    reused_token_is_detected_after_a_stolen_refresh,
    two_tabs_refresh_concurrently,
    lost_responses_keep_the_session,
    session_expires_when_idle_and_after_a_month,
    access_token_expires_after_ten_minutes,
    cross_site_refresh_is_rejected,
);
