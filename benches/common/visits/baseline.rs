//! The baseline: a poem handler that returns the same redirect from a map and counts nothing.

use std::collections::HashMap;
use std::sync::Arc;

use poem::http::{StatusCode, header};
use poem::listener::TcpListener;
use poem::web::{Data, Path};
use poem::{EndpointExt, Response, Route, Server, get, handler};

use super::traffic::{code, destination};
use crate::Result;

type Links = Arc<HashMap<String, String>>;

#[handler]
fn redirect(Path(code): Path<String>, links: Data<&Links>) -> Response {
    match links.get(&code) {
        Some(destination) => Response::builder()
            .status(StatusCode::FOUND)
            .header(header::LOCATION, destination)
            .header(header::CACHE_CONTROL, "private, no-store")
            .finish(),
        None => StatusCode::NOT_FOUND.into(),
    }
}

/// Serves until it is killed. The arguments are the address and the number of links.
pub fn serve(arguments: &[String]) -> Result<()> {
    let [address, links] = arguments else { return Err("baseline ADDRESS LINKS".into()) };
    let codes = (0..links.parse()?).map(code);
    let links: Links = Arc::new(codes.map(|code| (code.clone(), destination(&code))).collect());
    let app = Route::new().at("/:code", get(redirect)).data(links);
    tokio::runtime::Runtime::new()?
        .block_on(Server::new(TcpListener::bind(address.clone())).run(app))?;
    Ok(())
}
