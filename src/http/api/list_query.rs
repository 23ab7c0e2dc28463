//! Which part of a list a client asks for.

use url::form_urlencoded::Serializer;

use crate::domain::links::Place;
use crate::http::query::whole_number;
use crate::store::links::Filter;
use crate::values::{BaseUrl, Campaign, Invalid};

/// At most so many links: 1 to 1,000.
#[derive(Debug, Clone, Copy)]
pub struct Limit(pub u32);

/// Only links that redirect (1), or only those that do not (0).
#[derive(Debug, Clone, Copy)]
pub struct Active(pub bool);

/// Where the list goes on, as [`ListQuery::next`] has made it. It says nothing of whose list it is:
/// each owner's own is all that it can lead through.
#[derive(Debug, Clone, Copy)]
pub struct Cursor(Place);

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

impl Cursor {
    /// 16 hexadecimal digits of a positive number.
    pub(super) const PATTERN: &str = "^[0-7][0-9a-f]{15}$";

    pub(super) fn parse(text: &str) -> Result<Self, Invalid> {
        let digits = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let is_hex = text.len() == 16 && text.bytes().all(digits);
        let place = i64::from_str_radix(text, 16).ok().filter(|_| is_hex);
        place
            .map(|place| Self(Place(place)))
            .ok_or(Invalid("must be taken from the header Link of an earlier answer".into()))
    }
}

impl std::fmt::Display for Cursor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:016x}", self.0.0)
    }
}

/// What a list is to show.
#[derive(Debug)]
pub struct ListQuery {
    pub(super) limit: Option<Limit>,
    pub(super) cursor: Option<Cursor>,
    pub(super) campaign: Option<Campaign>,
    pub(super) active: Option<Active>,
}

impl ListQuery {
    pub(super) fn place(&self) -> Place {
        self.cursor.map_or(Place::START, |Cursor(place)| place)
    }

    pub(super) fn filter(&self) -> Filter {
        Filter {
            campaign: self.campaign.clone().map(Campaign::into_string),
            active: self.active.map(|Active(active)| active),
        }
    }

    /// The header `Link` of a list that goes on at `place`, with the same parameters.
    pub(super) fn next(&self, base_url: &BaseUrl, path: &str, place: Place) -> String {
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
        query.append_pair("cursor", &Cursor(place).to_string());
        format!("<{base_url}{path}?{}>; rel=\"next\"", query.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_comes_back() {
        let cursor = Cursor(Place(0x0123_4567_89ab_cdef));
        assert_eq!(Cursor::parse(&cursor.to_string()).unwrap().0, cursor.0);
        for text in ["", "x", "-123456789abcdef", "0123456789ABCDEF", "8000000000000000"] {
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
