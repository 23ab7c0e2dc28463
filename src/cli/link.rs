//! `terse link`

use clap::Subcommand;
use serde::Serialize;

use super::error::CommandError;
use super::output::{Output, or_dash};
use crate::domain::admin;
use crate::domain::links::Link;
use crate::store::Store;
use crate::values::Reason;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Show a link of any owner
    #[command(after_help = "Example: terse link show spring")]
    Show {
        /// The short code; one that begins with - follows --
        code: String,
    },
    /// Make a link return 410 instead of redirecting
    #[command(after_help = "Example: terse link disable spring")]
    Disable {
        /// The short code; one that begins with - follows --
        code: String,
    },
    /// Make a disabled link redirect again
    #[command(after_help = "Example: terse link enable spring")]
    Enable {
        /// The short code; one that begins with - follows --
        code: String,
    },
}

#[derive(Serialize)]
struct LinkDetails {
    short_code: String,
    owner: String,
    destination_url: String,
    title: Option<String>,
    campaign: Option<String>,
    clicks: i64,
    is_active: i32,
    has_qr: i32,
    created_at: String,
    expires_at: Option<String>,
}

impl From<(Link, String)> for LinkDetails {
    fn from((link, owner): (Link, String)) -> Self {
        let Link {
            id: _,
            owner_id: _,
            short_code,
            destination_url,
            title,
            campaign,
            disabled,
            has_qr,
            expires_at,
            created_at,
            clicks,
        } = link;
        Self {
            short_code,
            owner,
            destination_url,
            title,
            campaign,
            clicks,
            is_active: disabled.is_none().into(),
            has_qr: i32::from(has_qr),
            created_at: created_at.to_string(),
            expires_at: expires_at.map(|time| time.to_string()),
        }
    }
}

impl LinkDetails {
    fn text(&self) -> String {
        [
            ("short code", self.short_code.clone()),
            ("owner", self.owner.clone()),
            ("destination", self.destination_url.clone()),
            ("title", or_dash(self.title.as_deref())),
            ("campaign", or_dash(self.campaign.as_deref())),
            ("clicks", self.clicks.to_string()),
            ("active", self.is_active.to_string()),
            ("QR code", self.has_qr.to_string()),
            ("created", self.created_at.clone()),
            ("expires", or_dash(self.expires_at.as_deref())),
        ]
        .map(|(name, value)| format!("{name:12} {value}"))
        .join("\n")
    }
}

pub(super) async fn run(
    command: Command,
    store: &Store,
    output: Output,
) -> Result<(), CommandError> {
    match command {
        Command::Show { code } => {
            let link = LinkDetails::from(admin::show(store, &code).await?);
            output.show(&link.text(), &link)?;
        }
        Command::Disable { code } => set_active(store, &code, false, output).await?,
        Command::Enable { code } => set_active(store, &code, true, output).await?,
    }
    Ok(())
}

async fn set_active(
    store: &Store,
    code: &str,
    active: bool,
    output: Output,
) -> Result<(), CommandError> {
    let disabled = if active { None } else { Some(Reason::Other) };
    admin::set_disabled(store, code, disabled, store.now()).await?;
    let value = serde_json::json!({ "short_code": code, "is_active": i32::from(active) });
    let state = if active { "enabled" } else { "disabled" };
    Ok(output.confirm(&format!("link '{code}' is {state}"), &value)?)
}
