//! Usage of owners in a month.

use super::fields::{Count, Identifier, MonthText, Text};
use crate::domain::usage::{self, MonthUsage};
use crate::http::openapi::field::Nullable;
use crate::http::openapi::response_object::response_object;
use crate::values::Month;

response_object! {
    nested
    /// What an owner used in a month.
    pub struct OwnerUsage: From<usage::OwnerUsage> = usage::OwnerUsage {
        owner_id, owner: owner_name, plan_name, requests, links_created, links, clicks, links_deleted,
    } => {
        /// Identifier of the owner.
        owner_id: Identifier,
        /// Name of the owner: at the close of a closed month, at the deletion of a deleted owner.
        owner_name: Text,
        /// Plan of the owner: at the end of a closed month, at the deletion of a deleted owner. `null` if
        /// the month was closed before Terse kept it.
        plan_name: Nullable<Text>,
        /// Requests with a key of the owner, except those that returned 401, 403, 429 or 503.
        requests: Count,
        /// Links created in the month, imported and deleted ones included.
        links_created: Count,
        /// Links at the end of the month; in an open month, the links now.
        links: Count,
        /// Clicks, those of deleted links included.
        clicks: Count,
        /// Links deleted in the month. `null` if the month was closed before Terse counted them.
        links_deleted: Nullable<Count>,
    }
}

response_object! {
    MonthUsage { month: Month::from_number(202601), is_final: true, owners: vec![example_usage()] }.into();

    /// Usage of all owners in a month.
    pub struct UsageReport: From<MonthUsage> = MonthUsage { month, is_final, owners } => {
        /// The owners who existed in the month, in the order of their names.
        #[oai(validator(max_items = 1_000_000))]
        data: Vec<OwnerUsage> = owners.into_iter().map(Into::into).collect(),
        /// The month.
        month: MonthText = MonthText(month.to_string()),
        /// Whether the month is closed, so that its usage never changes.
        is_final: bool,
    }
}

fn example_usage() -> usage::OwnerUsage {
    usage::OwnerUsage {
        owner_id: 2,
        owner: "acme".to_owned(),
        plan_name: Some("pro".to_owned()),
        requests: 48_121,
        links_created: 310,
        links: 1_290,
        clicks: 77_404,
        links_deleted: Some(25),
    }
}
