//! The OpenAPI documents of the repository, which the server shows and clients are made from.

use std::path::Path;

use agio_server::openapi;
use agio_test_app::{Engine, TestApp};

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
