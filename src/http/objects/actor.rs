//! Who made a change, or created a link.

use poem_openapi::Object;
use serde::Serialize;

use super::fields::{ActorTypeWord, Identifier, Text};
use crate::domain::changes::ActorType;
use crate::domain::links::{BY_IMPORT, KeyNames};
use crate::http::openapi::field::Nullable;

/// Who made a change, or created a link. Owners see nothing that identifies an operator.
#[derive(Debug, Serialize, Object)]
pub struct Actor {
    /// `owner_key`, `operator_key`, `command` for a person or program at a shell of the operator's, or
    /// `import` for a file that the operator imported.
    pub(super) r#type: ActorTypeWord,
    /// Identifies the key; `null` for a command, and where owners do not see it.
    pub(super) id: Nullable<Identifier>,
    /// The label that the API key had, the name of the operator key, or the name that the command was
    /// given; `null` where owners do not see it.
    pub(super) name: Nullable<Text>,
}

impl Actor {
    /// Describes who created a link, if that is known.
    pub fn of_link(created_by: Option<i64>, keys: &KeyNames) -> Option<Self> {
        let key = created_by?;
        let is_import = key == BY_IMPORT;
        let actor_type = if is_import { ActorType::Import } else { ActorType::OwnerKey };
        Some(Self {
            r#type: actor_type.into_str().into(),
            id: Nullable(Some(key).filter(|_| !is_import).map(Identifier)),
            name: Nullable(keys.get(key).map(|name| Text(name.to_owned()))),
        })
    }
}
