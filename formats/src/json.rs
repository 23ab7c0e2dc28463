//! A JSON parser that rejects objects with duplicate names. RFC 8259, section 4, does not define
//! which of the values applies, and the import would lose the others.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::steps;

/// Parses a JSON value.
///
/// # Errors
/// If the text is not JSON, or an object in it has two members with the same name.
pub(crate) fn parse(text: &str) -> Result<Value, serde_json::Error> {
    steps::count(text.len());
    serde_json::from_str(text).map(|Unambiguous(value)| value)
}

/// Returns the names of the members of an object, without building their values.
///
/// # Errors
/// If the text is not a JSON object.
pub(crate) fn member_names(text: &str) -> Result<Vec<String>, serde_json::Error> {
    steps::count(text.len());
    let mut reader = serde_json::Deserializer::from_str(text);
    let names = reader.deserialize_map(CollectNames)?;
    reader.end().map(|()| names)
}

struct CollectNames;

impl<'de> Visitor<'de> for CollectNames {
    type Value = Vec<String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Vec<String>, A::Error> {
        let mut names = Vec::new();
        while let Some((name, IgnoredAny)) = object.next_entry()? {
            names.push(name);
        }
        Ok(names)
    }
}

struct Unambiguous(Value);

impl<'de> Deserialize<'de> for Unambiguous {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Build).map(Self)
    }
}

struct Build;

impl<'de> Visitor<'de> for Build {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(Unambiguous(value)) = array.next_element()? {
            values.push(value);
        }
        Ok(values.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        while let Some((name, Unambiguous(value))) = object.next_entry::<String, _>()? {
            if members.contains_key(&name) {
                return Err(A::Error::custom(format!(
                    "'{}' appears more than once",
                    name.escape_debug()
                )));
            }
            members.insert(name, value);
        }
        Ok(members.into())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            (-1e9..1e9).prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::hash_map(any::<String>(), inner, 0..4)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn parse_agrees_with_serde_json(value in value()) {
            let text = value.to_string();
            prop_assert_eq!(parse(&text).unwrap(), serde_json::from_str::<Value>(&text).unwrap());
        }
    }

    #[test]
    fn parse_fails_with_a_duplicate_name() {
        for text in [r#"{"a":1,"a":1}"#, r#"[{"b":{"a":1,"\u0061":2}}]"#] {
            assert!(parse(text).unwrap_err().to_string().contains("'a' appears more than once"));
        }
        assert!(parse(r#"{"a":{"a":1},"b":[{"a":1},{"a":1}]}"#).is_ok());
    }
}
