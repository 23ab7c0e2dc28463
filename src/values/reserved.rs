//! Reserved short codes.

/// The code of the console's path. Links may have it from before it was reserved.
pub const CONSOLE_CODE: &str = "console";

/// First path segments of the server's own current and future routes. A link with such a code would
/// be unreachable.
const RESERVED: &[&str] = &[
    ".well-known",
    "api",
    CONSOLE_CODE,
    "docs",
    "favicon.ico",
    "favicon.svg",
    "health",
    "metrics",
    "openapi.json",
    "problems",
    "robots.txt",
];

/// Returns whether `code` is reserved, in any letter case.
pub(super) fn is_reserved(code: &str) -> bool {
    RESERVED.iter().any(|word| word.eq_ignore_ascii_case(code))
}

#[cfg(test)]
mod tests {
    use super::is_reserved;

    #[test]
    fn reserved_words_match_in_any_letter_case() {
        assert!(is_reserved("api"));
        assert!(is_reserved("OpenAPI.json"));
        assert!(is_reserved("METRICS"));
        assert!(!is_reserved("apis"));
        assert!(!is_reserved(""));
    }
}
