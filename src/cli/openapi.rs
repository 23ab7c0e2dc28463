//! `terse openapi`

use super::error::CommandError;
use super::generated::{Arguments, print_or_check};
use crate::config::DEFAULT_BASE_URL;
use crate::http::api;
use crate::values::BaseUrl;

pub(super) fn run(arguments: Arguments) -> Result<(), CommandError> {
    let base_url =
        BaseUrl::parse(DEFAULT_BASE_URL).map_err(|error| CommandError::Other(error.to_string()))?;
    print_or_check("terse openapi", &api::INTERFACE.document(&base_url), arguments)
}
