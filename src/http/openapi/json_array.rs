//! JSON bodies with a long array of request objects, each of which is parsed by itself.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::json_body::{malformed, parse};
use super::json_fields::{FromFields, MAX_UNKNOWN, unknown_member};
use crate::http::problem::{FieldError, Problem};
use crate::http::problem_examples::ProblemExample;
use crate::http::request_body::MAX_BODY;
use crate::values::{ErrorCode, ValidationError};

/// An element of the array.
#[derive(Debug)]
pub struct Element<'a, T> {
    /// Its JSON text.
    pub text: &'a str,
    /// The request object, or the problem of the element with pointers from the body.
    pub parsed: Result<T, Problem>,
}

/// Parses a body whose members are the array `name` with 1 to `max` elements and, if it is there, `option`.
/// Returns the JSON text of `option`, and the elements. An element may have
/// as many bytes as a body. The parser holds one element at a time as a tree, which takes many times
/// the memory of its text.
///
/// # Errors
/// If the body is not such an object. An invalid element does not make the body invalid.
pub fn elements<'a, T: FromFields>(
    bytes: &'a [u8],
    name: &'static str,
    option: &'static str,
    max: usize,
) -> Result<(Option<&'a str>, impl Iterator<Item = Element<'a, T>>), Problem> {
    let is_object = bytes.trim_ascii_start().starts_with(b"{");
    if !is_object {
        serde_json::from_slice::<IgnoredAny>(bytes).map_err(malformed)?;
        return Err(ProblemExample::NOT_AN_OBJECT.problem());
    }
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let members = reader.deserialize_map(MembersVisitor { name, option }).map_err(malformed)?;
    reader.end().map_err(malformed)?;
    let Members { mut found, options, unknown } = members;
    let pointer = format!("/{name}");
    let mut errors = unknown;
    if options.len() > 1 {
        let repeated = ErrorCode::NotAllowed.because("must not appear more than once");
        errors.push(FieldError::at_pointer(format!("/{option}"), &repeated));
    }
    let option = options.first().map(|option| option.get());
    let array = if found.len() > 1 {
        Err(ErrorCode::NotAllowed.because("must not appear more than once"))
    } else {
        let missing = ErrorCode::Required.because("is required");
        found.pop().ok_or(missing).and_then(|text| array(text, max))
    };
    match array {
        Ok(texts) if errors.is_empty() => {
            let texts = texts.into_iter().enumerate();
            let element = move |(index, text)| element(text, &format!("{pointer}/{index}"));
            Ok((option, texts.map(element)))
        }
        Ok(_) => Err(Problem::invalid(errors)),
        Err(error) => {
            errors.push(FieldError::at_pointer(pointer, &error));
            Err(Problem::invalid(errors))
        }
    }
}

/// Returns the texts of the elements of an array.
fn array(text: &RawValue, max: usize) -> Result<Vec<&RawValue>, ValidationError> {
    if !text.get().starts_with('[') {
        return Err(ErrorCode::WrongType.because("must be an array"));
    }
    let malformed = |error| ValidationError::because(format!("is malformed: {error}"));
    let elements: ArrayTexts<'_> = serde_json::from_str(text.get()).map_err(malformed)?;
    if (1..=max).contains(&elements.total) {
        Ok(elements.first.into_iter().take(max).collect())
    } else {
        let reason = format!("must have 1 to {max} elements, not {}", elements.total);
        Err(ErrorCode::of_length(elements.total).because(reason))
    }
}

fn element<'a, T: FromFields>(text: &'a RawValue, pointer: &str) -> Element<'a, T> {
    let text = text.get();
    let parsed = if text.len() > MAX_BODY {
        Err(ProblemExample::TOO_LARGE.problem())
    } else {
        parse(text.as_bytes()).map_err(|problem| problem.below(pointer))
    };
    Element { text, parsed }
}

/// The members of the body.
struct Members<'a> {
    /// The values of the array's name.
    found: Vec<&'a RawValue>,
    /// The values of the option.
    options: Vec<&'a RawValue>,
    unknown: Vec<FieldError>,
}

struct MembersVisitor {
    name: &'static str,
    option: &'static str,
}

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Members<'de>, A::Error> {
        let mut members = Members { found: Vec::new(), options: Vec::new(), unknown: Vec::new() };
        while let Some(name) = object.next_key::<Cow<'_, str>>()? {
            if name == self.name && members.found.len() < 2 {
                members.found.push(object.next_value()?);
            } else if name == self.option && members.options.len() < 2 {
                members.options.push(object.next_value()?);
            } else {
                object.next_value::<IgnoredAny>()?;
                let is_known = name == self.name || name == self.option;
                if !is_known && members.unknown.len() < MAX_UNKNOWN {
                    members.unknown.push(unknown_member(&name));
                }
            }
        }
        Ok(members)
    }
}

/// The elements of an array. Of a long array, it holds only the first ones.
struct ArrayTexts<'a> {
    first: Vec<&'a RawValue>,
    total: usize,
}

impl ArrayTexts<'_> {
    const MAX_HELD: usize = 1_000;
}

impl<'de> Deserialize<'de> for ArrayTexts<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(ArrayTextsVisitor(PhantomData))
    }
}

struct ArrayTextsVisitor<'de>(PhantomData<&'de ()>);

impl<'de> Visitor<'de> for ArrayTextsVisitor<'de> {
    type Value = ArrayTexts<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<ArrayTexts<'de>, A::Error> {
        let mut elements = ArrayTexts { first: Vec::new(), total: 0 };
        while elements.first.len() < ArrayTexts::MAX_HELD {
            let Some(element) = array.next_element()? else { return Ok(elements) };
            elements.first.push(element);
            elements.total += 1;
        }
        while array.next_element::<IgnoredAny>()?.is_some() {
            elements.total += 1;
        }
        Ok(elements)
    }
}
