//! `/api/manage/v1`: an owner's own links.

#![expect(clippy::too_many_arguments, reason = "each is a parameter of the operation")]

mod batches;
mod campaigns;
mod clicks;
mod events;
mod external_links;
mod keys;
mod link_changes;
mod links;
mod owner;
mod webhooks;

use super::objects::webhook_event;
use super::openapi::interface::{Interface, operations};

/// The interface `/api/manage/v1`.
pub const INTERFACE: Interface = Interface {
    prefix: "/api/manage/v1/",
    document_path: "/api/manage/v1/openapi.json",
    is_for_operator: false,
    is_strict: true,
    title: "Terse: manage your links, reports and keys",
    description: "\
Create, find, change and delete an owner's links, read clicks. Every operation needs a key \
(`terse key add OWNER` prints it), sent as `X-API-Key: KEY` or `Authorization: Bearer KEY`. A key of the scope `read` reads \
all but keys and webhooks, `create` only creates links, `edit` also changes them, `full` allows all; `x-required-scope` is the smallest.

Errors are problem details (RFC 9457): read `code`, and treat an unknown one by its status. A method \
that a path does not support returns 405 with `Allow`. Ignore unknown fields of responses: \
`/api/manage/v1` may get more. Unknown fields of requests return 422, and unknown query parameters 400. A slash of a short code in a path is `%2F`.",
    keys: "The API key, as it was shown when it was created: `X-API-Key: terse_…`. If its scope does not \
           allow the operation, the response is 403 `key-scope`.",
    parameters: &[],
    extend: webhook_event::describe,
    operations: operations![
        links::LinksApi,
        external_links::ExternalLinksApi,
        batches::BatchesApi,
        link_changes::LinkChangesApi,
        campaigns::CampaignsApi,
        clicks::ClicksApi,
        events::LinkEventsApi,
        events::EventsApi,
        clicks::ReportsApi,
        owner::OwnerApi,
        keys::KeysApi,
        webhooks::WebhooksApi,
    ],
};
