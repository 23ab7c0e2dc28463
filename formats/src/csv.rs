//! Comma-separated values by [RFC 4180](https://www.rfc-editor.org/rfc/rfc4180). A quote in the
//! wrong place is an error. An empty field means a missing value, and a field `""` an empty text.

use std::io::{self, Write};

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

/// Splits a record, without its line end, into fields. An unquoted field becomes `None` if it is
/// empty or one of `nulls`.
///
/// # Errors
/// If a quote is missing or in the wrong place.
pub fn split(
    record: &str,
    delimiter: char,
    nulls: &[&str],
) -> Result<Vec<Option<String>>, CsvError> {
    let mut fields = Vec::new();
    let mut rest = record;
    loop {
        let (field, after) = match rest.strip_prefix('"') {
            Some(quoted) => quoted_field(quoted)?,
            None => plain_field(rest, delimiter, nulls)?,
        };
        fields.push(field);
        match after.strip_prefix(delimiter) {
            Some(next) => rest = next,
            None if after.is_empty() => return Ok(fields),
            None => return Err(CsvError::TextAfterQuote),
        }
    }
}

/// Returns the text of a quoted field, and the rest of the record. `text` begins after the opening
/// quote.
fn quoted_field(text: &str) -> Result<(Option<String>, &str), CsvError> {
    let mut field = String::new();
    let mut rest = text;
    loop {
        let (part, after) = rest.split_once('"').ok_or(CsvError::UnclosedQuote)?;
        field.push_str(part);
        match after.strip_prefix('"') {
            Some(next) => {
                field.push('"');
                rest = next;
            }
            None => return Ok((Some(field), after)),
        }
    }
}

fn plain_field<'a>(
    text: &'a str,
    delimiter: char,
    nulls: &[&str],
) -> Result<(Option<String>, &'a str), CsvError> {
    let (field, after) = text.split_at(text.find(delimiter).unwrap_or(text.len()));
    if field.contains('"') {
        return Err(CsvError::QuoteInField);
    }
    let is_value = !field.is_empty() && !nulls.contains(&field);
    Ok((is_value.then(|| field.to_owned()), after))
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

    #[test]
    fn empty_text_differs_from_missing_value() {
        assert_eq!(
            split("a,,\"\",b", ',', &[]),
            Ok(vec![Some("a".into()), None, Some(String::new()), Some("b".into())])
        );
        assert_eq!(split("", ',', &[]), Ok(vec![None]));
        assert_eq!(split(",", ',', &[]), Ok(vec![None, None]));
    }

    #[test]
    fn quoted_field_contains_delimiters_lines_and_quotes() {
        assert_eq!(split("\"a,b\";\"c\"\"d\ne\"", ';', &[]), Ok(some(&["a,b", "c\"d\ne"])));
        assert_eq!(split("a\tb", '\t', &[]), Ok(some(&["a", "b"])));
    }

    #[test]
    fn split_fails_with_a_misplaced_quote() {
        assert_eq!(split("a,\"b", ',', &[]), Err(CsvError::UnclosedQuote));
        assert_eq!(split("a,\"b\"\"", ',', &[]), Err(CsvError::UnclosedQuote));
        assert_eq!(split("\"a\"b,c", ',', &[]), Err(CsvError::TextAfterQuote));
        assert_eq!(split("a\"b\",c", ',', &[]), Err(CsvError::QuoteInField));
    }

    #[test]
    fn bare_null_is_a_missing_value_if_nulls_has_it() {
        let text = "NULL,\"NULL\",\\N,null";
        assert_eq!(split(text, ',', &[]), Ok(some(&["NULL", "NULL", "\\N", "null"])));
        let (quoted, small) = (Some("NULL".into()), Some("null".into()));
        assert_eq!(split(text, ',', &NULLS), Ok(vec![None, quoted, None, small]));
    }

    proptest! {
        #[test]
        fn written_record_is_read_back(
            fields in proptest::collection::vec(
                proptest::option::of("[a ,\";\\r\\né\"]{0,6}|NULL|\\\\N"), 1..6),
            nulls in proptest::sample::select(vec![vec![], NULLS.to_vec()]),
        ) {
            let mut written = Vec::new();
            write(&mut written, fields.iter().map(Option::as_deref)).unwrap();
            let text = String::from_utf8(written).unwrap();
            prop_assert_eq!(split(text.strip_suffix('\n').unwrap(), ',', &nulls), Ok(fields));
        }
    }
}
