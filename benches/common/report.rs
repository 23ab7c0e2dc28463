//! Tables of results.

use super::measure::Measured;
use super::processor::Machine;
use super::rounds::Rounds;

/// Prints the medians of each server, and its ratio to the first server, the baseline. `batches` is
/// the heading of the column of batch sizes.
pub fn print(what: &str, batches: &str, names: &[&str], rounds: &Rounds, ratios_only: bool) {
    let Rounds { servers, machines } = rounds;
    if ratios_only {
        for (name, measured) in names.iter().zip(servers).skip(1) {
            println!("{what}, {name}: {:.2}", median(&ratios(measured, &servers[0])));
        }
        return;
    }
    let width = names.iter().map(|name| name.len()).max().unwrap_or(0);
    println!("\n{what}");
    println!(
        "  {:width$} {:>10}{:>10}{:>10}{:>12}{:>20}{:>16}",
        "", "requests/s", "p50 µs", "p99 µs", "s/100,000", "ratio (range)", batches
    );
    for (number, (name, measured)) in names.iter().zip(servers).enumerate() {
        let middle =
            |field: fn(&Measured) -> f64| median(&measured.iter().map(field).collect::<Vec<f64>>());
        print!(
            "  {name:width$} {:>10.0}{:>10.0}{:>10.0}{:>12.2}",
            middle(|one| one.rate),
            middle(|one| one.p50),
            middle(|one| one.p99),
            middle(|one| one.cpu),
        );
        if number > 0 {
            print!("{:>20}", median_and_range(&ratios(measured, &servers[0])));
        }
        if middle(|one| one.batches) > 0.0 {
            print!("{:>16.1}", middle(|one| one.rate / one.batches));
        }
        println!();
    }
    let own: Vec<f64> = servers.iter().flatten().map(|one| one.load_cpu).collect();
    let share = |field: fn(&Machine) -> f64| {
        100.0 * median(&machines.iter().map(field).collect::<Vec<f64>>())
    };
    println!(
        "  the load: {:.2} s/100,000; of the machine, idle servers: {:.1} %, other processes: {:.0} %",
        median(&own),
        share(|machine| machine.idle_server_share),
        share(|machine| machine.others),
    );
}

/// Returns a number of connections as text, such as "16 connections".
pub fn connections(count: u16) -> String {
    if count == 1 { "1 connection".to_owned() } else { format!("{count} connections") }
}

/// Returns the median, and the range from the minimum to the maximum.
pub fn median_and_range(values: &[f64]) -> String {
    let min = values.iter().copied().fold(f64::INFINITY, f64::min);
    let max = values.iter().copied().fold(0.0, f64::max);
    format!("{:.2} ({min:.2}–{max:.2})", median(values))
}

/// Returns the ratio of the request rate to the baseline's for each round.
pub fn ratios(measured: &[Measured], baseline: &[Measured]) -> Vec<f64> {
    measured.iter().zip(baseline).map(|(one, baseline)| one.rate / baseline.rate).collect()
}

pub fn median(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    let (middle, is_odd) = (values.len() / 2, values.len() % 2 == 1);
    if is_odd { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 }
}
