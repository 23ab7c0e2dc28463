//! Cursors: encrypted positions in lists.

use sha2::{Digest as _, Sha256};

use crate::domain::page::ListPosition;
use crate::values::ValidationError;

/// Encrypted position in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor(u128);

impl Cursor {
    /// Length of a cursor in hexadecimal digits.
    pub const LENGTH: usize = 32;
    /// Cursor in the examples of the OpenAPI document.
    pub const EXAMPLE: &str = "3f9c01d27be4a865b07d52c8e1964af3";

    /// Parses the text of a cursor.
    ///
    /// # Errors
    /// If `text` is not 32 hexadecimal digits in lower case.
    pub fn parse(text: &str) -> Result<Self, ValidationError> {
        let digits = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let is_hex = text.len() == Self::LENGTH && text.bytes().all(digits);
        let encrypted = u128::from_str_radix(text, 16).ok().filter(|_| is_hex);
        encrypted.map(Self).ok_or(ValidationError::because(
            "must be taken from the header Link of an earlier response",
        ))
    }
}

impl std::fmt::Display for Cursor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// Identity of the list for which a cursor is valid.
#[derive(Debug, Clone, Copy)]
pub struct OwnerList<'a> {
    /// Path of the operation, with its query if the cursor belongs to the conditions too.
    pub path: &'a str,
    /// Identifier of the owner of the links.
    pub owner_id: i64,
}

/// Cipher for positions in lists. A position is the identifier of a link, and would reveal the
/// number of links of the service. Decryption rejects invented cursors, and those of other lists or
/// owners.
pub struct CursorCipher {
    secret: String,
}

/// Number of rounds of the Feistel network. Four resist chosen-ciphertext attacks (Luby and
/// Rackoff, 1988).
const ROUNDS: u8 = 4;
/// Constant half of the plaintext, by which decryption recognises a valid cursor (Bellare and
/// Rogaway, "Encode-then-encipher encryption", 2000).
const PLAINTEXT_CHECK: u64 = 0;

impl CursorCipher {
    /// Creates a cipher from the secret that all instances on a database share.
    pub fn new(secret: String) -> Self {
        Self { secret }
    }

    /// Encrypts a position in a list.
    pub fn encrypt(&self, list: OwnerList<'_>, position: ListPosition) -> Cursor {
        let (mut left, mut right) = (position.0.cast_unsigned(), PLAINTEXT_CHECK);
        for round in 0..ROUNDS {
            (left, right) = (right, left ^ self.mask(list, round, right));
        }
        Cursor(u128::from(left) << 64 | u128::from(right))
    }

    /// Decrypts a cursor. Returns `None` if the cursor was not encrypted for this list.
    pub fn decrypt(&self, list: OwnerList<'_>, Cursor(encrypted): Cursor) -> Option<ListPosition> {
        let (mut left, mut right) = ((encrypted >> 64) as u64, encrypted as u64);
        for round in (0..ROUNDS).rev() {
            (left, right) = (right ^ self.mask(list, round, left), left);
        }
        (right == PLAINTEXT_CHECK).then(|| ListPosition(left.cast_signed()))
    }

    fn mask(&self, OwnerList { path, owner_id }: OwnerList<'_>, round: u8, half: u64) -> u64 {
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LINKS: &str = "/api/v1/links";

    fn cipher() -> CursorCipher {
        CursorCipher::new("some secret".to_owned())
    }

    proptest! {
        #[test]
        fn decryption_returns_the_position(position in 0..=i64::MAX, owner_id: i64) {
            let (cipher, list) = (cipher(), OwnerList { path: LINKS, owner_id });
            let cursor = cipher.encrypt(list, ListPosition(position)).to_string();
            let decrypted = cipher.decrypt(list, Cursor::parse(&cursor).unwrap());
            prop_assert_eq!(decrypted, Some(ListPosition(position)));
        }

        #[test]
        fn cursor_of_another_list_is_rejected(
            position in 0..=i64::MAX,
            owner_id: i64,
            other: i64,
            bit in 0..128,
            made_up: u128,
        ) {
            let list = OwnerList { path: LINKS, owner_id };
            let cursor = cipher().encrypt(list, ListPosition(position));
            prop_assert_eq!(cipher().decrypt(list, Cursor(cursor.0 ^ 1_u128 << bit)), None);
            prop_assert_eq!(cipher().decrypt(list, Cursor(made_up)), None);
            prop_assume!(other != owner_id);
            prop_assert_eq!(cipher().decrypt(OwnerList { owner_id: other, ..list }, cursor), None);
            let qr_codes = OwnerList { path: "/api/v1/qrcodes", ..list };
            prop_assert_eq!(cipher().decrypt(qr_codes, cursor), None);
            prop_assert_eq!(CursorCipher::new("another".to_owned()).decrypt(list, cursor), None);
        }
    }

    #[test]
    fn cursors_do_not_reveal_positions() {
        let list = OwnerList { path: LINKS, owner_id: 1 };
        let encrypt = |position| cipher().encrypt(list, ListPosition(position)).0;
        let steps: Vec<u128> = (1..100)
            .map(|position| encrypt(position + 1).wrapping_sub(encrypt(position)))
            .collect();
        assert!(steps.iter().all(|step| steps.iter().filter(|other| *other == step).count() == 1));
    }

    #[test]
    fn malformed_cursor_is_rejected() {
        let good = "0123456789abcdef0123456789abcdef";
        assert!(Cursor::parse(good).is_ok());
        let signed = good.replacen('0', "-", 1);
        let (longer, shorter) = (format!("{good}0"), &good[1..]);
        for text in ["", "x", &signed, &good.to_uppercase(), &longer, shorter] {
            assert!(Cursor::parse(text).is_err(), "{text}");
        }
    }
}
