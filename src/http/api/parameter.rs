//! Query parameters of operations.

use poem::{Request, RequestBody, Result};
use poem_openapi::registry::{MetaParamIn, MetaSchemaRef};
use poem_openapi::types::Type;
use poem_openapi::{ApiExtractor, ApiExtractorType, ExtractParamOptions};

use super::cursor::Cursor;
use super::list_query::{Active, Limit};
use crate::http::problem::{Kind, Problem};
use crate::http::query;
use crate::values::{Campaign, Invalid};

/// A parameter that may be left out. poem-openapi's own would take what is not UTF-8 for the
/// replacement character, and that for a value.
#[derive(Debug)]
pub struct Parameter<T>(pub Option<T>);

/// What is made of a parameter's text.
pub(super) trait FromText: Sized {
    /// Takes the text, percent-encoding undone.
    fn from_text(text: &str) -> Result<Self, Invalid>;
}

macro_rules! from_text {
    ($($type:ty),*) => {
        $(impl FromText for $type {
            fn from_text(text: &str) -> Result<Self, Invalid> {
                Self::parse(text)
            }
        })*
    };
}
from_text!(Limit, Cursor, Campaign, Active);

impl<'a, T: Type + FromText> ApiExtractor<'a> for Parameter<T> {
    const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::Parameter];
    type ParamType = ();
    type ParamRawType = ();

    fn param_in() -> Option<MetaParamIn> {
        Some(MetaParamIn::Query)
    }

    fn param_schema_ref() -> Option<MetaSchemaRef> {
        Some(T::schema_ref())
    }

    async fn from_request(
        request: &'a Request,
        _: &mut RequestBody,
        options: ExtractParamOptions<()>,
    ) -> Result<Self> {
        let given = query::parameter(request, options.name);
        let value = given.and_then(|text| text.map(|text| T::from_text(&text)).transpose());
        let value = value.map_err(|reason| {
            let detail = format!("The parameter {} {reason}.", options.name);
            Problem::new(Kind::MalformedRequest, detail)
        })?;
        Ok(Self(value))
    }
}
