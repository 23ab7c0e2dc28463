//! Examples in the documents.

use super::fields::EXAMPLE_CODE;
use crate::domain::links::{Link, StoredQrSettings};
use crate::values::Timestamp;

/// Destination in examples.
pub const EXAMPLE_URL: &str = "https://example.org/spring?utm_source=mail";

/// Returns the link of the examples.
pub fn example_link() -> Link {
    Link {
        id: 2,
        owner_id: 1,
        short_code: EXAMPLE_CODE.to_owned(),
        destination_url: EXAMPLE_URL.to_owned(),
        title: Some("Spring catalogue".to_owned()),
        campaign: Some("spring".to_owned()),
        disabled: None,
        has_qr: true,
        expires_at: None,
        fallback_url: None,
        forward_query: false,
        is_paused: false,
        created_at: Timestamp::from_millis(1_700_000_000_000),
        qr: StoredQrSettings::default(),
        clicks: 42,
    }
}

/// Returns the links of example lists, the newer one first.
pub fn example_links() -> [Link; 2] {
    let older = Link {
        id: 1,
        short_code: "wq3XbTn".to_owned(),
        destination_url: "https://example.org/about".to_owned(),
        title: None,
        campaign: None,
        clicks: 7,
        ..example_link()
    };
    [example_link(), older]
}
