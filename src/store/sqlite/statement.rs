//! Runs SeaORM's statements on a connection of `rusqlite`.

use std::collections::BTreeMap;

use rusqlite::types::{FromSql, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, Statement};
use sea_orm::{ExecResult, ProxyExecResult, ProxyRow, QueryResult, Value};

use crate::store::call::{Call, CallResult};
use crate::values::{Reason, Timestamp};

/// Runs a call and returns its result. It may block the thread on the disk.
pub(super) fn run(connection: &Connection, call: &Call) -> rusqlite::Result<CallResult> {
    match call {
        Call::Execute(statement) => {
            let mut prepared = connection.prepare_cached(&statement.sql)?;
            bind(&mut prepared, values_of(statement))?;
            let changed = prepared.raw_execute()?;
            Ok(CallResult::Executed(executed(connection, changed)))
        }
        Call::ExecuteUnprepared(sql) => {
            connection.execute_batch(sql)?;
            Ok(CallResult::Executed(executed(connection, 0)))
        }
        Call::QueryOne(statement) => query(connection, statement, 1).map(CallResult::Rows),
        Call::QueryAll(statement) => query(connection, statement, usize::MAX).map(CallResult::Rows),
    }
}

fn executed(connection: &Connection, changed: usize) -> ExecResult {
    let identifier = connection.last_insert_rowid().cast_unsigned();
    ProxyExecResult::new(identifier, changed as u64).into()
}

fn query(
    connection: &Connection,
    statement: &sea_orm::Statement,
    limit: usize,
) -> rusqlite::Result<Vec<QueryResult>> {
    let mut prepared = connection.prepare_cached(&statement.sql)?;
    bind(&mut prepared, values_of(statement))?;
    let columns: Vec<(String, ColumnType)> = prepared
        .columns()
        .iter()
        .map(|column| (column.name().to_owned(), ColumnType::from_declared(column.decl_type())))
        .collect();
    let mut rows = prepared.raw_query();
    let mut results = Vec::new();
    while results.len() < limit
        && let Some(row) = rows.next()?
    {
        let mut values = BTreeMap::new();
        for (index, (name, r#type)) in columns.iter().enumerate() {
            values.insert(name.clone(), r#type.value(row.get_ref(index)?)?);
        }
        results.push(ProxyRow::new(values).into());
    }
    Ok(results)
}

fn values_of(statement: &sea_orm::Statement) -> &[Value] {
    statement.values.as_ref().map_or(&[], |values| &values.0)
}

/// Binds values to parameters by number. SeaORM writes a parameter as `?`. Statements for both
/// databases write it as `$1`, which SQLite parses as a name.
pub(super) fn bind(prepared: &mut Statement<'_>, values: &[Value]) -> rusqlite::Result<()> {
    for index in 1..=prepared.parameter_count() {
        let name = prepared.parameter_name(index).unwrap_or_default();
        let number = name.trim_start_matches(['$', '?']).parse().unwrap_or(index);
        let value = values.get(number - 1).ok_or_else(|| {
            rusqlite::Error::InvalidParameterCount(values.len(), prepared.parameter_count())
        })?;
        prepared.raw_bind_parameter(index, BoundValue(value))?;
    }
    Ok(())
}

struct BoundValue<'a>(&'a Value);

impl FromSql for Timestamp {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value.as_i64().map(Self::from_millis)
    }
}

impl FromSql for Reason {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value.as_str().map(Self::from_stored)
    }
}

impl ToSql for BoundValue<'_> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "features of SeaORM add types")]
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        match self.0 {
            Value::Bool(value) => value.to_sql(),
            Value::Int(value) => value.to_sql(),
            Value::Unsigned(value) => value.to_sql(),
            Value::BigInt(value) => value.to_sql(),
            Value::BigUnsigned(value) => Ok(ToSqlOutput::Owned(value.map(u64::cast_signed).into())),
            Value::String(value) => value.to_sql(),
            Value::Bytes(value) => value.to_sql(),
            _ => Err(rusqlite::Error::ToSqlConversionFailure(
                "the type of the value is not supported".into(),
            )),
        }
    }
}

/// Type of the integers in a column for SeaORM, which does not convert between integer types. The
/// declared type of the column determines it.
#[derive(Debug, Clone, Copy)]
enum ColumnType {
    Int,
    Boolean,
    /// The type in which SQLite stores the value, which is 64 bits for an integer.
    Stored,
}

impl ColumnType {
    fn from_declared(declared: Option<&str>) -> Self {
        let is = |name: &str| declared.is_some_and(|declared| declared.eq_ignore_ascii_case(name));
        if is("int") {
            Self::Int
        } else if is("boolean") {
            Self::Boolean
        } else {
            Self::Stored
        }
    }

    fn value(self, value: ValueRef<'_>) -> rusqlite::Result<Value> {
        Ok(match (value, self) {
            (ValueRef::Null, _) => Value::String(None),
            (ValueRef::Integer(number), Self::Int) => {
                let number = i32::try_from(number);
                let out_of_range = |_| rusqlite::Error::IntegralValueOutOfRange(0, 0);
                Value::Int(Some(number.map_err(out_of_range)?))
            }
            (ValueRef::Integer(number), Self::Boolean) => Value::Bool(Some(number != 0)),
            (ValueRef::Integer(number), Self::Stored) => Value::BigInt(Some(number)),
            (ValueRef::Real(number), _) => Value::Double(Some(number)),
            (ValueRef::Text(_), _) => Value::String(Some(value.as_str()?.into())),
            (ValueRef::Blob(bytes), _) => Value::Bytes(Some(bytes.into())),
        })
    }
}
