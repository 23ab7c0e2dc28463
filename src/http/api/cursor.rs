//! Where a list goes on, as clients carry it.

use sha2::{Digest as _, Sha256};

use crate::domain::links::ListPosition;
use crate::values::Invalid;

/// A position in a list, sealed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor(u128);

impl Cursor {
    /// So many hexadecimal digits.
    pub(super) const LENGTH: usize = 32;
    pub(super) const PATTERN: &str = "^[0-9a-f]{32}$";
    pub(super) const EXAMPLE: &str = "3f9c01d27be4a865b07d52c8e1964af3";

    pub(super) fn parse(text: &str) -> Result<Self, Invalid> {
        let digits = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let is_hex = text.len() == Self::LENGTH && text.bytes().all(digits);
        let sealed = u128::from_str_radix(text, 16).ok().filter(|_| is_hex);
        sealed
            .map(Self)
            .ok_or(Invalid::because("must be taken from the header Link of an earlier answer"))
    }
}

impl std::fmt::Display for Cursor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// A list of one owner's.
#[derive(Debug, Clone, Copy)]
pub(super) struct List {
    pub(super) path: &'static str,
    pub(super) owner_id: i64,
}

/// Seals positions, which are numbers of links: how many an installation has is not for its owners to
/// read from their cursors, and what was not sealed here, for that list, is no cursor. All instances on a
/// database have the same.
pub struct Seal {
    secret: String,
}

/// As many as make a permutation that looks random, also to who asks for what stands behind a cursor
/// (Luby and Rackoff, 1988).
const ROUNDS: u8 = 4;
/// The other half of what is sealed, by which it is known (Bellare and Rogaway, "Encode-then-encipher
/// encryption", 2000).
const MARK: u64 = 0;

impl Seal {
    /// Of the installation of that name, which is random and nobody's to know.
    #[must_use]
    pub fn new(installation: String) -> Self {
        Self { secret: installation }
    }

    pub(super) fn close(&self, list: List, position: ListPosition) -> Cursor {
        let (mut left, mut right) = (position.0.cast_unsigned(), MARK);
        for round in 0..ROUNDS {
            (left, right) = (right, left ^ self.mask(list, round, right));
        }
        Cursor(u128::from(left) << 64 | u128::from(right))
    }

    /// None where it was not sealed for that list.
    pub(super) fn open(&self, list: List, Cursor(sealed): Cursor) -> Option<ListPosition> {
        let (mut left, mut right) = ((sealed >> 64) as u64, sealed as u64);
        for round in (0..ROUNDS).rev() {
            (left, right) = (right ^ self.mask(list, round, left), left);
        }
        (right == MARK).then(|| ListPosition(left.cast_signed()))
    }

    fn mask(&self, List { path, owner_id }: List, round: u8, half: u64) -> u64 {
        let hash: [u8; 32] = Sha256::new()
            .chain_update("cursor")
            .chain_update(&self.secret)
            .chain_update(owner_id.to_be_bytes())
            .chain_update([round])
            .chain_update(half.to_be_bytes())
            .chain_update(path)
            .finalize()
            .into();
        hash.iter().take(8).fold(0, |mask, byte| mask << 8 | u64::from(*byte))
    }
}

impl std::fmt::Debug for Seal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Seal(…)")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LINKS: &str = "/api/v1/links";

    fn seal() -> Seal {
        Seal::new("some installation".to_owned())
    }

    proptest! {
        #[test]
        fn a_position_comes_back(position in 0..=i64::MAX, owner_id: i64) {
            let (seal, list) = (seal(), List { path: LINKS, owner_id });
            let cursor = seal.close(list, ListPosition(position)).to_string();
            let opened = seal.open(list, Cursor::parse(&cursor).unwrap());
            prop_assert_eq!(opened, Some(ListPosition(position)));
        }

        #[test]
        fn what_was_not_sealed_for_the_list_is_no_cursor(
            position in 0..=i64::MAX,
            owner_id: i64,
            other: i64,
            bit in 0..128,
            made_up: u128,
        ) {
            let list = List { path: LINKS, owner_id };
            let cursor = seal().close(list, ListPosition(position));
            prop_assert_eq!(seal().open(list, Cursor(cursor.0 ^ 1_u128 << bit)), None);
            prop_assert_eq!(seal().open(list, Cursor(made_up)), None);
            prop_assume!(other != owner_id);
            prop_assert_eq!(seal().open(List { owner_id: other, ..list }, cursor), None);
            prop_assert_eq!(seal().open(List { path: "/api/v1/qrcodes", ..list }, cursor), None);
            prop_assert_eq!(Seal::new("another".to_owned()).open(list, cursor), None);
        }
    }

    #[test]
    fn positions_are_not_to_be_read() {
        let list = List { path: LINKS, owner_id: 1 };
        let close = |position| seal().close(list, ListPosition(position)).0;
        let steps: Vec<u128> =
            (1..100).map(|position| close(position + 1).wrapping_sub(close(position))).collect();
        assert!(steps.iter().all(|step| steps.iter().filter(|other| *other == step).count() == 1));
    }

    #[test]
    fn what_is_no_cursor_is_refused() {
        let good = "0123456789abcdef0123456789abcdef";
        assert!(Cursor::parse(good).is_ok());
        let signed = good.replacen('0', "-", 1);
        let (longer, shorter) = (format!("{good}0"), &good[1..]);
        for text in ["", "x", &signed, &good.to_uppercase(), &longer, shorter] {
            assert!(Cursor::parse(text).is_err(), "{text}");
        }
    }
}
