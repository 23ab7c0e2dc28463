//! All servers in turn, round by round.

use super::Result;
use super::measure::{Measured, Measuring};
use super::processor::Machine;

/// What was measured, by server and round, and of the machine meanwhile.
pub(crate) struct Rounds {
    pub(crate) servers: Vec<Vec<Measured>>,
    pub(crate) machines: Vec<Machine>,
}

impl Rounds {
    /// Has `one` measure a server in a round, given by their numbers, for each of them.
    pub(crate) fn measure<M: Measuring>(
        all: &mut M,
        rounds: u32,
        mut one: impl FnMut(&mut M, usize, u32) -> Result<(Measured, Machine)>,
    ) -> Result<Self> {
        let count = all.servers().len();
        let mut servers: Vec<Vec<Measured>> = (0..count).map(|_| Vec::new()).collect();
        let mut machines = Vec::new();
        for round in 0..rounds {
            for turn in 0..count {
                // Nobody always comes after the same one.
                let which = (turn + round as usize) % count;
                let (measured, machine) = one(all, which, round)?;
                servers[which].push(measured);
                machines.push(machine);
            }
        }
        Ok(Self { servers, machines })
    }
}
