//! What the interfaces share: their operations and documents, and the parts of requests and
//! responses. This module knows no operation.

pub mod document;
pub mod field;
pub mod headers;
pub mod idempotency;
pub mod if_match;
pub mod interface;
pub mod json_body;
pub mod json_fields;
pub mod page;
pub mod parameter;
pub mod payload;
pub mod response_object;
mod responses;
