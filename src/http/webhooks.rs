//! The data of webhooks' deliveries, from the objects of `/api/manage/v1`.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use super::objects::event::link_members;
use super::objects::fields::{Count, Identifier, LinkCode, ReasonWord};
use super::objects::link::Link;
use super::objects::webhook_event::{
    ClickedLink, LinkChanges, LinkCreatedData, LinkDeletedData, LinkDisabledData, LinkEnabledData,
    LinkUpdatedData, LinksChangedData, LinksClickedData, OwnerResumedData, OwnerSuspendedData,
    WebhookTestData,
};
use super::openapi::field::Nullable;
use super::state::AppState;
use crate::domain::links::{self, KeyNames};
use crate::domain::webhooks::deliver::Describe;
use crate::domain::webhooks::{self, Delivery, LinkRow};
use crate::domain::{Error, Realm};
use crate::store::StoreError;
use crate::values::{Reason, ShortCode, WebhookType};

/// Describes deliveries by the objects of the interface.
pub struct EventDescriber(Arc<AppState>);

impl EventDescriber {
    /// Creates a describer for a server.
    pub fn new(app: &Arc<AppState>) -> Self {
        Self(Arc::clone(app))
    }

    /// Returns the link of a delivery as it is now, and its row, or `None` if it is deleted.
    async fn link(&self, delivery: &Delivery) -> Result<Option<(LinkRow, Link)>, Error> {
        let Self(app) = self;
        let Some(row) = webhooks::link_of(&app.store, delivery).await? else { return Ok(None) };
        let code = ShortCode::from_stored(&row.short_code);
        let (link, state, _) = match links::get(&app.link_source(), Realm::Everyone, &code).await {
            Ok(found) => found,
            Err(Error::LinkNotFound) => return Ok(None),
            Err(error) => return Err(error),
        };
        let keys = KeyNames::find(&app.store, [&link]).await?;
        Ok(Some((row, Link::read(&app.addresses, &keys, link, state))))
    }
}

impl Describe for EventDescriber {
    async fn describe(&self, delivery: &Delivery) -> Result<Option<Value>, Error> {
        let content = delivery.content.as_deref().unwrap_or("null");
        let content: Value = serde_json::from_str(content).unwrap_or_default();
        let event_id = Nullable(delivery.event_id.map(Identifier));
        let reason = || -> ReasonWord {
            content["reason"].as_str().map_or(Reason::Other, Reason::from_stored).into_str().into()
        };
        let text = |name: &str| content[name].as_str().unwrap_or_default().to_owned();
        // A newer version may have stored another type, and will deliver it.
        let unknown = |_| Error::from(StoreError::Unavailable);
        let kind: WebhookType = delivery.kind.parse().map_err(unknown)?;
        let data = match kind {
            WebhookType::LinkCreated => {
                let Some((_, link)) = self.link(delivery).await? else { return Ok(None) };
                value(&LinkCreatedData { link })
            }
            WebhookType::LinkUpdated => {
                let Some((row, link)) = self.link(delivery).await? else { return Ok(None) };
                let [before, after] = link_members(&row, [&content["before"], &content["after"]])?;
                let changes = LinkChanges { before, after };
                value(&LinkUpdatedData { link, event_id, changes })
            }
            WebhookType::LinkDisabled => {
                let Some((_, link)) = self.link(delivery).await? else { return Ok(None) };
                value(&LinkDisabledData { link, event_id, reason: reason() })
            }
            WebhookType::LinkEnabled => {
                let Some((_, link)) = self.link(delivery).await? else { return Ok(None) };
                value(&LinkEnabledData { link, event_id, reason: reason() })
            }
            WebhookType::LinkDeleted => value(&LinkDeletedData {
                short_code: LinkCode(text("short_code")),
                external_id: Nullable(
                    content["external_id"].as_str().map(|id| id.to_owned().into()),
                ),
                event_id,
            }),
            WebhookType::LinksClicked => {
                let clicked = webhooks::clicked(&self.0.store, &content).await?;
                if clicked.is_empty() {
                    return Ok(None);
                }
                let link = |(link, clicks): (LinkRow, i64)| ClickedLink {
                    short_code: LinkCode(link.short_code),
                    external_id: Nullable(link.external_id.map(Into::into)),
                    clicks: Count(clicks),
                };
                value(&LinksClickedData { links: clicked.into_iter().map(link).collect() })
            }
            WebhookType::LinksChanged => value(&LinksChangedData {
                event_id,
                action: text("action").into(),
                changed: Count(content["changed"].as_i64().unwrap_or_default()),
            }),
            WebhookType::OwnerSuspended => value(&OwnerSuspendedData { reason: reason() }),
            WebhookType::OwnerResumed => value(&OwnerResumedData { reason: reason() }),
            WebhookType::Test => value(&WebhookTestData {}),
        };
        Ok(Some(data))
    }
}

fn value(data: &impl Serialize) -> Value {
    serde_json::to_value(data).unwrap_or_default()
}
