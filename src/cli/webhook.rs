//! `terse webhook`

use clap::Subcommand;
use serde_json::json;

use super::change::ChangeOptions;
use super::database::Context;
use super::error::Result;
use super::output::{Column, or_dash};
use crate::domain::webhooks::{self, WebhookInfo};
use crate::http::objects::owned::Owned;
use crate::http::objects::webhook::Webhook;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// List the webhooks of all owners, or of one
    #[command(after_help = "Example: terse webhook list --owner acme")]
    List {
        /// The name of the owner
        #[arg(long, value_name = "NAME")]
        owner: Option<String>,
    },
    /// Disable a webhook, which its owner cannot enable again; what waits is not sent
    #[command(after_help = "Example: terse webhook disable 5 --reason spam")]
    Disable {
        /// The identifier of the webhook
        id: i64,
        #[command(flatten)]
        change: ChangeOptions,
    },
    /// Enable a webhook, even one that the operator has disabled
    #[command(after_help = "Example: terse webhook enable 5")]
    Enable {
        /// The identifier of the webhook
        id: i64,
        #[command(flatten)]
        change: ChangeOptions,
    },
}

const COLUMNS: [Column<(WebhookInfo, String)>; 7] = [
    ("id", |(info, _)| info.webhook.id.to_string()),
    ("owner", |(_, owner)| owner.clone()),
    ("url", |(info, _)| info.webhook.url.clone()),
    ("types", |(info, _)| info.webhook.types.clone()),
    ("enabled", |(info, _)| if info.webhook.is_enabled { "yes" } else { "-" }.to_owned()),
    ("waiting", |(info, _)| info.waiting.to_string()),
    ("last success", |(info, _)| or_dash(info.webhook.last_success_at)),
];

pub(super) async fn run(command: Command, context: Context<'_>) -> Result {
    let Context { store, output, .. } = context;
    match command {
        Command::List { owner } => {
            let found = webhooks::list(store, owner.as_deref()).await?;
            Ok(output.table::<Owned<Webhook>, _>(&COLUMNS, found)?)
        }
        Command::Disable { id, change } => switch(id, false, &change, context).await,
        Command::Enable { id, change } => switch(id, true, &change, context).await,
    }
}

async fn switch(id: i64, is_enabled: bool, change: &ChangeOptions, context: Context<'_>) -> Result {
    let Context { store, output, .. } = context;
    let changed = webhooks::switch(store, id, is_enabled, &change.at(store.now())?).await?;
    let state = if is_enabled { "enabled" } else { "disabled" };
    let done = format!("{state} webhook {id}");
    let already = format!("webhook {id} is {state} already");
    let members = json!({ "id": id, "is_enabled": is_enabled });
    change.report_either(output, [&done, &already], &changed, members)
}
