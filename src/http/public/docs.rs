//! Swagger UI, which asks no other host for anything.
//!
//! poem-openapi brings the program and its style sheet in one page with everything inline. Here they
//! are served as files of their own, so that a strict Content-Security-Policy holds, from a page
//! that has a title and an icon. They are made when they are first asked for.

use poem_openapi::OpenApiService;

use super::file::File;
use crate::http::route::DocsFile;

/// Scripts and styles are files of this server's and nothing else; the style sheet has its icons
/// inside.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
                      img-src 'self' data:; connect-src 'self'; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";

const INDEX: &str = include_str!("docs/index.html");
const START: &str = include_str!("docs/start.js");
const STYLE: &str = include_str!("docs/page.css");

const SCRIPT: &str = "text/javascript; charset=utf-8";

/// The files of Swagger UI.
#[derive(Debug)]
pub struct Docs {
    index: File,
    style: File,
    bundle: File,
    start: File,
}

impl Docs {
    /// Takes the framework's page apart.
    #[must_use]
    pub fn new() -> Self {
        let page = OpenApiService::new((), "", "").swagger_ui_html();
        let between = |open: &str, close: &str| {
            let inner = page.split_once(open).and_then(|(_, rest)| rest.split_once(close));
            inner.map_or("", |(inner, _)| inner)
        };
        let style = between("<style charset=\"UTF-8\">", "</style>\n");
        let bundle = between("<script charset=\"UTF-8\">", "</script>\n</head>");
        Self {
            index: File::page(POLICY, INDEX),
            style: File::new("text/css; charset=utf-8", format!("{style}\n{STYLE}")),
            bundle: File::new(SCRIPT, bundle.to_owned()),
            start: File::new(SCRIPT, START),
        }
    }

    pub(super) fn file(&self, file: DocsFile) -> &File {
        match file {
            DocsFile::Index => &self.index,
            DocsFile::Style => &self.style,
            DocsFile::Bundle => &self.bundle,
            DocsFile::Start => &self.start,
        }
    }
}

impl Default for Docs {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_frameworks_page_has_what_is_taken_from_it() {
        let docs = Docs::new();
        assert!(docs.style.text().contains(".swagger-ui"));
        let bundle = docs.bundle.text();
        assert!(bundle.contains("SwaggerUIBundle") && bundle.len() > 1_000_000);
    }
}
