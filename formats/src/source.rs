//! Services whose files an import reads.

/// Service that a file comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the variants are named as the services")]
pub enum Source {
    /// Terse's own files.
    Terse,
    /// A service that Terse does not know, with the code in a column that the user named.
    Other,
    Shlink,
    Yourls,
    Kutt,
    Bitly,
    Dub,
    ShortIo,
    Rebrandly,
    TinyUrl,
    Chhoto,
    Spoo,
    Polr,
    Sink,
}
