//! The tables, as SeaORM entities, one module each. Rows are distinct from domain values and JSON
//! objects; conversions name every field.

use std::cmp::Reverse;

use sea_orm::entity::prelude::*;

use crate::values::{Reason, Timestamp};

/// Ends the definition of a table without an enum of its relations.
macro_rules! without_relations {
    () => {
        #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
        pub enum Relation {}

        impl ActiveModelBehavior for ActiveModel {}
    };
}

pub mod link;

/// Defines a module for each of these tables. The columns of a table are the fields of its rows.
macro_rules! tables {
    ($($(#[$attribute:meta])* $module:ident = $name:literal { $($columns:tt)* })*) => {$(
        pub mod $module {
            use super::*;

            $(#[$attribute])*
            #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
            #[sea_orm(table_name = $name)]
            pub struct Model { $($columns)* }

            without_relations!();
        }
    )*};
}

tables! {
    /// A row with the hash of an API key, but not the key.
    api_key = "api_keys" {
        #[sea_orm(primary_key)]
        pub id: i64,
        pub owner_id: i64,
        pub hash: Vec<u8>,
        pub label: Option<String>,
        /// Stored name of the scope.
        pub scope: String,
        pub created_at: Timestamp,
        pub expires_at: Option<Timestamp>,
        pub revoked_at: Option<Timestamp>,
        pub last_used_at: Option<Timestamp>,
        /// The last four characters of the key. `None`: an earlier version made the key.
        pub hint: Option<String>,
    }

    /// Row of an imported list that is in force.
    block_list = "block_lists" {
        #[sea_orm(primary_key, auto_increment = false)]
        pub source: String,
        /// Identifier of the import that stored the list's parts.
        pub import_id: i64,
        pub reason: Reason,
        /// Number of patterns in all parts.
        pub patterns: i64,
        pub event_id: i64,
    }

    /// Row of a part: many patterns, one per line, in the order of their bytes.
    block_list_part = "block_list_parts" {
        #[sea_orm(primary_key, auto_increment = false)]
        pub import_id: i64,
        #[sea_orm(primary_key, auto_increment = false)]
        pub part: i32,
        pub patterns: String,
    }

    /// Row of one of the operator's own patterns.
    block_pattern = "block_patterns" {
        #[sea_orm(primary_key, auto_increment = false)]
        pub pattern: String,
        /// `block` or `allow`.
        pub action: String,
        pub reason: Reason,
        /// Time from which the pattern no longer counts. `None`: it does not expire.
        pub until: Option<Timestamp>,
        /// Identifier of the event that stored the row.
        pub event_id: i64,
    }

    /// Row with the click count of a link, without pending clicks and recent counts.
    click_count = "click_counts" {
        #[sea_orm(primary_key, auto_increment = false)]
        pub link_id: i64,
        pub count: i64,
        /// Imported clicks, and clicks of days that are no longer stored.
        pub opening: i64,
        /// Part of `count` that belongs to a closed day or to the opening balance.
        pub closed: i64,
        /// Whether `count` may exceed `closed`.
        pub is_open: bool,
    }

    /// Row with the clicks of a link on one day.
    click_day = "click_days" {
        /// Day in UTC, as a number since the Unix epoch.
        #[sea_orm(primary_key, auto_increment = false)]
        pub day: i64,
        #[sea_orm(primary_key, auto_increment = false)]
        pub link_id: i64,
        pub count: i64,
    }

    /// Row of one owner's deleted links on one day.
    deleted_click_day = "deleted_click_days" {
        /// Day in UTC, as a number since the Unix epoch.
        #[sea_orm(primary_key, auto_increment = false)]
        pub day: i64,
        #[sea_orm(primary_key, auto_increment = false)]
        pub owner_id: i64,
        pub clicks: i64,
    }

    /// Row with the clicks of a link on the closed days of a month.
    click_month = "click_months" {
        /// Number of the month, such as 202601.
        #[sea_orm(primary_key, auto_increment = false)]
        pub month: i64,
        #[sea_orm(primary_key, auto_increment = false)]
        pub owner_id: i64,
        #[sea_orm(primary_key, auto_increment = false)]
        pub link_id: i64,
        pub count: i64,
    }

    /// Row of a producer, with the sequence number of its last batch.
    click_writer = "click_writers" {
        #[sea_orm(primary_key, auto_increment = false)]
        pub producer_id: i64,
        pub sequence: i64,
    }

    /// The only row, with the last closed day and the progress of the next close.
    day_close = "day_close" {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: i64,
        /// Last day to which a close added clicks, as a number since the Unix epoch.
        pub closed_day: i64,
        /// Last closed day. It is later than `closed_day` if there was no server on the days between.
        pub closed_until: i64,
        /// Identifier of the last link that the next close has already passed.
        pub position: i64,
        /// The number of the first month that is not closed, such as 202601.
        pub open_month: i64,
    }

    /// A row of a domain.
    domain = "domains" {
        /// The host in normal form, with a port if the domain is for that port only.
        #[sea_orm(primary_key, auto_increment = false)]
        pub host: String,
        pub owner_id: i64,
        /// Where visitors of the domain's start page go. `None`: they see a page.
        pub home_url: Option<String>,
        /// Time at which the domain became the owner's default.
        /// `None`: it was never chosen. The default is the domain that was chosen last or, if none was,
        /// the oldest.
        pub default_at: Option<Timestamp>,
        /// Time of creation.
        pub created_at: Timestamp,
    }

    /// A row of an event.
    event = "events" {
        #[sea_orm(primary_key)]
        pub id: i64,
        /// Time of the event.
        pub at: Timestamp,
        pub actor: String,
        pub action: String,
        pub subject: String,
        pub owner_id: Option<i64>,
        /// Name of the owner, which stays after the owner is deleted.
        pub owner: Option<String>,
        pub reason: Reason,
        pub note: Option<String>,
        pub case_id: Option<String>,
        /// Number of links, owners, keys, plans or patterns that changed.
        pub changed: i64,
        /// Type of the actor. `None`: a command.
        pub actor_type: Option<String>,
        /// Identifier of the key, if the actor is a key.
        pub actor_id: Option<i64>,
        /// `running`, `done` or `stopped`. `None`: the event was done in the transaction that inserted it.
        pub status: Option<String>,
        /// Time at which a change in several transactions ended. While it runs: its last sign of life.
        pub finished_at: Option<Timestamp>,
        /// Identifies the run of the change. After an interruption, another one takes over.
        pub instance_id: Option<i64>,
        /// What the change left as it was, and where it goes on after an interruption, as JSON.
        pub skipped: Option<String>,
        /// Number of all things that the change left as they were.
        pub skipped_count: Option<i64>,
    }

    /// Row of one changed link, owner, key or other thing: its changed fields before and after the
    /// event, as JSON objects. Both are `None` if the link or owner has been deleted since.
    event_change = "event_changes" {
        #[sea_orm(primary_key)]
        pub id: i64,
        pub event_id: i64,
        pub kind: String,
        /// Identifier of the link, owner or key, or text of the pattern, plan or host.
        pub subject: String,
        pub before: Option<String>,
        pub after: Option<String>,
    }

    /// A row of a link that answers in any letter case.
    folded_code = "folded_codes" {
        #[sea_orm(primary_key, auto_increment = false)]
        pub link_id: i64,
        /// The short code without its letter case.
        pub folded: String,
    }

    /// Row of an idempotency key, with the data of its stored response.
    idempotency_key = "idempotency_keys" {
        #[sea_orm(primary_key)]
        pub id: i64,
        /// Identifier of the owner, or 0 for the operator.
        pub owner_id: i64,
        pub key: String,
        /// Fingerprint of the request, a SHA-256 hash.
        pub fingerprint: Vec<u8>,
        /// Code of the link, or empty if the request created none.
        pub short_code: String,
        pub base_url: String,
        /// What stands before the code in the short URL. `None`: the base URL. Of a key or domain, what
        /// its response says that its request does not, as JSON.
        pub origin: Option<String>,
        /// Time at which the response was stored.
        pub created_at: Timestamp,
        /// Identifier of the API key that the request created.
        pub api_key_id: Option<i64>,
        /// Nonce from which the secret of this key is derived.
        pub nonce: Option<Vec<u8>>,
        /// Identifier of the event of the request. `None`: it has none, or an earlier version stored the
        /// row.
        pub event_id: Option<i64>,
    }

    /// A row with the hash of an operator key, but not the key.
    operator_key = "operator_keys" {
        #[sea_orm(primary_key)]
        pub id: i64,
        /// Name, which is unique among the keys that are not revoked.
        pub name: String,
        pub hash: Vec<u8>,
        pub role: String,
        pub created_at: Timestamp,
        pub revoked_at: Option<Timestamp>,
        pub last_used_at: Option<Timestamp>,
        /// The last four characters of the key. `None`: an earlier version made the key.
        pub hint: Option<String>,
        /// Time from which the key is invalid. `None`: it does not expire.
        pub expires_at: Option<Timestamp>,
    }

    /// A row of an owner.
    owner = "owners" {
        #[sea_orm(primary_key)]
        pub id: i64,
        pub name: String,
        pub plan: String,
        /// Number of the owner's links. Every transaction that creates or deletes links updates it.
        pub link_count: i64,
        /// Day in UTC on which the owner last created a link, as a number since the Unix epoch.
        pub created_day: i64,
        /// Number of links that the owner created on that day, deleted ones included.
        pub created_today: i64,
        /// The number of the month to which `created_in_month` belongs, such as 202601.
        pub created_month: i64,
        /// Number of links that the owner created in that month, without those in `usage_months`.
        pub created_in_month: i64,
        /// Reason of the suspension. `None`: the owner is not suspended.
        pub suspended_reason: Option<Reason>,
        /// Time of creation.
        pub created_at: Timestamp,
        /// Where visitors of the owner's expired links go that have no such destination of their own.
        pub fallback_url: Option<String>,
        /// Time of the suspension, which [`Model::suspended`] returns.
        pub suspended_at: Option<Timestamp>,
        /// The operator's own identifier of the owner, unique among the owners.
        pub external_id: Option<String>,
    }

    /// A plan: limits that apply to every owner with this plan.
    #[derive(serde::Serialize)]
    plan = "plans" {
        #[sea_orm(primary_key, auto_increment = false)]
        /// Name of the plan.
        pub name: String,
        /// Maximum number of links per owner. `None`: no limit.
        pub max_links: Option<i64>,
        /// Whether an owner may request custom codes.
        pub custom_codes: bool,
        /// Rate of an owner's requests, such as `20/s`. `None`: no limit.
        pub requests: Option<String>,
        /// Number of requests that an owner may send at once. `None`: as many as the rate allows per
        /// period.
        pub burst: Option<i64>,
        /// Maximum number of links that an owner may create per day in UTC. `None`: no limit.
        pub links_per_day: Option<i64>,
    }

    /// Row with what an owner used in a month.
    usage_month = "usage_months" {
        /// Number of the month, such as 202601.
        #[sea_orm(primary_key, auto_increment = false)]
        pub month: i64,
        #[sea_orm(primary_key, auto_increment = false)]
        pub owner_id: i64,
        /// Name at the close of the month or at the owner's deletion. `None` before.
        pub owner: Option<String>,
        /// Requests that `usage_requests` no longer distinguishes by instance.
        pub requests: i64,
        /// Links created in the month, without those that the owner's row still counts.
        pub links_created: i64,
        /// Number of links at the end of the month or at the owner's deletion. `None` before.
        pub links: Option<i64>,
        /// Clicks of the closed days, and those of deleted links.
        pub clicks: i64,
        /// Links deleted in the month. `None` if the month was closed by a version that did not count
        /// them, or if it is open and no link was deleted.
        pub links_deleted: Option<i64>,
        /// Name of the plan at the close of the month or at the owner's deletion. `None` before, and if
        /// the month was closed by a version that did not keep it.
        pub plan: Option<String>,
    }

    /// Row with the requests of an owner that an instance has counted in a month.
    usage_request = "usage_requests" {
        /// Number of the month, such as 202601.
        #[sea_orm(primary_key, auto_increment = false)]
        pub month: i64,
        #[sea_orm(primary_key, auto_increment = false)]
        pub owner_id: i64,
        #[sea_orm(primary_key, auto_increment = false)]
        pub instance_id: i64,
        pub requests: i64,
    }

    /// A row of a webhook.
    webhook = "webhooks" {
        #[sea_orm(primary_key)]
        pub id: i64,
        pub owner_id: i64,
        pub url: String,
        /// Names of the types that it wants, separated by blanks.
        pub types: String,
        pub description: Option<String>,
        pub is_enabled: bool,
        /// Why the service disabled it: `gone`, `failing` or `operator`.
        pub disabled_reason: Option<String>,
        /// The secret with its prefix, in clear, because each signature needs it.
        pub secret: String,
        /// Time at which the secret was made.
        pub secret_at: Timestamp,
        /// The secret before that one.
        pub previous_secret: Option<String>,
        /// Time of creation.
        pub created_at: Timestamp,
        pub last_success_at: Option<Timestamp>,
        pub last_failure_at: Option<Timestamp>,
        /// Time of the first failure since the last success.
        pub failing_since: Option<Timestamp>,
        /// Number of deliveries that were dropped because too many waited.
        pub dropped: i64,
    }

    /// Row of such a link.
    webhook_click = "webhook_clicks" {
        #[sea_orm(primary_key, auto_increment = false)]
        pub link_id: i64,
        pub owner_id: i64,
    }

    /// A row of a delivery, from which its body is made at each attempt.
    webhook_delivery = "webhook_deliveries" {
        #[sea_orm(primary_key)]
        pub id: i64,
        pub webhook_id: i64,
        #[sea_orm(column_name = "type")]
        pub kind: String,
        /// Identifier of the link that it is about. Deliveries about deleted or several links have none.
        pub link_id: Option<i64>,
        pub event_id: Option<i64>,
        /// Values that no other table has, as JSON. `None` if there are none, or if they were erased.
        pub content: Option<String>,
        pub created_at: Timestamp,
        pub status: String,
        pub next_attempt_at: Option<Timestamp>,
        /// The last ones, as JSON.
        pub attempts: String,
        pub attempt_count: i64,
    }
}

impl Related<owner::Entity> for api_key::Entity {
    fn to() -> RelationDef {
        Self::belongs_to(owner::Entity).from(api_key::Column::OwnerId).to(owner::Column::Id).into()
    }
}

impl api_key::Model {
    /// Returns whether the key is neither revoked nor expired.
    pub fn is_valid(&self, now: Timestamp) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|expiry| expiry > now)
    }
}

impl api_key::Entity {
    /// Selects the rows of one owner.
    pub fn of(owner_id: i64) -> Select<Self> {
        Self::find().filter(api_key::Column::OwnerId.eq(owner_id))
    }
}

impl Related<owner::Entity> for domain::Entity {
    fn to() -> RelationDef {
        Self::belongs_to(owner::Entity).from(domain::Column::OwnerId).to(owner::Column::Id).into()
    }
}

impl domain::Model {
    /// Returns the rank of the domain among those of its owner. The lowest one is the default.
    pub fn rank(&self) -> (Reverse<Option<Timestamp>>, Timestamp, &str) {
        (Reverse(self.default_at), self.created_at, &self.host)
    }
}

impl idempotency_key::Entity {
    /// Selects the rows of one owner.
    pub fn of(owner_id: i64) -> Select<Self> {
        Self::find().filter(idempotency_key::Column::OwnerId.eq(owner_id))
    }
}

impl Related<plan::Entity> for owner::Entity {
    fn to() -> RelationDef {
        Self::belongs_to(plan::Entity).from(owner::Column::Plan).to(plan::Column::Name).into()
    }
}

impl owner::Model {
    /// Returns an owner without links who is not stored yet.
    pub fn new(name: &str, plan: &str, external_id: Option<&str>, created_at: Timestamp) -> Self {
        Self {
            id: 0,
            name: name.to_owned(),
            plan: plan.to_owned(),
            link_count: 0,
            created_day: 0,
            created_today: 0,
            // The first creation sets it to a month that is not closed.
            created_month: 0,
            created_in_month: 0,
            suspended_reason: None,
            created_at,
            fallback_url: None,
            suspended_at: None,
            external_id: external_id.map(str::to_owned),
        }
    }

    /// Returns the reason and the time of the suspension. The time is `None` if an earlier version
    /// suspended the owner. Such a version also leaves the time when it resumes an owner.
    pub fn suspended(&self) -> Option<(Reason, Option<Timestamp>)> {
        self.suspended_reason.map(|reason| (reason, self.suspended_at))
    }
}

impl webhook::Entity {
    /// Selects the rows of one owner.
    pub fn of(owner_id: i64) -> Select<Self> {
        Self::find().filter(webhook::Column::OwnerId.eq(owner_id))
    }
}

impl webhook_delivery::Entity {
    /// Selects the rows of one webhook.
    pub fn of(webhook_id: i64) -> Select<Self> {
        Self::find().filter(webhook_delivery::Column::WebhookId.eq(webhook_id))
    }
}
