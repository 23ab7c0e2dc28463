//! `POST /api/v1/qrcodes` and `GET /api/v1/qrcodes`

use poem_openapi::registry::MetaHeader;

use super::caller::Caller;
use super::headers;
use super::idempotency::KeyHeader;
use super::list_query::{LIST_PROBLEMS, ListOperation};
use super::operation::{Operation, OperationKind};
use super::problem_examples::ProblemExample;
use super::response::{OperationResponse, OperationResult};
use super::schema::CodeText;
use super::wire::{ListQrCodesResponse, QrCodeLink, QrCodeRequest, QrCodeResponse};
use crate::domain::idempotency::{Idempotent, StoredResponse};
use crate::domain::{self, qr};
use crate::http::problem_type::ProblemType;
use crate::http::state::AppState;

/// Operation `POST /api/v1/qrcodes`.
pub struct EnableQrCode;

impl Operation for EnableQrCode {
    const ID: &'static str = "enableQrCode";
    const KIND: OperationKind = OperationKind::Write;
    const SUCCESS_DESCRIPTION: &'static str = "The QR code is enabled with these settings.";
    const PROBLEMS: &'static [ProblemExample] = &[
        ProblemExample::MALFORMED_BODY,
        ProblemExample::UNAUTHORIZED,
        ProblemExample::OWNER_SUSPENDED,
        ProblemExample::KEY_SCOPE,
        ProblemExample::LINK_NOT_FOUND,
        ProblemExample::new(
            ProblemType::QR_COLOURS_TOO_CLOSE,
            "The colours of the QR code have a contrast ratio of 1.07; the minimum is 3.",
        ),
        ProblemExample::KEY_REUSED,
        ProblemExample::TOO_LARGE,
        ProblemExample::NOT_JSON,
        ProblemExample::CONTENT_ENCODED,
        ProblemExample::invalid("/margin", "must be from 0 to 16"),
        ProblemExample::RATE_LIMITED,
        ProblemExample::INTERNAL_ERROR,
        ProblemExample::UNAVAILABLE,
    ];
    type Body = QrCodeResponse;

    fn headers() -> Vec<MetaHeader> {
        let pattern = "/[0-9A-Za-z_-]{3,64}/qr[.]svg";
        headers::created("The image as SVG.", "/Vd7hK2m/qr.svg", pattern)
    }
}

pub(super) async fn enable(
    app: &AppState,
    caller: Caller,
    request: QrCodeRequest,
    key: KeyHeader,
) -> OperationResult<EnableQrCode> {
    let (CodeText(code), change) = request.into();
    let code = code.ok_or(domain::Error::LinkNotFound)?;
    let key = key.for_request(&app.base_url, || change.fingerprint(&code));
    let now = app.store.now();
    let done = qr::enable(&app.store, caller.owner_id, &code, &change, key.as_ref(), now).await?;
    Ok(match done {
        Idempotent::Executed(()) => enabled(app.base_url.as_str(), code.as_str(), false),
        Idempotent::Replayed(StoredResponse { short_code, base_url, .. }) => {
            enabled(&base_url, &short_code, true)
        }
    })
}

fn enabled(base_url: &str, code: &str, is_replay: bool) -> OperationResponse<EnableQrCode> {
    let body = QrCodeResponse::new(base_url, code);
    OperationResponse::created(&body, format!("{base_url}/{code}/qr.svg"), is_replay)
}

/// Operation `GET /api/v1/qrcodes`.
pub struct ListQrCodes;

impl Operation for ListQrCodes {
    const ID: &'static str = "listQrCodes";
    const KIND: OperationKind = OperationKind::List;
    const SUCCESS_DESCRIPTION: &'static str =
        "The links of the owner whose QR code is enabled: all of them or, with `limit`, one page.";
    const PROBLEMS: &'static [ProblemExample] = LIST_PROBLEMS;
    type Body = ListQrCodesResponse;

    fn headers() -> Vec<MetaHeader> {
        headers::list(Self::PATH)
    }
}

impl ListOperation for ListQrCodes {
    const PATH: &'static str = "/api/v1/qrcodes";
    const WITH_QR: bool = true;
    type Item = QrCodeLink;
}
