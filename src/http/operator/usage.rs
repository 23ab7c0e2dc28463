//! `GET /api/operator/v1/usage` and `GET /api/operator/v1/reports/clicks`

use crate::domain::click_report::{self, GroupBy};
use crate::domain::{changes, usage};
use crate::http::objects::clicks::{ClickReport, ReportDays, month_of};
use crate::http::objects::fields::{OwnerId, enum_schema};
use crate::http::objects::usage::UsageReport;
use crate::http::openapi::parameter::parameter_value;
use crate::http::prelude::*;
use crate::values::{Campaign, Day, Month};

const PROBLEMS: &[ProblemExample] =
    &[ProblemExample::MALFORMED_MONTH, ProblemExample::OWNER_NOT_FOUND];

/// The operations.
pub(super) const OPERATIONS: &[Operation] = &[
    Operation::new("getUsage", READ, "The usage of the month.").with(PROBLEMS),
    Operation::new("getClickReport", READ, "The report.").with(PROBLEMS),
];

/// By what the operator's reports are summed up.
#[derive(Debug)]
pub struct AnyGroupBy(GroupBy);

parameter_value!(
    AnyGroupBy,
    |text| match (text, GroupBy::from_text(text)) {
        ("owner", _) => Ok(Self(GroupBy::Owner)),
        (_, Ok(by)) => Ok(Self(by)),
        _ => Err(ErrorCode::NotAllowed.because("must be day, campaign, link or owner")),
    },
    enum_schema(&["day", "campaign", "link", "owner"])
);

/// Usage and reports.
#[derive(Debug, Default)]
pub struct UsageApi;

#[OpenApi(prefix_path = "/api/operator/v1", tag = "OperatorTag::Usage")]
impl UsageApi {
    /// Read the usage of a month
    ///
    /// Returns what each owner used in a month (UTC): requests, created links, links and clicks.
    /// Owners without usage have a row, too. Once the month is closed (`is_final`), its usage never
    /// changes.
    #[oai(path = "/usage", method = "get", operation_id = "getUsage")]
    async fn get_usage(
        &self,
        caller: OperatorCaller,
        /// The month, such as `2026-01`. Without it, the current month.
        Parameter(month): Parameter<Month>,
        /// Only this owner, who may be deleted.
        Parameter(owner_id): Parameter<OwnerId>,
    ) -> OperationResult<OkResponse<UsageReport>> {
        let month = month_of(month, caller.app.store.now())?;
        let usage = usage::of_month(&caller.app.store, month, owner_id.map(Into::into)).await?;
        Ok(OkResponse::new(usage))
    }

    /// Read the clicks of a range of days
    ///
    /// Returns the clicks of all owners' links, or those of one owner, in a month or another range of days
    /// (UTC), summed up by day, campaign, link or owner. Links deleted since are one row, without a code or
    /// campaign; by campaign, it includes links without one.
    #[oai(path = "/reports/clicks", method = "get", operation_id = "getClickReport")]
    async fn get_click_report(
        &self,
        caller: OperatorCaller,
        /// The month, such as `2026-01`. Without it and without days, the current month.
        Parameter(month): Parameter<Month>,
        /// The first day, such as `2026-01-31`, instead of a month. Without it, the 30th up to `to_day`.
        Parameter(from_day): Parameter<Day>,
        /// The last day, at most 400 days from `from_day`. Without it, today.
        Parameter(to_day): Parameter<Day>,
        /// `day`, `campaign`, `link` or `owner`: by what the clicks are summed up. Without it, by day.
        Parameter(by): Parameter<AnyGroupBy>,
        /// Only links of this campaign, such as `spring`. The comparison is exact.
        Parameter(campaign): Parameter<Campaign>,
        /// Only the links of this owner, who may be deleted.
        Parameter(owner_id): Parameter<OwnerId>,
    ) -> OperationResult<OkResponse<ClickReport>> {
        let app = &caller.app;
        let days = ReportDays { month, from_day, to_day }.range(app.store.now())?;
        let owner_id = match owner_id {
            Some(OwnerId(id)) => Some(changes::known_owner(&app.store, id).await?),
            None => None,
        };
        let by = by.map_or(GroupBy::Day, |AnyGroupBy(by)| by);
        let campaign = campaign.map(Campaign::into_string);
        Ok(OkResponse::new(click_report::of_range(&app.store, owner_id, campaign, days, by).await?))
    }
}
