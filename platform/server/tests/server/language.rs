//! Words that were replaced do not come back: `docs/retired-words.toml` lists them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

const LIST: &str = "docs/retired-words.toml";

/// Folders without sources.
const BUILT: [&str; 9] =
    [".git", ".vite", "__pycache__", "dist", "node_modules", "playwright-report", "target", "test-results", "var"];

#[derive(Deserialize)]
struct RetiredWords {
    /// Files that are not searched, with the reason: a file, a folder, or a pattern in which `*` stands for anything.
    skip: BTreeMap<String, String>,
    /// The words and their replacements. A word is in lower case, a stem ends in `*`, and a plural in `s` or `es`
    /// counts as well.
    words: BTreeMap<String, String>,
    /// Exact strings in which a word may stand.
    #[serde(default)]
    keep: BTreeMap<String, Vec<String>>,
}

impl RetiredWords {
    fn read(text: &str) -> Self {
        let source = config::File::from_str(text, config::FileFormat::Toml);
        config::Config::builder().add_source(source).build().unwrap().try_deserialize().unwrap()
    }

    fn skips(&self, path: &str) -> bool {
        self.skip.keys().any(|pattern| {
            let mut pieces = pattern.split('*');
            let start = pieces.next().unwrap_or_default();
            let rest = pieces.fold(path.strip_prefix(start), |rest, piece| Some(rest?.split_once(piece)?.1));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }

    /// Whether a retired word occurs in a line.
    fn contains(&self, retired: &str, line: &str) -> bool {
        let keep = self.keep.get(retired).map(Vec::as_slice).unwrap_or_default();
        let rest = keep.iter().fold(line.to_owned(), |rest, stored| rest.replace(stored.as_str(), " "));
        let parts: Vec<&str> = retired.split(' ').collect();
        words_of(&rest).windows(parts.len()).any(|words| is_phrase(words, &parts))
    }
}

/// What a line has to contain, in lower case, for a retired word to occur in it: most lines need no closer look.
fn stem(retired: &str) -> &str {
    retired.split([' ', '*']).next().unwrap_or(retired)
}

fn is_phrase(words: &[String], parts: &[&str]) -> bool {
    words.iter().zip(parts).all(|(word, part)| match part.strip_suffix('*') {
        Some(stem) => word.starts_with(stem),
        None => word.as_str() == *part || ["s", "es"].iter().any(|plural| word.strip_suffix(plural) == Some(*part)),
    })
}

/// The words of prose and of identifiers, in lower case: `ClaimView` and `claim_view` have two words each.
fn words_of(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut rest = line.chars();
    while let Some(letter) = rest.next() {
        if !letter.is_ascii_alphabetic() {
            continue;
        }
        word.push(letter.to_ascii_lowercase());
        let mut ahead = rest.clone();
        let is_last = match (ahead.next(), ahead.next()) {
            (Some(next), after) if next.is_ascii_alphabetic() => {
                let starts_word = letter.is_ascii_lowercase() || after.is_some_and(|after| after.is_ascii_lowercase());
                next.is_ascii_uppercase() && starts_word
            }
            _ => true,
        };
        if is_last {
            words.push(std::mem::take(&mut word));
        }
    }
    words
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Adds the paths of files below a folder, as seen from the root.
fn add_files(folder: &Path, paths: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        if !path.is_dir() {
            paths.push(path.strip_prefix(root()).unwrap().to_string_lossy().into_owned());
        } else if !BUILT.contains(&name.as_str()) {
            add_files(&path, paths);
        }
    }
}

#[test]
fn identifiers_are_split_into_words() {
    assert_eq!(
        words_of("ClaimView::of(HTTPBody, a_b9cd) // it's"),
        ["claim", "view", "of", "http", "body", "a", "b", "cd", "it", "s"]
    );
}

#[test]
fn retired_words_do_not_come_back() {
    let text = fs::read_to_string(root().join(LIST)).unwrap();
    let list = RetiredWords::read(&text);
    let mut paths = Vec::new();
    add_files(&root(), &mut paths);
    paths.retain(|path| !list.skips(path));
    assert!(paths.len() > 1_000);

    let mut found = Vec::new();
    for path in &paths {
        // Images and fonts are not text.
        let Ok(text) = fs::read_to_string(root().join(path)) else { continue };
        // The path counts as line 0.
        for (number, line) in [path.as_str()].into_iter().chain(text.lines()).enumerate() {
            let lower = line.to_ascii_lowercase();
            for (word, replacement) in list.words.iter().filter(|(word, _)| lower.contains(stem(word))) {
                if list.contains(word, line) {
                    found.push(format!("{path}:{number}: {word:?}, use {replacement}"));
                }
            }
        }
    }
    assert!(found.is_empty(), "retired words:\n{}", found.join("\n"));
}
