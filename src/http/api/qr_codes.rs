//! `POST /api/v1/qrcodes` and `GET /api/v1/qrcodes`

use poem_openapi::ApiResponse;

use super::Caller;
use super::answer::{Json, JsonList};
use super::failure::{Failure, Operation, problems};
use super::list_query::{Limit, ListQuery};
use super::schema::CodeText;
use super::wire::{QrCodeLink, QrCodeList, QrCodeRequest, QrCodeResponse};
use crate::app::App;
use crate::domain::{self, links, qr};
use crate::http::problem::Kind;

const PATH: &str = "/api/v1/qrcodes";

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
    let (CodeText(code), change) = request.into();
    let code = code.ok_or(domain::Error::LinkNotFound)?;
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
    const PROBLEMS: &'static [Kind] = problems![MalformedRequest];
}

/// How listing succeeds.
#[derive(Debug, ApiResponse)]
pub enum Listed {
    /// All links of the owner whose QR code is enabled.
    #[oai(status = 200)]
    Ok(
        JsonList<QrCodeList>,
        /// With `limit`, where the list goes on: `<URL>; rel="next"` (RFC 8288). Not on the last part.
        #[oai(header = "Link")]
        Option<String>,
    ),
}

pub(super) async fn list(
    app: &App,
    caller: Caller,
    query: ListQuery,
) -> Result<Listed, Failure<ListQrCodes>> {
    let (owner_id, place) = (caller.owner_id, query.place());
    let (list, next) = match query.limit {
        None => {
            let pages = links::list_qr(app.store.clone(), owner_id, query.filter(), place);
            (JsonList::of::<_, QrCodeLink>(pages).await?, None)
        }
        Some(Limit(limit)) => {
            let part =
                links::list_qr_part(&app.store, owner_id, &query.filter(), place, limit).await?;
            let next = part.next.map(|next| query.next(&app.base_url, PATH, next));
            (JsonList::of_part::<_, QrCodeLink>(part.links).await?, next)
        }
    };
    Ok(Listed::Ok(list, next))
}
