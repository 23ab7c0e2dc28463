//! Ranges of days in queries.

use std::ops::RangeInclusive;

use crate::http::problem::Problem;
use crate::http::problem_examples::ProblemExample;
use crate::http::problem_type::ProblemType;
use crate::values::{Day, Timestamp};

/// Maximum number of days in a response.
const MAX_DAYS: i64 = 400;
/// Number of days without parameters.
const DEFAULT_DAYS: i64 = 30;

/// The problem of days in the wrong order, or too many.
pub const TOO_MANY_DAYS: ProblemExample = ProblemExample::new(
    ProblemType::MALFORMED_REQUEST,
    "The days from and to must be in this order, and at most 400.",
);

/// Returns the days of a range: without parameters, the last 30, today included.
///
/// # Errors
/// If the days are in the wrong order, or too many.
pub fn day_range(
    from: Option<Day>,
    to: Option<Day>,
    now: Timestamp,
) -> Result<RangeInclusive<i64>, Problem> {
    let last = to.map_or_else(|| now.day(), Day::number);
    let first = from.map_or(last + 1 - DEFAULT_DAYS, Day::number);
    if (first..first + MAX_DAYS).contains(&last) {
        Ok(first..=last)
    } else {
        Err(TOO_MANY_DAYS.problem())
    }
}
