//! `terse key`

use std::io::{self, IsTerminal as _, Read as _};

use clap::{Args, Subcommand};
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;
use serde_json::json;

use super::change::ChangeOptions;
use super::database::Context;
use super::error::{CommandError, Result};
use super::output::{ADVICE_ON_LOST_KEY, Column, Output, or_dash, pluralize, warn};
use super::when::{WHEN_HELP, WhenOrNever};
use crate::domain::Realm;
use crate::domain::changes::Changed;
use crate::domain::keys::{self, Key, KeyEdit, KeyInfo, KeyOwner, KeySelection, KeyState, NewKey};
use crate::domain::owners::OwnerRef;
use crate::http::objects::key as objects;
use crate::http::objects::owned::Owned;
use crate::values::{ApiKey, KeyLabel, KeyScope, Timestamp};

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Create an API key for an owner and print it; Terse cannot show it again
    #[command(after_help = "Example: terse key add acme --label staging --expires 90d")]
    Add(KeyAddArguments),
    /// List an owner's API keys, without the keys themselves
    #[command(after_help = "Example: terse key list acme")]
    List {
        /// The owner's name
        owner: String,
    },
    /// Read an API key from stdin and print its ID, owner, label, scope and state
    #[command(after_help = "Example: terse key find")]
    Find,
    /// Change when an API key expires
    #[command(after_help = "Example: terse key expire 2 --at 7d")]
    Expire {
        /// The key's ID, as `terse key list OWNER` shows it
        #[arg(value_parser = parse_id)]
        id: i64,
        #[arg(long, value_name = "WHEN", value_parser = WhenOrNever::parse, help = format!("When the key expires: {WHEN_HELP}"))]
        at: WhenOrNever,
        #[command(flatten)]
        change: ChangeOptions,
    },
    /// Revoke API keys for good; running servers reject them within a second
    #[command(after_help = "Example: terse key revoke 2")]
    Revoke {
        /// The keys' IDs, as `terse key list OWNER` shows them
        #[arg(value_name = "ID", required_unless_present = "owner", value_parser = parse_id)]
        ids: Vec<i64>,
        /// Revoke all keys of this owner
        #[arg(long, value_name = "NAME", conflicts_with = "ids")]
        owner: Option<String>,
        #[command(flatten)]
        change: ChangeOptions,
    },
}

#[derive(Debug, Args)]
pub(super) struct KeyAddArguments {
    /// The owner's name
    owner: String,
    #[command(flatten)]
    key: NewKeyOptions,
    #[command(flatten)]
    change: ChangeOptions,
}

/// Options of a new key.
#[derive(Debug, Args)]
pub(super) struct NewKeyOptions {
    /// The purpose of the key
    #[arg(long)]
    label: Option<KeyLabel>,
    /// What the key allows: to read links and clicks, to create links, both and to change links, or
    /// everything of the owner
    #[arg(
        long,
        value_enum,
        hide_possible_values = true,
        value_name = "read|create|edit|full",
        default_value_t = KeyScope::Full
    )]
    scope: KeyScope,
    #[arg(long, value_name = "WHEN", value_parser = WhenOrNever::parse, help = format!("When the key expires: {WHEN_HELP} [default: never]"))]
    expires: Option<WhenOrNever>,
}

impl NewKeyOptions {
    /// Returns the key that these options describe, at the time `now`.
    pub(super) fn at(self, now: Timestamp) -> NewKey {
        let Self { label, scope, expires } = self;
        NewKey { label, scope, expires_at: expires.and_then(|expires| expires.at(now)) }
    }
}

/// Maximum number of bytes that `key find` reads.
const MAX_INPUT: u64 = 4_096;

fn parse_id(text: &str) -> Result<i64, String> {
    text.parse().map_err(|_| "an ID is a number that `terse key list OWNER` shows".to_owned())
}

const COLUMNS: [Column<KeyInfo>; 9] = [
    ("id", |row| row.key.id.to_string()),
    ("owner", |row| row.owner.clone()),
    ("label", |row| or_dash(row.key.label.as_deref())),
    ("scope", |row| KeyScope::name_of_stored(&row.key.scope).to_owned()),
    ("state", |row| row.state.into_str().to_owned()),
    ("created", |row| row.key.created_at.to_string()),
    ("expires", |row| or_dash(row.key.expires_at)),
    ("revoked", |row| or_dash(row.key.revoked_at)),
    ("last used", |row| or_dash(row.key.last_used_at)),
];

pub(super) async fn run(command: Command, context: Context<'_>) -> Result {
    let Context { store, output, .. } = context;
    match command {
        Command::Add(arguments) => add(arguments, context).await,
        Command::List { owner } => {
            let [id, _owner, rest @ ..] = COLUMNS;
            let columns = [&[id], &rest[..]].concat();
            Ok(output
                .table::<Owned<objects::Key>, _>(&columns, keys::list(store, &owner).await?)?)
        }
        Command::Find => {
            let key = keys::find(store, &read_key()?).await?;
            Ok(output.row::<Owned<objects::Key>, _>(&COLUMNS, key)?)
        }
        Command::Expire { id, at, change } => {
            let now = store.now();
            let at = at.at(now);
            let edit = KeyEdit { expires_at: Some(at), ..KeyEdit::default() };
            let changed = keys::edit(store, Realm::Everyone, id, &edit, &change.at(now)?).await?;
            let KeyInfo { key, owner, state } = &changed.value;
            let when = at.map_or("never".to_owned(), |at| format!("at {at}"));
            let done = format!("changed key {id} of the owner '{owner}', which expires {when}");
            let already = format!("key {id} of the owner '{owner}' expires {when}");
            let expires_at = at.map(|at| at.to_string());
            let members = json!({
                "id": id, "owner_id": key.owner_id, "owner_name": owner, "expires_at": expires_at,
            });
            if *state == KeyState::Revoked {
                warn(&format!("key {id} is revoked and stays so; its expiry has no effect"));
            } else {
                warn_if_past(at, now);
            }
            change.report_either(output, [&done, &already], &changed, members)
        }
        Command::Revoke { ids, owner: None, change } => {
            revoke(KeySelection::Ids(&ids), &change, context).await
        }
        Command::Revoke { owner: Some(owner), change, .. } => {
            // An unknown owner is an error even before the operator confirms.
            keys::list(store, &owner).await?;
            change.confirm_bulk(&format!("Revoke all keys of the owner '{owner}'?"))?;
            revoke(KeySelection::Owner(&owner), &change, context).await
        }
    }
}

async fn add(arguments: KeyAddArguments, Context { store, output, .. }: Context<'_>) -> Result {
    let KeyAddArguments { owner, key, change } = arguments;
    let now = store.now();
    let key = key.at(now);
    let creation = change.at(now)?;
    let (named, rng) = (KeyOwner::Chosen(OwnerRef::from(&owner)), &mut UnwrapErr(SysRng));
    let added = keys::create(store, named, &key, None, &creation, rng).await?;
    let id = added.value.info.key.id;
    let text = if creation.is_dry_run {
        format!("created a key of the owner '{owner}'")
    } else {
        format!("created key {id} of the owner '{owner}'")
    };
    warn_if_past(key.expires_at, now);
    let secret = Some(added.value.secret.reveal().to_owned());
    let created = |created| json!(Owned::<objects::CreatedKey>::from(created));
    show_new_key(&change, output, &text, added, (secret, created), ADVICE_ON_LOST_KEY)
}

/// Prints the secret of a new key, if there is one, and confirms what was created. As JSON, it prints what was
/// created, with the secret as `key`. In a dry run nothing has a secret or an identifier.
pub(super) fn show_new_key<T>(
    change: &ChangeOptions,
    output: Output,
    text: &str,
    added: Changed<T>,
    (secret, created): (Option<String>, impl FnOnce(T) -> serde_json::Value),
    advice: &str,
) -> Result {
    let mut added = added.map(created);
    let mut members = added.value.take();
    let missing: &[&str] = match (added.event, &secret) {
        (None, _) => &["id", "secret", "key", "hint", "etag"],
        (Some(_), None) => &["key"],
        (Some(_), Some(_)) => &[],
    };
    if let Some(members) = members.as_object_mut() {
        members.retain(|name, _| !missing.contains(&name.as_str()));
    }
    let Some(secret) = secret.filter(|_| added.event.is_some()) else {
        return change.report(output, text, &added, members);
    };
    // The creation is confirmed even if the key cannot be shown, because the key exists.
    change.print_confirmation(text, &added);
    members["key"] = secret.as_str().into();
    output.show_key(&secret, &change.object(&added, members), advice)
}

/// Reads a key from stdin, because other processes could see it in the arguments.
fn read_key() -> Result<ApiKey> {
    let read = if io::stdin().is_terminal() {
        // The terminal does not show what the user types.
        rpassword::prompt_password("API key: ")
    } else {
        let mut text = String::new();
        io::stdin().take(MAX_INPUT).read_to_string(&mut text).map(|_| text)
    };
    let invalid = || CommandError::other("stdin has no API key: they begin with terse_");
    let text = read.map_err(|_| invalid())?;
    ApiKey::parse(text.trim()).map_err(|_| invalid())
}

async fn revoke(
    selection: KeySelection<'_>,
    change: &ChangeOptions,
    context: Context<'_>,
) -> Result {
    let Context { store, output, .. } = context;
    let revoked = keys::revoke(store, selection, &change.at(store.now())?).await?;
    let keys = &revoked.value;
    let ids: Vec<i64> = keys.iter().map(|info| info.key.id).collect();
    let count = pluralize(revoked.changed, "key");
    let (what, mut members) = match (selection, keys.as_slice()) {
        (KeySelection::Ids(_), [KeyInfo { key: Key { id, owner_id, .. }, owner, .. }]) => {
            let members = json!({ "id": id, "owner_id": owner_id, "owner_name": owner });
            (format!("key {id} of the owner '{owner}'"), members)
        }
        (KeySelection::Ids(_), _) => (count, json!({})),
        (KeySelection::Owner(owner), _) => {
            let owner_id = keys.first().map(|info| info.key.owner_id);
            let members = json!({ "owner_id": owner_id, "owner_name": owner });
            (format!("{count} of the owner '{owner}'"), members)
        }
    };
    let text = match (selection, keys.as_slice()) {
        _ if revoked.changed > 0 => format!("revoked {what}"),
        (KeySelection::Ids(_), [_]) => format!("{what} is revoked already"),
        _ => "all of these keys are revoked already".to_owned(),
    };
    members["ids"] = ids.into();
    members["revoked"] = true.into();
    change.report(output, &text, &revoked, members)
}

pub(super) fn warn_if_past(expires_at: Option<Timestamp>, now: Timestamp) {
    if let Some(moment) = expires_at.filter(|moment| *moment <= now) {
        warn(&format!("{moment} is in the past: the key has already expired"));
    }
}
