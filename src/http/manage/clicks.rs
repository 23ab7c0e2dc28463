//! `GET /api/manage/v1/links/{code}/clicks` and `GET /api/manage/v1/reports/clicks`

use std::sync::Arc;

use poem::web::Data;
use poem_openapi::OpenApi;
use poem_openapi::param::Path;

use super::tag::ManageTag;
use crate::domain;
use crate::domain::click_report::{self, Grouping};
use crate::http::caller::Caller;
use crate::http::objects::clicks::{LinkClicksByDay, MonthReport};
use crate::http::objects::day_range::{TOO_MANY_DAYS, day_range};
use crate::http::objects::fields::CodeSegment;
use crate::http::objects::parameters::ReportGrouping;
use crate::http::openapi::interface::Operation;
use crate::http::openapi::parameter::Parameter;
use crate::http::openapi::payload::{Json, OkResponse, OperationResult};
use crate::http::problem_examples::ProblemExample;
use crate::http::problem_type::ProblemType;
use crate::http::state::AppState;
use crate::values::{Day, Month, Permission};

/// Operation `GET /links/{code}/clicks`.
pub(super) const GET_LINK_CLICKS: Operation = Operation {
    id: "getLinkClicks",
    permission: Permission::Manage,
    success: "The clicks of the link by day.",
    problems: &[&[TOO_MANY_DAYS, ProblemExample::LINK_NOT_FOUND]],
};

/// Operation `GET /reports/clicks`.
pub(super) const GET_CLICK_REPORT: Operation = Operation {
    id: "getClickReport",
    permission: Permission::Manage,
    success: "The report of the month.",
    problems: &[&[ProblemExample::new(
        ProblemType::MALFORMED_REQUEST,
        "The parameter month must be a month such as 2026-01.",
    )]],
};

/// Clicks by day and by month.
#[derive(Debug, Default)]
pub struct ClicksApi;

#[OpenApi(prefix_path = "/api/manage/v1")]
impl ClicksApi {
    /// Read the clicks of a link by day
    ///
    /// Returns the clicks of a link on each day (UTC) of a range, today included: without parameters,
    /// the last 30 days. The days, `clicks_before` and `clicks_after` add up to the link's clicks.
    #[oai(
        path = "/links/:code/clicks",
        method = "get",
        operation_id = "getLinkClicks",
        tag = "ManageTag::Links"
    )]
    async fn get_link_clicks(
        &self,
        app: Data<&Arc<AppState>>,
        caller: Caller,
        /// The link's short code, case-sensitive.
        Path(code): Path<CodeSegment>,
        /// The first day, such as `2026-01-31`. Without it, the 30th up to `to`.
        Parameter(from): Parameter<Day>,
        /// The last day, such as `2026-01-31`, at most 400 days from `from`. Without it, today.
        Parameter(to): Parameter<Day>,
    ) -> OperationResult<OkResponse<LinkClicksByDay>> {
        let range = day_range(from, to, app.store.now())?;
        let code = code.0.ok_or(domain::Error::LinkNotFound)?;
        let days =
            click_report::of_own_link(&app.store, &app.recorder, caller.owner_id, &code, range);
        Ok(OkResponse::Ok(Json::new(&days.await?.into())))
    }

    /// Read the clicks of a month
    ///
    /// Returns the clicks of the owner's links in a month (UTC), summed up by campaign or by link.
    /// Groups without clicks are missing. Deleted links are one row, without a code.
    #[oai(
        path = "/reports/clicks",
        method = "get",
        operation_id = "getClickReport",
        tag = "ManageTag::Reports"
    )]
    async fn get_click_report(
        &self,
        app: Data<&Arc<AppState>>,
        caller: Caller,
        /// The month, such as `2026-01`. Without it, the current month.
        Parameter(month): Parameter<Month>,
        /// `campaign` or `link`: by what the clicks are summed up. Without it, by campaign.
        Parameter(by): Parameter<ReportGrouping>,
    ) -> OperationResult<OkResponse<MonthReport>> {
        let month = month.unwrap_or_else(|| app.store.now().into());
        let by_campaign = Grouping { owner: false, campaign: true, link: false };
        let grouping = by.map_or(by_campaign, |ReportGrouping(grouping)| grouping);
        let (store, recorder) = (&app.store, &app.recorder);
        let rows =
            click_report::of_own_month(store, recorder, caller.owner_id, month, grouping).await?;
        Ok(OkResponse::Ok(Json::new(&rows.into())))
    }
}
