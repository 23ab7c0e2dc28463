//! Where a list goes on, as clients carry it.

use sha2::{Digest as _, Sha256};

use crate::domain::links::ListPosition;
use crate::values::Invalid;

/// A position in a list, sealed. It says nothing of whose list it is: each owner's own is all that it can
/// lead through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor(u64);

impl Cursor {
    /// 16 hexadecimal digits.
    pub(super) const PATTERN: &str = "^[0-9a-f]{16}$";

    pub(super) fn parse(text: &str) -> Result<Self, Invalid> {
        let digits = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let is_hex = text.len() == 16 && text.bytes().all(digits);
        let sealed = u64::from_str_radix(text, 16).ok().filter(|_| is_hex);
        sealed
            .map(Self)
            .ok_or(Invalid::because("must be taken from the header Link of an earlier answer"))
    }
}

impl std::fmt::Display for Cursor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// Seals positions, which are numbers of links: how many an installation has is not for its owners to
/// read from their cursors. All instances on a database have the same.
pub struct Seal {
    secret: String,
}

/// As many as make a permutation that looks random (Luby and Rackoff, 1988).
const ROUNDS: u8 = 4;

impl Seal {
    /// Of the installation of that name, which is random and nobody's to know.
    #[must_use]
    pub fn new(installation: String) -> Self {
        Self { secret: installation }
    }

    pub(super) fn close(&self, owner_id: i64, position: ListPosition) -> Cursor {
        let (mut left, mut right) = halves(position.0.cast_unsigned());
        for round in 0..ROUNDS {
            (left, right) = (right, left ^ self.mask(owner_id, round, right));
        }
        Cursor(whole(left, right))
    }

    /// Whatever the cursor is, it is some position: one that nobody has sealed may be anywhere.
    pub(super) fn open(&self, owner_id: i64, cursor: Cursor) -> ListPosition {
        let (mut left, mut right) = halves(cursor.0);
        for round in (0..ROUNDS).rev() {
            (left, right) = (right ^ self.mask(owner_id, round, left), left);
        }
        // No link is below 0, and a database may take something off.
        ListPosition(whole(left, right).cast_signed().max(0))
    }

    fn mask(&self, owner_id: i64, round: u8, half: u32) -> u32 {
        let hash = Sha256::new()
            .chain_update("cursor")
            .chain_update(&self.secret)
            .chain_update(owner_id.to_be_bytes())
            .chain_update([round])
            .chain_update(half.to_be_bytes())
            .finalize();
        u32::from_be_bytes([hash[0], hash[1], hash[2], hash[3]])
    }
}

impl std::fmt::Debug for Seal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Seal(…)")
    }
}

fn halves(number: u64) -> (u32, u32) {
    ((number >> 32) as u32, number as u32)
}

fn whole(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_position_comes_back(position in 0..=i64::MAX, owner_id: i64) {
            let seal = Seal::new("some installation".to_owned());
            let cursor = Cursor::parse(&seal.close(owner_id, ListPosition(position)).to_string()).unwrap();
            prop_assert_eq!(seal.open(owner_id, cursor), ListPosition(position));
        }
    }

    #[test]
    fn positions_are_not_to_be_read() {
        let seal = Seal::new("some installation".to_owned());
        let close = |owner_id, position| seal.close(owner_id, ListPosition(position)).0;
        let steps: Vec<u64> = (1..100)
            .map(|position| close(1, position + 1).wrapping_sub(close(1, position)))
            .collect();
        assert!(steps.iter().all(|step| steps.iter().filter(|other| *other == step).count() == 1));
        assert!((1..100).all(|position| close(1, position) != close(2, position)));
        let other = Seal::new("another".to_owned());
        assert!(
            (1..100).all(|position| close(1, position) != other.close(1, ListPosition(position)).0)
        );
    }

    #[test]
    fn what_is_no_cursor_is_refused() {
        for text in ["", "x", "-123456789abcdef", "0123456789ABCDEF", "0123456789abcdef0"] {
            assert!(Cursor::parse(text).is_err(), "{text}");
        }
    }
}
