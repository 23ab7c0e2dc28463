//! The clients of requests: their addresses, and which of their requests for a link do not count as clicks.
//!
//! An address is that of the peer or, behind trusted proxies, of the client that a proxy names in a header. A
//! proxy appends the address of its own peer to the header. The client is therefore the last address that is
//! not a trusted proxy. The client itself may have invented everything before it.

use std::net::IpAddr;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use poem::http::{HeaderMap, HeaderName, header};
use poem::{Addr, Request};

use crate::values::{ClientHeader, TrustedProxies};

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// Maximum number of elements that the server reads from the header. No chain of proxies is this
/// long, and a client could otherwise make each request expensive.
const MAX_ELEMENTS: usize = 32;
/// Maximum length in bytes of an element. The longest address with a port has 47 bytes; `Forwarded`
/// may have further parameters.
const MAX_ELEMENT_LENGTH: usize = 1024;
/// Parts of the `User-Agent` of programs whose requests are not clicks, with their source and date.
const LIST: &str = include_str!("agents.txt");
/// Heading of the robots in the list, below which `--count-robots` ignores the list.
const ROBOTS: &str = "[robots]";

/// Returns the name of the header.
const fn name_of(header: ClientHeader) -> HeaderName {
    match header {
        ClientHeader::XForwardedFor => X_FORWARDED_FOR,
        ClientHeader::Forwarded => header::FORWARDED,
    }
}

/// The client of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientAddress {
    /// Address of the client. `None` if the client is the peer of a Unix socket.
    pub ip: Option<IpAddr>,
    /// Whether the peer of the connection is a trusted proxy.
    pub is_peer_trusted: bool,
    /// Whether limits per client do not apply: the peer is on this machine, and names no other
    /// client.
    pub is_exempt: bool,
}

/// Rules for finding the client of a request.
#[derive(Debug)]
pub struct ClientAddresses {
    /// Proxies from which the server accepts the header.
    pub proxies: TrustedProxies,
    /// The header that names clients. The server ignores all others.
    pub header: ClientHeader,
}

impl ClientAddresses {
    /// Returns the client of a request.
    pub fn find(&self, request: &Request) -> ClientAddress {
        self.find_in(&request.remote_addr().0, request.headers())
    }

    fn find_in(&self, peer: &Addr, headers: &HeaderMap) -> ClientAddress {
        let peer_ip = peer.as_socket_addr().map(|address| address.ip().to_canonical());
        let is_peer_trusted = self.trusts(peer);
        let mut ip = peer_ip;
        let mut is_named = false;
        if is_peer_trusted {
            let lines = headers.get_all(name_of(self.header)).iter().rev();
            let elements = lines.flat_map(|line| Elements::new(self.header, line.as_bytes()));
            for element in elements.take(MAX_ELEMENTS) {
                is_named = true;
                // A proxy that does not know its client may send an element without an address. The
                // client may have invented everything before that element.
                let Some(address) = element else { break };
                ip = Some(address);
                if !self.proxies.trusts_address(address) {
                    break;
                }
            }
        }
        let is_local = peer_ip.map_or(peer.as_unix_socket_addr().is_some(), |ip| ip.is_loopback());
        ClientAddress { ip, is_peer_trusted, is_exempt: is_local && !is_named }
    }

    /// Returns whether the peer of a connection is a trusted proxy.
    pub fn trusts(&self, peer: &Addr) -> bool {
        match peer {
            Addr::SocketAddr(address) => self.proxies.trusts_address(address.ip()),
            Addr::Unix(_) => self.proxies.trusts_unix_peers(),
            Addr::Custom(..) => false,
        }
    }
}

/// An iterator over the elements of a header line, from right to left. An item is `None` if the
/// element is malformed or names no address. The iterator skips empty elements, but gives up if
/// many follow one another.
///
/// Read from the left, a quotation mark that the client opens and does not close would swallow what
/// the trusted proxies append.
#[derive(Debug)]
struct Elements<'a> {
    header: ClientHeader,
    /// The part of the line that is still to be read, unless the iterator has ended.
    rest: Option<&'a [u8]>,
}

impl<'a> Elements<'a> {
    const fn new(header: ClientHeader, line: &'a [u8]) -> Self {
        Self { header, rest: Some(line) }
    }

    /// Removes the last element from the rest. Returns `None` if the element is too long.
    fn take_last(&mut self, line: &'a [u8]) -> Option<&'a [u8]> {
        let mut is_quoted = false;
        let is_long = line.len() > MAX_ELEMENT_LENGTH;
        let first = if is_long { line.len() - MAX_ELEMENT_LENGTH } else { 0 };
        for index in (first..line.len()).rev() {
            match line[index] {
                b'"' if self.header == ClientHeader::Forwarded
                    && !(is_quoted && is_escaped(&line[first..index])) =>
                {
                    is_quoted = !is_quoted;
                }
                b',' if !is_quoted => {
                    self.rest = Some(&line[..index]);
                    return Some(line[index + 1..].trim_ascii());
                }
                _ => {}
            }
        }
        self.rest = None;
        (!is_long).then(|| line.trim_ascii())
    }
}

impl Iterator for Elements<'_> {
    type Item = Option<IpAddr>;

    fn next(&mut self) -> Option<Self::Item> {
        /// Maximum number of empty elements to skip (RFC 9110, section 5.6.1.2).
        const MAX_EMPTY: usize = 16;
        for _ in 0..MAX_EMPTY {
            let line = self.rest?;
            let Some(element) = self.take_last(line) else { return Some(None) };
            if !element.is_empty() {
                let text = std::str::from_utf8(element).ok();
                return Some(text.and_then(|text| match self.header {
                    ClientHeader::XForwardedFor => parse_node(text),
                    ClientHeader::Forwarded => parse_node(&forwarded_for(text)?),
                }));
            }
        }
        Some(None)
    }
}

/// Returns whether the byte after `before` is escaped by a backslash.
fn is_escaped(before: &[u8]) -> bool {
    before.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1
}

/// Parses an address with or without a port. An IPv6 address with a port has brackets.
fn parse_node(node: &str) -> Option<IpAddr> {
    if let Ok(address) = node.parse::<IpAddr>() {
        return Some(address.to_canonical());
    }
    let (address, port) = match node.strip_prefix('[') {
        Some(rest) => {
            let (address, port) = rest.split_once(']')?;
            let address = IpAddr::V6(address.parse().ok()?);
            if port.is_empty() {
                return Some(address.to_canonical());
            }
            (address, port.strip_prefix(':')?)
        }
        None => {
            let (address, port) = node.split_once(':')?;
            (IpAddr::V4(address.parse().ok()?), port)
        }
    };
    // A proxy may obfuscate the port (RFC 7239, section 6).
    let is_port = !port.is_empty()
        && port.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
    is_port.then_some(address.to_canonical())
}

/// Returns the value of the parameter `for` of an element of `Forwarded`. Returns `None` if the
/// element is malformed, or does not have the parameter exactly once.
fn forwarded_for(element: &str) -> Option<String> {
    let mut node = None;
    let mut rest = element;
    loop {
        let (name, after) = rest.split_once('=')?;
        let name = name.trim_ascii();
        let (value, after) = match after.strip_prefix('"') {
            Some(quoted) => unquote(quoted)?,
            None => {
                let end = after.find(';').unwrap_or(after.len());
                let value = after[..end].trim_ascii_end();
                if value.contains('"') {
                    return None;
                }
                (value.to_owned(), &after[end..])
            }
        };
        let is_token = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_graphic());
        if !is_token {
            return None;
        }
        if name.eq_ignore_ascii_case("for") && node.replace(value).is_some() {
            return None;
        }
        let after = after.trim_ascii_start();
        if after.is_empty() {
            return node;
        }
        rest = after.strip_prefix(';')?;
    }
}

/// Returns the content of a quoted string, and the text after it. `text` begins after the opening
/// quotation mark.
fn unquote(text: &str) -> Option<(String, &str)> {
    let mut content = String::new();
    let mut letters = text.char_indices();
    while let Some((index, letter)) = letters.next() {
        match letter {
            '"' => return Some((content, &text[index + 1..])),
            '\\' => content.push(letters.next()?.1),
            _ => content.push(letter),
        }
    }
    None
}

/// Recogniser of requests that are not clicks.
#[derive(Debug)]
pub struct Agents(Option<AhoCorasick>);

impl Agents {
    /// Creates a recogniser of link previews and, unless they count, of robots.
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

    const PROXY: &str = "10.0.0.1:4711";

    fn find(header: ClientHeader, peer: &str, lines: &[&str]) -> ClientAddress {
        let proxies = ["10.0.0.0/8", "127.0.0.1", "2001:db8:f::/48"];
        let proxies = TrustedProxies(proxies.map(|proxy| proxy.parse().unwrap()).to_vec());
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(name_of(header), HeaderValue::from_bytes(line.as_bytes()).unwrap());
        }
        let peer = Addr::SocketAddr(peer.parse().unwrap());
        ClientAddresses { proxies, header }.find_in(&peer, &headers)
    }

    /// Panics unless the client behind a proxy has this address.
    #[track_caller]
    fn assert_client(header: ClientHeader, lines: &[&str], expected: &str) {
        let client = find(header, PROXY, lines);
        assert_eq!(client.ip, Some(expected.parse().unwrap()), "{lines:?}");
        assert!(client.is_peer_trusted && !client.is_exempt, "{lines:?}");
    }

    #[test]
    fn last_address_that_is_not_a_proxy_is_the_client() {
        for (lines, expected) in [
            (&["192.0.2.1"][..], "192.0.2.1"),
            (&["203.0.113.9, 192.0.2.1"], "192.0.2.1"),
            (&["203.0.113.9, 192.0.2.1, 10.1.1.1,10.2.2.2"], "192.0.2.1"),
            (&["203.0.113.9", "192.0.2.1", "10.1.1.1"], "192.0.2.1"),
            (&["192.0.2.1:4711"], "192.0.2.1"),
            (&["2001:db8::1"], "2001:db8::1"),
            (&["[2001:db8::1]"], "2001:db8::1"),
            (&["[2001:db8::1]:4711, 2001:db8:f::7"], "2001:db8::1"),
            (&["::ffff:192.0.2.1, ::ffff:10.0.0.7"], "192.0.2.1"),
            (&["192.0.2.1,, ,"], "192.0.2.1"),
            (&["10.1.1.1, 10.2.2.2"], "10.1.1.1"),
        ] {
            assert_client(ClientHeader::XForwardedFor, lines, expected);
        }
    }

    #[test]
    fn forwarded_is_parsed_as_in_rfc_7239() {
        for (lines, expected) in [
            (&["for=192.0.2.1"][..], "192.0.2.1"),
            (&["For=\"192.0.2.1:4711\";proto=https;by=203.0.113.43"], "192.0.2.1"),
            (&["proto=http; for=\"[2001:db8::1]:4711\""], "2001:db8::1"),
            (&["for=\"[2001:db8::1]:_port\""], "2001:db8::1"),
            (&["for=203.0.113.9, for=192.0.2.1;by=\"a,b;c\\\"d\", for=10.0.0.9"], "192.0.2.1"),
            (&["for=203.0.113.9", "for=192.0.2.1", "for=\"[2001:db8:f::1]\""], "192.0.2.1"),
            // The client opened a quotation that it did not close.
            (&["for=203.0.113.9;by=\"x, for=192.0.2.1"], "192.0.2.1"),
            (&["for=203.0.113.9;by=\"x, for=\"[2001:db8::1]\""], "2001:db8::1"),
            (&["for=203.0.113.9\\, for=192.0.2.1"], "192.0.2.1"),
        ] {
            assert_client(ClientHeader::Forwarded, lines, expected);
        }
    }

    #[test]
    fn malformed_and_obfuscated_elements_end_the_search() {
        for (lines, expected) in [
            (&["192.0.2.1, unknown"][..], "10.0.0.1"),
            (&["192.0.2.1, 10.0.0.256, 10.9.9.9"], "10.9.9.9"),
            (&["fe80::1%eth0"], "10.0.0.1"),
            (&["192.0.2.1 192.0.2.2"], "10.0.0.1"),
            (&["192.0.2.1", "\u{e9}"], "10.0.0.1"),
            (&["192.0.2.1:"], "10.0.0.1"),
            (&["[2001:db8::1"], "10.0.0.1"),
        ] {
            assert_client(ClientHeader::XForwardedFor, lines, expected);
        }
        for lines in [
            "for=192.0.2.1, for=unknown",
            "for=192.0.2.1, for=\"_hidden\"",
            "for=192.0.2.1, proto=https",
            "for=192.0.2.1, for=192.0.2.2;for=192.0.2.3",
            "for=192.0.2.1, for",
            "for=192.0.2.1, for=\"192.0.2.2",
            "for=192.0.2.1, for=192.0.2.2\"",
            "for=192.0.2.1, for=\"192.0.2.2\"x",
        ] {
            assert_client(ClientHeader::Forwarded, &[lines], "10.0.0.1");
        }
    }

    #[test]
    fn long_headers_are_read_up_to_a_bound() {
        let long = format!("192.0.2.1{}", ", 10.9.9.9".repeat(MAX_ELEMENTS));
        assert_client(ClientHeader::XForwardedFor, &[&long], "10.9.9.9");
        let empty = format!("192.0.2.1{}", ",".repeat(100_000));
        assert_client(ClientHeader::XForwardedFor, &[&empty], "10.0.0.1");
        let quoted = format!("for=192.0.2.1;by=\"{}\"", "\\\"".repeat(50_000));
        assert_client(ClientHeader::Forwarded, &[&quoted], "10.0.0.1");
    }

    #[test]
    fn header_of_other_peers_is_ignored() {
        let client = find(ClientHeader::XForwardedFor, "192.0.2.9:1", &["203.0.113.9"]);
        let expected = "192.0.2.9".parse().ok();
        let (is_peer_trusted, is_exempt) = (false, false);
        assert_eq!(client, ClientAddress { ip: expected, is_peer_trusted, is_exempt });
    }

    #[test]
    fn local_peer_is_exempt_unless_it_names_a_client() {
        let header = ClientHeader::XForwardedFor;
        for (peer, lines, is_exempt) in [
            ("127.0.0.1:1", &[][..], true),
            ("127.0.0.1:1", &["192.0.2.1"], false),
            ("127.0.0.1:1", &["unknown"], false),
            // This loopback address is not a trusted proxy.
            ("127.0.0.2:1", &["192.0.2.1"], true),
            ("[::1]:1", &[], true),
            ("[::ffff:127.0.0.1]:1", &[], true),
            (PROXY, &[], false),
        ] {
            assert_eq!(find(header, peer, lines).is_exempt, is_exempt, "{peer} {lines:?}");
        }
    }

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
