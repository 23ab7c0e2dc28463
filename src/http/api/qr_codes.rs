//! `/api/v1/qrcodes`

use super::links::{list, list_filter};
use super::wire::{Flag, QrCodeLink, QrCodeList, QrCodeRequest, QrCodeResponse};
use crate::domain::qr::{self, QrRequest};
use crate::http::objects::fields::{CodeText, EXAMPLE_CODE, PATH_PATTERN};
use crate::http::openapi::headers::NextLink;
use crate::http::prelude::*;
use crate::values::Campaign;

/// The operations.
pub(super) const OPERATIONS: &[Operation] = &[
    Operation::new(
        "enableQrCode",
        Permission::Create,
        "The QR code is enabled, and has the new settings.",
    )
    .with(&[
        ProblemExample::LINK_NOT_FOUND,
        ProblemExample::COLOURS_TOO_CLOSE,
        ProblemExample::QR_CODE_TOO_LONG,
        ProblemExample::invalid("/margin", "must be from 0 to 16").with_code(ErrorCode::OutOfRange),
    ]),
    Operation::new(
        "listQrCodes",
        Permission::Read,
        "The links of the owner whose QR code is enabled: all of them or, with `limit`, one page.",
    ),
];

header_type!(
    /// `Location` of an enabled QR code.
    ImageLocation,
    location_schema("The image as SVG.", "/{code}/qr.svg", EXAMPLE_CODE, PATH_PATTERN)
);

/// QR codes.
#[derive(Debug, Default)]
pub struct QrCodesApi;

#[OpenApi(prefix_path = "/api/v1", tag = "ApiTag::QrCodes")]
impl QrCodesApi {
    /// Enable the QR code of a link
    ///
    /// Enables the images `/{code}/qr.svg` and `/{code}/qr.png`, which need no key (410 or 451 while the
    /// link does not redirect). `?size=` is their side length in pixels, up to 4096; a PNG needs at least
    /// one pixel per module. Calling the operation again changes the given settings and retains the
    /// others.
    ///
    /// Colours that are too similar to be scanned return 409 `qr-colours-too-close`; the stored colour
    /// applies if one is omitted. An imported link whose short URL is too long returns 409
    /// `qr-code-too-long`.
    #[oai(path = "/qrcodes", method = "post", operation_id = "enableQrCode")]
    async fn enable_qr_code(
        &self,
        caller: Caller,
        /// The link, and how to draw its code.
        JsonBody(body): JsonBody<QrCodeRequest>,
        #[oai(name = "Idempotency-Key")] key: IdempotencyKeyHeader,
    ) -> OperationResult<CreatedResponse<QrCodeResponse, ImageLocation>> {
        let app = &caller.app;
        let (CodeText(code), change) = body.into();
        let code = code.ok_or(Error::LinkNotFound)?;
        let key = key.for_link_of(caller.owner_id, &app.addresses, || change.fingerprint(&code));
        let short_url = app.addresses.short_url(caller.owner_id, &code);
        let request = QrRequest { code: &code, short_url: &short_url, change: &change };
        let change = caller.change(Audit::default());
        let done = qr::enable(&app.store, caller.owner_id, request, key.as_ref(), &change).await?;
        let first = done.first_response(&app.addresses, caller.owner_id, change.now);
        let location = ImageLocation(format!("{}/{}/qr.svg", first.base_url, first.code.path()));
        let response = QrCodeResponse::new(&first.origin, &first.code);
        Ok(CreatedResponse::new(response, location, first.is_replay))
    }

    /// List all links with a QR code
    ///
    /// Returns all links of the API key's owner whose QR code is enabled, newest first.
    ///
    /// With `limit`, at most that many; the header `Link` then has the URL of the next page, and is
    /// absent on the last one. Links created meanwhile cause neither duplicates nor gaps.
    #[oai(path = "/qrcodes", method = "get", operation_id = "listQrCodes")]
    async fn list_qr_codes(
        &self,
        caller: Caller,
        Parameter(limit): Parameter<Limit>,
        Parameter(cursor): Parameter<Cursor>,
        Parameter(campaign): Parameter<Campaign>,
        Parameter(active): Parameter<Flag>,
    ) -> OperationResult<ListResponse<QrCodeList, NextLink>> {
        let filter = list_filter(&caller, campaign, active, true);
        let listed = list::<QrCodeLink>(&caller, "/api/v1/qrcodes", filter, limit, cursor);
        let (body, next) = listed.await?;
        Ok(ListResponse::Ok(Json::from_stream(body), next))
    }
}
