//! Requests for a link that do not count as clicks.

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use poem::http::{HeaderMap, header};

/// Parts of the `User-Agent` of programs whose requests are not clicks, with their source and date.
const LIST: &str = include_str!("agents.txt");
/// Heading of the robots in the list, below which `--count-robots` ignores the list.
const ROBOTS: &str = "[robots]";

/// Recogniser of requests that are not clicks.
#[derive(Debug)]
pub struct Agents(Option<AhoCorasick>);

impl Agents {
    /// Creates a recogniser of link previews and, unless they count, of robots.
    #[must_use]
    pub fn new(count_robots: bool) -> Self {
        let lines = LIST.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let lines = lines.take_while(|line| !count_robots || *line != ROBOTS);
        let patterns = lines.filter(|line| !line.starts_with('['));
        // A DFA is twice as fast, which saves a hundredth of a redirect, but takes 5 MB.
        let kind = Some(AhoCorasickKind::ContiguousNFA);
        Self(AhoCorasick::builder().ascii_case_insensitive(true).kind(kind).build(patterns).ok())
    }

    /// Returns whether a GET request for a link is a click. A request by which a program loads a page
    /// in advance or for a preview
    /// ([Sec-Purpose](https://fetch.spec.whatwg.org/#sec-purpose-header), or the older `Purpose`,
    /// `X-Purpose` and `X-Moz`), and a request of a program in the list are not.
    pub fn is_click(&self, headers: &HeaderMap) -> bool {
        let agent = headers.get(header::USER_AGENT).zip(self.0.as_ref());
        !is_in_advance(headers)
            && !agent.is_some_and(|(agent, list)| list.is_match(agent.as_bytes()))
    }
}

/// Headers that say why a program requests a page.
const PURPOSE_HEADERS: [&str; 4] = ["sec-purpose", "purpose", "x-purpose", "x-moz"];
/// Purposes of requests without a visitor: Chrome and Firefox prefetch and prerender, Safari loads
/// previews for its start page, and `instant` is Chrome's former name of a prerender.
const PURPOSES: [&[u8]; 4] = [b"prefetch", b"prerender", b"preview", b"instant"];

fn is_in_advance(headers: &HeaderMap) -> bool {
    PURPOSE_HEADERS.into_iter().flat_map(|name| headers.get_all(name)).any(|value| {
        // The header is a structured field with parameters, such as `prefetch;prerender`, or a string.
        let mut items = value.as_bytes().split(|byte| matches!(byte, b';' | b',' | b'"'));
        let is_purpose = |item: &[u8]| PURPOSES.iter().any(|one| item.eq_ignore_ascii_case(one));
        items.any(|item| is_purpose(item.trim_ascii()))
    })
}

#[cfg(test)]
mod tests {
    use poem::http::HeaderValue;

    use super::*;

    fn is_click(name: &'static str, value: &'static str, count_robots: bool) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(name, HeaderValue::from_static(value));
        Agents::new(count_robots).is_click(&headers)
    }

    #[test]
    fn robots_are_clicks_only_if_they_count() {
        let robot = "Googlebot/2.1 (+http://www.google.com/bot.html)";
        assert!(!is_click("user-agent", robot, false));
        assert!(is_click("user-agent", robot, true));
        for count_robots in [false, true] {
            assert!(!is_click("user-agent", "TelegramBot (like TwitterBot)", count_robots));
            assert!(!is_click("sec-purpose", "prefetch;prerender", count_robots));
            assert!(!is_click("purpose", "\"preview\"", count_robots));
            assert!(is_click("user-agent", "curl/8.5.0", count_robots));
            assert!(is_click("purpose", "something", count_robots));
        }
    }

    #[test]
    fn list_has_no_pattern_within_another() {
        let patterns: Vec<&str> =
            LIST.lines().filter(|line| !line.is_empty() && !line.starts_with(['#', '['])).collect();
        for pattern in &patterns {
            assert_eq!(pattern.to_lowercase(), *pattern);
            let within = patterns.iter().filter(|other| other.contains(pattern)).count();
            assert_eq!(within, 1, "{pattern}");
        }
    }
}
