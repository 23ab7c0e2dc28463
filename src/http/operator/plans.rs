//! `/api/operator/v1/plans` and `/api/operator/v1/plans/{name}`

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::domain::plans;
use crate::http::objects::fields::PlanSegment;
use crate::http::objects::plan::{Plan, PlanCreate, PlanUpdate};
use crate::http::prelude::*;
use crate::values::Name;

const PATH: &str = "/api/operator/v1/plans";

/// The operations.
pub(super) const OPERATIONS: &[Operation] = &[
    Operation::new("listPlans", READ, "A page of plans."),
    Operation::new("createPlan", ADMINISTER, "The new plan.")
        .with(&[ProblemExample::PLAN_EXISTS, ProblemExample::BURST_WITHOUT_RATE]),
    Operation::new("getPlan", READ, "The plan with its limits."),
    Operation::new("updatePlan", ADMINISTER, "The plan with its limits.")
        .with(&[ProblemExample::BURST_WITHOUT_RATE]),
    Operation::new("deletePlan", ADMINISTER, "The plan is deleted.")
        .with(&[ProblemExample::PLAN_IN_USE]),
];

path_location!(PlanLocation, "/api/operator/v1/plans/gold");

/// Plans.
#[derive(Debug, Default)]
pub struct PlansApi;

#[OpenApi(prefix_path = "/api/operator/v1", tag = "OperatorTag::Plans")]
impl PlansApi {
    /// List the plans
    ///
    /// Returns all plans, in the order of their names.
    #[oai(path = "/plans", method = "get", operation_id = "listPlans")]
    async fn list_plans(
        &self,
        caller: OperatorCaller,
        Parameter(limit): Parameter<Limit>,
        Parameter(cursor): Parameter<Cursor>,
    ) -> OperationResult<ListResponse<List<Plan>, NextPathLink>> {
        let app = &caller.app;
        let page =
            ListPage::find(app, FORMERLY_COUNTED, PATH.to_owned(), Vec::new(), limit, cursor)?;
        let found = plans::page(&app.store, page.request()).await?;
        let found = found.ok_or_else(|| ProblemExample::CURSOR_NOT_FOUND.problem())?;
        Ok(page.response(found))
    }

    /// Create a plan
    ///
    /// Creates a plan. A limit that is absent is unlimited.
    #[oai(path = "/plans", method = "post", operation_id = "createPlan")]
    async fn create_plan(
        &self,
        caller: OperatorCaller,
        /// The plan.
        JsonBody(plan): JsonBody<PlanCreate>,
        #[oai(name = "Idempotency-Key")] idempotency_key: IdempotencyKeyHeader,
    ) -> OperationResult<AddedResponse<Plan, PlanLocation>> {
        let app = &caller.app;
        let (name, settings, audit) = plan.into();
        let change = caller.change(audit);
        let fingerprint = || settings.fingerprint(&name, &change);
        let request = idempotency_key.for_request(&app.base_url, fingerprint);
        let added = plans::add(&app.store, &name, &settings, request.as_ref(), &change).await?;
        let segment = utf8_percent_encode(name.as_str(), NON_ALPHANUMERIC);
        let location = PlanLocation(format!("{PATH}/{segment}"));
        Ok(AddedResponse::new(added.value, location, added.event, added.is_replay))
    }

    /// Read a plan
    ///
    /// Returns a plan.
    #[oai(path = "/plans/:name", method = "get", operation_id = "getPlan")]
    async fn get_plan(
        &self,
        caller: OperatorCaller,
        /// The name of the plan, case-sensitive.
        Path(name): Path<PlanSegment>,
    ) -> OperationResult<TaggedResponse<Plan>> {
        let plan = plans::get(&caller.app.store, &name.parsed()?).await?;
        Ok(TaggedResponse::new(plan))
    }

    /// Change a plan
    ///
    /// Changes the given limits of a plan, and no others. Servers apply another rate within a second.
    #[oai(path = "/plans/:name", method = "patch", operation_id = "updatePlan")]
    async fn update_plan(
        &self,
        caller: OperatorCaller,
        /// The name of the plan, case-sensitive.
        Path(name): Path<PlanSegment>,
        /// The new values.
        MergePatch(update): MergePatch<PlanUpdate>,
        #[oai(name = "If-Match")] if_match: IfMatch,
    ) -> OperationResult<ChangedResponse<Plan>> {
        let (settings, audit) = update.into();
        let change = caller.change(audit).only_if(if_match.0);
        // No plan has an invalid name.
        let name = Name::parse(&name.parsed()?).map_err(|_| Error::PlanNotFound(String::new()))?;
        let set = plans::set(&caller.app.store, &name, &settings, &change).await?;
        Ok(ChangedResponse::new(set.value, set.event))
    }

    /// Delete a plan
    ///
    /// Deletes a plan that no owner has.
    #[oai(path = "/plans/:name", method = "delete", operation_id = "deletePlan")]
    async fn delete_plan(
        &self,
        caller: OperatorCaller,
        /// The name of the plan, case-sensitive.
        Path(name): Path<PlanSegment>,
        #[oai(name = "If-Match")] if_match: IfMatch,
        Parameter(reason): Parameter<Reason>,
        Parameter(note): Parameter<Note>,
        Parameter(case_id): Parameter<CaseId>,
    ) -> OperationResult<NoContentResponse> {
        let change = caller.change(Audit { reason, note, case_id }).only_if(if_match.0);
        let removed = plans::remove(&caller.app.store, &name.parsed()?, &change).await?;
        Ok(NoContentResponse::new(removed.event))
    }
}
