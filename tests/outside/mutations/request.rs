//! Requests whose responses are changed.

use reqwest::Method;
use serde_json::json;

use crate::harness::{Api, Response, Server};

/// The code of an existing link.
const CODE: &str = "known";

/// A request whose response a test changes.
#[derive(Clone, Copy)]
pub(super) enum MutatedRequest {
    Shorten,
    List,
    Part,
    Head,
    Stats,
    QrCode,
    QrList,
    NoKey,
    UnknownCode,
    Conflict,
    Malformed,
    Invalid,
    UnknownPath,
    WrongMethod,
}

impl MutatedRequest {
    /// Returns the request as text for the table.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Shorten => "`POST /api/v1/shorten`",
            Self::List => "`GET /api/v1/links`",
            Self::Part => "`GET /api/v1/links?limit=1`",
            Self::Head => "`HEAD /api/v1/links`",
            Self::Stats => "`GET /api/v1/stats/{code}`",
            Self::QrCode => "`POST /api/v1/qrcodes`",
            Self::QrList => "`GET /api/v1/qrcodes`",
            Self::NoKey => "`GET /api/v1/links` without a key",
            Self::UnknownCode => "`GET /api/v1/stats/{code}` of no link",
            Self::Conflict => "`POST /api/v1/shorten` with a code in use",
            Self::Malformed => "`POST /api/v1/shorten` with half an object",
            Self::Invalid => "`POST /api/v1/shorten` with a bad `url`",
            Self::UnknownPath => "`GET /api/v1/nothing`",
            Self::WrongMethod => "`DELETE /api/v1/links`",
        }
    }

    /// Sends the request.
    pub(super) async fn send(self, anyone: Api, key: String) -> Response {
        let api = anyone.with("X-API-Key", &key);
        let url = "https://example.com/";
        match self {
            Self::Shorten => api.shorten(&json!({ "url": url })).await,
            Self::List => api.links().await,
            Self::Part => api.get("/api/v1/links?limit=1").await,
            Self::Head => api.head("/api/v1/links").await,
            Self::Stats => api.stats(CODE).await,
            Self::QrCode => api.qr(&json!({ "short_code": CODE })).await,
            Self::QrList => api.qr_list().await,
            Self::NoKey => anyone.links().await,
            Self::UnknownCode => api.stats("unknown").await,
            Self::Conflict => api.shorten(&json!({ "url": url, "custom_code": CODE })).await,
            Self::Malformed => {
                let ask = api.ask(Method::POST, "/api/v1/shorten");
                ask.body("application/json", "{\"url\":").send().await
            }
            Self::Invalid => api.shorten(&json!({ "url": "example.com" })).await,
            Self::UnknownPath => api.get("/api/v1/nothing").await,
            Self::WrongMethod => api.ask(Method::DELETE, "/api/v1/links").send().await,
        }
    }
}

/// Creates two links with QR codes, the older one with a campaign.
pub(super) async fn prepare(server: &Server) {
    let api = server.api();
    let link = json!({"url": "https://example.com/", "custom_code": CODE, "campaign": "spring"});
    api.shorten(&link).await.expect(201);
    let other = api.create("https://example.com/").await;
    for code in [CODE, &other] {
        api.qr(&json!({ "short_code": code })).await.expect(201);
    }
}
