//! The floor: a bare poem handler that answers the same redirect from a map and counts nothing.

use std::collections::HashMap;
use std::sync::Arc;

use poem::http::{StatusCode, header};
use poem::listener::TcpListener;
use poem::web::{Data, Path};
use poem::{EndpointExt, Response, Route, Server, get, handler};

use crate::Error;

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

/// Serves until it is killed. Arguments: the address, and a file with a code a line.
pub(crate) fn serve(arguments: &[String]) -> Result<(), Error> {
    let [address, file] = arguments else { return Err("floor ADDRESS FILE".into()) };
    let codes = std::fs::read_to_string(file)?;
    let links: Links = Arc::new(
        codes.lines().map(|code| (code.to_owned(), crate::server::destination(code))).collect(),
    );
    let app = Route::new().at("/:code", get(redirect)).data(links);
    tokio::runtime::Runtime::new()?
        .block_on(Server::new(TcpListener::bind(address.clone())).run(app))?;
    Ok(())
}
