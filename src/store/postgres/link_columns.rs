//! The columns of [`NewProperties`] as array parameters, each with one element per link.

use sea_orm::sqlx::Postgres;
use sea_orm::sqlx::postgres::PgArguments;
use sea_orm::sqlx::query::Query;

use crate::store::links::{NewProperties, PROPERTY_COLUMNS, PropertyReader};

/// Returns the SQL parameters of the arrays, separated by commas. The first is `$first`.
pub(super) fn parameters(first: usize) -> String {
    let parameter = |(index, (_, value)): (usize, &(&str, PropertyReader))| {
        let element = match value {
            PropertyReader::Text(_) => "text",
            PropertyReader::Int(_) => "integer",
            PropertyReader::BigInt(_) => "bigint",
        };
        format!("${index}::{element}[]")
    };
    (first..).zip(&PROPERTY_COLUMNS).map(parameter).collect::<Vec<_>>().join(", ")
}

/// Binds the arrays in the order of [`parameters`].
pub(super) fn bind<'q>(
    query: Query<'q, Postgres, PgArguments>,
    links: &[&'q NewProperties],
) -> Query<'q, Postgres, PgArguments> {
    let links = || links.iter().copied();
    PROPERTY_COLUMNS.iter().fold(query, |query, (_, value)| match value {
        PropertyReader::Text(value) => query.bind(links().map(value).collect::<Vec<_>>()),
        PropertyReader::Int(value) => query.bind(links().map(value).collect::<Vec<_>>()),
        PropertyReader::BigInt(value) => query.bind(links().map(value).collect::<Vec<_>>()),
    })
}
