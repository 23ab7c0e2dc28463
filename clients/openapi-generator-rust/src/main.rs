//! The scenario of docs/contributing/generated-clients.md with the crate that openapi-generator generates.
//! TERSE_URL is the address of the server, TERSE_KEY an API key, TERSE_LIMITED_KEY one whose owner may send
//! one request per minute.

use std::env;

use serde_json::from_str;
use terse_client::apis::configuration::{ApiKey, Configuration};
use terse_client::apis::links_api::{get_stats, list_links, shorten};
use terse_client::apis::qr_codes_api::{enable_qr_code, list_qr_codes};
use terse_client::apis::Error;
use terse_client::models::qr_code_request::ErrorCorrection;
use terse_client::models::{Problem, QrCodeRequest, ShortenRequest};

const DESTINATION: &str = "https://example.org/spring?utm_source=mail";

/// Returns a client that sends the key as X-API-Key. `bearer_access_token` would send it as a bearer
/// token.
fn with_key(key: &str) -> Configuration {
    Configuration {
        base_path: env::var("TERSE_URL").unwrap(),
        api_key: Some(ApiKey { prefix: None, key: key.to_owned() }),
        ..Configuration::new()
    }
}

/// Returns the problem, which `Error::ResponseError` contains as text.
fn problem_of<T: std::fmt::Debug, E: std::fmt::Debug>(result: Result<T, Error<E>>) -> Problem {
    match result {
        Err(Error::ResponseError(response)) => {
            let problem: Problem = from_str(&response.content).unwrap();
            assert_eq!(problem.status, i32::from(response.status.as_u16()));
            problem
        }
        other => panic!("{other:?}"),
    }
}

fn assert_problem(problem: &Problem, status: i32, code: &str) {
    assert_eq!((problem.status, problem.code.as_str()), (status, code), "{problem:?}");
}

async fn visit(url: &str) -> (u16, String) {
    let visitor = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
    let response = visitor.build().unwrap().get(url).send().await.unwrap();
    let location = response.headers()["location"].to_str().unwrap().to_owned();
    (response.status().as_u16(), location)
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let me = with_key(&env::var("TERSE_KEY").unwrap());
    let request = ShortenRequest {
        title: Some(Some("Spring catalogue".to_owned())),
        campaign: Some(Some("spring".to_owned())),
        ..ShortenRequest::new(DESTINATION.to_owned())
    };
    let created = shorten(&me, request, None).await.unwrap();
    assert_eq!(created.destination_url, DESTINATION);
    assert_eq!(created.short_code.len(), 7);

    let code = format!("rs-{:016x}", rand::random::<u64>());
    let with_code = ShortenRequest {
        custom_code: Some(Some(code.clone())),
        ..ShortenRequest::new(DESTINATION.to_owned())
    };
    let custom = shorten(&me, with_code.clone(), None).await.unwrap();
    assert_eq!(custom.short_url, format!("{}/{code}", me.base_path));

    let listed = list_links(&me, Some(2), None, None, None).await.unwrap().data;
    assert_eq!((&listed[0].short_code, &listed[0].campaign), (&code, &None));
    assert_eq!(listed[1].short_code, created.short_code);
    assert_eq!((listed[1].campaign.as_deref(), listed[1].clicks), (Some("spring"), 0));

    assert_eq!(visit(&created.short_url).await, (302, DESTINATION.to_owned()));
    let stats = get_stats(&me, &created.short_code).await.unwrap().data;
    assert_eq!((stats.clicks, stats.is_active), (1, 1));

    let drawing = QrCodeRequest {
        error_correction: Some(Some(ErrorCorrection::Q)),
        margin: Some(Some(2)),
        ..QrCodeRequest::new(code.clone())
    };
    assert_eq!(enable_qr_code(&me, drawing, None).await.unwrap().has_qr, 1);
    let with_qr = list_qr_codes(&me, None, None, None, None).await.unwrap().data;
    assert_eq!((&with_qr[0].short_code, &with_qr[0].title), (&code, &None));

    let stranger = with_key("terse_unknownunknownunknown1");
    assert_problem(
        &problem_of(list_links(&stranger, None, None, None, None).await),
        401,
        "unauthorized",
    );
    assert_problem(&problem_of(get_stats(&me, "unknown").await), 404, "link-not-found");
    assert_problem(&problem_of(shorten(&me, with_code, None).await), 409, "code-in-use");
    let bad = ShortenRequest::new("example.org".to_owned());
    let invalid = problem_of(shorten(&me, bad, None).await);
    assert_problem(&invalid, 422, "invalid-input");
    let pointers: Vec<_> = invalid.errors.unwrap().into_iter().filter_map(|error| error.pointer).collect();
    assert_eq!(pointers, ["/url"]);

    let limited = with_key(&env::var("TERSE_LIMITED_KEY").unwrap());
    list_links(&limited, None, None, None, None).await.unwrap();
    let throttled = problem_of(list_links(&limited, None, None, None, None).await);
    assert_problem(&throttled, 429, "rate-limited");
}
