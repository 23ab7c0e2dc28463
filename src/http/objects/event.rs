//! Events, as owners and the operator see them, with the values before and after a change.

use poem_openapi::Object;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::fields::{
    ActionWord, Actor, EXAMPLE_CODE, Identifier, Members, NoteText, ReasonWord, StatusWord,
    SubjectText, Text, TimeText,
};
use super::link::Link;
use crate::domain::changes::{self, ActorType, ChangeKind, ShownChange, before_and_after};
use crate::domain::links::{KeyNames, StateInputs};
use crate::domain::webhooks::LinkRow;
use crate::domain::{Error, links};
use crate::http::openapi::field::{Nullable, example};
use crate::http::openapi::page::Listed;
use crate::http::openapi::response_object::response_object;
use crate::values::{Reason, Timestamp};

/// Members of a link that follow from others, or are no part of what can be changed.
const DERIVED: [&str; 4] = ["etag", "updated_at", "qr_svg_url", "qr_png_url"];
/// Members that show that the operator has disabled a link, and follow from others otherwise.
const OF_STATE: [&str; 3] = ["state", "state_reason", "is_active"];

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

/// A change of what an owner has.
#[derive(Debug, Serialize, Object)]
#[oai(example)]
pub struct Event {
    /// Identifies the event.
    id: Identifier,
    /// When the change was made.
    created_at: TimeText,
    /// Who made it.
    actor: Actor,
    /// What was done, such as `link edit`.
    action: ActionWord,
    /// Why it was done. Of a change by the operator, only the reason.
    audit: EventAudit,
    /// `running` while the change goes on, `done` once everything is changed, `stopped` if it was stopped or
    /// interrupted.
    status: StatusWord,
    /// When the change ended; `null` while it goes on.
    finished_at: Nullable<TimeText>,
}

impl From<changes::Event> for Event {
    fn from(event: changes::Event) -> Self {
        let actor_type = ActorType::from_stored(event.actor_type.as_deref());
        let is_own = match actor_type {
            ActorType::OwnerKey => true,
            ActorType::Command | ActorType::OperatorKey | ActorType::Import => false,
        };
        let status = event.status().into_str().into();
        let own = |text: Option<String>| Nullable(text.filter(|_| is_own).map(Text));
        Self {
            id: Identifier(event.id),
            created_at: event.at.into(),
            actor: Actor {
                r#type: actor_type.into_str().into(),
                id: Nullable(event.actor_id.filter(|_| is_own).map(Identifier)),
                name: own(Some(event.actor)),
            },
            action: event.action.into(),
            status,
            finished_at: Nullable(event.finished_at.map(TimeText::from)),
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
        status: Some("done".to_owned()),
        finished_at: Some(Timestamp::from_millis(1_700_000_000_000)),
        instance_id: None,
        skipped: None,
        skipped_count: None,
    }
}

example!(Event, example_event().into());

impl Listed for Event {
    const PAGE: &'static str = "A page of events, newest first unless `after_id` is given.";
}

response_object! {
    {
        let object = |title: &str| Nullable(Some(Members(Map::from_iter([("title".to_owned(), title.into())]))));
        Self { subject: SubjectText(EXAMPLE_CODE.to_owned()), before: object("Spring"), after: object("Spring catalogue") }
    };
    page "A page of what an event changed, in the order in which it did.";

    /// What an event changed of one thing. Values of deleted links and owners are erased.
    pub struct EventChange: From<(String, [Option<Members>; 2])> = (subject, [before, after]) => {
        /// What was changed: a code, a host, a name, a pattern, or the identifier of a key or webhook.
        subject: SubjectText,
        /// The members that changed, as they were before, with their names and types in the interface. `null`
        /// if it did not exist, or if the values are erased.
        before: Nullable<Members>,
        /// The members that changed, as they were afterwards. `null` if it no longer exists, or if the values
        /// are erased.
        after: Nullable<Members>,
    }
}

impl EventChange {
    /// Returns what was changed.
    pub fn subject(&self) -> &str {
        &self.subject.0
    }

    /// Returns the members before the change, as JSON.
    pub fn before(&self) -> Option<String> {
        self.before.0.as_ref().map(|Members(members)| json!(members).to_string())
    }

    /// Returns the members after the change, as JSON.
    pub fn after(&self) -> Option<String> {
        self.after.0.as_ref().map(|Members(members)| json!(members).to_string())
    }
}

impl From<ShownChange> for EventChange {
    fn from(change: ShownChange) -> Self {
        let subject = change.subject.clone();
        (subject, members(change)).into()
    }
}

/// Defines an event with what it changed.
macro_rules! event_details {
    () => {
        response_object! {
            Self { event: Event::example(), changes: vec![EventChange::example()] };

            /// An event, and what it changed.
            pub struct EventDetails: From<(changes::Event, Vec<ShownChange>)> = (event, shown) => {
                #[serde(flatten)]
                #[oai(flatten)]
                event: Event,
                /// What it changed, the first 100; `/events/{id}/changes` has all.
                #[oai(validator(max_items = 100))]
                changes: Vec<EventChange> = shown.into_iter().map(Into::into).collect(),
            }
        }
    };
}

event_details!();

/// As the operator sees them.
pub mod operator {
    use super::{Actor, EventAudit, EventChange};
    use crate::domain::changes::{self, ActorType, ChangeExtent, ShownChange};
    use crate::http::objects::change::listed;
    use crate::http::objects::fields::{
        ActionWord, Count, Identifier, StatusWord, SubjectText, Text, TimeText,
    };
    use crate::http::openapi::field::Nullable;
    use crate::http::openapi::response_object::response_object;
    use crate::values::Reason;

    response_object! {
        example_event().into();
        page "A page of events.";

        /// A change, as the operator sees it.
        pub struct Event: From<changes::Event> = changes::Event {
            id, at: created_at, actor, action, subject, owner_id, owner: owner_name, reason, note, case_id, changed,
            actor_type, actor_id, status, finished_at, instance_id: _, skipped, skipped_count,
        } => {
            /// Identifies the event.
            id: Identifier,
            /// When the change was made.
            created_at: TimeText,
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
            owner_name: Nullable<Text>,
            /// Why it was done.
            audit: EventAudit = EventAudit::new(reason, note, case_id, true),
            /// Number of things that changed. A change in progress still adds to it.
            changed: Count,
            /// `running` while the change goes on, `done` once everything is changed, `stopped` if it was
            /// stopped, or its server or command has given no sign of life for a minute.
            status: StatusWord = status.unwrap_or_default().into(),
            /// When the change ended; `null` while it goes on.
            finished_at: Nullable<TimeText> = Nullable(finished_at.map(TimeText::from)),
            /// What an undo did not revert: the first 100 codes, names, patterns or hosts.
            #[oai(validator(max_items = 100))]
            skipped: Vec<SubjectText> = listed(&ChangeExtent::skipped_of(skipped.as_deref())).0,
            /// Number of all that it did not revert.
            skipped_count: Count = Count(skipped_count.unwrap_or(0)),
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

    event_details!();
}

/// Returns the members of a link that differ before and after a change with these recorded values.
pub fn link_members(link: &LinkRow, recorded: [&Value; 2]) -> Result<[Members; 2], Error> {
    let is_switch = recorded[0].get("disabled_reason").is_some();
    let members = |row: LinkRow| {
        let link = links::Link::from_row(row, 0);
        let link = link.map(|link| {
            // Nothing tells any more what else kept the link from redirecting.
            let never = Timestamp::from_millis(0);
            let state = StateInputs::from_link(&link, None).state_at(None, never);
            json!(Link::new(String::new(), &KeyNames::default(), link, state))
        });
        link.and_then(|link| link.as_object().cloned()).unwrap_or_default()
    };
    let [before, after] = before_and_after(link, recorded)?.map(members);
    let changed = |of: &Map<String, Value>, other: &Map<String, Value>| {
        let mut changed = of.clone();
        changed.retain(|name, value| {
            let is_derived = DERIVED.contains(&name.as_str())
                || (!is_switch && OF_STATE.contains(&name.as_str()));
            !is_derived && other.get(name) != Some(value)
        });
        Members(changed)
    };
    Ok([changed(&before, &after), changed(&after, &before)])
}

/// Returns the members of anything that differ before and after a change: none of what did not exist, or was
/// erased.
pub fn members(change: ShownChange) -> [Option<Members>; 2] {
    let ShownChange { kind, subject: _, before, after, link } = change;
    let (Some(before), Some(after)) = (before, after) else { return [None, None] };
    if kind == Some(ChangeKind::Link) {
        let members = link.and_then(|link| link_members(&link, [&before, &after]).ok());
        return members.map_or([None, None], |members| members.map(Some));
    }
    [changed_members(&before, &after), changed_members(&after, &before)]
}

/// Returns the members that differ from another version, from the values that events record.
fn changed_members(values: &Value, other: &Value) -> Option<Members> {
    let mut members = Map::new();
    for (name, value) in values.as_object()? {
        if other.get(name) == Some(value) {
            continue;
        }
        let time = value.as_i64().map(|millis| Timestamp::from_millis(millis).to_millis_text());
        let (name, value) = match (name.as_str(), time) {
            // Earlier versions recorded only when a domain was chosen: the one that was chosen last is the
            // default. A new one has not been chosen.
            ("default_at", _) if other.is_null() || values.get("is_default").is_some() => continue,
            ("default_at", _) => ("is_default", (value.as_i64() > other[name].as_i64()).into()),
            ("until", time) => ("expires_at", time.into()),
            (name, Some(time)) if name.ends_with("_at") => (name, time.into()),
            (name, _) => (name, value.clone()),
        };
        let is_same = |other: &Value| other.is_null() == value.is_null();
        if name == "suspended_reason" && !other.get(name).is_some_and(is_same) {
            members.insert("is_suspended".to_owned(), (!value.is_null()).into());
        }
        members.insert(name.to_owned(), value);
    }
    Some(Members(members))
}
