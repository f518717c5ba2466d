//! The OpenAPI documents of the repository, which the server shows and clients are made from.

use std::path::Path;

use agio_server::openapi;
use agio_test_app::{Engine, TestApp};
use serde_json::Value;

/// `AGIO_WRITE_DOCUMENTS=1` writes them instead.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn published_documents_are_current() {
    let app = TestApp::start(Engine::Sqlite).await;
    for (file, document) in app.server.generate_documents().files() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file);
        let generated = openapi::text(document);
        if std::env::var_os("AGIO_WRITE_DOCUMENTS").is_some() {
            std::fs::write(&path, &generated).unwrap();
        }
        let published = std::fs::read_to_string(&path).unwrap();
        // Not compared by a macro, which would print both.
        assert!(published == generated, "{file} is outdated: run `make gen`");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_show_every_operation_and_webhook_once_and_no_markdown() {
    let app = TestApp::start(Engine::Sqlite).await;
    for (path, file) in [("/docs", "public"), ("/docs/admin", "admin"), ("/docs/partner", "partner")] {
        let document = app.visitor().get(&format!("/openapi/{file}.json")).await.ok();
        let page = app.visitor().get(path).await.text;
        let methods = [&document["paths"], &document["webhooks"]].into_iter().filter_map(Value::as_object).flatten();
        let operations: Vec<&Value> = methods.flat_map(|(_, methods)| methods.as_object().unwrap().values()).collect();
        assert!(operations.len() > 10, "{path}");
        for operation in operations {
            let id = operation["operationId"].as_str().unwrap();
            for shown in [format!("<section id=\"{id}\">"), format!("<a href=\"#{id}\">")] {
                assert_eq!(page.matches(&shown).count(), 1, "{path}: {shown}");
            }
        }
        let text: String = page.split("<pre>").map(|part| part.rsplit("</pre>").next().unwrap()).collect();
        assert!(!text.contains('`'), "{path}");
        assert!(text.contains(", optional</td>") && text.contains(", from 1"), "{path}");
    }
}
