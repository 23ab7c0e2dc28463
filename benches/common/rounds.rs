//! Rounds, in each of which all servers are measured.

use super::Result;
use super::measure::{Measured, Measuring};
use super::processor::Machine;

/// The measurements of each server in each round, and of the machine meanwhile.
pub struct Rounds {
    pub servers: Vec<Vec<Measured>>,
    pub machines: Vec<Machine>,
}

impl Rounds {
    /// Calls `one` for each server and round, given by their numbers.
    pub fn measure<M: Measuring>(
        all: &mut M,
        rounds: u32,
        mut one: impl FnMut(&mut M, usize, u32) -> Result<(Measured, Machine)>,
    ) -> Result<Self> {
        let count = all.servers().len();
        let mut servers: Vec<Vec<Measured>> = (0..count).map(|_| Vec::new()).collect();
        let mut machines = Vec::new();
        for round in 0..rounds {
            for turn in 0..count {
                // Each round has another order.
                let which = (turn + round as usize) % count;
                let (measured, machine) = one(all, which, round)?;
                servers[which].push(measured);
                machines.push(machine);
            }
        }
        Ok(Self { servers, machines })
    }
}
