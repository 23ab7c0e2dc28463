//! Random operator commands, creations and clicks on two servers, killed at random, and a model
//! that must agree with the program afterwards.
//!
//! Each round runs commands one after another, while clients create and visit links. The test kills
//! some of the commands, and one of the servers in some rounds. A killed command has recorded its
//! event together with its change, or neither; the history tells which. A client repeats a creation
//! that had no response with the same idempotency key. Only a click without a response may count or
//! not. Everything else in the model is exact.
//!
//! `TEST_SEED` repeats the random choices of a run, which prints its seed. The operating system
//! decides how the processes overlap.

mod choice;
mod clients;
mod commands;
mod compare;
mod effect;
mod operator;
mod owners;
mod replay;
mod round;
mod time;
mod undo;
mod world;

use std::io::Write as _;

use rand::Rng as _;
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;

use owners::OwnerRounds;
use round::Rounds;

/// Returns the seed in `TEST_SEED`, or a random one, and prints it in a way that the test runner
/// does not capture.
pub(crate) fn seed() -> u64 {
    let seed = match std::env::var("TEST_SEED") {
        Ok(text) => text.parse().expect("TEST_SEED is a number"),
        Err(_) => UnwrapErr(SysRng).next_u64(),
    };
    let _ = writeln!(std::io::stderr(), "model: TEST_SEED={seed}");
    seed
}

fn run_rounds(rounds: usize) {
    let mut all = Rounds::new(seed());
    for _ in 0..rounds {
        all.run();
    }
    all.finish();
}

#[test]
fn program_agrees_with_the_model_after_random_changes_and_kills() {
    run_rounds(3);
}

#[test]
#[ignore = "long"]
fn program_agrees_with_the_model_after_thirty_rounds() {
    run_rounds(30);
}

/// Owners' programs change links over HTTP while the operator does, in rounds of their own.
fn run_rounds_with_programs(rounds: usize) {
    let mut all = OwnerRounds::new(seed());
    for _ in 0..rounds {
        all.run();
    }
    all.finish();
}

#[test]
fn links_agree_with_the_history_after_changes_by_programs_and_the_operator() {
    run_rounds_with_programs(2);
}

#[test]
#[ignore = "long"]
fn links_agree_with_the_history_after_thirty_rounds() {
    run_rounds_with_programs(30);
}
