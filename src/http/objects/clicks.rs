//! Clicks by day, and reports of a month.

use poem_openapi::Object;
use serde::Serialize;

use super::fields::{CampaignText, Count, DayText, EXAMPLE_CODE, LinkCode};
use crate::domain::click_report::{ClickDay, ClickDays, MonthRow};
use crate::http::openapi::field::{Nullable, example};
use crate::values::Day;

/// Clicks of a link on one day.
#[derive(Debug, Serialize, Object)]
pub struct DayOfClicks {
    /// The day (UTC).
    day: DayText,
    /// Number of clicks.
    clicks: Count,
}

/// Clicks of a link by day. Those of the days, `clicks_before` and `clicks_after` add up to the
/// link's clicks.
#[derive(Debug, Serialize, Object)]
#[oai(example)]
pub struct LinkClicksByDay {
    /// All days of the range, oldest first.
    data: Vec<DayOfClicks>,
    /// Clicks before the first day, those included that were imported or are too old to have a day.
    clicks_before: Count,
    /// Clicks after the last day.
    clicks_after: Count,
}

impl From<ClickDays> for LinkClicksByDay {
    fn from(clicks: ClickDays) -> Self {
        let ClickDays { days, before, after } = clicks;
        let day = |ClickDay { day, clicks }| DayOfClicks {
            day: DayText(day.to_string()),
            clicks: Count(clicks),
        };
        Self {
            data: days.into_iter().map(day).collect(),
            clicks_before: Count(before),
            clicks_after: Count(after),
        }
    }
}

example!(LinkClicksByDay, {
    let day = |day, clicks| ClickDay { day: Day::from_number(day), clicks };
    ClickDays { days: vec![day(20_423, 12), day(20_424, 30)], before: 0, after: 0 }.into()
});

/// Clicks of a group of links in a month.
#[derive(Debug, Serialize, Object)]
pub struct ReportRow {
    /// The campaign, in a report by campaign; `null` for links without one and for deleted ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[oai(skip_serializing_if_is_none)]
    campaign: Option<Nullable<CampaignText>>,
    /// The code of the link, in a report by link; `null` for deleted links, which have one row.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[oai(skip_serializing_if_is_none)]
    short_code: Option<Nullable<LinkCode>>,
    /// Number of clicks.
    clicks: Count,
}

impl From<MonthRow> for ReportRow {
    fn from(row: MonthRow) -> Self {
        let MonthRow { owner: _, campaign, short_code, clicks } = row;
        Self {
            campaign: campaign.map(|campaign| Nullable(campaign.map(CampaignText))),
            short_code: short_code.map(|code| Nullable(code.map(LinkCode))),
            clicks: Count(clicks),
        }
    }
}

/// The report of a month. Groups without clicks are missing.
#[derive(Debug, Serialize, Object)]
#[oai(example)]
pub struct MonthReport {
    /// The groups, in the order of their names.
    data: Vec<ReportRow>,
}

impl From<Vec<MonthRow>> for MonthReport {
    fn from(rows: Vec<MonthRow>) -> Self {
        Self { data: rows.into_iter().map(ReportRow::from).collect() }
    }
}

example!(MonthReport, {
    let short_code = Some(Some(EXAMPLE_CODE.to_owned()));
    vec![MonthRow { owner: None, campaign: None, short_code, clicks: 42 }].into()
});
