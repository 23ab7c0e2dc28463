//! Patterns of blocked destinations, and their exceptions.

use poem_openapi::types::Type;
use serde_json::json;

use super::change::Audit;
use super::fields::{BlockActionWord, PatternText, ReasonWord, Text, TimeText, enum_schema};
use crate::domain::blocks::{BlockAction, BlockDecision, BlockRule, ListedBlock, NewRule};
use crate::http::openapi::field::{Nullable, list, list_schema, request_field, text};
use crate::http::openapi::json_body::{OptionalNested, request_object};
use crate::http::openapi::response_object::response_object;
use crate::values::{BlockPattern, ErrorCode, Reason, Timestamp};

/// Maximum number of patterns in a request.
const MAX_PATTERNS: usize = 1_000;

response_object! {
    example_block().into();
    page "A page of patterns: the operator's own, newest first, then those of imported lists.";

    /// A pattern of destinations that are blocked, or are exceptions.
    pub struct Block: From<ListedBlock> = ListedBlock {
        pattern, rule: BlockRule { action, reason, until: expires_at }, source, created_at,
    } => {
        /// A host, which includes its subdomains, or the beginning of URLs on one host.
        pattern: PatternText,
        /// `block`, or `allow` for an exception.
        action: BlockActionWord = action.into_str().into(),
        /// Why, such as `phishing`.
        reason: ReasonWord = reason.into_str().into(),
        /// The source of the pattern; `null` for the operator's own.
        source: Nullable<Text>,
        /// The time from which the pattern no longer counts; `null` if it does not expire.
        expires_at: Nullable<TimeText>,
        /// When the pattern was stored, or its list imported; `null` for the block file.
        created_at: Nullable<TimeText>,
    }
}

fn example_block() -> ListedBlock {
    ListedBlock {
        pattern: "evil.example".to_owned(),
        rule: BlockRule::block(Reason::Phishing),
        source: None,
        created_at: Some(Timestamp::from_millis(1_700_000_000_000)),
    }
}

response_object! {
    {
        let (pattern, rule) = ("evil.example".to_owned(), BlockRule::block(Reason::Phishing));
        Some(BlockDecision { pattern, source: None, rule }).into()
    };

    /// Whether a destination is blocked, and the pattern that decides it.
    pub struct BlockCheck: From<Option<BlockDecision>> = decision => {
        /// Whether the destination is blocked.
        is_blocked: bool = decision.as_ref().is_some_and(|one| one.rule.action == BlockAction::Block),
        /// The pattern that decides; `null` if none matches.
        pattern: Nullable<PatternText> = decision.as_ref().map(|one| one.pattern.clone()).into(),
        /// `block` or `allow`; `null` if no pattern matches.
        action: Nullable<BlockActionWord> = decision.as_ref().map(|one| one.rule.action.into_str()).into(),
        /// The reason of the pattern; `null` if none matches.
        reason: Nullable<ReasonWord> = decision.as_ref().map(|one| one.rule.reason.into_str()).into(),
        /// The source of the pattern; `null` for the operator's own.
        source: Nullable<Text> = decision.as_ref().and_then(|one| one.source.clone()).into(),
        /// The time from which the pattern no longer counts; `null` if it does not expire.
        expires_at: Nullable<TimeText> = decision.and_then(|one| one.rule.until).into(),
    }
}

request_field!(
    BlockAction,
    |value| match text(value)? {
        "block" => Ok(Self::Block),
        "allow" => Ok(Self::Allow),
        _ => Err(ErrorCode::NotAllowed.because("must be block or allow")),
    },
    enum_schema(&["block", "allow"])
);

/// Patterns of a request.
#[derive(Debug)]
pub struct BlockPatterns(Vec<BlockPattern>);

request_field!(
    BlockPatterns,
    |value| list(value, MAX_PATTERNS, |item| BlockPattern::parse(text(item)?)).map(Self),
    list_schema(MAX_PATTERNS, BlockPattern::schema_ref())
);

request_object! {
    json!({ "patterns": ["evil.example"], "action": "block", "reason": "phishing" });
    strict
    /// New patterns, or a new rule for existing ones.
    pub struct BlockCreate: Into<(Vec<BlockPattern>, NewRule, Audit)> = {
        let action = action.unwrap_or(BlockAction::Block);
        let audit = audit.0.unwrap_or_default();
        let audit = Audit { reason: audit.reason.or(reason), ..audit };
        (patterns.0, NewRule { action, reason, until: expires_at }, audit)
    } => {
        /// 1 to 1,000 patterns. Each is a host, which includes its subdomains, or a URL, which includes all
        /// paths below it.
        patterns: BlockPatterns,
        /// `block`, or `allow` for an exception; without it, `block`.
        action?: BlockAction,
        /// The reason, which visitors of blocked links see. Without it, an existing pattern keeps its
        /// reason, and a new one has `other`.
        reason?: Reason,
        /// The time from which a block no longer counts (RFC 3339).
        expires_at?: Timestamp,
        /// Why, for the history. Without it, the history has the reason of the pattern.
        audit: OptionalNested<Audit>,
    }
}
