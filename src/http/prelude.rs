//! What most operations use, and the tags by which the OpenAPI documents group the operations.

pub(super) use std::sync::Arc;

pub(super) use poem_openapi::OpenApi;
use poem_openapi::Tags;
pub(super) use poem_openapi::param::Path;

pub(super) use super::caller::{Caller, OperatorCaller, Requester};
pub(super) use super::cursor::Cursor;
pub(super) use super::objects::change::{Audit, AuditRequest};
pub(super) use super::openapi::headers::{
    EntityTag, EventIdHeader, NextPageLink, NextPathLink, Replayed, header_type, location_schema,
    path_location,
};
pub(super) use super::openapi::idempotency::IdempotencyKeyHeader;
pub(super) use super::openapi::if_match::IfMatch;
pub(super) use super::openapi::interface::Operation;
pub(super) use super::openapi::json_body::{JsonBody, LargeBody, MergePatch, OptionalBody};
pub(super) use super::openapi::page::{FORMERLY_COUNTED, Limit, List, ListPage};
pub(super) use super::openapi::parameter::{Parameter, Repeated, Required};
pub(super) use super::openapi::payload::{
    AddedResponse, ChangedResponse, CreatedResponse, Json, ListResponse, NoContentResponse,
    OkResponse, OperationResult, RepeatedResponse, TaggedResponse,
};
pub(super) use super::problem::Problem;
pub(super) use super::problem_examples::ProblemExample;
pub(super) use super::state::AppState;
pub(super) use crate::domain::{Error, Realm};
pub(super) use crate::values::{CaseId, ErrorCode, Note, OperatorPermission, Permission, Reason};

/// Permissions that operations of the operator's programs need.
pub(super) const READ: Permission = Permission::Operator(OperatorPermission::Read);
pub(super) const PROVISION: Permission = Permission::Operator(OperatorPermission::Provision);
pub(super) const SUSPEND: Permission = Permission::Operator(OperatorPermission::Suspend);
pub(super) const MODERATE: Permission = Permission::Operator(OperatorPermission::Moderate);
pub(super) const ADMINISTER: Permission = Permission::Operator(OperatorPermission::Administer);

/// A group of operations of `/api/v1`.
#[derive(Tags)]
pub enum ApiTag {
    /// Short links and their clicks: create them, list them, read their statistics.
    Links,
    /// QR codes of short links: enable and style them, list them.
    #[oai(rename = "QR codes")]
    QrCodes,
}

/// A group of operations of `/api/manage/v1`.
#[derive(Tags)]
pub enum ManageTag {
    /// The owner's links: create, find, read, change and delete them, and read their clicks and events.
    Links,
    /// Changes of the owner's links, keys, domains and webhooks: follow them, and read what they changed.
    Events,
    /// Clicks of all links of the owner.
    Reports,
    /// The owner of the API key: plan and usage.
    Owner,
    /// The API keys of the owner: create, list, change and revoke them.
    Keys,
    /// Webhooks of the owner: create, change, test and delete them, and read and repeat their deliveries.
    Webhooks,
}

/// A group of operations of `/api/operator/v1`.
#[derive(Tags)]
pub enum OperatorTag {
    /// Whether all is well.
    Status,
    /// Operator keys: create, list and revoke them, and read that of the request.
    #[oai(rename = "Operator keys")]
    OperatorKeys,
    /// Owners: create, find, change, suspend, resume and delete them.
    Owners,
    /// API keys of owners: create, list, find, change and revoke them.
    Keys,
    /// Plans: create, read, change and delete them.
    Plans,
    /// Links of all owners: find, read, change, disable and delete them, and read their clicks and events.
    Links,
    /// Patterns of blocked destinations: add, list, check and remove them.
    Blocks,
    /// Domains of owners: add, list, change and remove them.
    Domains,
    /// Webhooks of owners: list, disable and enable them.
    Webhooks,
    /// The history: follow it, and undo events.
    Events,
    /// What owners used, and reports of clicks.
    Usage,
}
