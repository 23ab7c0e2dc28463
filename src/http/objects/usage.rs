//! Usage of owners in a month, and reports of all owners.

use poem_openapi::Object;
use serde::Serialize;

use super::clicks::ReportRow;
use super::fields::{Count, Flag, Identifier, Text};
use crate::domain::click_report::MonthRow;
use crate::domain::usage::{MonthUsage, OwnerUsage};
use crate::http::openapi::field::{Nullable, example};

/// What an owner used in a month.
#[derive(Debug, Serialize, Object)]
pub struct UsageRow {
    /// Identifier of the owner.
    owner_id: Identifier,
    /// Name of the owner: at the close of a closed month, at the deletion of a deleted owner.
    owner: Text,
    /// Requests with a key of the owner, except those that returned 401, 403, 429 or 503.
    requests: Count,
    /// Links created in the month, imported and deleted ones included.
    links_created: Count,
    /// Links at the close of the month; in an open month, the links now.
    links: Count,
    /// Clicks, those of deleted links included.
    clicks: Count,
    /// Links deleted in the month. `null` if the month was closed before Terse counted them.
    links_deleted: Nullable<Count>,
}

/// Usage of all owners in a month.
#[derive(Debug, Serialize, Object)]
#[oai(example)]
pub struct UsageOfMonth {
    /// The owners who existed in the month, in the order of their names.
    data: Vec<UsageRow>,
    /// Whether the month is closed, so that its usage never changes.
    is_final: Flag,
}

impl From<MonthUsage> for UsageOfMonth {
    fn from(MonthUsage { is_final, owners }: MonthUsage) -> Self {
        let row = |OwnerUsage {
                       owner_id,
                       owner,
                       requests,
                       links_created,
                       links,
                       clicks,
                       links_deleted,
                   }| UsageRow {
            owner_id: Identifier(owner_id),
            owner: Text(owner),
            requests: Count(requests),
            links_created: Count(links_created),
            links: Count(links),
            clicks: Count(clicks),
            links_deleted: Nullable(links_deleted.map(Count)),
        };
        Self { data: owners.into_iter().map(row).collect(), is_final: is_final.into() }
    }
}

example!(UsageOfMonth, {
    let owner = OwnerUsage {
        owner_id: 2,
        owner: "acme".to_owned(),
        requests: 48_121,
        links_created: 310,
        links: 1_290,
        clicks: 77_404,
        links_deleted: Some(25),
    };
    MonthUsage { is_final: true, owners: vec![owner] }.into()
});

/// Clicks of a group of links of any owner in a month.
#[derive(Debug, Serialize, Object)]
pub struct OwnersReportRow {
    /// Name of the owner, in a report by owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[oai(skip_serializing_if_is_none)]
    owner: Option<Text>,
    #[serde(flatten)]
    #[oai(flatten)]
    row: ReportRow,
}

/// The report of a month for all owners or one. Groups without clicks are missing.
#[derive(Debug, Serialize, Object)]
#[oai(example)]
pub struct OwnersReport {
    /// The groups, in the order of their names.
    data: Vec<OwnersReportRow>,
}

impl From<Vec<MonthRow>> for OwnersReport {
    fn from(rows: Vec<MonthRow>) -> Self {
        let row =
            |row: MonthRow| OwnersReportRow { owner: row.owner.clone().map(Text), row: row.into() };
        Self { data: rows.into_iter().map(row).collect() }
    }
}

example!(OwnersReport, {
    let owner = Some("acme".to_owned());
    vec![MonthRow { owner, campaign: None, short_code: None, clicks: 77_404 }].into()
});
