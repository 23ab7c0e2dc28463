//! What somebody wants, and what it comes to.

use crate::domain::{Error, Field, idempotency};
use crate::store::creations::Custom;
use crate::store::idempotency::Fingerprint;
use crate::store::{Store, owners};
use crate::values::{BaseUrl, Campaign, CustomCodeError, Destination, ShortCode, Title};

/// A link that somebody wants.
#[derive(Debug)]
pub struct Wish {
    /// Where it is to lead.
    pub destination: Destination,
    /// Its title, if it has one.
    pub title: Option<Title>,
    /// Its campaign, if it has one.
    pub campaign: Option<Campaign>,
    /// The code that was asked for, as it was sent: on a plan without custom codes it is ignored,
    /// whatever it is.
    pub custom_code: Option<String>,
}

impl Wish {
    /// What tells it from other wishes.
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        let Self { destination, title, campaign, custom_code } = self;
        idempotency::fingerprint(
            "shorten",
            &[
                Some(destination.as_str()),
                title.as_ref().map(Title::as_str),
                campaign.as_ref().map(Campaign::as_str),
                custom_code.as_deref(),
            ],
        )
    }

    /// Refuses what leads to the service itself, with all that is invalid beside it.
    pub(super) async fn check(
        &self,
        store: &Store,
        service: &BaseUrl,
        owner_id: i64,
    ) -> Result<(), Error> {
        let Err(reason) = self.destination.check_outside(service) else { return Ok(()) };
        let mut invalid = vec![(Field::Destination, reason)];
        if let Some(text) = &self.custom_code
            && let Err(Error::Invalid(fields)) = parse(text)
            // In a box: it is seldom needed and takes much room.
            && Box::pin(owners::plan_of(store.reader(), owner_id))
                .await?
                .is_some_and(|plan| plan.custom_codes)
        {
            invalid.extend(fields);
        }
        Err(Error::Invalid(invalid))
    }

    /// The code that was asked for, and why it cannot be had, where that is so.
    pub(super) fn custom(&self) -> (Custom, Option<Error>) {
        match self.custom_code.as_deref().map(parse) {
            None => (Custom::None, None),
            Some(Ok(code)) => (Custom::Wanted(code), None),
            Some(Err(error)) => (Custom::Refused, Some(error)),
        }
    }
}

fn parse(text: &str) -> Result<ShortCode, Error> {
    ShortCode::parse_custom(text).map_err(|error| match error {
        CustomCodeError::Reserved => Error::CodeReserved,
        CustomCodeError::Invalid(reason) => Error::Invalid(vec![(Field::CustomCode, reason)]),
    })
}
