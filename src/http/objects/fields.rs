//! Fields that objects of several interfaces have, and their schemas.

use poem_openapi::Object;
use poem_openapi::registry::MetaSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use strum::VariantNames as _;

use crate::domain::Error;
use crate::domain::changes::{Action, ActorType};
use crate::domain::clicks::MAX_CLICKS;
use crate::domain::links::{BY_IMPORT, KeyNames, LinkState};
use crate::domain::owners::OwnerRef;
use crate::http::openapi::field::{
    EXTENSIBLE, Nullable, integer, integer_schema, label_schema, note_schema, request_field,
    response_fields, segment, text, text_schema,
};
use crate::values::{
    BlockPattern, Campaign, CaseId, Colour, Destination, ErrorCode, ErrorCorrection, ExternalId,
    KeyLabel, KeyScope, Margin, Name, Note, OperatorRole, Reason, ShortCode, Timestamp, Title,
    ValidationError,
};

/// Pattern of a percent-encoded short code in a path, with slashes.
pub const PATH_PATTERN: &str = "[!$%&'()*+,./0-9:;=@A-Z_a-z~-]+";
/// Pattern of a percent-encoded short code as one path segment.
pub const SEGMENT_PATTERN: &str = "[!$%&'()*+,.0-9:;=@A-Z_a-z~-]+";
/// Short code in examples.
pub const EXAMPLE_CODE: &str = "Vd7hK2m";
/// Destination in examples.
pub const EXAMPLE_URL: &str = "https://example.org/spring?utm_source=mail";

/// Custom code as the client sends it. It is not parsed yet, because a plan without custom codes
/// accepts any text.
#[derive(Debug)]
pub struct CustomCode(pub String);

/// Identifier of an owner in requests.
#[derive(Debug, Clone, Copy)]
pub struct OwnerId(pub i64);

impl From<OwnerId> for OwnerRef<'_> {
    fn from(OwnerId(id): OwnerId) -> Self {
        id.into()
    }
}

/// Identifier of an API key in requests.
#[derive(Debug, Clone, Copy)]
pub struct KeyId(pub i64);

/// Code of an existing link. `None` if the text is not a valid short code, so that no link has it.
#[derive(Debug)]
pub struct CodeText(pub Option<ShortCode>);

segment! {
    /// Code of an existing link in a path.
    CodeSegment(ShortCode): |text| ShortCode::parse(text).ok(), EXAMPLE_CODE, code_schema(), Error::LinkNotFound;
    /// A client's own identifier of a link in a path.
    ExternalIdSegment(ExternalId):
        |text| ExternalId::parse(text).ok(), "product-4711", external_id_schema(), Error::LinkNotFound;
    /// Identifier of a key in a path.
    KeySegment(i64): parse_identifier, 12, count_schema(1.0), Error::KeyNotFound(0);
    /// Identifier of an operator key in a path.
    OperatorKeySegment(i64): parse_identifier, 3, count_schema(1.0), Error::OperatorNotFound(String::new());
    /// Identifier of an owner in a path.
    OwnerSegment(i64): parse_identifier, 7, count_schema(1.0), Error::OwnerNotFound(String::new());
    /// Identifier of an event in a path.
    EventSegment(i64): parse_identifier, 31, count_schema(1.0), Error::EventNotFound(0);
    /// Name of a plan in a path.
    PlanSegment(String): |text| Some(text.to_owned()), "gold", name_schema(), Error::PlanNotFound(String::new());
}

/// Parses the digits of an identifier.
pub fn parse_identifier(text: &str) -> Option<i64> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

request_field!(
    BlockPattern,
    |value| BlockPattern::parse(text(value)?),
    MetaSchema { max_length: Some(Destination::MAX_LENGTH), ..MetaSchema::new("string") }
);

/// Converts the identifier of `thing`.
fn identifier(value: &Value, thing: &str) -> Result<i64, ValidationError> {
    match integer(value)? {
        id if (1..=MAX_CLICKS).contains(&id) => Ok(id),
        _ => Err(ErrorCode::OutOfRange.because(format!("must be the identifier of {thing}"))),
    }
}

request_field!(OwnerId, |value| identifier(value, "an owner").map(Self), count_schema(1.0));

request_field!(KeyId, |value| identifier(value, "a key").map(Self), count_schema(1.0));

request_field!(Name, |value| Name::parse(text(value)?), name_schema());

request_field!(KeyLabel, |value| KeyLabel::parse(text(value)?), label_schema(KeyLabel::MAX_LENGTH));

// The schema has no `format: uri`, because some accepted destinations are not URIs.
request_field!(
    Destination,
    |value| Destination::parse(text(value)?),
    requested_destination_schema()
);

request_field!(Title, |value| Title::parse(text(value)?), label_schema(Title::MAX_LENGTH));

request_field!(Campaign, |value| Campaign::parse(text(value)?), label_schema(Campaign::MAX_LENGTH));

request_field!(ExternalId, |value| ExternalId::parse(text(value)?), external_id_schema());

request_field!(Timestamp, |value| Timestamp::from_rfc3339(text(value)?), time_schema());

request_field!(Reason, |value| text(value)?.parse(), enum_schema(Reason::VARIANTS));

request_field!(
    KeyScope,
    |value| {
        let expected = |_| ErrorCode::NotAllowed.because("must be read, create, edit or full");
        text(value)?.parse().map_err(expected)
    },
    enum_schema(KeyScope::VARIANTS)
);

request_field!(Note, |value| Note::parse(text(value)?), note_schema(Note::MAX_LENGTH));

request_field!(CaseId, |value| CaseId::parse(text(value)?), note_schema(CaseId::MAX_LENGTH));

request_field!(
    CustomCode,
    |value| Ok(Self(text(value)?.to_owned())),
    text_schema(
        ShortCode::MIN_CUSTOM_LENGTH,
        ShortCode::MAX_CUSTOM_LENGTH,
        "^[0-9A-Za-z_-]{3,64}$"
    )
);

request_field!(CodeText, |value| Ok(Self(ShortCode::parse(text(value)?).ok())), code_schema());

request_field!(
    ErrorCorrection,
    |value| text(value)?.parse(),
    enum_schema(ErrorCorrection::VARIANTS)
);

request_field!(Margin, |value| Margin::new(integer(value)?), integer_schema(0, Margin::MAX.into()));

request_field!(Colour, |value| Colour::parse(text(value)?), text_schema(7, 7, "^#[0-9A-Fa-f]{6}$"));

response_fields! {
    /// Error correction level of a QR code.
    ErrorCorrectionText(String): enum_schema(ErrorCorrection::VARIANTS);
    /// Width of the quiet zone of a QR code in modules.
    MarginWidth(u8): integer_schema(0, Margin::MAX.into());
    /// Colour of a QR code.
    ColourText(String): text_schema(7, 7, "^#[0-9a-f]{6}$");
    /// Code of a link.
    LinkCode(String): code_schema();
    /// Short URL of a link.
    ShortUrl(String): text_schema(8, 4096, &format!("^https?://[^/]+/{PATH_PATTERN}$"));
    /// URL of the image of a QR code.
    QrImageUrl(String): text_schema(15, 4096, &format!(r"^https?://[^/]+/{PATH_PATTERN}/qr\.(svg|png)$"));
    /// Destination of a link.
    DestinationText(String): destination_schema();
    /// Title of a link.
    TitleText(String): MetaSchema { max_length: Some(Title::MAX_LENGTH), ..MetaSchema::new("string") };
    /// Campaign of a link.
    CampaignText(String): MetaSchema { max_length: Some(Campaign::MAX_LENGTH), ..MetaSchema::new("string") };
    /// A client's own identifier of a link or an owner.
    ExternalIdText(String): MetaSchema { pattern: None, ..external_id_schema() };
    /// Number of things, such as clicks.
    Count(i64): count_schema(0.0);
    /// Secret of an operator key.
    OperatorSecret(String): text_schema(29, 255, "^terse_op_[0-9A-Za-z]{20,}$");
    /// Secret of an API key.
    Secret(String): text_schema(26, 255, "^terse_[0-9A-Za-z]{20,}$");
    /// Identifier of an owner, a key or an event.
    Identifier(i64): count_schema(1.0);
    /// Point in time (RFC 3339), with milliseconds.
    TimeText(String): time_schema();
    /// Day (UTC).
    DayText(String): MetaSchema { max_length: Some(10), ..MetaSchema::new_with_format("string", "date") };
    /// Month (UTC).
    MonthText(String): month_schema();
    /// Name, label, host or rate.
    Text(String): MetaSchema { max_length: Some(255), ..MetaSchema::new("string") };
    /// What an event changed: a code, a name, a pattern, or a description of several things.
    SubjectText(String): MetaSchema { max_length: Some(4096), ..MetaSchema::new("string") };
    /// Members of an object, by name.
    Members(Map<String, Value>): MetaSchema::new("object");
    /// Note about a change.
    NoteText(String): MetaSchema { max_length: Some(Note::MAX_LENGTH), ..MetaSchema::new("string") };
    /// Pattern of blocked destinations.
    PatternText(String):
        MetaSchema { max_length: Some(BlockPattern::MAX_LENGTH), ..MetaSchema::new("string") };
}

impl From<Timestamp> for TimeText {
    fn from(time: Timestamp) -> Self {
        Self(time.to_millis_text())
    }
}

/// Defines types of fields of responses that have one of these words, to which later versions may add.
macro_rules! words {
    ($($(#[$attribute:meta])* $name:ident: $words:expr;)+) => {
        response_fields! {
            $($(#[$attribute])* $name(String): MetaSchema {
                title: Some(EXTENSIBLE.to_owned()),
                max_length: Some(64),
                ..enum_schema($words)
            };)+
        }

        $(impl From<&str> for $name {
            fn from(word: &str) -> Self {
                Self(word.to_owned())
            }
        })+
    };
}

pub(in crate::http) use words;

words! {
    /// State of a link.
    StateWord: LinkState::OWNER_NAMES;
    /// Scope of an API key.
    ScopeWord: KeyScope::VARIANTS;
    /// Role of an operator key.
    RoleWord: OperatorRole::VARIANTS;
    /// Reason of a change.
    ReasonWord: Reason::VARIANTS;
    /// What an event did.
    ActionWord: Action::VARIANTS;
    /// Who made a change.
    ActorTypeWord: ActorType::VARIANTS;
    /// What is wrong with a field or parameter.
    ErrorCodeWord: ErrorCode::VARIANTS;
    /// How far a change has come.
    StatusWord: &["running", "done", "stopped"];
    /// What a pattern does with destinations.
    BlockActionWord: &["block", "allow"];
}

/// Returns the schema of whole numbers from `minimum` to 2⁵³ − 1.
pub fn count_schema(minimum: f64) -> MetaSchema {
    MetaSchema {
        minimum: Some(minimum),
        #[expect(clippy::cast_precision_loss, reason = "below 2⁵³")]
        maximum: Some(MAX_CLICKS as f64),
        ..MetaSchema::new_with_format("integer", "int64")
    }
}

/// Returns the schema of the names of owners and plans.
fn name_schema() -> MetaSchema {
    let pattern = r"^[^\s\x00-\x1F\x7F]([^\x00-\x1F\x7F]*[^\s\x00-\x1F\x7F])?$";
    text_schema(1, Name::MAX_LENGTH, pattern)
}

/// Returns the schema of external identifiers.
pub fn external_id_schema() -> MetaSchema {
    // Neither `.` nor `..`, without a look ahead, which not every engine has.
    let pattern =
        r"^([^.\x00-\x1F\x7F]|\.[^.\x00-\x1F\x7F]|\.\.[^\x00-\x1F\x7F])[^\x00-\x1F\x7F]*$";
    text_schema(1, ExternalId::MAX_LENGTH, pattern)
}

/// Returns the schema of months.
pub fn month_schema() -> MetaSchema {
    text_schema(7, 7, "^[0-9]{4}-(0[1-9]|1[0-2])$")
}

/// Returns the schema of points in time.
pub fn time_schema() -> MetaSchema {
    MetaSchema { max_length: Some(64), ..MetaSchema::new_with_format("string", "date-time") }
}

/// Returns the schema of a text that is one of `items`.
pub fn enum_schema(items: &[&str]) -> MetaSchema {
    let enum_items = items.iter().map(|item| Value::from(*item)).collect();
    MetaSchema { enum_items, ..MetaSchema::new("string") }
}

/// Returns the schema of the code of a link, which may have been imported.
pub fn code_schema() -> MetaSchema {
    // Neither control characters nor blanks, nor what separates the parts of a URL.
    let pattern = r"^[^\x00-\x20#%?\\\x7F]+$";
    text_schema(1, ShortCode::MAX_LENGTH, pattern)
}

/// Returns the schema of destinations in requests: without control characters of ASCII, and without a
/// blank at the end.
fn requested_destination_schema() -> MetaSchema {
    let pattern =
        r"^[Hh][Tt][Tt][Pp][Ss]?://[^\x00-\x20/?#\x7F]([^\x00-\x1F\x7F]*[^\x00-\x20\x7F])?$";
    text_schema(8, Destination::MAX_LENGTH, pattern)
}

/// Returns the schema of stored destinations, which an operator may have changed by hand.
pub fn destination_schema() -> MetaSchema {
    text_schema(8, Destination::MAX_LENGTH, "^[Hh][Tt][Tt][Pp][Ss]?://[^/?#]")
}

/// Who made a change, or created a link. Owners see nothing that identifies an operator.
#[derive(Debug, Serialize, Object)]
pub struct Actor {
    /// `owner_key`, `operator_key`, `command` for a person or program at a shell of the operator's, or
    /// `import` for a file that the operator imported.
    pub(super) r#type: ActorTypeWord,
    /// Identifies the key; `null` for a command, and where owners do not see it.
    pub(super) id: Nullable<Identifier>,
    /// The label that the API key had, the name of the operator key, or the name that the command was
    /// given; `null` where owners do not see it.
    pub(super) name: Nullable<Text>,
}

impl Actor {
    /// Describes who created a link, if that is known.
    pub fn of_link(created_by: Option<i64>, keys: &KeyNames) -> Option<Self> {
        let key = created_by?;
        let is_import = key == BY_IMPORT;
        let actor_type = if is_import { ActorType::Import } else { ActorType::OwnerKey };
        Some(Self {
            r#type: actor_type.into_str().into(),
            id: Nullable(Some(key).filter(|_| !is_import).map(Identifier)),
            name: Nullable(keys.get(key).map(|name| Text(name.to_owned()))),
        })
    }
}
