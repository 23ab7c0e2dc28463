//! `GET /api/manage/v1/owner`

use crate::domain::owners;
use crate::http::objects::account::Owner;
use crate::http::prelude::*;

/// The operations.
pub(super) const OPERATIONS: &[Operation] =
    &[Operation::new("getOwner", Permission::AnyKey, "The owner of the API key.")];

/// The owner of the key.
#[derive(Debug, Default)]
pub struct OwnerApi;

#[OpenApi(prefix_path = "/api/manage/v1", tag = "ManageTag::Owner")]
impl OwnerApi {
    /// Read the owner of the key
    ///
    /// Returns the owner of the API key, what the owner's plan allows and what the owner uses of it.
    /// Keys of every scope may call this operation; for those of the scope `create`, `usage` and `domains`
    /// are null.
    #[oai(path = "/owner", method = "get", operation_id = "getOwner")]
    async fn get_owner(&self, caller: Caller) -> OperationResult<OkResponse<Owner>> {
        let Caller { owner_id, key_id, scope, .. } = caller;
        let (now, is_reader) = (caller.app.store.now(), scope.allows(Permission::Read));
        let account = owners::account(&caller.app.store, owner_id, key_id, is_reader, now).await?;
        let account = account.ok_or_else(Problem::unknown_key)?;
        Ok(OkResponse::new(account))
    }
}
