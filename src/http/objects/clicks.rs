//! Clicks by day, the ranges of days that queries name, and reports.

use std::ops::RangeInclusive;

use super::fields::{
    CampaignText, Count, DayText, ExternalIdText, Identifier, LinkCode, Text, TitleText,
    enum_schema,
};
use crate::domain::click_report::{ClickDay, ClickDays, GroupBy, RangeReport, RangeRow};
use crate::http::openapi::field::Nullable;
use crate::http::openapi::parameter::parameter_value;
use crate::http::openapi::response_object::response_object;
use crate::http::problem::Problem;
use crate::http::problem_examples::ProblemExample;
use crate::values::{Day, ErrorCode, Month, Timestamp};

/// Maximum number of days in a response.
const MAX_DAYS: i64 = 400;
/// Number of days without parameters.
const DEFAULT_DAYS: i64 = 30;

/// The problem of days in the wrong order, or too many.
pub const TOO_MANY_DAYS: ProblemExample = ProblemExample::parameter(
    "from_day",
    "must not be later than to_day, nor more than 399 days earlier",
)
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
    let first =
        from.map_or_else(|| (last + 1 - DEFAULT_DAYS).max(Day::FIRST.number()), Day::number);
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
        let [first, last] = [20_423, 20_424].map(Day::from_number);
        let days = vec![day(20_423, 12), day(20_424, 30)];
        ClickDays { days, before: 0, after: 0, first, last }.into()
    };

    /// Clicks of a link by day. Those of the days, `clicks_before` and `clicks_after` add up to the
    /// link's clicks.
    pub struct LinkClicks: From<ClickDays> = ClickDays { days, before, after, first, last } => {
        /// All days of the range, oldest first.
        #[oai(validator(max_items = 400))]
        data: Vec<DayClicks> = days.into_iter().map(DayClicks::from).collect(),
        /// The first day of the range.
        from_day: DayText = DayText(first.to_string()),
        /// The last day of the range.
        to_day: DayText = DayText(last.to_string()),
        /// Clicks before the first day, those included that were imported or are too old to have a day.
        clicks_before: Count = before.into(),
        /// Clicks after the last day.
        clicks_after: Count = after.into(),
    }
}

response_object! {
    nested
    /// Clicks of a group of links. It has the members by which the report groups.
    #[oai(skip_serializing_if_is_none)]
    pub struct ClickReportRow: From<RangeRow> = RangeRow { day, campaign, link, owner, clicks } => {
        /// The day (UTC), in a report by day.
        #[serde(skip_serializing_if = "Option::is_none")]
        day: Option<DayText> = day.map(|day| DayText(day.to_string())),
        /// The campaign, in a report by campaign; `null` for links without one and for deleted ones.
        #[serde(skip_serializing_if = "Option::is_none")]
        campaign: Option<Nullable<CampaignText>> = campaign.map(Nullable::from),
        /// The code of the link, in a report by link; `null` for deleted links, which have one row.
        #[serde(skip_serializing_if = "Option::is_none")]
        short_code: Option<Nullable<LinkCode>> =
            link.as_ref().map(|link| link.as_ref().map(|link| link.short_code.clone()).into()),
        /// Your own identifier of the link, in a report by link; `null` without one and for deleted links.
        #[serde(skip_serializing_if = "Option::is_none")]
        external_id: Option<Nullable<ExternalIdText>> = link.as_ref().map(|link| {
            link.as_ref().and_then(|link| link.external_id.clone()).map(ExternalIdText::from).into()
        }),
        /// The title of the link, in a report by link; `null` without one and for deleted links.
        #[serde(skip_serializing_if = "Option::is_none")]
        title: Option<Nullable<TitleText>> = link.map(|link| link.and_then(|link| link.title).into()),
        /// The identifier of the owner, in the operator's report by owner.
        #[serde(skip_serializing_if = "Option::is_none")]
        owner_id: Option<Identifier> = owner.as_ref().map(|(id, _)| Identifier(*id)),
        /// The name of the owner, in the operator's report by owner.
        #[serde(skip_serializing_if = "Option::is_none")]
        owner_name: Option<Text> = owner.map(|(_, name)| Text(name)),
        /// Number of clicks.
        clicks: Count,
    }
}

response_object! {
    {
        let day = |number, clicks| RangeRow {
            day: Some(Day::from_number(number)), clicks, ..RangeRow::default()
        };
        let [first, last] = [20_423, 20_424].map(Day::from_number);
        let rows = vec![day(20_423, 12), day(20_424, 30)];
        RangeReport { rows, first, last, is_final: true, is_truncated: false }.into()
    };

    /// Clicks of a range of days, summed up by group.
    pub struct ClickReport: From<RangeReport> = RangeReport {
        rows, first, last, is_final, is_truncated,
    } => {
        /// By day, each day of the range, oldest first; otherwise the groups with clicks, those with the most
        /// first.
        #[oai(validator(max_items = 10_000))]
        data: Vec<ClickReportRow> = rows.into_iter().map(Into::into).collect(),
        /// The first day of the range.
        from_day: DayText = DayText(first.to_string()),
        /// The last day of the range.
        to_day: DayText = DayText(last.to_string()),
        /// Whether all days of the range are closed, so that the clicks only change by deletions.
        is_final: bool,
        /// Whether there are more than 10,000 groups, so that those with the fewest clicks are missing.
        is_truncated: bool,
    }
}

parameter_value!(
    GroupBy,
    |text| match text {
        "day" => Ok(Self::Day),
        "campaign" => Ok(Self::Campaign),
        "link" => Ok(Self::Link),
        _ => Err(ErrorCode::NotAllowed.because("must be day, campaign or link")),
    },
    enum_schema(&["day", "campaign", "link"])
);

/// The days of a report: a month, or a range.
#[derive(Debug)]
pub struct ReportDays {
    /// The month.
    pub month: Option<Month>,
    /// The first day.
    pub from_day: Option<Day>,
    /// The last day.
    pub to_day: Option<Day>,
}

/// The problem of a month next to a range.
const TWO_RANGES: ProblemExample =
    ProblemExample::parameter("month", "must not stand next to from_day or to_day")
        .with_code(ErrorCode::NotAllowed);

impl ReportDays {
    /// Returns the days: without parameters, those of the current month.
    ///
    /// # Errors
    /// If the days are in the wrong order, too many, or given twice; or if the month has not begun.
    pub fn range(self, now: Timestamp) -> Result<RangeInclusive<i64>, Problem> {
        match self {
            Self { month, from_day: None, to_day: None } => Ok(month_of(month, now)?.days()),
            Self { month: None, from_day, to_day } => day_range(from_day, to_day, now),
            Self { month: Some(_), .. } => Err(TWO_RANGES.problem()),
        }
    }
}
