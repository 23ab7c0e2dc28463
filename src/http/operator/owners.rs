//! `/api/operator/v1/owners` and `/api/operator/v1/owners/{id}`

use std::sync::Arc;

use poem::web::Data;
use poem_openapi::OpenApi;
use poem_openapi::param::Path;

use super::long_change;
use super::tag::OperatorTag;
use crate::domain::Error;
use crate::domain::owner_deletion::OwnerDeletion;
use crate::domain::owners::{self, OwnerFilter};
use crate::domain::page::FoundPage;
use crate::http::cursor::Cursor;
use crate::http::objects::change::ChangeAccount;
use crate::http::objects::fields::OwnerSegment;
use crate::http::objects::owner::{
    OwnerCreation, OwnerDetails, OwnerDetailsList, OwnerPatch, OwnerRequest,
};
use crate::http::openapi::headers::{NextPathLink, Replayed, header_type, path_location_schema};
use crate::http::openapi::idempotency::KeyHeader;
use crate::http::openapi::interface::Operation;
use crate::http::openapi::json_body::{JsonBody, MergePatch};
use crate::http::openapi::page::{Limit, ListPage, NO_OWNER};
use crate::http::openapi::parameter::Parameter;
use crate::http::openapi::payload::{
    CreatedResponse, Json, ListResponse, NoContentResponse, OkResponse, OperationResult,
};
use crate::http::operator_caller::OperatorCaller;
use crate::http::problem_examples::ProblemExample;
use crate::http::state::AppState;
use crate::values::{CaseId, Name, Note, OperatorPermission, Permission, Reason};

const PATH: &str = "/api/operator/v1/owners";

/// Operation `GET /owners`.
pub(super) const FIND_OWNERS: Operation = Operation {
    id: "findOwners",
    permission: Permission::Operator(OperatorPermission::Read),
    success: "A page of owners.",
    problems: &[&[ProblemExample::MALFORMED_LIMIT, ProblemExample::CURSOR_NOT_FOUND]],
};

/// Operation `POST /owners`.
pub(super) const CREATE_OWNER: Operation = Operation {
    id: "createOwner",
    permission: Permission::Operator(OperatorPermission::Provision),
    success: "The new owner, with the first key.",
    problems: &[
        ProblemExample::OF_BODIES,
        &[
            ProblemExample::PLAN_NOT_FOUND,
            ProblemExample::OWNER_EXISTS,
            ProblemExample::EXPIRY_PASSED,
            ProblemExample::MALFORMED_KEY,
            ProblemExample::KEY_REUSED,
            ProblemExample::SECRET_UNAVAILABLE,
            ProblemExample::invalid("/name", "must not be empty"),
        ],
    ],
};

/// Operation `GET /owners/{id}`.
pub(super) const GET_OWNER: Operation = Operation {
    id: "getOwnerById",
    permission: Permission::Operator(OperatorPermission::Read),
    success: "The owner, with the number of links.",
    problems: &[&[ProblemExample::OWNER_NOT_FOUND]],
};

/// Operation `PATCH /owners/{id}`.
pub(super) const CHANGE_OWNER: Operation = Operation {
    id: "changeOwner",
    permission: Permission::Operator(OperatorPermission::Provision),
    success: "The owner with the new values.",
    problems: &[
        ProblemExample::OF_PATCHES,
        &[
            ProblemExample::OWNER_NOT_FOUND,
            ProblemExample::PLAN_NOT_FOUND,
            ProblemExample::OWNER_EXISTS,
            ProblemExample::invalid("/fallback_url", "must start with http:// or https://"),
            ProblemExample::blocked("/fallback_url"),
        ],
    ],
};

/// Operation `DELETE /owners/{id}`.
pub(super) const DELETE_OWNER: Operation = Operation {
    id: "deleteOwner",
    permission: Permission::Operator(OperatorPermission::Administer),
    success: "The owner is deleted, with all links and keys.",
    problems: &[&[
        ProblemExample::MALFORMED_REASON,
        ProblemExample::OWNER_NOT_FOUND,
        ProblemExample::OWNER_NOT_SUSPENDED,
        ProblemExample::DELETION_ABORTED,
    ]],
};

header_type!(
    /// `Location` of what was created.
    OwnerLocation,
    path_location_schema("/api/operator/v1/owners/7")
);

/// Owners.
#[derive(Debug, Default)]
pub struct OwnersApi;

#[OpenApi(prefix_path = "/api/operator/v1")]
impl OwnersApi {
    /// Find owners
    ///
    /// Returns the owners that meet all conditions, newest first.
    #[expect(clippy::too_many_arguments, reason = "each is a parameter of the operation")]
    #[oai(
        path = "/owners",
        method = "get",
        operation_id = "findOwners",
        tag = "OperatorTag::Owners"
    )]
    async fn find_owners(
        &self,
        app: Data<&Arc<AppState>>,
        caller: OperatorCaller,
        /// Maximum number of items, from `1` to `1000`. Without it, 100.
        Parameter(limit): Parameter<Limit>,
        /// Position at which the list continues, such as `3f9c01d27be4a865b07d52c8e1964af3`: 32
        /// hexadecimal digits from the path in the header `Link` of the previous page, valid only with
        /// the same conditions.
        Parameter(cursor): Parameter<Cursor>,
        /// Only the owner with this name.
        Parameter(name): Parameter<Name>,
        /// Only owners on this plan.
        Parameter(plan): Parameter<Name>,
        /// Only suspended owners (`1`), or only those that are not (`0`).
        Parameter(suspended): Parameter<bool>,
    ) -> OperationResult<ListResponse<OwnerDetailsList, NextPathLink>> {
        let filter = OwnerFilter {
            name: name.map(|name| name.as_str().to_owned()),
            plan: plan.map(|plan| plan.as_str().to_owned()),
            suspended,
        };
        if let Some(name) = &filter.name {
            caller.concerns(name);
        }
        let conditions = vec![
            ("name", filter.name.clone()),
            ("plan", filter.plan.clone()),
            ("suspended", suspended.map(|flag| u8::from(flag).to_string())),
        ];
        let page = ListPage::find(&app, NO_OWNER, PATH.to_owned(), conditions, limit, cursor)?;
        let FoundPage { items, next } = owners::page(&app.store, &filter, page.request()).await?;
        let data = items.into_iter().map(OwnerDetails::from).collect();
        Ok(ListResponse::Ok(Json::new(&OwnerDetailsList { data }), page.path_link(next)))
    }

    /// Create an owner
    ///
    /// Creates an owner, with a first API key if `api_key` is given. Its secret is in this response and
    /// nowhere else: the server stores only a hash of it.
    ///
    /// With `Idempotency-Key`, a repetition with the same operator key within 24 hours returns the same
    /// secret again, as long as the created key is valid; with another operator key, 409
    /// `secret-unavailable`.
    #[oai(
        path = "/owners",
        method = "post",
        operation_id = "createOwner",
        tag = "OperatorTag::Owners"
    )]
    async fn create_owner(
        &self,
        app: Data<&Arc<AppState>>,
        caller: OperatorCaller,
        /// The owner to create.
        JsonBody(body): JsonBody<OwnerRequest>,
        /// A unique value, such as `8e03978e-40d5-43dd-bc93-6894a57f9324`, that makes retries safe:
        /// repeating the request with the same key within 24 hours returns the original response and
        /// changes nothing more. Up to 255 visible ASCII characters; surrounding quotation marks are
        /// not part of the key.
        #[oai(name = "Idempotency-Key")]
        idempotency_key: KeyHeader,
    ) -> OperationResult<CreatedResponse<OwnerCreation, OwnerLocation>> {
        let (new, account) = body.into();
        caller.concerns(new.name.as_str());
        let change = caller.change(account, app.store.now());
        let request = idempotency_key.for_request(&app.base_url, || new.fingerprint(&change));
        let (repeatable, rng) = (caller.repeatable(request.as_ref()), &mut app.randomness());
        let created = owners::create(&app.store, &new, repeatable, &change, rng).await?.value;
        let location = OwnerLocation(format!("{PATH}/{}", created.owner.id));
        let replayed = Replayed::from_flag(created.is_replay);
        Ok(CreatedResponse::Created(Json::new(&created.into()), location, replayed))
    }

    /// Read an owner
    ///
    /// Returns an owner, with the number of links.
    #[oai(
        path = "/owners/:id",
        method = "get",
        operation_id = "getOwnerById",
        tag = "OperatorTag::Owners"
    )]
    async fn get_owner(
        &self,
        app: Data<&Arc<AppState>>,
        caller: OperatorCaller,
        /// The identifier of the owner.
        Path(id): Path<OwnerSegment>,
    ) -> OperationResult<OkResponse<OwnerDetails>> {
        let owner = owners::get(&app.store, id.identifier()?.into()).await?;
        caller.concerns(&owner.name);
        Ok(OkResponse::Ok(Json::new(&owner.into())))
    }

    /// Change an owner
    ///
    /// Changes the name, the plan or the fallback of an owner. Servers follow within a second.
    #[oai(
        path = "/owners/:id",
        method = "patch",
        operation_id = "changeOwner",
        tag = "OperatorTag::Owners"
    )]
    async fn change_owner(
        &self,
        app: Data<&Arc<AppState>>,
        caller: OperatorCaller,
        /// The identifier of the owner.
        Path(id): Path<OwnerSegment>,
        /// The new values; `application/merge-patch+json` is accepted too.
        MergePatch(patch): MergePatch<OwnerPatch>,
    ) -> OperationResult<OkResponse<OwnerDetails>> {
        let (edit, account) = patch.into();
        let (id, rules) = (id.identifier()?, app.creator.rules());
        let change = caller.change(account, app.store.now());
        let changed = owners::edit(&app.store, id, &edit, rules, &change).await?;
        caller.concerns(&changed.value.name);
        Ok(OkResponse::Ok(Json::new(&changed.value.into())))
    }

    /// Delete an owner
    ///
    /// Deletes a suspended owner with all links and keys, and retires the codes of the links, which are
    /// never used again. Returns when it is done. If the client disconnects, the deletion continues. The
    /// history keeps the name of the owner.
    #[oai(
        path = "/owners/:id",
        method = "delete",
        operation_id = "deleteOwner",
        tag = "OperatorTag::Owners"
    )]
    async fn delete_owner(
        &self,
        app: Data<&Arc<AppState>>,
        caller: OperatorCaller,
        /// The identifier of the owner.
        Path(id): Path<OwnerSegment>,
        /// The reason for it, for the history: `phishing`, `malware`, `spam`, `legal`,
        /// `owner-request` or `other`.
        Parameter(reason): Parameter<Reason>,
        /// A note for the history.
        Parameter(note): Parameter<Note>,
        /// The identifier of a case in your own system, for the history.
        Parameter(case): Parameter<CaseId>,
    ) -> OperationResult<NoContentResponse> {
        let id = id.identifier()?;
        caller.concerns(&owners::get(&app.store, id.into()).await?.name);
        let change = caller.change(ChangeAccount { reason, note, case }, app.store.now());
        let store = app.store.clone();
        let deletion = async move |change| -> Result<_, Error> {
            let deletion = OwnerDeletion::begin_suspended(&store, id, &change).await?;
            deletion.run(&store, |_| ()).await
        };
        long_change::run(change, deletion).await?;
        Ok(NoContentResponse::NoContent)
    }
}
