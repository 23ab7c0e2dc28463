use std::collections::HashMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;

/// The members of a JSON object by name. A name that is there twice does not say which member it
/// means (RFC 8259, section 4), and serde_json's own map would take the last without a word.
#[derive(Debug)]
pub(super) struct Members(pub(super) HashMap<String, Member>);

/// What an object has under one name.
#[derive(Debug)]
pub(super) enum Member {
    /// One value.
    Once(Value),
    /// Several, whether or not they are the same.
    Repeated,
}

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Collect)
    }
}

struct Collect;

impl<'de> Visitor<'de> for Collect {
    type Value = Members;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Members, A::Error> {
        let mut members = HashMap::new();
        while let Some((name, value)) = object.next_entry()? {
            members
                .entry(name)
                .and_modify(|member| *member = Member::Repeated)
                .or_insert(Member::Once(value));
        }
        Ok(Members(members))
    }
}
