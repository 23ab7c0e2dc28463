//! Events, as owners see them.

use poem_openapi::Object;
use serde::Serialize;

use super::fields::{Identifier, Text, TimeText, Word};
use crate::domain::changes::{ActorType, Event};
use crate::http::openapi::field::{Nullable, example};
use crate::values::{Reason, Timestamp};

/// Who made a change. What identifies an operator is `null`.
#[derive(Debug, Serialize, Object)]
pub struct EventActor {
    /// `owner_key` or, for the operator, `command` or `operator_key`.
    r#type: Text,
    /// Identifies the API key.
    id: Nullable<Identifier>,
    /// The label that the API key had.
    name: Nullable<Text>,
}

/// A change of a link.
#[derive(Debug, Serialize, Object)]
#[oai(example)]
pub struct OwnEvent {
    /// Identifies the event.
    id: Identifier,
    /// When the change was made.
    at: TimeText,
    /// Who made it.
    actor: EventActor,
    /// What was done, such as `link edit`.
    action: Text,
    /// The reason for it, such as `owner-request`.
    reason: Word,
    /// A note about it; `null` without one, and for changes by the operator.
    note: Nullable<Text>,
    /// The case that led to it; `null` without one, and for changes by the operator.
    case: Nullable<Text>,
}

impl From<Event> for OwnEvent {
    fn from(event: Event) -> Self {
        let is_own = match event.actor_type {
            ActorType::OwnerKey => true,
            ActorType::Command | ActorType::OperatorKey => false,
        };
        let own = |text: Option<String>| Nullable(text.filter(|_| is_own).map(Text));
        Self {
            id: Identifier(event.id),
            at: event.at.into(),
            actor: EventActor {
                r#type: Text(event.actor_type.as_str().to_owned()),
                id: Nullable(event.actor_id.filter(|_| is_own).map(Identifier)),
                name: own(Some(event.actor)),
            },
            action: Text(event.action),
            reason: Word(event.reason.as_str().to_owned()),
            note: own(event.note),
            case: own(event.case),
        }
    }
}

fn example_event() -> Event {
    Event {
        id: 31,
        at: Timestamp::from_millis(1_700_000_000_000),
        actor: "crm".to_owned(),
        actor_type: ActorType::OwnerKey,
        actor_id: Some(12),
        action: "link edit".to_owned(),
        subject: String::new(),
        owner_id: None,
        owner: None,
        reason: Reason::OwnerRequest,
        note: Some("a typing error".to_owned()),
        case: None,
        changed: 1,
    }
}

example!(OwnEvent, example_event().into());

/// A page of the changes of a link, newest first.
#[derive(Debug, Serialize, Object)]
#[oai(example)]
pub struct OwnEventList {
    /// The events.
    pub data: Vec<OwnEvent>,
}

example!(OwnEventList, Self { data: vec![example_event().into()] });
