//! The consoles of owners and of the operator: applications of the browser, which use the interfaces as any
//! program does. `scripts/console` builds their files from `clients/console`.

use poem::Request;
use poem::Response;
use poem::http::{HeaderValue, header};

use super::file::{File, SCRIPT, STYLE_SHEET};
use super::pages::Pages;

const OWNER_PAGE: &str = include_str!("console/owner.html");
const OWNER_SCRIPT: &[u8] = include_bytes!("console/owner.js.gz");
const OPERATOR_PAGE: &str = include_str!("console/operator.html");
const OPERATOR_SCRIPT: &[u8] = include_bytes!("console/operator.js.gz");
const STYLE_FILE: &[u8] = include_bytes!("console/style.css.gz");

/// Content-Security-Policy of both consoles. Their own files are all that they need.
const POLICY: &str =
    "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// Value of `Cache-Control` for files whose names contain a hash of their content.
const FOREVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

/// The files of a console: the page, which has the address of every screen, and what it loads.
#[derive(Debug)]
pub struct Console {
    page: File,
    /// Files by their path below that of the console.
    files: [(String, File); 2],
}

impl Console {
    /// Creates the files of the owner's console.
    #[must_use]
    pub fn owner() -> Self {
        Self::new(OWNER_PAGE, "owner.js", OWNER_SCRIPT)
    }

    /// Creates the files of the operator's console.
    #[must_use]
    pub fn operator() -> Self {
        Self::new(OPERATOR_PAGE, "operator.js", OPERATOR_SCRIPT)
    }

    fn new(page: &str, script_name: &str, script: &'static [u8]) -> Self {
        let mut page = page.to_owned();
        let mut file = |name: &str, content_type, gzip| {
            let file = File::from_gzip(content_type, gzip);
            let path = format!("/files/{}-{name}", file.hash());
            page = page.replace(&format!("\"{name}\""), &format!("\"/console{path}\""));
            (path, file)
        };
        let files = [file(script_name, SCRIPT, script), file("style.css", STYLE_SHEET, STYLE_FILE)];
        Self { page: File::page(POLICY, page), files }
    }

    /// Responds to a request for a path below that of the console.
    pub(in crate::http) fn respond(
        &self,
        path: &str,
        pages: &Pages,
        request: &Request,
    ) -> Response {
        if !path.starts_with("/files/") {
            let mut response = self.page.respond(request);
            let referrer = HeaderValue::from_static("no-referrer");
            response.headers_mut().insert(header::REFERRER_POLICY, referrer);
            return response;
        }
        let Some((_, file)) = self.files.iter().find(|(known, _)| known == path) else {
            return pages.no_link();
        };
        let mut response = file.respond(request);
        response.headers_mut().insert(header::CACHE_CONTROL, FOREVER);
        response
    }
}
