//! `POST /api/v1/shorten`

use poem_openapi::ApiResponse;

use super::Caller;
use super::answer::Json;
use super::case::Case;
use super::failure::{Failure, Operation};
use super::headers::LinkLocation;
use super::wire::{ShortenRequest, ShortenResponse};
use crate::app::App;
use crate::domain::links::Wish;
use crate::http::problem::Kind;
use crate::values::Moment;

/// The operation.
#[derive(Debug)]
pub struct Shorten;

impl Operation for Shorten {
    const ID: &'static str = "shorten";
    const PROBLEMS: &'static [Case] = &[
        Case::new(
            Kind::MalformedRequest,
            "The body is not JSON: EOF while parsing a value at line 1 column 7.",
        ),
        Case::NO_KEY,
        Case::new(Kind::CodeInUse, "The short code is in use."),
        Case::new(Kind::CodeReserved, "The short code is reserved."),
        Case::new(Kind::PlanLimitReached, "The plan's limit of links is reached."),
        Case::TOO_LARGE,
        Case::NOT_JSON,
        Case::of_field("/url", "must start with http:// or https://"),
        Case::NO_DATABASE,
    ];
}

/// How it succeeds.
#[derive(Debug, ApiResponse)]
pub enum Shortened {
    /// The link was created, and survives loss of power.
    #[oai(status = 201)]
    Created(
        Json<ShortenResponse>,
        /// The link's statistics.
        #[oai(header = "Location")]
        LinkLocation,
    ),
}

pub(super) async fn run(
    app: &App,
    caller: Caller,
    request: ShortenRequest,
) -> Result<Shortened, Failure<Shorten>> {
    let wish = Wish::from(request);
    let rng = &mut app.randomness();
    let code = app.creator.create(caller.owner_id, &wish, Moment::now(), rng).await?;
    let location = LinkLocation(format!("{}/api/v1/stats/{code}", app.base_url.as_str()));
    let response = ShortenResponse {
        short_url: app.base_url.short_url(&code),
        short_code: code.to_string(),
        destination_url: wish.destination.as_str().to_owned(),
    };
    Ok(Shortened::Created(Json(response), location))
}
