//! Names of columns and fields.

/// Returns the form in which names are compared: in lower case, without spaces, dashes and
/// underscores.
pub(crate) fn plain_name(name: &str) -> Box<str> {
    let letters = name.trim().chars().filter(|letter| !matches!(letter, ' ' | '-' | '_'));
    letters.flat_map(char::to_lowercase).collect::<String>().into()
}
