//! `GET /api/operator/v1/usage` and `GET /api/operator/v1/reports/clicks`

use poem_openapi::registry::MetaSchema;

use crate::domain::click_report::{self, Grouping};
use crate::domain::usage;
use crate::http::objects::clicks::month_of;
use crate::http::objects::usage::{ClickReport, UsageReport};
use crate::http::openapi::field::text_schema;
use crate::http::openapi::parameter::ParameterValue;
use crate::http::prelude::*;
use crate::values::{ErrorCode, Month, Name, ValidationError};

const MALFORMED: &[ProblemExample] = &[ProblemExample::MALFORMED_MONTH];

/// The operations.
pub(super) const OPERATIONS: &[Operation] = &[
    Operation::new("getUsage", READ, "The usage of the month.").with(MALFORMED),
    Operation::new("getClickReport", READ, "The report of the month.").with(MALFORMED),
];

/// Groups of a report.
#[derive(Debug)]
pub struct OwnersGrouping(Grouping);

impl ParameterValue for OwnersGrouping {
    fn schema() -> MetaSchema {
        text_schema(4, 64, "^(owner|campaign|link)(,(owner|campaign|link))*$")
    }

    fn from_text(text: &str) -> Result<Self, ValidationError> {
        let mut grouping = Grouping { owner: false, campaign: false, link: false };
        for name in text.split(',') {
            match name {
                "owner" => grouping.owner = true,
                "campaign" => grouping.campaign = true,
                "link" => grouping.link = true,
                _ => {
                    const NAMES: &str = "must be owner, campaign or link, or several with commas";
                    return Err(ErrorCode::NotAllowed.because(NAMES));
                }
            }
        }
        Ok(Self(grouping))
    }
}

/// Name of an owner in the usage of the month.
#[derive(Debug)]
pub struct UsageOwner(String);

impl ParameterValue for UsageOwner {
    fn schema() -> MetaSchema {
        MetaSchema { min_length: Some(1), max_length: Some(255), ..MetaSchema::new("string") }
    }

    fn from_text(text: &str) -> Result<Self, ValidationError> {
        // PostgreSQL cannot even look for this character. Other texts are just no owner's name.
        if text.contains('\0') {
            Name::parse(text)?;
        }
        Ok(Self(text.to_owned()))
    }
}

/// Usage and reports.
#[derive(Debug, Default)]
pub struct UsageApi;

#[OpenApi(prefix_path = "/api/operator/v1", tag = "OperatorTag::Usage")]
impl UsageApi {
    /// Read the usage of a month
    ///
    /// Returns what each owner used in a month (UTC): requests, created links, links and clicks.
    /// Owners without usage have a row, too. Once the month is closed (`is_final` 1), its usage never
    /// changes.
    #[oai(path = "/usage", method = "get", operation_id = "getUsage")]
    async fn get_usage(
        &self,
        app: Data<&Arc<AppState>>,
        _caller: OperatorCaller,
        /// The month, such as `2026-01`. Without it, the current month.
        Parameter(month): Parameter<Month>,
    ) -> OperationResult<OkResponse<UsageReport>> {
        let month = month_of(month, app.store.now())?;
        let usage = usage::of_month(&app.store, month, None).await?;
        Ok(OkResponse::new(usage))
    }

    /// Read the clicks of a month
    ///
    /// Returns the clicks of all owners' links in a month (UTC), or those of one owner, summed up by
    /// owner, campaign, link or several of them. Groups without clicks are missing. Deleted links are
    /// one row per owner, without a code.
    #[oai(path = "/reports/clicks", method = "get", operation_id = "getClickReport")]
    async fn get_click_report(
        &self,
        app: Data<&Arc<AppState>>,
        _caller: OperatorCaller,
        /// The month, such as `2026-01`. Without it, the current month.
        Parameter(month): Parameter<Month>,
        /// `owner`, `campaign` or `link`, or several with commas: by what the clicks are summed up.
        /// Without it, by owner.
        Parameter(by): Parameter<OwnersGrouping>,
        /// Only the links of this owner: the name in that month, or the present one.
        Parameter(owner): Parameter<UsageOwner>,
    ) -> OperationResult<OkResponse<ClickReport>> {
        let month = month_of(month, app.store.now())?;
        let by_owner = Grouping { owner: true, campaign: false, link: false };
        let grouping = by.map_or(by_owner, |OwnersGrouping(grouping)| grouping);
        let owner = owner.as_ref().map(|UsageOwner(name)| &**name);
        let rows = match click_report::of_named_month(&app.store, owner, month, grouping).await {
            // A filter that nothing meets leaves nothing.
            Err(Error::OwnerNotFound(_)) => Vec::new(),
            rows => rows?,
        };
        Ok(OkResponse::new(rows))
    }
}
