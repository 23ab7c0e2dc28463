//! Checksums of rows. SQLite notices damage of a file's structure, but not of a stored value.

use rusqlite::functions::FunctionFlags;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row, ffi};
use sea_orm::IdenStatic as _;

use crate::store::entities::link::PROVEN;
use crate::store::error::StoreError;

/// Number of columns that the checksum of a link always covers. Further ones count if they are set.
const REQUIRED: usize = 5;
/// Values of the columns that the checksum of a link covers.
pub(super) type ProvenValues<'a> = [ValueRef<'a>; PROVEN.len()];

/// Registers the SQL functions `link_checksum` and `proven_count` on a connection.
pub(super) fn register(connection: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    let columns = i32::try_from(PROVEN.len()).unwrap_or_default();
    connection.create_scalar_function("link_checksum", columns, flags, |context| {
        Ok(link_checksum(std::array::from_fn(|index| context.get_raw(index))))
    })?;
    connection.create_scalar_function("proven_count", 3, flags, |context| {
        proven_count(context.get(0)?, context.get(1)?, context.get(2)?)
    })
}

/// Returns the checksum of a link: the CRC-32 of the columns in [`PROVEN`]. The short code binds the
/// row to its entry in the index.
pub(super) fn link_checksum(values: ProvenValues<'_>) -> i64 {
    let mut hasher = crc32fast::Hasher::new();
    for (position, value) in values.into_iter().enumerate() {
        if position >= REQUIRED {
            if matches!(value, ValueRef::Null | ValueRef::Integer(0)) {
                continue;
            }
            hasher.update(&[u8::try_from(position).unwrap_or(u8::MAX)]);
        }
        match value {
            ValueRef::Null => hasher.update(&[0]),
            ValueRef::Integer(number) => {
                hasher.update(&[1]);
                hasher.update(&number.to_le_bytes());
            }
            // Text contains no such byte.
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
                hasher.update(bytes);
                hasher.update(&[0xff]);
            }
            ValueRef::Real(number) => hasher.update(&number.to_le_bytes()),
        }
    }
    // A signed number takes fewer bytes in SQLite.
    i64::from(hasher.finalize().cast_signed())
}

/// Where a query selects the columns in [`PROVEN`], and the checksum.
pub(super) struct ProvenPositions {
    columns: [usize; PROVEN.len()],
    checksum: usize,
}

impl ProvenPositions {
    /// Finds the positions in a list of columns that are separated by commas.
    pub(super) fn find(columns: &str) -> Self {
        let columns: Vec<&str> = columns.split(',').map(str::trim).collect();
        let find = |name: &str| {
            let is_named = |column: &&str| column.strip_prefix("links.").unwrap_or(column) == name;
            // A missing column makes SQLite return an error.
            columns.iter().position(is_named).unwrap_or(usize::MAX)
        };
        Self { columns: PROVEN.map(|column| find(column.as_str())), checksum: find("checksum") }
    }

    /// Compares a link with its checksum. A link that an operator has changed by hand has none.
    ///
    /// # Errors
    /// If they differ.
    pub(super) fn check(&self, row: &Row<'_>) -> rusqlite::Result<()> {
        let Some(expected) = row.get::<_, Option<i64>>(self.checksum)? else { return Ok(()) };
        let mut values = [ValueRef::Null; PROVEN.len()];
        for (value, column) in values.iter_mut().zip(self.columns) {
            *value = row.get_ref(column)?;
        }
        if link_checksum(values) == expected {
            return Ok(());
        }
        let code = values[0].as_bytes().map(String::from_utf8_lossy).unwrap_or_default();
        Err(rusqlite::Error::UserFunctionError(StoreError::DamagedLink(code.into_owned()).into()))
    }
}

/// Returns the count of a row with its `proof`, which SQLite computed when it wrote the row.
///
/// # Errors
/// As for any damage of the file, if the count has changed since.
pub(super) fn proven_count(link_id: i64, count: i64, proof: i64) -> rusqlite::Result<i64> {
    if link_id.wrapping_mul(31).wrapping_add(count) % 65_521 == proof {
        return Ok(count);
    }
    let message = format!("the clicks of link {link_id} do not match their checksum");
    let corrupt = ffi::Error::new(ffi::SQLITE_CORRUPT);
    Err(rusqlite::Error::SqliteFailure(corrupt, Some(message)))
}
