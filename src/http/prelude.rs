//! What most operations use.

pub(super) use std::sync::Arc;

pub(super) use poem::web::Data;
pub(super) use poem_openapi::OpenApi;
pub(super) use poem_openapi::param::Path;

pub(super) use super::caller::{Caller, OperatorCaller};
pub(super) use super::cursor::Cursor;
pub(super) use super::objects::change::{Audit, AuditRequest};
pub(super) use super::openapi::headers::{
    EntityTag, EventIdHeader, NextPageLink, NextPathLink, Replayed, header_type, location_schema,
    path_location_schema,
};
pub(super) use super::openapi::idempotency::IdempotencyKeyHeader;
pub(super) use super::openapi::if_match::IfMatch;
pub(super) use super::openapi::interface::Operation;
pub(super) use super::openapi::json_body::{JsonBody, MergePatch, OptionalBody};
pub(super) use super::openapi::list::List;
pub(super) use super::openapi::page::{FORMERLY_COUNTED, Limit, ListPage, NO_OWNER};
pub(super) use super::openapi::parameter::{Parameter, Repeated, Required};
pub(super) use super::openapi::payload::{
    AddedResponse, ChangedResponse, CreatedResponse, Json, ListResponse, NoContentResponse,
    OkResponse, OperationResult, RepeatedResponse, TaggedResponse,
};
pub(super) use super::problem::Problem;
pub(super) use super::problem_examples::ProblemExample;
pub(super) use super::state::AppState;
pub(super) use super::tags::{ApiTag, ManageTag, OperatorTag};
pub(super) use crate::domain::{Error, Realm};
pub(super) use crate::values::{CaseId, ErrorCode, Note, OperatorPermission, Permission, Reason};

/// Permissions that operations of the operator's programs need.
pub(super) const READ: Permission = Permission::Operator(OperatorPermission::Read);
pub(super) const PROVISION: Permission = Permission::Operator(OperatorPermission::Provision);
pub(super) const SUSPEND: Permission = Permission::Operator(OperatorPermission::Suspend);
pub(super) const MODERATE: Permission = Permission::Operator(OperatorPermission::Moderate);
pub(super) const ADMINISTER: Permission = Permission::Operator(OperatorPermission::Administer);
