//! The scenario of docs/contributing/generated-clients.md with the client that progenitor generates.
//! TERSE_URL is the address of the server, TERSE_KEY an API key, TERSE_LIMITED_KEY one whose owner may send
//! one request per minute.

use std::env;
use std::fmt::Debug;
use std::num::NonZeroU32;

use futures::TryStreamExt;
use reqwest::header::{HeaderMap, HeaderValue};
use reqwest::redirect::Policy;
use terse::types::{Problem, QrCodeRequest, QrCodeRequestErrorCorrection, ShortenRequest};
use terse::{ByteStream, Client, Error, ResponseValue};

mod terse {
    progenitor::generate_api!(spec = "openapi.json");
}

const DESTINATION: &str = "https://example.org/spring?utm_source=mail";

/// Returns a client that sends the key with each request, as a default header of the HTTP client.
fn with_key(key: &str) -> Client {
    let mut headers = HeaderMap::new();
    headers.insert("X-API-Key", HeaderValue::from_str(key).unwrap());
    let http = reqwest::Client::builder().default_headers(headers).build().unwrap();
    Client::new_with_client(&env::var("TERSE_URL").unwrap(), http)
}

fn link_to(url: &str) -> ShortenRequest {
    ShortenRequest {
        url: url.parse().unwrap(),
        title: None,
        campaign: None,
        custom_code: None,
        expires_at: None,
    }
}

/// Returns the problem. `Error::ErrorResponse` contains it as bytes, because its media type is not
/// `application/json`.
async fn problem_of<T: Debug>(result: Result<ResponseValue<T>, Error<ByteStream>>) -> Problem {
    match result {
        Err(Error::ErrorResponse(response)) => {
            let status = response.status();
            let retry_after = response.headers().get("Retry-After").cloned();
            let parts: Vec<_> = response.into_inner().into_inner().try_collect().await.unwrap();
            let problem: Problem = serde_json::from_slice(&parts.concat()).unwrap();
            assert_eq!(problem.status, i32::from(status.as_u16()));
            if status == 429 {
                let seconds: u32 = retry_after.unwrap().to_str().unwrap().parse().unwrap();
                assert!(seconds > 0);
            }
            problem
        }
        other => panic!("{other:?}"),
    }
}

fn assert_problem(problem: &Problem, status: i32, code: &str) {
    assert_eq!((problem.status, problem.code.as_str()), (status, code), "{problem:?}");
}

async fn visit(url: &str) -> (u16, String) {
    let visitor = reqwest::Client::builder().redirect(Policy::none()).build().unwrap();
    let response = visitor.get(url).send().await.unwrap();
    let location = response.headers()["location"].to_str().unwrap().to_owned();
    (response.status().as_u16(), location)
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let me = with_key(&env::var("TERSE_KEY").unwrap());
    let request = ShortenRequest {
        title: Some("Spring catalogue".parse().unwrap()),
        campaign: Some("spring".parse().unwrap()),
        ..link_to(DESTINATION)
    };
    let created = me.shorten(None, &request).await.unwrap().into_inner();
    assert_eq!(created.destination_url.as_str(), DESTINATION);
    assert_eq!(created.short_code.len(), 7);

    let code = format!("rs-{:016x}", rand::random::<u64>());
    let with_code =
        ShortenRequest { custom_code: Some(code.parse().unwrap()), ..link_to(DESTINATION) };
    let custom = me.shorten(None, &with_code).await.unwrap();
    assert_eq!(*custom.short_url, format!("{}/{code}", env::var("TERSE_URL").unwrap()));

    let two = NonZeroU32::new(2);
    let listed = me.list_links(None, None, None, two).await.unwrap().into_inner().data;
    assert_eq!(*listed[0].short_code, code);
    assert!(listed[0].campaign.is_none());
    assert_eq!(listed[1].short_code.as_str(), created.short_code.as_str());
    assert_eq!(listed[1].campaign.as_ref().unwrap().as_str(), "spring");
    assert_eq!(listed[1].clicks, 0);

    assert_eq!(visit(&created.short_url).await, (302, DESTINATION.to_owned()));
    let stats = me.get_stats(&created.short_code.parse().unwrap()).await.unwrap().into_inner();
    assert_eq!((stats.data.clicks, stats.data.is_active), (1, 1));

    let drawing = QrCodeRequest {
        short_code: code.parse().unwrap(),
        error_correction: Some(QrCodeRequestErrorCorrection::Q),
        margin: Some(2),
        foreground: None,
        background: None,
    };
    assert_eq!(me.enable_qr_code(None, &drawing).await.unwrap().has_qr, 1);
    let with_qr = me.list_qr_codes(None, None, None, None).await.unwrap().into_inner().data;
    assert_eq!(*with_qr[0].short_code, code);
    assert!(with_qr[0].title.is_none());

    let stranger = with_key("terse_unknownunknownunknown1");
    let refused = problem_of(stranger.list_links(None, None, None, None).await).await;
    assert_problem(&refused, 401, "unauthorized");
    let missing = problem_of(me.get_stats(&"unknown".parse().unwrap()).await).await;
    assert_problem(&missing, 404, "link-not-found");
    assert_problem(&problem_of(me.shorten(None, &with_code).await).await, 409, "code-in-use");
    let invalid = problem_of(me.shorten(None, &link_to("https://[")).await).await;
    assert_problem(&invalid, 422, "invalid-input");
    let pointers: Vec<_> = invalid.errors.iter().flat_map(|error| &error.pointer).map(|text| text.as_str()).collect();
    assert_eq!(pointers, ["/url"]);

    let limited = with_key(&env::var("TERSE_LIMITED_KEY").unwrap());
    limited.list_links(None, None, None, None).await.unwrap();
    let throttled = problem_of(limited.list_links(None, None, None, None).await).await;
    assert_problem(&throttled, 429, "rate-limited");
}
