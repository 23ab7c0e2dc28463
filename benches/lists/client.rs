//! Requests for pages of links.

use std::net::SocketAddr;

use serde_json::Value;

use bench_common::{Result, metrics};

const PATH: &str = "/api/manage/v1/links";
/// Maximum number of links per page.
pub(crate) const MAX_LIMIT: usize = 1_000;

/// A client with a key.
pub(crate) struct Client {
    pub(crate) address: SocketAddr,
    pub(crate) key: String,
}

/// A page of links.
pub(crate) struct Page {
    /// Codes in the order of the page.
    pub(crate) codes: Vec<String>,
    /// Query of the next page, if there is one.
    pub(crate) next: Option<String>,
}

impl Client {
    /// Reads a page of the links that a query selects.
    pub(crate) fn page(&self, query: &str) -> Result<Page> {
        let separator = if query.is_empty() { "" } else { "&" };
        let query = match query.contains("limit=") {
            true => query.to_owned(),
            false => format!("{query}{separator}limit={MAX_LIMIT}"),
        };
        let headers = format!("X-API-Key: {}\r\n", self.key);
        let response = metrics::get_with(self.address, &format!("{PATH}?{query}"), &headers)?;
        let (head, body) = response.split_once("\r\n\r\n").ok_or("the response has no body")?;
        if !head.starts_with("HTTP/1.1 200 ") {
            return Err(format!("{query}: {response}").into());
        }
        let lines = head.lines().filter_map(|line| line.split_once(": "));
        let mut links = lines.filter(|(name, _)| name.eq_ignore_ascii_case("link"));
        let next = links.next().and_then(|(_, link)| {
            let (_, rest) = link.split_once('?')?;
            Some(rest.split_once('>')?.0.to_owned())
        });
        let body: Value = serde_json::from_str(body)?;
        let links = body["data"].as_array().ok_or("the response is no list")?;
        let code = |link: &Value| link["short_code"].as_str().unwrap_or_default().to_owned();
        Ok(Page { codes: links.iter().map(code).collect(), next })
    }
}
