//! Headers in which proxies name clients.

/// The header in which trusted proxies name the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum ClientHeader {
    /// A list of addresses
    #[value(name = "X-Forwarded-For")]
    XForwardedFor,
    /// RFC 7239
    #[value(name = "Forwarded")]
    Forwarded,
}
