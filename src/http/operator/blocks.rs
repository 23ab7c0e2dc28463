//! `/api/operator/v1/blocks`

use crate::domain::blocks::{self, BlockFilter};
use crate::http::objects::block::{Block, BlockCheck, BlockCreate};
use crate::http::objects::change::ChangeResult;
use crate::http::objects::parameters::{SearchText, UrlOrHost};
use crate::http::prelude::*;
use crate::values::{BlockPattern, Name};

const PATH: &str = "/api/operator/v1/blocks";

const PATTERN_MISSING: ProblemExample =
    ProblemExample::parameter("pattern", "is required").with_code(ErrorCode::Required);
const URL_MISSING: ProblemExample =
    ProblemExample::parameter("url", "is required").with_code(ErrorCode::Required);

/// The operations.
pub(super) const OPERATIONS: &[Operation] = &[
    Operation::new("listBlocks", READ, "A page of patterns."),
    Operation::new("createBlocks", MODERATE, "What the request changed.").with(&[
        ProblemExample::EXPIRY_PASSED,
        ProblemExample::invalid("/action", "must be block or allow")
            .with_code(ErrorCode::NotAllowed),
    ]),
    Operation::new("deleteBlock", MODERATE, "The pattern is removed.")
        .with(&[PATTERN_MISSING, ProblemExample::BLOCK_NOT_FOUND]),
    Operation::new("checkBlock", READ, "Whether the destination is blocked.").with(&[URL_MISSING]),
];

/// Patterns of blocked destinations.
#[derive(Debug, Default)]
pub struct BlocksApi;

#[OpenApi(prefix_path = "/api/operator/v1", tag = "OperatorTag::Blocks")]
impl BlocksApi {
    /// List the patterns in force
    ///
    /// Returns the operator's own patterns, newest first, and then those of imported lists and of the
    /// block file. Expired ones are missing.
    #[oai(path = "/blocks", method = "get", operation_id = "listBlocks")]
    async fn list_blocks(
        &self,
        caller: OperatorCaller,
        Parameter(limit): Parameter<Limit>,
        Parameter(cursor): Parameter<Cursor>,
        /// Only patterns that contain this text; ASCII letters match in any case.
        Parameter(q): Parameter<SearchText>,
        /// Only patterns of this source: the name of an imported list, or `block-file` for the block file.
        Parameter(source): Parameter<Name>,
    ) -> OperationResult<ListResponse<List<Block>, NextPathLink>> {
        let app = &caller.app;
        let filter = BlockFilter {
            text: q.map(|SearchText(text)| text),
            source: source.map(|source| source.as_str().to_owned()),
        };
        let conditions = vec![("q", filter.text.clone()), ("source", filter.source.clone())];
        let page =
            ListPage::find(app, FORMERLY_COUNTED, PATH.to_owned(), conditions, limit, cursor)?;
        let (snapshot, now) = (app.caches.blocks.snapshot(), app.store.now());
        let found = blocks::page(&app.store, &snapshot, &filter, page.request(), now).await?;
        let missing = || ProblemExample::CURSOR_NOT_FOUND.problem();
        let found = found.ok_or_else(missing)?;
        Ok(page.response(found))
    }

    /// Block destinations, or make an exception
    ///
    /// Changes the rule of patterns, all in one transaction and event: `block` blocks the destinations
    /// that they match, and `allow` makes them exceptions. Servers follow within a second. The most specific pattern decides. Repeating
    /// the request changes nothing.
    #[oai(path = "/blocks", method = "post", operation_id = "createBlocks")]
    async fn create_blocks(
        &self,
        caller: OperatorCaller,
        /// The patterns and their rule.
        JsonBody(body): JsonBody<BlockCreate>,
        #[oai(name = "Idempotency-Key")] key: IdempotencyKeyHeader,
    ) -> OperationResult<RepeatedResponse<ChangeResult>> {
        let (patterns, rule, audit) = body.into();
        let change = caller.change_once(audit, key, &format!("blocks: {patterns:?} {rule:?}"));
        let changed = blocks::put(&caller.app.store, &patterns, rule, &change).await?;
        Ok(RepeatedResponse::new(&changed))
    }

    /// Remove a pattern
    ///
    /// Deletes a pattern of the operator's own; those of imported lists stay. Servers follow within a
    /// second. Removing it again returns 404.
    #[oai(path = "/blocks", method = "delete", operation_id = "deleteBlock")]
    async fn delete_block(
        &self,
        caller: OperatorCaller,
        /// The pattern.
        Required(pattern): Required<BlockPattern>,
        Parameter(reason): Parameter<Reason>,
        Parameter(note): Parameter<Note>,
        Parameter(case_id): Parameter<CaseId>,
    ) -> OperationResult<NoContentResponse> {
        let change = caller.change(Audit { reason, note, case_id });
        let patterns = [pattern];
        let removed = blocks::remove(&caller.app.store, &patterns, &change).await?;
        if removed.changed == 0 {
            return Err(Error::PatternsNotFound(Vec::new()).into());
        }
        Ok(NoContentResponse::new(removed.event))
    }

    /// Check whether a destination is blocked
    ///
    /// Returns whether a URL or a host is blocked, and the pattern that decides it.
    #[oai(path = "/block-check", method = "get", operation_id = "checkBlock")]
    async fn check_block(
        &self,
        caller: OperatorCaller,
        /// The URL or the host.
        Required(url): Required<UrlOrHost>,
    ) -> OperationResult<OkResponse<BlockCheck>> {
        let decision = caller.app.caches.blocks.snapshot().decide(&url.0, caller.app.store.now());
        Ok(OkResponse::new(decision))
    }
}
