//! Checks that the problem codes of every operation are published.
//!
//! `openapi/problem-codes.json` lists the codes of each operation, except for those that middleware gives. A response
//! with another code fails its test at once. `AGIO_WRITE_PROBLEM_CODES=1` adds it to the list instead.
//! `AGIO_SEEN_PROBLEM_CODES` names a folder for the codes that were seen; `.ci/problem-codes` compares them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};

use agio_server::openapi::problem_codes::{PublishedOperations, RecordedCodes, recorded};
use reqwest::{Method, StatusCode};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../openapi");

/// Conflicts of any change of a claim with another one at the same time. Which test meets them is chance.
const CONCURRENT_CHANGES: [&str; 2] = ["claim_changed", "claim_locked"];

/// How to add a code that is missing.
const COMMAND: &str = "AGIO_WRITE_PROBLEM_CODES=1 cargo test --workspace && make gen";

static OPERATIONS: LazyLock<PublishedOperations> = LazyLock::new(|| {
    let read = |name| std::fs::read_to_string(Path::new(FOLDER).join(name)).expect("the documents are checked in");
    let documents = ["public.json", "admin.json", "partner.json"].map(read);
    PublishedOperations::read(&documents).expect("the documents are valid")
});

static RECORDED: LazyLock<RecordedCodes> = LazyLock::new(recorded);

static IS_WRITING: LazyLock<bool> = LazyLock::new(|| std::env::var_os("AGIO_WRITE_PROBLEM_CODES").is_some());

/// The file of this process for the codes it has seen.
static SEEN_FILE: LazyLock<Option<PathBuf>> = LazyLock::new(|| {
    let folder = PathBuf::from(std::env::var_os("AGIO_SEEN_PROBLEM_CODES")?);
    std::fs::create_dir_all(&folder).expect("the folder can be created");
    Some(folder.join(std::process::id().to_string()))
});

/// An operation that has responded, with the status and code of an error.
type Seen = (String, Option<(u16, String)>);

static SEEN: Mutex<BTreeSet<Seen>> = Mutex::new(BTreeSet::new());

/// Checks or records a response of the server.
///
/// # Panics
/// If it has a problem code that is not listed for its operation.
pub fn check(method: &Method, path: &str, status: StatusCode, body: &str) {
    if !*IS_WRITING && !status.is_client_error() && !status.is_server_error() {
        return;
    }
    let method = if *method == Method::HEAD { "GET" } else { method.as_str() };
    let Some(operation) = OPERATIONS.find(method, path.strip_prefix("/en").unwrap_or(path)) else { return };
    let status = status.as_u16();
    // Errors in Trustee's format have no problem code.
    let code = serde_json::from_str::<serde_json::Value>(body).ok().and_then(|body| Some(body["code"].as_str()?.to_owned()));
    let code = code.unwrap_or_default();
    let is_listed = |codes: Option<&BTreeSet<String>>| codes.is_some_and(|codes| code.is_empty() || codes.contains(&code));
    if is_listed(operation.common.get(&status)) || (!*IS_WRITING && CONCURRENT_CHANGES.contains(&code.as_str())) {
        return;
    }
    if let Some(listed) = RECORDED.get(&operation.id).filter(|_| !*IS_WRITING) {
        assert!(
            is_listed(listed.get(&status)),
            "{method} {path}: openapi/problem-codes.json does not list {status} {code} for {}. If it is right: {COMMAND}",
            operation.id
        );
    }
    let found = (operation.id.clone(), (status >= 400).then_some((status, code)));
    if !SEEN.lock().unwrap_or_else(PoisonError::into_inner).insert(found.clone()) {
        return;
    }
    if let (Some(file), Some((status, code))) = (&*SEEN_FILE, &found.1) {
        let mut file = File::options().create(true).append(true).open(file).expect("the file can be written");
        writeln!(file, "{} {status} {code}", operation.id).expect("the file can be written");
    }
    if *IS_WRITING {
        add(found);
    }
}

/// Adds what was seen to the checked-in list. Other processes do the same.
fn add((operation, problem): Seen) {
    let mut file = File::options().read(true).write(true).open(Path::new(FOLDER).join("problem-codes.json"));
    let file = file.as_mut().expect("the list is checked in");
    file.lock().expect("the list can be locked");
    let mut text = String::new();
    file.read_to_string(&mut text).expect("the list can be read");
    let mut listed: RecordedCodes = serde_json::from_str(&text).expect("the list is valid");
    let own: &mut BTreeMap<_, BTreeSet<_>> = listed.entry(operation).or_default();
    if let Some((status, code)) = problem {
        own.entry(status).or_default().extend(Some(code).filter(|code| !code.is_empty()));
    }
    let text = serde_json::to_string_pretty(&listed).expect("a list of codes is plain data");
    file.set_len(0).and_then(|()| file.rewind()).and_then(|()| writeln!(file, "{text}")).expect("the list can be written");
}
