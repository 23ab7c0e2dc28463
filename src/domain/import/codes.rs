//! Codes for rows without a code. They are derived from the row, so that a repeated import
//! generates the same codes.

use formats::RowLocation;
use sha2::{Digest as _, Sha256};

use crate::values::ShortCode;

/// Everything that determines the codes of a row.
pub(super) struct Seed<'a> {
    /// Secret of the installation. Without it, clients could derive the code of a link from its
    /// destination.
    pub(super) secret: &'a str,
    pub(super) owner_id: i64,
    /// Location of the row in its file, so that two identical rows have different codes.
    pub(super) location: RowLocation,
    /// Destination, title and campaign, so that different rows at the same location in two files
    /// have different codes.
    pub(super) texts: [Option<&'a str>; 3],
}

/// Infinite sequence of codes for one row. The import takes the first code that is not in use.
#[derive(Debug)]
pub(super) struct Codes(Stream);

impl Codes {
    pub(super) fn new(seed: &Seed<'_>) -> Self {
        let Seed { secret, owner_id, location: RowLocation { line, object }, texts } = seed;
        let object = object.map_or(0, |object| object.saturating_sub(1));
        let mut hash = Sha256::new();
        hash.update(secret.as_bytes());
        for number in [owner_id.to_be_bytes(), line.to_be_bytes(), object.to_be_bytes()] {
            hash.update(number);
        }
        for text in texts {
            // The length separates the texts. Otherwise, two texts with a character moved from one
            // to the other would give the same hash.
            let length = text.map_or(-1, |text| text.len() as i64);
            hash.update(length.to_be_bytes());
            hash.update(text.unwrap_or_default());
        }
        let seed = hash.finalize().into();
        Self(Stream { seed, blocks: 1, left: block(&seed, 0) })
    }

    pub(super) fn next(&mut self) -> ShortCode {
        ShortCode::from_bytes(&mut self.0)
    }
}

/// Infinite stream of bytes: SHA-256 hashes of a seed and a counter.
#[derive(Debug)]
struct Stream {
    seed: [u8; 32],
    /// Number of hashes computed so far.
    blocks: u64,
    left: std::array::IntoIter<u8, 32>,
}

impl Iterator for Stream {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        if self.left.len() == 0 {
            self.left = block(&self.seed, self.blocks);
            self.blocks += 1;
        }
        self.left.next()
    }
}

fn block(seed: &[u8; 32], number: u64) -> std::array::IntoIter<u8, 32> {
    let hash = Sha256::new().chain_update(seed).chain_update(number.to_be_bytes()).finalize();
    <[u8; 32]>::from(hash).into_iter()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn first_two(seed: &Seed<'_>) -> [String; 2] {
        let mut codes = Codes::new(seed);
        [codes.next().to_string(), codes.next().to_string()]
    }

    #[test]
    fn codes_depend_on_every_part_of_the_seed() {
        let seed = |secret, owner_id, line, object, texts| {
            let location = RowLocation { line, object: Some(object) };
            first_two(&Seed { secret, owner_id, location, texts })
        };
        let texts = [Some("https://example.com/"), Some("title"), None];
        let base = seed("secret", 1, 2, 1, texts);
        assert_eq!(base, seed("secret", 1, 2, 1, texts));
        let other = |index: usize, text| {
            let mut texts = texts;
            texts[index] = text;
            seed("secret", 1, 2, 1, texts)
        };
        let others = [
            seed("Secret", 1, 2, 1, texts),
            seed("secret", 2, 2, 1, texts),
            seed("secret", 1, 3, 1, texts),
            seed("secret", 1, 2, 2, texts),
            other(0, Some("https://example.com/x")),
            other(1, None),
            other(1, Some("")),
            other(2, Some("")),
            seed("secret", 1, 2, 1, [texts[0], None, texts[1]]),
            seed("secret", 1, 2, 1, [Some("https://example.com/title"), None, None]),
        ];
        let all: HashSet<&String> = others.iter().flatten().chain(&base).collect();
        assert_eq!(all.len(), 22);
    }

    #[test]
    fn codes_stay_the_same_in_later_releases() {
        let seed = Seed {
            secret: "secret",
            owner_id: 1,
            location: RowLocation { line: 2, object: None },
            texts: [Some("https://example.com/"), Some("title"), None],
        };
        assert_eq!(first_two(&seed), ["voEQXoh", "vsZydzX"]);
    }
}
