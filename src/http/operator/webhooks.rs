//! `/api/operator/v1/webhooks/{id}`, and webhooks below `/api/operator/v1/owners/{id}`

use crate::domain::{owners, webhooks};
use crate::http::objects::change::ChangeResult;
use crate::http::objects::fields::OwnerSegment;
use crate::http::objects::owned::Owned;
use crate::http::objects::webhook::{Webhook, WebhookSegment};
use crate::http::prelude::*;

/// The operations.
pub(super) const OPERATIONS: &[Operation] = &[
    Operation::new("listWebhooks", READ, "A page of the owner's webhooks."),
    Operation::new("disableWebhook", MODERATE, "What the request changed.")
        .with(&[ProblemExample::MALFORMED_NOTE]),
    Operation::new("enableWebhook", MODERATE, "What the request changed.")
        .with(&[ProblemExample::MALFORMED_NOTE]),
];

/// Webhooks of owners.
#[derive(Debug, Default)]
pub struct WebhooksApi;

#[OpenApi(prefix_path = "/api/operator/v1", tag = "OperatorTag::Webhooks")]
impl WebhooksApi {
    /// List the webhooks of an owner
    ///
    /// Returns the webhooks of an owner, newest first, without their secrets.
    #[oai(path = "/owners/:id/webhooks", method = "get", operation_id = "listWebhooks")]
    async fn list_owner_webhooks(
        &self,
        caller: OperatorCaller,
        /// The identifier of the owner.
        Path(id): Path<OwnerSegment>,
        Parameter(limit): Parameter<Limit>,
        Parameter(cursor): Parameter<Cursor>,
    ) -> OperationResult<ListResponse<List<Owned<Webhook>>, NextPathLink>> {
        let id = id.parsed()?;
        let owner = owners::get(&caller.app.store, id.into()).await?;
        caller.concerns(&owner.name);
        let path = format!("/api/operator/v1/owners/{id}/webhooks");
        let page = caller.page(path, Vec::new(), limit, cursor)?;
        let found = webhooks::page(&caller.app.store, Realm::Owner(id), page.request()).await?;
        Ok(page.response(found.map(|webhook| (webhook, owner.name.clone()))))
    }

    /// Disable a webhook
    ///
    /// Changes a webhook so that it receives nothing, which its owner cannot end. What waits is not sent.
    #[oai(path = "/webhooks/:id/disable", method = "post", operation_id = "disableWebhook")]
    async fn disable_webhook(
        &self,
        caller: OperatorCaller,
        /// The identifier of the webhook.
        Path(id): Path<WebhookSegment>,
        /// Why, for the history.
        OptionalBody(body): OptionalBody<AuditRequest>,
        #[oai(name = "Idempotency-Key")] key: IdempotencyKeyHeader,
    ) -> OperationResult<RepeatedResponse<ChangeResult>> {
        let id = id.parsed()?;
        let change = caller.change_once(body.into(), key, &format!("webhook disable {id}"));
        let changed = webhooks::switch(&caller.app.store, id, false, &change).await?;
        Ok(RepeatedResponse::new(&changed))
    }

    /// Enable a webhook
    ///
    /// Enables a webhook, even one that the operator has disabled.
    #[oai(path = "/webhooks/:id/enable", method = "post", operation_id = "enableWebhook")]
    async fn enable_webhook(
        &self,
        caller: OperatorCaller,
        /// The identifier of the webhook.
        Path(id): Path<WebhookSegment>,
        /// Why, for the history.
        OptionalBody(body): OptionalBody<AuditRequest>,
        #[oai(name = "Idempotency-Key")] key: IdempotencyKeyHeader,
    ) -> OperationResult<RepeatedResponse<ChangeResult>> {
        let id = id.parsed()?;
        let change = caller.change_once(body.into(), key, &format!("webhook enable {id}"));
        let changed = webhooks::switch(&caller.app.store, id, true, &change).await?;
        Ok(RepeatedResponse::new(&changed))
    }
}
