//! `/api/operator/v1`: the operator's programs.

mod operator_key;
mod tag;
mod usage;

use self::operator_key::OperatorKeyApi;
use self::usage::UsageApi;
use super::openapi::interface::{Generated, Interface};

/// The interface `/api/operator/v1`.
pub const INTERFACE: Interface = Interface {
    name: "operator",
    prefix: "/api/operator/v1/",
    is_for_operator: true,
    title: "Terse: the operator's programs",
    description: "\
Manage owners, their keys, plans, links and blocks, and follow the history. Every operation needs an \
operator key (`terse operator add NAME --role ROLE` prints one), sent as `X-API-Key: KEY` or as \
`Authorization: Bearer KEY`, whose role allows it.

Errors are problem details (RFC 9457): read `code`, and treat an unknown one by its status. To retry a \
`POST` safely, send an `Idempotency-Key`. Ignore unknown fields of responses: `/api/operator/v1` may get \
more. Unknown fields of requests return 422. Owners are identifiers in paths and names in queries. A \
slash of a short code in a path is `%2F`.",
    keys: "The operator key, as it was shown when it was created: `X-API-Key: terse_op_…`. If its role does \
           not allow the operation, the response is 403 `operator-role`. API keys of owners are not \
           accepted.",
    invalid: "A field is missing, unknown, repeated, of the wrong type or not valid. `errors` lists \
              every invalid field. Nothing was changed.",
    operations: &[operator_key::GET_OPERATOR, usage::GET_USAGE, usage::GET_OWNERS_REPORT],
    extend: |_| (),
    generated: Generated::from_operations::<(OperatorKeyApi, UsageApi)>(),
};
