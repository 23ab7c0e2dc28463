//! `POST /api/v1/shorten`

use std::sync::Arc;

use poem_openapi::ApiResponse;

use super::Caller;
use super::answer::JsonText;
use super::case::Case;
use super::failure::{Does, Failure, Operation};
use super::headers::{LinkLocation, Replayed};
use super::idempotency::{Key, created};
use super::schema::{Code, DestinationUrl};
use super::wire::{ShortenRequest, ShortenResponse};
use crate::domain::idempotency::{Answer, Describe, Done};
use crate::domain::links::Wish;
use crate::http::App;
use crate::http::problem::Kind;
use crate::values::{BaseUrl, Destination, ShortCode};

/// The operation.
#[derive(Debug)]
pub struct Shorten;

impl Operation for Shorten {
    const ID: &'static str = "shorten";
    const DOES: Does = Does::Write;
    const PROBLEMS: &'static [Case] = &[
        Case::new(
            Kind::MalformedRequest,
            "The body is not JSON: EOF while parsing a value at line 1 column 7.",
        ),
        Case::NO_KEY,
        Case::new(Kind::CodeInUse, "The short code is in use."),
        Case::new(Kind::CodeReserved, "The short code is reserved."),
        Case::new(Kind::PlanLimitReached, "The plan's link limit is reached."),
        Case::KEY_REUSED,
        Case::TOO_LARGE,
        Case::NOT_JSON,
        Case::ENCODED,
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
        JsonText<ShortenResponse>,
        /// The link's statistics.
        #[oai(header = "Location")]
        LinkLocation,
        /// Present only when this repeats the response to an earlier request with the same `Idempotency-Key`.
        #[oai(header = "Idempotent-Replayed")]
        Option<Replayed>,
    ),
}

pub(super) async fn run(
    app: &App,
    caller: Caller,
    request: ShortenRequest,
    key: Key,
) -> Result<Shortened, Failure<Shorten>> {
    let wish = Wish::from(request);
    let keyed = key.of(|| wish.fingerprint()).map(|keyed| {
        let (base_url, destination) = (app.base_url.clone(), wish.destination.clone());
        let describe = move |code: &ShortCode| answer(&base_url, &destination, code);
        (keyed, Describe(Arc::new(describe)))
    });
    let rng = &mut app.randomness();
    let done = app.creator.create(caller.owner_id, &wish, keyed, app.store.now(), rng).await?;
    let (Answer { status: _, location, body }, replayed) = match done {
        Done::Now(code) => (answer(&app.base_url, &wish.destination, &code), None),
        Done::Before(answer) => (answer, Some(Replayed::yes())),
    };
    Ok(Shortened::Created(JsonText::written(body), LinkLocation(location), replayed))
}

fn answer(base_url: &BaseUrl, destination: &Destination, code: &ShortCode) -> Answer {
    let response = ShortenResponse {
        short_url: base_url.short_url(code),
        short_code: Code(code.to_string()),
        destination_url: DestinationUrl(destination.as_str().to_owned()),
    };
    created(&response, format!("{}/api/v1/stats/{code}", base_url.as_str()))
}
