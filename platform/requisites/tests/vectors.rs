//! The shared vectors: what customers type, and the answer both the server and the site must give.

use agio_requisites::{RequisiteKind, RequisiteRefusal, ValidRequisite, check, check_memo};
use serde::Deserialize;

#[derive(Deserialize)]
struct File {
    vectors: Vec<Vector>,
}

#[derive(Deserialize)]
struct Vector {
    kind: RequisiteKind,
    value: String,
    valid: bool,
    why: String,
    beside: Option<RequisiteKind>,
    policy: Option<String>,
    checksum: Option<String>,
    ambiguous_with: Option<String>,
    accepted: Option<String>,
    #[serde(default)]
    warnings: Vec<String>,
    refused: Option<String>,
    other: Option<String>,
}

impl Vector {
    fn check(&self) -> Result<ValidRequisite, RequisiteRefusal> {
        match self.beside {
            Some(address) => check_memo(address, &self.value),
            None => check(self.kind, &self.value),
        }
    }

    fn is_rejected_by_policy(&self) -> bool {
        self.policy.as_deref() == Some("refuse")
    }
}

fn vectors() -> Vec<Vector> {
    let text = include_str!("../../../openapi/vectors/requisites.json");
    serde_json::from_str::<File>(text).expect("the vectors are JSON of the documented form").vectors
}

#[test]
fn well_formed_values_are_accepted_unless_policy_refuses_them_and_others_never() {
    for vector in vectors() {
        let answer = vector.check();
        let should_pass = vector.valid && !vector.is_rejected_by_policy();
        assert_eq!(answer.is_ok(), should_pass, "{} {:?} ({}): {answer:?}", vector.kind, vector.value, vector.why);
    }
}

#[test]
fn the_answer_is_the_written_one_to_the_letter() {
    for vector in vectors() {
        let shown = format!("{} {:?} ({})", vector.kind, vector.value, vector.why);
        match vector.check() {
            Ok(accepted) => {
                assert_eq!(Some(&accepted.value), vector.accepted.as_ref(), "{shown}");
                let codes: Vec<&str> = accepted.warnings.iter().map(|warning| warning.code).collect();
                assert_eq!(codes, vector.warnings, "{shown}");
            }
            Err(refusal) => {
                assert_eq!(Some(refusal.code), vector.refused.as_deref(), "{shown}");
                assert_eq!(refusal.other, vector.other.as_deref(), "{shown}");
            }
        }
    }
}

#[test]
fn a_value_without_a_checksum_is_never_accepted_in_silence() {
    for vector in vectors().iter().filter(|vector| vector.checksum.as_deref() == Some("none")) {
        let accepted = vector.check().expect("well formed");
        assert!(accepted.warnings.iter().any(|warning| warning.code == "check_twice"), "{}", vector.value);
    }
}

#[test]
fn ambiguous_values_are_rejected_or_name_the_other_network() {
    for vector in vectors() {
        let Some(other) = vector.ambiguous_with.as_deref() else {
            continue;
        };
        let named = match vector.check() {
            Ok(accepted) => accepted.warnings.iter().find_map(|warning| warning.other),
            Err(refusal) => refusal.other,
        };
        assert_eq!(named, Some(other), "{}", vector.value);
    }
}

#[test]
fn every_kind_has_vectors_of_both_outcomes() {
    let vectors = vectors();
    for kind in RequisiteKind::ALL {
        let of_kind = || vectors.iter().filter(|vector| vector.kind == kind);
        assert!(of_kind().any(|vector| vector.accepted.is_some()), "{kind} has no accepted vector");
        assert!(of_kind().any(|vector| vector.refused.is_some()), "{kind} has no refused vector");
    }
}
