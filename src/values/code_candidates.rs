//! Codes that a path may mean, with what people type and what programs add when they paste.

use unicode_properties::{GeneralCategory, UnicodeGeneralCategory as _};

use super::ShortCode;

/// Maximum number of candidates of a path.
pub const MAX_CANDIDATES: usize = 16;

/// Returns the codes that a decoded path may mean, most likely first: the path itself; the path
/// without the decorations at its beginning and end, of which each candidate has one less than the
/// one before; and each of these with inner dashes as `-` and without inner invisible characters.
///
/// If there are more than [`MAX_CANDIDATES`], it leaves out the shortest, so that a candidate never
/// takes the place of a longer one.
pub fn code_candidates(path: &str, is_possible: impl Fn(&ShortCode) -> bool) -> Vec<ShortCode> {
    let mut found: Vec<ShortCode> = Vec::with_capacity(1);
    let mut add = |text: &str| {
        if found.len() < MAX_CANDIDATES
            && let Ok(code) = ShortCode::parse(text)
            && is_possible(&code)
            && !found.contains(&code)
        {
            found.push(code);
        }
    };
    add(path);
    let mut rest = path.trim_start_matches(is_blank);
    loop {
        rest = rest.trim_end_matches(is_blank);
        add(rest);
        if !rest.is_ascii() {
            let visible = rest.replace(is_invisible_within, "");
            add(&visible);
            let inner = visible.trim_end_matches(DASHES);
            add(&(inner.replace(DASHES, "-") + &visible[inner.len()..]));
        }
        match without_decoration(rest) {
            Some(shorter) => rest = shorter,
            None => return found,
        }
    }
}

/// Dashes that programs put in the place of `-`.
const DASHES: [char; 2] = ['–', '—'];

/// Returns whether no code begins or ends with a character.
fn is_blank(letter: char) -> bool {
    letter == '/' || letter.is_whitespace()
}

/// Removes a character, or its percent-encoding, that people or programs add behind a URL. Returns
/// `None` if the text ends with none.
fn without_decoration(text: &str) -> Option<&str> {
    if let Some((letter, length)) = encoded_end(text) {
        return (is_blank(letter) || is_decoration(letter)).then(|| &text[..text.len() - length]);
    }
    text.strip_suffix(is_decoration)
}

/// Returns the percent-encoded character at the end of a text, and the length of its encoding.
fn encoded_end(text: &str) -> Option<(char, usize)> {
    (1..=4).find_map(|bytes| {
        let length = 3 * bytes;
        let encoding = text.get(text.len().checked_sub(length)?..)?;
        let is_encoded =
            |part: &[u8]| part[0] == b'%' && part[1..].iter().all(u8::is_ascii_hexdigit);
        if !encoding.as_bytes().chunks(3).all(is_encoded) {
            return None;
        }
        let decoded = percent_encoding::percent_decode_str(encoding).decode_utf8().ok()?;
        let mut letters = decoded.chars();
        letters.next().filter(|_| letters.next().is_none()).map(|letter| (letter, length))
    })
}

fn is_decoration(letter: char) -> bool {
    match letter {
        '.' | ',' | ';' | ':' | '!' | '?' | ')' | ']' | '}' | '>' | '"' | '\'' | '*' | '_' => true,
        letter if letter.is_ascii() => false,
        '–' | '—' => true,
        letter => is_quote(letter) || is_invisible(letter),
    }
}

/// Returns whether a character is a quotation mark
/// (<https://www.unicode.org/Public/UCD/latest/ucd/PropList.txt>, `Quotation_Mark`).
fn is_quote(letter: char) -> bool {
    matches!(
        letter,
        '«' | '»' | '‘'..='‟' | '‹' | '›' | '⹂' | '「'..='』' | '〝'..='〟' | '﹁'..='﹄' | '＂'
            | '＇' | '｢' | '｣'
    )
}

/// Returns whether a character is invisible: a format character, or a variation selector, which
/// keyboards add to emoji. Tags are not, because the flag of Wales ends with them.
fn is_invisible(letter: char) -> bool {
    let is_format = || letter.general_category() == GeneralCategory::Format;
    matches!(letter, '\u{fe0e}' | '\u{fe0f}')
        || !letter.is_ascii() && !matches!(letter, '\u{e0020}'..='\u{e007f}') && is_format()
}

/// Returns whether a character within a code is invisible. Joiners are not, because they make one
/// emoji of several.
fn is_invisible_within(letter: char) -> bool {
    is_invisible(letter) && !matches!(letter, '\u{200c}' | '\u{200d}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidates(path: &str) -> Vec<String> {
        code_candidates(path, |_| true).into_iter().map(String::from).collect()
    }

    fn last(path: &str) -> String {
        candidates(path).pop().unwrap_or_default()
    }

    #[test]
    fn path_comes_first_and_loses_one_decoration_at_a_time() {
        assert_eq!(candidates("abc"), ["abc"]);
        assert_eq!(candidates("abc-"), ["abc-"]);
        assert_eq!(candidates("abc_."), ["abc_.", "abc_", "abc"]);
        assert_eq!(candidates("a–b."), ["a–b.", "a-b.", "a–b", "a-b"]);
        assert_eq!(candidates("–a–"), ["–a–", "-a–", "–a", "-a"]);
        assert_eq!(candidates("/ a/b /"), ["a/b"]);
        assert_eq!(candidates("..."), ["..."]);
        assert_eq!(candidates("%"), Vec::<String>::new());
    }

    #[test]
    fn decorations_of_people_and_messengers_are_removed() {
        for end in [
            ".",
            ",",
            ";",
            ":",
            "!",
            "?",
            ")",
            "]",
            "}",
            ">",
            "\"",
            "'",
            "*",
            "_",
            "”",
            "’",
            "»",
            "›",
            "“",
            "「",
            "–",
            "—",
            "\u{200b}",
            "\u{feff}",
            "\u{200e}",
            "\u{2060}",
            "\u{fe0f}",
            "\u{a0}",
            " ",
            "/",
            "\n",
            "%2E",
            "%2e",
            "%22",
            "%E2%80%9D",
            "%20",
            "%2F",
            "%E2%80%8B",
            ").",
            "!!!",
        ] {
            assert_eq!(last(&format!("abc{end}")), "abc", "{end:?}");
        }
        assert_eq!(last("\u{200e}a\u{ad}b\u{200b}c"), "abc");
        assert_eq!(last("u\u{308}."), "ü");
        for kept in
            ["abc-", "abc~", "abc=", "abc(", "abc<", "abc`", "🏴\u{e0067}\u{e007f}", "a\u{200d}b"]
        {
            assert_eq!(candidates(kept), [kept]);
        }
    }

    #[test]
    fn many_decorations_leave_out_the_shortest() {
        let path = format!("abc_{}", ".".repeat(40));
        let found = candidates(&path);
        assert_eq!((found.len(), found[0].as_str()), (MAX_CANDIDATES, path.as_str()));
        assert!(!found.contains(&"abc".to_owned()));
        let narrow = code_candidates(&path, ShortCode::is_narrow);
        assert_eq!(narrow.iter().map(ShortCode::as_str).collect::<Vec<_>>(), ["abc_", "abc"]);
    }
}
