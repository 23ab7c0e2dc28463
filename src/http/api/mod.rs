//! The JSON interface: five operations, each declared here and delegated in one line.

mod answer;
pub mod body;
mod caller;
pub mod document;
mod failure;
mod links;
mod qr_codes;
mod schema;
mod shorten;
mod wire;

use std::sync::Arc;

use poem::web::Data;
use poem_openapi::param::Path;
use poem_openapi::{OpenApi, Tags};

use self::body::JsonBody;
pub use self::caller::Caller;
use self::failure::Failure;
use self::links::CodeInPath;
use crate::app::App;

/// How the operations are grouped.
#[derive(Tags)]
enum Tag {
    /// Short links and their clicks.
    Links,
    /// QR codes of short links.
    #[oai(rename = "QR codes")]
    QrCodes,
}

/// The five operations.
#[derive(Debug, Clone, Copy)]
pub struct Api;

#[OpenApi(prefix_path = "/api/v1")]
impl Api {
    /// Create a short link
    ///
    /// The link belongs to the owner of the API key and redirects as soon as it is answered. Its
    /// code is random unless `custom_code` is given and the owner's plan has custom codes.
    ///
    /// Conflicts (409) are told apart by `code`: `code-in-use`, `code-reserved` or
    /// `plan-limit-reached`. None of them creates anything.
    #[oai(path = "/shorten", method = "post", operation_id = "shorten", tag = "Tag::Links")]
    async fn shorten(
        &self,
        app: Data<&Arc<App>>,
        caller: Caller,
        /// The link to create.
        body: JsonBody<wire::ShortenRequest>,
    ) -> Result<shorten::Shortened, Failure<shorten::Shorten>> {
        shorten::run(&app, caller, body.0).await
    }

    /// List all links
    ///
    /// All links of the owner of the API key, newest first, with their clicks at the moment.
    #[oai(path = "/links", method = "get", operation_id = "listLinks", tag = "Tag::Links")]
    async fn list_links(
        &self,
        app: Data<&Arc<App>>,
        caller: Caller,
    ) -> Result<links::Listed, Failure<links::ListLinks>> {
        links::list(&app, caller).await
    }

    /// Read the statistics of a link
    ///
    /// Every redirect that has been answered is counted.
    #[oai(path = "/stats/:code", method = "get", operation_id = "getStats", tag = "Tag::Links")]
    async fn get_stats(
        &self,
        app: Data<&Arc<App>>,
        caller: Caller,
        /// The link's short code.
        code: Path<CodeInPath>,
    ) -> Result<links::Counted, Failure<links::GetStats>> {
        links::statistics(&app, caller, code.0).await
    }

    /// Enable the QR code of a link
    ///
    /// The images are then at `/{code}/qr.svg` and `/{code}/qr.png`, for everyone. Called again it
    /// changes how they are drawn. Colours that are too close to each other to be scanned are
    /// refused (409, `qr-colours-too-close`), with those taken into account that are kept already.
    #[oai(path = "/qrcodes", method = "post", operation_id = "enableQrCode", tag = "Tag::QrCodes")]
    async fn enable_qr_code(
        &self,
        app: Data<&Arc<App>>,
        caller: Caller,
        /// The link, and how to draw its code.
        body: JsonBody<wire::QrCodeRequest>,
    ) -> Result<qr_codes::Enabled, Failure<qr_codes::EnableQrCode>> {
        qr_codes::enable(&app, caller, body.0).await
    }

    /// List all links with a QR code
    ///
    /// All links of the owner of the API key whose QR code is enabled, newest first.
    #[oai(path = "/qrcodes", method = "get", operation_id = "listQrCodes", tag = "Tag::QrCodes")]
    async fn list_qr_codes(
        &self,
        app: Data<&Arc<App>>,
        caller: Caller,
    ) -> Result<qr_codes::Listed, Failure<qr_codes::ListQrCodes>> {
        qr_codes::list(&app, caller).await
    }
}
