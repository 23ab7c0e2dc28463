//! Operator keys, without their secrets.

use poem_openapi::Object;
use serde::Serialize;

use super::fields::{RoleWord, Text};
use crate::http::openapi::field::example;
use crate::values::OperatorRole;

/// The operator key of the request.
#[derive(Debug, Serialize, Object)]
#[oai(example)]
pub struct OperatorKey {
    /// The key's name, which the history shows.
    name: Text,
    /// What the key may do: `auditor`, `provisioner`, `moderator` or `admin`.
    role: RoleWord,
}

impl OperatorKey {
    /// Describes a key.
    pub fn new(name: &str, role: OperatorRole) -> Self {
        Self { name: Text(name.to_owned()), role: role.into_str().into() }
    }
}

example!(OperatorKey, Self::new("billing", OperatorRole::Provisioner));
