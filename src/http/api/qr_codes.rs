//! `POST /api/v1/qrcodes` and `GET /api/v1/qrcodes`

use poem_openapi::registry::MetaHeader;

use super::caller::Caller;
use super::headers;
use super::idempotency::KeyHeader;
use super::list_query::{LIST_PROBLEMS, ListOperation};
use super::operation::{Operation, OperationKind};
use super::problem_examples::ProblemExample;
use super::response::{OperationResponse, OperationResult};
use super::schema::{CodeText, PATH_PATTERN};
use super::wire::{ListQrCodesResponse, QrCodeLink, QrCodeRequest, QrCodeResponse};
use crate::domain::idempotency::{Idempotent, StoredResponse};
use crate::domain::qr::QrRequest;
use crate::domain::{self, qr};
use crate::http::problem_type::ProblemType;
use crate::http::state::AppState;
use crate::values::ShortCode;

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
        ProblemExample::new(
            ProblemType::QR_CODE_TOO_LONG,
            "The short URL is too long for a QR code with error correction H.",
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
        let pattern = format!("/{PATH_PATTERN}/qr[.]svg");
        headers::created("The image as SVG.", "/Vd7hK2m/qr.svg", &pattern)
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
    let request =
        QrRequest { code: &code, short_url: &app.base_url.short_url(&code), change: &change };
    let done = qr::enable(&app.store, caller.owner_id, request, key.as_ref(), now).await?;
    Ok(match done {
        Idempotent::Executed(()) => enabled(app.base_url.as_str(), &code, false),
        Idempotent::Replayed(StoredResponse { short_code, base_url, .. }) => {
            enabled(&base_url, &ShortCode::from_stored(&short_code), true)
        }
    })
}

fn enabled(base_url: &str, code: &ShortCode, is_replay: bool) -> OperationResponse<EnableQrCode> {
    let body = QrCodeResponse::new(base_url, code);
    OperationResponse::created(&body, format!("{base_url}/{}/qr.svg", code.path()), is_replay)
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
