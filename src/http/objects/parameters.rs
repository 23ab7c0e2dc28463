//! Query parameters of the operations.

use poem_openapi::registry::MetaSchema;
use strum::VariantNames as _;

use super::fields::{count_schema, destination_schema, enum_schema, time_schema};
use crate::domain::click_report::Grouping;
use crate::domain::links::{LinkState, SearchFilter};
use crate::http::openapi::field::{label_schema, note_schema, text_schema};
use crate::http::openapi::parameter::{ParameterValue, parameter_value};
use crate::http::query::number_error;
use crate::values::{
    ApiKey, BlockPattern, CaseId, Day, Destination, ErrorCode, Month, Name, Note, Reason,
    ShortCode, Timestamp, Title, ValidationError, parse_host, parse_url_or_host,
};

/// Short codes, separated by commas.
#[derive(Debug)]
pub struct CodeList(pub Vec<ShortCode>);

impl CodeList {
    const MAX: usize = 100;
}

impl ParameterValue for CodeList {
    fn schema() -> MetaSchema {
        MetaSchema { max_length: Some(8192), ..MetaSchema::new("string") }
    }

    fn from_text(text: &str) -> Result<Self, ValidationError> {
        let codes: Vec<&str> = text.split(',').collect();
        if codes.len() > Self::MAX {
            return Err(ErrorCode::TooLong.because("must not have more than 100 codes"));
        }
        // No link has an invalid code.
        Ok(Self(codes.into_iter().filter_map(|code| ShortCode::parse(code).ok()).collect()))
    }
}

parameter_value!(
    ShortCode,
    |text| Self::parse(text).map_err(|_| ValidationError::because("must be a short code")),
    MetaSchema { max_length: Some(Self::MAX_LENGTH), ..MetaSchema::new("string") }
);

/// Returns the parameters of a request that searches links by these conditions.
pub fn conditions_of(filter: &SearchFilter) -> [(&'static str, Option<String>); 7] {
    let SearchFilter { campaign, state, host, destination, title, created_after, created_before } =
        filter.clone();
    [
        ("campaign", campaign),
        ("state", state.map(str::to_owned)),
        ("host", host),
        ("destination_url", destination),
        ("title", title),
        ("created_after", created_after.map(Timestamp::to_millis_text)),
        ("created_before", created_before.map(Timestamp::to_millis_text)),
    ]
}

/// Identifier of an event.
#[derive(Debug, Clone, Copy)]
pub struct EventId(pub i64);

impl ParameterValue for EventId {
    fn schema() -> MetaSchema {
        count_schema(0.0)
    }

    fn from_text(text: &str) -> Result<Self, ValidationError> {
        let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
        let id = text.parse().ok().filter(|_| is_number);
        id.map(Self).ok_or(number_error(text).because("must be the identifier of an event"))
    }
}

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

impl ParameterValue for UrlOrHost {
    fn schema() -> MetaSchema {
        MetaSchema {
            max_length: Some(Destination::MAX_LENGTH),
            example: Some("https://evil.example/login".into()),
            ..MetaSchema::new("string")
        }
    }

    fn from_text(text: &str) -> Result<Self, ValidationError> {
        if ApiKey::is_in(text) {
            return Err(ErrorCode::NotAllowed.because("must not contain an API key"));
        }
        parse_url_or_host(text).map(Self)
    }
}

/// Name of a state.
#[derive(Debug)]
pub struct StateFilter(pub &'static str);

/// Host of destinations.
#[derive(Debug)]
pub struct HostFilter(pub String);

/// Destination.
#[derive(Debug)]
pub struct DestinationFilter(pub String);

/// Part of a title, in ASCII lower case.
#[derive(Debug)]
pub struct TitleFilter(pub String);

/// Groups of a report.
#[derive(Debug, Clone, Copy)]
pub struct ReportGrouping(pub Grouping);

impl ParameterValue for StateFilter {
    fn schema() -> MetaSchema {
        enum_schema(LinkState::OWNER_NAMES)
    }

    fn from_text(text: &str) -> Result<Self, ValidationError> {
        let name = LinkState::OWNER_NAMES.iter().find(|name| **name == text);
        name.map(|name| Self(name)).ok_or_else(|| {
            let names = LinkState::OWNER_NAMES.join(", ");
            ErrorCode::NotAllowed.because(format!("must be one of {names}"))
        })
    }
}

parameter_value!(
    HostFilter,
    |text| parse_host(text).map(Self),
    MetaSchema { min_length: Some(1), max_length: Some(255), ..MetaSchema::new("string") }
);

parameter_value!(
    DestinationFilter,
    |text| Destination::parse(text).map(|url| Self(url.into_string())),
    destination_schema()
);

parameter_value!(
    TitleFilter,
    |text| Title::parse(text).map(|title| Self(title.as_str().to_ascii_lowercase())),
    label_schema(Title::MAX_LENGTH)
);

parameter_value!(Reason, str::parse, enum_schema(Self::VARIANTS));
parameter_value!(Note, Self::parse, note_schema(Self::MAX_LENGTH));
parameter_value!(CaseId, Self::parse, note_schema(Self::MAX_LENGTH));

impl ParameterValue for Timestamp {
    fn schema() -> MetaSchema {
        time_schema()
    }

    fn from_text(text: &str) -> Result<Self, ValidationError> {
        Self::from_rfc3339(text).map_err(|error| match text.contains(' ') {
            true => ValidationError::because(format!("{error}; write + as %2B")),
            false => error,
        })
    }
}

parameter_value!(
    Day,
    str::parse,
    MetaSchema { max_length: Some(10), ..MetaSchema::new_with_format("string", "date") }
);

parameter_value!(Month, str::parse, text_schema(7, 7, "^[0-9]{4}-(0[1-9]|1[0-2])$"));

impl ParameterValue for ReportGrouping {
    fn schema() -> MetaSchema {
        enum_schema(&["campaign", "link"])
    }

    fn from_text(text: &str) -> Result<Self, ValidationError> {
        let (campaign, link) = match text {
            "campaign" => (true, false),
            "link" => (false, true),
            _ => return Err(ErrorCode::NotAllowed.because("must be campaign or link")),
        };
        Ok(Self(Grouping { owner: false, campaign, link }))
    }
}
