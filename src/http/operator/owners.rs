//! `/api/operator/v1/owners` and the paths below it, except for keys

use std::time::Duration;

use poem_openapi::ApiResponse;

use crate::domain::owner_deletion::OwnerDeletion;
use crate::domain::owners::{self, OwnerFilter};
use crate::http::long_change::{self, EventLocation, LocationOfEvent as _};
use crate::http::objects::change::ChangeResult;
use crate::http::objects::fields::OwnerSegment;
use crate::http::objects::owner::{CreatedOwner, Owner, OwnerCreate, OwnerUpdate};
use crate::http::objects::parameters::SearchText;
use crate::http::prelude::*;
use crate::values::{ExternalId, Name};

const PATH: &str = "/api/operator/v1/owners";

/// The operations.
pub(super) const OPERATIONS: &[Operation] = &[
    Operation::new("listOwners", READ, "A page of owners."),
    Operation::new("createOwner", PROVISION, "The new owner, with the first key.").with(&[
        ProblemExample::PLAN_NOT_FOUND,
        ProblemExample::OWNER_EXISTS,
        ProblemExample::EXTERNAL_ID_IN_USE,
        ProblemExample::EXPIRY_PASSED,
        ProblemExample::KEY_REUSED,
        ProblemExample::SECRET_UNAVAILABLE,
        ProblemExample::invalid("/name", "must not be empty").with_code(ErrorCode::OutOfRange),
    ]),
    Operation::new("getOwner", READ, "The owner, with the number of links."),
    Operation::new("updateOwner", PROVISION, "The owner with the new values.").with(&[
        ProblemExample::PLAN_NOT_FOUND,
        ProblemExample::OWNER_EXISTS,
        ProblemExample::EXTERNAL_ID_IN_USE,
        ProblemExample::invalid("/fallback_url", "must start with http:// or https://"),
        ProblemExample::blocked("/fallback_url"),
    ]),
    Operation::new("deleteOwner", ADMINISTER, "The owner is deleted, with all links and keys.")
        .with(&[ProblemExample::OWNER_NOT_SUSPENDED, ProblemExample::DELETION_ABORTED]),
    Operation::new("suspendOwner", SUSPEND, "What the request changed.")
        .with(&[ProblemExample::MALFORMED_NOTE]),
    Operation::new("resumeOwner", SUSPEND, "What the request changed.")
        .with(&[ProblemExample::MALFORMED_NOTE]),
];

path_location!(OwnerLocation, "/api/operator/v1/owners/7");

/// Response to the deletion of an owner.
#[derive(Debug, ApiResponse)]
enum DeletionResponse {
    /// The owner is deleted.
    #[oai(status = 204)]
    NoContent(#[oai(header = "Event-Id")] Option<EventIdHeader>),
    /// The deletion goes on.
    #[oai(status = 202)]
    Accepted(
        #[oai(header = "Location")] EventLocation,
        #[oai(header = "Event-Id")] Option<EventIdHeader>,
    ),
}

/// Owners.
#[derive(Debug, Default)]
pub struct OwnersApi;

#[OpenApi(prefix_path = "/api/operator/v1", tag = "OperatorTag::Owners")]
impl OwnersApi {
    /// Find owners
    ///
    /// Returns the owners that meet all conditions, newest first.
    #[oai(path = "/owners", method = "get", operation_id = "listOwners")]
    async fn list_owners(
        &self,
        caller: OperatorCaller,
        Parameter(limit): Parameter<Limit>,
        Parameter(cursor): Parameter<Cursor>,
        /// Only the owner with this name.
        Parameter(name): Parameter<Name>,
        /// Only the owner with this external identifier.
        Parameter(external_id): Parameter<ExternalId>,
        /// Only owners whose name or external identifier contains this text; ASCII letters match in any case.
        Parameter(q): Parameter<SearchText>,
        /// Only owners on this plan.
        Parameter(plan_name): Parameter<Name>,
        /// Only suspended owners (`true`), or only those that are not (`false`).
        Parameter(is_suspended): Parameter<bool>,
    ) -> OperationResult<ListResponse<List<Owner>, NextPathLink>> {
        let filter = OwnerFilter {
            name: name.map(|name| name.as_str().to_owned()),
            external_id: external_id.map(ExternalId::into_string),
            text: q.map(|SearchText(text)| text),
            plan: plan_name.map(|plan| plan.as_str().to_owned()),
            suspended: is_suspended,
        };
        if let Some(name) = &filter.name {
            caller.concerns(name);
        }
        let conditions = vec![
            ("name", filter.name.clone()),
            ("external_id", filter.external_id.clone()),
            ("q", filter.text.clone()),
            ("plan_name", filter.plan.clone()),
            ("is_suspended", is_suspended.map(|flag| flag.to_string())),
        ];
        let page = caller.page(PATH, conditions, limit, cursor)?;
        let found = owners::page(&caller.app.store, &filter, page.request()).await?;
        Ok(page.response(found))
    }

    /// Create an owner
    ///
    /// Creates an owner, with a first API key if `key` is given. Its secret is in this response and
    /// nowhere else: the server stores only a hash of it.
    ///
    /// With `Idempotency-Key`, a repetition with the same operator key within 24 hours returns the same
    /// secret again, as long as the created key is valid; with another operator key, 409
    /// `secret-unavailable`.
    #[oai(path = "/owners", method = "post", operation_id = "createOwner")]
    async fn create_owner(
        &self,
        caller: OperatorCaller,
        /// The owner to create.
        JsonBody(body): JsonBody<OwnerCreate>,
        #[oai(name = "Idempotency-Key")] idempotency_key: IdempotencyKeyHeader,
    ) -> OperationResult<AddedResponse<CreatedOwner, OwnerLocation>> {
        let app = &caller.app;
        let (new, audit) = body.into();
        caller.concerns(new.name.as_str());
        let change = caller.change(audit);
        let request = idempotency_key.for_request(&app.base_url, || new.fingerprint(&change));
        let (repeatable, rng) = (caller.repeatable(request.as_ref()), &mut app.randomness());
        let created = owners::create(&app.store, &new, repeatable, &change, rng).await?;
        let location = OwnerLocation(format!("{PATH}/{}", created.value.owner.id));
        Ok(AddedResponse::new(created.value, location, created.event, created.is_replay))
    }

    /// Read an owner
    ///
    /// Returns an owner, with the number of links.
    #[oai(path = "/owners/:id", method = "get", operation_id = "getOwner")]
    async fn get_owner(
        &self,
        caller: OperatorCaller,
        /// The identifier of the owner.
        Path(id): Path<OwnerSegment>,
    ) -> OperationResult<TaggedResponse<Owner>> {
        let owner = owners::get(&caller.app.store, id.parsed()?.into()).await?;
        caller.concerns(&owner.name);
        Ok(TaggedResponse::new(owners::describe(&caller.app.store, owner).await?))
    }

    /// Change an owner
    ///
    /// Changes the name, the plan, the external identifier or the fallback of an owner. Servers follow within a second.
    #[oai(path = "/owners/:id", method = "patch", operation_id = "updateOwner")]
    async fn update_owner(
        &self,
        caller: OperatorCaller,
        /// The identifier of the owner.
        Path(id): Path<OwnerSegment>,
        /// The new values.
        MergePatch(update): MergePatch<OwnerUpdate>,
        #[oai(name = "If-Match")] if_match: IfMatch,
    ) -> OperationResult<ChangedResponse<Owner>> {
        let app = &caller.app;
        let (edit, audit) = update.into();
        let (id, rules) = (id.parsed()?, app.creator.rules());
        let change = caller.change(audit).only_if(if_match.0);
        let changed = owners::edit(&app.store, id, &edit, rules, &change).await?;
        caller.concerns(&changed.value.name);
        Ok(ChangedResponse::new(owners::describe(&app.store, changed.value).await?, changed.event))
    }

    /// Delete an owner
    ///
    /// Deletes a suspended owner with all links and keys, and retires the codes of the links, which are
    /// never used again. The history keeps the name of the owner.
    ///
    /// It does not depend on the connection: if it takes longer than 20 seconds, the response is 202 with the
    /// `Location` of its event, and so is that to a repetition while it runs, which returns 204 afterwards. If
    /// it was interrupted, the same request goes on under the same event.
    #[oai(path = "/owners/:id", method = "delete", operation_id = "deleteOwner")]
    async fn delete_owner(
        &self,
        caller: OperatorCaller,
        /// The identifier of the owner.
        Path(id): Path<OwnerSegment>,
        #[oai(name = "If-Match")] if_match: IfMatch,
        Parameter(reason): Parameter<Reason>,
        Parameter(note): Parameter<Note>,
        Parameter(case_id): Parameter<CaseId>,
    ) -> OperationResult<DeletionResponse> {
        let app = &caller.app;
        let id = id.parsed()?;
        let change = caller.change(Audit { reason, note, case_id }).only_if(if_match.0);
        let store = app.store.clone();
        let deletion =
            async move |change| OwnerDeletion::delete_suspended(&store, id, &change).await;
        let deleted = match owners::get(&app.store, id.into()).await {
            Ok(owner) => {
                caller.concerns(&owner.name);
                long_change::run(app, change.clone(), deletion).await
            }
            Err(error) => Err(error),
        };
        if let Err(Error::OwnerNotFound(_)) = deleted {
            // The response may have been sent while the deletion ended.
            let wait = app.long_changes.wait.saturating_sub(Duration::from_secs(1));
            let done = OwnerDeletion::done_after(&app.store, id, &change, wait).await?;
            if done.is_some() {
                return Ok(DeletionResponse::NoContent(EventIdHeader::from_event(done)));
            }
        }
        let deleted = deleted?;
        let event = EventIdHeader::from_event(deleted.event);
        Ok(match EventLocation::from_change(&deleted) {
            Some(location) => DeletionResponse::Accepted(location, event),
            None => DeletionResponse::NoContent(event),
        })
    }

    /// Suspend an owner
    ///
    /// Changes an owner so that the API rejects the owner's keys and the owner's links return 410, or 451
    /// if the reason is `legal`, within a second. A new reason replaces the earlier one.
    #[oai(path = "/owners/:id/suspend", method = "post", operation_id = "suspendOwner")]
    async fn suspend_owner(
        &self,
        caller: OperatorCaller,
        /// The identifier of the owner.
        Path(id): Path<OwnerSegment>,
        /// Why, for the history.
        OptionalBody(body): OptionalBody<AuditRequest>,
        #[oai(name = "Idempotency-Key")] key: IdempotencyKeyHeader,
    ) -> OperationResult<RepeatedResponse<ChangeResult>> {
        let id = id.parsed()?;
        concerns(&caller, id).await;
        let change = caller.change_once(body.into(), key, &format!("suspend {id}"));
        let changed = owners::suspend(&caller.app.store, id, &change).await?;
        Ok(RepeatedResponse::new(&changed))
    }

    /// Resume an owner
    ///
    /// Changes a suspended owner back: keys and links work as before, within a second.
    #[oai(path = "/owners/:id/resume", method = "post", operation_id = "resumeOwner")]
    async fn resume_owner(
        &self,
        caller: OperatorCaller,
        /// The identifier of the owner.
        Path(id): Path<OwnerSegment>,
        /// Why, for the history.
        OptionalBody(body): OptionalBody<AuditRequest>,
        #[oai(name = "Idempotency-Key")] key: IdempotencyKeyHeader,
    ) -> OperationResult<RepeatedResponse<ChangeResult>> {
        let id = id.parsed()?;
        concerns(&caller, id).await;
        let change = caller.change_once(body.into(), key, &format!("resume {id}"));
        let changed = owners::resume(&caller.app.store, id, &change).await?;
        Ok(RepeatedResponse::new(&changed))
    }
}

/// Notes an owner for the log, unless a repeated request is about one who is deleted.
async fn concerns(caller: &OperatorCaller, id: i64) {
    if let Ok(owner) = owners::get(&caller.app.store, id.into()).await {
        caller.concerns(&owner.name);
    }
}
