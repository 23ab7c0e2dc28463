//! QR codes of short URLs: whether a link has one and how it is drawn.

use super::Error;
use super::idempotency::{Answer, Done, Fingerprint, Keyed, fingerprint, replay};
use crate::store::entities::link::Model;
use crate::store::links::QrColumns;
use crate::store::{Attempts, Durability, Store, idempotency, links, owners};
use crate::values::{Colour, ErrorCorrection, Invalid, Margin, Moment, ShortCode};

/// The least contrast of a QR code's colours. Scanners look for a clear edge between dark and
/// light; 3 is what [WCAG 2.2](https://www.w3.org/TR/WCAG22/#non-text-contrast) asks of graphics.
pub const LEAST_CONTRAST: f64 = 3.0;

/// How a QR code is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// How much of it may be lost.
    pub error_correction: ErrorCorrection,
    /// The quiet zone.
    pub margin: Margin,
    /// The modules' colour.
    pub foreground: Colour,
    /// What is behind them.
    pub background: Colour,
}

impl Default for Style {
    /// Black on white.
    fn default() -> Self {
        Self {
            error_correction: ErrorCorrection::Medium,
            margin: Margin::STANDARD,
            foreground: Colour::BLACK,
            background: Colour::WHITE,
        }
    }
}

/// What of a style is to change.
#[derive(Debug, Default)]
pub struct StyleChange {
    /// How much of it may be lost.
    pub error_correction: Option<ErrorCorrection>,
    /// The quiet zone.
    pub margin: Option<Margin>,
    /// The modules' colour.
    pub foreground: Option<Colour>,
    /// What is behind them.
    pub background: Option<Colour>,
}

impl StyleChange {
    /// What tells it from other changes, of other links too.
    #[must_use]
    pub fn fingerprint(&self, code: &ShortCode) -> Fingerprint {
        let Self { error_correction, margin, foreground, background } = self;
        let margin = margin.map(|margin| margin.modules().to_string());
        let [foreground, background] =
            [foreground, background].map(|colour| colour.map(|colour| colour.to_string()));
        fingerprint(
            "enableQrCode",
            &[
                Some(code.as_str()),
                error_correction.map(ErrorCorrection::letter),
                margin.as_deref(),
                foreground.as_deref(),
                background.as_deref(),
            ],
        )
    }
}

impl Style {
    /// The style of a link: what was set, and the defaults for what was not.
    fn of(link: &Model) -> Self {
        fn kept<T>(
            column: Option<&String>,
            parse: impl Fn(&str) -> Result<T, Invalid>,
        ) -> Option<T> {
            column.and_then(|text| parse(text).ok())
        }
        Self::default().with(&StyleChange {
            error_correction: kept(link.qr_error_correction.as_ref(), ErrorCorrection::parse),
            margin: link.qr_margin.and_then(|modules| Margin::new(modules.into()).ok()),
            foreground: kept(link.qr_foreground.as_ref(), Colour::parse),
            background: kept(link.qr_background.as_ref(), Colour::parse),
        })
    }

    fn with(self, change: &StyleChange) -> Self {
        Self {
            error_correction: change.error_correction.unwrap_or(self.error_correction),
            margin: change.margin.unwrap_or(self.margin),
            foreground: change.foreground.unwrap_or(self.foreground),
            background: change.background.unwrap_or(self.background),
        }
    }

    fn columns(self) -> QrColumns {
        QrColumns {
            error_correction: self.error_correction.letter(),
            margin: self.margin.modules().into(),
            foreground: self.foreground.to_string(),
            background: self.background.to_string(),
        }
    }
}

/// Enables the QR code of the owner's link, or changes how it is drawn. Under a key it is done once,
/// and that answer is kept with it.
///
/// # Errors
/// [`Error::LinkNotFound`], [`Error::KeyReused`], [`Error::ColoursTooClose`], or when the database fails.
pub async fn enable(
    store: &Store,
    owner_id: i64,
    code: &ShortCode,
    change: &StyleChange,
    keyed: Option<(&Keyed, &Answer)>,
    now: Moment,
) -> Result<Done<()>, Error> {
    let mut attempts = Attempts::default();
    loop {
        match try_to_enable(store, owner_id, code, change, keyed, now).await {
            Err(error) if attempts.may_retry(&error).await => {}
            result => return result,
        }
    }
}

async fn try_to_enable(
    store: &Store,
    owner_id: i64,
    code: &ShortCode,
    change: &StyleChange,
    keyed: Option<(&Keyed, &Answer)>,
    now: Moment,
) -> Result<Done<()>, Error> {
    let transaction = store.begin(Durability::PowerLoss).await?;
    let db = &transaction;
    let mut known = None;
    if let Some((keyed, _)) = keyed {
        owners::lock(db, owner_id).await?;
        known =
            idempotency::find(db, owner_id, &keyed.key, now).await?.map(|kept| replay(kept, keyed));
    }
    if let Some(Ok(answer)) = known {
        return Ok(Done::Before(answer));
    }
    let link = links::lock_owned(db, owner_id, code).await?.ok_or(Error::LinkNotFound)?;
    if let Some(Err(error)) = known {
        return Err(error);
    }
    let style = Style::of(&link).with(change);
    let contrast = style.foreground.contrast(style.background);
    if contrast < LEAST_CONTRAST {
        return Err(Error::ColoursTooClose { contrast, least: LEAST_CONTRAST });
    }
    links::enable_qr(db, link.id, style.columns()).await?;
    if let Some((keyed, answer)) = keyed {
        idempotency::keep(db, owner_id, keyed, answer, now).await?;
    }
    transaction.commit().await?;
    Ok(Done::Now(()))
}

/// What the image of a link's QR code depends on.
#[derive(Debug)]
pub struct QrCode {
    /// How it is drawn.
    pub style: Style,
    /// Whether the link redirects.
    pub is_active: bool,
}

/// The QR code of a link, whoever's it is.
///
/// # Errors
/// [`Error::LinkNotFound`] where there is no such link or its QR code is not enabled, or when the
/// database fails.
pub async fn find(store: &Store, code: &ShortCode) -> Result<QrCode, Error> {
    let link = links::find(store.reader(), code).await?;
    let link = link.filter(|link| link.has_qr == 1).ok_or(Error::LinkNotFound)?;
    Ok(QrCode { style: Style::of(&link), is_active: link.is_active == 1 })
}
