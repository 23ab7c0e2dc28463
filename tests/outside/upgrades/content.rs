//! Contents of a database as text: all of it as SQL statements, its schema, or the rows of a table.

use std::collections::BTreeMap;

use crate::harness::{Database, Store};

/// Tables to which migrations add rows. `pg_sequences` is a view of PostgreSQL.
const GROWING_TABLES: [&str; 3] = ["seaql_migrations", "sqlite_sequence", "pg_sequences"];

/// Columns by table. Generated columns are missing, because the others determine them.
pub(crate) type Tables = BTreeMap<String, Vec<String>>;

/// Runs a query, and returns the text in the first column of each row.
fn texts(database: &Database, query: &str) -> Vec<String> {
    if database.store() == Store::Postgres {
        return database.sql(query).lines().map(str::to_owned).collect();
    }
    let connection = rusqlite::Connection::open(database.file()).unwrap();
    let mut statement = connection.prepare(query).unwrap();
    let rows = statement.query_map([], |row| row.get(0)).unwrap();
    rows.map(Result::unwrap).collect()
}

/// Returns the SQL statements that create the database. [`Database::execute`] runs them in an empty
/// database of any supported version of PostgreSQL.
pub(crate) fn dump(database: &Database) -> String {
    let lines = match database.store() {
        Store::Postgres => pg_dump(database, &["--inserts", "--no-owner", "--no-privileges"]),
        Store::Sqlite => dump_sqlite(database),
    };
    lines.join("\n") + "\n"
}

fn dump_sqlite(database: &Database) -> Vec<String> {
    let created = |kind: &str| {
        let query = format!(
            "SELECT sql || ';' FROM sqlite_schema
             WHERE type {kind} 'table' AND sql IS NOT NULL AND name NOT LIKE 'sqlite_%'
             ORDER BY rowid"
        );
        texts(database, &query)
    };
    let (mut tables, mut rows) = (created("="), Vec::new());
    let mut sequences = vec!["DELETE FROM sqlite_sequence;".to_owned()];
    for (table, columns) in self::tables(database) {
        let insert = format!("INSERT INTO {table} ({}) VALUES (", columns.join(", "));
        let found = self::rows(database, &table, &columns);
        let inserts = found.iter().map(|row| format!("{insert}{row});"));
        if table == "sqlite_sequence" { &mut sequences } else { &mut rows }.extend(inserts);
    }
    // Triggers come after the rows, so that these do not run them.
    let begin = ["PRAGMA foreign_keys = OFF;".to_owned(), "BEGIN;".to_owned()];
    tables.extend([rows, sequences, created("<>")].concat());
    [&begin[..], &tables, &["COMMIT;".to_owned()]].concat()
}

/// Returns the lines of a dump, without those that differ between versions of PostgreSQL.
fn pg_dump(database: &Database, options: &[&str]) -> Vec<String> {
    let is_needed = |line: &&str| {
        let is_setting = ["SET ", "--", "\\"].iter().any(|start| line.starts_with(start));
        !is_setting && !line.is_empty()
    };
    database.dump(options).lines().filter(is_needed).map(str::to_owned).collect()
}

/// Returns the schema as SQL statements, without the table of the migrator. Equal schemas have equal
/// texts.
pub(super) fn schema(database: &Database) -> Vec<String> {
    match database.store() {
        Store::Postgres => {
            pg_dump(database, &["--schema-only", "--exclude-table=seaql_migrations"])
        }
        Store::Sqlite => {
            let query = "SELECT type || ' ' || name || ': ' || COALESCE(sql, '') FROM sqlite_schema
                 WHERE tbl_name <> 'seaql_migrations' ORDER BY type, name";
            texts(database, query)
        }
    }
}

/// Returns the tables with the columns of each.
pub(crate) fn tables(database: &Database) -> Tables {
    let query = match database.store() {
        Store::Sqlite => {
            "SELECT tables.name || ' ' || columns.name
             FROM sqlite_schema AS tables JOIN pragma_table_info(tables.name) AS columns
             WHERE tables.type = 'table' ORDER BY columns.cid"
        }
        Store::Postgres => {
            "SELECT table_name || ' ' || column_name
             FROM information_schema.columns JOIN information_schema.tables
                 USING (table_schema, table_name)
             WHERE table_schema = 'public' AND table_type = 'BASE TABLE'
             UNION ALL VALUES ('pg_sequences sequencename'), ('pg_sequences last_value')"
        }
    };
    let mut tables = Tables::new();
    for line in texts(database, query) {
        let (table, column) = line.split_once(' ').unwrap();
        tables.entry(table.to_owned()).or_default().push(column.to_owned());
    }
    tables
}

/// Returns the rows of a table as SQL values, sorted.
pub(crate) fn rows(database: &Database, table: &str, columns: &[String]) -> Vec<String> {
    let values = values(database.store(), columns);
    texts(database, &format!("SELECT {values} FROM {table} ORDER BY 1"))
}

/// Returns the rows of these tables as SQL values in one line each, sorted. One query returns all of
/// them, because each query of PostgreSQL starts a program.
pub(crate) fn all_rows(database: &Database, tables: &Tables) -> BTreeMap<String, Vec<String>> {
    let select = |(table, columns): (&String, &Vec<String>)| {
        let values = values(database.store(), columns);
        format!("SELECT '{table} ' || replace({values}, '\n', '\\n') FROM {table}")
    };
    let selects: Vec<String> = tables.iter().map(select).collect();
    let mut rows: BTreeMap<_, _> = tables.keys().map(|table| (table.clone(), vec![])).collect();
    for line in texts(database, &format!("{} ORDER BY 1", selects.join(" UNION ALL "))) {
        let (table, row) = line.split_once(' ').unwrap();
        rows.get_mut(table).unwrap().push(row.to_owned());
    }
    rows
}

/// Returns an expression for the SQL values of these columns.
fn values(store: Store, columns: &[String]) -> String {
    match store {
        Store::Sqlite => {
            let quoted = columns.iter().map(|column| format!("quote({column})"));
            quoted.collect::<Vec<_>>().join(" || ', ' || ")
        }
        Store::Postgres => format!("ROW({})::text", columns.join(", ")),
    }
}

/// Panics unless the database has exactly these rows of another one, in the same columns.
#[track_caller]
pub(super) fn assert_same_rows(database: &Database, expected: &Database) {
    let tables = tables(expected);
    let mut found = all_rows(database, &tables);
    for (table, expected) in all_rows(expected, &tables) {
        let mut found = found.remove(&table).unwrap();
        if GROWING_TABLES.contains(&&*table) {
            found.retain(|row| expected.contains(row));
        }
        assert_eq!(found, expected, "rows of {table}");
    }
}
