//! Lines of lists of blocked destinations.

use std::net::{IpAddr, Ipv6Addr};

use super::{BlockPattern, ValidationError};

/// Names that hosts files give to the machine itself and to groups of neighbouring machines.
const LOCAL_NAMES: [&str; 10] = [
    "localhost",
    "localhost.localdomain",
    "localhost4",
    "localhost4.localdomain4",
    "localhost6",
    "localhost6.localdomain6",
    "local",
    "loopback",
    "broadcasthost",
    "0.0.0.0",
];

/// Patterns of one line of a block list, and the first fault of the line.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct BlockListLine {
    /// The valid patterns.
    pub patterns: Vec<BlockPattern>,
    /// The first fault of the line, if the line has any.
    pub fault: Option<ValidationError>,
}

impl BlockListLine {
    /// Parses a line of a list of patterns or of a hosts file. An empty line or a comment has
    /// neither patterns nor a fault.
    ///
    /// In a line of a hosts file, this function ignores the IP address and skips local names.
    #[must_use]
    pub fn parse(line: &str) -> Self {
        let is_comment = |word: &&str| word.starts_with(['#', '!']);
        let mut words = line.split_whitespace().take_while(|word| !is_comment(word));
        let Some(first) = words.next() else { return Self::default() };
        let mut rest = words.peekable();
        let mut parsed = Self::default();
        if rest.peek().is_none() {
            if first.eq_ignore_ascii_case("localhost") {
                return parsed;
            }
            parsed.add(BlockPattern::parse(first));
        } else if is_address(first) {
            for name in rest.filter(|name| !is_local_name(name)) {
                parsed.add(BlockPattern::parse(name));
            }
        } else {
            let reason = "must be one pattern, or an IP address and hosts";
            parsed.fault = Some(ValidationError::because(reason));
        }
        parsed
    }

    fn add(&mut self, pattern: Result<BlockPattern, ValidationError>) {
        match pattern {
            Ok(pattern) => self.patterns.push(pattern),
            Err(fault) => {
                self.fault.get_or_insert(fault);
            }
        }
    }

    /// Removes patterns whose host has no dot, and sets the fault if the line has none yet. Such a
    /// host is probably a word of prose. If it is a top-level domain, the pattern would block the
    /// whole domain.
    #[must_use]
    pub fn without_dotless_hosts(mut self) -> Self {
        let count = self.patterns.len();
        self.patterns.retain(|pattern| !pattern.is_dotless());
        if self.patterns.len() < count {
            let reason = "must have a host with a dot";
            self.fault.get_or_insert(ValidationError::because(reason));
        }
        self
    }
}

/// Returns whether a word is an IP address, with or without a zone.
fn is_address(word: &str) -> bool {
    let in_zone = word.split_once('%').map(|(address, _)| address.parse::<Ipv6Addr>());
    word.parse::<IpAddr>().is_ok() || in_zone.is_some_and(|address| address.is_ok())
}

fn is_local_name(name: &str) -> bool {
    LOCAL_NAMES.iter().any(|local| name.eq_ignore_ascii_case(local)) || name.starts_with("ip6-")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> (Vec<String>, bool) {
        let BlockListLine { patterns, fault } = BlockListLine::parse(line).without_dotless_hosts();
        (patterns.into_iter().map(BlockPattern::into_string).collect(), fault.is_some())
    }

    #[test]
    fn lines_are_patterns_or_hosts() {
        for (line, patterns, is_faulty) in [
            ("", &[][..], false),
            ("# evil.example", &[], false),
            ("! evil.example", &[], false),
            (" evil.example # phishing\r", &["evil.example"], false),
            ("0.0.0.0\ta.example b.example #c", &["a.example", "b.example"], false),
            ("0.0.0.0 a.example b,example c.example", &["a.example", "c.example"], true),
            ("0.0.0.0 a.example com", &["a.example"], true),
            ("192.0.2.1", &["192.0.2.1"], false),
            ("2001:db8::1", &["[2001:db8::1]"], false),
            ("localhost", &[], false),
            ("127.0.0.1 localhost", &[], false),
            ("255.255.255.255 broadcasthost", &[], false),
            ("fe80::1%lo0 localhost", &[], false),
            ("ff02::1 ip6-allnodes", &[], false),
            ("::1 LOCALHOST localhost6.localdomain6", &[], false),
            ("0.0.0.0 0.0.0.0", &[], false),
            ("evil example", &[], true),
            ("nginx", &[], true),
            ("https://nginx/path", &[], true),
        ] {
            let patterns = patterns.iter().map(|pattern| (*pattern).to_owned()).collect();
            assert_eq!(parsed(line), (patterns, is_faulty), "{line}");
        }
        assert_eq!(BlockListLine::parse("com").patterns.len(), 1);
    }
}
