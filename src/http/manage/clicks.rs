//! `GET /api/manage/v1/links/{code}/clicks` and `GET /api/manage/v1/reports/clicks`

use crate::domain::click_report::{self, GroupBy};
use crate::http::objects::clicks::{ClickReport, LinkClicks, ReportDays, TOO_MANY_DAYS, day_range};
use crate::http::objects::fields::CodeSegment;
use crate::http::prelude::*;
use crate::values::{Campaign, Day, Month};

/// The operations.
pub(super) const OPERATIONS: &[Operation] = &[
    Operation::new("getLinkClicks", Permission::Read, "The clicks of the link by day.")
        .with(&[TOO_MANY_DAYS]),
    Operation::new("getClickReport", Permission::Read, "The report.")
        .with(&[ProblemExample::MALFORMED_MONTH]),
];

/// Clicks by day.
#[derive(Debug, Default)]
pub struct ClicksApi;

#[OpenApi(prefix_path = "/api/manage/v1", tag = "ManageTag::Links")]
impl ClicksApi {
    /// Read the clicks of a link by day
    ///
    /// Returns the clicks of a link on each day (UTC) of a range, today included: without parameters,
    /// the last 30 days. The days, `clicks_before` and `clicks_after` add up to the link's clicks.
    #[oai(path = "/links/:code/clicks", method = "get", operation_id = "getLinkClicks")]
    async fn get_link_clicks(
        &self,
        caller: Caller,
        Path(code): Path<CodeSegment>,
        /// The first day, such as `2026-01-31`. Without it, the 30th up to `to_day`.
        Parameter(from_day): Parameter<Day>,
        /// The last day, such as `2026-01-31`, at most 400 days from `from_day`. Without it,
        /// today.
        Parameter(to_day): Parameter<Day>,
    ) -> OperationResult<OkResponse<LinkClicks>> {
        let app = &caller.app;
        let range = day_range(from_day, to_day, app.store.now())?;
        let code = code.parsed()?;
        let days =
            click_report::of_own_link(&app.store, &app.recorder, caller.owner_id, &code, range);
        Ok(OkResponse::new(days.await?))
    }
}

/// Reports of clicks.
#[derive(Debug, Default)]
pub struct ReportsApi;

#[OpenApi(prefix_path = "/api/manage/v1", tag = "ManageTag::Reports")]
impl ReportsApi {
    /// Read the clicks of a range of days
    ///
    /// Returns the clicks of the owner's links in a month or another range of days (UTC), summed up by day, by
    /// campaign or by link. Links deleted since are one row, without a code or campaign; by campaign, it
    /// includes links without one.
    #[oai(path = "/reports/clicks", method = "get", operation_id = "getClickReport")]
    async fn get_click_report(
        &self,
        caller: Caller,
        /// The month, such as `2026-01`. Without it and without days, the current month.
        Parameter(month): Parameter<Month>,
        /// The first day, such as `2026-01-31`, instead of a month. Without it, the 30th up to `to_day`.
        Parameter(from_day): Parameter<Day>,
        /// The last day, at most 400 days from `from_day`. Without it, today.
        Parameter(to_day): Parameter<Day>,
        /// `day`, `campaign` or `link`: by what the clicks are summed up. Without it, by day.
        Parameter(by): Parameter<GroupBy>,
        /// Only links of this campaign, such as `spring`. The comparison is exact.
        Parameter(campaign): Parameter<Campaign>,
    ) -> OperationResult<OkResponse<ClickReport>> {
        let app = &caller.app;
        let days = ReportDays { month, from_day, to_day }.range(app.store.now())?;
        app.recorder.check_counted()?;
        let (campaign, by) = (campaign.map(Campaign::into_string), by.unwrap_or(GroupBy::Day));
        let owner_id = Some(caller.owner_id);
        Ok(OkResponse::new(click_report::of_range(&app.store, owner_id, campaign, days, by).await?))
    }
}
