//! The links that are taken down, and visits of them and of others.

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};

/// Host of the destinations of all links that are taken down. It is as long as the host of the
/// other links.
pub(crate) const HOST: &str = "bad.example";

/// Number of links that are taken down, if the database has enough links.
const MATCHES: u32 = 2_000;
/// Maximum number of links that get most of the visits.
const MAX_HOT: u32 = 10_000;
/// Share of the visits that pick any link; the others pick a hot link.
const COLD_SHARE: f64 = 0.1;
/// Number of visits of other links for each visit of a link that is taken down.
pub(crate) const OTHERS_PER_MATCH: u32 = 10;

/// Returns the distance between two neighbouring matches in a database of `links` links.
fn stride(links: u32) -> u32 {
    (links / MATCHES).max(5)
}

/// Returns whether a link is taken down. Matches are spread evenly.
pub(crate) fn is_match(link: u32, links: u32) -> bool {
    let stride = stride(links);
    link % stride == stride - 1
}

/// Returns the links that are taken down.
pub(crate) fn all(links: u32) -> impl Iterator<Item = u32> {
    (0..links).filter(move |&link| is_match(link, links))
}

/// Returns an endless iterator of links to visit.
///
/// It picks matches at random: in the order of their numbers, it would visit the links that a
/// command changes last only seconds later.
pub(crate) fn visits(links: u32, seed: u64) -> impl Iterator<Item = u32> {
    let (mut random, mut count) = (StdRng::seed_from_u64(seed), 0);
    let matches: Vec<u32> = all(links).collect();
    let hot = (links / 10).min(MAX_HOT);
    std::iter::from_fn(move || {
        count += 1;
        if count % (OTHERS_PER_MATCH + 1) == 0 {
            return Some(matches[random.random_range(0..matches.len())]);
        }
        let link = if random.random_bool(COLD_SHARE) {
            random.random_range(0..links)
        } else {
            random.random_range(0..hot) * (links / hot)
        };
        // The link before a match is not a match.
        Some(if is_match(link, links) { link - 1 } else { link })
    })
}
