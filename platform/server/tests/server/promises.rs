//! What the texts promise is true: `docs/promises.toml` names the test of each promise.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde::Deserialize;

const LIST: &str = "docs/promises.toml";

/// The texts in which every question, rule and section is listed.
const COMPLETE: [&str; 7] = ["aml", "contacts", "contest", "discounts", "faq", "partners", "rules"];

#[derive(Deserialize)]
struct Promises {
    /// Paths, with `{lang}` for the language.
    texts: BTreeMap<String, String>,
    /// Places whose sentences are about what people do, with the reason.
    conduct: BTreeMap<String, String>,
    promise: Vec<TestedPromise>,
}

#[derive(Deserialize)]
struct TestedPromise {
    /// A text, or a place in it: `faq#late-payment`, `rules#4.2`.
    at: String,
    en: String,
    ru: String,
    /// `path: name of the test`.
    tests: Vec<String>,
}

fn read(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs::read_to_string(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn promises() -> Promises {
    let source = config::File::from_str(&read(LIST), config::FileFormat::Toml);
    config::Config::builder().add_source(source).build().unwrap().try_deserialize().unwrap()
}

/// The part of a text at a place: the section of a heading, the paragraph of a rule, or all of it.
fn part(text: &str, place: Option<&str>) -> String {
    let Some(place) = place else { return text.to_owned() };
    let heading = format!("{{#{place}}}");
    let rule = format!("{place}. ");
    let lines: Vec<&str> = text.lines().collect();
    let begin = lines.iter().position(|line| line.contains(&heading) || line.starts_with(&rule)).unwrap_or(lines.len());
    let rest = lines.iter().skip(begin + 1).take_while(|line| !line.starts_with('#') && !starts_rule(line));
    lines.iter().skip(begin).take(1).chain(rest).copied().collect::<Vec<_>>().join("\n")
}

fn starts_rule(line: &str) -> bool {
    let Some((chapter, rest)) = line.split_once('.') else { return false };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number(chapter) && rest.split_once(". ").is_some_and(|(rule, _)| is_number(rule))
}

/// The places of a text: its rules, its questions, or else its sections.
fn places(name: &str, text: &str) -> Vec<String> {
    let headings = |level: &'static str| {
        let ids = text.lines().filter(move |line| line.starts_with(level));
        ids.filter_map(|line| Some(line.split_once("{#")?.1.trim_end_matches('}').to_owned())).collect::<Vec<_>>()
    };
    match name {
        "rules" => {
            let rules = text.lines().filter(|line| starts_rule(line));
            rules.filter_map(|line| Some(line.split_once(". ")?.0.to_owned())).collect()
        }
        "faq" => headings("### "),
        _ => headings("## "),
    }
}

fn plain(text: &str) -> String {
    text.replace('\u{a0}', " ")
}

#[test]
fn every_promise_stands_in_its_text_and_has_its_test() {
    let Promises { texts, promise, .. } = promises();
    let mut wrong = Vec::new();
    for TestedPromise { at, en, ru, tests } in &promise {
        let (name, place) = at.split_once('#').map_or((at.as_str(), None), |(name, place)| (name, Some(place)));
        for (lang, sentence) in [("en", en), ("ru", ru)] {
            let text = read(&texts[name].replace("{lang}", lang));
            if sentence.is_empty() || !plain(&part(&text, place)).contains(&plain(sentence)) {
                wrong.push(format!("{at}, {lang}: the text does not say “{sentence}”"));
            }
        }
        for test in tests {
            let (path, name) = test.split_once(": ").unwrap_or_else(|| panic!("{at}: {test} is not `path: name`"));
            let declaration = if path.ends_with(".rs") { format!("fn {name}(") } else { format!("'{name}'") };
            if !read(path).contains(&declaration) {
                wrong.push(format!("{at}: {path} has no test “{name}”"));
            }
        }
        if tests.is_empty() {
            wrong.push(format!("{at}: no test shows “{en}”"));
        }
    }
    assert!(wrong.is_empty(), "{LIST}:\n{}", wrong.join("\n"));
}

#[test]
fn every_question_rule_and_section_is_listed() {
    let Promises { texts, conduct, promise } = promises();
    let listed: BTreeSet<&str> =
        promise.iter().map(|promise| promise.at.as_str()).chain(conduct.keys().map(String::as_str)).collect();
    let mut all = BTreeSet::new();
    for name in COMPLETE {
        let of = |lang: &str| places(name, &read(&texts[name].replace("{lang}", lang)));
        assert_eq!(of("en"), of("ru"), "{name}: both languages have the same places");
        all.extend(of("en").into_iter().map(|place| format!("{name}#{place}")));
    }
    let missing: Vec<_> = all.iter().filter(|place| !listed.contains(place.as_str())).collect();
    assert!(missing.is_empty(), "{LIST} does not list {missing:?}");
    let stale: Vec<_> = listed.iter().filter(|at| at.contains('#') && !all.contains(**at)).collect();
    assert!(stale.is_empty(), "{LIST} lists what is gone: {stale:?}");
}

#[test]
fn a_place_is_its_own_part_of_a_text() {
    let text = "# One {#one}\n\n1.1. First.\nMore.\n\n1.2. Second.\n\n### Why? {#why}\n\nBecause.\n";
    assert_eq!(part(text, Some("1.1")), "1.1. First.\nMore.\n");
    assert_eq!(part(text, Some("why")), "### Why? {#why}\n\nBecause.");
    assert_eq!(part(text, Some("absent")), "");
    assert_eq!(places("rules", text), ["1.1", "1.2"]);
    assert_eq!(places("faq", text), ["why"]);
}
