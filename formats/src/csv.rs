//! Comma-separated values by [RFC 4180](https://www.rfc-editor.org/rfc/rfc4180). A quote in the
//! wrong place is an error. An empty field means a missing value, and a field `""` an empty text.

use std::io::{self, Write};

use crate::steps;

/// Error of a text that is not a CSV record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CsvError {
    /// A quoted field has no closing quote. The field may continue on the next line.
    #[error("a quote is not closed")]
    UnclosedQuote,
    /// A closing quote is followed by something other than a delimiter.
    #[error("there is text after a closing quote")]
    TextAfterQuote,
    /// A field that does not begin with a quote contains one.
    #[error("there is a quote inside a field that does not begin with one")]
    QuoteInField,
}

/// Unquoted texts that MySQL and its tools write for a missing value.
pub const NULLS: [&str; 2] = ["NULL", "\\N"];

/// How a file writes its records.
#[derive(Debug, Clone, Copy)]
pub struct Dialect<'a> {
    /// Separator of fields.
    pub delimiter: char,
    /// Whether quotes enclose fields. If not, they are literal.
    pub has_quotes: bool,
    /// Whether a backslash in a quoted field escapes the next character, as MySQL writes them,
    /// rather than being literal.
    pub has_backslashes: bool,
    /// Unquoted texts that mean a missing value.
    pub nulls: &'a [&'a str],
    /// Whether each column always has a value, so that `nulls` are texts there.
    pub is_text: &'a [bool],
}

impl Dialect<'_> {
    /// RFC 4180.
    pub const COMMA: Self =
        Self { delimiter: ',', has_quotes: true, has_backslashes: false, nulls: &[], is_text: &[] };

    /// Splits a record, without its line end, into fields. An unquoted field becomes `None` if it
    /// is empty or one of `nulls`. It removes blanks around a field.
    ///
    /// # Errors
    /// If a quote is missing or in the wrong place.
    pub fn split(&self, record: &str) -> Result<Vec<Option<String>>, CsvError> {
        let mut fields = Vec::with_capacity(self.is_text.len());
        let mut rest = record;
        steps::count(record.len());
        loop {
            let quoted = rest.trim_start_matches(' ').strip_prefix('"');
            let (field, after) = match quoted.filter(|_| self.has_quotes) {
                Some(quoted) => self.quoted_field(quoted)?,
                None => self.plain_field(rest, fields.len())?,
            };
            fields.push(field);
            match after.strip_prefix(self.delimiter) {
                Some(next) => rest = next,
                None if after.is_empty() => return Ok(fields),
                None => return Err(CsvError::TextAfterQuote),
            }
        }
    }

    /// Returns the text of a quoted field, and the rest of the record. `text` begins after the
    /// opening quote.
    fn quoted_field<'a>(&self, text: &'a str) -> Result<(Option<String>, &'a str), CsvError> {
        let mut field = String::new();
        let mut rest = text;
        loop {
            let end = if self.has_backslashes { rest.find(['"', '\\']) } else { rest.find('"') };
            let end = end.ok_or(CsvError::UnclosedQuote)?;
            field.push_str(&rest[..end]);
            let is_quote = rest[end..].starts_with('"');
            rest = &rest[end + 1..];
            match rest.chars().next() {
                Some('"') if is_quote => {
                    field.push('"');
                    rest = &rest[1..];
                }
                _ if is_quote => return Ok((Some(field), rest.trim_start_matches(' '))),
                Some(escaped) => {
                    field.push(unescaped(escaped));
                    rest = &rest[escaped.len_utf8()..];
                }
                None => return Err(CsvError::UnclosedQuote),
            }
        }
    }

    fn plain_field<'a>(
        &self,
        text: &'a str,
        index: usize,
    ) -> Result<(Option<String>, &'a str), CsvError> {
        let (field, after) = text.split_at(text.find(self.delimiter).unwrap_or(text.len()));
        // Trimming is slow, and few fields need it.
        let has_blanks = field.starts_with(' ') || field.ends_with(' ');
        let field = if has_blanks { field.trim_matches(' ') } else { field };
        if self.has_quotes && field.contains('"') {
            return Err(CsvError::QuoteInField);
        }
        let is_null = || self.nulls.contains(&field) && self.is_text.get(index) != Some(&true);
        let is_value = !field.is_empty() && !is_null();
        Ok((is_value.then(|| field.to_owned()), after))
    }
}

/// Replaces the escape sequences of `mysql --batch`.
pub fn unescape(text: &str) -> String {
    let mut unescaped_text = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        let is_escape = letter == '\\';
        let next = if is_escape { letters.next().map(unescaped) } else { None };
        unescaped_text.push(next.unwrap_or(letter));
    }
    unescaped_text
}

/// Returns the character that MySQL writes as a backslash and `letter`.
const fn unescaped(letter: char) -> char {
    match letter {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        '0' => '\0',
        other => other,
    }
}

/// Writes one record.
///
/// # Errors
/// If it cannot be written.
pub fn write<'a>(
    to: &mut impl Write,
    fields: impl IntoIterator<Item = Option<&'a str>>,
) -> io::Result<()> {
    for (number, field) in fields.into_iter().enumerate() {
        if number > 0 {
            to.write_all(b",")?;
        }
        match field {
            None => {}
            Some(text) if needs_quotes(text) => {
                write!(to, "\"{}\"", text.replace('"', "\"\""))?;
            }
            Some(text) => to.write_all(text.as_bytes())?,
        }
    }
    to.write_all(b"\n")
}

/// Returns whether a field must be quoted. Some programs strip spaces from unquoted fields, and
/// imports read unquoted [`NULLS`] as missing values.
fn needs_quotes(text: &str) -> bool {
    text.is_empty()
        || text.starts_with(' ')
        || text.ends_with(' ')
        || NULLS.contains(&text)
        || text.contains([',', '"', '\r', '\n'])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn some(texts: &[&str]) -> Vec<Option<String>> {
        texts.iter().map(|text| Some((*text).to_owned())).collect()
    }

    fn split(text: &str) -> Result<Vec<Option<String>>, CsvError> {
        Dialect::COMMA.split(text)
    }

    #[test]
    fn empty_text_differs_from_missing_value() {
        assert_eq!(
            split("a,,\"\",b"),
            Ok(vec![Some("a".into()), None, Some(String::new()), Some("b".into())])
        );
        assert_eq!(split(""), Ok(vec![None]));
        assert_eq!(split(","), Ok(vec![None, None]));
    }

    #[test]
    fn quoted_field_contains_delimiters_lines_and_quotes() {
        let semicolon = Dialect { delimiter: ';', ..Dialect::COMMA };
        assert_eq!(semicolon.split("\"a,b\";\"c\"\"d\ne\""), Ok(some(&["a,b", "c\"d\ne"])));
    }

    #[test]
    fn blanks_around_fields_are_removed() {
        assert_eq!(split("a, b , \" c\" ,d"), Ok(some(&["a", "b", " c", "d"])));
    }

    #[test]
    fn quotes_are_literal_in_a_file_without_them() {
        let tab = Dialect { delimiter: '\t', has_quotes: false, ..Dialect::COMMA };
        assert_eq!(tab.split("\"a\tb\"\t\"c\""), Ok(some(&["\"a", "b\"", "\"c\""])));
    }

    #[test]
    fn backslashes_escape_in_the_dialect_of_mysql() {
        let mysql = Dialect { has_backslashes: true, ..Dialect::COMMA };
        let text = "\"27\\\"\",\"C:\\\\new\",\"a\\\nb\\n\"";
        assert_eq!(mysql.split(text), Ok(some(&["27\"", "C:\\new", "a\nb\n"])));
        assert_eq!(split("\"ends in \\\",b"), Ok(some(&["ends in \\", "b"])));
        assert_eq!(unescape("a\\tb\\\\n\\"), "a\tb\\n\\");
    }

    #[test]
    fn split_fails_with_a_misplaced_quote() {
        assert_eq!(split("a,\"b"), Err(CsvError::UnclosedQuote));
        assert_eq!(split("a,\"b\"\""), Err(CsvError::UnclosedQuote));
        assert_eq!(split("\"a\"b,c"), Err(CsvError::TextAfterQuote));
        assert_eq!(split("a\"b\",c"), Err(CsvError::QuoteInField));
    }

    #[test]
    fn bare_null_is_a_missing_value_if_nulls_has_it() {
        let text = "NULL,\"NULL\",\\N,null";
        assert_eq!(split(text), Ok(some(&["NULL", "NULL", "\\N", "null"])));
        let mysql = Dialect { nulls: &NULLS, is_text: &[true], ..Dialect::COMMA };
        let [null, small] = ["NULL", "null"].map(|text| Some(text.to_owned()));
        assert_eq!(mysql.split(text), Ok(vec![null.clone(), null, None, small]));
    }

    proptest! {
        #[test]
        fn written_record_is_read_back(
            fields in proptest::collection::vec(
                proptest::option::of("[a ,\";\\r\\n\\\\é\"]{0,6}|NULL|\\\\N"), 1..6),
            nulls in proptest::sample::select(vec![vec![], NULLS.to_vec()]),
        ) {
            let mut written = Vec::new();
            write(&mut written, fields.iter().map(Option::as_deref)).unwrap();
            let text = String::from_utf8(written).unwrap();
            let dialect = Dialect { nulls: &nulls, ..Dialect::COMMA };
            prop_assert_eq!(dialect.split(text.strip_suffix('\n').unwrap()), Ok(fields));
        }
    }
}
