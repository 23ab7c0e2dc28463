//! Tags, by which the OpenAPI document groups the operations.

use poem_openapi::Tags;

/// A group of operations.
#[derive(Tags)]
pub enum OperatorTag {
    /// The operator key of the request.
    Operator,
    /// What owners used, and reports of clicks.
    Usage,
}
