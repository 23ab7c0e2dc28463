//! What an import would do, without doing it.

use rusqlite::{Connection, OptionalExtension as _, params};
use sea_orm::{ConnectionTrait as _, FromQueryResult, Statement, Value};

use super::{Fate, Holder, ROOM, Undecided, Wanted};
use crate::store::{Reader, Store, StoreError, scalar};

/// Codes that are looked for in one query.
const CODES: usize = 1_000;

/// The database, and the links that would be in it by now.
#[derive(Debug)]
pub(super) struct Rehearsal {
    reader: Reader,
    owner_id: i64,
    /// How many more the plan allows.
    room: i64,
    /// On the disk where they are many: a database of its own that goes with its connection.
    made: Connection,
}

impl Rehearsal {
    pub(super) async fn of(store: &Store, owner_id: i64) -> Result<Self, StoreError> {
        let reader = store.reader().clone();
        let room = scalar(&reader, ROOM, [owner_id.into()]).await?;
        let made = Connection::open("")?;
        made.execute_batch(
            "CREATE TABLE made (code text PRIMARY KEY, destination text NOT NULL) WITHOUT ROWID",
        )?;
        Ok(Self { reader, owner_id, room: room.unwrap_or(0), made })
    }

    pub(super) async fn put(&mut self, links: &[Wanted]) -> Result<Vec<Fate>, StoreError> {
        let mut undecided = Undecided::of(links, self.owner_id);
        loop {
            if let Some(fates) = undecided.decided() {
                return Ok(fates);
            }
            let codes = undecided.codes();
            let mut holders = Vec::new();
            for codes in codes.chunks(CODES) {
                holders.extend(self.holders(codes).await?);
            }
            for place in undecided.choose(holders, self.room) {
                let Wanted { code, destination, .. } = &links[place];
                self.made
                    .prepare_cached("INSERT INTO made (code, destination) VALUES (?1, ?2)")?
                    .execute(params![code.as_str(), destination])?;
                self.room -= 1;
                undecided.is_made(place);
            }
        }
    }

    async fn holders(&self, codes: &[String]) -> Result<Vec<Holder>, StoreError> {
        let places: Vec<String> = (1..=codes.len()).map(|number| format!("${number}")).collect();
        let sql = format!(
            "SELECT short_code, owner_id, destination_url FROM links WHERE short_code IN ({})",
            places.join(", ")
        );
        let values = codes.iter().map(|code| Value::from(code.as_str()));
        let backend = self.reader.get_database_backend();
        let statement = Statement::from_sql_and_values(backend, sql, values);
        let mut holders = Holder::find_by_statement(statement).all(&self.reader).await?;
        let mut made = self.made.prepare_cached("SELECT destination FROM made WHERE code = ?1")?;
        for code in codes {
            let found: Option<String> = made.query_one([code], |row| row.get(0)).optional()?;
            holders.extend(found.map(|destination_url| Holder {
                short_code: code.clone(),
                owner_id: self.owner_id,
                destination_url,
            }));
        }
        Ok(holders)
    }
}
