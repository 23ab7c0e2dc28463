//! The paths of the operations and their methods, for the header `Allow`.

use poem_openapi::OpenApi;
use poem_openapi::registry::MetaOperation;

use super::Api;

/// The methods of each path: pairs of a path and the value of its `Allow` header.
#[derive(Debug)]
pub struct Paths(Vec<(String, String)>);

impl Paths {
    /// Collects the methods of all operations.
    #[must_use]
    pub fn from_api() -> Self {
        let paths = Api::meta().into_iter().flat_map(|api| api.paths);
        Self(paths.map(|path| (path.path, methods(&path.operations))).collect())
    }

    /// Returns the value of `Allow` for `path`, or `None` if no operation has this path.
    #[must_use]
    pub fn allowed(&self, path: &str) -> Option<&str> {
        let fits = |template: &str| {
            template.split('/').count() == path.split('/').count()
                && template
                    .split('/')
                    .zip(path.split('/'))
                    .all(|(part, segment)| part.starts_with('{') || part == segment)
        };
        self.0.iter().find(|(template, _)| fits(template)).map(|(_, methods)| methods.as_str())
    }
}

fn methods(operations: &[MetaOperation]) -> String {
    let mut methods: Vec<&str> =
        operations.iter().map(|operation| operation.method.as_str()).collect();
    if methods.contains(&"GET") {
        methods.push("HEAD");
    }
    methods.sort_unstable();
    methods.join(", ")
}
