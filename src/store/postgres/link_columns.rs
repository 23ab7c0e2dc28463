//! The columns of [`LinkProperties`], as array parameters with one element per link.

use sea_orm::sqlx::Postgres;
use sea_orm::sqlx::postgres::PgArguments;
use sea_orm::sqlx::query::Query;

use crate::store::links::LinkProperties;
use crate::values::{Reason, Timestamp};

/// Names of the columns, and the types of their elements.
const COLUMNS: [(&str, &str); 8] = [
    ("destination_url", "text"),
    ("destination_host", "text"),
    ("title", "text"),
    ("campaign", "text"),
    ("disabled_reason", "text"),
    ("has_qr", "integer"),
    ("expires_at", "bigint"),
    ("created_at", "bigint"),
];

/// Returns the names of the columns, each with `prefix`, separated by commas.
pub(super) fn names(prefix: &str) -> String {
    COLUMNS.map(|(name, _)| format!("{prefix}{name}")).join(", ")
}

/// Returns the parameters of the arrays, numbered from `$first` on and separated by commas.
pub(super) fn parameters(first: usize) -> String {
    let parameter = |(index, (_, r#type)): (usize, &(&str, &str))| format!("${index}::{type}[]");
    (first..).zip(&COLUMNS).map(parameter).collect::<Vec<_>>().join(", ")
}

/// Binds the arrays in the order of [`parameters`].
pub(super) fn bind<'q>(
    query: Query<'q, Postgres, PgArguments>,
    links: &[&'q LinkProperties],
) -> Query<'q, Postgres, PgArguments> {
    let links = || links.iter();
    query
        .bind(links().map(|link| link.destination_url.as_str()).collect::<Vec<_>>())
        .bind(links().map(|link| link.destination_host.as_str()).collect::<Vec<_>>())
        .bind(links().map(|link| link.title.as_deref()).collect::<Vec<_>>())
        .bind(links().map(|link| link.campaign.as_deref()).collect::<Vec<_>>())
        .bind(links().map(|link| link.disabled.map(Reason::as_str)).collect::<Vec<_>>())
        .bind(links().map(|link| i32::from(link.has_qr)).collect::<Vec<_>>())
        .bind(links().map(|link| link.expires_at.map(Timestamp::millis)).collect::<Vec<_>>())
        .bind(links().map(|link| link.created_at.millis()).collect::<Vec<_>>())
}
