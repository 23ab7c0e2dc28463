//! Reasons to reject a row, and what the user can do.

use crate::detect::format_names;
use crate::names::shown;
use crate::record::RecordField;
use crate::role::Role;

/// Returns whether the path of a short URL, or a field that holds a code, names this code. A service
/// may have a path of its own.
pub(crate) fn names_code(raw: &str, code: &str) -> bool {
    let decoded = || percent_encoding::percent_decode_str(raw).decode_utf8();
    let before = raw.strip_suffix(code);
    before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
        || raw.contains('%') && decoded().is_ok_and(|text| text == code)
}

pub(crate) fn other_code(field: &str, code: &str) -> String {
    format!(
        "the column '{}' may hold another code than '{}': --code-column or --ignore-column says \
         what it is",
        shown(field),
        shown(code)
    )
}

pub(crate) fn unclear(field: &RecordField, value: &str) -> String {
    let value: String = value.chars().take(40).collect();
    let (name, value) = (shown(&field.name), value.escape_debug());
    format!(
        "whether '{name}' with '{value}' closes the link is unclear: --ignore-column {name} \
             imports it as open"
    )
}

pub(crate) fn restricted(field: &RecordField, role: Role) -> String {
    let what = role.restriction().unwrap_or("a restriction");
    let name = shown(&field.name);
    format!(
        "the link has {what}, which Terse cannot enforce (--ignore-column '{name}' imports it without)"
    )
}

pub(crate) fn inexact(field: &str) -> String {
    format!(
        "the code in '{}' is a number with a point, an exponent or too many digits, which can be \
         written in several ways; put it in quotes",
        shown(field)
    )
}

pub(crate) fn unnamed(field: &str) -> String {
    format!(
        "the column '{}' may hold the short code: --code-column or --ignore-column says what it is",
        shown(field)
    )
}

/// Words the fault of a link with values in columns that are unknown, of which there is one or more.
pub(crate) fn unknown(names: &[&str]) -> String {
    let what = match names {
        [name] => format!("the column '{}' is unknown", shown(name)),
        _ => format!("the columns {} are unknown", format_names(names.iter().copied())),
    };
    format!(
        "{what} and may restrict the link or hold its code: --ignore-column or --code-column says \
         what it is"
    )
}
