//! `/api/operator/v1/domains` and `/api/operator/v1/domains/{host}`

use std::sync::Arc;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use poem::web::Data;
use poem_openapi::OpenApi;
use poem_openapi::param::Path;

use super::tag::OperatorTag;
use crate::domain::domains;
use crate::domain::page::FoundPage;
use crate::http::cursor::Cursor;
use crate::http::objects::change::ChangeAccount;
use crate::http::objects::domain::{
    DomainDetails, DomainDetailsList, DomainPatch, DomainRequest, DomainSegment,
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

const PATH: &str = "/api/operator/v1/domains";

/// Characters of a host that a path must encode: the brackets of an IPv6 address.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b':');

/// Operation `GET /domains`.
pub(super) const LIST_DOMAINS: Operation = Operation {
    id: "listDomains",
    permission: Permission::Operator(OperatorPermission::Read),
    success: "A page of domains.",
    problems: &[&[
        ProblemExample::MALFORMED_LIMIT,
        ProblemExample::OWNER_NOT_FOUND,
        ProblemExample::CURSOR_NOT_FOUND,
    ]],
};

/// Operation `POST /domains`.
pub(super) const ADD_DOMAIN: Operation = Operation {
    id: "addDomain",
    permission: Permission::Operator(OperatorPermission::Provision),
    success: "The new domain.",
    problems: &[
        ProblemExample::OF_BODIES,
        &[
            ProblemExample::MALFORMED_KEY,
            ProblemExample::OWNER_NOT_FOUND,
            ProblemExample::DOMAIN_NOT_FOUND,
            ProblemExample::DOMAIN_EXISTS,
            ProblemExample::DOMAIN_HAS_DESTINATIONS,
            ProblemExample::KEY_REUSED,
            DomainRequest::WITHOUT_OWNER,
            ProblemExample::blocked("/home_url"),
        ],
    ],
};

/// Operation `GET /domains/{host}`.
pub(super) const GET_DOMAIN: Operation = Operation {
    id: "getDomain",
    permission: Permission::Operator(OperatorPermission::Read),
    success: "The domain, with its owner.",
    problems: &[&[ProblemExample::DOMAIN_NOT_FOUND]],
};

/// Operation `PATCH /domains/{host}`.
pub(super) const CHANGE_DOMAIN: Operation = Operation {
    id: "changeDomain",
    permission: Permission::Operator(OperatorPermission::Provision),
    success: "The domain, with its owner.",
    problems: &[
        ProblemExample::OF_PATCHES,
        &[
            ProblemExample::DOMAIN_NOT_FOUND,
            ProblemExample::invalid(
                "/is_default",
                "must stay 1; make another domain of the owner the default",
            ),
            ProblemExample::blocked("/home_url"),
        ],
    ],
};

/// Operation `DELETE /domains/{host}`.
pub(super) const REMOVE_DOMAIN: Operation = Operation {
    id: "removeDomain",
    permission: Permission::Operator(OperatorPermission::Provision),
    success: "The domain is removed.",
    problems: &[&[ProblemExample::MALFORMED_REASON, ProblemExample::DOMAIN_NOT_FOUND]],
};

header_type!(
    /// `Location` of what was created.
    DomainLocation,
    path_location_schema("/api/operator/v1/domains/go.acme.example")
);

/// Domains of owners.
#[derive(Debug, Default)]
pub struct DomainsApi;

#[OpenApi(prefix_path = "/api/operator/v1")]
impl DomainsApi {
    /// List the domains
    ///
    /// Returns the domains of all owners or of one, newest first.
    #[oai(
        path = "/domains",
        method = "get",
        operation_id = "listDomains",
        tag = "OperatorTag::Domains"
    )]
    async fn list_domains(
        &self,
        app: Data<&Arc<AppState>>,
        caller: OperatorCaller,
        /// Maximum number of items, from `1` to `1000`. Without it, 100.
        Parameter(limit): Parameter<Limit>,
        /// Position at which the list continues, such as `3f9c01d27be4a865b07d52c8e1964af3`: 32
        /// hexadecimal digits from the path in the header `Link` of the previous page, valid only with
        /// the same conditions.
        Parameter(cursor): Parameter<Cursor>,
        /// Only domains of the owner with this name.
        Parameter(owner): Parameter<Name>,
    ) -> OperationResult<ListResponse<DomainDetailsList, NextPathLink>> {
        let owner = owner.map(|name| name.as_str().to_owned());
        owner.iter().for_each(|name| caller.concerns(name));
        let conditions = vec![("owner", owner.clone())];
        let page = ListPage::find(&app, NO_OWNER, PATH.to_owned(), conditions, limit, cursor)?;
        let found = domains::page(&app.store, owner.as_deref(), page.request()).await?;
        let FoundPage { items, next } = found;
        let data = items.into_iter().map(DomainDetails::from).collect();
        Ok(ListResponse::Ok(Json::new(&DomainDetailsList { data }), page.path_link(next)))
    }

    /// Add a domain to an owner
    ///
    /// Creates a domain: a host of the owner's own, which serves the owner's links and nothing else. Servers
    /// follow within a second. The first domain of an owner is the default one, which `short_url` and QR codes
    /// have.
    ///
    /// If destinations or fallbacks lead to the host already, the response is 409
    /// `domain-has-destinations`, unless `accept_destinations` is 1.
    #[oai(
        path = "/domains",
        method = "post",
        operation_id = "addDomain",
        tag = "OperatorTag::Domains"
    )]
    async fn add_domain(
        &self,
        app: Data<&Arc<AppState>>,
        caller: OperatorCaller,
        /// The domain.
        JsonBody(body): JsonBody<DomainRequest>,
        /// A unique value, such as `8e03978e-40d5-43dd-bc93-6894a57f9324`, that makes retries safe:
        /// repeating the request with the same key within 24 hours returns the original response and
        /// changes nothing more. Up to 255 visible ASCII characters; surrounding quotation marks are
        /// not part of the key.
        #[oai(name = "Idempotency-Key")]
        idempotency_key: KeyHeader,
    ) -> OperationResult<CreatedResponse<DomainDetails, DomainLocation>> {
        let ((new, account), rules) = (body.parts()?, app.creator.rules());
        let change = caller.change(account, app.store.now());
        let request = idempotency_key.for_request(&app.base_url, || new.fingerprint(&change));
        let added = domains::add(&app.store, new, request.as_ref(), rules, &change).await?;
        let (domain, is_replay) = added.value;
        caller.concerns(&domain.owner);
        let segment = utf8_percent_encode(&domain.host, ENCODED);
        let location = DomainLocation(format!("{PATH}/{segment}"));
        Ok(CreatedResponse::Created(
            Json::new(&domain.into()),
            location,
            Replayed::from_flag(is_replay),
        ))
    }

    /// Read a domain
    ///
    /// Returns a domain, with its owner.
    #[oai(
        path = "/domains/:host",
        method = "get",
        operation_id = "getDomain",
        tag = "OperatorTag::Domains"
    )]
    async fn get_domain(
        &self,
        app: Data<&Arc<AppState>>,
        caller: OperatorCaller,
        /// The host, in any spelling, with the port if the domain has one.
        Path(host): Path<DomainSegment>,
    ) -> OperationResult<OkResponse<DomainDetails>> {
        let domain = domains::find(&app.store, host.host()?).await?;
        caller.concerns(&domain.owner);
        Ok(OkResponse::Ok(Json::new(&domain.into())))
    }

    /// Change a domain
    ///
    /// Changes where visitors of the start page go, or makes the domain the default one of its owner.
    /// Servers follow within a second. Links still answer at all domains of the owner.
    #[oai(
        path = "/domains/:host",
        method = "patch",
        operation_id = "changeDomain",
        tag = "OperatorTag::Domains"
    )]
    async fn change_domain(
        &self,
        app: Data<&Arc<AppState>>,
        caller: OperatorCaller,
        /// The host, in any spelling, with the port if the domain has one.
        Path(host): Path<DomainSegment>,
        /// The new values; `application/merge-patch+json` is accepted too.
        MergePatch(patch): MergePatch<DomainPatch>,
    ) -> OperationResult<OkResponse<DomainDetails>> {
        let (edit, account) = patch.into();
        let (host, rules) = (host.host()?, app.creator.rules());
        let change = caller.change(account, app.store.now());
        let domain = domains::edit(&app.store, host, &edit, rules, &change).await?.value;
        caller.concerns(&domain.owner);
        Ok(OkResponse::Ok(Json::new(&domain.into())))
    }

    /// Remove a domain
    ///
    /// Deletes a domain. Servers follow within a second: the host is then unknown, and free
    /// for any owner. Links stay, and answer at the base URL and the owner's other domains. Removing it
    /// again returns 404.
    #[oai(
        path = "/domains/:host",
        method = "delete",
        operation_id = "removeDomain",
        tag = "OperatorTag::Domains"
    )]
    async fn remove_domain(
        &self,
        app: Data<&Arc<AppState>>,
        caller: OperatorCaller,
        /// The host, in any spelling, with the port if the domain has one.
        Path(host): Path<DomainSegment>,
        /// The reason for it, for the history: `phishing`, `malware`, `spam`, `legal`,
        /// `owner-request` or `other`.
        Parameter(reason): Parameter<Reason>,
        /// A note for the history.
        Parameter(note): Parameter<Note>,
        /// The identifier of a case in your own system, for the history.
        Parameter(case): Parameter<CaseId>,
    ) -> OperationResult<NoContentResponse> {
        let change = caller.change(ChangeAccount { reason, note, case }, app.store.now());
        let removed = domains::remove(&app.store, host.host()?, &change).await?;
        caller.concerns(&removed.value.owner);
        Ok(NoContentResponse::NoContent)
    }
}
