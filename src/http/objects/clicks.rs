//! Clicks by day, and reports of a month.

use super::fields::{CampaignText, Count, DayText, EXAMPLE_CODE, LinkCode};
use crate::domain::click_report::{ClickDay, ClickDays, MonthRow};
use crate::http::openapi::field::Nullable;
use crate::http::openapi::response_object::{response_list, response_object};
use crate::values::Day;

response_object! {
    nested
    /// Clicks of a link on one day.
    pub struct DayOfClicks: From<ClickDay> = ClickDay { day, clicks } => {
        /// The day (UTC).
        day: DayText = DayText(day.to_string()),
        /// Number of clicks.
        clicks: Count,
    }
}

response_object! {
    {
        let day = |day, clicks| ClickDay { day: Day::from_number(day), clicks };
        ClickDays { days: vec![day(20_423, 12), day(20_424, 30)], before: 0, after: 0 }.into()
    };

    /// Clicks of a link by day. Those of the days, `clicks_before` and `clicks_after` add up to the
    /// link's clicks.
    pub struct LinkClicksByDay: From<ClickDays> = ClickDays { days, before, after } => {
        /// All days of the range, oldest first.
        data: Vec<DayOfClicks> = days.into_iter().map(DayOfClicks::from).collect(),
        /// Clicks before the first day, those included that were imported or are too old to have a day.
        clicks_before: Count = before.into(),
        /// Clicks after the last day.
        clicks_after: Count = after.into(),
    }
}

response_object! {
    nested
    /// Clicks of a group of links in a month.
    pub struct ReportRow: From<MonthRow> = MonthRow { owner: _, campaign, short_code, clicks } => {
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
        let short_code = Some(Some(EXAMPLE_CODE.to_owned()));
        vec![MonthRow { owner: None, campaign: None, short_code, clicks: 42 }.into()]
    };

    /// The report of a month. Groups without clicks are missing.
    pub struct MonthReport {
        /// The groups, in the order of their names.
        data: Vec<ReportRow>,
    }
}
