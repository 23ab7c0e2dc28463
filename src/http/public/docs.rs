//! Swagger UI, served without requests to other hosts.
//!
//! poem-openapi provides one page with an inline script and style sheet. Terse splits the page into
//! files, so that it can send a strict Content-Security-Policy.

use poem_openapi::OpenApiService;

use super::file::File;
use crate::http::route::DocsFile;

/// Content-Security-Policy that allows only the server's own files, and the inline icons of the
/// style sheet.
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
    /// Creates the files from poem-openapi's page.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn framework_page_has_the_expected_parts() {
        let docs = Docs::new();
        assert!(docs.style.text().contains(".swagger-ui"));
        let bundle = docs.bundle.text();
        assert!(bundle.contains("SwaggerUIBundle") && bundle.len() > 1_000_000);
    }
}
