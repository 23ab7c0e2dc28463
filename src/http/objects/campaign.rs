//! Campaigns of an owner.

use super::fields::{CampaignText, Count};
use crate::http::openapi::list::Listed;
use crate::http::openapi::response_object::response_object;
use crate::store::link_pages;

response_object! {
    link_pages::CampaignLinks { campaign: "spring".to_owned(), links: 2 }.into();

    /// A campaign, and the number of its links.
    pub struct CampaignLinks: From<link_pages::CampaignLinks> = link_pages::CampaignLinks {
        campaign, links,
    } => {
        /// The campaign.
        campaign: CampaignText,
        /// Number of its links.
        links: Count,
    }
}

impl Listed for CampaignLinks {
    const PAGE: &'static str = "A page of campaigns, by name.";
}
