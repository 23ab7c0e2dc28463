//! What webhooks send.

use poem_openapi::registry::Registry;
use poem_openapi::types::Type as _;
use serde_json::{Map, Value, json};

use super::fields::{
    ActionWord, Count, Identifier, LinkCode, Members, ReasonWord, Text, TimeText, enum_schema,
};
use super::link::{Link, example_link};
use crate::domain::addresses::short_url;
use crate::domain::links::{KeyNames, LinkState};
use crate::http::openapi::document::simplify;
use crate::http::openapi::field::{Nullable, example, response_fields};
use crate::http::problem::EXAMPLE_BASE_URL;
use crate::values::{ShortCode, Timestamp};

/// The link of the examples.
fn link() -> Link {
    let link = example_link();
    let url = short_url(EXAMPLE_BASE_URL, &ShortCode::from_stored(&link.short_code));
    Link::new(url, &KeyNames::default(), link, LinkState::Active)
}

fn code() -> LinkCode {
    LinkCode(example_link().short_code)
}

fn members(title: &str) -> Members {
    Members(Map::from_iter([("title".to_owned(), title.into())]))
}

/// Defines the types of deliveries, each with the name of its schema, the members of its data, and an
/// example of each.
macro_rules! webhook_events {
    ($(
        $(#[$attribute:meta])*
        $name:literal: $event:ident($kind:ident), $data:ident {
            $($(#[$field_attribute:meta])* $field:ident: $type:ty = $example:expr,)*
        }
    )+) => {
        $(
            response_fields! {
                #[doc = concat!("Always `", $name, "`.")]
                $kind(String): enum_schema(&[$name]);
            }

            /// The data of a delivery.
            #[derive(Debug, ::serde::Serialize, ::poem_openapi::Object)]
            pub struct $data { $($(#[$field_attribute])* pub(in crate::http) $field: $type,)* }

            $(#[$attribute])*
            #[derive(Debug, ::serde::Serialize, ::poem_openapi::Object)]
            #[oai(example)]
            pub struct $event {
                /// What happened.
                r#type: $kind,
                /// When it happened.
                timestamp: TimeText,
                /// What it happened to.
                data: $data,
            }

            example!($event, Self {
                r#type: $kind($name.to_owned()),
                timestamp: Timestamp::from_millis(1_700_000_000_000).into(),
                data: $data { $($field: $example,)* },
            });
        )+

        /// Adds what webhooks send to a document: a schema of each type, and which types there are.
        pub fn describe(document: &mut Value) {
            let mut registry = Registry::new();
            let mut events = Map::new();
            $(
                $event::register(&mut registry);
                events.insert($name.to_owned(), event($event::name().as_ref(), $name));
            )+
            let schemas = registry.schemas.into_iter();
            let mut schemas = json!(schemas.collect::<std::collections::BTreeMap<_, _>>());
            simplify(&mut schemas);
            if let (Value::Object(new), Some(known)) =
                (schemas, document["components"]["schemas"].as_object_mut())
            {
                for (name, schema) in new {
                    known.entry(name).or_insert(schema);
                }
            }
            document["x-webhooks"] = events.into();
        }
    };
}

/// Describes the request of a delivery.
fn event(schema: &str, name: &str) -> Value {
    let reference = json!({ "$ref": format!("#/components/schemas/{schema}") });
    json!({ "post": {
        "summary": format!("Receive {name}"),
        "operationId": format!("receive{schema}"),
        "security": [],
        "requestBody": { "required": true, "content": { "application/json": { "schema": reference } } },
        "responses": { "204": { "description": "The delivery is accepted; so is any 2xx." } },
    } })
}

webhook_events! {
    /// A link was created.
    "link.created": LinkCreatedEvent(LinkCreatedType), LinkCreatedData {
        /// The link, as it is when the attempt is made.
        link: Link = link(),
    }
    /// A link was changed by its owner, or by the operator.
    "link.updated": LinkUpdatedEvent(LinkUpdatedType), LinkUpdatedData {
        /// The link, as it is when the attempt is made.
        link: Link = link(),
        /// Identifies the event of the change; `null` if it has none.
        event_id: Nullable<Identifier> = Nullable(Some(Identifier(31))),
        /// What was changed.
        changes: LinkChanges = LinkChanges { before: members("Spring"), after: members("Spring catalogue") },
    }
    /// A link was deleted.
    "link.deleted": LinkDeletedEvent(LinkDeletedType), LinkDeletedData {
        /// The link's code, which is never used again.
        short_code: LinkCode = code(),
        /// The external identifier that the link had; `null` if it had none.
        external_id: Nullable<Text> = Nullable(None),
        /// Identifies the event of the deletion.
        event_id: Nullable<Identifier> = Nullable(Some(Identifier(31))),
    }
    /// The operator disabled a link.
    "link.disabled": LinkDisabledEvent(LinkDisabledType), LinkDisabledData {
        /// The link, as it is when the attempt is made.
        link: Link = link(),
        /// Identifies the event of the change.
        event_id: Nullable<Identifier> = Nullable(Some(Identifier(31))),
        /// Why the operator did it, such as `phishing`.
        reason: ReasonWord = "phishing".into(),
    }
    /// The operator enabled a link.
    "link.enabled": LinkEnabledEvent(LinkEnabledType), LinkEnabledData {
        /// The link, as it is when the attempt is made.
        link: Link = link(),
        /// Identifies the event of the change.
        event_id: Nullable<Identifier> = Nullable(Some(Identifier(31))),
        /// Why the operator did it, such as `phishing`.
        reason: ReasonWord = "other".into(),
    }
    /// Links were clicked.
    "links.clicked": LinksClickedEvent(LinksClickedType), LinksClickedData {
        /// The links, at most 100.
        #[oai(validator(max_items = 100))]
        links: Vec<ClickedLink> =
            vec![ClickedLink { short_code: code(), external_id: Nullable(None), clicks: Count(42) }],
    }
    /// One change changed more than 100 links of the owner.
    "links.changed": LinksChangedEvent(LinksChangedType), LinksChangedData {
        /// Identifies the event of the change.
        event_id: Nullable<Identifier> = Nullable(Some(Identifier(31))),
        /// What was done, such as `link disable`.
        action: ActionWord = "link disable".to_owned().into(),
        /// Number of the owner's links that changed.
        changed: Count = Count(2_000),
    }
    /// The operator suspended the owner.
    "owner.suspended": OwnerSuspendedEvent(OwnerSuspendedType), OwnerSuspendedData {
        /// Why the operator did it, such as `phishing`.
        reason: ReasonWord = "spam".into(),
    }
    /// The operator resumed the owner.
    "owner.resumed": OwnerResumedEvent(OwnerResumedType), OwnerResumedData {
        /// Why the operator did it, such as `phishing`.
        reason: ReasonWord = "other".into(),
    }
    /// The owner asked for a test.
    "webhook.test": WebhookTestEvent(WebhookTestType), WebhookTestData {}
}

/// The changed members of a link, before and after a change.
#[derive(Debug, serde::Serialize, poem_openapi::Object)]
pub struct LinkChanges {
    /// The members before.
    pub(in crate::http) before: Members,
    /// The members after.
    pub(in crate::http) after: Members,
}

/// The clicks of a link.
#[derive(Debug, serde::Serialize, poem_openapi::Object)]
pub struct ClickedLink {
    /// The link's code.
    pub(in crate::http) short_code: LinkCode,
    /// The link's external identifier; `null` if it has none.
    pub(in crate::http) external_id: Nullable<Text>,
    /// The number of all its clicks. Of several deliveries, the largest number is right.
    pub(in crate::http) clicks: Count,
}
