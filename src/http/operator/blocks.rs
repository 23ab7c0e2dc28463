//! `/api/operator/v1/blocks`

use std::sync::Arc;

use poem::web::Data;
use poem_openapi::OpenApi;

use super::tag::OperatorTag;
use crate::domain::page::FoundPage;
use crate::domain::{Error, blocks};
use crate::http::cursor::Cursor;
use crate::http::objects::block::{BlockDetails, BlockDetailsList, BlockVerdict, NewBlock};
use crate::http::objects::change::{ChangeAccount, ChangeResult};
use crate::http::objects::parameters::UrlOrHost;
use crate::http::openapi::headers::NextPathLink;
use crate::http::openapi::interface::Operation;
use crate::http::openapi::json_body::JsonBody;
use crate::http::openapi::page::{Limit, ListPage};
use crate::http::openapi::parameter::Parameter;
use crate::http::openapi::payload::{
    Json, ListResponse, NoContentResponse, OkResponse, OperationResult,
};
use crate::http::operator_caller::OperatorCaller;
use crate::http::problem_examples::ProblemExample;
use crate::http::problem_type::ProblemType;
use crate::http::state::AppState;
use crate::values::{BlockPattern, CaseId, Note, OperatorPermission, Permission, Reason};

const PATH: &str = "/api/operator/v1/blocks";

const PATTERN_MISSING: ProblemExample =
    ProblemExample::new(ProblemType::MALFORMED_REQUEST, "The parameter pattern is required.");
const URL_MISSING: ProblemExample =
    ProblemExample::new(ProblemType::MALFORMED_REQUEST, "The parameter url is required.");

/// The owner in the cursors of the list, as [`ListPage::find`] takes it. It is not `NO_OWNER`, with which
/// earlier versions issued cursors that counted patterns: servers of two versions reject each other's.
const CURSORS: i64 = -1;

/// Operation `GET /blocks`.
pub(super) const LIST_BLOCKS: Operation = Operation {
    id: "listBlocks",
    permission: Permission::Operator(OperatorPermission::Read),
    success: "A page of patterns.",
    problems: &[&[ProblemExample::MALFORMED_LIMIT, ProblemExample::CURSOR_NOT_FOUND]],
};

/// Operation `POST /blocks`.
pub(super) const ADD_BLOCK: Operation = Operation {
    id: "addBlock",
    permission: Permission::Operator(OperatorPermission::Moderate),
    success: "What the request changed.",
    problems: &[
        ProblemExample::OF_BODIES,
        &[
            ProblemExample::EXPIRY_PASSED,
            ProblemExample::invalid("/action", "must be block or allow"),
        ],
    ],
};

/// Operation `DELETE /blocks`.
pub(super) const REMOVE_BLOCK: Operation = Operation {
    id: "removeBlock",
    permission: Permission::Operator(OperatorPermission::Moderate),
    success: "The pattern is removed.",
    problems: &[&[PATTERN_MISSING, ProblemExample::BLOCK_NOT_FOUND]],
};

/// Operation `GET /blocks/check`.
pub(super) const CHECK_BLOCK: Operation = Operation {
    id: "checkBlock",
    permission: Permission::Operator(OperatorPermission::Read),
    success: "Whether the destination is blocked.",
    problems: &[&[URL_MISSING]],
};

/// Patterns of blocked destinations.
#[derive(Debug, Default)]
pub struct BlocksApi;

#[OpenApi(prefix_path = "/api/operator/v1")]
impl BlocksApi {
    /// List the patterns in force
    ///
    /// Returns the operator's own patterns, newest first, and then those of imported lists and of the
    /// block file. Expired ones are missing.
    #[oai(
        path = "/blocks",
        method = "get",
        operation_id = "listBlocks",
        tag = "OperatorTag::Blocks"
    )]
    async fn list_blocks(
        &self,
        app: Data<&Arc<AppState>>,
        _caller: OperatorCaller,
        /// Maximum number of items, from `1` to `1000`. Without it, 100.
        Parameter(limit): Parameter<Limit>,
        /// Position at which the list continues, such as `3f9c01d27be4a865b07d52c8e1964af3`: 32
        /// hexadecimal digits from the path in the header `Link` of the previous page, valid only with
        /// the same conditions.
        Parameter(cursor): Parameter<Cursor>,
    ) -> OperationResult<ListResponse<BlockDetailsList, NextPathLink>> {
        let page = ListPage::find(&app, CURSORS, PATH.to_owned(), Vec::new(), limit, cursor)?;
        let (snapshot, now) = (app.caches.blocks.snapshot(), app.store.now());
        let found = blocks::page(&app.store, &snapshot, page.request(), now).await?;
        let missing = || ProblemExample::CURSOR_NOT_FOUND.problem();
        let FoundPage { items, next } = found.ok_or_else(missing)?;
        let data = items.into_iter().map(BlockDetails::from).collect();
        Ok(ListResponse::Ok(Json::new(&BlockDetailsList { data }), page.path_link(next)))
    }

    /// Block destinations, or make an exception
    ///
    /// Changes the rule of a pattern: `block` blocks the destinations that it matches, and `allow` makes
    /// them exceptions. Servers follow within a second. The most specific pattern decides. Repeating
    /// the request changes nothing.
    #[oai(
        path = "/blocks",
        method = "post",
        operation_id = "addBlock",
        tag = "OperatorTag::Blocks"
    )]
    async fn add_block(
        &self,
        app: Data<&Arc<AppState>>,
        caller: OperatorCaller,
        /// The pattern and its rule.
        JsonBody(body): JsonBody<NewBlock>,
    ) -> OperationResult<OkResponse<ChangeResult>> {
        let (pattern, action, until, account) = body.into();
        let change = caller.change(account, app.store.now());
        let changed = blocks::put(&app.store, &[pattern], action, until, &change).await?;
        Ok(OkResponse::Ok(Json::new(&(&changed).into())))
    }

    /// Remove a pattern
    ///
    /// Deletes a pattern of the operator's own; those of imported lists stay. Servers follow within a
    /// second. Removing it again returns 404.
    #[oai(
        path = "/blocks",
        method = "delete",
        operation_id = "removeBlock",
        tag = "OperatorTag::Blocks"
    )]
    async fn remove_block(
        &self,
        app: Data<&Arc<AppState>>,
        caller: OperatorCaller,
        /// The pattern, such as `evil.example`. It is required.
        Parameter(pattern): Parameter<BlockPattern>,
        /// The reason for it, for the history: `phishing`, `malware`, `spam`, `legal`,
        /// `owner-request` or `other`.
        Parameter(reason): Parameter<Reason>,
        /// A note for the history.
        Parameter(note): Parameter<Note>,
        /// The identifier of a case in your own system, for the history.
        Parameter(case): Parameter<CaseId>,
    ) -> OperationResult<NoContentResponse> {
        let pattern = pattern.ok_or_else(|| PATTERN_MISSING.problem())?;
        let change = caller.change(ChangeAccount { reason, note, case }, app.store.now());
        let patterns = [pattern];
        let removed = blocks::remove(&app.store, &patterns, &change).await?;
        if removed.changed == 0 {
            return Err(Error::PatternsNotFound(Vec::new()).into());
        }
        Ok(NoContentResponse::NoContent)
    }

    /// Check whether a destination is blocked
    ///
    /// Returns whether a URL or a host is blocked, and the pattern that decides it.
    #[oai(
        path = "/blocks/check",
        method = "get",
        operation_id = "checkBlock",
        tag = "OperatorTag::Blocks"
    )]
    async fn check_block(
        &self,
        app: Data<&Arc<AppState>>,
        _caller: OperatorCaller,
        /// The URL or the host, such as `https://evil.example/login`. It is required.
        Parameter(url): Parameter<UrlOrHost>,
    ) -> OperationResult<OkResponse<BlockVerdict>> {
        let UrlOrHost(url) = url.ok_or_else(|| URL_MISSING.problem())?;
        let decision = app.caches.blocks.snapshot().decide(&url, app.store.now());
        Ok(OkResponse::Ok(Json::new(&decision.into())))
    }
}
