//! HTTP interfaces: their operations and paths.

use poem::endpoint::BoxEndpoint;
use poem::http::Method;
use poem::{IntoEndpoint, Response};
use poem_openapi::registry::{MetaOperation, MetaParamIn, MetaPath};
use poem_openapi::{ContactObject, LicenseObject, OpenApi, OpenApiService, ServerObject};
use serde_json::Value;

use crate::http::problem_examples::ProblemExample;
use crate::http::problem_type::ProblemType;
use crate::values::{BaseUrl, Permission};

/// Operations under one prefix, which one document describes.
#[derive(Debug)]
pub struct Interface {
    /// Beginning of all its paths.
    pub prefix: &'static str,
    /// Path of its document.
    pub document_path: &'static str,
    /// Whether the operator's listener serves it, and no other one.
    pub is_for_operator: bool,
    /// Whether unknown query parameters are errors; otherwise they are ignored.
    pub is_strict: bool,
    /// Title of its document.
    pub title: &'static str,
    /// Description of the interface for its document.
    pub description: &'static str,
    /// Description of API keys for its document.
    pub keys: &'static str,
    /// The operations.
    pub operations: &'static [Operation],
    /// Adds to the document what poem-openapi cannot express.
    pub extend: fn(&mut Value),
    /// The parts that poem-openapi generates from the annotated operations.
    pub generated: Generated,
}

/// An operation, apart from what its annotations say.
#[derive(Debug)]
pub struct Operation {
    /// The `operationId`.
    pub id: &'static str,
    /// The permission that it needs.
    pub permission: Permission,
    /// Description of its successful response.
    pub success: &'static str,
    /// Groups of the problems that it returns, besides those that its permission implies.
    pub problems: &'static [&'static [ProblemExample]],
}

/// What poem-openapi generates from annotated operations.
#[derive(Debug, Clone, Copy)]
pub struct Generated {
    paths: fn() -> Vec<MetaPath>,
    /// Returns the endpoint that runs the operations.
    pub endpoint: fn() -> BoxEndpoint<'static, Response>,
    /// Returns the document without the additions of Terse.
    pub document: fn(&Interface, &BaseUrl) -> String,
}

impl Generated {
    /// Returns the parts for the operations of `A`.
    #[must_use]
    pub const fn from_operations<A: OpenApi + Default + 'static>() -> Self {
        Self {
            paths: || A::meta().into_iter().flat_map(|api| api.paths).collect(),
            endpoint: || OpenApiService::new(A::default(), "", "").into_endpoint(),
            document: |interface, base_url| {
                let licence = LicenseObject::new("MIT OR Apache-2.0");
                OpenApiService::new(A::default(), interface.title, env!("CARGO_PKG_VERSION"))
                    .description(interface.description)
                    .contact(ContactObject::new().name("The operator of this service"))
                    .license(licence.url("https://spdx.org/licenses/"))
                    .server(
                        ServerObject::new(interface.server(base_url)).description("This service"),
                    )
                    .spec()
            },
        }
    }
}

impl Interface {
    /// Returns the URL of the server in the document. The operator's listener may have any address, so
    /// that its URL is relative to that of the document.
    fn server<'a>(&self, base_url: &'a BaseUrl) -> &'a str {
        if self.is_for_operator { "/" } else { base_url.as_str() }
    }

    /// Returns the operation with this `operationId`.
    #[must_use]
    pub fn operation(&self, id: &str) -> Option<&'static Operation> {
        self.operations.iter().find(|operation| operation.id == id)
    }

    /// Returns the problems that an operation returns.
    pub fn problems(
        &self,
        operation: &Operation,
    ) -> impl Iterator<Item = &'static ProblemExample> + use<> {
        let unknown = self.is_strict.then_some(&ProblemExample::UNKNOWN_PARAMETER);
        let of_key = ProblemExample::of_permission(operation.permission);
        [of_key, ProblemExample::OF_OPERATIONS]
            .into_iter()
            .chain(operation.problems.iter().copied())
            .flatten()
            .chain(unknown)
    }

    /// Returns whether a response of the interface, also to unknown paths and methods, may be a
    /// problem of this type.
    #[must_use]
    pub fn declares(&self, problem_type: &ProblemType) -> bool {
        [ProblemType::NOT_FOUND, ProblemType::METHOD_NOT_ALLOWED].contains(&problem_type)
            || self
                .operations
                .iter()
                .flat_map(|operation| self.problems(operation))
                .any(|problem| problem.problem_type == problem_type)
    }
}

/// The paths of an interface.
#[derive(Debug)]
pub struct Paths(Vec<Path>);

/// A path of an interface, and its operations by method.
#[derive(Debug)]
struct Path {
    template: String,
    operations: Vec<PathOperation>,
}

/// An operation of a path.
#[derive(Debug)]
pub struct PathOperation {
    method: Method,
    /// The operation.
    pub operation: &'static Operation,
    /// Names of its query parameters.
    pub query: Vec<String>,
    /// Whether requests have a body.
    pub has_body: bool,
}

/// Result of the search for the operation of a request.
#[derive(Debug)]
pub enum Found<'a> {
    /// The operation.
    Operation(&'a PathOperation),
    /// The path has only other methods: the value of the header `Allow`.
    OtherMethods(String),
    /// No operation has the path.
    Nothing,
}

impl Paths {
    /// Collects the paths of an interface.
    #[must_use]
    pub fn from_interface(interface: &'static Interface) -> Self {
        let path = |MetaPath { path: template, operations }: MetaPath| {
            let operations = operations.into_iter().filter_map(|described| {
                let MetaOperation { method, operation_id, params, request, .. } = described;
                let operation = interface.operation(operation_id?)?;
                let in_query = params.into_iter().filter(|one| one.in_type == MetaParamIn::Query);
                let query = in_query.map(|parameter| parameter.name).collect();
                Some(PathOperation { method, operation, query, has_body: request.is_some() })
            });
            Path { template, operations: operations.collect() }
        };
        let mut paths: Vec<Path> = (interface.generated.paths)().into_iter().map(path).collect();
        // A fixed segment precedes a parameter, because letters precede braces.
        paths.sort_by(|a, b| a.template.cmp(&b.template));
        Self(paths)
    }

    /// Finds the operation for a method and a path. HEAD finds the operation of GET.
    #[must_use]
    pub fn find(&self, method: &Method, path: &str) -> Found<'_> {
        let Some(path) = self.0.iter().find(|known| known.matches(path)) else {
            return Found::Nothing;
        };
        let method = if *method == Method::HEAD { &Method::GET } else { method };
        let found = path.operations.iter().find(|known| known.method == *method);
        found.map_or_else(|| Found::OtherMethods(path.methods()), Found::Operation)
    }
}

impl Path {
    fn matches(&self, path: &str) -> bool {
        let (parts, segments) = (self.template.split('/'), path.split('/'));
        parts.clone().count() == segments.clone().count()
            && parts.zip(segments).all(|(part, segment)| {
                part == segment || (part.starts_with('{') && !segment.is_empty())
            })
    }

    fn methods(&self) -> String {
        let mut methods: Vec<_> =
            self.operations.iter().map(|known| known.method.as_str()).collect();
        if methods.contains(&"GET") {
            methods.push("HEAD");
        }
        methods.sort_unstable();
        methods.join(", ")
    }
}
