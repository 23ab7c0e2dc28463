//! Usage of owners in a month, and reports of all owners.

use super::fields::{CampaignText, Count, Flag, Identifier, LinkCode, Text};
use crate::domain::click_report::MonthRow;
use crate::domain::usage::{self, MonthUsage};
use crate::http::openapi::field::Nullable;
use crate::http::openapi::response_object::{response_list, response_object};

response_object! {
    nested
    /// What an owner used in a month.
    pub struct OwnerUsage: From<usage::OwnerUsage> = usage::OwnerUsage {
        owner_id, owner, requests, links_created, links, clicks, links_deleted,
    } => {
        /// Identifier of the owner.
        owner_id: Identifier,
        /// Name of the owner: at the close of a closed month, at the deletion of a deleted owner.
        owner: Text,
        /// Requests with a key of the owner, except those that returned 401, 403, 429 or 503.
        requests: Count,
        /// Links created in the month, imported and deleted ones included.
        links_created: Count,
        /// Links at the end of the month; in an open month, the links now.
        links: Count,
        /// Clicks, those of deleted links included.
        clicks: Count,
        /// Links deleted in the month. `null` if the month was closed before Terse counted them.
        links_deleted: Nullable<Count>,
    }
}

response_object! {
    MonthUsage { is_final: true, owners: vec![example_usage()] }.into();

    /// Usage of all owners in a month.
    pub struct UsageReport: From<MonthUsage> = MonthUsage { is_final, owners } => {
        /// The owners who existed in the month, in the order of their names.
        #[oai(validator(max_items = 1_000_000))]
        data: Vec<OwnerUsage> = owners.into_iter().map(Into::into).collect(),
        /// Whether the month is closed, so that its usage never changes.
        is_final: Flag,
    }
}

fn example_usage() -> usage::OwnerUsage {
    usage::OwnerUsage {
        owner_id: 2,
        owner: "acme".to_owned(),
        requests: 48_121,
        links_created: 310,
        links: 1_290,
        clicks: 77_404,
        links_deleted: Some(25),
    }
}

response_object! {
    nested
    /// Clicks of a group of links of any owner in a month.
    pub struct ClickReportRow: From<MonthRow> = MonthRow {
        owner, campaign, short_code, clicks,
    } => {
        /// Name of the owner, in a report by owner.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[oai(skip_serializing_if_is_none)]
        owner: Option<Text> = owner.map(Text),
        /// The campaign, in a report by campaign; `null` for links without one and for deleted ones.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[oai(skip_serializing_if_is_none)]
        campaign: Option<Nullable<CampaignText>> = campaign.map(Nullable::from),
        /// The code of the link, in a report by link; `null` for deleted links, which have one row.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[oai(skip_serializing_if_is_none)]
        short_code: Option<Nullable<LinkCode>> = short_code.map(Nullable::from),
        /// Number of clicks.
        clicks: Count,
    }
}

response_list! {
    {
        let owner = Some("acme".to_owned());
        vec![MonthRow { owner, campaign: None, short_code: None, clicks: 77_404 }.into()]
    };

    /// The report of a month for all owners or one. Groups without clicks are missing.
    pub struct ClickReport {
        /// The groups, in the order of their names.
        #[oai(validator(max_items = 1_000_000))]
        data: Vec<ClickReportRow>,
    }
}
