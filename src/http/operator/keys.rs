//! `/api/operator/v1/owners/{id}/keys`, `/api/operator/v1/keys/{id}` and `/api/operator/v1/key-search`

use crate::domain::keys::{self, KeyOwner, KeySelection};
use crate::domain::owners;
use crate::http::objects::fields::{KeySegment, OwnerSegment};
use crate::http::objects::key::{CreatedKey, Key, KeyCreate, KeySearch, KeyUpdate};
use crate::http::objects::owned::Owned;
use crate::http::prelude::*;

/// The operations.
pub(super) const OPERATIONS: &[Operation] = &[
    Operation::new("listKeys", READ, "A page of the owner's keys."),
    Operation::new("createKey", PROVISION, "The key with its secret, which nothing else shows.")
        .with(&[
            ProblemExample::KEY_LIMIT_REACHED,
            ProblemExample::EXPIRY_PASSED,
            ProblemExample::KEY_REUSED,
            ProblemExample::SECRET_UNAVAILABLE,
            ProblemExample::invalid("/label", "must not contain control characters"),
        ]),
    Operation::new("getKey", READ, "The key, without its secret."),
    Operation::new("updateKey", PROVISION, "The key, without its secret.").with(&[
        ProblemExample::KEY_LIMIT_REACHED,
        ProblemExample::invalid("/label", "must not contain control characters"),
    ]),
    Operation::new("revokeKey", PROVISION, "The key is revoked."),
    Operation::new("findKey", READ, "The key, without its secret.").with(&[
        ProblemExample::KEY_NOT_FOUND,
        ProblemExample::invalid("/secret", "is not an API key of Terse"),
    ]),
];

path_location!(KeyLocation, "/api/operator/v1/keys/12");

/// API keys of owners.
#[derive(Debug, Default)]
pub struct KeysApi;

#[OpenApi(prefix_path = "/api/operator/v1", tag = "OperatorTag::Keys")]
impl KeysApi {
    /// List the keys of an owner
    ///
    /// Returns the API keys of an owner, newest first, revoked and expired ones included. The server
    /// stores no secret, so it cannot show one.
    #[oai(path = "/owners/:id/keys", method = "get", operation_id = "listKeys")]
    async fn list_keys(
        &self,
        caller: OperatorCaller,
        /// The identifier of the owner.
        Path(id): Path<OwnerSegment>,
        Parameter(limit): Parameter<Limit>,
        Parameter(cursor): Parameter<Cursor>,
    ) -> OperationResult<ListResponse<List<Owned<Key>>, NextPathLink>> {
        let owner = owners::get(&caller.app.store, id.parsed()?.into()).await?;
        caller.concerns(&owner.name);
        let path = format!("/api/operator/v1/owners/{}/keys", owner.id);
        let page = caller.page(path, Vec::new(), limit, cursor)?;
        let found = keys::page(&caller.app.store, owner.id, page.request()).await?;
        Ok(page.response(found))
    }

    /// Create a key of an owner
    ///
    /// Creates an API key. Its secret is in this response and nowhere else: the server stores only a
    /// hash of it. An owner has at most 100 valid keys.
    ///
    /// With `Idempotency-Key`, a repetition with the same operator key within 24 hours returns the same
    /// secret again, as long as the created key is valid; with another operator key, 409
    /// `secret-unavailable`.
    #[oai(path = "/owners/:id/keys", method = "post", operation_id = "createKey")]
    async fn create_key(
        &self,
        caller: OperatorCaller,
        /// The identifier of the owner.
        Path(id): Path<OwnerSegment>,
        /// The key to create.
        JsonBody(body): JsonBody<KeyCreate>,
        #[oai(name = "Idempotency-Key")] idempotency_key: IdempotencyKeyHeader,
    ) -> OperationResult<AddedResponse<Owned<CreatedKey>, KeyLocation>> {
        let app = &caller.app;
        let id = id.parsed()?;
        let (new, audit) = body.into();
        let change = caller.change(audit);
        let fingerprint = || new.fingerprint(&format!("keys of {id}"), &change);
        let request = idempotency_key.for_request(&app.base_url, fingerprint);
        let (repeatable, rng) = (caller.repeatable(request.as_ref()), &mut app.randomness());
        let owner = KeyOwner::Chosen(id.into());
        let created = keys::create(&app.store, owner, &new, repeatable, &change, rng).await?;
        let info = &created.value.info;
        caller.concerns(&info.owner);
        let location = KeyLocation(format!("/api/operator/v1/keys/{}", info.key.id));
        Ok(AddedResponse::new(created.value, location, created.event, created.is_replay))
    }

    /// Read a key of any owner
    ///
    /// Returns an API key with its owner, without its secret.
    #[oai(path = "/keys/:id", method = "get", operation_id = "getKey")]
    async fn get_key(
        &self,
        caller: OperatorCaller,
        /// The identifier of the key.
        Path(id): Path<KeySegment>,
    ) -> OperationResult<TaggedResponse<Owned<Key>>> {
        let key = keys::get(&caller.app.store, Realm::Everyone, id.parsed()?).await?;
        caller.concerns(&key.owner);
        Ok(TaggedResponse::new(key))
    }

    /// Change a key
    ///
    /// Changes the label or the expiry of an API key. Servers follow within a second: if the new expiry has
    /// passed, the key is invalid at once.
    #[oai(path = "/keys/:id", method = "patch", operation_id = "updateKey")]
    async fn update_key(
        &self,
        caller: OperatorCaller,
        /// The identifier of the key.
        Path(id): Path<KeySegment>,
        /// The new values.
        MergePatch(update): MergePatch<KeyUpdate>,
        #[oai(name = "If-Match")] if_match: IfMatch,
    ) -> OperationResult<ChangedResponse<Owned<Key>>> {
        let (edit, audit) = update.into();
        let change = caller.change(audit).only_if(if_match.0);
        let (realm, id) = (Realm::Everyone, id.parsed()?);
        let edited = keys::edit(&caller.app.store, realm, id, &edit, &change).await?;
        caller.concerns(&edited.value.owner);
        Ok(ChangedResponse::new(edited.value, edited.event))
    }

    /// Revoke a key
    ///
    /// Deletes the rights of an API key permanently; servers reject it within a second. Revoking a key
    /// again returns 404.
    #[oai(path = "/keys/:id", method = "delete", operation_id = "revokeKey")]
    async fn revoke_key(
        &self,
        caller: OperatorCaller,
        /// The identifier of the key.
        Path(id): Path<KeySegment>,
        #[oai(name = "If-Match")] if_match: IfMatch,
        Parameter(reason): Parameter<Reason>,
        Parameter(note): Parameter<Note>,
        Parameter(case_id): Parameter<CaseId>,
    ) -> OperationResult<NoContentResponse> {
        let change = caller.change(Audit { reason, note, case_id }).only_if(if_match.0);
        let id = id.parsed()?;
        let revoked = keys::revoke(&caller.app.store, KeySelection::Ids(&[id]), &change).await?;
        revoked.value.iter().for_each(|key| caller.concerns(&key.owner));
        if revoked.changed == 0 {
            return Err(Error::KeyNotFound(id).into());
        }
        Ok(NoContentResponse::new(revoked.event))
    }

    /// Find a key by its secret
    ///
    /// Returns the API key with this secret and its owner, even if the key is no longer valid. The secret
    /// stands in the body, so that no log has it.
    #[oai(path = "/key-search", method = "post", operation_id = "findKey")]
    async fn find_key(
        &self,
        caller: OperatorCaller,
        /// The secret.
        JsonBody(search): JsonBody<KeySearch>,
    ) -> OperationResult<TaggedResponse<Owned<Key>>> {
        let key = keys::find(&caller.app.store, &search.into()).await?;
        caller.concerns(&key.owner);
        Ok(TaggedResponse::new(key))
    }
}
