//! What the model expects of a command.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::commands::{BlockVerb, Command, LinkVerb, Options, Selectors};
use super::undo::reversal;
use super::world::{Change, Fields, Link, Thing, World};

/// The effect of a command.
#[derive(Clone, Debug, Default)]
pub(super) struct Effect {
    /// The subject of the event; `None` if only the program knows it.
    pub(super) subject: Option<String>,
    pub(super) owner: Option<usize>,
    /// The owners that the event may have instead, because of links that were created during the
    /// command.
    pub(super) other_owners: Vec<Option<usize>>,
    /// Changes of values, or links to delete.
    pub(super) changes: Vec<Change>,
    /// Changes of links that were created during the command, and which it may have changed or not.
    pub(super) possible: Vec<Change>,
    /// Number of other changed things, such as keys, whose values an event does not record.
    pub(super) more: u64,
    /// Number of things that an undo must skip.
    pub(super) skipped: usize,
}

/// The steps at which a command began and ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Steps {
    pub(super) begun: u64,
    pub(super) ended: u64,
}

/// The code of the error that a command must end with.
pub(super) type Refusal = &'static str;

impl Effect {
    fn of(subject: &str, owner: Option<usize>) -> Self {
        Self { subject: Some(subject.to_owned()), owner, ..Self::default() }
    }

    fn change(mut self, thing: Thing, before: &Fields, after: Fields) -> Self {
        let differs = |(name, value): &(&'static str, Value)| before[name] != *value;
        let after: Fields = after.into_iter().filter(differs).collect();
        if !after.is_empty() {
            let before = after.keys().map(|name| (*name, before[name].clone())).collect();
            self.changes.push(Change { thing, before, after });
        }
        self
    }
}

impl World {
    /// Returns the effect of a command on the model's current state.
    pub(super) fn effect(
        &self,
        command: &Command,
        options: &Options,
        steps: Steps,
    ) -> Result<Effect, Refusal> {
        match command {
            Command::Link { verb, selectors } => self.link_effect(*verb, selectors, options, steps),
            Command::Edit { code, edit } => self.edit_effect(code, edit),
            Command::OwnerAdd { name, .. } => match self.owner(name) {
                Some(_) => Err("owner-exists"),
                None => Ok(Effect { more: 1, ..Effect::of(name, Some(self.owners.len())) }),
            },
            Command::Suspend { name } => {
                let owner = self.existing_owner(name)?;
                let before = &self.owners[owner].fields;
                let current = before["suspended_reason"].as_str();
                let reason = options.reason.or(current).unwrap_or("other");
                let after = Fields::from([("suspended_reason", json!(reason))]);
                Ok(Effect::of(name, Some(owner)).change(Thing::Owner(owner), before, after))
            }
            Command::Resume { name } => {
                let owner = self.existing_owner(name)?;
                let after = Fields::from([("suspended_reason", Value::Null)]);
                let before = &self.owners[owner].fields;
                Ok(Effect::of(name, Some(owner)).change(Thing::Owner(owner), before, after))
            }
            Command::Rename { name, new } => {
                let owner = self.existing_owner(name)?;
                if self.owner(new).is_some_and(|other| other != owner) {
                    return Err("owner-exists");
                }
                Ok(Effect { more: u64::from(name != new), ..Effect::of(new, Some(owner)) })
            }
            Command::OwnerDelete { name } => self.owner_deletion_effect(name, steps),
            Command::Block { verb, patterns, until } => {
                self.block_effect(*verb, patterns, *until, options)
            }
            Command::Undo { event } => reversal(self, *event),
            Command::KeyAdd { owner } => {
                let owner = self.existing_owner(owner)?;
                Ok(Effect { owner: Some(owner), more: 1, ..Effect::default() })
            }
            Command::KeyRevoke { ids } => self.revocation_effect(ids),
            Command::KeyRevokeAll { owner } => {
                let owner = self.existing_owner(owner)?;
                let keys = self.owners[owner].keys.values();
                let more = keys.filter(|is_revoked| !**is_revoked).count() as u64;
                Ok(Effect { more, ..Effect::of(&format!("{more} keys"), Some(owner)) })
            }
            Command::Import { owner, .. } => {
                let owner = self.existing_owner(owner)?;
                let suspended = &self.owners[owner].fields["suspended_reason"];
                if suspended.is_null() { Ok(Effect::default()) } else { Err("owner-suspended") }
            }
        }
    }

    fn existing_owner(&self, name: &str) -> Result<usize, Refusal> {
        self.owner(name).ok_or("owner-not-found")
    }

    /// Returns the links that the selectors choose: those that existed, and those that were created
    /// during the command.
    fn selected(&self, selectors: &Selectors, steps: Steps) -> Result<[Vec<&String>; 2], Refusal> {
        let Selectors { codes, is_from_file: _, owner, campaign, host, destination } = selectors;
        let owner = owner.as_ref().map(|name| self.existing_owner(name)).transpose()?;
        if codes.iter().any(|code| !self.links.contains_key(code)) {
            return Err("link-not-found");
        }
        let is_host = |host: &str, link: &Link| {
            let url = link.text("destination_url").expect("a destination");
            let of = url.split('/').nth(2).expect("a host");
            of == host || of.ends_with(&format!(".{host}"))
        };
        let is_chosen = |(code, link): &(&String, &Link)| {
            (codes.is_empty() || codes.contains(code))
                && owner.is_none_or(|owner| link.owner == owner)
                && campaign.as_ref().is_none_or(|text| link.text("campaign") == Some(text))
                && host.as_ref().is_none_or(|host| is_host(host, link))
                && destination.as_ref().is_none_or(|url| link.text("destination_url") == Some(url))
                && link.span.sent < steps.ended
        };
        let existed = |code: &&String| self.links[*code].span.responded < steps.begun;
        let chosen = self.live().filter(is_chosen).map(|(code, _)| code);
        let (certain, possible) = chosen.partition(existed);
        Ok([certain, possible])
    }

    fn link_effect(
        &self,
        verb: LinkVerb,
        selectors: &Selectors,
        options: &Options,
        steps: Steps,
    ) -> Result<Effect, Refusal> {
        let chosen = self.selected(selectors, steps)?;
        let is_deleted = |code: &String| self.links[code].is_deleted;
        if verb != LinkVerb::Delete && selectors.codes.iter().any(is_deleted) {
            return Err("link-deleted");
        }
        let change = |code: &String| {
            let name = match verb {
                LinkVerb::Pause | LinkVerb::Unpause => "is_paused",
                LinkVerb::Disable | LinkVerb::Enable | LinkVerb::Delete => "disabled_reason",
            };
            let current = &self.links[code].fields[name];
            let value = match verb {
                LinkVerb::Disable if options.reason.is_none() && !current.is_null() => None,
                LinkVerb::Disable => Some(json!(options.reason.unwrap_or("other"))),
                LinkVerb::Enable => Some(Value::Null),
                LinkVerb::Pause => Some(json!(1)),
                LinkVerb::Unpause => Some(json!(0)),
                LinkVerb::Delete => None,
            };
            let after: Fields = value.map(|value| (name, value)).into_iter().collect();
            let before = Fields::from([(name, current.clone())]);
            let changes = verb == LinkVerb::Delete || after.values().any(|value| value != current);
            changes.then(|| Change { thing: Thing::Link(code.clone()), before, after })
        };
        let named = selectors.owner.as_ref().and_then(|name| self.owner(name));
        let [certain, all] = [&chosen[..1], &chosen[..]].map(|lists| {
            let owners: BTreeSet<usize> =
                lists.iter().flatten().map(|code| self.links[*code].owner).collect();
            owners
        });
        // An event has the owner of its links, if they have the same. Only the program knows which
        // of the links that were created during the command it selected.
        let of_some = all.iter().copied().map(Some).filter(|_| certain.is_empty());
        let of_several = (all.len() > 1).then_some(None);
        let (owner, other_owners) = match (named, certain.first()) {
            (Some(named), _) => (Some(named), Vec::new()),
            (None, Some(_)) if certain.len() > 1 => (None, Vec::new()),
            (None, only) => (only.copied(), of_some.chain(of_several).collect()),
        };
        let [changes, possible] =
            chosen.map(|codes| codes.into_iter().filter_map(change).collect::<Vec<_>>());
        let subject = selectors.description(verb == LinkVerb::Delete);
        Ok(Effect { changes, possible, other_owners, ..Effect::of(&subject, owner) })
    }

    fn edit_effect(&self, code: &str, edit: &[(&'static str, Value)]) -> Result<Effect, Refusal> {
        let after: Fields = edit.iter().cloned().collect();
        let destination = after.get("destination_url").and_then(Value::as_str);
        if destination.is_some_and(|url| self.blocked(url).is_some()) {
            return Err("destination-blocked");
        }
        let link = self.links.get(code).ok_or("link-not-found")?;
        if link.is_deleted {
            return Err("link-deleted");
        }
        let effect = Effect::of(code, Some(link.owner));
        Ok(effect.change(Thing::Link(code.to_owned()), &link.fields, after))
    }

    /// Returns the effect of an owner's deletion: its links as changes, its keys and itself as a
    /// number.
    fn owner_deletion_effect(&self, name: &str, steps: Steps) -> Result<Effect, Refusal> {
        let owner = self.existing_owner(name)?;
        let selectors = Selectors { owner: Some(name.to_owned()), ..Selectors::default() };
        let deletion = |code: &String| {
            let (before, after) = (Fields::new(), Fields::new());
            Change { thing: Thing::Link(code.clone()), before, after }
        };
        let [changes, possible] = self
            .selected(&selectors, steps)?
            .map(|codes| codes.into_iter().map(deletion).collect());
        let more = self.owners[owner].keys.len() as u64 + 1;
        Ok(Effect { changes, possible, more, ..Effect::of(name, Some(owner)) })
    }

    fn block_effect(
        &self,
        verb: BlockVerb,
        patterns: &[String],
        until: Option<&str>,
        options: &Options,
    ) -> Result<Effect, Refusal> {
        let action = match verb {
            BlockVerb::Add => "block",
            BlockVerb::Allow => "allow",
            BlockVerb::Remove => "",
        };
        let distinct: BTreeSet<&String> = patterns.iter().collect();
        let is_one = distinct.len() == 1;
        let mut effect = Effect::default();
        for pattern in distinct {
            let thing = Thing::Pattern(pattern.clone());
            let before = self.fields(&thing).expect("patterns are never deleted");
            let kept = (before["rule"]["action"] == action).then(|| &before["rule"]["reason"]);
            let reason = options.reason.or(kept.and_then(Value::as_str)).unwrap_or("other");
            let rule = if verb == BlockVerb::Remove {
                // If a command names several patterns, all must exist.
                if before["rule"].is_null() && !is_one {
                    return Err("pattern-not-found");
                }
                Value::Null
            } else {
                json!({"action": action, "reason": reason, "expires_at": until})
            };
            effect = effect.change(thing, &before, Fields::from([("rule", rule)]));
        }
        effect.subject = Some(match effect.changes.as_slice() {
            [Change { thing: Thing::Pattern(only), .. }] => only.clone(),
            changes => format!("{} patterns", changes.len()),
        });
        Ok(effect)
    }

    fn revocation_effect(&self, ids: &[i64]) -> Result<Effect, Refusal> {
        let mut keys = BTreeMap::new();
        for id in ids {
            let owners = self.owners.iter().enumerate();
            let mut existing = owners.filter(|(_, owner)| !owner.is_deleted);
            let found = existing.find_map(|(at, owner)| Some((at, *owner.keys.get(id)?)));
            keys.insert(*id, found.ok_or("key-not-found")?);
        }
        let more = keys.values().filter(|(_, is_revoked)| !is_revoked).count() as u64;
        let owner = keys.values().next().map(|(owner, _)| *owner);
        let is_one = keys.values().all(|(other, _)| Some(*other) == owner);
        let subject = keys.keys().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        Ok(Effect { more, ..Effect::of(&subject, owner.filter(|_| is_one)) })
    }
}
