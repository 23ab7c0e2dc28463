//! Clicks by day, the ranges of days that queries name, and reports of a month.

use std::ops::RangeInclusive;

use super::fields::{CampaignText, Count, DayText, EXAMPLE_CODE, LinkCode};
use crate::domain::click_report::{ClickDay, ClickDays, MonthRow};
use crate::http::openapi::field::Nullable;
use crate::http::openapi::response_object::{response_list, response_object};
use crate::http::problem::Problem;
use crate::http::problem_examples::ProblemExample;
use crate::values::{Day, ErrorCode, Month, Timestamp};

/// Maximum number of days in a response.
const MAX_DAYS: i64 = 400;
/// Number of days without parameters.
const DEFAULT_DAYS: i64 = 30;

/// The problem of days in the wrong order, or too many.
pub const TOO_MANY_DAYS: ProblemExample =
    ProblemExample::parameter("from", "must not be later than to, nor more than 399 days earlier")
        .with_code(ErrorCode::OutOfRange);

/// The problem of a month that has not begun.
const FUTURE_MONTH: ProblemExample =
    ProblemExample::parameter("month", "must not be later than the current month")
        .with_code(ErrorCode::OutOfRange);

/// Returns the month of a report: without a parameter, the current one.
///
/// # Errors
/// If the month has not begun.
pub fn month_of(month: Option<Month>, now: Timestamp) -> Result<Month, Problem> {
    let current = Month::from(now);
    match month {
        Some(month) if month > current => Err(FUTURE_MONTH.problem()),
        month => Ok(month.unwrap_or(current)),
    }
}

/// Returns the days of a range: without parameters, the last 30, today included.
///
/// # Errors
/// If the days are in the wrong order, or too many.
pub fn day_range(
    from: Option<Day>,
    to: Option<Day>,
    now: Timestamp,
) -> Result<RangeInclusive<i64>, Problem> {
    let last = to.map_or_else(|| now.day(), Day::number);
    let first = from.map_or(last + 1 - DEFAULT_DAYS, Day::number);
    if (first..first + MAX_DAYS).contains(&last) {
        Ok(first..=last)
    } else {
        Err(TOO_MANY_DAYS.problem())
    }
}

response_object! {
    nested
    /// Clicks of a link on one day.
    pub struct DayClicks: From<ClickDay> = ClickDay { day, clicks } => {
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
    pub struct LinkClicks: From<ClickDays> = ClickDays { days, before, after } => {
        /// All days of the range, oldest first.
        #[oai(validator(max_items = 400))]
        data: Vec<DayClicks> = days.into_iter().map(DayClicks::from).collect(),
        /// Clicks before the first day, those included that were imported or are too old to have a day.
        clicks_before: Count = before.into(),
        /// Clicks after the last day.
        clicks_after: Count = after.into(),
    }
}

response_object! {
    nested
    /// Clicks of a group of links in a month.
    pub struct ClickReportRow: From<MonthRow> = MonthRow { owner: _, campaign, short_code, clicks } => {
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
    pub struct ClickReport {
        /// The groups, in the order of their names.
        #[oai(validator(max_items = 1_000_000))]
        data: Vec<ClickReportRow>,
    }
}
