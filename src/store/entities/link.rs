//! Links.

use sea_orm::entity::prelude::*;

use crate::values::Timestamp;

/// A row of a link. The QR settings are `None` until the QR code is enabled.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "links")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    /// Identifier of the owner. `None`: the link is deleted.
    pub owner_id: Option<i64>,
    pub short_code: String,
    pub destination_url: String,
    /// Host of the destination in Punycode, without a trailing dot.
    pub destination_host: String,
    pub title: Option<String>,
    pub campaign: Option<String>,
    /// Reason for which the link is disabled. `None`: it is not.
    pub disabled_reason: Option<String>,
    /// Time from which the link no longer redirects.
    pub expires_at: Option<Timestamp>,
    pub has_qr: i32,
    pub qr_error_correction: Option<String>,
    pub qr_margin: Option<i32>,
    pub qr_foreground: Option<String>,
    pub qr_background: Option<String>,
    /// Identifier of the event that deleted the link.
    pub deleted_event: Option<i64>,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Where visitors of the expired link go.
    pub fallback_url: Option<String>,
    /// Whether the redirect appends the query of the request: 0 or 1.
    pub forward_query: i32,
    /// Whether the owner has paused the link: 0 or 1.
    pub is_paused: i32,
    /// The owner's own identifier of the link, unique among the owner's links.
    pub external_id: Option<String>,
    /// Identifier of the owner's key that created the link, or 0 for an import. `None`: an earlier
    /// version created it.
    pub created_by: Option<i64>,
    /// Time of the last change of what the owner can write. `None`: it has not changed.
    pub updated_at: Option<Timestamp>,
}

/// What a column is for.
#[derive(Clone, Debug, PartialEq)]
pub struct Purpose {
    /// Whether events record its values: an edit can change it, and an undo restores it.
    pub is_recorded: bool,
    /// Whether the row's checksum covers it, because it decides a redirect.
    pub is_proven: bool,
    /// Whether its values are destinations of visitors.
    pub is_destination: bool,
    /// What the deletion of a link stores in it. `None`: it keeps its value.
    pub erased: Option<Value>,
}

/// The columns that the checksum covers, in this order. Those after the first five count only if
/// they are set, so that the checksums of older versions stay valid.
pub const PROVEN: [Column; 8] = [
    Column::ShortCode,
    Column::OwnerId,
    Column::DestinationUrl,
    Column::DisabledReason,
    Column::ExpiresAt,
    Column::FallbackUrl,
    Column::ForwardQuery,
    Column::IsPaused,
];

impl Column {
    /// Returns what the column is for.
    pub fn purpose(self) -> Purpose {
        let null_text = Some(Value::String(None));
        let (is_recorded, is_proven, is_destination, erased) = match self {
            Self::Id | Self::CreatedAt | Self::DeletedEvent => (false, false, false, None),
            Self::ShortCode => (false, true, false, None),
            Self::OwnerId => (false, true, false, Some(Value::BigInt(None))),
            Self::CreatedBy | Self::UpdatedAt => (false, false, false, Some(Value::BigInt(None))),
            Self::DestinationUrl => (true, true, true, Some("".into())),
            Self::DestinationHost => (true, false, false, Some("".into())),
            Self::Title | Self::Campaign | Self::ExternalId => (true, false, false, null_text),
            Self::DisabledReason => (true, true, false, null_text),
            Self::FallbackUrl => (true, true, true, null_text),
            Self::ExpiresAt => (true, true, false, Some(Value::BigInt(None))),
            Self::ForwardQuery | Self::IsPaused => (true, true, false, Some(0.into())),
            Self::HasQr => (true, false, false, Some(0.into())),
            Self::QrErrorCorrection | Self::QrForeground | Self::QrBackground => {
                (true, false, false, null_text)
            }
            Self::QrMargin => (true, false, false, Some(Value::Int(None))),
        };
        Purpose { is_recorded, is_proven, is_destination, erased }
    }
}

impl Entity {
    /// Selects the links of one owner. Queries for API requests begin with this selection, so that
    /// no owner sees the links of another.
    pub fn of(owner_id: i64) -> Select<Self> {
        Self::find().filter(Column::OwnerId.eq(owner_id))
    }
}

without_relations!();

#[cfg(test)]
mod tests {
    use sea_orm::Iterable as _;

    use serde_json::{Map, Value as Json};

    use super::*;
    use crate::store::link_changes::{recorded, restore};

    #[test]
    fn checksum_covers_the_columns_that_decide_a_redirect() {
        let mut proven: Vec<&str> = PROVEN.iter().map(IdenStatic::as_str).collect();
        let all = Column::iter().filter(|column| column.purpose().is_proven);
        let mut expected: Vec<&str> = all.map(|column| column.as_str()).collect();
        proven.sort_unstable();
        expected.sort_unstable();
        assert_eq!(proven, expected);
    }
    #[test]
    fn recorded_values_are_restored_in_each_column() {
        let link = Model {
            id: 1,
            owner_id: Some(1),
            short_code: "code".to_owned(),
            destination_url: String::new(),
            destination_host: String::new(),
            title: None,
            campaign: None,
            disabled_reason: None,
            expires_at: None,
            has_qr: 0,
            qr_error_correction: None,
            qr_margin: None,
            qr_foreground: None,
            qr_background: None,
            deleted_event: None,
            created_at: Timestamp::from_millis(1),
            fallback_url: None,
            forward_query: 0,
            is_paused: 0,
            external_id: None,
            created_by: None,
            updated_at: None,
        };
        for column in Column::iter().filter(|column| column.purpose().is_recorded) {
            let mut changed = link.clone();
            for value in [Json::from(7), "seven".into()] {
                if changed == link {
                    let values = Map::from_iter([(column.as_str().to_owned(), value)]);
                    // A text column that is never null cannot hold a number.
                    let _ = restore(&mut changed, &values);
                }
            }
            assert_ne!(changed, link, "{column:?}");
            let (before, after) = (recorded(&link), recorded(&changed));
            let different = before.keys().filter(|name| before.get(*name) != after.get(*name));
            assert_eq!(different.collect::<Vec<_>>(), [column.as_str()]);
            let mut restored = changed;
            restore(&mut restored, &before).unwrap();
            assert_eq!(restored, link, "{column:?}");
        }
    }
}
