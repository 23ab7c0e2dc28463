//! `POST /api/v1/qrcodes` and `GET /api/v1/qrcodes`

use poem_openapi::ApiResponse;

use super::Caller;
use super::answer::{JsonList, JsonText};
use super::case::Case;
use super::failure::{Does, Failure, Operation};
use super::headers::{ImageLocation, NextQrCodes, Replayed};
use super::idempotency::{Key, created};
use super::list_query::{ListQuery, Lists};
use super::schema::{Code, CodeText, Flag};
use super::wire::{QrCodeLink, QrCodeList, QrCodeRequest, QrCodeResponse};
use crate::domain::idempotency::{Answer, Done};
use crate::domain::links::QrLink;
use crate::domain::{self, qr};
use crate::http::App;
use crate::http::problem::Kind;
use crate::values::{BaseUrl, ShortCode};

/// Enabling a QR code.
#[derive(Debug)]
pub struct EnableQrCode;

impl Operation for EnableQrCode {
    const ID: &'static str = "enableQrCode";
    const DOES: Does = Does::Write;
    const PROBLEMS: &'static [Case] = &[
        Case::new(
            Kind::MalformedRequest,
            "The body is not JSON: EOF while parsing a value at line 1 column 14.",
        ),
        Case::NO_KEY,
        Case::NO_LINK,
        Case::new(
            Kind::QrColoursTooClose,
            "The colours of the QR code have a contrast ratio of 1.07; the minimum is 3.",
        ),
        Case::KEY_REUSED,
        Case::TOO_LARGE,
        Case::NOT_JSON,
        Case::ENCODED,
        Case::of_field("/margin", "must be from 0 to 16"),
        Case::NO_DATABASE,
    ];
}

/// How enabling succeeds.
#[derive(Debug, ApiResponse)]
pub enum Enabled {
    /// The QR code is enabled and drawn as asked.
    #[oai(status = 201)]
    Created(
        JsonText<QrCodeResponse>,
        /// The image as SVG.
        #[oai(header = "Location")]
        ImageLocation,
        /// Present only when this repeats the response to an earlier request with the same `Idempotency-Key`.
        #[oai(header = "Idempotent-Replayed")]
        Option<Replayed>,
    ),
}

pub(super) async fn enable(
    app: &App,
    caller: Caller,
    request: QrCodeRequest,
    key: Key,
) -> Result<Enabled, Failure<EnableQrCode>> {
    let (CodeText(code), change) = request.into();
    let code = code.ok_or(domain::Error::LinkNotFound)?;
    let (keyed, now) = (key.of(|| change.fingerprint(&code)), app.store.now());
    let answer = answer(&app.base_url, &code);
    let keyed = keyed.as_ref().map(|keyed| (keyed, &answer));
    let done = qr::enable(&app.store, caller.owner_id, &code, &change, keyed, now).await?;
    let (Answer { status: _, location, body }, replayed) = match done {
        Done::Now(()) => (answer, None),
        Done::Before(answer) => (answer, Some(Replayed::yes())),
    };
    Ok(Enabled::Created(JsonText::written(body), ImageLocation(location), replayed))
}

fn answer(base_url: &BaseUrl, code: &ShortCode) -> Answer {
    let short_url = base_url.short_url(code);
    let response = QrCodeResponse {
        short_code: Code(code.to_string()),
        has_qr: Flag::from(true),
        message: format!("QR code enabled: {short_url}/qr.svg and {short_url}/qr.png"),
    };
    created(&response, format!("{short_url}/qr.svg"))
}

/// Listing links with a QR code.
#[derive(Debug)]
pub struct ListQrCodes;

impl Operation for ListQrCodes {
    const ID: &'static str = "listQrCodes";
    const DOES: Does = Does::List;
    const PROBLEMS: &'static [Case] =
        &[Case::MALFORMED_LIMIT, Case::NO_KEY, Case::NO_CURSOR, Case::NO_DATABASE];
}

impl Lists for ListQrCodes {
    const PATH: &'static str = "/api/v1/qrcodes";
    type Link = QrLink;
    type Item = QrCodeLink;
    type List = QrCodeList;
}

/// How listing succeeds.
#[derive(Debug, ApiResponse)]
pub enum Listed {
    /// The links of the owner whose QR code is enabled: all of them or, with `limit`, one page.
    #[oai(status = 200)]
    Ok(
        JsonList<QrCodeList>,
        /// With `limit`, the next page (RFC 8288). Absent on the last page, and without `limit`.
        #[oai(header = "Link")]
        Option<NextQrCodes>,
    ),
}

pub(super) async fn list(
    app: &App,
    caller: Caller,
    query: ListQuery,
) -> Result<Listed, Failure<ListQrCodes>> {
    let (list, next) = query.answer::<ListQrCodes>(app, caller).await?;
    Ok(Listed::Ok(list, next.map(NextQrCodes)))
}
