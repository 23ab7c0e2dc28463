//! Counts the bytes and fields that the readers look at, for tests of the work per byte.

#[cfg(test)]
use std::cell::Cell;

#[cfg(test)]
thread_local! {
    static STEPS: Cell<usize> = const { Cell::new(0) };
}

/// Adds steps to the count of this thread. It does nothing outside tests.
pub(crate) fn count(steps: usize) {
    #[cfg(test)]
    STEPS.set(STEPS.get() + steps);
    #[cfg(not(test))]
    let _ = steps;
}

/// Returns the count of this thread, and resets it.
#[cfg(test)]
pub(crate) fn take() -> usize {
    STEPS.take()
}
