//! Plans, as the operator manages them.

use poem_openapi::registry::MetaSchema;
use serde_json::json;

use super::change::Audit;
use super::fields::{Count, Text, count_schema};
use crate::domain::plans::{self, LinkLimit, PlanSettings};
use crate::http::openapi::field::{Nullable, integer, request_field, text, text_schema};
use crate::http::openapi::json_body::{Clearable, OptionalNested, Replaceable, request_object};
use crate::http::openapi::response_object::response_object;
use crate::values::{ErrorCode, Name, Rate, RequestCount, RequestLimit};

response_object! {
    versioned example_plan().into();
    page "A page of plans, in the order of their names.";

    /// A plan. `null` is unlimited.
    pub struct Plan: From<plans::Plan> = plans::Plan {
        name, max_links, custom_codes, requests, burst, links_per_day,
    } => {
        /// The name of the plan.
        name: Text,
        /// Number of links at a time.
        max_links: Nullable<Count>,
        /// Number of new links per day (UTC).
        links_per_day: Nullable<Count>,
        /// Requests in a time, such as `20/s`, of all keys of an owner together.
        request_rate: Nullable<Text> = requests.into(),
        /// How many of these requests may come at once; `null` for the number in `request_rate`.
        burst: Nullable<Count>,
        /// Whether owners may choose codes.
        custom_codes: bool,
    }
}

fn example_plan() -> plans::Plan {
    plans::Plan {
        name: "gold".to_owned(),
        max_links: Some(50_000),
        custom_codes: true,
        requests: Some("20/s".to_owned()),
        burst: None,
        links_per_day: None,
    }
}

request_field!(
    LinkLimit,
    |value| u32::try_from(integer(value)?)
        .map(Self::AtMost)
        .map_err(|_| ErrorCode::OutOfRange.because("must be a number from 0 to 4294967295")),
    MetaSchema { maximum: Some(4_294_967_295.0), ..count_schema(0.0) }
);

request_field!(
    Rate,
    |value| text(value)?.parse(),
    text_schema(3, 11, "^([1-9][0-9]{0,5}|1000000)/(s|min|h)$")
);

request_field!(
    RequestCount,
    |value| integer(value)?.to_string().parse(),
    MetaSchema { maximum: Some(RequestCount::MAX.into()), ..count_schema(1.0) }
);

request_object! {
    json!({ "name": "gold", "max_links": 50_000, "request_rate": "20/s", "custom_codes": true });
    strict
    /// A new plan. A limit that is absent or `null` is unlimited.
    pub struct PlanCreate: Into<(Name, PlanSettings, Audit)> = {
        let settings = PlanSettings {
            max_links,
            custom_codes,
            requests: request_rate.map(RequestLimit::AtMost),
            burst: burst.map(Some),
            links_per_day,
        };
        (name, settings, audit.0.unwrap_or_default())
    } => {
        /// The name of the plan.
        name: Name,
        /// Number of links at a time.
        max_links?: LinkLimit,
        /// Number of new links per day (UTC).
        links_per_day?: LinkLimit,
        /// Requests in a time, such as `20/s`, `600/min` or `5000/h`, of all keys of an owner together.
        request_rate?: Rate,
        /// How many of these requests may come at once; without it, the number in `request_rate`.
        burst?: RequestCount,
        /// Whether owners may choose codes; without it, `false`.
        custom_codes?: bool,
        /// Why, for the history.
        audit: OptionalNested<Audit>,
    }
}

request_object! {
    json!({ "max_links": null, "request_rate": "600/min" });
    strict
    /// New values for a plan, as a JSON merge patch (RFC 7396): what is absent stays, and `null` removes a
    /// limit.
    pub struct PlanUpdate: Into<(PlanSettings, Audit)> = {
        let limit = |limit: Option<LinkLimit>| limit.unwrap_or(LinkLimit::Unlimited);
        let rate = |rate: Option<Rate>| rate.map_or(RequestLimit::Unlimited, RequestLimit::AtMost);
        let settings = PlanSettings {
            max_links: max_links.0.map(limit),
            custom_codes: custom_codes.0,
            requests: request_rate.0.map(rate),
            burst: burst.0,
            links_per_day: links_per_day.0.map(limit),
        };
        (settings, audit.0.unwrap_or_default())
    } => {
        /// Number of links at a time. A lower limit deletes no links.
        max_links: Clearable<LinkLimit>,
        /// Number of new links per day (UTC).
        links_per_day: Clearable<LinkLimit>,
        /// Requests in a time, such as `20/s`, `600/min` or `5000/h`, of all keys of an owner together.
        request_rate: Clearable<Rate>,
        /// How many of these requests may come at once; `null` for the number in `request_rate`.
        burst: Clearable<RequestCount>,
        /// Whether owners may choose codes.
        custom_codes: Replaceable<bool>,
        /// Why, for the history.
        audit: OptionalNested<Audit>,
    }
}
