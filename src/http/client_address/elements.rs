//! Elements of the headers `X-Forwarded-For` and `Forwarded`, from right to left.
//!
//! Read from the left, a quotation mark that the client opens and does not close would swallow what
//! the trusted proxies append.

use std::net::IpAddr;

use crate::values::ClientHeader;

/// Maximum length in bytes of an element. The longest address with a port has 47 bytes; `Forwarded`
/// may have further parameters.
const MAX_ELEMENT_LENGTH: usize = 1024;

/// An iterator over the elements of a header line, from right to left. An item is `None` if the
/// element is malformed or names no address. The iterator skips empty elements, but gives up if
/// many follow one another.
#[derive(Debug)]
pub(super) struct Elements<'a> {
    header: ClientHeader,
    /// The part of the line that is still to be read, unless the iterator has ended.
    rest: Option<&'a [u8]>,
}

impl<'a> Elements<'a> {
    pub(super) const fn new(header: ClientHeader, line: &'a [u8]) -> Self {
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
