//! Durability of committed transactions.

/// Failures across which a committed transaction is durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// A crash of the process. PostgreSQL commits are always durable across a power loss too.
    ProcessDeath,
    /// A power loss: SQLite flushes its log to disk before the commit returns.
    PowerLoss,
}
