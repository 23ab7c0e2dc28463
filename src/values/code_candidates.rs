//! Codes that a path may mean, with what people type and what programs add when they paste.

use std::borrow::Cow;
use std::iter;

use icu_properties::CodePointSetData;
use icu_properties::props::{QuotationMark, TerminalPunctuation};
use unicode_normalization::UnicodeNormalization as _;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory as _};

use super::ShortCode;
use super::visible::{
    is_dash, is_invisible, is_tag, visible, with_emoji_presentation, with_hyphens,
    without_invisible,
};

/// Maximum number of candidates of a path.
pub const MAX_CANDIDATES: usize = 16;
/// Maximum length in bytes of a text that may be a code with invisible characters.
const MAX_BYTES: usize = 2 * 4 * ShortCode::MAX_LENGTH;
/// Maximum length in bytes of all texts that a lookup examines, which bounds the work for paths with many
/// decorations: as much as the longest code needs.
const MAX_EXAMINED: usize = MAX_CANDIDATES * 4 * ShortCode::MAX_LENGTH;

/// Returns the codes that a decoded path may mean, most likely first: the path itself; the path
/// without blanks and slashes at its ends; the path without the decorations at its end, of which each
/// candidate has one less than the one before; and the spellings of each of these.
///
/// If there are more than [`MAX_CANDIDATES`], it leaves out the shortest, so that a candidate never
/// takes the place of a longer one.
pub fn code_candidates(path: &str, is_possible: impl Fn(&ShortCode) -> bool) -> Vec<ShortCode> {
    let mut found: Vec<ShortCode> = Vec::with_capacity(1);
    let further = remainders(path).flat_map(|rest| {
        let spellings = if rest.is_ascii() { Vec::new() } else { spellings(rest) };
        iter::once(Cow::Borrowed(rest)).chain(spellings)
    });
    for text in iter::once(Cow::Borrowed(path)).chain(further) {
        if let Ok(code) = ShortCode::parse(&text)
            && is_possible(&code)
            && !found.contains(&code)
        {
            found.push(code);
            if found.len() == MAX_CANDIDATES {
                break;
            }
        }
    }
    found
}

/// Returns a path without blanks and slashes at its ends, and then with one decoration less each time.
fn remainders<'path>(path: &'path str) -> impl Iterator<Item = &'path str> {
    let trimmed = path.trim_start_matches(is_blank).trim_end_matches(is_blank);
    let first = (trimmed.len() <= MAX_BYTES).then_some(trimmed);
    let next = |rest: &&'path str| Some(without_decoration(rest)?.trim_end_matches(is_blank));
    let mut examined = 0;
    iter::successors(first, next).take_while(move |rest| {
        examined += rest.len();
        examined <= MAX_EXAMINED
    })
}

/// Returns the spellings of a text that mean the same code: without invisible characters, or without
/// those that have no meaning; with inner dashes as `-`; and with its emoji in colours or without.
fn spellings(text: &str) -> Vec<Cow<'_, str>> {
    let plain = |text: &str| visible(&text.replace(VARIATIONS, "")).into_owned();
    let seen = plain(text);
    let hyphenated = with_hyphens(&seen);
    let mut plain_ones = vec![seen, hyphenated];
    if text.contains('\u{ad}') {
        // A soft hyphen is invisible, or stands for a hyphen.
        let hard = text.trim_end_matches('\u{ad}').replace('\u{ad}', "\u{2010}");
        plain_ones.push(with_hyphens(&plain(&hard)));
    }
    let mut all = vec![visible(text)];
    for plain in plain_ones {
        let bare = without_invisible(&plain);
        for text in [plain, bare] {
            let presented = with_emoji_presentation(&text);
            all.extend([Some(text), presented].into_iter().flatten().map(Cow::Owned));
        }
    }
    all
}

/// Presentations of an emoji as text and in colours, which keyboards add.
const VARIATIONS: [char; 2] = ['\u{fe0e}', '\u{fe0f}'];

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
        for kept in ["abc-", "abc~", "abc=", "abc(", "abc<", "abc`", "abc（"] {
            assert_eq!(candidates(kept), [kept]);
        }
        for (kept, bare) in [("🏴\u{e0067}\u{e007f}", "🏴"), ("क्\u{200d}ष", "क्ष")]
        {
            assert_eq!(candidates(kept), [kept, bare]);
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
            ("👩\u{fe0f}", "👩"),
            ("1\u{20e3}", "1\u{fe0f}\u{20e3}"),
            ("1\u{fe0f}\u{20e3}", "1\u{20e3}"),
            ("i–❤\u{fe0e}–u–", "i-❤\u{fe0f}-u"),
            ("i\u{ad}❤", "i-❤\u{fe0f}"),
        ] {
            assert!(candidates(path).contains(&code.to_owned()), "{path:?}");
        }
    }

    /// Parts of codes: emoji and keycaps with and without invisible characters, words of joining scripts,
    /// dashes, and invisible characters where they mean nothing.
    fn part() -> impl Strategy<Value = String> {
        let parts = [
            "ab",
            "Ab",
            "1",
            ".",
            "❤",
            "❤\u{fe0f}",
            "👩",
            "👩\u{fe0f}",
            "👩🏽\u{200d}🚀",
            "🏳\u{fe0f}\u{200d}🌈",
            "🏴\u{e0067}\u{e0062}\u{e007f}",
            "1\u{20e3}",
            "1\u{fe0f}\u{20e3}",
            "می\u{200c}خواهم",
            "میخواهم",
            "क्\u{200d}ष",
            "क्\u{200c}ष",
            "র\u{200d}্যাব",
            "e\u{301}",
        ];
        let invisible =
            "[\u{200b}\u{2060}\u{feff}\u{3164}\u{2800}\u{200c}\u{200d}\u{fe0e}\u{fe0f}\u{e0041}]";
        let dash = "[-–‐−\u{ad}]";
        prop_oneof![
            6 => prop::sample::select(parts.to_vec()).prop_map(str::to_owned),
            1 => invisible.prop_map(String::from),
            1 => dash.prop_map(String::from),
        ]
    }

    /// Returns whether a lookup of the path finds an imported link with this code.
    fn finds(path: &str, code: &ShortCode) -> bool {
        let all = code_candidates(path, |_| true);
        let seen = code.as_seen().map(|seen| seen.folded());
        all.contains(code) || seen.is_some_and(|seen| all.iter().any(|code| code.folded() == seen))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        /// What a person sees of an imported code leads to it, and so does the text in the file.
        #[test]
        fn imported_code_is_found_by_what_is_seen(
            parts in prop::collection::vec(part(), 1..5),
            hidden in "[\u{200b}\u{2060}\u{feff}\u{3164}]{0,2}",
        ) {
            let text = parts.concat();
            if let Ok(code) = ShortCode::parse_imported(&text) {
                let presented = with_emoji_presentation(code.as_str());
                let seen = without_invisible(code.as_str());
                let typed = with_hyphens(&seen);
                let end = typed.trim_end_matches(|letter| letter == '-' || is_dash(letter)).len();
                let paths = [
                    without_invisible(&text),
                    typed[..end].replace('-', "–") + &typed[end..],
                    typed,
                    code.as_str().replace(VARIATIONS, ""),
                    presented.unwrap_or_default(),
                    code.as_str().chars().flat_map(|letter| [letter, '\u{200c}']).collect(),
                    format!("{hidden}{code}{hidden}"),
                    format!("{code}。"),
                    seen + "。",
                    text,
                ];
                for path in paths.iter().filter(|path| !path.is_empty()) {
                    prop_assert!(finds(path, &code), "{:?} of {:?}", path, code);
                }
                // A lookup needs no folded code if the file has the presentation of all emoji, or of none.
                let plain = code.as_str().replace(VARIATIONS, "");
                if with_emoji_presentation(&plain).as_deref() == Some(code.as_str()) {
                    prop_assert!(code_candidates(&plain, |_| true).contains(&code), "{:?}", code);
                }
            }
        }
    }

    #[test]
    fn work_is_bounded() {
        for repeated in [
            ".",
            "\u{ad}",
            "\u{e0041}",
            "\u{e0041}.",
            "🏴\u{e0067}\u{e007f}",
            "%2E",
            "–",
            "❤\u{fe0f}\u{200d}",
            "क्\u{200d}",
            " ",
        ] {
            for length in [500, 1_000, 2_000, 64_000] {
                let path = format!("abc{}", repeated.repeat(length / repeated.len()));
                let examined: usize = remainders(&path).map(str::len).sum();
                assert!(examined <= MAX_EXAMINED, "{length} {repeated:?}: {examined}");
            }
        }
        // The code and 40 decorations are less.
        let path = format!("abc{}", ".".repeat(40));
        assert_eq!(remainders(&path).last(), Some("abc"));
        // A full list ends the work.
        let asked = std::cell::Cell::new(0);
        let path = format!("abc{}", ".".repeat(200));
        code_candidates(&path, |_| asked.replace(asked.get() + 1) < usize::MAX);
        assert!(asked.get() <= 2 * MAX_CANDIDATES, "{}", asked.get());
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
