//! Query parameters of the operations.

use poem_openapi::registry::MetaSchema;
use strum::VariantNames as _;

use super::fields::{
    CodeText, KeyId, OwnerId, code_schema, count_schema, destination_schema, enum_schema,
    external_id_schema, month_schema, parse_identifier, time_schema,
};
use crate::domain::changes::{Action, ActorType};
use crate::domain::clicks::MAX_CLICKS;
use crate::domain::links::{LinkConditions, LinkState};
use crate::http::openapi::field::{label_schema, note_schema};
use crate::http::openapi::page::Condition;
use crate::http::openapi::parameter::{number_error, parameter_value};
use crate::values::{
    ApiKey, BlockPattern, CaseId, Day, Destination, ErrorCode, ExternalId, Month, Name, Note,
    Reason, ShortCode, Timestamp, Title, ValidationError, parse_host, parse_url_or_host,
};

parameter_value!(
    CodeText,
    |text| Ok(Self(ShortCode::parse(text).ok())),
    MetaSchema { max_length: Some(8192), ..MetaSchema::new("string") }
);

/// Parses the identifier of `thing`.
fn identifier(text: &str, thing: &str) -> Result<i64, ValidationError> {
    let id = parse_identifier(text).filter(|id| (1..=MAX_CLICKS).contains(id));
    id.ok_or_else(|| number_error(text).because(format!("must be the identifier of {thing}")))
}

parameter_value!(OwnerId, |text| identifier(text, "an owner").map(Self), count_schema(1.0));
parameter_value!(KeyId, |text| identifier(text, "a key").map(Self), count_schema(1.0));

parameter_value!(
    ShortCode,
    |text| Self::parse(text).map_err(|_| ValidationError::because("must be a short code")),
    code_schema()
);

/// Returns the parameters of a request that searches links by these conditions.
pub fn conditions_of(codes: &[CodeText], conditions: &LinkConditions) -> Vec<Condition> {
    let LinkConditions { owner_id, external_id, campaign, state, host, destination, text, .. } =
        conditions.clone();
    let LinkConditions { created_after, created_before, updated_after, created_by, .. } =
        conditions;
    let time = |time: &Option<Timestamp>| time.map(Timestamp::to_millis_text);
    let codes = codes.iter().filter_map(|CodeText(code)| code.as_ref());
    let codes = codes.map(|code| ("code", Some(code.to_string())));
    let others = [
        ("owner_id", owner_id.map(|id| id.to_string())),
        ("external_id", external_id),
        ("campaign", campaign),
        ("state", state.map(str::to_owned)),
        ("host", host),
        ("destination_url", destination),
        ("q", text),
        ("created_after", time(created_after)),
        ("created_before", time(created_before)),
        ("updated_after", time(updated_after)),
        ("created_by_key_id", created_by.map(|id| id.to_string())),
    ];
    codes.chain(others).collect()
}

/// Identifier of an event.
#[derive(Debug, Clone, Copy)]
pub struct EventId(pub i64);

parameter_value!(
    EventId,
    |text| {
        let id = parse_identifier(text);
        id.map(Self).ok_or(number_error(text).because("must be the identifier of an event"))
    },
    count_schema(0.0)
);

parameter_value!(
    Action,
    |text| text.parse().map_err(|_| ErrorCode::NotAllowed.because("must be the name of an action")),
    enum_schema(Self::VARIANTS)
);

parameter_value!(
    ActorType,
    |text| text.parse().map_err(|_| ErrorCode::NotAllowed.because("must be the type of an actor")),
    enum_schema(Self::VARIANTS)
);

parameter_value!(
    Name,
    Self::parse,
    MetaSchema { min_length: Some(1), ..label_schema(Self::MAX_LENGTH) }
);

parameter_value!(
    BlockPattern,
    Self::parse,
    MetaSchema {
        max_length: Some(Destination::MAX_LENGTH),
        example: Some("evil.example".into()),
        ..MetaSchema::new("string")
    }
);

/// A URL or a host, as a URL.
#[derive(Debug)]
pub struct UrlOrHost(pub String);

parameter_value!(
    UrlOrHost,
    |text| match ApiKey::is_in(text) {
        true => Err(ErrorCode::NotAllowed.because("must not contain an API key")),
        false => parse_url_or_host(text).map(Self),
    },
    MetaSchema {
        max_length: Some(Destination::MAX_LENGTH),
        example: Some("https://evil.example/login".into()),
        ..MetaSchema::new("string")
    }
);

/// Name of a state.
#[derive(Debug)]
pub struct StateFilter(pub &'static str);

/// Host of destinations.
#[derive(Debug)]
pub struct HostFilter(pub String);

parameter_value!(
    StateFilter,
    |text| {
        let name = LinkState::OWNER_NAMES.iter().find(|name| **name == text);
        name.map(|name| Self(name)).ok_or_else(|| {
            let names = LinkState::OWNER_NAMES.join(", ");
            ErrorCode::NotAllowed.because(format!("must be one of {names}"))
        })
    },
    enum_schema(LinkState::OWNER_NAMES)
);

parameter_value!(
    HostFilter,
    |text| parse_host(text).map(Self),
    MetaSchema { min_length: Some(1), max_length: Some(255), ..MetaSchema::new("string") }
);

parameter_value!(Destination, Self::parse, destination_schema());

/// Text to search for, in ASCII lower case.
#[derive(Debug)]
pub struct SearchText(pub String);

parameter_value!(
    SearchText,
    |text| match text {
        "" => Err(ErrorCode::OutOfRange.because("must not be empty")),
        text => Title::parse(text).map(|text| Self(text.as_str().to_ascii_lowercase())),
    },
    MetaSchema { min_length: Some(1), ..label_schema(Title::MAX_LENGTH) }
);

parameter_value!(ExternalId, Self::parse, external_id_schema());

parameter_value!(Reason, str::parse, enum_schema(Self::VARIANTS));
parameter_value!(Note, Self::parse, note_schema(Self::MAX_LENGTH));
parameter_value!(CaseId, Self::parse, note_schema(Self::MAX_LENGTH));

parameter_value!(
    Timestamp,
    |text| Self::from_rfc3339(text).map_err(|error| match text.contains(' ') {
        true => ValidationError::because(format!("{error}; write + as %2B")),
        false => error,
    }),
    time_schema()
);

parameter_value!(
    Day,
    str::parse,
    MetaSchema { max_length: Some(10), ..MetaSchema::new_with_format("string", "date") }
);

parameter_value!(Month, str::parse, month_schema());
