//! Random choices.

use std::time::Duration;

use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::{Value, json};

use super::commands::{BlockVerb, Command, LinkVerb, Options, Row, Selectors};
use super::time::after;
use super::world::World;

/// Hosts of destinations.
const HOSTS: [&str; 5] =
    ["shop.example", "www.shop.example", "news.example", "a.b.news.example", "other.example"];
const PATHS: [&str; 4] = ["/", "/deep", "/deep/er", "/x"];
const CAMPAIGNS: [&str; 3] = ["spring", "summer", "winter"];
/// Patterns of blocks and exceptions. Some cover a part of what another covers, and take precedence
/// there.
const PATTERNS: [&str; 6] = [
    "shop.example",
    "www.shop.example",
    "news.example",
    "b.news.example",
    "www.shop.example/deep",
    "news.example/x",
];
/// Few reasons, so that values often come back after other changes, which undo must notice.
const REASONS: [&str; 2] = ["legal", "spam"];
/// Number of links that commands choose most often, so that several events change the same link.
const FAVOURITES: usize = 4;
/// Time until a link expires; long enough for a command on a busy machine.
const SOON: Duration = Duration::from_secs(6);
/// Number of links of a large import, which bulk commands change in more than one slice.
const MANY: usize = 270;

/// What an operator can name in a command.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    pub(super) codes: Vec<String>,
    pub(super) owners: Vec<String>,
    pub(super) keys: Vec<i64>,
    pub(super) events: Vec<i64>,
    /// An owner on a large plan, if it has few links.
    pub(super) to_fill: Option<String>,
}

/// A source of random choices.
pub(super) struct Choice(StdRng);

impl Choice {
    pub(super) fn new(seed: u64) -> Self {
        Self(StdRng::seed_from_u64(seed))
    }

    /// Returns another, independent source.
    pub(super) fn fork(&mut self) -> Self {
        Self::new(self.0.random())
    }

    /// Returns `true` in this percentage of all cases.
    pub(super) fn percent(&mut self, percentage: u32) -> bool {
        self.0.random_ratio(percentage, 100)
    }

    pub(super) fn below(&mut self, limit: usize) -> usize {
        self.0.random_range(0..limit)
    }

    pub(super) fn one<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        all.choose(&mut self.0).expect("a choice")
    }

    pub(super) fn millis(&mut self, from: u64, to: u64) -> Duration {
        Duration::from_millis(self.0.random_range(from..to))
    }

    pub(super) fn destination(&mut self) -> String {
        format!("https://{}{}", self.one(&HOSTS), self.one(&PATHS))
    }

    pub(super) fn campaign(&mut self) -> Option<String> {
        self.percent(60).then(|| (*self.one(&CAMPAIGNS)).to_owned())
    }

    /// Returns a time of expiry, which comes soon or not at all.
    pub(super) fn expiry(&mut self) -> Option<String> {
        match self.below(10) {
            0 => Some(after(SOON)),
            1 => Some("2999-12-31T23:59:59.000Z".to_owned()),
            _ => None,
        }
    }

    pub(super) fn options(&mut self, case: String) -> Options {
        let is_killed = self.percent(30);
        Options {
            case,
            reason: self.percent(50).then(|| *self.one(&REASONS)),
            note: self.percent(20).then(|| "a note".to_owned()),
            is_dry_run: self.percent(10),
            kill_after: is_killed.then(|| Duration::from_micros(self.0.random_range(0..60_000))),
        }
    }

    /// Returns a random command. `number` makes new names distinct; `deletes` allows deletions.
    pub(super) fn command(&mut self, names: &Names, number: &str, deletes: bool) -> Command {
        let owner = self.one(&names.owners).clone();
        match self.below(100) {
            0..36 => {
                let verbs = [
                    LinkVerb::Disable,
                    LinkVerb::Enable,
                    LinkVerb::Pause,
                    LinkVerb::Unpause,
                    LinkVerb::Delete,
                ];
                let verb = *self.one(&verbs[..if deletes { 5 } else { 4 }]);
                Command::Link { verb, selectors: self.selectors(names) }
            }
            36..48 => Command::Edit { code: self.code(names), edit: self.edit(number) },
            48..54 => Command::Suspend { name: owner },
            54..62 => Command::Resume { name: owner },
            62..66 => {
                let is_taken = self.percent(20);
                let new =
                    if is_taken { self.one(&names.owners).clone() } else { format!("n{number}") };
                Command::Rename { name: owner, new }
            }
            66..69 if deletes => Command::OwnerDelete { name: owner },
            66..78 => self.block(),
            78..90 => {
                let is_unknown = self.percent(5) || names.events.is_empty();
                // An undo often chooses a recent event, because fewer later events have changed the
                // same things.
                let newest = names.events.len().saturating_sub(12);
                let some = if self.percent(70) { &names.events[newest..] } else { &names.events };
                Command::Undo { event: if is_unknown { 999_999 } else { *self.one(some) } }
            }
            90..93 => Command::KeyAdd { owner },
            93..95 if self.percent(40) => Command::KeyRevokeAll { owner },
            93..95 => {
                let ids = (0..=self.below(2)).map(|_| *self.one(&names.keys));
                Command::KeyRevoke { ids: ids.collect() }
            }
            _ => self.import(names, owner, number),
        }
    }

    fn code(&mut self, names: &Names) -> String {
        match self.below(100) {
            0..3 => "unknown".to_owned(),
            3..50 => self.one(&names.codes[..FAVOURITES.min(names.codes.len())]).clone(),
            _ => self.one(&names.codes).clone(),
        }
    }

    fn selectors(&mut self, names: &Names) -> Selectors {
        let mut selectors = Selectors::default();
        let owner = |choice: &mut Self| Some(choice.one(&names.owners).clone());
        match self.below(12) {
            0..4 => selectors.codes = vec![self.code(names)],
            4 => selectors.codes = (0..5).map(|_| self.code(names)).collect(),
            5 => {
                selectors.codes = (0..20).map(|_| self.one(&names.codes).clone()).collect();
                selectors.is_from_file = true;
                selectors.owner = if self.percent(50) { owner(self) } else { None };
            }
            6 => selectors.owner = owner(self),
            7 => selectors.campaign = Some((*self.one(&CAMPAIGNS)).to_owned()),
            8 => selectors.host = Some((*self.one(&HOSTS)).to_owned()),
            9 => selectors.destination = Some(self.destination()),
            10 => {
                selectors.host = Some("news.example".to_owned());
                selectors.campaign = Some((*self.one(&CAMPAIGNS)).to_owned());
            }
            _ => {
                selectors.owner = owner(self);
                selectors.host = Some("example".to_owned());
                selectors.campaign = Some((*self.one(&CAMPAIGNS)).to_owned());
            }
        }
        selectors
    }

    fn edit(&mut self, number: &str) -> Vec<(&'static str, Value)> {
        let edits = [
            ("destination_url", json!(self.destination())),
            (
                "title",
                if self.percent(70) { json!(format!("edited {number}")) } else { Value::Null },
            ),
            ("campaign", json!(self.campaign())),
            ("expires_at", json!(self.expiry())),
        ];
        let first = self.below(edits.len());
        let chosen = edits.into_iter().enumerate();
        chosen.filter(|(at, _)| *at == first || self.percent(25)).map(|(_, edit)| edit).collect()
    }

    fn block(&mut self) -> Command {
        let verb =
            *self.one(&[BlockVerb::Add, BlockVerb::Allow, BlockVerb::Remove, BlockVerb::Remove]);
        let patterns = (0..=self.below(2)).map(|_| (*self.one(&PATTERNS)).to_owned()).collect();
        let has_end = verb == BlockVerb::Add && self.percent(30);
        Command::Block { verb, patterns, until: has_end.then_some("2999-01-01T00:00:00.000Z") }
    }

    fn import(&mut self, names: &Names, owner: String, number: &str) -> Command {
        let (owner, count) = match &names.to_fill {
            Some(owner) => (owner.clone(), MANY),
            None => (owner, 1 + self.below(6)),
        };
        let mut rows: Vec<Row> = Vec::new();
        for row in 0..count {
            let code = format!("i{number}-{row}");
            let is_taken = row == 0 && count < MANY && self.percent(30);
            rows.push(Row {
                code: if is_taken { self.one(&names.codes).clone() } else { code },
                // No other link has this destination, so a code in use is a conflict.
                destination: format!("{}?{number}", self.destination()),
                campaign: self.campaign(),
                clicks: self.0.random_range(0..4),
                is_active: self.percent(80),
                expires_at: self.expiry(),
            });
        }
        Command::Import { owner, rows }
    }
}

impl Names {
    /// Returns the names in the model. `large` is the plan whose owners can be filled.
    pub(super) fn new(world: &World, large: &str) -> Self {
        let owners = || world.owners.iter().enumerate().filter(|(_, owner)| !owner.is_deleted);
        let is_short = |at: usize| world.links_of(at).count() < MANY / 3;
        let to_fill = owners().find(|(at, owner)| owner.plan == large && is_short(*at));
        // The codes of all links that are not deleted, and of some that are.
        let live = world.live().map(|(code, _)| code.clone());
        let deleted = world.links.iter().filter(|(_, link)| link.is_deleted).rev().take(10);
        Self {
            codes: live.chain(deleted.map(|(code, _)| code.clone())).collect(),
            owners: owners().map(|(_, owner)| owner.name.clone()).collect(),
            keys: owners().flat_map(|(_, owner)| owner.keys.keys().copied()).collect(),
            events: world.events.keys().copied().collect(),
            to_fill: to_fill.map(|(_, owner)| owner.name.clone()),
        }
    }
}
