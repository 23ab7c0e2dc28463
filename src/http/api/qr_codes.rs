//! `POST /api/v1/qrcodes` and `GET /api/v1/qrcodes`

use super::list_query::{LIST_PROBLEMS, ListQuery};
use super::wire::{QrCodeLink, QrCodeList, QrCodeRequest, QrCodeResponse};
use crate::domain::addresses::short_url;
use crate::domain::idempotency::{Idempotent, StoredResponse};
use crate::domain::qr::QrRequest;
use crate::domain::{self, qr};
use crate::http::caller::Caller;
use crate::http::objects::fields::{CodeText, EXAMPLE_CODE, PATH_PATTERN};
use crate::http::openapi::headers::{NextLink, Replayed, header_type, location_schema};
use crate::http::openapi::idempotency::KeyHeader;
use crate::http::openapi::interface::Operation;
use crate::http::openapi::payload::{CreatedResponse, Json, ListResponse, OperationResult};
use crate::http::problem_examples::ProblemExample;
use crate::http::state::AppState;
use crate::values::{Permission, ShortCode};

/// Operation `POST /api/v1/qrcodes`.
pub(super) const ENABLE_QR_CODE: Operation = Operation {
    id: "enableQrCode",
    permission: Permission::Create,
    success: "The QR code is enabled, and has the new settings.",
    problems: &[
        ProblemExample::OF_BODIES,
        &[
            ProblemExample::LINK_NOT_FOUND,
            ProblemExample::COLOURS_TOO_CLOSE,
            ProblemExample::QR_CODE_TOO_LONG,
            ProblemExample::MALFORMED_KEY,
            ProblemExample::KEY_REUSED,
            ProblemExample::invalid("/margin", "must be from 0 to 16"),
        ],
    ],
};

/// Operation `GET /api/v1/qrcodes`.
pub(super) const LIST_QR_CODES: Operation = Operation {
    id: "listQrCodes",
    permission: Permission::Read,
    success: "The links of the owner whose QR code is enabled: all of them or, with `limit`, one page.",
    problems: LIST_PROBLEMS,
};

header_type!(
    /// `Location` of an enabled QR code.
    ImageLocation,
    location_schema("The image as SVG.", "/{code}/qr.svg", EXAMPLE_CODE, PATH_PATTERN)
);

pub(super) async fn enable(
    app: &AppState,
    caller: Caller,
    request: QrCodeRequest,
    key: KeyHeader,
) -> OperationResult<CreatedResponse<QrCodeResponse, ImageLocation>> {
    let (CodeText(code), change) = request.into();
    let code = code.ok_or(domain::Error::LinkNotFound)?;
    let key = key.for_link_of(caller.owner_id, &app.addresses, || change.fingerprint(&code));
    let origin = app.addresses.origin(caller.owner_id);
    let now = app.store.now();
    let request = QrRequest { code: &code, short_url: &short_url(&origin, &code), change: &change };
    let done = qr::enable(&app.store, caller.owner_id, request, key.as_ref(), now).await?;
    Ok(match done {
        Idempotent::Executed(()) => enabled(app.base_url.as_str(), &origin, &code, false),
        Idempotent::Replayed(StoredResponse { short_code, base_url, origin, .. }) => {
            let (code, origin) = (ShortCode::from_stored(&short_code), origin.as_ref());
            enabled(&base_url, origin.unwrap_or(&base_url), &code, true)
        }
    })
}

fn enabled(
    base_url: &str,
    origin: &str,
    code: &ShortCode,
    is_replay: bool,
) -> CreatedResponse<QrCodeResponse, ImageLocation> {
    CreatedResponse::Created(
        Json::new(&QrCodeResponse::new(origin, code)),
        ImageLocation(format!("{base_url}/{}/qr.svg", code.path())),
        Replayed::from_flag(is_replay),
    )
}

pub(super) async fn list(
    app: &AppState,
    caller: Caller,
    query: &ListQuery,
) -> OperationResult<ListResponse<QrCodeList, NextLink>> {
    let (body, next) = query.run::<QrCodeLink>(app, caller, "/api/v1/qrcodes", true).await?;
    Ok(ListResponse::Ok(Json::from_stream(body), next))
}
