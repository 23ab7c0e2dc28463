//! `/api/manage/v1/webhooks` and the paths below it

use crate::domain::webhooks::{self, NewWebhook, deliver};
use crate::http::objects::webhook::{
    CreatedWebhook, Delivery, DeliveryAttempt, DeliverySegment, Webhook, WebhookCreate,
    WebhookSegment, WebhookUpdate,
};
use crate::http::openapi::headers::Tagged as _;
use crate::http::prelude::*;
use crate::http::problem::FieldError;
use crate::values::WebhookUrl;

const PATH: &str = "/api/manage/v1/webhooks";

/// The operations.
pub(super) const OPERATIONS: &[Operation] = &[
    Operation::new("listWebhooks", Permission::Full, "A page of the owner's webhooks."),
    Operation::new("createWebhook", Permission::Full, "The webhook with its secret.").with(&[
        ProblemExample::WEBHOOK_LIMIT_REACHED,
        ProblemExample::KEY_REUSED,
        ProblemExample::SECRET_UNAVAILABLE,
        WITH_USER,
    ]),
    Operation::new("getWebhook", Permission::Full, "The webhook, without its secret."),
    Operation::new("updateWebhook", Permission::Full, "The webhook with its new values.")
        .with(&[ProblemExample::WEBHOOK_DISABLED, WITH_USER]),
    Operation::new("deleteWebhook", Permission::Full, "The webhook is deleted."),
    Operation::new("rotateWebhookSecret", Permission::Full, "The webhook with its new secret.")
        .with(&[ProblemExample::KEY_REUSED, ProblemExample::SECRET_UNAVAILABLE]),
    Operation::new("testWebhook", Permission::Full, "The attempt.")
        .with(&[ProblemExample::WEBHOOK_DISABLED, ProblemExample::KEY_REUSED]),
    Operation::new("listWebhookDeliveries", Permission::Full, "A page of deliveries."),
    Operation::new("retryWebhookDelivery", Permission::Full, "The delivery, which waits.").with(&[
        ProblemExample::DELIVERY_NOT_FOUND,
        ProblemExample::DELIVERY_ERASED,
        ProblemExample::WEBHOOK_DISABLED,
        ProblemExample::KEY_REUSED,
    ]),
];

const WITH_USER: ProblemExample =
    ProblemExample::invalid("/url", "must not contain a user or a password")
        .with_code(ErrorCode::NotAllowed);

header_type!(
    /// `Location` of a new webhook.
    WebhookLocation,
    location_schema("The address of the webhook.", "/api/manage/v1/webhooks/{code}", "5", "[0-9]+")
);

/// Response with a webhook and its new secret.
#[derive(Debug, poem_openapi::ApiResponse)]
pub enum RotatedResponse {
    /// The webhook.
    #[oai(status = 200)]
    Ok(
        Json<CreatedWebhook>,
        #[oai(header = "ETag")] EntityTag,
        #[oai(header = "Event-Id")] Option<EventIdHeader>,
        #[oai(header = "Idempotent-Replayed")] Option<Replayed>,
    ),
}

/// Checks that the service sends webhooks to a URL.
fn check(app: &AppState, url: Option<&WebhookUrl>) -> Result<(), Problem> {
    let (Some(sender), Some(url)) = (&app.webhooks, url) else { return Ok(()) };
    let invalid = |error| Problem::invalid(vec![FieldError::at_pointer("/url", &error)]);
    sender.targets().check(url).map_err(invalid)
}

/// Webhooks.
#[derive(Debug, Default)]
pub struct WebhooksApi;

#[OpenApi(prefix_path = "/api/manage/v1", tag = "ManageTag::Webhooks")]
impl WebhooksApi {
    /// List the webhooks of the owner
    ///
    /// Returns the webhooks of the owner, newest first.
    #[oai(path = "/webhooks", method = "get", operation_id = "listWebhooks")]
    async fn list_webhooks(
        &self,
        caller: Caller,
        Parameter(limit): Parameter<Limit>,
        Parameter(cursor): Parameter<Cursor>,
    ) -> OperationResult<ListResponse<List<Webhook>, NextPageLink>> {
        let path = PATH.to_owned();
        let page = caller.page(path, Vec::new(), limit, cursor)?;
        let found = webhooks::page(&caller.app.store, caller.realm(), page.request()).await?;
        Ok(page.response(found))
    }

    /// Create a webhook
    ///
    /// Creates a webhook, which is told of what commits from one second after the response. An owner has at
    /// most 10. Its secret is shown only here and by its replacement.
    ///
    /// With `Idempotency-Key`, a repetition within 24 hours returns the same secret, unless it was replaced:
    /// then, or once the webhook is deleted, 409 `secret-unavailable`.
    #[oai(path = "/webhooks", method = "post", operation_id = "createWebhook")]
    async fn create_webhook(
        &self,
        caller: Caller,
        /// The webhook to create.
        JsonBody(body): JsonBody<WebhookCreate>,
        #[oai(name = "Idempotency-Key")] key: IdempotencyKeyHeader,
    ) -> OperationResult<AddedResponse<CreatedWebhook, WebhookLocation>> {
        let app = &caller.app;
        let (new, audit): (NewWebhook, Audit) = body.into();
        check(app, Some(&new.url))?;
        let change = caller.change(audit);
        let request = key.for_request(&app.base_url, || new.fingerprint(&change));
        let (request, rng) = (request.as_ref(), &mut app.randomness());
        let created =
            webhooks::create(&app.store, caller.owner_id, &new, request, &change, rng).await?;
        let (webhook, event) = (created.value, created.event);
        let (is_replay, id) = (webhook.first_base_url.is_some(), webhook.info.webhook.id);
        let base_url = webhook.first_base_url.as_deref().unwrap_or(app.base_url.as_str());
        let location = WebhookLocation(format!("{base_url}{PATH}/{id}"));
        Ok(AddedResponse::new(webhook, location, event, is_replay))
    }

    /// Read a webhook
    ///
    /// Returns a webhook, without its secret.
    #[oai(path = "/webhooks/:id", method = "get", operation_id = "getWebhook")]
    async fn get_webhook(
        &self,
        caller: Caller,
        /// The identifier of the webhook.
        Path(id): Path<WebhookSegment>,
    ) -> OperationResult<TaggedResponse<Webhook>> {
        let webhook = webhooks::get(&caller.app.store, caller.realm(), id.parsed()?).await?;
        Ok(TaggedResponse::new(webhook))
    }

    /// Change a webhook
    ///
    /// Changes the given properties of a webhook, and no others. Servers follow within a second. One that the
    /// operator has disabled cannot be enabled: 409 `webhook-disabled`.
    #[oai(path = "/webhooks/:id", method = "patch", operation_id = "updateWebhook")]
    async fn update_webhook(
        &self,
        caller: Caller,
        /// The identifier of the webhook.
        Path(id): Path<WebhookSegment>,
        /// The new values.
        MergePatch(update): MergePatch<WebhookUpdate>,
        #[oai(name = "If-Match")] if_match: IfMatch,
    ) -> OperationResult<ChangedResponse<Webhook>> {
        let (edit, audit): (webhooks::WebhookEdit, Audit) = update.into();
        check(&caller.app, edit.url.as_ref())?;
        let change = caller.change(audit).only_if(if_match.0);
        let id = id.parsed()?;
        let edited = webhooks::edit(&caller.app.store, caller.owner_id, id, &edit, &change).await?;
        Ok(ChangedResponse::new(edited.value, edited.event))
    }

    /// Delete a webhook
    ///
    /// Deletes a webhook, and all of its deliveries. What waits is not sent.
    #[oai(path = "/webhooks/:id", method = "delete", operation_id = "deleteWebhook")]
    async fn delete_webhook(
        &self,
        caller: Caller,
        /// The identifier of the webhook.
        Path(id): Path<WebhookSegment>,
        #[oai(name = "If-Match")] if_match: IfMatch,
        Parameter(reason): Parameter<Reason>,
        Parameter(note): Parameter<Note>,
        Parameter(case_id): Parameter<CaseId>,
    ) -> OperationResult<NoContentResponse> {
        let change = caller.change(Audit { reason, note, case_id });
        let (id, change) = (id.parsed()?, change.only_if(if_match.0));
        let deleted = webhooks::delete(&caller.app.store, caller.owner_id, id, &change).await?;
        Ok(NoContentResponse::new(deleted.event))
    }

    /// Replace the secret of a webhook
    ///
    /// Creates a new secret. For 24 hours, the former one signs too, so that receivers can be changed
    /// meanwhile. With `Idempotency-Key`, a repetition within 24 hours returns the same secret.
    #[oai(path = "/webhooks/:id/rotate", method = "post", operation_id = "rotateWebhookSecret")]
    async fn rotate_webhook_secret(
        &self,
        caller: Caller,
        /// The identifier of the webhook.
        Path(id): Path<WebhookSegment>,
        #[oai(name = "Idempotency-Key")] key: IdempotencyKeyHeader,
    ) -> OperationResult<RotatedResponse> {
        let app = &caller.app;
        let id = id.parsed()?;
        let change = caller.change(Audit::default());
        let request = key.for_request(&app.base_url, || webhooks::rotation_fingerprint(id));
        let (owner_id, request) = (caller.owner_id, request.as_ref());
        let rng = &mut app.randomness();
        let rotated = webhooks::rotate(&app.store, owner_id, id, request, &change, rng).await?;
        let replayed = Replayed::from_flag(rotated.value.first_base_url.is_some());
        let event = EventIdHeader::from_event(rotated.event);
        let webhook = CreatedWebhook::from(rotated.value);
        Ok(RotatedResponse::Ok(Json::new(&webhook), webhook.etag(), event, replayed))
    }

    /// Test a webhook
    ///
    /// Creates a delivery of the type `webhook.test`, sends it now, and returns the attempt. It is not repeated,
    /// and it is sent even if the owner has disabled the webhook. With `Idempotency-Key`, a repetition within
    /// 24 hours returns the same attempt.
    #[oai(path = "/webhooks/:id/test", method = "post", operation_id = "testWebhook")]
    async fn test_webhook(
        &self,
        caller: Caller,
        /// The identifier of the webhook.
        Path(id): Path<WebhookSegment>,
        #[oai(name = "Idempotency-Key")] key: IdempotencyKeyHeader,
    ) -> OperationResult<RepeatedResponse<DeliveryAttempt>> {
        let app = &caller.app;
        let (owner_id, id) = (caller.owner_id, id.parsed()?);
        let request = key.for_request(&app.base_url, || webhooks::delivery_fingerprint(id, None));
        // The operation exists only with a sender.
        let sender = app.webhooks.as_ref().ok_or(Error::WebhookNotFound)?;
        let (attempt, is_replay) =
            deliver::test(&app.store, sender, owner_id, id, request.as_ref()).await?;
        Ok(RepeatedResponse::from_object(attempt, is_replay))
    }

    /// List the deliveries of a webhook
    ///
    /// Returns the deliveries of the last 7 days, newest first.
    #[oai(
        path = "/webhooks/:id/deliveries",
        method = "get",
        operation_id = "listWebhookDeliveries"
    )]
    async fn list_webhook_deliveries(
        &self,
        caller: Caller,
        /// The identifier of the webhook.
        Path(id): Path<WebhookSegment>,
        Parameter(limit): Parameter<Limit>,
        Parameter(cursor): Parameter<Cursor>,
    ) -> OperationResult<ListResponse<List<Delivery>, NextPageLink>> {
        let (id, owner_id) = (id.parsed()?, caller.owner_id);
        let path = format!("{PATH}/{id}/deliveries");
        let page = caller.page(path, Vec::new(), limit, cursor)?;
        let realm = Realm::Owner(owner_id);
        let found = webhooks::deliveries(&caller.app.store, realm, id, page.request()).await?;
        Ok(page.response(found))
    }

    /// Repeat a delivery
    ///
    /// Changes a delivery so that it is sent again within a second, whatever its status is. What was
    /// deleted cannot be sent again: 409 `delivery-erased`. With `Idempotency-Key`, a repetition within 24
    /// hours sends nothing more.
    #[oai(
        path = "/webhooks/:id/deliveries/:delivery_id/retry",
        method = "post",
        operation_id = "retryWebhookDelivery"
    )]
    async fn retry_webhook_delivery(
        &self,
        caller: Caller,
        /// The identifier of the webhook.
        Path(id): Path<WebhookSegment>,
        /// The identifier of the delivery.
        Path(delivery_id): Path<DeliverySegment>,
        #[oai(name = "Idempotency-Key")] key: IdempotencyKeyHeader,
    ) -> OperationResult<RepeatedResponse<Delivery>> {
        let app = &caller.app;
        let (owner_id, id, delivery_id) =
            (caller.owner_id, id.parsed()?, delivery_id.parsed().ok());
        let request =
            key.for_request(&app.base_url, || webhooks::delivery_fingerprint(id, delivery_id));
        let retried = webhooks::retry(&app.store, owner_id, id, delivery_id, request.as_ref());
        let (delivery, is_replay) = retried.await?;
        Ok(RepeatedResponse::from_object(delivery, is_replay))
    }
}
