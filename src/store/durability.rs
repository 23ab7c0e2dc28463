//! Durability of committed transactions.

/// Kind of failure that a committed transaction survives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// A crash of the process. PostgreSQL commits are always durable across a power loss too.
    ProcessDeath,
    /// A power loss: SQLite flushes its log to disk before the commit returns.
    PowerLoss,
}
