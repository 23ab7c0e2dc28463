//! Webhooks, their deliveries, and attempts.

use poem_openapi::registry::{MetaSchema, MetaSchemaRef};
use serde_json::json;
use strum::VariantNames as _;

use super::change::Audit;
use super::fields::{
    Count, Identifier, TimeText, count_schema, enum_schema, parse_identifier, words,
};
use super::owned::Owned;
use crate::domain::Error;
use crate::domain::webhooks::{
    self, DISABLED_REASONS, DeliveryId, NewWebhook, RevealedWebhook, STATUSES, WebhookEdit,
    WebhookInfo, types_of,
};
use crate::http::openapi::field::{
    EXTENSIBLE, Nullable, integer_schema, label_schema, list, list_schema, request_field,
    response_fields, segment, text, text_schema,
};
use crate::http::openapi::headers::{EntityTag, Tagged};
use crate::http::openapi::json_body::{Clearable, OptionalNested, Replaceable, request_object};
use crate::http::openapi::response_object::response_object;
use crate::values::{ErrorCode, KeyLabel, Timestamp, WebhookType, WebhookUrl};

/// Maximum number of types that a request names.
const MAX_TYPES: usize = WebhookType::VARIANTS.len();
/// Identifier of a delivery in examples.
const EXAMPLE_DELIVERY: &str = "msg_731_1700000000000";

segment! {
    /// Identifier of a webhook in a path.
    WebhookSegment(i64): parse_identifier, 5, count_schema(1.0), Error::WebhookNotFound;
    /// Identifier of a delivery in a path.
    DeliverySegment(DeliveryId):
        DeliveryId::parse, EXAMPLE_DELIVERY, delivery_schema(), Error::DeliveryNotFound;
}

fn delivery_schema() -> MetaSchema {
    text_schema(7, 64, "^msg_[0-9]+_[0-9]+$")
}

request_field!(
    WebhookUrl,
    |value| WebhookUrl::parse(text(value)?),
    text_schema(8, WebhookUrl::MAX_LENGTH, r"^[Hh][Tt][Tt][Pp][Ss]?:[^\x00-\x20\x7F]+$")
);

/// What a webhook sends, in a request.
#[derive(Debug)]
pub struct WebhookTypes(Vec<WebhookType>);

request_field!(
    WebhookTypes,
    |value| {
        let unknown = |_| ErrorCode::NotAllowed.because("must be a known type");
        let mut types: Vec<WebhookType> = Vec::new();
        for kind in list(value, MAX_TYPES, |item| text(item)?.parse().map_err(unknown))? {
            if !types.contains(&kind) {
                types.push(kind);
            }
        }
        Ok(Self(types))
    },
    list_schema(MAX_TYPES, MetaSchemaRef::Inline(Box::new(enum_schema(WebhookType::VARIANTS))))
);

words! {
    /// Type of a delivery.
    WebhookTypeWord: WebhookType::VARIANTS;
    /// Why a webhook is disabled.
    DisabledReasonWord: DISABLED_REASONS;
    /// How far a delivery has come.
    DeliveryStatusWord: STATUSES;
}

response_fields! {
    /// URL of a webhook.
    WebhookUrlText(String): text_schema(8, 8192, "^https?://");
    /// Secret of a webhook.
    WebhookSecret(String): text_schema(50, 50, "^whsec_[0-9A-Za-z+/]{43}=$");
    /// Description of a webhook.
    DescriptionText(String): MetaSchema { max_length: Some(KeyLabel::MAX_LENGTH), ..MetaSchema::new("string") };
    /// Identifier of a delivery.
    DeliveryIdText(String): delivery_schema();
    /// Status of a response.
    StatusCode(u16): integer_schema(100, 999);
    /// What went wrong.
    AttemptError(String): label_schema(1_024);
}

response_object! {
    versioned example_webhook().into();
    page "A page of webhooks, newest first.";

    /// A webhook. Only its creation and the replacement of its secret show the secret.
    pub struct Webhook: From<WebhookInfo> = WebhookInfo {
        webhook: webhooks::Webhook {
            id, owner_id: _, url, types, description, is_enabled, disabled_reason, secret: _, secret_at: _,
            previous_secret: _, created_at, last_success_at, last_failure_at, failing_since: _, dropped,
        },
        waiting,
    } => {
        /// Identifies the webhook.
        id: Identifier,
        /// Where it sends to.
        url: WebhookUrlText,
        /// What it sends.
        #[oai(validator(max_items = 100))]
        types: Vec<WebhookTypeWord> =
            types_of(&types).into_iter().map(|kind| kind.into_str().into()).collect(),
        /// What it is for; `null` without a description.
        description: Nullable<DescriptionText>,
        /// Whether it sends anything.
        is_enabled: bool,
        /// Why it is disabled: `gone` (it returned 410), `failing` (for five days), `operator`; `null` if it is
        /// enabled, or if the owner has disabled it.
        disabled_reason: Nullable<DisabledReasonWord> = Nullable(disabled_reason.as_deref().map(Into::into)),
        /// When the webhook was created.
        created_at: TimeText,
        /// When it last accepted a delivery; `null` if it never did.
        last_success_at: Nullable<TimeText>,
        /// When an attempt last failed; `null` if none has.
        last_failure_at: Nullable<TimeText>,
        /// Number of deliveries that wait for an attempt.
        waiting: Count,
        /// Number of deliveries that were dropped because more than 10,000 waited.
        dropped: Count,
    }
}

impl From<(WebhookInfo, String)> for Owned<Webhook> {
    fn from((info, owner): (WebhookInfo, String)) -> Self {
        let owner_id = info.webhook.owner_id;
        Self::new(info.into(), owner_id, &owner)
    }
}

response_object! {
    RevealedWebhook { info: example_webhook(), first_base_url: None }.into();

    /// A webhook with its new secret.
    pub struct CreatedWebhook: From<RevealedWebhook> = RevealedWebhook { info, first_base_url: _ } => {
        #[serde(flatten)]
        #[oai(flatten)]
        webhook: Webhook = info.clone().into(),
        /// The secret with which it signs: `whsec_`, and the Base64 of 32 bytes.
        secret: WebhookSecret = info.webhook.secret.into(),
    }
}

impl Tagged for CreatedWebhook {
    fn etag(&self) -> EntityTag {
        self.webhook.etag()
    }
}

fn example_webhook() -> WebhookInfo {
    let created_at = Timestamp::from_millis(1_700_000_000_000);
    let webhook = webhooks::Webhook {
        id: 5,
        owner_id: 7,
        url: "https://hooks.acme.example/terse".to_owned(),
        types: "link.created links.clicked".to_owned(),
        description: Some("crm".to_owned()),
        is_enabled: true,
        disabled_reason: None,
        secret: "whsec_bm90IGEgc2VjcmV0OiAzMiBieXRlcyBvZiBhbiBleGE=".to_owned(),
        secret_at: created_at,
        previous_secret: None,
        created_at,
        last_success_at: Some(created_at),
        last_failure_at: None,
        failing_since: None,
        dropped: 0,
    };
    WebhookInfo { webhook, waiting: 0 }
}

request_object! {
    json!({ "url": "https://hooks.acme.example/terse", "types": ["link.created", "links.clicked"] });
    strict
    /// A webhook to create.
    pub struct WebhookCreate: Into<(NewWebhook, Audit)> = {
        let description = description.map(KeyLabel::into_string);
        (NewWebhook { url, types: types.0, description }, audit.0.unwrap_or_default())
    } => {
        /// Where to send to: `https`, on port 443, 80, or one from 1024.
        url: WebhookUrl,
        /// What to send.
        types: WebhookTypes,
        /// What it is for, without control characters.
        description?: KeyLabel,
        /// Why, for the history.
        audit: OptionalNested<Audit>,
    }
}

request_object! {
    json!({ "types": ["link.created"], "is_enabled": true });
    strict
    /// New values for a webhook, as a JSON merge patch (RFC 7396): what is absent stays, and `null` removes
    /// a value.
    pub struct WebhookUpdate: Into<(WebhookEdit, Audit)> = {
        let edit = WebhookEdit {
            url: url.0,
            types: types.0.map(|WebhookTypes(types)| types),
            description: description.0.map(|text| text.map(KeyLabel::into_string)),
            is_enabled: is_enabled.0,
        };
        (edit, audit.0.unwrap_or_default())
    } => {
        /// Where to send to: `https`, on port 443, 80, or one from 1024.
        url: Replaceable<WebhookUrl>,
        /// What to send.
        types: Replaceable<WebhookTypes>,
        /// What it is for, without control characters.
        description: Clearable<KeyLabel>,
        /// Whether to send anything. Deliveries that wait when it becomes `false` are not sent.
        is_enabled: Replaceable<bool>,
        /// Why, for the history.
        audit: OptionalNested<Audit>,
    }
}

response_object! {
    example_attempt().into();

    /// An attempt of a delivery.
    pub struct DeliveryAttempt: From<webhooks::Attempt> = webhooks::Attempt {
        at, status_code, error, milliseconds,
    } => {
        /// When the attempt was made.
        created_at: TimeText = Timestamp::from_millis(at).into(),
        /// The status of the response; `null` if there was none.
        status_code: Nullable<StatusCode>,
        /// What went wrong, or the beginning of a response other than 2xx; `null` if there is nothing to say.
        error: Nullable<AttemptError>,
        /// How long the attempt took.
        milliseconds: Count,
    }
}

fn example_attempt() -> webhooks::Attempt {
    let at = 1_700_000_000_000;
    webhooks::Attempt { at, status_code: Some(204), error: None, milliseconds: 87 }
}

response_object! {
    example_delivery().into();
    page "A page of the deliveries of a webhook, newest first.";

    /// A delivery of a webhook.
    pub struct Delivery: From<webhooks::Delivery> = delivery => {
        /// Identifies the delivery: the header `webhook-id` of every attempt.
        id: DeliveryIdText = DeliveryId::from_delivery(&delivery).to_string().into(),
        /// What it is about.
        r#type: WebhookTypeWord = delivery.kind.as_str().into(),
        /// When that happened.
        created_at: TimeText = delivery.created_at.into(),
        /// `waiting` while another attempt will be made, `delivered`, `failed`, or `erased` if what it is about
        /// was deleted.
        status: DeliveryStatusWord = delivery.status.as_str().into(),
        /// The last 10 attempts, oldest first.
        #[oai(validator(max_items = 10))]
        attempts: Vec<DeliveryAttempt> = delivery.attempts().into_iter().map(Into::into).collect(),
        /// When the next attempt will be made; `null` if none will.
        next_attempt_at: Nullable<TimeText> = delivery.next_attempt_at.into(),
    }
}

fn example_delivery() -> webhooks::Delivery {
    webhooks::Delivery {
        id: 731,
        webhook_id: 5,
        kind: WebhookType::LinkCreated.into_str().to_owned(),
        link_id: Some(2),
        event_id: None,
        content: None,
        created_at: Timestamp::from_millis(1_700_000_000_000),
        status: "delivered".to_owned(),
        next_attempt_at: None,
        attempts: json!([example_attempt()]).to_string(),
        attempt_count: 1,
    }
}
