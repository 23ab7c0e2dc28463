//! The links of the benchmark, and which of them each filter selects.

use std::io::Write;

use bench_common::Result;
use bench_common::visits::traffic::code;

/// Time of creation of the first link, in seconds since the Unix epoch: 1 January 2020.
const FIRST: i64 = 1_577_836_800;

/// A link, by its number in the order of creation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Link(pub(crate) u32);

impl Link {
    pub(crate) fn code(self) -> String {
        code(self.0)
    }

    fn campaign(self) -> String {
        // One campaign has more links than a request may read, whatever their number.
        if self.0.is_multiple_of(2) { "c0".to_owned() } else { format!("c{}", 1 + self.0 % 7) }
    }

    fn title(self) -> &'static str {
        if self.0.is_multiple_of(1_009) { "A Needle in it" } else { "An article" }
    }

    fn destination(self) -> String {
        let host = if self.0.is_multiple_of(4_999) { "rare.example" } else { "example.org" };
        format!("https://{host}/articles/{}?utm_source=newsletter", self.code())
    }

    fn is_disabled(self) -> bool {
        self.0.is_multiple_of(9_001)
    }

    fn is_paused(self) -> bool {
        self.0.is_multiple_of(7_001)
    }

    fn has_expired(self) -> bool {
        self.0.is_multiple_of(5_003)
    }

    fn created(self) -> i64 {
        FIRST + i64::from(self.0)
    }

    fn state(self) -> &'static str {
        if self.is_disabled() {
            "disabled"
        } else if self.is_paused() {
            "paused"
        } else if self.has_expired() {
            "expired"
        } else {
            "active"
        }
    }
}

/// Writes the links as a file to import.
pub(crate) fn write(to: &mut impl Write, links: u32) -> Result<()> {
    writeln!(
        to,
        "short_code,destination_url,title,campaign,is_active,is_paused,created_at,expires_at"
    )?;
    for link in (0..links).map(Link) {
        let expires_at = if link.has_expired() { "2021-01-01" } else { "" };
        writeln!(
            to,
            "{},{},{},{},{},{},{},{expires_at}",
            link.code(),
            link.destination(),
            link.title(),
            link.campaign(),
            u8::from(!link.is_disabled()),
            u8::from(link.is_paused()),
            link.created(),
        )?;
    }
    Ok(())
}

/// A filter: its query, and the links that it selects.
pub(crate) struct Filter {
    pub(crate) query: String,
    selects: Box<dyn Fn(Link) -> bool>,
}

impl Filter {
    fn new(query: impl Into<String>, selects: impl Fn(Link) -> bool + 'static) -> Self {
        Self { query: query.into(), selects: Box::new(selects) }
    }

    /// Returns the codes of the selected links, newest first.
    pub(crate) fn codes(&self, links: u32) -> impl Iterator<Item = String> {
        (0..links).rev().map(Link).filter(|link| (self.selects)(*link)).map(Link::code)
    }
}

/// Returns a filter for each parameter, and one for two of them. Some select many links and some
/// few.
pub(crate) fn selective(links: u32) -> Vec<Filter> {
    let middle = Link(links / 2);
    let time = humantime::format_rfc3339_seconds(
        std::time::UNIX_EPOCH + std::time::Duration::from_secs(middle.created().cast_unsigned()),
    );
    let state =
        |name: &'static str| Filter::new(format!("state={name}"), move |link| link.state() == name);
    vec![
        Filter::new("", |_| true),
        Filter::new("campaign=c3", |link| link.campaign() == "c3"),
        state("disabled"),
        state("paused"),
        state("expired"),
        Filter::new("host=rare.example", |link| link.destination().contains("//rare.example/")),
        Filter::new(
            format!("destination_url={}", middle.destination().replace('?', "%3F")),
            move |link| link == middle,
        ),
        Filter::new("q=needle", |link| link.title().contains("Needle")),
        Filter::new(format!("created_after={time}"), move |link| link.0 >= middle.0),
        Filter::new(format!("created_before={time}"), move |link| link.0 < middle.0),
        Filter::new("campaign=c3&q=needle", |link| {
            link.campaign() == "c3" && link.title().contains("Needle")
        }),
    ]
}

/// Queries that select no link, so that a request reads as many rows as it may: one for each
/// parameter.
pub(crate) const EMPTY: [&str; 7] = [
    "campaign=c0&q=nothing",
    "state=blocked",
    "host=nothing.example",
    "destination_url=https://nothing.example/",
    "q=nothing",
    "created_after=2999-01-01T00:00:00Z",
    "created_before=1980-01-01T00:00:00Z",
];
