//! Query parameters of operations, and query strings (`application/x-www-form-urlencoded`), which this module
//! parses strictly.

use std::str::Utf8Error;

use percent_encoding::percent_decode_str;
use poem::Request;
use poem_openapi::registry::MetaSchema;

use super::field::of_text;
use crate::http::problem::Problem;
use crate::values::{ErrorCode, ValidationError};

/// An optional query parameter. Unlike poem-openapi's own parameters, it does not replace invalid
/// UTF-8 with U+FFFD.
#[derive(Debug)]
pub struct Parameter<T>(pub Option<T>);

/// A type of values that a query parameter can have.
pub trait ParameterValue: Sized + Send {
    /// Returns the schema of the values.
    fn schema() -> MetaSchema;

    /// Parses a percent-decoded value.
    ///
    /// # Errors
    /// If the text is not a valid value.
    fn from_text(text: &str) -> Result<Self, ValidationError>;
}

/// Makes a type the type of a query parameter, whose values `$parse` parses.
macro_rules! parameter_value {
    ($type:ty, $parse:expr, $schema:expr) => {
        impl $crate::http::openapi::parameter::ParameterValue for $type {
            fn schema() -> ::poem_openapi::registry::MetaSchema {
                $schema
            }

            fn from_text(text: &str) -> Result<Self, $crate::values::ValidationError> {
                let parse: fn(&str) -> Result<Self, $crate::values::ValidationError> = $parse;
                parse(text)
            }
        }
    };
}

/// Implements the extraction of a parameter in the query or a header, to which a function converts the request
/// and the name of the parameter.
macro_rules! parameter_extractor {
    ([$($generics:tt)*] $type:ty, $place:ident, $is_required:expr, $schema:expr, $extract:expr) => {
        const _: () = {
            use poem::{Request, RequestBody, Result};
            use poem_openapi::registry::{MetaParamIn, MetaSchemaRef};
            use poem_openapi::{ApiExtractor, ApiExtractorType, ExtractParamOptions};

            impl<'a, $($generics)*> ApiExtractor<'a> for $type {
                const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::Parameter];
                const PARAM_IS_REQUIRED: bool = $is_required;
                type ParamType = ();
                type ParamRawType = ();

                fn param_in() -> Option<MetaParamIn> {
                    Some(MetaParamIn::$place)
                }

                fn param_schema_ref() -> Option<MetaSchemaRef> {
                    Some(MetaSchemaRef::Inline(Box::new($schema)))
                }

                async fn from_request(
                    request: &'a Request,
                    _: &mut RequestBody,
                    options: ExtractParamOptions<()>,
                ) -> Result<Self> {
                    let extract: fn(&Request, &str) -> Result<Self, Problem> = $extract;
                    Ok(extract(request, options.name)?)
                }
            }
        };
    };
}

pub(super) use parameter_extractor;
pub(in crate::http) use parameter_value;

parameter_extractor!([T: ParameterValue] Parameter<T>, Query, false, T::schema(), |request, name| {
    parse(request, name).map(Self).map_err(|error| Problem::malformed_parameter(name, &error))
});

/// A query parameter without which the request is malformed.
#[derive(Debug)]
pub struct Required<T>(pub T);

parameter_extractor!([T: ParameterValue] Required<T>, Query, true, T::schema(), |request, name| {
    let required = || ErrorCode::Required.because("is required");
    let value = parse(request, name).and_then(|value| value.ok_or_else(required));
    value.map(Self).map_err(|error| Problem::malformed_parameter(name, &error))
});

/// A query parameter that may appear up to `MAX` times.
#[derive(Debug)]
pub struct Repeated<T, const MAX: usize>(pub Vec<T>);

parameter_extractor!(
    [T: ParameterValue, const MAX: usize] Repeated<T, MAX>,
    Query,
    false,
    MetaSchema {
        items: Some(Box::new(MetaSchemaRef::Inline(Box::new(T::schema())))),
        max_items: Some(MAX),
        ..MetaSchema::new("array")
    },
    |request, name| {
        let texts = query_parameters(request, name).map(|text| parse_text(&text?));
        let values = texts.collect::<Result<Vec<T>, _>>().and_then(|values| {
            let reason =
                || ErrorCode::TooLong.because(format!("must not appear more than {MAX} times"));
            (values.len() <= MAX).then_some(values).ok_or_else(reason)
        });
        values.map(Self).map_err(|error| Problem::malformed_parameter(name, &error))
    }
);

/// Parses a parameter of a request, if it has it.
fn parse<T: ParameterValue>(request: &Request, name: &str) -> Result<Option<T>, ValidationError> {
    query_parameter(request, name).and_then(|text| text.as_deref().map(parse_text).transpose())
}

fn parse_text<T: ParameterValue>(text: &str) -> Result<T, ValidationError> {
    let value = T::from_text(text).map_err(|error| of_text(error, text, &T::schema()))?;
    check_limits(text, &T::schema()).map(|()| value)
}

/// Checks the limits that the document declares, besides the rules of the type.
fn check_limits(text: &str, schema: &MetaSchema) -> Result<(), ValidationError> {
    let length = text.chars().count();
    if let Some(least) = schema.min_length.filter(|least| length < *least) {
        return Err(
            ErrorCode::OutOfRange.because(format!("must not be shorter than {least} characters"))
        );
    }
    if let Some(most) = schema.max_length.filter(|most| length > *most) {
        return Err(
            ErrorCode::TooLong.because(format!("must not be longer than {most} characters"))
        );
    }
    let number = text.parse().ok();
    let exceeds = |most: &f64| number.is_some_and(|number: f64| number > *most);
    if let Some(most) = schema.maximum.filter(exceeds) {
        return Err(ErrorCode::OutOfRange.because(format!("must not be more than {most}")));
    }
    Ok(())
}

/// Returns the problem of the first query parameter of a request that is not one of the `known` ones, if there
/// is one.
pub fn unknown(request: &Request, known: &[String]) -> Option<Problem> {
    let pairs = request.uri().query().unwrap_or_default().split('&');
    let mut names = pairs.filter(|pair| !pair.is_empty()).map(|pair| {
        let (key, _) = pair.split_once('=').unwrap_or((pair, ""));
        decode(key).unwrap_or_else(|_| key.to_owned())
    });
    let name = names.find(|name| !known.contains(name))?;
    Some(Problem::malformed_parameter(&name, &ErrorCode::Unknown.because("is unknown")))
}

/// Returns the value of the query parameter `name`, or `None` if the request lacks it.
///
/// # Errors
/// If the parameter appears more than once or is not UTF-8.
pub fn query_parameter(request: &Request, name: &str) -> Result<Option<String>, ValidationError> {
    let mut values = query_parameters(request, name);
    let value = values.next().transpose()?;
    match values.next() {
        Some(_) => Err(ErrorCode::NotAllowed.because("must not appear more than once")),
        None => Ok(value),
    }
}

/// Returns the values of a query parameter that may appear several times. A value that is not UTF-8 is
/// an error.
fn query_parameters(
    request: &Request,
    name: &str,
) -> impl Iterator<Item = Result<String, ValidationError>> {
    let query = request.uri().query().unwrap_or_default();
    query.split('&').filter_map(move |pair| {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        let is_named = decode(key).is_ok_and(|key| key == name);
        is_named.then(|| decode(value).map_err(|_| ValidationError::because("must be UTF-8")))
    })
}

fn decode(text: &str) -> Result<String, Utf8Error> {
    let text = text.replace('+', " ");
    percent_decode_str(&text).decode_utf8().map(Into::into)
}

/// Returns the code of the error of a text that must be a number in a range.
pub fn number_error(text: &str) -> ErrorCode {
    if text.parse::<i128>().is_ok() { ErrorCode::OutOfRange } else { ErrorCode::WrongType }
}

/// Parses decimal digits. Returns `None` for anything else, even for a sign, which `str::parse`
/// alone would accept.
pub fn whole_number(text: &str) -> Option<u32> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}
