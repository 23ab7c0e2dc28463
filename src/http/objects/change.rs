//! Changes, and their results.

use poem_openapi::Object;
use poem_openapi::registry::{MetaSchema, MetaSchemaRef};
use serde::Serialize;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::fields::{Count, Flag, FlagValue, Identifier, StatusWord, SubjectText, enum_schema};
use crate::domain::Realm;
use crate::domain::changes::{Actor, Change, Changed, Skipped};
use crate::domain::links::{LinkSelector, LinkSwitch};
use crate::http::openapi::field::{Nullable, example, request_field, text};
use crate::http::openapi::json_body::{Nested, OptionalNested, request_object};
use crate::values::{
    ApiKey, Campaign, CaseId, Destination, ErrorCode, Name, Note, Reason, Timestamp, parse_host,
};

/// Maximum number of codes in a request.
const MAX_CODES: usize = 10_000;
/// Maximum number of characters of a code in a request.
const MAX_CODE_LENGTH: usize = 1_024;

request_object! {
    json!({ "reason": "phishing", "case_id": "4711" });
    strict
    /// Why something is changed, for the history.
    #[derive(Clone, Default)]
    pub struct Audit {
        /// The reason for the change.
        pub reason?: Reason,
        /// A note about it.
        pub note?: Note,
        /// The identifier of a case in your own system.
        pub case_id?: CaseId,
    }
}

impl Audit {
    /// Returns the change by an actor at the time `now`.
    #[must_use]
    pub fn change_by(self, actor: Actor, now: Timestamp) -> Change {
        let Self { reason, note, case_id: case } = self;
        let stop = CancellationToken::new();
        Change { actor, reason, note, case, is_dry_run: false, now, stop }
    }
}

request_object! {
    json!({ "audit": { "reason": "phishing", "case_id": "4711" } });
    strict
    /// Why something is changed.
    pub struct AuditRequest {
        /// Why, for the history.
        audit: OptionalNested<Audit>,
    }
}

impl From<AuditRequest> for Audit {
    fn from(AuditRequest { audit: OptionalNested(audit) }: AuditRequest) -> Self {
        audit.unwrap_or_default()
    }
}

/// The result of a change.
#[derive(Debug, Serialize, Object)]
#[oai(example)]
pub struct ChangeResult {
    /// Identifies the event; `null` if there was nothing to change.
    event: Nullable<Identifier>,
    /// Number of things that changed.
    changed: Count,
}

impl<T> From<&Changed<T>> for ChangeResult {
    fn from(changed: &Changed<T>) -> Self {
        let count = Count(changed.changed.try_into().unwrap_or(i64::MAX));
        Self { event: Nullable(changed.event.map(Identifier)), changed: count }
    }
}

example!(ChangeResult, (&Changed { event: Some(31), changed: 1, value: () }).into());

/// The result of an undo.
#[derive(Debug, Serialize, Object)]
#[oai(example)]
pub struct UndoResult {
    /// Identifies the event of the undo; `null` if there was nothing to revert.
    event: Nullable<Identifier>,
    /// Number of links, owners, patterns or domains that were reverted.
    changed: Count,
    /// The codes of links, names of owners, patterns and hosts of domains that were not reverted, or not
    /// completely, because they have changed since, or were deleted; the first 100.
    #[oai(validator(max_items = 100))]
    skipped: Vec<SubjectText>,
}

impl From<Changed<Vec<Skipped>>> for UndoResult {
    fn from(undone: Changed<Vec<Skipped>>) -> Self {
        let ChangeResult { event, changed } = (&undone).into();
        let skipped = undone.value.into_iter().map(|skipped| SubjectText(skipped.subject));
        Self { event, changed, skipped: skipped.take(100).collect() }
    }
}

example!(UndoResult, Changed { event: Some(32), changed: 1, value: Vec::new() }.into());

/// What a change does to links.
#[derive(Debug, Clone, Copy)]
pub struct SwitchName(pub LinkSwitch);

const SWITCHES: [(&str, LinkSwitch); 5] = [
    ("disable", LinkSwitch::Disable),
    ("enable", LinkSwitch::Enable),
    ("delete", LinkSwitch::Delete),
    ("pause", LinkSwitch::Pause),
    ("unpause", LinkSwitch::Unpause),
];

request_field!(
    SwitchName,
    |value| {
        let name = text(value)?;
        let found = SWITCHES.into_iter().find(|(known, _)| *known == name);
        found.map(|(_, switch)| Self(switch)).ok_or(
            ErrorCode::NotAllowed.because("must be disable, enable, delete, pause or unpause"),
        )
    },
    enum_schema(&SWITCHES.map(|(name, _)| name))
);

/// Host of destinations.
#[derive(Debug)]
pub struct HostText(String);

request_field!(
    HostText,
    |value| parse_host(text(value)?).map(Self),
    MetaSchema { min_length: Some(1), max_length: Some(255), ..MetaSchema::new("string") }
);

/// Short codes of links.
#[derive(Debug)]
pub struct CodesText(Vec<String>);

request_field!(
    CodesText,
    |value| {
        let items = value.as_array().ok_or(ErrorCode::WrongType.because("must be an array"))?;
        if items.is_empty() || items.len() > MAX_CODES {
            return Err(ErrorCode::of_length(items.len()).because("must have 1 to 10000 codes"));
        }
        let code =
            |item: &Value| match text(item) {
                Ok(code) if code.chars().count() > MAX_CODE_LENGTH => Err(ErrorCode::TooLong
                    .because("must not contain codes longer than 1024 characters")),
                Ok(code) => Ok(code.to_owned()),
                Err(_) => Err(ErrorCode::WrongType.because("must contain only strings")),
            };
        items.iter().map(code).collect::<Result<_, _>>().map(Self)
    },
    {
        let item = MetaSchema { max_length: Some(MAX_CODE_LENGTH), ..MetaSchema::new("string") };
        MetaSchema {
            items: Some(Box::new(MetaSchemaRef::Inline(Box::new(item)))),
            min_items: Some(1),
            max_items: Some(MAX_CODES),
            ..MetaSchema::new("array")
        }
    }
);

request_object! {
    json!({ "host": "evil.example" });
    strict
    /// Conditions that choose links. A link must meet all of them; at least one is required.
    pub struct LinkSelectors {
        /// Short codes, at most 10,000; the response names unknown ones.
        codes?: CodesText,
        /// The name of the owner.
        owner?: Name,
        /// The campaign.
        campaign?: Campaign,
        /// The host of the destination, or a parent domain of it.
        host?: HostText,
        /// The destination, exactly.
        destination_url?: Destination,
    }
}

request_object! {
    json!({ "action": "disable", "selectors": { "host": "evil.example" }, "audit": { "reason": "phishing" } });
    strict
    /// A change of any number of links.
    pub struct LinkChange {
        /// What to do with the links.
        action: SwitchName,
        /// Which links.
        selectors: Nested<LinkSelectors>,
        /// 1 reports how many links would change, and changes nothing; without it, 0.
        dry_run?: FlagValue,
        /// Why, for the history. Visitors of disabled links see the reason.
        audit: OptionalNested<Audit>,
    }
}

impl LinkChange {
    /// Returns what to do with which links, whether it is a dry run, and what the history says about it; or
    /// `None` if there is no selector.
    #[must_use]
    pub fn into_parts(self) -> Option<(LinkSwitch, LinkSelector, bool, Audit)> {
        let Self { action: SwitchName(switch), selectors, dry_run, audit: OptionalNested(audit) } =
            self;
        let Nested(LinkSelectors { codes, owner, campaign, host, destination_url }) = selectors;
        let selector = LinkSelector {
            realm: Realm::Everyone,
            code_lists: codes.into_iter().map(|CodesText(codes)| codes).collect(),
            owner: owner.map(|owner| owner.as_str().to_owned()),
            campaign: campaign.map(Campaign::into_string),
            host: host.map(|HostText(host)| host),
            destination: destination_url.map(Destination::into_string),
        };
        let is_dry_run = dry_run.is_some_and(|FlagValue(flag)| flag);
        (!selector.is_empty()).then_some((switch, selector, is_dry_run, audit.unwrap_or_default()))
    }
}

/// The result of a change of any number of links.
#[derive(Debug, Serialize, Object)]
#[oai(example)]
pub struct LinkChangeResult {
    /// Identifies the event; `null` for a dry run, and if there was nothing to change.
    event: Nullable<Identifier>,
    /// `done` once all links are changed.
    status: StatusWord,
    /// Number of links that changed, or would change in a dry run.
    changed: Count,
    /// Number of links that stayed as they are because the operator has disabled or blocked them; always 0
    /// for the operator.
    skipped: Count,
    /// 1 if it was a dry run.
    dry_run: Flag,
    /// Listed codes that no link has, in the order of the request: the first 100.
    #[oai(validator(max_items = 100))]
    unknown_codes: Vec<SubjectText>,
    /// Number of listed codes that no link has.
    unknown_count: Count,
}

impl LinkChangeResult {
    /// Maximum number of unknown codes in a response.
    const MAX_UNKNOWN: usize = 100;

    /// Describes the result of a change, which returned the codes that no link has.
    pub fn new(changed: &Changed<Vec<String>>, is_dry_run: bool) -> Self {
        let unknown = &changed.value;
        let unknown_count = Count(unknown.len().try_into().unwrap_or(i64::MAX));
        // A text may be a key that was pasted in the wrong place.
        let text = |code: &String| SubjectText(ApiKey::redact(code).into_owned());
        let unknown_codes = unknown.iter().take(Self::MAX_UNKNOWN).map(text).collect();
        let ChangeResult { event, changed } = changed.into();
        Self {
            event,
            status: "done".into(),
            changed,
            skipped: Count(0),
            dry_run: is_dry_run.into(),
            unknown_codes,
            unknown_count,
        }
    }
}

example!(
    LinkChangeResult,
    Self::new(&Changed { event: Some(31), changed: 2000, value: Vec::new() }, false)
);
