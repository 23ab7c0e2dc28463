/// First path segments that the server answers itself, or may: a short code of that name would never
/// be reached.
const RESERVED: &[&str] = &[
    ".well-known",
    "api",
    "docs",
    "favicon.ico",
    "favicon.svg",
    "health",
    "metrics",
    "openapi.json",
    "problems",
    "robots.txt",
];

/// Whether `code` names something of the server's own, in any letter case.
pub(super) fn is_reserved(code: &str) -> bool {
    RESERVED.iter().any(|word| word.eq_ignore_ascii_case(code))
}

#[cfg(test)]
mod tests {
    use super::is_reserved;

    #[test]
    fn any_letter_case_is_reserved() {
        assert!(is_reserved("api"));
        assert!(is_reserved("OpenAPI.json"));
        assert!(is_reserved("METRICS"));
        assert!(!is_reserved("apis"));
        assert!(!is_reserved(""));
    }
}
