//! Swagger UI, served without requests to other hosts.
//!
//! `scripts/swagger-ui` updates its files.

use super::file::File;
use crate::http::route::DocsFile;

/// Content-Security-Policy that allows only the server's own files, and the inline icons of the
/// style sheet.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
                      img-src 'self' data:; connect-src 'self'; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";

const INDEX: &str = include_str!("docs/index.html");
const OPERATOR_INDEX: &str = include_str!("docs/operator.html");
const START: &str = include_str!("docs/start.js");
const PAGE_STYLE: &str = include_str!("docs/page.css");
const STYLE: &[u8] = include_bytes!("docs/swagger-ui.css.gz");
const BUNDLE: &[u8] = include_bytes!("docs/swagger-ui-bundle.js.gz");

const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE_SHEET: &str = "text/css; charset=utf-8";

/// The files of Swagger UI.
#[derive(Debug)]
pub struct Docs {
    index: File,
    operator_index: File,
    style: File,
    page_style: File,
    bundle: File,
    start: File,
}

impl Docs {
    /// Creates the files.
    #[must_use]
    pub fn new() -> Self {
        Self {
            index: File::page(POLICY, INDEX),
            operator_index: File::page(POLICY, OPERATOR_INDEX),
            style: File::from_gzip(STYLE_SHEET, STYLE),
            page_style: File::new(STYLE_SHEET, PAGE_STYLE),
            bundle: File::from_gzip(SCRIPT, BUNDLE),
            start: File::new(SCRIPT, START),
        }
    }

    pub(super) fn file(&self, file: DocsFile) -> &File {
        match file {
            DocsFile::Index => &self.index,
            DocsFile::OperatorIndex => &self.operator_index,
            DocsFile::Style => &self.style,
            DocsFile::PageStyle => &self.page_style,
            DocsFile::Bundle => &self.bundle,
            DocsFile::Start => &self.start,
        }
    }
}
