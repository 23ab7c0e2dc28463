//! `POST /api/v1/shorten`

use poem_openapi::ApiResponse;

use super::Caller;
use super::answer::Json;
use super::failure::{Failure, Operation, problems};
use super::wire::{ShortenRequest, ShortenResponse};
use crate::app::App;
use crate::domain::links::{self, Wish};
use crate::http::problem::Kind;
use crate::values::Moment;

/// The operation.
#[derive(Debug)]
pub struct Shorten;

impl Operation for Shorten {
    const PROBLEMS: &'static [Kind] = problems![
        MalformedRequest,
        CodeInUse,
        CodeReserved,
        PlanLimitReached,
        BodyTooLarge,
        UnsupportedMediaType,
        InvalidInput,
    ];
}

/// How it succeeds.
#[derive(Debug, ApiResponse)]
pub enum Shortened {
    /// The link was created, and survives loss of power.
    #[oai(status = 201)]
    Created(Json<ShortenResponse>),
}

pub(super) async fn run(
    app: &App,
    caller: Caller,
    request: ShortenRequest,
) -> Result<Shortened, Failure<Shorten>> {
    let wish = Wish::from(request);
    let code = links::create(
        &app.store,
        &app.base_url,
        caller.owner_id,
        &wish,
        Moment::now(),
        &mut app.randomness(),
    )
    .await?;
    Ok(Shortened::Created(Json(ShortenResponse {
        short_url: app.base_url.short_url(&code),
        short_code: code.to_string(),
        destination_url: wish.destination.as_str().to_owned(),
    })))
}
