//! `POST /api/manage/v1/links`

use poem_openapi::ApiResponse;

use crate::domain::addresses::short_url;
use crate::domain::idempotency::{Idempotent, StoredResponse};
use crate::domain::links::{CreateLink, LinkVersion};
use crate::http::caller::Caller;
use crate::http::objects::fields::{EXAMPLE_CODE, SEGMENT_PATTERN};
use crate::http::objects::link::{LinkRequest, ManagedLink};
use crate::http::openapi::headers::{EntityTag, Replayed, header_type, location_schema};
use crate::http::openapi::idempotency::KeyHeader;
use crate::http::openapi::interface::Operation;
use crate::http::openapi::payload::{Json, OperationResult};
use crate::http::problem_examples::ProblemExample;
use crate::http::state::AppState;
use crate::values::{Permission, ShortCode, Timestamp};

/// Operation `POST /links`.
pub(super) const CREATE_LINK: Operation = Operation {
    id: "createLink",
    permission: Permission::Manage,
    success: "The link was created and is durable across a power loss.",
    problems: &[
        ProblemExample::OF_BODIES,
        ProblemExample::OF_NEW_LINKS,
        &[
            ProblemExample::COLOURS_TOO_CLOSE,
            ProblemExample::invalid("/destination_url", "is required"),
            ProblemExample::invalid("/destination_url", "must start with http:// or https://")
                .and_invalid("/title", "must not be longer than 255 characters"),
            ProblemExample::blocked("/destination_url"),
        ],
    ],
};

header_type!(
    /// `Location` of a new link.
    LinkLocation,
    location_schema(
        "The address of the link.",
        "/api/manage/v1/links/{code}",
        EXAMPLE_CODE,
        SEGMENT_PATTERN
    )
);

/// Response of [`CREATE_LINK`].
#[derive(Debug, ApiResponse)]
pub enum CreatedLinkResponse {
    /// The link.
    #[oai(status = 201)]
    Created(
        Json<ManagedLink>,
        #[oai(header = "Location")] LinkLocation,
        #[oai(header = "ETag")] EntityTag,
        #[oai(header = "Idempotent-Replayed")] Option<Replayed>,
    ),
}

pub(super) async fn run(
    app: &AppState,
    caller: Caller,
    request: LinkRequest,
    key: KeyHeader,
) -> OperationResult<CreatedLinkResponse> {
    let (request, now) = (CreateLink::from(request), app.store.now());
    let fingerprint = || request.full_fingerprint();
    let key = key.for_link_of(caller.owner_id, &app.addresses, fingerprint);
    let rng = &mut app.randomness();
    let done = app.creator.create(caller.owner_id, &request, key, now, rng).await?;
    let is_replay = matches!(done, Idempotent::Replayed(_));
    let base_url = match &done {
        Idempotent::Executed(_) => app.base_url.to_string(),
        Idempotent::Replayed(stored) => stored.base_url.clone(),
    };
    let DescribedLink { link, tag, code } = describe(app, caller.owner_id, &request, done, now);
    Ok(CreatedLinkResponse::Created(
        Json::new(&link),
        LinkLocation(format!("{base_url}/api/manage/v1/links/{}", code.path_segment())),
        tag,
        Replayed::from_flag(is_replay),
    ))
}

/// A new link, as responses show it.
pub(super) struct DescribedLink {
    pub(super) link: ManagedLink,
    pub(super) tag: EntityTag,
    pub(super) code: ShortCode,
}

/// Describes the link that a request has created, the same each time that the request is repeated.
pub(super) fn describe(
    app: &AppState,
    owner_id: i64,
    request: &CreateLink,
    done: Idempotent<ShortCode>,
    now: Timestamp,
) -> DescribedLink {
    let (code, created_at, url) = match done {
        Idempotent::Executed(code) => {
            let url = app.addresses.short_url(owner_id, &code);
            (code, now, url)
        }
        Idempotent::Replayed(StoredResponse {
            short_code, base_url, origin, created_at, ..
        }) => {
            let code = ShortCode::from_stored(&short_code);
            let url = short_url(origin.as_ref().unwrap_or(&base_url), &code);
            (code, created_at, url)
        }
    };
    let (link, state) = request.created(owner_id, &code, created_at);
    let tag = EntityTag::of_version(LinkVersion::from_link(&link));
    DescribedLink { link: ManagedLink::new(url, link, state), tag, code }
}
