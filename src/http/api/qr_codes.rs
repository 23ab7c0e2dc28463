//! `POST /api/v1/qrcodes` and `GET /api/v1/qrcodes`

use poem_openapi::ApiResponse;

use super::Caller;
use super::answer::{Json, JsonList};
use super::failure::{Failure, Operation, problems};
use super::wire::{QrCodeLink, QrCodeList, QrCodeRequest, QrCodeResponse};
use crate::app::App;
use crate::domain::{links, qr};
use crate::http::problem::Kind;

/// Enabling a QR code.
#[derive(Debug)]
pub struct EnableQrCode;

impl Operation for EnableQrCode {
    const PROBLEMS: &'static [Kind] = problems![
        MalformedRequest,
        LinkNotFound,
        QrColoursTooClose,
        BodyTooLarge,
        UnsupportedMediaType,
        InvalidInput,
    ];
}

/// How enabling succeeds.
#[derive(Debug, ApiResponse)]
pub enum Enabled {
    /// The QR code is enabled and drawn as asked.
    #[oai(status = 201)]
    Created(Json<QrCodeResponse>),
}

pub(super) async fn enable(
    app: &App,
    caller: Caller,
    request: QrCodeRequest,
) -> Result<Enabled, Failure<EnableQrCode>> {
    let (code, change) = request.into();
    qr::enable(&app.store, caller.owner_id, &code, &change).await?;
    let short_url = app.base_url.short_url(&code);
    Ok(Enabled::Created(Json(QrCodeResponse {
        short_code: code.to_string(),
        has_qr: 1,
        message: format!("QR code enabled: {short_url}/qr.svg and {short_url}/qr.png"),
    })))
}

/// Listing links with a QR code.
#[derive(Debug)]
pub struct ListQrCodes;

impl Operation for ListQrCodes {
    const PROBLEMS: &'static [Kind] = problems![];
}

/// How listing succeeds.
#[derive(Debug, ApiResponse)]
pub enum Listed {
    /// All links of the owner whose QR code is enabled.
    #[oai(status = 200)]
    Ok(JsonList<QrCodeList>),
}

pub(super) async fn list(app: &App, caller: Caller) -> Result<Listed, Failure<ListQrCodes>> {
    let pages = links::list_qr(app.store.clone(), caller.owner_id);
    Ok(Listed::Ok(JsonList::of::<_, QrCodeLink>(pages).await?))
}
