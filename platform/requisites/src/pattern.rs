//! Patterns: the form that owners expect of free text.

use std::str::Chars;

use regex::{Error, Regex, RegexBuilder};

/// Longest pattern, in characters.
pub const PATTERN_MAX: usize = 200;

/// Memory that a compiled pattern may take, in bytes.
const COMPILED_MAX: usize = 1 << 20;

/// The form of a value, as a regular expression that the whole value matches, in linear time.
///
/// Its language is what JavaScript with the flag `u` has of it: characters, `.`, classes, `\d`, `\w`, `\s` and their
/// opposites, groups, alternatives, repetitions, `^` and `$`. It means the same there.
#[derive(Clone, Debug)]
pub struct RequisitePattern(Regex);

impl RequisitePattern {
    /// # Errors
    /// `pattern_invalid`; `pattern_too_large` if it is too long or its repetitions multiply.
    pub fn new(source: &str) -> Result<Self, &'static str> {
        if source.chars().count() > PATTERN_MAX {
            return Err("pattern_too_large");
        }
        let pattern = translated(source).ok_or("pattern_invalid")?;
        let regex = RegexBuilder::new(&format!(r"\A(?:{pattern})\z")).size_limit(COMPILED_MAX).build();
        regex.map(Self).map_err(|error| match error {
            Error::CompiledTooBig(_) => "pattern_too_large",
            _ => "pattern_invalid",
        })
    }

    /// Whether the whole value, in its normal form, has this form.
    pub fn matches(&self, value: &str) -> bool {
        self.0.is_match(value)
    }
}

/// The same pattern for the `regex` crate. `None` for what is not in the language.
fn translated(source: &str) -> Option<String> {
    let mut out = String::new();
    let mut rest = source.chars();
    let mut depth = 0_usize;
    let mut is_repeatable = false;
    while let Some(sign) = rest.next() {
        let could_repeat = std::mem::replace(&mut is_repeatable, true);
        match sign {
            '.' => out.push_str(r"[^\n\r\u{2028}\u{2029}]"),
            '[' => class(&mut rest, &mut out)?,
            '(' => {
                let is_capture = !skip(&mut rest, "?:");
                if is_capture && rest.as_str().starts_with('?') {
                    return None;
                }
                depth += 1;
                out.push_str("(?:");
                is_repeatable = false;
            }
            ')' => {
                depth = depth.checked_sub(1)?;
                out.push(')');
            }
            '|' | '^' | '$' => {
                out.push(sign);
                is_repeatable = false;
            }
            '*' | '+' | '?' | '{' if could_repeat => {
                out.push(sign);
                if sign == '{' {
                    counts(&mut rest, &mut out)?;
                }
                skip(&mut rest, "?");
                is_repeatable = false;
            }
            '*' | '+' | '?' | '{' | '}' | ']' => return None,
            // Only a class has a hyphen to escape.
            '\\' if rest.as_str().starts_with('-') => return None,
            _ => out.push_str(&atom(sign, &mut rest)?.0),
        }
    }
    (depth == 0 && !out.is_empty()).then_some(out)
}

/// Skips a text if it comes next, and says whether it did.
fn skip(rest: &mut Chars<'_>, text: &str) -> bool {
    let after = rest.as_str().strip_prefix(text);
    *rest = after.unwrap_or(rest.as_str()).chars();
    after.is_some()
}

/// The counts of a repetition, behind its opening brace.
fn counts(rest: &mut Chars<'_>, out: &mut String) -> Option<()> {
    let (counts, after) = rest.as_str().split_once('}')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (least, most) = counts.split_once(',').unwrap_or((counts, ""));
    if !is_number(least) || !(most.is_empty() || is_number(most)) {
        return None;
    }
    *rest = after.chars();
    out.push_str(counts);
    out.push('}');
    Some(())
}

/// A class, behind its opening bracket.
fn class(rest: &mut Chars<'_>, out: &mut String) -> Option<()> {
    out.push_str(if skip(rest, "^") { "[^" } else { "[" });
    if rest.as_str().starts_with(']') {
        return None;
    }
    loop {
        let sign = rest.next()?;
        if sign == ']' {
            out.push(']');
            return Some(());
        }
        let (first, is_character) = atom(sign, rest)?;
        out.push_str(&first);
        if rest.as_str().starts_with('-') && !rest.as_str().starts_with("-]") {
            rest.next();
            let sign = rest.next()?;
            let (last, is_last_character) = atom(sign, rest)?;
            if !(is_character && is_last_character) {
                return None;
            }
            out.push('-');
            out.push_str(&last);
        }
    }
}

/// A character or what is escaped behind a backslash, and whether that is one character.
fn atom(sign: char, rest: &mut Chars<'_>) -> Option<(String, bool)> {
    let literal = |sign: char| (!sign.is_control()).then(|| (regex::escape(sign.encode_utf8(&mut [0; 4])), true));
    if sign != '\\' {
        return literal(sign);
    }
    let class = match rest.next()? {
        'd' => "[0-9]",
        'D' => "[^0-9]",
        'w' => "[0-9A-Za-z_]",
        'W' => "[^0-9A-Za-z_]",
        's' => r"\s",
        'S' => r"\S",
        sign if r"^$\.*+?()[]{}|/-".contains(sign) => return literal(sign),
        _ => return None,
    };
    Some((class.to_owned(), false))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(source: &str, value: &str) -> bool {
        RequisitePattern::new(source).unwrap_or_else(|code| panic!("{source}: {code}")).matches(value)
    }

    #[test]
    fn the_whole_value_matches() {
        for (source, good, bad) in [
            (r"\d{10}", "0123456789", "0123456789x"),
            (r"\d{10}", "0123456789", "x0123456789"),
            ("a|ab", "ab", "abc"),
            ("^a$|^b$", "b", "ab"),
            ("(?:a|b)c*?", "acc", "c"),
            ("[А-ЯЁ]{2}№?", "АЁ№", "аё№"),
            (r"[\w.-]+@x", "a-b.c_@x", "я@x"),
            (r"[+\-/]\d", "-1", "*1"),
            ("[!--]", "-", "."),
            ("[[&&~~:]+", "[&~:", "]"),
            (r"[^\d\s]{1,}", "ab", "a b"),
            (r"\(\d\)\/\.", "(1)/.", "(1)/x"),
            (".{1,255}", &"я".repeat(255), "\u{2028}"),
            ("a-b #", "a-b #", "a-b"),
            ("<>", "<>", ""),
        ] {
            assert!(matches(source, good), "{source} {good}");
            assert!(!matches(source, bad), "{source} {bad}");
        }
    }

    #[test]
    fn digits_and_letters_are_those_of_ascii() {
        for (source, bad) in [(r"\d", "٣"), (r"[\d]", "٣"), (r"\w", "я"), (r"[^\D]", "٣"), (r"[^\W]", "я")] {
            assert!(!matches(source, bad), "{source} {bad}");
        }
        assert!(matches(r"\D\W\S", "٣яя"));
    }

    #[test]
    fn what_another_engine_reads_differently_is_refused() {
        for source in [
            "",
            "(",
            "(a",
            "a)",
            "a)|(b",
            "[",
            "[]",
            "[^]",
            "[]a]",
            "[a",
            "a{",
            "a{,3}",
            "a{3",
            "a{x}",
            "{3}",
            "a}",
            "a]",
            "*",
            "+a",
            "a**",
            "a{2}{3}",
            "a+??",
            "^*",
            "|*",
            "(*)",
            "(?i)a",
            "(?=a)",
            "(?<n>a)",
            "(?#a)",
            "(?P<n>a)",
            r"\b",
            r"\<",
            r"\>",
            r"\1",
            r"\x41",
            r"\pL",
            r"\-",
            r"\_",
            r"\",
            r"[\d-z]",
            r"[a-\d]",
            "[z-a]",
            r"[\b]",
            "[[:alpha:]]",
            "a{3,2}",
            "a\n",
            "a{99999999999}",
        ] {
            assert_eq!(RequisitePattern::new(source).unwrap_err(), "pattern_invalid", "{source}");
        }
    }

    #[test]
    fn a_large_pattern_is_refused() {
        for source in ["(a{1000}){1000}", "((.{100}){100}){100}", &"a".repeat(PATTERN_MAX + 1)] {
            assert_eq!(RequisitePattern::new(source).unwrap_err(), "pattern_too_large", "{source}");
        }
        assert!(matches(&"я".repeat(PATTERN_MAX), &"я".repeat(PATTERN_MAX)));
    }
}
