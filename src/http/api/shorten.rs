//! `POST /api/v1/shorten`

use poem_openapi::registry::MetaHeader;

use super::caller::Caller;
use super::headers;
use super::idempotency::KeyHeader;
use super::operation::{Operation, OperationKind};
use super::problem_examples::ProblemExample;
use super::response::{OperationResponse, OperationResult};
use super::schema::SEGMENT_PATTERN;
use super::wire::{ShortenRequest, ShortenResponse};
use crate::domain::idempotency::{Idempotent, StoredResponse};
use crate::domain::links::CreateLink;
use crate::http::problem_type::ProblemType;
use crate::http::state::AppState;
use crate::store::{AsStoreError as _, StoreError};
use crate::values::ShortCode;

/// Operation `POST /api/v1/shorten`.
pub struct Shorten;

impl Operation for Shorten {
    const ID: &'static str = "shorten";
    const KIND: OperationKind = OperationKind::Write;
    const SUCCESS_DESCRIPTION: &'static str =
        "The link was created and is durable across a power loss.";
    const PROBLEMS: &'static [ProblemExample] = &[
        ProblemExample::MALFORMED_BODY,
        ProblemExample::UNAUTHORIZED,
        ProblemExample::OWNER_SUSPENDED,
        ProblemExample::KEY_SCOPE,
        ProblemExample::new(ProblemType::CODE_IN_USE, "The short code is in use."),
        ProblemExample::new(ProblemType::CODE_RESERVED, "The short code is reserved."),
        ProblemExample::new(ProblemType::PLAN_LIMIT_REACHED, "The plan's link limit is reached."),
        ProblemExample::new(ProblemType::EXPIRY_PASSED, "The time of expiry is not in the future."),
        ProblemExample::KEY_REUSED,
        ProblemExample::TOO_LARGE,
        ProblemExample::NOT_JSON,
        ProblemExample::CONTENT_ENCODED,
        ProblemExample::invalid("/url", "must start with http:// or https://"),
        ProblemExample::DESTINATION_BLOCKED,
        ProblemExample::RATE_LIMITED,
        ProblemExample::INTERNAL_ERROR,
        ProblemExample::UNAVAILABLE,
    ];
    type Body = ShortenResponse;

    fn headers() -> Vec<MetaHeader> {
        let pattern = format!("/api/v1/stats/{SEGMENT_PATTERN}");
        headers::created("The link's statistics.", "/api/v1/stats/Vd7hK2m", &pattern)
    }
}

pub(super) async fn run(
    app: &AppState,
    caller: Caller,
    request: ShortenRequest,
    key: KeyHeader,
) -> OperationResult<Shorten> {
    let request = CreateLink::from(request);
    let key = key.for_request(&app.base_url, || request.fingerprint());
    let rng = &mut app.randomness();
    let done = app.creator.create(caller.owner_id, &request, key, app.store.now(), rng).await;
    let done = match done {
        Err(error) if matches!(error.store_error(), Some(StoreError::OwnerUnavailable)) => {
            caller.check_again(app).await?;
            return Err(error.into());
        }
        done => done?,
    };
    let destination = request.destination.as_str();
    Ok(match done {
        Idempotent::Executed(code) => created(app.base_url.as_str(), &code, destination, false),
        Idempotent::Replayed(StoredResponse { short_code, base_url, .. }) => {
            created(&base_url, &ShortCode::from_stored(&short_code), destination, true)
        }
    })
}

fn created(
    base_url: &str,
    code: &ShortCode,
    destination: &str,
    is_replay: bool,
) -> OperationResponse<Shorten> {
    let body = ShortenResponse::new(base_url, code, destination);
    OperationResponse::created(
        &body,
        format!("{base_url}/api/v1/stats/{}", code.path_segment()),
        is_replay,
    )
}
