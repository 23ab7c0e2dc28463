//! `terse operator`

use clap::Subcommand;
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;
use serde_json::json;

use super::change::ChangeOptions;
use super::database::Context;
use super::error::Result;
use super::key::{show_new_key, warn_if_past};
use super::output::{Column, or_dash};
use super::when::{WHEN_HELP, WhenOrNever};
use crate::domain::operators::{self, NewOperatorKey, OperatorInfo, OperatorRef};
use crate::http::objects::operator::{CreatedOperatorKey, OperatorKey};
use crate::values::{Name, OperatorRole};

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Create a key for a program of the operator and print it; Terse cannot show it again
    #[command(after_help = "Example: terse operator add billing --role provisioner")]
    Add {
        /// The program's name, which the history shows
        name: Name,
        /// What the key may do besides reading: nothing, owners, links and blocks, or everything
        #[arg(
            long,
            value_enum,
            hide_possible_values = true,
            value_name = "auditor|provisioner|moderator|admin"
        )]
        role: OperatorRole,
        #[arg(long, value_name = "WHEN", value_parser = WhenOrNever::parse, help = format!("When the key expires: {WHEN_HELP} [default: never]"))]
        expires: Option<WhenOrNever>,
        #[command(flatten)]
        change: ChangeOptions,
    },
    /// List all operator keys, without the keys themselves
    #[command(after_help = "Example: terse operator list")]
    List,
    /// Revoke an operator key for good; running servers reject it at once
    #[command(after_help = "Example: terse operator revoke billing")]
    Revoke {
        /// The key's name
        name: String,
        #[command(flatten)]
        change: ChangeOptions,
    },
}

const COLUMNS: [Column<OperatorInfo>; 7] = [
    ("id", |operator| operator.id.to_string()),
    ("name", |operator| operator.name.clone()),
    ("role", |operator| operator.role.clone()),
    ("created", |operator| operator.created_at.to_string()),
    ("expires", |operator| or_dash(operator.expires_at)),
    ("revoked", |operator| or_dash(operator.revoked_at)),
    ("last used", |operator| or_dash(operator.last_used_at)),
];

pub(super) async fn run(command: Command, Context { store, output, .. }: Context<'_>) -> Result {
    let now = store.now();
    match command {
        Command::Add { name, role, expires, change } => {
            let rng = &mut UnwrapErr(SysRng);
            let expires_at = expires.and_then(|expires| expires.at(now));
            let new = NewOperatorKey { name, role, expires_at };
            let added = operators::add(store, &new, None, &change.at(now)?, rng).await?;
            let (name, role) = (new.name.as_str(), role.into_str());
            let text = format!("created operator key '{name}' with the role {role}");
            if added.event.is_some() {
                warn_if_past(expires_at, now);
            }
            let secret = Some(added.value.secret.reveal().to_owned());
            let created = |created| json!(CreatedOperatorKey::from(created));
            let advice = "`terse operator revoke` revokes it";
            show_new_key(&change, output, &text, added, (secret, created), advice)
        }
        Command::List => {
            Ok(output.table::<OperatorKey, _>(&COLUMNS, operators::list(store).await?)?)
        }
        Command::Revoke { name, change } => {
            let revoked =
                operators::revoke(store, OperatorRef::Name(&name), &change.at(now)?).await?;
            let done = format!("revoked operator key '{name}'");
            let already = format!("operator key '{name}' is revoked already");
            let members = json!({ "name": name, "revoked": true });
            change.report_either(output, [&done, &already], &revoked, members)
        }
    }
}
