//! Events, as owners and the operator see them.

use poem_openapi::Object;
use serde::Serialize;

use super::fields::{ActionWord, ActorTypeWord, Identifier, NoteText, ReasonWord, Text, TimeText};
use crate::domain::changes::{self, ActorType};
use crate::http::openapi::field::{Nullable, example};
use crate::http::openapi::list::Listed;
use crate::values::{Reason, Timestamp};

/// Who made a change. Owners see nothing that identifies an operator.
#[derive(Debug, Serialize, Object)]
pub struct Actor {
    /// `owner_key`, `operator_key`, or `command` for a person or program at a shell of the operator's.
    r#type: ActorTypeWord,
    /// Identifies the key; `null` for a command, and where owners do not see it.
    id: Nullable<Identifier>,
    /// The label that the API key had, the name of the operator key, or the name that the command was
    /// given; `null` where owners do not see it.
    name: Nullable<Text>,
}

/// Why a change was made.
#[derive(Debug, Serialize, Object)]
pub struct EventAudit {
    /// The reason, such as `owner-request`.
    reason: ReasonWord,
    /// A note; `null` without one.
    note: Nullable<NoteText>,
    /// The case that led to it; `null` without one.
    case_id: Nullable<Text>,
}

impl EventAudit {
    /// Describes why a change was made, or only the reason.
    fn new(reason: Reason, note: Option<String>, case: Option<String>, has_details: bool) -> Self {
        Self {
            reason: reason.into_str().into(),
            note: note.filter(|_| has_details).into(),
            case_id: case.filter(|_| has_details).into(),
        }
    }
}

/// A change of a link.
#[derive(Debug, Serialize, Object)]
#[oai(example)]
pub struct Event {
    /// Identifies the event.
    id: Identifier,
    /// When the change was made.
    at: TimeText,
    /// Who made it.
    actor: Actor,
    /// What was done, such as `link edit`.
    action: ActionWord,
    /// Why it was done. Of a change by the operator, only the reason.
    audit: EventAudit,
}

impl From<changes::Event> for Event {
    fn from(event: changes::Event) -> Self {
        let actor_type = ActorType::from_stored(event.actor_type.as_deref());
        let is_own = match actor_type {
            ActorType::OwnerKey => true,
            ActorType::Command | ActorType::OperatorKey => false,
        };
        let own = |text: Option<String>| Nullable(text.filter(|_| is_own).map(Text));
        Self {
            id: Identifier(event.id),
            at: event.at.into(),
            actor: Actor {
                r#type: actor_type.into_str().into(),
                id: Nullable(event.actor_id.filter(|_| is_own).map(Identifier)),
                name: own(Some(event.actor)),
            },
            action: event.action.into(),
            audit: EventAudit::new(event.reason, event.note, event.case_id, is_own),
        }
    }
}

fn example_event() -> changes::Event {
    changes::Event {
        id: 31,
        at: Timestamp::from_millis(1_700_000_000_000),
        actor: "crm".to_owned(),
        actor_type: ActorType::OwnerKey.stored().map(str::to_owned),
        actor_id: Some(12),
        action: "link edit".to_owned(),
        subject: String::new(),
        owner_id: None,
        owner: None,
        reason: Reason::OwnerRequest,
        note: Some("a typing error".to_owned()),
        case_id: None,
        changed: 1,
        status: None,
        finished_at: None,
        instance_id: None,
        skipped: None,
        skipped_count: None,
    }
}

example!(Event, example_event().into());

impl Listed for Event {
    const PAGE: &'static str = "A page of the changes of a link, newest first.";
}

/// As the operator sees them.
pub mod operator {
    use super::{Actor, EventAudit};
    use crate::domain::changes::{self, ActorType};
    use crate::http::objects::fields::{
        ActionWord, Count, Identifier, SubjectText, Text, TimeText,
    };
    use crate::http::openapi::field::Nullable;
    use crate::http::openapi::list::Listed;
    use crate::http::openapi::response_object::response_object;
    use crate::values::Reason;

    response_object! {
        example_event().into();

        /// A change, as the operator sees it.
        pub struct Event: From<changes::Event> = changes::Event {
            id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed,
            actor_type, actor_id, status: _, finished_at: _, instance_id: _, skipped: _, skipped_count: _,
        } => {
            /// Identifies the event.
            id: Identifier,
            /// When the change was made.
            at: TimeText,
            /// Who made it.
            actor: Actor = Actor {
                r#type: ActorType::from_stored(actor_type.as_deref()).into_str().into(),
                id: Nullable(actor_id.map(Identifier)),
                name: Nullable(Some(Text(actor))),
            },
            /// What was done: the command, such as `link disable`.
            action: ActionWord,
            /// What was changed: a code, a name, an identifier, a pattern, or a description of several
            /// things.
            subject: SubjectText,
            /// Identifies the owner, if everything that changed belongs to one.
            owner_id: Nullable<Identifier>,
            /// The name of this owner.
            owner: Nullable<Text>,
            /// Why it was done.
            audit: EventAudit = EventAudit::new(reason, note, case_id, true),
            /// Number of things that changed. A change in progress still adds to it.
            changed: Count,
        }
    }

    fn example_event() -> changes::Event {
        changes::Event {
            actor: "abuse-desk".to_owned(),
            actor_type: ActorType::OperatorKey.stored().map(str::to_owned),
            actor_id: Some(3),
            action: "link disable".to_owned(),
            subject: "Vd7hK2m".to_owned(),
            owner_id: Some(7),
            owner: Some("acme".to_owned()),
            reason: Reason::Phishing,
            note: None,
            case_id: Some("4711".to_owned()),
            ..super::example_event()
        }
    }

    impl Listed for Event {
        const PAGE: &'static str = "A page of events.";
    }
}
