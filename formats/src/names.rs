//! Names of columns and fields.

/// Maximum number of characters of a text of the file in a message.
const MAX_SHOWN: usize = 64;

/// Returns the beginning of a text for a message, with control characters escaped.
pub(crate) fn shown(text: &str) -> String {
    let (start, rest) = match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => (&text[..end], "…"),
        None => (text, ""),
    };
    format!("{}{rest}", start.escape_debug())
}

/// Returns the form in which names are compared: in lower case, without spaces, dashes and
/// underscores.
pub(crate) fn plain_name(name: &str) -> Box<str> {
    let letters = name.trim().chars().filter(|letter| !matches!(letter, ' ' | '-' | '_'));
    letters.flat_map(char::to_lowercase).collect::<String>().into()
}
