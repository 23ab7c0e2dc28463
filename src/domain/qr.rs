//! QR codes of short URLs, and their style.

use qrcode::EcLevel;

use super::Error;
use super::changes::outbox;
use super::idempotency::{
    Fingerprint, Idempotent, IdempotentRequest, Namespace, fingerprint, replay, store_response,
};
use crate::store::entities::link::Model;
use crate::store::idempotency::{self, Created};
use crate::store::links::{QrColumns, StoredQrSettings};
use crate::store::{Attempts, Durability, Store, StoreError, link_changes, links, owners};
use crate::values::{Colour, ErrorCorrection, Margin, ShortCode, Timestamp, ValidationError};

/// Minimum contrast ratio of a QR code's colours. Scanners need clear edges, and
/// [WCAG 2.2, criterion 1.4.11](https://www.w3.org/TR/WCAG22/#non-text-contrast) requires 3 for
/// graphics.
pub const MIN_CONTRAST: f64 = 3.0;

/// Style of a QR code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Error correction level.
    pub error_correction: ErrorCorrection,
    /// Width of the quiet zone.
    pub margin: Margin,
    /// Colour of the dark modules.
    pub foreground: Colour,
    /// Colour of the light modules and the quiet zone.
    pub background: Colour,
}

impl Default for Style {
    /// Returns black on white with medium error correction and the standard margin.
    fn default() -> Self {
        Self {
            error_correction: ErrorCorrection::Medium,
            margin: Margin::STANDARD,
            foreground: Colour::BLACK,
            background: Colour::WHITE,
        }
    }
}

/// New values for settings of a style. `None` keeps a setting.
#[derive(Debug, Clone, Copy, Default)]
pub struct StyleChange {
    /// Error correction level.
    pub error_correction: Option<ErrorCorrection>,
    /// Width of the quiet zone.
    pub margin: Option<Margin>,
    /// Colour of the dark modules.
    pub foreground: Option<Colour>,
    /// Colour of the light modules and the quiet zone.
    pub background: Option<Colour>,
}

impl StyleChange {
    /// Returns the fingerprint of a request for this change of the link with this code.
    #[must_use]
    pub fn fingerprint(&self, code: &ShortCode) -> Fingerprint {
        let texts = self.texts();
        let [error_correction, margin, foreground, background] =
            texts.each_ref().map(Option::as_deref);
        let code = Some(code.as_str());
        fingerprint("enableQrCode", &[code, error_correction, margin, foreground, background])
    }

    /// Returns the new values as texts.
    pub(super) fn texts(&self) -> [Option<String>; 4] {
        let Self { error_correction, margin, foreground, background } = self;
        [
            error_correction.map(|level| level.into_str().to_owned()),
            margin.map(|margin| margin.width().to_string()),
            foreground.map(|colour| colour.to_string()),
            background.map(|colour| colour.to_string()),
        ]
    }
}

impl Style {
    /// Returns the style for stored settings, with the default for each missing one.
    #[must_use]
    pub fn from_stored(stored: &StoredQrSettings) -> Self {
        fn parsed<T>(
            column: Option<&String>,
            parse: impl Fn(&str) -> Result<T, ValidationError>,
        ) -> Option<T> {
            column.and_then(|text| parse(text).ok())
        }
        Self::default().with(&StyleChange {
            error_correction: parsed(stored.error_correction.as_ref(), str::parse),
            margin: stored.margin.and_then(|modules| Margin::new(modules.into()).ok()),
            foreground: parsed(stored.foreground.as_ref(), Colour::parse),
            background: parsed(stored.background.as_ref(), Colour::parse),
        })
    }

    /// Returns the error correction level of the crate that encodes QR codes.
    pub(super) const fn level(&self) -> EcLevel {
        match self.error_correction {
            ErrorCorrection::Low => EcLevel::L,
            ErrorCorrection::Medium => EcLevel::M,
            ErrorCorrection::Quartile => EcLevel::Q,
            ErrorCorrection::High => EcLevel::H,
        }
    }

    /// Returns whether a QR code of this style can hold `text`.
    fn fits(&self, text: &str) -> bool {
        qrcode::bits::encode_auto(text.as_bytes(), self.level()).is_ok()
    }

    /// Applies a change.
    pub(super) fn with(self, change: &StyleChange) -> Self {
        Self {
            error_correction: change.error_correction.unwrap_or(self.error_correction),
            margin: change.margin.unwrap_or(self.margin),
            foreground: change.foreground.unwrap_or(self.foreground),
            background: change.background.unwrap_or(self.background),
        }
    }

    /// Returns the columns to store, for a link with this short URL.
    ///
    /// # Errors
    /// [`Error::ColoursTooClose`] or [`Error::QrCodeTooLong`]
    pub(super) fn checked_columns(self, short_url: &str) -> Result<QrColumns, Error> {
        self.check_contrast()?;
        let error_correction = self.error_correction;
        if !self.fits(short_url) {
            return Err(Error::QrCodeTooLong { error_correction });
        }
        Ok(self.columns())
    }

    /// Checks that scanners can distinguish the colours.
    ///
    /// # Errors
    /// [`Error::ColoursTooClose`]
    pub(super) fn check_contrast(&self) -> Result<(), Error> {
        let contrast = self.foreground.contrast(self.background);
        if contrast < MIN_CONTRAST {
            return Err(Error::ColoursTooClose { contrast, minimum: MIN_CONTRAST });
        }
        Ok(())
    }

    /// Returns the columns to store. The short URL of the link must fit: those of new links do.
    pub(super) fn columns(&self) -> QrColumns {
        QrColumns {
            error_correction: self.error_correction.into_str(),
            margin: self.margin.width().into(),
            foreground: self.foreground.to_string(),
            background: self.background.to_string(),
        }
    }
}

/// A link whose QR code is to be enabled, and how.
#[derive(Debug, Clone, Copy)]
pub struct QrRequest<'a> {
    /// Short code of the link.
    pub code: &'a ShortCode,
    /// The text of the QR code.
    pub short_url: &'a str,
    /// New values for settings of the style.
    pub change: &'a StyleChange,
}

/// Enables the QR code of a link of the owner, or changes its style. A request with an idempotency
/// key is executed only once: the same transaction stores its response.
///
/// # Errors
/// [`Error::LinkNotFound`], [`Error::KeyReused`], [`Error::ColoursTooClose`],
/// [`Error::QrCodeTooLong`].
pub async fn enable(
    store: &Store,
    owner_id: i64,
    request: QrRequest<'_>,
    idempotent: Option<&IdempotentRequest>,
    now: Timestamp,
) -> Result<Idempotent<ShortCode>, Error> {
    let mut attempts = Attempts::default();
    loop {
        match try_to_enable(store, owner_id, request, idempotent, now).await {
            Err(error) if attempts.may_retry(&error).await => {}
            result => return result,
        }
    }
}

async fn try_to_enable(
    store: &Store,
    owner_id: i64,
    request: QrRequest<'_>,
    idempotent: Option<&IdempotentRequest>,
    now: Timestamp,
) -> Result<Idempotent<ShortCode>, Error> {
    let QrRequest { code, short_url, change } = request;
    let transaction = store.begin(Durability::PowerLoss).await?;
    let db = &transaction;
    let mut replayed = None;
    let owner = if idempotent.is_some() {
        owners::lock(db, owner_id).await?
    } else {
        owners::get(db, owner_id).await?
    };
    // The owner may have been suspended or deleted since the authentication.
    let owner = owner.filter(|owner| owner.suspended_reason.is_none());
    owner.ok_or(StoreError::OwnerUnavailable)?;
    let namespace = Namespace::Owner(owner_id);
    if let Some(request) = idempotent {
        let stored = idempotency::find(db, namespace, request, now).await?;
        replayed = stored.map(replay);
    }
    if let Some(Ok(response)) = replayed {
        return Ok(Idempotent::Replayed(response));
    }
    let link = links::lock_owned(db, owner_id, code).await?.ok_or(Error::LinkNotFound)?;
    // If the link is missing, that error takes precedence over the error of a reused key.
    if let Some(Err(error)) = replayed {
        return Err(error);
    }
    let style = Style::from_stored(&link.clone().into()).with(change);
    let QrColumns { error_correction, margin, foreground, background } =
        style.checked_columns(short_url)?;
    let after = Model {
        has_qr: 1,
        qr_error_correction: Some(error_correction.to_owned()),
        qr_margin: Some(margin),
        qr_foreground: Some(foreground),
        qr_background: Some(background),
        ..link.clone()
    };
    if after != link {
        link_changes::update(db, &link, &after, now).await?;
        outbox::announce_edit(store, db, &link, now).await?;
    }
    if let Some(request) = idempotent {
        store_response(db, namespace, request, Created::QrCode(code), None, now).await?;
    }
    transaction.commit().await?;
    Ok(Idempotent::Executed(code.clone()))
}

/// Returns the owner and the code of any link, and the style of its QR code.
///
/// # Errors
/// [`Error::LinkNotFound`] if there is no such link or its QR code is not enabled, or if the
/// database fails.
pub async fn find(store: &Store, link_id: i64) -> Result<(i64, ShortCode, Style), Error> {
    let link = link_changes::with_ids(store.reader(), &[link_id]).await?.pop();
    let link = link.filter(|link| link.has_qr == 1).ok_or(Error::LinkNotFound)?;
    let owner_id = link.owner_id.ok_or(Error::LinkNotFound)?;
    let code = ShortCode::from_stored(&link.short_code);
    Ok((owner_id, code, Style::from_stored(&link.into())))
}
