//! `terse openapi`

use clap::{Args, ValueEnum};

use super::error::CommandError;
use super::generated::{self, print_or_check};
use crate::config::DEFAULT_BASE_URL;
use crate::http::{api, manage, operator};
use crate::values::BaseUrl;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Another interface than `/api/v1`
    interface: Option<OtherInterface>,
    #[command(flatten)]
    document: generated::Arguments,
}

/// An interface other than the five operations.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum OtherInterface {
    /// `/api/manage/v1`: an owner's own links
    Manage,
    /// `/api/operator/v1`: the operator's programs
    Operator,
}

pub(super) fn run(arguments: Arguments) -> Result<(), CommandError> {
    let Arguments { interface, document } = arguments;
    let base_url =
        BaseUrl::parse(DEFAULT_BASE_URL).map_err(|error| CommandError::Other(error.to_string()))?;
    let (command, interface) = match interface {
        None => ("terse openapi", &api::INTERFACE),
        Some(OtherInterface::Operator) => ("terse openapi operator", &operator::INTERFACE),
        Some(OtherInterface::Manage) => ("terse openapi manage", &manage::INTERFACE),
    };
    print_or_check(command, &interface.document(&base_url, None), document)
}
