//! Requests to create a link, and their validation.

use super::rules::LinkRules;
use crate::domain::{Error, Field, idempotency};
use crate::store::create_links::CustomCodeRequest;
use crate::store::idempotency::Fingerprint;
use crate::store::links::LinkProperties;
use crate::store::{Store, owners};
use crate::values::{
    Campaign, CustomCodeError, Destination, ShortCode, Timestamp, Title, ValidationError,
};

/// A request to create a link.
#[derive(Debug)]
pub struct CreateLink {
    /// Destination of the link.
    pub destination: Destination,
    /// Title of the link, if the request has one.
    pub title: Option<Title>,
    /// Campaign of the link, if the request has one.
    pub campaign: Option<Campaign>,
    /// Time from which the link no longer redirects, if the request has one.
    pub expires_at: Option<Timestamp>,
    /// Requested custom code, before it is parsed. A plan without custom codes ignores even an
    /// invalid one.
    pub custom_code: Option<String>,
}

impl CreateLink {
    /// Returns the fingerprint of the request.
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        let Self { destination, title, campaign, expires_at, custom_code } = self;
        let expires_at = expires_at.map(|time| time.millis().to_string());
        idempotency::fingerprint(
            "shorten",
            &[
                Some(destination.as_str()),
                title.as_ref().map(Title::as_str),
                campaign.as_ref().map(Campaign::as_str),
                expires_at.as_deref(),
                custom_code.as_deref(),
            ],
        )
    }

    /// Checks that the destination is outside the service and not blocked, and that the expiry is
    /// in the future.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the destination is inside the service, with the error of the custom
    /// code if that is invalid too; [`Error::DestinationBlocked`], or [`Error::Invalid`] in its
    /// place if the custom code is invalid; [`Error::ExpiryPassed`]; or if the database fails.
    pub(super) async fn check(
        &self,
        store: &Store,
        rules: &LinkRules,
        owner_id: i64,
        now: Timestamp,
    ) -> Result<(), Error> {
        let checked = rules.check_destination(Field::Destination, &self.destination, now);
        let Err(error) = checked else { return rules.check_expiry(self.expires_at, now) };
        // Boxed because this future is rarely needed and large.
        let code = Box::pin(self.invalid_custom_code(store, owner_id)).await?;
        Err(if let Error::Invalid(fields) = error {
            Error::Invalid([fields, code].concat())
        } else if code.is_empty() {
            error
        } else {
            Error::Invalid(code)
        })
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

    /// Returns the properties of the link to insert, with `now` as its time of creation.
    pub(super) fn properties(&self, now: Timestamp) -> LinkProperties {
        let Self { destination, title, campaign, expires_at, custom_code: _ } = self;
        LinkProperties {
            title: title.as_ref().map(|title| title.as_str().to_owned()),
            campaign: campaign.as_ref().map(|campaign| campaign.as_str().to_owned()),
            expires_at: *expires_at,
            ..LinkProperties::new(destination.clone(), now)
        }
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
