//! Changes of any number of links, and their results.

use poem_openapi::Object;
use poem_openapi::registry::{MetaSchema, MetaSchemaRef};
use serde::Serialize;
use serde_json::{Value, json};
use strum::VariantNames as _;
use strum_macros::{EnumString, IntoStaticStr, VariantNames};

use super::change::{Audit, ChangeResult, listed};
use super::fields::{Count, Identifier, KeyId, OwnerId, StatusWord, SubjectText, enum_schema};
use super::link::LinkChangeUpdate;
use super::parameters::{HostFilter, SearchText, StateFilter};
use crate::domain::changes::{ChangeExtent, Changed};
use crate::domain::links::{BulkChange, LinkConditions, LinkEdit, LinkSelector, LinkValues};
use crate::domain::{Error, Realm};
use crate::http::openapi::field::{Nullable, example, list, list_schema, request_field, text};
use crate::http::openapi::json_body::{Nested, OptionalNested, request_object};
use crate::http::openapi::parameter::ParameterValue as _;
use crate::http::problem::{FieldError, Problem};
use crate::http::problem_examples::ProblemExample;
use crate::values::{Campaign, Destination, ErrorCode, ExternalId, Timestamp, ValidationError};

/// Maximum number of codes in a request.
const MAX_CODES: usize = 10_000;
/// Maximum number of characters of a code in a request.
const MAX_CODE_LENGTH: usize = 1_024;

/// What a change does to links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "lowercase")]
pub enum ActionName {
    /// Pauses links.
    Pause,
    /// Ends the pause of links.
    Unpause,
    /// Deletes links.
    Delete,
    /// Gives links new values.
    Update,
    /// Disables links, which only the operator does.
    Disable,
    /// Enables disabled links, which only the operator does.
    Enable,
}

/// Number of [`ActionName`]s that owners have.
const OWNERS_ACTIONS: usize = 4;

fn action_name(value: &Value, names: &[&str]) -> Result<ActionName, ValidationError> {
    let name = text(value)?;
    let known = names.contains(&name).then(|| name.parse().ok()).flatten();
    let expected = || format!("must be one of {}", names.join(", "));
    known.ok_or_else(|| ErrorCode::NotAllowed.because(expected()))
}

/// What an owner's change does to links.
#[derive(Debug, Clone, Copy)]
pub struct OwnersActionName(ActionName);

request_field!(
    OwnersActionName,
    |value| action_name(value, &ActionName::VARIANTS[..OWNERS_ACTIONS]).map(Self),
    enum_schema(&ActionName::VARIANTS[..OWNERS_ACTIONS])
);

request_field!(
    ActionName,
    |value| action_name(value, ActionName::VARIANTS),
    enum_schema(ActionName::VARIANTS)
);

impl From<OwnersActionName> for ActionName {
    fn from(OwnersActionName(name): OwnersActionName) -> Self {
        name
    }
}

/// Short codes of links.
#[derive(Debug)]
pub struct CodesText(Vec<String>);

request_field!(
    CodesText,
    |value| list(value, MAX_CODES, |item| match text(item)? {
        code if code.chars().count() > MAX_CODE_LENGTH => {
            Err(ErrorCode::TooLong.because("must not be longer than 1024 characters"))
        }
        code => Ok(code.to_owned()),
    })
    .map(Self),
    {
        let item = MetaSchema { max_length: Some(MAX_CODE_LENGTH), ..MetaSchema::new("string") };
        list_schema(MAX_CODES, MetaSchemaRef::Inline(Box::new(item)))
    }
);

request_field!(StateFilter, |value| Self::from_text(text(value)?), Self::schema());
request_field!(HostFilter, |value| Self::from_text(text(value)?), Self::schema());
request_field!(SearchText, |value| Self::from_text(text(value)?), Self::schema());

/// A change of any number of links, as a request describes it.
#[derive(Debug)]
pub struct ChangeParts {
    /// What to do.
    pub bulk: BulkChange,
    /// With which links.
    pub selector: LinkSelector,
    /// Whether it is a dry run.
    pub is_dry_run: bool,
    /// What the history says about it.
    pub audit: Audit,
}

impl ChangeParts {
    /// The problem of a change without a selector.
    pub const NO_SELECTOR: ProblemExample =
        ProblemExample::invalid("/selectors", "must have at least one condition")
            .with_code(ErrorCode::Required);

    /// Returns the problem of an error of the change, whose fields are those of the new values.
    pub fn problem(error: Error) -> Problem {
        Problem::from(error).below("/update")
    }

    /// Combines the parts of a request.
    fn new(
        name: ActionName,
        update: Option<LinkChangeUpdate>,
        selector: LinkSelector,
        dry_run: Option<bool>,
        audit: Option<Audit>,
    ) -> Result<Self, Problem> {
        let has_update = update.is_some();
        let wrong = |code: ErrorCode, reason| {
            Err(Problem::invalid(vec![FieldError::at_pointer("/update", &code.because(reason))]))
        };
        let values = update.map(LinkValues::from).filter(|new| *new != LinkValues::default());
        let bulk = match (name, values) {
            (ActionName::Update, Some(values)) => {
                BulkChange::Update(Box::new(LinkEdit { values, ..LinkEdit::default() }))
            }
            (ActionName::Update, None) => {
                return wrong(ErrorCode::Required, "must have at least one new value");
            }
            _ if has_update => {
                return wrong(ErrorCode::NotAllowed, "is only for the action update");
            }
            (ActionName::Pause, _) => BulkChange::Pause,
            (ActionName::Unpause, _) => BulkChange::Unpause,
            (ActionName::Delete, _) => BulkChange::Delete,
            (ActionName::Disable, _) => BulkChange::Disable,
            (ActionName::Enable, _) => BulkChange::Enable,
        };
        if selector.is_empty() {
            return Err(Self::NO_SELECTOR.problem());
        }
        let (is_dry_run, audit) = (dry_run.unwrap_or_default(), audit.unwrap_or_default());
        Ok(Self { bulk, selector, is_dry_run, audit })
    }
}

/// Defines a change of any number of links, with the names of the actions, and for the operator with a
/// selector of the owner.
macro_rules! link_change {
    ($bulk:ty, $example:expr $(, $owner_id:ident)?) => {
        request_object! {
            $example["selectors"].take();
            strict
            /// Conditions that choose links. A link must meet all of them; at least one is required.
            pub struct LinkSelectors {
                /// Short codes, at most 10,000; the response names unknown ones.
                code?: CodesText,
                $(
                    /// The identifier of the owner.
                    $owner_id?: OwnerId,
                )?
                /// The external identifier.
                external_id?: ExternalId,
                /// The campaign.
                campaign?: Campaign,
                /// The state.
                state?: StateFilter,
                /// The host of the destination, or a parent domain of it.
                host?: HostFilter,
                /// The destination, exactly.
                destination_url?: Destination,
                /// Part of the code, external identifier, title or destination; ASCII letters match in any
                /// case.
                q?: SearchText,
                /// Created at this time or later (RFC 3339).
                created_after?: Timestamp,
                /// Created before this time (RFC 3339).
                created_before?: Timestamp,
                /// Created or changed at this time or later (RFC 3339).
                updated_after?: Timestamp,
                /// The identifier of the API key that created the link.
                created_by_key_id?: KeyId,
            }
        }

        request_object! {
            $example;
            strict
            /// A change of any number of links.
            pub struct LinkChange {
                /// What to do with the links.
                action: $bulk,
                /// Which links.
                selectors: Nested<LinkSelectors>,
                /// The new values, for the action `update`.
                update: OptionalNested<LinkChangeUpdate>,
                /// `true` reports how many links would change, and changes nothing; without it, `false`.
                dry_run?: bool,
                /// Why, for the history.
                audit: OptionalNested<Audit>,
            }
        }

        impl LinkChange {
            /// Returns the change of links that the caller may select.
            ///
            /// # Errors
            /// If it has no selector, or no new values although it needs them.
            pub fn into_parts(self, realm: Realm) -> Result<ChangeParts, Problem> {
                let Self { action, selectors: Nested(selectors), update, dry_run, audit } = self;
                let owner = None::<OwnerId>;
                $(let owner = owner.or(selectors.$owner_id);)?
                let conditions = LinkConditions {
                    owner_id: None,
                    external_id: selectors.external_id.map(ExternalId::into_string),
                    campaign: selectors.campaign.map(Campaign::into_string),
                    state: selectors.state.map(|StateFilter(name)| name),
                    host: selectors.host.map(|HostFilter(host)| host),
                    destination: selectors.destination_url.map(Destination::into_string),
                    text: selectors.q.map(|SearchText(text)| text),
                    created_after: selectors.created_after,
                    created_before: selectors.created_before,
                    updated_after: selectors.updated_after,
                    created_by: selectors.created_by_key_id.map(|KeyId(id)| id),
                };
                let codes = selectors.code.into_iter().map(|CodesText(codes)| codes);
                let selector = LinkSelector {
                    realm,
                    code_lists: codes.collect(),
                    owner: owner.map(Into::into),
                    conditions,
                };
                ChangeParts::new(action.into(), update.0, selector, dry_run, audit.0)
            }
        }
    };
}

/// As owners make it.
pub mod owner {
    use super::*;

    link_change!(
        OwnersActionName,
        json!({ "action": "update", "selectors": { "campaign": "spring" }, "update": { "campaign": "spring-2026" } })
    );
}

/// As the operator makes it.
pub mod operator {
    use super::*;

    link_change!(
        ActionName,
        json!({ "action": "disable", "selectors": { "host": "evil.example" }, "audit": { "reason": "phishing" } }),
        owner_id
    );
}

/// The result of a change of any number of links.
#[derive(Debug, Serialize, Object)]
#[oai(example)]
pub struct LinkChangeResult {
    /// Identifies the event; `null` for a dry run, and if there was nothing to change.
    event_id: Nullable<Identifier>,
    /// `running` while the change goes on, `done` once all links are changed, `stopped` if it was stopped.
    status: StatusWord,
    /// Number of links that changed, or would change in a dry run.
    changed: Count,
    /// Number of links that stayed as they are because the operator has disabled or blocked them; always 0
    /// for the operator.
    skipped: Count,
    /// Whether it was a dry run.
    dry_run: bool,
    /// Listed codes that no link has, in the order of the request: the first 100.
    #[oai(validator(max_items = 100))]
    unknown_codes: Vec<SubjectText>,
    /// Number of listed codes that no link has.
    unknown_count: Count,
}

impl LinkChangeResult {
    /// Describes how far a change has come.
    pub fn new(changed: &Changed<ChangeExtent>, is_dry_run: bool) -> Self {
        let ChangeExtent { status, unknown, skipped, .. } = &changed.value;
        let (unknown_codes, unknown_count) = listed(unknown);
        let (_, skipped) = listed(skipped);
        let ChangeResult { event_id, changed } = changed.into();
        Self {
            event_id,
            status: status.into_str().into(),
            changed,
            skipped,
            dry_run: is_dry_run,
            unknown_codes,
            unknown_count,
        }
    }
}

example!(
    LinkChangeResult,
    Self::new(&Changed { event: Some(31), changed: 2000, ..Changed::default() }, false)
);
