//! `/api/operator/v1/plans` and `/api/operator/v1/plans/{name}`

use std::sync::Arc;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use poem::web::Data;
use poem_openapi::OpenApi;
use poem_openapi::param::Path;

use super::tag::OperatorTag;
use crate::domain::page::FoundPage;
use crate::domain::{Error, plans};
use crate::http::cursor::Cursor;
use crate::http::objects::fields::PlanSegment;
use crate::http::objects::plan::{NewPlan, PlanDetails, PlanDetailsList, PlanPatch};
use crate::http::openapi::headers::{NextPathLink, Replayed, header_type, path_location_schema};
use crate::http::openapi::idempotency::KeyHeader;
use crate::http::openapi::interface::Operation;
use crate::http::openapi::json_body::{JsonBody, MergePatch};
use crate::http::openapi::page::{Limit, ListPage, NO_OWNER};
use crate::http::openapi::parameter::Parameter;
use crate::http::openapi::payload::{
    CreatedResponse, Json, ListResponse, OkResponse, OperationResult,
};
use crate::http::operator_caller::OperatorCaller;
use crate::http::problem_examples::ProblemExample;
use crate::http::state::AppState;
use crate::values::{Name, OperatorPermission, Permission};

const PATH: &str = "/api/operator/v1/plans";

/// Operation `GET /plans`.
pub(super) const LIST_PLANS: Operation = Operation {
    id: "listPlans",
    permission: Permission::Operator(OperatorPermission::Read),
    success: "A page of plans.",
    problems: &[&[ProblemExample::MALFORMED_LIMIT, ProblemExample::CURSOR_NOT_FOUND]],
};

/// Operation `POST /plans`.
pub(super) const CREATE_PLAN: Operation = Operation {
    id: "createPlan",
    permission: Permission::Operator(OperatorPermission::Administer),
    success: "The new plan.",
    problems: &[
        ProblemExample::OF_BODIES,
        &[
            ProblemExample::PLAN_EXISTS,
            ProblemExample::MALFORMED_KEY,
            ProblemExample::KEY_REUSED,
            ProblemExample::BURST_WITHOUT_RATE,
        ],
    ],
};

/// Operation `GET /plans/{name}`.
pub(super) const GET_PLAN: Operation = Operation {
    id: "getPlan",
    permission: Permission::Operator(OperatorPermission::Read),
    success: "The plan with its limits.",
    problems: &[&[ProblemExample::PLAN_NOT_FOUND]],
};

/// Operation `PATCH /plans/{name}`.
pub(super) const CHANGE_PLAN: Operation = Operation {
    id: "changePlan",
    permission: Permission::Operator(OperatorPermission::Administer),
    success: "The plan with its limits.",
    problems: &[
        ProblemExample::OF_PATCHES,
        &[ProblemExample::PLAN_NOT_FOUND, ProblemExample::BURST_WITHOUT_RATE],
    ],
};

header_type!(
    /// `Location` of what was created.
    PlanLocation,
    path_location_schema("/api/operator/v1/plans/gold")
);

/// Plans.
#[derive(Debug, Default)]
pub struct PlansApi;

#[OpenApi(prefix_path = "/api/operator/v1")]
impl PlansApi {
    /// List the plans
    ///
    /// Returns all plans, in the order of their names.
    #[oai(path = "/plans", method = "get", operation_id = "listPlans", tag = "OperatorTag::Plans")]
    async fn list_plans(
        &self,
        app: Data<&Arc<AppState>>,
        _caller: OperatorCaller,
        /// Maximum number of items, from `1` to `1000`. Without it, 100.
        Parameter(limit): Parameter<Limit>,
        /// Position at which the list continues, such as `3f9c01d27be4a865b07d52c8e1964af3`: 32
        /// hexadecimal digits from the path in the header `Link` of the previous page, valid only with
        /// the same conditions.
        Parameter(cursor): Parameter<Cursor>,
    ) -> OperationResult<ListResponse<PlanDetailsList, NextPathLink>> {
        let page = ListPage::find(&app, NO_OWNER, PATH.to_owned(), Vec::new(), limit, cursor)?;
        let FoundPage { items, next } = plans::page(&app.store, page.request()).await?;
        let data = items.into_iter().map(PlanDetails::from).collect();
        Ok(ListResponse::Ok(Json::new(&PlanDetailsList { data }), page.path_link(next)))
    }

    /// Create a plan
    ///
    /// Creates a plan. A limit that is absent is unlimited.
    #[oai(
        path = "/plans",
        method = "post",
        operation_id = "createPlan",
        tag = "OperatorTag::Plans"
    )]
    async fn create_plan(
        &self,
        app: Data<&Arc<AppState>>,
        caller: OperatorCaller,
        /// The plan.
        JsonBody(plan): JsonBody<NewPlan>,
        /// A unique value, such as `8e03978e-40d5-43dd-bc93-6894a57f9324`, that makes retries safe:
        /// repeating the request with the same key within 24 hours returns the original response and
        /// changes nothing more. Up to 255 visible ASCII characters; surrounding quotation marks are
        /// not part of the key.
        #[oai(name = "Idempotency-Key")]
        idempotency_key: KeyHeader,
    ) -> OperationResult<CreatedResponse<PlanDetails, PlanLocation>> {
        let (name, settings, account) = plan.into();
        let change = caller.change(account, app.store.now());
        let fingerprint = || settings.fingerprint(&name, &change);
        let request = idempotency_key.for_request(&app.base_url, fingerprint);
        let added = plans::add(&app.store, &name, &settings, request.as_ref(), &change).await?;
        let (plan, is_replay) = added.value;
        let segment = utf8_percent_encode(name.as_str(), NON_ALPHANUMERIC);
        let location = PlanLocation(format!("{PATH}/{segment}"));
        Ok(CreatedResponse::Created(
            Json::new(&plan.into()),
            location,
            Replayed::from_flag(is_replay),
        ))
    }

    /// Read a plan
    ///
    /// Returns a plan.
    #[oai(
        path = "/plans/:name",
        method = "get",
        operation_id = "getPlan",
        tag = "OperatorTag::Plans"
    )]
    async fn get_plan(
        &self,
        app: Data<&Arc<AppState>>,
        _caller: OperatorCaller,
        /// The name of the plan, case-sensitive.
        Path(name): Path<PlanSegment>,
    ) -> OperationResult<OkResponse<PlanDetails>> {
        let plan = plans::get(&app.store, &name.0).await?;
        Ok(OkResponse::Ok(Json::new(&plan.into())))
    }

    /// Change a plan
    ///
    /// Changes the given limits of a plan, and no others. Servers apply another rate within a second.
    #[oai(
        path = "/plans/:name",
        method = "patch",
        operation_id = "changePlan",
        tag = "OperatorTag::Plans"
    )]
    async fn change_plan(
        &self,
        app: Data<&Arc<AppState>>,
        caller: OperatorCaller,
        /// The name of the plan, case-sensitive.
        Path(name): Path<PlanSegment>,
        /// The new values; `application/merge-patch+json` is accepted too.
        MergePatch(patch): MergePatch<PlanPatch>,
    ) -> OperationResult<OkResponse<PlanDetails>> {
        let (settings, account) = patch.into();
        let change = caller.change(account, app.store.now());
        // No plan has an invalid name.
        let name = Name::parse(&name.0).map_err(|_| Error::PlanNotFound(name.0))?;
        let set = plans::set(&app.store, &name, &settings, &change).await?;
        Ok(OkResponse::Ok(Json::new(&set.value.into())))
    }
}
