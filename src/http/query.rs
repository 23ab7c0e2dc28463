//! Query strings (`application/x-www-form-urlencoded`), which this module parses strictly.

use std::str::Utf8Error;

use percent_encoding::percent_decode_str;
use poem::Request;

use super::problem::Problem;
use crate::values::{ErrorCode, ValidationError};

/// Name of a query parameter that the operation does not have.
#[derive(Debug, Clone)]
pub struct UnknownParameter(String);

impl UnknownParameter {
    /// Returns the first parameter of a request that is not one of the `known` ones.
    pub fn find(request: &Request, known: &[String]) -> Option<Self> {
        let pairs = request.uri().query().unwrap_or_default().split('&');
        let mut names = pairs.filter(|pair| !pair.is_empty()).map(|pair| {
            let (key, _) = pair.split_once('=').unwrap_or((pair, ""));
            decode(key).unwrap_or_else(|_| key.to_owned())
        });
        names.find(|name| !known.contains(name)).map(Self)
    }

    /// Returns the problem that names the parameter.
    pub fn problem(&self) -> Problem {
        Problem::malformed_parameter(&self.0, &ErrorCode::Unknown.because("is unknown"))
    }
}

/// Returns the value of the query parameter `name`, or `None` if the request lacks it.
///
/// # Errors
/// If the parameter appears more than once or is not UTF-8.
pub fn parameter(request: &Request, name: &str) -> Result<Option<String>, ValidationError> {
    let mut values = parameters(request, name);
    let value = values.next().transpose()?;
    match values.next() {
        Some(_) => Err(ErrorCode::NotAllowed.because("must not appear more than once")),
        None => Ok(value),
    }
}

/// Returns the values of a query parameter that may appear several times. A value that is not UTF-8 is
/// an error.
pub fn parameters(
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
