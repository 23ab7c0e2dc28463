//! The Content-Security-Policy of a page, and the check for content that it would block.

use std::borrow::Cow;
use std::fmt::Write as _;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use html5gum::{DefaultEmitter, HtmlString, StartTag, Token, Tokenizer};
use poem::http::HeaderValue;
use sha2::{Digest as _, Sha256};

use crate::values::BaseUrl;

/// Elements that load or run something, or that do not work under the policy.
const BLOCKED_ELEMENTS: &[&str] = &[
    "applet", "audio", "base", "embed", "form", "frame", "frameset", "iframe", "object", "script",
    "video",
];

/// Values of `rel` by which a `<link>` loads something other than an icon.
const LOADING_RELATIONS: &[&str] = &[
    "dns-prefetch",
    "manifest",
    "modulepreload",
    "preconnect",
    "prefetch",
    "preload",
    "stylesheet",
];

/// Attributes that load an image.
const IMAGE_ATTRIBUTES: &[&str] = &["background", "poster", "src", "srcset"];

/// Author of a page: Terse or the operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Author {
    Terse,
    Operator,
}

/// Returns the policy of a page. It allows the page's `<style>` elements by their SHA-256 hashes,
/// and images from the service.
///
/// # Errors
/// If the page has content that the policy would block. The error names the content.
pub(super) fn policy(
    page: &str,
    author: Author,
    base_url: &BaseUrl,
) -> Result<HeaderValue, String> {
    let mut hashes = String::new();
    for style in inspect(page, base_url)? {
        let hash = BASE64_STANDARD.encode(Sha256::digest(&style));
        let _ = write!(hashes, " 'sha256-{hash}'");
    }
    if hashes.is_empty() {
        hashes.push_str(" 'none'");
    }
    let files = match author {
        Author::Terse => "img-src 'self'",
        Author::Operator => "img-src 'self' data:; font-src 'self' data:",
    };
    let policy = format!(
        "default-src 'none'; style-src{hashes}; {files}; base-uri 'none'; form-action 'none'; \
         frame-ancestors 'none'"
    );
    HeaderValue::from_str(&policy).map_err(|error| error.to_string())
}

/// Returns the contents of the `<style>` elements of a page. Fails if the page contains anything
/// that the policy would block.
fn inspect(page: &str, base_url: &BaseUrl) -> Result<Vec<Vec<u8>>, String> {
    let mut emitter = DefaultEmitter::default();
    // The tokenizer must not look for tags in a style sheet.
    emitter.naively_switch_states(true);
    let mut styles = Vec::new();
    let mut is_in_style = false;
    for Ok(token) in Tokenizer::new_with_emitter(page, emitter) {
        match token {
            Token::StartTag(tag) => {
                is_in_style = &**tag.name == b"style";
                if is_in_style {
                    styles.push(Vec::new());
                }
                check_tag(&tag, base_url)?;
            }
            Token::EndTag(_) => is_in_style = false,
            Token::String(text) => {
                if let Some(style) = styles.last_mut().filter(|_| is_in_style) {
                    style.extend_from_slice(&text);
                }
            }
            Token::Comment(_) | Token::Doctype(_) | Token::Error(_) => {}
        }
    }
    for style in &styles {
        check_style(&String::from_utf8_lossy(style), base_url)?;
    }
    Ok(styles)
}

fn check_tag(tag: &StartTag<()>, base_url: &BaseUrl) -> Result<(), String> {
    let name = text(&tag.name);
    if BLOCKED_ELEMENTS.contains(&&*name) {
        return Err(format!("<{name}> is not allowed"));
    }
    for (attribute, value) in &tag.attributes {
        let (attribute, value) = (text(attribute), text(value));
        let trimmed = value.trim();
        if attribute.starts_with("on") {
            return Err(format!("the event handler {attribute} of <{name}> is not allowed"));
        }
        if attribute == "style" {
            return Err(format!(
                "the attribute style of <{name}> is not allowed; a <style> element is"
            ));
        }
        if trimmed.get(..11).is_some_and(|start| start.eq_ignore_ascii_case("javascript:")) {
            return Err(format!("a javascript: URL of <{name}> is not allowed"));
        }
        let is_icon = name == "link" && attribute == "href" && relations(tag).contains("icon");
        let is_image = IMAGE_ATTRIBUTES.contains(&&*attribute)
            || is_icon
            || (name == "image" && attribute.ends_with("href"));
        if is_image {
            // A `srcset` attribute lists several URLs, each with a descriptor.
            let urls = match &*attribute {
                "srcset" if !trimmed.contains("data:") => trimmed.split(',').collect(),
                _ => vec![trimmed],
            };
            for url in urls.iter().filter_map(|url| url.split_whitespace().next()) {
                check_url(url, base_url)?;
            }
        }
    }
    if name == "link" {
        let relations = relations(tag).to_ascii_lowercase();
        let loading = relations.split_whitespace().find(|rel| LOADING_RELATIONS.contains(rel));
        if let Some(relation) = loading {
            return Err(format!("<link rel=\"{relation}\"> is not allowed; <style> elements are"));
        }
    }
    Ok(())
}

fn relations(tag: &StartTag<()>) -> String {
    let value = tag.attributes.get(&HtmlString(b"rel".to_vec()));
    value.map_or_else(String::new, |value| text(value).into_owned())
}

/// Checks that a style sheet loads only files that the policy allows.
fn check_style(style: &str, base_url: &BaseUrl) -> Result<(), String> {
    let style = style.to_ascii_lowercase();
    if style.contains("@import") {
        return Err("@import in <style> is not allowed".to_owned());
    }
    for (_, rest) in style.match_indices("url(").map(|(at, open)| style.split_at(at + open.len())) {
        let url = rest.trim_start().trim_start_matches(['"', '\'']);
        let end = url.find(['"', '\'', ')']).unwrap_or(url.len());
        if !url.starts_with('#') {
            check_url(&url[..end], base_url)?;
        }
    }
    Ok(())
}

/// Checks that the URL of a file is a `data:` URL, or a path on the service's host.
fn check_url(url: &str, base_url: &BaseUrl) -> Result<(), String> {
    let own = url.strip_prefix(base_url.as_str()).unwrap_or(url);
    let is_path = own.starts_with('/') && !own.starts_with("//") && !own.starts_with("/\\");
    if is_path || url.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("data:")) {
        return Ok(());
    }
    let shown: String = url.chars().take(100).collect();
    Err(format!("the file {shown} is not allowed; use a data: URL, or a path that begins with /"))
}

fn text(string: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(string)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(page: &str) -> Result<String, String> {
        let base_url = BaseUrl::parse("https://go.example.org").unwrap();
        policy(page, Author::Operator, &base_url).map(|policy| policy.to_str().unwrap().to_owned())
    }

    #[test]
    fn style_sheets_are_allowed_by_their_hashes() {
        let empty = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='";
        let abc = "'sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='";
        assert!(of("<p>").unwrap().contains("; style-src 'none'; "));
        assert!(of("<style></style>").unwrap().contains(&format!("; style-src {empty}; ")));
        let two = "<STYLE media=all>abc</STYLE ><!-- <style>x</style> --><style></style>";
        assert!(of(two).unwrap().contains(&format!("; style-src {abc} {empty}; ")));
    }

    #[test]
    fn resource_that_the_policy_blocks_is_an_error() {
        for page in [
            "<script>x()</script>",
            "<SCRIPT src=/x.js></SCRIPT>",
            "<p onclick=\"x()\">",
            "<p STYLE=color:red>",
            "<a href=\" JavaScript:x()\">",
            "<iframe src=/x></iframe>",
            "<form action=/x></form>",
            "<link rel=stylesheet href=/x.css>",
            "<link rel=icon href=https://example.org/x.png>",
            "<img src=https://example.org/x.png>",
            "<img src=//example.org/x.png>",
            "<img src=https://go.example.org.evil.example/x.png>",
            "<img src=x.png>",
            "<img srcset='/x.png 1x, https://example.org/y.png 2x'>",
            "<svg><image xlink:href=https://example.org/x.png></svg>",
            "<style>@import '/x.css';</style>",
            "<style>p { background: url( \"https://example.org/x.png\") }</style>",
        ] {
            assert!(of(page).is_err(), "{page}");
        }
    }

    #[test]
    fn files_of_the_service_and_links_elsewhere_are_allowed() {
        for page in [
            "<a href=https://example.org/ rel=nofollow>on this page</a>",
            "<link rel=icon href=/favicon.ico><link rel=canonical href=https://example.org/>",
            "<img src=/logo.svg><img src=https://go.example.org/logo.svg>",
            "<img src='data:image/png;base64,AAAA' alt=''>",
            "<img srcset='/x.png 1x, /y.png 2x'>",
            "<style>p { background: url(/x.png); mask: url('#m') }</style>",
            "<style>@font-face { src: url(data:font/woff2;base64,AAAA) }</style>",
            "<style>p::before { content: \"<script>\" }</style>",
            "<!-- <script>x()</script> --><p>&lt;script&gt;</p>",
        ] {
            assert_eq!(of(page).err(), None, "{page}");
        }
    }
}
