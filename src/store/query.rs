//! Functions that run statements in SQL that both databases accept, with parameters `$1`, `$2`, ….

use std::borrow::Borrow;

use sea_orm::prelude::Expr;
use sea_orm::sea_query::{Func, IntoColumnRef, LikeExpr, SimpleExpr};
use sea_orm::{
    ConnectionTrait, EntityTrait, ExprTrait, FromQueryResult, Iterable, ModelTrait, QueryFilter,
    Statement, TryGetable, UpdateMany, Value,
};

use super::error::StoreError;

/// Maximum number of rows that a page reads to find those that meet its conditions, so that it may be
/// short.
pub const MAX_READ: u32 = 20_000;

/// Builds a statement from SQL that both databases accept.
fn statement(
    db: &impl ConnectionTrait,
    sql: &str,
    values: impl IntoIterator<Item = Value>,
) -> Statement {
    Statement::from_sql_and_values(db.get_database_backend(), sql, values)
}

/// Runs a statement.
pub(super) async fn execute(
    db: &impl ConnectionTrait,
    sql: &str,
    values: impl IntoIterator<Item = Value>,
) -> Result<(), StoreError> {
    execute_counting(db, sql, values).await.map(drop)
}

/// Runs a statement and returns the number of rows that it changed.
pub(super) async fn execute_counting(
    db: &impl ConnectionTrait,
    sql: &str,
    values: impl IntoIterator<Item = Value>,
) -> Result<u64, StoreError> {
    Ok(db.execute_raw(statement(db, sql, values)).await?.rows_affected())
}

/// Sets columns of the row with this identifier.
pub(super) async fn set<E: EntityTrait>(
    db: &impl ConnectionTrait,
    id: i64,
    values: impl IntoIterator<Item = (E::Column, SimpleExpr)>,
) -> Result<(), StoreError> {
    let set = |update: UpdateMany<E>, (column, value)| update.col_expr(column, value);
    let update = values.into_iter().fold(E::update_many(), set);
    update.filter(Expr::col("id").eq(id)).exec(db).await?;
    Ok(())
}

/// Stores the columns that differ between a row before and after a change.
pub(super) async fn update<M>(
    db: &impl ConnectionTrait,
    id: i64,
    before: &M,
    after: &M,
) -> Result<(), StoreError>
where
    M: ModelTrait,
{
    let columns = <M::Entity as EntityTrait>::Column::iter();
    let differing = columns.filter(|column| before.get(*column) != after.get(*column));
    set::<M::Entity>(db, id, differing.map(|column| (column, Expr::value(after.get(column))))).await
}

/// Returns all rows of a query.
pub(super) async fn rows<R: FromQueryResult>(
    db: &impl ConnectionTrait,
    sql: &str,
    values: impl IntoIterator<Item = Value>,
) -> Result<Vec<R>, StoreError> {
    Ok(R::find_by_statement(statement(db, sql, values)).all(db).await?)
}

/// Returns the first row of a query.
pub(super) async fn row<R: FromQueryResult>(
    db: &impl ConnectionTrait,
    sql: &str,
    values: impl IntoIterator<Item = Value>,
) -> Result<Option<R>, StoreError> {
    Ok(R::find_by_statement(statement(db, sql, values)).one(db).await?)
}

/// Returns the first value of the first row of a query.
pub(super) async fn scalar<T: TryGetable>(
    db: &impl ConnectionTrait,
    sql: &str,
    values: impl IntoIterator<Item = Value>,
) -> Result<Option<T>, StoreError> {
    let row = db.query_one_raw(statement(db, sql, values)).await?;
    Ok(row.map(|row| row.try_get_by_index(0)).transpose()?)
}

/// Returns the first value of each row of a query.
pub(super) async fn scalars<T: TryGetable>(
    db: &impl ConnectionTrait,
    sql: &str,
    values: impl IntoIterator<Item = Value>,
) -> Result<Vec<T>, StoreError> {
    let rows = db.query_all_raw(statement(db, sql, values)).await?;
    Ok(rows.iter().map(|row| row.try_get_by_index(0)).collect::<Result<_, _>>()?)
}

/// Returns the numbers separated by commas, as SQL.
pub(super) fn numbers(numbers: impl IntoIterator<Item: Borrow<i64>>) -> String {
    let numbers = numbers.into_iter().map(|number| number.borrow().to_string());
    numbers.collect::<Vec<_>>().join(", ")
}

/// Returns the condition that a column contains a text; ASCII letters match in any case.
pub(super) fn contains(column: impl IntoColumnRef, text: &str) -> SimpleExpr {
    let pattern = LikeExpr::new(format!("%{}%", escape_like(&text.to_ascii_lowercase())));
    Func::lower(Expr::col(column)).like(pattern.escape('\\'))
}

/// Escapes the characters that `LIKE` interprets, such as the underscore, which hosts may contain.
pub(super) fn escape_like(text: &str) -> String {
    text.replace('\\', r"\\").replace('%', r"\%").replace('_', r"\_")
}
