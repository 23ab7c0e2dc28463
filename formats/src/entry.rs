//! Records of a JSON file.

use serde_json::{Map, Value};

use crate::location::RowLocation;

pub(crate) const NOT_UTF8: &str = "it is not UTF-8";
/// Reason to refuse a file whose header, or each of whose first records, is not UTF-8.
pub(crate) const OTHER_ENCODING: &str =
    "it is not UTF-8; --encoding names its encoding, such as windows-1252";
/// Reason to reject a row of a rejects file if the user has not replaced its unreadable bytes.
pub(crate) const WAS_NOT_UTF8: &str =
    "it was not UTF-8, and has \u{fffd} in place of what could not be read";
pub(crate) const TOO_LONG: &str = "it is longer than 16 MiB";
pub(crate) const NOT_AN_OBJECT: &str = "it is not a JSON object";

/// A record of a JSON file, or the text of something else and the reason why it is none.
pub(crate) struct Entry {
    pub(crate) location: RowLocation,
    pub(crate) origin: Option<RowLocation>,
    pub(crate) content: Result<Map<String, Value>, String>,
    pub(crate) text: String,
}

pub(crate) fn broken(location: RowLocation, reason: &str, bytes: &[u8]) -> Entry {
    let text = String::from_utf8_lossy(bytes).into_owned();
    Entry { location, origin: Some(location), content: Err(reason.to_owned()), text }
}

/// Returns why a text is not JSON. The reason omits serde_json's line number, which is that in the
/// record.
pub(crate) fn not_json(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let what = message.split(" at line ").next().unwrap_or_default();
    if error.is_data() {
        return what.to_owned();
    }
    let hint = if error.is_eof() { "; the line or file ends within the link" } else { "" };
    format!("it is not JSON: {what} at column {}{hint}", error.column())
}
