//! What a reader sees of a text, and messages that repeat texts of any length.

use std::borrow::Cow;

use icu_properties::props::{
    DefaultIgnorableCodePoint, EmojiPresentation, ExtendedPictographic, JoiningType,
};
use icu_properties::{CodePointMapData, CodePointSetData};
use unicode_normalization::char::canonical_combining_class;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory as _};

/// Presentation of an emoji in colours.
const EMOJI_PRESENTATION: char = '\u{fe0f}';
const ZERO_WIDTH_NON_JOINER: char = '\u{200c}';
const ZERO_WIDTH_JOINER: char = '\u{200d}';
const ENCLOSING_KEYCAP: char = '\u{20e3}';
/// Beginning of an emoji sequence of tags (<https://unicode.org/reports/tr51/#Emoji_Sequences>).
pub(super) const BLACK_FLAG: char = '\u{1f3f4}';
const CANCEL_TAG: char = '\u{e007f}';
/// Maximum number of characters that are looked at on each side of an invisible one. The longest tag
/// of a flag has seven letters and a cancel tag.
const MAX_SEQUENCE: usize = 8;
/// Canonical combining class of a virama, which joins Indic letters.
const VIRAMA: u8 = 9;

/// Returns a text without whitespace at its ends, and without invisible characters, unless they
/// change what others look like: within emoji sequences
/// ([UTS #51](https://www.unicode.org/reports/tr51/#Emoji_Sequences)), and joiners between letters of
/// joining scripts ([RFC 5892, appendix A](https://www.rfc-editor.org/rfc/rfc5892#appendix-A)).
pub(super) fn visible(text: &str) -> Cow<'_, str> {
    let text = text.trim();
    if text.is_ascii() || !text.contains(is_invisible) {
        return Cow::Borrowed(text);
    }
    let letters: Vec<char> = text.chars().collect();
    let mut kept = String::with_capacity(text.len());
    for (index, letter) in letters.iter().enumerate() {
        let (before, after) = (&letters[..index], &letters[index + 1..]);
        if !is_invisible(*letter) || has_meaning(*letter, before, after) {
            kept.push(*letter);
        }
    }
    Cow::Owned(kept.trim().to_owned())
}

/// Returns whether a character is invisible or blank, but no whitespace.
pub(super) fn is_invisible(letter: char) -> bool {
    // The last ones have blank glyphs.
    let is_blank = matches!(
        letter,
        '\u{fff9}'..='\u{fffc}' | '\u{2800}' | '\u{13441}' | '\u{13442}' | '\u{1d159}'
    );
    !letter.is_ascii()
        && (is_blank || CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(letter))
}

/// Returns a text with `-` in the place of dashes that are not at its end.
pub(super) fn with_hyphens(text: &str) -> String {
    let inner = text.trim_end_matches(is_dash);
    inner.replace(is_dash, "-") + &text[inner.len()..]
}

/// Returns whether programs put the character in the place of `-`: a dash, or one that looks like it
/// (<https://www.unicode.org/Public/security/latest/confusables.txt>).
pub(super) fn is_dash(letter: char) -> bool {
    matches!(letter, '\u{ad}' | '˗' | '۔' | '⁃' | '−' | '➖' | 'Ⲻ')
        || !letter.is_ascii() && letter.general_category() == GeneralCategory::DashPunctuation
}

/// Returns a text without whitespace at its ends and without all invisible characters, also those with
/// a meaning.
pub(super) fn without_invisible(text: &str) -> String {
    text.replace(is_invisible, "").trim().to_owned()
}

/// Returns a text with the presentation in colours of each emoji, or `None` if it has no emoji without
/// one. Some keyboards leave it out.
pub(super) fn with_emoji_presentation(text: &str) -> Option<String> {
    let mut presented = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        presented.push(letter);
        let next = letters.peek().copied();
        if next != Some(EMOJI_PRESENTATION) && takes_presentation(letter, next) {
            presented.push(EMOJI_PRESENTATION);
        }
    }
    (presented.len() > text.len()).then_some(presented)
}

/// Returns whether a character is shown in colours only with a presentation after it: an emoji that is
/// text by default, or the digit of a keycap.
fn takes_presentation(letter: char, next: Option<char>) -> bool {
    let is_keycap = next == Some(ENCLOSING_KEYCAP) && matches!(letter, '0'..='9' | '*' | '#');
    let is_text =
        is_emoji(letter) && !CodePointSetData::new::<EmojiPresentation>().contains(letter);
    is_keycap || is_text && !next.is_some_and(is_skin_tone)
}

/// Returns whether an invisible character between others changes what these look like.
fn has_meaning(letter: char, before: &[char], after: &[char]) -> bool {
    let mut before = before.iter().rev().copied().take(MAX_SEQUENCE);
    let mut after = after.iter().copied().take(MAX_SEQUENCE);
    let last = before.clone().next();
    let next = after.clone().next();
    match letter {
        EMOJI_PRESENTATION => last.is_some_and(|last| takes_presentation(last, next)),
        ZERO_WIDTH_JOINER if next.is_some_and(is_emoji) => {
            before.find(|letter| !is_modifier(*letter)).is_some_and(is_emoji)
        }
        ZERO_WIDTH_JOINER | ZERO_WIDTH_NON_JOINER => {
            let is_virama = |letter: char| canonical_combining_class(letter) == VIRAMA;
            let is_mark = |letter: &char| joining_type(*letter) == JoiningType::Transparent;
            let (one, other) =
                (before.find(|letter| !is_mark(letter)), after.find(|letter| !is_mark(letter)));
            // RFC 5892 rejects a joiner before a virama, but it changes a conjunct: in Bengali and Kannada,
            // RA stays a letter instead of a reph, and in Sinhala, letters touch (The Unicode Standard,
            // sections 12.2, 12.8 and 13.2).
            let is_before_virama = letter == ZERO_WIDTH_JOINER && next.is_some_and(is_virama);
            if is_before_virama || last.is_some_and(is_virama) {
                return one.is_some_and(char::is_alphabetic)
                    && other.is_some_and(char::is_alphabetic);
            }
            letter == ZERO_WIDTH_NON_JOINER
                && one.is_some_and(|letter| joins(letter, JoiningType::LeftJoining))
                && other.is_some_and(|letter| joins(letter, JoiningType::RightJoining))
        }
        letter if is_tag(letter) => {
            let is_within = |letter: &char| is_tag(*letter) && *letter != CANCEL_TAG;
            before.find(|letter| !is_within(letter)) == Some(BLACK_FLAG)
                && (letter == CANCEL_TAG
                    || after.find(|letter| !is_within(letter)) == Some(CANCEL_TAG))
        }
        _ => false,
    }
}

fn is_modifier(letter: char) -> bool {
    letter == EMOJI_PRESENTATION || is_skin_tone(letter)
}

fn is_skin_tone(letter: char) -> bool {
    matches!(letter, '\u{1f3fb}'..='\u{1f3ff}')
}

pub(super) fn is_tag(letter: char) -> bool {
    matches!(letter, '\u{e0020}'..=CANCEL_TAG)
}

fn is_emoji(letter: char) -> bool {
    CodePointSetData::new::<ExtendedPictographic>().contains(letter)
}

fn joining_type(letter: char) -> JoiningType {
    CodePointMapData::<JoiningType>::new().get(letter)
}

/// Returns whether a letter joins the next one (`side` is left) or the one before it (right).
fn joins(letter: char, side: JoiningType) -> bool {
    [JoiningType::DualJoining, side].contains(&joining_type(letter))
}

/// Shortens a message to at most `max` characters. The last one is then an ellipsis.
pub fn shorten(mut message: String, max: usize) -> String {
    let mut last = message.char_indices().skip(max - 1);
    if let (Some((end, _)), Some(_)) = (last.next(), last.next()) {
        message.truncate(end);
        message.push('…');
    }
    message
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn invisible_characters_disappear() {
        for invisible in [
            "\u{200b}",
            "\u{feff}",
            "\u{200e}",
            "\u{2060}",
            "\u{ad}",
            "\u{fe0f}",
            "\u{e0041}",
            "\u{2800}",
            "\u{3164}",
            "\u{200c}",
            "\u{200d}",
            "\u{fe0e}",
            "\u{34f}",
            "\u{e007f}",
            "\u{e0100}",
            "\u{115f}",
        ] {
            for text in [
                format!("spring{invisible}"),
                format!("{invisible}spring"),
                format!("spr{invisible}{invisible}ing"),
                format!(" {invisible} spring {invisible} "),
            ] {
                assert_eq!(visible(&text), "spring", "{text:?}");
            }
        }
        assert_eq!(visible("\u{200b}\u{2800}"), "");
        assert_eq!(visible("spring "), "spring");
    }

    #[test]
    fn characters_with_a_meaning_stay() {
        for text in [
            "❤\u{fe0f}",
            "1\u{fe0f}\u{20e3}",
            "👩\u{200d}🚀",
            "👩🏽\u{200d}🚀",
            "🏳\u{fe0f}\u{200d}🌈",
            "🏴\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}",
            "می\u{200c}خواهم",
            "क्\u{200d}ष",
            "क्\u{200c}ष",
            "র\u{200d}্যাব",
            "ක\u{200d}්ෂ",
            "*\u{fe0f}\u{20e3}",
        ] {
            assert_eq!(visible(text), text, "{text:?}");
        }
        for (text, kept) in [
            ("👩\u{200d}", "👩"),
            ("👩\u{200d}x", "👩x"),
            ("می\u{200c}", "می"),
            // An alef does not join the letter after it, and a joiner joins letters that join anyway.
            ("ما\u{200c}ما", "ماما"),
            ("می\u{200d}خواهم", "میخواهم"),
            ("ক\u{200d}ষ", "কষ"),
            ("র\u{200c}্য", "র্য"),
            ("👩\u{fe0f}", "👩"),
            ("👩\u{fe0f}\u{200d}🚀", "👩\u{200d}🚀"),
            ("☝\u{fe0f}🏽", "☝🏽"),
            ("1\u{fe0f}", "1"),
            ("x\u{fe0f}\u{20e3}", "x\u{20e3}"),
            ("🏴\u{e0067}", "🏴"),
            ("🏴\u{e0067}\u{e007f}\u{e007f}", "🏴\u{e0067}\u{e007f}"),
        ] {
            assert_eq!(visible(text), kept, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn nothing_more_disappears(
            text in "[ab❤👩🚀🏴1\u{fe0f}\u{200c}\u{200d}\u{200b}\u{20e3}یاخ्कর্ \u{e0067}\u{e007f}🏽]{0,8}",
        ) {
            let once = visible(&text).into_owned();
            prop_assert_eq!(visible(&once), once.as_str());
        }
    }

    #[test]
    fn message_has_at_most_the_maximum() {
        for (message, expected) in [("", ""), ("äöü", "äöü"), ("äöüß", "äö…"), ("äöüßa", "äö…")]
        {
            assert_eq!(shorten(message.to_owned(), 3), expected);
        }
    }
}
