//! Tables in XLSX files, cell by cell as text.
//!
//! A file may come from anyone, so nothing is reserved by what it declares: what is unpacked, its lines, columns and
//! texts are bounded. A cell whose text is not what a spreadsheet shows is an error with a code.

use std::io::{Cursor, Read as _, Write as _};

use agio_core::{Error, FieldError, Result};
use quick_xml::XmlVersion;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::reader::Reader;
use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

use super::market_table::{Record, TableCell};

/// Of all read parts together, in bytes.
const UNPACKED_MAX: u64 = 32 << 20;
/// Of all texts of cells together, in bytes. A text that many cells share counts for each.
const TEXTS_MAX: usize = 4 << 20;
const STRINGS_MAX: usize = 400_000;
const SHEETS_MAX: usize = 20;
const COLUMNS_MAX: usize = 64;
/// The last line of a spreadsheet.
const LINE_MAX: usize = 1 << 20;
/// What a cell of a spreadsheet can hold, in characters.
const CELL_MAX: usize = 32_767;
/// Spreadsheets store binary fractions and show so many digits of them.
const SHOWN_DIGITS: usize = 15;

type Refusable<T> = std::result::Result<T, FieldError>;

fn unreadable<E>(_: E) -> FieldError {
    FieldError::new("", "xlsx_unreadable").with("line", 1)
}

fn too_large() -> FieldError {
    FieldError::new("", "xlsx_too_large").with("line", 1)
}

/// The lines with something in them of the only sheet that has such, up to `lines`.
pub(super) fn read(bytes: &[u8], lines: usize) -> Refusable<Vec<Record>> {
    let mut package = Package { archive: ZipArchive::new(Cursor::new(bytes)).map_err(unreadable)?, left: UNPACKED_MAX };
    let workbook = package.workbook()?;
    let many_sheets = || FieldError::new("", "xlsx_many_sheets").with("line", 1);
    if workbook.sheets.len() > SHEETS_MAX {
        return Err(many_sheets());
    }
    let mut found = Vec::new();
    for path in &workbook.sheets {
        let text = package.part(path)?.ok_or_else(|| unreadable(()))?;
        let records = workbook.records(&text, lines)?;
        if !records.is_empty() && !found.is_empty() {
            return Err(many_sheets());
        }
        found.extend(records);
    }
    Ok(found)
}

struct Package<'b> {
    archive: ZipArchive<Cursor<&'b [u8]>>,
    /// How many bytes may still be unpacked.
    left: u64,
}

struct Workbook {
    /// The paths of the worksheets, in their order.
    sheets: Vec<String>,
    strings: Vec<String>,
    /// By the style of a cell.
    formats: Vec<NumberFormat>,
}

#[derive(Clone, Copy)]
enum NumberFormat {
    Plain,
    /// A number shown as a date or time.
    Date,
    /// A number shown a hundred times as large.
    Percent,
}

struct Relation {
    id: String,
    /// The end of its type, such as `worksheet`.
    kind: String,
    path: String,
}

impl Package<'_> {
    /// A part of the package, if it has it.
    fn part(&mut self, path: &str) -> Refusable<Option<String>> {
        let entry = match self.archive.by_name(path) {
            Ok(entry) => entry,
            Err(ZipError::FileNotFound) => return Ok(None),
            Err(error) => return Err(unreadable(error)),
        };
        let mut bytes = Vec::new();
        let read = entry.take(self.left + 1).read_to_end(&mut bytes).map_err(unreadable)? as u64;
        self.left = self.left.checked_sub(read).ok_or_else(too_large)?;
        // The reader of XML skips a byte order mark.
        String::from_utf8(bytes).map(Some).map_err(unreadable)
    }

    /// What a part refers to; paths are relative to its folder.
    fn relations(&mut self, folder: &str, name: &str) -> Refusable<Vec<Relation>> {
        let Some(text) = self.part(&format!("{folder}_rels/{name}.rels"))? else { return Ok(Vec::new()) };
        let mut relations = Vec::new();
        each_element(&text, |element, start| {
            if element == "Relationship" {
                let [id, kind, target] = ["Id", "Type", "Target"].map(|name| attribute(start, name));
                let target = target?.unwrap_or_default();
                let path = target.strip_prefix('/').map_or_else(|| format!("{folder}{target}"), str::to_owned);
                let kind = kind?.unwrap_or_default().rsplit('/').next().unwrap_or_default().to_owned();
                relations.push(Relation { id: id?.unwrap_or_default(), kind, path });
            }
            Ok(())
        })?;
        Ok(relations)
    }

    fn workbook(&mut self) -> Refusable<Workbook> {
        let document = self.relations("", "")?.into_iter().find(|relation| relation.kind == "officeDocument");
        let path = document.ok_or_else(|| unreadable(()))?.path;
        let (folder, name) = path.rfind('/').map_or(("", path.as_str()), |end| path.split_at(end + 1));
        let relations = self.relations(folder, name)?;
        let text = self.part(&path)?.ok_or_else(|| unreadable(()))?;
        let mut sheets = Vec::new();
        each_element(&text, |element, start| {
            if element == "sheet" {
                let id = attribute(start, "id")?.unwrap_or_default();
                let relation = relations.iter().find(|relation| relation.id == id).ok_or_else(|| unreadable(()))?;
                sheets.extend((relation.kind == "worksheet").then(|| relation.path.clone()));
            }
            Ok(())
        })?;
        let mut part = |kind: &str| {
            let relation = relations.iter().find(|relation| relation.kind == kind);
            relation.map_or(Ok(None), |relation| self.part(&relation.path))
        };
        let strings = part("sharedStrings")?.map_or(Ok(Vec::new()), |text| shared_strings(&text))?;
        let formats = part("styles")?.map_or(Ok(Vec::new()), |text| number_formats(&text))?;
        Ok(Workbook { sheets, strings, formats })
    }
}

fn shared_strings(text: &str) -> Refusable<Vec<String>> {
    let (mut xml, mut strings) = (Xml::new(text), Vec::new());
    while let Some(event) = xml.next()? {
        if let Event::Start(start) = event
            && start.local_name().as_ref() == "si"
        {
            if strings.len() == STRINGS_MAX {
                return Err(too_large());
            }
            strings.push(unescape(&xml.text(false)?));
        }
    }
    Ok(strings)
}

fn number_formats(text: &str) -> Refusable<Vec<NumberFormat>> {
    let (mut own, mut formats, mut is_in_cells) = (Vec::new(), Vec::new(), false);
    each_element(text, |element, start| {
        match element {
            "numFmt" => own.push((attribute(start, "numFmtId")?, attribute(start, "formatCode")?.unwrap_or_default())),
            "cellXfs" => is_in_cells = true,
            "cellStyles" | "dxfs" => is_in_cells = false,
            "xf" if is_in_cells => {
                let id = attribute(start, "numFmtId")?;
                let code = own.iter().rev().find(|(known, _)| *known == id).map(|(_, code)| code.as_str());
                let id = id.and_then(|id| id.parse().ok()).unwrap_or(0);
                formats.push(code.map_or_else(|| built_in_format(id), format_of));
            }
            _ => {}
        }
        Ok(())
    })?;
    Ok(formats)
}

/// By the numbers that the standard gives to formats of all languages.
fn built_in_format(id: u32) -> NumberFormat {
    match id {
        9 | 10 => NumberFormat::Percent,
        14..=22 | 27..=36 | 45..=47 | 50..=58 => NumberFormat::Date,
        _ => NumberFormat::Plain,
    }
}

/// By its code: what is neither quoted, escaped nor in brackets.
fn format_of(code: &str) -> NumberFormat {
    let (mut symbols, mut is_quoted, mut is_bracketed) = (code.chars(), false, false);
    while let Some(symbol) = symbols.next() {
        match symbol {
            '"' => is_quoted = !is_quoted,
            _ if is_quoted => {}
            '\\' | '_' | '*' => drop(symbols.next()),
            '[' => is_bracketed = true,
            ']' => is_bracketed = false,
            _ if is_bracketed => {}
            '%' => return NumberFormat::Percent,
            'd' | 'D' | 'm' | 'M' | 'y' | 'Y' | 'h' | 'H' | 's' | 'S' => return NumberFormat::Date,
            _ => {}
        }
    }
    NumberFormat::Plain
}

impl Workbook {
    fn records(&self, text: &str, lines: usize) -> Refusable<Vec<Record>> {
        let mut xml = Xml::new(text);
        let mut records: Vec<Record> = Vec::new();
        let (mut line, mut column, mut size, mut is_whole) = (0, 0, 0, false);
        while let Some(event) = xml.next()? {
            match event {
                Event::Start(start) if start.local_name().as_ref() == "row" => {
                    let number = match attribute(&start, "r")? {
                        Some(number) => number.parse().map_err(unreadable)?,
                        None => line + 1,
                    };
                    if number <= line || number > LINE_MAX {
                        return Err(unreadable(()));
                    }
                    (line, column) = (number, 0);
                }
                Event::Start(start) if start.local_name().as_ref() == "c" => {
                    let place = attribute(&start, "r")?.map_or(Ok(column), |place| column_of(&place))?;
                    if place < column {
                        return Err(unreadable(()));
                    }
                    column = place + 1;
                    let Some(cell) = self.cell(&mut xml, &start)? else { continue };
                    if column > COLUMNS_MAX {
                        let wide = FieldError::new("", "table_too_wide").with("max", COLUMNS_MAX);
                        return Err(wide.with("line", line));
                    }
                    size += cell.as_ref().map_or(0, String::len);
                    if size > TEXTS_MAX {
                        return Err(too_large());
                    }
                    if records.last().is_none_or(|record| record.line != line) {
                        if records.len() == lines {
                            return Ok(records);
                        }
                        records.push(Record { line, cells: Vec::new() });
                    }
                    if let Some(record) = records.last_mut() {
                        record.cells.resize(place, Ok(String::new()));
                        record.cells.push(cell);
                    }
                }
                Event::End(end) if end.local_name().as_ref() == "sheetData" => is_whole = true,
                _ => {}
            }
        }
        if is_whole { Ok(records) } else { Err(unreadable(())) }
    }

    /// The text of a cell; `None` for an empty one.
    fn cell(&self, xml: &mut Xml<'_>, start: &BytesStart<'_>) -> Refusable<Option<TableCell>> {
        let (kind, style) = (attribute(start, "t")?, attribute(start, "s")?);
        let (mut value, mut is_formula) = (None, false);
        while let Some(event) = xml.next()? {
            match event {
                Event::Start(start) => match start.local_name().as_ref() {
                    "v" => value = Some(xml.text(true)?),
                    "is" => value = Some(xml.text(false)?),
                    name => {
                        is_formula |= name == "f";
                        xml.text(false)?;
                    }
                },
                Event::End(_) => {
                    if is_formula {
                        return Ok(Some(Err("cell_is_formula")));
                    }
                    return value.map(|value| self.value(kind.as_deref(), style.as_deref(), &value)).transpose();
                }
                _ => {}
            }
        }
        Err(unreadable(()))
    }

    fn value(&self, kind: Option<&str>, style: Option<&str>, value: &str) -> Refusable<TableCell> {
        Ok(match kind {
            Some("s") => {
                let place: usize = value.trim().parse().map_err(unreadable)?;
                Ok(self.strings.get(place).ok_or_else(|| unreadable(()))?.clone())
            }
            Some("str" | "inlineStr") => Ok(unescape(value)),
            Some("b") => Ok(if value.trim() == "0" { "false" } else { "true" }.to_owned()),
            Some("e") => Err("cell_is_error"),
            Some("d") => Err("cell_is_date"),
            Some("n") | None => {
                let style: usize = style.map_or(Ok(0), str::parse).map_err(unreadable)?;
                match self.formats.get(style).copied().unwrap_or(NumberFormat::Plain) {
                    NumberFormat::Plain => shown_number(value.trim()),
                    NumberFormat::Date => Err("cell_is_date"),
                    NumberFormat::Percent => Err("cell_is_percent"),
                }
            }
            Some(_) => return Err(unreadable(())),
        })
    }
}

/// The number that a spreadsheet shows for a stored one: 1.1 for 1.1000000000000001.
fn shown_number(stored: &str) -> TableCell {
    let number: f64 = stored.parse().map_err(|_| "cell_inexact")?;
    // The shortest decimal that stands for this binary fraction.
    let shown = number.to_string();
    let digits: String = shown.chars().filter(char::is_ascii_digit).collect();
    let whole = shown.split('.').next().unwrap_or_default().trim_start_matches('-');
    let is_exact = number.is_finite() && digits.trim_matches('0').len() <= SHOWN_DIGITS && whole.len() <= SHOWN_DIGITS;
    if is_exact { Ok(shown) } else { Err("cell_inexact") }
}

/// The place of a column, from zero: 27 for `AB12`.
fn column_of(place: &str) -> Refusable<usize> {
    let letters = place.bytes().take_while(u8::is_ascii_uppercase).take(4);
    let column = letters.fold(0, |column, letter| column * 26 + usize::from(letter - b'A') + 1);
    column.checked_sub(1).ok_or_else(|| unreadable(()))
}

/// What an open element adds to a text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Run {
    Text,
    Frame,
    Pronounced,
}

/// A document whose errors are refusals; it knows no entities of its own.
struct Xml<'t>(Reader<&'t [u8]>);

impl<'t> Xml<'t> {
    fn new(text: &'t str) -> Self {
        let mut reader = Reader::from_str(text);
        reader.config_mut().expand_empty_elements = true;
        Self(reader)
    }

    /// `None` at the end.
    fn next(&mut self) -> Refusable<Option<Event<'t>>> {
        match self.0.read_event().map_err(unreadable)? {
            Event::DocType(_) => Err(unreadable(())),
            Event::Eof => Ok(None),
            event => Ok(Some(event)),
        }
    }

    /// The text of the element that has begun, to its end. With `is_own` of itself, otherwise of the runs in it, without
    /// how they are pronounced.
    fn text(&mut self, is_own: bool) -> Refusable<String> {
        let mut text = String::new();
        let mut open = vec![if is_own { Run::Text } else { Run::Frame }];
        while let Some(event) = self.next()? {
            let Some(run) = open.last().copied() else { return Ok(text) };
            let has_text = run == Run::Text;
            match event {
                Event::Start(start) => open.push(match start.local_name().as_ref() {
                    _ if run == Run::Pronounced => run,
                    "rPh" => Run::Pronounced,
                    "t" => Run::Text,
                    _ => Run::Frame,
                }),
                Event::End(_) if open.len() == 1 => return Ok(text),
                Event::End(_) => drop(open.pop()),
                Event::Text(part) if has_text => text.push_str(&part.xml10_content()),
                Event::CData(part) if has_text => text.push_str(&part.xml10_content()),
                Event::GeneralRef(reference) if has_text => {
                    text.push_str(&resolve(&reference).ok_or_else(|| unreadable(()))?);
                }
                _ => {}
            }
        }
        Err(unreadable(()))
    }
}

fn each_element(text: &str, mut act: impl FnMut(&str, &BytesStart<'_>) -> Refusable<()>) -> Refusable<()> {
    let mut xml = Xml::new(text);
    while let Some(event) = xml.next()? {
        if let Event::Start(start) = event {
            act(start.local_name().as_ref(), &start)?;
        }
    }
    Ok(())
}

/// An attribute by its name without a prefix.
fn attribute(start: &BytesStart<'_>, name: &str) -> Refusable<Option<String>> {
    for attribute in start.attributes().with_checks(false) {
        let attribute = attribute.map_err(unreadable)?;
        if attribute.key.local_name().as_ref() == name {
            let value = attribute.normalized_value(XmlVersion::Implicit1_0).map_err(unreadable)?;
            return Ok(Some(value.into_owned()));
        }
    }
    Ok(None)
}

fn resolve(reference: &BytesRef<'_>) -> Option<String> {
    if reference.is_char_ref() {
        return reference.resolve_char_ref().ok()?.map(String::from);
    }
    resolve_predefined_entity(&reference.xml10_content()).map(str::to_owned)
}

const CODE_LENGTH: usize = "_x000D_".len();

/// The character that the format writes as `_x000D_`.
fn escaped(text: &str) -> Option<char> {
    let code = text.get(..CODE_LENGTH)?.strip_prefix("_x")?.strip_suffix('_')?;
    char::from_u32(u32::from_str_radix(code, 16).ok()?)
}

fn unescape(text: &str) -> String {
    let (mut plain, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(start) = rest.find("_x") {
        plain.push_str(&rest[..start]);
        rest = &rest[start..];
        let (character, length) = escaped(rest).map_or(('_', 1), |character| (character, CODE_LENGTH));
        plain.push(character);
        rest = &rest[length..];
    }
    plain + rest
}

/// The text of a cell as markup.
fn escape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for (place, character) in text.char_indices() {
        match character {
            '_' if escaped(&text[place..]).is_some() => plain.push_str("_x005F_"),
            '\t' | '\n' => plain.push(character),
            control if control.is_ascii_control() => plain.push_str(&format!("_x{:04X}_", u32::from(control))),
            character => plain.push(character),
        }
    }
    agio_core::markup::escape(&plain)
}

const TYPES: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/></Types>"#;
const RELATIONS: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>"#;
const WORKBOOK: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>"#;
const WORKBOOK_RELATIONS: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>"#;
/// Style 1 is text: what is typed into such a cell stays as it is typed.
const STYLES: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="2"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>"#;
/// The header stays in view.
const SHEET: (&str, &str) = (
    r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols><col min="1" max="64" width="18" style="1" customWidth="1"/></cols><sheetData>"#,
    r#"</sheetData><ignoredErrors><ignoredError sqref="A1:BL20000" numberStoredAsText="1"/></ignoredErrors></worksheet>"#,
);

/// A file with one sheet whose cells are texts. The first line is the header.
///
/// # Errors
/// 422 `cell_too_long` if no spreadsheet can hold a text.
pub(super) fn write(lines: &[Vec<String>]) -> Result<Vec<u8>> {
    let mut sheet = SHEET.0.to_owned();
    for (place, cells) in lines.iter().enumerate() {
        sheet.push_str("<row>");
        for (column, cell) in cells.iter().enumerate() {
            if cell.chars().count() > CELL_MAX {
                let name = lines.first().and_then(|header| header.get(column)).cloned().unwrap_or_default();
                let long = FieldError::new(name, "cell_too_long").with("line", place + 1).with("max", CELL_MAX);
                return Err(Error::invalid(vec![long]));
            }
            let markup = escape(cell);
            sheet.push_str(&format!("<c t=\"inlineStr\" s=\"1\"><is><t xml:space=\"preserve\">{markup}</t></is></c>"));
        }
        sheet.push_str("</row>");
    }
    sheet.push_str(SHEET.1);
    let parts = [
        ("[Content_Types].xml", TYPES),
        ("_rels/.rels", RELATIONS),
        ("xl/workbook.xml", WORKBOOK),
        ("xl/_rels/workbook.xml.rels", WORKBOOK_RELATIONS),
        ("xl/styles.xml", STYLES),
        ("xl/worksheets/sheet1.xml", &sheet),
    ];
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (path, text) in parts {
        archive.start_file(path, SimpleFileOptions::default()).map_err(Error::internal)?;
        archive.write_all(text.as_bytes()).map_err(Error::internal)?;
    }
    Ok(archive.finish().map_err(Error::internal)?.into_inner())
}

#[cfg(test)]
mod tests;
