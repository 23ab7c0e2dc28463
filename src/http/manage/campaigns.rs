//! `GET /api/manage/v1/campaigns`

use crate::domain::page::{FoundPage, ListPosition, PageRequest};
use crate::http::objects::link::CampaignLinks;
use crate::http::prelude::*;
use crate::store::link_pages;

const PATH: &str = "/api/manage/v1/campaigns";

/// The operations.
pub(super) const OPERATIONS: &[Operation] =
    &[Operation::new("listCampaigns", Permission::Read, "A page of the owner's campaigns.")];

/// Campaigns.
#[derive(Debug, Default)]
pub struct CampaignsApi;

#[OpenApi(prefix_path = "/api/manage/v1", tag = "ManageTag::Links")]
impl CampaignsApi {
    /// List the campaigns
    ///
    /// Returns the campaigns of the owner's links, by name, each with the number of its links.
    #[oai(path = "/campaigns", method = "get", operation_id = "listCampaigns")]
    async fn list_campaigns(
        &self,
        caller: Caller,
        Parameter(limit): Parameter<Limit>,
        Parameter(cursor): Parameter<Cursor>,
    ) -> OperationResult<ListResponse<List<CampaignLinks>, NextPageLink>> {
        let owner_id = caller.owner_id;
        let page = caller.page(PATH, Vec::new(), limit, cursor)?;
        let PageRequest { position, limit } = page.request();
        let found = link_pages::campaigns(caller.app.store.reader(), owner_id).await;
        let mut items = found.map_err(Error::from)?;
        if position != ListPosition::START {
            let last = items.iter().position(|one| ListPosition::hash(&one.campaign) == position.0);
            let last = last.ok_or_else(|| ProblemExample::CURSOR_NOT_FOUND.problem())?;
            items.drain(..=last);
        }
        let items = FoundPage::cut(items, limit, |last| ListPosition::hash(&last.campaign));
        Ok(page.response(items))
    }
}
