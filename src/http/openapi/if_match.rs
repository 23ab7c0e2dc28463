//! The header `If-Match` (RFC 9110, section 13.1.1), and conditions that are not evaluated.

use poem::Request;
use poem::http::{HeaderMap, Method, header};

use super::field::text_schema;
use super::parameter::parameter_extractor;
use crate::domain::version::{Precondition, Version};
use crate::http::problem::Problem;
use crate::http::problem_examples::ProblemExample;
use crate::values::ErrorCode;

/// Name of the header.
pub(super) const HEADER: &str = "If-Match";

/// The precondition of a request, if it has one.
#[derive(Debug)]
pub struct IfMatch(pub Option<Precondition>);

parameter_extractor!(
    [] IfMatch,
    Header,
    false,
    text_schema(1, 8192, r#"^(\*|(W/)?"[^"]*"( *, *(W/)?"[^"]*")*)$"#),
    |request, _| precondition(request.headers()).map(Self)
);

/// Returns the precondition of a request, or `None` if it has none. A weak tag matches no version,
/// and neither does a tag that Terse did not issue.
///
/// # Errors
/// If the header is not a list of entity tags.
pub fn precondition(headers: &HeaderMap) -> Result<Option<Precondition>, Problem> {
    let malformed = || ProblemExample::MALFORMED_IF_MATCH.problem();
    let mut versions = Vec::new();
    let mut has_tag = false;
    for field in headers.get_all(header::IF_MATCH) {
        let mut rest = field.to_str().map_err(|_| malformed())?.trim();
        if rest == "*" {
            return Ok(Some(Precondition::Any));
        }
        loop {
            // Elements of a list may be empty (RFC 9110, section 5.6.1.2).
            rest = rest.trim_start_matches([',', ' ', '\t']);
            if rest.is_empty() {
                break;
            }
            has_tag = true;
            let (is_weak, tag) = rest.strip_prefix("W/").map_or((false, rest), |tag| (true, tag));
            let (opaque, after) =
                tag.strip_prefix('"').and_then(|tag| tag.split_once('"')).ok_or_else(malformed)?;
            if !is_weak && let Ok(version) = opaque.parse::<Version>() {
                versions.push(version);
            }
            rest = after.trim_start();
            if !rest.is_empty() && !rest.starts_with(',') {
                return Err(malformed());
            }
        }
    }
    match has_tag {
        true => Ok(Some(Precondition::OneOf(versions))),
        false if headers.contains_key(header::IF_MATCH) => Err(malformed()),
        false => Ok(None),
    }
}

/// Returns the problem of the first condition of a request that its operation does not evaluate, if there is
/// one. `has_if_match` says whether it evaluates `If-Match`.
pub fn unevaluated(request: &Request, has_if_match: bool) -> Option<Problem> {
    // Browsers send some by themselves when they read.
    let is_change = ![Method::GET, Method::HEAD].contains(request.method());
    let conditions = [
        (header::IF_MATCH, HEADER, has_if_match),
        (header::IF_UNMODIFIED_SINCE, "If-Unmodified-Since", false),
        (header::IF_NONE_MATCH, "If-None-Match", false),
    ];
    let (_, name, _) = conditions.into_iter().find(|(header, _, is_evaluated)| {
        is_change && !is_evaluated && request.headers().contains_key(header)
    })?;
    let error = ErrorCode::NotAllowed.because("is not evaluated by this operation");
    Some(Problem::malformed_header(name, &error))
}

#[cfg(test)]
mod tests {
    use poem::http::HeaderValue;

    use super::*;

    fn parsed(value: &'static str) -> Result<Option<Precondition>, Problem> {
        let field = (header::IF_MATCH, HeaderValue::from_static(value));
        precondition(&[field].into_iter().collect())
    }

    #[test]
    fn tags_are_parsed_as_a_list() {
        let one: Version = "1".repeat(32).parse().unwrap();
        let tags = concat!(
            r#""11111111111111111111111111111111", W/"22222222222222222222222222222222","#,
            r#" "a,b""#
        );
        assert_eq!(parsed(tags).unwrap(), Some(Precondition::OneOf(vec![one])));
        let empty = r#" , "11111111111111111111111111111111", ,"a","#;
        assert_eq!(parsed(empty).unwrap(), Some(Precondition::OneOf(vec![one])));
        assert_eq!(parsed("*").unwrap(), Some(Precondition::Any));
        assert_eq!(parsed(r#""""#).unwrap(), Some(Precondition::OneOf(Vec::new())));
        assert_eq!(precondition(&HeaderMap::new()).unwrap(), None);
        for malformed in ["", " , ", "x", "\"a", "a\"", "\"a\" \"b\"", "*, \"a\"", "w/\"a\""] {
            assert!(parsed(malformed).is_err(), "{malformed}");
        }
    }
}
