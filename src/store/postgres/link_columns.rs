//! The columns that every way to create a link fills, as arrays with an element per link.

use sea_orm::sqlx::Postgres;
use sea_orm::sqlx::postgres::PgArguments;
use sea_orm::sqlx::query::Query;

use crate::store::links::LinkProperties;

/// The columns, and the types of their arrays.
const COLUMNS: [(&str, &str); 6] = [
    ("destination_url", "text"),
    ("title", "text"),
    ("campaign", "text"),
    ("is_active", "integer"),
    ("has_qr", "integer"),
    ("created_at", "bigint"),
];

/// The columns' names, separated by commas, each behind `prefix`.
pub(super) fn names(prefix: &str) -> String {
    COLUMNS.map(|(name, _)| format!("{prefix}{name}")).join(", ")
}

/// The columns' arrays, as parameters from `$first` on.
pub(super) fn parameters(first: usize) -> String {
    let parameter = |(index, (_, r#type)): (usize, &(&str, &str))| format!("${index}::{type}[]");
    (first..).zip(&COLUMNS).map(parameter).collect::<Vec<_>>().join(", ")
}

/// Binds the columns' arrays.
pub(super) fn bind<'q>(
    query: Query<'q, Postgres, PgArguments>,
    links: &[&'q LinkProperties],
) -> Query<'q, Postgres, PgArguments> {
    let links = || links.iter();
    query
        .bind(links().map(|link| link.destination_url.as_str()).collect::<Vec<_>>())
        .bind(links().map(|link| link.title.as_deref()).collect::<Vec<_>>())
        .bind(links().map(|link| link.campaign.as_deref()).collect::<Vec<_>>())
        .bind(links().map(|link| i32::from(link.is_active)).collect::<Vec<_>>())
        .bind(links().map(|link| i32::from(link.has_qr)).collect::<Vec<_>>())
        .bind(links().map(|link| link.created_at.millis()).collect::<Vec<_>>())
}
