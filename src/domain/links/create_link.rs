//! Requests to create a link, and their validation.

use std::borrow::Cow;

use super::properties::{LinkEdit, LinkValues, given};
use super::rules::LinkRules;
use super::state::{LinkState, StateInputs};
use crate::domain::qr::Style;
use crate::domain::{Error, Field, idempotency};
use crate::store::create_links::CustomCodeRequest;
use crate::store::idempotency::Fingerprint;
use crate::store::links::{Link, LinkProperties};
use crate::store::{Store, owners};
use crate::values::{
    CustomCodeError, Destination, ExternalId, ShortCode, Timestamp, ValidationError,
};

/// The owner for whom a link is created, and the key that creates it.
#[derive(Debug, Clone, Copy)]
pub struct LinkCreator {
    /// Identifier of the owner.
    pub owner_id: i64,
    /// Identifier of the owner's key.
    pub key_id: i64,
}

/// A request to create a link.
#[derive(Debug)]
pub struct CreateLink {
    /// Destination of the link.
    pub destination: Destination,
    /// The owner's own identifier of the link, if the request has one.
    pub external_id: Option<ExternalId>,
    /// The other values.
    pub values: LinkValues,
    /// Requested custom code, before it is parsed. A plan without custom codes ignores or refuses it,
    /// even an invalid one.
    pub custom_code: Option<String>,
    /// Whether a plan without custom codes refuses the requested one, which it ignores otherwise.
    pub demands_custom_code: bool,
}

impl CreateLink {
    /// Returns the request for a link that has only a destination.
    pub fn new(destination: Destination) -> Self {
        Self {
            destination,
            external_id: None,
            values: LinkValues::default(),
            custom_code: None,
            demands_custom_code: false,
        }
    }

    /// Returns the fingerprint of a request of the operation `shorten`.
    pub fn fingerprint(&self) -> Fingerprint {
        let parts = self.fingerprint_parts();
        let parts: Vec<Option<&str>> = parts[..5].iter().map(Option::as_deref).collect();
        idempotency::fingerprint("shorten", &parts)
    }

    /// Returns the fingerprint of a request that may set all properties.
    pub fn full_fingerprint(&self) -> Fingerprint {
        let parts = self.fingerprint_parts();
        let mut parts: Vec<Option<&str>> = parts.iter().map(Option::as_deref).collect();
        // Earlier versions stored fingerprints of requests that had none.
        parts.extend(self.external_id.as_ref().map(|id| Some(id.as_str())));
        idempotency::fingerprint("links", &parts)
    }

    /// Returns all but the external identifier that two requests with the same idempotency key must have
    /// in common. The first five are what `shorten` can set.
    fn fingerprint_parts(&self) -> Vec<Option<Cow<'_, str>>> {
        let [title, campaign, expires_at, others @ ..] = self.values.texts();
        let destination = Some(self.destination.as_str().into());
        let custom_code = self.custom_code.as_deref().map(Cow::Borrowed);
        [destination, title, campaign, expires_at, custom_code].into_iter().chain(others).collect()
    }

    /// Returns the changes that the request makes to a link that exists. The custom code counts only for a
    /// new one.
    pub fn edit(&self) -> LinkEdit {
        LinkEdit {
            destination: Some(self.destination.clone()),
            external_id: None,
            values: self.values.clone(),
        }
    }

    /// Checks that the destinations are outside the service and not blocked, that scanners can read
    /// the QR code, and that the expiry is in the future.
    ///
    /// # Errors
    /// [`Error::Invalid`] if a destination is inside the service, with the error of the custom code
    /// if that is invalid too; [`Error::DestinationBlocked`], or [`Error::Invalid`] in its place if
    /// the custom code is invalid; [`Error::ColoursTooClose`]; [`Error::ExpiryPassed`]; or if the
    /// database fails.
    pub(super) async fn check(
        &self,
        store: &Store,
        rules: &LinkRules,
        owner_id: i64,
        now: Timestamp,
    ) -> Result<(), Error> {
        let (mut invalid, mut blocked) = (Vec::new(), None);
        let fallback = given(&self.values.fallback).into_iter().map(|url| (Field::Fallback, url));
        for (field, url) in [(Field::Destination, &self.destination)].into_iter().chain(fallback) {
            match rules.check_destination(field, url, now) {
                Ok(()) => {}
                Err(Error::Invalid(fields)) => invalid.extend(fields),
                Err(error) => blocked = blocked.or(Some(error)),
            }
        }
        if invalid.is_empty() && blocked.is_none() {
            Style::default().with(&self.values.style).check_contrast()?;
            return rules.check_expiry(self.values.expires_at.flatten(), now);
        }
        // Boxed because this future is rarely needed and large.
        invalid.extend(Box::pin(self.invalid_custom_code(store, owner_id)).await?);
        let blocked = blocked.filter(|_| invalid.is_empty());
        Err(blocked.unwrap_or(Error::Invalid(invalid)))
    }

    /// Returns the error of the custom code if the code is invalid and the owner's plan allows
    /// custom codes, or else an empty list.
    async fn invalid_custom_code(
        &self,
        store: &Store,
        owner_id: i64,
    ) -> Result<Vec<(Field, ValidationError)>, Error> {
        if let Some(text) = &self.custom_code
            && let Err(Error::Invalid(fields)) = parse(text)
            && owners::plan_of(store.reader(), owner_id)
                .await?
                .is_some_and(|plan| plan.custom_codes)
        {
            return Ok(fields);
        }
        Ok(Vec::new())
    }

    /// Returns the properties of the link, with `now` as its time of creation.
    pub(super) fn properties(&self, created_by: Option<i64>, now: Timestamp) -> LinkProperties {
        let external_id = self.external_id.as_ref();
        self.values.of_new(&self.destination, external_id, created_by, now)
    }

    /// Returns the link that the request has created with this code, as it was then, and its state.
    pub fn created(
        &self,
        LinkCreator { owner_id, key_id }: LinkCreator,
        code: &ShortCode,
        created_at: Timestamp,
    ) -> (Link, LinkState) {
        let (short_code, properties) =
            (code.to_string(), self.properties(Some(key_id), created_at));
        let link = Link { id: 0, owner_id, short_code, properties, clicks: 0 };
        let state = StateInputs::from_link(&link, None).state_at(None, created_at);
        (link, state)
    }

    /// Parses the requested custom code. The error, if there is one, applies only if the plan
    /// allows custom codes.
    pub(super) fn custom_code(&self) -> (CustomCodeRequest, Option<Error>) {
        match self.custom_code.as_deref().map(parse) {
            None => (CustomCodeRequest::None, None),
            Some(Ok(code)) => (CustomCodeRequest::Requested(code), None),
            Some(Err(error)) => (CustomCodeRequest::Invalid, Some(error)),
        }
    }
}

fn parse(text: &str) -> Result<ShortCode, Error> {
    ShortCode::parse_custom(text).map_err(|error| match error {
        CustomCodeError::Reserved => Error::CodeReserved,
        CustomCodeError::Invalid(reason) => Error::Invalid(vec![(Field::CustomCode, reason)]),
    })
}
