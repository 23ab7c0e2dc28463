//! `/api/manage/v1/keys`

use crate::domain::keys::{self, KeyOwner};
use crate::http::objects::fields::KeySegment;
use crate::http::objects::key::{CreatedKey, Key, KeyCreate, KeyUpdate};
use crate::http::prelude::*;

/// The operations.
pub(super) const OPERATIONS: &[Operation] = &[
    Operation::new("listKeys", Permission::Full, "A page of the owner's keys."),
    Operation::new(
        "createKey",
        Permission::Full,
        "The key with its secret, which nothing else shows.",
    )
    .with(&[
        ProblemExample::KEY_LIMIT_REACHED,
        ProblemExample::EXPIRY_PASSED,
        ProblemExample::EXPIRY_AFTER_KEY,
        ProblemExample::KEY_REUSED,
        ProblemExample::SECRET_UNAVAILABLE,
        ProblemExample::invalid("/scope", "must be read, create, edit or full")
            .with_code(ErrorCode::NotAllowed),
    ]),
    Operation::new("getKey", Permission::Full, "The key, without its secret."),
    Operation::new("updateKey", Permission::Full, "The key with its new values.").with(&[
        ProblemExample::KEY_LIMIT_REACHED,
        ProblemExample::EXPIRY_PASSED,
        ProblemExample::EXPIRY_AFTER_KEY,
        ProblemExample::invalid("/label", "must not contain control characters"),
    ]),
    Operation::new("revokeKey", Permission::Full, "The key is revoked.")
        .with(&[ProblemExample::OWN_KEY]),
];

header_type!(
    /// `Location` of a new key.
    KeyLocation,
    location_schema("The address of the key.", "/api/manage/v1/keys/{code}", "12", "[0-9]+")
);

/// Keys.
#[derive(Debug, Default)]
pub struct KeysApi;

#[OpenApi(prefix_path = "/api/manage/v1", tag = "ManageTag::Keys")]
impl KeysApi {
    /// List the keys of the owner
    ///
    /// Returns the API keys of the owner, newest first, revoked and expired ones included. The server
    /// stores no secret, so it cannot show one.
    #[oai(path = "/keys", method = "get", operation_id = "listKeys")]
    async fn list_keys(
        &self,
        caller: Caller,
        Parameter(limit): Parameter<Limit>,
        Parameter(cursor): Parameter<Cursor>,
    ) -> OperationResult<ListResponse<List<Key>, NextPageLink>> {
        let path = "/api/manage/v1/keys".to_owned();
        let page = caller.page(path, Vec::new(), limit, cursor)?;
        let found = keys::page(&caller.app.store, caller.owner_id, page.request()).await?;
        Ok(page.response(found))
    }

    /// Create a key of the owner
    ///
    /// Creates an API key. Its secret is in this response and nowhere else: the server stores only a
    /// hash of it. An owner has at most 100 valid keys. A key with an expiry cannot create one with a
    /// later expiry.
    ///
    /// With `Idempotency-Key`, a repetition with the same API key within 24 hours returns the same
    /// secret again, as long as the created key is valid; with another API key, 409
    /// `secret-unavailable`.
    #[oai(path = "/keys", method = "post", operation_id = "createKey")]
    async fn create_key(
        &self,
        caller: Caller,
        /// The key to create.
        JsonBody(body): JsonBody<KeyCreate>,
        #[oai(name = "Idempotency-Key")] idempotency_key: IdempotencyKeyHeader,
    ) -> OperationResult<AddedResponse<CreatedKey, KeyLocation>> {
        let app = &caller.app;
        let (new, audit) = body.into();
        let change = caller.change(audit);
        let fingerprint = || new.fingerprint("keys", &change);
        let request = idempotency_key.for_request(&app.base_url, fingerprint);
        let (repeatable, rng) = (caller.repeatable(request.as_ref()), &mut app.randomness());
        let owner = KeyOwner::Own(caller.owner_id);
        let created = keys::create(&app.store, owner, &new, repeatable, &change, rng).await?;
        let (key, event, base_url) = (created.value, created.event, app.base_url.as_str());
        let (is_replay, id) = (key.first_base_url.is_some(), key.info.key.id);
        let base_url = key.first_base_url.as_deref().unwrap_or(base_url);
        let location = KeyLocation(format!("{base_url}/api/manage/v1/keys/{id}"));
        Ok(AddedResponse::new(key, location, event, is_replay))
    }

    /// Read a key of the owner
    ///
    /// Returns an API key, without its secret. The response for another owner's key is the same as for
    /// one that does not exist.
    #[oai(path = "/keys/:id", method = "get", operation_id = "getKey")]
    async fn get_key(
        &self,
        caller: Caller,
        /// The identifier of the key.
        Path(id): Path<KeySegment>,
    ) -> OperationResult<TaggedResponse<Key>> {
        let key = keys::get(&caller.app.store, caller.realm(), id.parsed()?).await?;
        Ok(TaggedResponse::new(key))
    }

    /// Change a key of the owner
    ///
    /// Changes the label or the expiry of an API key. A key with an expiry cannot give another key a
    /// later one, or none. Servers follow within a second.
    #[oai(path = "/keys/:id", method = "patch", operation_id = "updateKey")]
    async fn update_key(
        &self,
        caller: Caller,
        /// The identifier of the key.
        Path(id): Path<KeySegment>,
        /// The new values.
        MergePatch(update): MergePatch<KeyUpdate>,
        #[oai(name = "If-Match")] if_match: IfMatch,
    ) -> OperationResult<ChangedResponse<Key>> {
        let (edit, audit) = update.into();
        let change = caller.change(audit).only_if(if_match.0);
        let (realm, id) = (caller.realm(), id.parsed()?);
        let edited = keys::edit(&caller.app.store, realm, id, &edit, &change).await?;
        Ok(ChangedResponse::new(edited.value, edited.event))
    }

    /// Revoke a key of the owner
    ///
    /// Deletes the rights of an API key permanently; servers reject it within a second. A key cannot
    /// revoke itself. Revoking a key again returns 404.
    #[oai(path = "/keys/:id", method = "delete", operation_id = "revokeKey")]
    async fn revoke_key(
        &self,
        caller: Caller,
        /// The identifier of the key.
        Path(id): Path<KeySegment>,
        #[oai(name = "If-Match")] if_match: IfMatch,
        Parameter(reason): Parameter<Reason>,
        Parameter(note): Parameter<Note>,
        Parameter(case_id): Parameter<CaseId>,
    ) -> OperationResult<NoContentResponse> {
        let change = caller.change(Audit { reason, note, case_id }).only_if(if_match.0);
        let id = id.parsed()?;
        let revoked = keys::revoke_own(&caller.app.store, caller.owner_id, id, &change).await?;
        Ok(NoContentResponse::new(revoked.event))
    }
}
