//! The request to create a link, and its validation.

use crate::domain::{Error, Field, idempotency};
use crate::store::create_links::CustomCodeRequest;
use crate::store::idempotency::Fingerprint;
use crate::store::links::LinkProperties;
use crate::store::{Store, owners};
use crate::values::{BaseUrl, Campaign, CustomCodeError, Destination, ShortCode, Timestamp, Title};

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
    /// Requested custom code. It is not parsed, because a plan without custom codes ignores even an
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

    /// Checks that the destination is outside the service, and the expiry in the future.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the destination is not, also with the custom code if that is invalid.
    /// [`Error::ExpiryPassed`]
    pub(super) async fn check(
        &self,
        store: &Store,
        service: &BaseUrl,
        owner_id: i64,
        now: Timestamp,
    ) -> Result<(), Error> {
        let Err(reason) = self.destination.check_outside(service) else {
            return match self.expires_at {
                Some(expires_at) if expires_at <= now => Err(Error::ExpiryPassed),
                Some(_) | None => Ok(()),
            };
        };
        let mut invalid = vec![(Field::Destination, reason)];
        if let Some(text) = &self.custom_code
            && let Err(Error::Invalid(fields)) = parse(text)
            // Boxed because it is rarely needed and large.
            && Box::pin(owners::plan_of(store.reader(), owner_id))
                .await?
                .is_some_and(|plan| plan.custom_codes)
        {
            invalid.extend(fields);
        }
        Err(Error::Invalid(invalid))
    }

    /// Returns the properties of the link.
    pub(super) fn properties(&self, now: Timestamp) -> LinkProperties {
        let Self { destination, title, campaign, expires_at, custom_code: _ } = self;
        LinkProperties {
            destination_url: destination.as_str().to_owned(),
            destination_host: destination.host().to_owned(),
            title: title.as_ref().map(|title| title.as_str().to_owned()),
            campaign: campaign.as_ref().map(|campaign| campaign.as_str().to_owned()),
            disabled: None,
            has_qr: false,
            expires_at: *expires_at,
            created_at: now,
        }
    }

    /// Parses the requested custom code. The error, if any, applies only if the plan has custom
    /// codes.
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
