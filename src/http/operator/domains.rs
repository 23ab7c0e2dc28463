//! `/api/operator/v1/domains` and `/api/operator/v1/domains/{host}`

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::domain::domains;
use crate::http::objects::domain::{Domain, DomainCreate, DomainSegment, DomainUpdate};
use crate::http::objects::fields::OwnerId;
use crate::http::prelude::*;

const PATH: &str = "/api/operator/v1/domains";

/// Characters of a host that a path must encode: the brackets of an IPv6 address.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b':');

/// The operations.
pub(super) const OPERATIONS: &[Operation] = &[
    Operation::new("listDomains", READ, "A page of domains.")
        .with(&[ProblemExample::OWNER_NOT_FOUND]),
    Operation::new("createDomain", PROVISION, "The new domain.").with(&[
        ProblemExample::OWNER_NOT_FOUND,
        ProblemExample::DOMAIN_EXISTS,
        ProblemExample::DOMAIN_HAS_DESTINATIONS,
        ProblemExample::invalid("/owner_id", "is required").with_code(ErrorCode::Required),
        ProblemExample::blocked("/home_url"),
    ]),
    Operation::new("getDomain", READ, "The domain, with its owner."),
    Operation::new("updateDomain", PROVISION, "The domain, with its owner.").with(&[
        ProblemExample::invalid(
            "/is_default",
            "must stay true; make another domain of the owner the default",
        )
        .with_code(ErrorCode::NotAllowed),
        ProblemExample::blocked("/home_url"),
    ]),
    Operation::new("deleteDomain", PROVISION, "The domain is removed."),
];

path_location!(DomainLocation, "/api/operator/v1/domains/go.acme.example");

/// Domains of owners.
#[derive(Debug, Default)]
pub struct DomainsApi;

#[OpenApi(prefix_path = "/api/operator/v1", tag = "OperatorTag::Domains")]
impl DomainsApi {
    /// List the domains
    ///
    /// Returns the domains of all owners or of one, newest first.
    #[oai(path = "/domains", method = "get", operation_id = "listDomains")]
    async fn list_domains(
        &self,
        caller: OperatorCaller,
        Parameter(limit): Parameter<Limit>,
        Parameter(cursor): Parameter<Cursor>,
        /// Only domains of this owner.
        Parameter(owner_id): Parameter<OwnerId>,
    ) -> OperationResult<ListResponse<List<Domain>, NextPathLink>> {
        let app = &caller.app;
        caller.concerns_owner(owner_id).await?;
        let conditions = vec![("owner_id", owner_id.map(|OwnerId(id)| id.to_string()))];
        let page =
            ListPage::find(app, FORMERLY_COUNTED, PATH.to_owned(), conditions, limit, cursor)?;
        let found = domains::page(&app.store, owner_id.map(Into::into), page.request()).await?;
        Ok(page.response(found))
    }

    /// Add a domain to an owner
    ///
    /// Creates a domain: a host of the owner's own, which serves the owner's links and nothing else. Servers
    /// follow within a second. The first domain of an owner is the default one, which `short_url` and QR codes
    /// have.
    ///
    /// If destinations or fallbacks lead to the host already, the response is 409
    /// `domain-has-destinations`, unless `accept_destinations` is `true`.
    #[oai(path = "/domains", method = "post", operation_id = "createDomain")]
    async fn create_domain(
        &self,
        caller: OperatorCaller,
        /// The domain.
        JsonBody(body): JsonBody<DomainCreate>,
        #[oai(name = "Idempotency-Key")] idempotency_key: IdempotencyKeyHeader,
    ) -> OperationResult<AddedResponse<Domain, DomainLocation>> {
        let app = &caller.app;
        let ((new, audit), rules) = (body.parts(), app.creator.rules());
        let change = caller.change(audit);
        let request = idempotency_key.for_request(&app.base_url, || new.fingerprint(&change));
        let added = domains::add(&app.store, &new, request.as_ref(), rules, &change).await?;
        caller.concerns(&added.value.owner);
        let segment = utf8_percent_encode(&added.value.host, ENCODED);
        let location = DomainLocation(format!("{PATH}/{segment}"));
        Ok(AddedResponse::new(added.value, location, added.event, added.is_replay))
    }

    /// Read a domain
    ///
    /// Returns a domain, with its owner.
    #[oai(path = "/domains/:host", method = "get", operation_id = "getDomain")]
    async fn get_domain(
        &self,
        caller: OperatorCaller,
        /// The host, in any spelling, with the port if the domain has one.
        Path(host): Path<DomainSegment>,
    ) -> OperationResult<TaggedResponse<Domain>> {
        let domain = domains::find(&caller.app.store, host.parsed()?.as_str()).await?;
        caller.concerns(&domain.owner);
        Ok(TaggedResponse::new(domain))
    }

    /// Change a domain
    ///
    /// Changes where visitors of the start page go, or makes the domain the default one of its owner.
    /// Servers follow within a second. Links still answer at all domains of the owner.
    #[oai(path = "/domains/:host", method = "patch", operation_id = "updateDomain")]
    async fn update_domain(
        &self,
        caller: OperatorCaller,
        /// The host, in any spelling, with the port if the domain has one.
        Path(host): Path<DomainSegment>,
        /// The new values.
        MergePatch(update): MergePatch<DomainUpdate>,
        #[oai(name = "If-Match")] if_match: IfMatch,
    ) -> OperationResult<ChangedResponse<Domain>> {
        let (edit, audit) = update.into();
        let (host, rules) = (host.parsed()?, caller.app.creator.rules());
        let change = caller.change(audit).only_if(if_match.0);
        let edited = domains::edit(&caller.app.store, host.as_str(), &edit, rules, &change).await?;
        caller.concerns(&edited.value.owner);
        Ok(ChangedResponse::new(edited.value, edited.event))
    }

    /// Remove a domain
    ///
    /// Deletes a domain. Servers follow within a second: the host is then unknown, and free
    /// for any owner. Links stay, and answer at the base URL and the owner's other domains. Removing it
    /// again returns 404.
    #[oai(path = "/domains/:host", method = "delete", operation_id = "deleteDomain")]
    async fn delete_domain(
        &self,
        caller: OperatorCaller,
        /// The host, in any spelling, with the port if the domain has one.
        Path(host): Path<DomainSegment>,
        #[oai(name = "If-Match")] if_match: IfMatch,
        Parameter(reason): Parameter<Reason>,
        Parameter(note): Parameter<Note>,
        Parameter(case_id): Parameter<CaseId>,
    ) -> OperationResult<NoContentResponse> {
        let change = caller.change(Audit { reason, note, case_id }).only_if(if_match.0);
        let removed = domains::remove(&caller.app.store, host.parsed()?.as_str(), &change).await?;
        caller.concerns(&removed.value.owner);
        Ok(NoContentResponse::new(removed.event))
    }
}
