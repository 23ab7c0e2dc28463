//! `terse owner`

mod delete;

use clap::Subcommand;
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;
use serde::Serialize;
use serde_json::json;

use super::change::ChangeOptions;
use super::error::CommandError;
use super::key::{NewKeyOptions, show_new_key, warn_if_past};
use super::link::{NewValue, parse_fallback};
use super::output::{Output, or_dash};
use crate::config::Settings;
use crate::domain::owners::{self, NewOwner, Owner, OwnerEdit};
use crate::domain::plans;
use crate::store::Store;
use crate::values::{Destination, Name, Reason};

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Create an owner and print the owner's first API key; Terse cannot show it again
    #[command(after_help = "Example: terse owner add acme --plan pro")]
    Add {
        /// The owner's name
        name: Name,
        /// The owner's plan
        #[arg(long, default_value = plans::DEFAULT)]
        plan: String,
        #[command(flatten)]
        key: NewKeyOptions,
        /// Create no API key, and print none
        #[arg(long, conflicts_with_all = ["label", "scope", "expires"])]
        no_key: bool,
        #[command(flatten)]
        change: ChangeOptions,
    },
    /// Show an owner: ID, plan, links, suspension and fallback
    #[command(after_help = "Example: terse owner show acme")]
    Show {
        /// The owner's name
        name: String,
    },
    /// List all owners
    #[command(after_help = "Example: terse owner list")]
    List,
    /// Assign another plan to an owner
    #[command(after_help = "Example: terse owner plan acme unlimited")]
    Plan {
        /// The owner's name
        name: String,
        /// The plan's name
        plan: String,
        #[command(flatten)]
        change: ChangeOptions,
    },
    /// Change an owner's plan, or where visitors of the owner's expired links go
    #[command(after_help = "Example: terse owner edit acme --fallback https://example.org/ended")]
    Edit {
        /// The owner's name
        name: String,
        /// The plan's name
        #[arg(long)]
        plan: Option<String>,
        /// Where visitors of expired links go that have no fallback of their own; none removes it
        #[arg(long, value_name = "URL|none", value_parser = parse_fallback)]
        fallback: Option<NewValue<Destination>>,
        #[command(flatten)]
        change: ChangeOptions,
    },
    /// Rename an owner; keys and links stay, and the history shows the new name
    #[command(after_help = "Example: terse owner rename acme globex")]
    Rename {
        /// The owner's name
        name: String,
        /// The new name
        new: Name,
        #[command(flatten)]
        change: ChangeOptions,
    },
    /// Reject an owner's API keys and stop all of the owner's links, until `owner resume`
    #[command(after_help = "Example: terse owner suspend acme --reason phishing --case 4711")]
    Suspend {
        /// The owner's name
        name: String,
        #[command(flatten)]
        change: ChangeOptions,
    },
    /// End a suspension; the owner's keys and links work as before
    #[command(after_help = "Example: terse owner resume acme")]
    Resume {
        /// The owner's name
        name: String,
        #[command(flatten)]
        change: ChangeOptions,
    },
    /// Delete an owner with all links and keys for good; the codes are never used again
    #[command(after_help = "Example: terse owner delete acme --confirm acme --export acme.jsonl")]
    Delete(delete::DeleteArguments),
}

#[derive(Serialize)]
struct Row {
    id: i64,
    name: String,
    plan: String,
    links: i64,
    suspended: Option<&'static str>,
    created_at: String,
    fallback_url: Option<String>,
}

impl From<Owner> for Row {
    fn from(Owner { id, name, plan, links, suspended, fallback_url, created_at }: Owner) -> Self {
        Self {
            id,
            name,
            plan,
            links,
            suspended: suspended.map(Reason::as_str),
            created_at: created_at.to_string(),
            fallback_url,
        }
    }
}

pub(super) async fn run(
    command: Command,
    settings: &Settings,
    store: &Store,
    output: Output,
) -> Result<(), CommandError> {
    let now = store.now();
    match command {
        Command::Add { name, plan, key, no_key, change } => {
            let (key, rng) = ((!no_key).then(|| key.at(now)), &mut UnwrapErr(SysRng));
            let change_now = change.at(now)?;
            let new = NewOwner { name, plan, key };
            let added = owners::create(store, &new, None, &change_now, rng).await?;
            let NewOwner { name, plan, key } = new;
            let name = name.as_str();
            let text = format!("created owner '{name}' on plan '{plan}'");
            let members = json!({ "name": name, "plan": plan });
            let secret = added.value.key.as_ref().map(|key| &key.secret);
            show_new_key(&change, output, &text, &added, (secret, members))?;
            warn_if_past(key.and_then(|key| key.expires_at), now);
            Ok(())
        }
        Command::Show { name } => show(&name, store, output).await,
        Command::List => list(store, output).await,
        Command::Plan { name, plan, change } => {
            let changed = owners::set_plan(store, &name, &plan, &change.at(now)?).await?;
            let text = if changed.changed > 0 {
                format!("moved owner '{name}' to plan '{plan}'")
            } else {
                format!("owner '{name}' is on plan '{plan}'")
            };
            change.report(output, &text, &changed, json!({ "name": name, "plan": plan }))
        }
        Command::Edit { name, plan, fallback, change } => {
            if plan.is_none() && fallback.is_none() {
                return Err(CommandError::Usage("give --plan or --fallback".to_owned()));
            }
            let rules = super::link::rules(settings, store).await?;
            let fallback = fallback.map(|NewValue(url)| url);
            let edit = OwnerEdit { name: None, plan, fallback };
            let changed = owners::edit(store, &name, &edit, &rules, &change.at(now)?).await?;
            let text = if changed.changed > 0 {
                format!("edited owner '{name}'")
            } else {
                format!("owner '{name}' has these values")
            };
            change.report(output, &text, &changed, json!({ "name": name }))
        }
        Command::Rename { name, new, change } => {
            let changed = owners::rename(store, &name, &new, &change.at(now)?).await?;
            let new = new.as_str();
            let text = if changed.changed > 0 {
                format!("renamed owner '{name}' to '{new}'")
            } else {
                format!("owner '{name}' has this name")
            };
            change.report(output, &text, &changed, json!({ "name": new, "renamed_from": name }))
        }
        Command::Suspend { name, change } => {
            let changed = owners::suspend(store, &name, &change.at(now)?).await?;
            let reason = changed.value;
            let text = if changed.changed > 0 {
                format!("suspended owner '{name}': {reason}")
            } else {
                format!("owner '{name}' is suspended: {reason}")
            };
            let members = json!({ "name": name, "suspended": reason.as_str() });
            change.report(output, &text, &changed, members)
        }
        Command::Resume { name, change } => {
            let changed = owners::resume(store, &name, &change.at(now)?).await?;
            let text = if changed.changed > 0 {
                format!("resumed owner '{name}'")
            } else {
                format!("owner '{name}' is not suspended")
            };
            change.report(output, &text, &changed, json!({ "name": name, "suspended": null }))
        }
        Command::Delete(arguments) => delete::run(arguments, store, output).await,
    }
}

async fn show(name: &str, store: &Store, output: Output) -> Result<(), CommandError> {
    let row = Row::from(owners::get(store, name.into()).await?);
    let text = [
        ("id", row.id.to_string()),
        ("name", row.name.clone()),
        ("plan", row.plan.clone()),
        ("links", row.links.to_string()),
        ("suspended", or_dash(row.suspended)),
        ("created", row.created_at.clone()),
        ("fallback", or_dash(row.fallback_url.as_deref())),
    ]
    .map(|(name, value)| format!("{name:9} {value}"))
    .join("\n");
    Ok(output.show(&text, &row)?)
}

async fn list(store: &Store, output: Output) -> Result<(), CommandError> {
    let rows: Vec<Row> = owners::list(store).await?.into_iter().map(Row::from).collect();
    output.table(["NAME", "PLAN", "LINKS", "SUSPENDED", "CREATED"], &rows, |row| {
        [
            row.name.clone(),
            row.plan.clone(),
            row.links.to_string(),
            or_dash(row.suspended),
            row.created_at.clone(),
        ]
    })?;
    Ok(())
}
