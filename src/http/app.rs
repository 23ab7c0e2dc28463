use std::sync::{Arc, OnceLock};

use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;

use super::api::cursor::Seal;
use super::api::document;
use super::public::docs::Docs;
use super::public::file::File;
use super::public::qr_image::Drawing;
use crate::domain::Caches;
use crate::domain::clicks::Recorder;
use crate::domain::links::Creator;
use crate::metrics::Metrics;
use crate::store::Store;
use crate::values::BaseUrl;

/// What requests are answered with.
#[derive(Debug)]
pub struct App {
    /// The database.
    pub store: Store,
    /// What is remembered of it.
    pub caches: Arc<Caches>,
    /// Takes clicks.
    pub recorder: Recorder,
    /// Creates links.
    pub creator: Creator,
    /// The service's public address.
    pub base_url: BaseUrl,
    /// Seals places in lists.
    pub seal: Seal,
    /// What is counted and measured.
    pub metrics: Arc<Metrics>,
    /// What is the same for everybody.
    pub pages: Pages,
}

/// What is the same for everybody, made when it is first asked for.
#[derive(Debug, Default)]
pub struct Pages {
    document: OnceLock<File>,
    docs: OnceLock<Docs>,
    pub(super) drawing: Drawing,
}

impl App {
    /// The operating system's randomness.
    #[must_use]
    pub fn randomness(&self) -> UnwrapErr<SysRng> {
        UnwrapErr(SysRng)
    }

    /// The OpenAPI document.
    #[must_use]
    pub fn document(&self) -> &File {
        self.pages
            .document
            .get_or_init(|| File::new("application/json", document::render(&self.base_url)))
    }

    /// The files of Swagger UI.
    #[must_use]
    pub fn docs(&self) -> &Docs {
        self.pages.docs.get_or_init(Docs::new)
    }
}
