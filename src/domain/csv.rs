//! Comma-separated values as [RFC 4180](https://www.rfc-editor.org/rfc/rfc4180) has them, strictly: a
//! quote in the wrong place is not guessed at. A field of nothing is no value, and a field of two
//! quotes is an empty text, so that the two can be told apart when they are read again.

use std::io::{self, Write};

/// Why a text is no record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Broken {
    /// It may go on in the next line.
    #[error("a quote is not closed")]
    Open,
    /// Between the quotes and the next field is something else.
    #[error("there is text after a closing quote")]
    AfterQuote,
    /// A field that has quotes must begin with one.
    #[error("there is a quote inside a field that does not begin with one")]
    Inside,
}

/// What some programs write bare where there is no value: MySQL, and what is built on it.
pub const NULLS: [&str; 2] = ["NULL", "\\N"];

/// The fields of a record, which has no end of line at its end. One without quotes that is among
/// `nulls` is no value, as an empty one is.
///
/// # Errors
/// When a quote is where none may be, or is missing.
pub fn split(record: &str, delimiter: char, nulls: &[&str]) -> Result<Vec<Option<String>>, Broken> {
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
            None => return Err(Broken::AfterQuote),
        }
    }
}

/// The field up to its closing quote, and what comes after that.
fn quoted_field(text: &str) -> Result<(Option<String>, &str), Broken> {
    let mut field = String::new();
    let mut rest = text;
    loop {
        let (part, after) = rest.split_once('"').ok_or(Broken::Open)?;
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
) -> Result<(Option<String>, &'a str), Broken> {
    let (field, after) = text.split_at(text.find(delimiter).unwrap_or(text.len()));
    if field.contains('"') {
        return Err(Broken::Inside);
    }
    let is_value = !field.is_empty() && !nulls.contains(&field);
    Ok((is_value.then(|| field.to_owned()), after))
}

/// Writes one record.
///
/// # Errors
/// When it cannot be written.
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

/// A blank at either end is lost on some programs where it stands bare, and a text that some write for
/// no value is one only between quotes.
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
    fn nothing_and_an_empty_text_are_two_things() {
        assert_eq!(
            split("a,,\"\",b", ',', &[]),
            Ok(vec![Some("a".into()), None, Some(String::new()), Some("b".into())])
        );
        assert_eq!(split("", ',', &[]), Ok(vec![None]));
        assert_eq!(split(",", ',', &[]), Ok(vec![None, None]));
    }

    #[test]
    fn quotes_hold_delimiters_lines_and_quotes() {
        assert_eq!(split("\"a,b\";\"c\"\"d\ne\"", ';', &[]), Ok(some(&["a,b", "c\"d\ne"])));
        assert_eq!(split("a\tb", '\t', &[]), Ok(some(&["a", "b"])));
    }

    #[test]
    fn a_quote_in_the_wrong_place_is_not_guessed_at() {
        assert_eq!(split("a,\"b", ',', &[]), Err(Broken::Open));
        assert_eq!(split("a,\"b\"\"", ',', &[]), Err(Broken::Open));
        assert_eq!(split("\"a\"b,c", ',', &[]), Err(Broken::AfterQuote));
        assert_eq!(split("a\"b\",c", ',', &[]), Err(Broken::Inside));
    }

    #[test]
    fn a_bare_null_is_no_value_where_that_is_meant() {
        let text = "NULL,\"NULL\",\\N,null";
        assert_eq!(split(text, ',', &[]), Ok(some(&["NULL", "NULL", "\\N", "null"])));
        let (quoted, small) = (Some("NULL".into()), Some("null".into()));
        assert_eq!(split(text, ',', &NULLS), Ok(vec![None, quoted, None, small]));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
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
