//! Tables as the spreadsheets of a language read and write them: in Russian with semicolons and decimal commas.

use crate::texts::Locale;

/// Spreadsheets run a text that begins so as a formula, unless an apostrophe precedes it.
const FORMULA_STARTS: [char; 7] = ['=', '+', '-', '@', '\t', '\r', MARK];
const MARK: char = '\'';

/// A table as CSV, with a byte order mark.
#[must_use]
pub fn to_csv(lines: impl IntoIterator<Item = Vec<String>>, locale: Locale) -> Vec<u8> {
    ["\u{feff}".as_bytes(), &csv_lines(lines, locale)].concat()
}

/// Further lines of a table.
#[must_use]
pub fn csv_lines(lines: impl IntoIterator<Item = Vec<String>>, locale: Locale) -> Vec<u8> {
    let delimiter = if locale == Locale::Ru { b';' } else { b',' };
    let mut writer = csv::WriterBuilder::new().delimiter(delimiter).terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    for cells in lines {
        writer.write_record(cells).expect("lines are of one length, and memory takes them");
    }
    writer.into_inner().expect("memory takes them")
}

/// A number in the format of the language.
#[must_use]
pub fn number(plain: &str, locale: Locale) -> String {
    if locale == Locale::Ru { plain.replace('.', ",") } else { plain.to_owned() }
}

/// A text that spreadsheets show and do not run.
#[must_use]
pub fn marked(text: &str) -> String {
    if text.starts_with(FORMULA_STARTS) { format!("{MARK}{text}") } else { text.to_owned() }
}

/// The text of a cell that may be [`marked`].
#[must_use]
pub fn unmarked(cell: &str) -> &str {
    cell.strip_prefix(MARK).filter(|text| text.starts_with(FORMULA_STARTS)).unwrap_or(cell)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_of_its_language_and_runs_nothing() {
        let table = |locale| {
            let texts = ["plain", "a;b,c", "a \"quoted\" one", "=SUM(A1)"].map(marked);
            let lines = [texts.into_iter().chain([number("-1.5", locale)]).collect()];
            String::from_utf8(to_csv(lines, locale)).unwrap()
        };
        assert_eq!(table(Locale::Ru), "\u{feff}plain;\"a;b,c\";\"a \"\"quoted\"\" one\";'=SUM(A1);-1,5\r\n");
        assert_eq!(table(Locale::En), "\u{feff}plain,\"a;b,c\",\"a \"\"quoted\"\" one\",'=SUM(A1),-1.5\r\n");
        for text in ["plain", "=SUM(A1)", "'=SUM(A1)", "'plain", "-1"] {
            assert_eq!(unmarked(&marked(text)), text);
        }
    }
}
