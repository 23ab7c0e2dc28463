//! `/api/operator/v1`: the operator's programs.

mod blocks;
mod domains;
mod events;
mod keys;
mod links;
mod operator_keys;
mod owners;
mod plans;
mod status;
mod usage;
mod webhooks;

use self::blocks::BlocksApi;
use self::domains::DomainsApi;
use self::events::EventsApi;
use self::keys::KeysApi;
use self::links::LinksApi;
use self::operator_keys::OperatorKeysApi;
use self::owners::OwnersApi;
use self::plans::PlansApi;
use self::status::StatusApi;
use self::usage::UsageApi;
use self::webhooks::WebhooksApi;
use super::openapi::interface::{Generated, Interface};

/// The interface `/api/operator/v1`.
pub const INTERFACE: Interface = Interface {
    prefix: "/api/operator/v1/",
    document_path: "/api/operator/v1/openapi.json",
    is_for_operator: true,
    is_strict: true,
    title: "Terse: run the service",
    description: "\
Read whether all is well, manage owners, their keys and domains, plans, links and blocks, and follow the history. Every operation needs an \
operator key (`terse operator add NAME --role ROLE` prints one), sent as `X-API-Key: KEY` or as \
`Authorization: Bearer KEY`, whose role allows it.

Errors are problem details (RFC 9457): read `code`, and treat an unknown one by its status. To retry a \
`POST` safely, send an `Idempotency-Key`. Ignore unknown fields of responses: `/api/operator/v1` may get \
more. Unknown fields of requests return 422, and unknown query parameters 400. A \
slash of a short code in a path is `%2F`.",
    keys: "The operator key, as it was shown when it was created: `X-API-Key: terse_op_…`. If its role does \
           not allow the operation, the response is 403 `operator-role`. API keys of owners are not \
           accepted.",
    operations: &[
        status::OPERATIONS,
        operator_keys::OPERATIONS,
        owners::OPERATIONS,
        keys::OPERATIONS,
        plans::OPERATIONS,
        links::OPERATIONS,
        blocks::OPERATIONS,
        domains::OPERATIONS,
        webhooks::OPERATIONS,
        events::OPERATIONS,
        usage::OPERATIONS,
    ],
    parameters: &[
        ("limit", "Maximum number of items, from `1` to `1000`. Without it, 100."),
        (
            "cursor",
            "Position at which the list continues, such as `3f9c01d27be4a865b07d52c8e1964af3`: `next_cursor` \
             of the previous page, valid only with the same conditions.",
        ),
    ],
    extend: |_| (),
    generated: Generated::from_operations::<(
        OwnersApi,
        KeysApi,
        PlansApi,
        LinksApi,
        BlocksApi,
        DomainsApi,
        EventsApi,
        UsageApi,
        OperatorKeysApi,
        WebhooksApi,
        StatusApi,
    )>(),
};
