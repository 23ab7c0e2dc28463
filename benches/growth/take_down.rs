//! The time of commands that take links down, and the latency of redirects meanwhile.
//!
//! Redirects run at a constant rate, alone and while an operator finds, disables and enables the
//! links with a host. The time of a command is from its start to its end.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use harness::{Outcome, Store};

use crate::matches::{self, HOST, OTHERS_PER_MATCH};
use crate::options::Options;
use crate::results::Results;
use crate::servers::{Filled, Servers};
use bench_common::processor::{self, Clock};
use bench_common::server::{Program, start_instance};
use bench_common::visits::clicks;
use bench_common::visits::constant_rate::{CONNECTIONS, Visit, visit};
use bench_common::visits::traffic::code;
use bench_common::{Result, metrics, report};

/// Duration of the load before a measurement.
const LEAD: Duration = Duration::from_secs(1);
/// Duration of the load after a command, within which it takes effect on all instances.
const TAIL: Duration = Duration::from_millis(1_500);

/// What an operator does during the load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Alone,
    Find,
    Disable,
    Enable,
}

const STEPS: [Step; 4] = [Step::Alone, Step::Find, Step::Disable, Step::Enable];

impl Step {
    fn title(self) -> &'static str {
        match self {
            Self::Alone => "alone",
            Self::Find => "link find",
            Self::Disable => "link disable",
            Self::Enable => "link enable",
        }
    }

    fn arguments(self) -> Option<&'static [&'static str]> {
        match self {
            Self::Alone => None,
            Self::Find => Some(&["link", "find", "--host", HOST, "--json"]),
            Self::Disable => Some(&["link", "disable", "--host", HOST, "--yes", "--json"]),
            Self::Enable => Some(&["link", "enable", "--host", HOST, "--yes", "--json"]),
        }
    }

    /// Returns the number of links that the command reports.
    fn count(self, outcome: Outcome) -> Option<u64> {
        match self {
            Self::Alone => None,
            Self::Find => Some(outcome.done().stdout.lines().count() as u64),
            Self::Disable | Self::Enable => outcome.json()["changed"].as_u64(),
        }
    }
}

/// The measurement of a step.
struct Measured {
    /// Seconds of the command.
    command: f64,
    /// Median latency in milliseconds, from when a request was due to its response.
    p50: f64,
    /// 99th percentile of the latency.
    p99: f64,
    /// Maximum of the latency.
    max: f64,
    /// Seconds from the end of the command to the last response without its effect.
    late: f64,
    /// Share of all CPUs of the processes that do not belong to the benchmark.
    others: f64,
}

type Steps = [Vec<Measured>; STEPS.len()];

/// Measures all servers except the baseline, and prints medians over the rounds.
pub(crate) fn compare(
    servers: &mut Servers,
    options: &Options,
    results: &mut Results,
) -> Result<()> {
    let all = &mut servers.all[1..];
    for filled in all.iter_mut().filter(|filled| filled.store == Some(Store::Postgres)) {
        if let Program::Terse(first) = &filled.server.program {
            let database = Arc::clone(first.database());
            let start = |_| start_instance(&database, &[]);
            filled.server.others = (1..options.instances).map(start).collect();
        }
    }
    let mut measured: Vec<Steps> = all.iter().map(|_| Steps::default()).collect();
    for round in 0..options.common.rounds {
        for turn in 0..all.len() {
            // Each round has another order.
            let which = (turn + round as usize) % all.len();
            all[which].read_file()?;
            for (step, measured) in STEPS.into_iter().zip(&mut measured[which]) {
                let one = one(&mut all[which], step, round, options);
                let one = one.map_err(|error| format!("{}: {error}", all[which].name))?;
                write(results, &all[which], step, round as usize + 1, &one)?;
                measured.push(one);
            }
        }
    }
    if !options.common.check {
        let names: Vec<&str> = all.iter().map(|filled| filled.name.as_str()).collect();
        print(&names, &measured, options);
    }
    Ok(())
}

/// Measures a step on one server once, and checks the database and all responses.
fn one(filled: &mut Filled, step: Step, round: u32, options: &Options) -> Result<Measured> {
    let addresses = filled.server.addresses()?;
    let own = std::process::id();
    let (clock, cpu) = (Clock::now()?, processor::seconds(own, None)?);
    let (visits, started, ended) = run(filled, step, &addresses, round, options)?;
    let (clock_after, cpu) = (Clock::now()?, processor::seconds(own, None)? - cpu);
    let others = (clock_after.taken - clock.taken - cpu) / (clock_after.total - clock.total);

    let is_match = |visit: &&Visit| matches::is_match(visit.link, filled.size);
    if let Some(visit) = visits.iter().find(|visit| !is_match(visit) && !visit.is_redirect) {
        return Err(format!("{} does not redirect", code(visit.link)).into());
    }
    let is_late = |visit: &&Visit| is_match(visit) && visit.is_redirect == (step == Step::Disable);
    let late = visits.iter().filter(is_late).map(|visit| visit.sent).max();
    let late = late.map_or(0.0, |last| last.saturating_duration_since(ended).as_secs_f64());

    let mut redirects = visits.iter().filter(|visit| visit.is_redirect).count() as u64;
    redirects += check_matches(filled, step, &addresses)?;
    if let Some(database) = &filled.server.database {
        clicks::wait_for_rollup(&filled.name, database)?;
    }
    filled.check_after(redirects)?;

    let during = visits.iter().filter(|visit| (started..=ended).contains(&visit.due));
    let mut latencies: Vec<f64> = during.map(|visit| visit.latency().as_secs_f64() * 1e3).collect();
    latencies.sort_by(f64::total_cmp);
    let max = *latencies.last().ok_or("no request was due during the command")?;
    let percentile = |percent: usize| latencies[latencies.len() * percent / 100];
    let (p50, p99) = (percentile(50), percentile(99));
    let command = (ended - started).as_secs_f64();
    Ok(Measured { command, p50, p99, max, late, others })
}

/// Runs the step's command during the load. Returns all visits, and when the command started and
/// ended.
fn run(
    filled: &Filled,
    step: Step,
    addresses: &[SocketAddr],
    round: u32,
    options: &Options,
) -> Result<(Vec<Visit>, Instant, Instant)> {
    let Program::Terse(server) = &filled.server.program else {
        return Err("the baseline has no links to take down".into());
    };
    let rate = options.rate + options.rate / OTHERS_PER_MATCH;
    let seed = u64::from(round) * STEPS.len() as u64 + step as u64;
    let links = matches::visits(filled.size, seed);
    let stop = AtomicBool::new(false);
    let (visits, started, ended, outcome) = std::thread::scope(|scope| {
        let visitors = scope.spawn(|| visit(addresses, rate, links, &stop));
        std::thread::sleep(LEAD);
        let started = Instant::now();
        let outcome = step.arguments().map(|arguments| server.database().terse(arguments));
        if outcome.is_none() {
            std::thread::sleep(Duration::from_secs_f64(options.common.seconds));
        }
        let ended = Instant::now();
        std::thread::sleep(TAIL);
        stop.store(true, Ordering::Relaxed);
        (visitors.join(), started, ended, outcome)
    });
    let visits = visits.map_err(|_| "the load panicked")??;
    let (count, expected) = (outcome.and_then(|outcome| step.count(outcome)), match_count(filled));
    if step != Step::Alone && count != Some(expected) {
        return Err(format!("{expected} links match, the command reports {count:?}").into());
    }
    Ok((visits, started, ended))
}

fn match_count(filled: &Filled) -> u64 {
    matches::all(filled.size).count() as u64
}

/// Checks that each match has the state after this step in the database and on all instances.
/// Returns the number of redirects that this takes.
fn check_matches(filled: &Filled, step: Step, addresses: &[SocketAddr]) -> Result<u64> {
    let expected = if step == Step::Disable { match_count(filled) } else { 0 };
    if let Some(database) = &filled.server.database {
        let disabled = "SELECT COUNT(*) FROM links WHERE disabled_reason IS NOT NULL";
        let disabled = database.number(disabled)?;
        if disabled != Some(i64::try_from(expected)?) {
            return Err(format!("{expected} links are expected, {disabled:?} are disabled").into());
        }
    }
    if !matches!(step, Step::Disable | Step::Enable) {
        return Ok(0);
    }
    let status = if step == Step::Disable { "HTTP/1.1 410 " } else { "HTTP/1.1 302 " };
    let mut redirects = 0;
    for &address in addresses {
        for link in matches::all(filled.size) {
            let response = metrics::get(address, &format!("/{}", code(link)))?;
            if !response.starts_with(status) {
                return Err(
                    format!("{status}is expected, {} returns {response}", code(link)).into()
                );
            }
            redirects += u64::from(step == Step::Enable);
        }
    }
    Ok(redirects)
}

fn print(names: &[&str], measured: &[Steps], options: &Options) {
    let Options { rate, instances, .. } = options;
    println!(
        "\ntake-down at {rate} redirects per second, {}, {instances} instances on PostgreSQL",
        report::connections(CONNECTIONS)
    );
    println!(
        "  {:24}{:>22}{:>22}{:>22}{:>22}{:>22}",
        "", "command s", "p50 ms", "p99 ms", "max ms", "late s"
    );
    for (name, steps) in names.iter().zip(measured) {
        println!("  {name}");
        for (step, measured) in STEPS.iter().zip(steps) {
            let middle = |field: fn(&Measured) -> f64| {
                report::median_and_range(&measured.iter().map(field).collect::<Vec<f64>>())
            };
            println!(
                "    {:22}{:>22}{:>22}{:>22}{:>22}{:>22}",
                step.title(),
                middle(|one| one.command),
                middle(|one| one.p50),
                middle(|one| one.p99),
                middle(|one| one.max),
                middle(|one| one.late),
            );
        }
    }
    let others: Vec<f64> =
        measured.iter().flatten().flatten().map(|one| one.others * 100.0).collect();
    println!("  of the machine, other processes: {} %", report::median_and_range(&others));
}

fn write(
    results: &mut Results,
    filled: &Filled,
    step: Step,
    round: usize,
    one: &Measured,
) -> Result<()> {
    let title = step.title();
    for (what, unit, value) in [
        ("", "s", one.command),
        (", p50", "ms", one.p50),
        (", p99", "ms", one.p99),
        (", max", "ms", one.max),
        (", late", "s", one.late),
    ] {
        let measure = format!("take-down, {title}{what}");
        results.write_round(filled, &measure, unit, round, value, None)?;
    }
    Ok(())
}
