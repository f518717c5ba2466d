//! Showing that one is no robot.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use agio_captcha::CaptchaWidget;
use agio_test_app::{Database, Engine, TestApp, TestCustomer, TestResponse, both_engines};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::fixtures::{solve_captcha, try_sign_in, try_sign_in_with_captcha};

async fn setting_requires_a_captcha_at_every_sign_in(engine: Engine) {
    let app = TestApp::start(engine).await;
    let owner = app.owner().await;
    let ivan = TestCustomer::registered(&app, "ivan@example.com").await;
    let check = || async { ivan.caller.get("/front-api/auth/captcha/?action=login").await.ok() };
    assert_eq!(check().await["required"], false);
    owner.put("/api/admin/v1/settings", json!({ "site.captcha_login": "true" })).await.ok();
    assert_eq!(app.visitor().get("/api/v1/calculator/settings/").await.ok()["captchaLogin"], true);
    assert_eq!(check().await["required"], true);
    let checked = app.server.auth.passwords_checked();
    let refused = try_sign_in(&ivan.caller, &ivan.email, &ivan.password).await.refused(422, "captcha_required");
    assert_eq!(refused["errors"]["recaptcha"][0]["code"], "captcha_required");
    let with = |answer: String| {
        let (caller, body) =
            (ivan.caller.clone(), json!({ "email": ivan.email, "password": ivan.password, "recaptcha": answer }));
        async move { caller.post("/front-api/auth/login/", body).await }
    };
    let late = solve_captcha(&ivan.caller, "login").await;
    app.advance_clock(Duration::from_secs(601));
    for answer in ["x".to_owned(), "eyJ9".to_owned(), late, solve_captcha(&ivan.caller, "signup").await] {
        with(answer).await.refused(422, "captcha_invalid");
    }
    assert_eq!(app.server.auth.passwords_checked(), checked, "no password was compared");
    let answer = solve_captcha(&ivan.caller, "login").await;
    with(answer.clone()).await.ok();
    with(answer).await.refused(422, "captcha_invalid");

    app.owner().await.put("/api/admin/v1/settings", json!({ "auth.captcha_sign_up": "true" })).await.ok();
    let new = json!({ "email": "olga@example.com", "password": TestCustomer::PASSWORD });
    app.visitor().post("/api/v1/users/signup/", new).await.refused(422, "captcha_required");
    app.visitor().post("/api/v1/users/restore/", json!({ "email": "olga@example.com" })).await.refused(422, "captcha_required");
}

async fn used_solutions_are_deleted_after_expiry(engine: Engine) {
    let app = TestApp::start(engine).await;
    app.owner().await.put("/api/admin/v1/settings", json!({ "site.captcha_login": "true" })).await.ok();
    let ivan = TestCustomer::sign_up(&app, "ivan@example.com").await;
    for _ in 0..3 {
        try_sign_in_with_captcha(&ivan.caller, &ivan.email, &ivan.password).await.ok();
    }
    let stored = || async {
        let mut tx = app.server.platform.db.read().await.unwrap();
        agio_core::fetch_one!(&mut tx, (i64,), "SELECT COUNT(*) FROM captcha_used").unwrap().0
    };
    assert_eq!(stored().await, 3);
    app.advance_and_run_jobs(Duration::from_secs(602)).await;
    assert_eq!(stored().await, 0);
}

/// A provider on this machine that gives one reply after the other, and nothing once there are none left.
struct Provider {
    url: String,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Provider {
    async fn replying(replies: Vec<Value>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/siteverify", listener.local_addr().unwrap());
        let requests: Arc<Mutex<Vec<String>>> = Arc::default();
        let received = requests.clone();
        tokio::spawn(async move {
            for reply in replies {
                let (mut line, _) = listener.accept().await.unwrap();
                let mut request = String::new();
                while request.split_once("\r\n\r\n").is_none_or(|(head, body)| body.len() < length_of(head)) {
                    let mut piece = [0; 4096];
                    let size = line.read(&mut piece).await.unwrap();
                    request.push_str(&String::from_utf8_lossy(&piece[..size]));
                }
                received.lock().unwrap().push(request.rsplit("\r\n").next().unwrap().to_owned());
                let body = reply.to_string();
                let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
                line.write_all(format!("{head}{body}").as_bytes()).await.unwrap();
            }
        });
        Self { url, requests }
    }
}

fn length_of(head: &str) -> usize {
    let length = head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ").map(str::to_owned));
    length.map_or(0, |length| length.parse().unwrap())
}

async fn app_with(engine: Engine, provider: &Provider) -> (TestApp, TestCustomer) {
    let app = TestApp::start_with(Database::with_market(engine).await, |config| {
        config.captcha.verify_url.clone_from(&provider.url);
        config.captcha.provider = CaptchaWidget::Turnstile;
        config.captcha.site_key = "a site key".into();
        config.captcha.secret.0 = "a secret".into();
    })
    .await;
    app.owner().await.put("/api/admin/v1/settings", json!({ "site.captcha_login": "true" })).await.ok();
    let ivan = TestCustomer::sign_up(&app, "ivan@example.com").await;
    (app, ivan)
}

async fn with_answer(customer: &TestCustomer, answer: &str) -> TestResponse {
    let login = json!({ "email": customer.email, "password": customer.password, "recaptcha": answer });
    customer.caller.post("/front-api/auth/login/", login).await
}

async fn captcha_provider_decides(engine: Engine) {
    let replies = vec![
        json!({ "success": true, "hostname": "127.0.0.1", "action": "login", "score": 0.9 }),
        json!({ "success": true }),
        json!({ "success": false, "error-codes": ["timeout-or-duplicate"] }),
        json!({ "success": true, "score": 0.1 }),
        json!({ "success": true, "action": "signup" }),
        json!({ "success": true, "hostname": "evil.example" }),
    ];
    let provider = Provider::replying(replies).await;
    let (_app, ivan) = app_with(engine, &provider).await;
    let check = ivan.caller.get("/front-api/auth/captcha/?action=login").await.ok();
    assert_eq!(check, json!({ "required": true, "challenge": null, "provider": "turnstile", "siteKey": "a site key" }));
    with_answer(&ivan, "one & two").await.ok();
    with_answer(&ivan, "three").await.ok();
    for answer in ["used", "a robot's", "for another call", "from another site"] {
        with_answer(&ivan, answer).await.refused(422, "captcha_invalid");
    }
    let requests = provider.requests.lock().unwrap().clone();
    assert_eq!(requests.len(), 6);
    assert!(requests[0].starts_with("secret=a+secret&response=one+%26+two&remoteip=10."), "{}", requests[0]);
}

async fn unreachable_provider_falls_back_to_built_in_captcha(engine: Engine) {
    let provider = Provider::replying(vec![json!("what?")]).await;
    let (app, ivan) = app_with(engine, &provider).await;
    for _ in 0..2 {
        with_answer(&ivan, "some answer").await.refused(503, "captcha_unavailable");
    }
    try_sign_in_with_captcha(&ivan.caller, &ivan.email, &ivan.password).await.ok();
    with_answer(&ivan, "").await.refused(422, "captcha_required");
    app.advance_clock(Duration::from_secs(61));
    let check = ivan.caller.get("/front-api/auth/captcha/?action=login").await.ok();
    assert_eq!(check["siteKey"], "a site key", "after a minute it is used again");
}

both_engines!(
    setting_requires_a_captcha_at_every_sign_in,
    used_solutions_are_deleted_after_expiry,
    captcha_provider_decides,
    unreachable_provider_falls_back_to_built_in_captcha,
);
