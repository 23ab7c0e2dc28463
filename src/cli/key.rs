//! `terse key`

use clap::Subcommand;
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;
use serde::Serialize;

use super::error::CommandError;
use super::output::{Output, eprint_line, or_dash, warn};
use super::when::When;
use crate::domain::keys::{self, KeyInfo};
use crate::store::Store;
use crate::values::{KeyScope, Timestamp, Title};

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Create another API key for an owner and print it, once
    #[command(after_help = "Example: terse key add acme --label staging --expires 90d")]
    Add {
        /// The owner's name
        owner: String,
        /// The purpose of the key
        #[arg(long, value_parser = label)]
        label: Option<String>,
        /// The operations that it allows
        #[arg(long, value_enum, default_value_t = KeyScope::Full)]
        scope: KeyScope,
        /// When it expires: a duration from now such as 12h or 90d, or a UTC date or RFC 3339 time such as 2030-12-31 or 2030-12-31T12:00:00Z
        #[arg(long, value_name = "WHEN", value_parser = When::parse)]
        expires: Option<When>,
    },
    /// List an owner's API keys, without the keys themselves
    #[command(after_help = "Example: terse key list acme")]
    List {
        /// The owner's name
        owner: String,
    },
    /// Revoke an API key for good; running servers reject it within a second
    #[command(after_help = "Example: terse key revoke 2")]
    Revoke {
        /// The key's ID, as `terse key list OWNER` shows it
        id: i64,
    },
}

fn label(text: &str) -> Result<String, String> {
    Title::parse(text).map(Title::into_string).map_err(|error| error.to_string())
}

#[derive(Serialize)]
struct Row {
    id: i64,
    label: Option<String>,
    scope: String,
    created_at: String,
    expires_at: Option<String>,
    revoked_at: Option<String>,
    last_used_at: Option<String>,
}

impl From<KeyInfo> for Row {
    fn from(key: KeyInfo) -> Self {
        let KeyInfo { id, label, scope, created_at, expires_at, revoked_at, last_used_at } = key;
        let shown = |moment: Option<Timestamp>| moment.map(|moment| moment.to_string());
        Self {
            id,
            label,
            scope,
            created_at: created_at.to_string(),
            expires_at: shown(expires_at),
            revoked_at: shown(revoked_at),
            last_used_at: shown(last_used_at),
        }
    }
}

pub(super) async fn run(
    command: Command,
    store: &Store,
    output: Output,
) -> Result<(), CommandError> {
    let now = store.now();
    match command {
        Command::Add { owner, label, scope, expires } => {
            let expires_at = expires.map(|when| when.moment(now));
            let (id, key) = keys::add(
                store,
                &owner,
                label.as_deref(),
                scope,
                expires_at,
                now,
                &mut UnwrapErr(SysRng),
            )
            .await?;
            let value = serde_json::json!({ "id": id, "owner": owner, "key": key.reveal() });
            output.show_key(key.reveal(), &value)?;
            eprint_line(&format!("created key {id} of the owner '{owner}'"));
            warn_if_past(expires_at, now);
        }
        Command::List { owner } => list(&owner, store, output).await?,
        Command::Revoke { id } => {
            let owner = keys::revoke(store, id, now).await?;
            let value = serde_json::json!({ "id": id, "owner": owner, "revoked": true });
            output.confirm(&format!("revoked key {id} of the owner '{owner}'"), &value)?;
        }
    }
    Ok(())
}

async fn list(owner: &str, store: &Store, output: Output) -> Result<(), CommandError> {
    let rows: Vec<Row> = keys::list(store, owner).await?.into_iter().map(Row::from).collect();
    let headline = ["ID", "LABEL", "SCOPE", "CREATED", "EXPIRES", "REVOKED", "LAST USED"];
    output.table(headline, &rows, |row| {
        [
            row.id.to_string(),
            or_dash(row.label.as_deref()),
            row.scope.clone(),
            row.created_at.clone(),
            or_dash(row.expires_at.as_deref()),
            or_dash(row.revoked_at.as_deref()),
            or_dash(row.last_used_at.as_deref()),
        ]
    })?;
    Ok(())
}

fn warn_if_past(expires_at: Option<Timestamp>, now: Timestamp) {
    if let Some(moment) = expires_at.filter(|moment| *moment <= now) {
        warn(&format!("{moment} is in the past: the key has already expired"));
    }
}
