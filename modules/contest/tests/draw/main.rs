//! A draw over ten thousand entries, verified by an independent program.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use agio_contest::model::draw::{Entrant, commitment, digest_of, seed, winners};
use agio_contest::model::published_draw::{DrawFault, FORMAT, PublishedDraw};
use agio_core::hex;

const ENTRIES: i64 = 10_000;
const VALUE: &str = "00000000000000000000c9b4f1b4a2d9a1b0f6f3c5e2d7a8b9c0d1e2f3a4b5c6";

/// Ten thousand entries of about six thousand participants, 1 to 100 tickets each.
fn entrants() -> Vec<Entrant> {
    let entrant = |number: i64| Entrant {
        entry: 100_000 + 3 * number,
        name: format!("{}***@e***.com", char::from(b'a' + u8::try_from(number % 26).unwrap())),
        person: format!("{:016x}", number * number % 6_007),
        weight: 1 + u64::try_from(number * 7 % 100).unwrap(),
    };
    (0..ENTRIES).map(entrant).collect()
}

fn drawn() -> PublishedDraw {
    let (entrants, secret) = (entrants(), [42; 32]);
    let lines: Vec<_> = entrants.iter().map(Entrant::line).collect();
    let digest = digest_of(lines.iter().map(String::as_str));
    let void = BTreeSet::from([100_003, 100_300, 115_000]);
    let won = winners(&seed(&secret, &digest, VALUE), &entrants, &void, 25);
    PublishedDraw {
        format: FORMAT.into(),
        contest: "2f1c5e0a-5b5e-4f5e-9b5e-2f1c5e0a5b5e".into(),
        commitment: hex::encode(commitment(&secret)),
        entrants_sha256: hex::encode(digest),
        public_source: "Hash of the first Bitcoin block after 12:00 UTC on 1 May 2024".into(),
        public_at: "2024-05-01T12:00:00Z".into(),
        prizes: 25,
        entrants: lines,
        void: void.into_iter().collect(),
        secret: Some(hex::encode(secret)),
        public_value: Some(VALUE.into()),
        public_reference: Some("https://mempool.space/block-height/841564".into()),
        winners: won,
    }
}

/// The verdict of the independent program.
fn verdict(folder: &Path, draw: &PublishedDraw) -> String {
    let file = folder.join("draw.json");
    std::fs::write(&file, serde_json::to_vec(draw).unwrap()).unwrap();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/draw/check.py");
    let answer = Command::new("python3").arg(script).arg(&file).output().expect("python3 is here");
    assert!(answer.status.success(), "{}", String::from_utf8_lossy(&answer.stderr));
    String::from_utf8(answer.stdout).unwrap().trim().to_owned()
}

#[test]
fn ten_thousand_entries_are_drawn_identically_by_an_independent_program() {
    let (folder, draw) = (tempfile::tempdir().unwrap(), drawn());
    assert_eq!(draw.winners.len(), 25);
    assert_eq!(draw.faults(), []);
    assert_eq!(verdict(folder.path(), &draw), "right");
}

#[test]
fn the_vector_of_the_contest_page_verifies() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../openapi/vectors/contest.json");
    let draw: PublishedDraw = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    assert_eq!(draw.faults(), []);
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(verdict(folder.path(), &draw), "right");
}

#[test]
fn changing_one_entry_changes_the_verdict() {
    let (folder, draw) = (tempfile::tempdir().unwrap(), drawn());
    let mut heavier = draw.clone();
    heavier.entrants[7_777] = heavier.entrants[7_777].replace("\"weight\":40", "\"weight\":41");
    assert_ne!(heavier.entrants[7_777], draw.entrants[7_777]);
    let answer = verdict(folder.path(), &heavier);
    assert!(answer.lines().any(|line| line == "entrants"), "{answer}");
    assert!(heavier.faults().contains(&DrawFault::Entrants));
    // Changing the digest as well changes the seed, and thus the winners.
    let digest = digest_of(heavier.entrants.iter().map(String::as_str));
    heavier.entrants_sha256 = hex::encode(digest);
    assert_eq!(verdict(folder.path(), &heavier), "winners");
    assert!(matches!(heavier.faults()[..], [DrawFault::Winners(_)]));
}

#[test]
fn other_parts_cannot_be_changed_either() {
    let (folder, draw) = (tempfile::tempdir().unwrap(), drawn());
    let both = |changed: &PublishedDraw| (changed.faults(), verdict(folder.path(), changed));
    let mut other = PublishedDraw { public_value: Some(VALUE.replace("c9b4", "c9b5")), ..draw.clone() };
    assert!(matches!(both(&other), (faults, answer) if matches!(faults[..], [DrawFault::Winners(_)]) && answer == "winners"));
    other = PublishedDraw { secret: Some(hex::encode([43; 32])), ..draw.clone() };
    assert!(matches!(both(&other), (faults, answer) if faults == [DrawFault::Secret] && answer == "secret\nwinners"));
    other = draw.clone();
    other.winners.swap(0, 1);
    assert!(matches!(both(&other), (faults, answer) if matches!(faults[..], [DrawFault::Winners(_)]) && answer == "winners"));
    // A duplicate entry, or a line in another form.
    other = draw.clone();
    other.entrants[10] = other.entrants[9].clone();
    assert!(other.faults().contains(&DrawFault::Line(11)));
    other = draw.clone();
    other.entrants[10] = other.entrants[10].replace(',', ", ");
    assert!(other.faults().contains(&DrawFault::Line(11)));
    assert_eq!(PublishedDraw { secret: None, ..draw.clone() }.faults(), [DrawFault::NotDrawn]);
    assert_eq!(PublishedDraw { format: "agio-contest-2".into(), ..draw }.faults(), [DrawFault::Format]);
}
