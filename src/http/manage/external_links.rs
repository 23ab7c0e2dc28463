//! `/api/manage/v1/external-links/{external_id}`

use poem_openapi::ApiResponse;

use super::links::{LinkLocation, describe, location_of, read};
use crate::domain::links::{self, CreateLink, PutLink};
use crate::http::objects::fields::{CodeSegment, ExternalIdSegment};
use crate::http::objects::link::{Link, LinkCreate};
use crate::http::openapi::headers::Tagged as _;
use crate::http::prelude::*;
use crate::values::ShortCode;

/// The operations.
pub(super) const OPERATIONS: &[Operation] = &[
    Operation::new("getExternalLink", Permission::Read, "The link, with its clicks and its state."),
    Operation::new(
        "putExternalLink",
        Permission::Edit,
        "The link as it is now: 201 if the request created it, and 200 if it existed.",
    )
    .creating_links()
    .with(&[
        ProblemExample::LINK_DISABLED,
        ProblemExample::CUSTOM_CODES_NOT_ALLOWED,
        ProblemExample::COLOURS_TOO_CLOSE,
        ProblemExample::QR_CODE_TOO_LONG,
        OTHER_EXTERNAL_ID,
        ProblemExample::blocked("/destination_url"),
    ]),
];

const OTHER_EXTERNAL_ID: ProblemExample =
    ProblemExample::invalid("/external_id", "must be that of the path")
        .with_code(ErrorCode::NotAllowed);

/// Response with a link that was created or changed.
#[derive(Debug, ApiResponse)]
pub enum PutLinkResponse {
    /// The link existed.
    #[oai(status = 200)]
    Ok(
        Json<Link>,
        #[oai(header = "ETag")] EntityTag,
        #[oai(header = "Event-Id")] Option<EventIdHeader>,
    ),
    /// The link was created.
    #[oai(status = 201)]
    Created(
        Json<Link>,
        #[oai(header = "Location")] LinkLocation,
        #[oai(header = "ETag")] EntityTag,
    ),
}

/// Links by their external identifiers.
#[derive(Debug, Default)]
pub struct ExternalLinksApi;

#[OpenApi(prefix_path = "/api/manage/v1", tag = "ManageTag::Links")]
impl ExternalLinksApi {
    /// Read a link by its external identifier
    ///
    /// Returns the link that has this `external_id`, as `GET /links/{code}` does.
    #[oai(path = "/external-links/:external_id", method = "get", operation_id = "getExternalLink")]
    async fn get_external_link(
        &self,
        caller: Caller,
        /// Your own identifier of the link; slashes as `%2F`.
        Path(external_id): Path<ExternalIdSegment>,
    ) -> OperationResult<TaggedResponse<Link>> {
        let external_id = external_id.parsed()?;
        let code =
            links::code_of_external_id(&caller.app.store, caller.owner_id, &external_id).await?;
        let code = ShortCode::from_stored(&code.ok_or(Error::LinkNotFound)?);
        Ok(TaggedResponse::new(read(&caller, CodeSegment(Some(code))).await?))
    }

    /// Create or change a link by its external identifier
    ///
    /// Creates the link with this `external_id` (201), or changes the given members of the one that
    /// exists (200), as `PATCH /links/{code}` does: an absent member stays, `null` removes a value, and an
    /// unchanged one is not checked again. Where there must be a value, `null` is the same as absence.
    /// `custom_code` counts only for a new link.
    ///
    /// The request may be repeated for ever, and two at the same time make one link. After the link was
    /// deleted, a repetition makes another one. With `If-Match`, the link is only changed if its `ETag`
    /// is still one of those, and none is created.
    #[oai(path = "/external-links/:external_id", method = "put", operation_id = "putExternalLink")]
    async fn put_external_link(
        &self,
        caller: Caller,
        /// Your own identifier of the link; slashes as `%2F`.
        Path(external_id): Path<ExternalIdSegment>,
        /// The link.
        JsonBody(body): JsonBody<LinkCreate>,
        #[oai(name = "If-Match")] if_match: IfMatch,
    ) -> OperationResult<PutLinkResponse> {
        let app = &caller.app;
        let external_id = external_id.parsed()?;
        let mut new = CreateLink::from(body);
        let edit = new.edit();
        if new.external_id.as_ref().is_some_and(|other| *other != external_id) {
            return Err(OTHER_EXTERNAL_ID.problem());
        }
        new.external_id = Some(external_id);
        let change = caller.change(Audit::default()).only_if(if_match.0);
        let (by, rng) = (caller.creator(), &mut app.randomness());
        match links::put(&app.creator, by, &new, &edit, &change, rng).await? {
            PutLink::Changed { code, event, replay: _ } => {
                let link = read(&caller, CodeSegment(Some(code))).await?;
                let (tag, event) = (link.etag(), EventIdHeader::from_event(event));
                Ok(PutLinkResponse::Ok(Json::new(&link), tag, event))
            }
            PutLink::Created(done) => {
                let first = done.first_response(&app.addresses, caller.owner_id, change.now);
                let link = describe(&new, &caller, &first).await?;
                let (location, tag) = (location_of(&first), link.etag());
                Ok(PutLinkResponse::Created(Json::new(&link), location, tag))
            }
        }
    }
}
