//! `POST /api/v1/shorten`

use super::wire::{ShortenRequest, ShortenResponse};
use crate::domain::idempotency::{Idempotent, StoredResponse};
use crate::domain::links::CreateLink;
use crate::http::caller::Caller;
use crate::http::objects::fields::{EXAMPLE_CODE, SEGMENT_PATTERN};
use crate::http::openapi::headers::{Replayed, header_type, location_schema};
use crate::http::openapi::idempotency::KeyHeader;
use crate::http::openapi::interface::Operation;
use crate::http::openapi::payload::{CreatedResponse, Json, OperationResult};
use crate::http::problem::Problem;
use crate::http::problem_examples::ProblemExample;
use crate::http::state::AppState;
use crate::values::{Permission, ShortCode};

/// Operation `POST /api/v1/shorten`.
pub(super) const SHORTEN: Operation = Operation {
    id: "shorten",
    permission: Permission::Create,
    success: "The link was created and is durable across a power loss.",
    problems: &[
        ProblemExample::OF_BODIES,
        ProblemExample::OF_NEW_LINKS,
        &[
            ProblemExample::invalid("/url", "must start with http:// or https://"),
            ProblemExample::invalid("/url", "is required")
                .and_invalid("/title", "must not be longer than 255 characters"),
            ProblemExample::blocked("/url"),
        ],
    ],
};

header_type!(
    /// `Location` of a new link.
    StatsLocation,
    location_schema(
        "The link's statistics.",
        "/api/v1/stats/{code}",
        EXAMPLE_CODE,
        SEGMENT_PATTERN
    )
);

pub(super) async fn run(
    app: &AppState,
    caller: Caller,
    request: ShortenRequest,
    key: KeyHeader,
) -> OperationResult<CreatedResponse<ShortenResponse, StatsLocation>> {
    let request = CreateLink::from(request);
    let key = key.for_link_of(caller.owner_id, &app.addresses, || request.fingerprint());
    let rng = &mut app.randomness();
    let done = app.creator.create(caller.owner_id, &request, key, app.store.now(), rng).await;
    // The specification has this name for the destination in requests.
    let done = done.map_err(|error| Problem::from_error(error, "url"))?;
    let destination = request.destination.as_str();
    Ok(match done {
        Idempotent::Executed(code) => {
            let origin = app.addresses.origin(caller.owner_id);
            created(app.base_url.as_str(), &origin, &code, destination, false)
        }
        Idempotent::Replayed(StoredResponse { short_code, base_url, origin, .. }) => {
            let (code, origin) = (ShortCode::from_stored(&short_code), origin.as_ref());
            created(&base_url, origin.unwrap_or(&base_url), &code, destination, true)
        }
    })
}

fn created(
    base_url: &str,
    origin: &str,
    code: &ShortCode,
    destination: &str,
    is_replay: bool,
) -> CreatedResponse<ShortenResponse, StatsLocation> {
    CreatedResponse::Created(
        Json::new(&ShortenResponse::new(origin, code, destination)),
        StatsLocation(format!("{base_url}/api/v1/stats/{}", code.path_segment())),
        Replayed::from_flag(is_replay),
    )
}
