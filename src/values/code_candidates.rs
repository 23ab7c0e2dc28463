//! Codes that a path may mean, with what people type and what programs add when they paste.

use icu_properties::CodePointSetData;
use icu_properties::props::{QuotationMark, TerminalPunctuation};
use unicode_normalization::UnicodeNormalization as _;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory as _};

use super::ShortCode;
use super::visible::{is_invisible, is_tag, visible, with_emoji_presentation};

/// Maximum number of candidates of a path.
pub const MAX_CANDIDATES: usize = 16;

/// Returns the codes that a decoded path may mean, most likely first: the path itself; the path
/// without the decorations at its beginning and end, of which each candidate has one less than the
/// one before; and each of these without invisible characters, with inner dashes as `-`, and with its
/// emoji in colours or without.
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
        if rest.len() <= MAX_BYTES {
            add(rest);
        }
        if rest.len() <= MAX_BYTES && !rest.is_ascii() {
            let seen = visible(rest);
            add(&seen);
            let plain = visible(&rest.replace(VARIATIONS, "")).into_owned();
            add(&plain);
            add(&with_hyphens(&plain));
            // A soft hyphen is invisible, or stands for a hyphen.
            let hard = rest.trim_end_matches('\u{ad}').replace('\u{ad}', "\u{2010}");
            add(&with_hyphens(&visible(&hard).replace(VARIATIONS, "")));
            with_emoji_presentation(&seen).iter().for_each(|text| add(text));
        }
        match without_decoration(rest) {
            Some(shorter) => rest = shorter,
            None => return found,
        }
    }
}

/// Maximum length in bytes of a text that may be a code with invisible characters.
const MAX_BYTES: usize = 2 * 4 * ShortCode::MAX_LENGTH;
/// Presentations of an emoji as text and in colours, which keyboards add.
const VARIATIONS: [char; 2] = ['\u{fe0e}', '\u{fe0f}'];

/// Returns a text with `-` in the place of dashes that are not at its end.
fn with_hyphens(text: &str) -> String {
    let inner = text.trim_end_matches(is_dash);
    inner.replace(is_dash, "-") + &text[inner.len()..]
}

/// Returns whether programs put the character in the place of `-`: a dash, or one that looks like it
/// (<https://www.unicode.org/Public/security/latest/confusables.txt>).
fn is_dash(letter: char) -> bool {
    matches!(letter, '\u{ad}' | '˗' | '۔' | '⁃' | '−' | '➖' | 'Ⲻ')
        || !letter.is_ascii() && letter.general_category() == GeneralCategory::DashPunctuation
}

/// Returns whether no code begins or ends with a character.
fn is_blank(letter: char) -> bool {
    letter == '/' || letter.is_whitespace()
}

/// Removes a character, or its percent-encoding, that people or programs add behind a URL. Returns
/// `None` if the text ends with none.
fn without_decoration(text: &str) -> Option<&str> {
    if let Some((letter, length)) = encoded_end(text) {
        return (is_blank(letter) || is_decoration(letter) || is_tag(letter))
            .then(|| &text[..text.len() - length]);
    }
    // A tag that does not belong to a flag is invisible.
    text.strip_suffix(|letter| {
        is_decoration(letter) || is_tag(letter) && !visible(text).ends_with(letter)
    })
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
        letter => {
            let category = letter.general_category();
            matches!(
                category,
                GeneralCategory::ClosePunctuation
                    | GeneralCategory::FinalPunctuation
                    | GeneralCategory::InitialPunctuation
            ) || CodePointSetData::new::<TerminalPunctuation>().contains(letter)
                || CodePointSetData::new::<QuotationMark>().contains(letter)
                || is_dash(letter)
                || is_invisible(letter) && !is_tag(letter)
                || [letter].into_iter().nfkc().all(|part| part.is_ascii() && is_decoration(part))
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

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
            "。",
            "，",
            "！",
            "？",
            "、",
            "؟",
            "،",
            "।",
            "…",
            "‥",
            "）",
            "」",
            "＂",
            "‐",
            "−",
            "\u{ad}",
            "\u{2800}",
            "\u{3164}",
            "%E3%80%82",
            "%E2%80%A6”）。",
            "!!!",
        ] {
            assert_eq!(last(&format!("abc{end}")), "abc", "{end:?}");
        }
        assert_eq!(candidates("\u{200e}a\u{ad}b\u{200b}c")[1..], ["abc", "a-bc"]);
        assert_eq!(candidates("a\u{200d}b"), ["a\u{200d}b", "ab"]);
        assert_eq!(last("u\u{308}."), "ü");
        for kept in [
            "abc-",
            "abc~",
            "abc=",
            "abc(",
            "abc<",
            "abc`",
            "abc（",
            "🏴\u{e0067}\u{e007f}",
            "क्\u{200d}ष",
        ] {
            assert_eq!(candidates(kept), [kept]);
        }
    }

    #[test]
    fn dashes_stand_for_hyphens() {
        for dash in "‐‑‒–—―−﹣－﹘⁃˗\u{ad}〜".chars() {
            let found = candidates(&format!("my{dash}code{dash}"));
            assert!(found.contains(&"my-code".to_owned()), "{dash:?}: {found:?}");
        }
    }

    #[test]
    fn emoji_are_found_with_and_without_their_presentation() {
        for (path, code) in [
            ("❤", "❤\u{fe0f}"),
            ("❤\u{fe0f}", "❤"),
            ("❤\u{fe0e}", "❤\u{fe0f}"),
            ("🏳\u{200d}🌈", "🏳\u{fe0f}\u{200d}🌈"),
        ] {
            assert!(candidates(path).contains(&code.to_owned()), "{path:?}");
        }
    }

    proptest! {
        /// What a person sees of an imported code leads to it.
        #[test]
        fn imported_code_is_found_by_what_is_seen(
            text in "[ab.❤👩🚀यیخ्。 \u{fe0f}\u{200c}\u{200d}\u{200b}\u{ad}\u{2800}]{1,12}",
            hidden in "[\u{200b}\u{2060}\u{feff}\u{3164}]{0,2}",
        ) {
            if let Ok(code) = ShortCode::parse_imported(&text) {
                for path in [text.clone(), format!("{hidden}{code}{hidden}"), format!("{code}。")] {
                    prop_assert!(code_candidates(&path, |_| true).contains(&code), "{:?}", path);
                }
            }
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
