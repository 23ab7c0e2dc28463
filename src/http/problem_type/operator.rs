//! The problem types of the operator's programs.

use poem::http::StatusCode;

use super::ProblemType;

impl ProblemType {
    /// 403: the role of the operator key does not include the operation.
    pub const OPERATOR_ROLE: &Self = &Self::new(
        "operator-role",
        StatusCode::FORBIDDEN,
        "The operator key does not allow this operation",
        "The role of the operator key does not include the operation: `auditor` reads, `provisioner` \
         also manages owners, their keys and domains, `moderator` also changes links and blocks and \
         suspends owners, and `admin` does everything. Nothing was changed. Use another key.",
    );
    /// 404: there is no such owner.
    pub const OWNER_NOT_FOUND: &Self = &Self::new(
        "owner-not-found",
        StatusCode::NOT_FOUND,
        "There is no such owner",
        "No owner has this identifier or name. Owners are identifiers in paths and names in queries; \
         `GET /owners?name=` finds the identifier of a name.",
    );
    /// 404: there is no such plan.
    pub const PLAN_NOT_FOUND: &Self = &Self::new(
        "plan-not-found",
        StatusCode::NOT_FOUND,
        "There is no such plan",
        "No plan has this name. Nothing was changed. `GET /plans` lists them all.",
    );
    /// 404: there is no such event.
    pub const EVENT_NOT_FOUND: &Self = &Self::new(
        "event-not-found",
        StatusCode::NOT_FOUND,
        "There is no such event",
        "No event has this identifier. `GET /events` lists them.",
    );
    /// 404: the operator has not added this pattern.
    pub const BLOCK_NOT_FOUND: &Self = &Self::new(
        "block-not-found",
        StatusCode::NOT_FOUND,
        "There is no such pattern",
        "The operator has added no such pattern, or it was removed already. Patterns of imported lists \
         and of the block file are removed where they come from.",
    );
    /// 404: there is no such domain.
    pub const DOMAIN_NOT_FOUND: &Self = &Self::new(
        "domain-not-found",
        StatusCode::NOT_FOUND,
        "There is no such domain",
        "No owner has a domain with this host, or it was removed already. `GET /domains` lists them all.",
    );
    /// 409: another owner has the name.
    pub const OWNER_EXISTS: &Self = &Self::new(
        "owner-exists",
        StatusCode::CONFLICT,
        "The name is in use",
        "Another owner has this name. Nothing was changed. Choose another name.",
    );
    /// 409: another plan has the name.
    pub const PLAN_EXISTS: &Self = &Self::new(
        "plan-exists",
        StatusCode::CONFLICT,
        "The name is in use",
        "Another plan has this name. Nothing was changed. Choose another name, or change the plan.",
    );
    /// 409: the domain belongs to an owner already.
    pub const DOMAIN_EXISTS: &Self = &Self::new(
        "domain-exists",
        StatusCode::CONFLICT,
        "The domain already exists",
        "An owner has a domain with this host already. Nothing was changed. `GET /domains/{host}` shows \
         whose it is; remove it first if it is to belong to another owner.",
    );
    /// 409: destinations lead to the host of a new domain.
    pub const DOMAIN_HAS_DESTINATIONS: &Self = &Self::new(
        "domain-has-destinations",
        StatusCode::CONFLICT,
        "Destinations lead to the host of the domain",
        "Links or owners have destinations or fallbacks at the host, as `detail` counts. They would lead \
         from this service to itself. Nothing was changed. Change them first, or send \
         `\"accept_destinations\": 1` to add the domain all the same.",
    );
    /// 409: the owner is not suspended.
    pub const OWNER_NOT_SUSPENDED: &Self = &Self::new(
        "owner-not-suspended",
        StatusCode::CONFLICT,
        "The owner is not suspended",
        "Only a suspended owner can be deleted, because the deletion is final. \
         Nothing was changed. Suspend the owner first.",
    );
    /// 409: another change interfered with the deletion of an owner.
    pub const DELETION_ABORTED: &Self = &Self::new(
        "deletion-aborted",
        StatusCode::CONFLICT,
        "The deletion was aborted",
        "Another change resumed the owner during the deletion, or deleted the owner too. What was \
         deleted until then stays deleted.",
    );
    /// 409: the event cannot be undone.
    pub const CANNOT_UNDO: &Self = &Self::new(
        "cannot-undo",
        StatusCode::CONFLICT,
        "The event cannot be undone",
        "Only events that disable, enable, pause, unpause or edit links, suspend or resume owners, \
         block, allow or remove patterns, or add, change or remove domains can be undone. Nothing was \
         changed.",
    );
}
