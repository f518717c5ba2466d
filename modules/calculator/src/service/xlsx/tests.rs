use std::io::Write as _;

use rand::rngs::ChaCha8Rng;
use rand::{Rng as _, SeedableRng as _};

use super::*;

const LINES: usize = 10_002;

fn package(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (path, text) in parts {
        archive.start_file(*path, SimpleFileOptions::default()).expect("a new file");
        archive.write_all(text.as_bytes()).expect("memory");
    }
    archive.finish().expect("memory").into_inner()
}

/// A file whose only sheet has these lines.
fn sheet(lines: &str) -> Vec<u8> {
    let text = format!("\u{feff}<?xml version=\"1.0\"?><worksheet><sheetData>{lines}</sheetData></worksheet>");
    package(&[
        ("_rels/.rels", RELATIONS),
        ("xl/workbook.xml", WORKBOOK),
        ("xl/_rels/workbook.xml.rels", WORKBOOK_RELATIONS),
        ("xl/worksheets/sheet1.xml", &text),
    ])
}

fn cells(bytes: &[u8]) -> Vec<(usize, Vec<TableCell>)> {
    let records = read(bytes, LINES).expect("a table");
    records.into_iter().map(|record| (record.line, record.cells)).collect()
}

fn refusal(bytes: &[u8]) -> &'static str {
    read(bytes, LINES).err().expect("refused").code
}

/// The only cell of a line.
fn cell(markup: &str) -> TableCell {
    cells(&sheet(&format!("<row>{markup}</row>"))).remove(0).1.remove(0)
}

#[test]
fn what_is_written_is_read_back() {
    let pieces =
        ["_x0041_", "_x", "<b>", "&amp;", "'=1+1", "\r\n", "\n", "\t", " ", "«Ё»", "😀", "\u{1}", "1,5", "]]>", "\"", "a"];
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let mut reached = [0; 16];
    for _ in 0..300 {
        let mut text = || {
            let length = random.next_u32() % 5;
            let places: Vec<usize> = (0..length).map(|_| random.next_u32() as usize % pieces.len()).collect();
            places.iter().for_each(|place| reached[*place] += 1);
            places.into_iter().map(|place| pieces[place]).collect::<String>()
        };
        let lines: Vec<Vec<String>> = (0..3).map(|_| (0..4).map(|_| text()).collect()).collect();
        let read: Vec<_> = cells(&write(&lines).expect("short texts"));
        let written: Vec<_> =
            lines.iter().zip(1..).map(|(cells, line)| (line, cells.iter().cloned().map(Ok).collect::<Vec<_>>())).collect();
        assert_eq!(read, written);
    }
    assert!(reached.iter().all(|count| *count > 50), "{reached:?}");
    assert!(write(&[vec!["a".repeat(CELL_MAX)]]).is_ok());
    assert!(write(&[vec!["a".repeat(CELL_MAX + 1)]]).is_err(), "spreadsheets would cut it");
}

/// Written by openpyxl 3.1.5 and XlsxWriter; Excel writes as the latter, with strings that cells share.
#[test]
fn a_file_of_another_program_is_read_as_it_is_shown() {
    let ok = |text: &str| Ok(text.to_owned());
    let expected = [
        (1, vec![ok("text"), ok("number"), ok("flag"), ok("other")]),
        (2, vec![ok("Сбер & «Ко»"), ok("0.1"), ok("true"), ok("1.1")]),
        (3, vec![ok("line\nbreak"), ok("123456789012345"), ok("false"), ok("0.00000012")]),
        (4, vec![ok(" b "), ok("0.0000001"), ok(""), ok("0,50")]),
        (5, vec![ok("plain bold"), ok("0.3"), Err("cell_is_formula"), Err("cell_is_date")]),
        (6, vec![ok("percent"), Err("cell_is_percent"), Err("cell_is_formula"), ok("1.5")]),
        (9, vec![ok(""), ok(""), ok(""), ok("far")]),
    ];
    assert_eq!(cells(include_bytes!("openpyxl.xlsx")), expected);
    assert_eq!(cells(include_bytes!("xlsxwriter.xlsx")), expected);
}

#[test]
fn numbers_are_read_as_they_are_shown_or_not_at_all() {
    for (stored, shown) in [
        ("1.1000000000000001", Ok("1.1")),
        ("0.10000000000000001", Ok("0.1")),
        ("1E-08", Ok("0.00000001")),
        ("-2.50", Ok("-2.5")),
        ("20", Ok("20")),
        ("999999999999999", Ok("999999999999999")),
        ("1000000000000000", Err("cell_inexact")),
        ("0.30000000000000004", Err("cell_inexact")),
        ("1e400", Err("cell_inexact")),
        ("nan", Err("cell_inexact")),
        ("ten", Err("cell_inexact")),
    ] {
        assert_eq!(cell(&format!("<c><v>{stored}</v></c>")), shown.map(str::to_owned), "{stored}");
    }
}

#[test]
fn a_format_tells_dates_and_shares_from_numbers() {
    for (code, is_plain) in [
        ("General", true),
        ("#,##0.00\\ \"days %\"", true),
        ("[$₽-419]#,##0.00_)", true),
        ("[Red]0.0", true),
        ("dd.mm.yyyy", false),
        ("[h]:mm", false),
        ("0.00%", false),
    ] {
        assert_eq!(matches!(format_of(code), NumberFormat::Plain), is_plain, "{code}");
    }
}

#[test]
fn what_is_no_text_is_refused_with_its_place() {
    assert_eq!(cell("<c t=\"inlineStr\"><is><t>a</t><rPh><t>b</t></rPh></is></c>"), Ok("a".to_owned()));
    assert_eq!(cell("<c t=\"str\"><v>a</v></c>"), Ok("a".to_owned()));
    assert_eq!(cell("<c t=\"str\"><f>A1</f><v>a</v></c>"), Err("cell_is_formula"));
    assert_eq!(cell("<c><f/></c>"), Err("cell_is_formula"));
    assert_eq!(cell("<c t=\"e\"><v>#REF!</v></c>"), Err("cell_is_error"));
    assert_eq!(cell("<c t=\"d\"><v>2026-05-01</v></c>"), Err("cell_is_date"));
    let wide = read(&sheet("<row r=\"7\"><c r=\"BM7\"><v>1</v></c></row>"), LINES).err().expect("refused");
    assert_eq!((wide.code, wide.params["line"].as_str()), ("table_too_wide", "7"));
}

#[test]
fn hostile_files_are_refused() {
    let row = |cells: &str| sheet(&format!("<row>{cells}</row>"));
    let strings = |text: &str, cells: &str| {
        let relations = WORKBOOK_RELATIONS.replace("relationships/styles", "relationships/sharedStrings");
        let text = format!("<sst count=\"1\" uniqueCount=\"99999999999999\"><si><t>{text}</t></si></sst>");
        let lines = format!("<worksheet><sheetData>{cells}</sheetData></worksheet>");
        package(&[
            ("_rels/.rels", RELATIONS),
            ("xl/workbook.xml", WORKBOOK),
            ("xl/_rels/workbook.xml.rels", &relations),
            ("xl/styles.xml", &text),
            ("xl/worksheets/sheet1.xml", &lines),
        ])
    };
    let shared = "<row><c t=\"s\"><v>0</v></c></row>";
    assert_eq!(cells(&strings("a", shared)), [(1, vec![Ok("a".to_owned())])], "its count is not believed");
    assert_eq!(refusal(&strings(&"a".repeat(1 << 20), &shared.repeat(5))), "xlsx_too_large");
    let bomb = row(&format!("<c><v>{}</v></c>", " ".repeat(UNPACKED_MAX as usize)));
    assert!(bomb.len() < 1 << 20, "{}", bomb.len());
    assert_eq!(refusal(&bomb), "xlsx_too_large");
    let deep = "<rPh>".repeat(1_000_000);
    assert_eq!(refusal(&row(&format!("<c t=\"inlineStr\"><is>{deep}"))), "xlsx_unreadable");
    for broken in [
        b"".as_slice(),
        b"PK\x03\x04",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        b"give,receive\n",
        &package(&[("a.txt", "a")]),
        &strings("a", "<row><c t=\"s\"><v>1</v></c></row>"),
        &strings("a", "<row r=\"2\"><c><v>1</v></c></row><row r=\"1\"/>"),
        &row("<c r=\"B1\"><v>1</v></c><c r=\"A1\"><v>1</v></c>"),
        &row("<c t=\"str\"><v>&xxe;</v></c>"),
        &row("<c t=\"new\"><v>1</v></c>"),
        &sheet("<row r=\"18446744073709551615\"/><row/>"),
        &sheet("<row r=\"1048577\"/>"),
        &sheet("</sheetData><row>"),
        &package(&[
            ("_rels/.rels", RELATIONS),
            ("xl/workbook.xml", "<!DOCTYPE a [<!ENTITY xxe SYSTEM \"file:///etc/passwd\">]><workbook/>"),
        ]),
    ] {
        assert_eq!(refusal(broken), "xlsx_unreadable", "{}", String::from_utf8_lossy(broken));
    }
}

#[test]
fn a_table_is_on_one_sheet() {
    let several = |second: &str| {
        let workbook = WORKBOOK.replace("</sheets>", "<sheet name=\"B\" sheetId=\"2\" r:id=\"rId2\"/></sheets>");
        let relations = WORKBOOK_RELATIONS
            .replace("relationships/styles", "relationships/worksheet")
            .replace("styles.xml", "worksheets/b.xml");
        let lines = |lines: &str| format!("<worksheet><sheetData>{lines}</sheetData></worksheet>");
        package(&[
            ("_rels/.rels", RELATIONS),
            ("xl/workbook.xml", &workbook),
            ("xl/_rels/workbook.xml.rels", &relations),
            ("xl/worksheets/sheet1.xml", &lines("<row><c><v>1</v></c></row>")),
            ("xl/worksheets/b.xml", &lines(second)),
        ])
    };
    assert_eq!(cells(&several("<row><c/></row>")).len(), 1);
    assert_eq!(refusal(&several("<row><c><v>2</v></c></row>")), "xlsx_many_sheets");
    let sheets: String = (0..=SHEETS_MAX).map(|_| "<sheet name=\"A\" sheetId=\"1\" r:id=\"rId1\"/>").collect();
    let many = package(&[
        ("_rels/.rels", RELATIONS),
        ("xl/workbook.xml", &format!("<workbook><sheets>{sheets}</sheets></workbook>")),
        ("xl/_rels/workbook.xml.rels", WORKBOOK_RELATIONS),
        ("xl/worksheets/sheet1.xml", "<worksheet/>"),
    ]);
    assert_eq!(refusal(&many), "xlsx_many_sheets");
}

/// Damaged files are read or refused; none ends the process.
#[test]
fn damage_is_no_panic() {
    let whole = write(&[vec!["give".to_owned(), "receive".to_owned()], vec!["BTC".to_owned(), "1,5".to_owned()]]).expect("short");
    let foreign = include_bytes!("openpyxl.xlsx").to_vec();
    let mut random = ChaCha8Rng::seed_from_u64(11);
    let (mut refused, mut accepted) = (0, 0);
    for file in [whole, foreign] {
        for _ in 0..2_000 {
            let mut damaged = file.clone();
            for _ in 0..1 + random.next_u32() % 3 {
                let place = random.next_u32() as usize % damaged.len();
                damaged[place] = random.next_u32().to_le_bytes()[0];
            }
            damaged.truncate(damaged.len() - (random.next_u32() % 64 / 63) as usize * 30);
            match read(&damaged, LINES) {
                Ok(_) => accepted += 1,
                Err(_) => refused += 1,
            }
        }
    }
    assert!(refused > 500 && accepted > 100, "{refused} refused, {accepted} accepted");
}
