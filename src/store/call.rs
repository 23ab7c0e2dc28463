//! Statements as values, so that a handle can run a statement again if the first attempt fails.

use sea_orm::{ConnectionTrait, DbErr, ExecResult, QueryResult, Statement};

/// A statement, and which method of [`ConnectionTrait`] runs it.
#[derive(Debug, Clone)]
pub(super) enum Call {
    Execute(Statement),
    ExecuteUnprepared(String),
    QueryOne(Statement),
    QueryAll(Statement),
}

/// The result of a [`Call`].
#[derive(Debug)]
pub(super) enum CallResult {
    Executed(ExecResult),
    Rows(Vec<QueryResult>),
}

impl Call {
    /// Runs the statement on `db` and returns its result.
    pub(super) async fn run(self, db: &impl ConnectionTrait) -> Result<CallResult, DbErr> {
        Ok(match self {
            Self::Execute(statement) => CallResult::Executed(db.execute_raw(statement).await?),
            Self::ExecuteUnprepared(sql) => {
                CallResult::Executed(db.execute_unprepared(&sql).await?)
            }
            Self::QueryOne(statement) => {
                CallResult::Rows(db.query_one_raw(statement).await?.into_iter().collect())
            }
            Self::QueryAll(statement) => CallResult::Rows(db.query_all_raw(statement).await?),
        })
    }
}

impl CallResult {
    pub(super) fn executed(self) -> Result<ExecResult, DbErr> {
        match self {
            Self::Executed(result) => Ok(result),
            Self::Rows(_) => {
                Err(DbErr::Custom("a statement returned rows instead of a result".to_owned()))
            }
        }
    }

    pub(super) fn rows(self) -> Result<Vec<QueryResult>, DbErr> {
        match self {
            Self::Rows(rows) => Ok(rows),
            Self::Executed(_) => {
                Err(DbErr::Custom("a query returned a result instead of rows".to_owned()))
            }
        }
    }
}

/// Implements [`ConnectionTrait`] for a type that has the method `run`. The second argument is the
/// database, or how to get it from a value.
macro_rules! runs_statements {
    ($type:ty, $backend:expr) => {
        runs_statements!($type, self => $backend);
    };
    ($type:ty, $self:ident => $backend:expr) => {
        #[sea_orm::prelude::async_trait::async_trait]
        impl sea_orm::ConnectionTrait for $type {
            fn get_database_backend(&$self) -> sea_orm::DbBackend {
                $backend
            }

            async fn execute_raw(
                &self,
                statement: sea_orm::Statement,
            ) -> Result<sea_orm::ExecResult, sea_orm::DbErr> {
                self.run($crate::store::call::Call::Execute(statement)).await?.executed()
            }

            async fn execute_unprepared(
                &self,
                sql: &str,
            ) -> Result<sea_orm::ExecResult, sea_orm::DbErr> {
                let sql = sql.to_owned();
                self.run($crate::store::call::Call::ExecuteUnprepared(sql)).await?.executed()
            }

            async fn query_one_raw(
                &self,
                statement: sea_orm::Statement,
            ) -> Result<Option<sea_orm::QueryResult>, sea_orm::DbErr> {
                let call = $crate::store::call::Call::QueryOne(statement);
                Ok(self.run(call).await?.rows()?.pop())
            }

            async fn query_all_raw(
                &self,
                statement: sea_orm::Statement,
            ) -> Result<Vec<sea_orm::QueryResult>, sea_orm::DbErr> {
                self.run($crate::store::call::Call::QueryAll(statement)).await?.rows()
            }
        }
    };
}
pub(super) use runs_statements;
