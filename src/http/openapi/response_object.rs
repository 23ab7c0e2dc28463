//! Response objects: what clients see of the values of the domain.

/// Defines a response object, whose example stands before it; `nested` if it has none, because only other
/// objects have it; `versioned` if `PATCH` can write it, so that it has an entity tag. `page`
/// describes a page of a list of them. The pattern names every property of the domain's value, so that a new one cannot be
/// forgotten. A field is the property of its name, unless an expression follows.
macro_rules! response_object {
    (nested $(#[$attribute:meta])* pub struct $name:ident: $($object:tt)*) => {
        $crate::http::openapi::response_object::response_object!(
            @ value [] $(#[$attribute])* pub struct $name: $($object)*
        );
    };
    (
        versioned $example:expr;
        $(page $page:literal;)?
        $(#[$attribute:meta])*
        pub struct $name:ident: From<$domain:ty> = $value:pat => { $($fields:tt)* }
    ) => {
        $crate::http::openapi::response_object::response_object!(
            @ value [let etag = $crate::http::openapi::headers::EntityTag::from_version(&value);]
            $(#[$attribute])*
            #[oai(example)]
            pub struct $name: From<$domain> = $value => {
                $($fields)*
                /// Identifies the values that `PATCH` can write, for `If-Match`.
                etag: $crate::http::openapi::headers::EntityTag = etag,
            }
        );
        $crate::http::openapi::field::example!($name, $example);
        $(impl $crate::http::openapi::page::Listed for $name {
            const PAGE: &'static str = $page;
        })?

        impl $crate::http::openapi::headers::Tagged for $name {
            fn etag(&self) -> $crate::http::openapi::headers::EntityTag {
                self.etag.clone()
            }
        }
    };
    (
        @ $input:ident [$($setup:tt)*] $(#[$attribute:meta])*
        pub struct $name:ident: From<$domain:ty> = $value:pat => {
            $($(#[$field_attribute:meta])* $field:ident: $type:ty $(= $expression:expr)?,)*
        }
    ) => {
        #[derive(Debug, ::serde::Serialize, ::poem_openapi::Object)]
        $(#[$attribute])*
        pub struct $name { $($(#[$field_attribute])* pub(in crate::http) $field: $type,)* }

        impl From<$domain> for $name {
            fn from($input: $domain) -> Self {
                $($setup)*
                let $value = $input;
                Self {
                    $($field: $crate::http::openapi::response_object::response_object!(
                        = $field $(, $expression)?
                    ),)*
                }
            }
        }
    };
    (= $field:ident) => { $field.into() };
    (= $field:ident, $expression:expr) => { $expression };
    (
        $example:expr;
        $(page $page:literal;)?
        $(#[$attribute:meta])*
        pub struct $name:ident: $($object:tt)*
    ) => {
        $crate::http::openapi::response_object::response_object!(
            @ value [] $(#[$attribute])* #[oai(example)] pub struct $name: $($object)*
        );
        $crate::http::openapi::field::example!($name, $example);
        $(impl $crate::http::openapi::page::Listed for $name {
            const PAGE: &'static str = $page;
        })?
    };
}

pub(in crate::http) use response_object;
