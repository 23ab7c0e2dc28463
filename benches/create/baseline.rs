//! The baseline: a poem-openapi handler that parses and validates the same JSON, returns the same
//! response, and stores nothing.

use poem::listener::TcpListener;
use poem::{Route, Server};
use poem_openapi::payload::Json;
use poem_openapi::{ApiResponse, Object, OpenApi, OpenApiService};
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;
use terse::{Destination, ShortCode};

use bench_common::Result;

struct Api {
    base_url: String,
}

#[derive(Object)]
struct CreateLink {
    #[oai(validator(min_length = 8, max_length = 8192))]
    url: String,
    #[oai(validator(max_length = 255))]
    title: Option<String>,
    #[oai(validator(max_length = 100))]
    campaign: Option<String>,
    #[oai(validator(min_length = 3, max_length = 64))]
    custom_code: Option<String>,
}

#[derive(Object)]
struct Link {
    short_code: String,
    short_url: String,
    destination_url: String,
}

#[derive(ApiResponse)]
enum CreateLinkResponse {
    #[oai(status = 201)]
    Created(Json<Link>, #[oai(header = "Location")] String),
    #[oai(status = 422)]
    Invalid,
}

#[OpenApi(prefix_path = "/api/v1")]
impl Api {
    #[oai(path = "/shorten", method = "post")]
    async fn shorten(&self, request: Json<CreateLink>) -> CreateLinkResponse {
        let CreateLink { url, title: _, campaign: _, custom_code } = request.0;
        let Ok(destination) = Destination::parse(&url) else { return CreateLinkResponse::Invalid };
        let code = match custom_code {
            Some(code) => code,
            None => ShortCode::generate(&mut UnwrapErr(SysRng)).to_string(),
        };
        let link = Link {
            short_url: format!("{}/{code}", self.base_url),
            short_code: code,
            destination_url: destination.as_str().to_owned(),
        };
        let location = format!("{}/api/v1/stats/{}", self.base_url, link.short_code);
        CreateLinkResponse::Created(Json(link), location)
    }
}

/// Serves until it is killed. The argument is the address.
pub(crate) fn serve(arguments: &[String]) -> Result<()> {
    let [address] = arguments else { return Err("baseline ADDRESS".into()) };
    let api = Api { base_url: format!("http://{address}") };
    let app = Route::new().nest("/", OpenApiService::new(api, "baseline", "1"));
    tokio::runtime::Runtime::new()?
        .block_on(Server::new(TcpListener::bind(address.clone())).run(app))?;
    Ok(())
}
