//! `/api/operator/v1`: the operator's programs.

mod blocks;
mod domains;
mod events;
mod keys;
mod link_changes;
mod links;
mod long_change;
mod operator_key;
mod owners;
mod plans;
mod suspensions;
mod tag;
mod usage;

use serde_json::Value;

use self::blocks::BlocksApi;
use self::domains::DomainsApi;
use self::events::EventsApi;
use self::keys::OwnerKeysApi;
use self::link_changes::LinkChangesApi;
use self::links::AllLinksApi;
use self::operator_key::OperatorKeyApi;
use self::owners::OwnersApi;
use self::plans::PlansApi;
use self::suspensions::SuspensionsApi;
use self::usage::UsageApi;
use super::openapi::interface::{Generated, Interface};

/// The interface `/api/operator/v1`.
pub const INTERFACE: Interface = Interface {
    prefix: "/api/operator/v1/",
    document_path: "/api/operator/v1/openapi.json",
    is_for_operator: true,
    is_strict: true,
    title: "Terse: the operator's programs",
    description: "\
Manage owners, their keys and domains, plans, links and blocks, and follow the history. Every operation needs an \
operator key (`terse operator add NAME --role ROLE` prints one), sent as `X-API-Key: KEY` or as \
`Authorization: Bearer KEY`, whose role allows it.

Errors are problem details (RFC 9457): read `code`, and treat an unknown one by its status. To retry a \
`POST` safely, send an `Idempotency-Key`. Ignore unknown fields of responses: `/api/operator/v1` may get \
more. Unknown fields of requests return 422, and unknown query parameters 400. Owners are identifiers in paths and names in queries. A \
slash of a short code in a path is `%2F`.",
    keys: "The operator key, as it was shown when it was created: `X-API-Key: terse_op_…`. If its role does \
           not allow the operation, the response is 403 `operator-role`. API keys of owners are not \
           accepted.",
    operations: &[
        operator_key::GET_OPERATOR,
        owners::FIND_OWNERS,
        owners::CREATE_OWNER,
        owners::GET_OWNER,
        owners::CHANGE_OWNER,
        owners::DELETE_OWNER,
        suspensions::SUSPEND_OWNER,
        suspensions::RESUME_OWNER,
        keys::LIST_OWNER_KEYS,
        keys::CREATE_OWNER_KEY,
        keys::GET_KEY,
        keys::CHANGE_KEY,
        keys::REVOKE_KEY,
        keys::FIND_KEY,
        plans::LIST_PLANS,
        plans::CREATE_PLAN,
        plans::GET_PLAN,
        plans::CHANGE_PLAN,
        links::FIND_LINKS,
        links::GET_LINK,
        links::CHANGE_LINK,
        links::GET_LINK_CLICKS,
        links::GET_LINK_HISTORY,
        link_changes::CHANGE_LINKS,
        blocks::LIST_BLOCKS,
        blocks::ADD_BLOCK,
        blocks::REMOVE_BLOCK,
        blocks::CHECK_BLOCK,
        domains::LIST_DOMAINS,
        domains::ADD_DOMAIN,
        domains::GET_DOMAIN,
        domains::CHANGE_DOMAIN,
        domains::REMOVE_DOMAIN,
        events::LIST_EVENTS,
        events::GET_EVENT,
        events::UNDO_EVENT,
        usage::GET_USAGE,
        usage::GET_OWNERS_REPORT,
    ],
    extend: allow_null,
    generated: Generated::from_operations::<(
        OperatorKeyApi,
        OwnersApi,
        SuspensionsApi,
        OwnerKeysApi,
        PlansApi,
        AllLinksApi,
        LinkChangesApi,
        BlocksApi,
        DomainsApi,
        EventsApi,
        UsageApi,
    )>(),
};

/// Declares that the key of a new owner may be null. OpenAPI 3.0 cannot express that next to a
/// reference.
fn allow_null(document: &mut Value) {
    for name in ["FirstKey", "FirstKeyRequest"] {
        document["components"]["schemas"][name]["nullable"] = true.into();
    }
}
