//! `GET /api/manage/v1/links/{code}/clicks` and `GET /api/manage/v1/reports/clicks`

use crate::domain::click_report::{self, Grouping};
use crate::http::objects::clicks::{ClickReport, LinkClicks, TOO_MANY_DAYS, day_range, month_of};
use crate::http::objects::fields::CodeSegment;
use crate::http::objects::parameters::ReportGrouping;
use crate::http::prelude::*;
use crate::values::{Day, Month};

/// The operations.
pub(super) const OPERATIONS: &[Operation] = &[
    Operation::new("getLinkClicks", Permission::Read, "The clicks of the link by day.")
        .with(&[TOO_MANY_DAYS]),
    Operation::new("getClickReport", Permission::Read, "The report of the month.")
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
        app: Data<&Arc<AppState>>,
        caller: Caller,
        Path(code): Path<CodeSegment>,
        /// The first day, such as `2026-01-31`. Without it, the 30th up to `to`.
        Parameter(from): Parameter<Day>,
        /// The last day, such as `2026-01-31`, at most 400 days from `from`. Without it, today.
        Parameter(to): Parameter<Day>,
    ) -> OperationResult<OkResponse<LinkClicks>> {
        let range = day_range(from, to, app.store.now())?;
        let code = code.0.ok_or(Error::LinkNotFound)?;
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
    /// Read the clicks of a month
    ///
    /// Returns the clicks of the owner's links in a month (UTC), summed up by campaign or by link.
    /// Groups without clicks are missing. Deleted links are one row, without a code.
    #[oai(path = "/reports/clicks", method = "get", operation_id = "getClickReport")]
    async fn get_click_report(
        &self,
        app: Data<&Arc<AppState>>,
        caller: Caller,
        /// The month, such as `2026-01`. Without it, the current month.
        Parameter(month): Parameter<Month>,
        /// `campaign` or `link`: by what the clicks are summed up. Without it, by campaign.
        Parameter(by): Parameter<ReportGrouping>,
    ) -> OperationResult<OkResponse<ClickReport>> {
        let month = month_of(month, app.store.now())?;
        let by_campaign = Grouping { owner: false, campaign: true, link: false };
        let grouping = by.map_or(by_campaign, |ReportGrouping(grouping)| grouping);
        let (store, recorder) = (&app.store, &app.recorder);
        let rows =
            click_report::of_own_month(store, recorder, caller.owner_id, month, grouping).await?;
        Ok(OkResponse::new(rows))
    }
}
