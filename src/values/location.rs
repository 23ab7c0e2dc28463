//! The `Location` header of redirects.

use std::borrow::Cow;
use std::collections::HashSet;

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};
use url::{Position, Url};

/// Maximum length of a `Location` in bytes that proxies and clients are known to accept.
pub const MAX_LOCATION_LENGTH: usize = 8_192;

/// Returns the value of the `Location` header for a destination.
///
/// This is the text if it is a valid RFC 3986 URI. Otherwise it is the serialisation of the URL
/// standard, with the host in Punycode and other invalid characters percent-encoded. In queries and
/// fragments, the characters `[ ] | ^ { }` and further `#` remain, because browsers and HTTP clients
/// follow them unchanged. It is always ASCII without spaces.
pub(super) fn location<'a>(text: &'a str, url: &Url) -> Cow<'a, str> {
    if fluent_uri::Uri::parse(text).is_ok() {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(serialise(url))
    }
}

/// Characters that RFC 3986 allows nowhere in a URI, and that the URL standard encodes in some
/// clients' components.
const FORBIDDEN: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'\\').add(b'`');
/// Characters that RFC 3986 does not allow before the query, although the URL standard leaves some
/// of them unencoded.
const FORBIDDEN_BEFORE_QUERY: &AsciiSet = &FORBIDDEN.add(b'^').add(b'{').add(b'|').add(b'}');
/// Characters that RFC 3986 does not allow in a path.
const FORBIDDEN_IN_PATH: &AsciiSet = &FORBIDDEN_BEFORE_QUERY.add(b'[').add(b']').add(b'#');

/// Serialises `url` as [`location`] describes.
fn serialise(url: &Url) -> String {
    let mut text = String::with_capacity(url.as_str().len() + 16);
    encode(&mut text, &url[..Position::BeforePath], FORBIDDEN_BEFORE_QUERY);
    encode(&mut text, url.path(), FORBIDDEN_IN_PATH);
    for (delimiter, part) in [('?', url.query()), ('#', url.fragment())] {
        if let Some(part) = part {
            text.push(delimiter);
            encode(&mut text, part, FORBIDDEN);
        }
    }
    text
}

/// Appends `part` to `text`. Percent-encodes the characters in `set` and every `%` that does not
/// begin a percent-encoded byte.
fn encode(text: &mut String, part: &str, set: &'static AsciiSet) {
    for (index, piece) in part.split('%').enumerate() {
        if index > 0 {
            let digits = piece.bytes().take(2).filter(u8::is_ascii_hexdigit).count();
            text.push_str(if digits == 2 { "%" } else { "%25" });
        }
        text.extend(utf8_percent_encode(piece, set));
    }
}

/// Appends the query of a request to that of a `Location`, before its fragment. It leaves out
/// names that any usual parser of form data takes for one that the `Location` has already, so that
/// nothing overrides them, and the whole query if the result would be longer than 8,192 bytes.
pub fn with_query<'a>(location: &'a str, query: &str) -> Cow<'a, str> {
    let start = location.find('#').unwrap_or(location.len());
    let (before, fragment) = location.split_at(start);
    let own = before.split_once('?').map_or("", |(_, own)| own);
    let own = own.split('&').filter(|pair| !pair.is_empty());
    let own_names: HashSet<String> = own.flat_map(form_names).collect();
    let mut all = before.to_owned();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        if form_names(pair).any(|name| own_names.contains(&name)) {
            continue;
        }
        let delimiter = match all.find('?') {
            None => "?",
            Some(start) if start + 1 == all.len() || all.ends_with('&') => "",
            Some(_) => "&",
        };
        all.push_str(delimiter);
        encode(&mut all, pair, FORBIDDEN);
    }
    if all.len() == before.len() || all.len() + fragment.len() > MAX_LOCATION_LENGTH {
        return Cow::Borrowed(location);
    }
    Cow::Owned(all + fragment)
}

/// Returns all variables that a parser may take a `application/x-www-form-urlencoded` pair for, in a
/// form that is the same for all spellings of a name. Some parsers also separate pairs at `;`.
fn form_names(pair: &str) -> impl Iterator<Item = String> {
    let parts = pair.contains(';').then(|| pair.split(';')).into_iter().flatten();
    std::iter::once(pair).chain(parts).flat_map(|pair| {
        let end = pair.find('=').unwrap_or(pair.len());
        // Express's parser looks for the end of brackets first.
        let after_brackets =
            ["]=", "%5D=", "%5d="].map(|end| Some(pair.find(end)? + end.len() - 1));
        let ends = std::iter::once(end).chain(after_brackets.into_iter().flatten());
        ends.flat_map(|end| variables(&pair[..end]))
    })
}

/// Returns the variables that a parser may take a name for: the whole name, with brackets, dots and
/// blanks as underscores, and the parts before its brackets and dots.
///
/// PHP replaces these characters, and ignores blanks before a name and everything from a NUL on. Rack
/// and Express ignore brackets before a name, and ASP.NET ignores the letter case.
fn variables(name: &str) -> [String; 4] {
    let name = name.replace('+', " ");
    let name = percent_decode_str(&name).decode_utf8_lossy();
    let name = name.split('\0').next().unwrap_or_default().trim_start();
    // To upper case first, because letters of other scripts have ASCII ones as upper case.
    let name = name.to_uppercase().to_lowercase();
    let replaced = |part: &str| part.replace(['[', '.', ' '], "_").replace(']', "");
    let before = |part: &str, ends: &[char]| replaced(part.split(ends).next().unwrap_or_default());
    let plain = name.trim_start_matches(['[', ']']);
    let nested =
        name.trim_start_matches(|letter: char| letter.is_whitespace() || "[].".contains(letter));
    [
        replaced(plain),
        before(plain, &['[', ']']),
        before(nested, &['[', ']', '.']),
        before(&name, &['[', ']', '.']),
    ]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn location(text: &str) -> String {
        super::location(text, &Url::parse(text).unwrap()).into_owned()
    }

    #[test]
    fn valid_uri_is_its_own_location() {
        for text in [
            "https://example.org",
            "HTTPS://EXAMPLE.org/A?b=c#d",
            "http://user:pass@example.org:8080/%7Efoo//bar/../baz?x=%20",
            "http://[2001:db8::1]/",
        ] {
            assert_eq!(location(text), text);
        }
    }

    #[test]
    fn invalid_uri_is_normalised() {
        assert_eq!(
            location("https://bücher.example/straße?q=ä b"),
            "https://xn--bcher-kva.example/stra%C3%9Fe?q=%C3%A4%20b"
        );
        assert_eq!(location("https://example.org/a b"), "https://example.org/a%20b");
        assert_eq!(
            location("https://example.org/{a}|b?c[]=%&d=%41#e#f"),
            "https://example.org/%7Ba%7D%7Cb?c[]=%25&d=%41#e#f"
        );
        assert_eq!(
            location("https://example.org/[^]?[]|^{}`#/#room[]|^{}`%"),
            "https://example.org/[%5E]?[]|^{}%60#/#room[]|^{}%60%25".replace("[%5E]", "%5B%5E%5D")
        );
        assert_eq!(location("https://example.org/<\">"), "https://example.org/%3C%22%3E");
    }

    #[test]
    fn query_of_a_request_is_appended() {
        let with = |location: &'static str, query: &str| with_query(location, query);
        assert_eq!(with("https://e.example/a", "b=c&d"), "https://e.example/a?b=c&d");
        assert_eq!(with("https://e.example/a?x=1#f", "b=c"), "https://e.example/a?x=1&b=c#f");
        assert_eq!(
            with("https://e.example?#/spa?x", "b=%20+c"),
            "https://e.example?b=%20+c#/spa?x"
        );
        assert_eq!(
            with("https://e.example/?x=1", "X=2&x=3&%78=4&y=5"),
            "https://e.example/?x=1&y=5"
        );
        assert_eq!(
            with("https://e.example/?a+b=1", "A%20b=2&ids[]=1|2"),
            "https://e.example/?a+b=1&ids[]=1|2"
        );
        assert_eq!(
            with("https://e.example/", "a=%&b=\"<\u{e4}"),
            "https://e.example/?a=%25&b=%22%3C%C3%A4"
        );
        assert_eq!(with("https://e.example/#f", "&&"), "https://e.example/#f");
        let long = format!("a={}", "x".repeat(8_192));
        assert_eq!(with("https://e.example/#f", &long), "https://e.example/#f");
    }

    /// What a program reads: for each variable, the rest of its names and its values.
    type Parsed = BTreeMap<String, Vec<(String, String)>>;

    fn decode(text: &str) -> String {
        percent_decode_str(&text.replace('+', " ")).decode_utf8_lossy().into_owned()
    }

    /// Parses pairs. `name` returns the variable of a decoded name and the rest of the name, or `None`
    /// if the parser ignores it.
    fn parse(
        query: &str,
        separators: &[char],
        name: impl Fn(&str) -> Option<(String, String)>,
    ) -> Parsed {
        let mut parsed = Parsed::new();
        for pair in query.split(separators).filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            if let Some((variable, rest)) = name(&decode(key)) {
                parsed.entry(variable).or_default().push((rest, decode(value)));
            }
        }
        parsed
    }

    /// `php_register_variable_ex`
    fn php(name: &str) -> Option<(String, String)> {
        let name = name.trim_start_matches(' ').split('\0').next().unwrap();
        let (root, rest) = name.split_at(name.find('[').unwrap_or(name.len()));
        let root = root.replace(['.', ' '], "_");
        if root.is_empty() {
            return None;
        }
        if rest.is_empty() || rest.contains(']') {
            return Some((root, rest.to_owned()));
        }
        // A bracket without its end is part of the name. Only some versions replace what follows.
        Some((format!("{root}_{}", &rest[1..]), String::new()))
    }

    /// As of newer versions.
    fn php_with_later_dots(name: &str) -> Option<(String, String)> {
        php(name).map(|(name, rest)| (name.replace(['.', ' ', '['], "_"), rest))
    }

    /// `Rack::QueryParser#normalize_params` of Rack 2
    fn rack_2(name: &str) -> Option<(String, String)> {
        let name = name.trim_start_matches(['[', ']']);
        let (root, rest) = name.split_at(name.find(['[', ']']).unwrap_or(name.len()));
        (!root.is_empty()).then(|| (root.to_owned(), rest.trim_start_matches(']').to_owned()))
    }

    /// The same of Rack 3
    fn rack_3(name: &str) -> Option<(String, String)> {
        let start = name.char_indices().skip(1).find(|(_, letter)| *letter == '[');
        let (root, rest) = name.split_at(start.map_or(name.len(), |(start, _)| start));
        Some((root.to_owned(), rest.to_owned()))
    }

    /// `qs.parse`, with or without `allowDots`
    fn qs(query: &str, allows_dots: bool) -> Parsed {
        let mut parsed = Parsed::new();
        let query = query.replace("%5B", "[").replace("%5b", "[");
        let query = query.replace("%5D", "]").replace("%5d", "]");
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let end = pair.find("]=").map(|end| end + 1).or(pair.find('=')).unwrap_or(pair.len());
            let name = decode(&pair[..end]);
            let is_end = |letter: char| letter == '[' || allows_dots && letter == '.';
            let start = name.match_indices(is_end).map(|(start, _)| start).find(|start| {
                let inner = name[start + 1..].find(['[', ']']);
                name[*start..].starts_with('.')
                    || inner.is_some_and(|end| name[start + 1 + end..].starts_with(']'))
            });
            let (mut root, mut rest) = name.split_at(start.unwrap_or(name.len()));
            if root.is_empty() && !rest.is_empty() {
                let inner = rest.trim_start_matches(['[', '.']);
                (root, rest) = inner.split_at(inner.find([']', '.']).unwrap_or(inner.len()));
            }
            let value = decode(pair.get(end + 1..).unwrap_or_default());
            parsed.entry(root.to_owned()).or_default().push((rest.to_owned(), value));
        }
        parsed
    }

    /// `HttpUtility.ParseQueryString` and `HttpRequest.Query` of ASP.NET
    fn asp_net(name: &str) -> Option<(String, String)> {
        Some((name.to_uppercase(), String::new()))
    }

    /// Names of jQuery, which model binders of ASP.NET and Spring read as properties
    fn properties(name: &str) -> Option<(String, String)> {
        let (root, rest) = name.split_at(name.find(['[', '.']).unwrap_or(name.len()));
        Some((root.to_uppercase(), rest.to_uppercase()))
    }

    /// `ServletRequest.getParameterMap`
    fn servlet(name: &str) -> Option<(String, String)> {
        Some((name.to_owned(), String::new()))
    }

    fn all_parsed(location: &str) -> Vec<(&'static str, Parsed)> {
        let query = location.split('#').next().unwrap().split_once('?').map_or("", |(_, all)| all);
        let mut all = vec![("qs", qs(query, false)), ("qs with dots", qs(query, true))];
        for separators in [&['&'][..], &['&', ';']] {
            all.extend([
                ("PHP", parse(query, separators, php)),
                ("PHP with later dots", parse(query, separators, php_with_later_dots)),
                ("Rack 2", parse(query, separators, rack_2)),
                ("Rack 3", parse(query, separators, rack_3)),
                ("ASP.NET", parse(query, separators, asp_net)),
                ("properties", parse(query, separators, properties)),
                ("servlets", parse(query, separators, servlet)),
            ]);
        }
        all
    }

    /// A query of few names in many spellings.
    fn query() -> impl Strategy<Value = String> {
        const PARTS: [&str; 33] = [
            "a",
            "b",
            "A",
            "_",
            "%61",
            "%C5%BF",
            "s",
            "S",
            "%E2%84%AA",
            "k",
            "[",
            "]",
            "[]",
            "[x]",
            "%5B",
            "%5d",
            ".",
            "%2E",
            "+",
            "%20",
            "%00",
            "%",
            "%u0061",
            ";",
            "%3B",
            "=",
            "==",
            "&",
            "&a=",
            "&a",
            "a=1",
            "b[]=",
            "?",
        ];
        prop::collection::vec(prop::sample::select(&PARTS[..]), 0..12).prop_map(|all| all.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn no_query_alters_a_parameter_of_the_destination(own in query(), visit in query()) {
            let own = location(&format!("https://e.example/?{own}"));
            let result = with_query(&own, &visit);
            for ((parser, before), (_, after)) in all_parsed(&own).iter().zip(all_parsed(&result)) {
                for (variable, values) in before {
                    prop_assert_eq!(after.get(variable), Some(values), "{}: {} of {}", parser, variable, result);
                }
            }
        }

        #[test]
        fn other_names_stay(names in prop::collection::btree_set("[a-z]{1,4}(_[a-z]{1,4})?", 2..8)) {
            let (own, others): (Vec<_>, Vec<_>) = names.iter().partition(|name| name.len() % 2 == 0);
            let others: Vec<String> = others.iter().map(|name| format!("{name}=1&{name}[]=2")).collect();
            let own: String = own.iter().map(|name| format!("{name}=0&")).collect();
            let location = format!("https://e.example/?{own}");
            let expected = format!("{location}{}", others.join("&"));
            prop_assert_eq!(with_query(&location, &others.join("&")), expected);
        }
    }

    proptest! {
        #[test]
        fn location_is_a_valid_uri_up_to_what_clients_follow(tail in "\\PC{0,60}") {
            let text = format!("https://{tail}");
            if let Ok(url) = Url::parse(&text) {
                let location = super::location(&text, &url);
                let start = location.find(['?', '#']).unwrap_or(location.len());
                let (before, after) = location.split_at(start);
                let valid = after.replace(['[', ']', '|', '^', '{', '}'], "_");
                let valid = match valid.split_once('#') {
                    Some((query, fragment)) => format!("{query}#{}", fragment.replace('#', "_")),
                    None => valid,
                };
                prop_assert!(fluent_uri::Uri::parse(format!("{before}{valid}")).is_ok(), "{}", location);
            }
        }
    }
}
