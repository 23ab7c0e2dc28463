//! `/api/operator/v1`: the operator's programs.

#![expect(clippy::too_many_arguments, reason = "each is a parameter of the operation")]

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

use super::openapi::interface::{Interface, operations};

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
    parameters: &[],
    extend: |_| (),
    operations: operations![
        owners::OwnersApi,
        keys::KeysApi,
        plans::PlansApi,
        links::LinksApi,
        blocks::BlocksApi,
        domains::DomainsApi,
        events::EventsApi,
        usage::UsageApi,
        operator_keys::OperatorKeysApi,
        webhooks::WebhooksApi,
        status::StatusApi,
    ],
};
