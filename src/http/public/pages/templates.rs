//! The templates of pages, the built-in ones and those of the operator, and the
//! Content-Security-Policy of what they render.

use std::collections::BTreeMap;
use std::error::Error as _;
use std::ffi::OsStr;
use std::fmt::{Display, Write as _};
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use minijinja::{
    AutoEscape, Environment, Error, ErrorKind, Output, State, UndefinedBehavior, Value,
    escape_formatter,
};
use poem::http::HeaderValue;
use poem::http::header::InvalidHeaderValue;
use sha2::{Digest as _, Sha256};

const BUILT_IN: [(&str, &str); 7] = [
    ("layout.html", include_str!("layout.html")),
    ("home.html", include_str!("home.html")),
    ("404.html", include_str!("404.html")),
    ("410.html", include_str!("410.html")),
    ("451.html", include_str!("451.html")),
    ("message.html", include_str!("message.html")),
    ("problem.html", include_str!("problem.html")),
];

/// The pages that an operator can replace, with the variables that these pages have besides
/// [`COMMON`].
const REPLACEABLE: [(&str, &[&str]); 4] = [
    ("home.html", &[]),
    ("404.html", &["is_qr_code"]),
    ("410.html", &["advice", "advice_title", "reason", "state"]),
    ("451.html", &["reason", "state"]),
];

/// The variables that every page has.
const COMMON: [&str; 9] = [
    "base_url",
    "contact",
    "contact_url",
    "has_console",
    "is_domain",
    "message",
    "status",
    "status_text",
    "title",
];

/// Error of a template, as text for the operator.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct PagesError(String);

impl PagesError {
    /// Creates the error of a template of the operator. `line` is counted from 1, if it is known.
    fn own(path: &Path, line: Option<usize>, reason: impl Display) -> Self {
        let (path, line) = (path.display(), line.map(|line| format!(", line {line}")));
        Self(format!("--pages: {path}{}: {reason}", line.unwrap_or_default()))
    }

    /// Creates the error of a built-in template, which is a bug.
    pub(super) fn built_in(name: &str, reason: impl Display) -> Self {
        Self(format!("built-in page {name}: {reason}"))
    }
}

/// All templates, built-in ones and the operator's.
pub(super) struct Templates {
    built_in: Environment<'static>,
    own: Option<OwnTemplates>,
}

struct OwnTemplates {
    directory: PathBuf,
    environment: Environment<'static>,
}

impl Templates {
    /// Compiles the built-in templates, and those in the operator's directory if it is set.
    pub(super) fn load(directory: Option<&Path>) -> Result<Self, PagesError> {
        let mut built_in = environment();
        for (name, source) in BUILT_IN {
            built_in.add_template(name, source).map_err(|error| built_in_error(&error))?;
        }
        let own = directory.map(OwnTemplates::load).transpose()?;
        Ok(Self { built_in, own })
    }

    /// Returns whether the operator has templates.
    pub(super) const fn has_own(&self) -> bool {
        self.own.is_some()
    }

    /// Logs the names of the operator's templates.
    pub(super) fn log(&self) {
        if let Some(OwnTemplates { directory, environment }) = &self.own {
            let mut names: Vec<&str> = environment.templates().map(|(name, _)| name).collect();
            names.sort_unstable();
            let (directory, templates) = (directory.display(), names.join(" "));
            tracing::info!(%directory, templates, "pages loaded");
        }
    }

    /// Renders a page with the operator's template or, if there is none, the built-in one.
    pub(super) fn render(
        &self,
        name: &str,
        variables: Value,
    ) -> Result<(String, Author), PagesError> {
        if let Some(own) = &self.own
            && let Ok(template) = own.environment.get_template(name)
        {
            let page = template.render(variables).map_err(|error| own.error(&error))?;
            return Ok((page, Author::Operator));
        }
        let template = self.built_in.get_template(name);
        let page = template.and_then(|template| template.render(variables));
        Ok((page.map_err(|error| built_in_error(&error))?, Author::Terse))
    }
}

impl OwnTemplates {
    fn load(directory: &Path) -> Result<Self, PagesError> {
        let mut environment = environment();
        let sources = read(directory)?;
        for (name, source) in &sources {
            let added = environment.add_template_owned(name.clone(), source.clone());
            added.map_err(|error| template_error(directory, &error))?;
        }
        let own = Self { directory: directory.to_owned(), environment };
        for (name, source) in &sources {
            own.check(name, source, &sources)?;
        }
        Ok(own)
    }

    /// Checks a template of the operator. If it replaces a page, it may use only the variables of
    /// that page, even in parts that are not rendered. Otherwise another template must use it.
    fn check(
        &self,
        name: &str,
        source: &str,
        sources: &BTreeMap<String, String>,
    ) -> Result<(), PagesError> {
        let error = |line, reason| Err(PagesError::own(&self.directory.join(name), line, reason));
        let Some((_, variables)) = REPLACEABLE.iter().find(|(page, _)| *page == name) else {
            let is_used = sources.iter().any(|(other, source)| {
                other != name
                    && [format!("\"{name}\""), format!("'{name}'")]
                        .iter()
                        .any(|quoted| source.contains(quoted))
            });
            let pages = REPLACEABLE.map(|(page, _)| page).join(", ");
            return if is_used {
                Ok(())
            } else {
                error(None, format!("no page uses it; the pages are {pages}"))
            };
        };
        let mut known: Vec<&str> = COMMON.iter().chain(*variables).copied().collect();
        known.sort_unstable();
        let globals: Vec<&str> = self.environment.globals().map(|(global, _)| global).collect();
        let Ok(template) = self.environment.get_template(name) else { return Ok(()) };
        let mut unknown: Vec<String> = template.undeclared_variables(false).into_iter().collect();
        unknown.retain(|name| !known.contains(&name.as_str()) && !globals.contains(&name.as_str()));
        // The error names the first unknown variable in the file, by the line of its first mention.
        unknown.sort_by_key(|name| line_of(source, name));
        match unknown.first() {
            None => Ok(()),
            Some(unknown) => {
                let known = known.join(", ");
                let reason = format!("unknown variable {unknown}; the variables are {known}");
                error(line_of(source, unknown), reason)
            }
        }
    }

    fn error(&self, error: &Error) -> PagesError {
        template_error(&self.directory, error)
    }
}

/// Reads the templates in a directory, by file name.
fn read(directory: &Path) -> Result<BTreeMap<String, String>, PagesError> {
    let failed = |path: &Path| {
        let path = path.display().to_string();
        move |error| PagesError(format!("--pages: cannot read {path}: {error}"))
    };
    let mut sources = BTreeMap::new();
    for entry in std::fs::read_dir(directory).map_err(failed(directory))? {
        let path = entry.map_err(failed(directory))?.path();
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        // Editors and file systems keep other files in the directory.
        if name.starts_with('.') || path.extension() != Some(OsStr::new("html")) {
            continue;
        }
        let source = std::fs::read_to_string(&path).map_err(failed(&path))?;
        // A browser converts the line ends before it hashes a style sheet, so the server must do
        // the same.
        let source =
            source.trim_start_matches('\u{feff}').replace("\r\n", "\n").replace('\r', "\n");
        sources.insert(name.to_owned(), source);
    }
    Ok(sources)
}

/// Returns a template environment in which an unknown variable is an error.
fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    // All templates are HTML, whatever their names.
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.set_formatter(format_value);
    environment
}

/// Writes a value, escaped for HTML. Unlike the default formatter, it does not escape slashes, so
/// that URLs stay readable, and it writes nothing for `none`.
fn format_value(out: &mut Output, state: &mut State, value: &Value) -> Result<(), Error> {
    if value.is_none() {
        return Ok(());
    }
    match (state.auto_escape(), value.as_str()) {
        (AutoEscape::Html, Some(text)) if !value.is_safe() => {
            for letter in text.chars() {
                match letter {
                    '&' => out.write_str("&amp;")?,
                    '<' => out.write_str("&lt;")?,
                    '>' => out.write_str("&gt;")?,
                    '"' => out.write_str("&quot;")?,
                    '\'' => out.write_str("&#39;")?,
                    _ => out.write_char(letter)?,
                }
            }
            Ok(())
        }
        _ => escape_formatter(out, state, value),
    }
}

fn built_in_error(error: &Error) -> PagesError {
    PagesError::built_in(error.name().unwrap_or_default(), error)
}

/// Converts an error of the operator's templates. If templates include each other, it names the
/// innermost one.
fn template_error(directory: &Path, error: &Error) -> PagesError {
    let mut innermost = error;
    while let Some(source) = innermost.source().and_then(|source| source.downcast_ref::<Error>()) {
        innermost = source;
    }
    let path = innermost.name().map_or_else(|| directory.to_owned(), |name| directory.join(name));
    let reason = match (innermost.kind(), innermost.detail()) {
        (ErrorKind::UndefinedError, _) => "a variable or attribute is unknown".to_owned(),
        (kind, None) => kind.to_string(),
        (ErrorKind::SyntaxError, Some(detail)) => format!("syntax error: {detail}"),
        (_, Some(detail)) => detail.to_owned(),
    };
    PagesError::own(&path, innermost.line(), reason)
}

/// Returns the number of the first line that mentions a name, counted from 1, or `None` if no line
/// does.
fn line_of(source: &str, name: &str) -> Option<usize> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mentions = |line: &str| line.split(|letter| !is_part(letter)).any(|word| word == name);
    source.lines().position(mentions).map(|index| index + 1)
}

/// Author of a page: Terse or the operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Author {
    Terse,
    Operator,
}

/// Returns the policy of a page. It allows the page's `<style>` elements by their SHA-256 hashes,
/// and images from the service.
pub(super) fn policy(page: &str, author: Author) -> Result<HeaderValue, InvalidHeaderValue> {
    let mut hashes = String::new();
    for style in styles(page) {
        let hash = BASE64_STANDARD.encode(Sha256::digest(style));
        let _ = write!(hashes, " 'sha256-{hash}'");
    }
    if hashes.is_empty() {
        hashes.push_str(" 'none'");
    }
    let files = match author {
        Author::Terse => "img-src 'self'",
        Author::Operator => "img-src 'self' data:; font-src 'self' data:",
    };
    HeaderValue::from_maybe_shared(format!(
        "default-src 'none'; style-src{hashes}; {files}; base-uri 'none'; form-action 'none'; \
         frame-ancestors 'none'"
    ))
}

/// Finds the contents of the `<style>` elements of a page. The browser ignores the hash of a text that
/// is not a style sheet, such as one in a comment.
fn styles(page: &str) -> Vec<&str> {
    let lower = page.to_ascii_lowercase();
    let style = |(at, _): (usize, &str)| {
        let start = at + lower[at..].find('>')? + 1;
        let end = lower[start..].find("</style").map_or(page.len(), |length| start + length);
        page.get(start..end)
    };
    lower.match_indices("<style").filter_map(style).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn style_sheets_are_allowed_by_their_hashes() {
        let of = |page| policy(page, Author::Operator).unwrap().to_str().unwrap().to_owned();
        let empty = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='";
        let abc = "'sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='";
        assert!(of("<p>").contains("; style-src 'none'; "));
        assert!(of("<style></style>").contains(&format!("; style-src {empty}; ")));
        let two = "<STYLE media=all>abc</STYLE ><style></style>";
        assert!(of(two).contains(&format!("; style-src {abc} {empty}; ")));
        assert!(of("ß<style>abc").contains(abc));
    }
}
