//! Which part of a list a client asks for.

use poem_openapi::types::{ParseError, ParseFromParameter, ParseResult};
use sha2::{Digest, Sha256};
use url::form_urlencoded::Serializer;

use crate::domain::links::Place;
use crate::http::problem::{Kind, Problem};
use crate::store::links::Filter;
use crate::values::{BaseUrl, Campaign, Invalid};

/// At most so many links: 1 to 1,000.
#[derive(Debug, Clone, Copy)]
pub struct Limit(pub u32);

/// Only links that redirect (1), or only those that do not (0).
#[derive(Debug, Clone, Copy)]
pub struct Active(pub bool);

/// Where the list goes on, for one owner, as [`ListQuery::next`] has made it.
#[derive(Debug, Clone)]
pub struct Cursor {
    place: Place,
    check: [u8; CHECK],
}

/// Bytes that tell a cursor of this owner's from anything else.
const CHECK: usize = 4;

impl Limit {
    /// The largest.
    pub(super) const MAX: u32 = 1_000;

    pub(super) fn parse(text: &str) -> Result<Self, Invalid> {
        match whole_number(text) {
            Some(limit) if (1..=Self::MAX).contains(&limit) => Ok(Self(limit)),
            Some(_) | None => Err(Invalid("must be a number from 1 to 1000".into())),
        }
    }
}

impl Active {
    pub(super) fn parse(text: &str) -> Result<Self, Invalid> {
        match text {
            "0" => Ok(Self(false)),
            "1" => Ok(Self(true)),
            _ => Err(Invalid("must be 0 or 1".into())),
        }
    }
}

/// Digits and nothing else: no sign, which `parse` would take.
fn whole_number(text: &str) -> Option<u32> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

impl Cursor {
    /// Takes 24 hexadecimal digits.
    pub(super) fn parse(text: &str) -> Result<Self, Invalid> {
        let wrong = || Invalid("must be taken from the header Link of an earlier answer".into());
        let is_hex = text.len() == 24 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let (place, check) = text.split_at_checked(16).filter(|_| is_hex).ok_or_else(wrong)?;
        let place = i64::from_str_radix(place, 16).map_err(|_| wrong())?;
        let check = u32::from_str_radix(check, 16).map_err(|_| wrong())?;
        Ok(Self { place: Place(place), check: check.to_be_bytes() })
    }

    fn new(place: Place, owner_id: i64) -> Self {
        let mut digest = Sha256::new();
        digest.update(b"terse list cursor");
        digest.update(owner_id.to_be_bytes());
        digest.update(place.0.to_be_bytes());
        let mut check = [0; CHECK];
        check.copy_from_slice(&digest.finalize()[..CHECK]);
        Self { place, check }
    }

    /// Whether it was made for that owner.
    fn is_of(&self, owner_id: i64) -> bool {
        Self::new(self.place, owner_id).check == self.check
    }
}

impl std::fmt::Display for Cursor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:016x}{:08x}", self.place.0, u32::from_be_bytes(self.check))
    }
}

macro_rules! from_parameter {
    ($($type:ty),*) => {
        $(impl ParseFromParameter for $type {
            fn parse_from_parameter(value: &str) -> ParseResult<Self> {
                Self::parse(value).map_err(ParseError::custom)
            }
        })*
    };
}
from_parameter!(Limit, Active, Cursor, Campaign);

/// What a list is to show.
#[derive(Debug)]
pub struct ListQuery {
    pub(super) limit: Option<Limit>,
    cursor: Option<Cursor>,
    campaign: Option<Campaign>,
    active: Option<Active>,
}

impl ListQuery {
    /// What the parameters say, unless the cursor is not this owner's.
    pub(super) fn new(
        owner_id: i64,
        limit: Option<Limit>,
        cursor: Option<Cursor>,
        campaign: Option<Campaign>,
        active: Option<Active>,
    ) -> Result<Self, Problem> {
        if cursor.as_ref().is_some_and(|cursor| !cursor.is_of(owner_id)) {
            let detail = "The parameter cursor is not one of a list of yours.";
            return Err(Problem::new(Kind::MalformedRequest, detail));
        }
        Ok(Self { limit, cursor, campaign, active })
    }

    pub(super) fn place(&self) -> Place {
        self.cursor.as_ref().map_or(Place::START, |cursor| cursor.place)
    }

    pub(super) fn filter(&self) -> Filter {
        Filter {
            campaign: self.campaign.clone().map(Campaign::into_string),
            active: self.active.map(|Active(active)| active),
        }
    }

    /// The header `Link` of a list that goes on at `place`, with the same parameters.
    pub(super) fn next(
        &self,
        base_url: &BaseUrl,
        path: &str,
        owner_id: i64,
        place: Place,
    ) -> String {
        let Self { limit, cursor: _, campaign, active } = self;
        let mut query = Serializer::new(String::new());
        if let Some(Limit(limit)) = limit {
            query.append_pair("limit", &limit.to_string());
        }
        if let Some(campaign) = campaign {
            query.append_pair("campaign", &campaign.clone().into_string());
        }
        if let Some(Active(active)) = active {
            query.append_pair("active", if *active { "1" } else { "0" });
        }
        query.append_pair("cursor", &Cursor::new(place, owner_id).to_string());
        format!("<{base_url}{path}?{}>; rel=\"next\"", query.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_comes_back_and_is_its_owners_own() {
        let cursor = Cursor::new(Place(0x0123_4567_89ab_cdef), 7);
        let parsed = Cursor::parse(&cursor.to_string()).unwrap();
        assert_eq!(parsed.place, cursor.place);
        assert!(parsed.is_of(7) && !parsed.is_of(8));
        for text in
            ["", "x", "-123456789abcdef00000000", "0123456789abcdef0000000g", &"0".repeat(25)]
        {
            assert!(Cursor::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn limits_are_digits_from_1_to_1000() {
        assert!(["1", "1000", "0010"].iter().all(|text| Limit::parse(text).is_ok()));
        assert!(
            ["0", "1001", "+1", "-1", "1.0", "", "99999999999"]
                .iter()
                .all(|text| Limit::parse(text).is_err())
        );
    }
}
