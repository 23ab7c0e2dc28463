//! What is printed.

use super::measure::Measured;
use super::processor::Machine;

/// Prints what was measured by server and round; the first server is the floor. What `batches` are
/// of is the head of their column.
pub(crate) fn print(
    what: &str,
    batches: &str,
    names: &[&str],
    rounds: &[Vec<Measured>],
    machines: &[Machine],
    ratios_only: bool,
) {
    if ratios_only {
        for (name, measured) in names.iter().zip(rounds).skip(1) {
            println!("{what}, {name}: {:.2}", median(&ratios(measured, &rounds[0])));
        }
        return;
    }
    println!("\n{what}");
    println!(
        "  {:<11}{:>11}{:>10}{:>10}{:>12}{:>20}{:>16}",
        "", "requests/s", "p50 µs", "p99 µs", "s/100,000", "ratio (range)", batches
    );
    for (name, measured) in names.iter().zip(rounds) {
        let middle =
            |field: fn(&Measured) -> f64| median(&measured.iter().map(field).collect::<Vec<f64>>());
        print!(
            "  {name:<11}{:>11.0}{:>10.0}{:>10.0}{:>12.2}",
            middle(|one| one.rate),
            middle(|one| one.p50),
            middle(|one| one.p99),
            middle(|one| one.processor),
        );
        if middle(|one| one.batches) > 0.0 {
            let mut ratios = ratios(measured, &rounds[0]);
            let ratio = median(&ratios);
            ratios.sort_by(f64::total_cmp);
            let range = format!("{ratio:.2} ({:.2}–{:.2})", ratios[0], ratios[ratios.len() - 1]);
            print!("{range:>20}{:>16.1}", middle(|one| one.rate / one.batches));
        }
        println!();
    }
    let own: Vec<f64> = rounds.iter().flatten().map(|one| one.load_processor).collect();
    let share = |field: fn(&Machine) -> f64| {
        100.0 * median(&machines.iter().map(field).collect::<Vec<f64>>())
    };
    println!(
        "  the load: {:.2} s/100,000; of the machine, servers that waited: {:.1} %, others: {:.0} %",
        median(&own),
        share(|machine| machine.idle_servers),
        share(|machine| machine.others),
    );
}

/// So many connections, in words.
pub(crate) fn connections(count: u16) -> String {
    if count == 1 { "1 connection".to_owned() } else { format!("{count} connections") }
}

/// Of each round to the floor in the same round.
fn ratios(measured: &[Measured], floor: &[Measured]) -> Vec<f64> {
    measured.iter().zip(floor).map(|(one, floor)| one.rate / floor.rate).collect()
}

pub(crate) fn median(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    let (middle, is_odd) = (values.len() / 2, values.len() % 2 == 1);
    if is_odd { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 }
}
