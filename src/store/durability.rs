//! What a committed transaction survives.

/// What a committed transaction survives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// A crash of the process. On PostgreSQL also of the database and its machine.
    ProcessDeath,
    /// Also a power loss: on SQLite the log is flushed to the disk before the commit returns.
    PowerLoss,
}
