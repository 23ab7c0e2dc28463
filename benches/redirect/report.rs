//! What is printed.

use crate::measure::{Cell, Measured};
use crate::processor::Machine;
use crate::traffic::Spread;

/// Prints what was measured by server and round; the first server is the floor.
pub(crate) fn print(
    cell: &Cell,
    names: &[&str],
    rounds: &[Vec<Measured>],
    machines: &[Machine],
    ratios_only: bool,
) {
    let what = title(cell);
    if ratios_only {
        for (name, measured) in names.iter().zip(rounds).skip(1) {
            println!("{what}, {name}: {:.2}", median(&ratios(measured, &rounds[0])));
        }
        return;
    }
    println!("\n{what}");
    println!(
        "  {:<11}{:>11}{:>10}{:>10}{:>12}{:>20}{:>16}",
        "", "requests/s", "p50 µs", "p99 µs", "s/100,000", "ratio (range)", "clicks a batch"
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

fn title(Cell { spread, links, connections }: &Cell) -> String {
    let spread = match spread {
        Spread::Uniform => format!("uniform over {links} links"),
        Spread::Zipf => format!("Zipf over {links} links"),
        Spread::Hot => "one hot link".to_owned(),
    };
    let connections = if *connections == 1 {
        "1 connection".to_owned()
    } else {
        format!("{connections} connections")
    };
    format!("{spread}, {connections}")
}

/// Of each round to the floor in the same round.
fn ratios(measured: &[Measured], floor: &[Measured]) -> Vec<f64> {
    measured.iter().zip(floor).map(|(one, floor)| one.rate / floor.rate).collect()
}

fn median(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    let (middle, is_odd) = (values.len() / 2, values.len() % 2 == 1);
    if is_odd { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 }
}
