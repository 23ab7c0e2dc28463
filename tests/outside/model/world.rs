//! What the model knows: owners, links, patterns and events, as they must be.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::time::millis;

/// Values of a thing that events change, by name.
pub(super) type Fields = BTreeMap<&'static str, Value>;

/// A thing that an event changes and an undo reverts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Thing {
    /// A link, by its code.
    Link(String),
    /// An owner, by its position in [`World::owners`].
    Owner(usize),
    /// A pattern of the operator.
    Pattern(String),
}

/// Change of one thing.
#[derive(Clone, Debug)]
pub(super) struct Change {
    pub(super) thing: Thing,
    pub(super) before: Fields,
    pub(super) after: Fields,
}

/// An event in the history.
#[derive(Clone, Debug)]
pub(super) struct Event {
    pub(super) action: &'static str,
    pub(super) subject: String,
    pub(super) owner: Option<usize>,
    pub(super) reason: String,
    pub(super) note: Option<String>,
    pub(super) case: Option<String>,
    pub(super) changed: u64,
    pub(super) changes: Vec<Change>,
    /// The event that this one reverts.
    pub(super) undoes: Option<i64>,
}

/// The last steps before the request that created a link, and before its response. A step is the
/// beginning or the end of a command.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub(super) sent: u64,
    pub(super) responded: u64,
}

/// A link, which may be deleted.
#[derive(Clone, Debug)]
pub(super) struct Link {
    pub(super) owner: usize,
    /// Values that events change, by name.
    pub(super) fields: Fields,
    /// The fewest and the most clicks; they differ if requests had no response.
    pub(super) clicks: (u64, u64),
    pub(super) span: Span,
    pub(super) is_deleted: bool,
    /// The event that deleted it, unless it was one of an interrupted deletion of the owner.
    pub(super) deleted_by: Option<i64>,
}

/// An owner.
#[derive(Clone, Debug)]
pub(super) struct Owner {
    pub(super) name: String,
    pub(super) plan: &'static str,
    pub(super) limit: u64,
    /// Values that events change, by name.
    pub(super) fields: Fields,
    /// Whether a key is revoked, by its id.
    pub(super) keys: BTreeMap<i64, bool>,
    /// The id and the text of the key that clients use.
    pub(super) client_key: (i64, String),
    pub(super) is_deleted: bool,
}

/// Everything that the model knows.
#[derive(Clone, Debug, Default)]
pub(super) struct World {
    pub(super) owners: Vec<Owner>,
    pub(super) links: BTreeMap<String, Link>,
    pub(super) patterns: BTreeMap<String, Value>,
    pub(super) events: BTreeMap<i64, Event>,
}

impl Link {
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.fields[name].as_str()
    }
}

impl World {
    /// Returns the position of the owner with this name, unless it is deleted.
    pub(super) fn owner(&self, name: &str) -> Option<usize> {
        self.owners.iter().position(|owner| owner.name == name && !owner.is_deleted)
    }

    /// Returns the links that are not deleted.
    pub(super) fn live(&self) -> impl Iterator<Item = (&String, &Link)> {
        self.links.iter().filter(|(_, link)| !link.is_deleted)
    }

    /// Returns the links of an owner.
    pub(super) fn links_of(&self, owner: usize) -> impl Iterator<Item = (&String, &Link)> {
        self.live().filter(move |(_, link)| link.owner == owner)
    }

    /// Returns the current values of a thing, unless it is deleted.
    pub(super) fn fields(&self, thing: &Thing) -> Option<Fields> {
        match thing {
            Thing::Link(code) => {
                let link = self.links.get(code).filter(|link| !link.is_deleted)?;
                Some(link.fields.clone())
            }
            Thing::Owner(owner) => {
                let owner = Some(&self.owners[*owner]).filter(|owner| !owner.is_deleted)?;
                Some(owner.fields.clone())
            }
            Thing::Pattern(pattern) => {
                let rule = self.patterns.get(pattern).cloned().unwrap_or_default();
                Some(Fields::from([("rule", rule)]))
            }
        }
    }

    /// Sets these values of a thing.
    pub(super) fn set(&mut self, thing: &Thing, fields: &Fields) {
        let fields = fields.clone();
        match thing {
            Thing::Link(code) => {
                self.links.get_mut(code).expect("a known link").fields.extend(fields);
            }
            Thing::Owner(owner) => self.owners[*owner].fields.extend(fields),
            Thing::Pattern(pattern) => {
                let rule = fields["rule"].clone();
                if rule.is_null() {
                    self.patterns.remove(pattern);
                } else {
                    self.patterns.insert(pattern.clone(), rule);
                }
            }
        }
    }

    /// Deletes a link.
    pub(super) fn delete(&mut self, code: &str, event: Option<i64>) {
        let link = self.links.get_mut(code).expect("a known link");
        link.is_deleted = true;
        link.deleted_by = event;
        // The history keeps neither its campaign nor its host.
        let thing = Thing::Link(code.to_owned());
        for event in self.events.values_mut() {
            let is_by_value =
                ["campaign ", "host "].iter().any(|word| event.subject.contains(word));
            if is_by_value && event.changes.iter().any(|change| change.thing == thing) {
                "several links".clone_into(&mut event.subject);
            }
        }
    }

    /// Returns why a destination is blocked, if it is. A URL takes precedence over a host, and a
    /// longer pattern over a shorter one.
    pub(super) fn blocked(&self, destination: &str) -> Option<&str> {
        let (_, address) = destination.split_once("://").expect("a URL");
        let address = address.split('?').next().expect("a part");
        let (host, _) = address.split_once('/').expect("a URL with a path");
        let is_matching = |pattern: &str| {
            let below = address.strip_prefix(pattern).is_some_and(|rest| rest.starts_with('/'));
            if pattern.contains('/') {
                address == pattern || below
            } else {
                host == pattern || host.ends_with(&format!(".{pattern}"))
            }
        };
        let matching = self.patterns.iter().filter(|(pattern, _)| is_matching(pattern));
        let (_, rule) =
            matching.max_by_key(|(pattern, _)| (pattern.contains('/'), pattern.len()))?;
        (rule["action"] == "block").then(|| rule["reason"].as_str().expect("a reason"))
    }

    /// Returns the state of a link at a time, and the reason.
    pub(super) fn state(&self, link: &Link, now: i64) -> (&'static str, Option<&str>) {
        if link.is_deleted {
            return ("deleted", None);
        }
        let suspended = self.owners[link.owner].fields["suspended_reason"].as_str();
        if let Some(reason) = suspended {
            return ("owner-suspended", Some(reason));
        }
        let destination = link.text("destination_url").expect("a destination");
        if let Some(reason) = self.blocked(destination) {
            return ("blocked", Some(reason));
        }
        // The result borrows the reason from a constant, because it cannot borrow from the link.
        if let Some(link_reason) = link.fields["disabled_reason"].as_str() {
            let known = super::commands::REASONS.iter().find(|reason| **reason == link_reason);
            return ("disabled", known.copied());
        }
        if link.fields["is_paused"] == 1 {
            return ("paused", None);
        }
        match link.text("expires_at") {
            Some(expiry) if millis(expiry) <= now => ("expired", None),
            _ => ("active", None),
        }
    }

    /// Returns the status of a link's short URL at a time.
    pub(super) fn status(&self, link: &Link, now: i64) -> u16 {
        match self.state(link, now) {
            ("active", _) => 302,
            (_, Some("legal")) => 451,
            _ => 410,
        }
    }

    /// Renames an owner, also in the history.
    pub(super) fn rename(&mut self, owner: usize, new: &str) {
        let old = std::mem::replace(&mut self.owners[owner].name, new.to_owned());
        for event in self.events.values_mut().filter(|event| event.owner == Some(owner)) {
            if event.subject == old {
                new.clone_into(&mut event.subject);
            }
            let [old, new] = [&*old, new].map(|name| format!("owner {name}"));
            event.subject = event.subject.replace(&old, &new);
        }
    }

    /// Returns the events that `history --link` lists for a link.
    pub(super) fn history_of(&self, code: &str) -> BTreeSet<i64> {
        let thing = Thing::Link(code.to_owned());
        let changed = |event: &Event| event.changes.iter().any(|change| change.thing == thing);
        let changing = self.events.iter().filter(|(_, event)| changed(event)).map(|(id, _)| *id);
        changing.chain(self.links[code].deleted_by).collect()
    }

    /// Returns an event as `history --json` lists it, without its time.
    pub(super) fn history_row(&self, id: i64) -> Value {
        let Event { action, subject, owner, reason, note, case, changed, .. } = &self.events[&id];
        json!({
            "id": id,
            "actor": { "type": "command", "id": null, "name": super::operator::ACTOR },
            "action": action,
            "subject": subject,
            "owner_name": owner.map(|owner| self.owners[owner].name.clone()),
            "audit": { "reason": reason, "note": note, "case_id": case },
            "changed": changed,
        })
    }
}
