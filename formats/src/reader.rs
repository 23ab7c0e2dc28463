//! Reads the rows of a file: CSV with a header line, or JSON.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::{self, BufRead};
use std::sync::Arc;

use crate::builder;
use crate::detect::{Encoding, FileKind, NamesKind, ReadOptions, mismatch_message};
use crate::document::{Document, Expected};
use crate::link::FileLink;
use crate::pages::KnownPart;
use crate::record::{
    Entry, Layout, NOT_UTF8, OTHER_ENCODING, RawContent, Record, Row, field_names,
};
use crate::role::Role;
use crate::services::Source;
use crate::table::Table;
use crate::text::{DecodedText, FormatError, Lines};
use crate::values::is_null;

/// Maximum number of records in which the reader looks for one that shows the service. The first
/// ones may be broken.
const MAX_AHEAD: usize = 100;
/// Maximum number of rows that show which words mean a missing text, and of their bytes.
const MAX_SAMPLE: usize = 1_000;
const MAX_SAMPLE_BYTES: u64 = 1 << 20;
/// Maximum number of names of ignored fields that are counted.
const MAX_NAMES: usize = 100;

/// Reader of the rows of a file.
pub struct LinkReader {
    parser: Parser,
    source: Option<Source>,
    options: ReadOptions,
    /// Rows that were read to detect the format.
    ahead: VecDeque<Row>,
    nulls: NullWords,
    notices: FileNotices,
}

enum Parser {
    Csv(Box<(Table, Lines)>),
    Json {
        document: Box<Document>,
        /// Entries that were read to detect the service.
        ahead: VecDeque<Entry>,
        layout: Option<Arc<Layout>>,
    },
}

/// What a file has beyond links that the import reads.
#[derive(Debug, Clone, Default)]
pub struct FileNotices {
    /// What the file has, if it is not all.
    pub partial: Option<KnownPart>,
    /// Names of the columns or fields that were ignored, with the number of their values.
    pub ignored: BTreeMap<String, u64>,
    /// Names of lists that were not read because the page has another one before them.
    pub skipped_lists: Vec<String>,
    /// Names of those of them that seem to have clicks or titles.
    pub overlooked: BTreeSet<String>,
    /// Number of records of other domains than the chosen one.
    pub other_domains: u64,
    /// Names of these domains, with the numbers of their records. `None` is the default domain.
    pub names_of_others: BTreeMap<Option<String>, u64>,
    /// Number of rows that are not UTF-8.
    pub not_utf8: u64,
    /// Names of the columns of texts that have a word such as `null` for a missing one, with the
    /// number of these words.
    pub nulls: BTreeMap<String, u64>,
}

impl LinkReader {
    /// Reads the beginning of a file, and detects what the options do not specify.
    ///
    /// # Errors
    /// [`FormatError`]
    pub fn new(input: Box<dyn BufRead + Send>, options: ReadOptions) -> Result<Self, FormatError> {
        let mut text = DecodedText::new(input, options.encoding.as_deref())?;
        let mut line = 1;
        let first = loop {
            let bytes = text.fill_buf()?;
            if bytes.is_empty() {
                return Err(FormatError::File("it is empty".to_owned()));
            }
            let found = bytes.iter().position(|byte| !byte.is_ascii_whitespace());
            let blank = &bytes[..found.unwrap_or(bytes.len())];
            // Blanks before a header belong to it.
            let lines = blank.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
            let first = found.map(|index| bytes[index]);
            let used = if first.is_some() { lines } else { blank.len() };
            line += blank.iter().filter(|byte| **byte == b'\n').count() as u64;
            text.consume(used);
            if let Some(first) = first {
                break first;
            }
        };
        let is_json = matches!(first, b'{' | b'[');
        let wrong_encoding = |what| {
            let reason = format!("it is {what}, which does not match the given format");
            Err(FormatError::File(format!("line {line}: {reason}")))
        };
        match (options.hint.encoding, is_json) {
            (Some(Encoding::Csv), true) => return wrong_encoding("JSON"),
            (Some(Encoding::Json), false) => return wrong_encoding("not JSON"),
            _ => {}
        }
        let (parser, source) = if is_json {
            Self::open_json(text, line, &options)?
        } else {
            let mut lines = Lines::new(text, line);
            let Some(first) = lines.next()? else {
                return Err(FormatError::File("it is empty".to_owned()));
            };
            let table = Table::new(first, &mut lines, &options)?;
            let source = table.source;
            (Parser::Csv(Box::new((table, lines))), Some(source))
        };
        let (ahead, notices) = (VecDeque::new(), FileNotices::default());
        let nulls = NullWords::default();
        let mut reader = Self { parser, source, options, ahead, nulls, notices };
        reader.check_first_row()?;
        reader.find_nulls()?;
        Ok(reader)
    }

    fn open_json(
        text: DecodedText,
        line: u64,
        options: &ReadOptions,
    ) -> Result<(Parser, Option<Source>), FormatError> {
        let has_code_column = options.code_column.is_some();
        let hint = options.hint.source;
        let mut document = Document::new(text, line, Expected::new(hint, has_code_column))?;
        let (mut source, mut ahead) = (None, VecDeque::new());
        let (mut first_fault, mut names) = (None, None);
        while source.is_none() && ahead.len() < MAX_AHEAD {
            let Some(entry) = document.next()? else { break };
            match &entry.content {
                Ok(object) => {
                    let found = field_names(object);
                    source = Source::of_names(&found, hint, has_code_column);
                    names = names.or(Some(found));
                }
                Err(reason) if ahead.is_empty() => first_fault = Some(reason.clone()),
                Err(_) => {}
            }
            ahead.push_back(entry);
        }
        // A file without any object cannot contradict the hint.
        if source.is_none() && ahead.is_empty() {
            source = hint;
        } else if source.is_none() {
            let reason = match first_fault.as_deref() {
                Some(NOT_UTF8) => Some(OTHER_ENCODING.to_owned()),
                Some(_) | None => first_fault,
            };
            let reason = reason.unwrap_or_else(|| {
                mismatch_message(hint, NamesKind::Fields, &names.unwrap_or_default())
            });
            let line = ahead.front().map_or(line, |entry| entry.location.line);
            return Err(FormatError::File(format!("line {line}: {reason}")));
        }
        if let Some(source) = source {
            document.expect(source);
        }
        let document = Box::new(document);
        Ok((Parser::Json { document, ahead, layout: None }, source))
    }

    /// Refuses a file whose first row has a column that may restrict links or hold their codes.
    fn check_first_row(&mut self) -> Result<(), FormatError> {
        let Some(row) = self.read_row()? else { return Ok(()) };
        if let RawContent::Record { record, .. } = &row.content
            && let Some(source) = self.source
            && let Ok(links) = builder::links(record, source, &self.options)
        {
            let chosen = links.iter().filter(|link| !link.is_of_other_domain);
            let mut faults: Vec<&str> = Vec::new();
            for fault in chosen.flat_map(|link| &link.faults) {
                if fault.contains("--code-column") && !faults.contains(&fault.as_str()) {
                    faults.push(fault);
                }
            }
            if !faults.is_empty() {
                return Err(FormatError::File(faults.join("; ")));
            }
        }
        self.ahead.push_back(row);
        Ok(())
    }

    /// Reads the first rows of a file with texts, and finds which words mean a missing one.
    fn find_nulls(&mut self) -> io::Result<()> {
        let Parser::Csv(csv) = &self.parser else { return Ok(()) };
        if self.source == Some(Source::Terse)
            || !csv.0.layout.fields.iter().any(|field| field.role.is_text())
        {
            return Ok(());
        }
        let start = self.bytes_read();
        while self.ahead.len() < MAX_SAMPLE && self.bytes_read() - start < MAX_SAMPLE_BYTES {
            let Some(row) = self.read_row()? else { break };
            self.ahead.push_back(row);
        }
        self.nulls = NullWords::find(&self.ahead);
        Ok(())
    }

    /// Returns the number of bytes read so far.
    pub fn bytes_read(&self) -> u64 {
        match &self.parser {
            Parser::Csv(csv) => csv.1.input().bytes_read(),
            Parser::Json { document, .. } => document.bytes_read(),
        }
    }

    /// Returns the kind of the file.
    pub fn kind(&self) -> FileKind<'_> {
        let columns = match &self.parser {
            Parser::Csv(csv) => Some(csv.0.columns.as_slice()),
            Parser::Json { .. } => None,
        };
        FileKind { source: self.source, columns }
    }

    /// Returns whether links of the file may have several domains.
    pub fn may_have_domains(&self) -> bool {
        let has = |layout: &Layout| {
            [Role::Domain, Role::DomainId, Role::ShortUrl].iter().any(|role| layout.has(*role))
        };
        match &self.parser {
            Parser::Csv(csv) => has(&csv.0.layout),
            // Records of a JSON file may have different fields.
            Parser::Json { .. } => {
                let is_others = self.source.is_some_and(|source| source != Source::Terse);
                is_others || self.options.code_column.is_some()
            }
        }
    }

    /// Reads the file to its end, and returns its domains with the numbers of their links. `None`
    /// is the default domain.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn into_domains(mut self) -> io::Result<BTreeMap<Option<String>, u64>> {
        let mut domains = BTreeMap::new();
        while let Some(row) = self.next()? {
            let links = self.links(&row).unwrap_or_default();
            for link in links.into_iter().filter(|link| link.short_code.is_some()) {
                *domains.entry(link.domain.map(Cow::into_owned)).or_default() += 1;
            }
        }
        Ok(domains)
    }

    /// Returns the next row, or `None` at the end of the file.
    ///
    /// # Errors
    /// If the file cannot be read.
    #[expect(clippy::should_implement_trait, reason = "it may fail")]
    pub fn next(&mut self) -> io::Result<Option<Row>> {
        let mut row = match self.ahead.pop_front() {
            Some(row) => row,
            None => match self.read_row()? {
                Some(row) => row,
                None => return Ok(None),
            },
        };
        if let RawContent::Record { record, .. } = &mut row.content {
            self.nulls.remove(record, &mut self.notices.nulls);
        }
        match &row.content {
            RawContent::Record { record, .. } => {
                let links = self.options.domain.as_ref().and_then(|_| self.links(&row).ok());
                let others = links.filter(|links| links.iter().all(|link| link.is_of_other_domain));
                match others.as_deref() {
                    Some([link, ..]) => {
                        let name = link.domain.as_deref().map(str::to_owned);
                        self.notices.note_other_domain(name);
                    }
                    Some([]) | None => self.notices.count_ignored(record),
                }
            }
            RawContent::Broken { reason, .. } => {
                self.notices.not_utf8 += u64::from(reason == NOT_UTF8);
            }
        }
        Ok(Some(row))
    }

    /// Returns the links in a row of this file: one for each code.
    ///
    /// # Errors
    /// If the row is not a record, or two of its fields have the same name. Errors of single fields
    /// are in [`FileLink::faults`].
    pub fn links<'a>(&self, row: &'a Row) -> Result<Vec<FileLink<'a>>, String> {
        match &row.content {
            RawContent::Record { record, .. } => {
                builder::links(record, self.source.unwrap_or(Source::Terse), &self.options)
            }
            RawContent::Broken { reason, .. } => Err(reason.clone()),
        }
    }

    /// Returns what the file has beyond links, as far as it was read.
    pub fn notices(&self) -> FileNotices {
        let mut notices = self.notices.clone();
        if let Parser::Json { document, .. } = &self.parser {
            notices.partial = document.pages.partial();
            notices.skipped_lists.clone_from(&document.skipped);
        }
        notices
    }

    fn read_row(&mut self) -> io::Result<Option<Row>> {
        match &mut self.parser {
            Parser::Csv(csv) => {
                let (table, lines) = &mut **csv;
                while let Some(line) = lines.next()? {
                    if line.is_blank() {
                        continue;
                    }
                    if let Some(row) = table.record(line, lines)? {
                        return Ok(Some(row));
                    }
                }
                Ok(None)
            }
            Parser::Json { document, ahead, layout } => {
                let entry = match ahead.pop_front() {
                    Some(entry) => Some(entry),
                    None => document.next()?,
                };
                let Some(Entry { location, origin, content, text }) = entry else {
                    return Ok(None);
                };
                let content = match content {
                    Ok(object) => {
                        let source = self.source.unwrap_or(Source::Terse);
                        let record = Record::from_json(&object, source, &self.options, layout);
                        RawContent::Record { record, text: Some(text) }
                    }
                    Err(reason) => RawContent::Broken { reason, text },
                };
                Ok(Some(Row { location, origin, content }))
            }
        }
    }
}

impl FileNotices {
    fn note_other_domain(&mut self, name: Option<String>) {
        self.other_domains += 1;
        if let Some(count) = self.names_of_others.get_mut(&name) {
            *count += 1;
        } else if self.names_of_others.len() < MAX_NAMES {
            self.names_of_others.insert(name, 1);
        }
    }

    /// Counts the values that the import ignores.
    fn count_ignored(&mut self, record: &Record) {
        let layout = &record.layout;
        for index in &layout.ignored {
            if record.values[*index].as_ref().is_none_or(String::is_empty) {
                continue;
            }
            let name = &layout.fields[*index].name;
            if let Some(count) = self.ignored.get_mut(name) {
                *count += 1;
            } else if self.ignored.len() < MAX_NAMES {
                self.ignored.insert(name.clone(), 1);
                if layout.overlooked.contains(index) {
                    self.overlooked.insert(name.clone());
                }
            }
        }
    }
}

/// The columns of texts in which a word means a missing text, by their indexes.
///
/// In other columns, such as those of times, the word can only mean that. A title may be `None`, so a
/// column shows the meaning if it has the word again and again, and is never empty.
#[derive(Debug, Default)]
struct NullWords(Vec<(usize, String)>);

impl NullWords {
    /// Finds the words in the first rows of a file.
    fn find(rows: &VecDeque<Row>) -> Self {
        let records: Vec<&Record> = rows
            .iter()
            .filter_map(|row| match &row.content {
                RawContent::Record { record, .. } => Some(record),
                RawContent::Broken { .. } => None,
            })
            .collect();
        let Some(first) = records.first() else { return Self::default() };
        let fields = first.layout.fields.iter().enumerate();
        let texts = fields.filter(|(_, field)| field.role.is_text());
        let words = texts.filter_map(|(index, _)| {
            let values = || records.iter().map(|record| record.values[index].as_deref());
            let word = values().flatten().find(|value| is_null(value))?;
            let count = values().filter(|value| *value == Some(word)).count();
            let has_empty = values().any(|value| value.is_none_or(str::is_empty));
            let is_shown = !has_empty && (count > 1 || count == records.len());
            is_shown.then(|| (index, word.to_owned()))
        });
        Self(words.collect())
    }

    /// Removes the words from a record, and counts them by the names of their columns.
    fn remove(&self, record: &mut Record, counts: &mut BTreeMap<String, u64>) {
        for (index, word) in &self.0 {
            if record.values[*index].as_ref() == Some(word) {
                record.values[*index] = None;
                *counts.entry(record.layout.fields[*index].name.clone()).or_default() += 1;
            }
        }
    }
}
