//! Validated value types. Their constructors check every rule, so a value of such a type is valid.
//!
//! This module depends on no other module of Terse.

mod base_url;
mod block_pattern;
mod clients;
mod code_candidates;
mod contact;
mod day;
mod destination;
mod host;
mod idempotency_key;
mod keys;
mod label;
mod listen_address;
mod location;
mod permissions;
mod qr;
mod rate;
mod reason;
mod reserved;
mod short_code;
mod timestamp;
mod validation;
mod visible;
mod webhook;

pub use base_url::{BaseUrl, ServiceUrls};
pub use block_pattern::{BlockListLine, BlockPattern, NormalisedDestination};
pub use clients::{ClientHeader, TrustedProxies, TrustedProxy, client_network};
pub use code_candidates::{MAX_CANDIDATES, code_candidates};
pub use contact::Contact;
pub use day::{Day, Month, TimeOfDay};
pub use destination::Destination;
pub use host::{DomainHost, is_ip_or_localhost, parse_host, parse_url_or_host, split_authority};
pub use idempotency_key::IdempotencyKey;
pub use keys::{ApiKey, KeyHash, OperatorKey};
pub use label::{ActorName, Campaign, CaseId, ExternalId, KeyLabel, Name, Note, Title};
pub use listen_address::{ListenAddress, is_private};
pub use location::with_query;
pub use permissions::{KeyScope, OperatorPermission, OperatorRole, Permission};
pub use qr::{Colour, ErrorCorrection, Margin};
pub use rate::{Rate, RateLimit, RequestCount, RequestLimit};
pub use reason::Reason;
pub use reserved::CONSOLE_CODE;
use reserved::is_reserved;
pub use short_code::{CustomCodeError, ShortCode};
pub use timestamp::{Timestamp, serialize_flag};
pub use validation::{ErrorCode, ValidationError};
pub use visible::shorten;
pub use webhook::{WebhookTargets, WebhookType, WebhookUrl};
